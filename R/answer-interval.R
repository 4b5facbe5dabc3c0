# Intervals of class probabilities: what is not known of the latent functions.

interval_draws <- 1000L # of several classes

check_interval <- function(type, noise, allowed = c("response", "prob"),
                           call = rlang::caller_env()) {
  if (!type %in% allowed || noise) {
    abort_sturdy(
      "{.arg interval} is of the probability of the true class: {.arg type} must be
       {.or {.val {allowed}}}, and {.arg noise} {.code FALSE}.",
      "interval", arg = "interval", call = call
    )
  }
}

#' Class probabilities, those of predict() without an interval, with the ends of their intervals: a
#' data frame for the event of two classes, matrices for several
#' @param rows of rows_to_predict().
#' @noRd
predicted_interval <- function(object, rows, level, call) {
  prob <- prob_new(object, rows$X, call = call)
  if (is_several(object)) {
    ends <- drawn_interval(object, rows$X, level, call)
    parts <- list(estimate = prob, lower = ends$lower, upper = ends$upper)
    return(structure(lapply(parts, named_prob, rows, object), class = "sturdy_class_ends"))
  }
  ends <- event_interval(object, rows$X, level, call)
  with_ends(data.frame(
    estimate = rows$spread(prob[, 2]), lower = rows$spread(ends$lower),
    upper = rows$spread(ends$upper), row.names = make.unique(as.character(rows$row_names))
  ))
}

#' A table of probabilities or rates with the ends of their intervals
#' @noRd
with_ends <- function(frame) structure(frame, class = c("sturdy_ends", "data.frame"))

#' An end that is far out in a tail would make all others scientific
#' @export
#' @noRd
print.sturdy_ends <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  shown <- as.data.frame(x)
  shares <- intersect(names(shown), c("estimate", "rate", "lower", "upper"))
  shown[shares] <- lapply(shown[shares], format_shares, digits)
  print(shown, digits = digits, ...)
  invisible(x)
}

#' @export
print.sturdy_class_ends <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  for (part in names(x)) {
    cat("$", part, "\n", sep = "")
    shown <- x[[part]]
    shown[] <- format_shares(shown, digits)
    print(shown, quote = FALSE, right = TRUE)
  }
  invisible(x)
}

#' @export
as.data.frame.sturdy_ends <- function(x, ...) structure(x, class = "data.frame")

#' Probabilities of the classes, in rows as they were given, with names
#' @noRd
named_prob <- function(prob, rows, object) {
  matrix(
    rows$spread(prob), ncol = ncol(prob),
    dimnames = list(rows$row_names, object$blueprint$levels)
  )
}

#' The latent functions without their nuggets, under each node
#' @return list(m, sd, noise), rows x functions x nodes.
#' @noRd
known_latent <- function(object, X, call) {
  latent <- node_latent(object, X, call)
  functions <- dim(latent$m)[2]
  nugget <- vapply(nodes_hyper(object)[latent$node], function(hyper) {
    rep_len(hyper$nugget, functions)
  }, numeric(functions))
  noise <- array(rep(nugget, each = nrow(X)), dim(latent$m))
  list(
    m = latent$m, sd = sqrt(pmax(latent$s2 - noise, .Machine$double.xmin)), noise = noise,
    weight = latent$weight
  )
}

#' The ends for two classes: given the latent function the probability is pnorm(f /
#' sqrt(nugget)), so its distribution has a closed form [M 7.7]
#' @noRd
event_interval <- function(object, X, level, call) {
  latent <- known_latent(object, X, call)
  at <- lapply(latent[c("m", "sd", "noise")], matrix, nrow(X), length(latent$weight))
  # P(probability <= pnorm(x)), x on the normal scale
  below <- function(x) {
    drop(stats::pt((sqrt(at$noise) * x - at$m) / at$sd, object$spec$df) %*% latent$weight)
  }
  far <- rep(40, nrow(X))
  ends <- lapply(c((1 - level) / 2, (1 + level) / 2), function(p) bisect(below, p, -far, far))
  if (is.null(object$label_stage)) {
    return(list(lower = stats::pnorm(ends[[1]]), upper = stats::pnorm(ends[[2]])))
  }
  staged_interval(object, prob_new(object, X, call = call), ends, level)
}

