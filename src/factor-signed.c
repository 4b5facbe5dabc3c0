/* What: Cholesky factors of K^{-1} + T when T has both signs.
 * Method [M 3.9]: positive sites first, P = {tau > 0}, then N = {tau < 0}:
 *   L L' = I + T_P^{1/2} K_PP T_P^{1/2},   V = L^{-1} T_P^{1/2} K_P.
 *   C+   = K - V' V                                       [RW06 3.67, 3.68]
 *   M M' = I - |T_N|^{1/2} C+_NN |T_N|^{1/2}, W = M^{-1} |T_N|^{1/2} C+_N.
 *   C    = C+ + W' W,   log|I + K T| = log|L L'| + log|M M'|.
 * M exists exactly when K^{-1} + T is positive definite. K is not inverted. */
#include "factor-signed.h"
#include "matrix.h"
#include "numeric.h"
#include "status.h"

void sites_split(const double *tau, int n, site_signs *s) {
  int k = 0;
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int i = 0; i < n; i++)
      if (tau[i] * sign > 0) {
        s->root[k] = sqrt(fabs(tau[i]));
        s->idx[k++] = i;
      }
    if (sign > 0) s->np = k;
  }
  s->nn = k - s->np;
}

int factor_positive(const double *K, int n, const site_signs *s, double *L,
                    double *log_det) {
  const int np = s->np, *idx = s->idx;
  for (int b = 0; b < np; b++) {
    const double *column = K + IDX(0, idx[b], n);
    for (int a = b; a < np; a++)
      L[IDX(a, b, np)] = s->root[a] * column[idx[a]] * s->root[b];
    L[IDX(b, b, np)] += 1;
  }
  return cholesky(L, np, log_det);
}

void factor_solve(const double *L, const site_signs *s, const double *G, int n,
                  int cols, double *V) {
  const int np = s->np, *idx = s->idx;
  for (int j = 0; j < cols; j++) {
    const double *column = G + IDX(0, j, n);
    double *to = V + IDX(0, j, np);
    for (int a = 0; a < np; a++) to[a] = s->root[a] * column[idx[a]];
  }
  solve_lower("N", L, np, V, cols);
}

int factor_negative(double *S, const site_signs *s, double *log_det) {
  const int nn = s->nn;
  const double *root = s->root + s->np;
  for (int b = 0; b < nn; b++) {
    for (int a = b; a < nn; a++) S[IDX(a, b, nn)] *= -root[a] * root[b];
    S[IDX(b, b, nn)] += 1;
  }
  return cholesky(S, nn, log_det);
}

void factor_scale_solve(const double *L, const site_signs *s, int cols,
                        double *W) {
  const int nn = s->nn;
  const double *root = s->root + s->np;
  for (int j = 0; j < cols; j++)
    for (int a = 0; a < nn; a++) W[IDX(a, j, nn)] *= root[a];
  solve_lower("N", L, nn, W, cols);
}
