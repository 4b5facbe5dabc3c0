/* The matrices of a point of the label stage against series, differences and
 * products. */
#include "check.h"
#include "dense.h"
#include "label-overlap.h"

enum { C = 4, PAIRS = 5 };

typedef struct {
  label_pairs at;
  double u, s[PAIRS], G[C * C];
} problem;

static problem some_pairs(void) {
  static const int one[] = {0, 0, 1, 1, 2}, other[] = {1, 2, 2, 3, 3};
  problem p = {{C, PAIRS, one, other}, 0.07, {0.3, 1e-4, 2, 0.01, 0.5}, {0}};
  uint64_t seed = 5;
  for (int k = 0; k < C * C; k++) p.G[k] = dense_norm(&seed);
  return p;
}

/* Of exp(-L) the series of exp(-L/1024), squared ten times */
static void plain_matrix(const problem *p, double *U) {
  double L[C * C] = {0}, power[C * C], next[C * C];
  for (int k = 0; k < PAIRS; k++) {
    const int c = p->at.one[k], d = p->at.other[k];
    L[IDX(c, d, C)] = L[IDX(d, c, C)] = -p->s[k] / 1024;
    L[IDX(c, c, C)] += p->s[k] / 1024;
    L[IDX(d, d, C)] += p->s[k] / 1024;
  }
  for (int k = 0; k < C * C; k++) U[k] = power[k] = k % (C + 1) == 0;
  for (int term = 1; term < 12; term++) {
    for (int k = 0; k < C * C; k++) {
      next[k] = 0;
      for (int j = 0; j < C; j++)
        next[k] -= power[IDX(k % C, j, C)] * L[IDX(j, k / C, C)] / term;
    }
    memcpy(power, next, sizeof power);
    for (int k = 0; k < C * C; k++) U[k] += power[k];
  }
  for (int square = 0; square < 10; square++) {
    for (int k = 0; k < C * C; k++) {
      next[k] = 0;
      for (int j = 0; j < C; j++)
        next[k] += U[IDX(k % C, j, C)] * U[IDX(j, k / C, C)];
    }
    memcpy(U, next, sizeof next);
  }
  for (int k = 0; k < C * C; k++) U[k] = (1 - p->u) * U[k] + p->u / C;
}

static void pairs_mix_as_heat_spreads(void) {
  problem p = some_pairs();
  double U[C * C], want[C * C], V[C * C], values[C], work[64];
  CHECK(overlap_work_size(C) <= 64);
  CHECK(overlap_matrix(&p.at, p.u, p.s, U, V, values, work) == 0);
  plain_matrix(&p, want);
  for (int k = 0; k < C * C; k++) CHECK_NEAR(U[k], want[k], 1e-13);
  for (int k = 0; k < PAIRS; k++) p.s[k] = 0; /* nor do they without */
  CHECK(overlap_matrix(&p.at, p.u, p.s, U, V, values, work) == 0);
  for (int k = 0; k < C * C; k++)
    CHECK_NEAR(U[k], (k % (C + 1) == 0 ? 1 - p.u : 0) + p.u / C, 1e-15);
  p.s[1] = NAN;
  CHECK(overlap_matrix(&p.at, p.u, p.s, U, V, values, work) != 0);
}

/* With pair 0 apart in s: no entry of classes that nothing joins is below 0 */
static void rounding_is_no_probability(void) {
  problem p = some_pairs();
  double U[C * C], V[C * C], values[C], work[64];
  p.u = 0;
  for (int k = 1; k < PAIRS; k++) p.s[k] = 0;
  for (int k = 0; k < 40; k++) {
    p.s[0] = 0.01 * (k + 1);
    CHECK(overlap_matrix(&p.at, p.u, p.s, U, V, values, work) == 0);
    for (int j = 0; j < C * C; j++) CHECK(U[j] >= 0);
    CHECK_NEAR(U[1], (1 - exp(-2 * p.s[0])) / 2, 1e-14);
  }
}

typedef struct {
  problem *p;
  double *moved;
  int in_log;
} probe;

static double weighted_sum(void *data, double step) {
  const probe *x = data;
  const double was = *x->moved;
  double U[C * C], sum = 0;
  *x->moved = x->in_log ? was * exp(step) : was + step;
  plain_matrix(x->p, U);
  *x->moved = was;
  for (int k = 0; k < C * C; k++) sum += x->p->G[k] * U[k];
  return sum;
}

static void slopes_equal_differences(void) {
  problem p = some_pairs();
  double U[C * C], V[C * C], values[C], by_u, by_s[PAIRS], work[64];
  p.s[3] = p.s[4] = 0.5; /* values that are alike, too */
  CHECK(overlap_matrix(&p.at, p.u, p.s, U, V, values, work) == 0);
  overlap_back(&p.at, p.u, p.s, V, values, p.G, &by_u, by_s, work);
  probe x = {&p, &p.u, 0};
  CHECK_NEAR(by_u, dense_slope(weighted_sum, &x, 1e-2), 1e-9);
  for (int k = 0; k < PAIRS; k++) {
    x = (probe){&p, p.s + k, 1};
    CHECK_NEAR(by_s[k], dense_slope(weighted_sum, &x, 1e-2), 1e-9);
  }
}

static void noise_is_taken_out_by_an_inverse(void) {
  uint64_t seed = 8;
  double A[C * C], copy[C * C], M[C * C], by[C * C], work[64], G[C * C];
  int pivot[C];
  for (int k = 0; k < C * C; k++) {
    A[k] = (k % (C + 1) == 0) + 0.2 * dense_norm(&seed);
    G[k] = dense_norm(&seed);
  }
  memcpy(copy, A, sizeof A);
  noise_inverse(C, copy, M, pivot, work);
  for (int j = 0; j < C; j++)
    for (int i = 0; i < C; i++) {
      double sum = 0;
      for (int k = 0; k < C; k++) sum += A[IDX(i, k, C)] * M[IDX(k, j, C)];
      CHECK_NEAR(sum, i == j, 1e-14);
    }
  noise_inverse_back(C, M, G, by, work);
  for (int k = 0; k < C * C; k++) {
    double up[C * C], down[C * C], want = 0;
    memcpy(copy, A, sizeof A);
    copy[k] += 1e-5;
    noise_inverse(C, copy, up, pivot, work);
    memcpy(copy, A, sizeof A);
    copy[k] -= 1e-5;
    noise_inverse(C, copy, down, pivot, work);
    for (int j = 0; j < C * C; j++) want += G[j] * (up[j] - down[j]) / 2e-5;
    CHECK_NEAR(by[k], want, 1e-8);
  }
  for (int j = 0; j < C; j++) /* apart by rounding */
    A[IDX(2, j, C)] = A[IDX(1, j, C)] * (1 + (j - 1) * DBL_EPSILON);
  noise_inverse(C, A, M, pivot, work);
  for (int k = 0; k < C * C; k++) CHECK(isnan(M[k]));
}

int main(void) {
  RUN("pairs mix as heat spreads", pairs_mix_as_heat_spreads);
  RUN("rounding is no probability", rounding_is_no_probability);
  RUN("slopes equal differences", slopes_equal_differences);
  RUN("noise is taken out by an inverse", noise_is_taken_out_by_an_inverse);
  return check_done();
}
