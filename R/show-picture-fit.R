# Pictures of a fit: what it has learned.

#' The picture of a fit, once the arguments of its plot() are checked
#'
#' @param inputs largest number of inputs or weights, `NULL` for the default.
#' @noRd
picture.sturdy_model <- function(x, inputs, ...) {
  check_model(x)
  if (!is.null(inputs)) inputs <- check_count(inputs, "inputs", min = 1)
  check_posterior(x)
  if (!is.null(x$recalibration)) {
    return(picture(calibration(x)))
  }
  if (inherits(x, "bpm")) {
    return(picture_weights(x, if (is.null(inputs)) 25 else inputs))
  }
  check_by_ep(x)
  kinds <- vapply(x$blueprint$coding, `[[`, "", "kind")
  must(length(kinds) > 0, NULL, "have an input to draw against; all were constant", "no_inputs", of = "The model")
  surface <- length(kinds) == 2 && all(kinds == "numeric")
  if (surface) picture_surface(x) else picture_curves(x, if (is.null(inputs)) 6 else inputs)
}

#' What the picture shows, in its title
#' @noRd
probability_title <- function(x) {
  levels <- x$blueprint$levels
  paste("Probability of", if (length(levels) > 2) "each class" else levels[2])
}

# Two numeric inputs ------------------------------------------------------------------

#' Two classes: the probability of the event as a surface. Several: the most probable class,
#' the paler the less probable. With the training rows by their recorded class
#' @noRd
picture_surface <- function(x) {
  levels <- x$blueprint$levels
  several <- length(levels) > 2
  rows <- unname(lapply(decode_features(x$data$X, x$blueprint), as.double))
  axes <- lapply(rows, fine_axis)
  grid <- expand.grid(x = axes[[1]], y = axes[[2]])
  prob <- prob_pictured(x, encode_features(grid, x$blueprint$coding, nrow(grid)))
  fill <- if (several) region_fill(prob) else surface_fill(prob[, 2])
  lines <- if (several) {
    lead <- function(k) prob[, k] - row_max(prob[, -k, drop = FALSE]) # over the most probable other class
    lapply(seq_along(levels), function(k) contours(axes, lead(k), 0, "edge"))
  } else {
    list(contours(axes, prob[, 2], c(0.1, 0.9), "dashed"), contours(axes, prob[, 2], 0.5, "boundary"))
  }
  what <- if (several) "region" else "class"
  wrong <- which(row_flipped(x) > 0.5)
  layers <- c(
    list(marks("raster", grid$x, grid$y, "surface", fill = fill)), lines,
    list(marks("point", rows[[1]], rows[[2]], of_class(what, label_code(x$data)))),
    list(marks("point", rows[[1]][wrong], rows[[2]][wrong], "suspect"))
  )
  axis <- function(k) {
    new_axis(x$blueprint$columns[k], range(axes[[k]]), time = x$blueprint$coding[[k]]$time)
  }
  new_picture(
    list(new_panel(axis(1), axis(2), layers)),
    if (several) "Most probable true class" else probability_title(x),
    key = c(
      stats::setNames(of_class(what, seq_along(levels)), levels),
      if (!several) c("0.5" = "boundary", "0.1 and 0.9" = "dashed"),
      if (length(wrong)) c("probably wrong label" = "suspect")
    )
  )
}

fine_axis <- function(values, length = 100) {
  ends <- padded(values, 0.06)
  seq(ends[1], ends[2], length.out = length)
}

#' Probabilities of the classes at the many places of a picture: a fit that averages is asked at
#' few of its nodes also where it has few rows
#' @noRd
prob_pictured <- function(x, X) {
  all <- node_count(x) > 1 && is.null(x$nodes$few)
  prob_new(x, X, used = if (all) choose_nodes(x, few_gap_pictured) else used_nodes(x))
}

surface_fill <- function(p) grDevices::colorRampPalette(surface_colours)(65)[1 + round(64 * p)]

#' Colour of the most probable class, almost white at the probability of guessing
#' @noRd
region_fill <- function(prob) {
  best <- max.col(prob, ties.method = "first")
  guess <- 1 / ncol(prob)
  tinted(looks[of_class("region", best), "fill"], 0.08 + 0.36 * (row_max(prob) - guess) / (1 - guess))
}

# Curves ------------------------------------------------------------------------------

#' Probability against each of the strongest inputs: of the event with its band, or of each
#' of several classes
#' @noRd
picture_curves <- function(x, inputs) {
  levels <- x$blueprint$levels
  curves <- strongest_curves(x, inputs)
  of <- list(total = length(x$blueprint$coding), what = "inputs")
  if (length(levels) > 2) {
    factors <- lengths(lapply(curves, `[[`, "levels")) > 0
    kind <- if (!any(factors)) "line" else if (all(factors)) "region" else "both"
    key <- stats::setNames(of_class(kind, seq_along(levels)), levels)
    return(new_picture(lapply(curves, curve_panel), probability_title(x), key = key, of = of))
  }
  panels <- lapply(add_bands(curves, x), curve_panel, x$data$y > 0)
  ticks <- paste0("Ticks: ", levels[2], " above, ", levels[1], " below")
  new_picture(panels, probability_title(x), c(ticks, if (x$kernel$nugget > 0) "band: 90% interval"), of = of)
}

