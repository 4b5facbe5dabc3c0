/* What: the normal distribution and its reversed hazard phi/Phi at many points,
 *       with what truncated moments need of them. */
#ifndef STURDY_HAZARD_H
#define STURDY_HAZARD_H

/* For z[n]:
 *   mass[n]  Phi(z) exp(z^2/2) below 0, Phi(z) from there on
 *   h[n]     phi(z)/Phi(z)
 *   d[n]     z + h: how far the mean of a normal above -z lies above it
 *   v[n]     1 - z h - h^2: the variance of that normal
 * All are positive and keep their digits in either tail [M 12.6]. */
void hazard(int n, const double *z, double *mass, double *h, double *d,
            double *v);

#endif