#' Ends that go through the label stage, whose own uncertainty is added to that of the fit as variances
#' are, on the scale of log odds
#' @param prob n x 2, the estimates. @param ends of the probability of the fit, on the normal scale.
#' @noRd
staged_interval <- function(object, prob, ends, level) {
  if (!nrow(prob)) {
    return(list(lower = numeric(), upper = numeric()))
  }
  few <- object$label_stage$nodes$few
  reach <- stats::qnorm((1 + level) / 2)
  log_odds <- function(p) stats::qlogis(pmin(pmax(p, 1e-12), 1 - 1e-12))
  middle <- log_odds(prob[, 2])
  end <- function(z, side) {
    P <- cbind(stats::pnorm(-z), stats::pnorm(z))
    at <- label_seen_new(pmax(P, score_least), object$label_stage$nodes, few$node)
    at <- matrix(log_odds(at[, 2, ]), nrow(prob))
    mean <- log_odds(drop(stats::plogis(at) %*% few$weight))
    spread <- drop((at - mean)^2 %*% few$weight)
    stats::plogis(middle + side * sqrt((mean - middle)^2 + reach^2 * spread))
  }
  list(lower = end(ends[[1]], -1), upper = end(ends[[2]], 1))
}

#' Draws of the probabilities of a row by a fit, each through a point of the label stage
#' @param point which of the few, of each draw.
#' @noRd
staged_draws <- function(object, p, point) {
  few <- object$label_stage$nodes$few
  if (own_kind(object) == "recorded") p <- p %*% unname(object$omega)
  at <- label_seen_new(pmax(p, score_least), object$label_stage$nodes, few$node)
  draw <- rep(seq_along(point), ncol(p))
  class <- rep(seq_len(ncol(p)), each = length(point))
  matrix(at[cbind(draw, class, rep(point, ncol(p)))], length(point))
}


#' Where growing functions, one for each of some numbers between `low` and `high`, are p
#' @param below vectorised, all of them at once.
#' @noRd
bisect <- function(below, p, low, high) {
  for (step in 1:60) {
    middle <- (low + high) / 2
    up <- below(middle) < p
    low <- ifelse(up, middle, low)
    high <- ifelse(up, high, middle)
  }
  (low + high) / 2
}

#' The ends for several classes [M 7.7, 12.2]
#'
#' The distribution of a probability over the posterior has no closed form. Its quantiles are
#' those of draws: a Latin hypercube of the latent functions, the same for every row, dealt out
#' to the nodes by weight. Of 1000 draws the level of an end at 0.05 has a
#' standard error of 0.007.
#' @return list(lower, upper), rows x C.
#' @noRd
drawn_interval <- function(object, X, level, call) {
  classes <- length(object$blueprint$levels)
  functions <- latent_functions(object)
  draws <- check_count(
    getOption("sturdy.draws", interval_draws), "options(sturdy.draws = )", min = 10,
    call = call
  )
  check_memory(8 * as.double(draws) * classes, draws, call = call, what = "draws")
  latent <- known_latent(object, X, call)
  dealt <- node_draws(latent$weight, draws)
  random <- with_seed_or_stream(1L, list(
    z = latin_normals(draws, functions),
    node = sample(rep(dealt$node, dealt$draws)),
    point = if (!is.null(object$label_stage)) {
      few <- object$label_stage$nodes$few
      sample(length(few$node), draws, TRUE, few$weight)
    }
  ))
  cut <- lapply(nodes_hyper(object), function(hyper) native_cuts(hyper$width))
  cut <- do.call(rbind, cut)[random$node, , drop = FALSE] # of classes in an order
  meter <- progress_meter("Intervals", object$spec$control$progress)
  ends <- vapply(seq_len(nrow(X)), function(i) {
    meter(i - 1, nrow(X), paste(whole(nrow(X)), "rows"))
    drawn <- lapply(latent[c("m", "sd", "noise")], function(part) {
      t(matrix(part[i, , ], functions)[, random$node, drop = FALSE])
    })
    g <- drawn$m + drawn$sd * random$z
    p <- if (is.null(cut)) {
      class_probabilities(g, drawn$noise)
    } else {
      exp(ordered_log_prob(g[, 1], drawn$noise[, 1], cut))
    }
    if (!is.null(object$label_stage)) p <- staged_draws(object, p, random$point)
    apply(p, 2, stats::quantile, c(1 - level, 1 + level) / 2, names = FALSE)
  }, matrix(0, 2, classes))
  side <- function(k) matrix(ends[k, , ], nrow(X), classes, byrow = TRUE)
  list(lower = side(1), upper = side(2))
}

#' Draws of independent standard normals, each column of which has one in each of as many
#' intervals of equal probability
#' @noRd
latin_normals <- function(draws, columns) {
  level <- (seq_len(draws) - 0.5) / draws
  vapply(seq_len(columns), function(c) stats::qnorm(sample(level)), numeric(draws))
}
