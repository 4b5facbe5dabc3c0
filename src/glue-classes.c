/* What: glue of EP with several classes. */
#include "ep-classes.h"
#include "glue-fit.h"
#include "latent-kernel.h"
#include "latent-lowrank.h"
#include "matrix.h"
#include "second-order.h"
#include <math.h>
#include <string.h>

typedef struct {
  latent post[ARGMAX_MOST], *at[ARGMAX_MOST];
  latent_kernel lk[ARGMAX_MOST];
  latent_lowrank lr[ARGMAX_MOST];
  inducing points[ARGMAX_MOST];
  kernel_ard kernel[ARGMAX_MOST];
  double *weight; /* [C x n] */
  double *zero;   /* [n] */
  classes_model model;
  classes_state st;
  classes_work work;
  second_space second;
  ep_options opt;
  int corrected; /* whether the evidence's second order is wanted */
} classes_space;

/* kernels_ holds one kernel, then shared, or one a class. */
static void set_latents(classes_space *s, SEXP X_, SEXP Z_, SEXP kernels_,
                        int n, int C) {
  const int own = Rf_length(kernels_) == C;
  expect(own || Rf_length(kernels_) == 1, "kernels_");
  for (int c = 0; c < C; c++) {
    const int k = own ? c : 0;
    if (c == k) s->kernel[k] = glue_kernel(X_, VECTOR_ELT(kernels_, k));
    if (Rf_isNull(Z_)) {
      s->post[c] =
          c ? latent_kernel_like(&s->lk[c], &s->lk[0], &s->kernel[k])
            : latent_kernel_inputs(&s->lk[0], n, &s->kernel[0], REAL_RO(X_));
    } else {
      s->points[c] = glue_inducing(X_, Z_, &s->kernel[k]);
      s->post[c] =
          c && !own ? latent_lowrank_like(&s->lr[c], &s->lr[0], &s->points[c])
                    : latent_lowrank_inducing(&s->lr[c], &s->points[c], 1);
    }
    s->at[c] = &s->post[c];
  }
}

static void carve_all(classes_space *s, workspace *ws) {
  const int n = s->model.n;
  for (int c = 0; c < s->model.C; c++)
    s->post[c].ops->carve(&s->post[c], s->opt.block, ws);
  classes_carve(&s->st, &s->work, n, s->model.C, &s->opt, ws);
  if (s->corrected) second_carve(&s->second, n, s->model.C, ws);
  s->zero = workspace_take(ws, (size_t)n);
}

/* Sites that answer to cavities: z = mean/sd and log_var, [n x C] each */
static void start_from_cavities(classes_space *s, const double *z,
                                const double *log_var) {
  const int n = s->model.n, C = s->model.C;
  classes_row row;
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < C; c++) {
      const size_t at = IDX(i, c, n);
      row.cav[c] = (ep_cavity){.mean = z[at] * exp(log_var[at] / 2),
                               .var = exp(log_var[at])};
    }
    const int found = classes_answer(&s->model, i, &row) == EP_CONVERGED;
    for (int c = 0; c < C; c++)
      s->st.site[IDX(i, c, n)] = found ? row.next[c] : (ep_site){0, 0};
  }
}

static void set_up(classes_space *s, int n, int C, SEXP run_) {
  const R_xlen_t all = (R_xlen_t)n * C;
  const double *L = get_doubles(run_, "L", all); /* [n x C] */
  const double *tau = get_doubles(run_, "tau", all);
  const double *nu = get_doubles(run_, "nu", all);
  s->opt = glue_options(run_);
  s->corrected = get_whole(run_, "second");
  s->weight = glue_alloc((size_t)all);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < C; c++) s->weight[IDX(c, i, C)] = L[IDX(i, c, n)];
  s->model = (classes_model){
      .n = n, .C = C, .post = s->at, .weight = s->weight, .lean = s->opt.lean};
  CARVE(carve_all(s, &ws));
  memset(s->zero, 0, (size_t)n * sizeof *s->zero);
  for (int c = 0; c < C; c++) s->post[c].ops->bind(&s->post[c]);
  if (get_whole(run_, "cavities")) {
    start_from_cavities(s, tau, nu);
    return;
  }
  for (R_xlen_t k = 0; k < all; k++) s->st.site[k] = (ep_site){tau[k], nu[k]};
}

static void fill_sites(const classes_space *s, SEXP out_) {
  const int n = s->model.n, C = s->model.C;
  SEXP sites_ = PROTECT(new_list("tau nu"));
  SEXP cavity_ = PROTECT(new_list("mean var"));
  double *tau = set_matrix(sites_, "tau", n, C);
  double *nu = set_matrix(sites_, "nu", n, C);
  double *mean = set_matrix(cavity_, "mean", n, C);
  double *var = set_matrix(cavity_, "var", n, C);
  double *loo = set_vector(out_, "loo", n);
  double *residual = set_vector(out_, "residual", n);
  for (int i = 0; i < n; i++) {
    const int proper = !ISNAN(s->st.log_z[i]);
    loo[i] = proper ? s->st.log_z[i] : NA_REAL;
    residual[i] = s->st.residual[i];
    for (int c = 0; c < C; c++) {
      const size_t at = IDX(i, c, n);
      tau[at] = s->st.site[at].tau;
      nu[at] = s->st.site[at].nu;
      mean[at] = proper ? s->st.cav[at].mean : NA_REAL;
      var[at] = proper ? s->st.cav[at].var : NA_REAL;
    }
  }
  set_named(out_, "sites", sites_);
  set_named(out_, "cavity", cavity_);
  UNPROTECT(2);
}

