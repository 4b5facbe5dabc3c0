/* What: independent normals f_k ~ N(mean_k, sd_k^2), given that one of them is
 *       the largest: the probability of that, and the moments of all. */
#ifndef STURDY_ARGMAX_H
#define STURDY_ARGMAX_H

/* Largest number of normals */
#define ARGMAX_MOST 32

/* Beyond so many sd Phi is 1 in double precision. */
#define ARGMAX_CERTAIN 8.4
/* Up to here loss is more exact than 1 - ratio, which is more exact beyond: the
 * sums in loss cancel where a class is much wider than the others. */
#define ARGMAX_LOSS_OWN 1e-3

/* Step, in local scales, and how far a log density falls at the ends */
typedef struct {
  double step, drop;
} argmax_rule;

argmax_rule argmax_rule_of(int lean);

/* Each relative to the normal itself, so that none cancels */
typedef struct {
  double shift[ARGMAX_MOST]; /* E f_k - mean_k, in units of f */
  double ratio[ARGMAX_MOST]; /* Var f_k / sd_k^2 */
  double loss[ARGMAX_MOST];  /* 1 - ratio, with digits of its own near 0 */
} argmax_moments;

/* log P(f_c is the largest of C) [M 12.2] and, where `moments` is not NULL, the
 * moments given that [M 12.6]. NaN where an argument is not finite or an sd not
 * above 0. lean: to 1e-8 for two thirds of the time. */
double argmax_given(int C, int c, const double *mean, const double *sd,
                    int lean, argmax_moments *moments);

/* The same, moments never NULL, with the covariances of f_j and f_k, j != k, in
 * units of their sds: cross[C x C], the elements off its diagonal [M 12.14]. */
double argmax_covariance(int C, int c, const double *mean, const double *sd,
                         int lean, argmax_moments *moments, double *cross);

#endif
