# How a selection shows itself, and what it passes on to its selected fit.

#' @param digits Significant digits.
#' @rdname select_model
#' @export
print.sturdy_selection <- function(x, digits = 3, ...) {
  table <- x$table
  cat("<sturdy_selection> ", count(nrow(table), "candidate"), " by ",
      criterion_words[[x$criterion]], ", ", count(nobs(x), "row"), "\n",
      sep = "")
  print(selection_shown(table, x$criterion, digits), row.names = FALSE,
        right = FALSE)
  if (any(is.finite(table$df))) {
    cat("Log evidences are Gaussian EP's, also at finite df: see ?select_model.\n")
  }
  said <- table[nzchar(table$message), ]
  for (k in seq_len(nrow(said))) {
    cat(strwrap(
      paste0(said$candidate[k], ": ", said$message[k]), exdent = 2
    ), sep = "\n")
  }
  cat("Selected: ", table$candidate[table$selected], "\n", sep = "")
  invisible(x)
}

criterion_words <- c(
  evidence = "log evidence", integrated = "integrated log evidence",
  loo = "leave-one-out"
)

#' The table in words, best first
#' @noRd
selection_shown <- function(table, criterion, digits) {
  value <- table[[selection_criteria[[criterion]]]]
  table <- table[order(!table$selected, table$status != "converged", -value), ]
  number <- function(v, digits) {
    ifelse(is.na(v), "-", vapply(v, format, character(1), digits = digits))
  }
  rate <- number(table$epsilon_neg, digits - 1)
  two <- which(table$epsilon_neg != table$epsilon_pos)
  rate[two] <- paste0(
    rate[two], "|", number(table$epsilon_pos[two], digits - 1)
  )
  loo <- number(table$loo, digits + 1)
  known <- is.finite(table$loo_se)
  loo[known] <- paste0(
    loo[known], " (", number(table$loo_se[known], 2), ")"
  )
  shown <- data.frame(
    candidate = table$candidate,
    integrated = number(table$log_integrated, digits + 1),
    evidence = number(table$log_evidence, digits + 1),
    "loo (se)" = loo,
    weight = ifelse(
      table$status == "converged", format(round(table$weight, 2), nsmall = 2), "-"
    ),
    epsilon = rate,
    df = number(table$df, 3),
    seconds = number(round(table$seconds, 1), 3),
    status = gsub("_", " ", table$status),
    check.names = FALSE
  )
  # a line has no room for both
  shown[if (criterion == "integrated") "seconds" else "integrated"] <- NULL
  shown
}

#' @rdname select_model
#' @param object A selection.
#' @export
summary.sturdy_selection <- function(object, ...) {
  check_no_dots(...)
  structure(
    list(selection = object, selected = summary(object$selected)),
    class = "summary.sturdy_selection"
  )
}

#' @export
print.summary.sturdy_selection <- function(x, digits = 3, ...) {
  print(x$selection, digits = digits)
  table <- x$selection$table
  finite <- which(is.finite(table$df) & !is.na(table$log_evidence_tep))
  if (length(finite)) {
    cat("\nt-EP evidences (not to be compared across models or df, see ?stc)\n")
    print_fields(stats::setNames(
      format_each(table$log_evidence_tep[finite], digits + 1),
      table$candidate[finite]
    ))
  }
  cat("\nLeave-one-out, difference from the best (standard error)\n")
  known <- which(!is.na(table$loo_diff))
  known <- known[order(-table$loo_diff[known])]
  print_fields(stats::setNames(
    paste0(
      format_each(table$loo_diff[known], digits), " (",
      format_each(table$loo_diff_se[known], 2), ")"
    ),
    table$candidate[known]
  ))
  cat("\nThe selected fit\n")
  print(x$selected, digits = digits)
  invisible(x)
}

#' @rdname select_model
#' @export
tidy.sturdy_selection <- function(x, ...) {
  check_no_dots(...)
  x$table
}

#' Rows are absorbed by the selected fit: the comparison was of other data
#' @export
#' @noRd
absorb.sturdy_selection <- function(object, ...) {
  absorb(object$selected, ...)
}

#' Plot a comparison of models
#'
#' Log evidence (integrated, if that is the criterion) and leave-one-out
#' score of the candidates, the selected one filled; leave-one-out with the standard
#' error of its difference from the best. Crosses are candidates whose EP did not
#' converge; one that failed has no point. Base graphics; graphical parameters are
#' restored.
#'
#' @param x What [select_model()] returned.
#' @param main Title; `NULL` makes one.
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
  table <- x$table
  value <- table[[selection_criteria[[x$criterion]]]]
  table <- table[order(table$selected, value, na.last = FALSE), ]
  names <- vapply(table$candidate, function(name) {
    paste(strwrap(name, 20), collapse = "\n")
  }, character(1))
  # inches: names to the left, then two panels of equal width
  left <- max(graphics::strwidth(names, "inches")) + 0.3
  panel <- (graphics::par("din")[1] - left) / 2
  op <- graphics::par(
    mai = c(0.85, left, 0.2, 0.15), oma = c(0, 0, 2.4, 0), las = 1
  )
  on.exit(graphics::par(op))
  on.exit(graphics::layout(1), add = TRUE)
  graphics::layout(matrix(1:2, 1), widths = c(left + panel, panel))
  integrated <- x$criterion == "integrated"
  evidence <- if (integrated) table$log_integrated else table$log_evidence
  draw_candidates(
    evidence, 0 * evidence,
    if (integrated) "Integrated log evidence" else "Log evidence", table, names
  )
  graphics::par(mai = c(0.85, 0.15, 0.2, 0.15))
  draw_candidates(
    table$loo, table$loo_diff_se, "Leave-one-out, s.e. of difference", table, NULL
  )
  if (is.null(main)) {
    main <- paste0(
      "Selected by ", criterion_words[[x$criterion]], ": ",
      table$candidate[table$selected]
    )
  }
  graphics::mtext(main, outer = TRUE, line = 0.6, font = 2)
  invisible(x)
}

draw_candidates <- function(value, se, label, table, names) {
  at <- seq_along(value)
  se[is.na(se)] <- 0
  range <- range(value - se, value + se, finite = TRUE)
  if (any(!is.finite(range))) range <- c(-1, 0)
  graphics::plot(
    range, range(at) + c(-0.5, 0.5), type = "n", yaxt = "n", xlab = label,
    ylab = ""
  )
  graphics::abline(h = at, lty = 3, col = "grey80")
  graphics::segments(value - se, at, value + se, at)
  converged <- table$status == "converged"
  graphics::points(
    value, at, pch = ifelse(converged, 21, 4),
    bg = ifelse(table$selected, "black", "white"), cex = 1.2
  )
  if (!is.null(names)) graphics::axis(2, at, names, tick = FALSE)
}

#' @export
glance.sturdy_selection <- function(x, ...) {
  chosen <- x$table[x$table$selected, c("candidate", "weight")]
  cbind(chosen, NextMethod(), row.names = NULL)
}
