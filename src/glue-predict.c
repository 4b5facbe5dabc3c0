/* What: glue of Gram matrices, prediction, single tilted moments and counts. */
#include "count.h"
#include "glue.h"
#include "latent-lowrank.h"
#include "matrix.h"
#include "predictive.h"

/* New points at a time: scratch stays 3 n x 256, little beside the factor for
 * the n at which memory matters. */
#define ROWS_AT_ONCE 256

/* ---- Gram matrices and features ---- */

static void prepared(kernel_inputs *in, const kernel_ard *k, SEXP X_,
                     const kernel_inputs *like) {
  glue_inputs(in, Rf_nrows(X_), k->p);
  kernel_prepare(in, k, REAL_RO(X_), Rf_nrows(X_), like);
}

/* Xnew_ NULL: n x n with the nugget */
SEXP glue_gram(SEXP X_, SEXP Xnew_, SEXP kernel_) {
  const kernel_ard k = glue_kernel(X_, kernel_);
  const int n = Rf_nrows(X_), m = Rf_nrows(Rf_isNull(Xnew_) ? X_ : Xnew_);
  kernel_inputs in, in_new;
  prepared(&in, &k, X_, NULL);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, m));
  if (Rf_isNull(Xnew_)) {
    kernel_gram(&k, &in, REAL(out_));
  } else {
    MATRIX(Xnew_, m, k.p);
    prepared(&in_new, &k, Xnew_, &in);
    kernel_cross(&k, &in, &in_new, REAL(out_));
  }
  UNPROTECT(1);
  return out_;
}

/* How many rows from `first` on, at most ROWS_AT_ONCE of them */
static int block_size(int first, int rows) {
  return rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
}

/* Ready for features of `width` rows at a time */
static inducing inducing_rows(SEXP X_, SEXP Z_, const kernel_ard *kernel,
                              int width) {
  inducing points = glue_inducing(X_, Z_, kernel);
  CARVE(inducing_carve(&points, width, &ws));
  inducing_prepare(&points);
  return points;
}

/* Features of rows at inducing inputs: list(Phi (k x n), lambda) */
SEXP glue_features(SEXP X_, SEXP Z_, SEXP kernel_) {
  const kernel_ard kernel = glue_kernel(X_, kernel_);
  const int n = Rf_nrows(X_);
  inducing points = inducing_rows(X_, Z_, &kernel, block_size(0, n));
  const int k = inducing_size(&points);
  SEXP out_ = PROTECT(new_list("Phi lambda"));
  double *Phi = set_matrix(out_, "Phi", k, n);
  double *lambda = set_vector(out_, "lambda", n);
  for (int first = 0; first < n; first += ROWS_AT_ONCE)
    inducing_features(&points, first, block_size(first, n),
                      Phi + IDX(0, first, k), lambda + first);
  UNPROTECT(1);
  return out_;
}

/* ---- At new rows ---- */

/* m and s2 of new rows under each of K nodes, [rows x K] */
static SEXP node_moments(const char *names, int rows, int K) {
  SEXP out_ = PROTECT(new_list(names));
  set_matrix(out_, "m", rows, K);
  set_matrix(out_, "s2", rows, K);
  UNPROTECT(1);
  return out_;
}

/* What a node is predicted with, made once for all */
typedef struct {
  int n, rows, width;
  const double *Xnew; /* [rows x p] */
  kernel_inputs in, part;
  double *G;              /* [n x width] covariances of new rows */
  double *X;              /* [width x p] some of Xnew */
  double *prior;          /* [width] their variances */
  double *gram, *scratch; /* [n x n], [2 n x width] */
  predictive_factor f;
} gp_rows;

