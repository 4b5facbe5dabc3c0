/* What: independent normals f_k ~ N(mean_k, sd_k^2), given that one of them is
 *       the largest: the probability of that, and the moments of all. */
#ifndef STURDY_ARGMAX_H
#define STURDY_ARGMAX_H

/* Largest number of normals */
#define ARGMAX_MOST 32

/* Each in units of the normal itself, so that none cancels. */
typedef struct {
  double shift[ARGMAX_MOST]; /* E f_k - mean_k */
  double ratio[ARGMAX_MOST]; /* Var f_k / sd_k^2 */
  double loss[ARGMAX_MOST];  /* 1 - ratio, with digits of its own near 0 */
} argmax_moments;

/* log P(f_c is the largest of C) [M 12.2] and, where `moments` is not NULL, the
 * moments given that [M 12.6]. NaN where an argument is not finite or an sd not
 * above 0. lean: to 1e-8 for two thirds of the time. */
double argmax_given(int C, int c, const double *mean, const double *sd,
                    int lean, argmax_moments *moments);

/* The same with the covariances of f_j and f_k, j != k, in units of their sds:
 * cross[C x C], the elements off its diagonal [M 12.19]. */
double argmax_covariance(int C, int c, const double *mean, const double *sd,
                         int lean, argmax_moments *moments, double *cross);

#endif
