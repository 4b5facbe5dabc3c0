/* What: glue of Gram matrices, prediction and single tilted moments. */
#include "glue.h"
#include "latent-lowrank.h"
#include "predictive.h"

/* New points at a time: scratch stays 3 n x 256, little beside the factor for
 * the n at which memory matters. */
#define COLUMNS 256

static void prepared(kernel_inputs *in,
                     const kernel_ard *k,
                     SEXP X_,
                     const kernel_inputs *like) {
  glue_inputs(in, Rf_nrows(X_), k->p);
  kernel_prepare(in, k, REAL_RO(X_), Rf_nrows(X_), like);
}

static void check_new(SEXP Xnew_, int p) {
  if (!Rf_isReal(Xnew_) || !Rf_isMatrix(Xnew_) || Rf_ncols(Xnew_) != p)
    Rf_error("internal error: wrong types in new inputs");
}

/* Xnew_ NULL: n x n with the nugget */
SEXP glue_gram(SEXP X_, SEXP Xnew_, SEXP kernel_) {
  const kernel_ard k = glue_kernel(X_, kernel_);
  const int n = Rf_nrows(X_);
  if (!Rf_isNull(Xnew_)) check_new(Xnew_, k.p);
  kernel_inputs in, in_new;
  prepared(&in, &k, X_, NULL);
  const int m = Rf_isNull(Xnew_) ? n : Rf_nrows(Xnew_);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, m));
  if (Rf_isNull(Xnew_)) {
    kernel_gram(&k, &in, n, REAL(out_));
  } else {
    prepared(&in_new, &k, Xnew_, &in);
    kernel_cross(&k, &in, n, &in_new, m, REAL(out_));
  }
  UNPROTECT(1);
  return out_;
}

static void predict_blocks(const predictive_factor *f,
                           const kernel_ard *k,
                           const kernel_inputs *in,
                           const double *Xnew,
                           int rows,
                           const double *b,
                           double *m,
                           double *s2,
                           SEXP progress_) {
  const int n = f->n;
  const int width = rows < COLUMNS ? rows : COLUMNS;
  const size_t block = (size_t)n * (size_t)width;
  kernel_inputs part;
  glue_inputs(&part, width, k->p);
  double *G = glue_alloc(block), *scratch = glue_alloc(2 * block);
  double *X = glue_alloc((size_t)width * (size_t)k->p);
  const double prior = k->variance + k->bias + k->nugget;
  for (int first = 0; first < rows; first += width) {
    const int cols = rows - first < width ? rows - first : width;
    glue_tick(progress_, first);
    for (int j = 0; j < k->p; j++)
      memcpy(X + (size_t)j * (size_t)cols,
             Xnew + (size_t)j * (size_t)rows + first, (size_t)cols * sizeof *X);
    kernel_prepare(&part, k, X, cols, in);
    kernel_cross(k, in, n, &part, cols, G);
    predictive_latent(f, G, cols, prior, b, scratch, m + first, s2 + first);
  }
}

