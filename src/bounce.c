/* What: Hamiltonian dynamics of a Gaussian with step likelihoods, exactly.
 * Method: without walls the motion is f cos(t) + nu sin(t) [M A.4]. At f_i = 0
 *   the velocity changes along K e_i only, the normal of the wall in the metric
 *   of the prior: with the normal speed s = |nu_i| / sqrt(K_ii) and the barrier
 *   b of label i, energy s^2/2 + b 1(wrong side) is kept [M A.5],
 *     from the wrong side to the right one   passes with sqrt(s^2 + 2 b),
 *     from the right side, s^2 > 2 b         passes with sqrt(s^2 - 2 b),
 *     from the right side otherwise          is thrown back with s.
 *   Values and velocities are kept times the side they are on, so that only
 *   v_i < 0 can meet its wall, first the one with the largest -v_i / g_i.
 *   The map keeps volume and is its own inverse up to the sign of the velocity;
 *   so is turning back where there are too many walls.
 * References: Pakman, Paninski, Exact Hamiltonian Monte Carlo for truncated
 *   multivariate Gaussians, JCGS 23, 2014; the same, Auxiliary-variable exact
 *   Hamiltonian Monte Carlo samplers for binary distributions, NIPS 2013. */
#include "bounce.h"
#include "numeric.h"

void bounce_carve(bounce *b, int n, workspace *ws) {
  b->n = n;
  b->walls = b->stuck = 0;
  WORKSPACE_EACH(ws, (size_t)n, &b->g, &b->v, &b->side, &b->g_old, &b->v_old,
                 &b->side_old);
}

void bounce_enter(bounce *b, const double *f, const double *nu) {
  b->wrong[0] = b->wrong[1] = 0;
  for (int j = 0; j < b->n; j++) {
    const int is_wrong = !(b->y[j] * f[j] > 0);
    b->wrong[b->y[j] > 0] += is_wrong;
    b->side[j] = is_wrong ? -b->y[j] : b->y[j];
    b->g[j] = fabs(f[j]);
    b->v[j] = b->side[j] * nu[j];
  }
}

void bounce_leave(const bounce *b, double *f) {
  for (int j = 0; j < b->n; j++) f[j] = b->side[j] * b->g[j];
}

/* A turn by the angle of (co, si), then a kick along `column`; returns the wall
 * met next within a quarter turn, or -1. One pass: it is all there is to do.
 * Ratios -v / g are compared by their cross products. */
static int turn_and_kick(bounce *b, double co, double si, const double *column,
                         double kick, int wall) {
  double *restrict g = b->g, *restrict v = b->v;
  const double *restrict side = b->side;
  double g_at = 1, u_at = 0;
  int at = -1;
  for (int j = 0; j < b->n; j++) {
    double gj = co * g[j] + si * v[j];
    const double vj = co * v[j] - si * g[j] + kick * column[j] * side[j];
    gj = gj > 0 ? gj : 0; /* below 0 by rounding only */
    g[j] = gj;
    v[j] = vj;
    if (-vj * g_at > u_at * gj && j != wall) {
      at = j;
      g_at = gj;
      u_at = -vj;
    }
  }
  return at;
}

static int next_wall(const bounce *b) {
  double g_at = 1, u_at = 0;
  int at = -1;
  for (int j = 0; j < b->n; j++)
    if (-b->v[j] * g_at > u_at * b->g[j]) {
      at = j;
      g_at = b->g[j];
      u_at = -b->v[j];
    }
  return at;
}

/* Turns to wall i, passes it or is thrown back; returns the next wall. */
static int meet_wall(bounce *b, int i, const step_barrier *barrier) {
  const double *column = b->K + IDX(0, i, b->n);
  const double spread = sqrt(column[i]);
  const double reach = hypot(b->g[i], b->v[i]); /* speed at the wall */
  const double speed = reach / spread;
  const int kind = b->y[i] > 0, is_wrong = b->side[i] * b->y[i] < 0;
  const double square = speed * speed + (is_wrong ? 2 : -2) * barrier->of[kind];
  const int passes = is_wrong || square > 0;
  const double after = passes ? sqrt(square) : speed;
  const double change = ((passes ? -after : after) + speed) * spread;
  const int next = turn_and_kick(b, -b->v[i] / reach, b->g[i] / reach, column,
                                 change / column[i] * b->side[i], i);
  b->g[i] = 0;
  b->v[i] = after * spread;
  if (passes) {
    b->side[i] = -b->side[i];
    b->wrong[kind] += is_wrong ? -1 : 1;
  }
  return next;
}

void bounce_on(bounce *b, double angle, const step_barrier *barrier,
               int limit) {
  const size_t size = (size_t)b->n * sizeof *b->g;
  const double wrong[2] = {b->wrong[0], b->wrong[1]};
  memcpy(b->g_old, b->g, size);
  memcpy(b->v_old, b->v, size);
  memcpy(b->side_old, b->side, size);
  int i = next_wall(b);
  for (int walls = 0; walls <= limit; walls++) {
    const double to = i < 0 ? angle : atan2(b->g[i], -b->v[i]);
    if (to >= angle) {
      turn_and_kick(b, cos(angle), sin(angle), b->K, 0, -1);
      return;
    }
    angle -= to;
    i = meet_wall(b, i, barrier);
    b->walls++;
  }
  memcpy(b->g, b->g_old, size);
  memcpy(b->side, b->side_old, size);
  for (int j = 0; j < b->n; j++) b->v[j] = -b->v_old[j];
  b->wrong[0] = wrong[0];
  b->wrong[1] = wrong[1];
  b->stuck++;
}

/* Log weight of a rise of the barriers; 0 x Inf = 0 */
static double rise(const void *walls, const double *from, const double *to) {
  const bounce *b = walls;
  double sum = 0;
  for (int k = 0; k < 2; k++)
    if (b->wrong[k] > 0) sum -= b->wrong[k] * (to[k] - from[k]);
  return sum;
}

static void enter(void *walls, const double *f, const double *nu) {
  bounce_enter(walls, f, nu);
}

static void on(void *walls, double angle, const double *level, int limit) {
  const step_barrier barrier = {{level[0], level[1]}};
  bounce_on(walls, angle, &barrier, limit);
}

static void leave(const void *walls, double *f) { bounce_leave(walls, f); }

const wall_ops bounce_ops = {enter, rise, on, leave};
