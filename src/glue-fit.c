/* What: what the glue of all EP fits shares. */
#include "glue-fit.h"

static void carve_all(fit_space *s, int n, latent_carve carve, void *self,
                      workspace *ws) {
  carve(s, self, ws);
  ep_carve(&s->st, &s->work, n, &s->opt, ws);
  adjoint_carve(&s->adj, n, ws);
}

void glue_fit_setup(fit_space *s, int d, latent_carve carve, void *self,
                    SEXP y_, SEXP df_, SEXP epsilon_, SEXP tau_, SEXP nu_,
                    SEXP control_, SEXP progress_) {
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
  s->lik = likelihood_step(REAL_RO(df_)[0], d, REAL_RO(epsilon_));
  s->progress_ = progress_;
  workspace ws = {NULL, 0};
  carve_all(s, n, carve, self, &ws);
  ws = (workspace){glue_alloc(ws.used), 0};
  carve_all(s, n, carve, self, &ws);
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

double glue_fit_criterion(criterion_type type, const fit_space *s) {
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

SEXP glue_fit_result(const fit_space *s, int status, const double *location,
                     int n_location) {
  const char *names[] = {"status",   "sites",   "cavity",       "loo",
                         "flipped",  "m",       "C_diag",       "b",
                         "residual", "log_det", "log_evidence", "log_evidence_zp",
                         "sweeps",   "newton",  "skipped",      "trace",
                         "extra",    "value",   "gradient",     ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out_, 0, Rf_ScalarInteger(status));
  if (status >= 0) {
    const int n = s->post.n;
    fill_sites(s, out_);
    SET_VECTOR_ELT(out_, 5, copy_doubles(s->post.m, n));
    SET_VECTOR_ELT(out_, 6, copy_doubles(s->post.A, n));
    SET_VECTOR_ELT(out_, 7, copy_doubles(location, n_location));
    SET_VECTOR_ELT(out_, 8, copy_doubles(s->st.residual, n));
    SET_VECTOR_ELT(out_, 9, Rf_ScalarReal(s->post.log_det));
    SET_VECTOR_ELT(out_, 10,
                   Rf_ScalarReal(glue_fit_criterion(CRITERION_EVIDENCE, s)));
    SET_VECTOR_ELT(out_, 11,
                   Rf_ScalarReal(glue_fit_criterion(CRITERION_EVIDENCE_ZP, s)));
    SET_VECTOR_ELT(out_, 12, Rf_ScalarInteger(s->st.sweeps));
    SET_VECTOR_ELT(out_, 13, Rf_ScalarInteger(s->st.newton));
    SET_VECTOR_ELT(out_, 14, Rf_ScalarInteger(s->st.skipped));
    SET_VECTOR_ELT(out_, 15, trace_matrix(&s->st));
  }
  UNPROTECT(1);
  return out_;
}

int glue_fit_run(fit_space *s) {
  return ep_run(&s->post, &s->lik, s->y, &s->opt, &s->st, &s->work, monitor,
                s->progress_);
}
