/* What: glue of the EP fits: types checked (internal errors only, users were
 *       checked in R), one block of memory, one core call, a named list. */
#include "adjoint.h"
#include "ep.h"
#include "glue.h"
#include "kernel.h"

typedef struct {
  latent post;
  latent_kernel lk;
  ep_state st;
  ep_work work;
  adjoint_work adj;
  lik_step lik;
  ep_options opt;
  const double *y;
} fit_space;

static void fit_carve(fit_space *s, int n, workspace *ws) {
  latent_kernel_carve(&s->post, &s->lk, n, ws);
  ep_carve(&s->st, &s->work, n, &s->opt, ws);
  adjoint_carve(&s->adj, n, ws);
}

static void fit_setup(fit_space *s, SEXP y_, SEXP df_, SEXP epsilon_,
                      SEXP tau_, SEXP nu_, SEXP control_) {
  const int n = Rf_length(y_);
  if (!Rf_isReal(y_) || !Rf_isReal(df_) || Rf_length(epsilon_) != 2 ||
      !Rf_isReal(epsilon_) || !Rf_isReal(tau_) || !Rf_isReal(nu_) ||
      Rf_length(tau_) != n || Rf_length(nu_) != n || !Rf_isReal(control_) ||
      Rf_length(control_) != 4 || n < 1)
    Rf_error("internal error: wrong types in an EP fit");
  const double *control = REAL_RO(control_);
  s->opt = (ep_options){.tol = control[0], .max_sweeps = (int)control[1],
                        .damping = control[2], .block = (int)control[3]};
  s->y = REAL_RO(y_);
  s->lik = likelihood_step(REAL_RO(df_)[0], n, REAL_RO(epsilon_));
  workspace ws = {NULL, 0};
  fit_carve(s, n, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  fit_carve(s, n, &ws);
  for (int i = 0; i < n; i++)
    s->st.site[i] = (ep_site){REAL_RO(tau_)[i], REAL_RO(nu_)[i]};
}

/* progress_: NULL or an R function of (sweep, residual) */
static int monitor(void *data, int sweep, double residual) {
  SEXP progress_ = data;
  R_CheckUserInterrupt();
  if (Rf_isNull(progress_)) return 0;
  SEXP sweep_ = PROTECT(Rf_ScalarInteger(sweep));
  SEXP residual_ = PROTECT(Rf_ScalarReal(residual));
  SEXP call_ = PROTECT(Rf_lang3(progress_, sweep_, residual_));
  Rf_eval(call_, R_GlobalEnv);
  UNPROTECT(3);
  return 0;
}

static SEXP pair_list(int n, const char *first, const char *second, double **a,
                      double **b) {
  const char *names[] = {first, second, ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out_, 0, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(out_, 1, Rf_allocVector(REALSXP, n));
  *a = REAL(VECTOR_ELT(out_, 0));
  *b = REAL(VECTOR_ELT(out_, 1));
  UNPROTECT(1);
  return out_;
}

static SEXP copy_doubles(const double *x, int n) {
  SEXP out_ = PROTECT(Rf_allocVector(REALSXP, n));
  memcpy(REAL(out_), x, (size_t)n * sizeof *x);
  UNPROTECT(1);
  return out_;
}

static SEXP trace_matrix(const ep_state *st) {
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, st->n_trace, N_TRACE));
  for (int i = 0; i < st->n_trace; i++)
    for (int j = 0; j < N_TRACE; j++)
      REAL(out_)[i + j * st->n_trace] = st->trace[i * N_TRACE + j];
  UNPROTECT(1);
  return out_;
}

static double criterion_or_na(criterion_type type, const fit_space *s) {
  double value = NA_REAL;
  criterion_value(type, &s->post, s->lik.df, s->st.site, s->st.view, &value);
  return value;
}

