/* What: P_c = int N(f; mean_c, sd_c^2) prod_{k != c} Phi(z_k) df,
 *       z_k = (f - mean_k)/sd_k, and the moments of all f_k under it.
 * Method: the integrand p is log-concave, L = log p, with
 *     1/sd_c^2 <= -L'' <= 1/scale(x)^2
 *             = 1/sd_c^2 + sum_{k: x < mean_k + 8.4 sd_k} 1/sd_k^2    [M 12.7]
 *   (factors further to the left are 1). Newton finds the mode from mean_c,
 *   from where L' is convex, and from outside the ends where L has fallen by
 *   38. Between them the trapezoid rule with a step of 0.8 scales where that
 *   takes no more than TRAPEZOID_MOST nodes, otherwise 16-point Gauss panels of
 *   4 scales or less, which grow to the right. Under p, with h_k = phi/Phi at
 *   z_k,                                                             [M 12.6]
 *     k != c:   shift = -sd_k E h_k,  ratio = E[1 - z h - h^2] + Var h,
 *               loss = E[z h] + (E h)^2;
 *     k = c:    shift = sd_c^2 E G,   ratio = Var f/sd_c^2,
 *               loss = sd_c^2 (E[sum h_k (z_k + h_k)/sd_k^2] - Var G),
 *               G = sum h_k/sd_k.
 *   Variances are taken about the values at the mode, weights relative to it.
 * Accuracy: against long double (test-likelihood-classes.c: C = 2 to 20,
 *   variances 1e-5 to 1e5, 30 sd behind): log P 5e-13, shift 3e-12 of itself or
 *   of sd, ratio 1e-11. Lean: 1e-8.                                         */
#include "argmax.h"
#include "dense-tile.h"
#include "hazard.h"
#include "numeric.h"

/* 0.9 and 36 are off by 4e-11 in log P, 1.0 and 34 by 2e-9. */
static const argmax_rule fine = {0.8, 38}, rough = {1.0, 24};
/* An end may lie further out than it has to. */
#define DROP_MORE 8.0
#define TRAPEZOID_MOST 72
#define PANEL 4.0
/* On its way down the density may fall by no more than e^-SLOPE in a panel: in
 * the far tail of sd_c it falls faster than its curvature tells. */
#define SLOPE 10.0
#define NEWTON_MOST 200

#define NODES 16
/* Nodes, and classes at one node, come in so many: what is left of a vector of
 * hazard() costs more than a whole one. */
#define LANES 4
/* Gauss-Legendre on (-1, 1): the positive nodes and their weights */
static const double gauss_node[NODES / 2] = {
    0.095012509837637440185, 0.28160355077925891323, 0.45801677765722738634,
    0.61787624440264374845,  0.75540440835500303390, 0.86563120238783174388,
    0.94457502307323257608,  0.98940093499164993260};
static const double gauss_weight[NODES / 2] = {
    0.18945061045506849629,  0.18260341504492358887, 0.16915651939500253819,
    0.14959598881657673208,  0.12462897125553387205, 0.095158511682492784810,
    0.062253523938647892863, 0.027152459411754094852};

argmax_rule argmax_rule_of(int lean) { return lean ? rough : fine; }

typedef struct {
  int C, c;
  const double *mean, *sd;
  const argmax_rule *how;
  /* the mode, the log density there, and what the sums are taken about */
  double mode, top, h0[ARGMAX_MOST], G0;
  /* sums over the nodes */
  double w, f, ff, G, GG, second;
  double h[ARGMAX_MOST], hh[ARGMAX_MOST], v[ARGMAX_MOST], zh[ARGMAX_MOST];
  double *cross; /* [C x C] of h or, at c, f: below the diagonal; or NULL */
} integral;

/* L, L' and L'' at one point, and h of every k (0 at c) */
static void look(const integral *I, double x, double L[3], double *h) {
  const int C = I->C, c = I->c;
  double z[ARGMAX_MOST], mass[ARGMAX_MOST], d[ARGMAX_MOST], v[ARGMAX_MOST];
  for (int k = 0; k < C; k++) z[k] = (x - I->mean[k]) / I->sd[k];
  const int whole = (C + LANES - 1) / LANES * LANES;
  for (int k = C; k < whole; k++) z[k] = 0;
  hazard(whole, z, mass, h, d, v);
  h[c] = 0;
  const double unit = 1 / I->sd[c];
  double product = 1; /* of C numbers above 1e-9 or so */
  L[0] = -z[c] * z[c] / 2;
  L[1] = -z[c] * unit;
  L[2] = -unit * unit;
  for (int k = 0; k < C; k++) {
    if (k == c) continue;
    product *= mass[k];
    L[0] -= z[k] < 0 ? z[k] * z[k] / 2 : 0;
    L[1] += h[k] / I->sd[k];
    L[2] -= h[k] * d[k] / (I->sd[k] * I->sd[k]);
  }
  L[0] += log(product);
}

