/* What: q-exponential, q-logarithm, q-product and q-quotient.
 *
 * Every function is continuous in q at q = 1, where it is exp, log, the
 * product and the quotient. A NaN argument is returned; out of domain (q not
 * finite; x or y below 0 where that is asked) the result is NaN.           */
#ifndef STURDY_QALGEBRA_H
#define STURDY_QALGEBRA_H

/* [1 + (1-q) x]_+^{1/(1-q)} [M 1.1], for every x. A bracket <= 0 gives 0 for
 * q < 1 and +Inf for q > 1. */
double exp_q(double x, double q);

/* (x^{1-q} - 1)/(1-q) [M 1.1], for x >= 0. At 0: -1/(1-q) for q < 1, else
 * -Inf. */
double ln_q(double x, double q);

/* ln_q(exp(l)) with p = 1 - q: for when the logarithm of the argument is at
 * hand, or 1 - q is known to more digits than q. Every l; p finite. */
double ln_q_exp(double l, double p);

/* [x^{1-q} + y^{1-q} - 1]_+^{1/(1-q)} = exp_q(ln_q(x) + ln_q(y)) [M 1.2], for
 * x, y >= 0. */
double q_product(double x, double y, double q);

/* [x^{1-q} - y^{1-q} + 1]_+^{1/(1-q)} = exp_q(ln_q(x) - ln_q(y)) [M 1.2], for
 * x, y >= 0. */
double q_quotient(double x, double y, double q);

#endif
