# What a table could have shown: how often a share of wrong labels would be noticed in tables
# like that of a fit [M 13.5].

noticed_nodes <- 24L # that are asked, shared by the classes; and
noticed_classes <- 20L # at most: what it takes grows with their cube
noticed_rows <- 500L # of the rows, at most: they speak for the others

#' How often wrong labels would be noticed: in what share of tables with the inputs and the true
#' classes of a fit the Bayes factor would be above 3
#'
#' @param share of labels that would be wrong: of all, and of those of one true class only.
#' @return A data frame with the columns of ("all", then the classes), share and probability; `NULL`
#'   for a fit that keeps no rows, or all of whose labels are known.
#' @noRd
noticed <- function(object, share = 0.1) {
  open <- which(label_source(object$data$reports) != 0L)
  if (!has_rows(object) || length(open) == 0 || ncol(object$omega) > noticed_classes) {
    return(NULL)
  }
  seen <- node_seen(object)
  classes <- length(object$blueprint$levels)
  use <- node_draws(node_weight(object), 1000L, max(3, noticed_nodes %/% (classes - 1)))
  times <- length(open) / min(length(open), noticed_rows)
  open <- open[spread_over(length(open), noticed_rows)]
  shape <- rate_shape(object$spec$noise, length(object$data$reports$sources))
  levels <- object$blueprint$levels
  ways <- c(list(seq_along(levels)), seq_along(levels))
  probability <- vapply(ways, function(wrong) {
    each <- vapply(use$node, function(k) {
      p <- matrix(exp(seen[open, , k]), length(open))
      rates <- replace(numeric(length(levels)), wrong, share)
      noticed_probability(evidence_ratio(p, rates, shape, times))
    }, 0)
    stats::weighted.mean(each, use$draws)
  }, 0)
  data.frame(of = c("all", levels), share = share, probability = probability)
}

#' @param ratio see evidence_ratio().
#' @noRd
noticed_probability <- function(ratio) {
  stats::pnorm((ratio$mean - log(verdict_limits[2])) / ratio$sd)
}

#' Mean and standard deviation of the log Bayes factor for wrong labels of rates as given, the
#' probabilities of the true classes being known but for how much the classes overlap [M 13.5]
#'
#' @param p n x C, of the true classes. @param rates by true class, those above 0 alike.
#' @param shape of the prior of a rate, see noise_prior(). @param times how many rows each is for.
#' @noRd
evidence_ratio <- function(p, rates, shape, times = 1) {
  p <- pmax(p, 1e-9)
  p <- p / rowSums(p)
  omega <- rates_omega(matrix(rates, 1), length(rates))[1, , ]
  q <- p %*% omega
  rival <- without_flips(p, q)
  ratio <- log(q / rival)
  expected <- rowSums(q * ratio)
  rate <- max(rates)
  width <- rate_width(p, omega, q, rates > 0) / sqrt(times)
  density <- 2 * stats::dbeta(2 * rate, 1, shape)
  list(
    mean = times * sum(expected) + min(0, log(density * sqrt(2 * pi) * width)),
    sd = sqrt(max(times * sum(q * (ratio - expected)^2), 1e-12))
  )
}

#' What explains labels of probabilities q best without wrong ones: softmax(b log p + a), by
#' Newton's method on the expected log likelihood
#' @return n x C
#' @noRd
without_flips <- function(p, q) {
  features <- overlap_features(log(p))
  size <- dim(features)[3]
  at <- c(1, numeric(size - 1))
  model <- function(at) {
    eta <- matrix(matrix(features, ncol = size) %*% at, nrow(p))
    exp(eta - row_log_sum(eta))
  }
  value <- function(r) sum(q * log(pmax(r, 1e-300)))
  r <- model(at)
  for (step in 1:50) {
    centred <- centred_features(features, r)
    slope <- apply(features, 3, function(x) sum((q - r) * x))
    move <- scaled_solve(weighted_square(centred, r), slope)
    for (half in 0:30) {
      tried <- model(at + move / 2^half)
      gain <- value(tried) - value(r)
      if (isTRUE(gain >= 0)) break # a step that is too long for exp() has no value
    }
    if (!isTRUE(gain >= 0)) break
    at <- at + move / 2^half
    r <- tried
    if (gain < 1e-9) break
  }
  r
}

#' A^-1 b of a positive semi-definite matrix whose entries may differ by many orders; what it says
#' nothing of stays where it is
#' @noRd
scaled_solve <- function(A, b) {
  size <- 1 / sqrt(pmax(diag(A), 1e-100))
  drop(size * solve(A * outer(size, size) + diag(1e-10, length(b)), size * b))
}

#' What the log odds of the classes are linear in: their logs, and a constant for each class but
#' the first, n x C x C
#' @noRd
overlap_features <- function(logs) {
  classes <- ncol(logs)
  constants <- rep(diag(classes)[, -1], each = nrow(logs))
  array(c(logs, constants), c(dim(logs), classes))
}

centred_features <- function(features, r) {
  for (k in seq_len(dim(features)[3])) {
    x <- features[, , k]
    features[, , k] <- x - rowSums(r * x)
  }
  features
}

#' Sums over rows and classes of w x x'
#' @noRd
weighted_square <- function(x, w) {
  x <- matrix(x, ncol = dim(x)[3])
  crossprod(x, x * as.vector(w))
}

#' Standard error of a rate that n rows leave, where the overlap is learned with it
#' @param wrong the true classes that have the rate.
#' @noRd
rate_width <- function(p, omega, q, wrong) {
  classes <- ncol(p)
  by_rate <- (matrix(1, classes, classes) - diag(classes)) / (classes - 1) - diag(classes)
  by_rate[!wrong, ] <- 0
  features <- centred_features(overlap_features(log(p)), p)
  slopes <- lapply(seq_len(dim(features)[3]), function(k) (p * features[, , k]) %*% omega)
  slopes <- array(c(p %*% by_rate, unlist(slopes)), c(dim(p), dim(features)[3] + 1))
  information <- weighted_square(slopes, 1 / q)
  sqrt(scaled_solve(information, c(1, numeric(classes)))[1])
}
