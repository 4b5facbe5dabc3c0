/* What: glue of the t-exponential family: elementwise functions with recycled
 *       arguments, and functions of one or two multivariate t. */
#include "glue.h"
#include "divergence.h"
#include "qalgebra.h"
#include "status.h"
#include "student.h"
#include <string.h>

/* ---- Elementwise functions ---- */

typedef struct {
  const char *name;
  double (*of2)(double, double); /* of two arguments, or NULL */
  double (*of3)(double, double, double);
} elementwise;

static const elementwise functions[] = {
    {"exp_q", exp_q, NULL},
    {"ln_q", ln_q, NULL},
    {"q_product", NULL, q_product},
    {"q_quotient", NULL, q_quotient},
    {"bernoulli_renyi", bernoulli_renyi, NULL},
    {"bernoulli_tsallis", bernoulli_tsallis, NULL},
    {"bernoulli_q_entropy", bernoulli_q_entropy, NULL},
    {"bernoulli_q_divergence", NULL, bernoulli_q_divergence},
};

static elementwise function_of(SEXP name_) {
  const char *name = Rf_isString(name_) ? CHAR(STRING_ELT(name_, 0)) : "";
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (strcmp(functions[k].name, name) == 0) return functions[k];
  Rf_error("internal error: no such elementwise function");
}

static void set_flag(SEXP out_, const char *name, int flag) {
  set_named(out_, name, Rf_ScalarLogical(flag));
}

/* The function name_ of the doubles args_, a list of two or three, the longest
 * of which tells the length, or one that is empty: list(value, nan), nan TRUE
 * when an element is NaN although its arguments are not */
