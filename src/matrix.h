/* What: the dense operations that modules share, over BLAS and LAPACK. */
#ifndef STURDY_MATRIX_H
#define STURDY_MATRIX_H

double dot(int n, const double *x, const double *y);

/* out[n] = A x, the lower triangle of A[n x n] read. out must not overlap x. */
void symmetric_times(const double *A, int n, const double *x, double *out);

/* A[n x n] (lower) <- L, A = L L'. log_det += log|A|. 0, or EP_NOT_PD also
 * where the determinant is not finite. */
int cholesky(double *A, int n, double *log_det);

/* C[n x n] (lower) -= P diag(gamma) P', P[n x b], as two symmetric rank-k
 * updates split by the sign of gamma[b]. scratch[n x b]. */
void rank_update_signed(double *C,
                        int n,
                        const double *P,
                        int b,
                        const double *gamma,
                        double *scratch);

/* Copy the lower triangle of A[n x n] to the upper one. */
void mirror_lower(double *A, int n);

#endif
