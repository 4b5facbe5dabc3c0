/* What: glue of the label stage. */
#include "glue.h"
#include "label-overlap.h"
#include "label-steps.h"
#include "label.h"
#include <string.h>

/* Points as they come: [. x K] each */
typedef struct {
  int K, size; /* how many, and doubles of a matrix of one */
  const double *M, *w, *b, *U, *L, *v;
  int G; /* groups of v */
} label_points;

/* data_: list(P, S (C x n), kind (n), times, group (n or NULL), kinds, plain) */
static label_data data_of(SEXP data_) {
  SEXP P_ = get_named(data_, "P"), kind_ = get_named(data_, "kind");
  SEXP group_ = get_named(data_, "group");
  const int C = Rf_nrows(P_), n = Rf_ncols(P_);
  expect(Rf_isInteger(kind_) && Rf_length(kind_) == n, "kind");
  expect(Rf_isNull(group_) || (Rf_isInteger(group_) && Rf_length(group_) == n),
         "group");
  return (label_data){.n = n,
                      .C = C,
                      .R = get_whole(data_, "kinds"),
                      .P = MATRIX(P_, C, n),
                      .S = matrix_of(get_named(data_, "S"), C, n, "S"),
                      .kind = INTEGER_RO(kind_),
                      .times = glue_rows(data_, "times", n),
                      .plain = get_whole(data_, "plain"),
                      .group = Rf_isNull(group_) ? NULL : INTEGER_RO(group_)};
}

/* points_: list(M (size x K, or NULL), w, b (C x K), U (size x K), L (kinds C x K), v (C G x K, or NULL)) */
static label_points points_of(SEXP points_, const label_data *data) {
  SEXP w_ = get_named(points_, "w"), M_ = get_named(points_, "M"),
       v_ = get_named(points_, "v");
  const int C = data->C, K = Rf_ncols(w_), size = data->plain ? 2 : C * C;
  const int G = Rf_isNull(v_) ? 0 : Rf_nrows(v_) / C;
  for (int i = 0; G && data->group && i < data->n; i++)
    expect(data->group[i] <= G, "group");
  return (label_points){
      .K = K,
      .size = size,
      .M = Rf_isNull(M_) ? NULL : MATRIX(M_, size, K),
      .w = MATRIX(w_, C, K),
      .b = matrix_of(get_named(points_, "b"), C, K, "b"),
      .U = matrix_of(get_named(points_, "U"), size, K, "U"),
      .L = get_doubles(points_, "L", (R_xlen_t)data->R * C * K),
      .v = G ? MATRIX(v_, G * C, K) : NULL,
      .G = G};
}

static label_point point_at(const label_points *at, const label_data *data,
                            int k) {
  return (label_point){.M = at->M ? at->M + IDX(0, k, at->size) : NULL,
                       .w = at->w + IDX(0, k, data->C),
                       .b = at->b + IDX(0, k, data->C),
                       .U = at->U + IDX(0, k, at->size),
                       .L = at->L + IDX(0, k, data->R * data->C),
                       .v = at->v ? at->v + IDX(0, k, at->G * data->C) : NULL};
}

static double *zeros(SEXP list_, const char *name, int rows, int cols) {
  double *x = set_matrix(list_, name, rows, cols);
  for (size_t k = 0; k < (size_t)rows * (size_t)cols; k++) x[k] = 0;
  return x;
}

/* The k-th of some, or NULL */
static double *part(double *x, int k, int size) {
  return x ? x + IDX(0, k, size) : NULL;
}

/* Returns value (K), the log likelihoods, and with gradient_ their slopes in the
 * shapes of points_, else NULL. */
SEXP glue_label_values(SEXP data_, SEXP points_, SEXP gradient_) {
  const label_data data = data_of(data_);
  const label_points at = points_of(points_, &data);
  const int C = data.C, K = at.K;
  SEXP out_ = PROTECT(new_list("value M w b U L v"));
  double *value = set_vector(out_, "value", K);
  label_slope all = {NULL, NULL, NULL, NULL, NULL, NULL};
  if (WHOLE(gradient_)) {
    if (at.M) all.M = zeros(out_, "M", at.size, K);
    all.w = zeros(out_, "w", C, K);
    all.b = zeros(out_, "b", C, K);
    all.U = zeros(out_, "U", at.size, K);
    all.L = zeros(out_, "L", data.R * C, K);
    if (at.v) all.v = zeros(out_, "v", C * at.G, K);
  }
  double *work = glue_alloc(label_work_size(C));
  for (int k = 0; k < K; k++) {
    const label_point here = point_at(&at, &data, k);
    const label_slope slope = {
        part(all.M, k, at.size),    part(all.w, k, C),
        part(all.b, k, C),          part(all.U, k, at.size),
        part(all.L, k, data.R * C), part(all.v, k, C * at.G)};
    R_CheckUserInterrupt();
    value[k] = label_value(&data, &here, all.w ? &slope : NULL, work);
  }
  UNPROTECT(1);
  return out_;
}

