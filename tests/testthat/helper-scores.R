# The leave-one-out score of a fit, a number.
loo_sum <- function(fit) {
  loo(fit)$estimates[["elpd_loo", "Estimate"]]
}
