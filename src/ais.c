/* What: AIS through the flip rate, with bouncing trajectories on ellipses.
 * Method [M A.2]: log Z = sum of the log likelihoods on the right side +
 *   log E[w], w the product over levels of exp(-sum (new - old barrier) of
 *   labels on the wrong side). A level then draws velocities nu ~ N(0, K) and
 *   follows the trajectory of (f, nu) for a quarter turn (bounce.c), which
 *   leaves prior x likelihood invariant: E[w] is without bias for any number
 *   of levels.
 *   DEVIATION: elliptical slice sampling draws a point of the ellipse of
 *   (f, nu). Such moves, even when drawn exactly, take some fifty times as
 *   long to the same standard error (New Thyroid, 215 rows), and about ten
 *   times with moves along every coordinate added (Pima, 150 rows). Raising
 *   the barriers in several steps on the way gains nothing: it is the mixing
 *   that limits.
 * References: Neal, Annealed importance sampling, Stat. Comput. 11, 2001;
 *   Murray, Adams, MacKay, Elliptical slice sampling, AISTATS 2010. */
#include "ais.h"
#include "matrix.h"
#include "numeric.h"

/* A trajectory meets about n/2 walls; one that meets a hundred times as many
 * (1000 at least, for small n) is given up. */
static int most_walls(int n) { return 1000 + 50 * n; }

void ais_carve(ais_space *s, int n, int r, int chains, workspace *ws) {
  const size_t N = (size_t)n, R = (size_t)r, M = (size_t)chains;
  s->n = n;
  s->r = r;
  s->chains = chains;
  WORKSPACE_EACH(ws, N * M, &s->F, &s->Nu);
  s->log_w = workspace_take(ws, M);
  s->Xi = workspace_take(ws, R * M);
  bounce_carve(&s->path, n, ws);
}

/* fresh draws from the prior for all chains at once: BLAS-3 */
static void draw_prior(const ais_space *s, const random_source *rng,
                       double *F) {
  const size_t total = (size_t)s->r * (size_t)s->chains;
  for (size_t i = 0; i < total; i++) s->Xi[i] = rng->normal(rng->data);
  product("N", "N", s->n, s->chains, s->r, 1, s->B, s->n, s->Xi, s->r, 0, F,
          s->n);
}

void ais_start(ais_space *s, const random_source *rng) {
  draw_prior(s, rng, s->F);
  for (int c = 0; c < s->chains; c++) s->log_w[c] = 0;
}

/* Log weight of a rise of the barriers; 0 x Inf = 0 */
static double rise(const bounce *b, const step_barrier *from,
                   const step_barrier *to) {
  double sum = 0;
  for (int k = 0; k < 2; k++)
    if (b->wrong[k] > 0) sum -= b->wrong[k] * (to->of[k] - from->of[k]);
  return sum;
}

/* Chain c from one level to the next */
static void chain_level(ais_space *s, int c, const step_barrier *from,
                        const step_barrier *to) {
  double *f = s->F + IDX(0, c, s->n);
  bounce_enter(&s->path, f, s->Nu + IDX(0, c, s->n));
  s->log_w[c] += rise(&s->path, from, to);
  if (!isfinite(s->log_w[c])) return;
  bounce_on(&s->path, M_PI / 2, to, most_walls(s->n));
  bounce_leave(&s->path, f);
}

int ais_anneal(ais_space *s, const double *barrier, int levels,
               const random_source *rng, const ais_monitor *monitor,
               double *trace) {
  step_barrier from = {{0, 0}};
  for (int t = 0; t < levels; t++) {
    const step_barrier to = {{barrier[2 * t], barrier[2 * t + 1]}};
    if (monitor->check && monitor->check(monitor->data, t))
      return EP_INTERRUPTED;
    draw_prior(s, rng, s->Nu);
    for (int c = 0; c < s->chains; c++) {
      core_poll();
      if (isfinite(s->log_w[c])) chain_level(s, c, &from, &to);
      trace[IDX(t, c, levels)] = s->log_w[c];
    }
    from = to;
  }
  return EP_CONVERGED;
}

int ais_move(ais_space *s, const step_barrier *barrier, int moves,
             const random_source *rng, const ais_monitor *monitor) {
  for (int move = 0; move < moves; move++) {
    if (monitor->check && monitor->check(monitor->data, move))
      return EP_INTERRUPTED;
    draw_prior(s, rng, s->Nu);
    for (int c = 0; c < s->chains; c++) {
      core_poll();
      double *f = s->F + IDX(0, c, s->n);
      bounce_enter(&s->path, f, s->Nu + IDX(0, c, s->n));
      bounce_on(&s->path, M_PI / 2, barrier, most_walls(s->n));
      bounce_leave(&s->path, f);
    }
  }
  return EP_CONVERGED;
}
