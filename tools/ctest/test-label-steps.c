/* Answers between scores at even steps. */
#include "check.h"
#include "label-steps.h"
#include "numeric.h"

enum { STEPS = 9, MANY = 2, N = 5 };

static double cubic(double x) { return 1 + x * (0.5 + x * (0.25 + x * 0.125)); }

/* two answers, a growing cubic and what is left of it to 100 */
static void fill(double *step) {
  for (int s = 0; s < STEPS; s++) {
    step[MANY * s] = cubic(s);
    step[MANY * s + 1] = 100 - cubic(s);
  }
}

static void cubics_are_met_and_sums_kept(void) {
  const int at[N] = {0, 1, 2, 4, 5};
  const double u[N] = {0, 0.25, 0.5, 0.875, 0.999};
  double step[MANY * STEPS], row[MANY * N];
  fill(step);
  label_between(N, at, u, MANY, step, row);
  for (int i = 0; i < N; i++) {
    CHECK_NEAR(row[i], cubic(at[i] + 1 + u[i]), 1e-14);
    CHECK_NEAR(row[i] + row[N + i], 100, 1e-14);
  }
}

static void none_is_beyond_its_four_steps(void) {
  const double step[4] = {0, 0, 1, 1}, edge[4] = {0, 1, 1, 0};
  const int at = 0;
  for (int k = 0; k <= 10; k++) {
    const double u = k / 10.0;
    double row;
    label_between(1, &at, &u, 1, step, &row);
    CHECK(row >= 0 && row <= 1);
    label_between(1, &at, &u, 1, edge, &row);
    CHECK(row == 1);
  }
}

int main(void) {
  RUN("cubics are met, and sums kept", cubics_are_met_and_sums_kept);
  RUN("none is beyond its four steps", none_is_beyond_its_four_steps);
  return check_done();
}
