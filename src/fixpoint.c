/* What: the EP map, its Jacobian products, Newton step and adjoint. */
#include "fixpoint.h"
#include "numeric.h"

int fixpoint_cavity(const latent *post, int i, double A, double m, ep_site site,
                    double df, ep_cavity *cav) {
  /* the rounding error of A, a sum of n_terms; 1 to 1000 times as many: no
   * difference on the problems of ep.c, whose A are far larger */
  const double least = 10 * post->n_terms * DBL_EPSILON * post->prior[i];
  if (post->prior[i] > 0 && !(A > least)) return EP_IMPROPER;
  return site_divide(A, m, site, df, cav);
}

int fixpoint_map(const latent *post, const lik_step *lik, int i, double A,
                 double m, ep_site site, site_view *to) {
  const latent_copy c = latent_copy_of(post, i, A, m, site);
  const int status =
      fixpoint_cavity(post, i, c.A, c.m, c.site, lik->df, &to->cav);
  if (status != EP_CONVERGED) return status;
  to->tilt = likelihood_tilt(lik, i, to->cav.mean, to->cav.var);
  if (site_project(&to->cav, &to->tilt, lik->df, &to->next) != EP_CONVERGED)
    return EP_IMPROPER;
  to->next.tau *= c.times;
  to->next.nu *= c.times;
  return EP_CONVERGED;
}

/* Site i alone; returns its residual */
static double evaluate_site(const latent *post, const lik_step *lik, int i,
                            ep_site site, site_view *view) {
  const double A = post->A[i];
  view->proper =
      fixpoint_map(post, lik, i, A, post->m[i], site, view) == EP_CONVERGED;
  if (!view->proper) return INFINITY;
  const double residual =
      fmax(fabs(view->next.tau - site.tau) * A,
           fabs(view->next.nu - site.nu) * sqrt(A)); /* [M 3.6] */
  return isnan(residual) ? INFINITY : residual;
}

double fixpoint_evaluate(const latent *post, const lik_step *lik,
                         const ep_site *site, site_view *view,
                         double *residual) {
  double worst = 0;
  for (int i = 0; i < post->n; i++) {
    residual[i] = evaluate_site(post, lik, i, site[i], &view[i]);
    worst = fmax(worst, residual[i]);
  }
  return worst;
}

WORKSPACE_HOLDS(site_jacobian);

void fixpoint_carve(fixpoint_work *w, int n, workspace *ws) {
  const size_t N = (size_t)n;
  w->J = workspace_take_bytes(ws, N * sizeof(site_jacobian));
  WORKSPACE_EACH(ws, N, &w->p1, &w->p2, &w->p3, &w->p4);
  WORKSPACE_EACH(ws, 2 * N, &w->rhs, &w->x);
  gmres_carve(&w->gmres, 2 * n, ws);
}

/* The derivatives of a copy's projected site as those of the mean's */
static void of_mean(double *J, const latent_copy *c) {
  J[BY_TAU] += c->times * J[BY_A] * c->A_tau;
  J[BY_A] *= c->times;
  J[BY_M] *= c->times;
  J[BY_LO] *= c->times;
  J[BY_HI] *= c->times;
}

void fixpoint_linearise(fixpoint_work *w, latent *post, const lik_step *lik,
                        const ep_site *site, const site_view *view) {
  w->post = post;
  for (int i = 0; i < post->n; i++) {
    const site_view *s = &view[i];
    if (!(s->cav.base > 0)) { /* flat site: G is constant */
      w->J[i] = (site_jacobian){{0}, {0}};
      continue;
    }
    const latent_copy c =
        latent_copy_of(post, i, post->A[i], post->m[i], site[i]);
    const ep_site next = {s->next.tau / c.times, s->next.nu / c.times};
    const tilted_grad tg = likelihood_tilt_grad(lik, i, &s->tilt);
    const cavity_grad cg =
        site_divide_grad(c.A, c.site, lik->df, &s->cav, &s->tilt);
    w->J[i] = site_project_grad(&s->cav, lik->df, &s->tilt, &tg, &cg, next);
    if (post->times) of_mean(w->J[i].tau, &c), of_mean(w->J[i].nu, &c);
  }
}

static double inverse(double x) { return x > 0 ? 1 / x : 0; }

