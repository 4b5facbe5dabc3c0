/* What: glue of the kernel-space fits: types checked (internal errors only,
 *       users were checked in R), one block of memory, one core call, a list. */
#include "glue-fit.h"

static void carve_kernel(fit_space *s, void *self, workspace *ws) {
  latent_kernel *lk = self;
  latent_kernel_carve(&s->post, lk, lk->n, ws);
}

SEXP glue_ep_fit(SEXP K_, SEXP y_, SEXP df_, SEXP epsilon_, SEXP tau_, SEXP nu_,
                 SEXP control_, SEXP progress_) {
  if (!Rf_isReal(K_) || !Rf_isMatrix(K_) || Rf_nrows(K_) != Rf_length(y_) ||
      Rf_ncols(K_) != Rf_length(y_))
    Rf_error("internal error: wrong types in ep_fit");
  fit_space s;
  latent_kernel lk = {.n = Rf_length(y_)};
  glue_fit_setup(&s, lk.n, carve_kernel, &lk, y_, df_, epsilon_, tau_, nu_,
                 control_, progress_);
  latent_kernel_bind(&s.post, &lk, REAL_RO(K_));
  const int status = glue_fit_run(&s);
  return glue_fit_result(&s, status, lk.b, lk.n);
}

/* value and gradient (log l, log theta, epsilon) of the criterion */
static int fill_gradient(fit_space *s, latent_kernel *lk, criterion_type type,
                         const kernel_ard *k, const kernel_inputs *in,
                         SEXP gradient_) {
  const int n = s->post.n;
  const int status = adjoint_solve(type, &s->post, &s->lik, s->y, s->st.site,
                                   s->st.view, &s->work.fix, &s->adj);
  if (status < 0) return status;
  adjoint_kernel(&s->post, lk, s->st.site, &s->adj);
  double *scratch = glue_alloc((size_t)n * ((size_t)k->p + 1));
  double *g = REAL(gradient_);
  kernel_grad grad = {.l = g};
  kernel_contract(k, in, n, lk->K, lk->S2, scratch, &grad);
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
  latent_kernel lk = {.n = n};
  glue_fit_setup(&s, n, carve_kernel, &lk, y_, df_, epsilon_, tau_, nu_,
                 control_, progress_);
  kernel_inputs in;
  glue_inputs(&in, n, k.p);
  double *K = glue_alloc((size_t)n * (size_t)n);
  kernel_prepare(&in, &k, REAL_RO(X_), n, NULL);
  kernel_gram(&k, &in, n, K);
  latent_kernel_bind(&s.post, &lk, K);
  const int status = glue_fit_run(&s);

  SEXP out_ = PROTECT(glue_fit_result(&s, status, lk.b, n));
  if (status >= 0 && want >= 0) {
    SET_VECTOR_ELT(
        out_, FIT_VALUE,
        Rf_ScalarReal(glue_fit_criterion((criterion_type)want, &s)));
    if (LOGICAL_RO(gradient_)[0]) {
      SET_VECTOR_ELT(out_, FIT_GRADIENT,
                     Rf_allocVector(REALSXP, k.groups + 5));
      const int solved = fill_gradient(&s, &lk, (criterion_type)want, &k, &in,
                                       VECTOR_ELT(out_, FIT_GRADIENT));
      if (solved < 0) SET_VECTOR_ELT(out_, FIT_GRADIENT, R_NilValue);
      if (solved != EP_CONVERGED && status == EP_CONVERGED)
        SET_VECTOR_ELT(out_, FIT_STATUS, Rf_ScalarInteger(EP_NO_ADJOINT));
    }
  }
  UNPROTECT(1);
  return out_;
}
