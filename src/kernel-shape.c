/* What: values and slopes of the shapes of a kernel.
 * Method: with r2 as the header has it, so that the distance in lengthscales is
 *   sqrt(2 r2),
 *   Matern 3/2  s = sqrt(6 r2),   v = 1 + s,            u = 3
 *   Matern 5/2  s = sqrt(10 r2),  v = 1 + s + s^2/3,    u = 5/3 (1 + s)
 *   rational    s = alpha log(1 + r2/alpha),  v = 1,    u = exp(-s/alpha)
 * References: RW06 section 4.2.1.
 * Accuracy: relative to the value 4e-15 (tools/ctest/test-kernel.c). */
#include "kernel-shape.h"
#include "dense-tile.h"
#include "numeric.h"

static double square_of(double r2, double alpha) {
  (void)alpha;
  return r2;
}
static double matern5_of(double r2, double alpha) {
  (void)alpha;
  return sqrt(10 * r2);
}
static double matern3_of(double r2, double alpha) {
  (void)alpha;
  return sqrt(6 * r2);
}
static double rational_of(double r2, double alpha) {
  return alpha * log1p(r2 / alpha);
}

static double one(double s, double alpha) {
  (void)s, (void)alpha;
  return 1;
}
static double matern5_value(double s, double alpha) {
  (void)alpha;
  return 1 + s + s * s / 3;
}
static double matern5_slope(double s, double alpha) {
  (void)alpha;
  return 5 * (1 + s) / 3;
}
static double matern3_value(double s, double alpha) {
  (void)alpha;
  return 1 + s;
}
static double matern3_slope(double s, double alpha) {
  (void)s, (void)alpha;
  return 3;
}
static double rational_slope(double s, double alpha) { return exp(-s / alpha); }

typedef struct {
  double (*s)(double r2, double alpha);
  double (*times[2])(double s, double alpha); /* v, u */
  int own_slope, unit;
} shape_row;

static const shape_row shapes[N_SHAPES] = {
    [SHAPE_SQUARED] = {square_of, {one, one}, 1, 0},
    [SHAPE_MATERN5] = {matern5_of, {matern5_value, matern5_slope}, 0, 0},
    [SHAPE_MATERN3] = {matern3_of, {matern3_value, matern3_slope}, 0, 0},
    [SHAPE_RATIONAL] = {rational_of, {one, rational_slope}, 0, 0},
    [SHAPE_COSINE] = {square_of, {one, one}, 1, 1}};

int shape_is_own_slope(kernel_shape shape) { return shapes[shape].own_slope; }

int shape_is_unit(kernel_shape shape) { return shapes[shape].unit; }

/* Distances at a time, which stay in the nearest cache */
#define CHUNK 256

void shape_apply(kernel_shape shape, double alpha, int slope, int n,
                 double scale, double shift, double *G) {
  const shape_row *row = &shapes[shape];
  const dense_variant *loops = dense_variant_widest();
  if (row->own_slope) {
    loops->decay(n, scale, shift, G);
    return;
  }
  double s[CHUNK];
  for (; n > 0; n -= CHUNK, G += CHUNK) {
    const int m = n < CHUNK ? n : CHUNK;
    for (int i = 0; i < m; i++) G[i] = s[i] = row->s(fmax(G[i], 0), alpha);
    loops->decay(m, 1, 0, G);
    for (int i = 0; i < m; i++)
      G[i] = scale * row->times[slope](s[i], alpha) * G[i] + shift;
  }
}
