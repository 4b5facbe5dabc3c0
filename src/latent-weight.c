/* What: the weight-space posterior C = (S0^{-1} + X' T X)^{-1}, S0 = diag(s0).
 * Method: site i sees A_i = x_i' C x_i, m_i = x_i' w [M 3.11]. Blocks as in
 *   latent-kernel.c with P = C X_B' in place of C_B: n k^2 flops a sweep for
 *   the updates and as many for the marginals at its end.
 *   Refresh: with R = diag(sqrt(s0)), M = I + R X' T X R, one Cholesky of M
 *   whatever the signs of T: C = R M^{-1} R, log|I + S0 X'TX| = log|M|
 *   [M 3.12].
 * References: M01. */
#include "latent-weight.h"
#include "matrix.h"
#include "numeric.h"

void weight_moments(const double *C,
                    const double *w,
                    int k,
                    const double *Xt,
                    int cols,
                    double *P,
                    double *m,
                    double *A) {
  symmetric_product(C, k, Xt, cols, P);
  for (int l = 0; l < cols; l++) {
    A[l] = dot(k, Xt + IDX(0, l, k), P + IDX(0, l, k));
    m[l] = dot(k, Xt + IDX(0, l, k), w);
  }
}

/* Columns of the panel that begins at site `first`. */
static int panel_columns(const latent_weight *lw, int first) {
  const int left = lw->n - first;
  return left < lw->width ? left : lw->width;
}

static void
weight_load(latent *post, const int *idx, int b, double *Cbb, double *mb) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  for (int l = 0; l < b; l++) {
    const double *x = lw->Xt + IDX(0, idx[l], k);
    memcpy(lw->Q + IDX(0, l, k), x, (size_t)k * sizeof *x);
    mb[l] = dot(k, x, lw->w);
  }
  symmetric_product(lw->C, k, lw->Q, b, lw->P);
  product("T", "N", b, b, k, 1, lw->Q, k, lw->P, k, 0, Cbb, b);
}

static void weight_apply(latent *post,
                         int b,
                         const double *N,
                         const double *gamma,
                         const double *beta) {
  latent_weight *lw = post->self;
  const int k = lw->k, inc = 1;
  const double one = 1;
  solve_unit_right(N, b, lw->P, k);
  F77_CALL(dgemv)("N", &k, &b, &one, lw->P, &k, beta, &inc, &one, lw->w,
                  &inc FCONE);
  rank_update_signed(lw->C, k, lw->P, b, gamma, lw->Q);
}

static void weight_marginals(latent *post) {
  latent_weight *lw = post->self;
  for (int first = 0; first < lw->n; first += lw->width)
    weight_moments(lw->C, lw->w, lw->k, lw->Xt + IDX(0, first, lw->k),
                   panel_columns(lw, first), lw->P, post->m + first,
                   post->A + first);
}

/* G[k x k] (lower) = X' diag(x) X, x of either sign */
static void weighted_gram(const latent_weight *lw, const double *x, double *G) {
  const int k = lw->k;
  memset(G, 0, (size_t)k * (size_t)k * sizeof *G);
  for (double sign = 1; sign >= -1; sign -= 2) {
    int cols = 0;
    for (int i = 0; i < lw->n; i++) {
      if (x[i] * sign > 0) {
        const double root = sqrt(fabs(x[i]));
        const double *from = lw->Xt + IDX(0, i, k);
        double *to = lw->P + IDX(0, cols++, k);
        for (int j = 0; j < k; j++) to[j] = root * from[j];
      }
      if (cols == lw->width || (i == lw->n - 1 && cols > 0)) {
        rank_update("N", k, cols, sign, lw->P, G);
        cols = 0;
      }
    }
  }
}

/* out[k] = C X' x */
static void weight_solution(latent_weight *lw, const double *x, double *out) {
  const int inc = 1;
  const double one = 1, zero = 0;
  F77_CALL(dgemv)("N", &lw->k, &lw->n, &one, lw->Xt, &lw->k, x, &inc, &zero,
                  lw->v1, &inc FCONE);
  symmetric_times(lw->C, lw->k, lw->v1, out);
}

/* X C X' x [M 3.15] */
static void weight_times(latent *post, const double *x, double *out) {
  latent_weight *lw = post->self;
  const int inc = 1;
  const double one = 1, zero = 0;
  weight_solution(lw, x, lw->v2);
  F77_CALL(dgemv)("T", &lw->k, &lw->n, &one, lw->Xt, &lw->k, lw->v2, &inc,
                  &zero, out, &inc FCONE);
}

