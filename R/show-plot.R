#' Plot a fitted classifier
#'
#' Shows what a fit has learned, or how expectation propagation went. Base
#' graphics; graphical parameters are restored. Colours are safe for the
#' colour-blind, and the plots can be read in grey.
#'
#' @details
#' `which = "model"`, with exactly two inputs, both numeric: the probability of the
#' event (dark is likely) with the class boundary at 0.5, the training rows by
#' class, and a ring around every row whose label is more likely wrong than right.
#' Otherwise a curve for each of the strongest inputs, those with the shortest
#' lengthscales (with [kernel_iso()], those whose curve moves most): the
#' probability of the event against that input, averaged over at most 50 evenly
#' spaced training rows, with the training values of both classes as ticks. Factors
#' give a point a level. Curves fill a page of their own, with a title; where
#' `par(mfrow = )` has divided the page they go into its panels, one after the other.
#'
#' `which = "model"` for [bpm()]: the weights with their 50 % and 95 % intervals, at
#' most `inputs` of them, those that are surest not to be 0.
#'
#' `which = "trace"`: the residual after every sweep, on a log scale, with the
#' tolerance.
#'
#' @param x A model fitted by [gpc()], [stc()] or [bpm()].
#' @param which `"model"` or `"trace"`.
#' @param inputs Largest number of inputs to show curves for (6 unless given), or
#'   of weights (25).
#' @param main Title; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @section Conditions:
#' `sturdy_error_no_trace` when the fit kept no trace (see [ep_control()]),
#' `sturdy_error_no_sites` for the trace of a [bpm()] by ADF,
#' `sturdy_error_no_inputs` when there is no input to draw against.
#' @seealso [ep_diagnostics()], [mislabelled()]
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80), 40, dimnames = list(NULL, c("a", "b")))
#' fit <- gpc(x, x[, 1] > 0, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.05)
#' plot(fit)
#' plot(fit, which = "trace")
plot.sturdy_model <- function(x,
                              which = c("model", "trace"),
                              inputs = NULL,
                              main = NULL,
                              ...) {
  check_no_dots(...)
  which <- check_choice(which, c("model", "trace"), "which")
  if (!is.null(inputs)) inputs <- check_count(inputs, "inputs", min = 1)
  if (which == "trace") {
    plot_trace(x, main)
    return(invisible(x))
  }
  check_posterior(x)
  plot_model(x, inputs, main)
  invisible(x)
}

plot_model <- function(x, inputs, main) { # inputs: `NULL` for the default number
  UseMethod("plot_model")
}

plot_model.sturdy_model <- function(x, inputs, main) {
  if (is.null(inputs)) inputs <- 6
  specs <- x$blueprint$coding
  if (length(specs) == 0) {
    abort_sturdy(
      "The model must have an input to draw against; all were constant.",
      "no_inputs", call = rlang::caller_env()
    )
  }
  numeric <- vapply(specs, function(s) s$kind == "numeric", logical(1))
  if (length(specs) == 2 && all(numeric)) {
    plot_surface(x, main)
  } else {
    plot_curves(x, inputs, main)
  }
}

# light to dark, so that it reads in grey; the ring is Okabe and Ito's vermilion
surface_colours <- function(n) {
  grDevices::colorRampPalette(c("#FBF7EE", "#A9CCE3", "#2E86C1"))(n)
}
ring_colour <- "#D55E00"
class_symbols <- c(21, 24)
class_fills <- c("white", "black")

# Two inputs ----------------------------------------------------------------

