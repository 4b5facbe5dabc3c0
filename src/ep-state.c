/* What: the memory of an EP run and its trace. */
#include "ep.h"
#include "criterion.h"
#include "numeric.h"

/* Rows of the trace that are kept: 320 kB. */
#define TRACE_MAX 10000

WORKSPACE_HOLDS(ep_site);
WORKSPACE_HOLDS(site_view);
WORKSPACE_HOLDS(int);

static int trace_rows(const ep_options *opt) {
  return opt->max_sweeps < TRACE_MAX ? opt->max_sweeps + 1 : TRACE_MAX;
}

void ep_carve(
    ep_state *st, ep_work *work, int n, const ep_options *opt, workspace *ws) {
  const size_t N = (size_t)n, sites = N * sizeof(ep_site);
  const size_t b = (size_t)(opt->block < n ? opt->block : n);
  st->site = workspace_take_bytes(ws, sites);
  st->view = workspace_take_bytes(ws, N * sizeof(site_view));
  st->residual = workspace_take(ws, N);
  st->trace = workspace_take(ws, (size_t)trace_rows(opt) * N_TRACE);
  work->Cbb = workspace_take(ws, b * b);
  work->N = workspace_take(ws, b * b);
  work->column = workspace_take(ws, b);
  work->gamma = workspace_take(ws, b);
  work->beta = workspace_take(ws, b);
  work->tau = workspace_take(ws, N);
  work->nu = workspace_take(ws, N);
  work->old = workspace_take_bytes(ws, sites);
  work->step = workspace_take_bytes(ws, sites);
  work->best = workspace_take_bytes(ws, sites);
  work->active = workspace_take_bytes(ws, N * sizeof(int));
  if (!opt->lean) fixpoint_carve(&work->fix, n, ws);
  if (!opt->parallel) return;
  double **pairs[] = {&work->x, &work->f, &work->weight, &work->jump};
  for (int k = 0; k < 4; k++) *pairs[k] = workspace_take(ws, 2 * N);
  anderson_carve(&work->mix, 2 * n, ws);
}

void ep_record(ep_state *st,
               const ep_options *opt,
               const latent *post,
               double df,
               double residual,
               double damping,
               int newton) {
  if (st->n_trace == trace_rows(opt)) return;
  double *row = st->trace + (size_t)st->n_trace++ * N_TRACE;
  double value;
  const int known = criterion_value(CRITERION_EVIDENCE, post, df, st->site,
                                    st->view, &value) == EP_CONVERGED;
  row[TRACE_RESIDUAL] = residual;
  row[TRACE_EVIDENCE] = known ? value : NAN;
  row[TRACE_DAMPING] = damping;
  row[TRACE_NEWTON] = newton;
}

int ep_refresh(latent *post, const ep_state *st, ep_work *work) {
  for (int i = 0; i < post->n; i++) {
    work->tau[i] = st->site[i].tau;
    work->nu[i] = st->site[i].nu;
  }
  return post->ops->refresh(post, work->tau, work->nu);
}
