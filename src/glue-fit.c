/* What: glue of all EP fits. Types are checked (internal errors only, users
 *       were checked in R), one block of memory is taken, EP is run, and all
 *       that comes of it goes to a list by name. */
#include "glue-fit.h"
#include "adjoint.h"
#include "ep.h"
#include "matrix.h"

typedef struct {
  latent *post;
  ep_state st;
  ep_work work;
  criterion_partials partials;
  lik_step lik;
  ep_options opt;
} fit_space;

static void carve_all(fit_space *s, workspace *ws) {
  const int n = s->post->n;
  s->post->ops->carve(s->post, s->opt.block, ws);
  ep_carve(&s->st, &s->work, n, &s->opt, ws);
  adjoint_carve(&s->partials, n, ws);
}

static void set_up(fit_space *s, latent *post, SEXP run_) {
  const int n = post->n;
  if (n < 1) Rf_error("internal error: an EP fit without rows");
  const double *control = get_doubles(run_, "control", 6);
  const double *tau = get_doubles(run_, "tau", n);
  const double *nu = get_doubles(run_, "nu", n);
  s->post = post;
  s->opt = (ep_options){.tol = control[0],
                        .max_sweeps = (int)control[1],
                        .damping = control[2],
                        .block = (int)control[3],
                        .parallel = (int)control[4],
                        .lean = (int)control[5]};
  s->lik = glue_likelihood(run_, post->d, n);
  CARVE(carve_all(s, &ws));
  post->ops->bind(post);
  for (int i = 0; i < n; i++) s->st.site[i] = (ep_site){tau[i], nu[i]};
}

int glue_monitor(void *data, int sweep, double residual) {
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

static double criterion_or_na(criterion_type type, const fit_space *s) {
  double value = NA_REAL;
  criterion_value(type, s->post, s->lik.df, s->st.site, s->st.view, &value);
  return value;
}

static void fill_sites(const fit_space *s, SEXP out_) {
  const int n = s->post->n;
  SEXP sites_ = PROTECT(new_list("tau nu"));
  SEXP cavity_ = PROTECT(new_list("mean var"));
  double *tau = set_vector(sites_, "tau", n), *nu = set_vector(sites_, "nu", n);
  double *mean = set_vector(cavity_, "mean", n);
  double *var = set_vector(cavity_, "var", n);
  double *loo = set_vector(out_, "loo", n);
  double *seen = set_matrix(out_, "seen", n, 2);
  for (int i = 0; i < n; i++) {
    const site_view *v = &s->st.view[i];
    const int proper = v->proper;
    tau[i] = s->st.site[i].tau;
    nu[i] = s->st.site[i].nu;
    mean[i] = proper ? v->cav.mean : NA_REAL;
    var[i] = proper ? v->cav.var : NA_REAL;
    loo[i] = proper ? v->tilt.log_zp : NA_REAL;
    double log_p[2] = {NA_REAL, NA_REAL};
    if (proper) likelihood_truth(&s->lik, &v->tilt, log_p);
    seen[i] = log_p[0];
    seen[IDX(i, 1, n)] = log_p[1];
  }
  set_named(out_, "sites", sites_);
  set_named(out_, "cavity", cavity_);
  UNPROTECT(2);
}

static void fill_posterior(const fit_space *s, SEXP out_) {
  const latent *post = s->post;
  const int n = post->n, k = post->n_location;
  set_copy(out_, "m", post->m, n);
  set_copy(out_, "C_diag", post->A, n);
  set_copy(out_, "b", post->location, k);
  set_double(out_, "log_det", post->log_det);
  if (!post->covariance) return;
  double *C = set_matrix(out_, "extra", k, k);
  memcpy(C, post->covariance, (size_t)k * (size_t)k * sizeof *C);
  mirror_lower(C, k);
}

static void fill_run(const fit_space *s, SEXP out_) {
  const ep_state *st = &s->st;
  set_copy(out_, "residual", st->residual, s->post->n);
  set_int(out_, "sweeps", st->sweeps);
  set_int(out_, "newton", st->newton);
  set_int(out_, "skipped", st->skipped);
  double *trace = set_matrix(out_, "trace", st->n_trace, N_TRACE);
  for (int i = 0; i < st->n_trace; i++)
    for (int j = 0; j < N_TRACE; j++)
      trace[i + j * st->n_trace] = st->trace[i * N_TRACE + j];
}

/* The criterion asked for and its gradient: spoils the posterior, so last. */
static void fill_criterion(fit_space *s, SEXP run_, SEXP out_) {
  const int which = get_whole(run_, "criterion"); /* -1: none */
  if (which < 0) return;
  const criterion_type type = (criterion_type)which;
  set_double(out_, "value", criterion_or_na(type, s));
  if (!get_whole(run_, "gradient")) return;
  SEXP gradient_ = PROTECT(Rf_allocVector(REALSXP, s->post->n_prior));
  const int solved =
      adjoint_gradient(type, s->post, &s->lik, s->st.site, s->st.view,
                       &s->work.fix, &s->partials, REAL(gradient_));
  set_int(out_, "gradient_status", solved);
  if (solved == EP_CONVERGED) {
    set_named(out_, "gradient", gradient_);
    memcpy(set_matrix(out_, "slope", s->post->n, 2), s->partials.L,
           2 * (size_t)s->post->n * sizeof(double));
  }
  UNPROTECT(1);
}

SEXP glue_fit(latent *post, SEXP run_) {
  fit_space s;
  set_up(&s, post, run_);
  const int status = ep_run(post, &s.lik, &s.opt, &s.st, &s.work, glue_monitor,
                            get_named(run_, "progress"));

  SEXP out_ = PROTECT(
      new_list("status sites cavity loo seen m C_diag b extra residual log_det "
               "log_evidence log_evidence_zp sweeps newton skipped trace value "
               "gradient gradient_status slope"));
  set_int(out_, "status", status);
  set_int(out_, "gradient_status", NA_INTEGER);
  if (status >= 0) {
    fill_posterior(&s, out_);
    fill_sites(&s, out_);
    fill_run(&s, out_);
    set_double(out_, "log_evidence", criterion_or_na(CRITERION_EVIDENCE, &s));
    set_double(out_, "log_evidence_zp",
               criterion_or_na(CRITERION_EVIDENCE_ZP, &s));
    fill_criterion(&s, run_, out_);
  }
  UNPROTECT(1);
  return out_;
}
