/* Tilted moments: stored 120-digit values (data-raw/tilted-moments.py), and
 * what holds beyond them. */
#include "likelihood.h"
#include "check.h"
#include "flip-rates.h"
#include "numeric.h"
#include <stdlib.h>

static const double dfs[] = {0.5, 1,   3,   10,  29,      31,
                             50,  100, 1e4, 1e8, INFINITY};
#define N_DFS (int)(sizeof dfs / sizeof *dfs)

enum {
  DF,
  Z,
  NEG,
  POS,
  DIM,
  LOG_Z1,
  LOG_ZP,
  MU,
  W,
  ALPHA,
  FLIP,
  LOG_Z1_Z,
  LOG_ZP_Z,
  ALPHA_Z,
  W_Z,
  LOG_Z1_LO,
  LOG_ZP_LO,
  ALPHA_LO,
  W_LO,
  LOG_Z1_HI,
  LOG_ZP_HI,
  ALPHA_HI,
  W_HI,
  N_COLUMNS
};

/* One row of the stored values; 0 at the end. NA reads as NaN. */
static int read_row(FILE *file, double *row) {
  char line[2048];
  if (!fgets(line, sizeof line, file)) return 0;
  char *at = line;
  for (int k = 0; k < N_COLUMNS; k++) {
    char *end;
    row[k] = strtod(at, &end);
    if (end == at) {
      row[k] = NAN;
      while (*end && *end != ',') end++;
    }
    at = *end == ',' ? end + 1 : end;
  }
  return 1;
}

/* A label +1 with the rates of a row of the table */
static tilted tilt_of(const double *row, lik_step *lik, step_levels *levels) {
  const double y = 1, epsilon[2] = {row[NEG], row[POS]};
  *lik = label_step(row[DF], (int)row[DIM], 1, &y, epsilon, levels);
  return likelihood_tilt(lik, 0, row[Z], 1);
}

/* P(the label is wrong), given the other rows */
static double wrong_label(const lik_step *lik, double lo, const tilted *t) {
  double log_p[2];
  likelihood_truth(lik, t, log_p);
  return lo > 0 ? lo * exp(log_p[0] - t->log_zp) : 0;
}

static void for_each_row(void (*check)(const double *row)) {
  FILE *file = fopen(FIXTURES "/tilted.csv", "r");
  double row[N_COLUMNS];
  int n = 0;
  CHECK(file);
  if (!file) return;
  read_row(file, row); /* names */
  for (; read_row(file, row); n++) check(row);
  CHECK(n > 800);
  fclose(file);
}

/* Tolerances are those of the header of likelihood.c. */
static void check_moments(const double *row) {
  lik_step lik;
  step_levels levels;
  const tilted t = tilt_of(row, &lik, &levels);
  const double v = row[DF], z = row[Z], size = sqrt(row[W]);
  const int hard = v > 10 && v < 75 && z < -9;
  CHECK_SCALED(t.log_z1, row[LOG_Z1], 3e-13, 1e-3);
  CHECK_SCALED(t.log_zp, row[LOG_ZP], 3e-13, 1e-3);
  CHECK_SCALED(t.mu, row[MU], hard ? 2e-12 : 3e-13, size);
  CHECK_SCALED(t.w, row[W], hard ? 1e-10 : 6e-12, 0);
  CHECK_SCALED(t.alpha, row[ALPHA], 1e-12, 1e-300);
  CHECK_SCALED(wrong_label(&lik, row[NEG], &t), row[FLIP], 1e-12, 1e-300);
}

static void moments_are_right(void) { for_each_row(check_moments); }

/* Derivatives are differences of nearly equal terms in the lower tail; they
 * steer Newton steps and gradients, where 1e-8 is plenty. */
