/* What: the EP loop.
 * Method: sequential sweeps in blocks (latent.h), visiting the sites whose
 *   residual is not far below the largest, until the fixed point is near; then
 *   Newton steps on s = G(s) (fixpoint.h), each followed by a fresh
 *   factorisation, so that the result carries no update rounding. A Newton step
 *   that does not at least halve the residual is undone. The sweep damps when
 *   the residual grows or a site had to be left alone.
 * References: RW06 alg. 3.5. */
#include "ep.h"
#include "ep-parallel.h"
#include "matrix.h"
#include "numeric.h"

/* The constants steer the way to a fixed point, not where it is. Each was
 * varied alone over 288 problems with flips (n = 40 and 90, df 1.5 to Inf,
 * epsilon 0 to 0.1; the hard ones have no fixed point): in the range given
 * after it 236 to 239 converge instead of 238, in as many sweeps to 4 % unless
 * said. */

/* Residual at which the fixed point is near enough for Newton; 0.1 to 1 (with
 * n = 150 besides): 356 to 362 of 432 instead of 354, sweeps within 5 %. */
#define NEWTON_FROM 0.3
/* The same from a start that is foreseen; 0.3: a node takes a quarter longer */
#define NEWTON_NEAR 1
/* Share of the residual that a full step has to take away to be accepted; 0.25
 * to 0.75 on the same 432 problems: 352 to 355. */
#define NEWTON_GAIN 0.5
/* Products with the Jacobian that a step may cost; 30 to 240: no difference. */
#define NEWTON_PRODUCTS 120
/* Sites with less than this share of the largest residual sit a sweep out,
 * which saves their n^2 each; 0.01 to 0.2. */
#define ACTIVE_SHARE 0.05
/* Damping goes no lower; 0.005 to 0.1. */
#define DAMPING_MIN 0.02
/* EP stalls when so many sweeps gain less than 10 % of the residual: 20 and 80
 * sweeps find the same fixed points; the others end after 27 % fewer or 50 %
 * more sweeps in all. */
#define STALL_SWEEPS 25
/* Turns in which the copies of a row settle, and the change that ends them */
#define COPY_TURNS 20
#define COPY_TOL 1e-3
typedef struct {
  latent *post;
  const lik_step *lik;
  const ep_options *opt;
  ep_state *st;
  ep_work *work;
  double worst;
  ep_pace pace;
  int fresh;          /* post comes from a factorisation, not from updates */
  int floor;          /* residual at rounding level: as converged as can be */
  int wait, patience; /* sweeps until Newton may try again */
} ep_loop;

static int refresh(ep_loop *L) {
  L->fresh = 1;
  return ep_refresh(L->post, L->st->site, L->work->tau, L->work->nu);
}

static void evaluate(ep_loop *L) {
  L->worst = fixpoint_evaluate(L->post, L->lik, L->st->site, L->st->view,
                               L->st->residual);
}

static void record(ep_loop *L, int newton) {
  ep_record(L->st, L->opt, L->post, L->lik->df, L->worst, L->pace.damping,
            newton);
}

/* A change of site i whose marginal is (A, m), and gamma and beta of it. */
typedef struct {
  double dtau, dnu, gamma, beta;
} site_step;

/* What G asks for, damped. Returns 0 where it is not to be had. */
static int step_of(const ep_loop *L, int i, double A, double m, ep_site site,
                   double damping, site_step *step) {
  site_view at;
  if (fixpoint_map(L->post, L->lik, i, A, m, site, &at) != EP_CONVERGED)
    return 0;
  const double dtau = damping * (at.next.tau - site.tau);
  const double dnu = damping * (at.next.nu - site.nu);
  const double grow = 1 + dtau * A;
  if (!(grow > 0)) return 0;
  /* [M 3.7] */
  *step = (site_step){dtau, dnu, dtau / grow, (dnu - dtau * m) / grow};
  return 1;
}

/* Where a row stands for many their sites move together, and may swing: they
 * are led to where they agree, the rest of the posterior held. */
static void settle_copies(const ep_loop *L, int i, double A, double m,
                          ep_site site, site_step *sum) {
  double damping = L->pace.damping, before = INFINITY;
  const double A0 = A, m0 = m;
  const ep_site from = site;
  for (int turn = 0; turn < COPY_TURNS; turn++) {
    site_step step;
    if (!step_of(L, i, A, m, site, damping, &step)) break;
    const double size = fmax(fabs(step.dtau) * A, fabs(step.dnu) * sqrt(A));
    if (size > before && damping > DAMPING_MIN) damping /= 2;
    before = size;
    site.tau += step.dtau;
    site.nu += step.dnu;
    m += step.beta * A;
    A -= step.gamma * A * A;
    if (size < COPY_TOL) break;
  }
  const double dtau = site.tau - from.tau, dnu = site.nu - from.nu;
  const double grow = 1 + dtau * A0;
  if (grow > 0)
    *sum = (site_step){dtau, dnu, dtau / grow, (dnu - dtau * m0) / grow};
}

