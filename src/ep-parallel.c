/* What: parallel EP: every site anew from one posterior, with Anderson
 *       acceleration. One pass costs a refresh: what many rows can afford.
 * Method: with tt = tau/(1 + lambda tau) and nt = nu/(1 + lambda tau), in which
 *   the posterior precision of a low-rank latent is linear [M 9.2],
 *     x = (tt, nt) <- x + step                                        [M 9.8]
 *   with the step of anderson.c for f = G(x) - x in the norm of
 *   (tt q, nt sqrt(q)).
 *   A step is halved until there is a posterior at its end and the residuals
 *   are not twice the least so far. A row whose cavity is improper has half its
 *   site as G: left alone it may keep all others from converging. Plain damping
 *   is no safeguard: undamped, parallel EP cycles without growing.
 * References: WN11. */
#include "ep.h"
#include "numeric.h"

/* What the residual of a row with an improper cavity counts as */
#define IMPROPER_SIZE 10
/* The residuals, root mean square, may be so many times the least so far. (The
 * largest residual is that of one row in 50,000.) Cold starts (tools/bench,
 * passes.R) take 17 % more passes when only a single step is bounded so, as
 * long with 1.2 to 3. */
#define GROWTH 2
/* Shorter than this share of a step none is tried: along Anderson's direction,
 * which is then forgotten (of the same starts, 1e-3 takes 40 % more passes;
 * 0.05 to 0.4 differ by 18 %), and along f. */
#define SHORTEST_ANDERSON 0.2
#define SHORTEST 1e-3
/* Parallel EP gives up when so many passes gain less than 10 % of the
 * residual. */
#define STALL_PASSES 25
/* From another prior a site is taken over only where 1 + lambda tau is above
 * this: below, its row is all but without a posterior. */
#define LEAST_LEFT 0.05

typedef struct {
  latent *post;
  const lik_step *lik;
  const double *y;
  const ep_options *opt;
  ep_state *st;
  ep_work *work;
  double worst; /* largest residual, IMPROPER_SIZE at most */
  double size;  /* root of the sum of their squares, the same bound on each */
  double least; /* the least size so far */
  int improper; /* rows with an improper cavity */
} parallel_loop;

static double lambda_of(const latent *post, int i) {
  return post->lambda ? post->lambda[i] : 0;
}

static int refresh_and_evaluate(parallel_loop *L) {
  ep_state *st = L->st;
  const int status = ep_refresh(L->post, st, L->work);
  if (status != EP_CONVERGED) return status;
  fixpoint_evaluate(L->post, L->lik, L->y, st->site, st->view, st->residual);
  double sum = 0;
  L->worst = 0;
  L->improper = 0;
  for (int i = 0; i < L->post->n; i++) {
    const double r = fmin(st->residual[i], IMPROPER_SIZE);
    L->worst = fmax(L->worst, r);
    sum += r * r;
    L->improper += !st->view[i].proper;
  }
  L->size = sqrt(sum);
  return EP_CONVERGED;
}

/* From the sites given, where they are usable: there is a posterior as soon as
 * none is negative. Otherwise from the prior. */
static int start(parallel_loop *L) {
  ep_site *site = L->st->site;
  const int n = L->post->n;
  for (int i = 0; i < n; i++)
    if (!(1 + lambda_of(L->post, i) * site[i].tau > LEAST_LEFT))
      site[i] = (ep_site){0, 0};
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
    x[i] = rho * s.tau;
    x[n + i] = rho * s.nu;
    if (L->st->view[i].proper) {
      const ep_site to = L->st->view[i].next;
      const double rho_to = 1 / (1 + lambda * to.tau);
      f[i] = rho_to * to.tau - x[i];
      f[n + i] = rho_to * to.nu - x[n + i];
    } else {
      f[i] = -x[i] / 2;
      f[n + i] = -x[n + i] / 2;
    }
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

/* Goes along the step as far as it helps; returns the scale, 0 when nowhere. */
static double go(parallel_loop *L, double shortest) {
  for (double scale = L->opt->damping; scale > shortest * L->opt->damping;
       scale /= 2)
    if (place(L, scale) && refresh_and_evaluate(L) == EP_CONVERGED &&
        L->size <= GROWTH * L->least)
      return scale;
  return 0;
}

/* One pass. When no long step along Anderson's direction helps, one along f
 * itself is tried. */
static double pass(parallel_loop *L) {
  L->least = fmin(L->least, L->size);
  gather(L);
  anderson_step(&L->work->mix, L->work->weight, L->work->x, L->work->f,
                L->work->jump);
  const int along_f = L->work->mix.count == 0; /* nothing is remembered yet */
  double scale = go(L, along_f ? SHORTEST : SHORTEST_ANDERSON);
  if (scale == 0 && !along_f) {
    anderson_restart(&L->work->mix);
    memcpy(L->work->jump, L->work->f,
           2 * (size_t)L->post->n * sizeof *L->work->f);
    scale = go(L, SHORTEST);
  }
  return scale;
}

static int run(parallel_loop *L, ep_monitor monitor, void *monitor_data) {
  ep_state *st = L->st;
  const size_t bytes = (size_t)L->post->n * sizeof *st->site;
  double best = INFINITY, anchor = INFINITY, scale = L->opt->damping;
  for (int since = 0;; since++) {
    st->skipped = L->improper;
    ep_record(st, L->opt, L->post, L->lik->df,
              L->improper ? INFINITY : L->worst, scale, 0);
    if (L->worst < L->opt->tol) return EP_CONVERGED;
    if (L->worst < 0.9 * anchor) {
      anchor = L->worst;
      since = 0;
    }
    if (L->worst < best) {
      best = L->worst;
      memcpy(L->work->best, st->site, bytes);
    }
    if (st->sweeps >= L->opt->max_sweeps) return EP_MAX_SWEEPS;
    if (since > STALL_PASSES) return EP_STALLED;
    if (monitor && monitor(monitor_data, st->sweeps, L->worst))
      return EP_INTERRUPTED;
    scale = pass(L);
    st->sweeps++;
    if (scale == 0) return EP_SITES_SKIPPED;
  }
}

int ep_parallel(latent *post,
                const lik_step *lik,
                const double *y,
                const ep_options *opt,
                ep_state *st,
                ep_work *work,
                ep_monitor monitor,
                void *monitor_data) {
  parallel_loop L = {.post = post,
                     .lik = lik,
                     .y = y,
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
