/* What: gradient of a criterion at an EP fixed point, through the fixed point,
 *       with respect to the prior covariance K and to epsilon. */
#ifndef STURDY_ADJOINT_H
#define STURDY_ADJOINT_H

#include "criterion.h"

typedef struct {
  criterion_partials E;
  double *weight; /* [n] */
} adjoint_work;

void adjoint_carve(adjoint_work *w, int n, workspace *ws);

/* Total derivatives: on exit E->A, E->m hold the dotted A and m of MATH.md
 * section 5, E->D, E->h likewise, E->epsilon[2] the total dE/depsilon.
 * EP_NO_ADJOINT when the linear system did not reach tol. */
int adjoint_solve(criterion_type type, latent *post, const lik_step *lik,
                  const double *y, const ep_site *site, const site_view *view,
                  fixpoint_work *fix, adjoint_work *w);

/* dE/dK in the lower triangle of lk->S2 (off-diagonal entries are those of the
 * symmetric matrix, counted once). Destroys lk->S1. */
void adjoint_kernel(latent *post, latent_kernel *lk, const ep_site *site,
                    adjoint_work *w);

/* dE/dlog s0[k] in weight space. */
void adjoint_weight(latent_weight *lw, adjoint_work *w, double *grad);

#endif
