/* The weight-space posterior is the kernel-space one at K = X S0 X'. */
#include "adjoint.h"
#include "check.h"
#include "dense.h"
#include "ep.h"
#include "latent-kernel.h"
#include "latent-weight.h"

enum { n = 37, k = 5 };

/* Both spaces with the same sites; *s must stay where it is. */
typedef struct {
  latent weight, kernel;
  latent_weight lw;
  latent_kernel lk;
  double *blocks[2], Xt[k * n], s0[k], K[n * n], tau[n], nu[n], y[n];
} pair;

static void pair_new(pair *s, int width, double negative) {
  uint64_t seed = 71;
  s->weight = latent_weight_features(&s->lw, n, k, s->Xt, s->s0);
  s->kernel = latent_kernel_given(&s->lk, n, s->K);
  for (int pass = 0; pass < 2; pass++) {
    workspace a = {pass ? s->blocks[0] : NULL, 0};
    workspace b = {pass ? s->blocks[1] : NULL, 0};
    s->weight.ops->carve(&s->weight, width, &a);
    s->kernel.ops->carve(&s->kernel, width, &b);
    if (pass) continue;
    s->blocks[0] = dense_new(a.used);
    s->blocks[1] = dense_new(b.used);
  }
  for (int j = 0; j < k; j++) s->s0[j] = exp(dense_norm(&seed));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k; j++) s->Xt[IDX(j, i, k)] = dense_norm(&seed);
    s->tau[i] = dense_unif(&seed) < negative ? -0.002 * dense_unif(&seed)
                                             : dense_unif(&seed);
    s->nu[i] = dense_norm(&seed);
    s->y[i] = s->Xt[IDX(0, i, k)] + 0.5 * dense_norm(&seed) > 0 ? 1 : -1;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += s->Xt[IDX(l, i, k)] * s->s0[l] * s->Xt[IDX(l, j, k)];
      s->K[IDX(i, j, n)] = sum;
    }
  s->weight.ops->bind(&s->weight);
  s->kernel.ops->bind(&s->kernel);
}

static void pair_free(pair *s) {
  free(s->blocks[0]);
  free(s->blocks[1]);
}

static void check_same(const pair *s, double tol) {
  CHECK_NEAR(s->weight.log_det, s->kernel.log_det, tol);
  for (int i = 0; i < n; i++) {
    CHECK_NEAR(s->weight.A[i], s->kernel.A[i], tol);
    CHECK_NEAR(s->weight.m[i], s->kernel.m[i], tol);
  }
}

static void refreshes_agree(void) {
  const int widths[] = {1, 8, 64};
  for (int w = 0; w < 3; w++)
    for (double negative = 0; negative <= 1; negative += 0.5) {
      pair s;
      pair_new(&s, widths[w], negative);
      CHECK(s.weight.ops->refresh(&s.weight, s.tau, s.nu) == EP_CONVERGED);
      CHECK(s.kernel.ops->refresh(&s.kernel, s.tau, s.nu) == EP_CONVERGED);
      check_same(&s, 1e-10);
      for (int i = 0; i < n; i++)
        CHECK_NEAR(s.weight.prior[i], s.kernel.prior[i], 1e-13);
      pair_free(&s);
    }
}

static void products_agree(void) {
  pair s;
  double x[n], a[n], b[n];
  uint64_t seed = 72;
  pair_new(&s, 8, 0.3);
  s.weight.ops->refresh(&s.weight, s.tau, s.nu);
  s.kernel.ops->refresh(&s.kernel, s.tau, s.nu);
  for (int i = 0; i < n; i++) x[i] = dense_norm(&seed);
  s.weight.ops->times(&s.weight, x, a);
  s.kernel.ops->times(&s.kernel, x, b);
  for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-11);
  s.weight.ops->times_squared(&s.weight, x, a);
  s.kernel.ops->times_squared(&s.kernel, x, b);
  for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-11);
  pair_free(&s);
}

static void too_negative_sites_are_refused(void) {
  pair s;
  pair_new(&s, 8, 0);
  s.tau[3] = -1000;
  CHECK(s.weight.ops->refresh(&s.weight, s.tau, s.nu) == EP_NOT_PD);
  pair_free(&s);
}

/* EP by each space, and dE/dlog s0 against differences. */
static double
run_weight(pair *s, double df, criterion_type type, double *gradient) {
  const double epsilon[2] = {0.15, 0.15};
  const lik_step lik = likelihood_step(df, k, epsilon);
  const ep_options opt = {1e-12, 300, 1, 8};
  ep_state st;
  ep_work work;
  criterion_partials partials;
  workspace ws = {NULL, 0};
  ep_carve(&st, &work, n, &opt, &ws);
  adjoint_carve(&partials, n, &ws);
  double *block = dense_new(ws.used), value = NAN;
  ws = (workspace){block, 0};
  ep_carve(&st, &work, n, &opt, &ws);
  adjoint_carve(&partials, n, &ws);
  s->weight.ops->bind(&s->weight);
  CHECK(ep_run(&s->weight, &lik, s->y, &opt, &st, &work, NULL, NULL) ==
        EP_CONVERGED);
  criterion_value(type, &s->weight, df, st.site, st.view, &value);
  if (gradient) {
    CHECK(adjoint_gradient(type, &s->weight, &lik, s->y, st.site, st.view,
                           &work.fix, &partials, gradient) == EP_CONVERGED);
  }
  free(block);
  return value;
}

typedef struct {
  pair *s;
  double df;
  criterion_type type;
  int j;
} probe;

static double probe_at(void *data, double step) {
  const probe *p = data;
  const double was = p->s->s0[p->j];
  p->s->s0[p->j] *= exp(step);
  const double value = run_weight(p->s, p->df, p->type, NULL);
  p->s->s0[p->j] = was;
  return value;
}

static void gradients_equal_differences(void) {
  const double dfs[] = {20, 100, INFINITY};
  const criterion_type types[] = {CRITERION_EVIDENCE, CRITERION_LOO};
  for (int d = 0; d < 3; d++)
    for (int t = 0; t < 2; t++) {
      pair s;
      double g[k + 2];
      pair_new(&s, 8, 0);
      run_weight(&s, dfs[d], types[t], g);
      for (int j = 0; j < k; j++) {
        probe p = {&s, dfs[d], types[t], j};
        CHECK_NEAR(g[j], dense_slope(probe_at, &p, 0.03), 1e-7);
      }
      pair_free(&s);
    }
}

int main(void) {
  RUN("refreshes agree with kernel space", refreshes_agree);
  RUN("products agree with kernel space", products_agree);
  RUN("sites that are too negative are refused",
      too_negative_sites_are_refused);
  RUN("gradients equal differences", gradients_equal_differences);
  return check_done();
}
