/* What: how many of independent trials succeed. */
#ifndef STURDY_COUNT_H
#define STURDY_COUNT_H

/* The Poisson-binomial distribution of the number of successes of trials with
 * probabilities p[n] in [0, 1]: density[n + 1]. n^2 flops. */
void count_density(int n, const double *p, double *density);

#endif
