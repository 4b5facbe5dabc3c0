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

/* Take the site out of the marginal (m, A). Returns EP_IMPROPER, cav
 * untouched, when u <= 0 or not finite. A = 0 gives var = 0. */
int site_divide(double A, double m, ep_site site, double df, ep_cavity *cav);

/* (tau m^2 - 2 m nu + A nu^2)/u, what taking the site out adds to h [M 4.2] */
double site_quad(double A, double m, ep_site site, double u);

/* Site whose product with the cavity has the tilted escort moments along this
 * direction. At A = 0 the site is flat. EP_IMPROPER when not finite. */
int site_project(const ep_cavity *cav, const tilted *t, double df,
                 ep_site *site);

/* Derivatives of u, log var, mean and z with respect to A, m, tau, nu. */
typedef struct {
  double u[4], log_base[4], log_var[4], mean[4], z[4];
} cavity_grad;
cavity_grad site_divide_grad(double A, ep_site site, double df,
                             const ep_cavity *cav, const tilted *t);

/* Derivatives of the projected site with respect to A, m, tau, nu, lo, hi. */
typedef struct {
  double tau[N_BY], nu[N_BY];
} site_jacobian;
site_jacobian site_project_grad(const ep_cavity *cav, double df,
                                const tilted *t, const tilted_grad *tg,
                                const cavity_grad *cg, ep_site projected);

#endif
