/* What: what the glue files share. */
#include "glue.h"
#include "matrix.h"
#include <string.h>

void glue_tick(SEXP progress_, int done) {
  R_CheckUserInterrupt();
  if (Rf_isNull(progress_)) return;
  SEXP done_ = PROTECT(Rf_ScalarInteger(done));
  SEXP call_ = PROTECT(Rf_lang2(progress_, done_));
  Rf_eval(call_, R_GlobalEnv);
  UNPROTECT(2);
}

double *glue_alloc(size_t n) {
  return (double *)R_alloc(n > 0 ? n : 1, sizeof(double));
}

/* ---- Arguments ---- */

void expect(int fine, const char *what) {
  if (!fine) Rf_error("internal error: %s has a wrong type or size", what);
}

const double *doubles_of(SEXP x_, R_xlen_t length, const char *name) {
  expect(Rf_isReal(x_) && (length < 0 || Rf_xlength(x_) == length), name);
  return REAL_RO(x_);
}

const double *matrix_of(SEXP x_, int rows, int cols, const char *name) {
  expect(Rf_isReal(x_) && Rf_isMatrix(x_) &&
             (rows < 0 || Rf_nrows(x_) == rows) &&
             (cols < 0 || Rf_ncols(x_) == cols),
         name);
  return REAL_RO(x_);
}

int whole_of(SEXP x_, const char *name) {
  expect((Rf_isInteger(x_) || Rf_isLogical(x_)) && Rf_length(x_) == 1, name);
  return Rf_asInteger(x_);
}

/* -1 where there is none of that name */
static R_xlen_t place_if_any(SEXP list_, const char *name) {
  SEXP names_ = Rf_getAttrib(list_, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(names_); i++)
    if (strcmp(CHAR(STRING_ELT(names_, i)), name) == 0) return i;
  return -1;
}

static R_xlen_t place_of(SEXP list_, const char *name) {
  const R_xlen_t i = place_if_any(list_, name);
  if (i < 0) Rf_error("internal error: a list without '%s'", name);
  return i;
}

static SEXP named_or_null(SEXP list_, const char *name) {
  const R_xlen_t i = place_if_any(list_, name);
  return i < 0 ? R_NilValue : VECTOR_ELT(list_, i);
}

SEXP get_named(SEXP list_, const char *name) {
  return VECTOR_ELT(list_, place_of(list_, name));
}

const double *get_doubles(SEXP list_, const char *name, R_xlen_t length) {
  return doubles_of(get_named(list_, name), length, name);
}

int get_whole(SEXP list_, const char *name) {
  return whole_of(get_named(list_, name), name);
}

/* ---- Results ---- */

SEXP new_list(const char *names) {
  R_xlen_t n = 1;
  for (const char *at = names; *at; at++) n += *at == ' ';
  SEXP list_ = PROTECT(Rf_allocVector(VECSXP, n));
  SEXP names_ = PROTECT(Rf_allocVector(STRSXP, n));
  for (R_xlen_t k = 0; k < n; k++) {
    const int length = (int)strcspn(names, " ");
    SET_STRING_ELT(names_, k, Rf_mkCharLen(names, length));
    names += length + 1; /* beyond the end after the last, and not read */
  }
  Rf_setAttrib(list_, R_NamesSymbol, names_);
  UNPROTECT(2);
  return list_;
}

void set_named(SEXP list_, const char *name, SEXP value_) {
  PROTECT(value_);
  SET_VECTOR_ELT(list_, place_of(list_, name), value_);
  UNPROTECT(1);
}

void set_int(SEXP list_, const char *name, int value) {
  set_named(list_, name, Rf_ScalarInteger(value));
}

void set_flag(SEXP list_, const char *name, int value) {
  set_named(list_, name, Rf_ScalarLogical(value));
}

void set_double(SEXP list_, const char *name, double value) {
  set_named(list_, name, Rf_ScalarReal(value));
}

double *set_vector(SEXP list_, const char *name, R_xlen_t n) {
  SEXP value_ = Rf_allocVector(REALSXP, n);
  set_named(list_, name, value_);
  return REAL(value_);
}

double *set_matrix(SEXP list_, const char *name, int rows, int cols) {
  SEXP value_ = Rf_allocMatrix(REALSXP, rows, cols);
  set_named(list_, name, value_);
  return REAL(value_);
}

/* ---- Kernels and likelihoods ---- */

const double *glue_rows(SEXP list_, const char *name, int n) {
  SEXP rows_ = get_named(list_, name);
  return Rf_isNull(rows_) ? NULL : doubles_of(rows_, n, name);
}

kernel_ard glue_kernel(SEXP X_, SEXP kernel_) {
  const int p = Rf_ncols(X_);
  SEXP group_ = get_named(kernel_, "group"), l_ = get_named(kernel_, "l");
  MATRIX(X_, -1, p);
  expect(Rf_isInteger(group_) && Rf_length(group_) == p, "group of a kernel");
  const int groups = Rf_length(l_);
  int *group = (int *)R_alloc((size_t)p + 1, sizeof(int));
  for (int k = 0; k < p; k++) {
    group[k] = INTEGER_RO(group_)[k] - 1;
    expect(group[k] >= 0 && group[k] < groups, "group of a kernel");
  }
  const double *theta = get_doubles(kernel_, "theta", KERNEL_OTHERS);
  const int shape = get_whole(kernel_, "shape");
  expect(shape >= 0 && shape < N_SHAPES, "shape of a kernel");
  return (kernel_ard){.p = p,
                      .groups = groups,
                      .group = group,
                      .weight = get_doubles(kernel_, "weight", p),
                      .l = DOUBLES(l_, groups),
                      .variance = theta[0],
                      .bias = theta[1],
                      .nugget = theta[2],
                      .linear = theta[3],
                      .shape = (kernel_shape)shape,
                      .alpha = get_doubles(kernel_, "alpha", 1)[0],
                      .times = glue_rows(kernel_, "times", Rf_nrows(X_))};
}

lik_step glue_likelihood(SEXP list_, double d, int n) {
  SEXP cut_ = named_or_null(list_, "cut");
  if (!Rf_isNull(cut_)) {
    const int classes = Rf_length(cut_) + 1;
    expect(classes <= CUTS_MOST, "cut");
    return cuts_make(n, classes, get_doubles(list_, "L", classes * (R_xlen_t)n),
                     DOUBLES(cut_, classes - 1));
  }
  const double *L = get_doubles(list_, "L", 2 * (R_xlen_t)n);
  step_levels *row = (step_levels *)R_alloc((size_t)n + 1, sizeof *row);
  return likelihood_step(get_doubles(list_, "df", 1)[0], d, n, L, row);
}

void glue_inputs(kernel_inputs *in, int n, int p) {
  CARVE(kernel_carve(in, n, p, &ws));
}
