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
  check_main(main)
  bins <- x$bins
  if (is.null(main)) main <- calibration_title(x)
  frame <- frame_panel(
    paste("Leave-one-out probability of", x$levels[2]),
    paste("Frequency of", x$levels[2]), main
  )
  draw_panel(frame, c(0, 1), c(0, 1), pty = "s", {
    graphics::abline(0, 1, lty = 2)
    graphics::segments(bins$predicted, bins$lower, bins$predicted, bins$upper)
    graphics::lines(bins$predicted, bins$observed, lwd = 2)
    graphics::points(bins$predicted, bins$observed, pch = 21, bg = "white")
    draw_rugs(x$probability, x$event)
  })
  invisible(x)
}

calibration_title <- function(x) paste0("Calibration, ", 100 * x$level, "% intervals")
