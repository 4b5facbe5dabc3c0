/* The low-rank posterior is the kernel-space one at K = X S0 X' + nugget I, and
 * that of inducing inputs at K = Phi Phi' + diag(lambda). */
#include "adjoint.h"
#include "check.h"
#include "dense.h"
#include "ep.h"
#include "flip-rates.h"
#include "latent-kernel.h"
#include "latent-lowrank.h"

enum { n = 37, k = 5, m = 9, p = 3 };

/* Both spaces with the same sites; *s must stay where it is. */
typedef struct {
  latent low, dense;
  latent_lowrank lr;
  latent_kernel lk;
  inducing points;
  kernel_ard kernel;
  double *blocks[2], Xt[k * n], s0[k], K[n * n], tau[n], nu[n], y[n];
  double X[n * p], Z[m * p], weight[p], l[2];
  int group[p];
} pair;

static void pair_carve(pair *s, int width) {
  for (int pass = 0; pass < 2; pass++) {
    workspace a = {pass ? s->blocks[0] : NULL, 0};
    workspace b = {pass ? s->blocks[1] : NULL, 0};
    s->low.ops->carve(&s->low, width, &a);
    s->dense.ops->carve(&s->dense, width, &b);
    if (pass) continue;
    s->blocks[0] = dense_new(a.used);
    s->blocks[1] = dense_new(b.used);
  }
}

/* K from what the low-rank latent has bound */
static void pair_bind(pair *s) {
  s->low.ops->bind(&s->low);
  const int q = s->lr.k;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      s->K[IDX(i, j, n)] =
          dense_dot(s->lr.Phi + IDX(0, i, q), s->lr.Phi + IDX(0, j, q), q) +
          (i == j ? s->lr.lambda[i] : 0);
  s->dense.ops->bind(&s->dense);
}

/* Sites of which a share is negative, all with a posterior */
static void pair_sites(pair *s, uint64_t *seed, double negative) {
  for (int i = 0; i < n; i++) {
    s->tau[i] = dense_unif(seed) < negative ? -0.002 * dense_unif(seed)
                                            : dense_unif(seed);
    s->nu[i] = dense_norm(seed);
  }
}

static void pair_new(pair *s, int width, double negative, double nugget) {
  uint64_t seed = 71;
  s->low = latent_lowrank_features(&s->lr, n, k, s->Xt, s->s0, nugget);
  s->dense = latent_kernel_given(&s->lk, n, s->K);
  pair_carve(s, width);
  for (int j = 0; j < k; j++) s->s0[j] = exp(dense_norm(&seed));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < k; j++) s->Xt[IDX(j, i, k)] = dense_norm(&seed);
    s->y[i] = s->Xt[IDX(0, i, k)] + 0.5 * dense_norm(&seed) > 0 ? 1 : -1;
  }
  pair_sites(s, &seed, negative);
  pair_bind(s);
}

static void pair_points(pair *s, int width, double negative, double nugget,
                        int kept) {
  uint64_t seed = 73;
  s->kernel = (kernel_ard){.p = p,
                           .groups = 2,
                           .group = s->group,
                           .weight = s->weight,
                           .l = s->l,
                           .variance = 1.3,
                           .bias = 0.2,
                           .nugget = nugget,
                           .linear = 0.4};
  for (int j = 0; j < p; j++) {
    s->group[j] = j > 0;
    s->weight[j] = j == 2 ? 0.5 : 1;
  }
  s->l[0] = 0.3;
  s->l[1] = 0.15;
  for (int i = 0; i < n * p; i++) s->X[i] = dense_norm(&seed);
  for (int i = 0; i < m * p; i++) s->Z[i] = 1.2 * dense_norm(&seed);
  for (int i = 0; i < n; i++)
    s->y[i] = s->X[i] + 0.5 * dense_norm(&seed) > 0 ? 1 : -1;
  s->points =
      (inducing){.kernel = &s->kernel, .n = n, .m = m, .X = s->X, .Z = s->Z};
  s->low = latent_lowrank_inducing(&s->lr, &s->points, kept);
  s->dense = latent_kernel_given(&s->lk, n, s->K);
  pair_carve(s, width);
  pair_sites(s, &seed, negative);
  pair_bind(s);
}