SEXP glue_gp_predict(
    SEXP X_, SEXP kernel_, SEXP tau_, SEXP b_, SEXP Xnew_, SEXP progress_) {
  const kernel_ard k = glue_kernel(X_, kernel_);
  const int n = Rf_nrows(X_);
  check_new(Xnew_, k.p);
  if (!Rf_isReal(tau_) || !Rf_isReal(b_) || Rf_length(tau_) != n ||
      Rf_length(b_) != n)
    Rf_error("internal error: wrong types in gp_predict");
  kernel_inputs in;
  prepared(&in, &k, X_, NULL);
  double *K = glue_alloc((size_t)n * (size_t)n);
  kernel_gram(&k, &in, n, K);
  int n_neg = 0;
  for (int i = 0; i < n; i++) n_neg += REAL_RO(tau_)[i] < 0;
  predictive_factor f;
  workspace ws = {NULL, 0};
  predictive_carve(&f, n, n_neg, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  predictive_carve(&f, n, n_neg, &ws);

  const char *names[] = {"status", "m", "s2", ""};
  const int rows = Rf_nrows(Xnew_);
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *m = set_vector(out_, "m", rows), *s2 = set_vector(out_, "s2", rows);
  const int status = predictive_prepare(&f, K, REAL_RO(tau_));
  if (status == EP_CONVERGED && rows > 0)
    predict_blocks(&f, &k, &in, REAL_RO(Xnew_), rows, REAL_RO(b_), m, s2,
                   progress_);
  set_int(out_, "status", status);
  UNPROTECT(1);
  return out_;
}

/* mean_[k] and C_[k x k] of weights */
static void check_moments(SEXP mean_, SEXP C_, int k) {
  if (!Rf_isReal(mean_) || Rf_length(mean_) != k || !Rf_isReal(C_) ||
      Rf_nrows(C_) != k || Rf_ncols(C_) != k)
    Rf_error("internal error: wrong types of weights");
}

/* Xt_[k x rows] new feature vectors; C_[k x k], lower triangle read */
SEXP glue_weight_predict(SEXP Xt_, SEXP mean_, SEXP C_) {
  const int k = Rf_nrows(Xt_), rows = Rf_ncols(Xt_);
  if (!Rf_isReal(Xt_) || !Rf_isMatrix(Xt_))
    Rf_error("internal error: wrong types in weight_predict");
  check_moments(mean_, C_, k);
  const double *Xt = REAL_RO(Xt_), *mean = REAL_RO(mean_), *C = REAL_RO(C_);

  const char *names[] = {"m", "s2", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *m = set_vector(out_, "m", rows), *s2 = set_vector(out_, "s2", rows);
  double *P = glue_alloc((size_t)k * COLUMNS);

  for (int first = 0; first < rows; first += COLUMNS) {
    const int cols = rows - first < COLUMNS ? rows - first : COLUMNS;
    R_CheckUserInterrupt();
    weight_moments(C, mean, k, Xt + (size_t)first * (size_t)k, cols, P,
                   m + first, s2 + first);
  }
  UNPROTECT(1);
  return out_;
}

/* Z_[m x p]; mean_[k], C_[k x k] of the features' weights, lower triangle read.
 * s2 with the nugget of a new observation */
SEXP glue_inducing_predict(
    SEXP Z_, SEXP kernel_, SEXP mean_, SEXP C_, SEXP Xnew_) {
  const kernel_ard kernel = glue_kernel(Xnew_, kernel_);
  check_new(Z_, kernel.p);
  const int rows = Rf_nrows(Xnew_);
  const int width = rows < COLUMNS ? rows : COLUMNS;
  inducing points = {.kernel = &kernel,
                     .n = rows,
                     .m = Rf_nrows(Z_),
                     .X = REAL_RO(Xnew_),
                     .Z = REAL_RO(Z_)};
  const int k = inducing_size(&points);
  check_moments(mean_, C_, k);
  workspace ws = {NULL, 0};
  inducing_carve(&points, width, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  inducing_carve(&points, width, &ws);
  inducing_prepare(&points);
  const size_t panel = (size_t)k * (size_t)width;
  double *phi = glue_alloc(panel), *P = glue_alloc(panel);
  double *lambda = glue_alloc((size_t)width);

  const char *names[] = {"m", "s2", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *m = set_vector(out_, "m", rows), *s2 = set_vector(out_, "s2", rows);
  for (int first = 0; first < rows; first += COLUMNS) {
    const int cols = rows - first < COLUMNS ? rows - first : COLUMNS;
    R_CheckUserInterrupt();
    inducing_features(&points, first, cols, phi, lambda);
    weight_moments(REAL_RO(C_), REAL_RO(mean_), k, phi, cols, P, m + first,
                   s2 + first);
    for (int l = 0; l < cols; l++) s2[first + l] += lambda[l];
  }
  UNPROTECT(1);
  return out_;
}

/* One row a cavity: log_z1, log_zp, m_hat, V of the tilted distribution */
SEXP glue_tilted(
    SEXP y_, SEXP mean_, SEXP var_, SEXP df_, SEXP epsilon_, SEXP d_) {
  const int n = Rf_length(y_);
  if (!Rf_isReal(y_) || !Rf_isReal(mean_) || !Rf_isReal(var_) ||
      Rf_length(mean_) != n || Rf_length(var_) != n || !Rf_isReal(df_) ||
      !Rf_isReal(epsilon_) || Rf_length(epsilon_) != 2)
    Rf_error("internal error: wrong types in tilted");
  const lik_step lik =
      likelihood_step(REAL_RO(df_)[0], Rf_asReal(d_), REAL_RO(epsilon_));
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, 4));
  double *out = REAL(out_);
  for (int i = 0; i < n; i++) {
    const double y = REAL_RO(y_)[i], var = REAL_RO(var_)[i];
    const tilted t = likelihood_tilt(&lik, y, REAL_RO(mean_)[i], var);
    out[i] = t.log_z1;
    out[i + n] = t.log_zp;
    out[i + 2 * n] = y * sqrt(var) * t.mu;
    out[i + 3 * n] = var * t.w;
  }
  UNPROTECT(1);
  return out_;
}
