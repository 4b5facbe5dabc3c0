/* What: evidence with either site normaliser, leave-one-out, and partials.
 * Method: with quad = (tau m^2 - 2 m nu + A nu^2)/u for each site [M 4.2],
 *   finite v:  R = sum[ expm1(-(2/v) log Z) - expm1(-log(u)/v) - quad/v ] - h/v
 *                                                                     [M 4.3]
 *              log Z_EP = -D/2 - (v/2) log1p(X),  X = exp(-D/v) R     [M 4.4]
 *              R and X in units of exp(shift), for they overflow at small v;
 *   v = Inf:   log Z_EP = -D/2 + h/2 + sum[ log Z - log(u)/2 + quad/2 ]
 *                                                                     [M 4.5]
 *   quad is h without the site less h, at v = Inf also mean^2/base - m^2/A: one
 *   form for both, no division by A.
 * References: FSS17 42 with exponent v/(v+d); RW06 3.65. */
#include "criterion.h"
#include "numeric.h"

static double site_log_z(criterion_type type, const tilted *t) {
  return type == CRITERION_EVIDENCE ? t->log_z1 : t->log_zp;
}

/* Where the exponents of R are far from overflow it is left as it is, so that
 * expm1() keeps its digits at large v. */
static double terms_shift(criterion_type type, int n, double df,
                          const site_view *view) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    const double a = -2 * site_log_z(type, &view[i].tilt) / df;
    const double b = -log(view[i].cav.u) / df;
    largest = fmax(largest, fmax(a, b));
  }
  return largest > 300 ? largest : 0;
}

/* expm1(x) in units of exp(shift) */
static double shifted_expm1(double x, double shift) {
  return shift > 0 ? exp(x - shift) - exp(-shift) : expm1(x);
}

criterion_terms criterion_sum(criterion_type type, const latent *post,
                              double df, const ep_site *site,
                              const site_view *view) {
  const int gauss = !isfinite(df);
  const double shift = gauss ? 0 : terms_shift(type, post->n, df, view);
  const double unit = exp(-shift);
  double sum = 0, h = 0;
  for (int i = 0; i < post->n; i++) {
    const latent_copy c =
        latent_copy_of(post, i, post->A[i], post->m[i], site[i]);
    const double u = view[i].cav.u;
    const double quad = site_quad(c.A, c.m, c.site, u);
    const double log_z = site_log_z(type, &view[i].tilt);
    sum += c.times *
           (gauss ? log_z - log(u) / 2 + quad / 2
                  : shifted_expm1(-2 * log_z / df, shift) -
                        shifted_expm1(-log(u) / df, shift) - unit * quad / df);
    h += site[i].nu * post->m[i];
    if (post->offset) /* [M 3.20] */
      h += post->offset[i] * (site[i].nu - site[i].tau * post->m[i]);
  }
  const double R = gauss ? sum : sum - unit * h / df;
  return (criterion_terms){.R = R, .h = h, .shift = shift};
}

/* log1p(X), with log(k) where X = k R; NaN where X <= -1 */
static double log1p_X(const criterion_terms *t, double log_det, double df,
                      double *log_k) {
  *log_k = t->shift - log_det / df;
  const double log_size = *log_k + log(fabs(t->R));
  if (log_size > 700) return t->R > 0 ? log_size : NAN;
  const double X = t->R == 0 ? 0 : copysign(exp(log_size), t->R);
  return X > -1 ? log1p(X) : NAN;
}

double criterion_evidence(const criterion_terms *t, double log_det, double df) {
  double log_k;
  return (isfinite(df) ? -df / 2 * log1p_X(t, log_det, df, &log_k)
                       : t->h / 2 + t->R) -
         log_det / 2;
}

int criterion_value(criterion_type type, const latent *post, double df,
                    const ep_site *site, const site_view *view, double *value) {
  double result = 0;
  for (int i = 0; i < post->n; i++) {
    if (!view[i].proper) return EP_IMPROPER;
    const double times = post->times ? post->times[i] : 1;
    result += times * view[i].tilt.log_zp; /* [M 5.1] */
  }
  if (type != CRITERION_LOO) {
    const criterion_terms t = criterion_sum(type, post, df, site, view);
    result = criterion_evidence(&t, latent_log_det(post, site), df);
  }
  if (!isfinite(result)) return EP_NO_EVIDENCE;
  *value = result;
  return EP_CONVERGED;
}

/* Weights with which d log Z, d log u, d quad, dD and dh enter dE [M 5.7]: the
 * first two in units of exp(-shift). */