static void pair_inducing(pair *s, int width, double negative, double nugget) {
  pair_points(s, width, negative, nugget, 1);
}

static void pair_anew(pair *s, int width, double negative, double nugget) {
  pair_points(s, width, negative, nugget, 0);
}

static void pair_free(pair *s) {
  free(s->blocks[0]);
  free(s->blocks[1]);
}

static int pair_refresh(pair *s) {
  const int low = s->low.ops->refresh(&s->low, s->tau, s->nu);
  return s->dense.ops->refresh(&s->dense, s->tau, s->nu) == low ? low : -99;
}

static void check_same(const pair *s, double tol) {
  CHECK_NEAR(s->low.log_det, s->dense.log_det, tol);
  for (int i = 0; i < n; i++) {
    CHECK_NEAR(s->low.A[i], s->dense.A[i], tol);
    CHECK_NEAR(s->low.m[i], s->dense.m[i], tol);
  }
}

typedef void (*maker)(pair *, int, double, double);
static const maker makers[] = {pair_new, pair_inducing, pair_anew};
static const double nuggets[] = {0, 1e-3, 0.7};

static void refreshes_agree(void) {
  const int widths[] = {1, 8, 64};
  for (int a = 0; a < 3; a++)
    for (int w = 0; w < 3; w++)
      for (int g = 0; g < 3; g++)
        for (double negative = 0; negative <= 1; negative += 0.5) {
          pair s;
          makers[a](&s, widths[w], negative, nuggets[g]);
          CHECK(pair_refresh(&s) == EP_CONVERGED);
          check_same(&s, 1e-10);
          for (int i = 0; i < n; i++)
            CHECK_NEAR(s.low.prior[i], s.dense.prior[i], 1e-13);
          /* A from M is A from its factor */
          s.low.ops->marginals(&s.low);
          check_same(&s, 1e-10);
          pair_free(&s);
        }
}

static void products_agree(void) {
  for (int g = 0; g < 3; g++) {
    pair s;
    double x[n], a[n], b[n];
    uint64_t seed = 72;
    pair_new(&s, 8, 0.3, nuggets[g]);
    CHECK(pair_refresh(&s) == EP_CONVERGED);
    for (int i = 0; i < n; i++) x[i] = dense_norm(&seed);
    s.low.ops->times(&s.low, x, a);
    s.dense.ops->times(&s.dense, x, b);
    for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-11);
    s.low.ops->times_squared(&s.low, x, a);
    s.dense.ops->times_squared(&s.dense, x, b);
    for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 1e-11);
    pair_free(&s);
  }
}

static void shifts_agree_with_refreshes(void) {
  for (int a = 0; a < 2; a++) {
    pair s;
    double x[n], m[2][n];
    uint64_t seed = 73;
    makers[a](&s, 8, 0.3, 0.7);
    CHECK(pair_refresh(&s) == EP_CONVERGED);
    for (int i = 0; i < n; i++) s.nu[i] += x[i] = dense_norm(&seed);
    s.low.ops->shift(&s.low, x);
    s.dense.ops->shift(&s.dense, x);
    memcpy(m[0], s.low.m, sizeof m[0]);
    memcpy(m[1], s.dense.m, sizeof m[1]);
    s.low.ops->marginals(&s.low); /* the weights have moved, too */
    for (int i = 0; i < n; i++) CHECK_NEAR(s.low.m[i], m[0][i], 1e-11);
    CHECK(pair_refresh(&s) == EP_CONVERGED);
    for (int i = 0; i < n; i++) {
      CHECK_NEAR(m[0][i], s.dense.m[i], 1e-10);
      CHECK_NEAR(m[1][i], s.dense.m[i], 1e-10);
    }
    pair_free(&s);
  }
}

/* A block of sites that change: the same joint covariance, and afterwards the
 * posterior of a refresh at the new sites. */
