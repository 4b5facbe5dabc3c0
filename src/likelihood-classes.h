/* What: the likelihood of what is known of a row's label, given C latent
 *       functions, and its tilted moments. The true class is the largest of
 *       f_1..f_C; weight[c] is the probability of the row's reports if it is c
 *       [M 12.1, 13.1]. */
#ifndef STURDY_LIKELIHOOD_CLASSES_H
#define STURDY_LIKELIHOOD_CLASSES_H

#include "argmax.h"

/* The tilted density of one row, in units of its cavities: */
typedef struct {
  double log_z;              /* log probability of the reports */
  double shift[ARGMAX_MOST]; /* tilted mean less cavity mean */
  double ratio[ARGMAX_MOST]; /* tilted over cavity variance */
  double loss[ARGMAX_MOST];  /* 1 - ratio, with digits of its own near 0 */
} tilted_classes;

/* For cavities N(mean[k], sd[k]^2), k < C <= ARGMAX_MOST; weight[C] >= 0, not
 * all 0. One integral a class with more than the least weight; lean: as of
 * argmax_given(). */
tilted_classes classes_tilt(int C, const double *weight, const double *mean,
                            const double *sd, int lean);

/* The covariances of f_j and f_k, j != k, under the tilted density, in units of
 * the cavities' sds: cross[C x C], the elements off its diagonal [M 12.14], to
 * 1e-8; NaN where log_z is. scratch[C x C x C]. */
void classes_covariance(int C, const double *weight, const double *mean,
                        const double *sd, double *scratch, double *cross);

/* log_p[C] = log P(class k is the largest); returns log_z, to go with it. Where
 * not `all`, classes of the least weight share what the others leave equally,
 * which log_z and sums over them do not feel: for one rate one integral. */
double classes_posterior(int C, const double *weight, const double *mean,
                         const double *sd, int all, double *log_p);

#endif