typedef struct {
  double log_z_scale, log_u, quad, D, h, shift;
} term_weights;

static term_weights evidence_weights(const criterion_terms *t, double log_det,
                                     double df) {
  if (!isfinite(df)) return (term_weights){1, -0.5, 0.5, -0.5, 0.5, 0};
  double log_k;
  const double log_1X = log1p_X(t, log_det, df, &log_k);
  const double s = exp(log_k - log_1X),
               half = exp(log_k - t->shift - log_1X) / 2;
  return (term_weights){s, -s / 2, half, -exp(-log_1X) / 2, half, t->shift};
}

/* The derivatives of a copy's terms as those of the mean's, all copies taken
 * together, with what D has of its site [M 3.19] */
static void of_mean(const latent *post, const latent_copy *c, int i, double D,
                    criterion_partials *E) {
  const double own =
      post->lambda[i] / (1 + post->lambda[i] * c->times * c->site.tau);
  E->tau[i] += c->times * E->A[i] * c->A_tau + D * (c->times - 1) * own;
  E->A[i] *= c->times;
  E->m[i] *= c->times;
}

/* The derivatives of one site's terms [M 5.7], those of quad being [M 5.8]. At
 * A = 0 only the levels of the row count. */
static void set_site(criterion_type type, const term_weights *w,
                     const latent *post, const lik_step *lik, ep_site mean,
                     const site_view *v, int i, criterion_partials *E) {
  const latent_copy c = latent_copy_of(post, i, post->A[i], post->m[i], mean);
  const ep_site s = c.site;
  const double A = c.A, m = c.m, u = v->cav.u, df = lik->df;
  const tilted_grad tg = likelihood_tilt_grad(lik, i, &v->tilt);
  const int z1 = type == CRITERION_EVIDENCE, loo = type == CRITERION_LOO;
  const double iv = 1 / df;
  const double w_z =
      loo ? 1
          : w->log_z_scale *
                exp(-2 * iv * site_log_z(type, &v->tilt) - w->shift);
  const double *e = z1 ? tg.log_z1_e : tg.log_zp_e;
  double by_L[CUTS_MOST];
  if (lik->cut) {
    cuts_partials(lik, i, &v->tilt, c.times * w_z, by_L, E->cut);
    e = by_L;
  }
  for (int t = 0; t < lik->classes; t++)
    E->L[IDX(i, t, post->n)] = c.times * w_z * e[t];
  E->A[i] = E->m[i] = E->tau[i] = E->nu[i] = 0;
  if (!(v->cav.base > 0)) return;
  const cavity_grad cg = site_divide_grad(A, s, df, &v->cav, &v->tilt);
  const double w_u = loo ? 0 : w->log_u * exp(-iv * log(u) - w->shift) / u;
  const double w_q = loo ? 0 : w->quad;
  const double slope = z1 ? tg.log_z1_z : tg.log_zp_z;
  const double quad = site_quad(A, m, s, u);
  const double dquad[4] = {(s.nu * s.nu + quad * s.tau) / u,
                           2 * (s.tau * m - s.nu) / u, (m * m + quad * A) / u,
                           2 * (A * s.nu - m) / u};
  double *out[4] = {&E->A[i], &E->m[i], &E->tau[i], &E->nu[i]};
  for (int x = 0; x < 4; x++)
    *out[x] = w_z * (slope * cg.z[x] + tg.log_z_v * cg.log_var[x]) +
              w_u * cg.u[x] + w_q * dquad[x];
  if (post->times) of_mean(post, &c, i, loo ? 0 : w->D, E);
}

int criterion_derivatives(criterion_type type, const latent *post,
                          const lik_step *lik, const ep_site *site,
                          const site_view *view, criterion_partials *E) {
  double value;
  const int status = criterion_value(type, post, lik->df, site, view, &value);
  if (status != EP_CONVERGED) return status;
  const criterion_terms t = criterion_sum(type, post, lik->df, site, view);
  const term_weights w =
      evidence_weights(&t, latent_log_det(post, site), lik->df);
  const int loo = type == CRITERION_LOO;
  E->D = loo ? 0 : w.D;
  E->h = loo ? 0 : w.h;
  for (int j = 0; j < lik->classes - 1; j++) E->cut[j] = 0;
  for (int i = 0; i < post->n; i++)
    set_site(type, &w, post, lik, site[i], &view[i], i, E);
  return EP_CONVERGED;
}
