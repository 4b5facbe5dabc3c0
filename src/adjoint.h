/* What: gradient of a criterion at an EP fixed point, through the fixed point,
 *       with respect to the latent space's prior and to the likelihoods L of
 *       the rows. */
#ifndef STURDY_ADJOINT_H
#define STURDY_ADJOINT_H

#include "criterion.h"

void adjoint_carve(criterion_partials *E, int n, int classes, workspace *ws);

/* gradient[post->n_prior]; E takes the total derivatives behind it, and has
 * those in L [M 13.4]. EP_NO_ADJOINT: the criterion has no derivatives there, or their
 * linear system could not be solved; gradient is then untouched. Else 0, and
 * post may not be used before its next refresh. */
int adjoint_gradient(criterion_type type, latent *post, const lik_step *lik,
                     const ep_site *site, const site_view *view,
                     fixpoint_work *fix, criterion_partials *E,
                     double *gradient);

#endif
