/* What: EP on one site.
 * Method (at df = Inf RW06 alg. 3.5):
 *   cavity   u = 1 - tau A,  base = A/u,  mean = (m - A nu)/u,
 *            var = u^{-1/v} base                                      [M 3.4]
 *   project  g = (var/V)^{v/(v+1)},
 *            tau = (g - 1)/base,  nu = (m_hat g - mean)/base          [M 3.5]
 * tau of either sign is legal: a label that the rest contradicts gets a
 * negative one.                                                           */
#include "site.h"
#include "numeric.h"

int site_divide(double A, double m, ep_site site, double df, ep_cavity *cav) {
  const double u = 1 - site.tau * A;
  if (!(u > 0) || !isfinite(u) || !isfinite(m)) return EP_IMPROPER;
  const double base = A / u;
  cav->u = u;
  cav->mean = (m - A * site.nu) / u;
  cav->base = base;
  /* the same at df = Inf, without a logarithm for every visit to a site */
  cav->var = isinf(df) ? base : base * exp(-log(u) / df);
  return EP_CONVERGED;
}

double site_quad(double A, double m, ep_site s, double u) {
  return (s.tau * m * m - 2 * m * s.nu + A * s.nu * s.nu) / u;
}

/* v/(v+1), in a form that holds at v = Inf */
static double shape_power(double df) { return 1 / (1 + 1 / df); }

int site_project(const ep_cavity *cav, const tilted *t, double df,
                 ep_site *site) {
  if (!(cav->base > 0)) {
    *site = (ep_site){0, 0};
    return EP_CONVERGED;
  }
  const double s = sqrt(cav->var), log_g = -shape_power(df) * log(t->w);
  const double g = exp(log_g);
  const ep_site new = {
      .tau = expm1(log_g) / cav->base,
      /* two equal forms of m_hat g - mean: each free of cancellation on its
       * side of z = 0 */
      .nu = t->z < 0 ? (t->side * s * t->mu * g - cav->mean) / cav->base
                     : (cav->mean * expm1(log_g) + t->side * s * t->alpha * g) /
                           cav->base};
  if (!isfinite(new.tau) || !isfinite(new.nu)) return EP_IMPROPER;
  *site = new;
  return EP_CONVERGED;
}

/* [M 3.16] */
cavity_grad site_divide_grad(double A, ep_site site, double df,
                             const ep_cavity *cav, const tilted *t) {
  const double iv = 1 / df, u = cav->u, base = cav->base;
  cavity_grad g = {.u = {-site.tau, 0, -A, 0},
                   .log_base = {1 / (u * A), 0, base, 0},
                   .mean = {(site.tau * cav->mean - site.nu) / u, 1 / u,
                            base * cav->mean, -base}};
  const double s = sqrt(cav->var);
  for (int x = 0; x < 4; x++) {
    g.log_var[x] = g.log_base[x] - iv * g.u[x] / u;
    g.z[x] = t->side * g.mean[x] / s - t->z * g.log_var[x] / 2;
  }
  return g;
}

/* [M 3.17] */
site_jacobian site_project_grad(const ep_cavity *cav, double df,
                                const tilted *t, const tilted_grad *tg,
                                const cavity_grad *cg, ep_site projected) {
  site_jacobian J;
  const double p = shape_power(df), s = sqrt(cav->var), base = cav->base;
  const double g = exp(-p * log(t->w)), m_hat = t->side * s * t->mu;
  for (int x = 0; x < N_BY; x++) {
    const int direct = x >= BY_LO; /* lo and hi leave the cavity alone */
    const double log_var = direct ? 0 : cg->log_var[x];
    const double w =
        direct ? tg->w_e[x - BY_LO] : tg->w_z * cg->z[x] + tg->w_v * log_var;
    const double mu =
        direct ? tg->alpha_e[x - BY_LO]
               : (1 + tg->alpha_z) * cg->z[x] + tg->alpha_v * log_var;
    const double log_g = -p * w / t->w;
    const double m_hat_x = t->side * s * (mu + t->mu * log_var / 2);
    const double mean_x = direct ? 0 : cg->mean[x];
    const double log_base = direct ? 0 : cg->log_base[x];
    J.tau[x] = g * log_g / base - projected.tau * log_base;
    J.nu[x] = (g * (m_hat_x + m_hat * log_g) - mean_x) / base -
              projected.nu * log_base;
  }
  return J;
}
