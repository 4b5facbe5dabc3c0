/* What: the likelihood of the rows, and what comes of a row's, see likelihood.h.
 */
#ifndef STURDY_TILTED_H
#define STURDY_TILTED_H

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
  int n, classes;         /* 2, or as many as there are levels */
  const double *L;        /* [n x classes] with thresholds */
  const double *cut;      /* [classes - 1] rising, or NULL: one, at 0 */
} lik_step;

/* Most classes that thresholds part */
enum { CUTS_MOST = 32 };

/* Tilted escort moments in units of the cavity: with cavity St(df, mean, var),
 * s = sqrt(var), z = side mean / s,
 *   side m_hat = s mu,   V = var w,   mu = z + alpha   [M 2.3, 2.7].        */
typedef struct {
  double log_z1, log_zp; /* mass of likelihood^q under the cavity; probability
                          * of the reports [M 2.3] */
  double side, z, alpha, mu, w;
  double scale, third,
      fourth; /* with thresholds s, and the cumulants after w */
} tilted;

/* Skewness and excess kurtosis of f under the tilted density, at df = Inf
 * [M 4.8]. */
typedef struct {
  double skewness, excess;
} tilted_shape;

/* Derivatives of the above: with respect to z, and to [0] lo, [1] hi
 * [M 2.9, 2.10]. With thresholds those to log var at this z as well, for these
 * move in units of s; and none to levels, see cuts_partials(). */
typedef struct {
  double log_z1_z, log_zp_z, alpha_z, w_z;
  double log_z_v, alpha_v, w_v;
  double log_z1_e[2], log_zp_e[2], alpha_e[2], w_e[2];
} tilted_grad;

#endif