/* weight_ (K), y_ (n) labels 0..C-1. Returns means over the points: truth, seen
 * (C x n), unusual, log_inverse: the log of that of one over Z (n); and at each
 * wrong and variance (K). */
SEXP glue_label_said(SEXP data_, SEXP points_, SEXP weight_, SEXP y_) {
  const label_data data = data_of(data_);
  const label_points at = points_of(points_, &data);
  const double *weight = DOUBLES(weight_, at.K);
  expect(Rf_isInteger(y_) && Rf_length(y_) == data.n, "y");
  const int *y = INTEGER_RO(y_);
  SEXP out_ =
      PROTECT(new_list("truth seen unusual log_inverse wrong variance"));
  double *wrong = set_vector(out_, "wrong", at.K);
  double *variance = set_vector(out_, "variance", at.K);
  label_said said = {.truth = zeros(out_, "truth", data.C, data.n),
                     .seen = zeros(out_, "seen", data.C, data.n),
                     .unusual = zeros(out_, "unusual", data.n, 1),
                     .log_inverse = set_vector(out_, "log_inverse", data.n)};
  for (int i = 0; i < data.n; i++) said.log_inverse[i] = -INFINITY;
  double *work = glue_alloc(label_work_size(data.C));
  for (int k = 0; k < at.K; k++) {
    const label_point here = point_at(&at, &data, k);
    said.wrong = wrong + k;
    said.variance = variance + k;
    R_CheckUserInterrupt();
    label_add(&data, &here, y, weight[k], &said, work);
  }
  UNPROTECT(1);
  return out_;
}

/* Returns C n x K: probabilities of the true classes without reports. */
SEXP glue_label_seen(SEXP data_, SEXP points_) {
  const label_data data = data_of(data_);
  const label_points at = points_of(points_, &data);
  const size_t each = IDX(0, data.n, data.C);
  SEXP out_ = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(each * (size_t)at.K)));
  double *work = glue_alloc(label_work_size(data.C));
  for (int k = 0; k < at.K; k++) {
    const label_point here = point_at(&at, &data, k);
    label_seen(&data, &here, REAL(out_) + (size_t)k * each, NULL, work);
  }
  UNPROTECT(1);
  return out_;
}

/* at_ (n) the first of four steps, from 0, u_ (n), step_ (m x steps). Returns n x m, see label_between(). */
SEXP glue_label_between(SEXP at_, SEXP u_, SEXP step_) {
  const int n = Rf_length(u_), m = Rf_nrows(step_), steps = Rf_ncols(step_);
  const double *u = DOUBLES(u_, n), *step = MATRIX(step_, m, steps);
  expect(Rf_isInteger(at_) && Rf_length(at_) == n, "at");
  const int *at = INTEGER_RO(at_);
  for (int i = 0; i < n; i++) expect(at[i] >= 0 && at[i] < steps - 3, "at");
  SEXP row_ = PROTECT(Rf_allocMatrix(REALSXP, n, m));
  label_between(n, at, u, m, step, REAL(row_));
  UNPROTECT(1);
  return row_;
}

/* pairs_ (pairs x 2) classes from 1; pairs.one and .other are copies from 0 */
static label_pairs pairs_of(SEXP pairs_, int C) {
  expect(Rf_isInteger(pairs_) && Rf_ncols(pairs_) == 2, "pairs");
  const int pairs = Rf_nrows(pairs_);
  int *at = (int *)R_alloc(2 * (size_t)pairs + 1, sizeof(int));
  for (int k = 0; k < 2 * pairs; k++) {
    at[k] = INTEGER_RO(pairs_)[k] - 1;
    expect(at[k] >= 0 && at[k] < C, "pairs");
  }
  return (label_pairs){C, pairs, at, at + pairs};
}

