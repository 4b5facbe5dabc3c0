/* What: weight space, w ~ St(df, 0, diag(s0)), f_i = x_i' w: C is that of the
 *       weights [k x k], site i looks along its feature vector x_i. */
#ifndef STURDY_LATENT_WEIGHT_H
#define STURDY_LATENT_WEIGHT_H

#include "latent.h"

typedef struct {
  int n, k;
  const double *Xt; /* [k x n], column i is x_i */
  const double *s0; /* [k] prior scale, > 0 */
  double *C;        /* [k x k] lower */
  double *w;        /* [k] C X' nu */
  double *S1;       /* [k x k] scratch */
  double *P, *Q;    /* [k x width] panels */
  double *v1, *v2;  /* [k] scratch */
  int width;        /* panel columns */
} latent_weight;

/* Nothing is copied: *lw, Xt and s0 must outlive the latent. location is w,
 * covariance C; the parameters of the prior are log s0[k]. */
latent latent_weight_features(
    latent_weight *lw, int n, int k, const double *Xt, const double *s0);

/* Location m[cols] = Xt' w and squared scale A[cols] = diag(Xt' C Xt) of f at
 * feature vectors Xt[k x cols]. P[k x cols] takes C Xt. */
void weight_moments(const double *C,
                    const double *w,
                    int k,
                    const double *Xt,
                    int cols,
                    double *P,
                    double *m,
                    double *A);

#endif
