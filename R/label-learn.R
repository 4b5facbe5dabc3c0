# A noise model of the label stage integrated over its coordinates: modes, curvature, and weighted
# points of t distributions around them.

label_points <- c(usual = 256L, plain = 64L) # of a noise model, and for the factor without unusual rows
label_wide <- 40L         # coordinates, with more of which weights say nothing: Laplace's method
label_df <- 7             # of the t distributions, and
label_wider <- 1.1        # how much wider they are than the curvature says
label_least <- 0.5        # least curvature: the prior's is 1
label_ess <- 5            # effective points below which Laplace's method stands for them
label_step <- 1e-3        # between the gradients that are subtracted, of few rows
label_maxit <- 150L       # of a climb,
label_tol <- 1e-3         # which ends where a step gains no more nats
label_lost <- 7           # nats below the best from which a mode does not count
label_near <- 1           # squared sds between modes that share a curvature

#' @param problem see label_problem(). @param n how many points, 0 for the modes alone. @param before
#'   noise models that were integrated, from the modes of the first of which the search goes on.
#' @return list(problem; found: the modes; Z, a column a point; said: their points(); log_weight, which sum to 1; log_evidence, laplace, ess,
#'   pareto_k, method, modes: their number)
#' @noRd
label_integral <- function(problem, n = NULL, before = list()) {
  if (problem$d == 0) {
    Z <- matrix(0, 0, 1)
    said <- label_points_at(problem, Z)
    value <- label_value(problem, Z, said)
    return(list(
      problem = problem, Z = Z, said = said, log_weight = 0, log_evidence = value, laplace = value,
      ess = NA_real_, pareto_k = NA_real_, method = "exact", modes = 1L
    ))
  }
  modes <- label_modes(problem, before)
  if (is.null(n)) n <- label_points[[if (problem$d > label_wide) "plain" else "usual"]]
  laplace <- vapply(modes, `[[`, 1, "laplace")
  part <- list(problem = problem, found = modes, laplace = log_sum(laplace), modes = length(modes))
  if (n == 0) {
    Z <- matrix(vapply(modes, `[[`, numeric(problem$d), "z"), problem$d)
    return(c(part, list(
      Z = Z, said = label_points_at(problem, Z), log_weight = laplace - log_sum(laplace),
      log_evidence = log_sum(laplace), ess = NA_real_, pareto_k = NA_real_, method = "mode"
    )))
  }
  size <- 2 * pmax(largest_remainder(n / 2 * softmax(laplace)), 4)
  weighted <- if (problem$d <= label_wide) {
    label_weighted(problem, modes, size)
  } else list(ess = NA_real_, pareto_k = NA_real_)
  c(part, if (isTRUE(weighted$ess >= label_ess)) {
    weighted
  } else c(label_curvature(problem, modes, size), weighted[c("ess", "pareto_k")]))
}

#' Points around modes with their weights
#' @param size how many of each.
#' @noRd
label_weighted <- function(problem, modes, size) {
  Z <- do.call(cbind, Map(label_draws, modes, size))
  said <- label_points_at(problem, Z)
  value <- label_value(problem, Z, said) - colSums(Z^2) / 2 - nrow(Z) / 2 * log(2 * pi)
  mixture <- vapply(seq_along(modes), function(k) {
    label_density(Z, modes[[k]]) + log(size[k] / sum(size))
  }, numeric(ncol(Z)))
  raw <- value - row_log_sum(matrix(mixture, ncol(Z)))
  raw[!is.finite(raw)] <- -Inf
  c(list(Z = Z, said = said), smoothed_weights(raw))
}

#' Normal points by the curvature at modes, where coordinates are too many for weights
#' @noRd
label_curvature <- function(problem, modes, size) {
  laplace <- vapply(modes, `[[`, 1, "laplace")
  Z <- do.call(cbind, Map(label_draws, modes, size, normal = TRUE))
  said <- label_points_at(problem, Z)
  log_weight <- ifelse(points_fine(said$points), rep(log(softmax(laplace) / size), size), -Inf)
  list(
    Z = Z, said = said, log_weight = log_weight - log_sum(log_weight), log_evidence = log_sum(laplace),
    method = "laplace"
  )
}

#' Points of a t or normal distribution around a mode, each followed by its mirror image
#' @noRd
label_draws <- function(mode, n, normal = FALSE) {
  d <- length(mode$z)
  half <- n / 2
  u <- kronecker_sequence(d + 1, half, 0)
  g <- stats::qnorm(u[seq_len(d), , drop = FALSE])
  radius <- if (normal) 1 else label_wider * sqrt(label_df / stats::qchisq(u[d + 1, ], label_df))
  x <- mode$root %*% (g * rep(radius, each = d))
  mode$z + matrix(rbind(x, -x), d)
}

label_density <- function(Z, mode) {
  d <- nrow(Z)
  x <- mode$inverse %*% (Z - mode$z) / label_wider
  lgamma((label_df + d) / 2) - lgamma(label_df / 2) - d / 2 * log(label_df * pi) -
    (label_df + d) / 2 * log1p(colSums(x^2) / label_df) - mode$log_det - d * log(label_wider)
}

# Modes -----------------------------------------------------------------------------

