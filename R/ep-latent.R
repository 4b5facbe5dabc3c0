# What EP and learning need of a latent function, so that both are written once: its
# hyperparameters, which of them are free, their priors, and the native fit.
#
# A latent is a list of
#   n, y    number of sites and their labels, -1/+1
#   hyper   named list of hyperparameters on the natural scale
#   free    names of those to be learned
#   prior   named list of list(meanlog, sdlog), or NULL
#   native  function(hyper, df, epsilon, sites, control, criterion, gradient,
#           progress) -> native result, gradients with respect to logs by name
#   some    function(k) -> the latent of k rows alone, spread over all

#' Kernel space: the latent function at the rows
#'
#' @param X encoded inputs (n x p). @param columns list(group, weight), an entry a
#'   column: its lengthscale, the weight of its squared differences.
#' @param y labels. @param kernel resolved kernel.
#' @noRd
latent_kernel <- function(X, columns, y, kernel, call = rlang::caller_env()) {
  check_memory(5 * length(y)^2 + 2 * length(X), length(y), TRUE, call)
  free <- setdiff(hyper_names, kernel$fixed)
  if (ncol(X) == 0) free <- setdiff(free, "lengthscale")
  visit <- table_order(X, y)
  rows <- in_order(visit, c(row_fields, "b"))
  X <- X[visit, , drop = FALSE]
  labels <- y[visit]
  list(
    n = length(y),
    y = y,
    hyper = unclass(kernel)[hyper_names],
    free = free,
    prior = kernel$prior,
    some = function(k) {
      latent_kernel(X[seq_len(k), , drop = FALSE], columns, labels[seq_len(k)], kernel, call)
    },
    native = function(hyper, df, epsilon, sites, control, criterion = "none",
                      gradient = FALSE, progress = NULL) {
      rows$result(native_gp_fit(
        X, columns, hyper, labels, df, epsilon, rows$sites(sites), control, criterion,
        gradient, progress
      ))
    }
  )
}

#' Weight space: a linear function of features
#'
#' @param Xt features k x n. @param prior list(scale, group, free, prior):
#'   prior scales by input column (and the intercept first), the one each weight
#'   uses, which are learned (logical), the log-normal prior.
#' @noRd
latent_weight <- function(Xt, y, prior, call = rlang::caller_env()) {
  n <- length(y)
  k <- nrow(Xt)
  # the features three times and, for the gradient, some 270 n-vectors
  check_memory(n * (3 * k + 270) + 8 * k^2, n, FALSE, call)
  visit <- table_order(t(Xt), y)
  rows <- in_order(visit, row_fields)
  Xt <- Xt[, visit, drop = FALSE]
  labels <- y[visit]
  list(
    n = n,
    y = y,
    hyper = list(prior_scale = prior$scale[prior$free]),
    free = if (any(prior$free)) "prior_scale" else character(),
    prior = list(prior_scale = prior$prior),
    some = function(k) {
      latent_weight(Xt[, seq_len(k), drop = FALSE], labels[seq_len(k)], prior, call)
    },
    native = function(hyper, df, epsilon, sites, control, criterion = "none",
                      gradient = FALSE, progress = NULL) {
      out <- rows$result(native_weight_fit(
        Xt, weight_scales(prior, hyper), 0, labels, df, epsilon, rows$sites(sites), control,
        criterion, gradient, progress
      ))
      if (!is.null(out$gradient)) {
        by_column <- drop(rowsum(out$gradient$s0, prior$group))
        out$gradient <- list(
          prior_scale = by_column[prior$free], epsilon = out$gradient$epsilon
        )
      }
      out
    }
  )
}

#' Prior scale of each weight (k)
#' @noRd
weight_scales <- function(prior, hyper = list(prior_scale = prior$scale[prior$free])) {
  scale <- prior$scale
  scale[prior$free] <- hyper$prior_scale
  unname(scale[prior$group])
}
