# ggplot2's pictures: the layers of show-picture.R as geoms, in an object to change.

#' Plots with ggplot2
#'
#' The pictures of [plot()][plot.sturdy_model] and its relatives as ggplot objects, to which
#' themes, scales and titles can be added. The methods are there once ggplot2 is loaded.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()], or the result of
#'   [mislabelled()], [calibration()], [select_model()] or [noise_matrix()].
#' @param which `"model"`, the default, or `"trace"`.
#' @param inputs Largest number of inputs to show curves for (6 by default), or of
#'   weights (25 by default).
#' @param n Number of ranks to show, see [plot()][plot.sturdy_mislabelled].
#' @param labels Number of points that are labelled as by [plot()][plot.sturdy_mislabelled].
#' @param ... Not used.
#' @return A ggplot object.
#' @section Conditions:
#' Those of the base plots.
#' @seealso [plot()][plot.sturdy_model] for what the pictures show
#' @name autoplot.sturdy_model
#' @examplesIf interactive() && rlang::is_installed("ggplot2")
#' library(ggplot2)
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#' autoplot(fit) + theme_minimal()
#' autoplot(mislabelled(fit))
NULL

#' @rdname autoplot.sturdy_model
#' @importFrom rlang .data
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_model <- function(object, which = c("model", "trace"), inputs = NULL, ...) {
  check_no_dots(...)
  ggplot_picture(picture(object, which, inputs))
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_mislabelled <- function(object, n = NULL, labels = 10, ...) {
  check_no_dots(...)
  ggplot_picture(picture(object, n, labels))
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_calibration <- function(object, ...) {
  check_no_dots(...)
  ggplot_picture(picture(object))
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_selection <- autoplot.sturdy_calibration

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_noise_matrix <- autoplot.sturdy_calibration

# A picture as a ggplot -------------------------------------------------------------

ggplot_picture <- function(picture) {
  panels <- picture$panels
  first <- panels[[1]]
  many <- length(panels) > 1
  key <- picture$key
  ggplot2::ggplot() +
    (if (many) ggplot_facets(panels) else ggplot_panel(first)) +
    ggplot2::scale_y_continuous(breaks = first$y$ticks, labels = first$y$words) +
    (if (!is.null(key)) ggplot_key(names(key), looks[key, ])) +
    ggplot2::labs(
      x = if (!many) first$x$label,
      y = if (nzchar(first$y$label)) in_lines(first$y$label, 45),
      title = in_lines(picture$title, 64),
      subtitle = if (length(picture$note)) in_lines(paste(picture$note, collapse = "; "), 90)
    ) +
    ggplot2::theme_bw() +
    ggplot2::theme(
      panel.grid = ggplot2::element_blank(), panel.spacing = ggplot2::unit(0.8, "lines"),
      plot.title.position = "plot", legend.position = "top", legend.box = "vertical",
      legend.margin = ggplot2::margin(), legend.spacing.y = ggplot2::unit(2, "pt")
    )
}

#' Texts in lines of at most so many letters
#' @noRd
in_lines <- function(text, width) {
  vapply(strwrap(text, max(width, 6), simplify = FALSE), paste, "", collapse = "\n")
}

ggplot_panel <- function(panel) {
  coord <- if (panel$square) ggplot2::coord_fixed else ggplot2::coord_cartesian
  words <- in_lines(panel$x$words, 80 / length(panel$x$words))
  list(
    ggplot_layers(panel$layers),
    ggplot2::scale_x_continuous(breaks = panel$x$ticks, labels = words),
    coord(xlim = panel$x$range, ylim = panel$y$range, expand = FALSE)
  )
}

#' Several panels with a common y axis
#'
#' ggplot2 has one x scale for all panels, which is asked for ticks panel by panel, but not told
#' which panel it is. So a panel with ticks of its own (levels, times) is moved to where no other has
#' numbers: the k-th by k times `far`.
#' @noRd
ggplot_facets <- function(panels) {
  axes <- lapply(panels, `[[`, "x")
  names <- vapply(axes, `[[`, "", "label")
  own <- vapply(axes, `[[`, NA, "own")
  far <- 10 * max(abs(unlist(lapply(axes, `[[`, "range"))), 1e3)
  layers <- lapply(seq_along(panels), function(k) {
    ends <- marks("ends", panels[[k]]$x$range, panels[[k]]$y$range)
    lapply(c(panels[[k]]$layers, list(ends)), function(layer) {
      layer$data$x <- layer$data$x + far * k * own[k]
      layer$data$panel <- factor(names[k], unique(names))
      layer
    })
  })
  wide <- any(vapply(axes, function(axis) sum(nchar(axis$levels)), 0) > 30)
  list(
    ggplot_layers(do.call(c, layers)),
    ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free_x"),
    ggplot_facet_scale(axes, far, if (wide) 90),
    ggplot2::coord_cartesian(ylim = panels[[1]]$y$range, expand = FALSE)
  )
}

#' The x scale of panels that ggplot_facets() has moved: a place tells the panel
#' @noRd
ggplot_facet_scale <- function(axes, far, angle) {
  panel_at <- function(place) round(mean(place, na.rm = TRUE) / far)
  moved <- lapply(seq_along(axes), function(k) far * k + axes[[k]]$ticks)
  ggplot2::scale_x_continuous(
    guide = ggplot2::guide_axis(check.overlap = TRUE, angle = angle),
    breaks = function(limits) {
      k <- panel_at(limits)
      if (isTRUE(k > 0)) moved[[k]] else pretty(limits, 4)
    },
    labels = function(ticks) {
      k <- panel_at(ticks)
      if (isTRUE(k > 0)) axes[[k]]$words[match(ticks, moved[[k]])] else format(ticks)
    }
  )
}

# Layers ----------------------------------------------------------------------------

#' A geom for the marks of one kind and meaning, of all panels
#' @noRd
ggplot_layers <- function(layers) {
  parts <- list()
  for (k in seq_along(layers)) {
    for (data in by_meaning(layers[[k]]$data)) {
      data$kind <- layers[[k]]$kind
      data$part <- paste(k, data$part) # lines of two layers are apart
      parts <- c(parts, list(data))
    }
  }
  geom <- vapply(parts, function(data) paste(data$kind[1], data$meaning[1]), "")
  lapply(split(parts, factor(geom, unique(geom))), function(same) {
    data <- do.call(rbind, same)
    ggplot_marks(data$kind[1], data)
  })
}

ggplot_marks <- function(kind, data) {
  look <- looks[data$meaning[1], ]
  at <- ggplot2::aes(.data$x, .data$y, group = .data$part)
  words <- if (kind == "name" && max(nchar(data$words)) > 20) data$short else data$words
  switch(kind,
    ends = ggplot2::geom_blank(at, data),
    point = ggplot2::geom_point(
      at, data, shape = look$pch, colour = look$col, fill = look$fill, size = 2 * look$size,
      stroke = 0.5 * look$lwd
    ),
    path = ggplot2::geom_path(
      at, data, colour = look$col, linetype = look$lty, linewidth = 0.45 * look$lwd, na.rm = TRUE
    ),
    area = ggplot2::geom_polygon(
      at, data, fill = ifelse(is.na(data$fill), look$fill, data$fill), colour = look$col
    ),
    raster = if (is.null(data$value)) {
      ggplot2::geom_raster(at, data, fill = data$fill)
    } else {
      list(
        ggplot2::geom_raster(ggplot2::aes(.data$x, .data$y, fill = .data$value), data),
        ggplot2::scale_fill_gradientn(
          NULL, colours = surface_colours, limits = c(0, 1), breaks = c(0, 0.5, 1)
        )
      )
    },
    name = ggplot2::geom_text( # blanks keep it off its point
      at, data, label = ifelse(data$down, paste0(words, "  "), paste0("  ", words)), angle = 90,
      size = 3, hjust = as.numeric(data$down)
    ),
    entry = ggplot2::geom_text(at, data, label = words, size = 3.4)
  )
}

#' A legend of meanings, whose marks are looked up, not scaled
#' @noRd
ggplot_key <- function(words, look) {
  nowhere <- data.frame(x = NA_real_, y = NA_real_, meaning = factor(words, words))
  list(
    ggplot2::geom_point(
      ggplot2::aes(.data$x, .data$y, shape = .data$meaning), nowhere, na.rm = TRUE,
      # a point on a line, either of which may be missing
      key_glyph = function(data, params, size) {
        ggplot2::draw_key_pointrange(data, c(params, flipped_aes = TRUE), size)
      }
    ),
    ggplot2::scale_shape_manual(NULL, values = stats::setNames(look$pch, words)),
    ggplot2::guides(shape = ggplot2::guide_legend(
      ncol = max(1, 100 %/% (max(nchar(words)) + 8)), byrow = TRUE, override.aes = list(
        shape = look$pch, colour = look$col, fill = look$fill, linetype = look$lty,
        linewidth = 0.45 * look$lwd, size = 0.5 * pmin(look$size, 1.8), stroke = 0.5 * look$lwd
      )
    ))
  )
}
