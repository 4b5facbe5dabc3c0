/* What: EP as a fixed point s = G(s) in the 2n site parameters: the residual,
 *       products with its Jacobian and their transposes, the Newton step.
 * With K fixed, a change of the sites moves the posterior by        [M 3.13]
 *   dA = -(C o C) dtau,   dm = -C diag(m) dtau + C dnu,
 * and G acts on each site alone, so Jacobian products cost two products with
 * n x n matrices [M 3.14]. Everything is scaled: dtau by A, dnu by
 * sqrt(A), which makes the unknowns dimensionless. */
#ifndef STURDY_FIXPOINT_H
#define STURDY_FIXPOINT_H

#include "gmres.h"
#include "latent.h"
#include "site.h"

typedef struct {
  ep_cavity cav; /* of a copy of the row, see latent_copy */
  tilted tilt;   /* the same */
  ep_site next;  /* G at this site */
  int proper;    /* 0: cav and what follows are not valid */
} site_view;

/* Evaluate every site at the current posterior. residual[n] may not be NULL.
 * Returns the largest residual, Inf when a cavity is improper. */
double fixpoint_evaluate(const latent *post, const lik_step *lik,
                         const ep_site *site, site_view *view,
                         double *residual);

/* G at site i where its marginal is (A, m): cav, tilt and next of *to.
 * EP_IMPROPER: one of them is not to be had. */
int fixpoint_map(const latent *post, const lik_step *lik, int i, double A,
                 double m, ep_site site, site_view *to);

/* Cavity of site i at the marginal (A, m). EP_IMPROPER also where A is within
 * rounding error of 0 although its prior is not: such an A has no digits. */
int fixpoint_cavity(const latent *post, int i, double A, double m, ep_site site,
                    double df, ep_cavity *cav);

typedef struct {
  latent *post;              /* set by fixpoint_linearise */
  site_jacobian *J;          /* [n] */
  double *p1, *p2, *p3, *p4; /* [n] scratch */
  double *rhs, *x;           /* [2 n] */
  gmres_space gmres;
} fixpoint_work;

void fixpoint_carve(fixpoint_work *w, int n, workspace *ws);

/* Jacobians of G at every site. Views must be proper. */
void fixpoint_linearise(fixpoint_work *w, latent *post, const lik_step *lik,
                        const ep_site *site, const site_view *view);

/* Newton step for G(s) - s = 0: step[n]. Returns products spent or -1. */
int fixpoint_newton(fixpoint_work *w, const ep_site *site,
                    const site_view *view, double tol, int max_products,
                    ep_site *step);

/* Adjoint (I - G_s') lambda = E_s with E_s given as E_tau[n], E_nu[n]; on exit
 * those hold lambda. Returns products spent or -1. */
int fixpoint_adjoint(fixpoint_work *w, double tol, int max_products,
                     double *E_tau, double *E_nu);

#endif