static void blocks_agree_with_refreshes(void) {
  enum { b = 4 };
  const int idx[b] = {0, 3, 4, 20};
  for (int g = 0; g < 3; g++) {
    pair s;
    ep_site site[n];
    double C[2][b * b], mb[2][b], N[b * b] = {0}, gamma[b], beta[b];
    pair_new(&s, 8, 0.3, nuggets[g]);
    CHECK(pair_refresh(&s) == EP_CONVERGED);
    s.low.ops->load(&s.low, idx, b, C[0], mb[0]);
    s.dense.ops->load(&s.dense, idx, b, C[1], mb[1]);
    for (int l = 0; l < b; l++) {
      CHECK_NEAR(mb[0][l], mb[1][l], 1e-11);
      for (int j = 0; j < b; j++)
        CHECK_NEAR(C[0][IDX(j, l, b)], C[1][IDX(j, l, b)], 1e-11);
    }
    for (int l = 0; l < b; l++) { /* [M 3.7, 3.8] in the plainest form */
      const double dtau = l % 2 ? -0.1 * s.tau[idx[l]] : 0.4;
      const double dnu = 0.3 * l - 0.2, grow = 1 + dtau * C[0][IDX(l, l, b)];
      gamma[l] = dtau / grow;
      beta[l] = (dnu - dtau * mb[0][l]) / grow;
      double column[b];
      for (int j = 0; j < b; j++) column[j] = C[0][IDX(j, l, b)];
      for (int j = 0; j < b; j++) {
        mb[0][j] += beta[l] * column[j];
        if (j > l) N[IDX(l, j, b)] = gamma[l] * column[j];
        for (int h = 0; h < b; h++)
          C[0][IDX(h, j, b)] -= gamma[l] * column[h] * column[j];
      }
      N[IDX(l, l, b)] = 1;
      s.tau[idx[l]] += dtau;
      s.nu[idx[l]] += dnu;
    }
    for (int i = 0; i < n; i++) site[i] = (ep_site){s.tau[i], s.nu[i]};
    s.low.ops->apply(&s.low, site, b, N, gamma, beta);
    s.low.ops->marginals(&s.low);
    CHECK(s.dense.ops->refresh(&s.dense, s.tau, s.nu) == EP_CONVERGED);
    for (int i = 0; i < n; i++) {
      CHECK_NEAR(s.low.A[i], s.dense.A[i], 1e-10);
      CHECK_NEAR(s.low.m[i], s.dense.m[i], 1e-10);
    }
    pair_free(&s);
  }
}

static void too_negative_sites_are_refused(void) {
  for (int g = 0; g < 3; g++) {
    pair s;
    pair_new(&s, 8, 0, nuggets[g]);
    s.tau[3] = -1000;
    CHECK(s.low.ops->refresh(&s.low, s.tau, s.nu) == EP_NOT_PD);
    s.tau[3] = NAN;
    CHECK(s.low.ops->refresh(&s.low, s.tau, s.nu) == EP_NOT_PD);
    pair_free(&s);
  }
}

/* A K_uu that is not finite has no factor. Inducing inputs that are one and the
 * same, or beyond all squares, have one. */
static void no_factor_is_no_posterior(void) {
  pair s;
  pair_inducing(&s, 8, 0, 0.1);
  for (int j = 0; j < p; j++) s.Z[IDX(1, j, m)] = s.Z[IDX(0, j, m)];
  s.Z[2] = 1e200;
  pair_bind(&s);
  CHECK(pair_refresh(&s) == EP_CONVERGED);
  check_same(&s, 1e-9);
  s.kernel.variance = NAN;
  s.low.ops->bind(&s.low);
  CHECK(s.low.ops->refresh(&s.low, s.tau, s.nu) == EP_NOT_PD);
  pair_free(&s);
}

/* EP in either space */
typedef struct {
  ep_state st;
  ep_work work;
  criterion_partials partials;
  double *block;
} run;

static void run_carve(run *r, const ep_options *opt, workspace *ws) {
  ep_carve(&r->st, &r->work, n, opt, ws);
  adjoint_carve(&r->partials, n, 2, ws);
}

