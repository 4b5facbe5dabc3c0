# Figures of a fit with several classes: regions for two inputs, and the noise matrix.

# Okabe and Ito's colours made light, for regions
region_colours <- c(
  "#F5D9A8", "#BFE0F2", "#A8DCCB", "#F3E9A3", "#A9C7E0", "#F0BFA0", "#E8CBDA", "#D9D9D9"
)

#' Plot the regions of the classes
#'
#' For a fit with three classes or more and two numeric inputs: the most probable true class,
#' the paler the less probable, with the training rows by their recorded class. Rings mark
#' labels that are more likely wrong than right. Base graphics; graphical parameters are
#' restored.
#'
#' @param x A model fitted by [gpc()] to a response with three classes or more.
#' @param main Title, one string; `NULL` makes one.
#' @param ... Not used.
#' @return `x`, invisibly.
#' @section Conditions:
#' `sturdy_error_inputs` for a fit with other inputs than two numeric ones.
#' @seealso [plot()][plot.sturdy_model] for fits with two classes, [noise_matrix()]
#' @export
#' @examples
#' fit <- gpc(Species ~ Petal.Length + Petal.Width, data = iris[c(1:15, 51:65, 101:115), ],
#'            epsilon = 0.05, kernel = kernel_iso(1, fixed = TRUE))
#' plot(fit)
plot.gpc_classes <- function(x, main = NULL, ...) {
  check_no_dots(...)
  check_main(main)
  check_posterior(x)
  shown <- region_data(x)
  names <- shown$names
  levels <- shown$levels
  points <- shown$points
  axes <- shown$axes
  wrong <- shown$wrong
  symbols <- class_symbols[seq_along(levels)]
  fills <- region_fill(seq_along(levels), 1)
  key <- rbind(
    key_entry(levels, symbols, fills),
    if (any(wrong)) {
      key_entry("probably wrong label", 1, col = ring_colour, lwd = 2.2, size = 1.8)
    }
  )
  if (is.null(main)) main <- "Most probable true class"
  frame <- frame_panel(
    names[1], names[2], main, key = key, left = text_width(format(pretty(axes[[2]])))
  )
  draw_panel(frame, range(axes[[1]]), range(axes[[2]]), xaxs = "i", yaxs = "i", {
    draw_regions(axes, shown)
    graphics::points(
      points[[1]], points[[2]], pch = symbols[x$data$y], bg = fills[x$data$y], cex = 0.9
    )
    graphics::points(
      points[[1]][wrong], points[[2]][wrong], cex = 2.4, lwd = 2.2, col = ring_colour
    )
  })
  invisible(x)
}

#' What the picture shows: as surface_data(), with `prob`, a column a class, `best`, the
#' most probable class, and `share`, its probability from that of guessing (0) to 1
#' @noRd
region_data <- function(x, call = rlang::caller_env()) {
  names <- x$blueprint$columns
  if (length(names) != 2 || ncol(x$data$X) != 2) {
    abort_sturdy(
      "Regions are drawn for two numeric inputs, not for {length(names)}.", "inputs",
      call = call
    )
  }
  points <- unname(as.list(decode_features(x$data$X, x$blueprint)))
  axes <- lapply(points, seq_padded, 120)
  prob <- classes_prob_new(x, encode_features(expand.grid(axes), x$blueprint$coding, 120^2))
  best <- max.col(prob, ties.method = "first")
  guess <- 1 / ncol(prob)
  list(
    names = names, levels = x$blueprint$levels, axes = axes, prob = prob, best = best,
    share = (prob[cbind(seq_along(best), best)] - guess) / (1 - guess), points = points,
    class = x$data$y, wrong = row_flipped(x) > 0.5
  )
}

#' Colour of a class at a probability: white at that of guessing
#' @noRd
region_fill <- function(class, share) {
  colour <- grDevices::col2rgb(rep_len(region_colours, max(class))[class])
  share <- rep(share, each = 3)
  faded <- 255 - (255 - colour) * share
  grDevices::rgb(t(faded), maxColorValue = 255)
}

draw_regions <- function(axes, shown) {
  prob <- shown$prob
  best <- shown$best
  size <- lengths(axes)
  colours <- matrix(region_fill(best, 0.2 + 0.8 * shown$share), size[1])
  edge <- function(v) range(v) + c(-1, 1) * diff(v[1:2]) / 2
  x <- edge(axes[[1]])
  y <- edge(axes[[2]])
  # rows of a raster run down
  graphics::rasterImage(
    t(colours)[rev(seq_len(size[2])), ], x[1], y[1], x[2], y[2], interpolate = FALSE
  )
  for (class in unique(best)) {
    ahead <- class_lead(prob, class)
    if (any(ahead < 0)) {
      graphics::contour(
        axes[[1]], axes[[2]], matrix(ahead, size[1]), levels = 0, drawlabels = FALSE, add = TRUE
      )
    }
  }
}

#' How far a class is ahead of the best of the others
#' @noRd
class_lead <- function(prob, class) {
  others <- prob
  others[, class] <- -1
  prob[, class] - others[cbind(seq_len(nrow(prob)), max.col(others, "first"))]
}

#' @rdname noise_matrix
#' @param main Title, one string; `NULL` makes one.
#' @export
plot.sturdy_noise_matrix <- function(x, main = NULL, ...) {
  check_no_dots(...)
  check_main(main)
  cells <- noise_cells(x)
  levels <- rownames(x)
  size <- length(levels)
  if (is.null(main)) main <- attr(cells, "title")
  frame <- frame_panel(
    "Recorded class", "True class", main, left = text_width(paste0(levels, "  ")), levels = levels
  )
  place <- size + 1 - cells$true # the first class on top
  draw_panel(frame, c(0.5, size + 0.5), c(0.5, size + 0.5), xaxs = "i", yaxs = "i", yaxt = "n", {
    graphics::rect(
      cells$recorded - 0.5, place - 0.5, cells$recorded + 0.5, place + 0.5, col = cells$fill,
      border = "white"
    )
    graphics::text(cells$recorded, place, cells$words, cex = if (size > 8) 0.6 else 0.9)
    graphics::axis(2, rev(seq_len(size)), levels, tick = FALSE)
  })
  invisible(x)
}

#' The cells of a noise matrix as they are drawn: `true` and `recorded`, positions of
#' classes, `words` and `fill`; with the title of the picture as an attribute
#' @noRd
noise_cells <- function(x) {
  rates <- attr(x, "type") == "rate"
  values <- unclass(x)
  share <- values / rowSums(values)
  share[!is.finite(share)] <- 0
  ramp <- function(colour, s) {
    grDevices::rgb(t(255 - (255 - grDevices::col2rgb(colour)) %*% t(s)), maxColorValue = 255)
  }
  # beside the diagonal in a colour of their own: that is what one looks for
  on <- c(row(values) == col(values))
  structure(
    data.frame(
      true = c(row(values)), recorded = c(col(values)),
      words = c(formatC(if (rates) 100 * values else values, digits = 1, format = "f")),
      fill = ifelse(
        on, ramp(surface_colours[2], c(share)), ramp(ring_colour, pmin(1, 3 * c(share)))
      )
    ),
    title = if (rates) {
      "Per cent of each true class, by recorded class"
    } else {
      "Expected rows of each true class, by recorded class"
    }
  )
}
