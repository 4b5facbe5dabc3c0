/* The label stage at a point: values, slopes, and what is said of rows. */
#include "label-point.h"

/* Every kind of problem: two classes and five, with and without M, whole and
 * plain matrices, rows that stand for one and for several, in groups */
static void each_problem(void (*check)(problem *p)) {
  static const int classes[] = {2, 5};
  problem p;
  for (int k = 0; k < 16; k++) {
    fill(&p, classes[k & 1], (k >> 1) & 1, (k >> 2) & 1, (k >> 3) & 1,
         (uint64_t)(100 + k));
    check(&p);
  }
}

static void check_value(problem *p) {
  CHECK_NEAR(value_of(p, NULL), plain_value(p), 1e-13);
}

static void values_are_plain_sums(void) { each_problem(check_value); }

static void check_slopes(problem *p) {
  const int C = p->data.C, size = p->data.plain ? 2 : C * C;
  slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
  CHECK(value_of(p, &to) == value_of(p, NULL));
  /* B+ bends over d / p: small steps in M */
  if (p->at.M) check_slope(p, p->M, to.M, size, 2e-4);
  check_slope(p, p->w, to.w, C, 1e-2);
  check_slope(p, p->b, to.b, C, 5e-3);
  check_slope(p, p->U, to.U, size, 1e-3);
  check_slope(p, p->L, to.L, KINDS * C, 1e-3);
  if (p->at.v) check_slope(p, p->v, to.v, GROUPS * C, 1e-2);
  slopes twice = to;
  value_of(p, &twice);
  for (int k = 0; k < C; k++) CHECK_NEAR(twice.w[k], 2 * to.w[k], 1e-14);
  for (int k = 0; k < size; k++) CHECK_NEAR(twice.U[k], 2 * to.U[k], 1e-14);
}

static void slopes_equal_differences(void) { each_problem(check_slopes); }

/* alpha I + beta 11' */
static void two_numbers_stand_for_a_matrix(void) {
  problem plain, whole;
  answers a = nothing_said(), b = nothing_said();
  slopes to = {{0}, {0}, {0}, {0}, {0}, {0}}, by = to;
  fill(&plain, 5, 1, 1, 1, 7);
  fill(&whole, 5, 1, 1, 1, 7);
  whole.data.plain = 0;
  for (int t = 0; t < 5; t++)
    for (int s = 0; s < 5; s++) {
      whole.M[IDX(s, t, 5)] = entry_of(&plain, plain.M, s, t);
      whole.U[IDX(s, t, 5)] = entry_of(&plain, plain.U, s, t);
    }
  CHECK_NEAR(value_of(&plain, &to), value_of(&whole, &by), 1e-13);
  double on[2] = {0, 0}, all[2] = {0, 0};
  for (int k = 0; k < 25; k++) {
    on[0] += k % 6 == 0 ? by.M[k] : 0;
    on[1] += k % 6 == 0 ? by.U[k] : 0;
    all[0] += by.M[k];
    all[1] += by.U[k];
  }
  CHECK_NEAR(to.M[0], on[0], 1e-12);
  CHECK_NEAR(to.M[1], all[0], 1e-12);
  CHECK_NEAR(to.U[0], on[1], 1e-12);
  CHECK_NEAR(to.U[1], all[1], 1e-12);
  add_to(&plain, 1, &a);
  add_to(&whole, 1, &b);
  CHECK_NEAR(a.wrong, b.wrong, 1e-13);
  for (int i = 0; i < ROWS; i++) CHECK_NEAR(a.unusual[i], b.unusual[i], 1e-13);
}

/* Labels that are right for certain, or rates of 0, have likelihoods of 0 */
static void check_certain(problem *p) {
  const int C = p->data.C;
  slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
  for (int k = 0; k < KINDS; k++)
    for (int c = 0; c < C; c++) p->L[IDX(k, c, KINDS)] = c == k % C;
  CHECK_NEAR(value_of(p, &to), plain_value(p), 1e-13);
  check_no_nan(p, &to);
  check_slope(p, p->w, to.w, C, 1e-2);
  check_slope(p, p->U, to.U, p->data.plain ? 2 : C * C, 1e-4);
}

static void certain_labels_have_slopes(void) { each_problem(check_certain); }

/* L_t dlog Z / dL_t is the posterior of the true class, and U_st dlog Z / dU_st
 * that of scores of class s in a row of class t */
