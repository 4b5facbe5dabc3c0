/* The shared dense operations against sums by hand. */
#include "matrix.h"
#include "check.h"
#include "dense.h"
#include "status.h"

enum { n = 40, b = 9 };

static void products_equal_sums(void) {
  double A[n * n], x[n], y[n], out[n];
  uint64_t seed = 4;
  for (int i = 0; i < n; i++) {
    x[i] = dense_norm(&seed);
    y[i] = dense_norm(&seed);
    for (int j = 0; j < n; j++) /* the upper triangle is not to be read */
      A[IDX(i, j, n)] = i >= j ? dense_norm(&seed) : NAN;
  }
  CHECK_NEAR(dot(n, x, y), dense_dot(x, y, n), 1e-13);
  CHECK(dot(0, x, y) == 0);
  symmetric_times(A, n, x, out);
  for (int i = 0; i < n; i++) {
    double want = 0;
    for (int j = 0; j < n; j++)
      want += A[i >= j ? IDX(i, j, n) : IDX(j, i, n)] * x[j];
    CHECK_NEAR(out[i], want, 1e-13);
  }
}

static void cholesky_adds_its_determinant(void) {
  double A[] = {4, 2, NAN, 5}, log_det = 1, none = 1;
  CHECK(cholesky(A, 2, &log_det) == EP_CONVERGED);
  CHECK_NEAR(log_det, 1 + log(16), 1e-15);
  CHECK(A[0] == 2 && A[1] == 1 && A[3] == 2);
  CHECK(cholesky(NULL, 0, &none) == EP_CONVERGED && none == 1);
  double B[] = {1, 2, 2, 1}, C[] = {NAN}, D[] = {INFINITY};
  CHECK(cholesky(B, 2, &log_det) == EP_NOT_PD);
  CHECK(cholesky(C, 1, &log_det) == EP_NOT_PD);
  CHECK(cholesky(D, 1, &log_det) == EP_NOT_PD);
}

/* n columns are panels of 16, 16 and 8 */
static void panels_equal_sums(void) {
  static double A[n * n], B[n * b], C[n * n], L[n * n], X[n * b];
  double log_det = 0;
  uint64_t seed = 6;
  for (int k = 0; k < n * n; k++) A[k] = dense_norm(&seed);
  for (int k = 0; k < n * b; k++) B[k] = dense_norm(&seed);
  memset(C, 0, sizeof C);
  rank_update("T", n, n, 1, A, C);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++)
      CHECK_NEAR(C[IDX(i, j, n)], dense_dot(A + i * n, A + j * n, n), 1e-12);
    for (int i = 0; i < j; i++) CHECK(C[IDX(i, j, n)] == 0);
    C[IDX(j, j, n)] += n;
  }
  memcpy(L, C, sizeof L);
  const long before = check_polls;
  CHECK(cholesky(L, n, &log_det) == EP_CONVERGED);
  CHECK(check_polls >= before + (core_dense()->own ? 1 : 3));
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = 0;
      for (int k = 0; k <= j; k++) sum += L[IDX(i, k, n)] * L[IDX(j, k, n)];
      CHECK_SCALED(sum, C[IDX(i, j, n)], 1e-13, n);
    }
  /* C^{-1} B by two solves, by the inverse, and back */
  memcpy(X, B, sizeof X);
  solve_lower("N", L, n, X, b);
  solve_lower("T", L, n, X, b);
  mirror_lower(C, n);
  double back[n * b];
  symmetric_product(C, n, X, b, back);
  for (int k = 0; k < n * b; k++) CHECK_NEAR(back[k], B[k], 1e-12);
  lower_invert(L, n);
  lower_square(L, n);
  mirror_lower(L, n);
  product("N", "N", n, b, n, 1, L, n, B, n, 0, back, n);
  for (int k = 0; k < n * b; k++) CHECK_NEAR(back[k], X[k], 1e-12);
  product("T", "T", n, n, b, 1, X, b, B, n, 0, C, n); /* X as b x n */
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < b; k++) sum += X[IDX(k, i, b)] * B[IDX(j, k, n)];
      CHECK_NEAR(C[IDX(i, j, n)], sum, 1e-12);
    }
}

static void signed_updates_equal_sums(void) {
  static double C[n * n], P[n * b], scratch[n * b];
  double gamma[b], want[n * n];
  uint64_t seed = 5;
  for (int k = 0; k < n * b; k++) P[k] = dense_norm(&seed);
  for (int l = 0; l < b; l++) gamma[l] = l == 4 ? 0 : dense_norm(&seed);
  for (int k = 0; k < n * n; k++) want[k] = C[k] = dense_norm(&seed);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      for (int l = 0; l < b; l++)
        want[IDX(i, j, n)] -= gamma[l] * P[IDX(i, l, n)] * P[IDX(j, l, n)];
  rank_update_signed(C, n, -1, P, b, gamma, scratch);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      CHECK_NEAR(C[IDX(i, j, n)], want[IDX(i, j, n)], 1e-13);
}

static void the_lower_triangle_is_mirrored(void) {
  const int sizes[] = {0, 1, 31, 32, 33, 70};
  for (int k = 0; k < 6; k++) {
    const int n = sizes[k];
    double *A = dense_square(n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) A[IDX(i, j, n)] = i >= j ? 100 * i + j : -1;
    mirror_lower(A, n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        CHECK(A[IDX(i, j, n)] == (i >= j ? 100 * i + j : 100 * j + i));
    free(A);
  }
}

int main(void) {
  RUN("products equal sums", products_equal_sums);
  RUN("a Cholesky factor adds its determinant", cholesky_adds_its_determinant);
  RUN("operations in panels equal sums", panels_equal_sums);
  RUN("signed updates equal sums of rank-one ones", signed_updates_equal_sums);
  RUN("the lower triangle is mirrored", the_lower_triangle_is_mirrored);
  return check_done();
}
