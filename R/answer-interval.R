# Intervals of class probabilities: what is not known of the latent functions. Of two classes, without a
# label stage, P(probability <= Phi(x)) = sum_k w_k Phi((sqrt(nugget_k) x - m_k) / sd_k) over the nodes k is
# solved for x; of several, and through a stage, ends are quantiles of draws [M 7.7, 12.2].

interval_draws <- 1000L # of several classes, and through a label stage,
interval_scales <- 128L # of a t process for two classes without one
interval_block <- 2e6   # numbers by row, draw and class that are looked at together

#' The probability of the interval, for an answer that has one
#' @param allowed types of answers that have.
#' @noRd
check_interval <- function(interval, type, noise, allowed) {
  refuse(
    !type %in% allowed || noise,
    "{.arg interval} is of the probability of the true class: {.arg type} must be
     {.or {.val {allowed}}}, and {.arg noise} {.code FALSE}.",
    "interval", arg = "interval"
  )
  check_number(interval, "interval", min = 0, max = 1, open = TRUE)
}

#' Class probabilities, those of predict() without an interval, with the ends of their intervals: a
#' data frame for the event of two classes, matrices for several
#' @param rows of rows_to_predict().
#' @noRd
predicted_interval <- function(object, rows, level) {
  prob <- prob_new(object, rows$X)
  drawn <- is_several(object) || !is.null(object$label_stage)
  ends <- if (drawn) drawn_interval(object, rows$X, prob, level) else event_interval(object, rows$X, level)
  parts <- c(list(estimate = prob), ends)
  if (is_several(object)) {
    return(structure(lapply(parts, named_prob, rows, object), class = "sturdy_class_ends"))
  }
  event <- lapply(parts, function(p) rows$spread(if (is.matrix(p)) p[, 2] else p))
  with_ends(data.frame(event, row.names = make.unique(as.character(rows$row_names))))
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
  matrix(rows$spread(prob), ncol = ncol(prob), dimnames = list(rows$row_names, object$blueprint$levels))
}

#' The latent functions without their nuggets, under each node
#' @return list(m, sd, noise), rows x functions x nodes.
#' @noRd
known_latent <- function(object, X) {
  latent <- node_latent(object, X)
  functions <- dim(latent$m)[2]
  nugget <- lapply(nodes_hyper(object)[latent$node], function(hyper) rep_len(hyper$nugget, functions))
  noise <- array(rep(unlist(nugget), each = nrow(X)), dim(latent$m))
  sd <- sqrt(pmax(latent$s2 - noise, .Machine$double.xmin))
  list(m = latent$m, sd = sd, noise = noise, weight = latent$weight)
}

# In closed form ---------------------------------------------------------------------

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

# By draws ---------------------------------------------------------------------------

#' The ends for several classes, and of what goes through a label stage [M 7.7, 12.2]
#'
#' The distribution of a probability over the posterior has no closed form. Its quantiles are
#' those of draws, the same for every row, each through a point of the label stage. Of 1000 draws the level
#' of an end at 0.05 has a standard error of 0.007.
#' @param prob n x C, the estimates. @return list(lower, upper), rows x C.
#' @noRd
drawn_interval <- function(object, X, prob, level) {
  draws <- draws_asked(interval_draws)
  check_memory(8 * as.double(draws) * ncol(prob), draws, what = "draws")
  latent <- known_latent(object, X)
  random <- interval_random(object, latent$weight, draws)
  meter <- progress_meter("Intervals", object$spec$control$progress)
  lower <- upper <- unname(prob)
  for (rows in row_blocks(nrow(X), draws * ncol(prob), interval_block)) {
    meter(rows[1] - 1, nrow(X), paste(whole(nrow(X)), "rows"))
    p <- through_stage(object, drawn_probabilities(latent, rows, random), prob[rows, , drop = FALSE])
    for (c in seq_along(p)) {
      ends <- apply(p[[c]], 1, stats::quantile, c(1 - level, 1 + level) / 2, names = FALSE)
      lower[rows, c] <- ends[1, ]
      upper[rows, c] <- ends[2, ]
    }
  }
  list(lower = lower, upper = upper)
}

draws_asked <- function(usual) check_count(getOption("sturdy.draws", usual), "options(sturdy.draws = )", min = 10)

#' What draws have in common over the rows: a Latin hypercube of the latent functions, dealt out to the nodes
#' by weight
#' @return list(z, draws x functions; scale, of a t process; node; cut, thresholds of classes in an order)
#' @noRd
interval_random <- function(object, weight, draws) {
  dealt <- node_draws(weight, draws)
  level <- (seq_len(draws) - 0.5) / draws # each function has one draw in each of as many intervals of equal probability
  random <- with_seed_or_stream(1L, list(
    z = vapply(seq_len(latent_functions(object)), function(c) stats::qnorm(sample(level)), level),
    scale = path_scale(object, draws),
    node = sample(rep(dealt$node, dealt$draws))
  ))
  cut <- lapply(nodes_hyper(object), function(hyper) native_cuts(hyper$width))
  random$cut <- do.call(rbind, cut)[random$node, , drop = FALSE]
  random
}

#' Draws of the probabilities of the classes at some rows
#' @param latent of known_latent(). @param random of interval_random().
#' @return list of a matrix a class, rows x draws
#' @noRd
drawn_probabilities <- function(latent, rows, random) {
  functions <- dim(latent$m)[2]
  at_draws <- function(part) { # a row for each row and draw
    matrix(aperm(part[rows, , random$node, drop = FALSE], c(1, 3, 2)), ncol = functions)
  }
  draw <- rep(seq_along(random$node), each = length(rows))
  # in units of the scale
  g <- random$scale[draw] * at_draws(latent$m) + at_draws(latent$sd) * random$z[draw, , drop = FALSE]
  noise <- at_draws(latent$noise)
  p <- if (is.null(random$cut)) {
    class_probabilities(g, noise)
  } else {
    exp(ordered_log_prob(g[, 1], noise[, 1], random$cut[draw, , drop = FALSE]))
  }
  lapply(seq_len(ncol(p)), function(c) matrix(p[, c], length(rows)))
}