SEXP glue_elementwise(SEXP name_, SEXP args_) {
  const elementwise f = function_of(name_);
  const int n_args = f.of2 ? 2 : 3;
  const double *x[3];
  R_xlen_t length[3], at[3] = {0, 0, 0}, n = 0;
  int nan = 0, empty = 0;
  for (int k = 0; k < n_args; k++) {
    SEXP x_ = Rf_length(args_) == n_args ? VECTOR_ELT(args_, k) : R_NilValue;
    if (!Rf_isReal(x_))
      Rf_error("internal error: wrong types in an elementwise function");
    x[k] = REAL_RO(x_);
    length[k] = Rf_xlength(x_);
    if (length[k] > n) n = length[k];
    if (length[k] == 0) empty = 1;
  }
  if (empty) n = 0;
  const char *names[] = {"value", "nan", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *value = set_vector(out_, "value", n);
  for (R_xlen_t i = 0; i < n; i++) {
    double a[3] = {0, 0, 0};
    for (int k = 0; k < n_args; k++) {
      a[k] = x[k][at[k]];
      if (++at[k] == length[k]) at[k] = 0;
    }
    value[i] = f.of2 ? f.of2(a[0], a[1]) : f.of3(a[0], a[1], a[2]);
    if (ISNAN(value[i]) && !ISNAN(a[0]) && !ISNAN(a[1]) && !ISNAN(a[2]))
      nan = 1;
  }
  set_flag(out_, "nan", nan);
  UNPROTECT(1);
  return out_;
}

/* ---- Multivariate t ---- */

/* The dimension d of a d x d matrix beside a vector of length d (or NULL). */
static int checked_dim(SEXP vector_, SEXP matrix_, SEXP df_) {
  if (!Rf_isReal(matrix_) || !Rf_isMatrix(matrix_) ||
      Rf_nrows(matrix_) != Rf_ncols(matrix_) || !Rf_isReal(df_) ||
      Rf_length(df_) != 1)
    Rf_error("internal error: wrong types in a multivariate t");
  const int d = Rf_nrows(matrix_);
  if (!Rf_isNull(vector_) && (!Rf_isReal(vector_) || Rf_length(vector_) != d))
    Rf_error("internal error: wrong sizes in a multivariate t");
  return d;
}

static double *student_work(int d) {
  return (double *)R_alloc(student_work_size(d), sizeof(double));
}

typedef int (*conversion)(int, double, const double *, const double *, double *,
                          double *, double *, double *);

/* Both ways between (mu, S) and (theta1, theta2) have one shape. */
static SEXP convert(conversion f, const char *first, const char *second,
                    SEXP vector_, SEXP matrix_, SEXP df_) {
  const int d = checked_dim(vector_, matrix_, df_);
  const double *vector = REAL_RO(vector_), *matrix = REAL_RO(matrix_);
  const double df = REAL_RO(df_)[0];

  const char *names[] = {"status", first, second, "log_partition", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *a = set_vector(out_, first, d), *B = set_matrix(out_, second, d, d);
  double log_partition = NA_REAL;

  set_int(out_, "status",
          f(d, df, vector, matrix, a, B, &log_partition, student_work(d)));
  set_double(out_, "log_partition", log_partition);
  UNPROTECT(1);
  return out_;
}

/* list(status, theta1, theta2, log_partition) */
SEXP glue_mvt_natural(SEXP mu_, SEXP S_, SEXP df_) {
  return convert(student_to_natural, "theta1", "theta2", mu_, S_, df_);
}

/* list(status, mu, S, log_partition) */
SEXP glue_mvt_from_natural(SEXP theta1_, SEXP theta2_, SEXP df_) {
  return convert(student_from_natural, "mu", "S", theta1_, theta2_, df_);
}

/* list(status, df, S) */
SEXP glue_mvt_escort(SEXP S_, SEXP df_) {
  const int d = checked_dim(R_NilValue, S_, df_);
  const double *S = REAL_RO(S_);

  const char *names[] = {"status", "df", "S", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double df_escort;

  student_escort(d, REAL_RO(df_)[0], S, &df_escort,
                 set_matrix(out_, "S", d, d));

  set_int(out_, "status", EP_CONVERGED);
  set_double(out_, "df", df_escort);
  UNPROTECT(1);
  return out_;
}

/* order_: doubles, or NULL for the own index (results of length one).
 * list(status, renyi, tsallis, q_entropy, nan) */
SEXP glue_mvt_entropy(SEXP S_, SEXP df_, SEXP order_) {
  const int d = checked_dim(R_NilValue, S_, df_), own = Rf_isNull(order_);
  if (!own && !Rf_isReal(order_))
    Rf_error("internal error: wrong types in an entropy");
  const R_xlen_t n = own ? 1 : Rf_xlength(order_);
  const double *order = own ? NULL : REAL_RO(order_);
  const double df = REAL_RO(df_)[0];

  const char *names[] = {"status", "renyi", "tsallis", "q_entropy", "nan", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *renyi = set_vector(out_, "renyi", n);
  double *tsallis = set_vector(out_, "tsallis", n);
  double *q_entropy = set_vector(out_, "q_entropy", n);

  double log_det = NA_REAL;
  int nan = 0;
  const int status = student_log_det(d, REAL_RO(S_), &log_det, student_work(d));
  for (R_xlen_t i = 0; i < n; i++) {
    const student_entropies e = own ? student_entropy_own(d, df, log_det)
                                    : student_entropy(d, df, log_det, order[i]);
    renyi[i] = e.renyi;
    tsallis[i] = e.tsallis;
    q_entropy[i] = e.q_entropy;
    if (ISNAN(e.renyi) && !own && !ISNAN(order[i])) nan = 1;
  }

  set_int(out_, "status", status);
  set_flag(out_, "nan", nan);
  UNPROTECT(1);
  return out_;
}

/* list(status, divergence) */
SEXP glue_mvt_q_divergence(SEXP mu1_, SEXP S1_, SEXP mu2_, SEXP S2_, SEXP df_) {
  const int d = checked_dim(mu1_, S1_, df_);
  if (checked_dim(mu2_, S2_, df_) != d)
    Rf_error("internal error: wrong sizes in a divergence");
  const double *mu1 = REAL_RO(mu1_), *mu2 = REAL_RO(mu2_);
  const double *S1 = REAL_RO(S1_), *S2 = REAL_RO(S2_);

  const char *names[] = {"status", "divergence", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double divergence = NA_REAL;

  const int status = student_q_divergence(d, REAL_RO(df_)[0], mu1, S1, mu2, S2,
                                          &divergence, student_work(d));

  set_int(out_, "status", status);
  set_double(out_, "divergence", divergence);
  UNPROTECT(1);
  return out_;
}
