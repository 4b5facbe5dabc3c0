/* What: what EP needs of a latent space, whatever carries it: marginals along
 *       the sites, a block update, products with C, a fresh start.
 * Kernel space: C is n x n, site i looks along unit vector i. Weight space: C is
 * k x k, site i looks along its feature vector x_i. */
#ifndef STURDY_LATENT_H
#define STURDY_LATENT_H

#include "factor-signed.h"
#include "status.h"
#include "workspace.h"

typedef struct latent latent;
struct latent {
  int n;          /* sites */
  double *A, *m;  /* [n] diag(C), C nu along the sites */
  double *prior;  /* [n] A at the prior, which sets the rounding error of A */
  double log_det; /* D = log|I + K T| */
  void *self;

  /* Joint covariance Cbb[b x b] (full) and mean mb[b] of the sites idx[b],
   * strictly increasing; keeps what apply() needs. */
  void (*load)(latent *post, const int *idx, int b, double *Cbb, double *mb);

  /* b rank-one updates, one for each loaded site in turn:
   *   C -= gamma_l c_l c_l',  mean += beta_l c_l,
   * c_l the column of C at its turn. N[b x b], unit upper triangular, holds
   * N[k,l] = gamma_k (c_k at site l), k < l. A and m are stale afterwards. */
  void (*apply)(latent *post, int b, const double *N, const double *gamma,
                const double *beta);

  /* A and m of all sites from the updated posterior. */
  void (*marginals)(latent *post);

  /* C, A, m, D anew from the sites, through factorisations. EP_NOT_PD: post
   * is undefined until a refresh succeeds. tau = 0 gives the prior. */
  int (*refresh)(latent *post, const double *tau, const double *nu);

  void (*times)(latent *post, const double *x, double *out);         /* C x */
  void (*times_squared)(latent *post, const double *x, double *out); /* CoC x */
};

/* Dense kernel space. */
typedef struct {
  int n;
  const double *K;  /* [n x n] full */
  double *C;        /* [n x n] lower */
  double *S1, *S2;  /* [n x n] scratch */
  double *b;        /* [n] H nu = (I + T K)^{-1} nu, valid after refresh */
  double *tmp;      /* [2 n] */
  site_signs signs;
  int have_squares; /* S1 holds C o C */
} latent_kernel;

/* Weight space: w ~ St(df, 0, diag(s0)), f_i = x_i' w. C below is that of the
 * weights [k x k]; the sites see X C X'. */
typedef struct {
  int n, k;
  const double *Xt; /* [k x n], column i is x_i */
  const double *s0; /* [k] prior scale, > 0 */
  double *C;        /* [k x k] lower */
  double *w;        /* [k] C X' nu */
  double *S1;       /* [k x k] scratch */
  double *P, *Q;    /* [k x width] panels */
  double *v1, *v2;  /* [k] scratch */
  int width;        /* panel columns */
} latent_weight;

/* Xt and s0 are not copied and must outlive post. */
void latent_weight_carve(latent *post, latent_weight *lw, int n, int k,
                         int block, workspace *ws);
void latent_weight_bind(latent *post, latent_weight *lw, const double *Xt,
                        const double *s0);

/* K is not copied and must outlive post. */
void latent_kernel_carve(latent *post, latent_kernel *lk, int n,
                         workspace *ws);
void latent_kernel_bind(latent *post, latent_kernel *lk, const double *K);

#endif