/* u_ (K), s_ (pairs x K). Returns U, V (C^2 x K) and values (C x K), of NaN where there are no axes. */
SEXP glue_label_overlap(SEXP u_, SEXP s_, SEXP pairs_, SEXP C_) {
  const int C = WHOLE(C_), K = Rf_length(u_);
  const label_pairs pairs = pairs_of(pairs_, C);
  const double *u = DOUBLES(u_, K), *s = MATRIX(s_, pairs.pairs, K);
  SEXP out_ = PROTECT(new_list("U V values"));
  double *U = set_matrix(out_, "U", C * C, K);
  double *V = set_matrix(out_, "V", C * C, K);
  double *values = set_matrix(out_, "values", C, K);
  double *work = glue_alloc(overlap_work_size(C));
  for (int k = 0; k < K; k++) {
    double *here = U + IDX(0, k, C * C);
    const int failed =
        overlap_matrix(&pairs, u[k], s + IDX(0, k, pairs.pairs), here,
                       V + IDX(0, k, C * C), values + IDX(0, k, C), work);
    for (int c = 0; failed && c < C * C; c++) here[c] = NA_REAL;
  }
  UNPROTECT(1);
  return out_;
}

/* G_ (C^2 x K) slopes in U; overlap_ as glue_label_overlap() gave it. Returns u
 * (K), log_s (pairs x K). */
SEXP glue_label_overlap_back(SEXP G_, SEXP u_, SEXP s_, SEXP pairs_,
                             SEXP overlap_) {
  SEXP values_ = get_named(overlap_, "values");
  const int C = Rf_nrows(values_), K = Rf_length(u_);
  const label_pairs pairs = pairs_of(pairs_, C);
  const double *u = DOUBLES(u_, K), *s = MATRIX(s_, pairs.pairs, K);
  const double *G = MATRIX(G_, C * C, K), *values = MATRIX(values_, C, K);
  const double *V = matrix_of(get_named(overlap_, "V"), C * C, K, "V");
  SEXP out_ = PROTECT(new_list("u log_s"));
  double *by_u = set_vector(out_, "u", K);
  double *by_s = set_matrix(out_, "log_s", pairs.pairs, K);
  double *work = glue_alloc(overlap_work_size(C));
  for (int k = 0; k < K; k++) {
    const size_t at = IDX(0, k, C * C), pair = IDX(0, k, pairs.pairs);
    overlap_back(&pairs, u[k], s + pair, V + at, values + IDX(0, k, C), G + at,
                 by_u + k, by_s + pair, work);
  }
  UNPROTECT(1);
  return out_;
}

/* A_ (C^2 x K). Returns the inverses in that shape, NaN where there is none. */
SEXP glue_noise_inverse(SEXP A_, SEXP C_) {
  const int C = WHOLE(C_), K = Rf_ncols(A_);
  const double *A = MATRIX(A_, C * C, K);
  SEXP M_ = PROTECT(Rf_allocMatrix(REALSXP, C * C, K));
  double *work = glue_alloc(overlap_work_size(C)),
         *copy = glue_alloc((size_t)C * (size_t)C);
  int *pivot = (int *)R_alloc((size_t)C, sizeof(int));
  for (int k = 0; k < K; k++) {
    memcpy(copy, A + IDX(0, k, C * C), (size_t)C * (size_t)C * sizeof *copy);
    noise_inverse(C, copy, REAL(M_) + IDX(0, k, C * C), pivot, work);
  }
  UNPROTECT(1);
  return M_;
}

/* M_ as glue_noise_inverse() gave it, G_ the slopes in it. Returns those in A. */
SEXP glue_noise_inverse_back(SEXP M_, SEXP G_, SEXP C_) {
  const int C = WHOLE(C_), K = Rf_ncols(M_);
  const double *M = MATRIX(M_, C * C, K), *G = MATRIX(G_, C * C, K);
  SEXP by_ = PROTECT(Rf_allocMatrix(REALSXP, C * C, K));
  double *work = glue_alloc(overlap_work_size(C));
  for (int k = 0; k < K; k++) {
    const size_t at = IDX(0, k, C * C);
    noise_inverse_back(C, M + at, G + at, REAL(by_) + at, work);
  }
  UNPROTECT(1);
  return by_;
}
