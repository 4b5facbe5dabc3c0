/* What: sums over c of the integrals of argmax.c as one integral over f, the
 *       largest normal, so that phi/Phi of a node serves all classes.
 * Method: with h_k = phi/Phi at z_k = (f - mean_k)/sd_k, U = prod Phi(z_k) and
 *   q_c = h_c/sd_c the density of f where c is the largest is U q_c. With
 *   p_c = over_c q_c, H = sum p_c, G = sum q_c, F = sum h_c (z_c + h_c)/sd_c^2,
 *   in units of sd_k                                               [M 12.16]
 *     shift Z = int U h_k (over_k (G - q_k) - (H - p_k)),
 *     ratio Z = rest (1 + shift^2) + int U (p_k (z_k - shift)^2
 *               + (H - p_k) (1 - z_k h_k - h_k^2 + (h_k + shift)^2)),
 *     loss  Z = shift^2 Z - int U h_k (over_k sd_k ((G - q_k)^2
 *               - F + h_k (z_k + h_k)/sd_k^2) - z_k (H - p_k)),
 *     cross Z = rest shift_k shift_m + int U (H e_k e_m - y_k e_m - y_m e_k),
 *               e_k = h_k + shift_k, y_k = p_k (z_k + h_k).
 *   The trapezoid rule with the step of argmax.c, from the largest mean to both
 *   sides until the densities of all classes have fallen by `drop`.
 * Accuracy: that of argmax.c (test-likelihood-classes.c). */
#include "argmax-grid.h"
#include "dense-tile.h"
#include "hazard.h"
#include "numeric.h"

#define WIDTH 8 /* nodes at once */
#define BLOCKS_MOST                                                            \
  32 /* where more are needed classes by themselves cost less */
/* Where next to all of the mixture is `rest` its other part may be far out. */
#define LEAST_SUM 1e-9
/* So far below the largest mean, in sd, a density is e^-75, and a normal that
 * ends further below is 1 at all nodes that count. */
#define FAR_BELOW 12.0

typedef struct {
  int C, blocks;
  const double *mean, *sd, *over; /* over: NULL for probabilities only */
  double unit[ARGMAX_MOST], top[ARGMAX_MOST]; /* 1/sd, largest density so far */
  double step;
  double x[BLOCKS_MOST][WIDTH], U[BLOCKS_MOST][WIDTH];
  double G[BLOCKS_MOST][WIDTH], H[BLOCKS_MOST][WIDTH], F[BLOCKS_MOST][WIDTH];
  double h[BLOCKS_MOST * ARGMAX_MOST][WIDTH],
      v[BLOCKS_MOST * ARGMAX_MOST][WIDTH];
} grid;

/* Nodes `x` and all that is known there. */
static void look(grid *g, int block) {
  const int C = g->C;
  const double *x = g->x[block];
  double *U = g->U[block], *G = g->G[block], *H = g->H[block], *F = g->F[block];
  double z[WIDTH], mass[WIDTH], d[WIDTH], product[WIDTH];
  for (int j = 0; j < WIDTH; j++) {
    product[j] = 1;
    U[j] = G[j] = H[j] = F[j] = 0;
  }
  for (int k = 0; k < C; k++) {
    const double unit = g->unit[k], mean = g->mean[k];
    const double over = g->over ? g->over[k] : 0;
    double *h = g->h[block * C + k];
    for (int j = 0; j < WIDTH; j++) z[j] = (x[j] - mean) * unit;
    hazard(WIDTH, z, mass, h, d, g->v[block * C + k]);
    for (int j = 0; j < WIDTH; j++) {
      const double q = h[j] * unit;
      product[j] *= mass[j];
      U[j] += z[j] < 0 ? z[j] * z[j] / 2 : 0;
      G[j] += q;
      H[j] += over * q;
      F[j] += q * d[j] * unit;
    }
  }
  dense_variant_widest()->decay(WIDTH, 1, 0, U);
  for (int j = 0; j < WIDTH; j++) U[j] *= product[j];
}

/* Have all densities fallen at the outermost node `end` of a block? */
static int over_there(grid *g, int block, int end, double left) {
  int over = 1;
  for (int k = 0; k < g->C; k++) {
    const double *U = g->U[block], *h = g->h[block * g->C + k];
    double top = g->top[k];
    for (int j = 0; j < WIDTH; j++) {
      const double density = U[j] * h[j];
      top = density > top ? density : top;
    }
    g->top[k] = top;
    if (!g->over || g->over[k] > 0) over &= U[end] * h[end] <= left * top;
  }
  return over;
}

/* Blocks to one side, `away` nodes from the largest mean on. Returns 0 where
 * there are too many. */
static int extend(grid *g, double from, int sign, double drop) {
  const double left = exp(-drop);
  for (int away = sign > 0 ? 0 : 1;; away += WIDTH) {
    if (g->blocks == BLOCKS_MOST) return 0;
    for (int j = 0; j < WIDTH; j++)
      g->x[g->blocks][j] = from + sign * (away + j) * g->step;
    look(g, g->blocks);
    if (over_there(g, g->blocks++, WIDTH - 1, left)) return 1;
  }
}

