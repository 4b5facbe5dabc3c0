# A noise model of the label stage integrated over its coordinates: modes, curvature, and weighted
# points of t distributions around them.

label_points <- c(few = 128L, many = 256L, plain = 64L) # of a noise model: with few coordinates, with more
label_few <- 10L          # than these, and for the factor without unusual rows
label_wide <- 40L         # coordinates, with more of which weights say nothing: Laplace's method
label_df <- 7             # of the t distributions, and
label_wider <- 1.1        # how much wider they are than the curvature says
label_least <- 0.5        # least curvature: the prior's is 1
label_ess <- 5            # effective points below which Laplace's method stands for them
label_step <- 1e-3        # between the gradients that are subtracted
label_maxit <- 150L       # of a climb,
label_tol <- 1e-3         # which ends where a step gains no more nats
label_lost <- 7           # nats below the best from which a mode does not count,
label_hopeless <- 15      # and from which it does not matter how probable a noise model is
label_near <- 1           # squared sds between modes that share a curvature

#' @param problem see label_problem(). @param n how many points, 0 for the modes alone. @param beside
#'   the same of the stage without wrong labels, from whose modes the search goes on, or `NULL`.
#'   @param best log likelihood and prior at the best mode of the other noise models.
#' @return list(problem; found: the modes; Z, a column a point; said: their points(); log_weight, which sum to 1; log_evidence, laplace, ess,
#'   pareto_k, method, modes: their number)
#' @noRd
label_integral <- function(problem, n = NULL, beside = NULL, best = -Inf) {
  if (problem$d == 0) {
    Z <- matrix(0, 0, 1)
    said <- problem$points(Z)
    value <- problem$value(Z, said)
    return(list(
      problem = problem, Z = Z, said = said, log_weight = 0, log_evidence = value, laplace = value,
      ess = NA_real_, pareto_k = NA_real_, method = "exact", modes = 1L
    ))
  }
  modes <- label_modes(problem, beside, best)
  if (is.null(n)) {
    n <- label_points[[if (problem$d > label_wide) "plain" else 1 + (problem$d > label_few)]]
  }
  laplace <- vapply(modes, `[[`, 1, "laplace")
  part <- list(
    problem = problem, found = modes, laplace = log_sum(laplace), modes = length(modes)
  )
  if (n == 0) {
    Z <- matrix(vapply(modes, `[[`, numeric(problem$d), "z"), problem$d)
    return(c(part, list(
      Z = Z, said = problem$points(Z), log_weight = laplace - log_sum(laplace),
      log_evidence = log_sum(laplace), ess = NA_real_, pareto_k = NA_real_, method = "mode"
    )))
  }
  c(part, label_weighted(problem, modes, n))
}

#' Points around modes with their weights
#' @noRd
label_weighted <- function(problem, modes, n) {
  laplace <- vapply(modes, `[[`, 1, "laplace")
  size <- 2 * pmax(largest_remainder(n / 2 * softmax(laplace)), 4)
  draws <- Map(label_draws, modes, size)
  Z <- do.call(cbind, draws)
  said <- problem$points(Z)
  value <- problem$value(Z, said) - colSums(Z^2) / 2 - nrow(Z) / 2 * log(2 * pi)
  mixture <- vapply(seq_along(modes), function(k) {
    label_density(Z, modes[[k]]) + log(size[k] / sum(size))
  }, numeric(ncol(Z)))
  raw <- value - row_log_sum(matrix(mixture, ncol(Z)))
  raw[!is.finite(raw)] <- -Inf
  smooth <- pareto_smooth(raw)
  total <- log_sum(smooth$log_weight)
  w <- exp(smooth$log_weight - total)
  ess <- if (is.finite(total)) sum(w)^2 / sum(w^2) else 0
  if (!isTRUE(ess >= label_ess) || problem$d > label_wide) {
    # too many coordinates for weights: the curvature tells it
    fine <- is.finite(raw)
    log_weight <- ifelse(fine, rep(log(softmax(laplace) / size), size), -Inf)
    return(list(
      Z = Z, said = said, log_weight = log_weight - log_sum(log_weight), log_evidence = log_sum(laplace),
      ess = ess, pareto_k = smooth$k, method = "laplace"
    ))
  }
  list(
    Z = Z, said = said, log_weight = log(w), log_evidence = total - log(ncol(Z)), ess = ess,
    pareto_k = smooth$k, method = "nodes"
  )
}

