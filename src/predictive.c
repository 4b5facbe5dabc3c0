/* What: latent predictive moments.
 * Method: m* = k*' b [M 7.1]; s*2 = k** - |v|^2 + |w|^2 [M 7.2] with
 *   v = L^{-1} T_P^{1/2} k*_P                 for positive precisions,
 *   w = M^{-1} |T_N|^{1/2} (k*_N - V' v)      for the negative ones:
 *   the two steps of factor-signed.c, applied to k*. */
#include "predictive.h"
#include "matrix.h"
#include "numeric.h"

void predictive_carve(predictive_factor *f, int n, int n_neg, workspace *ws) {
  const size_t N = (size_t)n, k = (size_t)n_neg;
  f->n = n;
  f->L = workspace_take(ws, N * N);
  f->V = workspace_take(ws, N * k);
  f->M = workspace_take(ws, k * k);
  f->signs.root = workspace_take(ws, N);
  f->signs.idx = workspace_take_bytes(ws, N * sizeof(int));
}

/* V and M: those of the negative sites under the positive ones */
static int prepare_negative(predictive_factor *f, const double *K) {
  const int n = f->n, np = f->signs.np, nn = f->signs.nn;
  const int *pos = f->signs.idx, *neg = pos + np;
  double ignore = 0;
  for (int b = 0; b < nn; b++)
    for (int a = b; a < nn; a++)
      f->M[IDX(a, b, nn)] = K[IDX(neg[a], neg[b], n)];
  for (int b = 0; b < nn; b++)
    for (int a = 0; a < np; a++) {
      const int i = pos[a] > neg[b] ? pos[a] : neg[b], j = pos[a] + neg[b] - i;
      f->V[IDX(a, b, np)] = f->signs.root[a] * K[IDX(i, j, n)];
    }
  if (np > 0) {
    solve_lower("N", f->L, np, f->V, nn);
    rank_update("T", nn, np, -1, f->V, f->M);
  }
  return factor_negative(f->M, &f->signs, &ignore);
}

int predictive_prepare(predictive_factor *f, const double *K,
                       const double *tau) {
  double ignore = 0;
  sites_split(tau, f->n, &f->signs);
  int status = factor_positive(K, f->n, &f->signs, f->L, &ignore);
  if (status == EP_CONVERGED && f->signs.nn > 0)
    status = prepare_negative(f, K);
  return status;
}

void predictive_latent(const predictive_factor *f, const double *G, int cols,
                       const double *prior, const double *b, double *scratch,
                       double *m, double *s2) {
  const int n = f->n, np = f->signs.np, nn = f->signs.nn;
  const int *neg = f->signs.idx + np;
  if (cols == 0) return;
  double *v = scratch, *w = scratch + (size_t)n * (size_t)cols;
  for (int j = 0; j < cols; j++) m[j] = dot(n, G + IDX(0, j, n), b);
  factor_solve(f->L, &f->signs, G, n, cols, v);
  for (int j = 0; j < cols; j++)
    for (int a = 0; a < nn; a++) w[IDX(a, j, nn)] = G[IDX(neg[a], j, n)];
  if (nn > 0) {
    if (np > 0) product("T", "N", nn, cols, np, -1, f->V, np, v, np, 1, w, nn);
    factor_scale_solve(f->M, &f->signs, cols, w);
  }
  for (int j = 0; j < cols; j++) {
    double sum = prior[j];
    for (int a = 0; a < np; a++) sum -= v[IDX(a, j, np)] * v[IDX(a, j, np)];
    for (int a = 0; a < nn; a++) sum += w[IDX(a, j, nn)] * w[IDX(a, j, nn)];
    /* what rounding leaves of a variance that is 0 (no nugget, known point) */
    const double least = DBL_EPSILON * prior[j];
    s2[j] = sum < least ? least : sum; /* NaN stays */
  }
}
