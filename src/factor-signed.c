/* What: Cholesky factors of K^{-1} + T when T has both signs.
 * Method [M 3.9]: positive sites first, P = {tau > 0}, then N = {tau < 0}:
 *   L L' = I + T_P^{1/2} K_PP T_P^{1/2},   V = L^{-1} T_P^{1/2} K_P.
 *   C+   = K - V' V                                       [RW06 3.67, 3.68]
 *   Between rows whose sites weigh enough for no digits to be lost, and of these
 *   with the others, in less than half of the flops
 *   C+   = T^{-1/2} (I - (L L')^{-1}) T^{-1/2},   T^{-1/2} L^{-T} V.
 *   M M' = I - |T_N|^{1/2} C+_NN |T_N|^{1/2}, W = M^{-1} |T_N|^{1/2} C+_N.
 *   C    = C+ + W' W,   log|I + K T| = log|L L'| + log|M M'|.
 * M exists exactly when K^{-1} + T is positive definite. K is not inverted. */
#include "factor-signed.h"
#include "matrix.h"
#include "numeric.h"
#include "status.h"

/* tau K_ii from which on a row has C+ by the inverse of L L': it is 1/tau times
 * what may be this much less than 1. */
#define WEIGHT_LEAST 0.01
/* Where one weighs more, L L' is too near to singular. */
#define WEIGHT_MOST 1e4
/* Rows from which on it is faster */
#define INVERSE_LEAST 128

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

/* Rows without a positive site, or with a light one, ascending; *most: the
 * largest weight */
static int light_rows(const site_signs *s, const double *K, int n, int *rest,
                      double *most) {
  int count = 0, a = 0;
  *most = 0;
  for (int i = 0; i < n; i++) {
    double weight = 0;
    if (a < s->np && s->idx[a] == i) {
      weight = s->root[a] * s->root[a] * K[IDX(i, i, n)];
      a++;
    }
    if (!(weight >= WEIGHT_LEAST)) rest[count++] = i;
    *most = fmax(*most, weight);
  }
  return count;
}

void factor_covariance(double *L, const site_signs *s, const double *K, int n,
                       double *C, double *V, int *rest) {
  double most;
  const int np = s->np, nr = light_rows(s, K, n, rest, &most), *idx = s->idx;
  double *own = V + IDX(0, nr, np); /* [nr x nr] of the light rows */
  const int room = (double)nr * (np + nr) <= (double)n * n;
  if (!room || most > WEIGHT_MOST || n < INVERSE_LEAST) {
    memcpy(C, K, (size_t)n * (size_t)n * sizeof *C);
    factor_solve(L, s, K, n, n, V);
    rank_update("T", n, np, -1, V, C);
    return;
  }
  for (int b = 0; b < nr; b++) {
    const double *column = K + IDX(0, rest[b], n);
    for (int a = 0; a < np; a++) V[IDX(a, b, np)] = s->root[a] * column[idx[a]];
    for (int a = b; a < nr; a++) own[IDX(a, b, nr)] = column[rest[a]];
  }
  solve_lower("N", L, np, V, nr);
  rank_update("T", nr, np, -1, V, own);
  solve_lower("T", L, np, V, nr);
  lower_invert(L, np);
  lower_square(L, np);
  /* what is not exact between light rows is written over */
  for (int b = 0; b < np; b++) {
    const double by = 1 / s->root[b];
    for (int a = b; a < np; a++)
      C[IDX(idx[a], idx[b], n)] = -L[IDX(a, b, np)] * by / s->root[a];
    C[IDX(idx[b], idx[b], n)] = (1 - L[IDX(b, b, np)]) * by * by;
  }
  for (int b = 0; b < nr; b++) {
    const int j = rest[b];
    for (int a = 0; a < np; a++) {
      const int i = idx[a];
      C[i > j ? IDX(i, j, n) : IDX(j, i, n)] = V[IDX(a, b, np)] / s->root[a];
    }
  }
  for (int b = 0; b < nr; b++)
    for (int a = b; a < nr; a++)
      C[IDX(rest[a], rest[b], n)] = own[IDX(a, b, nr)];
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
