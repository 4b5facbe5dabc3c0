/* Tilted moments of a recorded class, against long double arithmetic on a
 * quadrature of its own, and against differences of log Z. */
#include "likelihood-classes.h"
#include "check.h"
#include "dense-tile.h"
#include "dense.h"
#include "hazard.h"

static const int sizes[] = {2, 3, 5, 10, 15, 20};

/* d = z + phi/Phi in long double: directly or, in the tail, by a fraction */
static long double hazard_long(long double z, long double *v) {
  if (z < -3) {
    long double r = 0;
    for (int k = 400; k >= 2; k--) r = k / (-z + r);
    const long double d = 1 / (-z + r);
    *v = d * (r - d);
    return d;
  }
  const long double phi = expl(-z * z / 2) * 0.398942280401432677939946L;
  const long double h = phi / (erfcl(-z * 0.707106781186547524400844L) / 2);
  *v = 1 - h * (z + h);
  return z + h;
}

static long double log_normal_cdf(long double z) {
  if (z > -20) return logl(erfcl(-z * 0.707106781186547524400844L) / 2);
  long double v;
  return -z * z / 2 - 0.918938533204672741780330L -
         logl(hazard_long(z, &v) - z);
}

static void hazard_keeps_its_digits(void) {
  const double z[] = {-1e4, -300, -40, -12, -5.001, -4.999, -3, -1, -0.01,
                      0,    0.01, 1,   3,   4.9,    8,      20, 35};
  enum { N = sizeof z / sizeof *z };
  double mass[N], h[N], d[N], v[N];
  hazard(N, z, mass, h, d, v);
  for (int i = 0; i < N; i++) {
    long double want;
    const double dist = (double)hazard_long(z[i], &want);
    CHECK_SCALED(d[i], dist, 1e-13, 0);
    CHECK_SCALED(v[i], (double)want, 1e-12, 0);
    /* far below it is exp() of a difference, in doubles under valgrind */
    CHECK_SCALED(h[i],
                 (double)expl(-(long double)z[i] * z[i] / 2 -
                              0.918938533204672741780330L -
                              log_normal_cdf(z[i])),
                 z[i] < -100 ? 2e-8 : 1e-13, 0);
    if (z[i] > -30)
      CHECK_SCALED(mass[i] * exp(z[i] < 0 ? -z[i] * z[i] / 2 : 0),
                   (double)expl(log_normal_cdf(z[i])), 1e-12, 0);
  }
}

/* What is left of an array and what fills a vector, on every variant */
static void hazard_has_the_same_bits_everywhere(void) {
  enum { N = 37 };
  double z[N], one[4][N], other[4][N];
  for (int i = 0; i < N; i++) z[i] = -5 + 0.4 * i;
  for (int v = 0; dense_variant_at(v); v++)
    for (int size = 1; size <= N; size++) {
      const dense_variant *loops = dense_variant_at(v);
      dense_variant_at(0)->hazard(size, z, one[0], one[1], one[2], one[3]);
      loops->hazard(size, z, other[0], other[1], other[2], other[3]);
      for (int k = 0; k < 4; k++)
        CHECK(!memcmp(one[k], other[k], sizeof(double) * (size_t)size));
    }
}

typedef struct {
  long double log_p, shift[ARGMAX_MOST], ratio[ARGMAX_MOST];
} long_moments;

/* log density of f_c given argmax = c, not normalised */
static long double log_density(int C, int c, const double *mean,
                               const double *sd, long double x) {
  const long double u = (x - mean[c]) / sd[c];
  long double L = -u * u / 2;
  for (int k = 0; k < C; k++)
    if (k != c) L += log_normal_cdf((x - mean[k]) / sd[k]);
  return L;
}

/* 5-point Gauss on (-1, 1) */
static const long double node5[5] = {
    -0.906179845938663992797627L, -0.538469310105683091036314L, 0,
    0.538469310105683091036314L, 0.906179845938663992797627L};
static const long double weight5[5] = {
    0.236926885056189087514264L, 0.478628670499366468041292L,
    0.568888888888888888888889L, 0.478628670499366468041292L,
    0.236926885056189087514264L};

static long double piece(int C, int c, const double *mean, const double *sd,
                         long double x) {
  const long double slope = (x - mean[c]) / ((long double)sd[c] * sd[c]);
  long double precision = slope * slope;
  for (int k = 0; k < C; k++)
    if (k == c || x < mean[k] + 9.5L * sd[k])
      precision += 1 / ((long double)sd[k] * sd[k]);
  return 0.5L / sqrtl(precision);
}

