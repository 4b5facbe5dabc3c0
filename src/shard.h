/* What: some rows of a low-rank latent, apart from all others: what parallel EP
 *       asks of them under a posterior of u that is given, as sums that add up
 *       over such shards [M 10.1]. */
#ifndef STURDY_SHARD_H
#define STURDY_SHARD_H

#include "criterion.h"
#include "latent-lowrank.h"
#include "parallel.h"

/* A point of the iteration is [SHARD_PARTS x n], part after part: x = (tt, nt),
 * and f = G(x) - x of both. */
enum { SHARD_TT, SHARD_NT, SHARD_F_TT, SHARD_F_NT, SHARD_PARTS };

/* The posterior of u: L L' = P = M^{-1}, and its mean. */
typedef struct {
  const double *L; /* [k x k] lower */
  const double *w; /* [k] */
} shard_posterior;

typedef struct {
  latent post; /* of latent_lowrank_rows(): n rows, k features */
  latent_lowrank lr;
  double *q;        /* [n] phi' M phi */
  double *residual; /* [n] */
  ep_site *site;    /* [n] */
  site_view *view;  /* [n] */
  double *none;     /* [n] zeros */
  double *gradient; /* [n_prior] */
} shard;

/* To x + scale (f - sum_j gamma_j (dx_j + df_j)) from the point `here`. */
typedef struct {
  const double *here;                    /* a point */
  const double *memory[ANDERSON_MEMORY]; /* differences, newest first */
  const double *gamma;                   /* [count] */
  int count;                             /* of them */
  int known;                             /* how many there are */
  double scale;
} shard_step;

/* What a pass sums over its rows. */
typedef struct {
  parallel_sums rows;
  double log_det;                        /* sum log1p(lambda tau) */
  criterion_terms evidence, evidence_zp; /* not valid, nor loo, */
  double loo;                            /* where a cavity is improper */
  int known; /* differences in H and g, the newest from `here` to this point */
  double H[ANDERSON_MEMORY * ANDERSON_MEMORY], g[ANDERSON_MEMORY];
  double *P; /* [k x k] lower, Phi' diag(f_tt) Phi */
  double *h; /* [k] Phi' f_nt */
} shard_sums;

/* Lays out the shard of a latent that is in post and lr; bound by
 * post->ops->bind() afterwards. */
void shard_carve(shard *s, workspace *ws);

/* P[k x k] (lower) = Phi' diag(tt) Phi, h[k] = Phi' nt. */
void shard_gram(shard *s, const double *tt, const double *nt, double *P,
                double *h);

/* Takes the step, evaluates all rows there, and gives the point next. EP_NOT_PD
 * where 1 - lambda tt is not above 0 in some row: there is no posterior. */
int shard_pass(shard *s, const lik_step *lik, const shard_posterior *u,
               const shard_step *step, double *next, shard_sums *sums);

/* Marginals and views of the rows at x = (tt, nt). EP_NOT_PD as above. */
int shard_evaluate(shard *s, const lik_step *lik, const shard_posterior *u,
                   const double *x);

/* At a fixed point of EP at df = Inf, after shard_evaluate(): the rows' share
 * in the gradient of the evidence, in the hyperparameters of the kernel
 * (gradient[groups + 4]) or in log nugget alone (gradient[1]), and in the
 * likelihoods of the rows, slope[n x 2]. */
void shard_gradient(shard *s, const lik_step *lik, double *gradient,
                    double *slope);

#endif
