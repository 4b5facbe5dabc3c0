# What a table could have shown: how often a share of wrong labels would be noticed in tables
# like that of a fit [M 13.5].

noticed_nodes <- 24L # that are asked, shared by the classes; and
noticed_classes <- 20L # at most: what it takes grows with their cube
noticed_least <- 1 # rows with wrong labels that are worth the question
noticed_rows <- 500L # of the rows, at most: they speak for the others

#' How often wrong labels would be noticed: in what share of tables with the inputs and the true
#' classes of a fit the Bayes factor would be above 3
#'
#' @param share of labels that would be wrong: of all, and of those of one true class only.
#' @return A data frame with the columns of ("all", then the classes of which a row and more would
#'   have a wrong label), share and probability; `NULL` for a fit that keeps no rows, or whose labels
#'   are all known, or all of one class.
#' @noRd
noticed <- function(object, share = 0.1) {
  open <- which(label_source(object$data$reports) != 0L)
  if (!has_rows(object) || length(open) == 0 || ncol(object$omega) > noticed_classes) {
    return(NULL)
  }
  if (length(unique(label_code(object$data)[open])) == 1) { # all may be wrong unseen
    return(NULL)
  }
  seen <- node_seen(object)
  classes <- length(object$blueprint$levels)
  use <- node_draws(node_weight(object), 1000L, max(3, noticed_nodes %/% (classes - 1)))
  weights <- report_times(object$data$reports)[open]
  open <- repeated_rows(open, weights, 1e5)
  times <- max(1, round(sum(weights))) / min(length(open), noticed_rows)
  if (length(open) > noticed_rows) { # the same ones however the table is sorted
    order <- table_order(object$data$X, object$data$y)
    open <- open[order(match(open, order))][spread_over(length(open), noticed_rows)]
  }
  shape <- rate_shape(object$spec$noise, length(rate_groups(object$data$reports)$names))
  levels <- object$blueprint$levels
  shown <- lapply(use$node, function(k) {
    bounded_shares(matrix(exp(seen[open, , k]), length(open)))
  })
  free <- Map(function(k, p) overlap_freedom(object, k, p), use$node, shown)
  rows <- Reduce(`+`, Map(`*`, lapply(shown, colSums), use$draws / sum(use$draws)))
  ordered <- is_in_order(object) # their noise has one rate
  spread <- if (ordered) neighbour_share(classes)
  there <- if (ordered) integer() else which(times * rows * share >= noticed_least)
  ways <- c(list(seq_along(levels)), there)
  probability <- vapply(ways, function(wrong) {
    rates <- replace(numeric(length(levels)), wrong, share)
    holds <- share_holding(object, wrong)
    each <- mapply(function(p, free) {
      noticed_probability(evidence_ratio(p, rates, shape, free, times, holds, spread))
    }, shown, free)
    stats::weighted.mean(each, use$draws)
  }, 0)
  data.frame(of = c("all", levels[there]), share = share, probability = probability)
}

noticed_last <- new.env(parent = emptyenv())

#' The same of the fit that was asked last, without asking again: print() of a fit, of its suspects
#' and its report all say it
#' @noRd
noticed_once <- function(object) {
  # log evidences of nodes tell fits apart
  key <- list(object$nodes$table, object$nodes$models, object$spec$noise, object$blueprint$levels)
  if (!identical(noticed_last$key, key)) {
    noticed_last$value <- noticed(object)
    noticed_last$key <- key
  }
  noticed_last$value
}

bounded_shares <- function(p) {
  p <- pmax(p, 1e-9)
  p / rowSums(p)
}

#' The prior share, of noise models with wrong labels, of those that have rates as given
#' @param wrong the true classes whose labels are.
#' @noRd
share_holding <- function(object, wrong) {
  if (!is_test(object)) {
    return(1)
  }
  models <- tested_models(object)
  prior <- stats::setNames(models$prior, models$model)[models$model != "none"]
  holding <- c(
    "two", "matrix", if (length(wrong) > 1) "one" else names(which(noise_only == wrong))
  )
  share <- sum(prior[names(prior) %in% holding]) / sum(prior)
  if (share > 0) share else 1
}