#' ARD: the shortest lengthscales; iso: those that move the probabilities most
#' @noRd
strongest_curves <- function(x, inputs) {
  order <- if (x$kernel$type == "iso") {
    move <- vapply(seq_along(x$blueprint$coding), function(j) {
      rough <- partial_curve(j, x, places = 9, rows = 20)
      max(apply(rough$prob, 2, function(p) diff(range(p))))
    }, 0)
    order(-move)
  } else {
    input_order(x)$place
  }
  lapply(utils::head(order, inputs), partial_curve, x)
}

#' Probabilities of the classes along input `j`, averaged over training rows
#'
#' @param places how many on the axis. @param rows how many rows at most.
#' @return list(name, levels, time, value, at, prob, X): values of the training rows and of the curve
#'   on the scale of the input (positions of levels for a factor), the probabilities, a column a
#'   class, and the rows that they are of.
#' @noRd
partial_curve <- function(j, x, places = if (is_several(x)) 40 else 60,
                          rows = if (is_several(x)) 20 else 50) {
  coding <- x$blueprint$coding[[j]]
  levels <- coding$levels
  value <- decode_features(x$data$X, x$blueprint)[[j]]
  value <- if (is.null(levels)) as.double(value) else match(value, levels)
  at <- if (is.null(levels)) fine_axis(value, places) else seq_along(levels)
  rows <- spread_over(nobs(x), rows)
  mine <- blueprint_columns(x$blueprint)$group == j
  X <- x$data$X[rep(rows, each = length(at)), , drop = FALSE]
  X[, mine] <- encode_feature(rep(if (is.null(levels)) at else levels, length(rows)), coding)
  prob <- apply(prob_pictured(x, X), 2, function(p) rowMeans(matrix(p, length(at))))
  name <- x$blueprint$columns[j]
  list(name = name, levels = levels, time = coding$time, value = value, at = at, prob = prob, X = X)
}

#' @param event of two classes, in which training rows the event was recorded: their ticks
#' @noRd
curve_panel <- function(curve, event = NULL) {
  at <- curve$at
  factor <- !is.null(curve$levels)
  line <- function(x, p, meanings) marks(if (factor) "point" else "path", x, p, meanings[1 + factor], 1)
  layers <- if (is.null(event)) {
    classes <- ncol(curve$prob)
    lapply(seq_len(classes), function(k) { # points of a level side by side
      beside <- if (factor) 0.6 * ((k - 0.5) / classes - 0.5) else 0
      line(at + beside, curve$prob[, k], of_class(c("line", "region"), k))
    })
  } else {
    beside <- if (factor) seq(-0.2, 0.2, length.out = length(event)) else 0 # and rows
    band <- if (factor) {
      boxes(at - 0.2, curve$lower, at + 0.2, curve$upper, "band") # none where it has no ends
    } else if (length(curve$lower)) {
      marks("area", c(at, rev(at)), c(curve$lower, rev(curve$upper)), "band", 1)
    }
    list(band, line(at, curve$prob[, 2], c("curve", "estimate")), rugs(curve$value + beside, event))
  }
  axis <- new_axis(curve$name, range(at), curve$levels, time = curve$time)
  new_panel(axis, new_axis("", rug_range), c(list(rule("guide", 0.5)), layers))
}

# Weights -----------------------------------------------------------------------------

#' Weights of the encoded inputs, which can be compared, with their 50 % and 95 % intervals, the
#' surest on top
#' @noRd
picture_weights <- function(x, inputs) {
  table <- weight_table(x, component = "weights")
  surest <- order(-abs(table$estimate) / (table$conf.high - table$conf.low))
  shown <- rev(utils::head(surest, inputs))
  half <- weight_table(x, level = 0.5, component = "weights")[shown, ]
  total <- nrow(table)
  table <- table[shown, ]
  at <- seq_along(shown)
  layers <- list(
    spans(0, -Inf, 0, Inf, "guide"),
    spans(table$conf.low, at, table$conf.high, at, "interval"),
    spans(half$conf.low, at, half$conf.high, at, "likeliest"),
    marks("point", table$estimate, at, "estimate")
  )
  axis <- new_axis("Weight, with 50% and 95% interval", padded(c(table$conf.low, table$conf.high, 0)))
  note <- if (length(shown) < total) shown_of(length(shown), total, "weights")
  panel <- new_panel(axis, new_axis("", levels = table$term), layers)
  new_picture(list(panel), paste("Weights towards", x$blueprint$levels[2]), note)
}

shown_of <- function(k, total, what) paste(k, "of", total, what, "shown")
