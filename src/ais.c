/* What: AIS through the flip rate, with exact draws on ellipses and lines.
 * Method: log Z = -n log 2 + log E[w], the flip rate falling from 1/2 to
 *   epsilon through levels t. Two moves leave prior x likelihood invariant:
 *   - ellipse: nu ~ N(0, K), then the angle of f cos(theta) + nu sin(theta);
 *   - line: one coordinate z_j given the others, f = a + B_j z_j.
 *   Along either the step likelihood is piecewise constant, so the conditional
 *   is drawn exactly: from pieces weighted by likelihood x (arc length or normal
 *   mass). w multiplies the ratios of the ellipse's total weight at neighbouring
 *   levels: the angle is integrated out, which lowers the variance at no cost.
 *   DEVIATION: elliptical slice sampling would find an angle by shrinking a
 *   bracket and weight by the state; here nothing is rejected.
 * References: Neal, Annealed importance sampling, Stat. Comput. 11, 2001;
 *   Murray, Adams, MacKay, Elliptical slice sampling, AISTATS 2010. */
#include "ais.h"
#include "numeric.h"
#include <stdlib.h>

typedef struct {
  double at, site;
} turn_point;

/* A stretch on which no label changes side. */
typedef struct {
  double from, to, mass, wrong[2]; /* labels on the wrong side, by label */
} piece;

/* Log likelihood of one label on the wrong and on the right side, by label:
 * [0] y = -1, [1] y = +1; and the numbers of labels. */
typedef struct {
  double wrong[2], right[2], count[2];
} level_logs;

static level_logs level_make(const ais_space *s, const double epsilon[2]) {
  level_logs l = {.wrong = {log(epsilon[1]), log(epsilon[0])},
                  .right = {log1p(-epsilon[0]), log1p(-epsilon[1])}};
  for (int i = 0; i < s->n; i++) l.count[s->y[i] > 0] += 1;
  return l;
}

void ais_carve(ais_space *s, int n, int r, int chains, workspace *ws) {
  const size_t N = (size_t)n, R = (size_t)r, M = (size_t)chains;
  s->n = n;
  s->r = r;
  s->chains = chains;
  s->F = workspace_take(ws, N * M);
  s->Z = workspace_take(ws, R * M);
  s->log_w = workspace_take(ws, M);
  s->Nu = workspace_take(ws, N * M);
  s->Xi = workspace_take(ws, R * M);
  s->turn = workspace_take(ws, 2 * N * sizeof(turn_point) / sizeof(double));
  s->piece = workspace_take(ws, (2 * N + 1) * sizeof(piece) / sizeof(double));
  s->is_wrong = workspace_take_int(ws, N);
}

/* fresh draws from the prior for all chains at once: one BLAS-3 product */
static void draw_prior(const ais_space *s, const random_source *rng,
                       double *F, double *Z) {
  const double one = 1, zero = 0;
  const size_t total = (size_t)s->r * (size_t)s->chains;
  for (size_t i = 0; i < total; i++) Z[i] = rng->normal(rng->data);
  F77_CALL(dgemm)
  ("N", "N", &s->n, &s->chains, &s->r, &one, s->B, &s->n, Z, &s->r, &zero, F,
   &s->n FCONE FCONE);
}

void ais_start(ais_space *s, const random_source *rng) {
  draw_prior(s, rng, s->F, s->Z);
  for (int c = 0; c < s->chains; c++) s->log_w[c] = -s->n * M_LN2;
}

static int by_place(const void *a, const void *b) {
  const double x = ((const turn_point *)a)->at;
  const double y = ((const turn_point *)b)->at;
  return (x > y) - (x < y);
}