/* One site inside a block: l-th of b, marginal (m, Cbb[l,l]). Sets gamma and
 * beta, zero when the site is left alone. Returns 1 when updated. */
static int update_site(ep_loop *L, int i, double A, double m, double *gamma,
                       double *beta) {
  ep_site *site = &L->st->site[i];
  site_step step;
  *gamma = *beta = 0;
  if (!step_of(L, i, A, m, *site, L->pace.damping, &step)) return 0;
  if (L->post->times && L->post->times[i] > 1)
    settle_copies(L, i, A, m, *site, &step);
  *gamma = step.gamma;
  *beta = step.beta;
  L->post->log_det += log1p(step.dtau * A);
  site->tau += step.dtau;
  site->nu += step.dnu;
  return 1;
}

/* Visits idx[b] in turn on the small covariance, then applies all at once
 * [M 3.8]. Returns the number of sites left alone. */
static int sweep_block(ep_loop *L, const int *idx, int b) {
  ep_work *w = L->work;
  double *C = w->Cbb, *c = w->column, *m = w->nu; /* nu is free in a sweep */
  int skipped = 0;
  L->post->ops->load(L->post, idx, b, C, m);
  for (int l = 0; l < b; l++) {
    core_poll();
    skipped += !update_site(L, idx[l], C[IDX(l, l, b)], m[l], &w->gamma[l],
                            &w->beta[l]);
    ep_pass_on(b, l, w->gamma[l], w->beta[l], C, m, w->N, c);
  }
  L->post->ops->apply(L->post, L->st->site, b, w->N, w->gamma, w->beta);
  return skipped;
}

static void sweep(ep_loop *L) {
  const int n = L->post->n;
  int *active = L->work->active, k = 0;
  const double least = isfinite(L->worst) ? ACTIVE_SHARE * L->worst : 0;
  for (int i = 0; i < n; i++)
    if (!(L->st->residual[i] < least)) active[k++] = i;
  L->st->skipped = 0;
  for (int first = 0; first < k; first += L->opt->block) {
    const int left = k - first;
    L->st->skipped += sweep_block(L, active + first,
                                  left < L->opt->block ? left : L->opt->block);
  }
  L->post->ops->marginals(L->post);
  L->fresh = 0;
}

/* Sites old + scale * step; L->worst tells what came of it. */
static int try_step(ep_loop *L, double scale) {
  ep_site *site = L->st->site;
  const ep_site *old = L->work->old, *step = L->work->step;
  for (int i = 0; i < L->post->n; i++) {
    site[i].tau = old[i].tau + scale * step[i].tau;
    site[i].nu = old[i].nu + scale * step[i].nu;
  }
  const int status = refresh(L);
  L->worst = INFINITY;
  if (status == EP_CONVERGED) evaluate(L);
  return status;
}

/* The last Newton step, where the square of the residual is below tol: what
 * comes of it is told from the posterior before it. Returns 1 when it ends
 * there; otherwise the sites, but not the posterior, are as before. */
static int last_step(ep_loop *L) {
  ep_site *site = L->st->site;
  const double before = L->worst;
  if (!L->opt->near || !L->post->ops->follow || !L->fresh ||
      before * before > L->opt->tol)
    return 0;
  const ep_site *step = L->work->step;
  L->post->ops->follow(L->post, site, step);
  for (int i = 0; i < L->post->n; i++) {
    site[i].tau += step[i].tau;
    site[i].nu += step[i].nu;
  }
  evaluate(L);
  if (L->worst < L->opt->tol) return 1;
  memcpy(site, L->work->old, (size_t)L->post->n * sizeof *site);
  L->worst = before;
  return 0;
}

/* Newton step, shortened when the full one does not help. Returns 1 when one
 * was accepted; otherwise the sites are as before. *status is negative when
 * the old sites could not be restored. */
static int newton_step(ep_loop *L, int *status) {
  const double before = L->worst;
  *status = EP_CONVERGED;
  if (L->opt->lean) return 0;
  const double least = L->opt->near ? 0 : L->opt->tol / before;
  const double tol = fmin(0.05, fmax(before * 0.1, least));
  memcpy(L->work->old, L->st->site, (size_t)L->post->n * sizeof(ep_site));
  fixpoint_linearise(&L->work->fix, L->post, L->lik, L->st->site, L->st->view);
  if (fixpoint_newton(&L->work->fix, L->st->site, L->st->view, tol,
                      NEWTON_PRODUCTS, L->work->step) < 0)
    return 0;
  if (last_step(L)) return 1;
  for (double scale = 1; scale > 0.1; scale *= 0.4) {
    try_step(L, scale);
    if (L->worst < (1 - NEWTON_GAIN * scale) * before) return 1;
  }
  *status = try_step(L, 0);
  return 0;
}

