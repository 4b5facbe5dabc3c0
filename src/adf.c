/* What: online updates of a t posterior over weights.
 * Method: cavity of f = x' w is St(df, x' mu, x' S x). With the tilted escort
 *   moments in units of its scale s (likelihood.h), matching all escort moments
 *   gives
 *     mu <- mu + y (alpha/s) S x,
 *     S  <- r S - (alpha mu_t/s^2) (S x)(S x)',   r = Z1/Z2 = w + alpha mu_t
 *   [M 2.11] [DQV11 42-47], mu_t = y m_hat/s. The factor r goes to log_scale
 *   [M 2.12]: with S r S in place of S, mu scales by 1/sqrt(r). Two passes
 *   over half of S a row. References: DQV11 section 5; M01 (ADF). */
#include "adf.h"
#include "matrix.h"
#include "numeric.h"

/* Rows between two looks for an interrupt: a millisecond at k = 10, five
 * seconds at k = 1000. */
#define CHECK_EVERY 4096

static int adf_row(const lik_step *lik,
                   const double *x,
                   double y,
                   adf_state *a,
                   double *log_zp,
                   double *prob,
                   double *Sx) {
  const int k = a->k, inc = 1;
  symmetric_times(a->S, k, x, Sx);
  const double var = dot(k, x, Sx), mean = dot(k, x, a->mu);
  if (!(var >= 0) || !isfinite(var) || !isfinite(mean)) return EP_NOT_PD;
  const tilted t = likelihood_tilt(lik, y, mean, var);
  *log_zp = t.log_zp;
  *prob = pt(y * t.z, lik->df, 1, 0);
  if (!(var > 0)) return EP_CONVERGED; /* x = 0 says nothing about w */
  const double r = t.w + t.alpha * t.mu, s = sqrt(var);
  const double gain = y * t.alpha / s, shrink = -t.alpha * t.mu / (r * var);
  if (!(r > 0) || !isfinite(gain) || !isfinite(shrink)) return EP_NOT_PD;
  F77_CALL(daxpy)(&k, &gain, Sx, &inc, a->mu, &inc);
  F77_CALL(dsyr)("L", &k, &shrink, Sx, &inc, a->S, &k FCONE);
  const double root = 1 / sqrt(r);
  if (r != 1) F77_CALL(dscal)(&k, &root, a->mu, &inc);
  a->log_scale += log(r);
  return EP_CONVERGED;
}

int adf_absorb(const lik_step *lik,
               const double *Xt,
               const double *y,
               int n,
               adf_state *state,
               double *log_zp,
               double *prob,
               double *Sx,
               int *done,
               int (*check)(void *),
               void *check_data) {
  for (*done = 0; *done < n; ++*done) {
    const int i = *done;
    if (check && i % CHECK_EVERY == 0 && check(check_data))
      return EP_INTERRUPTED;
    const int status = adf_row(lik, Xt + IDX(0, i, state->k), y[i], state,
                               &log_zp[i], &prob[i], Sx);
    if (status != EP_CONVERGED) return status;
  }
  return EP_CONVERGED;
}
