# Probability against each of the strongest inputs, with a band.

plot_curves <- function(x, inputs, main) {
  curves <- strongest_curves(x, inputs)
  total <- length(x$blueprint$coding)
  if (any(graphics::par("mfrow") != 1)) {
    # the page is the user's: the title goes to the axes, the note to the first panel
    note <- if (length(curves) < total) shown_of(length(curves), total) else ""
    draw_curves(x, curves, paste("Probability of", x$blueprint$levels[2]), note)
    return(invisible())
  }
  old <- graphics::par("mfrow", "cex", "oma") # in this order: mfrow changes cex
  on.exit(graphics::par(old))
  page <- fit_page(x, curves, main)
  draw_curves(x, utils::head(curves, page$k))
  graphics::par(cex = 1)
  din <- graphics::par("din")
  draw_heading(page$heading, din[1] / 2, din[2])
}

shown_of <- function(k, total, what = "inputs") {
  paste(k, "of", total, what, "shown")
}

# Places on a page ------------------------------------------------------------

#' Divides the page for as many of the curves, the first ones, as it has room for:
#' panels must not be tiny, and the levels of factors must be readable
#'
#' @return list(k, heading)
#' @noRd
fit_page <- function(x, curves, main) {
  levels <- x$blueprint$levels
  total <- length(x$blueprint$coding)
  if (is.null(main)) main <- paste("Probability of", levels[2])
  divide <- function(k) {
    graphics::par(mfrow = c(1, 1), cex = 1)
    note <- c(
      paste0("Ticks: ", levels[2], " above, ", levels[1], " below"),
      if (x$kernel$nugget > 0) "band: 90% interval",
      if (k < total) shown_of(k, total)
    )
    page <- graphics::par("din")
    heading <- fit_heading(main, paste(note, collapse = "; "), page[1])
    page[2] <- page[2] - heading$height
    grid <- page_grid(k, page)
    size <- page / rev(grid)
    graphics::par(omi = c(0, 0, heading$height, 0), mfrow = grid)
    graphics::par(cex = max(0.55, min(1, size / c(2.6, 2.3))))
    roomy <- all(size >= c(1.15, 1.05))
    fits <- vapply(curves, function(curve) {
      is.null(curve$levels) ||
        (roomy && frame_panel(curve$name, levels = curve$levels)$levels$fits)
    }, logical(1))
    list(k = k, heading = heading, roomy = roomy, fits = fits)
  }
  # levels that would not fit below a panel as large as the page do not count
  able <- divide(1)$fits
  for (k in rev(seq_along(curves))) {
    page <- divide(k)
    if (page$roomy && all((page$fits | !able)[seq_len(k)])) break
  }
  page
}

#' Rows and columns whose panels are a little wider than high, with few left empty
#' @noRd
page_grid <- function(k, page) {
  columns <- seq_len(k)
  rows <- ceiling(k / columns)
  shape <- (page[1] / columns) / (page[2] / rows)
  best <- which.min(abs(log(shape / 1.2)) + 0.15 * (rows * columns - k))
  c(rows[best], columns[best])
}

# Curves ----------------------------------------------------------------------

#' ARD: those of the shortest lengthscales; iso: those that move most
#' @noRd
strongest_curves <- function(x, inputs) {
  if (x$kernel$type != "iso") {
    strongest <- utils::head(order(x$kernel$lengthscale), inputs)
    return(lapply(strongest, partial_curve, x))
  }
  curves <- lapply(seq_along(x$blueprint$coding), partial_curve, x)
  move <- vapply(curves, function(curve) diff(range(curve$p)), numeric(1))
  curves[utils::head(order(-move), inputs)]
}

#' Probability of the event along input `j`, averaged over training rows
#'
#' @return list(j, name, levels, value, at, p, latent, X): values of the training rows
#'   and of the curve on the scale of the input (positions of levels for a factor) and
#'   probabilities; what the latter come from.
#' @noRd
partial_curve <- function(j, x) {
  coding <- x$blueprint$coding[[j]]
  value <- decode_features(x$data$X, x$blueprint)[[j]]
  if (is.null(coding$levels)) {
    at <- grid <- seq_padded(value, 60)
  } else {
    value <- match(value, coding$levels)
    grid <- coding$levels
    at <- seq_along(grid)
  }
  rows <- unique(round(seq(1, nobs(x), length.out = min(nobs(x), 50))))
  X <- x$data$X[rep(rows, each = length(at)), , drop = FALSE]
  mine <- blueprint_columns(x$blueprint)$group == j
  X[, mine] <- encode_feature(rep(grid, length(rows)), coding, "")
  latent <- latent_new(x, X, rlang::caller_env())
  p <- stats::pt(latent$m / sqrt(latent$s2), x$spec$df)
  list(
    j = j, name = x$blueprint$columns[j], levels = coding$levels, value = value,
    at = at, p = rowMeans(matrix(p, length(at))), latent = latent, X = X
  )
}

#' Curves with `lower` and `upper`: `NA` without a nugget, for each class is then certain
#' given the latent function
#' @noRd
add_bands <- function(curves, x) {
  if (x$kernel$nugget == 0) {
    none <- function(curve) c(curve, list(lower = NA * curve$p, upper = NA * curve$p))
    return(lapply(curves, none))
  }
  covariance <- latent_covariance(x)
  lapply(curves, function(curve) {
    c(curve, average_band(curve, covariance, x$spec$df))
  })
}

# Drawing ---------------------------------------------------------------------

draw_curves <- function(x, curves, ylab = "", note = "") {
  event <- x$data$y > 0
  for (curve in add_bands(curves, x)) {
    frame <- frame_panel(curve$name, ylab, note = note, levels = curve$levels)
    if (is.null(curve$levels)) {
      draw_panel(frame, range(curve$at), c(0, 1), draw_line(curve, event))
    } else {
      draw_panel(frame, c(0.5, length(curve$at) + 0.5), c(0, 1), draw_points(curve, event))
    }
    note <- ""
  }
}

draw_line <- function(curve, event) {
  graphics::polygon(
    c(curve$at, rev(curve$at)), c(curve$lower, rev(curve$upper)), col = band_colour,
    border = NA
  )
  graphics::abline(h = 0.5, lty = 3)
  graphics::lines(curve$at, curve$p, lwd = 2)
  draw_rugs(curve$value, event)
}

draw_points <- function(curve, event) {
  graphics::rect(
    curve$at - 0.2, curve$lower, curve$at + 0.2, curve$upper, col = band_colour,
    border = NA
  )
  graphics::abline(h = 0.5, lty = 3)
  graphics::points(curve$at, curve$p, pch = 19, cex = 1.3)
  # rows of the same level side by side
  draw_rugs(curve$value + seq(-0.2, 0.2, length.out = length(event)), event)
}

#' Values as ticks: of the event above, of the other class below
#' @noRd
draw_rugs <- function(value, event) {
  graphics::rug(value[!event], side = 1, ticksize = 0.04, quiet = TRUE)
  graphics::rug(value[event], side = 3, ticksize = 0.04, quiet = TRUE)
}

seq_padded <- function(v, length) {
  pad <- 0.06 * diff(range(v))
  if (pad == 0) pad <- 1
  seq(min(v) - pad, max(v) + pad, length.out = length)
}
