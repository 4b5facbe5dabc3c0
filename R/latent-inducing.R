# Kernel space through inducing inputs: FITC [M 9.6].

inducing_least_nugget <- 1e-4 # of those that are learned

#' @param Z encoded inducing inputs (m x p), or their number: then they are placed among
#'   the rows in the metric of the kernel. Others as latent_kernel().
#' @noRd
latent_inducing <- function(X, columns, labels, kernel, Z) {
  n <- nrow(X)
  m <- if (is.matrix(Z)) nrow(Z) else Z
  keep <- 8 * (lowrank_doubles(n, m + 1) + 2 * length(X)) <= memory_limit()
  if (!keep) check_memory(lowrank_doubles(n, 0) + 10 * m^2 + 2 * length(X), n, FALSE)
  rows <- latent_rows(X, labels)
  given <- X
  X <- rows$X
  asked <- Z
  if (!is.matrix(Z)) Z <- place_inducing(X, columns, kernel$lengthscale, Z)
  predict <- function(hyper, b, C) native_inducing_predict(Z, columns, hyper, b, C, given)
  new_latent(
    n = n, columns = ncol(X), classes = labels$reports$classes, functions = 1L,
    y = labels$y, reports = rows$reports,
    hyper = named_hyper(kernel), free = free_hyper(kernel, X), prior = kernel$prior,
    least = list(nugget = inducing_least_nugget), coarse = coarse_tol(n),
    second = second_is_cheap(n, m), Z = Z, places = !is.matrix(asked),
    some = function(k) {
      latent_inducing(X[seq_len(k), , drop = FALSE], columns, rows$first(k), kernel, Z)
    },
    again = function(hyper, m = nrow(Z)) {
      kernel[names(hyper)] <- hyper
      latent_inducing(given, columns, labels, kernel, if (is.matrix(asked)) asked else m)
    },
    project = function(hyper, df, L, found) {
      prior <- predict(hyper, found$b, found$extra)
      native_project(L, prior$m, prior$s2, df, n, hyper$width)
    },
    predict = predict, ep = row_ep(rows, columns, Z, lowrank_doubles(n, m + 1), keep)
  )
}

#' Does the second order of the evidence, n^2 k, cost little beside EP of low rank? Up to here it
#' is at most a quarter of EP's few sweeps at a node, each n k^2 and some us a row; and with more
#' rows the correction moves their answers ever less
#' @noRd
second_is_cheap <- function(n, k) n <= second_rows + second_rows_each * k

second_rows <- 500
second_rows_each <- 5

#' Doubles of a low-rank fit at df = Inf: k features (which are not kept where they do not
#' fit) and what EP has a row (200 more at a finite df)
#' @noRd
lowrank_doubles <- function(n, k) {
  a_row <- if (n > parallel_rows) 120 else 280
  n * (k + a_row) + 10 * k^2
}

#' Features of a row: of the inducing inputs, the bias and the columns of a linear part
#' @noRd
count_features <- function(Z, hyper) {
  nrow(Z) + any(hyper$bias > 0) + if (any(hyper$linear > 0)) ncol(Z) else 0L
}
