/* What: the dense kernel-space posterior C = (K^{-1} + T)^{-1}, lower triangle.
 * Method: sequential rank-one updates grouped by blocks of b sites. Within a
 *   block only C_BB is touched. Afterwards the columns at their turns are
 *   P = C_B (I + N)^{-1} (one triangular solve), and
 *   C -= P+ P+' - P- P-',  P+- = P |Gamma|^{1/2} split by the sign of gamma,
 *   two symmetric rank-k updates: n^2 b flops a block, n^3 a sweep, BLAS-3.
 * References: MATH.md section 3 (speed); RW06 alg. 3.5 for b = 1. */
#include "latent.h"
#include "factor-signed.h"
#include "numeric.h"

/* m is kept current by kernel_apply() */
static void kernel_marginals(latent *post) {
  const latent_kernel *lk = post->self;
  for (int i = 0; i < lk->n; i++) post->A[i] = lk->C[IDX(i, i, lk->n)];
}

/* Panel S1[n x b] = C[, idx] from the lower triangle. Column k of C gives row
 * k of the panel for sites below it and column k itself when k is in idx. */
static void kernel_load(latent *post, const int *idx, int b, double *Cbb,
                        double *mb) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  double *P = lk->S1;
  lk->have_squares = 0;
  for (int l = 0; l < b; l++) {
    const int i = idx[l];
    memcpy(P + IDX(i, l, n), lk->C + IDX(i, i, n),
           (size_t)(n - i) * sizeof *P);
  }
  for (int k = 0, first = 0; k < n; k++) {
    while (first < b && idx[first] <= k) first++;
    if (first == b) break;
    const double *column = lk->C + IDX(0, k, n);
    for (int l = first; l < b; l++) P[IDX(k, l, n)] = column[idx[l]];
  }
  for (int l = 0; l < b; l++) {
    for (int k = 0; k < b; k++) Cbb[IDX(k, l, b)] = P[IDX(idx[k], l, n)];
    mb[l] = post->m[idx[l]];
  }
}

static void kernel_apply(latent *post, int b, const double *N,
                         const double *gamma, const double *beta) {
  latent_kernel *lk = post->self;
  const int n = lk->n, inc = 1;
  const double one = 1;
  F77_CALL(dtrsm)
  ("R", "U", "N", "U", &n, &b, &one, N, &b, lk->S1,
   &n FCONE FCONE FCONE FCONE);
  F77_CALL(dgemv)
  ("N", &n, &b, &one, lk->S1, &n, beta, &inc, &one, post->m, &inc FCONE);
  rank_update_signed(lk->C, n, lk->S1, b, gamma, lk->S2);
}

static void kernel_times(latent *post, const double *x, double *out) {
  const latent_kernel *lk = post->self;
  const int inc = 1;
  const double one = 1, zero = 0;
  F77_CALL(dsymv)
  ("L", &lk->n, &one, lk->C, &lk->n, x, &inc, &zero, out, &inc FCONE);
}

static void kernel_times_squared(latent *post, const double *x, double *out) {
  latent_kernel *lk = post->self;
  const int n = lk->n, inc = 1;
  const double one = 1, zero = 0;
  if (!lk->have_squares) {
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        const double c = lk->C[IDX(i, j, n)];
        lk->S1[IDX(i, j, n)] = c * c;
      }
    lk->have_squares = 1;
  }
  F77_CALL(dsymv)
  ("L", &n, &one, lk->S1, &n, x, &inc, &zero, out, &inc FCONE);
}

/* W[nn x n] = C+[idx, ] from the lower triangle */
static void gather_rows(const double *C, int n, const int *idx, int nn,
                        double *W) {
  for (int j = 0; j < n; j++)
    for (int a = 0; a < nn; a++) {
      const int i = idx[a];
      W[IDX(a, j, nn)] = i >= j ? C[IDX(i, j, n)] : C[IDX(j, i, n)];
    }
}

/* C += W' W for the negative sites [factor-signed.c] */
static int add_negative_sites(latent_kernel *lk, double *log_det) {
  const int n = lk->n, nn = lk->signs.nn, *idx = lk->signs.idx + lk->signs.np;
  const double one = 1;
  double *S = lk->S2, *W = lk->S1;
  for (int b = 0; b < nn; b++) /* idx increases within its sign */
    for (int a = b; a < nn; a++)
      S[IDX(a, b, nn)] = lk->C[IDX(idx[a], idx[b], n)];
  const int status = factor_negative(S, &lk->signs, log_det);
  if (status != EP_CONVERGED) return status;
  gather_rows(lk->C, n, idx, nn, W);
  factor_scale_solve(S, &lk->signs, n, W);
  F77_CALL(dsyrk)
  ("L", "T", &n, &nn, &one, W, &nn, &one, lk->C, &n FCONE FCONE);
  return EP_CONVERGED;
}

