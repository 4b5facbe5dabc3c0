/* What: cavity, projection and their derivatives: the few lines that are EP.
 * All in the scaled coordinates in which the global scale of the t drops out:
 * posterior of f is St(df, sqrt(kappa) m, kappa C), kappa = exp(-D/df)
 * [M 3.2]. */
#ifndef STURDY_SITE_H
#define STURDY_SITE_H

#include "likelihood.h"
#include "status.h"

typedef struct {
  double tau, nu; /* precision, precision x mean */
} ep_site;

typedef struct {
  double u;    /* 1 - tau A, must be > 0 */
  double mean; /* (m - A nu) / u */
  double base; /* A / u */
  double var;  /* u^{-1/df} A / u: scale of the cavity t */
} ep_cavity;

/* Partial derivatives, in this order wherever four or six stand together. */
enum { BY_A, BY_M, BY_TAU, BY_NU, BY_LO, BY_HI, N_BY };

/* Take the site out of the marginal (m, A), A >= 0. Returns EP_IMPROPER, cav
 * untouched, when u <= 0, or u or m is not finite; else EP_CONVERGED. A = 0
 * gives base = var = 0. */
int site_divide(double A, double m, ep_site site, double df, ep_cavity *cav);

/* (tau m^2 - 2 m nu + A nu^2)/u, what taking the site out adds to h [M 4.2] */
double site_quad(double A, double m, ep_site site, double u);

/* Site whose product with the cavity has the tilted escort moments along this
 * direction, t being the cavity's. At A = 0 the site is flat. Returns
 * EP_IMPROPER, site untouched, when it is not finite; else EP_CONVERGED. */
int site_project(const ep_cavity *cav, const tilted *t, double df,
                 ep_site *site);

/* Derivatives of u, log base, log var, mean and z with respect to A, m, tau,
 * nu, at a cavity that site_divide() made of them. Needs A > 0: at 0 those of
 * the logs are infinite. */
typedef struct {
  double u[4], log_base[4], log_var[4], mean[4], z[4];
} cavity_grad;
cavity_grad site_divide_grad(double A, ep_site site, double df,
                             const ep_cavity *cav, const tilted *t);

/* Derivatives of the projected site, the one that site_project() made of cav
 * and t, with respect to A, m, tau, nu, lo, hi. Needs A > 0. */
typedef struct {
  double tau[N_BY], nu[N_BY];
} site_jacobian;
site_jacobian site_project_grad(const ep_cavity *cav, double df,
                                const tilted *t, const tilted_grad *tg,
                                const cavity_grad *cg, ep_site projected);

#endif
