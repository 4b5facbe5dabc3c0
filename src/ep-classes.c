/* What: the EP loop with C latent functions.
 * Method: sequential sweeps in blocks, a row's C sites at each of
 *   its turns; after each sweep the shift that the cavities of a row have in
 *   common (ep-classes-common.c), without which sweeps crawl. A row with an
 *   improper cavity in any class is left alone in all, and such a sweep never
 *   counts as converged. Kept apart from ep.c, whose Newton steps and adjoint
 *   rest on the derivatives of a scalar likelihood: what is one and the same in
 *   both is in latent.h, ep-state.c and the statuses.
 * References: RW06 alg. 3.5. */
#include "ep-classes.h"
#include "matrix.h"
#include "numeric.h"

/* These steer the way to a fixed point, not where it is. With 20 % wrong labels
 * in 60 rows all of 240 fits with a nugget of 0.1 or 1 converge, and 209 of 240
 * with one of 0.01 or 0.001 (campaign-classes.R). */

/* Damping goes no lower; 0.1: 3 fits fewer. Sweeps whose residual grows are
 * often on their way to far means. */
#define DAMPING_MIN 0.5
/* In a search all rows are looked at once more where the largest residual at a
 * turn was within so many times the tolerance: a sweep leaves a fifth of it. */
#define LOOK_WITHIN 5
/* EP stalls when so many sweeps gain less than 10 % of the residual. */
#define STALL_SWEEPS 40

typedef struct {
  const classes_model *model;
  const ep_options *opt;
  classes_state *st;
  classes_work *work;
  double worst; /* the largest residual, Inf where a cavity is improper */
  double turn;  /* the largest at the turns of a sweep */
  double peak;  /* of `worst` so far */
  ep_pace pace;
  int fresh; /* posteriors are those of the sites, not as updates left them */
} classes_loop;

static size_t all_sites(const classes_loop *L) {
  return (size_t)L->model->n * (size_t)L->model->C * sizeof(ep_site);
}

typedef int making(latent *, const ep_site *, double *tau, double *nu);

/* All posteriors anew from their sites */
static int renew(classes_loop *L, making *by) {
  const int n = L->model->n;
  L->fresh = 0;
  for (int c = 0; c < L->model->C; c++) {
    const int status = by(L->model->post[c], L->st->site + IDX(0, c, n),
                          L->work->tau, L->work->nu);
    if (status != EP_CONVERGED) return status;
  }
  L->fresh = 1;
  return EP_CONVERGED;
}

static int refresh(classes_loop *L) { return renew(L, ep_refresh); }

static void evaluate(classes_loop *L) {
  L->worst = classes_evaluate(L->model, L->st->site, L->st->cav, L->st->log_z,
                              L->st->residual);
}

static void record(classes_loop *L) {
  classes_state *st = L->st;
  if (st->n_trace == ep_trace_rows(L->opt)) return;
  double *row = st->trace + (size_t)st->n_trace++ * N_TRACE;
  double value;
  const int known = (L->fresh || !L->opt->lean) &&
                    classes_evidence(L->model, st->site, st->cav, st->log_z,
                                     &value) == EP_CONVERGED;
  row[TRACE_RESIDUAL] = L->worst;
  row[TRACE_EVIDENCE] = known ? value : NAN;
  row[TRACE_DAMPING] = L->pace.damping;
  row[TRACE_NEWTON] = 0;
}

/* Row i, the l-th of a block of b: all its sites move, or none. Returns 1 when
 * they did. */
