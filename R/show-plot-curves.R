# Probability against each of the strongest inputs, with a band.

plot_curves <- function(x, inputs, main) {
  own_page <- all(graphics::par("mfrow") == 1)
  total <- length(x$blueprint$coding)
  curves <- strongest_curves(x, inputs)
  size <- graphics::par("fin")
  if (own_page) {
    page <- fit_page(x, curves, main)
    curves <- utils::head(curves, page$k)
    size <- page$size
    op <- set_panel(
      mfrow = page$grid, cex = page$cex, omi = c(0, 0, page$heading$height, 0)
    )
  } else {
    op <- set_panel()
  }
  on.exit(graphics::par(op))
  curves <- add_bands(curves, x)
  k <- length(curves)
  for (i in seq_len(k)) {
    draw_curve(
      x, curves[[i]], size,
      ylab = if (!own_page) paste("Probability of", x$blueprint$levels[2]) else "",
      note = if (!own_page && i == 1 && k < total) shown_of(k, total) else ""
    )
  }
  if (own_page) {
    graphics::par(cex = 1)
    din <- graphics::par("din")
    draw_heading(page$heading, din[1] / 2, din[2])
  }
}

shown_of <- function(k, total, what = "inputs") {
  paste(k, "of", total, what, "shown")
}

curves_heading <- function(x, main, k, total) {
  levels <- x$blueprint$levels
  if (is.null(main)) main <- paste("Probability of", levels[2])
  note <- c(
    paste0("Ticks: ", levels[2], " above, ", levels[1], " below"),
    if (x$kernel$nugget > 0) "band: 90% interval",
    if (k < total) shown_of(k, total)
  )
  fit_heading(main, paste(note, collapse = "; "), graphics::par("din")[1])
}

# Places on a page ------------------------------------------------------------

#' How many of the curves, the first ones, a page has room for, and where: panels must
#' not be tiny, and the levels of factors must be readable
#'
#' @return list(k, grid, size, cex, heading)
#' @noRd
fit_page <- function(x, curves, main) {
  total <- length(x$blueprint$coding)
  place <- function(k) {
    heading <- curves_heading(x, main, k, total)
    page <- graphics::par("din") - c(0, heading$height)
    grid <- page_grid(k, page)
    size <- page / rev(grid)
    cex <- max(0.55, min(1, size / c(2.6, 2.3)))
    list(k = k, grid = grid, size = size, cex = cex, heading = heading)
  }
  # levels that would not fit below a panel as large as the page do not count
  page <- graphics::par("din") - c(0, curves_heading(x, main, total, total)$height)
  able <- vapply(curves, levels_fit, logical(1), x, page, min(1, page / c(2.6, 2.3)))
  for (k in rev(seq_along(curves))) {
    places <- place(k)
    if (any(places$size < c(1.15, 1.05))) next
    shown <- curves[seq_len(k)][able[seq_len(k)]]
    fits <- vapply(shown, levels_fit, logical(1), x, places$size, places$cex)
    if (all(fits)) break
  }
  places
}

#' Do the levels of a factor fit below its panel?
#' @noRd
levels_fit <- function(curve, x, size, cex) {
  if (x$blueprint$coding[[curve$j]]$kind == "numeric") {
    return(TRUE)
  }
  op <- graphics::par(cex = cex)
  on.exit(graphics::par(op))
  level_frame(x, curve$j, size)$levels$fits
}

#' Rows and columns whose panels are a little wider than high, with few left empty
#' @noRd
page_grid <- function(k, page) {
  columns <- seq_len(k)
  rows <- ceiling(k / columns)
  size <- cbind(page[1] / columns, page[2] / rows)
  cost <- abs(log(size[, 1] / size[, 2] / 1.2)) + 0.15 * (rows * columns - k)
  best <- which.min(cost)
  c(rows[best], columns[best])
}

# Curves ----------------------------------------------------------------------

#' ARD: those of the shortest lengthscales; iso: those that move most
#' @noRd
strongest_curves <- function(x, inputs) {
  columns <- seq_along(x$blueprint$coding)
  if (x$kernel$type != "iso") {
    columns <- utils::head(order(x$kernel$lengthscale), inputs)
  }
  curves <- lapply(columns, partial_curve, x)
  move <- vapply(curves, function(curve) diff(range(curve$p)), numeric(1))
  if (x$kernel$type == "iso") curves <- curves[utils::head(order(-move), inputs)]
  curves
}

#' Probability of the event along input `j`, averaged over training rows
#'
#' @return list(j, at, p, latent, X): values on the scale of the input (positions of
#'   levels for a factor) and probabilities; what the latter come from.
#' @noRd
partial_curve <- function(j, x) {
  coding <- x$blueprint$coding[[j]]
  mine <- blueprint_columns(x$blueprint)$group == j
  if (coding$kind == "numeric") {
    at <- seq_padded(natural_scale(x$data$X[, mine], coding), 60)
    encoded <- matrix((at - coding$center) / coding$scale)
  } else {
    at <- seq_along(coding$levels)
    encoded <- diag(1, length(at))
  }
  rows <- unique(round(seq(1, nobs(x), length.out = min(nobs(x), 50))))
  X <- x$data$X[rep(rows, each = length(at)), , drop = FALSE]
  X[, mine] <- encoded[rep(seq_along(at), length(rows)), ]
  latent <- latent_new(x, X, rlang::caller_env())
  p <- stats::pt(latent$m / sqrt(latent$s2), x$spec$df)
  list(
    j = j, at = at, p = rowMeans(matrix(p, length(at))), latent = latent, X = X
  )
}

