/* What: scores of a classifier, recalibrated, as the distribution of the true
 *       class, and the likelihood of what is reported of the rows under it. */
#ifndef STURDY_SCORES_H
#define STURDY_SCORES_H

#include "workspace.h"

/* What the rows say at a recalibration. `slope` and `gradient` may be NULL. */
typedef struct {
  double *log_q;    /* [n x C] log probabilities of the true classes */
  double *log_z;    /* [n] of what is reported of a row */
  double *slope;    /* [n x C] derivatives of the sum of log_z in L */
  double *gradient; /* [C + 1] the same in a[C] and b */
} scores_result;

/* Doubles of scratch that scores_recalibrate() needs */
size_t scores_work_size(int C);

/* S[n x C] log scores, L[n x C] likelihoods of the true classes, rows not all 0;
 * times[n] how many alike each row stands for, or NULL, in all derivatives, too.
 * Returns the sum of log_z. work[scores_work_size(C)]. */
double scores_recalibrate(int n, int C, const double *S, const double *a,
                          double b, const double *L, const double *times,
                          const scores_result *out, double *work);

#endif
