/* What: the signed factorisation of K^{-1} + T for sites of either sign. */
#ifndef STURDY_FACTOR_SIGNED_H
#define STURDY_FACTOR_SIGNED_H

/* The sites by sign: idx[np + nn] holds first those with tau > 0, then those
 * with tau < 0, both ascending; root[np + nn] = sqrt|tau| in that order. tau =
 * 0 belongs to neither. The caller gives idx and root room for n. */
typedef struct {
  int np, nn;
  int *idx;
  double *root;
} site_signs;
void sites_split(const double *tau, int n, site_signs *s);

/* L[np x np] lower, L L' = I + T^{1/2} K T^{1/2} over the positive sites; what
 * is above its diagonal is left as it was. K[n x n], lower triangle read.
 * log_det += log|L L'|. Returns 0 or EP_NOT_PD, L then spoilt. */
int factor_positive(const double *K, int n, const site_signs *s, double *L,
                    double *log_det);

/* C[n x n] (lower) = (K^{-1} + T)^{-1} of the positive sites alone, K[n x n] full,
 * L from factor_positive, spoilt. Scratch: V[n x n], rest[n]. */
void factor_covariance(double *L, const site_signs *s, const double *K, int n,
                       double *C, double *V, int *rest);

/* V[np x cols] = L^{-1} T^{1/2} G over the positive rows of G[n x cols], of
 * which V is no part. */
void factor_solve(const double *L, const site_signs *s, const double *G, int n,
                  int cols, double *V);

/* S[nn x nn], on entry the covariance (lower) of the negative sites under the
 * positive ones; on exit chol(I - |T|^{1/2} S |T|^{1/2}).
 * log_det += log of its determinant. Returns 0 or EP_NOT_PD, S then spoilt. */
int factor_negative(double *S, const site_signs *s, double *log_det);

/* W[nn x cols] <- L^{-1} |T|^{1/2} W, L from factor_negative. */
void factor_scale_solve(const double *L, const site_signs *s, int cols,
                        double *W);

#endif
