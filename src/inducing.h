/* What: features of a kernel at inducing inputs Z, the FITC prior [M 9.6]:
 *   Phi_se = K_fu L^{-T},  L L' = K_uu + jitter,
 *   Phi = [Phi_se, sqrt(bias) 1, sqrt(linear weight) X] [M 6.7],
 *   lambda_i = variance - |phi_se,i|^2 + nugget. */
#ifndef STURDY_INDUCING_H
#define STURDY_INDUCING_H

#include "kernel.h"

typedef struct {
  const kernel_ard *kernel;
  int n, m;
  const double *X; /* [n x p] */
  const double *Z; /* [m x p] */
  double jitter;   /* that K_uu took, as a share of the variance */
  kernel_inputs z, part;
  double *rows;    /* [width x p] some of X */
  double *gram;    /* [m x m] K_uu, full, with the jitter */
  double *L;       /* [m x m] its factor */
  double *cross;   /* [m x width] */
  double *B;       /* [m x width] see inducing_add() */
  double *S;       /* [m x m] sum of Phi_se' B */
  double *Y;       /* [m x m] scratch */
  double *scratch; /* [KERNEL_SCRATCH(m, p)] */
  double *slopes;  /* [m x width], where they are not those of cross */
  double *by_row;  /* [width] scratch */
  double *by_z;    /* [m] scratch */
  double *by_l;    /* [groups] scratch */
} inducing;

/* Features of a row: m, one for the bias when there is one, and one for each
 * column when there is a linear part. */
int inducing_size(const inducing *s);

/* For panels of at most `width` rows. */
void inducing_carve(inducing *s, int width, workspace *ws);

/* K_uu and its factor, the jitter ten times as large until there is one. A
 * kernel that is not finite gives features that are not. */
void inducing_prepare(inducing *s);

/* phi[k x cols] and lambda[cols] of the rows first, .., first + cols - 1. */
void inducing_features(inducing *s, int first, int cols, double *phi,
                       double *lambda);

/* The gradient: begin, add every row once, end. B[m x cols] (destroyed) is
 * dE/dPhi_se' of rows whose features are phi[k x cols], lambda moving against
 * |phi_se|^2; grad takes the derivatives with respect to log l and log
 * variance, that of the variance without its share in lambda. */
void inducing_begin(inducing *s, kernel_grad *grad);
void inducing_add(inducing *s, int first, int cols, const double *phi,
                  kernel_grad *grad);
void inducing_end(inducing *s, kernel_grad *grad);

#endif