/* sum_j (x_i' C x_j)^2 x[j] = x_i' C (X' diag(x) X) C x_i [M 3.15] */
static void weight_times_squared(latent *post, const double *x, double *out) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  weighted_gram(lw, x, lw->S1);
  for (int first = 0; first < lw->n; first += lw->width) {
    const int b = panel_columns(lw, first);
    symmetric_product(lw->C, k, lw->Xt + IDX(0, first, k), b, lw->P);
    symmetric_product(lw->S1, k, lw->P, b, lw->Q);
    for (int l = 0; l < b; l++)
      out[first + l] = dot(k, lw->P + IDX(0, l, k), lw->Q + IDX(0, l, k));
  }
}

/* C (lower) <- R C R, R = diag(sqrt(s0)) */
static void scale_by_prior(latent_weight *lw) {
  const int k = lw->k;
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++)
      lw->C[IDX(i, j, k)] *= sqrt(lw->s0[i]) * sqrt(lw->s0[j]);
}

/* [M 3.12] */
static int weight_refresh(latent *post, const double *tau, const double *nu) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  weighted_gram(lw, tau, lw->C);
  scale_by_prior(lw);
  for (int j = 0; j < k; j++) lw->C[IDX(j, j, k)] += 1;
  post->log_det = 0;
  if (cholesky(lw->C, k, &post->log_det) != EP_CONVERGED) return EP_NOT_PD;
  cholesky_invert(lw->C, k);
  scale_by_prior(lw);
  weight_solution(lw, nu, lw->w);
  weight_marginals(post);
  return EP_CONVERGED;
}

/* [M 5.9]. With c_i = C x_i / s0 (elementwise) and p = w / s0:
 *   dA_i/ds0_j = c_ij^2,  dm_i/ds0_j = c_ij p_j,  dh/ds0_j = p_j^2,
 *   dD/ds0_j = (1 - C_jj/s0_j)/s0_j. */
static void weight_gradient(latent *post,
                            const ep_site *site,
                            const latent_dots *dots,
                            double *gradient) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  (void)site;
  for (int j = 0; j < k; j++) {
    const double p = lw->w[j] / lw->s0[j];
    gradient[j] = lw->s0[j] * dots->h * p * p +
                  dots->D * (1 - lw->C[IDX(j, j, k)] / lw->s0[j]);
  }
  for (int first = 0; first < lw->n; first += lw->width) {
    const int b = panel_columns(lw, first);
    symmetric_product(lw->C, k, lw->Xt + IDX(0, first, k), b, lw->P);
    for (int l = 0; l < b; l++) {
      const double A = dots->A[first + l], m = dots->m[first + l];
      for (int j = 0; j < k; j++) {
        const double c = lw->P[IDX(j, l, k)];
        gradient[j] += (A * c * c + m * c * lw->w[j]) / lw->s0[j];
      }
    }
  }
}

static void weight_carve(latent *post, int block, workspace *ws) {
  latent_weight *lw = post->self;
  const size_t n = (size_t)lw->n, k = (size_t)lw->k;
  lw->width = block < lw->n ? block : lw->n;
  lw->C = workspace_take(ws, k * k);
  lw->S1 = workspace_take(ws, k * k);
  lw->P = workspace_take(ws, k * (size_t)lw->width);
  lw->Q = workspace_take(ws, k * (size_t)lw->width);
  lw->w = workspace_take(ws, k);
  lw->v1 = workspace_take(ws, k);
  lw->v2 = workspace_take(ws, k);
  post->A = workspace_take(ws, n);
  post->prior = workspace_take(ws, n);
  post->m = workspace_take(ws, n);
  post->location = lw->w;
  post->covariance = lw->C;
}

static void weight_bind(latent *post) {
  const latent_weight *lw = post->self;
  for (int i = 0; i < lw->n; i++) {
    const double *x = lw->Xt + IDX(0, i, lw->k);
    post->prior[i] = 0;
    for (int j = 0; j < lw->k; j++) post->prior[i] += lw->s0[j] * x[j] * x[j];
  }
}

static const latent_ops weight_ops = {.carve = weight_carve,
                                      .bind = weight_bind,
                                      .load = weight_load,
                                      .apply = weight_apply,
                                      .marginals = weight_marginals,
                                      .refresh = weight_refresh,
                                      .times = weight_times,
                                      .times_squared = weight_times_squared,
                                      .gradient = weight_gradient};

latent latent_weight_features(
    latent_weight *lw, int n, int k, const double *Xt, const double *s0) {
  *lw = (latent_weight){.n = n, .k = k, .Xt = Xt, .s0 = s0};
  return (latent){.n = n,
                  .d = k,
                  .n_prior = k,
                  .n_location = k,
                  .ops = &weight_ops,
                  .self = lw};
}
