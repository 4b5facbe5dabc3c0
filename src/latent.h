/* What: what EP needs of a latent space, whatever carries it: marginals along
 *       the sites, a block update, products with C, a fresh start, and the
 *       gradient in the space's own prior. A new space is one file and one row
 *       of operations: latent-kernel.h, latent-lowrank.h. */
#ifndef STURDY_LATENT_H
#define STURDY_LATENT_H

#include "site.h"
#include "status.h"
#include "workspace.h"

typedef struct latent latent;

/* Columns of C at a time, see columns() */
enum { LATENT_COLUMNS = 32 };

/* Total derivatives of a criterion in the posterior: the dotted A, m, D, h of
 * [M 5.5]. by_offset[n], or NULL, takes dE/doffset. */
typedef struct {
  const double *A, *m; /* [n] */
  double D, h;
  double *by_offset;
} latent_dots;

typedef struct {
  /* Lays out post and self for load() of up to `block` sites. */
  void (*carve)(latent *post, int block, workspace *ws);

  /* What does not depend on the sites: post->prior. After carve(), and again
   * when the data of the prior have changed. */
  void (*bind)(latent *post);

  /* Joint covariance Cbb[b x b] (full) and mean mb[b] of the sites idx[b],
   * strictly increasing; keeps what apply() needs. */
  void (*load)(latent *post, const int *idx, int b, double *Cbb, double *mb);

  /* b rank-one updates [M 3.7, 3.8], one for each loaded site in turn:
   *   C -= gamma_l c_l c_l',  mean += beta_l c_l,
   * c_l the column of C at its turn. N[b x b], unit upper triangular, holds
   * N[k,l] = gamma_k (c_k at site l), k < l. site[n] holds the sites after
   * them. A and m are stale afterwards. */
  void (*apply)(latent *post, const ep_site *site, int b, const double *N,
                const double *gamma, const double *beta);

  /* mean += C dnu, where nu of every site has changed by dnu[n]; m is current
   * after it, other results of a refresh are stale. */
  void (*shift)(latent *post, const double *dnu);

  /* A and m of all sites from the updated posterior. */
  void (*marginals)(latent *post);

  /* C, A, m, D [M 3.2, 3.3] anew from the sites, through factorisations.
   * EP_NOT_PD: post is undefined until a refresh succeeds. tau = 0 gives the
   * prior. */
  int (*refresh)(latent *post, const double *tau, const double *nu);
  /* The same from C as sweeps have left it, but for C and log_det, or NULL:
   * where the rounding of updates does not matter. */
  void (*settle)(latent *post, const double *tau, const double *nu);

  /* Columns first .. first + b - 1 of C from row `first` on, to[(n - first) x b]:
   * what is below the diagonal of C; the rest of it is undefined. b is at most
   * LATENT_COLUMNS. */
  void (*columns)(latent *post, int first, int b, double *to);

  void (*times)(latent *post, const double *x, double *out);         /* C x */
  void (*times_squared)(latent *post, const double *x, double *out); /* CoC x */

  /* What a refresh gives after a small step[n] from the sites site[n] of the
   * last one, without a factorisation: A and C to first order, m, D and the
   * location to second, so that the error of an evidence that is stationary in
   * A is of third. NULL where it costs as much as a refresh. */
  void (*follow)(latent *post, const ep_site *site, const ep_site *step);

  /* [n_location x n_location] (lower) of them, or NULL: they need none */
  const double *(*covariance)(latent *post);

  /* gradient[n_prior] of the criterion with these dots, at the sites of the
   * last refresh. The posterior may not be used again before the next one. */
  void (*gradient)(latent *post, const ep_site *site, const latent_dots *dots,
                   double *gradient);
} latent_ops;

struct latent {
  int n;          /* sites */
  double d;       /* dimension of the t, which sets q */
  double n_terms; /* sites whose sum the posterior is: n, or more where others
                   * are elsewhere. It bounds the rounding error of A. */
  double *A, *m;  /* [n] diag(C), C nu along the sites */
  double *prior;  /* [n] A at the prior, which sets the rounding error of A */
  double log_det; /* D = log|I + K T| */

  /* [n] independent part of the prior, diag(lambda) in K = .. + diag(lambda),
   * or NULL: 1 + lambda tau > 0 wherever there is a posterior */
  const double *lambda;

  /* [n] how many rows alike each row stands for, above 0, or NULL: itself. Of
   * these copies the latent has the mean: its site is theirs times their number,
   * its lambda theirs over it [M 3.18]. Set before carve(). */
  const double *times;
  const double *offset; /* [n] prior mean of a row, or NULL: 0 [M 3.20] */

  int n_prior;            /* parameters of the prior, see gradient() */
  int n_location;         /* coordinates that the space predicts from: */
  const double *location; /* [n_location] their solution */

  const latent_ops *ops;
  void *self;
};

/* One of the copies that row i stands for, by the marginal (A, m) and the site
 * of their mean: the row itself where there are no others [M 3.18]. */
typedef struct {
  double times;
  double A, m;
  ep_site site;
  double A_tau, A_lambda; /* derivatives of A in tau and lambda of the mean */
} latent_copy;

static inline latent_copy latent_copy_of(const latent *post, int i, double A,
                                         double m, ep_site mean) {
  if (!post->times) return (latent_copy){1, A, m, mean, 0, 0};
  const double w = post->times[i], lambda = post->lambda[i];
  const double rho = 1 / (1 + lambda * mean.tau), own = lambda * rho;
  return (latent_copy){.times = w,
                       .A = A + (w - 1) * own,
                       .m = m,
                       .site = {mean.tau / w, mean.nu / w},
                       .A_tau = (1 - w) * own * own,
                       .A_lambda = (w - 1) * rho * rho};
}

/* Rows that stand for times[n] alike, or NULL; before carve(). */
void latent_repeat(latent *post, const double *times);

/* D of all copies [M 3.19] */
double latent_log_det(const latent *post, const ep_site *site);

/* dE/dlambda of a copy of row i, whose mean has `mean`: dE/dlambda of theirs by
 * its part in K [M 5.10] */
double latent_by_lambda(const latent *post, const latent_dots *dots, int i,
                        ep_site mean, double by_K);

#endif
