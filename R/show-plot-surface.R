# Two numeric inputs: the probability as a surface, with the training rows.

#' What the picture shows, of whatever graphics: a grid, and the training rows
#'
#' @return list(names, levels, axes, p, points, class, wrong): of the two inputs, the
#'   grid's axes and its matrix of probabilities of the event; the rows' inputs, classes
#'   as positions among `levels`, and whether their label is more likely wrong than right.
#' @noRd
surface_data <- function(x) {
  points <- unname(as.list(decode_features(x$data$X, x$blueprint)))
  axes <- lapply(points, seq_padded, 100)
  X <- encode_features(expand.grid(axes), x$blueprint$coding, 100^2)
  list(
    names = x$blueprint$columns, levels = x$blueprint$levels, axes = axes,
    p = matrix(event_probability(x, X), 100), points = points, class = 1 + (x$data$y > 0),
    wrong = row_flipped(x) > 0.5
  )
}

plot_surface <- function(x, main) {
  shown <- surface_data(x)
  names <- shown$names
  levels <- shown$levels
  axes <- shown$axes
  points <- shown$points
  p <- shown$p
  class <- shown$class
  wrong <- shown$wrong
  if (is.null(main)) main <- paste("Probability of", levels[2])
  key <- rbind(
    key_entry(levels, class_symbols[1:2], class_fills[1:2]),
    if (any(wrong)) {
      key_entry("probably wrong label", 1, col = ring_colour, lwd = 2.2, size = 1.8)
    }
  )
  frame <- frame_panel(
    names[1], names[2], main, key = key, left = text_width(format(pretty(axes[[2]])))
  )
  draw_panel(frame, range(axes[[1]]), range(axes[[2]]), xaxs = "i", yaxs = "i", {
    graphics::image(
      axes[[1]], axes[[2]], p, zlim = c(0, 1), add = TRUE,
      col = grDevices::colorRampPalette(surface_colours)(40)
    )
    if (diff(range(p)) > 0) { # contour() warns of a flat surface
      graphics::contour(
        axes[[1]], axes[[2]], p, levels = c(0.1, 0.5, 0.9), lty = c(2, 1, 2),
        lwd = c(1, 2.5, 1), labcex = 0.8, add = TRUE
      )
    }
    graphics::points(
      points[[1]], points[[2]], pch = class_symbols[class], bg = class_fills[class],
      cex = 0.9
    )
    graphics::points(
      points[[1]][wrong], points[[2]][wrong], cex = 2.4, lwd = 2.2, col = ring_colour
    )
  })
}
