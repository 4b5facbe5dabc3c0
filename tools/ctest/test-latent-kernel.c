/* The dense posterior: refresh, block updates, products. */
#include "check.h"
#include "dense.h"
#include "latent-kernel.h"

typedef struct {
  latent post;
  latent_kernel lk;
  double *block, *K, *C, *y, *tau, *nu;
} space;

/* *s must stay where it is: its post points into it */
static void space_new(space *s, int n, uint64_t seed, double negative) {
  workspace ws = {NULL, 0};
  s->K = dense_square(n);
  s->post = latent_kernel_given(&s->lk, n, s->K);
  s->post.ops->carve(&s->post, 64, &ws);
  s->block = dense_new(ws.used);
  ws = (workspace){s->block, 0};
  s->post.ops->carve(&s->post, 64, &ws);
  s->C = dense_square(n);
  s->y = dense_new((size_t)n);
  s->tau = dense_new((size_t)n);
  s->nu = dense_new((size_t)n);
  dense_problem(seed, n, 0.2, s->K, s->y);
  for (int i = 0; i < n; i++) {
    s->tau[i] = dense_unif(&seed) < negative ? -0.3 * dense_unif(&seed) / n
                                             : exp(dense_norm(&seed));
    s->nu[i] = dense_norm(&seed);
  }
  s->post.ops->bind(&s->post);
}

static void space_free(space *s) {
  free(s->block);
  free(s->K);
  free(s->C);
  free(s->y);
  free(s->tau);
  free(s->nu);
}

/* post is that of tau, nu, by LU */
static void check_posterior(space *s, double tol) {
  const int n = s->post.n;
  const double log_det = dense_posterior(s->K, s->tau, n, s->C);
  CHECK_NEAR(s->post.log_det, log_det, tol);
  for (int j = 0; j < n; j++) {
    CHECK_NEAR(s->post.A[j], s->C[IDX(j, j, n)], tol);
    CHECK_NEAR(s->post.m[j], dense_dot(s->C + IDX(0, j, n), s->nu, n), tol);
    for (int i = j; i < n; i++)
      CHECK_NEAR(s->lk.C[IDX(i, j, n)], s->C[IDX(i, j, n)], tol);
  }
}

static void refresh_equals_dense_algebra(void) {
  const int sizes[] = {1, 2, 3, 17, 64, 90};
  for (int k = 0; k < 6; k++)
    for (double negative = 0; negative <= 1; negative += 0.5) {
      space s;
      space_new(&s, sizes[k], (uint64_t)k, negative);
      CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_CONVERGED);
      check_posterior(&s, 1e-11);
      for (int i = 0; i < sizes[k]; i++) /* b = nu - T m, m = K b */
        CHECK_NEAR(s.lk.b[i], s.nu[i] - s.tau[i] * s.post.m[i], 1e-11);
      space_free(&s);
    }
}

static void flat_sites_give_the_prior(void) {
  space s;
  space_new(&s, 20, 4, 0);
  memset(s.tau, 0, 20 * sizeof *s.tau);
  memset(s.nu, 0, 20 * sizeof *s.nu);
  CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_CONVERGED);
  CHECK(s.post.log_det == 0);
  for (int i = 0; i < 20; i++) {
    CHECK(s.post.m[i] == 0);
    CHECK(s.post.A[i] == s.K[IDX(i, i, 20)]);
  }
  space_free(&s);
}

static void too_negative_a_site_is_refused_and_left_again(void) {
  space s;
  space_new(&s, 12, 5, 0);
  const double was = s.tau[3];
  s.tau[3] = -1000;
  CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_NOT_PD);
  s.tau[3] = was;
  CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_CONVERGED);
  check_posterior(&s, 1e-12);
  space_free(&s);
}

/* What ep.c does with a block, for given changes of the sites idx[b]. */
static void change_block(space *s, const int *idx, int b, const double *dtau,
                         const double *dnu) {
  double *Cbb = dense_new((size_t)(b * b)), *N = dense_new((size_t)(b * b));
  double gamma[64], beta[64], m[64];
  latent *post = &s->post;
  post->ops->load(post, idx, b, Cbb, m);
  for (int l = 0; l < b; l++) {
    const double A = Cbb[IDX(l, l, b)], grow = 1 + dtau[l] * A;
    gamma[l] = dtau[l] / grow;
    beta[l] = (dnu[l] - dtau[l] * m[l]) / grow;
    post->log_det += log(grow);
    double c[64];
    for (int k = 0; k < b; k++) c[k] = Cbb[IDX(k, l, b)];
    for (int k = l + 1; k < b; k++) N[IDX(l, k, b)] = gamma[l] * c[k];
    for (int k = 0; k < b; k++) {
      m[k] += beta[l] * c[k];
      for (int j = 0; j < b; j++) Cbb[IDX(k, j, b)] -= gamma[l] * c[k] * c[j];
    }
    s->tau[idx[l]] += dtau[l];
    s->nu[idx[l]] += dnu[l];
  }
  post->ops->apply(post, NULL, b, N, gamma, beta); /* K needs no sites */
  free(Cbb);
  free(N);
}