/* On pieces half as long as the local scale, from the mode, found by golden
 * section, until the density is e^-45. */
static long_moments reference(int C, int c, const double *mean,
                              const double *sd) {
  long double lo = mean[c], hi = mean[c];
  for (int k = 0; k < C; k++) hi = fmaxl(hi, (long double)mean[k] + 10 * sd[k]);
  for (int it = 0; it < 300; it++) {
    const long double a = lo + 0.381966L * (hi - lo),
                      b = lo + 0.618034L * (hi - lo);
    if (log_density(C, c, mean, sd, a) < log_density(C, c, mean, sd, b))
      lo = a;
    else
      hi = b;
  }
  const long double mode = (lo + hi) / 2,
                    top = log_density(C, c, mean, sd, mode);
  long double sum = 0, own1 = 0, own2 = 0;
  long double h1[ARGMAX_MOST] = {0}, h2[ARGMAX_MOST] = {0},
              vs[ARGMAX_MOST] = {0};
  long double h0[ARGMAX_MOST], v;
  for (int k = 0; k < C; k++) {
    const long double z = (mode - mean[k]) / sd[k];
    h0[k] = hazard_long(z, &v) - z;
  }
  for (int side = -1; side <= 1; side += 2) {
    long double at = mode;
    for (;;) {
      long double length = piece(C, c, mean, sd, at);
      if (side < 0) length = piece(C, c, mean, sd, at - length);
      long double fallen = 0;
      for (int p = 0; p < 5; p++) {
        const long double x = at + side * length * (1 + node5[p]) / 2;
        const long double L = log_density(C, c, mean, sd, x) - top;
        const long double w = expl(L) * length * weight5[p] / 2;
        fallen = fmaxl(fallen, -L);
        sum += w;
        const long double f = (x - mode) / sd[c];
        own1 += w * f;
        own2 += w * f * f;
        for (int k = 0; k < C; k++) {
          const long double z = (x - mean[k]) / sd[k];
          const long double e = hazard_long(z, &v) - z - h0[k];
          h1[k] += w * e;
          h2[k] += w * e * e;
          vs[k] += w * v;
        }
      }
      at += side * length;
      if (fallen > 45) break;
    }
  }
  long_moments to;
  to.log_p = top + logl(sum * 0.398942280401432677939946L / sd[c]);
  for (int k = 0; k < C; k++) {
    const long double e = h1[k] / sum;
    to.shift[k] = -sd[k] * (h0[k] + e);
    to.ratio[k] = vs[k] / sum + h2[k] / sum - e * e;
  }
  own1 /= sum;
  to.shift[c] = (mode - mean[c]) + sd[c] * own1;
  to.ratio[c] = own2 / sum - own1 * own1;
  return to;
}

enum { PLAIN, SPREAD, NARROW, WIDE, FAR, BEHIND, REGIMES };

static void draw(uint64_t *seed, int regime, int C, int y, double *mean,
                 double *sd) {
  for (int k = 0; k < C; k++) {
    mean[k] = dense_norm(seed);
    sd[k] = exp(dense_norm(seed) / 2);
    if (regime == SPREAD) sd[k] = exp(1.5 * dense_norm(seed));
    if (regime == NARROW && k == C - 1)
      sd[k] = pow(10, -4 + 2.5 * dense_unif(seed));
    if (regime == WIDE) sd[k] = pow(10, -2.5 + 5 * dense_unif(seed));
    if (regime == FAR) mean[k] *= 20;
  }
  if (regime == BEHIND) {
    const int other = (y + 1) % C;
    mean[y] = mean[other] - 30 * hypot(sd[y], sd[other]);
  }
}

/* kind: no noise, one rate, a matrix */
static void column(uint64_t *seed, int kind, int C, int y, double *omega) {
  for (int k = 0; k < C; k++) {
    omega[k] = kind == 0   ? 0
               : kind == 1 ? 0.1 / (C - 1)
                           : 0.2 * dense_unif(seed);
    if (k == y) omega[k] = kind == 0 ? 1 : kind == 1 ? 0.9 : 0.8;
  }
}

