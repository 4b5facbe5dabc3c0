#' Plot the suspicion of training labels
#'
#' The posterior probability that a label was flipped against its rank, most
#' suspicious first, for the rows above some rank. Hollow circles and filled
#' triangles are the recorded classes, as in [plot()][plot.sturdy_model]. Short
#' dashes are the leave-one-out probabilities that the true class is the other one.
#' The grey band is the interval for the number of wrong labels, a vertical line
#' the cut-off when `fdr` was given. Base graphics; graphical parameters are
#' restored.
#'
#' @param x What [mislabelled()] returned.
#' @param n Number of ranks to show; by default twice the upper end of the interval
#'   for the number of wrong labels, at least 20.
#' @param labels Number of points that get the name of their row.
#' @param main Title; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @seealso [mislabelled()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#' plot(mislabelled(fit))
plot.sturdy_mislabelled <- function(x,
                                    n = NULL,
                                    labels = 10,
                                    main = NULL,
                                    ...) {
  check_no_dots(...)
  if (!is.null(n)) {
    n <- check_count(n, "n", min = 1)
  }
  labels <- check_count(labels, "labels")
  expected <- attr(x, "expected")
  upper <- max(expected$upper, ceiling(expected$count))
  if (is.null(n)) {
    n <- max(20, 2 * upper)
  }
  shown <- utils::head(as.data.frame(x), n)
  op <- graphics::par(mar = c(4.2, 4.2, 4.2, 1), las = 1)
  on.exit(graphics::par(op))
  graphics::plot(
    c(0.5, nrow(shown) + 1.5), c(0, 1), type = "n", xaxs = "i",
    xlab = "Rank", ylab = "Probability that the label is wrong"
  )
  suspicion_background(expected, attr(x, "cutoff"))
  suspicion_points(shown, labels)
  graphics::box()
  suspicion_legend(levels(x$label))
  if (is.null(main)) {
    main <- paste("Wrong labels to expect:", describe_wrong(expected, 2))
  }
  graphics::title(main, line = 2.6, cex.main = 1)
  invisible(x)
}

suspicion_background <- function(expected, cutoff) {
  if (!is.null(expected$level)) {
    # rank r counts as wrong when r labels are: the band ends between ranks
    graphics::rect(
      expected$lower + 0.5, -1, expected$upper + 0.5, 2, col = "#ECECEC",
      border = NA
    )
  }
  graphics::abline(h = 0.5, lty = 3)
  if (!is.null(cutoff)) {
    graphics::abline(v = cutoff$rows + 0.5, lwd = 2, col = ring_colour)
  }
}

suspicion_points <- function(shown, labels) {
  class <- as.integer(shown$label)
  at <- shown$rank
  graphics::segments(at - 0.3, shown$loo_wrong, at + 0.3, shown$loo_wrong)
  graphics::points(
    at, shown$probability, pch = class_symbols[class], bg = class_fills[class]
  )
  named <- utils::head(seq_along(at), labels)
  if (length(named)) {
    # upright, for ranks are close to each other
    graphics::text(
      at[named], shown$probability[named] - 0.05, row.names(shown)[named],
      srt = 90, adj = 1, cex = 0.75
    )
  }
}

suspicion_legend <- function(levels) {
  legend_above(
    c(paste("recorded", levels), "leave-one-out"),
    pch = c(class_symbols, NA), pt.bg = c(class_fills, NA), lty = c(NA, NA, 1), seg.len = 1
  )
}