plot_surface <- function(x, main) {
  specs <- x$blueprint$coding
  names <- x$blueprint$columns
  points <- lapply(1:2, function(j) natural_scale(x$data$X[, j], specs[[j]]))
  axes <- lapply(points, function(v) seq_padded(v, 100))
  grid <- expand.grid(axes)
  X <- cbind(
    (grid[[1]] - specs[[1]]$center) / specs[[1]]$scale,
    (grid[[2]] - specs[[2]]$center) / specs[[2]]$scale
  )
  p <- matrix(event_probability(x, X), 100)

  op <- graphics::par(mar = c(4.2, 4.2, 4.6, 1), las = 1)
  on.exit(graphics::par(op))
  graphics::image(
    axes[[1]], axes[[2]], p, zlim = c(0, 1), col = surface_colours(40),
    xlab = names[1], ylab = names[2]
  )
  graphics::contour(
    axes[[1]], axes[[2]], p, levels = c(0.1, 0.9), lty = 2, labcex = 0.8,
    add = TRUE
  )
  graphics::contour(
    axes[[1]], axes[[2]], p, levels = 0.5, lwd = 2.5, drawlabels = FALSE,
    add = TRUE
  )
  class <- 1 + (x$data$y > 0)
  graphics::points(
    points[[1]], points[[2]], pch = class_symbols[class],
    bg = class_fills[class], cex = 0.9
  )
  wrong <- x$ep$flipped > 0.5
  graphics::points(
    points[[1]][wrong], points[[2]][wrong], pch = 1, cex = 2.4, lwd = 2.2,
    col = ring_colour
  )
  graphics::box()
  event <- x$blueprint$levels[2]
  surface_legend(x$blueprint$levels, any(wrong))
  graphics::title(
    if (is.null(main)) paste("Probability of", event) else main, line = 3
  )
}

surface_legend <- function(levels, rings) {
  legend_above(
    c(levels, if (rings) "probably wrong label"),
    pch = c(class_symbols, if (rings) 1),
    pt.bg = c(class_fills, NA),
    pt.cex = c(1, 1, if (rings) 1.8),
    pt.lwd = c(1, 1, if (rings) 2.2),
    col = c("black", "black", if (rings) ring_colour)
  )
}

#' A legend in one line above the panel, as small as the panel asks for
#' @noRd
legend_above <- function(legend, ...) {
  usr <- graphics::par("usr")
  draw <- function(cex, plot) {
    graphics::legend(
      x = mean(usr[1:2]), y = usr[4], xjust = 0.5, yjust = 0, horiz = TRUE,
      legend = legend, bty = "n", xpd = NA, cex = cex, plot = plot, ...
    )$rect$w
  }
  cex <- 1
  while (draw(cex, FALSE) > diff(usr[1:2]) && cex > 0.5) cex <- cex - 0.05
  draw(cex, TRUE)
}

natural_scale <- function(v, spec) {
  spec$center + spec$scale * v
}

seq_padded <- function(v, length) {
  range <- range(v)
  pad <- 0.06 * diff(range)
  if (pad == 0) {
    pad <- 1
  }
  seq(range[1] - pad, range[2] + pad, length.out = length)
}

# Any inputs ----------------------------------------------------------------

plot_curves <- function(x, inputs, main) {
  columns <- strongest_inputs(x, inputs)
  curves <- lapply(columns, partial_curve, x = x)
  if (x$kernel$type == "iso") {
    move <- vapply(curves, function(curve) diff(range(curve$p)), numeric(1))
    first <- utils::head(order(-move), inputs)
    columns <- columns[first]
    curves <- curves[first]
  }
  k <- length(curves)
  op <- graphics::par(mar = c(4.2, 4.2, 1, 1), las = 1)
  on.exit(graphics::par(op))
  own_page <- all(graphics::par("mfrow") == 1)
  if (own_page) {
    op <- c(op, graphics::par(
      mfrow = grDevices::n2mfrow(k)[2:1], oma = c(0, 0, 2.4, 0)
    ))
  }
  for (i in seq_len(k)) {
    draw_curve(x, columns[i], curves[[i]])
  }
  if (!own_page) {
    return(invisible())
  }
  levels <- x$blueprint$levels
  if (is.null(main)) {
    main <- paste0("Probability of ", levels[2], " (ticks: ", levels[2],
                   " above, ", levels[1], " below)")
  }
  graphics::mtext(main, outer = TRUE, line = 0.6, font = 2)
}

#' ARD: the shortest lengthscales; iso: all, sorted by their curves afterwards
#' @noRd
strongest_inputs <- function(x, inputs) {
  if (x$kernel$type == "iso") {
    return(seq_along(x$blueprint$coding))
  }
  utils::head(order(x$kernel$lengthscale), inputs)
}

