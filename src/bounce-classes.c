/* What: Hamiltonian dynamics of C Gaussians with step likelihoods of the
 *   largest of them, exactly.
 * Method: without walls the motion is f cos(t) + nu sin(t) [M A.4]. Where f_k
 *   of a row reaches the largest, f_w, the velocity changes along K_w e_i of w
 *   and -K_k e_i of k only, the normal of the wall in the metric of the prior:
 *   with the normal speed s = |nu_w - nu_k| / sqrt(K_w[i,i] + K_k[i,i]) and
 *   the step b of the loss, energy s^2/2 + loss is kept [M A.7],
 *     s^2 > 2 b   passes with sqrt(s^2 - 2 b), and k is the largest,
 *     otherwise   is thrown back with s.
 *   The map keeps volume and is its own inverse up to the sign of the velocity;
 *   so is turning back where there are too many walls.
 * References: as bounce.c. */
#include "bounce-classes.h"
#include "numeric.h"

void bounce_classes_carve(bounce_classes *b, int n, int C, workspace *ws) {
  const size_t N = (size_t)n;
  b->n = n;
  b->C = C;
  b->walls = b->stuck = 0;
  WORKSPACE_EACH(ws, N * (size_t)C, &b->f, &b->v, &b->f_old, &b->v_old);
  WORKSPACE_EACH(ws, N, &b->top, &b->top_old);
}

static void enter(void *walls, const double *f, const double *nu) {
  bounce_classes *b = walls;
  const size_t size = (size_t)b->n * (size_t)b->C * sizeof *f;
  memcpy(b->f, f, size);
  memcpy(b->v, nu, size);
  for (int i = 0; i < b->n; i++) {
    int top = 0;
    for (int c = 1; c < b->C; c++)
      if (f[IDX(i, c, b->n)] > f[IDX(i, top, b->n)]) top = c;
    b->top[i] = top;
  }
}

static void leave(const void *walls, double *f) {
  const bounce_classes *b = walls;
  memcpy(f, b->f, (size_t)b->n * (size_t)b->C * sizeof *f);
}

/* The loss of row i in class c at a level; 0 x Inf = 0 */
static double loss_at(const bounce_classes *b, int i, int c,
                      const double *level) {
  const double loss = b->loss[IDX(i, c, b->n)];
  return isfinite(loss) ? fmin(level[0] * loss, level[1]) : level[1];
}

static double rise(const void *walls, const double *from, const double *to) {
  const bounce_classes *b = walls;
  double sum = 0;
  for (int i = 0; i < b->n; i++) {
    const int c = (int)b->top[i];
    if (b->loss[IDX(i, c, b->n)] > 0)
      sum -= loss_at(b, i, c, to) - loss_at(b, i, c, from);
  }
  return sum;
}

/* A wall: row, and the class that reaches its largest; row -1 for none */
typedef struct {
  int row, rival;
} wall;

/* The wall met next within a quarter turn, but for the one that was just met:
 * the one with the largest ratio of approach to distance, compared by cross
 * products */
static wall next_wall(const bounce_classes *b, wall last, int last_top) {
  const int n = b->n;
  double g_at = 1, u_at = 0;
  wall at = {-1, 0};
  for (int i = 0; i < n; i++) {
    const int w = (int)b->top[i];
    const double f = b->f[IDX(i, w, n)], v = b->v[IDX(i, w, n)];
    for (int k = 0; k < b->C; k++) {
      const double u = b->v[IDX(i, k, n)] - v;
      const double apart = f - b->f[IDX(i, k, n)];
      const double g = apart > 0 ? apart : 0; /* below 0 by rounding only */
      if (k == w || !(u * g_at > u_at * g)) continue;
      if (i == last.row && (w == last_top ? k == last.rival : k == last_top))
        continue;
      at = (wall){i, k};
      g_at = g;
      u_at = u;
    }
  }
  return at;
}

static void turn(bounce_classes *b, double co, double si) {
  double *restrict f = b->f, *restrict v = b->v;
  const size_t size = (size_t)b->n * (size_t)b->C;
  for (size_t j = 0; j < size; j++) {
    const double to = co * f[j] + si * v[j];
    v[j] = co * v[j] - si * f[j];
    f[j] = to;
  }
}

static const double *column_of(const bounce_classes *b, int c, int i) {
  const size_t n = (size_t)b->n;
  return b->K + (b->own ? n * n * (size_t)c : 0) + n * (size_t)i;
}

static void kick(bounce_classes *b, int c, const double *column, double by) {
  double *v = b->v + IDX(0, c, b->n);
  for (int j = 0; j < b->n; j++) v[j] += by * column[j];
}

/* Distance from the wall and speed of approach */
static void approach(const bounce_classes *b, wall at, double *g, double *u) {
  const int w = (int)b->top[at.row], n = b->n;
  const double apart = b->f[IDX(at.row, w, n)] - b->f[IDX(at.row, at.rival, n)];
  *g = apart > 0 ? apart : 0;
  *u = b->v[IDX(at.row, at.rival, n)] - b->v[IDX(at.row, w, n)];
}

/* Turns to a wall, passes it or is thrown back. */
static void meet_wall(bounce_classes *b, wall at, const double *level) {
  const int i = at.row, n = b->n, w = (int)b->top[i], k = at.rival;
  double g, u;
  approach(b, at, &g, &u);
  const double reach = hypot(g, u); /* speed at the wall */
  turn(b, u / reach, g / reach);
  const double *of_w = column_of(b, w, i), *of_k = column_of(b, k, i);
  const double spread = sqrt(of_w[i] + of_k[i]), speed = reach / spread;
  const double step = loss_at(b, i, k, level) - loss_at(b, i, w, level);
  const double square = speed * speed - 2 * step;
  const int passes = square > 0;
  const double after = passes ? -sqrt(square) : speed;
  const double by = (after + speed) / spread;
  kick(b, w, of_w, by);
  kick(b, k, of_k, -by);
  b->f[IDX(i, k, n)] = b->f[IDX(i, w, n)];
  if (passes) b->top[i] = k;
}

static void on(void *walls, double angle, const double *level, int limit) {
  bounce_classes *b = walls;
  const size_t size = (size_t)b->n * (size_t)b->C;
  memcpy(b->f_old, b->f, size * sizeof *b->f);
  memcpy(b->v_old, b->v, size * sizeof *b->v);
  memcpy(b->top_old, b->top, (size_t)b->n * sizeof *b->top);
  wall at = next_wall(b, (wall){-1, 0}, 0);
  for (int met = 0; met <= limit; met++) {
    double g = 0, u = 0;
    if (at.row >= 0) approach(b, at, &g, &u);
    const double to = at.row < 0 ? angle : atan2(g, u);
    if (to >= angle) {
      turn(b, cos(angle), sin(angle));
      return;
    }
    angle -= to;
    const int before = (int)b->top[at.row];
    meet_wall(b, at, level);
    at = next_wall(b, at, before);
    b->walls++;
  }
  memcpy(b->f, b->f_old, size * sizeof *b->f);
  memcpy(b->top, b->top_old, (size_t)b->n * sizeof *b->top);
  for (size_t j = 0; j < size; j++) b->v[j] = -b->v_old[j];
  b->stuck++;
}

const wall_ops bounce_classes_ops = {enter, rise, on, leave};
