# ggplot2's pictures of fits: the same data as the base plots, as an object to change.

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
#' @param labels Number of points that are labelled with the position of their row.
#' @param ... Not used.
#' @return A ggplot object.
#' @section Conditions:
#' Those of the base plots.
#' @seealso [plot()][plot.sturdy_model] for what the pictures show
#' @name autoplot.sturdy_model
#' @examples
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   library(ggplot2)
#'   x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#'   y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#'   fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#'   print(autoplot(fit) + theme_minimal())
#'   autoplot(mislabelled(fit))
#' }
NULL

#' @rdname autoplot.sturdy_model
#' @importFrom rlang .data
#' @exportS3Method ggplot2::autoplot
autoplot.sturdy_model <- function(object, which = c("model", "trace"), inputs = NULL, ...) {
  check_no_dots(...)
  which <- check_choice(which, c("model", "trace"), "which")
  if (!is.null(inputs)) inputs <- check_count(inputs, "inputs", min = 1)
  call <- rlang::current_env()
  if (which == "trace") {
    return(ggplot_trace(object, call))
  }
  check_posterior(object, call)
  if (drawn_as_surface(object, call)) {
    return(ggplot_surface(object))
  }
  ggplot_curves(object, if (is.null(inputs)) 6 else inputs)
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.bpm <- function(object, which = c("model", "trace"), inputs = NULL, ...) {
  check_no_dots(...)
  which <- check_choice(which, c("model", "trace"), "which")
  inputs <- if (is.null(inputs)) 25 else check_count(inputs, "inputs", min = 1)
  call <- rlang::current_env()
  if (which == "trace") {
    return(ggplot_trace(object, call))
  }
  check_posterior(object, call)
  shown <- rev(utils::head(surest_weights(object), inputs))
  ends <- weight_ends(object, shown)
  frame <- data.frame(
    weight = factor(object$prior$weights[shown], object$prior$weights[shown]),
    estimate = unname(stats::coef(object)[shown]), wide_low = ends$wide[, 1],
    wide_high = ends$wide[, 2], low = ends$thin[, 1], high = ends$thin[, 2]
  )
  ggplot2::ggplot(frame, ggplot2::aes(.data$estimate, .data$weight)) +
    ggplot2::geom_vline(xintercept = 0, linetype = 3) +
    segment_layer("wide_low", "wide_high", 0.5) +
    segment_layer("low", "high", 1.6) +
    ggplot2::geom_point(size = 2.4) +
    ggplot2::labs(
      x = "Weight, with 50% and 95% interval", y = NULL,
      title = paste("Weights towards", object$blueprint$levels[2])
    ) +
    plain_theme()
}

segment_layer <- function(low, high, width) {
  ggplot2::geom_segment(
    ggplot2::aes(x = .data[[low]], xend = .data[[high]], yend = .data$weight),
    linewidth = width
  )
}

plain_theme <- function() {
  ggplot2::theme_bw() + ggplot2::theme(
    panel.grid.minor = ggplot2::element_blank(), legend.position = "top",
    legend.box = "vertical", legend.spacing.y = ggplot2::unit(0, "pt")
  )
}

ggplot_trace <- function(object, call) {
  residual <- trace_residuals(object, call)
  frame <- data.frame(sweep = seq_along(residual), residual = residual)
  ggplot2::ggplot(frame, ggplot2::aes(.data$sweep, .data$residual)) +
    ggplot2::geom_hline(yintercept = object$spec$control$tol, linetype = 2) +
    ggplot2::geom_line() +
    ggplot2::geom_point() +
    ggplot2::scale_y_log10() +
    ggplot2::labs(
      x = "Sweep", y = "Largest change of a site; dashes: tolerance", title = trace_title(object)
    ) +
    plain_theme()
}

# Regions -------------------------------------------------------------------------

#' The training rows of a picture in the plane of two inputs
#' @noRd
plane_rows <- function(shown) {
  data.frame(
    x = shown$points[[1]], y = shown$points[[2]],
    class = factor(shown$levels[shown$class], levels = shown$levels), wrong = shown$wrong
  )
}

#' Points by recorded class, and rings around labels that are probably wrong
#' @noRd
plane_layers <- function(shown) {
  rows <- plane_rows(shown)
  list(
    ggplot2::geom_point(
      ggplot2::aes(.data$x, .data$y, shape = .data$class), rows, size = 1.9,
      fill = class_fills[shown$class]
    ),
    if (any(rows$wrong)) {
      ggplot2::geom_point(
        ggplot2::aes(.data$x, .data$y), rows[rows$wrong, ], shape = 1, size = 4.2,
        stroke = 1.2, colour = ring_colour
      )
    },
    class_scale(shown$levels),
    ggplot2::coord_cartesian(expand = FALSE),
    ggplot2::labs(
      x = shown$names[1], y = shown$names[2],
      caption = if (any(rows$wrong)) "Rings: labels that are probably wrong"
    ),
    plain_theme()
  )
}

#' Symbols of the recorded classes, with their fill in the key as well
#' @noRd
class_scale <- function(levels) {
  k <- seq_along(levels)
  list(
    ggplot2::scale_shape_manual(
      "Recorded", values = stats::setNames(class_symbols[k], levels), drop = FALSE
    ),
    ggplot2::guides(shape = ggplot2::guide_legend(override.aes = list(fill = class_fills[k])))
  )
}

ggplot_surface <- function(object) {
  shown <- surface_data(object)
  grid <- cbind(stats::setNames(expand.grid(shown$axes), c("x", "y")), p = c(shown$p))
  ggplot2::ggplot() +
    ggplot2::geom_raster(ggplot2::aes(.data$x, .data$y, fill = .data$p), grid) +
    contour_layers(grid, "p", c(0.1, 0.5, 0.9), c(0.5, 1.1, 0.5)) +
    ggplot2::scale_fill_gradientn(
      paste("Probability of", shown$levels[2]), colours = surface_colours,
      limits = c(0, 1), breaks = c(0, 0.5, 1)
    ) +
    plane_layers(shown)
}

#' A line for each level that the surface crosses
#' @noRd
contour_layers <- function(grid, name, levels, widths) {
  crossed <- levels > min(grid[[name]]) & levels < max(grid[[name]])
  Map(function(level, width) {
    ggplot2::geom_contour(
      ggplot2::aes(.data$x, .data$y, z = .data[[name]]), grid, breaks = level,
      colour = "black", linewidth = width, linetype = if (level %in% c(0, 0.5)) 1 else 2
    )
  }, levels[crossed], widths[crossed])
}

#' @rdname autoplot.sturdy_model
#' @exportS3Method ggplot2::autoplot
autoplot.gpc_classes <- function(object, ...) {
  check_no_dots(...)
  check_posterior(object)
  shown <- region_data(object, rlang::current_env())
  grid <- stats::setNames(expand.grid(shown$axes), c("x", "y"))
  grid$fill <- region_fill(shown$best, 0.2 + 0.8 * shown$share)
  labels <- stats::setNames(region_fill(seq_along(shown$levels), 1), shown$levels)
  ggplot2::ggplot() +
    ggplot2::geom_raster(ggplot2::aes(.data$x, .data$y, fill = .data$fill), grid) +
    ggplot2::scale_fill_identity(
      "Most probable", guide = "legend", breaks = unname(labels), labels = names(labels),
      limits = unique(c(unname(labels), grid$fill))
    ) +
    lapply(unique(shown$best), function(class) {
      contour_layers(cbind(grid, lead = class_lead(shown$prob, class)), "lead", 0, 0.5)
    }) +
    plane_layers(shown)
}

# Curves ----------------------------------------------------------------------------

#' Probability against each input, a panel each
#'
#' Panels share a continuous axis, on which the levels of factors have no place: they go
#' where no number of any input is, so that the axis can tell which panel it labels.
#' @noRd
ggplot_curves <- function(object, inputs) {
  curves <- add_bands(strongest_curves(object, inputs), object)
  names <- vapply(curves, `[[`, "", "name")
  factors <- vapply(curves, function(curve) !is.null(curve$levels), NA)
  numbers <- unlist(lapply(curves[!factors], function(curve) c(curve$at, curve$value)))
  far <- 10 * max(abs(numbers), 1e3)
  event <- object$data$y > 0
  shift <- function(k) if (factors[k]) far * k else 0
  panel <- function(k) factor(names[k], unique(names))
  curve_frame <- function(k) {
    curve <- curves[[k]]
    data.frame(panel = panel(k), x = curve$at + shift(k), curve[c("p", "lower", "upper")])
  }
  ticks <- do.call(rbind, lapply(seq_along(curves), function(k) {
    # rows of the same level side by side
    spread <- if (factors[k]) seq(-0.2, 0.2, length.out = length(event)) else 0
    data.frame(panel = panel(k), x = curves[[k]]$value + shift(k) + spread, event = event)
  }))
  lines <- do.call(rbind, c(list(NULL), lapply(which(!factors), curve_frame)))
  dots <- do.call(rbind, c(list(NULL), lapply(which(factors), curve_frame)))
  spans <- lapply(seq_along(curves), function(k) curves[[k]]$levels)
  mine <- function(x) {
    k <- round(mean(x) / far)
    if (k >= 1 && k <= length(spans)) k else 0
  }
  ggplot2::ggplot() +
    ggplot2::geom_hline(yintercept = 0.5, linetype = 3) +
    curve_layers(lines, dots) +
    tick_layer(ticks[!ticks$event, ], "b") +
    tick_layer(ticks[ticks$event, ], "t") +
    room_layer(dots) +
    ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free_x") +
    ggplot2::scale_x_continuous(
      breaks = function(limits) {
        k <- mine(limits)
        if (k) far * k + seq_along(spans[[k]]) else pretty(limits, 4)
      },
      labels = function(at) {
        k <- mine(at[is.finite(at)])
        if (k) spans[[k]][round(at - far * k)] else format(at)
      }
    ) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) +
    ggplot2::labs(
      x = NULL, y = paste("Probability of", object$blueprint$levels[2]),
      caption = paste0(
        "Ticks: ", object$blueprint$levels[2], " above, ", object$blueprint$levels[1], " below",
        if (object$kernel$nugget > 0) "; band: 90% interval"
      )
    ) +
    plain_theme()
}

