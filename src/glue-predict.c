/* What: glue of Gram matrices, prediction and single tilted moments. */
#include "glue.h"
#include "latent-lowrank.h"
#include "predictive.h"

/* New points at a time: scratch stays 3 n x 256, little beside the factor for
 * the n at which memory matters. */
#define COLUMNS 256

static void prepared(kernel_inputs *in, const kernel_ard *k, SEXP X_,
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
    kernel_gram(&k, &in, REAL(out_));
  } else {
    prepared(&in_new, &k, Xnew_, &in);
    kernel_cross(&k, &in, &in_new, REAL(out_));
  }
  UNPROTECT(1);
  return out_;
}

/* Column j of a matrix, or of an array the j-th part of `size` */
static const double *part_of(SEXP x_, int j, size_t size) {
  return REAL_RO(x_) + (size_t)j * size;
}

/* m and s2 of new rows under each of K nodes, [rows x K]; status[K] too where
 * asked for */
static SEXP node_moments(int rows, int K, int with_status) {
  const char *names[] = {"m", "s2", with_status ? "status" : "", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  set_matrix(out_, "m", rows, K);
  set_matrix(out_, "s2", rows, K);
  if (with_status) set_named(out_, "status", Rf_allocVector(INTSXP, K));
  UNPROTECT(1);
  return out_;
}

/* What a node is predicted with, made once for all */
typedef struct {
  int n, rows, width;
  const double *Xnew; /* [rows x p] */
  kernel_inputs in, part;
  double *K, *G, *scratch; /* [n x n], [n x width], [2 n x width] */
  double *X;               /* [width x p] some of Xnew */
  predictive_factor f;
} gp_rows;

static void gp_rows_make(gp_rows *r, int p, int n_neg) {
  const size_t n = (size_t)r->n, width = (size_t)r->width;
  glue_inputs(&r->in, r->n, p);
  glue_inputs(&r->part, r->width, p);
  r->K = glue_alloc(n * n);
  r->G = glue_alloc(n * width);
  r->scratch = glue_alloc(2 * n * width);
  r->X = glue_alloc(width * (size_t)p);
  workspace ws = {NULL, 0};
  predictive_carve(&r->f, r->n, n_neg, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  predictive_carve(&r->f, r->n, n_neg, &ws);
}

/* cols rows of Xnew from `first` on */
static void predict_block(gp_rows *r, const kernel_ard *k, const double *b,
                          int first, int cols, double *m, double *s2) {
  for (int j = 0; j < k->p; j++)
    memcpy(r->X + (size_t)j * (size_t)cols,
           r->Xnew + (size_t)j * (size_t)r->rows + first,
           (size_t)cols * sizeof *r->X);
  kernel_prepare(&r->part, k, r->X, cols, &r->in);
  kernel_cross(k, &r->in, &r->part, r->G);
  predictive_latent(&r->f, r->G, cols, k->variance + k->bias + k->nugget, b,
                    r->scratch, m + first, s2 + first);
}

/* in any column of tau_ */
static int most_negative(SEXP tau_) {
  const int n = Rf_nrows(tau_);
  int most = 0;
  for (int k = 0; k < Rf_ncols(tau_); k++) {
    const double *tau = part_of(tau_, k, (size_t)n);
    int count = 0;
    for (int i = 0; i < n; i++) count += tau[i] < 0;
    if (count > most) most = count;
  }
  return most;
}

static void check_nodes(SEXP kernels_, SEXP x_, int rows) {
  if (TYPEOF(kernels_) != VECSXP || !Rf_isReal(x_) || !Rf_isMatrix(x_) ||
      Rf_nrows(x_) != rows || Rf_ncols(x_) != Rf_length(kernels_))
    Rf_error("internal error: wrong types of nodes");
}

/* kernels_: a list of K; tau_, b_ [n x K]. progress_ hears of rows done, on
 * average over nodes. status, m, s2: NaN where a node has no posterior */
SEXP glue_gp_predict(SEXP X_, SEXP kernels_, SEXP tau_, SEXP b_, SEXP Xnew_,
                     SEXP progress_) {
  const int n = Rf_nrows(X_), rows = Rf_nrows(Xnew_), K = Rf_length(kernels_);
  check_nodes(kernels_, tau_, n);
  check_nodes(kernels_, b_, n);
  check_new(Xnew_, Rf_ncols(X_));
  gp_rows r = {.n = n,
               .rows = rows,
               .width = rows < COLUMNS ? rows : COLUMNS,
               .Xnew = REAL_RO(Xnew_)};
  gp_rows_make(&r, Rf_ncols(X_), most_negative(tau_));
  SEXP out_ = PROTECT(node_moments(rows, K, 1));
  double *m = REAL(get_named(out_, "m")), *s2 = REAL(get_named(out_, "s2"));
  for (int k = 0; k < K; k++, m += rows, s2 += rows) {
    const void *memory = vmaxget();
    const kernel_ard kernel = glue_kernel(X_, VECTOR_ELT(kernels_, k));
    kernel_prepare(&r.in, &kernel, REAL_RO(X_), n, NULL);
    kernel_gram_lower(&kernel, &r.in, r.K);
    const int status =
        predictive_prepare(&r.f, r.K, part_of(tau_, k, (size_t)n));
    INTEGER(get_named(out_, "status"))[k] = status;
    for (int first = 0, cols; first < rows; first += cols) {
      cols = rows - first < r.width ? rows - first : r.width;
      glue_tick(progress_, (int)(((double)k * rows + first) / K));
      if (status == EP_CONVERGED)
        predict_block(&r, &kernel, part_of(b_, k, (size_t)n), first, cols, m,
                      s2);
      else
        for (int i = first; i < first + cols; i++) m[i] = s2[i] = R_NaN;
    }
    vmaxset(memory);
  }
  UNPROTECT(1);
  return out_;
}

/* mean_[k x K] and C_[k x k x K] of weights, lower triangles read; returns K */
static int check_moments(SEXP mean_, SEXP C_, int k) {
  const int K = Rf_ncols(mean_);
  if (!Rf_isReal(mean_) || !Rf_isMatrix(mean_) || Rf_nrows(mean_) != k ||
      !Rf_isReal(C_) || Rf_xlength(C_) != (R_xlen_t)k * k * K)
    Rf_error("internal error: wrong types of weights");
  return K;
}

/* Xt_[k x rows] new feature vectors */
SEXP glue_weight_predict(SEXP Xt_, SEXP mean_, SEXP C_) {
  const int k = Rf_nrows(Xt_), rows = Rf_ncols(Xt_);
  if (!Rf_isReal(Xt_) || !Rf_isMatrix(Xt_))
    Rf_error("internal error: wrong types in weight_predict");
  const int K = check_moments(mean_, C_, k);
  SEXP out_ = PROTECT(node_moments(rows, K, 0));
  double *m = REAL(get_named(out_, "m")), *s2 = REAL(get_named(out_, "s2"));
  double *P = glue_alloc((size_t)k * COLUMNS);
  for (int node = 0; node < K; node++, m += rows, s2 += rows)
    for (int first = 0; first < rows; first += COLUMNS) {
      const int cols = rows - first < COLUMNS ? rows - first : COLUMNS;
      R_CheckUserInterrupt();
      weight_moments(part_of(C_, node, (size_t)k * (size_t)k),
                     part_of(mean_, node, (size_t)k), k,
                     part_of(Xt_, first, (size_t)k), cols, P, m + first,
                     s2 + first);
    }
  UNPROTECT(1);
  return out_;
}

/* Ready for features of `width` rows at a time */
static inducing inducing_rows(SEXP X_, SEXP Z_, const kernel_ard *kernel,
                              int width) {
  inducing points = glue_inducing(X_, Z_, kernel);
  workspace ws = {NULL, 0};
  inducing_carve(&points, width, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  inducing_carve(&points, width, &ws);
  inducing_prepare(&points);
  return points;
}

/* Features of rows at inducing inputs: list(Phi (k x n), lambda) */
SEXP glue_features(SEXP X_, SEXP Z_, SEXP kernel_) {
  const kernel_ard kernel = glue_kernel(X_, kernel_);
  const int n = Rf_nrows(X_), width = n < COLUMNS ? n : COLUMNS;
  inducing points = inducing_rows(X_, Z_, &kernel, width);
  const int k = inducing_size(&points);
  const char *names[] = {"Phi", "lambda", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  double *Phi = set_matrix(out_, "Phi", k, n);
  double *lambda = set_vector(out_, "lambda", n);
  for (int first = 0; first < n; first += width) {
    const int cols = n - first < width ? n - first : width;
    inducing_features(&points, first, cols, Phi + (size_t)first * (size_t)k,
                      lambda + first);
  }
  UNPROTECT(1);
  return out_;
}

/* Z_[m x p], kernels_ a list of K; mean_ and C_ of the features' weights. s2
 * with the nugget of a new observation */
SEXP glue_inducing_predict(SEXP Z_, SEXP kernels_, SEXP mean_, SEXP C_,
                           SEXP Xnew_) {
  const int rows = Rf_nrows(Xnew_), k = Rf_nrows(mean_);
  const int width = rows < COLUMNS ? rows : COLUMNS, K = Rf_length(kernels_);
  check_new(Z_, Rf_ncols(Xnew_));
  check_nodes(kernels_, mean_, k);
  check_moments(mean_, C_, k);
  const size_t panel = (size_t)k * (size_t)width;
  double *phi = glue_alloc(panel), *P = glue_alloc(panel);
  double *lambda = glue_alloc((size_t)width);
  SEXP out_ = PROTECT(node_moments(rows, K, 0));
  double *m = REAL(get_named(out_, "m")), *s2 = REAL(get_named(out_, "s2"));
  for (int node = 0; node < K; node++, m += rows, s2 += rows) {
    const void *memory = vmaxget();
    const kernel_ard kernel = glue_kernel(Xnew_, VECTOR_ELT(kernels_, node));
    inducing points = inducing_rows(Xnew_, Z_, &kernel, width);
    if (inducing_size(&points) != k)
      Rf_error("internal error: wrong number of weights");
    for (int first = 0; first < rows; first += COLUMNS) {
      const int cols = rows - first < COLUMNS ? rows - first : COLUMNS;
      R_CheckUserInterrupt();
      inducing_features(&points, first, cols, phi, lambda);
      weight_moments(part_of(C_, node, (size_t)k * (size_t)k),
                     part_of(mean_, node, (size_t)k), k, phi, cols, P,
                     m + first, s2 + first);
      for (int l = 0; l < cols; l++) s2[first + l] += lambda[l];
    }
    vmaxset(memory);
  }
  UNPROTECT(1);
  return out_;
}

/* lik_: list(df, d, L). One row a cavity: log_z1, log_zp, m_hat, V of the
 * tilted distribution, tau and nu of the site with these moments */
SEXP glue_tilted(SEXP mean_, SEXP var_, SEXP lik_) {
  const int n = Rf_length(mean_);
  if (!Rf_isReal(mean_) || !Rf_isReal(var_) || Rf_length(var_) != n)
    Rf_error("internal error: wrong types in tilted");
  const lik_step lik = glue_likelihood(lik_, get_doubles(lik_, "d", 1)[0], n);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, 6));
  double *out = REAL(out_);
  for (int i = 0; i < n; i++) {
    const double var = REAL_RO(var_)[i];
    const tilted t = likelihood_tilt(&lik, i, REAL_RO(mean_)[i], var);
    out[i] = t.log_z1;
    out[i + n] = t.log_zp;
    out[i + 2 * n] = t.side * sqrt(var) * t.mu;
    out[i + 3 * n] = var * t.w;
    ep_site site = {NA_REAL, NA_REAL};
    site_project(&(ep_cavity){1, REAL_RO(mean_)[i], var, var}, &t, lik.df,
                 &site);
    out[i + 4 * n] = site.tau;
    out[i + 5 * n] = site.nu;
  }
  UNPROTECT(1);
  return out_;
}
