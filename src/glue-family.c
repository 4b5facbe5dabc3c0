/* What: glue of the t-exponential family: elementwise functions with recycled
 *       arguments, and functions of one or two multivariate t. */
#include "glue.h"
#include "divergence.h"
#include "qalgebra.h"
#include "status.h"
#include "student.h"

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
  Rf_error("internal error: no function '%s'", name);
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
    x[k] = DOUBLES(x_, -1);
    length[k] = Rf_xlength(x_);
    if (length[k] > n) n = length[k];
    if (length[k] == 0) empty = 1;
  }
  if (empty) n = 0;
  SEXP out_ = PROTECT(new_list("value nan"));
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

static double *student_work(int d) { return glue_alloc(student_work_size(d)); }

typedef int (*conversion)(int, double, const double *, const double *, double *,
                          double *, double *, double *);

/* Both ways between (mu, S) and (theta1, theta2) have one shape: names are those
 * of what is returned. */
static SEXP convert(conversion f, const char *names, SEXP vector_, SEXP matrix_,
                    SEXP df_) {
  const int d = Rf_nrows(matrix_);
  const double *vector = DOUBLES(vector_, d), *matrix = MATRIX(matrix_, d, d);
  double log_partition = NA_REAL;
  SEXP out_ = PROTECT(new_list(names)),
       names_ = Rf_getAttrib(out_, R_NamesSymbol);
  double *a = set_vector(out_, CHAR(STRING_ELT(names_, 1)), d);
  double *B = set_matrix(out_, CHAR(STRING_ELT(names_, 2)), d, d);
  set_int(
      out_, "status",
      f(d, NUMBER(df_), vector, matrix, a, B, &log_partition, student_work(d)));
  set_double(out_, "log_partition", log_partition);
  UNPROTECT(1);
  return out_;
}

SEXP glue_mvt_natural(SEXP mu_, SEXP S_, SEXP df_) {
  return convert(student_to_natural, "status theta1 theta2 log_partition", mu_,
                 S_, df_);
}

SEXP glue_mvt_from_natural(SEXP theta1_, SEXP theta2_, SEXP df_) {
  return convert(student_from_natural, "status mu S log_partition", theta1_,
                 theta2_, df_);
}

SEXP glue_mvt_escort(SEXP S_, SEXP df_) {
  const int d = Rf_nrows(S_);
  double df_escort;
  SEXP out_ = PROTECT(new_list("status df S"));
  student_escort(d, NUMBER(df_), MATRIX(S_, d, d), &df_escort,
                 set_matrix(out_, "S", d, d));
  set_int(out_, "status", EP_CONVERGED);
  set_double(out_, "df", df_escort);
  UNPROTECT(1);
  return out_;
}

/* order_: doubles, or NULL for the own index (results of length one). nan as of
 * an elementwise function */
SEXP glue_mvt_entropy(SEXP S_, SEXP df_, SEXP order_) {
  const int d = Rf_nrows(S_), own = Rf_isNull(order_);
  const double *order = own ? NULL : DOUBLES(order_, -1), df = NUMBER(df_);
  const R_xlen_t n = own ? 1 : Rf_xlength(order_);
  SEXP out_ = PROTECT(new_list("status renyi tsallis q_entropy nan"));
  double *renyi = set_vector(out_, "renyi", n);
  double *tsallis = set_vector(out_, "tsallis", n);
  double *q_entropy = set_vector(out_, "q_entropy", n);

  double log_det = NA_REAL;
  int nan = 0;
  set_int(out_, "status",
          student_log_det(d, MATRIX(S_, d, d), &log_det, student_work(d)));
  for (R_xlen_t i = 0; i < n; i++) {
    const student_entropies e = own ? student_entropy_own(d, df, log_det)
                                    : student_entropy(d, df, log_det, order[i]);
    renyi[i] = e.renyi;
    tsallis[i] = e.tsallis;
    q_entropy[i] = e.q_entropy;
    if (ISNAN(e.renyi) && !own && !ISNAN(order[i])) nan = 1;
  }
  set_flag(out_, "nan", nan);
  UNPROTECT(1);
  return out_;
}

SEXP glue_mvt_q_divergence(SEXP mu1_, SEXP S1_, SEXP mu2_, SEXP S2_, SEXP df_) {
  const int d = Rf_nrows(S1_);
  double divergence = NA_REAL;
  SEXP out_ = PROTECT(new_list("status divergence"));
  set_int(out_, "status",
          student_q_divergence(d, NUMBER(df_), DOUBLES(mu1_, d),
                               MATRIX(S1_, d, d), DOUBLES(mu2_, d),
                               MATRIX(S2_, d, d), &divergence,
                               student_work(d)));
  set_double(out_, "divergence", divergence);
  UNPROTECT(1);
  return out_;
}
