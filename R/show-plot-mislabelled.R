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
plot.sturdy_mislabelled <- function(x,
                                    n = NULL,
                                    labels = 10,
                                    main = NULL,
                                    ...) {
  check_no_dots(...)
  check_main(main)
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
  top <- suspicion_top(shown)
  if (is.null(main)) {
    main <- paste("Wrong labels to expect:", describe_wrong(expected, 2))
  }
  cutoff <- attr(x, "cutoff")
  heading <- fit_heading(main, suspicion_note(shown, cutoff, attr(x, "rate"), top))
  key <- suspicion_key(levels(x$label), expected, cutoff)
  frame <- frame_panel(
    "Rank", "Probability that the label is wrong", format(pretty(c(0, top))),
    heading$height + key$height
  )
  op <- set_panel(mai = frame$mai)
  on.exit(graphics::par(op))
  ranks <- c(0.5, max(nrow(shown), min(upper, n), 4) + 1.5)
  graphics::plot(
    ranks, c(0, top), type = "n", xaxs = "i", xaxt = "n", xlab = "", ylab = ""
  )
  graphics::axis(1, unique(round(pretty(ranks))))
  suspicion_background(expected, cutoff)
  suspicion_points(shown)
  name_suspects(utils::head(shown, labels))
  graphics::box()
  draw_key(key)
  label_panel(frame)
  draw_heading(heading)
  invisible(x)
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

suspicion_background <- function(expected, cutoff) {
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
}

suspicion_points <- function(shown) {
  class <- as.integer(shown$label)
  at <- shown$rank
  graphics::segments(at - 0.3, shown$loo_wrong, at + 0.3, shown$loo_wrong)
  graphics::points(
    at, shown$probability, pch = class_symbols[class], bg = class_fills[class]
  )
}

#' Names of rows, upright, for ranks are close to each other: below their points, or
#' above where there is more room; "row" and a number where names are too long
#' @noRd
name_suspects <- function(named) {
  if (nrow(named) == 0) {
    return(invisible())
  }
  panel <- edges("npc")
  gap <- line_height(0.5)
  y <- graphics::grconvertY(named$probability, "user", "inches")
  below <- y - panel[3] - 1.5 * gap
  above <- panel[4] - y - 1.5 * gap
  slot <- diff(graphics::grconvertX(0:1, "user", "inches"))
  cex <- max(0.5, min(0.75, slot / line_height()))
  names <- row.names(named)
  if (any(text_width(names, cex) > pmax(below, above))) names <- paste("row", named$row)
  down <- text_width(names, cex) <= below
  for (k in seq_along(names)) {
    text_at(
      graphics::grconvertX(named$rank[k], "user", "inches"),
      y[k] + if (down[k]) -gap else gap, list(text = names[k], cex = cex, font = 1),
      srt = 90, adj = c(if (down[k]) 1 else 0, 0.5)
    )
  }
}

suspicion_key <- function(levels, expected, cutoff) {
  fit_key(c(
    class_entries(paste("recorded", levels)),
    list(list(text = "leave-one-out", line = 1)),
    if (!is.null(expected$level)) {
      list(list(text = "number to expect", pch = 22, bg = band_colour, cex = 1.8,
                col = NA))
    },
    if (!is.null(cutoff)) {
      list(list(
        text = paste("false-discovery rate", format(cutoff$fdr)), line = 1, lwd = 2,
        col = ring_colour
      ))
    }
  ))
}
