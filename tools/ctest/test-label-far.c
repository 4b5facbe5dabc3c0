/* The label stage far out: labels that contradict their scores, reports that are
 * hardly possible, scores that noise makes negative, and numbers that are none. */
#include "label-point.h"

#define STAYS 600.0      /* log of what slopes in U and L are at most, by L */
#define LOG_LEAST -575.0 /* of Z, from where the core sums in logs */

/* Two classes, whose labels are right and rows usual: Z = q(label) */
static void contradict(problem *p, double log_p) {
  const double S[2] = {0, log_p};
  fill(p, 2, 0, 0, 0, 3);
  for (int k = 0; k < 4; k++) p->U[k] = k == 0 || k == 3;
  for (int k = 0; k < KINDS * 2; k++) p->L[k] = k >= KINDS; /* of class 2 */
  p->w[0] = p->w[1] = 0;
  p->b[0] = p->b[1] = 1;
  for (int i = 0; i < ROWS; i++) p->y[i] = 1;
  for (int i = 0; i < ROWS; i++) set_scores(p, i, S);
}

static void sums_go_over_into_logs_without_a_step(void) {
  problem p;
  for (double log_z = LOG_LEAST + 10; log_z > LOG_LEAST - 25; log_z -= 0.5) {
    slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
    contradict(&p, log_z);
    CHECK_NEAR(value_of(&p, &to), ROWS * log_z, 1e-13);
    CHECK_NEAR(to.w[1], ROWS, 1e-12);
    CHECK_NEAR(to.b[1], ROWS * log_z, 1e-12);
    CHECK_NEAR(log(to.U[IDX(0, 1, 2)]), log(ROWS) - log_z, 1e-12);
  }
}

/* Slopes of one row where q of its label is below the least double: those in
 * the label and in its own entry of U are 1, however small it is */
static void contradictions_far_out_keep_their_slopes(void) {
  static const double far[] = {-580, -700, -720, -760, -5000};
  problem p;
  for (int k = 0; k < 5; k++) {
    slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
    contradict(&p, -500);
    p.b[0] = p.b[1] = far[k] / -500;
    row_alone(&p, 0);
    CHECK_NEAR(value_of(&p, &to), far[k], 1e-13);
    CHECK_NEAR(to.w[0], -1, 1e-12);
    CHECK_NEAR(to.w[1], 1, 1e-12);
    CHECK_NEAR(to.b[1], -500, 1e-12);
    CHECK_NEAR(to.L[IDX(p.kind[0], 1, KINDS)], 1, 1e-12);
    CHECK_NEAR(to.U[IDX(1, 1, 2)], 1, 1e-12);
    CHECK_NEAR(log(to.U[IDX(0, 1, 2)]), fmin(-far[k], STAYS), 1e-12);
    CHECK_NEAR(log(to.L[IDX(p.kind[0], 0, KINDS)]), fmin(-far[k], STAYS),
               1e-12);
    CHECK(to.U[IDX(0, 0, 2)] == 0 && to.U[IDX(1, 0, 2)] == 0);
    answers a = nothing_said();
    add_to(&p, 0.25, &a); /* 1/Z of both points, the second next to nothing */
    p.b[0] = p.b[1] = 1;
    add_to(&p, 0.75, &a);
    CHECK_NEAR(a.log_inverse[0], log(0.25) - far[k], 1e-12);
  }
}

/* Reports that have a probability near the least double under all classes */
static void reports_of_many_readers_keep_their_posterior(void) {
  static const double small[] = {1e-240, 1e-260, 1e-290, 4e-308, 1e-315};
  problem p;
  double want[MOST], truth[ROWS * MOST];
  for (int takes_out = 0; takes_out < 2; takes_out++) {
    fill(&p, 5, takes_out, 0, 0, 12);
    for (int i = 0; i < ROWS; i++) plain_row(&p, i, truth + 5 * i);
    const double before = plain_value(&p);
    for (int k = 0; k < 5; k++) {
      answers a = nothing_said();
      fill(&p, 5, takes_out, 0, 0, 12);
      for (int j = 0; j < KINDS * 5; j++) p.L[j] *= small[k];
      /* subnormal numbers have few digits */
      const double tol = small[k] < 1e-300 ? 1e-6 : 1e-12;
      CHECK_NEAR(value_of(&p, NULL), before + ROWS * log(small[k]), tol);
      add_to(&p, 1, &a);
      for (int i = 0; i < ROWS; i++) {
        plain_row(&p, i, want);
        for (int t = 0; t < 5; t++) {
          CHECK_NEAR(a.truth[5 * i + t], exp(want[t]), 1e-12);
          CHECK_NEAR(a.truth[5 * i + t], exp(truth[5 * i + t]), tol);
        }
      }
    }
  }
}

