# What tests of comparisons share.

# A candidate whose kernel does not suit two inputs
bad_candidate <- function() {
  candidate("gpc", kernel = kernel_ard(c(1, 2, 3), fixed = TRUE), epsilon = 0.05)
}

# The leave-one-out score of a fit, a number.
loo_sum <- function(fit) {
  loo(fit)$estimates[["elpd_loo", "Estimate"]]
}

# Its terms, one a training row.
loo_terms <- function(fit) terms_of(loo(fit))

terms_of <- function(score) unname(score$pointwise[, "elpd_loo"])

# A control under which native results have the second order of the evidence
with_second <- function(control = ep_control()) {
  utils::modifyList(unclass(control), list(second = TRUE))
}
