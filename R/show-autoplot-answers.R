# ggplot2's pictures of what a fit answers.

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_mislabelled <- function(object, n = NULL, labels = 10, ...) {
  check_no_dots(...)
  labels <- check_count(labels, "labels")
  picture <- suspicion_data(object, n, rlang::current_env())
  shown <- picture$shown
  expected <- picture$expected
  band <- if (!is.null(expected$level)) {
    ggplot2::annotate(
      "rect", xmin = expected$lower + 0.5, xmax = expected$upper + 0.5, ymin = -Inf,
      ymax = Inf, fill = band_colour
    )
  }
  cutoff <- if (!is.null(picture$cutoff)) {
    ggplot2::geom_vline(
      xintercept = picture$cutoff$rows + 0.5, colour = ring_colour, linewidth = 1
    )
  }
  named <- utils::head(shown, labels)
  down <- named$probability > picture$top / 2
  ggplot2::ggplot(shown, ggplot2::aes(.data$rank, .data$probability)) +
    band +
    ggplot2::geom_hline(yintercept = 0.5, linetype = 3) +
    cutoff +
    ggplot2::geom_segment(ggplot2::aes(
      x = .data$rank - 0.3, xend = .data$rank + 0.3, y = .data$loo_wrong,
      yend = .data$loo_wrong
    )) +
    ggplot2::geom_point(
      ggplot2::aes(shape = .data$label), size = 2.2, fill = class_fills[as.integer(shown$label)]
    ) +
    ggplot2::geom_text(
      ggplot2::aes(label = paste("row", .data$row)), named, angle = 90, size = 3,
      hjust = ifelse(down, 1.15, -0.15)
    ) +
    class_scale(levels(object$label)) +
    ggplot2::coord_cartesian(xlim = picture$ranks, ylim = c(0, picture$top)) +
    ggplot2::labs(
      x = "Rank", y = "Probability that the label is wrong", title = picture$title,
      subtitle = if (nzchar(picture$note)) picture$note,
      caption = paste0(
        "Dashes: given the other rows alone",
        if (!is.null(expected$level)) "; band: number to expect",
        if (!is.null(picture$cutoff)) {
          paste0("; line: false-discovery rate ", format(picture$cutoff$fdr))
        }
      )
    ) +
    plain_theme()
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_calibration <- function(object, ...) {
  check_no_dots(...)
  rows <- data.frame(x = object$probability, event = object$event)
  ggplot2::ggplot(object$bins, ggplot2::aes(.data$predicted, .data$observed)) +
    ggplot2::geom_abline(linetype = 2) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lower, ymax = .data$upper)) +
    ggplot2::geom_line(linewidth = 0.9) +
    ggplot2::geom_point(shape = 21, size = 2.4, fill = "white") +
    tick_layer(rows[!rows$event, ], "b") +
    tick_layer(rows[rows$event, ], "t") +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(
      x = paste("Leave-one-out probability of", object$levels[2]),
      y = paste("Frequency of", object$levels[2]), title = calibration_title(object)
    ) +
    plain_theme()
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_selection <- function(object, ...) {
  check_no_dots(...)
  scores <- selection_scores(object)
  table <- scores$table
  frame <- do.call(rbind, lapply(names(scores$panels), function(name) {
    panel <- scores$panels[[name]]
    data.frame(
      panel = factor(name, names(scores$panels)),
      candidate = factor(table$candidate, table$candidate), value = panel$value,
      low = panel$value - panel$se, high = panel$value + panel$se,
      what = ifelse(
        table$selected, "selected", ifelse(table$status == "converged", "other", "not converged")
      )
    )
  }))
  ggplot2::ggplot(frame, ggplot2::aes(.data$value, .data$candidate)) +
    ggplot2::geom_segment(
      ggplot2::aes(x = .data$low, xend = .data$high, yend = .data$candidate), na.rm = TRUE
    ) +
    ggplot2::geom_point(
      ggplot2::aes(shape = .data$what), size = 2.6, fill = "white", na.rm = TRUE
    ) +
    ggplot2::scale_shape_manual(
      NULL, values = c(selected = 19, other = 21, "not converged" = 4)
    ) +
    ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free_x") +
    ggplot2::labs(x = NULL, y = NULL, title = scores$title) +
    plain_theme()
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_noise_matrix <- function(object, ...) {
  check_no_dots(...)
  cells <- noise_cells(object)
  levels <- rownames(object)
  title <- attr(cells, "title")
  cells$true <- factor(levels[cells$true], rev(levels)) # the first class on top
  cells$recorded <- factor(levels[cells$recorded], levels)
  ggplot2::ggplot(cells, ggplot2::aes(.data$recorded, .data$true)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$fill), colour = "white") +
    ggplot2::scale_fill_identity() +
    ggplot2::geom_text(ggplot2::aes(label = .data$words), size = 3.4) +
    ggplot2::coord_equal(expand = FALSE) +
    ggplot2::labs(x = "Recorded class", y = "True class", title = title) +
    plain_theme()
}