static void check_said(problem *p) {
  const int C = p->data.C, n = p->data.n;
  answers a = nothing_said();
  double wrong = 0, spread = 0, seen[MOST * ROWS], log_z_of[ROWS];
  double work[9 * MOST];
  add_to(p, 1, &a);
  label_seen(&p->data, &p->at, seen, log_z_of, work);
  for (int i = 0; i < n; i++) {
    problem one = *p;
    slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
    one.at = (label_point){p->at.M ? one.M : NULL, one.w, one.b, one.U, one.L,
                           p->at.v ? one.v : NULL};
    row_alone(&one, i);
    const double log_z = value_of(&one, &to),
                 often = p->data.times ? p->times[i] : 1;
    double sum = 0, all = 0, unusual = 0;
    for (int t = 0; t < C; t++) {
      const size_t at = IDX(p->kind[i], t, KINDS);
      CHECK_NEAR(a.truth[IDX(t, i, C)], p->L[at] * to.L[at], 1e-13);
      CHECK_NEAR(a.seen[IDX(t, i, C)], exp(log_z) * to.L[at], 1e-13);
      CHECK(a.seen[IDX(t, i, C)] == seen[IDX(t, i, C)]);
      sum += a.truth[IDX(t, i, C)];
      all += seen[IDX(t, i, C)] * p->L[at];
    }
    for (int s = 0; s < C; s++)
      if (s != p->y[i] && !p->data.plain)
        unusual += p->U[IDX(s, p->y[i], C)] * to.U[IDX(s, p->y[i], C)];
    if (!p->data.plain) CHECK_NEAR(a.unusual[i], unusual, 1e-13);
    CHECK_NEAR(sum, 1, 1e-14);
    CHECK_NEAR(all, exp(log_z), 1e-14);
    CHECK_NEAR(log_z_of[i], log_z, 1e-14);
    CHECK_NEAR(a.log_inverse[i], -log_z, 1e-13);
    const double right = a.truth[IDX(p->y[i], i, C)];
    CHECK(a.unusual[i] >= 0 && a.unusual[i] <= right);
    wrong += often * (1 - right);
    spread += often * right * (1 - right);
  }
  CHECK_NEAR(a.wrong, wrong, 1e-14);
  CHECK_NEAR(a.spread, spread, 1e-14);
}

static void what_is_said_of_rows_is_in_the_slopes(void) {
  each_problem(check_said);
}

static void points_add_up_by_weight(void) {
  problem p, q;
  answers a = nothing_said(), b = a, both = a;
  fill(&p, 5, 1, 0, 1, 51);
  fill(&q, 5, 1, 0, 1, 51);
  for (int c = 0; c < 5; c++) q.w[c] = -p.w[c];
  add_to(&p, 1, &a);
  add_to(&q, 1, &b);
  add_to(&p, 0.3, &both);
  add_to(&q, 0.7, &both);
  for (int k = 0; k < 5 * ROWS; k++) {
    const int i = k / 5;
    const double u = 0.3 * exp(a.log_inverse[i]),
                 v = 0.7 * exp(b.log_inverse[i]);
    CHECK_NEAR(both.truth[k], 0.3 * a.truth[k] + 0.7 * b.truth[k], 1e-14);
    CHECK_NEAR(both.seen[k], (u * a.seen[k] + v * b.seen[k]) / (u + v), 1e-14);
  }
  for (int i = 0; i < ROWS; i++) {
    CHECK_NEAR(both.unusual[i], 0.3 * a.unusual[i] + 0.7 * b.unusual[i], 1e-14);
    CHECK_NEAR(
        both.log_inverse[i],
        log_add(log(0.3) + a.log_inverse[i], log(0.7) + b.log_inverse[i]),
        1e-14);
  }
  CHECK(both.wrong == b.wrong); /* of the last point */
}

int main(void) {
  RUN("values are plain sums", values_are_plain_sums);
  RUN("slopes equal differences", slopes_equal_differences);
  RUN("two numbers stand for a matrix", two_numbers_stand_for_a_matrix);
  RUN("certain labels have slopes", certain_labels_have_slopes);
  RUN("what is said of rows is in the slopes",
      what_is_said_of_rows_is_in_the_slopes);
  RUN("points add up by weight", points_add_up_by_weight);
  return check_done();
}
