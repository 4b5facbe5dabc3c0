/* What: phi/Phi and the moments of a truncated normal, for loops over nodes of
 *       a quadrature.
 * Method: with t = |z| and Mills' ratio R(t) = (1 - Phi(t))/phi(t),
 *   z < 0:   Phi = R phi,  h = 1/R;      z >= 0:  Phi = 1 - R phi,  h = phi/Phi
 *   and R(t) = p(x)/(1 + t), x = (t - 5)/(t + 5), one polynomial for all t: the
 *   loop of column-loops.h.
 *   Below z = -5, where z + h and 1 - z h - h^2 cancel, they come from the
 *   continued fraction of [M 2.8] at df = Inf:
 *     D2 = 2/(t + 3/(t + ..)),  d = 1/(t + D2),  h = t + d,  v = d (D2 - d).
 * Accuracy: relative errors against long double (test-likelihood-classes.c),
 *   -1e4 < z < 35: mass 1e-15, h 2e-15, d 1e-13, v 1e-12 at most.           */
#include "hazard.h"
#include "dense-tile.h"
#include "numeric.h"

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
  dense_variant_widest()->hazard(n, z, mass, h, d, v);
  for (int i = 0; i < n; i++)
    if (z[i] < -TAIL) tail(-z[i], &mass[i], &h[i], &d[i], &v[i]);
}