static void check_slopes(const double *row) {
  lik_step lik;
  step_levels levels;
  const tilted t = tilt_of(row, &lik, &levels);
  const tilted_grad g = likelihood_tilt_grad(&lik, 0, &t);
  const double z = row[Z];
  const double far = row[NEG] > 0 ? 0 : z * z, tol = 1e-10;
  if (z < -1e3) return;
  CHECK_SCALED(g.log_z1_z, row[LOG_Z1_Z], tol, 1e-60);
  CHECK_SCALED(g.log_zp_z, row[LOG_ZP_Z], tol, 1e-60);
  /* what counts is d mu = 1 + alpha_z */
  CHECK_SCALED(1 + g.alpha_z, 1 + row[ALPHA_Z], 1e-15 * far + 3 * tol, 1e-4);
  CHECK_SCALED(g.w_z, row[W_Z], 1e-14 * far + tol, row[W]);
  const double lo = row[NEG]; /* slopes are of order 1/lo, then cancel */
  if (lo > 0) {
    CHECK_SCALED(g.log_z1_e[0], row[LOG_Z1_LO], tol, 1e-12);
    CHECK_SCALED(g.log_zp_e[0], row[LOG_ZP_LO], tol, 1e-12);
    CHECK_SCALED(g.alpha_e[0], row[ALPHA_LO], tol, 1e-5 / lo);
    CHECK_SCALED(g.w_e[0], row[W_LO], tol, 1e-5 / lo);
    CHECK_SCALED(g.alpha_e[1], row[ALPHA_HI], tol, 1e-3);
    CHECK_SCALED(g.w_e[1], row[W_HI], tol, fabs(row[ALPHA_HI]) + 1e-2);
  }
  CHECK_SCALED(g.log_z1_e[1], row[LOG_Z1_HI], tol, 1e-12);
  CHECK_SCALED(g.log_zp_e[1], row[LOG_ZP_HI], tol, 1e-12);
}

static void slopes_are_right(void) { for_each_row(check_slopes); }

static void the_switch_is_smooth(void) {
  step_levels row, other;
  for (double df = 25; df < 160; df += 0.5)
    for (double z = -12; z < -2.5; z += 0.25) {
      const lik_step lik = one_label(df, 40, 0, &row);
      /* neighbours on either side of any line in (df, z) */
      const lik_step next = one_label(df * (1 + 1e-12), 40, 0, &other);
      const tilted a = likelihood_tilt(&lik, 0, z * (1 - 1e-12), 1);
      const tilted b = likelihood_tilt(&lik, 0, z * (1 + 1e-12), 1);
      const tilted c = likelihood_tilt(&next, 0, z * (1 + 1e-12), 1);
      CHECK_SCALED(b.w, a.w, 1e-10, 0);
      CHECK_SCALED(c.w, a.w, 1e-10, 0);
      CHECK_SCALED(c.mu, a.mu, 3e-12, 0);
    }
}

/* The slope in lo at lo = 0 is 1/F where q = 1: it may overflow. */
static int all_finite(const tilted *t, const tilted_grad *g, int with_lo) {
  double sum = t->log_z1 + t->log_zp + t->alpha + t->mu + t->w;
  sum += g->log_z1_z + g->log_zp_z + g->alpha_z + g->w_z;
  for (int e = !with_lo; e < 2; e++)
    sum += g->log_z1_e[e] + g->log_zp_e[e] + g->alpha_e[e] + g->w_e[e];
  return isfinite(sum);
}

static void the_farthest_tails_are_finite(void) {
  const double flips[] = {0, 1e-12, 0.1, 0.5 - 1e-12};
  for (int k = 0; k < N_DFS; k++)
    for (int e = 0; e < 4; e++)
      for (double size = 1e-300; size < 1e31; size *= 1e10)
        for (int sign = -1; sign <= 1; sign += 2) {
          step_levels row;
          const lik_step lik = one_label(dfs[k], 40, flips[e], &row);
          const tilted t = likelihood_tilt(&lik, 0, sign * size, 1);
          const tilted_grad g = likelihood_tilt_grad(&lik, 0, &t);
          CHECK(all_finite(&t, &g, flips[e] > 0));
          CHECK(t.w > 0);
          CHECK(t.log_z1 <= 0 && t.log_zp <= 0);
        }
}

/* f | f > 0 of a t with v + 2 df: Pareto, mean |z|/(v + 1) */
static void the_lower_tail_has_its_limit(void) {
  const double z = -1e12;
  step_levels row;
  for (int k = 0; k < N_DFS; k++) {
    const double v = dfs[k];
    if (v > 1e5) continue;
    const lik_step lik = one_label(v, 40, 0, &row);
    const tilted t = likelihood_tilt(&lik, 0, z, 1);
    CHECK_SCALED(t.mu, -z / (v + 1), 1e-11, 0);
    CHECK_SCALED(t.w, z * z * (v + 2) / ((v + 1) * (v + 1) * v), 1e-9, 0);
  }
}

