/* Tilted moments: stored 120-digit values (data-raw/tilted-moments.py), and
 * what holds beyond them. */
#include "likelihood.h"
#include "check.h"
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

static tilted tilt_of(const double *row, lik_step *lik) {
  const double epsilon[2] = {row[NEG], row[POS]};
  *lik = likelihood_step(row[DF], (int)row[DIM], epsilon);
  return likelihood_tilt(lik, 1, row[Z], 1);
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
  const tilted t = tilt_of(row, &lik);
  const double v = row[DF], z = row[Z], size = sqrt(row[W]);
  const int hard = v > 10 && v < 75 && z < -9;
  CHECK_SCALED(t.log_z1, row[LOG_Z1], 3e-13, 1e-3);
  CHECK_SCALED(t.log_zp, row[LOG_ZP], 3e-13, 1e-3);
  CHECK_SCALED(t.mu, row[MU], hard ? 2e-12 : 3e-13, size);
  CHECK_SCALED(t.w, row[W], hard ? 1e-10 : 6e-12, 0);
  CHECK_SCALED(t.alpha, row[ALPHA], 1e-12, 1e-300);
  CHECK_SCALED(likelihood_flip_prob(&lik, 1, &t), row[FLIP], 1e-12, 1e-300);
}

static void moments_are_right(void) { for_each_row(check_moments); }

/* Derivatives are differences of nearly equal terms in the lower tail; they
 * steer Newton steps and gradients, where 1e-8 is plenty. */
static void check_slopes(const double *row) {
  lik_step lik;
  const tilted t = tilt_of(row, &lik);
  const tilted_grad g = likelihood_tilt_grad(&lik, 1, &t);
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
  const double epsilon[2] = {0, 0};
  for (double df = 25; df < 160; df += 0.5)
    for (double z = -12; z < -2.5; z += 0.25) {
      const lik_step lik = likelihood_step(df, 40, epsilon);
      /* neighbours on either side of any line in (df, z) */
      const lik_step next = likelihood_step(df * (1 + 1e-12), 40, epsilon);
      const tilted a = likelihood_tilt(&lik, 1, z * (1 - 1e-12), 1);
      const tilted b = likelihood_tilt(&lik, 1, z * (1 + 1e-12), 1);
      const tilted c = likelihood_tilt(&next, 1, z * (1 + 1e-12), 1);
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
          const double epsilon[2] = {flips[e], flips[e]};
          const lik_step lik = likelihood_step(dfs[k], 40, epsilon);
          const tilted t = likelihood_tilt(&lik, 1, sign * size, 1);
          const tilted_grad g = likelihood_tilt_grad(&lik, 1, &t);
          CHECK(all_finite(&t, &g, flips[e] > 0));
          CHECK(t.w > 0);
          CHECK(t.log_z1 <= 0 && t.log_zp <= 0);
        }
}

/* f | f > 0 of a t with v + 2 df: Pareto, mean |z|/(v + 1) */
static void the_lower_tail_has_its_limit(void) {
  const double epsilon[2] = {0, 0}, z = -1e12;
  for (int k = 0; k < N_DFS; k++) {
    const double v = dfs[k];
    if (v > 1e5) continue;
    const lik_step lik = likelihood_step(v, 40, epsilon);
    const tilted t = likelihood_tilt(&lik, 1, z, 1);
    CHECK_SCALED(t.mu, -z / (v + 1), 1e-11, 0);
    CHECK_SCALED(t.w, z * z * (v + 2) / ((v + 1) * (v + 1) * v), 1e-9, 0);
  }
}