static int set_up(grid *g, int C, const double *over, const double *mean,
                  const double *sd, int lean) {
  const argmax_rule rule = argmax_rule_of(lean);
  double largest = mean[0], begin = -INFINITY, precision = 0;
  g->C = C;
  g->mean = mean;
  g->sd = sd;
  g->over = over;
  g->blocks = 0;
  for (int k = 0; k < C; k++) {
    if (!isfinite(mean[k]) || !(sd[k] > 0) || !isfinite(sd[k])) return 0;
    largest = fmax(largest, mean[k]);
    begin = fmax(begin, mean[k] - FAR_BELOW * sd[k]);
    g->unit[k] = 1 / sd[k];
    g->top[k] = 0;
  }
  for (int k = 0; k < C; k++)
    if (mean[k] + ARGMAX_CERTAIN * sd[k] > begin)
      precision += g->unit[k] * g->unit[k];
  g->step = rule.step / sqrt(precision);
  return extend(g, largest, 1, rule.drop) && extend(g, largest, -1, rule.drop);
}

static double total(const double *lane) {
  double sum = 0;
  for (int j = 0; j < WIDTH; j++) sum += lane[j];
  return sum;
}

/* The integral of U p, of one class or of all together */
static double mass_of(const grid *g, int k) {
  double lane[WIDTH] = {0};
  for (int b = 0; b < g->blocks; b++) {
    const double *U = g->U[b], *h = k < 0 ? g->H[b] : g->h[b * g->C + k];
    for (int j = 0; j < WIDTH; j++) lane[j] += U[j] * h[j];
  }
  return g->step * total(lane) * (k < 0 ? 1 : g->unit[k]);
}

/* Class k: the integrals of shift and of shift^2 - loss */
static void first_moments(const grid *g, int k, double *shift, double *loss) {
  const double unit = g->unit[k], over = g->over[k], wide = over * g->sd[k];
  double one[WIDTH] = {0}, two[WIDTH] = {0};
  for (int b = 0; b < g->blocks; b++) {
    const double *x = g->x[b], *U = g->U[b], *G = g->G[b], *H = g->H[b],
                 *F = g->F[b], *h = g->h[b * g->C + k];
    for (int j = 0; j < WIDTH; j++) {
      const double z = (x[j] - g->mean[k]) * unit, q = h[j] * unit;
      const double others = G[j] - q, rest = H[j] - over * q, w = U[j] * h[j];
      one[j] += w * (over * others - rest);
      two[j] += w * (wide * (others * others - F[j] + q * (z + h[j]) * unit) -
                     z * rest);
    }
  }
  *shift = g->step * total(one);
  *loss = g->step * total(two);
}

/* Class k: the integral of the second moment about its mean */
static double second_moment(const grid *g, int k, double shift) {
  const double unit = g->unit[k], over = g->over[k];
  double lane[WIDTH] = {0};
  for (int b = 0; b < g->blocks; b++) {
    const double *x = g->x[b], *U = g->U[b], *H = g->H[b],
                 *h = g->h[b * g->C + k], *v = g->v[b * g->C + k];
    for (int j = 0; j < WIDTH; j++) {
      const double own = (x[j] - g->mean[k]) * unit - shift, e = h[j] + shift;
      const double p = over * (h[j] * unit);
      lane[j] += U[j] * (p * own * own + (H[j] - p) * (v[j] + e * e));
    }
  }
  return g->step * total(lane);
}

/* Spoils h, which becomes e, and v, which becomes y. */
static void products(grid *g, double rest, double z, const double *shift,
                     double *cross) {
  const int C = g->C;
  for (int b = 0; b < g->blocks; b++)
    for (int k = 0; k < C; k++) {
      double *h = g->h[b * C + k], *v = g->v[b * C + k];
      for (int j = 0; j < WIDTH; j++) {
        const double at = (g->x[b][j] - g->mean[k]) * g->unit[k];
        v[j] = g->U[b][j] * g->over[k] * (h[j] * g->unit[k]) * (at + h[j]);
        h[j] += shift[k];
      }
    }
  for (int k = 0; k < C; k++)
    for (int m = k + 1; m < C; m++) {
      double lane[WIDTH] = {0};
      for (int b = 0; b < g->blocks; b++) {
        const double *U = g->U[b], *H = g->H[b], *ek = g->h[b * C + k],
                     *em = g->h[b * C + m], *yk = g->v[b * C + k],
                     *ym = g->v[b * C + m];
        for (int j = 0; j < WIDTH; j++)
          lane[j] += (U[j] * H[j] * ek[j] - yk[j]) * em[j] - ym[j] * ek[j];
      }
      cross[IDX(m, k, C)] = cross[IDX(k, m, C)] =
          (rest * shift[k] * shift[m] + g->step * total(lane)) / z;
    }
}

int argmax_mixture(int C, double rest, const double *over, const double *mean,
                   const double *sd, int lean, double *log_z,
                   argmax_moments *moments, double *cross) {
  grid g;
  if (!set_up(&g, C, over, mean, sd, lean)) return 0;
  const double sum = mass_of(&g, -1), z = rest + sum;
  if (!(sum > LEAST_SUM)) return 0;
  double shift[ARGMAX_MOST];
  for (int k = 0; k < C; k++) {
    double loss;
    first_moments(&g, k, &shift[k], &loss);
    shift[k] /= z;
    const double square = shift[k] * shift[k];
    const double ratio =
        (rest * (1 + square) + second_moment(&g, k, shift[k])) / z;
    moments->shift[k] = shift[k] * sd[k];
    moments->ratio[k] = ratio;
    moments->loss[k] =
        fabs(1 - ratio) > ARGMAX_LOSS_OWN ? 1 - ratio : square - loss / z;
  }
  if (cross) products(&g, rest, z, shift, cross);
  *log_z = log(z);
  return 1;
}

int argmax_all(int C, const double *mean, const double *sd, int lean,
               double *p) {
  grid g;
  if (!set_up(&g, C, NULL, mean, sd, lean)) return 0;
  for (int k = 0; k < C; k++) p[k] = mass_of(&g, k);
  return 1;
}
