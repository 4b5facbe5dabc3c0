/* What: the flip-step likelihood and its tilted escort moments.
 *
 * For a site with label y the likelihood of a latent value f is `hi` where
 * y f > 0 and `lo` elsewhere. With one flip rate e: lo = e, hi = 1 - e. With
 * two, epsilon[0] = P(recorded + | truly -), epsilon[1] = P(recorded - | truly
 * +): a positive label has lo = epsilon[0], hi = 1 - epsilon[1] [M 2.2].  */
#ifndef STURDY_LIKELIHOOD_H
#define STURDY_LIKELIHOOD_H

typedef struct {
  double lo, hi;     /* likelihood on the wrong and on the right side */
  double lo_q, hi_q; /* lo^q, hi^q */
  double log_hi;     /* log(hi) */
  double gap, gap_q; /* hi - lo, hi^q - lo^q, free of cancellation */
} step_levels;

typedef struct {
  double df, q;
  step_levels label[2]; /* [0] y = -1, [1] y = +1 */
  int each;             /* 1: the first of an array with one for each row */
} lik_step;

/* The likelihood of row i. */
static inline const lik_step *likelihood_row(const lik_step *lik, int i) {
  return lik->each ? lik + i : lik;
}

/* Tilted escort moments in units of the cavity: with cavity St(df, mean, var),
 * s = sqrt(var), z = y mean / s,
 *   y m_hat = s mu,   V = var w,   mu = z + alpha   [M 2.3, 2.7].           */
typedef struct {
  double log_z1, log_zp; /* normaliser of the escort form; predictive prob. */
  double z, alpha, mu, w;
} tilted;

/* Derivatives of the above: with respect to z, and to [0] lo, [1] hi
 * [M 2.9, 2.10]. */
typedef struct {
  double log_z1_z, log_zp_z, alpha_z, w_z;
  double log_z1_e[2], log_zp_e[2], alpha_e[2], w_e[2];
} tilted_grad;

/* d: dimension of the latent vector, which sets q = 1 + 2/(df + d). */
lik_step likelihood_step(double df, double d, const double epsilon[2]);

/* Needs var >= 0; at var = 0 the cavity is taken as centred (z = 0). */
tilted likelihood_tilt(const lik_step *lik, double y, double mean, double var);

/* Derivatives at a tilted result of likelihood_tilt(). */
tilted_grad
likelihood_tilt_grad(const lik_step *lik, double y, const tilted *t);

/* Sums derivatives with respect to lo and hi of one site into those with
 * respect to epsilon[2]. */
void likelihood_add_epsilon(double y,
                            const double lo_hi[2],
                            double grad_epsilon[2]);

/* Probability that the label is wrong given the other sites [M 7.4]. */
double likelihood_flip_prob(const lik_step *lik, double y, const tilted *t);

#endif
