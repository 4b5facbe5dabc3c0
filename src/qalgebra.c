/* What: q-exponential, q-logarithm, q-product and q-quotient.
 * Method: with p = 1 - q, powers are kept as x^p - 1 = expm1(p log x) and
 *   brackets as 1 + y, so that p -> 0 loses no digit; where nothing cancels,
 *   pow() is the more accurate.
 * References: [M 1.1, 1.2]. DEVIATION: FSS17 22 prints the quotient with - 1;
 *   only + 1 makes it invert the product (26, 27).
 * Accuracy: against 60 digits, 20,000 random arguments each, q in [-3, 5] and
 *   |1-q| down to 1e-16. ln_q: relative 4e-16. exp_q, q_product, q_quotient:
 *   relative 1e-15 (c + |log result|), c the condition number; 5e-15 for
 *   arguments beyond 1e5 or 1e-5. tools/ctest/test-family.c.               */
#include "qalgebra.h"
#include "numeric.h"

/* bracket^{1/p}, [.]_+ included, from the bracket and y = bracket - 1: the
 * first is accurate far from 1, the second near 1. */
static double bracket_power(double bracket, double y, double p) {
  if (isnan(bracket)) return NAN;
  if (bracket <= 0) return p > 0 ? 0 : INFINITY;
  return fabs(y) < 0.5 ? exp(log1p(y) / p) : R_pow(bracket, 1 / p);
}

double exp_q(double x, double q) {
  if (isnan(x) || isnan(q)) return x + q;
  if (!isfinite(q)) return NAN;
  const double p = 1 - q;
  if (p == 0) return exp(x);
  /* fma: the bracket may be a small difference of p x and -1 */
  return bracket_power(fma(p, x, 1), p * x, p);
}

double ln_q_exp(double l, double p) {
  const double e = p * l;
  /* below this ln_q_exp = l (1 + e/2) is l; and 0 * Inf stays out */
  if (p == 0 || fabs(e) < 1e-17) return l;
  return expm1(e) / p;
}

/* x^p - 1, for x >= 0 */
static double power_minus_1(double x, double p) {
  const double e = p * log(x);
  return fabs(e) < 1 ? expm1(e) : R_pow(x, p) - 1;
}

double ln_q(double x, double q) {
  if (isnan(x) || isnan(q)) return x + q;
  if (!isfinite(q) || x < 0) return NAN;
  const double p = 1 - q;
  return p == 0 ? log(x) : power_minus_1(x, p) / p;
}

/* Neither 0 nor Inf */
static int inside(double x) { return x > 0 && isfinite(x); }

/* (x^p - 1) + (y^p - 1); near p = 0 as (xy)^p - 1 - (x^p - 1)(y^p - 1), which
 * does not cancel where y is near 1/x */
static double product_gap(double x, double y, double p) {
  const double X1 = power_minus_1(x, p), Y1 = power_minus_1(y, p);
  if (fabs(X1) < 0.5 && fabs(Y1) < 0.5 && isnormal(x * y))
    return power_minus_1(x * y, p) - X1 * Y1;
  return X1 + Y1;
}

/* x^p + y^p - 1 where the power of x, the larger one, overflows but x does
 * not: the 1 is below the last digit. */
static double huge_product(double x, double y, double p) {
  return x * R_pow(1 + R_pow(y / x, p), 1 / p);
}

double q_product(double x, double y, double q) {
  if (isnan(x) || isnan(y) || isnan(q)) return x + y + q;
  if (!isfinite(q) || x < 0 || y < 0) return NAN;
  const double p = 1 - q;
  if (p == 0) return x * y;
  if (x == 1) return y;
  if (y == 1) return x;
  const int x_leads = p > 0 ? x >= y : x <= y;
  const double lead = x_leads ? x : y, other = x_leads ? y : x;
  const double power = R_pow(lead, p), small = R_pow(other, p);
  if (isinf(power) && inside(lead)) return huge_product(lead, other, p);
  /* the smaller power is added last: x^p + (y^p - 1) keeps it when y is near
   * 1, (x^p - 1) + (y^p - 1) + 1 would not */
  return bracket_power(small + power_minus_1(lead, p), product_gap(x, y, p), p);
}

/* (x^p - 1) - (y^p - 1); where the powers are close as y^p ((x/y)^p - 1) */
static double quotient_gap(double x, double y, double p) {
  const double ratio = x / y, Y = R_pow(y, p);
  if (isnormal(ratio) && isnormal(Y)) {
    const double gap = power_minus_1(ratio, p);
    if (fabs(gap) < 0.5) return Y * gap;
  }
  return power_minus_1(x, p) - power_minus_1(y, p);
}

/* x^p - y^p + 1 where a power overflows, x and y inside */
static double huge_quotient(double x, double y, double p) {
  if (x == y) return 1;
  const double gap = -power_minus_1(y / x, p); /* 1 - (y/x)^p */
  return x * bracket_power(gap, gap - 1, p);
}

double q_quotient(double x, double y, double q) {
  if (isnan(x) || isnan(y) || isnan(q)) return x + y + q;
  if (!isfinite(q) || x < 0 || y < 0) return NAN;
  const double p = 1 - q;
  if (p == 0) return x / y;
  if (y == 1) return x;
  const double X = R_pow(x, p), Y = R_pow(y, p);
  if (inside(x) && inside(y) && (isinf(X) || isinf(Y)))
    return huge_quotient(x, y, p);
  const double gap = quotient_gap(x, y, p);
  return bracket_power(X < 0.5 ? X - power_minus_1(y, p) : 1 + gap, gap, p);
}
