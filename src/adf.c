/* What: online updates of a t posterior over weights.
 * Method: cavity of f = x' w is St(df, x' mu, x' S x). With the tilted escort
 *   moments in units of its scale s (likelihood.h), matching all escort moments
 *   gives
 *     mu <- mu + side (alpha/s) S x,                            [DQV11 42-47]
 *     S  <- r S - (alpha mu_t/s^2) (S x)(S x)',                   [M 2.11]
 *     r   = Z1/Z2 = w + alpha mu_t,   mu_t = side m_hat/s.
 *   The factor r goes to log_scale: with S in place of r S, mu scales by
 *   1/sqrt(r) [M 2.12]. Two passes over half of S a row. What remains drifts
 *   too and is taken out by powers of two [M 2.13]; directions that no row
 *   shows do not, and are cut back [M 2.15].
 * References: DQV11 section 5; M01 (ADF). */
#include "adf.h"
#include "matrix.h"
#include "numeric.h"

/* Doubles of S gone through from one core_poll() to the next: some 10 ms */
#define POLL_EVERY 1e7

/* Least ratio of the variance along a row to that along any direction, in units
 * of the prior: with 53 bits, x' S x is then known to 13 or more. A posterior
 * of width 1/n on both sides of the boundary comes to it after 2e7 rows. */
#define NARROW 0x1p-40
/* What the widest direction is cut to: some 120 rows of noise apart. */
#define CUT 0x1p-12

size_t adf_work_size(int k) { return (size_t)k * (size_t)k + 6 * (size_t)k; }

/* Bounds of max_i S_ii/s0_i, at first its value */
static void look(adf_state *a) {
  a->most = 0;
  for (int i = 0; i < a->k; i++) {
    const double width = a->S[IDX(i, i, a->k)] / a->s0[i];
    if (width > a->most) a->most = width;
  }
  a->least = a->most;
}

/* The same after S <- S + c (S x)(S x)', change = c x' S x: (S x)_i^2 is at
 * most S_ii x' S x. One per cent more is far beyond rounding. */
static void bound(adf_state *a, double change) {
  double *end = change > 0 ? &a->most : &a->least;
  *end *= 1 + 1.01 * change;
}

/* S <- S/4^e, mu <- mu/2^e, exact: no later prediction changes by a bit. */
static void rescale(adf_state *a, int e) {
  for (int j = 0; j < a->k; j++) {
    a->mu[j] = ldexp(a->mu[j], -e);
    for (int i = j; i < a->k; i++)
      a->S[IDX(i, j, a->k)] = ldexp(a->S[IDX(i, j, a->k)], -2 * e);
  }
  a->log_scale += 2 * e * M_LN2;
}

/* [M 2.15]: S <- (S^-1 + g s0^-1)^-1 = A S A', mu <- A mu, g = 1/(CUT most) */
static int cut_back(adf_state *a) {
  const int k = a->k, inc = 1, lwork = 3 * k;
  const double one = 1, zero = 0, g = 1 / (CUT * a->most);
  double *V = a->work + k, *width = V + IDX(0, k, k), *u = width + k;
  int info = 0;
  for (int j = 0; j < k; j++) {
    a->mu[j] /= sqrt(a->s0[j]);
    for (int i = j; i < k; i++)
      V[IDX(i, j, k)] = a->S[IDX(i, j, k)] / sqrt(a->s0[i] * a->s0[j]);
  }
  F77_CALL(dsyev)("V", "L", &k, V, &k, width, u + k, &lwork, &info FCONE FCONE);
  if (info != 0 || !(width[0] > 0)) return EP_NOT_PD;
  F77_CALL(dgemv)("T", &k, &k, &one, V, &k, a->mu, &inc, &zero, u, &inc FCONE);
  for (int j = 0; j < k; j++) u[j] /= sqrt(1 + g * width[j]);
  F77_CALL(dgemv)("N", &k, &k, &one, V, &k, u, &inc, &zero, a->mu, &inc FCONE);
  for (int j = 0; j < k; j++) {
    const double root = sqrt(width[j] / (1 + g * width[j]));
    F77_CALL(dscal)(&k, &root, V + IDX(0, j, k), &inc);
  }
  F77_CALL(dsyrk)("L", "N", &k, &k, &one, V, &k, &zero, a->S, &k FCONE FCONE);
  for (int j = 0; j < k; j++) {
    a->mu[j] *= sqrt(a->s0[j]);
    for (int i = j; i < k; i++) a->S[IDX(i, j, k)] *= sqrt(a->s0[i] * a->s0[j]);
  }
  return EP_CONVERGED;
}

