/* What: what the tests compare with: random problems, and posteriors by plain
 *       dense algebra (LU, no factor of the core). Include in one file a
 *       program; sizes are small and bounded by DENSE_MAX. */
#ifndef STURDY_DENSE_H
#define STURDY_DENSE_H

#include "numeric.h"
#include <stdint.h>
#include <stdlib.h>

#define DENSE_MAX 160

/* splitmix64: uniform on (0, 1) */
static inline double dense_unif(uint64_t *state) {
  uint64_t x = (*state += 0x9e3779b97f4a7c15u);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static inline double dense_norm(uint64_t *state) {
  const double r = sqrt(-2 * log(dense_unif(state)));
  return r * cos(6.283185307179586 * dense_unif(state));
}

static inline double *dense_new(size_t n) {
  double *x = calloc(n > 0 ? n : 1, sizeof *x);
  if (!x) abort();
  return x;
}

static inline double *dense_square(int n) {
  return dense_new((size_t)n * (size_t)n);
}

/* K[n x n]: squared exponential on random points in the plane, plus bias and
 * nugget; y[n]: the side of a line, some flipped */
static inline void dense_problem(uint64_t seed, int n, double nugget, double *K,
                                 double *y) {
  double x[DENSE_MAX][2];
  for (int i = 0; i < n; i++) {
    x[i][0] = dense_norm(&seed);
    x[i][1] = dense_norm(&seed);
    y[i] = x[i][0] + 0.5 * x[i][1] > 0 ? 1 : -1;
    if (dense_unif(&seed) < 0.15) y[i] = -y[i];
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const double a = x[i][0] - x[j][0], b = x[i][1] - x[j][1];
      K[IDX(i, j, n)] = exp(-(a * a + b * b) / 2) + 0.2 + (i == j ? nugget : 0);
    }
}

/* B[n x n] <- B^{-1} R[n x cols] in R; returns log|det B|, *sign its sign */
static inline double dense_gauss(int n, double *B, int cols, double *R,
                                 int *sign) {
  int pivot[DENSE_MAX], info = 0;
  double log_det = 0;
  *sign = 1;
  if (n == 0) return 0;
  F77_CALL(dgesv)(&n, &cols, B, &n, pivot, R, &n, &info);
  if (info != 0) abort();
  for (int i = 0; i < n; i++) {
    log_det += log(fabs(B[IDX(i, i, n)]));
    if (B[IDX(i, i, n)] < 0) *sign = -*sign;
    if (pivot[i] != i + 1) *sign = -*sign;
  }
  return log_det;
}

/* C[n x n] = (K^{-1} + T)^{-1} = (I + K T)^{-1} K; returns log|I + K T| */
static inline double dense_posterior(const double *K, const double *tau, int n,
                                     double *C) {
  double *B = dense_square(n);
  int sign;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      B[IDX(i, j, n)] = K[IDX(i, j, n)] * tau[j] + (i == j);
      C[IDX(i, j, n)] = K[IDX(i, j, n)];
    }
  const double log_det = dense_gauss(n, B, n, C, &sign);
  free(B);
  return sign > 0 ? log_det : NAN;
}

static inline double dense_dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Derivative of f at 0 by central differences of step h, two Richardson steps:
 * error O(h^6). */
static inline double dense_slope(double (*f)(void *, double), void *data,
                                 double h) {
  double d[3];
  for (int k = 0; k < 3; k++, h /= 2)
    d[k] = (f(data, h) - f(data, -h)) / (2 * h);
  const double a = (4 * d[1] - d[0]) / 3, b = (4 * d[2] - d[1]) / 3;
  return (16 * b - a) / 15;
}

#endif
