/* What: what EP needs of a latent space, whatever carries it: marginals along
 *       the sites, a block update, products with C, a fresh start.
 * Kernel space: C is n x n, site i looks along unit vector i. */
#ifndef STURDY_LATENT_H
#define STURDY_LATENT_H

#include "linalg.h"
#include "status.h"
#include "workspace.h"

typedef struct latent latent;
struct latent {
  int n;          /* sites */
  double *A, *m;  /* [n] diag(C), C nu along the sites */
  double log_det; /* D = log|I + K T| */
  void *self;

  /* Joint covariance Cbb[b x b] (full) of sites idx[b], strictly increasing;
   * keeps what apply() needs. */
  void (*load)(latent *post, const int *idx, int b, double *Cbb);

  /* b rank-one updates, one for each loaded site in turn:
   *   C -= gamma_l c_l c_l',  m += beta_l c_l,
   * c_l the column of C at its turn. N[b x b], unit upper triangular, holds
   * N[k,l] = gamma_k (c_k at site l), k < l. Refreshes A and m. */
  void (*apply)(latent *post, int b, const double *N, const double *gamma,
                const double *beta);

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

/* K is not copied and must outlive post. */
void latent_kernel_carve(latent *post, latent_kernel *lk, int n,
                         workspace *ws);
void latent_kernel_bind(latent *post, latent_kernel *lk, const double *K);

#endif
