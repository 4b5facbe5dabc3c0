/* Factors of K^{-1} + T for sites of either sign against LU. */
#include "factor-signed.h"
#include "check.h"
#include "dense.h"
#include "status.h"

static site_signs new_signs(int n) {
  site_signs s;
  s.idx = (int *)(void *)dense_new((size_t)n);
  s.root = dense_new((size_t)n);
  return s;
}

static void free_signs(site_signs *s) {
  free(s->idx);
  free(s->root);
}

static void sites_are_split_by_sign(void) {
  const double tau[] = {-1, 4, 0, 9, -0.25, 0};
  site_signs s = new_signs(6);
  sites_split(tau, 6, &s);
  CHECK(s.np == 2 && s.nn == 2);
  CHECK(s.idx[0] == 1 && s.idx[1] == 3 && s.idx[2] == 0 && s.idx[3] == 4);
  CHECK(s.root[0] == 2 && s.root[1] == 3 && s.root[2] == 1 && s.root[3] == 0.5);
  sites_split(tau, 0, &s);
  CHECK(s.np == 0 && s.nn == 0);
  free_signs(&s);
}

/* Determinant and solves of both steps on n sites, a share of them negative. */
static void check_factors(int n, double share) {
  double *K = dense_square(n), *C = dense_square(n);
  double *L = dense_square(n), *V = dense_square(n);
  double *S = dense_square(n), *W = dense_square(n);
  double *y = dense_new((size_t)n), *tau = dense_new((size_t)n);
  uint64_t seed = (uint64_t)n + 77;
  dense_problem(seed, n, 0.3, K, y);
  for (int i = 0; i < n; i++)
    tau[i] = dense_unif(&seed) < share ? -0.5 * dense_unif(&seed) / n
                                       : exp(dense_norm(&seed));
  const double want = dense_posterior(K, tau, n, C);
  site_signs s = new_signs(n);
  double log_det = 0;
  sites_split(tau, n, &s);
  CHECK(factor_positive(K, n, &s, L, &log_det) == EP_CONVERGED);
  factor_solve(L, &s, K, n, n, V);
  /* C+ = K - V' V */
  double *P = dense_square(n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      P[IDX(i, j, n)] = K[IDX(i, j, n)] - dense_dot(V + IDX(0, i, s.np),
                                                    V + IDX(0, j, s.np), s.np);
  const int *neg = s.idx + s.np;
  for (int b = 0; b < s.nn; b++)
    for (int a = 0; a < s.nn; a++)
      S[IDX(a, b, s.nn)] = P[IDX(neg[a], neg[b], n)];
  CHECK(factor_negative(S, &s, &log_det) == EP_CONVERGED);
  for (int j = 0; j < n; j++)
    for (int a = 0; a < s.nn; a++) W[IDX(a, j, s.nn)] = P[IDX(neg[a], j, n)];
  factor_scale_solve(S, &s, n, W);
  CHECK_NEAR(log_det, want, 1e-11);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      CHECK_NEAR(P[IDX(i, j, n)] +
                     dense_dot(W + IDX(0, i, s.nn), W + IDX(0, j, s.nn), s.nn),
                 C[IDX(i, j, n)], 1e-11);
  free_signs(&s);
  free(K);
  free(C);
  free(L);
  free(V);
  free(S);
  free(W);
  free(P);
  free(y);
  free(tau);
}

static void factors_give_the_posterior(void) {
  const int sizes[] = {1, 2, 7, 33, 80};
  for (int k = 0; k < 5; k++) {
    check_factors(sizes[k], 0);
    check_factors(sizes[k], 0.3);
    check_factors(sizes[k], 1);
  }
}

static void too_negative_sites_are_refused(void) {
  const double tau[] = {-2};
  double K[] = {0.5}, log_det = 0; /* 1 + K tau = 0 */
  site_signs s = new_signs(1);
  sites_split(tau, 1, &s);
  CHECK(factor_negative(K, &s, &log_det) == EP_NOT_PD);
  K[0] = 3;
  CHECK(factor_negative(K, &s, &log_det) == EP_NOT_PD);
  free_signs(&s);
}

static void nan_is_refused(void) {
  const double tau[] = {1, 1};
  const double K[] = {1, NAN, NAN, 1};
  double L[4], log_det = 0;
  site_signs s = new_signs(2);
  sites_split(tau, 2, &s);
  CHECK(factor_positive(K, 2, &s, L, &log_det) == EP_NOT_PD);
  free_signs(&s);
}

/* Without sites, with light ones, and with so many of them that all comes from
 * K: shares of the rows. */
static void covariance_is_that_of_the_positive_sites(void) {
  const double light[] = {0, 0.1, 0.3, 0.95, 1};
  const int n = 140;
  double *K = dense_square(n), *want = dense_square(n), *C = dense_square(n);
  double *L = dense_square(n), *V = dense_square(n);
  double *y = dense_new((size_t)n), *tau = dense_new((size_t)n);
  int *rest = (int *)(void *)dense_new((size_t)n);
  site_signs s = new_signs(n);
  for (int k = 0; k < 5; k++) {
    uint64_t seed = 5;
    dense_problem(seed, n, 0.3, K, y);
    for (int i = 0; i < n; i++) {
      const double u = dense_unif(&seed), w = exp(2 * dense_norm(&seed));
      tau[i] = u < light[k] ? 1e-9 * w : w;
      if (k == 1 && u > 0.9) tau[i] = 0;
    }
    double log_det = 0;
    dense_posterior(K, tau, n, want);
    sites_split(tau, n, &s);
    CHECK(factor_positive(K, n, &s, L, &log_det) == EP_CONVERGED);
    factor_covariance(L, &s, K, n, C, V, rest);
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++)
        CHECK_NEAR(C[IDX(i, j, n)], want[IDX(i, j, n)], 1e-12);
  }
  free_signs(&s);
  free(K);
  free(want);
  free(C);
  free(L);
  free(V);
  free(y);
  free(tau);
  free(rest);
}

int main(void) {
  RUN("sites are split by sign", sites_are_split_by_sign);
  RUN("both factors give posterior and determinant",
      factors_give_the_posterior);
  RUN("the covariance is that of the positive sites",
      covariance_is_that_of_the_positive_sites);
  RUN("sites that are too negative are refused",
      too_negative_sites_are_refused);
  RUN("NaN is refused", nan_is_refused);
  return check_done();
}
