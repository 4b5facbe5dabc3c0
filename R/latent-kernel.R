# Kernel space: one latent function, whose sites are its values at the rows.

#' @param X encoded inputs (n x p). @param columns list(group, weight), an entry a
#'   column: its lengthscale, the weight of its squared differences.
#' @param labels see row_labels(). @param kernel resolved kernel.
#' @noRd
latent_kernel <- function(X, columns, labels, kernel, call = rlang::caller_env()) {
  check_memory(5 * nrow(X)^2 + 2 * length(X), nrow(X), TRUE, call)
  rows <- latent_rows(X, labels, c(row_fields, "b"))
  given <- X
  X <- rows$X
  new_latent(
    n = rows$n, columns = ncol(X), classes = labels$reports$classes, functions = 1L,
    y = labels$y, reports = rows$reports,
    hyper = named_hyper(kernel), free = free_hyper(kernel, X), prior = kernel$prior,
    least = list(), coarse = NULL, second = TRUE, Z = NULL, places = FALSE,
    some = function(k) {
      latent_kernel(X[seq_len(k), , drop = FALSE], columns, rows$first(k), kernel, call)
    },
    again = NULL, project = NULL, predict = NULL,
    pooled = if (is_many_scaled(kernel)) function() {
      latent_kernel(given, columns, labels, plain_kernel(kernel), call)
    },
    constant = if (is.null(labels$offset)) function(at) {
      flat <- flat_hyper(kernel_hyper(kernel), at)
      b <- c(flat_mean(at) / (flat$variance + flat$bias), numeric(rows$n - 1))
      list(hyper = flat, b = b, extra = NULL)
    },
    natives = row_natives(rows, columns, NULL, 5 * rows$n^2, function(control, ...) control),
    native = function(hyper, df, L, sites, control, criterion = "none", gradient = FALSE,
                      progress = NULL) {
      columns$times <- rows$times
      rows$result(native_gp_fit(
        X, columns, hyper, rows$likelihoods(L), df, rows$sites(sites), control, criterion,
        gradient, progress, offset = rows$offset(hyper), width = hyper$width
      ))
    }
  )
}

plain_sd <- 1.5 # of the log of the one lengthscale of a plain kernel, as in kernel_iso()

#' Has a kernel lengthscales for each column that are learned?
#' @noRd
is_many_scaled <- function(kernel) {
  length(kernel$lengthscale) > 1 && !"lengthscale" %in% kernel$fixed &&
    !is.null(kernel$prior$lengthscale) && !isTRUE(kernel$prior$lengthscale$tied)
}

#' One lengthscale for all columns, in units of what they are expected to be, and a linear part:
#' averages have it beside a kernel with lengthscales for each column [M 8.19]
#' @noRd
plain_kernel <- function(kernel) {
  prior <- kernel$prior$lengthscale
  kernel$prior$lengthscale[c("sdlog", "tied")] <- list(plain_sd, TRUE)
  kernel$prior$common <- 0
  kernel$lengthscale[] <- exp(prior$meanlog)
  if (is.null(kernel$prior$linear)) kernel$prior$linear <- list(meanlog = 0, sdlog = 2)
  kernel$linear <- 1
  kernel$fixed <- setdiff(kernel$fixed, "linear")
  kernel
}