static void fill_sites(const fit_space *s, SEXP out_) {
  const int n = s->post.n;
  double *tau, *nu, *mean, *var;
  SET_VECTOR_ELT(out_, 1, pair_list(n, "tau", "nu", &tau, &nu));
  SET_VECTOR_ELT(out_, 2, pair_list(n, "mean", "var", &mean, &var));
  SET_VECTOR_ELT(out_, 3, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(out_, 4, Rf_allocVector(REALSXP, n));
  double *loo = REAL(VECTOR_ELT(out_, 3)), *flip = REAL(VECTOR_ELT(out_, 4));
  for (int i = 0; i < n; i++) {
    const site_view *v = &s->st.view[i];
    tau[i] = s->st.site[i].tau;
    nu[i] = s->st.site[i].nu;
    mean[i] = v->proper ? v->cav.mean : NA_REAL;
    var[i] = v->proper ? v->cav.var : NA_REAL;
    loo[i] = v->proper ? v->tilt.log_zp : NA_REAL;
    flip[i] = v->proper ? likelihood_flip_prob(&s->lik, s->y[i], &v->tilt)
                        : NA_REAL;
  }
}

/* The result list of both fits; value and gradient are filled by gp_fit. */
static SEXP fit_result(const fit_space *s, int status) {
  const char *names[] = {"status",   "sites",   "cavity",       "loo",
                         "flipped",  "m",       "C_diag",       "b",
                         "residual", "log_det", "log_evidence", "log_evidence_zp",
                         "sweeps",   "newton",  "skipped",      "trace",
                         "value",    "gradient", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out_, 0, Rf_ScalarInteger(status));
  if (status >= 0) {
    const int n = s->post.n;
    fill_sites(s, out_);
    SET_VECTOR_ELT(out_, 5, copy_doubles(s->post.m, n));
    SET_VECTOR_ELT(out_, 6, copy_doubles(s->post.A, n));
    SET_VECTOR_ELT(out_, 7, copy_doubles(s->lk.b, n));
    SET_VECTOR_ELT(out_, 8, copy_doubles(s->st.residual, n));
    SET_VECTOR_ELT(out_, 9, Rf_ScalarReal(s->post.log_det));
    SET_VECTOR_ELT(out_, 10,
                   Rf_ScalarReal(criterion_or_na(CRITERION_EVIDENCE, s)));
    SET_VECTOR_ELT(out_, 11,
                   Rf_ScalarReal(criterion_or_na(CRITERION_EVIDENCE_ZP, s)));
    SET_VECTOR_ELT(out_, 12, Rf_ScalarInteger(s->st.sweeps));
    SET_VECTOR_ELT(out_, 13, Rf_ScalarInteger(s->st.newton));
    SET_VECTOR_ELT(out_, 14, Rf_ScalarInteger(s->st.skipped));
    SET_VECTOR_ELT(out_, 15, trace_matrix(&s->st));
  }
  UNPROTECT(1);
  return out_;
}

SEXP glue_ep_fit(SEXP K_, SEXP y_, SEXP df_, SEXP epsilon_, SEXP tau_, SEXP nu_,
                 SEXP control_, SEXP progress_) {
  if (!Rf_isReal(K_) || !Rf_isMatrix(K_) || Rf_nrows(K_) != Rf_length(y_) ||
      Rf_ncols(K_) != Rf_length(y_))
    Rf_error("internal error: wrong types in ep_fit");
  fit_space s;
  fit_setup(&s, y_, df_, epsilon_, tau_, nu_, control_);
  latent_kernel_bind(&s.post, &s.lk, REAL_RO(K_));
  const int status = ep_run(&s.post, &s.lik, s.y, &s.opt, &s.st, &s.work,
                            monitor, progress_);
  return fit_result(&s, status);
}

/* value and gradient (log l, log theta, epsilon) of the criterion */
static int fill_gradient(fit_space *s, criterion_type type,
                         const kernel_ard *k, const kernel_inputs *in,
                         const double *K, SEXP gradient_) {
  const int n = s->post.n;
  const int status = adjoint_solve(type, &s->post, &s->lik, s->y, s->st.site,
                                   s->st.view, &s->work.fix, &s->adj);
  if (status < 0) return status;
  adjoint_kernel(&s->post, &s->lk, s->st.site, &s->adj);
  double *scratch = glue_alloc((size_t)n * ((size_t)k->p + 1));
  double *g = REAL(gradient_);
  kernel_grad grad = {.l = g};
  kernel_contract(k, in, n, K, s->lk.S2, scratch, &grad);
  g[k->groups] = grad.variance;
  g[k->groups + 1] = grad.bias;
  g[k->groups + 2] = grad.nugget;
  g[k->groups + 3] = s->adj.E.epsilon[0];
  g[k->groups + 4] = s->adj.E.epsilon[1];
  return status;
}

SEXP glue_gp_fit(SEXP X_, SEXP group_, SEXP l_, SEXP theta_, SEXP y_, SEXP df_,
                 SEXP epsilon_, SEXP tau_, SEXP nu_, SEXP control_,
                 SEXP criterion_, SEXP gradient_, SEXP progress_) {
  const kernel_ard k = glue_kernel(X_, group_, l_, theta_);
  const int n = Rf_length(y_);
  if (Rf_nrows(X_) != n || !Rf_isInteger(criterion_) ||
      !Rf_isLogical(gradient_))
    Rf_error("internal error: wrong types in gp_fit");
  const int want = INTEGER_RO(criterion_)[0]; /* -1: none */
  fit_space s;
  fit_setup(&s, y_, df_, epsilon_, tau_, nu_, control_);
  kernel_inputs in;
  glue_inputs(&in, n, k.p);
  double *K = glue_alloc((size_t)n * (size_t)n);
  kernel_prepare(&in, &k, REAL_RO(X_), n, NULL);
  kernel_gram(&k, &in, n, K);
  latent_kernel_bind(&s.post, &s.lk, K);
  const int status = ep_run(&s.post, &s.lik, s.y, &s.opt, &s.st, &s.work,
                            monitor, progress_);

  SEXP out_ = PROTECT(fit_result(&s, status));
  if (status >= 0 && want >= 0) {
    SET_VECTOR_ELT(out_, 16,
                   Rf_ScalarReal(criterion_or_na((criterion_type)want, &s)));
    if (LOGICAL_RO(gradient_)[0]) {
      SET_VECTOR_ELT(out_, 17, Rf_allocVector(REALSXP, k.groups + 5));
      const int solved = fill_gradient(&s, (criterion_type)want, &k, &in, K,
                                       VECTOR_ELT(out_, 17));
      if (solved < 0) SET_VECTOR_ELT(out_, 17, R_NilValue);
      if (solved != EP_CONVERGED && status == EP_CONVERGED)
        SET_VECTOR_ELT(out_, 0, Rf_ScalarInteger(EP_NO_ADJOINT));
    }
  }
  UNPROTECT(1);
  return out_;
}
