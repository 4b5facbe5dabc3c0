/* What: the likelihood of a recorded class, given C latent functions, and its
 *       tilted moments. The true class is the largest of f_1..f_C; it is
 *       recorded as y with probability omega[true], column y of the noise
 *       matrix [M 12.1]. */
#ifndef STURDY_LIKELIHOOD_CLASSES_H
#define STURDY_LIKELIHOOD_CLASSES_H

#include "argmax.h"

/* The tilted density of one row, in units of its cavities: */
typedef struct {
  double log_z;              /* log probability of the recorded class */
  double shift[ARGMAX_MOST]; /* tilted mean less cavity mean */
  double ratio[ARGMAX_MOST]; /* tilted over cavity variance */
  double loss[ARGMAX_MOST];  /* 1 - ratio, with digits of its own near 0 */
} tilted_classes;

/* For cavities N(mean[k], sd[k]^2), k < C <= ARGMAX_MOST; omega[C] >= 0, not
 * all 0. One integral a class with more than the least omega. */
tilted_classes
classes_tilt(int C, const double *omega, const double *mean, const double *sd);

/* log_p[C] = log P(class k is the largest); returns log_z, to go with it. Where
 * not `all`, classes of the least omega share what the others leave equally,
 * which log_z and sums over them do not feel: for one rate one integral. */
double classes_posterior(int C,
                         const double *omega,
                         const double *mean,
                         const double *sd,
                         int all,
                         double *log_p);

#endif
