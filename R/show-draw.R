# A picture in base graphics: one panel, or a page that is divided for several.

#' Draws a picture and restores the graphical parameters
#' @param main title in the place of its own, or `NULL`.
#' @noRd
draw_picture <- function(picture, main = NULL, call = rlang::caller_env()) {
  if (!is.null(main)) picture$title <- main
  # margins in lines, as a page that is divided again wants them
  old <- graphics::par("mar", "las", "mgp", "tcl", "pty", "xaxs", "yaxs")
  on.exit(graphics::par(old))
  panels <- picture$panels
  note <- picture_note(picture, length(panels))
  draw <- function(panel, frame) {
    must(
      !is.null(frame), NULL, "have room for a panel, about an inch each way", "page",
      of = "The page", call = call
    )
    draw_panel(panel, frame)
  }
  if (length(panels) == 1) {
    return(draw(panels[[1]], frame_panel(panels[[1]], picture$title, note, picture$key)))
  }
  if (any(graphics::par("mfrow") != 1)) {
    # the page is the user's: the title goes to the axes, the rest to the first panel
    for (k in seq_along(panels)) {
      draw(panels[[k]], frame_panel(
        panels[[k]], note = if (k == 1) setdiff(note, picture$note),
        key = if (k == 1) picture$key,
        ylab = if (is.null(panels[[k]]$y$levels)) picture$title else ""
      ))
    }
    return(invisible())
  }
  old <- c(graphics::par("mfrow", "cex", "oma"), old) # in this order: mfrow changes cex
  page <- fit_page(picture)
  for (k in seq_len(page$k)) draw(panels[[k]], page$frames[[k]])
  graphics::par(cex = 1)
  din <- graphics::par("din")
  draw_heading(page$heading, din[1] / 2, din[2])
}

#' The note of a picture with its first `k` panels
#' @noRd
picture_note <- function(picture, k) {
  total <- picture$of$total
  c(picture$note, if (!is.null(total) && k < total) shown_of(k, total, picture$of$what))
}

#' Divides the page for as many of the panels, the first ones, as it has room for: they must
#' not be tiny, and the levels of factors must be readable. Panels whose rows have names, the
#' same ones, stand side by side
#'
#' @return list(k, heading, frames)
#' @noRd
fit_page <- function(picture) {
  panels <- picture$panels
  names <- panels[[1]]$y$levels
  divide <- function(k) {
    graphics::par(mfrow = c(1, 1), cex = 1)
    page <- graphics::par("din")
    heading <- fit_heading(
      picture$title, picture_note(picture, k), picture$key, page[1], page[2] / 2
    )
    page[2] <- page[2] - heading$height
    rows <- if (!is.null(names)) fit_side(names, page[1], page[2] - line_height(4))
    page[1] <- page[1] - max(rows$width, 0)
    grid <- if (is.null(names)) page_grid(k, page) else c(1, k)
    size <- page / rev(grid)
    graphics::par(omi = c(0, max(rows$width, 0), heading$height, 0), mfrow = grid)
    if (is.null(names)) graphics::par(cex = max(0.55, min(1, size / c(2.6, 2.3))))
    roomy <- all(size >= c(1.15, 1.05))
    frames <- if (roomy || k == 1 || is.null(picture$of)) {
      Map(page_frame, panels, list(rows), seq_along(panels) == 1)
    }
    fits <- vapply(frames, function(frame) is.null(frame$levels) || frame$levels$fits, NA)
    list(k = k, heading = heading, frames = frames, roomy = roomy, fits = fits)
  }
  most <- length(panels)
  if (is.null(picture$of)) {
    return(divide(most))
  }
  # levels that would not fit below a panel as large as the page do not count
  able <- divide(1)$fits
  for (k in rev(seq_len(most))) {
    page <- divide(k)
    if (page$roomy && all((page$fits | !able)[seq_len(k)])) break
  }
  page
}

#' Of panels with names of rows, the names stand left of the first, in the margin of the page
#' @noRd
page_frame <- function(panel, rows, first) {
  if (!is.null(rows)) panel$y <- new_axis("", panel$y$range, ticks = numeric())
  frame <- frame_panel(panel)
  if (first && !is.null(frame)) frame$rows <- rows
  frame
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