#' Curves with `lower` and `upper`, unless there is no nugget: each class is then
#' certain given the latent function
#' @noRd
add_bands <- function(curves, x) {
  if (x$kernel$nugget == 0) {
    return(curves)
  }
  covariance <- latent_covariance(x)
  lapply(curves, function(curve) {
    c(curve, average_band(
      curve$p, curve$latent$m, curve$latent$s2, curve$X, covariance, x$spec$df
    ))
  })
}

# Drawing ---------------------------------------------------------------------

draw_curve <- function(x, curve, size, ylab, note) {
  numeric <- x$blueprint$coding[[curve$j]]$kind == "numeric"
  note <- fit_text(note, 0.96 * size[1], cex = 0.85)
  frame <- if (numeric) {
    frame_panel(x$blueprint$columns[curve$j], ylab, top = note$height, size = size)
  } else {
    level_frame(x, curve$j, size, ylab, note$height)
  }
  graphics::par(mai = frame$mai)
  graphics::plot(
    range(curve$at) + if (numeric) 0 else c(-0.5, 0.5), c(0, 1), type = "n",
    xlab = "", ylab = "", xaxt = if (numeric) "s" else "n",
    xaxs = if (numeric) "r" else "i"
  )
  graphics::abline(h = 0.5, lty = 3)
  if (numeric) draw_line(curve) else draw_points(curve)
  graphics::box()
  draw_rugs(x, curve$j)
  if (!numeric) {
    graphics::axis(1, curve$at, FALSE)
    draw_levels(frame$levels)
  }
  label_panel(frame)
  text_at(mean(edges("npc")[1:2]), edges("nfc")[4], note, adj = c(0.5, 1))
}

#' The frame of a panel with the levels of a factor below it
#' @noRd
level_frame <- function(x, j, size, ylab = "", top = 0) {
  name <- x$blueprint$columns[j]
  frame <- frame_panel(name, ylab, top = top, size = size)
  levels <- fit_levels(
    x$blueprint$coding[[j]]$levels, size[1] - sum(frame$mai[c(2, 4)]), 0.45 * size[2]
  )
  if (levels$every > 1) name <- paste0(name, " (1 of ", levels$every, " levels named)")
  frame <- frame_panel(name, ylab, top = top, below = levels$height, size = size)
  c(frame, list(levels = levels))
}

draw_line <- function(curve) {
  if (!is.null(curve$lower)) {
    graphics::polygon(
      c(curve$at, rev(curve$at)), c(curve$lower, rev(curve$upper)),
      col = band_colour, border = NA
    )
    graphics::abline(h = 0.5, lty = 3)
  }
  graphics::lines(curve$at, curve$p, lwd = 2)
}

draw_points <- function(curve) {
  if (!is.null(curve$lower)) {
    graphics::rect(
      curve$at - 0.2, curve$lower, curve$at + 0.2, curve$upper,
      col = band_colour, border = NA
    )
    graphics::abline(h = 0.5, lty = 3)
  }
  graphics::points(curve$at, curve$p, pch = 19, cex = 1.3)
}

#' Training values as ticks: the event above, the other class below
#' @noRd
draw_rugs <- function(x, j) {
  coding <- x$blueprint$coding[[j]]
  mine <- blueprint_columns(x$blueprint)$group == j
  if (coding$kind == "numeric") {
    value <- natural_scale(x$data$X[, mine], coding)
  } else {
    value <- max.col(x$data$X[, mine, drop = FALSE], "first")
    value <- value + seq(-0.2, 0.2, length.out = nobs(x))
  }
  graphics::rug(value[x$data$y < 0], side = 1, ticksize = 0.04, quiet = TRUE)
  graphics::rug(value[x$data$y > 0], side = 3, ticksize = 0.04, quiet = TRUE)
}

# Names of levels -------------------------------------------------------------

#' Names of levels below their points: side by side, else upright, else smaller; in
#' the last resort some are left out or lose their middle, so that those that remain
#' can be read
#'
#' @param width of the axis. @param room height there is for them.
#' @return list(fitted, upright, height, every, fits): every m-th level is named.
#' @noRd
fit_levels <- function(levels, width, room) {
  slot <- width / length(levels)
  level <- fit_text(levels, 0.92 * slot, lines = 1, least = 0.85)
  if (!level$fits) level <- fit_text(levels, 0.92 * slot, lines = 3, least = 0.75)
  if (level$fits && level$height <= room) {
    return(list(
      fitted = level, upright = FALSE, height = level$height, every = 1, fits = TRUE
    ))
  }
  # relative to a panel's size of text, which is small where there are many
  least <- min(1, max(0.5, 0.45 / graphics::par("cex")))
  for (cex in seq(1, least, by = -0.05)) {
    lines <- floor(slot / line_height(cex))
    if (lines < 1) next
    upright <- fit_text(levels, room, lines, cex, cex)
    if (upright$fits) {
      return(list(
        fitted = upright, upright = TRUE, height = upright$width, every = 1, fits = TRUE
      ))
    }
  }
  every <- ceiling(line_height(least) / slot)
  upright <- fit_text(levels, Inf, 1, least, least)
  upright$text <- shorten(levels, room, least)
  upright$text[seq_along(levels) %% every != 1 %% every] <- ""
  list(
    fitted = upright, upright = TRUE, height = max(text_width(upright$text, least)),
    every = every, fits = FALSE
  )
}

draw_levels <- function(levels) {
  panel <- edges("npc")
  k <- length(levels$fitted$text)
  at <- panel[1] + (seq_len(k) - 0.5) / k * diff(panel[1:2])
  y <- panel[3] - line_height(0.6)
  if (levels$upright) {
    text_at(at, y, levels$fitted, srt = 90, adj = c(1, 0.5))
  } else {
    text_at(at, y, levels$fitted, adj = c(0.5, 1))
  }
}
