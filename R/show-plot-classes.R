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
  names <- x$blueprint$columns
  if (length(names) != 2 || ncol(x$data$X) != 2) {
    abort_sturdy(
      "Regions are drawn for two numeric inputs, not for {length(names)}.", "inputs"
    )
  }
  levels <- x$blueprint$levels
  points <- unname(as.list(decode_features(x$data$X, x$blueprint)))
  axes <- lapply(points, seq_padded, 120)
  prob <- classes_prob_new(x, encode_features(expand.grid(axes), x$blueprint$coding, 120^2))
  wrong <- row_flipped(x) > 0.5
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
    draw_regions(axes, prob)
    graphics::points(
      points[[1]], points[[2]], pch = symbols[x$data$y], bg = fills[x$data$y], cex = 0.9
    )
    graphics::points(
      points[[1]][wrong], points[[2]][wrong], cex = 2.4, lwd = 2.2, col = ring_colour
    )
  })
  invisible(x)
}

#' Colour of a class at a probability: white at that of guessing
#' @noRd
region_fill <- function(class, share) {
  colour <- grDevices::col2rgb(rep_len(region_colours, max(class))[class])
  share <- rep(share, each = 3)
  faded <- 255 - (255 - colour) * share
  grDevices::rgb(t(faded), maxColorValue = 255)
}

draw_regions <- function(axes, prob) {
  best <- max.col(prob, ties.method = "first")
  guess <- 1 / ncol(prob)
  share <- (prob[cbind(seq_along(best), best)] - guess) / (1 - guess)
  size <- lengths(axes)
  colours <- matrix(region_fill(best, 0.2 + 0.8 * share), size[1])
  edge <- function(v) range(v) + c(-1, 1) * diff(v[1:2]) / 2
  x <- edge(axes[[1]])
  y <- edge(axes[[2]])
  # rows of a raster run down
  graphics::rasterImage(
    t(colours)[rev(seq_len(size[2])), ], x[1], y[1], x[2], y[2], interpolate = FALSE
  )
  for (class in unique(best)) {
    others <- prob
    others[, class] <- -1
    ahead <- prob[, class] - others[cbind(seq_along(best), max.col(others, "first"))]
    if (any(ahead < 0)) {
      graphics::contour(
        axes[[1]], axes[[2]], matrix(ahead, size[1]), levels = 0, drawlabels = FALSE, add = TRUE
      )
    }
  }
}

#' @rdname noise_matrix
#' @param main Title, one string; `NULL` makes one.
#' @export
plot.sturdy_noise_matrix <- function(x, main = NULL, ...) {
  check_no_dots(...)
  check_main(main)
  rates <- attr(x, "type") == "rate"
  values <- unclass(x)
  size <- nrow(values)
  share <- values / rowSums(values)
  share[!is.finite(share)] <- 0
  if (is.null(main)) {
    main <- if (rates) "Per cent of each true class, by recorded class" else
      "Expected rows of each true class, by recorded class"
  }
  levels <- rownames(values)
  frame <- frame_panel(
    "Recorded class", "True class", main, left = text_width(paste0(levels, "  ")), levels = levels
  )
  place <- size + 1 - row(values) # the first class on top
  draw_panel(frame, c(0.5, size + 0.5), c(0.5, size + 0.5), xaxs = "i", yaxs = "i", yaxt = "n", {
    # beside the diagonal in a colour of their own: that is what one looks for
    on <- row(values) == col(values)
    ramp <- function(colour, s) {
      grDevices::rgb(t(255 - (255 - grDevices::col2rgb(colour)) %*% t(s)), maxColorValue = 255)
    }
    fill <- ifelse(
      on, ramp(surface_colours[2], c(share)), ramp(ring_colour, pmin(1, 3 * c(share)))
    )
    graphics::rect(
      col(values) - 0.5, place - 0.5, col(values) + 0.5, place + 0.5, col = fill,
      border = "white"
    )
    words <- formatC(if (rates) 100 * values else values, digits = 1, format = "f")
    graphics::text(col(values), place, words, cex = if (size > 8) 0.6 else 0.9)
    graphics::axis(2, rev(seq_len(size)), levels, tick = FALSE)
  })
  invisible(x)
}
