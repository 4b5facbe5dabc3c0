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
  rank_update_signed(C, n, P, b, gamma, scratch);
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
  RUN("signed updates equal sums of rank-one ones", signed_updates_equal_sums);
  RUN("the lower triangle is mirrored", the_lower_triangle_is_mirrored);
  return check_done();
}