#' Probability of the event along one input, averaged over training rows
#'
#' @return list(at, p): values on the scale of the input (positions of levels for
#'   a factor) and probabilities.
#' @noRd
partial_curve <- function(j, x) {
  spec <- x$blueprint$coding[[j]]
  mine <- blueprint_columns(x$blueprint)$group == j
  if (spec$kind == "numeric") {
    at <- seq_padded(natural_scale(x$data$X[, mine], spec), 60)
    encoded <- matrix((at - spec$center) / spec$scale)
  } else {
    at <- seq_along(spec$levels)
    encoded <- diag(1, length(at))
  }
  rows <- unique(round(seq(1, nobs(x), length.out = min(nobs(x), 50))))
  X <- x$data$X[rep(rows, each = length(at)), , drop = FALSE]
  X[, mine] <- encoded[rep(seq_along(at), length(rows)), ]
  p <- matrix(event_probability(x, X), length(at))
  list(at = at, p = rowMeans(p))
}

draw_curve <- function(x, j, curve) {
  spec <- x$blueprint$coding[[j]]
  numeric <- spec$kind == "numeric"
  mine <- which(blueprint_columns(x$blueprint)$group == j)
  graphics::plot(
    curve$at, curve$p, type = if (numeric) "l" else "p", lwd = 2, pch = 19,
    cex = 1.3, ylim = c(0, 1), xlab = x$blueprint$columns[j], ylab = "",
    xaxt = if (numeric) "s" else "n",
    xlim = range(curve$at) + if (numeric) 0 else c(-0.4, 0.4)
  )
  graphics::abline(h = 0.5, lty = 3)
  if (numeric) {
    value <- natural_scale(x$data$X[, mine], spec)
  } else {
    graphics::axis(1, curve$at, spec$levels)
    value <- max.col(x$data$X[, mine, drop = FALSE], "first")
    value <- value + seq(-0.2, 0.2, length.out = nobs(x))
  }
  graphics::rug(value[x$data$y < 0], side = 1, ticksize = 0.04)
  graphics::rug(value[x$data$y > 0], side = 3, ticksize = 0.04)
}

# EP ------------------------------------------------------------------------

plot_trace <- function(x, main) {
  check_by_ep(x, rlang::caller_env())
  residual <- as.data.frame(x$ep$trace)$residual
  if (length(residual) == 0) {
    abort_sturdy(
      c(
        "The fit must have a trace of EP to plot.",
        i = "Fit with {.code control = ep_control(trace = TRUE)}."
      ),
      "no_trace", call = rlang::caller_env()
    )
  }
  residual <- pmax(residual, .Machine$double.eps)
  tol <- x$spec$control$tol
  op <- graphics::par(mar = c(4.2, 5.2, 2.6, 1), las = 1)
  on.exit(graphics::par(op))
  graphics::plot(
    seq_along(residual), residual, log = "y", type = "o", pch = 19,
    ylim = range(residual, tol), xlab = "Sweep", ylab = "",
    main = if (is.null(main)) {
      paste0("EP: ", gsub("_", " ", x$ep$status))
    } else {
      main
    }
  )
  graphics::mtext("Largest change of a site", side = 2, line = 4, las = 0)
  graphics::abline(h = tol, lty = 2)
  graphics::text(1, tol, "tolerance", adj = c(0, -0.6), cex = 0.8)
}

# Weights -------------------------------------------------------------------

#' Weights with 50 % and 95 % intervals, the surest on top
#' @noRd
plot_model.bpm <- function(x, inputs, main) {
  if (is.null(inputs)) inputs <- 25
  shown <- order(-abs(coef(x)) / weight_scale(x))
  shown <- rev(utils::head(shown, inputs))
  names <- x$prior$weights[shown]
  wide <- confint(x)[shown, , drop = FALSE]
  thin <- confint(x, level = 0.5)[shown, , drop = FALSE]
  at <- seq_along(shown)
  left <- 1.5 + 0.55 * max(nchar(names), 6)
  op <- graphics::par(mar = c(4.2, min(left, 14), 2.6, 1), las = 1)
  on.exit(graphics::par(op))
  graphics::plot(
    range(wide, 0), range(at) + c(-0.5, 0.5), type = "n", yaxt = "n",
    xlab = "Weight, with 50% and 95% interval", ylab = "",
    main = if (is.null(main)) {
      paste("Weights towards", x$blueprint$levels[2])
    } else {
      main
    }
  )
  graphics::abline(v = 0, lty = 3)
  graphics::segments(wide[, 1], at, wide[, 2], at)
  graphics::segments(thin[, 1], at, thin[, 2], at, lwd = 3.5)
  graphics::points(coef(x)[shown], at, pch = 19)
  graphics::axis(2, at, names, tick = FALSE)
}