curve_layers <- function(lines, dots) {
  c(
    if (!is.null(lines)) list(
      ggplot2::geom_ribbon(
        ggplot2::aes(.data$x, ymin = .data$lower, ymax = .data$upper), lines,
        fill = band_colour, na.rm = TRUE
      ),
      ggplot2::geom_line(ggplot2::aes(.data$x, .data$p), lines, linewidth = 0.9)
    ),
    if (!is.null(dots)) list(
      ggplot2::geom_linerange(
        ggplot2::aes(.data$x, ymin = .data$lower, ymax = .data$upper), dots, linewidth = 4,
        colour = band_colour, na.rm = TRUE
      ),
      ggplot2::geom_point(ggplot2::aes(.data$x, .data$p), dots, size = 2.2)
    )
  )
}

#' Half a place beside the first and the last level
#' @noRd
room_layer <- function(dots) {
  if (!is.null(dots)) {
    ends <- rbind(transform(dots, x = dots$x - 0.5), transform(dots, x = dots$x + 0.5))
    ggplot2::geom_blank(ggplot2::aes(.data$x), ends)
  }
}

tick_layer <- function(ticks, sides) {
  ggplot2::geom_rug(
    ggplot2::aes(.data$x), ticks, sides = sides, alpha = 0.5, inherit.aes = FALSE
  )
}
