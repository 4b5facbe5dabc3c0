/* What: glue of the latent spaces: each is made from its data and fitted. */
#include "glue-fit.h"
#include "latent-kernel.h"
#include "latent-lowrank.h"

SEXP glue_ep_fit(SEXP K_, SEXP run_) {
  const int n = Rf_nrows(K_);
  latent_kernel lk;
  latent post = latent_kernel_given(&lk, n, MATRIX(K_, n, n));
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
  const int k = Rf_nrows(Xt_), n = Rf_ncols(Xt_);
  latent_lowrank lr;
  latent post = latent_lowrank_features(&lr, n, k, MATRIX(Xt_, k, n),
                                        DOUBLES(s0_, k), NUMBER(nugget_));
  return glue_fit(&post, run_);
}

inducing glue_inducing(SEXP X_, SEXP Z_, const kernel_ard *kernel) {
  return (inducing){.kernel = kernel,
                    .n = Rf_nrows(X_),
                    .m = Rf_nrows(Z_),
                    .X = REAL_RO(X_),
                    .Z = MATRIX(Z_, -1, kernel->p)};
}

/* keep_: all features, [k x n]; or they are made anew in every pass */
SEXP glue_inducing_fit(SEXP X_, SEXP Z_, SEXP kernel_, SEXP keep_, SEXP run_) {
  const kernel_ard k = glue_kernel(X_, kernel_);
  inducing points = glue_inducing(X_, Z_, &k);
  latent_lowrank lr;
  latent post = latent_lowrank_inducing(&lr, &points, WHOLE(keep_));
  return glue_fit(&post, run_);
}