static void labels_mirror_each_other(void) {
  const double L[2] = {0.05, 0.8}, mirrored[2] = {0.8, 0.05};
  for (int k = 0; k < N_DFS; k++)
    for (double m = -8; m <= 8; m += 0.5) {
      step_levels row, other;
      const lik_step a = likelihood_step(dfs[k], 7, 1, L, &row);
      const lik_step b = likelihood_step(dfs[k], 7, 1, mirrored, &other);
      const tilted x = likelihood_tilt(&a, 0, m, 2.3);
      const tilted y = likelihood_tilt(&b, 0, -m, 2.3);
      CHECK(x.log_z1 == y.log_z1 && x.log_zp == y.log_zp && x.mu == y.mu &&
            x.w == y.w && x.side == -y.side);
      const tilted_grad g = likelihood_tilt_grad(&a, 0, &x);
      const tilted_grad h = likelihood_tilt_grad(&b, 0, &y);
      CHECK(g.w_z == h.w_z && g.w_e[0] == h.w_e[1] && g.w_e[1] == h.w_e[0] &&
            g.log_zp_e[0] == h.log_zp_e[1]);
      double p[2], q[2];
      likelihood_truth(&a, &x, p);
      likelihood_truth(&b, &y, q);
      CHECK(p[0] == q[1] && p[1] == q[0]);
    }
}

/* Z1/Z2 = 1 - z alpha/v, an identity of the t */
static void the_ratio_of_normalisers_is_linear_in_alpha(void) {
  for (int k = 0; k < N_DFS; k++)
    for (double z = -30; z <= 8; z += 0.7) {
      step_levels row;
      const lik_step lik = one_label(dfs[k], 12, 0.02, &row);
      const tilted t = likelihood_tilt(&lik, 0, z, 1);
      CHECK_SCALED(t.w + t.alpha * t.mu, 1 - z * t.alpha / dfs[k], 1e-12, 1);
    }
}

static void a_label_that_says_nothing_leaves_the_cavity(void) {
  const double gap = 1e-13;
  step_levels row;
  for (int k = 0; k < N_DFS; k++) {
    const lik_step lik = one_label(dfs[k], 5, 0.5 - gap, &row);
    const tilted t = likelihood_tilt(&lik, 0, -1.2, 1);
    const tilted even = likelihood_tilt(&lik, 0, 0, 1);
    CHECK_NEAR(t.log_zp, log(0.5), 1e-12);
    CHECK_NEAR(t.w, 1, 1e-11);
    CHECK_NEAR(t.mu, -1.2, 1e-12);
    /* first order in the gap: alpha = q 2^2 gap f(z), no cancellation */
    const double f = isfinite(dfs[k]) ? dt(0, dfs[k], 0) : dnorm(0, 0, 1, 0);
    CHECK_SCALED(even.alpha, lik.q * 4 * gap * f, 1e-3, 0);
  }
}

static void a_vanishing_flip_rate_is_none(void) {
  step_levels row, other;
  for (int k = 0; k < N_DFS; k++)
    for (double z = -20; z <= 5; z++) {
      const lik_step a = one_label(dfs[k], 30, 0, &row);
      const lik_step b = one_label(dfs[k], 30, 1e-300, &other);
      const tilted x = likelihood_tilt(&a, 0, z, 1);
      const tilted y = likelihood_tilt(&b, 0, z, 1);
      CHECK_SCALED(y.log_z1, x.log_z1, 1e-12, 1e-3);
      CHECK_SCALED(y.w, x.w, 1e-11, 0);
      CHECK_SCALED(y.mu, x.mu, 1e-11, 0);
    }
}

static void a_cavity_without_spread_is_centred(void) {
  step_levels row;
  const lik_step lik = one_label(3, 5, 0.1, &row);
  const tilted t = likelihood_tilt(&lik, 0, 2, 0);
  CHECK(t.z == 0);
  CHECK_NEAR(t.log_zp, log(0.5), 1e-15);
}

static void equal_levels_say_nothing(void) {
  const double L[2] = {0.3, 0.3};
  for (int k = 0; k < N_DFS; k++)
    for (double m = -30; m <= 30; m += 7.5) {
      step_levels row;
      const lik_step lik = likelihood_step(dfs[k], 9, 1, L, &row);
      const tilted t = likelihood_tilt(&lik, 0, m, 1);
      CHECK(t.alpha == 0);
      CHECK_NEAR(t.w, 1, 1e-15);
      CHECK_NEAR(t.mu, m, 1e-15);
      CHECK_NEAR(t.log_zp, log(0.3), 1e-15);
      CHECK_NEAR(t.log_z1, lik.q * log(0.3), 1e-14);
    }
}