#' @param ratio see evidence_ratio().
#' @noRd
noticed_probability <- function(ratio) {
  stats::pnorm((ratio$mean - log(verdict_limits[2])) / ratio$sd)
}

#' How far a node leaves open how much the classes overlap, in the standard normal that its nugget
#' has a priori: the log odds of the true classes are those of p times b
#'
#' A nugget nu in the place of nu_0 makes them sqrt((v + nu_0) / (v + nu)) times as large, where v
#' is the variance that the other rows leave to the latent function. Where probits of p have the
#' mean square R, and the prior variance is V, v = (V - R nu_0) / (1 + R).
#' @return list(start, log_b(z), slope(z)); `NULL` where it is held, or the inputs say nothing
#' @noRd
overlap_freedom <- function(object, k, p) {
  hyper <- nodes(object)$hyper[[k]]
  if (isTRUE(!is.na(object$nodes$table$constant[k]))) {
    return(NULL)
  }
  if (!is.null(object$recalibration)) {
    return(slope_freedom(object$recalibration, hyper$slope))
  }
  prior <- overlap_prior(object)
  if (is.null(prior)) {
    return(NULL)
  }
  now <- max(exp(mean(log(hyper$nugget))), 1e-6)
  if (is.null(prior$meanlog)) prior$meanlog <- log(now)
  size <- mean(stats::qnorm(p)^2)
  all <- if (is.null(object$kernel)) sum(object$prior$scale) else mean(hyper$variance)
  left <- max((all - size * now) / (1 + size), 0.01 * all)
  curve <- nugget_normal(prior)
  share <- function(z) 1 / (1 + left * exp(-curve$value(z)))
  list(
    start = curve$normal(log(now)),
    log_b = function(z) (log(left + now) - log(left + exp(curve$value(z)))) / 2,
    slope = function(z) -share(z) * curve$slope(z) / 2
  )
}

#' The same of a second stage: b is the slope of its log odds over that of the node
#' @noRd
slope_freedom <- function(recalibration, now) {
  if ("slope" %in% recalibration$free) {
    prior <- recalibration$prior$slope
    start <- (log(now) - prior$meanlog) / prior$sdlog
    list(
      start = start, log_b = function(z) prior$sdlog * (z - start),
      slope = function(z) rep(prior$sdlog, length(z))
    )
  }
}

#' The prior of the nugget, or, where that is held, of a nugget beside which the prior variance is
#' what it is; `NULL` where both are held
#' @noRd
overlap_prior <- function(object) {
  weights <- object$prior
  free <- if (is.null(object$kernel)) {
    c(nugget = weights$free_nugget, variance = any(weights$free))
  } else {
    !c(nugget = "nugget", variance = "variance") %in% object$kernel$fixed
  }
  if (free[1]) {
    nugget_prior(object)
  } else if (free[2]) {
    variance <- if (is.null(object$kernel)) weights$prior else object$kernel$prior$variance
    variance["sdlog"]
  }
}

nugget_normal <- function(prior) {
  curve <- nugget_curve(prior)
  if (is.null(curve)) {
    curve <- list(
      value = function(z) prior$meanlog + prior$sdlog * z, slope = function(z) prior$sdlog,
      normal = function(x) (x - prior$meanlog) / prior$sdlog
    )
  }
  curve
}

