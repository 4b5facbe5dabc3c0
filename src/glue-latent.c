/* What: glue of the latent spaces: each is made from its data and fitted. runs_
 *       and what is returned: see glue_fits(). */
#include "glue-fit.h"
#include "latent-kernel.h"
#include "latent-lowrank.h"

SEXP glue_ep_fit(SEXP K_, SEXP runs_) {
  const int n = Rf_nrows(K_);
  latent_kernel lk;
  latent post = latent_kernel_given(&lk, n, MATRIX(K_, n, n));
  expect(Rf_length(runs_) == 1, "runs_");
  return glue_fits(&post, 0, runs_);
}

/* nugget_: lambda, the same in all rows; times_: how many each stands for, or
 * NULL */
SEXP glue_weight_fit(SEXP Xt_, SEXP s0_, SEXP nugget_, SEXP times_,
                     SEXP runs_) {
  const int k = Rf_nrows(Xt_), n = Rf_ncols(Xt_);
  latent_lowrank lr;
  latent post = latent_lowrank_features(&lr, n, k, MATRIX(Xt_, k, n),
                                        DOUBLES(s0_, k), NUMBER(nugget_));
  if (!Rf_isNull(times_)) latent_repeat(&post, DOUBLES(times_, n));
  expect(Rf_length(runs_) == 1, "runs_");
  return glue_fits(&post, 1, runs_);
}

inducing glue_inducing(SEXP X_, SEXP Z_, const kernel_ard *kernel) {
  return (inducing){.kernel = kernel,
                    .n = Rf_nrows(X_),
                    .m = Rf_nrows(Z_),
                    .X = REAL_RO(X_),
                    .Z = MATRIX(Z_, -1, kernel->p)};
}

/* kernels_: one for each run. Z_: inducing inputs, or NULL for all rows; keep_:
 * all features, [k x n], or they are made anew in every pass */
SEXP glue_gp_fits(SEXP X_, SEXP Z_, SEXP kernels_, SEXP keep_, SEXP runs_) {
  typedef struct {
    kernel_ard kernel;
    latent_kernel lk;
    inducing points;
    latent_lowrank lr;
  } space;
  const int count = Rf_length(kernels_), keep = WHOLE(keep_);
  const size_t room = (size_t)count + 1;
  space *s = (space *)R_alloc(room, sizeof *s);
  latent *post = (latent *)R_alloc(room, sizeof *post);
  expect(Rf_length(runs_) == count, "runs_");
  for (int k = 0; k < count; k++) {
    s[k].kernel = glue_kernel(X_, VECTOR_ELT(kernels_, k));
    if (Rf_isNull(Z_)) {
      post[k] = latent_kernel_inputs(&s[k].lk, Rf_nrows(X_), &s[k].kernel,
                                     REAL_RO(X_));
    } else {
      s[k].points = glue_inducing(X_, Z_, &s[k].kernel);
      post[k] = latent_lowrank_inducing(&s[k].lr, &s[k].points, keep);
    }
    latent_repeat(&post[k], s[k].kernel.times);
  }
  return glue_fits(post, !Rf_isNull(Z_), runs_);
}