static int update_row(classes_loop *L, int i, int l, int b) {
  const classes_model *model = L->model;
  classes_work *w = L->work;
  const int n = model->n, C = model->C;
  double A[ARGMAX_MOST] = {0}, m[ARGMAX_MOST] = {0};
  double dtau[ARGMAX_MOST], dnu[ARGMAX_MOST];
  ep_site site[ARGMAX_MOST] = {{0, 0}};
  classes_row row;
  int moves = 1;
  for (int c = 0; c < C; c++) {
    A[c] = w->Cbb[(size_t)c * (size_t)b * (size_t)b + IDX(l, l, b)];
    m[c] = w->mean[IDX(l, c, b)];
    site[c] = L->st->site[IDX(i, c, n)];
    w->gamma[IDX(l, c, b)] = w->beta[IDX(l, c, b)] = 0;
  }
  if (classes_project(model, i, A, m, site, &row) != EP_CONVERGED) return 0;
  L->turn = fmax(L->turn, classes_residual(C, A, site, row.next));
  for (int c = 0; c < C; c++) {
    dtau[c] = L->pace.damping * (row.next[c].tau - site[c].tau);
    dnu[c] = L->pace.damping * (row.next[c].nu - site[c].nu);
    moves = moves && 1 + dtau[c] * A[c] > 0;
  }
  if (!moves) return 0;
  for (int c = 0; c < C; c++) { /* [M 3.7] */
    const double grow = 1 + dtau[c] * A[c];
    double *used = &w->common.used[IDX(i, c, n)]; /* goes as far as the site */
    w->gamma[IDX(l, c, b)] = dtau[c] / grow;
    w->beta[IDX(l, c, b)] = (dnu[c] - dtau[c] * m[c]) / grow;
    model->post[c]->log_det += log1p(dtau[c] * A[c]);
    *used += L->pace.damping * (row.cav[c].mean - *used);
    L->st->site[IDX(i, c, n)] =
        (ep_site){site[c].tau + dtau[c], site[c].nu + dnu[c]};
  }
  return 1;
}

/* Visits idx[b] in turn. Returns the number of rows left alone. */
static int sweep_block(classes_loop *L, const int *idx, int b) {
  const classes_model *model = L->model;
  classes_work *w = L->work;
  const size_t square = (size_t)b * (size_t)b;
  int skipped = 0;
  for (int c = 0; c < model->C; c++)
    model->post[c]->ops->load(model->post[c], idx, b,
                              w->Cbb + (size_t)c * square,
                              w->mean + IDX(0, c, b));
  for (int l = 0; l < b; l++) {
    core_poll();
    skipped += !update_row(L, idx[l], l, b);
    for (int c = 0; c < model->C; c++) {
      const size_t at = IDX(l, c, b);
      ep_pass_on(b, l, w->gamma[at], w->beta[at], w->Cbb + (size_t)c * square,
                 w->mean + IDX(0, c, b), w->N + (size_t)c * square, w->column);
    }
  }
  for (int c = 0; c < model->C; c++)
    model->post[c]->ops->apply(model->post[c],
                               L->st->site + IDX(0, c, model->n), b,
                               w->N + (size_t)c * square,
                               w->gamma + IDX(0, c, b), w->beta + IDX(0, c, b));
  return skipped;
}

/* All rows: to let those sit out whose residual is small, as ep.c does, takes
 * more sweeps (median 12 instead of 8), for all rows have the common mode. */
static void sweep(classes_loop *L) {
  const int n = L->model->n, *order = L->work->order;
  L->st->skipped = 0;
  L->turn = 0;
  for (int first = 0; first < n; first += L->opt->block) {
    const int left = n - first;
    L->st->skipped += sweep_block(L, order + first,
                                  left < L->opt->block ? left : L->opt->block);
  }
  for (int c = 0; c < L->model->C; c++)
    L->model->post[c]->ops->marginals(L->model->post[c]);
  L->fresh = 0;
}

/* The cavity means that the sites are answers to, as far as is known: those
 * that they have. */
static void note_means(classes_loop *L) {
  const size_t all = (size_t)L->model->n * (size_t)L->model->C;
  for (size_t k = 0; k < all; k++) L->work->common.used[k] = L->st->cav[k].mean;
}

/* From the given sites, or from the prior when they cannot be used. */
static int start(classes_loop *L) {
  int status = refresh(L);
  if (status == EP_CONVERGED) evaluate(L);
  if (status != EP_CONVERGED || !isfinite(L->worst)) {
    memset(L->st->site, 0, all_sites(L));
    status = refresh(L);
    if (status != EP_CONVERGED) return status;
    evaluate(L);
    if (!isfinite(L->worst)) return EP_IMPROPER;
  }
  note_means(L);
  return EP_CONVERGED;
}

/* Sheds what updates have left in rounding, which a search does not feel, then
 * looks again. */
static int refreshed(classes_loop *L) {
  const int status = renew(L, L->opt->lean ? ep_settle : ep_refresh);
  if (status == EP_CONVERGED) evaluate(L);
  return status;
}

/* One sweep, the common mode, and step control. A sweep that leaves improper
 * cavities is not undone: other rows may mend them. */
