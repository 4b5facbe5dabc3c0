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
  scores <- selection_scores(x)
  table <- scores$table
  if (is.null(main)) main <- scores$title
  page <- graphics::par("din")
  heading <- fit_heading(main, "", page[1])
  room <- page[2] - heading$height - line_height(4)
  rows <- fit_names(table$candidate, 0.45 * page[1], room / nrow(table))
  old <- graphics::par("mfrow", "cex", "oma")
  on.exit(graphics::par(old))
  graphics::par(mfrow = c(1, 2), omi = c(0, rows$width, heading$height, 0))
  for (k in seq_along(scores$panels)) {
    panel <- scores$panels[[k]]
    draw_candidates(panel$value, panel$se, names(scores$panels)[k], table, if (k == 1) rows)
  }
  draw_heading(heading, page[1] / 2, page[2])
  invisible(x)
}

#' What the picture shows, of whatever graphics: the table, the best last, a title, and the
#' panels by their titles, a list of values and bars each
#' @noRd
selection_scores <- function(x) {
  table <- x$table
  value <- table[[selection_criteria[[x$criterion]]]]
  table <- table[order(table$selected, value, na.last = FALSE), ]
  by <- paste0("Selected by ", criterion_words[[x$criterion]], ":")
  none <- numeric(nrow(table))
  evidence <- if (x$criterion == "integrated") {
    list("Integrated log evidence" = list(value = table$log_integrated, se = none))
  } else {
    list("Log evidence" = list(value = table$log_evidence, se = none))
  }
  se <- ifelse(is.na(table$loo_diff_se), 0, table$loo_diff_se)
  list(
    table = table, title = paste(by, table$candidate[table$selected]),
    panels = c(
      evidence, list("Leave-one-out, SE of difference" = list(value = table$loo, se = se))
    )
  )
}

draw_candidates <- function(value, se, label, table, rows = NULL) {
  at <- seq_along(value)
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
