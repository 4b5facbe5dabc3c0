/* What: Cholesky factors of K^{-1} + T when T has both signs.
 * Method: positive sites first. With P = {tau > 0}, N = {tau < 0},
 *   L L' = I + T_P^{1/2} K_PP T_P^{1/2},   V = L^{-1} T_P^{1/2} K_P.
 *   C+   = K - V' V                                       [RW06 3.67, 3.68]
 *   M M' = I - |T_N|^{1/2} C+_NN |T_N|^{1/2}, W = M^{-1} |T_N|^{1/2} C+_N.
 *   C    = C+ + W' W,   log|I + K T| = log|L L'| + log|M M'|.
 * M exists exactly when K^{-1} + T is positive definite. K is never inverted. */
#include "linalg.h"
#include "numeric.h"
#include "status.h"

void sites_split(const double *tau, int n, int *idx, int *n_pos, int *n_neg) {
  int k = 0;
  for (int i = 0; i < n; i++)
    if (tau[i] > 0) idx[k++] = i;
  *n_pos = k;
  for (int i = 0; i < n; i++)
    if (tau[i] < 0) idx[k++] = i;
  *n_neg = k - *n_pos;
}

static int cholesky(double *B, int n, double *log_det) {
  int info = 0;
  if (n == 0) return EP_CONVERGED;
  F77_CALL(dpotrf)("L", &n, B, &n, &info FCONE);
  if (info != 0) return EP_NOT_PD;
  for (int i = 0; i < n; i++) *log_det += 2 * log(B[IDX(i, i, n)]);
  return isfinite(*log_det) ? EP_CONVERGED : EP_NOT_PD;
}

int factor_positive(const double *K, int n, const double *tau, const int *idx,
                    int np, double *L, double *log_det) {
  for (int b = 0; b < np; b++) {
    const double root = sqrt(tau[idx[b]]);
    for (int a = b; a < np; a++)
      L[IDX(a, b, np)] =
          sqrt(tau[idx[a]]) * K[IDX(idx[a], idx[b], n)] * root;
    L[IDX(b, b, np)] += 1;
  }
  return cholesky(L, np, log_det);
}

static void solve_lower(const double *L, int n, int cols, double *V) {
  const double one = 1;
  if (n > 0 && cols > 0)
    F77_CALL(dtrsm)
    ("L", "L", "N", "N", &n, &cols, &one, L, &n, V,
     &n FCONE FCONE FCONE FCONE);
}

void factor_solve(const double *L, const double *tau, const int *idx, int np,
                  const double *G, int n, int cols, double *V) {
  for (int j = 0; j < cols; j++)
    for (int a = 0; a < np; a++)
      V[IDX(a, j, np)] = sqrt(tau[idx[a]]) * G[IDX(idx[a], j, n)];
  solve_lower(L, np, cols, V);
}

int factor_negative(double *S, const double *tau, const int *idx, int nn,
                    double *log_det) {
  for (int b = 0; b < nn; b++) {
    const double root = sqrt(-tau[idx[b]]);
    for (int a = b; a < nn; a++)
      S[IDX(a, b, nn)] *= -root * sqrt(-tau[idx[a]]);
    S[IDX(b, b, nn)] += 1;
  }
  return cholesky(S, nn, log_det);
}

void factor_scale_solve(const double *L, const double *tau, const int *idx,
                        int nn, int cols, double *W) {
  for (int j = 0; j < cols; j++)
    for (int a = 0; a < nn; a++) W[IDX(a, j, nn)] *= sqrt(-tau[idx[a]]);
  solve_lower(L, nn, cols, W);
}

/* in tiles, so that the strided side stays in cache */
void mirror_lower(double *A, int n) {
  const int tile = 32;
  for (int j0 = 0; j0 < n; j0 += tile)
    for (int i0 = j0; i0 < n; i0 += tile)
      for (int j = j0; j < j0 + tile && j < n; j++)
        for (int i = i0 > j ? i0 : j + 1; i < i0 + tile && i < n; i++)
          A[IDX(j, i, n)] = A[IDX(i, j, n)];
}
