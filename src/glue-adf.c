/* What: glue of assumed density filtering. */
#include "adf.h"
#include "glue.h"
#include "matrix.h"

/* lik_: list(df, L). mu_, S_ are copied, never modified. */
SEXP glue_adf(SEXP Xt_, SEXP lik_, SEXP s0_, SEXP nugget_, SEXP mu_, SEXP S_,
              SEXP log_scale_) {
  const int k = Rf_nrows(Xt_), n = Rf_ncols(Xt_);
  if (!Rf_isReal(Xt_) || !Rf_isMatrix(Xt_) || !Rf_isReal(s0_) ||
      Rf_length(s0_) != k || !Rf_isReal(nugget_) || Rf_length(nugget_) != 1 ||
      !Rf_isReal(mu_) || Rf_length(mu_) != k || !Rf_isReal(S_) ||
      Rf_nrows(S_) != k || Rf_ncols(S_) != k || !Rf_isReal(log_scale_) ||
      Rf_length(log_scale_) != 1)
    Rf_error("internal error: wrong types in adf");
  const double nugget = REAL_RO(nugget_)[0];
  const lik_step lik = glue_likelihood(lik_, k + (nugget > 0), n);

  const char *names[] = {"status", "mu",   "S",    "log_scale",
                         "log_zp", "prob", "done", ""};
  SEXP out_ = PROTECT(Rf_mkNamed(VECSXP, names));
  set_named(out_, "mu", Rf_duplicate(mu_));
  set_named(out_, "S", Rf_duplicate(S_));
  adf_state state = {.k = k,
                     .s0 = REAL_RO(s0_),
                     .nugget = nugget,
                     .mu = REAL(get_named(out_, "mu")),
                     .S = REAL(get_named(out_, "S")),
                     .log_scale = REAL_RO(log_scale_)[0],
                     .work = glue_alloc(adf_work_size(k))};
  double *log_zp = set_vector(out_, "log_zp", n);
  double *prob = set_vector(out_, "prob", n);
  for (int i = 0; i < n; i++) log_zp[i] = prob[i] = NA_REAL;

  int done = 0;
  const int status =
      adf_absorb(&lik, REAL_RO(Xt_), n, &state, log_zp, prob, &done);

  mirror_lower(state.S, k);
  set_int(out_, "status", status);
  set_double(out_, "log_scale", state.log_scale);
  set_int(out_, "done", done);
  UNPROTECT(1);
  return out_;
}
