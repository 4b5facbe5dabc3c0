/* What: ratios of gamma functions and differences of digamma functions that
 *       keep their digits for large arguments, x > 0 and b > 0.            */
#ifndef STURDY_GAMMA_RATIO_H
#define STURDY_GAMMA_RATIO_H

/* log Gamma(x + b) - log Gamma(x) - b log x; 0 at x = Inf. */
double log_gamma_ratio_excess(double x, double b);

/* Mean of digamma(x + t + b) - digamma(x + t) over t between 0 and e, of either
 * sign; needs x + e > 0. Continuous at e = 0. */
double digamma_difference_mean(double x, double b, double e);

#endif