#' The modes that the starts lead to, with root: that of the covariance there, its inverse and log
#' determinant, and Laplace's log evidence
#' @noRd
label_modes <- function(problem, before = list()) {
  ends <- lapply(label_starts(problem, if (length(before)) before[[1]]), label_climb, problem)
  value <- vapply(ends, `[[`, 1, "value")
  ends <- c(if (length(before)) label_elsewhere(problem, max(value)), ends[order(-value)])
  modes <- list()
  is_new <- function(end) {
    !any(vapply(modes, function(mode) {
      mode$value - end$value > label_lost || sum((mode$inverse %*% (end$z - mode$z))^2) < 1
    }, NA))
  }
  for (end in ends) if (is_new(end)) {
    mode <- label_curved(end, problem, before)
    # where the curvature has told a better way, the climb goes on
    for (k in 1:3) if (mode$left > 20 * label_tol) mode <- label_curved(label_climb(mode, problem), problem, before)
    if (is_new(mode)) modes <- c(modes, list(mode))
  }
  modes
}

#' Of many rows the modes without wrong labels may explain them otherwise, and be too narrow for a way from there:
#' where the centre leads, if that is far better
#' @param value that is known. @return list of an end, or `NULL`.
#' @noRd
label_elsewhere <- function(problem, value) {
  if (problem$d <= label_wide && problem$rows$labels > label_rows_most[["two"]]) {
    end <- label_climb(label_centres(problem)[[1]], problem)
    if (end$value > value + label_lost) list(end)
  }
}

label_centres <- function(problem) lapply(problem$starts, function(z) list(z = z, root = diag(0.3, problem$d)))

#' Where a search starts, with a root of the covariance that is expected there: from the centre of the
#' prior, or from the modes without wrong labels with next to no unusual rows and no classes that look
#' alike, and unless coordinates are many from those modes, too
#' @param beside the noise model without wrong labels, see label_integral(), or `NULL`.
#' @return list of list(z, root)
#' @noRd
label_starts <- function(problem, beside) {
  if (is.null(beside$found)) {
    return(label_centres(problem))
  }
  at <- label_shared(problem, beside$problem)
  starts <- lapply(beside$found, function(mode) {
    root <- diag(0.5, problem$d)
    whole <- length(at$mine) == length(mode$z)
    root[at$mine, at$mine] <- if (whole) mode$root else t(chol(tcrossprod(mode$root)[at$its, at$its, drop = FALSE]))
    list(z = replace(numeric(problem$d), at$mine, mode$z[at$its]), root = root)
  })
  apart <- starts[[1]] # what unusual rows may have taken there, wrong labels may explain here
  apart$z[problem$field %in% c("u", "pairs")] <- 0
  far <- vapply(starts, function(start) {
    problem$d <= label_wide && sum((start$z - apart$z)^2) > label_near
  }, NA)
  c(list(apart), starts[far])
}

#' Which coordinates of a problem another one has, too; those of the same noise only in the same model
#' @return list(mine, its): positions in both
#' @noRd
label_shared <- function(problem, other) {
  places <- function(of) {
    noise <- ifelse(of$field == "noise", of$model$name, "")
    paste(of$field, noise, stats::ave(seq_along(of$field), of$field, FUN = seq_along))
  }
  at <- match(places(problem), places(other))
  list(mine = which(!is.na(at)), its = at[!is.na(at)])
}

#' @param start see label_starts(). @return list(z, value): of the log likelihood and prior
#' @noRd
label_climb <- function(start, problem) {
  origin <- numeric(problem$d)
  last <- c(label_slope(problem, matrix(start$z)), list(v = origin))
  found <- stats::optim(
    origin, function(v) {
      if (!identical(v, last$v)) {
        last <<- c(label_slope(problem, matrix(start$z + drop(start$root %*% v))), list(v = v))
      }
      if (is.finite(last$value)) -last$value else 1e10
    }, function(v) -drop(crossprod(start$root, last$gradient)), # of where the value was asked for last
    method = "BFGS", control = list(maxit = label_maxit, reltol = label_tol / (1 + abs(last$value)))
  )
  list(z = start$z + drop(start$root %*% found$par), value = -found$value)
}

#' The curvature at a mode by differences of the gradient, and a last step by it. Of many coordinates,
#' where it would take long, those of the first noise model have what it was at its mode, if that is
#' near.
#' @noRd
label_curved <- function(mode, problem, before = list()) {
  d <- length(mode$z)
  here <- drop(label_slope(problem, matrix(mode$z))$gradient)
  H <- matrix(NA_real_, d, d)
  if (d > label_wide && length(before)) {
    first <- before[[1]]$found[[1]]
    at <- label_shared(problem, before[[1]]$problem)
    root <- first$inverse[, at$its, drop = FALSE]
    apart <- root %*% (mode$z[at$mine] - first$z[at$its])
    if (sum(apart^2) < label_near) H[at$mine, at$mine] <- crossprod(root)
  }
  open <- which(is.na(diag(H)))
  if (length(open)) {
    by <- label_step / sqrt(max(1, problem$rows$labels / label_rows_most[["two"]]))
    step <- matrix(0, d, length(open))
    step[cbind(open, seq_along(open))] <- by
    there <- label_slope(problem, mode$z + step)
    columns <- (here - there$gradient) / by
    lost <- which(!is.finite(there$value))
    columns[, lost] <- diag(d)[, open[lost]]
    H[, open] <- columns
    H[open, -open] <- t(columns[-open, , drop = FALSE])
  }
  e <- axes((H + t(H)) / 2)
  values <- pmax(e$values, label_least)
  root <- e$vectors * rep(values^-0.5, each = d)
  z <- mode$z + drop(root %*% crossprod(root, here))
  value <- label_value(problem, matrix(z)) - sum(z^2) / 2
  if (isTRUE(value > mode$value)) mode <- list(z = z, value = value)
  c(mode, list(
    root = root, inverse = t(e$vectors) * sqrt(values),
    log_det = -sum(log(values)) / 2, laplace = mode$value - sum(log(values)) / 2,
    left = sum(crossprod(root, here)^2) / 2
  ))
}