/* A factor common to both levels is one of the normalisers alone. */
static void a_common_factor_leaves_the_moments(void) {
  const double L[2] = {0.1, 0.75}, scaled[2] = {1e-5 * 0.1, 1e-5 * 0.75};
  for (int k = 0; k < N_DFS; k++)
    for (double m = -9; m <= 9; m++) {
      step_levels row, other;
      const lik_step a = likelihood_step(dfs[k], 9, 1, L, &row);
      const lik_step b = likelihood_step(dfs[k], 9, 1, scaled, &other);
      const tilted x = likelihood_tilt(&a, 0, m, 1);
      const tilted y = likelihood_tilt(&b, 0, m, 1);
      CHECK_SCALED(y.mu, x.mu, 1e-12, sqrt(x.w));
      CHECK_SCALED(y.w, x.w, 1e-12, 0);
      CHECK_NEAR(y.log_zp, x.log_zp + log(1e-5), 1e-13);
      CHECK_NEAR(y.log_z1, x.log_z1 + a.q * log(1e-5), 1e-13);
    }
}

/* Where lo is the larger: Zp and the moments at df = Inf by the trapezoidal
 * rule, and slopes by differences. */
static double zp_at(void *data, double step) {
  const double *x = data; /* mean, which, lo, hi */
  double L[2] = {x[2], x[3]};
  L[(int)x[1]] += step;
  step_levels row;
  const lik_step lik = likelihood_step(INFINITY, 3, 1, L, &row);
  return likelihood_tilt(&lik, 0, x[0], 4).log_zp;
}

static void a_larger_lo_is_integrated(void) {
  const double L[2] = {0.7, 0.05}, s = 2;
  step_levels row;
  const lik_step lik = likelihood_step(INFINITY, 3, 1, L, &row);
  for (double m = -5; m <= 5; m += 1.25) {
    double sum[3] = {0, 0, 0}, minus = 0;
    const int half = 40000;
    const double width = 12.0 * s / half;
    for (int j = -half; j <= half; j++) { /* f = 0 has half of each level */
      const double f = m + (j + 0.5) * width - fmod(m, width);
      const double p = dnorm(f, m, s, 0) * width;
      const double weight = p * L[f > 0];
      sum[0] += weight;
      sum[1] += weight * f;
      sum[2] += weight * f * f;
      minus += f > 0 ? 0 : weight;
    }
    const tilted t = likelihood_tilt(&lik, 0, m, s * s);
    const double mean = sum[1] / sum[0];
    CHECK(t.side == -1);
    CHECK_NEAR(t.log_zp, log(sum[0]), 1e-7);
    CHECK_NEAR(t.side * s * t.mu, mean, 1e-6);
    CHECK_NEAR(s * s * t.w, sum[2] / sum[0] - mean * mean, 1e-6);
    double log_p[2];
    likelihood_truth(&lik, &t, log_p);
    CHECK_NEAR(L[0] * exp(log_p[0] - t.log_zp), minus / sum[0], 1e-7);
    CHECK_NEAR(exp(log_p[0]) + exp(log_p[1]), 1, 1e-14);
    const tilted_grad g = likelihood_tilt_grad(&lik, 0, &t);
    for (int e = 0; e < 2; e++) {
      double x[4] = {m, e, L[0], L[1]};
      CHECK_NEAR(g.log_zp_e[e], dense_slope(zp_at, x, 2e-3), 1e-8);
    }
  }
}

int main(void) {
  RUN("moments agree with 120-digit values", moments_are_right);
  RUN("derivatives agree with 120-digit values", slopes_are_right);
  RUN("no step where the formula changes", the_switch_is_smooth);
  RUN("the farthest tails are finite", the_farthest_tails_are_finite);
  RUN("the lower tail has its Pareto limit", the_lower_tail_has_its_limit);
  RUN("labels mirror each other", labels_mirror_each_other);
  RUN("Z1/Z2 is linear in alpha", the_ratio_of_normalisers_is_linear_in_alpha);
  RUN("epsilon near 1/2 leaves the cavity",
      a_label_that_says_nothing_leaves_the_cavity);
  RUN("epsilon = 1e-300 is epsilon = 0", a_vanishing_flip_rate_is_none);
  RUN("a cavity without spread is centred", a_cavity_without_spread_is_centred);
  RUN("equal levels say nothing", equal_levels_say_nothing);
  RUN("a common factor leaves the moments", a_common_factor_leaves_the_moments);
  RUN("a larger lo is integrated like a larger hi", a_larger_lo_is_integrated);
  return check_done();
}
