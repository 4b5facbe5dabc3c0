/* What: glue of assumed density filtering. */
#include "adf.h"
#include "glue.h"
#include "matrix.h"

/* lik_: list(df, L). mu_, S_ are copied, never modified. */
SEXP glue_adf(SEXP Xt_, SEXP lik_, SEXP s0_, SEXP nugget_, SEXP mu_, SEXP S_,
              SEXP log_scale_) {
  const int k = Rf_nrows(Xt_), n = Rf_ncols(Xt_);
  const double *Xt = MATRIX(Xt_, k, n), nugget = NUMBER(nugget_);
  const lik_step lik = glue_likelihood(lik_, k + (nugget > 0), n);
  DOUBLES(mu_, k);
  MATRIX(S_, k, k);

  SEXP out_ = PROTECT(new_list("status mu S log_scale log_zp prob done"));
  set_named(out_, "mu", Rf_duplicate(mu_));
  set_named(out_, "S", Rf_duplicate(S_));
  adf_state state = {.k = k,
                     .s0 = DOUBLES(s0_, k),
                     .nugget = nugget,
                     .mu = REAL(get_named(out_, "mu")),
                     .S = REAL(get_named(out_, "S")),
                     .log_scale = NUMBER(log_scale_),
                     .work = glue_alloc(adf_work_size(k))};
  double *log_zp = set_vector(out_, "log_zp", n);
  double *prob = set_vector(out_, "prob", n);
  for (int i = 0; i < n; i++) log_zp[i] = prob[i] = NA_REAL;

  int done = 0;
  set_int(out_, "status", adf_absorb(&lik, Xt, n, &state, log_zp, prob, &done));

  mirror_lower(state.S, k);
  set_double(out_, "log_scale", state.log_scale);
  set_int(out_, "done", done);
  UNPROTECT(1);
  return out_;
}
