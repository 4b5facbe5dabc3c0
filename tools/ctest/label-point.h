/* What: the label stage by sums over pairs of classes in logs, for the tests of
 *       label.c, and random points to compare at. */
#ifndef STURDY_LABEL_POINT_H
#define STURDY_LABEL_POINT_H

#include "check.h"
#include "dense.h"
#include "label.h"

enum { MOST = 5, ROWS = 14, KINDS = 3, GROUPS = 2 };
#define SOFT 0.005 /* d, as in the core */

/* A point and its rows; they point into it. */
typedef struct {
  label_data data;
  label_point at;
  double P[MOST * ROWS], S[MOST * ROWS], times[ROWS];
  double M[MOST * MOST], w[MOST], b[MOST], U[MOST * MOST], L[KINDS * MOST];
  double v[GROUPS * MOST];
  int kind[ROWS], y[ROWS], group[ROWS];
} problem;

/* Log scores S of row i, any up to a constant */
static inline void set_scores(problem *p, int i, const double *S) {
  const int C = p->data.C;
  double sum = 0;
  for (int c = 0; c < C; c++) sum += exp(S[c]);
  for (int c = 0; c < C; c++) {
    p->S[IDX(c, i, C)] = S[c] - log(sum);
    p->P[IDX(c, i, C)] = exp(p->S[IDX(c, i, C)]);
  }
}

/* What scores have learned is taken out or not; matrices whole or plain;
 * weighted rows are in groups, too, or in none */
static inline void fill(problem *p, int C, int takes_out, int plain,
                        int weighted, uint64_t seed) {
  p->data = (label_data){.n = ROWS,
                         .C = C,
                         .R = KINDS,
                         .P = p->P,
                         .S = p->S,
                         .kind = p->kind,
                         .times = weighted ? p->times : NULL,
                         .plain = plain,
                         .group = weighted ? p->group : NULL};
  p->at = (label_point){takes_out ? p->M : NULL, p->w, p->b, p->U, p->L,
                        weighted ? p->v : NULL};
  for (int i = 0; i < ROWS; i++) {
    double S[MOST];
    for (int c = 0; c < C; c++) S[c] = 2 * dense_norm(&seed);
    set_scores(p, i, S);
    p->times[i] = exp(dense_norm(&seed));
    p->kind[i] = (int)(KINDS * dense_unif(&seed));
    p->y[i] = (int)(C * dense_unif(&seed));
    p->group[i] = i % (GROUPS + 1);
  }
  for (int t = 0; t < C; t++)
    for (int s = 0; s < C; s++) { /* M of about 25 % of noise */
      p->M[IDX(s, t, C)] =
          (s == t ? 1.4 : -0.4 / (C - 1)) + 0.05 * dense_norm(&seed);
      p->U[IDX(s, t, C)] = (s == t ? 0.9 : 0) + 0.1 * dense_unif(&seed);
    }
  if (plain) {
    p->M[0] = 1.5;
    p->M[1] = -0.5 / C;
    p->U[0] = 0.93;
    p->U[1] = 0.07 / C;
  }
  for (int k = 0; k < GROUPS * C; k++) p->v[k] = dense_norm(&seed);
  for (int c = 0; c < C; c++) {
    p->w[c] = dense_norm(&seed);
    p->b[c] = exp(0.5 * dense_norm(&seed));
    for (int k = 0; k < KINDS; k++) p->L[IDX(k, c, KINDS)] = dense_unif(&seed);
  }
}

static inline double entry_of(const problem *p, const double *A, int s, int t) {
  return p->data.plain ? A[1] + (s == t) * A[0] : A[IDX(s, t, p->data.C)];
}

static inline double log_add(double x, double y) {
  const double top = fmax(x, y);
  return top == -INFINITY ? top : top + log(exp(x - top) + exp(y - top));
}

/* Scores of a row to log q[C]: the soft positive part is
 * (B + sqrt(B^2 + 4 d^2)) / 2 = d exp(asinh(B / 2d)) */
