/* What: the likelihood of a row, a step or several, and its tilted escort
 *       moments.
 *
 * What is known of the label of row i has the likelihood `lo` where its latent
 * value f is below 0 and `hi` where it is above: the products over its reports
 * of P(report | true class) [M 13.1, 13.2]. Either may be the larger; where
 * they are equal the row says nothing. A label + with rates of wrong labels
 * e_neg, e_pos by true class has lo = e_neg, hi = 1 - e_pos [M 2.2].
 *
 * Of C classes in an order the true one is t where f is between the thresholds
 * cut[t - 1] and cut[t]: a row has C levels, and a step at each threshold. At
 * df = Inf alone: cuts.c [M 12.17].                                          */
#ifndef STURDY_LIKELIHOOD_H
#define STURDY_LIKELIHOOD_H

#include "cuts.h"

/* L[n x 2] holds lo of the rows, then hi, both at least 0 and not both 0;
 * row[n] is filled. d: dimension of the latent vector, which sets
 * q = 1 + 2/(df + d). The L are taken as they are: a factor common to a row
 * adds its log to the evidence at df = Inf, but no such thing holds for that of
 * t-EP by Z1 [M 4.4, 13.2]. */
lik_step likelihood_step(double df, double d, int n, const double *L,
                         step_levels *row);

/* Of row i. Needs var >= 0; at var = 0 the cavity is taken as centred (z = 0).
 */
tilted likelihood_tilt(const lik_step *lik, int i, double mean, double var);

/* Derivatives at a tilted result of likelihood_tilt(). */
tilted_grad likelihood_tilt_grad(const lik_step *lik, int i, const tilted *t);

/* At df = Inf, of a tilted result of likelihood_tilt(). */
tilted_shape likelihood_shape(const lik_step *lik, int i, const tilted *t);

/* log_p[classes]: log probabilities of the true classes under the cavity, given
 * the other sites [M 13.3]. */
void likelihood_truth(const lik_step *lik, const tilted *t, double *log_p);

#endif
