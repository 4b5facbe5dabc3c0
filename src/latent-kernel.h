/* What: dense kernel space: C is n x n, site i looks along unit vector i. */
#ifndef STURDY_LATENT_KERNEL_H
#define STURDY_LATENT_KERNEL_H

#include "factor-signed.h"
#include "kernel.h"
#include "latent.h"

typedef struct latent_kernel latent_kernel;

struct latent_kernel {
  int n;
  const double *K;          /* [n x n] full, the caller's or `gram` */
  const kernel_ard *kernel; /* NULL: K is given */
  const double *X;          /* [n x p] its inputs */
  kernel_inputs inputs;
  const latent_kernel *like; /* shares S2 and, with an equal kernel, K */
  double *gram;    /* [n x n] K where it is this space's own, or NULL */
  double *panel;   /* [KERNEL_SCRATCH(n, p)] of the gradient */
  double *C;       /* [n x n] lower */
  double *S1, *S2; /* [n x n] scratch */
  double *b;       /* [n] H nu = (I + T K)^{-1} nu, valid after refresh */
  double *tmp;     /* [2 n] */
  double *lambda;  /* [n] the nugget of each row, where they have times */
  site_signs signs;
  int *rest;        /* [n] scratch */
  int have_squares; /* S1 holds C o C */
};

/* Nothing is copied: *lk, K, *kernel and X must outlive the latent. location is
 * b; the parameters of the prior are log l[groups], log variance, log bias, log
 * nugget and log linear. A given K has none: gradient() then only leaves dE/dK in the
 * lower triangle of S2 (the entries off the diagonal are those of the symmetric
 * matrix, counted once). */
latent latent_kernel_given(latent_kernel *lk, int n, const double *K);
latent latent_kernel_inputs(latent_kernel *lk, int n, const kernel_ard *kernel,
                            const double *X);

/* The space of another latent function at the inputs of `like`, to be carved
 * and bound after it: scratch is shared, and so is K where `kernel` is the same
 * object. */
latent latent_kernel_like(latent_kernel *lk, const latent_kernel *like,
                          const kernel_ard *kernel);

#endif