static void block_updates_equal_a_refresh(void) {
  enum { n = 50 };
  uint64_t seed = 6;
  for (int b = 1; b <= n; b = 3 * b + 1) {
    space s;
    space_new(&s, n, 7, 0.3);
    CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_CONVERGED);
    for (int round = 0; round < 4; round++) {
      int idx[64], k = 0;
      double dtau[64], dnu[64];
      for (int i = round; i < n && k < b; i += b < n / 2 ? 2 : 1) {
        idx[k] = i;
        /* either sign, the posterior stays proper; some left alone */
        dtau[k] = dense_unif(&seed) < 0.5
                      ? 0.4 * dense_unif(&seed)
                      : -0.2 * dense_unif(&seed) * fabs(s.tau[i]);
        dnu[k] = dense_norm(&seed);
        if (dense_unif(&seed) < 0.1) dtau[k] = dnu[k] = 0;
        k++;
      }
      change_block(&s, idx, k, dtau, dnu);
    }
    s.post.ops->marginals(&s.post);
    check_posterior(&s, 1e-10);
    space_free(&s);
  }
}

static void products_are_those_of_the_matrix(void) {
  enum { n = 30 };
  space s;
  space_new(&s, n, 8, 0.5);
  double x[n], out[n], want[n], squared[n];
  uint64_t seed = 9;
  s.post.ops->refresh(&s.post, s.tau, s.nu);
  dense_posterior(s.K, s.tau, n, s.C);
  for (int round = 0; round < 2; round++) { /* the squares are kept */
    for (int i = 0; i < n; i++) x[i] = dense_norm(&seed);
    for (int i = 0; i < n; i++) {
      want[i] = squared[i] = 0;
      for (int j = 0; j < n; j++) {
        const double c = s.C[IDX(i, j, n)];
        want[i] += c * x[j];
        squared[i] += c * c * x[j];
      }
    }
    s.post.ops->times(&s.post, x, out);
    for (int i = 0; i < n; i++) CHECK_NEAR(out[i], want[i], 1e-12);
    s.post.ops->times_squared(&s.post, x, out);
    for (int i = 0; i < n; i++) CHECK_NEAR(out[i], squared[i], 1e-12);
  }
  /* and are made anew after an update */
  const int idx[] = {3, 11};
  const double dtau[] = {0.5, 0.2}, dnu[] = {1, -1};
  change_block(&s, idx, 2, dtau, dnu);
  dense_posterior(s.K, s.tau, n, s.C);
  s.post.ops->times_squared(&s.post, x, out);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += s.C[IDX(i, j, n)] * s.C[IDX(i, j, n)] * x[j];
    CHECK_NEAR(out[i], sum, 1e-12);
  }
  space_free(&s);
}

static void a_singular_prior_is_fine(void) {
  enum { n = 12 };
  space s;
  space_new(&s, n, 10, 0);
  for (int k = 0; k < n * n; k++) s.K[k] = 1; /* rank one */
  CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_CONVERGED);
  check_posterior(&s, 1e-12);
  space_free(&s);
}

/* Integers without rounding: m = K b and nu = b + T m solve the equations
 * exactly, and K = G G' is 1e5 times as large as A. C nu alone is off by 2e-6
 * standard deviations. */
static void the_mean_is_refined(void) {
  enum { n = 30, r = 4 };
  space s;
  double G[n * r], b[n], m[n];
  uint64_t seed = 11;
  space_new(&s, n, 11, 0);
  for (int k = 0; k < n * r; k++) G[k] = 16 * floor(9 * dense_unif(&seed) - 4);
  for (int i = 0; i < n; i++) {
    b[i] = floor(5 * dense_unif(&seed)) - 2;
    s.tau[i] = i % 3 ? 4 : 1;
    for (int j = 0; j < n; j++) {
      s.K[IDX(i, j, n)] = 0;
      for (int k = 0; k < r; k++)
        s.K[IDX(i, j, n)] += G[IDX(i, k, n)] * G[IDX(j, k, n)];
    }
  }
  for (int i = 0; i < n; i++) {
    m[i] = dense_dot(s.K + IDX(0, i, n), b, n);
    s.nu[i] = b[i] + s.tau[i] * m[i];
  }
  s.post.ops->bind(&s.post);
  CHECK(s.post.ops->refresh(&s.post, s.tau, s.nu) == EP_CONVERGED);
  for (int i = 0; i < n; i++) {
    CHECK(fabs(s.post.m[i] - m[i]) < 1e-9 * sqrt(s.post.A[i]));
    CHECK(fabs(s.lk.b[i] - b[i]) < 1e-9);
  }
  space_free(&s);
}

int main(void) {
  RUN("a refresh equals dense algebra", refresh_equals_dense_algebra);
  RUN("flat sites give the prior", flat_sites_give_the_prior);
  RUN("too negative a site is refused, and left again",
      too_negative_a_site_is_refused_and_left_again);
  RUN("block updates equal a refresh", block_updates_equal_a_refresh);
  RUN("products are those of the matrix", products_are_those_of_the_matrix);
  RUN("a singular prior is fine", a_singular_prior_is_fine);
  RUN("the mean is refined", the_mean_is_refined);
  return check_done();
}
