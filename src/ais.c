/* What: AIS through the flip rate, with bouncing trajectories on ellipses.
 * Method [M A.2]: log Z = sum of the log likelihoods on the right side +
 *   log E[w], w the product over levels of exp(-sum (new - old barrier) of
 *   labels on the wrong side). A level then draws velocities nu ~ N(0, K) and
 *   follows the trajectory of (f, nu) for a quarter turn (walls.h), which
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
static int most_walls(const ais_space *s) {
  return 1000 + 50 * s->n * s->functions;
}

void ais_carve(ais_space *s, int n, int r, int functions, int chains,
               workspace *ws) {
  const size_t N = (size_t)n * (size_t)functions, M = (size_t)chains;
  s->n = n;
  s->r = r;
  s->functions = functions;
  s->chains = chains;
  s->own = 0;
  WORKSPACE_EACH(ws, N * M, &s->F, &s->Nu);
  s->log_w = workspace_take(ws, M);
  s->Xi = workspace_take(ws, (size_t)r * M);
}

/* State c of all */
static double *state_of(const ais_space *s, double *F, int c) {
  return F + (size_t)s->n * (size_t)s->functions * (size_t)c;
}

/* fresh draws from the prior for all chains at once: BLAS-3 */
static void draw_prior(const ais_space *s, const random_source *rng,
                       double *F) {
  const size_t total = (size_t)s->r * (size_t)s->chains;
  const size_t kernel = s->own ? (size_t)s->n * (size_t)s->r : 0;
  for (int j = 0; j < s->functions; j++) {
    for (size_t i = 0; i < total; i++) s->Xi[i] = rng->normal(rng->data);
    product("N", "N", s->n, s->chains, s->r, 1, s->B + kernel * (size_t)j, s->n,
            s->Xi, s->r, 0, F + IDX(0, j, s->n), s->n * s->functions);
  }
}

void ais_start(ais_space *s, const random_source *rng) {
  draw_prior(s, rng, s->F);
  for (int c = 0; c < s->chains; c++) s->log_w[c] = 0;
}

/* Chain c moves at a level, with the velocity drawn for it. */
static void chain_on(ais_space *s, int c, const double *level) {
  s->ops->on(s->walls, M_PI / 2, level, most_walls(s));
  s->ops->leave(s->walls, state_of(s, s->F, c));
}

static void chain_enter(ais_space *s, int c) {
  s->ops->enter(s->walls, state_of(s, s->F, c), state_of(s, s->Nu, c));
}

/* Chain c from one level to the next */
static void chain_level(ais_space *s, int c, const double *from,
                        const double *to) {
  chain_enter(s, c);
  s->log_w[c] += s->ops->rise(s->walls, from, to);
  if (isfinite(s->log_w[c])) chain_on(s, c, to);
}

int ais_anneal(ais_space *s, const double *barrier, int levels,
               const random_source *rng, const ais_monitor *monitor,
               double *trace) {
  const double none[2] = {0, 0}, *from = none;
  for (int t = 0; t < levels; t++) {
    const double *to = barrier + 2 * t;
    if (monitor->check && monitor->check(monitor->data, t))
      return EP_INTERRUPTED;
    draw_prior(s, rng, s->Nu);
    for (int c = 0; c < s->chains; c++) {
      core_poll();
      if (isfinite(s->log_w[c])) chain_level(s, c, from, to);
      trace[IDX(t, c, levels)] = s->log_w[c];
    }
    from = to;
  }
  return EP_CONVERGED;
}

int ais_move(ais_space *s, const double *level, int moves,
             const random_source *rng, const ais_monitor *monitor) {
  for (int move = 0; move < moves; move++) {
    if (monitor->check && monitor->check(monitor->data, move))
      return EP_INTERRUPTED;
    draw_prior(s, rng, s->Nu);
    for (int c = 0; c < s->chains; c++) {
      core_poll();
      chain_enter(s, c);
      chain_on(s, c, level);
    }
  }
  return EP_CONVERGED;
}
