/* What: what the EP loops share: memory, trace, the inside of a block, the
 *       watch over the residuals. */
#include "ep-state.h"
#include "criterion.h"
#include "dense-tile.h"
#include "numeric.h"

/* Rows of the trace that are kept: 320 kB. */
#define TRACE_MAX 10000

/* A residual that Newton cannot lower from within [FLOOR_LEAST, FLOOR_MOST] is
 * rounding, whatever tol asks for: A carries an error of DBL_EPSILON times its
 * prior value, 10 of which ep_rounding() allows. The ends are the default
 * tol of ep_control(), which is never too much to ask, and a residual that is
 * too large for any user; ten times as large, either: no difference. */
#define FLOOR_LEAST 1e-9
#define FLOOR_MOST 1e-6

/* Of a damping that led up, what is recovered to: one step of recovery less */
#define PACE_LESS 0.8

WORKSPACE_HOLDS(ep_site);
WORKSPACE_HOLDS(site_view);
WORKSPACE_HOLDS(int);

int ep_trace_rows(const ep_options *opt) {
  return opt->max_sweeps < TRACE_MAX ? opt->max_sweeps + 1 : TRACE_MAX;
}

void ep_carve(ep_state *st, ep_work *work, int n, const ep_options *opt,
              workspace *ws) {
  const size_t N = (size_t)n, sites = N * sizeof(ep_site);
  const size_t b = (size_t)(opt->block < n ? opt->block : n);
  st->site = workspace_take_bytes(ws, sites);
  st->view = workspace_take_bytes(ws, N * sizeof(site_view));
  st->trace = workspace_take(ws, (size_t)ep_trace_rows(opt) * N_TRACE);
  WORKSPACE_EACH(ws, N, &st->residual, &work->tau, &work->nu);
  WORKSPACE_EACH(ws, b * b, &work->Cbb, &work->N);
  WORKSPACE_EACH(ws, b, &work->column, &work->gamma, &work->beta);
  work->old = workspace_take_bytes(ws, sites);
  work->step = workspace_take_bytes(ws, sites);
  work->best = workspace_take_bytes(ws, sites);
  work->active = workspace_take_bytes(ws, N * sizeof(int));
  if (!opt->lean) fixpoint_carve(&work->fix, n, ws);
  if (!opt->parallel) return;
  WORKSPACE_EACH(ws, 2 * N, &work->x, &work->f, &work->weight, &work->jump);
  anderson_carve(&work->mix, 2 * n, ws);
}

void ep_record(ep_state *st, const ep_options *opt, const latent *post,
               double df, double residual, double damping, int newton) {
  if (st->n_trace == ep_trace_rows(opt)) return;
  double *row = st->trace + (size_t)st->n_trace++ * N_TRACE;
  double value;
  const int known = criterion_value(CRITERION_EVIDENCE, post, df, st->site,
                                    st->view, &value) == EP_CONVERGED;
  row[TRACE_RESIDUAL] = residual;
  row[TRACE_EVIDENCE] = known ? value : NAN;
  row[TRACE_DAMPING] = damping;
  row[TRACE_NEWTON] = newton;
}

static void spread(int n, const ep_site *site, double *tau, double *nu) {
  for (int i = 0; i < n; i++) {
    tau[i] = site[i].tau;
    nu[i] = site[i].nu;
  }
}

int ep_refresh(latent *post, const ep_site *site, double *tau, double *nu) {
  spread(post->n, site, tau, nu);
  return post->ops->refresh(post, tau, nu);
}

int ep_settle(latent *post, const ep_site *site, double *tau, double *nu) {
  if (!post->ops->settle) return ep_refresh(post, site, tau, nu);
  spread(post->n, site, tau, nu);
  post->ops->settle(post, tau, nu);
  return EP_CONVERGED;
}

void ep_pace_after(ep_pace *p, const ep_options *opt, double least,
                   double before, double after, int skipped) {
  p->rises = after < fmin(before, p->earlier) ? 0 : p->rises + 1;
  p->earlier = before;
  if (p->rises == 2 && after < p->calm)
    p->most = fmax(least, PACE_LESS * p->damping);
  if (skipped > 0 || p->rises > 1)
    p->damping = fmax(fmin(least, opt->damping), p->damping / 2);
  else if (p->rises == 0)
    p->damping = fmin(fmin(opt->damping, p->most), p->damping * 1.25);
}

void ep_pass_on(int b, int l, double gamma, double beta, double *C, double *m,
                double *N, double *column) {
  double *c = column;
  for (int k = l + 1; k < b; k++) {
    c[k] = C[IDX(k, l, b)];
    N[IDX(l, k, b)] = gamma * c[k];
    m[k] += beta * c[k];
  }
  if (gamma != 0) dense_variant_widest()->pass_on(b, l + 1, gamma, c, C);
}

double ep_rounding(const latent *post) {
  double ratio = 0;
  for (int i = 0; i < post->n; i++)
    if (post->A[i] > 0) ratio = fmax(ratio, post->prior[i] / post->A[i]);
  return fmin(fmax(10 * DBL_EPSILON * ratio, FLOOR_LEAST), FLOOR_MOST);
}

void ep_watch_begin(ep_watch *w) {
  w->least = w->anchor = INFINITY;
  w->since = 0;
}

void ep_watch_anew(ep_watch *w) { w->anchor = INFINITY; }

int ep_watch_sweep(ep_watch *w, int sweep, double residual) {
  if (residual < 0.9 * w->anchor) {
    w->anchor = residual;
    w->since = sweep;
  }
  if (residual < w->least) {
    w->least = residual;
    if (w->count > 0) memcpy(w->best, w->site, w->count * sizeof *w->best);
  }
  if (sweep >= w->max_sweeps) return EP_MAX_SWEEPS;
  if (sweep - w->since > w->patience) return EP_STALLED;
  if (w->monitor && w->monitor(w->monitor_data, sweep, residual))
    return EP_INTERRUPTED;
  return EP_CONVERGED;
}
