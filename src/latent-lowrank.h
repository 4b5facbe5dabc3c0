/* What: low rank plus diagonal, K = Phi Phi' + diag(lambda): f = Phi u + g with
 *       u ~ (0, I_k) and g_i independent of variance lambda_i. Inducing inputs
 *       of a kernel, or linear features whose weights have prior scales and
 *       that may have a nugget [M 9.1]. */
#ifndef STURDY_LATENT_LOWRANK_H
#define STURDY_LATENT_LOWRANK_H

#include "inducing.h"
#include "latent.h"

typedef struct latent_lowrank_s {
  int n, k;
  const double *Xt, *s0; /* [k x n], [k]: linear features and their scales */
  double nugget;         /* lambda of linear features */
  inducing *points;      /* or NULL, then features of a kernel */
  int kept;              /* all features; else a panel, made when asked for */
  const struct latent_lowrank_s *like; /* whose features these are, or NULL */
  double *Phi;       /* [k x n], column i is phi_i; or [k x width] */
  int at;            /* where the panel in Phi begins, unless kept */
  double *lambda;    /* [n] */
  double *rho;       /* [n] 1/(1 + lambda tau) */
  double *own;       /* [n] lambda rho nu */
  double *L;         /* [k x k] lower, factor of M^{-1} at a refresh */
  double *M;         /* [k x k] lower, covariance of u */
  double *w;         /* [k] its mean */
  double *S1, *S2;   /* [k x k] scratch */
  double *P, *Q;     /* [k x width] panels */
  double *v1, *v2;   /* [k] scratch */
  double *x1, *x2;   /* [n] scratch */
  int width;         /* panel columns */
  const int *loaded; /* sites of the last load */
} latent_lowrank;

/* Nothing is copied: *lr, Xt, s0 and *points must outlive the latent. location
 * is w, covariance M, of u. The parameters of the prior are log s0[k] and log
 * nugget, or those of the kernel as in latent-kernel.h.
 *
 * Features of inducing inputs that are not kept are made anew in every pass: a
 * pass then takes about twice the time, and memory O(n).
 *
 * The t has dimension k for linear features without a nugget, else n. */
latent latent_lowrank_features(latent_lowrank *lr,
                               int n,
                               int k,
                               const double *Xt,
                               const double *s0,
                               double nugget);
latent latent_lowrank_inducing(latent_lowrank *lr, inducing *points, int kept);

/* Another latent of the same rows, inducing inputs and kernel, whose features
 * are those of `first`, which are kept, and bound before these. `points` are
 * its own, for the gradient's scratch. */
latent latent_lowrank_like(latent_lowrank *lr,
                           const latent_lowrank *first,
                           inducing *points);

/* What latent-lowrank-gradient.c needs of latent-lowrank.c. */

/* Columns of the panel that begins at site `first`. */
int lowrank_columns(const latent_lowrank *lr, int first);

/* Their features [k x lowrank_columns(lr, first)]; they stay until the next. */
const double *lowrank_panel(latent_lowrank *lr, int first);

/* G[k x k] (lower) = Phi' diag(x) Phi, x of either sign, and out[k] = Phi' y.
 * Spoils P and Q. */
void lowrank_gram(latent_lowrank *lr,
                  const double *x,
                  double *G,
                  const double *y,
                  double *out);

void lowrank_gradient(latent *post,
                      const ep_site *site,
                      const latent_dots *dots,
                      double *gradient);

/* Location m[cols] = Xt' w and squared scale A[cols] = diag(Xt' C Xt) of a
 * linear function at feature vectors Xt[k x cols]. P[k x cols] takes C Xt. */
void weight_moments(const double *C,
                    const double *w,
                    int k,
                    const double *Xt,
                    int cols,
                    double *P,
                    double *m,
                    double *A);

#endif