static inline void plain_q(const problem *p, int i, double *log_q) {
  const int C = p->data.C;
  double l[MOST], of_l = -INFINITY, of_q = -INFINITY;
  for (int c = 0; c < C; c++) {
    l[c] = p->S[IDX(c, i, C)];
    if (!p->at.M) continue;
    double B = 0;
    for (int v = 0; v < C; v++)
      B += p->P[IDX(v, i, C)] * entry_of(p, p->M, v, c);
    l[c] = log(SOFT) + asinh(B / (2 * SOFT));
  }
  for (int c = 0; c < C; c++) of_l = log_add(of_l, l[c]);
  for (int c = 0; c < C; c++) {
    log_q[c] = p->w[c] + p->b[c] * (l[c] - (p->at.M ? of_l : 0));
    if (p->at.v && p->group[i]) log_q[c] += p->v[IDX(c, p->group[i] - 1, C)];
    of_q = log_add(of_q, log_q[c]);
  }
  for (int c = 0; c < C; c++) log_q[c] -= of_q;
}

/* Log Z of a row; truth[C], unless NULL, gets logs of the posterior */
static inline double plain_row(const problem *p, int i, double *truth) {
  const int C = p->data.C;
  double log_q[MOST], log_z = -INFINITY;
  plain_q(p, i, log_q);
  for (int t = 0; t < C; t++) {
    double joint = -INFINITY;
    for (int s = 0; s < C; s++)
      joint = log_add(joint, log_q[s] + log(entry_of(p, p->U, s, t)) +
                                 log(p->L[IDX(p->kind[i], t, KINDS)]));
    if (truth) truth[t] = joint;
    log_z = log_add(log_z, joint);
  }
  for (int t = 0; truth && t < C; t++) truth[t] -= log_z;
  return log_z;
}

static inline double plain_value(const problem *p) {
  double sum = 0;
  for (int i = 0; i < p->data.n; i++)
    sum += (p->data.times ? p->times[i] : 1) * plain_row(p, i, NULL);
  return sum;
}

/* ---- what the core says ---- */

typedef struct {
  double M[MOST * MOST], w[MOST], b[MOST], U[MOST * MOST], L[KINDS * MOST];
  double v[GROUPS * MOST];
} slopes;

/* Slopes are added to `to`, unless NULL */
static inline double value_of(const problem *p, slopes *to) {
  double work[9 * MOST];
  CHECK(label_work_size(MOST) <= 9 * MOST);
  if (!to) return label_value(&p->data, &p->at, NULL, work);
  const label_slope all = {p->at.M ? to->M : NULL, to->w, to->b, to->U, to->L,
                           p->at.v ? to->v : NULL};
  return label_value(&p->data, &p->at, &all, work);
}

typedef struct {
  double truth[MOST * ROWS], seen[MOST * ROWS], unusual[ROWS];
  double log_inverse[ROWS], wrong, spread;
} answers;

static inline answers nothing_said(void) {
  answers said = {.wrong = 0};
  for (int i = 0; i < ROWS; i++) said.log_inverse[i] = -INFINITY;
  return said;
}

static inline void add_to(const problem *p, double weight, answers *to) {
  double work[9 * MOST];
  const label_said said = {to->truth,       to->seen,   to->unusual,
                           to->log_inverse, &to->wrong, &to->spread};
  label_add(&p->data, &p->at, p->y, weight, &said, work);
}

/* Row i alone, once */
static inline void row_alone(problem *p, int i) {
  p->data.n = 1;
  p->data.P = p->P + IDX(0, i, p->data.C);
  p->data.S = p->S + IDX(0, i, p->data.C);
  p->data.kind = p->kind + i;
  p->data.times = NULL;
  if (p->data.group) p->data.group = p->group + i;
}

typedef struct {
  problem *p;
  double *moved;
} probe;

static inline double probe_at(void *data, double step) {
  const probe *x = data;
  const double was = *x->moved;
  *x->moved = was + step;
  const double value = plain_value(x->p);
  *x->moved = was;
  return value;
}

static inline void check_slope(problem *p, double *at, const double *got,
                               int size, double h) {
  for (int k = 0; k < size; k++) {
    probe x = {p, at + k};
    CHECK_NEAR(got[k], dense_slope(probe_at, &x, h), 1e-8);
  }
}

static inline void check_no_nan(const problem *p, const slopes *to) {
  const int C = p->data.C;
  for (int k = 0; k < C; k++) CHECK(!isnan(to->w[k]) && !isnan(to->b[k]));
  for (int k = 0; k < C * C; k++) CHECK(!isnan(to->M[k]) && !isnan(to->U[k]));
  for (int k = 0; k < KINDS * C; k++) CHECK(!isnan(to->L[k]));
}

#endif
