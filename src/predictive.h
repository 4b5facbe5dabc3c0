/* What: latent mean and scale at new points. */
#ifndef STURDY_PREDICTIVE_H
#define STURDY_PREDICTIVE_H

#include "factor-signed.h"
#include "status.h"
#include "workspace.h"

/* Factors of K^{-1} + T kept for prediction. */
typedef struct {
  int n;
  site_signs signs;
  double *L; /* [np x np] in an [n x n] block */
  double *V; /* [np x nn] in an [n x n_neg] block */
  double *M; /* [nn x nn] in an [n_neg x n_neg] block */
} predictive_factor;

/* n_neg: number of sites with tau < 0 (sizes the workspace). */
void predictive_carve(predictive_factor *f, int n, int n_neg, workspace *ws);

/* K[n x n], lower triangle read. EP_NOT_PD when the sites have no posterior. */
int predictive_prepare(predictive_factor *f, const double *K,
                       const double *tau);

/* Scaled latent m[cols] and s2[cols] [M 7.1]: G[n x cols] holds
 * k* without nugget, prior[cols] = k(x*, x*) with it, b[n] = (I + T K)^{-1} nu.
 * scratch[2 n x cols]. */
void predictive_latent(const predictive_factor *f, const double *G, int cols,
                       const double *prior, const double *b, double *scratch,
                       double *m, double *s2);

#endif
