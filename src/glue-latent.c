/* What: glue of the latent spaces: each is made from its data and fitted. */
#include "glue-fit.h"
#include "latent-kernel.h"
#include "latent-lowrank.h"

SEXP glue_ep_fit(SEXP K_, SEXP run_) {
  const int n = Rf_nrows(K_);
  if (!Rf_isReal(K_) || !Rf_isMatrix(K_) || Rf_ncols(K_) != n)
    Rf_error("internal error: wrong types in ep_fit");
  latent_kernel lk;
  latent post = latent_kernel_given(&lk, n, REAL_RO(K_));
  return glue_fit(&post, run_);
}

SEXP glue_gp_fit(SEXP X_, SEXP kernel_, SEXP run_) {
  const kernel_ard k = glue_kernel(X_, kernel_);
  latent_kernel lk;
  latent post = latent_kernel_inputs(&lk, Rf_nrows(X_), &k, REAL_RO(X_));
  return glue_fit(&post, run_);
}

/* nugget_: lambda, the same in all rows */
SEXP glue_weight_fit(SEXP Xt_, SEXP s0_, SEXP nugget_, SEXP run_) {
  const int k = Rf_nrows(Xt_);
  if (!Rf_isReal(Xt_) || !Rf_isMatrix(Xt_) || !Rf_isReal(s0_) ||
      Rf_length(s0_) != k || !Rf_isReal(nugget_) || Rf_length(nugget_) != 1)
    Rf_error("internal error: wrong types in weight_fit");
  latent_lowrank lr;
  latent post = latent_lowrank_features(&lr, Rf_ncols(Xt_), k, REAL_RO(Xt_),
                                        REAL_RO(s0_), REAL_RO(nugget_)[0]);
  return glue_fit(&post, run_);
}

inducing glue_inducing(SEXP X_, SEXP Z_, const kernel_ard *kernel) {
  if (!Rf_isReal(Z_) || !Rf_isMatrix(Z_) || Rf_ncols(Z_) != kernel->p)
    Rf_error("internal error: wrong types of inducing inputs");
  return (inducing){.kernel = kernel,
                    .n = Rf_nrows(X_),
                    .m = Rf_nrows(Z_),
                    .X = REAL_RO(X_),
                    .Z = REAL_RO(Z_)};
}

/* keep_: all features, [k x n]; or they are made anew in every pass */
SEXP glue_inducing_fit(SEXP X_, SEXP Z_, SEXP kernel_, SEXP keep_, SEXP run_) {
  const kernel_ard k = glue_kernel(X_, kernel_);
  inducing points = glue_inducing(X_, Z_, &k);
  latent_lowrank lr;
  latent post = latent_lowrank_inducing(&lr, &points, Rf_asLogical(keep_));
  return glue_fit(&post, run_);
}