static double run_ep(latent *post, const lik_step *lik, criterion_type type,
                     run *r, double *gradient) {
  const ep_options opt = {
      .tol = 1e-12, .max_sweeps = 300, .damping = 1, .block = 8};
  workspace ws = {NULL, 0};
  double value = NAN;
  run_carve(r, &opt, &ws);
  r->block = dense_new(ws.used);
  ws = (workspace){r->block, 0};
  run_carve(r, &opt, &ws);
  CHECK(ep_run(post, lik, &opt, &r->st, &r->work, NULL, NULL) == EP_CONVERGED);
  criterion_value(type, post, lik->df, r->st.site, r->st.view, &value);
  if (gradient) {
    CHECK(adjoint_gradient(type, post, lik, r->st.site, r->st.view,
                           &r->work.fix, &r->partials,
                           gradient) == EP_CONVERGED);
  }
  return value;
}

static const double dfs[] = {3, 10, INFINITY};
static const double both[] = {0.15, 0.15};

static void fixed_points_agree(void) {
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++)
      for (int g = 0; g < 3; g++) {
        pair s;
        run low, dense;
        makers[a](&s, 8, 0, nuggets[g]);
        step_levels row[n];
        const lik_step lik = label_step(dfs[d], n, n, s.y, both, row);
        CHECK_NEAR(run_ep(&s.low, &lik, CRITERION_EVIDENCE, &low, NULL),
                   run_ep(&s.dense, &lik, CRITERION_EVIDENCE, &dense, NULL),
                   1e-9);
        for (int i = 0; i < n; i++) {
          const double A = s.dense.A[i];
          CHECK(fabs(low.st.site[i].tau - dense.st.site[i].tau) * A < 1e-8);
          CHECK(fabs(low.st.site[i].nu - dense.st.site[i].nu) * sqrt(A) < 1e-8);
        }
        free(low.block);
        free(dense.block);
        pair_free(&s);
      }
}

/* Every parameter of the prior against differences */
typedef struct {
  pair *s;
  double *parameter;
  lik_step lik;
  criterion_type type;
} probe;

static double probe_at(void *data, double step) {
  const probe *q = data;
  const double was = *q->parameter;
  run r;
  *q->parameter *= exp(step);
  q->s->low.ops->bind(&q->s->low);
  const double value = run_ep(&q->s->low, &q->lik, q->type, &r, NULL);
  *q->parameter = was;
  free(r.block);
  return value;
}

static void gradients_equal_differences(void) {
  const criterion_type types[] = {CRITERION_EVIDENCE, CRITERION_LOO};
  const int step = check_quick() ? 3 : 1;
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++)
      for (int t = 0; t < 2; t++)
        for (int g = 0; g < 3; g++) {
          if ((a + d + t + g) % step) continue;
          pair s;
          run r;
          double got[k + 6];
          makers[a](&s, 8, 0, nuggets[g]);
          double *features[k + 1] = {s.s0,     s.s0 + 1, s.s0 + 2,
                                     s.s0 + 3, s.s0 + 4, &s.lr.nugget};
          double *kernel[] = {s.l,
                              s.l + 1,
                              &s.kernel.variance,
                              &s.kernel.bias,
                              &s.kernel.nugget,
                              &s.kernel.linear};
          double **parameter = a ? kernel : features;
          step_levels row[n];
          const lik_step lik =
              label_step(a || nuggets[g] > 0 ? dfs[d] : dfs[d] + 17,
                         a ? n : s.low.d, n, s.y, both, row);
          run_ep(&s.low, &lik, types[t], &r, got);
          for (int j = g % step; j < s.low.n_prior; j += step) {
            probe q = {&s, parameter[j], lik, types[t]};
            CHECK_NEAR(got[j], dense_slope(probe_at, &q, 0.03), 1e-7);
          }
          free(r.block);
          pair_free(&s);
        }
}

int main(void) {
  RUN("refreshes agree with kernel space", refreshes_agree);
  RUN("products agree with kernel space", products_agree);
  RUN("a shift of nu is a refresh at the new sites",
      shifts_agree_with_refreshes);
  RUN("a block is a refresh at its new sites", blocks_agree_with_refreshes);
  RUN("sites that are too negative are refused",
      too_negative_sites_are_refused);
  RUN("inputs without a factor have no posterior", no_factor_is_no_posterior);
  RUN("fixed points agree with kernel space", fixed_points_agree);
  RUN("gradients equal differences", gradients_equal_differences);
  return check_done();
}
