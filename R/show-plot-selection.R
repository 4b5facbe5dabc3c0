#' Plot a comparison of models
#'
#' Log evidence (integrated, if that is the criterion) and leave-one-out score of the
#' candidates. The selected one is filled. The bars of the leave-one-out score are the
#' standard error of its difference from the best. Crosses are candidates whose EP did
#' not converge; a candidate that failed has no point. The plot fills a page of its own.
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
plot.sturdy_selection <- function(x, main = NULL, ...) {
  check_no_dots(...)
  check_main(main)
  table <- x$table
  value <- table[[selection_criteria[[x$criterion]]]]
  table <- table[order(table$selected, value, na.last = FALSE), ]
  if (is.null(main)) {
    main <- paste0(
      "Selected by ", criterion_words[[x$criterion]], ": ",
      table$candidate[table$selected]
    )
  }
  page <- graphics::par("din")
  heading <- fit_heading(main, width = page[1])
  rows <- fit_rows(
    table$candidate, (page[2] - heading$height - line_height(4)) / nrow(table), page[1]
  )
  op <- set_panel(mfrow = c(1, 2), omi = c(0, rows$width, heading$height, 0))
  on.exit(graphics::par(op))
  integrated <- x$criterion == "integrated"
  evidence <- if (integrated) table$log_integrated else table$log_evidence
  draw_candidates(
    evidence, 0 * evidence,
    if (integrated) "Integrated log evidence" else "Log evidence", table
  )
  draw_rows(rows, seq_len(nrow(table)))
  draw_candidates(
    table$loo, table$loo_diff_se, "Leave-one-out, SE of difference", table
  )
  draw_heading(heading, page[1] / 2, page[2])
  invisible(x)
}

draw_candidates <- function(value, se, label, table) {
  at <- seq_along(value)
  se[is.na(se)] <- 0
  range <- range(value - se, value + se, finite = TRUE)
  if (any(!is.finite(range))) range <- c(-1, 0)
  frame <- frame_panel(label, "", "")
  # room for half a number to the right
  graphics::par(mai = frame$mai + c(0, 0, 0, line_height(0.8)))
  graphics::plot(
    range, range(at) + c(-0.5, 0.5), type = "n", yaxt = "n", yaxs = "i", xlab = "",
    ylab = ""
  )
  graphics::abline(h = at, lty = 3, col = "grey80")
  graphics::segments(value - se, at, value + se, at)
  converged <- table$status == "converged"
  graphics::points(
    value, at, pch = ifelse(converged, 21, 4),
    bg = ifelse(table$selected, "black", "white"), cex = 1.2
  )
  label_panel(frame)
}
