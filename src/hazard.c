/* What: phi/Phi and the moments of a truncated normal, for loops over nodes of
 *       a quadrature.
 * Method: with t = |z| and Mills' ratio R(t) = (1 - Phi(t))/phi(t),
 *   z < 0:   Phi = R phi,  h = 1/R;      z >= 0:  Phi = 1 - R phi,  h = phi/Phi
 *   and R(t) = p(x)/(1 + t), x = (t - 5)/(t + 5), one polynomial for all t.
 *   Below z = -5, where z + h and 1 - z h - h^2 cancel, they come from the
 *   continued fraction of [M 2.8] at df = Inf:
 *     D2 = 2/(t + 3/(t + ..)),  d = 1/(t + D2),  h = t + d,  v = d (D2 - d).
 * Accuracy: relative errors against long double (test-likelihood-classes.c),
 *   -1e4 < z < 35: mass 1e-15, h 2e-15, d 1e-13, v 1e-12 at most.           */
#include "hazard.h"
#include "numeric.h"

/* data-raw/mills-ratio.py */
#define DEGREE 23
static const double mills[DEGREE + 1] = {
    1.156848628291894582,        -0.22948753825211315942,
    0.077781598868737687601,     0.025072179301638799991,
    -0.066177600779096305617,    0.061505045840186498751,
    -0.038026592185841386387,    0.016348231281029381022,
    -0.0042012903291873068302,   0.000019530638370790786741,
    0.00045704392357953655532,   -0.00013437427855711350834,
    -0.000024805838451923189768, 0.000022709612709237681783,
    -1.7633239265736746318e-7,   -3.2772876332088650998e-6,
    3.2054316652589572244e-7,    4.9199623314783404915e-7,
    -6.5889744911089537454e-8,   -7.7585202367863426852e-8,
    9.0924761340191464925e-9,    1.1032071151574336462e-8,
    -7.0738985755615886449e-10,  -9.5648329347125511362e-10};

/* Where the direct forms of d and v have lost 2 and 3 digits */
#define TAIL 5.0
/* Terms of the fraction: 10 + 400/t^2 leave nothing above rounding. */
#define TERMS_LEAST 10
#define TERMS_MORE 400.0

static void tail(double t, double *mass, double *h, double *d, double *v) {
  double r = 0;
  for (int k = TERMS_LEAST + (int)(TERMS_MORE / (t * t)); k >= 2; k--)
    r = k / (t + r);
  *d = 1 / (t + r);
  *h = t + *d;
  *v = *d * (r - *d);
  *mass = M_1_SQRT_2PI / *h;
}

void hazard(int n, const double *z, double *mass, double *h, double *d,
            double *v) {
  /* by itself, for compilers that take several z at once */
  for (int i = 0; i < n; i++) {
    const double t = fabs(z[i]), x = (t - 5) / (t + 5);
    double p = mills[DEGREE];
    for (int k = DEGREE - 1; k >= 0; k--) p = p * x + mills[k];
    mass[i] = p / (1 + t); /* R */
  }
  for (int i = 0; i < n; i++) {
    if (z[i] < -TAIL) {
      tail(-z[i], &mass[i], &h[i], &d[i], &v[i]);
      continue;
    }
    const double R = mass[i];
    if (z[i] < 0) {
      h[i] = 1 / R;
      mass[i] = R * M_1_SQRT_2PI;
    } else {
      const double phi = M_1_SQRT_2PI * exp(-z[i] * z[i] / 2);
      mass[i] = 1 - R * phi;
      h[i] = phi / mass[i];
    }
    d[i] = z[i] + h[i];
    v[i] = 1 - h[i] * d[i];
  }
}
