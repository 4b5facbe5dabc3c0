#' Plot a fitted classifier
#'
#' Shows what a fit has learned. Base graphics; graphical parameters are restored. Colours are
#' safe for the colour-blind, and the plots can be read in grey. Long names are wrapped and set
#' smaller to fit the page; a small page goes without the note, then without the key, the title
#' and the labels of the axes.
#'
#' @details
#' With exactly two inputs, both numeric: the probability of the event (dark means likely)
#' with the class boundary at 0.5, the training rows by class, and a ring around every row whose label is more likely wrong than right. With
#' three classes or more: the regions of the most probable true class, the paler the less
#' probable. A fit that averages is drawn with the probabilities of few of its nodes, which are off
#' by some thousandths.
#'
#' Otherwise a curve for each of the strongest inputs, which are those with the shortest
#' lengthscales (with [kernel_iso()], those whose curve varies most): the
#' probability of the event against that input, averaged over at most 50 evenly
#' spaced training rows, with the training values of both classes as ticks. A factor has
#' one point per level. With three classes or more there is a line for each class. Curves
#' fill a page of their own, with a title that says how many of the inputs are shown; if
#' `par(mfrow = )` has divided the page, they are drawn in its panels, one after the other.
#'
#' For a [bpm()]: the weights with their 50 % and 95 % intervals, at
#' most `inputs` of them, those that are most certain not to be 0.
#'
#' # The band
#' The grey band around a curve is a pointwise 90 % interval of the averaged
#' probability, from the posterior of the latent function. The latent function has a
#' smooth part `g`, shared by all rows, and the nugget, an independent part of each row.
#' If `g` were known, the event would still be uncertain, with probability
#' `Phi(g / sqrt(nugget))`. The band is an interval for the average of these probabilities
#' over rows, which more rows would narrow. Its ends are quantiles of 400 draws of `g`, moved on the normal
#' scale such that their mean is the curve. The hyperparameters are those of the fit;
#' their uncertainty is not included. Nor does the band show how the probability differs
#' between rows.
#' With `nugget = 0` the class is certain once `g` is known, and no band is drawn.
#'
#' @param x A model fitted by [gpc()], [stc()] or [bpm()].
#' @param inputs Largest number of inputs to show curves for (6 by default), or
#'   of weights (25 by default).
#' @param main Title, one string; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @section Conditions:
#' `sturdy_error_no_inputs` when there is no input to draw against,
#' `sturdy_error_page` when the page has no room for a panel.
#' @seealso [ep_diagnostics()], [mislabelled()]; [augment()][augment.sturdy_model] and
#'   [tidy()][tidy.sturdy_model] give the numbers for ggplot2
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80), 40, dimnames = list(NULL, c("a", "b")))
#' fit <- gpc(x, x[, 1] > 0, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.05)
#' plot(fit)
plot.sturdy_model <- function(x, inputs = NULL, main = NULL, ...) {
  check_no_dots(...)
  draw_picture(picture(x, inputs), main)
  invisible(x)
}

#' Plot the suspicion of training labels
#'
#' The posterior probability that a label is wrong against its rank, most
#' suspicious first, for the first `n` ranks. Hollow circles and filled
#' triangles are the recorded classes, as in [plot()][plot.sturdy_model]. Short
#' dashes are the leave-one-out probabilities that the true class is the other one.
#' The grey band is the interval for the number of wrong labels, and a vertical line is
#' the cut-off if `fdr` was given. A line below the title says if no label is more
#' likely wrong than right, and the axis ends below 1 if all values shown are below
#' 0.3. Base graphics; graphical parameters are restored.
#'
#' @param x The result of [mislabelled()].
#' @param n Number of ranks to show; by default twice the upper end of the interval
#'   for the number of wrong labels, at least 20.
#' @param labels Number of points that are labelled with the number of their row in the data, and
#'   its identifier where there is one and room for it.
#' @param main Title, one string; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @seealso [mislabelled()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#' plot(mislabelled(fit))
plot.sturdy_mislabelled <- function(x, n = NULL, labels = 10, main = NULL, ...) {
  check_no_dots(...)
  draw_picture(picture(x, n, labels), main)
  invisible(x)
}

#' Plot a reliability curve
#'
#' Observed frequency against predicted probability, with intervals and the
#' diagonal of perfect calibration. The ticks are the probabilities of single rows, at
#' the top for rows in which the event was recorded and at the bottom for the others.
#' Base graphics; graphical parameters are restored.
#'
#' @param x The result of [calibration()].
#' @param main Title, one string; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60))
#' fit <- gpc(x, x + rnorm(60) > 0, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0)
#' plot(calibration(fit, bins = 4))
plot.sturdy_calibration <- function(x, main = NULL, ...) {
  check_no_dots(...)
  draw_picture(picture(x), main)
  invisible(x)
}

#' Plot a comparison of models
#'
#' Log evidence (integrated, if that is the criterion) and leave-one-out score of the
#' candidates. The selected one is filled. The bars of the leave-one-out score are the
#' standard error of its difference from the best. Crosses are candidates whose EP did
#' not converge; a candidate that failed has no point. The plot fills a page of its own, or
#' two panels of a page that `par(mfrow = )` has divided.
#' Base graphics; graphical parameters are restored.
#'
#' @param x The result of [select_model()].
#' @param main Title, one string; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @seealso [select_model()]; `plot(x$selected)` plots the selected fit.
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' held <- kernel_iso(2, fixed = TRUE)
#' plot(select_model(x, y, list(
#'   noise = candidate("gpc", kernel = held, epsilon = 0.1),
#'   none = candidate("gpc", kernel = held, epsilon = 0)
#' )))
plot.sturdy_selection <- plot.sturdy_calibration

#' @rdname noise_matrix
#' @param main Title, one string; `NULL` makes one.
#' @export
plot.sturdy_noise_matrix <- plot.sturdy_calibration
