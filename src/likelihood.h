/* What: the step likelihood of a row and its tilted escort moments.
 *
 * What is known of the label of row i has the likelihood `lo` where its latent
 * value f is below 0 and `hi` where it is above: the products over its reports
 * of P(report | true class) [M 13.1, 13.2]. Either may be the larger; where
 * they are equal the row says nothing. A label + with rates of wrong labels
 * e_neg, e_pos by true class has lo = e_neg, hi = 1 - e_pos [M 2.2].       */
#ifndef STURDY_LIKELIHOOD_H
#define STURDY_LIKELIHOOD_H

/* The levels by size */
typedef struct {
  double side;       /* +1, or -1 where lo > hi: sign of f with the larger */
  double less, more; /* the likelihood on the other side, and on this */
  double less_q, more_q; /* less^q, more^q */
  double log_more;       /* log(more) */
  double gap, gap_q; /* more - less, more^q - less^q, free of cancellation */
} step_levels;

typedef struct {
  double df, q;
  const step_levels *row; /* [n] */
} lik_step;

/* L[n x 2] holds lo of the rows, then hi, both at least 0 and not both 0;
 * row[n] is filled. d: dimension of the latent vector, which sets
 * q = 1 + 2/(df + d). The L are taken as they are: a factor common to a row
 * adds its log to the evidence at df = Inf, but no such thing holds for that of
 * t-EP by Z1 [M 4.4, 13.2]. */
lik_step likelihood_step(double df, double d, int n, const double *L,
                         step_levels *row);

/* Tilted escort moments in units of the cavity: with cavity St(df, mean, var),
 * s = sqrt(var), z = side mean / s,
 *   side m_hat = s mu,   V = var w,   mu = z + alpha   [M 2.3, 2.7].        */
typedef struct {
  double log_z1, log_zp; /* mass of likelihood^q under the cavity; probability
                          * of the reports [M 2.3] */
  double side, z, alpha, mu, w;
} tilted;

/* Skewness and excess kurtosis of f under the tilted density, at df = Inf
 * [M 4.8]. */
typedef struct {
  double skewness, excess;
} tilted_shape;

/* Derivatives of the above: with respect to z, and to [0] lo, [1] hi
 * [M 2.9, 2.10]. */
typedef struct {
  double log_z1_z, log_zp_z, alpha_z, w_z;
  double log_z1_e[2], log_zp_e[2], alpha_e[2], w_e[2];
} tilted_grad;

/* Of row i. Needs var >= 0; at var = 0 the cavity is taken as centred (z = 0).
 */
tilted likelihood_tilt(const lik_step *lik, int i, double mean, double var);

/* Derivatives at a tilted result of likelihood_tilt(). */
tilted_grad likelihood_tilt_grad(const lik_step *lik, int i, const tilted *t);

/* At df = Inf, of a tilted result of likelihood_tilt(). */
tilted_shape likelihood_shape(const lik_step *lik, int i, const tilted *t);

/* log_p[2]: log probabilities of the true classes - and + under the cavity,
 * given the other sites [M 13.3]. */
void likelihood_truth(const lik_step *lik, const tilted *t, double log_p[2]);

#endif