/* B far below 0: B+ goes as d^2 / -B, where (B + sqrt(B^2 + 4 d^2)) / 2 is 0 */
static void scores_far_below_zero_keep_their_digits(void) {
  static const double far[] = {-1, -1e3, -1e6, -1e9, -1e14};
  problem p;
  for (int k = 0; k < 5; k++) {
    slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
    double log_q[MOST], seen[MOST];
    fill(&p, 5, 1, 0, 0, 21);
    for (int v = 0; v < 5; v++) p.M[IDX(v, 2, 5)] = far[k];
    for (int c = 0; c < 5; c++) p.b[c] = 0.5; /* so that q does not vanish */
    p.data.n = 1;
    CHECK_NEAR(value_of(&p, &to), plain_value(&p), 1e-13);
    plain_q(&p, 0, log_q);
    label_seen(&p.data, &p.at, seen, NULL, (double[9 * MOST]){0});
    double mixed = 0;
    for (int s = 0; s < 5; s++) mixed += exp(log_q[s]) * p.U[IDX(s, 2, 5)];
    CHECK_NEAR(seen[2], mixed, 1e-13);
    for (int v = 0; v < 5; v++) {
      probe x = {&p, p.M + IDX(v, 2, 5)};
      CHECK_SCALED(to.M[IDX(v, 2, 5)],
                   dense_slope(probe_at, &x, -0.01 * far[k]), 1e-8,
                   -1 / far[k]);
    }
  }
}

static void what_cannot_be_has_no_likelihood_and_no_nan(void) {
  problem p;
  for (int C = 2; C <= 5; C += 3)
    for (int takes_out = 0; takes_out < 2; takes_out++) {
      slopes to = {{0}, {0}, {0}, {0}, {0}, {0}};
      answers a = nothing_said();
      fill(&p, C, takes_out, 0, 0, 31);
      for (int c = 0; c < C; c++) p.L[IDX(p.kind[4], c, KINDS)] = 0;
      CHECK(value_of(&p, &to) == -INFINITY);
      check_no_nan(&p, &to);
      add_to(&p, 1, &a);
      for (int c = 0; c < C; c++)
        CHECK_NEAR(a.truth[IDX(c, 4, C)], 1.0 / C, 1e-15);
      for (int i = 0; i < ROWS; i++)
        CHECK(isfinite(a.unusual[i]) && isfinite(a.log_inverse[i]));
      CHECK(isfinite(a.wrong) && isfinite(a.spread));
    }
}

/* A matrix without an inverse on the way */
static void numbers_that_are_none_have_no_likelihood(void) {
  static const double none[] = {NAN, INFINITY, -INFINITY};
  problem p;
  for (int k = 0; k < 3; k++) {
    fill(&p, 5, 1, 0, 0, 41);
    for (int j = 0; j < 25; j++) p.M[j] = none[k];
    CHECK(value_of(&p, NULL) == -INFINITY);
    fill(&p, 5, 0, 0, 0, 41);
    for (int j = 0; j < 25; j++) p.U[j] = NAN;
    CHECK(value_of(&p, NULL) == -INFINITY);
  }
}

int main(void) {
  RUN("sums go over into logs without a step",
      sums_go_over_into_logs_without_a_step);
  RUN("contradictions far out keep their slopes",
      contradictions_far_out_keep_their_slopes);
  RUN("reports of many readers keep their posterior",
      reports_of_many_readers_keep_their_posterior);
  RUN("scores far below 0 keep their digits",
      scores_far_below_zero_keep_their_digits);
  RUN("what can't be has no likelihood, and no NaN",
      what_cannot_be_has_no_likelihood_and_no_nan);
  RUN("numbers that are none have no likelihood",
      numbers_that_are_none_have_no_likelihood);
  return check_done();
}
