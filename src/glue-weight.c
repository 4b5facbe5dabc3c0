/* What: glue of the weight-space fit and of assumed density filtering. */
#include "adf.h"
#include "glue-fit.h"

static void carve_weight(fit_space *s, void *self, workspace *ws) {
  latent_weight *lw = self;
  latent_weight_carve(&s->post, lw, lw->n, lw->k, s->opt.block, ws);
}

static SEXP full_matrix(const double *C, int k) {
  SEXP out_ = PROTECT(Rf_allocMatrix(REALSXP, k, k));
  memcpy(REAL(out_), C, (size_t)k * (size_t)k * sizeof *C);
  mirror_lower(REAL(out_), k);
  UNPROTECT(1);
  return out_;
}

/* gradient: d/dlog s0[k], then epsilon[2] */
SEXP glue_weight_fit(SEXP Xt_, SEXP s0_, SEXP y_, SEXP df_, SEXP epsilon_,
                     SEXP tau_, SEXP nu_, SEXP control_, SEXP criterion_,
                     SEXP gradient_, SEXP progress_) {
  if (!Rf_isReal(Xt_) || !Rf_isMatrix(Xt_) || !Rf_isReal(s0_) ||
      Rf_length(s0_) != Rf_nrows(Xt_) || Rf_ncols(Xt_) != Rf_length(y_) ||
      !Rf_isInteger(criterion_) || !Rf_isLogical(gradient_))
    Rf_error("internal error: wrong types in weight_fit");
  latent_weight lw = {.n = Rf_ncols(Xt_), .k = Rf_nrows(Xt_)};
  fit_space s;
  glue_fit_setup(&s, lw.k, carve_weight, &lw, y_, df_, epsilon_, tau_, nu_,
                 control_, progress_);
  latent_weight_bind(&s.post, &lw, REAL_RO(Xt_), REAL_RO(s0_));
  const int status = glue_fit_run(&s);

  const int want = INTEGER_RO(criterion_)[0];
  SEXP out_ = PROTECT(glue_fit_result(&s, status, lw.w, lw.k));
  if (status >= 0) SET_VECTOR_ELT(out_, FIT_EXTRA, full_matrix(lw.C, lw.k));
  if (status >= 0 && want >= 0) {
    SET_VECTOR_ELT(
        out_, FIT_VALUE,
        Rf_ScalarReal(glue_fit_criterion((criterion_type)want, &s)));
    if (LOGICAL_RO(gradient_)[0]) {
      const int solved =
          adjoint_solve((criterion_type)want, &s.post, &s.lik, s.y, s.st.site,
                        s.st.view, &s.work.fix, &s.adj);
      if (solved >= 0) {
        SEXP grad_ = Rf_allocVector(REALSXP, lw.k + 2);
        SET_VECTOR_ELT(out_, FIT_GRADIENT, grad_);
        adjoint_weight(&lw, &s.adj, REAL(grad_));
        REAL(grad_)[lw.k] = s.adj.E.epsilon[0];
        REAL(grad_)[lw.k + 1] = s.adj.E.epsilon[1];
      }
      if (solved != EP_CONVERGED && status == EP_CONVERGED)
        SET_VECTOR_ELT(out_, FIT_STATUS, Rf_ScalarInteger(EP_NO_ADJOINT));
    }
  }
  UNPROTECT(1);
  return out_;
}

static int check_interrupt(void *data) {
  (void)data;
  R_CheckUserInterrupt();
  return 0;
}

/* mu_, S_ are copied, never modified. */
SEXP glue_adf(SEXP Xt_, SEXP y_, SEXP df_, SEXP epsilon_, SEXP mu_, SEXP S_,
              SEXP log_scale_) {
  const int k = Rf_nrows(Xt_), n = Rf_ncols(Xt_);
  if (!Rf_isReal(Xt_) || !Rf_isMatrix(Xt_) || !Rf_isReal(y_) ||
      Rf_length(y_) != n || !Rf_isReal(df_) || !Rf_isReal(epsilon_) ||
      Rf_length(epsilon_) != 2 || !Rf_isReal(mu_) || Rf_length(mu_) != k ||
      !Rf_isReal(S_) || Rf_nrows(S_) != k || Rf_ncols(S_) != k ||
      !Rf_isReal(log_scale_) || Rf_length(log_scale_) != 1)
    Rf_error("internal error: wrong types in adf");
  const char *names[] = {"status",    "mu",     "S",    "log_scale",
                         "log_zp",    "prob",   "done", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out_, 1, Rf_duplicate(mu_));
  SET_VECTOR_ELT(out_, 2, Rf_duplicate(S_));
  SET_VECTOR_ELT(out_, 4, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(out_, 5, Rf_allocVector(REALSXP, n));
  for (int i = 0; i < n; i++)
    REAL(VECTOR_ELT(out_, 4))[i] = REAL(VECTOR_ELT(out_, 5))[i] = NA_REAL;
  const lik_step lik =
      likelihood_step(REAL_RO(df_)[0], k, REAL_RO(epsilon_));
  adf_state state = {k, REAL(VECTOR_ELT(out_, 1)), REAL(VECTOR_ELT(out_, 2)),
                     REAL_RO(log_scale_)[0]};
  int done = 0;
  const int status = adf_absorb(
      &lik, REAL_RO(Xt_), REAL_RO(y_), n, &state, REAL(VECTOR_ELT(out_, 4)),
      REAL(VECTOR_ELT(out_, 5)), glue_alloc((size_t)k), &done, check_interrupt,
      NULL);
  mirror_lower(state.S, k);
  SET_VECTOR_ELT(out_, 0, Rf_ScalarInteger(status));
  SET_VECTOR_ELT(out_, 3, Rf_ScalarReal(state.log_scale));
  SET_VECTOR_ELT(out_, 6, Rf_ScalarInteger(done));
  UNPROTECT(1);
  return out_;
}