static void check_cell(int C, const double *omega, const double *mean,
                       const double *sd) {
  const tilted_classes t = classes_tilt(C, omega, mean, sd, 0);
  static long_moments given[ARGMAX_MOST];
  long double share[ARGMAX_MOST], least = omega[0], z;
  for (int c = 0; c < C; c++) least = fminl(least, omega[c]);
  long double log_z = least > 0 ? logl(least) : -INFINITY;
  for (int c = 0; c < C; c++) {
    if (!(omega[c] > least)) continue;
    given[c] = reference(C, c, mean, sd);
    share[c] = logl(omega[c] - least) + given[c].log_p;
    const long double hi = fmaxl(log_z, share[c]), low = fminl(log_z, share[c]);
    log_z = isinf(low) ? hi : hi + log1pl(expl(low - hi));
  }
  CHECK_NEAR(t.log_z, (double)log_z, 5e-13);
  const tilted_classes lean = classes_tilt(C, omega, mean, sd, 1);
  CHECK_NEAR(lean.log_z, t.log_z, 1e-8);
  for (int k = 0; k < C; k++) {
    CHECK_SCALED(lean.shift[k], t.shift[k], 1e-7, sd[k]);
    CHECK_SCALED(lean.ratio[k], t.ratio[k], 1e-6, 0);
  }
  const long double rest = least > 0 ? expl(logl(least) - log_z) : 0;
  for (int k = 0; k < C; k++) {
    long double shift = 0, ratio = rest, loss;
    for (int c = 0; c < C; c++) {
      if (!(omega[c] > least)) continue;
      z = expl(share[c] - log_z);
      shift += z * given[c].shift[k];
      ratio += z * given[c].ratio[k];
    }
    long double between = rest * shift * shift;
    for (int c = 0; c < C; c++) {
      if (!(omega[c] > least)) continue;
      z = expl(share[c] - log_z);
      between += z * (given[c].shift[k] - shift) * (given[c].shift[k] - shift);
    }
    ratio += between / ((long double)sd[k] * sd[k]);
    loss = 1 - ratio;
    CHECK_SCALED(t.shift[k], (double)shift, 3e-12, sd[k]);
    CHECK_SCALED(t.ratio[k], (double)ratio, 1e-11, 0);
    CHECK_NEAR(t.loss[k], (double)loss, 3e-12 * fmax(1, (double)ratio));
  }
}

static void cells_agree_with_long_double(void) {
  const int few = check_quick();
  uint64_t seed = 51;
  for (int s = 0; s < (few ? 3 : 6); s++)
    for (int regime = 0; regime < REGIMES; regime++)
      for (int kind = 0; kind < 3; kind++)
        for (int rep = 0; rep < (few || (kind == 2 && s > 3) ? 1 : 4); rep++) {
          const int C = sizes[s], y = rep % C;
          double mean[ARGMAX_MOST], sd[ARGMAX_MOST], omega[ARGMAX_MOST];
          draw(&seed, regime, C, y, mean, sd);
          column(&seed, kind, C, y, omega);
          check_cell(C, omega, mean, sd);
        }
}

/* shift = var dlog Z/dmean, ratio = 1 + var d2log Z/dmean2 [M 12.3] */
static void moments_are_derivatives_of_log_z(void) {
  uint64_t seed = 52;
  for (int s = 0; s < 4; s++)
    for (int kind = 0; kind < 3; kind++) {
      const int C = sizes[s];
      double mean[ARGMAX_MOST], sd[ARGMAX_MOST], omega[ARGMAX_MOST];
      draw(&seed, PLAIN, C, 0, mean, sd);
      column(&seed, kind, C, 0, omega);
      const tilted_classes t = classes_tilt(C, omega, mean, sd, 0);
      for (int k = 0; k < C; k++) {
        const double at = mean[k], e = 1e-3 * sd[k];
        double f[5];
        for (int j = -2; j <= 2; j++) {
          mean[k] = at + j * e;
          f[j + 2] = classes_tilt(C, omega, mean, sd, 0).log_z;
        }
        mean[k] = at;
        const double d1 = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * e);
        const double d2 =
            (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * e * e);
        CHECK_NEAR(t.shift[k] / sd[k], sd[k] * d1, 1e-9);
        CHECK_NEAR(t.ratio[k], 1 + sd[k] * sd[k] * d2, 1e-7);
        CHECK_NEAR(t.loss[k], 1 - t.ratio[k], 1e-13);
      }
    }
}

static void two_classes_are_a_probit(void) {
  uint64_t seed = 53;
  for (int rep = 0; rep < 200; rep++) {
    double mean[2], sd[2], omega[2] = {1, 0}, log_p[2];
    draw(&seed, rep % REGIMES, 2, 0, mean, sd);
    const double z = (mean[0] - mean[1]) / hypot(sd[0], sd[1]);
    CHECK_NEAR(classes_tilt(2, omega, mean, sd, 0).log_z, pnorm(z, 0, 1, 1, 1),
               1e-13);
    classes_posterior(2, omega, mean, sd, 1, log_p);
    CHECK_NEAR(exp(log_p[0]) + exp(log_p[1]), 1, 5e-13);
  }
}

