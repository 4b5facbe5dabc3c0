/* What: glue of the t-exponential family: elementwise functions with recycled
 *       arguments, and functions of one or two multivariate t. */
#include "glue-family.h"
#include "divergence.h"
#include "qalgebra.h"
#include "status.h"
#include "student.h"

/* ---- Elementwise functions ---- */

typedef double (*function2)(double, double);
typedef double (*function3)(double, double, double);

/* Length of the result: 0 when an argument is empty, else the longest. */
static R_xlen_t recycled_length(const SEXP *args_, int n_args) {
  R_xlen_t n = 0;
  for (int k = 0; k < n_args; k++) {
    if (!Rf_isReal(args_[k]))
      Rf_error("internal error: wrong types in an elementwise function");
    const R_xlen_t length = Rf_xlength(args_[k]);
    if (length == 0) return 0;
    if (length > n) n = length;
  }
  return n;
}

static SEXP elementwise_list(R_xlen_t n, double **value) {
  const char *names[] = {"value", "nan", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  *value = set_vector(out_, "value", n);
  UNPROTECT(1);
  return out_;
}

static void set_flag(SEXP out_, const char *name, int flag) {
  set_named(out_, name, Rf_ScalarLogical(flag));
}

static SEXP map2(function2 f, SEXP x_, SEXP y_) {
  const SEXP args_[] = {x_, y_};
  const R_xlen_t n = recycled_length(args_, 2);
  const R_xlen_t nx = Rf_xlength(x_), ny = Rf_xlength(y_);
  const double *x = REAL_RO(x_), *y = REAL_RO(y_);

  double *value;
  SEXP out_ = PROTECT(elementwise_list(n, &value));

  int nan = 0;
  for (R_xlen_t i = 0, ix = 0, iy = 0; i < n; i++) {
    value[i] = f(x[ix], y[iy]);
    if (ISNAN(value[i]) && !ISNAN(x[ix]) && !ISNAN(y[iy])) nan = 1;
    if (++ix == nx) ix = 0;
    if (++iy == ny) iy = 0;
  }

  set_flag(out_, "nan", nan);
  UNPROTECT(1);
  return out_;
}

static SEXP map3(function3 f, SEXP x_, SEXP y_, SEXP z_) {
  const SEXP args_[] = {x_, y_, z_};
  const R_xlen_t n = recycled_length(args_, 3);
  const R_xlen_t nx = Rf_xlength(x_), ny = Rf_xlength(y_), nz = Rf_xlength(z_);
  const double *x = REAL_RO(x_), *y = REAL_RO(y_), *z = REAL_RO(z_);

  double *value;
  SEXP out_ = PROTECT(elementwise_list(n, &value));

  int nan = 0;
  for (R_xlen_t i = 0, ix = 0, iy = 0, iz = 0; i < n; i++) {
    value[i] = f(x[ix], y[iy], z[iz]);
    if (ISNAN(value[i]) && !ISNAN(x[ix]) && !ISNAN(y[iy]) && !ISNAN(z[iz]))
      nan = 1;
    if (++ix == nx) ix = 0;
    if (++iy == ny) iy = 0;
    if (++iz == nz) iz = 0;
  }

  set_flag(out_, "nan", nan);
  UNPROTECT(1);
  return out_;
}

SEXP glue_exp_q(SEXP x_, SEXP q_) { return map2(exp_q, x_, q_); }

SEXP glue_ln_q(SEXP x_, SEXP q_) { return map2(ln_q, x_, q_); }

SEXP glue_q_product(SEXP x_, SEXP y_, SEXP q_) {
  return map3(q_product, x_, y_, q_);
}

SEXP glue_q_quotient(SEXP x_, SEXP y_, SEXP q_) {
  return map3(q_quotient, x_, y_, q_);
}

SEXP glue_bernoulli_renyi(SEXP prob_, SEXP order_) {
  return map2(bernoulli_renyi, prob_, order_);
}

SEXP glue_bernoulli_tsallis(SEXP prob_, SEXP order_) {
  return map2(bernoulli_tsallis, prob_, order_);
}

SEXP glue_bernoulli_q_entropy(SEXP prob_, SEXP q_) {
  return map2(bernoulli_q_entropy, prob_, q_);
}

SEXP glue_bernoulli_q_divergence(SEXP prob_, SEXP other_, SEXP q_) {
  return map3(bernoulli_q_divergence, prob_, other_, q_);
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

typedef int (*conversion)(int,
                          double,
                          const double *,
                          const double *,
                          double *,
                          double *,
                          double *,
                          double *);

/* Both ways between (mu, S) and (theta1, theta2) have one shape. */
static SEXP convert(conversion f,
                    const char *first,
                    const char *second,
                    SEXP vector_,
                    SEXP matrix_,
                    SEXP df_) {
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

SEXP glue_mvt_natural(SEXP mu_, SEXP S_, SEXP df_) {
  return convert(student_to_natural, "theta1", "theta2", mu_, S_, df_);
}

SEXP glue_mvt_from_natural(SEXP theta1_, SEXP theta2_, SEXP df_) {
  return convert(student_from_natural, "mu", "S", theta1_, theta2_, df_);
}

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
