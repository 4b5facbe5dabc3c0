#' Plot the suspicion of training labels
#'
#' The posterior probability that a label was flipped against its rank, most
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
#' @param labels Number of points that are labelled with the name of their row, or its
#'   position in the data if the names are too long for the panel.
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
  check_main(main)
  labels <- check_count(labels, "labels")
  picture <- suspicion_data(x, n)
  top <- picture$top
  if (is.null(main)) main <- picture$title
  frame <- frame_panel(
    "Rank", "Probability that the label is wrong", main, picture$note,
    suspicion_key(levels(x$label), picture$expected, picture$cutoff),
    text_width(format(pretty(c(0, top))))
  )
  draw_panel(frame, picture$ranks, c(0, top), xaxs = "i", {
    draw_suspicion(picture$shown, picture$expected, picture$cutoff)
    name_suspects(utils::head(picture$shown, labels), top)
  })
  invisible(x)
}

#' What the picture shows, of whatever graphics
#'
#' @param n number of ranks, or `NULL`.
#' @return list(shown, expected, cutoff, ranks, top, title, note): the rows, what is said of
#'   them, the ranges of the axes and the texts above.
#' @noRd
suspicion_data <- function(x, n, call = rlang::caller_env()) {
  if (!is.null(n)) n <- check_count(n, "n", min = 1, call = call)
  expected <- attr(x, "expected")
  cutoff <- attr(x, "cutoff")
  upper <- max(expected$upper, ceiling(expected$count))
  if (is.null(n)) n <- max(20, 2 * upper)
  shown <- utils::head(as.data.frame(x), n)
  top <- suspicion_top(shown)
  list(
    shown = shown, expected = expected, cutoff = cutoff,
    ranks = c(0.5, max(nrow(shown), min(upper, n), 4) + 1.5), top = top,
    title = paste("Wrong labels to expect:", describe_wrong(expected, 2)),
    note = suspicion_note(shown, cutoff, attr(x, "rate"), top)
  )
}

#' Upper end of the axis: 1, but below it where all that is shown is small
#' @noRd
suspicion_top <- function(shown) {
  largest <- max(shown$probability, shown$loo_wrong, 0)
  if (largest > 0.3 || largest == 0) 1 else max(pretty(c(0, 1.15 * largest)))
}

#' What the picture alone would leave to be guessed
#' @noRd
suspicion_note <- function(shown, cutoff, rate, top) {
  largest <- max(shown$probability, 0)
  note <- c(
    if (identical(cutoff$rows, 0L) || nrow(shown) == 0) {
      paste("No row at a false-discovery rate of", format(cutoff$fdr))
    } else if (all(rate == 0)) {
      "epsilon = 0: no label can be wrong"
    } else if (largest <= 0.5) {
      paste(
        "No label is more likely wrong than right: the largest probability is",
        format(largest, digits = 2)
      )
    },
    if (top < 1) paste("the axis ends at", format(top))
  )
  paste(note, collapse = "; ")
}

draw_suspicion <- function(shown, expected, cutoff) {
  if (!is.null(expected$level)) {
    # rank r counts as wrong when r labels are: the band ends between ranks
    graphics::rect(
      expected$lower + 0.5, -1, expected$upper + 0.5, 2, col = band_colour,
      border = NA
    )
  }
  graphics::abline(h = 0.5, lty = 3)
  if (!is.null(cutoff)) {
    graphics::abline(v = cutoff$rows + 0.5, lwd = 2, col = ring_colour)
  }
  class <- as.integer(shown$label)
  at <- shown$rank
  graphics::segments(at - 0.3, shown$loo_wrong, at + 0.3, shown$loo_wrong)
  graphics::points(
    at, shown$probability, pch = class_symbols[class], bg = class_fills[class]
  )
}

#' Names of rows, upright, for ranks are close to each other: where there is more room,
#' below their points or above; "row" and a number where names are too long
#' @noRd
name_suspects <- function(named, top) {
  gap <- line_height(0.5)
  cex <- max(0.5, min(0.75, 1 / graphics::xinch(line_height())))
  y <- named$probability
  down <- y > top / 2
  room <- ifelse(down, y, top - y) / graphics::yinch() - 2 * gap
  names <- row.names(named)
  if (any(graphics::strwidth(names, "inches", cex = cex) > room)) {
    names <- paste("row", named$row, recycle0 = TRUE)
  }
  for (k in seq_along(names)) {
    graphics::text(
      named$rank[k], y[k] + graphics::yinch(if (down[k]) -gap else gap), names[k],
      cex = cex, srt = 90, adj = c(down[k], 0.5), xpd = NA
    )
  }
}

suspicion_key <- function(levels, expected, cutoff) {
  rbind(
    key_entry(
      paste("recorded", levels), class_symbols[seq_along(levels)], class_fills[seq_along(levels)]
    ),
    key_entry("leave-one-out", lty = 1),
    if (!is.null(expected$level)) {
      key_entry("number to expect", 22, band_colour, col = NA, size = 1.8)
    },
    if (!is.null(cutoff)) {
      key_entry(
        paste("false-discovery rate", format(cutoff$fdr)), lty = 1, lwd = 2,
        col = ring_colour
      )
    }
  )
}