#' Points of a t distribution around a mode, each followed by its mirror image
#' @noRd
label_draws <- function(mode, n) {
  d <- length(mode$z)
  half <- n / 2
  u <- kronecker_sequence(d + 1, half, 0)
  g <- stats::qnorm(u[seq_len(d), , drop = FALSE])
  radius <- sqrt(label_df / stats::qchisq(u[d + 1, ], label_df))
  x <- mode$root %*% (label_wider * g * rep(radius, each = d))
  pairs <- matrix(rbind(x, -x), d)
  mode$z + pairs
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
label_modes <- function(problem, beside = NULL, best = -Inf) {
  ends <- lapply(label_starts(problem, beside), label_climb, problem)
  value <- vapply(ends, `[[`, 1, "value")
  ends <- ends[order(-value)]
  modes <- list()
  for (end in ends) {
    known <- vapply(modes, function(mode) {
      mode$value - end$value > label_lost || sum((mode$inverse %*% (end$z - mode$z))^2) < 1
    }, NA)
    if (!any(known)) modes <- c(modes, list(label_curved(end, problem, beside, best - end$value)))
  }
  modes
}

#' Where a search starts, with a root of the covariance that is expected there: from the centre of the
#' prior, or from the modes without wrong labels, and from there with next to no unusual rows and no
#' classes that look alike
#' @return list of list(z, root)
#' @noRd
label_starts <- function(problem, beside) {
  if (is.null(beside$found)) {
    return(lapply(problem$starts, function(z) list(z = z, root = diag(0.3, problem$d))))
  }
  at <- label_shared(problem, beside$problem)
  starts <- lapply(beside$found, function(mode) {
    root <- diag(0.5, problem$d)
    whole <- length(at$mine) == length(mode$z)
    root[at$mine, at$mine] <- if (whole) mode$root else label_root(mode, at$its)
    list(z = replace(numeric(problem$d), at$mine, mode$z[at$its]), root = root)
  })
  apart <- starts[[1]] # what unusual rows may have taken there, wrong labels may explain here
  apart$z[problem$field %in% c("u", "pairs")] <- 0
  far <- vapply(starts, function(start) sum((start$z - apart$z)^2) > label_near, NA)
  c(list(apart), starts[far])
}

#' A root of the covariance of some coordinates at a mode
#' @noRd
label_root <- function(mode, which) t(chol(tcrossprod(mode$root)[which, which, drop = FALSE]))

#' Which coordinates of a problem another one has, too
#' @return list(mine, its): positions in both
#' @noRd
label_shared <- function(problem, other) {
  places <- function(field) paste(field, stats::ave(seq_along(field), field, FUN = seq_along))
  at <- match(places(problem$field), places(other$field))
  list(mine = which(!is.na(at)), its = at[!is.na(at)])
}

#' @param start see label_starts(). @return list(z, value): of the log likelihood and prior
#' @noRd
label_climb <- function(start, problem) {
  last <- list(v = NULL)
  at <- function(v) {
    if (!identical(v, last$v)) {
      last <<- c(problem$slope(start$z + drop(start$root %*% v)), list(v = v))
    }
    last
  }
  found <- stats::optim(
    numeric(problem$d), function(v) {
      value <- -at(v)$value
      if (is.finite(value)) value else 1e10
    }, function(v) -drop(crossprod(start$root, at(v)$gradient)), method = "BFGS",
    control = list(maxit = label_maxit, reltol = label_tol / (1 + abs(at(numeric(problem$d))$value)))
  )
  list(z = start$z + drop(start$root %*% found$par), value = -found$value)
}

#' The curvature at a mode by differences of the gradient, and a last step by it. Next to the mode
#' without wrong labels that among the coordinates of both is what it was there; of many coordinates,
#' where it would take long, also at a mode that is far behind
#' @param behind nats behind the best noise model so far.
#' @noRd
label_curved <- function(mode, problem, beside = NULL, behind = 0) {
  d <- length(mode$z)
  here <- problem$slope(mode$z)$gradient
  H <- matrix(NA_real_, d, d)
  if (d > label_wide && !is.null(beside)) {
    at <- label_shared(problem, beside$problem)
    known <- beside$found[[1]]
    apart <- known$inverse[, at$its, drop = FALSE] %*% (mode$z[at$mine] - known$z[at$its])
    if (behind > label_hopeless || sum(apart^2) < label_near) {
      H[at$mine, at$mine] <- crossprod(known$inverse)[at$its, at$its]
    }
  }
  for (j in which(is.na(diag(H)))) {
    there <- problem$slope(replace(mode$z, j, mode$z[j] + label_step))
    column <- if (is.finite(there$value)) (here - there$gradient) / label_step else diag(d)[, j]
    H[, j] <- column
    H[j, is.na(H[j, ])] <- column[is.na(H[j, ])]
  }
  e <- axes((H + t(H)) / 2)
  values <- pmax(e$values, label_least)
  root <- e$vectors * rep(values^-0.5, each = d)
  z <- mode$z + drop(root %*% crossprod(root, here))
  value <- problem$value(matrix(z)) - sum(z^2) / 2
  if (isTRUE(value > mode$value)) mode <- list(z = z, value = value)
  c(mode, list(
    root = root, inverse = t(e$vectors) * sqrt(values),
    log_det = -sum(log(values)) / 2, laplace = mode$value - sum(log(values)) / 2
  ))
}