static gp_rows gp_rows_make(int n, int p, SEXP Xnew_, int n_neg) {
  const int rows = Rf_nrows(Xnew_);
  gp_rows r = {.n = n,
               .rows = rows,
               .width = block_size(0, rows),
               .Xnew = MATRIX(Xnew_, rows, p)};
  glue_inputs(&r.in, n, p);
  glue_inputs(&r.part, r.width, p);
  r.G = glue_alloc((size_t)n * (size_t)r.width);
  r.X = glue_alloc((size_t)r.width * (size_t)p);
  r.prior = glue_alloc((size_t)r.width);
  r.gram = glue_alloc((size_t)n * (size_t)n);
  r.scratch = glue_alloc(2 * (size_t)n * (size_t)r.width);
  CARVE(predictive_carve(&r.f, n, n_neg, &ws));
  return r;
}

/* m and s2 of `cols` rows of Xnew from `first` on */
static void predict_block(gp_rows *r, const kernel_ard *k, const double *b,
                          int first, int cols, double *m, double *s2) {
  for (int j = 0; j < k->p; j++)
    memcpy(r->X + IDX(0, j, cols), r->Xnew + IDX(first, j, r->rows),
           (size_t)cols * sizeof *r->X);
  kernel_prepare(&r->part, k, r->X, cols, &r->in);
  kernel_cross(k, &r->in, &r->part, r->G);
  kernel_variances(k, &r->part, r->prior);
  predictive_latent(&r->f, r->G, cols, r->prior, b, r->scratch, m + first,
                    s2 + first);
}

/* in any column of tau[n x K] */
static int most_negative(const double *tau, int n, int K) {
  int most = 0;
  for (int k = 0; k < K; k++, tau += n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += tau[i] < 0;
    if (count > most) most = count;
  }
  return most;
}

/* kernels_: a list of K; tau_, b_ [n x K]. progress_ hears of rows done, on
 * average over nodes. status, m, s2: NaN where a node has no posterior */
SEXP glue_gp_predict(SEXP X_, SEXP kernels_, SEXP tau_, SEXP b_, SEXP Xnew_,
                     SEXP progress_) {
  const int n = Rf_nrows(X_), p = Rf_ncols(X_), K = Rf_length(kernels_);
  const int rows = Rf_nrows(Xnew_);
  const double *tau = MATRIX(tau_, n, K), *b = MATRIX(b_, n, K);
  gp_rows r = gp_rows_make(n, p, Xnew_, most_negative(tau, n, K));
  SEXP out_ = PROTECT(node_moments("m s2 status", rows, K));
  double *m = REAL(get_named(out_, "m")), *s2 = REAL(get_named(out_, "s2"));
  set_named(out_, "status", Rf_allocVector(INTSXP, K));
  int *status = INTEGER(get_named(out_, "status"));
  for (int node = 0; node < K; node++) status[node] = EP_CONVERGED;
  for (int node = 0; node < K && rows > 0; node++, m += rows, s2 += rows) {
    const void *memory = vmaxget();
    const kernel_ard kernel = glue_kernel(X_, VECTOR_ELT(kernels_, node));
    kernel_prepare(&r.in, &kernel, REAL_RO(X_), n, NULL);
    kernel_gram_lower(&kernel, &r.in, r.gram);
    status[node] = predictive_prepare(&r.f, r.gram, tau + IDX(0, node, n));
    for (int first = 0, cols; first < rows; first += cols) {
      cols = block_size(first, rows);
      glue_tick(progress_, (int)(((double)node * rows + first) / K));
      if (status[node] == EP_CONVERGED)
        predict_block(&r, &kernel, b + IDX(0, node, n), first, cols, m, s2);
      else
        for (int i = first; i < first + cols; i++) m[i] = s2[i] = R_NaN;
    }
    vmaxset(memory);
  }
  UNPROTECT(1);
  return out_;
}

/* ---- By weights ---- */

/* mean_[k x K] and C_[k x k x K] of weights, lower triangles read. Their
 * features are Xt[k x rows], or, where that is NULL, those of Xnew_ at Z_. */
