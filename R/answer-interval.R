# Intervals of class probabilities: what is not known of the latent functions.

interval_draws <- 1000L # of several classes, and through a label stage,
interval_scales <- 128L # of a t process for two classes without one
interval_block <- 2e6   # numbers by row, draw and class that are looked at together

check_interval <- function(type, noise, allowed = c("response", "prob")) {
  if (!type %in% allowed || noise) {
    abort_sturdy(
      "{.arg interval} is of the probability of the true class: {.arg type} must be
       {.or {.val {allowed}}}, and {.arg noise} {.code FALSE}.",
      "interval", arg = "interval"
    )
  }
}

#' Class probabilities, those of predict() without an interval, with the ends of their intervals: a
#' data frame for the event of two classes, matrices for several
#' @param rows of rows_to_predict().
#' @noRd
predicted_interval <- function(object, rows, level) {
  prob <- prob_new(object, rows$X)
  drawn <- is_several(object) || !is.null(object$label_stage)
  ends <- if (drawn) {
    drawn_interval(object, rows$X, prob, level)
  } else event_interval(object, rows$X, level)
  if (is_several(object)) {
    parts <- list(estimate = prob, lower = ends$lower, upper = ends$upper)
    return(structure(lapply(parts, named_prob, rows, object), class = "sturdy_class_ends"))
  }
  if (drawn) ends <- lapply(ends, function(end) end[, 2])
  with_ends(data.frame(
    estimate = rows$spread(prob[, 2]), lower = rows$spread(ends$lower),
    upper = rows$spread(ends$upper), row.names = make.unique(as.character(rows$row_names))
  ))
}

#' @export
print.sturdy_class_ends <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  print(lapply(x, function(p) noquote(replace(p, TRUE, format_shares(p, digits)), right = TRUE)))
  invisible(x)
}

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
known_latent <- function(object, X) {
  latent <- node_latent(object, X)
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

#' The ends for two classes without a label stage: given the latent function the probability is pnorm(f /
#' sqrt(nugget)), so its distribution has a closed form [M 7.7], of a t process given the scale that the
#' function and its nugget have in common
#' @noRd
event_interval <- function(object, X, level) {
  latent <- known_latent(object, X)
  at <- lapply(latent[c("m", "sd", "noise")], matrix, nrow(X), length(latent$weight))
  df <- object$spec$df
  scales <- if (is.finite(df)) sqrt(stats::qchisq(stats::ppoints(interval_scales, 0.5), df) / df) else 1
  # P(probability <= pnorm(x)), x on the normal scale
  below <- function(x) {
    p <- 0 * at$m
    for (s in scales) p <- p + stats::pnorm((sqrt(at$noise) * x - s * at$m) / at$sd)
    drop(p %*% latent$weight) / length(scales)
  }
  far <- rep(40, nrow(X))
  ends <- lapply(c((1 - level) / 2, (1 + level) / 2), function(p) bisect(below, p, -far, far))
  list(lower = stats::pnorm(ends[[1]]), upper = stats::pnorm(ends[[2]]))
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

#' The ends for several classes, and of what goes through a label stage [M 7.7, 12.2]
#'
#' The distribution of a probability over the posterior has no closed form. Its quantiles are
#' those of draws: a Latin hypercube of the latent functions, the same for every row, dealt out
#' to the nodes by weight, each through a point of the label stage. Of 1000 draws the level of an end
#' at 0.05 has a standard error of 0.007.
#' @param prob n x C, the estimates. @return list(lower, upper), rows x C.
#' @noRd
drawn_interval <- function(object, X, prob, level) {
  functions <- latent_functions(object)
  draws <- check_count(
    getOption("sturdy.draws", interval_draws), "options(sturdy.draws = )", min = 10
  )
  check_memory(8 * as.double(draws) * ncol(prob), draws, what = "draws")
  latent <- known_latent(object, X)
  dealt <- node_draws(latent$weight, draws)
  random <- with_seed_or_stream(1L, list(
    z = latin_normals(draws, functions), scale = path_scale(object, draws),
    node = sample(rep(dealt$node, dealt$draws))
  ))
  cut <- lapply(nodes_hyper(object), function(hyper) native_cuts(hyper$width))
  cut <- do.call(rbind, cut)[random$node, , drop = FALSE] # of classes in an order
  meter <- progress_meter("Intervals", object$spec$control$progress)
  ends <- array(0, c(nrow(X), 2, ncol(prob)))
  size <- max(1, floor(interval_block / (draws * ncol(prob))))
  for (rows in split(seq_len(nrow(X)), (seq_len(nrow(X)) - 1) %/% size)) {
    meter(rows[1] - 1, nrow(X), paste(whole(nrow(X)), "rows"))
    drawn <- lapply(latent[c("m", "sd", "noise")], function(part) { # a row for each row and draw
      part <- part[rows, , random$node, drop = FALSE]
      matrix(aperm(part, c(1, 3, 2)), ncol = functions)
    })
    of <- rep(seq_len(draws), each = length(rows))
    g <- random$scale[of] * drawn$m + drawn$sd * random$z[of, , drop = FALSE] # in units of the scale
    p <- if (is.null(cut)) {
      class_probabilities(g, drawn$noise)
    } else {
      exp(ordered_log_prob(g[, 1], drawn$noise[, 1], cut[of, , drop = FALSE]))
    }
    p <- lapply(seq_len(ncol(prob)), function(c) matrix(p[, c], length(rows)))
    p <- through_stage(object, p, prob[rows, , drop = FALSE])
    for (c in seq_along(p)) {
      ends[rows, , c] <- t(apply(p[[c]], 1, stats::quantile, c(1 - level, 1 + level) / 2, names = FALSE))
    }
  }
  side <- function(k) matrix(ends[, k, ], nrow(X), ncol(prob))
  list(lower = side(1), upper = side(2))
}

#' Draws of independent standard normals, each column of which has one in each of as many
#' intervals of equal probability
#' @noRd
latin_normals <- function(draws, columns) {
  level <- (seq_len(draws) - 0.5) / draws
  vapply(seq_len(columns), function(c) stats::qnorm(sample(level)), numeric(draws))
}
