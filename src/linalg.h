/* What: the signed factorisation of K^{-1} + T for sites of either sign, and
 *       small helpers over BLAS. */
#ifndef STURDY_LINALG_H
#define STURDY_LINALG_H

/* idx[n]: first the sites with tau > 0, then those with tau < 0 (sites with
 * tau = 0 belong to neither); returns their numbers. */
void sites_split(const double *tau, int n, int *idx, int *n_pos, int *n_neg);

/* L[np x np] lower, L L' = I + T^{1/2} K T^{1/2} over idx[np], tau > 0.
 * K[n x n], lower triangle read. log_det += log|L L'|. 0 or EP_NOT_PD. */
int factor_positive(const double *K, int n, const double *tau, const int *idx,
                    int np, double *L, double *log_det);

/* V[np x cols] = L^{-1} T^{1/2} G[idx, ], G[n x cols]; V and G distinct. */
void factor_solve(const double *L, const double *tau, const int *idx, int np,
                  const double *G, int n, int cols, double *V);

/* S[nn x nn], on entry the covariance (lower) of the sites idx[nn], tau < 0,
 * under the positive ones; on exit chol(I - |T|^{1/2} S |T|^{1/2}).
 * log_det += log of its determinant. 0 or EP_NOT_PD. */
int factor_negative(double *S, const double *tau, const int *idx, int nn,
                    double *log_det);

/* W[nn x cols] <- L^{-1} |T|^{1/2} W */
void factor_scale_solve(const double *L, const double *tau, const int *idx,
                        int nn, int cols, double *W);

/* Copy the lower triangle of A[n x n] to the upper one. */
void mirror_lower(double *A, int n);

#endif