static void labels_mirror_each_other(void) {
  const double epsilon[2] = {0.05, 0.2}, swapped[2] = {0.2, 0.05};
  for (int k = 0; k < N_DFS; k++)
    for (double m = -8; m <= 8; m += 0.5) {
      const lik_step a = likelihood_step(dfs[k], 7, epsilon);
      const lik_step b = likelihood_step(dfs[k], 7, swapped);
      const tilted x = likelihood_tilt(&a, 1, m, 2.3);
      const tilted y = likelihood_tilt(&b, -1, -m, 2.3);
      CHECK(x.log_z1 == y.log_z1 && x.log_zp == y.log_zp && x.mu == y.mu &&
            x.w == y.w);
      CHECK(likelihood_flip_prob(&a, 1, &x) ==
            likelihood_flip_prob(&b, -1, &y));
    }
}

/* Z1/Z2 = 1 - z alpha/v, an identity of the t */
static void the_ratio_of_normalisers_is_linear_in_alpha(void) {
  for (int k = 0; k < N_DFS; k++)
    for (double z = -30; z <= 8; z += 0.7) {
      const double epsilon[2] = {0.02, 0.02};
      const lik_step lik = likelihood_step(dfs[k], 12, epsilon);
      const tilted t = likelihood_tilt(&lik, 1, z, 1);
      CHECK_SCALED(t.w + t.alpha * t.mu, 1 - z * t.alpha / dfs[k], 1e-12, 1);
    }
}

static void a_label_that_says_nothing_leaves_the_cavity(void) {
  const double gap = 1e-13;
  const double epsilon[2] = {0.5 - gap, 0.5 - gap};
  for (int k = 0; k < N_DFS; k++) {
    const lik_step lik = likelihood_step(dfs[k], 5, epsilon);
    const tilted t = likelihood_tilt(&lik, 1, -1.2, 1);
    const tilted even = likelihood_tilt(&lik, 1, 0, 1);
    CHECK_NEAR(t.log_zp, log(0.5), 1e-12);
    CHECK_NEAR(t.w, 1, 1e-11);
    CHECK_NEAR(t.mu, -1.2, 1e-12);
    /* first order in the gap: alpha = q 2^2 gap f(z), no cancellation */
    const double f = isfinite(dfs[k]) ? dt(0, dfs[k], 0) : dnorm(0, 0, 1, 0);
    CHECK_SCALED(even.alpha, lik.q * 4 * gap * f, 1e-3, 0);
  }
}

static void a_vanishing_flip_rate_is_none(void) {
  const double none[2] = {0, 0}, tiny[2] = {1e-300, 1e-300};
  for (int k = 0; k < N_DFS; k++)
    for (double z = -20; z <= 5; z++) {
      const lik_step a = likelihood_step(dfs[k], 30, none);
      const lik_step b = likelihood_step(dfs[k], 30, tiny);
      const tilted x = likelihood_tilt(&a, 1, z, 1);
      const tilted y = likelihood_tilt(&b, 1, z, 1);
      CHECK_SCALED(y.log_z1, x.log_z1, 1e-12, 1e-3);
      CHECK_SCALED(y.w, x.w, 1e-11, 0);
      CHECK_SCALED(y.mu, x.mu, 1e-11, 0);
    }
}

static void a_cavity_without_spread_is_centred(void) {
  const double epsilon[2] = {0.1, 0.1};
  const lik_step lik = likelihood_step(3, 5, epsilon);
  const tilted t = likelihood_tilt(&lik, 1, 2, 0);
  CHECK(t.z == 0);
  CHECK_NEAR(t.log_zp, log(0.5), 1e-15);
}

static void level_slopes_add_up_to_epsilon(void) {
  const double lo_hi[2] = {3, 5};
  double g[2] = {1, 1};
  likelihood_add_epsilon(1, lo_hi,
                         g); /* lo = epsilon[0], hi = 1 - epsilon[1] */
  CHECK(g[0] == 4 && g[1] == -4);
  likelihood_add_epsilon(-1, lo_hi, g);
  CHECK(g[0] == -1 && g[1] == -1);
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
  RUN("slopes of lo and hi add up", level_slopes_add_up_to_epsilon);
  return check_done();
}
