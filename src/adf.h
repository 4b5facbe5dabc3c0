/* What: assumed density filtering: one pass, full escort moment matching. */
#ifndef STURDY_ADF_H
#define STURDY_ADF_H

#include "likelihood.h"
#include "status.h"

/* Posterior St(df, exp(log_scale/2) mu, exp(log_scale) S) of the weights. The
 * likelihood sees signs only, so the common scale is kept apart: S stays of
 * the order of its start and streams of any length neither over- nor
 * underflow through it. */
typedef struct {
  int k;
  double *mu; /* [k] */
  double *S;  /* [k x k] lower */
  double log_scale;
} adf_state;

/* Absorbs rows Xt[k x n] (a row of data a column) with labels y[n] in turn.
 * log_zp[n], prob[n]: predictive log probability of the label and probability
 * of a positive latent value, both before the row was absorbed. Sx[k] scratch.
 * *done rows were absorbed when it returns; EP_NOT_PD when rounding has made S
 * indefinite along the next row. check() is called every 4096 rows; non-zero
 * stops (EP_INTERRUPTED). */
int adf_absorb(const lik_step *lik,
               const double *Xt,
               const double *y,
               int n,
               adf_state *state,
               double *log_zp,
               double *prob,
               double *Sx,
               int *done,
               int (*check)(void *),
               void *check_data);

#endif
