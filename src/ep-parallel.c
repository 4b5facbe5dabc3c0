/* What: parallel EP: every site anew from one posterior, with Anderson
 *       acceleration. One pass costs a refresh: what many rows can afford.
 * Method: with tt = tau/(1 + lambda tau) and nt = nu/(1 + lambda tau), in which
 *   the posterior precision of a low-rank latent is linear [M 9.2],
 *     x = (tt, nt) <- x + step                                        [M 9.8]
 *   with the step of parallel.h for f = G(x) - x in the norm of
 *   (tt q, nt sqrt(q)).
 * References: WN11. */
#include "ep-parallel.h"
#include "numeric.h"
#include "parallel.h"

typedef struct {
  latent *post;
  const lik_step *lik;
  const ep_options *opt;
  ep_state *st;
  ep_work *work;
  parallel_sums sums; /* where we are */
  double least;       /* least size so far */
} parallel_loop;

static double lambda_of(const latent *post, int i) {
  return post->lambda ? post->lambda[i] : 0;
}

static int refresh_and_evaluate(parallel_loop *L) {
  ep_state *st = L->st;
  const int status = ep_refresh(L->post, st->site, L->work->tau, L->work->nu);
  if (status != EP_CONVERGED) return status;
  fixpoint_evaluate(L->post, L->lik, st->site, st->view, st->residual);
  L->sums = (parallel_sums){0, 0, 0};
  for (int i = 0; i < L->post->n; i++)
    parallel_add(&L->sums, &st->view[i], st->residual[i]);
  return EP_CONVERGED;
}

/* From the sites given, where they are usable: there is a posterior as soon as
 * none is negative. Otherwise from the prior. */
static int start(parallel_loop *L) {
  ep_site *site = L->st->site;
  const int n = L->post->n;
  for (int i = 0; i < n; i++)
    site[i] = parallel_take(lambda_of(L->post, i), site[i]);
  if (refresh_and_evaluate(L) == EP_CONVERGED) return EP_CONVERGED;
  for (int i = 0; i < n; i++) site[i].tau = fmax(site[i].tau, 0);
  if (refresh_and_evaluate(L) == EP_CONVERGED) return EP_CONVERGED;
  memset(site, 0, (size_t)n * sizeof *site);
  return refresh_and_evaluate(L);
}

/* x, f = G(x) - x and the weights of its norm */
static void gather(parallel_loop *L) {
  const latent *post = L->post;
  const int n = post->n;
  double *x = L->work->x, *f = L->work->f, *weight = L->work->weight;
  for (int i = 0; i < n; i++) {
    const double lambda = lambda_of(post, i);
    const ep_site s = L->st->site[i];
    const double rho = 1 / (1 + lambda * s.tau);
    const double q = fmax(post->A[i] - lambda * rho, 0) / (rho * rho);
    const ep_site here = {rho * s.tau, rho * s.nu};
    const ep_site move = parallel_move(here, lambda, &L->st->view[i]);
    x[i] = here.tau;
    x[n + i] = here.nu;
    f[i] = move.tau;
    f[n + i] = move.nu;
    weight[i] = q;
    weight[n + i] = sqrt(q);
  }
}

/* Sites x + scale step; 0 where 1 - lambda tt is not above 0. */
static int place(parallel_loop *L, double scale) {
  const int n = L->post->n;
  const double *x = L->work->x, *step = L->work->jump;
  for (int i = 0; i < n; i++) {
    const double tt = x[i] + scale * step[i];
    const double left = 1 - lambda_of(L->post, i) * tt;
    if (!(left > 0)) return 0;
    L->st->site[i].tau = tt / left;
    L->st->site[i].nu = (x[n + i] + scale * step[n + i]) / left;
  }
  return 1;
}

/* One pass, the first of the steps that helps; returns its scale, 0 when none
 * does. */
static double pass(parallel_loop *L) {
  ep_work *work = L->work;
  anderson *mix = &work->mix;
  L->least = fmin(L->least, sqrt(L->sums.squares));
  gather(L);
  anderson_take(mix, work->weight, work->x, work->f);
  const parallel_plan plan =
      parallel_steps(mix->H, mix->g, mix->count, L->opt->damping, L->least);
  for (int k = 0; k < plan.n; k++) {
    if (k == plan.along && mix->count > 0) anderson_restart(mix);
    anderson_step(mix, plan.gamma, work->jump);
    if (place(L, plan.scale[k]) && refresh_and_evaluate(L) == EP_CONVERGED &&
        sqrt(L->sums.squares) <= plan.bound)
      return plan.scale[k];
  }
  return 0;
}

static int run(parallel_loop *L, ep_monitor monitor, void *monitor_data) {
  ep_state *st = L->st;
  ep_watch watch = {.max_sweeps = L->opt->max_sweeps,
                    .patience = PARALLEL_PATIENCE,
                    .monitor = monitor,
                    .monitor_data = monitor_data,
                    .site = st->site,
                    .best = L->work->best,
                    .count = (size_t)L->post->n};
  double scale = L->opt->damping;
  ep_watch_begin(&watch);
  for (;;) {
    const double worst = L->sums.worst;
    st->skipped = L->sums.improper;
    ep_record(st, L->opt, L->post, L->lik->df,
              L->sums.improper ? INFINITY : worst, scale, 0);
    if (worst < L->opt->tol) return EP_CONVERGED;
    const int seen = ep_watch_sweep(&watch, st->sweeps, worst);
    if (seen != EP_CONVERGED) return seen;
    scale = pass(L);
    st->sweeps++;
    if (scale == 0) return EP_NO_STEP;
  }
}

int ep_parallel(latent *post, const lik_step *lik, const ep_options *opt,
                ep_state *st, ep_work *work, ep_monitor monitor,
                void *monitor_data) {
  parallel_loop L = {.post = post,
                     .lik = lik,
                     .opt = opt,
                     .st = st,
                     .work = work,
                     .least = INFINITY};
  const int started = start(&L);
  if (started != EP_CONVERGED) return started;
  anderson_restart(&work->mix);
  const int status = run(&L, monitor, monitor_data);
  if (status != EP_CONVERGED)
    memcpy(st->site, work->best, (size_t)post->n * sizeof *st->site);
  return status;
}
