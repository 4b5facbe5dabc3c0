/* What: dense operations by the table that core_dense() asks for. */
#include "matrix.h"
#include "dense-ops.h"
#include "numeric.h"
#include "status.h"

static const dense_ops *ops(void) {
  return core_dense()->own ? &dense_own : &dense_blas;
}

double dot(int n, const double *x, const double *y) {
  return ops()->dot(core_dense(), n, x, y);
}

void matrix_times(int m, int n, const double *A, const double *x, double *out) {
  ops()->times(core_dense(), m, n, A, x, out);
}

void symmetric_times(const double *A, int n, const double *x, double *out) {
  core_poll();
  ops()->symmetric_times(core_dense(), n, A, x, out);
}

/* C[m x n] <- beta C; what C holds is not read where beta is 0 */
static void scale_columns(double beta, int m, int n, double *C, int ldc) {
  if (beta == 1) return;
  for (int j = 0; j < n; j++) {
    double *column = C + IDX(0, j, ldc);
    if (beta == 0)
      memset(column, 0, sizeof *column * (size_t)m);
    else
      for (int i = 0; i < m; i++) column[i] *= beta;
  }
}

void product(const char *trans_a, const char *trans_b, int m, int n, int k,
             double alpha, const double *A, int lda, const double *B, int ldb,
             double beta, double *C, int ldc) {
  scale_columns(beta, m, n, C, ldc);
  ops()->product(core_dense(), m, n, k, alpha, NULL,
                 dense_of(A, lda, *trans_a == 'T'),
                 dense_of(B, ldb, *trans_b == 'T'), dense_into(C, ldc, 0));
}

void symmetric_product(const double *A, int n, const double *B, int cols,
                       double *C) {
  scale_columns(0, n, cols, C, n);
  ops()->symmetric(core_dense(), n, cols, A, n, dense_of(B, n, 0), C, n);
}

void rank_update(const char *trans, int n, int k, double alpha, const double *A,
                 double *C) {
  const int turned = *trans == 'T';
  ops()->update(core_dense(), n, k, alpha, NULL,
                dense_of(A, turned ? k : n, turned), C, n, NULL);
}

void rank_update_signed(double *C, int n, double alpha, const double *P, int b,
                        const double *gamma, double *scratch) {
  ops()->update(core_dense(), n, b, alpha, gamma, dense_of(P, n, 0), C, n,
                scratch);
}

/* L' is upper: reversed it is lower */
void solve_lower(const char *trans, const double *L, int n, double *B,
                 int cols) {
  const int up = *trans == 'T';
  dense_view T = dense_of(L, n, up);
  dense_target X = dense_into(B, n, 0);
  if (n == 0 || cols == 0) return;
  if (up) {
    T = dense_reversed(T, n, n);
    X.view = dense_reversed(X.view, n, cols);
  }
  ops()->solve(core_dense(), n, cols, T, 0, X);
}

/* N' P' = P' of before, N' lower */
void solve_unit_right(const double *N, int b, double *P, int n) {
  ops()->solve(core_dense(), b, n, dense_of(N, b, 1), 1, dense_into(P, n, 1));
}

int cholesky(double *A, int n, double *log_det) {
  double sum = 0;
  if (ops()->cholesky(core_dense(), n, A, n) != 0) return EP_NOT_PD;
  for (int i = 0; i < n; i++) sum += log(A[IDX(i, i, n)]);
  *log_det += 2 * sum;
  return isfinite(sum) ? EP_CONVERGED : EP_NOT_PD;
}

void lower_invert(double *L, int n) {
  if (n > 0) ops()->invert(core_dense(), n, L, n);
}

void lower_square(double *W, int n) {
  if (n > 0) ops()->square(core_dense(), n, W, n);
}

void lower_product(const double *T, int n, const double *B, int cols,
                   double *C) {
  if (n > 0) ops()->lower(core_dense(), n, cols, T, B, C);
}

/* in tiles, so that the strided side stays in cache: 32 lines of 64 bytes and
 * 32 columns are 10 kB of the 32 that a first-level cache has */
void mirror_lower(double *A, int n) {
  const int tile = 32;
  for (int j0 = 0; j0 < n; j0 += tile)
    for (int i0 = j0; i0 < n; i0 += tile)
      for (int j = j0; j < j0 + tile && j < n; j++)
        for (int i = i0 > j ? i0 : j + 1; i < i0 + tile && i < n; i++)
          A[IDX(j, i, n)] = A[IDX(i, j, n)];
}