/* Newton from mean_c: L' is positive and convex up to the mode. */
static void find_mode(integral *I) {
  double x = I->mean[I->c], L[3];
  for (int step = 0; step < NEWTON_MOST; step++) {
    look(I, x, L, I->h0);
    if (fabs(L[1]) <= 0.1 * sqrt(-L[2])) break;
    x -= L[1] / L[2];
  }
  I->mode = x;
  I->top = L[0];
  I->G0 = 0;
  for (int k = 0; k < I->C; k++)
    if (k != I->c) I->G0 += I->h0[k] / I->sd[k];
}

/* Where L has fallen by `drop` or a little more, on the side of `sign`. As L is
 * concave Newton stays outside. */
static double find_end(const integral *I, double sign) {
  double x = I->mode + sign * (sqrt(2 * I->how->drop) + 0.1) * I->sd[I->c];
  double L[3], h[ARGMAX_MOST];
  for (int step = 0; step < NEWTON_MOST; step++) {
    look(I, x, L, h);
    const double fallen = I->top - L[0];
    if (fallen <= I->how->drop + DROP_MORE) break;
    x += (fallen - I->how->drop) / L[1];
  }
  return x;
}

static double scale_at(const integral *I, double x) {
  double precision = 0;
  for (int k = 0; k < I->C; k++)
    if (k == I->c || x < I->mean[k] + ARGMAX_CERTAIN * I->sd[k])
      precision += 1 / (I->sd[k] * I->sd[k]);
  return 1 / sqrt(precision);
}

/* The products of what is summed about the mode, f at c and h elsewhere */
static void add_products(integral *I, int n, const double *x, const double *w,
                         double h[][NODES]) {
  const int C = I->C, c = I->c;
  double e[ARGMAX_MOST][NODES];
  for (int k = 0; k < C; k++)
    for (int j = 0; j < n; j++)
      e[k][j] = k == c ? (x[j] - I->mode) / I->sd[c] : h[k][j] - I->h0[k];
  for (int k = 0; k < C; k++)
    for (int m = k + 1; m < C; m++)
      for (int j = 0; j < n; j++)
        I->cross[IDX(m, k, C)] += w[j] * e[k][j] * e[m][j];
}

/* Adds n <= NODES nodes x with weights w to the sums. */
static void add_nodes(integral *I, int n, const double *x, double *w, int all) {
  const int c = I->c;
  double h[ARGMAX_MOST][NODES], v[ARGMAX_MOST][NODES];
  double z[NODES], mass[NODES], d[NODES], product[NODES], L[NODES];
  double G[NODES], second[NODES];
  for (int j = 0; j < n; j++) {
    const double u = (x[j] - I->mean[c]) / I->sd[c];
    L[j] = u * u / 2 + I->top;
    product[j] = 1;
    G[j] = second[j] = 0;
  }
  for (int k = 0; k < I->C; k++) {
    if (k == c) continue;
    const double unit = 1 / I->sd[k];
    for (int j = 0; j < n; j++) z[j] = (x[j] - I->mean[k]) * unit;
    hazard(n, z, mass, h[k], d, v[k]);
    for (int j = 0; j < n; j++) {
      L[j] += z[j] < 0 ? z[j] * z[j] / 2 : 0;
      product[j] *= mass[j];
      G[j] += h[k][j] * unit;
      second[j] += h[k][j] * d[j] * unit * unit;
    }
  }
  dense_variant_widest()->decay(n, 1, 0, L);
  for (int j = 0; j < n; j++) {
    w[j] *= L[j] * product[j];
    I->w += w[j];
  }
  if (!all) return;
  for (int j = 0; j < n; j++) {
    const double f = (x[j] - I->mode) / I->sd[c], g = G[j] - I->G0;
    I->f += w[j] * f;
    I->ff += w[j] * f * f;
    I->G += w[j] * g;
    I->GG += w[j] * g * g;
    I->second += w[j] * second[j];
  }
  for (int k = 0; k < I->C; k++) {
    if (k == c) continue;
    const double unit = 1 / I->sd[k];
    for (int j = 0; j < n; j++) {
      const double e = h[k][j] - I->h0[k];
      I->h[k] += w[j] * e;
      I->hh[k] += w[j] * e * e;
      I->v[k] += w[j] * v[k][j];
      I->zh[k] += w[j] * h[k][j] * (x[j] - I->mean[k]) * unit;
    }
  }
  if (I->cross) add_products(I, n, x, w, h);
}

