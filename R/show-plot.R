#' Plot a fitted classifier
#'
#' Shows what a fit has learned, or how expectation propagation converged. Base
#' graphics; graphical parameters are restored. Colours are safe for the
#' colour-blind, and the plots can be read in grey. Long names are wrapped and set
#' smaller to fit the page.
#'
#' @details
#' `which = "model"`, with exactly two inputs, both numeric: the probability of the
#' event (dark means likely) with the class boundary at 0.5, the training rows by
#' class, and a ring around every row whose label is more likely wrong than right.
#' Otherwise a curve for each of the strongest inputs, which are those with the shortest
#' lengthscales (with [kernel_iso()], those whose curve varies most): the
#' probability of the event against that input, averaged over at most 50 evenly
#' spaced training rows, with the training values of both classes as ticks. A factor has
#' one point per level. Curves fill a page of their own, with a title that says how
#' many of the inputs are shown; if `par(mfrow = )` has divided the page, they are drawn
#' in its panels, one after the other.
#'
#' `which = "model"` for [bpm()]: the weights with their 50 % and 95 % intervals, at
#' most `inputs` of them, those that are most certain not to be 0.
#'
#' `which = "trace"`: the residual after every sweep, on a log scale, with the
#' tolerance.
#'
#' # The band
#' The grey band around a curve is a pointwise 90 % interval of the averaged
#' probability, from the posterior of the latent function. The latent function has a
#' smooth part `g`, shared by all rows, and the nugget, an independent part of each row.
#' If `g` were known, the event would still be uncertain, with probability
#' `Phi(g / sqrt(nugget))`. The curve is the posterior mean of the average of these
#' probabilities over rows, and the band is an interval for that average, which more rows
#' would narrow. The interval is that of a beta distribution with the mean and variance
#' of the average, both under EP's posterior. The hyperparameters are those of the fit;
#' their uncertainty is not included. Nor does the band show how the probability differs
#' between rows.
#' With `nugget = 0` the class is certain once `g` is known, and no band is drawn; with
#' a very small nugget (0.001, say) the band is only approximate.
#'
#' @param x A model fitted by [gpc()], [stc()] or [bpm()].
#' @param which `"model"`, the default, or `"trace"`.
#' @param inputs Largest number of inputs to show curves for (6 by default), or
#'   of weights (25 by default). Fewer are shown if the page has no room for them.
#' @param main Title, one string; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @section Conditions:
#' `sturdy_error_no_trace` when the fit kept no trace (see [ep_control()]),
#' `sturdy_error_no_sites` for the trace of a [bpm()] by ADF,
#' `sturdy_error_no_inputs` when there is no input to draw against.
#' @seealso [ep_diagnostics()], [mislabelled()], [autoplot()][autoplot.sturdy_model] for ggplot2
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80), 40, dimnames = list(NULL, c("a", "b")))
#' fit <- gpc(x, x[, 1] > 0, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.05)
#' plot(fit)
#' plot(fit, which = "trace")
plot.sturdy_model <- function(x, which = c("model", "trace"), inputs = NULL, main = NULL,
                              ...) {
  check_no_dots(...)
  check_main(main)
  which <- check_choice(which, c("model", "trace"), "which")
  if (!is.null(inputs)) inputs <- check_count(inputs, "inputs", min = 1)
  if (which == "trace") {
    plot_trace(x, main)
  } else {
    check_posterior(x)
    plot_model(x, inputs, main)
  }
  invisible(x)
}

plot_model <- function(x, inputs, main) { # inputs: `NULL` for the default number
  UseMethod("plot_model")
}

plot_model.sturdy_model <- function(x, inputs, main) {
  if (drawn_as_surface(x, rlang::caller_env())) {
    plot_surface(x, main)
  } else {
    plot_curves(x, if (is.null(inputs)) 6 else inputs, main)
  }
}

#' Two numeric inputs make a surface, others curves, none an error
#' @noRd
drawn_as_surface <- function(x, call) {
  check_by_ep(x, call)
  specs <- x$blueprint$coding
  if (length(specs) == 0) {
    abort_sturdy(
      "The model must have an input to draw against; all were constant.",
      "no_inputs", call = call
    )
  }
  numeric <- vapply(specs, function(s) s$kind == "numeric", logical(1))
  length(specs) == 2 && all(numeric)
}

# EP ------------------------------------------------------------------------

trace_title <- function(x) paste0("EP: ", gsub("_", " ", x$ep$status))

#' The largest residual of every sweep
#' @noRd
trace_residuals <- function(x, call = rlang::caller_env(2)) {
  check_by_ep(x, call)
  residual <- as.data.frame(x$ep$trace)$residual
  if (length(residual) == 0) {
    abort_sturdy(
      c(
        "The fit must have a trace of EP to plot.",
        i = "Fit with {.code control = ep_control(trace = TRUE)}."
      ),
      "no_trace", call = call
    )
  }
  pmax(residual, .Machine$double.eps)
}

plot_trace <- function(x, main) {
  residual <- trace_residuals(x)
  if (is.null(main)) main <- trace_title(x)
  tol <- x$spec$control$tol
  range <- range(residual, tol)
  frame <- frame_panel(
    "Sweep", "Largest change of a site", main,
    left = text_width(format(range, digits = 1))
  )
  draw_panel(frame, c(1, length(residual)), range, log = "y", {
    graphics::lines(residual, type = "o", pch = 19)
    graphics::abline(h = tol, lty = 2)
    graphics::text(1, tol, "tolerance", adj = c(0, -0.6), cex = 0.8)
  })
}

# Weights -------------------------------------------------------------------

#' Positions of the weights, those first that are most certain not to be 0
#' @noRd
surest_weights <- function(x) order(-abs(coef(x)) / weight_scale(x))

#' Their 50 % and 95 % intervals
#' @noRd
weight_ends <- function(x, which) {
  list(
    wide = confint(x)[which, , drop = FALSE],
    thin = confint(x, level = 0.5)[which, , drop = FALSE]
  )
}

#' Weights with 50 % and 95 % intervals, the surest on top
#' @noRd
plot_model.bpm <- function(x, inputs, main) {
  if (is.null(inputs)) inputs <- 25
  total <- length(coef(x))
  if (is.null(main)) main <- paste("Weights towards", x$blueprint$levels[2])
  # as many as have room for their names
  room <- graphics::par("fin")[2] - line_height(7)
  surest <- surest_weights(x)
  for (k in max(1, min(inputs, total, floor(room / line_height(0.6)))):1) {
    shown <- surest[k:1]
    names <- fit_names(
      x$prior$weights[shown], 0.45 * graphics::par("fin")[1], room / k, least = 0.6
    )
    if (names$fits) break
  }
  ends <- weight_ends(x, shown)
  wide <- ends$wide
  thin <- ends$thin
  at <- seq_along(shown)
  frame <- frame_panel(
    "Weight, with 50% and 95% interval", main = main,
    note = if (k < total) shown_of(k, total, "weights") else "", left = names$width
  )
  draw_panel(frame, range(wide, 0), range(at) + c(-0.5, 0.5), yaxt = "n", yaxs = "i", {
    graphics::abline(v = 0, lty = 3)
    graphics::segments(wide[, 1], at, wide[, 2], at)
    graphics::segments(thin[, 1], at, thin[, 2], at, lwd = 3.5)
    graphics::points(coef(x)[shown], at, pch = 19)
    draw_rows(names)
  })
}