/* out = K x */
static void prior_times(const latent_kernel *lk, const double *x, double *out) {
  const int inc = 1;
  const double one = 1, zero = 0;
  F77_CALL(dsymv)
  ("L", &lk->n, &one, lk->K, &lk->n, x, &inc, &zero, out, &inc FCONE);
}

/* m = C nu, refined once in m, where it matters to the cavities (K b would
 * amplify the error of b by |K|/A): with rho = K (nu - T m) - m, the error of m
 * solves (I + K T) e = rho, so m += rho - C T rho. Then b, refined in its own
 * equation (I + T K) b = nu, for prediction. */
static void refresh_mean(latent *post, const double *tau, const double *nu) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  double *r = lk->tmp, *out = lk->tmp + n, *m = post->m, *b = lk->b;
  post->times(post, nu, m);
  for (int i = 0; i < n; i++) b[i] = nu[i] - tau[i] * m[i];
  prior_times(lk, b, r);
  for (int i = 0; i < n; i++) {
    r[i] -= m[i];
    m[i] += r[i];
    r[i] *= tau[i];
  }
  post->times(post, r, out);
  for (int i = 0; i < n; i++) {
    m[i] -= out[i];
    b[i] = nu[i] - tau[i] * m[i];
  }
  prior_times(lk, b, r);
  for (int i = 0; i < n; i++) r[i] = nu[i] - b[i] - tau[i] * r[i];
  post->times(post, r, out);
  for (int i = 0; i < n; i++) b[i] += r[i] - tau[i] * out[i];
}

static int kernel_refresh(latent *post, const double *tau, const double *nu) {
  latent_kernel *lk = post->self;
  const int n = lk->n;
  const double one = 1, minus = -1;
  int status = EP_CONVERGED;
  sites_split(tau, n, &lk->signs);
  const int np = lk->signs.np;
  lk->have_squares = 0;
  post->log_det = 0;
  memcpy(lk->C, lk->K, (size_t)n * (size_t)n * sizeof *lk->C);
  if (np > 0) {
    status = factor_positive(lk->K, n, &lk->signs, lk->S1, &post->log_det);
    if (status != EP_CONVERGED) return status;
    factor_solve(lk->S1, &lk->signs, lk->K, n, n, lk->S2);
    F77_CALL(dsyrk)
    ("L", "T", &n, &np, &minus, lk->S2, &np, &one, lk->C, &n FCONE FCONE);
  }
  if (lk->signs.nn > 0) status = add_negative_sites(lk, &post->log_det);
  if (status != EP_CONVERGED) return status;
  kernel_marginals(post);
  refresh_mean(post, tau, nu);
  return EP_CONVERGED;
}

void latent_kernel_carve(latent *post, latent_kernel *lk, int n,
                         workspace *ws) {
  const size_t nn = (size_t)n * (size_t)n;
  lk->n = post->n = n;
  lk->C = workspace_take(ws, nn);
  lk->S1 = workspace_take(ws, nn);
  lk->S2 = workspace_take(ws, nn);
  lk->b = workspace_take(ws, (size_t)n);
  lk->tmp = workspace_take(ws, 2 * (size_t)n);
  lk->signs.root = workspace_take(ws, (size_t)n);
  lk->signs.idx = workspace_take_int(ws, (size_t)n);
  post->A = workspace_take(ws, (size_t)n);
  post->prior = workspace_take(ws, (size_t)n);
  post->m = workspace_take(ws, (size_t)n);
}

void latent_kernel_bind(latent *post, latent_kernel *lk, const double *K) {
  lk->K = K;
  lk->have_squares = 0;
  for (int i = 0; i < lk->n; i++) post->prior[i] = K[IDX(i, i, lk->n)];
  post->self = lk;
  post->load = kernel_load;
  post->apply = kernel_apply;
  post->marginals = kernel_marginals;
  post->refresh = kernel_refresh;
  post->times = kernel_times;
  post->times_squared = kernel_times_squared;
}