static int paced_sweep(classes_loop *L) {
  const double before = L->worst;
  int status = EP_CONVERGED;
  sweep(L);
  common_solve(&L->work->common, L->model, L->st->site);
  if (!L->opt->lean || L->st->skipped > 0)
    evaluate(L);
  else if (L->turn < LOOK_WITHIN * L->opt->tol)
    status = refreshed(L);
  else
    L->worst = L->turn;
  ep_pace_after(&L->pace, L->opt, DAMPING_MIN, before, L->worst,
                L->st->skipped);
  L->st->sweeps++;
  return status;
}

/* Ends at the best sites met, or at the prior where these can't be used. They
 * may be a fixed point: the last sweep allowed is looked at by updates alone. */
static int give_up(classes_loop *L, int reason) {
  memcpy(L->st->site, L->work->best, all_sites(L));
  int status = refresh(L);
  if (status != EP_CONVERGED) {
    memset(L->st->site, 0, all_sites(L));
    status = refresh(L);
  }
  if (status != EP_CONVERGED) return status;
  evaluate(L);
  if (!(L->worst < L->opt->tol)) return reason;
  L->st->skipped = 0;
  return EP_CONVERGED;
}

/* Where the residual neither falls nor is above what rounding leaves */
static int near_rounding(const classes_loop *L) {
  double floor = 0;
  if (L->pace.rises < 2) return 0;
  for (int c = 0; c < L->model->C; c++)
    floor = fmax(floor, ep_rounding(L->model->post[c]));
  return L->worst < floor;
}

static int done(const classes_loop *L) {
  return L->fresh && L->st->skipped == 0 &&
         (L->worst < L->opt->tol || near_rounding(L));
}

int classes_run(const classes_model *model, const ep_options *opt,
                classes_state *st, classes_work *work, ep_monitor monitor,
                void *monitor_data) {
  classes_loop L = {
      .model = model,
      .opt = opt,
      .st = st,
      .work = work,
      .pace = {.damping = opt->damping, .earlier = INFINITY, .most = INFINITY}};
  st->sweeps = st->skipped = st->n_trace = 0;
  const int started = start(&L);
  if (started != EP_CONVERGED) return started;
  L.pace.calm = fmax(L.worst, 1);
  for (int i = 0; i < model->n; i++) work->order[i] = i;
  ep_watch watch = {.max_sweeps = opt->max_sweeps,
                    .patience = STALL_SWEEPS,
                    .monitor = monitor,
                    .monitor_data = monitor_data,
                    .site = st->site,
                    .best = work->best,
                    .count = (size_t)model->n * (size_t)model->C};
  ep_watch_begin(&watch);
  record(&L);
  while (!done(&L)) {
    /* The first sweeps may lead far up before they come down. */
    if (isfinite(L.worst) && L.worst > L.peak) {
      L.peak = L.worst;
      ep_watch_anew(&watch);
    }
    const int seen = ep_watch_sweep(&watch, st->sweeps, L.worst);
    if (seen == EP_INTERRUPTED) return seen;
    if (seen == EP_STALLED && st->skipped > 0)
      return give_up(&L, EP_SITES_SKIPPED);
    if (seen != EP_CONVERGED) return give_up(&L, seen);
    if (!L.fresh && (L.worst < opt->tol || near_rounding(&L))) {
      st->sweeps++;
      if (refreshed(&L) != EP_CONVERGED) return give_up(&L, EP_NO_STEP);
    } else if (paced_sweep(&L) != EP_CONVERGED) {
      return give_up(&L, EP_NO_STEP);
    }
    record(&L);
  }
  return EP_CONVERGED;
}

WORKSPACE_HOLDS(ep_cavity);

void classes_carve(classes_state *st, classes_work *work, int n, int C,
                   const ep_options *opt, workspace *ws) {
  const size_t N = (size_t)n, K = (size_t)C, all = N * K;
  const size_t b = (size_t)(opt->block < n ? opt->block : n);
  st->site = workspace_take_bytes(ws, all * sizeof(ep_site));
  st->cav = workspace_take_bytes(ws, all * sizeof(ep_cavity));
  st->trace = workspace_take(ws, (size_t)ep_trace_rows(opt) * N_TRACE);
  WORKSPACE_EACH(ws, N, &st->log_z, &st->residual, &work->tau, &work->nu);
  WORKSPACE_EACH(ws, K * b * b, &work->Cbb, &work->N);
  WORKSPACE_EACH(ws, K * b, &work->mean, &work->gamma, &work->beta);
  work->column = workspace_take(ws, b);
  work->best = workspace_take_bytes(ws, all * sizeof(ep_site));
  work->order = workspace_take_bytes(ws, N * sizeof(int));
  common_carve(&work->common, n, C, ws);
}