static SEXP predict_by_weights(SEXP mean_, SEXP C_, int rows, const double *Xt,
                               SEXP Xnew_, SEXP Z_, SEXP kernels_) {
  const int k = Rf_nrows(mean_), K = Rf_ncols(mean_);
  const int width = block_size(0, rows);
  const double *mean = MATRIX(mean_, k, K);
  const double *C = DOUBLES(C_, (R_xlen_t)k * k * K);
  const size_t panel = (size_t)k * (size_t)width;
  double *P = glue_alloc(panel), *phi = Xt ? NULL : glue_alloc(panel);
  double *lambda = glue_alloc((size_t)width);
  SEXP out_ = PROTECT(node_moments("m s2", rows, K));
  double *m = REAL(get_named(out_, "m")), *s2 = REAL(get_named(out_, "s2"));
  for (int node = 0; node < K; node++, m += rows, s2 += rows) {
    const void *memory = vmaxget();
    inducing points = {0};
    kernel_ard kernel = {0};
    if (!Xt) {
      kernel = glue_kernel(Xnew_, VECTOR_ELT(kernels_, node));
      points = inducing_rows(Xnew_, Z_, &kernel, width);
      expect(inducing_size(&points) == k, "mean_");
    }
    for (int first = 0; first < rows; first += ROWS_AT_ONCE) {
      const int cols = block_size(first, rows);
      R_CheckUserInterrupt();
      if (!Xt) inducing_features(&points, first, cols, phi, lambda);
      weight_moments(C + IDX(0, node, k) * (size_t)k, mean + IDX(0, node, k), k,
                     Xt ? Xt + IDX(0, first, k) : phi, cols, P, m + first,
                     s2 + first);
      for (int l = 0; l < cols && !Xt; l++) s2[first + l] += lambda[l];
    }
    vmaxset(memory);
  }
  UNPROTECT(1);
  return out_;
}

/* Xt_[k x rows] new feature vectors */
SEXP glue_weight_predict(SEXP Xt_, SEXP mean_, SEXP C_) {
  const int rows = Rf_ncols(Xt_);
  return predict_by_weights(mean_, C_, rows, MATRIX(Xt_, Rf_nrows(mean_), rows),
                            R_NilValue, R_NilValue, R_NilValue);
}

/* Z_[m x p], kernels_ a list of K. s2 with the nugget of a new observation */
SEXP glue_inducing_predict(SEXP Z_, SEXP kernels_, SEXP mean_, SEXP C_,
                           SEXP Xnew_) {
  expect(Rf_length(kernels_) == Rf_ncols(mean_), "kernels_");
  return predict_by_weights(mean_, C_, Rf_nrows(Xnew_), NULL, Xnew_, Z_,
                            kernels_);
}

/* ---- Single sites, and counts ---- */

/* lik_: list(df, d, L). One row a cavity: log_z1, log_zp, m_hat, V of the
 * tilted distribution, tau and nu of the site with these moments */
SEXP glue_tilted(SEXP mean_, SEXP var_, SEXP lik_) {
  const int n = Rf_length(mean_);
  const double *mean = DOUBLES(mean_, n), *var = DOUBLES(var_, n);
  const lik_step lik = glue_likelihood(lik_, get_doubles(lik_, "d", 1)[0], n);
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, 6));
  double *out = REAL(out_);
  for (int i = 0; i < n; i++) {
    const tilted t = likelihood_tilt(&lik, i, mean[i], var[i]);
    ep_site site = {NA_REAL, NA_REAL};
    site_project(&(ep_cavity){1, mean[i], var[i], var[i]}, &t, lik.df, &site);
    const double row[] = {t.log_z1,     t.log_zp, t.side * sqrt(var[i]) * t.mu,
                          var[i] * t.w, site.tau, site.nu};
    for (int j = 0; j < 6; j++) out[IDX(i, j, n)] = row[j];
  }
  UNPROTECT(1);
  return out_;
}

/* p_[n] -> the distribution of the number of successes, [n + 1] */
SEXP glue_count_density(SEXP p_) {
  const int n = Rf_length(p_);
  const double *p = DOUBLES(p_, n);
  SEXP out_ = PROTECT(Rf_allocVector(REALSXP, n + 1));
  count_density(n, p, REAL(out_));
  UNPROTECT(1);
  return out_;
}
