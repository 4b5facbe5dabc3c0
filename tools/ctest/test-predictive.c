/* Latent moments at new points against dense algebra, and the workspace. */
#include "predictive.h"
#include "check.h"
#include "dense.h"

enum { n = 25, cols = 6 };

static predictive_factor new_factor(const double *tau, int rows,
                                    double **block) {
  predictive_factor f;
  int n_neg = 0;
  for (int i = 0; i < rows; i++) n_neg += tau[i] < 0;
  workspace ws = {NULL, 0};
  predictive_carve(&f, rows, n_neg, &ws);
  *block = dense_new(ws.used);
  ws = (workspace){*block, 0};
  predictive_carve(&f, rows, n_neg, &ws);
  return f;
}

/* m* = k*' H nu, s*2 = k** - k*' R k*, H = (I + T K)^{-1}, R = H T */
static void check_moments(double negative) {
  double all[(n + cols) * (n + cols)], y[n + cols], K[n * n], G[n * cols];
  double tau[n], nu[n], B[n * n], R[n * n], b[n], scratch[2 * n * cols];
  double m[cols], s2[cols], *block;
  uint64_t seed = 61;
  int sign;
  dense_problem(seed, n + cols, 0, all, y);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      K[IDX(i, j, n)] = all[IDX(i, j, n + cols)] + (i == j ? 0.3 : 0);
    for (int c = 0; c < cols; c++)
      G[IDX(j, c, n)] = all[IDX(j, n + c, n + cols)];
    tau[j] = dense_unif(&seed) < negative ? -0.02 * dense_unif(&seed)
                                          : exp(dense_norm(&seed));
    if (j == 7) tau[j] = 0;
    nu[j] = dense_norm(&seed);
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      B[IDX(i, j, n)] = tau[i] * K[IDX(i, j, n)] + (i == j);
      R[IDX(i, j, n)] = i == j ? tau[i] : 0;
    }
    b[j] = nu[j];
  }
  double copy[n * n], prior[cols];
  for (int c = 0; c < cols; c++) prior[c] = 1.5 + 0.25 * c;
  memcpy(copy, B, sizeof B);
  dense_gauss(n, B, n, R, &sign);
  dense_gauss(n, copy, 1, b, &sign);
  predictive_factor f = new_factor(tau, n, &block);
  CHECK(predictive_prepare(&f, K, tau) == EP_CONVERGED);
  predictive_latent(&f, G, cols, prior, b, scratch, m, s2);
  for (int c = 0; c < cols; c++) {
    double want = prior[c];
    for (int i = 0; i < n; i++)
      want -=
          G[IDX(i, c, n)] * dense_dot(R + IDX(0, i, n), G + IDX(0, c, n), n);
    CHECK_NEAR(m[c], dense_dot(G + IDX(0, c, n), b, n), 1e-12);
    CHECK_NEAR(s2[c], want, 1e-12);
  }
  free(block);
}

static void moments_equal_dense_algebra(void) {
  check_moments(0);
  check_moments(0.3);
  check_moments(1);
}

static void flat_sites_predict_the_prior(void) {
  double K[4] = {1, 0.5, 0.5, 1}, tau[2] = {0, 0}, b[2] = {0, 0};
  const double prior[2] = {1.25, 1.25};
  double G[4] = {0.3, 0.2, 0.9, 0.1}, scratch[8], m[2], s2[2], *block;
  predictive_factor f = new_factor(tau, 2, &block);
  CHECK(predictive_prepare(&f, K, tau) == EP_CONVERGED);
  predictive_latent(&f, G, 2, prior, b, scratch, m, s2);
  CHECK(m[0] == 0 && m[1] == 0 && s2[0] == 1.25 && s2[1] == 1.25);
  predictive_latent(&f, G, 0, prior, b, scratch, m, s2); /* no new points */
  tau[0] = 1;
  G[2] = NAN;
  CHECK(predictive_prepare(&f, K, tau) == EP_CONVERGED);
  predictive_latent(&f, G, 2, prior, b, scratch, m, s2);
  CHECK(isfinite(s2[0]) && isnan(s2[1])); /* not certainty */
  free(block);
}

static void a_known_point_has_no_negative_variance(void) {
  double K[1] = {1}, tau[1] = {1e20}, b[1] = {2}, G[1] = {1};
  const double prior[1] = {1};
  double scratch[2], m[1], s2[1], *block;
  predictive_factor f = new_factor(tau, 1, &block);
  CHECK(predictive_prepare(&f, K, tau) == EP_CONVERGED);
  predictive_latent(&f, G, 1, prior, b, scratch, m, s2);
  CHECK(s2[0] > 0 && s2[0] < 1e-15);
  free(block);
}

static void sites_without_a_posterior_are_refused(void) {
  double K[1] = {1}, tau[1] = {-2}, *block;
  predictive_factor f = new_factor(tau, 1, &block);
  CHECK(predictive_prepare(&f, K, tau) == EP_NOT_PD);
  free(block);
}

static void counting_and_carving_agree(void) {
  workspace count = {NULL, 0};
  CHECK(workspace_take(&count, 5) == NULL);
  CHECK(workspace_take_bytes(&count, 12) == NULL);
  CHECK(count.used == 7); /* 12 bytes take two doubles */
  double block[8];
  workspace ws = {block, 0};
  CHECK(workspace_take(&ws, 5) == block);
  CHECK(workspace_take_bytes(&ws, 12) == block + 5);
  CHECK(workspace_take_bytes(&ws, 8) == block + 7);
  CHECK(workspace_take_bytes(&ws, 0) == block + 8);
  CHECK(ws.used == 8);
}

int main(void) {
  RUN("moments equal dense algebra", moments_equal_dense_algebra);
  RUN("flat sites predict the prior", flat_sites_predict_the_prior);
  RUN("a known point has no negative variance",
      a_known_point_has_no_negative_variance);
  RUN("sites without a posterior are refused",
      sites_without_a_posterior_are_refused);
  RUN("counting and carving agree", counting_and_carving_agree);
  return check_done();
}