static void probabilities_add_up(void) {
  uint64_t seed = 54;
  for (int rep = 0; rep < 100; rep++) {
    const int C = sizes[rep % 6];
    double mean[ARGMAX_MOST], sd[ARGMAX_MOST], omega[ARGMAX_MOST];
    double log_p[ARGMAX_MOST], sum = 0, z = 0;
    draw(&seed, rep % REGIMES, C, rep % C, mean, sd);
    column(&seed, 2, C, rep % C, omega);
    const double log_z = classes_posterior(C, omega, mean, sd, 1, log_p);
    for (int k = 0; k < C; k++) {
      sum += exp(log_p[k]);
      z += omega[k] * exp(log_p[k]);
    }
    CHECK_NEAR(sum, 1, 1e-12);
    CHECK_NEAR(log_z, log(z), 1e-12);
    CHECK_NEAR(classes_tilt(C, omega, mean, sd, 0).log_z, log_z, 1e-12);
    column(&seed, 1, C, rep % C, omega);
    double some[ARGMAX_MOST];
    const double short_z = classes_posterior(C, omega, mean, sd, 0, some);
    CHECK_NEAR(short_z, classes_posterior(C, omega, mean, sd, 1, log_p), 1e-12);
    CHECK_NEAR(some[rep % C], log_p[rep % C], 1e-12);
    sum = 0;
    for (int k = 0; k < C; k++) sum += exp(some[k]);
    CHECK_NEAR(sum, 1, 1e-12);
  }
}

/* The argmax depends on differences only: mean shifts weighted by precision add
 * up to 0. */
static void a_common_shift_says_nothing(void) {
  uint64_t seed = 55;
  for (int rep = 0; rep < 60; rep++) {
    const int C = sizes[rep % 5];
    double mean[ARGMAX_MOST], sd[ARGMAX_MOST], omega[ARGMAX_MOST];
    draw(&seed, PLAIN, C, 0, mean, sd);
    column(&seed, rep % 3, C, 0, omega);
    const tilted_classes t = classes_tilt(C, omega, mean, sd, 0);
    double sum = 0, size = 1;
    for (int k = 0; k < C; k++) {
      sum += t.shift[k] / (sd[k] * sd[k]);
      size = fmax(size, fabs(t.shift[k]) / (sd[k] * sd[k]));
    }
    CHECK(fabs(sum) < 1e-12 * size);
  }
}

static void a_label_without_information_leaves_the_cavity(void) {
  const double mean[3] = {1, -2, 0.5}, sd[3] = {1, 2, 3};
  const double omega[3] = {1. / 3, 1. / 3, 1. / 3};
  const tilted_classes t = classes_tilt(3, omega, mean, sd, 0);
  CHECK_NEAR(t.log_z, -log(3), 1e-15);
  for (int k = 0; k < 3; k++)
    CHECK(t.shift[k] == 0 && t.ratio[k] == 1 && t.loss[k] == 0);
}

static void what_is_not_a_number_stays_so(void) {
  const double omega[3] = {1, 0, 0};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; b++) {
    const double mean[3] = {0, bad[b], 0}, sd[3] = {1, 1, 1};
    CHECK(isnan(classes_tilt(3, omega, mean, sd, 0).log_z));
    const double m[3] = {0, 0, 0}, s[3] = {1, bad[b], 1};
    CHECK(isnan(classes_tilt(3, omega, m, s, 0).log_z));
  }
  const double m[3] = {0, 0, 0}, s[3] = {1, 0, 1};
  CHECK(isnan(classes_tilt(3, omega, m, s, 0).log_z));
}

int main(void) {
  RUN("phi/Phi and its moments keep their digits", hazard_keeps_its_digits);
  RUN("they have the same bits everywhere",
      hazard_has_the_same_bits_everywhere);
  RUN("cells agree with long double", cells_agree_with_long_double);
  RUN("moments are derivatives of log Z", moments_are_derivatives_of_log_z);
  RUN("two classes are a probit", two_classes_are_a_probit);
  RUN("probabilities add up", probabilities_add_up);
  RUN("a common shift says nothing", a_common_shift_says_nothing);
  RUN("a label without information leaves the cavity",
      a_label_without_information_leaves_the_cavity);
  RUN("what is not a number stays so", what_is_not_a_number_stays_so);
  return check_done();
}