/* out = (I - G_s) x, both scaled [M 3.13, 3.14] */
static void newton_map(void *context, const double *x, double *out) {
  fixpoint_work *w = context;
  latent *post = w->post;
  const int n = post->n;
  double *dtau = w->p1, *dA = w->p2, *mix = w->p3, *dm = w->p4;
  for (int i = 0; i < n; i++) dtau[i] = x[i] * inverse(post->A[i]);
  post->ops->times_squared(post, dtau, dA);
  for (int i = 0; i < n; i++)
    mix[i] = x[n + i] * inverse(sqrt(post->A[i])) - post->m[i] * dtau[i];
  post->ops->times(post, mix, dm);
  for (int i = 0; i < n; i++) {
    const double *Jt = w->J[i].tau, *Jn = w->J[i].nu;
    const double A = post->A[i], dt = dtau[i];
    const double dn = x[n + i] * inverse(sqrt(A));
    out[i] = x[i] - A * (-Jt[BY_A] * dA[i] + Jt[BY_M] * dm[i] +
                         Jt[BY_TAU] * dt + Jt[BY_NU] * dn);
    out[n + i] = x[n + i] - sqrt(A) * (-Jn[BY_A] * dA[i] + Jn[BY_M] * dm[i] +
                                       Jn[BY_TAU] * dt + Jn[BY_NU] * dn);
  }
}

/* out = (I - G_s') x, scaled inversely [M 5.2] */
static void adjoint_map(void *context, const double *x, double *out) {
  fixpoint_work *w = context;
  latent *post = w->post;
  const int n = post->n;
  double *pA = w->p1, *pm = w->p2, *SpA = w->p3, *Cpm = w->p4;
  for (int i = 0; i < n; i++) {
    const double *Jt = w->J[i].tau, *Jn = w->J[i].nu;
    const double lt = x[i] * post->A[i], ln = x[n + i] * sqrt(post->A[i]);
    pA[i] = Jt[BY_A] * lt + Jn[BY_A] * ln;
    pm[i] = Jt[BY_M] * lt + Jn[BY_M] * ln;
  }
  post->ops->times_squared(post, pA, SpA);
  post->ops->times(post, pm, Cpm);
  for (int i = 0; i < n; i++) {
    const double *Jt = w->J[i].tau, *Jn = w->J[i].nu;
    const double A = post->A[i];
    const double lt = x[i] * A, ln = x[n + i] * sqrt(A);
    const double gt =
        Jt[BY_TAU] * lt + Jn[BY_TAU] * ln - SpA[i] - post->m[i] * Cpm[i];
    const double gn = Jt[BY_NU] * lt + Jn[BY_NU] * ln + Cpm[i];
    out[i] = x[i] - gt * inverse(A);
    out[n + i] = x[n + i] - gn * inverse(sqrt(A));
  }
}

int fixpoint_newton(fixpoint_work *w, const ep_site *site,
                    const site_view *view, double tol, int max_products,
                    ep_site *step) {
  const latent *post = w->post;
  const int n = post->n;
  for (int i = 0; i < n; i++) {
    w->rhs[i] = (view[i].next.tau - site[i].tau) * post->A[i];
    w->rhs[n + i] = (view[i].next.nu - site[i].nu) * sqrt(post->A[i]);
  }
  const int spent =
      gmres_solve(&w->gmres, newton_map, w, w->rhs, tol, max_products, w->x);
  for (int i = 0; i < n; i++) {
    step[i].tau = w->x[i] * inverse(post->A[i]);
    step[i].nu = w->x[n + i] * inverse(sqrt(post->A[i]));
  }
  return spent;
}

int fixpoint_adjoint(fixpoint_work *w, double tol, int max_products,
                     double *E_tau, double *E_nu) {
  const latent *post = w->post;
  const int n = post->n;
  for (int i = 0; i < n; i++) {
    w->rhs[i] = E_tau[i] * inverse(post->A[i]);
    w->rhs[n + i] = E_nu[i] * inverse(sqrt(post->A[i]));
  }
  const int spent =
      gmres_solve(&w->gmres, adjoint_map, w, w->rhs, tol, max_products, w->x);
  for (int i = 0; i < n; i++) {
    E_tau[i] = w->x[i] * post->A[i];
    E_nu[i] = w->x[n + i] * sqrt(post->A[i]);
  }
  return spent;
}