/* Sx (the start of work), *mean = x' mu and *var = x' S x of a state within
 * bounds. The diagonal is looked at only where its bounds leave that open. */
static int look_along(adf_state *a, const double *x, double *mean,
                      double *var) {
  const int inc = 1;
  const double one = 1, zero = 0, *Sx = a->work;
  if (!(a->least > 0x1p-64 && a->most < 0x1p64)) {
    look(a);
    if (!(a->most > 0) || !isfinite(a->most)) return EP_NOT_PD;
    if (a->most > 0x1p64 || a->most < 0x1p-64) {
      if (a->nugget == 0) {
        rescale(a, ilogb(a->most) / 2);
        look(a);
      }
    }
  }
  for (;;) {
    double m = 0, v = 0, prior = 0;
    F77_CALL(dsymv)
    ("L", &a->k, &one, a->S, &a->k, x, &inc, &zero, a->work, &inc FCONE);
    for (int i = 0; i < a->k; i++) { /* three sums take the time of one */
      m += x[i] * a->mu[i];
      v += x[i] * Sx[i];
      prior += x[i] * x[i] * a->s0[i];
    }
    *mean = m;
    *var = v;
    if (!isfinite(v) || !isfinite(prior)) return EP_BAD_ARG;
    if (v < NARROW * a->most * prior) look(a);
    if (!(v < NARROW * a->most * prior))
      return v > 0 || prior == 0 ? EP_CONVERGED : EP_NOT_PD;
    const int status = cut_back(a);
    if (status != EP_CONVERGED) return status;
    look(a);
  }
}

static int adf_row(const lik_step *lik, int i, const double *x, adf_state *a,
                   double *log_zp, double *prob) {
  const int k = a->k, inc = 1;
  const double *Sx = a->work;
  double mean, var;
  const int status = look_along(a, x, &mean, &var);
  if (status != EP_CONVERGED) return status;
  if (!isfinite(mean)) return EP_BAD_ARG;
  const double all = var + a->nugget; /* of x' w + g */
  const tilted t = likelihood_tilt(lik, i, mean, all);
  *log_zp = t.log_zp;
  *prob = pt(t.side * t.z, lik->df, 1, 0);
  if (!(var > 0)) return EP_CONVERGED; /* x = 0 says nothing about w */
  const double r = isfinite(lik->df) ? t.w + t.alpha * t.mu : 1; /* [M 2.6] */
  const double gain = t.side * t.alpha / sqrt(all);
  double shrink = -t.alpha * t.mu / (r * all);
  /* var <- var (nugget + var w/r)/(nugget + var): beyond NARROW rounding would
   * decide its sign */
  if (a->nugget + var * t.w / r < NARROW * all) shrink = (NARROW - 1) / var;
  if (!(r > 0) || !isfinite(gain) || !isfinite(shrink)) return EP_NOT_PD;
  F77_CALL(daxpy)(&k, &gain, Sx, &inc, a->mu, &inc);
  F77_CALL(dsyr)("L", &k, &shrink, Sx, &inc, a->S, &k FCONE);
  bound(a, shrink * var);
  if (r != 1) {
    const double root = 1 / sqrt(r);
    F77_CALL(dscal)(&k, &root, a->mu, &inc);
    a->log_scale += log(r);
  }
  return EP_CONVERGED;
}

int adf_absorb(const lik_step *lik, const double *Xt, int n, adf_state *state,
               double *log_zp, double *prob, int *done) {
  const double k2 = (double)state->k * state->k;
  const int every = (int)fmin(4096, 1 + POLL_EVERY / k2);
  look(state);
  for (*done = 0; *done < n; ++*done) {
    const int i = *done;
    if (i % every == 0) core_poll();
    const int status =
        adf_row(lik, i, Xt + IDX(0, i, state->k), state, &log_zp[i], &prob[i]);
    if (status != EP_CONVERGED) return status;
  }
  return EP_CONVERGED;
}
