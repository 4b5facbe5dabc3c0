/* What: some rows of a low-rank latent, apart from all others: what parallel EP
 *       asks of them under a posterior of u that is given, as sums that add up
 *       over such shards [M 10.1]. */
#ifndef STURDY_SHARD_H
#define STURDY_SHARD_H

#include "anderson.h"
#include "criterion.h"
#include "latent-lowrank.h"

typedef struct {
  int n, k;             /* rows here; features */
  int n_all;            /* rows everywhere */
  const double *Phi;    /* [k x n], column i is phi_i */
  const double *lambda; /* [n] */
  const double *y;      /* [n] */
} shard_rows;

/* The posterior of u: L L' = P = M^{-1}, and its mean. */
typedef struct {
  const double *L; /* [k x k] lower */
  const double *w; /* [k] */
} shard_posterior;

/* A point of the iteration is [SHARD_PARTS x n], part after part: x = (tt, nt),
 * and f = G(x) - x of both. */
enum { SHARD_TT, SHARD_NT, SHARD_F_TT, SHARD_F_NT, SHARD_PARTS };

/* To x + scale (f - sum_j gamma_j (dx_j + df_j)) from the point `here`. */
typedef struct {
  const double *here; /* a point */
  /* differences of points, newest first */
  const double *memory[ANDERSON_MEMORY];
  const double *gamma; /* [count] */
  int count;           /* of them */
  int known;           /* how many there are */
  double scale;
} shard_step;

/* What a pass sums over its rows. */
typedef struct {
  double worst;   /* largest residual, that of an improper cavity as 10 */
  double squares; /* of the residuals, the same bound on each */
  int improper; /* rows with an improper cavity; the terms are then not valid */
  double log_det; /* sum log1p(lambda tau) */
  criterion_terms evidence, evidence_zp;
  double loo;
  int known; /* differences in H and g, the newest from `here` to this point */
  double H[ANDERSON_MEMORY * ANDERSON_MEMORY], g[ANDERSON_MEMORY];
  double *P; /* [k x k] lower, Phi' diag(f_tt) Phi */
  double *h; /* [k] Phi' f_nt */
} shard_sums;

typedef struct {
  latent post; /* its A, m and prior are those of the rows */
  latent_lowrank lr;
  double *by_scale; /* [k + 1] */
  double *q;        /* [n] phi' M phi */
  double *residual; /* [n] */
  ep_site *site;    /* [n] */
  site_view *view;  /* [n] */
} shard_work;

/* points: the inducing inputs, for shard_gradient(), or NULL. */
void shard_carve(shard_work *work,
                 const shard_rows *rows,
                 inducing *points,
                 workspace *ws);

/* P[k x k] (lower) = Phi' diag(tt) Phi, h[k] = Phi' nt. */
void shard_gram(const shard_rows *rows,
                const double *tt,
                const double *nt,
                shard_work *work,
                double *P,
                double *h);

/* Takes the step, evaluates all rows there, and gives the point next. EP_NOT_PD
 * where 1 - lambda tt is not above 0 in some row: there is no posterior. */
int shard_pass(const shard_rows *rows,
               const lik_step *lik,
               const shard_posterior *post,
               const shard_step *step,
               shard_work *work,
               double *next,
               shard_sums *sums);

/* Marginals and views of the rows at x = (tt, nt), in work. EP_NOT_PD as
 * above. */
int shard_evaluate(const shard_rows *rows,
                   const lik_step *lik,
                   const shard_posterior *post,
                   const double *x,
                   shard_work *work);

/* At a fixed point of EP at df = Inf, after shard_evaluate(): the rows' share
 * in the gradient of the evidence, in the hyperparameters of the kernel
 * (gradient[groups + 3]) or in log nugget alone (gradient[1]), and in
 * epsilon[2]. */
void shard_gradient(const shard_rows *rows,
                    const lik_step *lik,
                    const shard_posterior *post,
                    double nugget,
                    shard_work *work,
                    double *gradient,
                    double *epsilon);

#endif
