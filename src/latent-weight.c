/* What: the weight-space posterior C = (S0^{-1} + X' T X)^{-1}, S0 = diag(s0).
 * Method: site i sees A_i = x_i' C x_i, m_i = x_i' w. Blocks as in
 *   latent-kernel.c with P = C X_B' in place of C_B: n k^2 flops a sweep for
 *   the updates and as many for the marginals at its end.
 *   Refresh: with R = diag(sqrt(s0)), M = I + R X' T X R, one Cholesky of M
 *   whatever the signs of T: C = R M^{-1} R, log|I + S0 X'TX| = log|M|.
 * References: MATH.md section 3 (weight space); M01. */
#include "latent.h"
#include "factor-signed.h"
#include "numeric.h"

/* P[k x b] <- C X_B' */
static void times_panel(const latent_weight *lw, const double *XB, int b,
                        double *P) {
  const double one = 1, zero = 0;
  F77_CALL(dsymm)
  ("L", "L", &lw->k, &b, &one, lw->C, &lw->k, XB, &lw->k, &zero, P,
   &lw->k FCONE FCONE);
}

static double dot(const double *x, const double *y, int n) {
  const int inc = 1;
  return F77_CALL(ddot)(&n, x, &inc, y, &inc);
}

static void weight_load(latent *post, const int *idx, int b, double *Cbb,
                        double *mb) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  const double one = 1, zero = 0;
  for (int l = 0; l < b; l++) {
    const double *x = lw->Xt + IDX(0, idx[l], k);
    memcpy(lw->Q + IDX(0, l, k), x, (size_t)k * sizeof *x);
    mb[l] = dot(x, lw->w, k);
  }
  times_panel(lw, lw->Q, b, lw->P);
  F77_CALL(dgemm)
  ("T", "N", &b, &b, &k, &one, lw->Q, &k, lw->P, &k, &zero, Cbb,
   &b FCONE FCONE);
}

static void weight_apply(latent *post, int b, const double *N,
                         const double *gamma, const double *beta) {
  latent_weight *lw = post->self;
  const int k = lw->k, inc = 1;
  const double one = 1;
  F77_CALL(dtrsm)
  ("R", "U", "N", "U", &k, &b, &one, N, &b, lw->P, &k FCONE FCONE FCONE FCONE);
  F77_CALL(dgemv)
  ("N", &k, &b, &one, lw->P, &k, beta, &inc, &one, lw->w, &inc FCONE);
  rank_update_signed(lw->C, k, lw->P, b, gamma, lw->Q);
}

static void weight_marginals(latent *post) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  for (int first = 0; first < lw->n; first += lw->width) {
    const int left = lw->n - first, b = left < lw->width ? left : lw->width;
    const double *XB = lw->Xt + IDX(0, first, k);
    times_panel(lw, XB, b, lw->P);
    for (int l = 0; l < b; l++) {
      post->A[first + l] = dot(XB + IDX(0, l, k), lw->P + IDX(0, l, k), k);
      post->m[first + l] = dot(XB + IDX(0, l, k), lw->w, k);
    }
  }
}

/* G[k x k] (lower) = X' diag(x) X, x of either sign */
static void weighted_gram(const latent_weight *lw, const double *x, double *G) {
  const int k = lw->k;
  const double one = 1;
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
        F77_CALL(dsyrk)
        ("L", "N", &k, &cols, &sign, lw->P, &k, &one, G, &k FCONE FCONE);
        cols = 0;
      }
    }
  }
}

/* X C X' x */
static void weight_times(latent *post, const double *x, double *out) {
  latent_weight *lw = post->self;
  const int k = lw->k, n = lw->n, inc = 1;
  const double one = 1, zero = 0;
  F77_CALL(dgemv)
  ("N", &k, &n, &one, lw->Xt, &k, x, &inc, &zero, lw->v1, &inc FCONE);
  F77_CALL(dsymv)
  ("L", &k, &one, lw->C, &k, lw->v1, &inc, &zero, lw->v2, &inc FCONE);
  F77_CALL(dgemv)
  ("T", &k, &n, &one, lw->Xt, &k, lw->v2, &inc, &zero, out, &inc FCONE);
}