/* Pieces between sorted turns; wrong[2] counts at the lower end on entry. */
static int make_pieces(const ais_space *s, turn_point *turn, int k,
                       double lower, double upper, double wrong[2],
                       int *is_wrong, piece *out) {
  qsort(turn, (size_t)k, sizeof *turn, by_place);
  for (int j = 0; j <= k; j++) {
    out[j] = (piece){.from = j > 0 ? turn[j - 1].at : lower,
                     .to = j < k ? turn[j].at : upper,
                     .wrong = {wrong[0], wrong[1]}};
    if (j == k) break;
    const int i = (int)turn[j].site;
    is_wrong[i] = !is_wrong[i];
    wrong[s->y[i] > 0] += is_wrong[i] ? 1 : -1;
  }
  return k + 1;
}

static double times_log(double count, double log_value) {
  return count > 0 ? count * log_value : 0; /* 0 x -Inf = 0 */
}

static double piece_log_lik(const piece *p, const level_logs *l) {
  return times_log(p->wrong[0], l->wrong[0]) +
         times_log(p->wrong[1], l->wrong[1]) +
         (l->count[0] - p->wrong[0]) * l->right[0] +
         (l->count[1] - p->wrong[1]) * l->right[1];
}

/* log sum of mass x likelihood; -Inf when no piece is possible. */
static double pieces_log_total(const piece *p, int k, const level_logs *l) {
  double top = -INFINITY, sum = 0;
  for (int j = 0; j < k; j++)
    if (p[j].mass > 0) top = fmax(top, piece_log_lik(&p[j], l));
  if (!isfinite(top)) return -INFINITY;
  for (int j = 0; j < k; j++)
    if (p[j].mass > 0) sum += p[j].mass * exp(piece_log_lik(&p[j], l) - top);
  return top + log(sum);
}

/* A piece drawn by its weight */
static const piece *pieces_draw(const piece *p, int k, const level_logs *l,
                                double log_total, double uniform) {
  const piece *last = NULL;
  for (int j = 0; j < k; j++) {
    const double weight =
        p[j].mass > 0 ? p[j].mass * exp(piece_log_lik(&p[j], l) - log_total)
                      : 0;
    if (!(weight > 0)) continue;
    last = &p[j];
    uniform -= weight;
    if (uniform < 0) break;
  }
  return last;
}

/* Pieces of chain c's ellipse: f_i(theta) = R cos(theta - phi) is zero at
 * phi +- pi/2. */
static int ellipse_pieces(ais_space *s, int c) {
  const double *f = s->F + IDX(0, c, s->n), *nu = s->Nu + IDX(0, c, s->n);
  turn_point *turn = (turn_point *)(void *)s->turn;
  piece *out = (piece *)(void *)s->piece;
  const double full = 2 * M_PI;
  double wrong[2] = {0, 0};
  int k = 0;
  for (int i = 0; i < s->n; i++) {
    s->is_wrong[i] = !(s->y[i] * f[i] > 0);
    wrong[s->y[i] > 0] += s->is_wrong[i];
    if (f[i] == 0 && nu[i] == 0) continue;
    const double phi = atan2(nu[i], f[i]);
    for (int side = -1; side <= 1; side += 2) {
      double at = phi + side * (M_PI / 2);
      if (at < 0) at += full;
      if (at >= full) at -= full;
      turn[k++] = (turn_point){at, i};
    }
  }
  k = make_pieces(s, turn, k, 0, full, wrong, s->is_wrong, out);
  for (int j = 0; j < k; j++) out[j].mass = out[j].to - out[j].from;
  return k;
}

static void rotate(ais_space *s, int c, const piece *p, double uniform) {
  double *f = s->F + IDX(0, c, s->n), *z = s->Z + IDX(0, c, s->r);
  const double *nu = s->Nu + IDX(0, c, s->n), *xi = s->Xi + IDX(0, c, s->r);
  const double theta = p->from + uniform * p->mass;
  const double co = cos(theta), si = sin(theta);
  for (int i = 0; i < s->n; i++) f[i] = co * f[i] + si * nu[i];
  for (int i = 0; i < s->r; i++) z[i] = co * z[i] + si * xi[i];
}

/* Normal mass of (a, b), from the tail that keeps its digits */
static double normal_mass(double a, double b) {
  return a > 0 ? pnorm(a, 0, 1, 0, 0) - pnorm(b, 0, 1, 0, 0)
               : pnorm(b, 0, 1, 1, 0) - pnorm(a, 0, 1, 1, 0);
}