/* Starts from the given sites, or from the prior when they cannot be used. */
static int start(ep_loop *L) {
  if (refresh(L) == EP_CONVERGED) {
    evaluate(L);
    if (isfinite(L->worst)) return EP_CONVERGED;
  }
  memset(L->st->site, 0, (size_t)L->post->n * sizeof *L->st->site);
  const int status = refresh(L);
  if (status != EP_CONVERGED) return status;
  evaluate(L);
  return isfinite(L->worst) ? EP_CONVERGED : EP_IMPROPER;
}

/* One sweep with its step control. One that ends with an improper cavity is
 * undone, for no later update could mend that site. */
static int guarded_sweep(ep_loop *L) {
  const size_t bytes = (size_t)L->post->n * sizeof *L->st->site;
  const double before = L->worst;
  int status = EP_CONVERGED;
  memcpy(L->work->old, L->st->site, bytes);
  sweep(L);
  evaluate(L);
  if (!isfinite(L->worst)) {
    memcpy(L->st->site, L->work->old, bytes);
    status = refresh(L);
    evaluate(L);
  }
  ep_pace_after(&L->pace, L->opt, DAMPING_MIN, before, L->worst,
                L->st->skipped);
  return status;
}

/* A Newton step when the fixed point is near and the last ones worked,
 * otherwise a sweep. */
static int advance(ep_loop *L) {
  int status = EP_CONVERGED, newton = 0;
  if (L->worst < L->opt->tol) { /* shed update rounding, then look again */
    status = refresh(L);
    if (status == EP_CONVERGED) evaluate(L);
  } else if ((L->worst < (L->opt->near ? NEWTON_NEAR : NEWTON_FROM) ||
              L->pace.rises > 1) &&
             --L->wait < 0) {
    newton = newton_step(L, &status);
    if (newton) {
      L->st->newton++;
      L->st->skipped = L->pace.rises = 0;
    } else {
      L->floor = L->fresh && L->worst < ep_rounding(L->post);
      L->wait = L->patience;
      L->patience = L->patience < 32 ? 2 * L->patience : 64;
    }
  } else {
    status = guarded_sweep(L);
  }
  L->st->sweeps++;
  if (status == EP_CONVERGED) record(L, newton);
  return status;
}

/* Ends at the best sites met, or at the prior where these can't be used. They
 * may be a fixed point: the last sweep allowed is looked at by updates alone. */
static int give_up(ep_loop *L, int reason) {
  const size_t bytes = (size_t)L->post->n * sizeof *L->st->site;
  memcpy(L->st->site, L->work->best, bytes);
  int status = refresh(L);
  if (status != EP_CONVERGED) {
    memset(L->st->site, 0, bytes);
    status = refresh(L);
  }
  if (status != EP_CONVERGED) return status;
  evaluate(L);
  if (!(L->worst < L->opt->tol)) return reason;
  L->st->skipped = 0;
  return EP_CONVERGED;
}

int ep_run(latent *post, const lik_step *lik, const ep_options *opt,
           ep_state *st, ep_work *work, ep_monitor monitor,
           void *monitor_data) {
  ep_loop L = {
      .post = post,
      .lik = lik,
      .opt = opt,
      .st = st,
      .work = work,
      .pace = {.damping = opt->damping, .earlier = INFINITY, .most = INFINITY},
      .patience = 2};
  st->sweeps = st->newton = st->skipped = st->n_trace = 0;
  if (opt->parallel) {
    const int status =
        ep_parallel(post, lik, opt, st, work, monitor, monitor_data);
    if (status == EP_CONVERGED || status == EP_INTERRUPTED) return status;
  }
  const int started = start(&L);
  if (started != EP_CONVERGED) return started;
  ep_watch watch = {.max_sweeps = opt->max_sweeps,
                    .patience = STALL_SWEEPS,
                    .monitor = monitor,
                    .monitor_data = monitor_data,
                    .site = st->site,
                    .best = work->best,
                    .count = (size_t)post->n};
  ep_watch_begin(&watch);
  record(&L, 0);
  while (!(L.worst < opt->tol && L.fresh) && !L.floor) {
    const int seen = ep_watch_sweep(&watch, st->sweeps, L.worst);
    if (seen == EP_INTERRUPTED) return seen;
    if (seen == EP_STALLED && st->skipped > 0)
      return give_up(&L, EP_SITES_SKIPPED);
    if (seen != EP_CONVERGED) return give_up(&L, seen);
    if (advance(&L) != EP_CONVERGED) return give_up(&L, EP_NO_STEP);
  }
  return EP_CONVERGED;
}