/* sum_j (x_i' C x_j)^2 x[j] = x_i' C (X' diag(x) X) C x_i */
static void weight_times_squared(latent *post, const double *x, double *out) {
  latent_weight *lw = post->self;
  const int k = lw->k;
  const double one = 1, zero = 0;
  weighted_gram(lw, x, lw->S1);
  for (int first = 0; first < lw->n; first += lw->width) {
    const int left = lw->n - first, b = left < lw->width ? left : lw->width;
    times_panel(lw, lw->Xt + IDX(0, first, k), b, lw->P);
    F77_CALL(dsymm)
    ("L", "L", &k, &b, &one, lw->S1, &k, lw->P, &k, &zero, lw->Q,
     &k FCONE FCONE);
    for (int l = 0; l < b; l++)
      out[first + l] = dot(lw->P + IDX(0, l, k), lw->Q + IDX(0, l, k), k);
  }
}

static int weight_refresh(latent *post, const double *tau, const double *nu) {
  latent_weight *lw = post->self;
  const int k = lw->k, n = lw->n, inc = 1;
  const double one = 1, zero = 0;
  int info = 0;
  weighted_gram(lw, tau, lw->C);
  for (int j = 0; j < k; j++) {
    for (int i = j; i < k; i++)
      lw->C[IDX(i, j, k)] *= sqrt(lw->s0[i]) * sqrt(lw->s0[j]);
    lw->C[IDX(j, j, k)] += 1;
  }
  F77_CALL(dpotrf)("L", &k, lw->C, &k, &info FCONE);
  if (info != 0) return EP_NOT_PD;
  post->log_det = 0;
  for (int j = 0; j < k; j++) post->log_det += 2 * log(lw->C[IDX(j, j, k)]);
  if (!isfinite(post->log_det)) return EP_NOT_PD;
  F77_CALL(dpotri)("L", &k, lw->C, &k, &info FCONE);
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++)
      lw->C[IDX(i, j, k)] *= sqrt(lw->s0[i]) * sqrt(lw->s0[j]);
  F77_CALL(dgemv)
  ("N", &k, &n, &one, lw->Xt, &k, nu, &inc, &zero, lw->v1, &inc FCONE);
  F77_CALL(dsymv)
  ("L", &k, &one, lw->C, &k, lw->v1, &inc, &zero, lw->w, &inc FCONE);
  weight_marginals(post);
  return EP_CONVERGED;
}

void latent_weight_carve(latent *post, latent_weight *lw, int n, int k,
                         int block, workspace *ws) {
  const size_t kk = (size_t)k * (size_t)k;
  lw->n = post->n = n;
  lw->k = k;
  lw->width = block < n ? block : n;
  lw->C = workspace_take(ws, kk);
  lw->S1 = workspace_take(ws, kk);
  lw->P = workspace_take(ws, (size_t)k * (size_t)lw->width);
  lw->Q = workspace_take(ws, (size_t)k * (size_t)lw->width);
  lw->w = workspace_take(ws, (size_t)k);
  lw->v1 = workspace_take(ws, (size_t)k);
  lw->v2 = workspace_take(ws, (size_t)k);
  post->A = workspace_take(ws, (size_t)n);
  post->prior = workspace_take(ws, (size_t)n);
  post->m = workspace_take(ws, (size_t)n);
}

void latent_weight_bind(latent *post, latent_weight *lw, const double *Xt,
                        const double *s0) {
  lw->Xt = Xt;
  lw->s0 = s0;
  post->self = lw;
  for (int i = 0; i < lw->n; i++) {
    const double *x = Xt + IDX(0, i, lw->k);
    post->prior[i] = 0;
    for (int j = 0; j < lw->k; j++) post->prior[i] += s0[j] * x[j] * x[j];
  }
  post->load = weight_load;
  post->apply = weight_apply;
  post->marginals = weight_marginals;
  post->refresh = weight_refresh;
  post->times = weight_times;
  post->times_squared = weight_times_squared;
}