static double normal_within(double a, double b, double uniform) {
  const int upper = a > 0;
  const double pa = pnorm(a, 0, 1, !upper, 0), pb = pnorm(b, 0, 1, !upper, 0);
  const double u = qnorm(pa + uniform * (pb - pa), 0, 1, !upper, 0);
  return fmin(fmax(u, a), b);
}

/* z_j of chain c given the others */
static void line_move(ais_space *s, int c, int j, const level_logs *level,
                      const random_source *rng) {
  double *f = s->F + IDX(0, c, s->n), *z = s->Z + IDX(j, c, s->r);
  const double *b = s->B + IDX(0, j, s->n);
  turn_point *turn = (turn_point *)(void *)s->turn;
  piece *pieces = (piece *)(void *)s->piece;
  double wrong[2] = {0, 0};
  int k = 0;
  for (int i = 0; i < s->n; i++) {
    if (b[i] == 0) {
      wrong[s->y[i] > 0] += !(s->y[i] * f[i] > 0);
      continue;
    }
    s->is_wrong[i] = s->y[i] * b[i] > 0; /* at z_j = -Inf */
    wrong[s->y[i] > 0] += s->is_wrong[i];
    turn[k++] = (turn_point){*z - f[i] / b[i], i};
  }
  k = make_pieces(s, turn, k, -INFINITY, INFINITY, wrong, s->is_wrong, pieces);
  for (int i = 0; i < k; i++)
    pieces[i].mass = normal_mass(pieces[i].from, pieces[i].to);
  const double total = pieces_log_total(pieces, k, level);
  if (!isfinite(total)) return;
  const piece *p =
      pieces_draw(pieces, k, level, total, rng->uniform(rng->data));
  if (!p) return;
  const double u = normal_within(p->from, p->to, rng->uniform(rng->data));
  if (!isfinite(u)) return;
  for (int i = 0; i < s->n; i++) f[i] += b[i] * (u - *z);
  *z = u;
}

/* One level for every chain: weight by the ellipse, rotate, then the lines. */
static void level_step(ais_space *s, const level_logs *before,
                       const level_logs *now, int lines,
                       const random_source *rng) {
  draw_prior(s, rng, s->Nu, s->Xi);
  for (int c = 0; c < s->chains; c++) {
    const piece *pieces = (const piece *)(const void *)s->piece;
    const int k = ellipse_pieces(s, c);
    const double total = pieces_log_total(pieces, k, now);
    if (before)
      s->log_w[c] += total - pieces_log_total(pieces, k, before);
    if (!isfinite(total)) continue; /* impossible everywhere: weight 0 */
    const piece *p =
        pieces_draw(pieces, k, now, total, rng->uniform(rng->data));
    if (p) rotate(s, c, p, rng->uniform(rng->data));
    for (int j = 0; j < (lines ? s->r : 0); j++)
      line_move(s, c, j, now, rng);
  }
}

int ais_move(ais_space *s, const double epsilon[2], int moves, int lines,
             const random_source *rng, int (*check)(void *, int),
             void *check_data) {
  const level_logs level = level_make(s, epsilon);
  for (int move = 0; move < moves; move++) {
    if (check && check(check_data, move)) return EP_INTERRUPTED;
    level_step(s, NULL, &level, lines, rng);
  }
  return EP_CONVERGED;
}

int ais_anneal(ais_space *s, const double *epsilon, int levels, int lines,
               const random_source *rng, int (*check)(void *, int),
               void *check_data) {
  const double half[2] = {0.5, 0.5};
  level_logs before = level_make(s, half);
  for (int t = 0; t < levels; t++) {
    const level_logs now = level_make(s, epsilon + 2 * t);
    if (check && check(check_data, t)) return EP_INTERRUPTED;
    level_step(s, &before, &now, lines, rng);
    before = now;
  }
  return EP_CONVERGED;
}
