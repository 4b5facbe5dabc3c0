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
  by <- paste0("Selected by ", criterion_words[[x$criterion]], ":")
  if (is.null(main)) main <- paste(by, table$candidate[table$selected])
  page <- graphics::par("din")
  heading <- fit_heading(main, "", page[1])
  room <- page[2] - heading$height - line_height(4)
  rows <- fit_names(table$candidate, 0.45 * page[1], room / nrow(table))
  old <- graphics::par("mfrow", "cex", "oma")
  on.exit(graphics::par(old))
  graphics::par(mfrow = c(1, 2), omi = c(0, rows$width, heading$height, 0))
  if (x$criterion == "integrated") {
    draw_candidates(table$log_integrated, 0, "Integrated log evidence", table, rows)
  } else {
    draw_candidates(table$log_evidence, 0, "Log evidence", table, rows)
  }
  draw_candidates(
    table$loo, table$loo_diff_se, "Leave-one-out, SE of difference", table
  )
  draw_heading(heading, page[1] / 2, page[2])
  invisible(x)
}

draw_candidates <- function(value, se, label, table, rows = NULL) {
  at <- seq_along(value)
  se <- ifelse(is.na(se), 0, se)
  range <- range(value - se, value + se, finite = TRUE)
  if (any(!is.finite(range))) range <- c(-1, 0)
  frame <- frame_panel(label, left = 0)
  draw_panel(frame, range, range(at) + c(-0.5, 0.5), yaxt = "n", yaxs = "i", {
    graphics::abline(h = at, lty = 3, col = "grey80")
    graphics::segments(value - se, at, value + se, at)
    graphics::points(
      value, at, pch = ifelse(table$status == "converged", 21, 4),
      bg = ifelse(table$selected, "black", "white"), cex = 1.2
    )
    if (!is.null(rows)) draw_rows(rows)
  })
}
