/* What: the dense operations that modules share, over BLAS and LAPACK or our
 *       own kernels. Those of more than n^2 flops work in pieces, with
 *       core_poll() before each. */
#ifndef STURDY_MATRIX_H
#define STURDY_MATRIX_H

#include "host.h"

double dot(int n, const double *x, const double *y);

/* out[m] += A x, A[m x n]. */
void matrix_times(int m, int n, const double *A, const double *x, double *out);

/* out[n] = A x, the lower triangle of A[n x n] read. out must not overlap x. */
void symmetric_times(const double *A, int n, const double *x, double *out);

/* C[m x n] <- alpha op(A) op(B) + beta C, k the inner length; op by "N" or "T",
 * leading dimensions as in dgemm. */
void product(const char *trans_a, const char *trans_b, int m, int n, int k,
             double alpha, const double *A, int lda, const double *B, int ldb,
             double beta, double *C, int ldc);

/* C[n x cols] = A B, the lower triangle of A[n x n] read. */
void symmetric_product(const double *A, int n, const double *B, int cols,
                       double *C);

/* C[n x n] (lower) += alpha A A' for A[n x k] ("N"), alpha A' A for A[k x n]
 * ("T"). */
void rank_update(const char *trans, int n, int k, double alpha, const double *A,
                 double *C);

/* B[n x cols] <- L^{-1} B ("N") or L'^{-1} B ("T"), L[n x n] lower. */
void solve_lower(const char *trans, const double *L, int n, double *B,
                 int cols);

/* P[n x b] <- P N^{-1}, N[b x b] unit upper triangular. */
void solve_unit_right(const double *N, int b, double *P, int n);

/* A[n x n] (lower) <- L, A = L L'. log_det += log|A|. 0, or EP_NOT_PD also
 * where the determinant is not finite. */
int cholesky(double *A, int n, double *log_det);

/* L[n x n] (lower) <- L^{-1}; W[n x n] (lower) <- W' W: of a factor of
 * cholesky() one after the other the inverse of what it is the factor of. */
void lower_invert(double *L, int n);
void lower_square(double *W, int n);

/* C[n x cols] <- T B, T[n x n] lower with zeros above its diagonal. */
void lower_product(const double *T, int n, const double *B, int cols,
                   double *C);

/* C[n x n] (lower) += alpha P diag(gamma) P', P[n x b], as two symmetric rank-k
 * updates split by the sign of gamma[b], or as one. P is finite;
 * scratch[n x b]. */
void rank_update_signed(double *C, int n, double alpha, const double *P, int b,
                        const double *gamma, double *scratch);

/* Copy the lower triangle of A[n x n] to the upper one. */
void mirror_lower(double *A, int n);

#endif
