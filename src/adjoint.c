/* What: one adjoint for every criterion, df and hyperparameter.
 * Method: with E_s the total derivative of the criterion in the sites at fixed
 *   K [M 5.3],
 *     E_tau - (C o C) E_A - m o (C E_m) + A E_D - (m o m) E_h,
 *     E_nu + C E_m + 2 m E_h,
 *   solve (I - G_s') lambda = E_s [M 5.2] and add lambda' G_{A,m,L} to
 *   the partials, which makes them the dotted A, m, D, h of [M 5.5]. How those
 *   move with the prior is the latent space's to know.
 *   At df = Inf the evidence is stationary in the sites: lambda, A. and m. are
 *   zero and no system is solved [M 5.6]. */
#include "adjoint.h"
#include "numeric.h"

/* Relative residual of the adjoint system: gradients then equal differences to
 * 2e-8 (test-adjoint.c), which is the error of the differences. */
#define ADJOINT_TOL 1e-11
/* A guard only: 50 solved all 238 systems of the problems in ep.c, 30 solved
 * 228. */
#define ADJOINT_PRODUCTS 400

void adjoint_carve(criterion_partials *E, int n, int classes, workspace *ws) {
  const size_t N = (size_t)n;
  WORKSPACE_EACH(ws, N, &E->A, &E->m, &E->tau, &E->nu, &E->offset);
  E->L = workspace_take(ws, (size_t)classes * N);
  E->cut = workspace_take(ws, (size_t)classes);
}

/* E->tau, E->nu become the total derivative in the sites at fixed K [M 5.3] */
static void chain_sites(latent *post, fixpoint_work *fix,
                        criterion_partials *E) {
  double *SA = fix->p1, *Cm = fix->p2;
  post->ops->times_squared(post, E->A, SA);
  post->ops->times(post, E->m, Cm);
  for (int i = 0; i < post->n; i++) {
    const double A = post->A[i], m = post->m[i];
    E->tau[i] += -SA[i] - m * Cm[i] + A * E->D - m * m * E->h;
    E->nu[i] += Cm[i] + 2 * m * E->h;
  }
}

/* E becomes the total derivatives at the fixed point. EP_NO_ADJOINT when the
 * linear system did not reach ADJOINT_TOL. */
static int adjoint_solve(criterion_type type, latent *post, const lik_step *lik,
                         const ep_site *site, const site_view *view,
                         fixpoint_work *fix, criterion_partials *E) {
  const int n = post->n;
  const int status = criterion_derivatives(type, post, lik, site, view, E);
  if (status != EP_CONVERGED) return status;
  if (!isfinite(lik->df) && type != CRITERION_LOO) {
    memset(E->A, 0, (size_t)n * sizeof *E->A);
    memset(E->m, 0, (size_t)n * sizeof *E->m);
    return EP_CONVERGED;
  }
  if (lik->cut) return EP_NO_ADJOINT; /* their levels have no Jacobian */
  fixpoint_linearise(fix, post, lik, site, view);
  chain_sites(post, fix, E);
  const int spent = fixpoint_adjoint(fix, ADJOINT_TOL, ADJOINT_PRODUCTS, E->tau,
                                     E->nu); /* now lambda */
  /* the dotted A, m, L [M 5.5] */
  for (int i = 0; i < n; i++) {
    const double lt = E->tau[i], ln = E->nu[i];
    const site_jacobian *J = &fix->J[i];
    E->A[i] += J->tau[BY_A] * lt + J->nu[BY_A] * ln;
    E->m[i] += J->tau[BY_M] * lt + J->nu[BY_M] * ln;
    E->L[i] += J->tau[BY_LO] * lt + J->nu[BY_LO] * ln;
    E->L[IDX(i, 1, n)] += J->tau[BY_HI] * lt + J->nu[BY_HI] * ln;
  }
  return spent < 0 ? EP_NO_ADJOINT : EP_CONVERGED;
}

int adjoint_gradient(criterion_type type, latent *post, const lik_step *lik,
                     const ep_site *site, const site_view *view,
                     fixpoint_work *fix, criterion_partials *E,
                     double *gradient) {
  const int status = adjoint_solve(type, post, lik, site, view, fix, E);
  if (status != EP_CONVERGED) return EP_NO_ADJOINT;
  const latent_dots dots = {E->A, E->m, E->D, E->h,
                            post->offset ? E->offset : NULL};
  post->ops->gradient(post, site, &dots, gradient);
  return EP_CONVERGED;
}