static void add_trapezoid(integral *I, double a, double b, int all) {
  const double least = (b - a) / (I->how->step * scale_at(I, a)) + 1;
  const int count = (int)ceil(least / LANES) * LANES;
  const double step = (b - a) / (count - 1);
  double x[NODES], w[NODES];
  for (int first = 0; first < count; first += NODES) {
    const int n = count - first < NODES ? count - first : NODES;
    for (int j = 0; j < n; j++) {
      x[j] = a + (first + j) * step;
      w[j] = step;
    }
    add_nodes(I, n, x, w, all);
  }
}

static void add_panels(integral *I, double a, double b, int all) {
  double x[NODES], w[NODES];
  while (a < b) {
    double L[3], h[ARGMAX_MOST], length = PANEL * scale_at(I, a);
    look(I, a, L, h);
    if (L[1] < 0) length = fmin(length, -SLOPE / L[1]);
    const double to = fmin(b, a + length);
    const double half = (to - a) / 2, centre = a + half;
    if (!(half > 0)) break;
    for (int j = 0; j < NODES / 2; j++) {
      x[2 * j] = centre - half * gauss_node[j];
      x[2 * j + 1] = centre + half * gauss_node[j];
      w[2 * j] = w[2 * j + 1] = half * gauss_weight[j];
    }
    add_nodes(I, NODES, x, w, all);
    a = to;
  }
}

/* The sums as moments */
static void finish(const integral *I, argmax_moments *to) {
  const int c = I->c;
  const double sd = I->sd[c];
  for (int k = 0; k < I->C; k++) {
    const double e = I->h[k] / I->w, h = I->h0[k] + e;
    if (k == c) continue;
    to->shift[k] = -I->sd[k] * h;
    to->ratio[k] = I->v[k] / I->w + (I->hh[k] / I->w - e * e);
    to->loss[k] = I->zh[k] / I->w + h * h;
  }
  const double g = I->G / I->w, f = I->f / I->w;
  to->shift[c] = sd * sd * (I->G0 + g);
  to->ratio[c] = I->ff / I->w - f * f;
  to->loss[c] = sd * sd * (I->second / I->w - (I->GG / I->w - g * g));
}

/* Given f_c the others are independent with means mean_k - sd_k h_k. */
static void finish_products(const integral *I) {
  const int C = I->C, c = I->c;
  double e[ARGMAX_MOST];
  for (int k = 0; k < C; k++) e[k] = (k == c ? I->f : I->h[k]) / I->w;
  for (int k = 0; k < C; k++)
    for (int m = k + 1; m < C; m++) {
      const double both = I->cross[IDX(m, k, C)] / I->w - e[k] * e[m];
      I->cross[IDX(m, k, C)] = I->cross[IDX(k, m, C)] =
          k == c || m == c ? -both : both;
    }
}

double argmax_given(int C, int c, const double *mean, const double *sd,
                    int lean, argmax_moments *moments) {
  return argmax_covariance(C, c, mean, sd, lean, moments, NULL);
}

double argmax_covariance(int C, int c, const double *mean, const double *sd,
                         int lean, argmax_moments *moments, double *cross) {
  for (int k = 0; k < C; k++)
    if (!isfinite(mean[k]) || !(sd[k] > 0) || !isfinite(sd[k])) return NAN;
  integral I = {.C = C,
                .c = c,
                .mean = mean,
                .sd = sd,
                .how = lean ? &rough : &fine,
                .cross = cross};
  if (cross) memset(cross, 0, (size_t)C * (size_t)C * sizeof *cross);
  find_mode(&I);
  const double a = find_end(&I, -1), b = find_end(&I, 1);
  if ((b - a) / (I.how->step * scale_at(&I, a)) <= TRAPEZOID_MOST)
    add_trapezoid(&I, a, b, moments != NULL);
  else
    add_panels(&I, a, b, moments != NULL);
  if (moments) finish(&I, moments);
  if (cross) finish_products(&I);
  return I.top + log(I.w * M_1_SQRT_2PI / sd[c]);
}
