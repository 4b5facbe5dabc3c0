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
  many <- length(panels) > 1
  if (many) panels <- facet_panels(panels)
  first <- panels[[1]]
  layers <- do.call(c, lapply(panels, `[[`, "layers"))
  ggplot2::ggplot() +
    c(ggplot_layers(layers), if (many) facets(panels) else axes_of(first)) +
    ggplot2::scale_y_continuous(breaks = first$y$ticks, labels = first$y$words) +
    ggplot_key(picture$key) +
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

axes_of <- function(panel) {
  coord <- if (panel$square) ggplot2::coord_fixed else ggplot2::coord_cartesian
  words <- panel$x$words
  list(
    ggplot2::scale_x_continuous(
      breaks = panel$x$ticks, labels = in_lines(words, 80 / length(words))
    ),
    coord(xlim = panel$x$range, ylim = panel$y$range, expand = FALSE)
  )
}

# Layers ----------------------------------------------------------------------------

#' A geom for the marks of one kind and meaning, of all panels
#' @noRd
ggplot_layers <- function(layers) {
  parts <- do.call(c, Map(function(layer, k) {
    layer$data$part <- paste(k, layer$data$part)
    lapply(by_meaning(layer$data), function(data) list(kind = layer$kind, data = data))
  }, layers, seq_along(layers)))
  alike <- vapply(parts, function(part) paste(part$kind, part$data$meaning[1]), "")
  lapply(split(parts, factor(alike, unique(alike))), function(same) {
    data <- do.call(rbind, lapply(same, `[[`, "data"))
    ggplot_marks(same[[1]]$kind, data, looks[data$meaning[1], ])
  })
}

ggplot_marks <- function(kind, data, look) {
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
      at, data, label = ifelse(data$down, paste0(words, "  "), paste0("  ", words)),
      angle = 90, size = 3, hjust = as.numeric(data$down)
    ),
    entry = ggplot2::geom_text(at, data, label = words, size = 3.4)
  )
}

#' A legend of meanings, whose marks are looked up, not scaled
#' @noRd
ggplot_key <- function(key) {
  if (is.null(key)) {
    return(NULL)
  }
  look <- looks[key, ]
  nowhere <- data.frame(x = NA_real_, y = NA_real_, meaning = factor(names(key), names(key)))
  columns <- max(1, 100 %/% (max(nchar(names(key))) + 8))
  list(
    ggplot2::geom_point(
      ggplot2::aes(.data$x, .data$y, shape = .data$meaning), nowhere, na.rm = TRUE,
      key_glyph = draw_key_mark
    ),
    ggplot2::scale_shape_manual(NULL, values = stats::setNames(look$pch, names(key))),
    ggplot2::guides(shape = ggplot2::guide_legend(
      ncol = columns, byrow = TRUE, override.aes = list(
        shape = look$pch, colour = look$col, fill = look$fill, linetype = look$lty,
        linewidth = 0.45 * look$lwd, size = 0.5 * pmin(look$size, 1.8), stroke = 0.5 * look$lwd
      )
    ))
  )
}

#' A point on a line, either of which may be missing
#' @noRd
draw_key_mark <- function(data, params, size) {
  ggplot2::draw_key_pointrange(data, c(params, flipped_aes = TRUE), size)
}

# Several panels --------------------------------------------------------------------

#' Panels whose layers say where they belong
#'
#' Panels share a continuous axis, on which the levels of factors and times have no place: they go
#' where no number of any input is, so that the axis can tell which panel it labels.
#' @noRd
facet_panels <- function(panels) {
  names <- vapply(panels, function(panel) panel$x$label, "")
  far <- 10 * max(abs(unlist(lapply(panels, function(panel) panel$x$range))), 1e3)
  Map(function(panel, k) {
    panel$shift <- if (panel$x$own) far * k else 0
    panel$x$range <- panel$x$range + panel$shift
    panel$layers <- c(panel$layers, list(marks("ends", panel$x$range, panel$y$range)))
    panel$layers <- lapply(panel$layers, function(layer) {
      if (layer$kind != "ends") layer$data$x <- layer$data$x + panel$shift
      layer$data$panel <- factor(names[k], unique(names))
      layer
    })
    panel
  }, panels, seq_along(panels))
}

facets <- function(panels) {
  mine <- function(x) {
    Find(function(panel) {
      panel$shift > 0 && all(abs(x - mean(panel$x$range)) <= diff(panel$x$range) + 1)
    }, panels)
  }
  room <- vapply(panels, function(panel) sum(nchar(panel$x$levels)), 0)
  list(
    ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free_x"),
    ggplot2::scale_x_continuous(
      guide = ggplot2::guide_axis(check.overlap = TRUE, angle = if (any(room > 30)) 90),
      breaks = function(limits) {
        panel <- mine(limits)
        if (is.null(panel)) pretty(limits, 4) else panel$shift + panel$x$ticks
      },
      labels = function(at) {
        panel <- mine(at[is.finite(at)])
        if (is.null(panel)) format(at) else panel$x$words[match(at, panel$shift + panel$x$ticks)]
      }
    ),
    ggplot2::coord_cartesian(ylim = panels[[1]]$y$range, expand = FALSE)
  )
}
