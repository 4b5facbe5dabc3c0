/* What: what the glue files share. */
#include "glue.h"
#include "matrix.h"
#include <string.h>

void core_poll(void) { R_CheckUserInterrupt(); }

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

static R_xlen_t place_of(SEXP list_, const char *name) {
  SEXP names_ = Rf_getAttrib(list_, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(names_); i++)
    if (strcmp(CHAR(STRING_ELT(names_, i)), name) == 0) return i;
  Rf_error("internal error: a list without '%s'", name);
}

SEXP get_named(SEXP list_, const char *name) {
  return VECTOR_ELT(list_, place_of(list_, name));
}

const double *get_doubles(SEXP list_, const char *name, R_xlen_t length) {
  SEXP value_ = get_named(list_, name);
  if (!Rf_isReal(value_) || Rf_xlength(value_) != length)
    Rf_error("internal error: '%s' has a wrong type or length", name);
  return REAL_RO(value_);
}

void set_named(SEXP list_, const char *name, SEXP value_) {
  PROTECT(value_);
  SET_VECTOR_ELT(list_, place_of(list_, name), value_);
  UNPROTECT(1);
}

void set_int(SEXP list_, const char *name, int value) {
  set_named(list_, name, Rf_ScalarInteger(value));
}

void set_double(SEXP list_, const char *name, double value) {
  set_named(list_, name, Rf_ScalarReal(value));
}

double *set_vector(SEXP list_, const char *name, R_xlen_t n) {
  SEXP value_ = PROTECT(Rf_allocVector(REALSXP, n));
  set_named(list_, name, value_);
  UNPROTECT(1);
  return REAL(value_);
}

double *set_matrix(SEXP list_, const char *name, int rows, int cols) {
  SEXP value_ = PROTECT(Rf_allocMatrix(REALSXP, rows, cols));
  set_named(list_, name, value_);
  UNPROTECT(1);
  return REAL(value_);
}

kernel_ard glue_kernel(SEXP X_, SEXP kernel_) {
  const int p = Rf_ncols(X_);
  SEXP group_ = get_named(kernel_, "group"), l_ = get_named(kernel_, "l");
  if (!Rf_isReal(X_) || !Rf_isMatrix(X_) || !Rf_isInteger(group_) ||
      Rf_length(group_) != p || !Rf_isReal(l_))
    Rf_error("internal error: wrong types in a kernel");
  const int groups = Rf_length(l_);
  int *group = (int *)R_alloc((size_t)p + 1, sizeof(int));
  for (int k = 0; k < p; k++) {
    group[k] = INTEGER_RO(group_)[k] - 1;
    if (group[k] < 0 || group[k] >= groups)
      Rf_error("internal error: kernel group out of range");
  }
  const double *theta = get_doubles(kernel_, "theta", 3);
  return (kernel_ard){.p = p,
                      .groups = groups,
                      .group = group,
                      .weight = get_doubles(kernel_, "weight", p),
                      .l = REAL_RO(l_),
                      .variance = theta[0],
                      .bias = theta[1],
                      .nugget = theta[2]};
}

lik_step glue_likelihood(SEXP list_, double d, int n) {
  const double *L = get_doubles(list_, "L", 2 * (R_xlen_t)n);
  step_levels *row = (step_levels *)R_alloc((size_t)n + 1, sizeof *row);
  return likelihood_step(get_doubles(list_, "df", 1)[0], d, n, L, row);
}

void glue_inputs(kernel_inputs *in, int n, int p) {
  workspace ws = {NULL, 0};
  kernel_carve(in, n, p, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  kernel_carve(in, n, p, &ws);
}
