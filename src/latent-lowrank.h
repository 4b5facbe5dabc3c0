/* What: low rank plus diagonal, K = Phi Phi' + diag(lambda): f = Phi u + g with
 *       u ~ (0, I_k) and g_i independent of variance lambda_i. Inducing inputs
 *       of a kernel, or linear features whose weights have prior scales and
 *       that may have a nugget [M 9.1]. */
#ifndef STURDY_LATENT_LOWRANK_H
#define STURDY_LATENT_LOWRANK_H

#include "inducing.h"
#include "latent.h"

/* Columns of a panel at the least: with fewer, BLAS works below its speed */
enum { LOWRANK_PANEL = 256 };

typedef struct latent_lowrank_s {
  int n, k;
  const double *Xt, *s0; /* [k x n], [k]: linear features and their scales */
  double nugget;         /* lambda of linear features */
  inducing *points;      /* or NULL, then features of a kernel */
  int kept;              /* all features; else a panel, made when asked for */
  int given;             /* features and lambda are not made here */
  const struct latent_lowrank_s *like; /* whose features these are, or NULL */
  const double *Phi;    /* [k x n], column i is phi_i; or [k x width] */
  const double *lambda; /* [n] */
  double *made_Phi, *made_lambda; /* the same two, where they are made here */
  int at;                       /* where the panel in Phi begins, unless kept */
  const double *times, *offset; /* see latent.h */
  double *rho;                  /* [n] 1/(1 + lambda tau) */
  double *own;                  /* [n] rho (lambda nu + offset) */
  double *W;         /* [k x k] lower, M = W' W at a refresh, zeros above */
  double *M;         /* [k x k] lower, covariance of u: lowrank_covariance() */
  int known;         /* M is; after a refresh not before it is asked for */
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
 * nugget, or the logs of the kernel's (latent-kernel.h).
 *
 * Features of inducing inputs that are not kept are made anew in every pass: a
 * pass then takes about twice the time, and memory O(n).
 *
 * The t has dimension k for linear features without a nugget, else n. */
latent latent_lowrank_features(latent_lowrank *lr, int n, int k,
                               const double *Xt, const double *s0,
                               double nugget);
latent latent_lowrank_inducing(latent_lowrank *lr, inducing *points, int kept);

/* Another latent of the same rows, inducing inputs and kernel, whose features
 * are those of `first`, which are kept, and bound before these. `points` are
 * its own, for the gradient's scratch. */
latent latent_lowrank_like(latent_lowrank *lr, const latent_lowrank *first,
                           inducing *points);

/* Some rows of a latent of which others are elsewhere; nothing is made here. */
typedef struct {
  int n, k;
  const double *Phi;    /* [k x n], column i is phi_i */
  const double *lambda; /* [n] */
  inducing *points;  /* what the features are of, for the gradient; or NULL */
  double nugget;     /* lambda of linear features, for the same */
  double d, n_terms; /* of all rows, see latent.h */
} lowrank_rows;

latent latent_lowrank_rows(latent_lowrank *lr, const lowrank_rows *rows);

/* Puts the latent under a posterior of u that all rows have, L L' = M^{-1} and
 * w, and at x = (tt, nt) of its own rows: A, m, log_det (the rows' part,
 * without log|M|), and q[n] = phi' M phi. EP_NOT_PD where 1 - lambda tt is not
 * above 0 in some row. There is no offset: rows in shards have none. */
int lowrank_condition(latent *post, const double *L, const double *w,
                      const double *tt, const double *nt, double *q);

/* What the files latent-lowrank*.c need of each other. */

/* rho and own of site i */
void lowrank_take_site(latent_lowrank *lr, int i, double tau, double nu);

/* M, made where it is not known */
const double *lowrank_covariance(latent *post);

/* marginals() and refresh() of latent.h */
void lowrank_marginals(latent *post);
int lowrank_refresh(latent *post, const double *tau, const double *nu);

/* Columns of the panel that begins at site `first`. */
int lowrank_columns(const latent_lowrank *lr, int first);

/* phi[k x cols] and lambda of the rows from `first` on, where they are made
 * here. */
void lowrank_features(latent_lowrank *lr, int first, int cols, double *phi);

/* Their features [k x lowrank_columns(lr, first)]; they stay until the next. */
const double *lowrank_panel(latent_lowrank *lr, int first);

/* G[k x k] (lower) = Phi' diag(x) Phi, x of either sign, and out[k] = Phi' y.
 * Spoils P. */
void lowrank_gram(latent_lowrank *lr, const double *x, double *G,
                  const double *y, double *out);

void lowrank_gradient(latent *post, const ep_site *site,
                      const latent_dots *dots, double *gradient);

/* Location m[cols] = Xt' w and squared scale A[cols] = diag(Xt' C Xt) of a
 * linear function at feature vectors Xt[k x cols]. P[k x cols] takes C Xt. */
void weight_moments(const double *C, const double *w, int k, const double *Xt,
                    int cols, double *P, double *m, double *A);

#endif