#' Mean and standard deviation of the log Bayes factor for wrong labels of rates as given, the
#' probabilities of the true classes being known but for how much the classes overlap, and where
#' their boundary is [M 13.5]
#'
#' By Laplace's method over standard normals: one for the rate, and with and without wrong labels
#' those of overlap_features().
#' @param p n x C, of the true classes. @param rates by true class, those above 0 alike.
#' @param shape of the prior of a rate, see noise_prior(). @param free see overlap_freedom().
#' @param times how many rows each is for. @param share see share_holding(). @param spread how a rate
#'   is shared by the other classes, see as_omega().
#' @noRd
evidence_ratio <- function(p, rates, shape, free = NULL, times = 1, share = 1, spread = NULL) {
  omega <- rates_omega(matrix(rates, 1), length(rates), spread)[1, , ]
  q <- p %*% omega
  rival <- without_flips(p, q, free, times)
  ratio <- log(q) - rival$log_r
  expected <- rowSums(q * ratio)
  z <- c(free$start, stats::qnorm(stats::pbeta(2 * max(rates), 1, shape)))
  by_z <- stats::dnorm(z[length(z)]) / (2 * stats::dbeta(2 * max(rates), 1, shape))
  flips <- flips_information(p, omega, q, rates > 0, by_z, free, spread)
  list(
    mean = times * sum(expected) + (sum(rival$at^2) - sum(z^2)) / 2 +
      (log_det_with_prior(rival$information) - log_det_with_prior(times * flips)) / 2 + log(share),
    sd = sqrt(max(times * sum(q * (ratio - expected)^2), 1e-12))
  )
}

log_det_with_prior <- function(H) as.numeric(determinant(diag(nrow(H)) + H)$modulus)

#' What explains labels of probabilities q best without wrong ones: softmax(b (log p + s)), by
#' Newton's method on the expected log posterior of z (of b) and s
#' @return list(at: z, if it is free, and s; log_r, n x C; information, of `times` the rows)
#' @noRd
without_flips <- function(p, q, free = NULL, times = 1) {
  logs <- log(p)
  model <- function(at) {
    z <- if (!is.null(free)) at[1]
    s <- if (is.null(free)) at else at[-1]
    b <- if (is.null(free)) 1 else exp(free$log_b(z))
    eta <- b * (logs + rep(c(0, s), each = nrow(p)))
    log_r <- eta - row_log_sum(eta)
    list(
      at = at, log_r = log_r, value = times * sum(q * log_r) - sum(at^2) / 2,
      features = function() overlap_features(eta, b, if (!is.null(free)) free$slope(z))
    )
  }
  now <- model(c(free$start, numeric(ncol(p) - 1)))
  for (step in 1:50) {
    features <- now$features()
    r <- exp(now$log_r)
    information <- times * weighted_square(centred_features(features, r), r)
    slope <- times * apply(features, 3, function(x) sum((q - r) * x)) - now$at
    move <- solve(information + diag(length(slope)), slope)
    for (half in 0:30) {
      tried <- model(now$at + move / 2^half)
      if (isTRUE(tried$value >= now$value)) break # a step may be too long for exp()
    }
    if (!isTRUE(tried$value - now$value >= 1e-9)) break
    now <- tried
  }
  c(now[c("at", "log_r")], list(information = information))
}

#' The slopes of the log odds eta of the classes: in z, where that is free, they are eta times that
#' of log b, and in s, a constant for each class but the first, b
#' @return n x C x their number
#' @noRd
overlap_features <- function(eta, b = 1, slope = NULL) {
  classes <- ncol(eta)
  constants <- b * rep(diag(classes)[, -1], each = nrow(eta))
  array(c(if (!is.null(slope)) eta * slope, constants),
        c(dim(eta), classes - is.null(slope)))
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

#' Fisher information of the rate, in its normal, z and s at the truth
#' @param wrong the true classes that have the rate. @param by_z slope of the rate in its normal.
#' @noRd
flips_information <- function(p, omega, q, wrong, by_z, free = NULL, spread = NULL) {
  classes <- ncol(p)
  if (is.null(spread)) spread <- (matrix(1, classes, classes) - diag(classes)) / (classes - 1)
  by_rate <- spread - diag(classes)
  by_rate[!wrong, ] <- 0
  slope <- if (!is.null(free)) free$slope(free$start)
  features <- centred_features(overlap_features(log(p), slope = slope), p)
  slopes <- lapply(seq_len(dim(features)[3]), function(k) (p * features[, , k]) %*% omega)
  slopes <- array(c(by_z * p %*% by_rate, unlist(slopes)), c(dim(p), dim(features)[3] + 1))
  weighted_square(slopes, 1 / q)
}
