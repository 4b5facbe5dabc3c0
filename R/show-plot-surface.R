# Two numeric inputs: the probability as a surface, with the training rows.

plot_surface <- function(x, main) {
  coding <- x$blueprint$coding
  names <- x$blueprint$columns
  levels <- x$blueprint$levels
  points <- lapply(1:2, function(j) natural_scale(x$data$X[, j], coding[[j]]))
  axes <- lapply(points, seq_padded, 100)
  p <- surface_probability(x, axes)
  wrong <- x$ep$flipped > 0.5

  heading <- fit_heading(if (is.null(main)) paste("Probability of", levels[2]) else main)
  key <- fit_key(c(class_entries(levels), if (any(wrong)) list(ring_entry)))
  frame <- frame_panel(
    names[1], names[2], format(pretty(axes[[2]])), heading$height + key$height
  )
  op <- set_panel(mai = frame$mai)
  on.exit(graphics::par(op))
  graphics::image(
    axes[[1]], axes[[2]], p, zlim = c(0, 1), col = surface_colours(40), xlab = "",
    ylab = ""
  )
  draw_boundary(axes, p)
  class <- 1 + (x$data$y > 0)
  graphics::points(
    points[[1]], points[[2]], pch = class_symbols[class],
    bg = class_fills[class], cex = 0.9
  )
  graphics::points(
    points[[1]][wrong], points[[2]][wrong], pch = ring_entry$pch,
    cex = 2.4, lwd = ring_entry$lwd, col = ring_entry$col
  )
  graphics::box()
  draw_key(key)
  label_panel(frame)
  draw_heading(heading)
}

ring_entry <- list(
  text = "probably wrong label", pch = 1, cex = 1.8, lwd = 2.2, col = ring_colour
)

surface_probability <- function(x, axes) {
  coding <- x$blueprint$coding
  grid <- expand.grid(axes)
  X <- cbind(
    (grid[[1]] - coding[[1]]$center) / coding[[1]]$scale,
    (grid[[2]] - coding[[2]]$center) / coding[[2]]$scale
  )
  matrix(event_probability(x, X), length(axes[[1]]))
}

draw_boundary <- function(axes, p) {
  contour <- function(levels, ...) {
    # a level that the surface does not reach would be a warning
    levels <- levels[levels > min(p) & levels < max(p)]
    if (length(levels)) {
      graphics::contour(axes[[1]], axes[[2]], p, levels = levels, add = TRUE, ...)
    }
  }
  contour(c(0.1, 0.9), lty = 2, labcex = 0.8)
  contour(0.5, lwd = 2.5, drawlabels = FALSE)
}

natural_scale <- function(v, coding) {
  coding$center + coding$scale * v
}

seq_padded <- function(v, length) {
  range <- range(v)
  pad <- 0.06 * diff(range)
  if (pad == 0) {
    pad <- 1
  }
  seq(range[1] - pad, range[2] + pad, length.out = length)
}
