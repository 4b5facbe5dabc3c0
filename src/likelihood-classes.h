/* What: the likelihood of what is known of a row's label, given C latent
 *       functions, and its tilted moments. The true class is the largest of
 *       f_1..f_C; weight[c] is the probability of the row's reports if it is c
 *       [M 12.1, 13.1]. */
#ifndef STURDY_LIKELIHOOD_CLASSES_H
#define STURDY_LIKELIHOOD_CLASSES_H

#include "argmax.h"

/* Moments of one row's tilted density beside those of its cavities */
typedef struct {
  double log_z;              /* log probability of the reports */
  double shift[ARGMAX_MOST]; /* tilted mean less cavity mean, in units of f */
  double ratio[ARGMAX_MOST]; /* tilted over cavity variance */
  double loss[ARGMAX_MOST];  /* 1 - ratio, with digits of its own near 0 */
} tilted_classes;

/* For cavities N(mean[k], sd[k]^2), k < C <= ARGMAX_MOST; weight[C] >= 0, not
 * all 0. One integral for each class with more than the least weight; lean: to
 * 1e-8, as argmax_given() has it. */
tilted_classes classes_tilt(int C, const double *weight, const double *mean,
                            const double *sd, int lean);

/* The covariances of f_j and f_k, j != k, under the tilted density, in units of
 * the cavities' sds: cross[C x C], the elements off its diagonal [M 12.14], to
 * 1e-8; NaN where classes_tilt() has NaN. scratch[C x C x C]. */
void classes_covariance(int C, const double *weight, const double *mean,
                        const double *sd, double *scratch, double *cross);

/* log_p[C] = log P(class k is the largest); returns the log_z of these. all:
 * each class by its own integral; otherwise those of the least weight get equal
 * shares of what the others leave, which changes neither log_z nor their sum,
 * and with one rate for all classes costs one integral. */
double classes_posterior(int C, const double *weight, const double *mean,
                         const double *sd, int all, double *log_p);

#endif