static void fill_posterior(classes_space *s, SEXP out_) {
  const int n = s->model.n, C = s->model.C, k = s->post[0].n_location;
  double *m = set_matrix(out_, "m", n, C),
         *A = set_matrix(out_, "C_diag", n, C);
  double *b = set_matrix(out_, "b", k, C), *D = set_vector(out_, "log_det", C);
  const size_t square = (size_t)k * (size_t)k;
  const int has_extra = s->post[0].ops->covariance != NULL;
  double *extra = has_extra ? set_matrix(out_, "extra", k * k, C) : NULL;
  for (int c = 0; c < C; c++) {
    latent *post = &s->post[c];
    memcpy(m + IDX(0, c, n), post->m, (size_t)n * sizeof *m);
    memcpy(A + IDX(0, c, n), post->A, (size_t)n * sizeof *A);
    memcpy(b + IDX(0, c, k), post->location, (size_t)k * sizeof *b);
    D[c] = post->log_det;
    if (!has_extra) continue;
    double *to = extra + (size_t)c * square;
    memcpy(to, post->ops->covariance(post), square * sizeof *to);
    mirror_lower(to, k);
  }
}

static void fill_run(classes_space *s, SEXP out_) {
  const classes_state *st = &s->st;
  set_int(out_, "sweeps", st->sweeps);
  set_int(out_, "skipped", st->skipped);
  set_trace(out_, st->trace, st->n_trace);
  double value;
  const int known =
      classes_evidence(&s->model, st->site, st->cav, st->log_z, &value);
  set_double(out_, "log_evidence", known == EP_CONVERGED ? value : NA_REAL);
  const double second =
      s->corrected
          ? second_order_classes(&s->model, st->cav, st->log_z, &s->second)
          : 0;
  set_double(out_, "second", ISNAN(second) ? NA_REAL : second);
}

/* labels: the classes of the rows, all of them or only those with more than the
 * least weight; gradient: of the evidence, with respect to the weights and to
 * the parameters of each class's kernel. Spoils the posteriors. */
static void fill_asked(classes_space *s, SEXP run_, SEXP out_) {
  const int n = s->model.n, C = s->model.C;
  for (int i = 0; i < n; i++)
    if (ISNAN(s->st.log_z[i])) return;
  const int labels = get_whole(run_, "labels");
  const int gradient = get_whole(run_, "gradient");
  double *seen = set_matrix(out_, "seen", n, C);
  classes_labels(&s->model, s->st.cav, labels, seen);
  if (!gradient) return;
  classes_slope(&s->model, s->st.log_z, seen, set_matrix(out_, "slope", n, C));
  const int p = s->post[0].n_prior;
  double *grad = set_matrix(out_, "gradient", p, C);
  for (int c = 0; c < C; c++)
    classes_prior_gradient(&s->model, c, s->st.site, s->zero,
                           grad + IDX(0, c, p));
}

/* progress_: NULL or an R function of (sweep, residual) */
SEXP glue_classes_fit(SEXP X_, SEXP Z_, SEXP kernels_, SEXP run_) {
  const int n = Rf_nrows(X_), C = Rf_ncols(get_named(run_, "L"));
  expect(n > 0 && C > 1 && C <= ARGMAX_MOST, "L");
  classes_space *s = (classes_space *)R_alloc(1, sizeof *s);
  memset(s, 0, sizeof *s);
  set_latents(s, X_, Z_, kernels_, n, C);
  set_up(s, n, C, run_);
  const int status = classes_run(&s->model, &s->opt, &s->st, &s->work,
                                 glue_monitor, get_named(run_, "progress"));

  SEXP out_ = PROTECT(new_list(
      "status sites cavity loo m C_diag b extra residual log_det sweeps "
      "skipped log_evidence second trace seen slope gradient"));
  set_int(out_, "status", status);
  if (status >= 0) {
    fill_posterior(s, out_);
    fill_sites(s, out_);
    fill_run(s, out_);
    fill_asked(s, run_, out_);
  }
  UNPROTECT(1);
  return out_;
}

/* log P(class k is the largest) [rows x C] of independent normals. */
SEXP glue_classes_prob(SEXP mean_, SEXP var_) {
  const int n = Rf_nrows(mean_), C = Rf_ncols(mean_);
  const double *mean = MATRIX(mean_, n, C);
  const double *var = DOUBLES(var_, (R_xlen_t)n * C);
  expect(C > 1 && C <= ARGMAX_MOST, "mean_");
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, n, C));
  double *out = REAL(out_), m[ARGMAX_MOST], sd[ARGMAX_MOST];
  for (int i = 0; i < n; i++) {
    if (i % 1000 == 0) R_CheckUserInterrupt();
    for (int c = 0; c < C; c++) {
      m[c] = mean[IDX(i, c, n)];
      sd[c] = sqrt(var[IDX(i, c, n)]);
    }
    for (int c = 0; c < C; c++)
      out[IDX(i, c, n)] = argmax_given(C, c, m, sd, 0, NULL);
  }
  UNPROTECT(1);
  return out_;
}
