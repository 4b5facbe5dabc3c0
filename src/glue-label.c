/* What: glue of the label stage. */
#include "glue.h"
#include "label.h"

/* Points as they come: [. x K] each */
typedef struct {
  int K, size; /* how many, and doubles of a matrix of one */
  const double *M, *w, *b, *U, *L;
} label_points;

/* data_: list(P, S (C x n), kind (n), times (n or NULL), kinds, plain) */
static label_data data_of(SEXP data_) {
  SEXP P_ = get_named(data_, "P"), kind_ = get_named(data_, "kind");
  const int C = Rf_nrows(P_), n = Rf_ncols(P_);
  expect(Rf_isInteger(kind_) && Rf_length(kind_) == n, "kind");
  return (label_data){.n = n,
                      .C = C,
                      .R = get_whole(data_, "kinds"),
                      .P = MATRIX(P_, C, n),
                      .S = matrix_of(get_named(data_, "S"), C, n, "S"),
                      .kind = INTEGER_RO(kind_),
                      .times = glue_rows(data_, "times", n),
                      .plain = get_whole(data_, "plain")};
}

/* points_: list(M (size x K, or NULL), w, b (C x K), U (size x K), L (kinds C x K)) */
static label_points points_of(SEXP points_, const label_data *data) {
  SEXP w_ = get_named(points_, "w"), M_ = get_named(points_, "M");
  const int C = data->C, K = Rf_ncols(w_), size = data->plain ? 2 : C * C;
  return (label_points){
      .K = K,
      .size = size,
      .M = Rf_isNull(M_) ? NULL : MATRIX(M_, size, K),
      .w = MATRIX(w_, C, K),
      .b = matrix_of(get_named(points_, "b"), C, K, "b"),
      .U = matrix_of(get_named(points_, "U"), size, K, "U"),
      .L = get_doubles(points_, "L", (R_xlen_t)data->R * C * K)};
}

static label_point point_at(const label_points *at, const label_data *data,
                            int k) {
  return (label_point){.M = at->M ? at->M + IDX(0, k, at->size) : NULL,
                       .w = at->w + IDX(0, k, data->C),
                       .b = at->b + IDX(0, k, data->C),
                       .U = at->U + IDX(0, k, at->size),
                       .L = at->L + IDX(0, k, data->R * data->C)};
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
  SEXP out_ = PROTECT(new_list("value M w b U L"));
  double *value = set_vector(out_, "value", K);
  label_slope all = {NULL, NULL, NULL, NULL, NULL};
  if (WHOLE(gradient_)) {
    if (at.M) all.M = zeros(out_, "M", at.size, K);
    all.w = zeros(out_, "w", C, K);
    all.b = zeros(out_, "b", C, K);
    all.U = zeros(out_, "U", at.size, K);
    all.L = zeros(out_, "L", data.R * C, K);
  }
  double *work = glue_alloc(label_work_size(C));
  for (int k = 0; k < K; k++) {
    const label_point here = point_at(&at, &data, k);
    const label_slope slope = {part(all.M, k, at.size), part(all.w, k, C),
                               part(all.b, k, C), part(all.U, k, at.size),
                               part(all.L, k, data.R * C)};
    R_CheckUserInterrupt();
    value[k] = label_value(&data, &here, all.w ? &slope : NULL, work);
  }
  UNPROTECT(1);
  return out_;
}

/* weight_ (K), y_ (n) labels 0..C-1. Returns means over the points: truth, seen
 * (C x n), unusual, log_inverse: the log of that of one over Z (n); and at each
 * wrong and spread (K). */
SEXP glue_label_said(SEXP data_, SEXP points_, SEXP weight_, SEXP y_) {
  const label_data data = data_of(data_);
  const label_points at = points_of(points_, &data);
  const double *weight = DOUBLES(weight_, at.K);
  expect(Rf_isInteger(y_) && Rf_length(y_) == data.n, "y");
  const int *y = INTEGER_RO(y_);
  SEXP out_ = PROTECT(new_list("truth seen unusual log_inverse wrong spread"));
  double *wrong = set_vector(out_, "wrong", at.K);
  double *spread = set_vector(out_, "spread", at.K);
  label_said said = {.truth = zeros(out_, "truth", data.C, data.n),
                     .seen = zeros(out_, "seen", data.C, data.n),
                     .unusual = zeros(out_, "unusual", data.n, 1),
                     .log_inverse = set_vector(out_, "log_inverse", data.n)};
  for (int i = 0; i < data.n; i++) said.log_inverse[i] = -INFINITY;
  double *work = glue_alloc(label_work_size(data.C));
  for (int k = 0; k < at.K; k++) {
    const label_point here = point_at(&at, &data, k);
    said.wrong = wrong + k;
    said.spread = spread + k;
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
