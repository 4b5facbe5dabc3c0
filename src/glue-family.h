/* What: entry points of the t-exponential family, called from R. */
#ifndef STURDY_GLUE_FAMILY_H
#define STURDY_GLUE_FAMILY_H

#include "glue.h"

/* Elementwise, arguments recycled: list(value, nan), nan TRUE when an element
 * is NaN although its arguments are not. */
SEXP glue_exp_q(SEXP x_, SEXP q_);
SEXP glue_ln_q(SEXP x_, SEXP q_);
SEXP glue_q_product(SEXP x_, SEXP y_, SEXP q_);
SEXP glue_q_quotient(SEXP x_, SEXP y_, SEXP q_);
SEXP glue_bernoulli_renyi(SEXP prob_, SEXP order_);
SEXP glue_bernoulli_tsallis(SEXP prob_, SEXP order_);
SEXP glue_bernoulli_q_entropy(SEXP prob_, SEXP q_);
SEXP glue_bernoulli_q_divergence(SEXP prob_, SEXP other_, SEXP q_);

/* list(status, theta1, theta2, log_partition) */
SEXP glue_mvt_natural(SEXP mu_, SEXP S_, SEXP df_);

/* list(status, mu, S, log_partition) */
SEXP glue_mvt_from_natural(SEXP theta1_, SEXP theta2_, SEXP df_);

/* list(status, df, S) */
SEXP glue_mvt_escort(SEXP S_, SEXP df_);

/* order_: doubles, or NULL for the own index (results of length one).
 * list(status, renyi, tsallis, q_entropy, nan) */
SEXP glue_mvt_entropy(SEXP S_, SEXP df_, SEXP order_);

/* list(status, divergence) */
SEXP glue_mvt_q_divergence(SEXP mu1_, SEXP S1_, SEXP mu2_, SEXP S2_, SEXP df_);

#endif
