/* What: assumed density filtering: one pass, full escort moment matching. */
#ifndef STURDY_ADF_H
#define STURDY_ADF_H

#include <stddef.h>
#include "likelihood.h"
#include "status.h"

/* Posterior St(df, exp(log_scale/2) mu, exp(log_scale) S) of the weights, whose
 * prior scales are s0. The likelihood sees signs only: the common scale is kept
 * apart, and the widest S_ii/s0_i stays within 2^-64..2^64 however long the
 * stream is. With a nugget S has a scale, and is left as it is. */
typedef struct {
  int k;
  const double *s0; /* [k] */
  double nugget;    /* variance of the noise of a row, in the units of S */
  double *mu;       /* [k] */
  double *S;        /* [k x k] lower */
  double log_scale;
  double least, most; /* bounds of the widest S_ii/s0_i, kept by adf_absorb() */
  double *work;       /* [adf_work_size(k)] */
} adf_state;

size_t adf_work_size(int k);

/* Absorbs rows Xt[k x n] (a row of data a column) in turn, lik that of n rows.
 * log_zp[n], prob[n]: predictive log probability of the reports and probability
 * of a positive latent value, both before the row was absorbed. *done rows were
 * absorbed when it returns. The next one could not be: EP_NOT_PD when S is not
 * positive definite along it, when the state may be spoilt, EP_BAD_ARG when its
 * inputs overflow. */
int adf_absorb(const lik_step *lik, const double *Xt, int n, adf_state *state,
               double *log_zp, double *prob, int *done);

#endif
