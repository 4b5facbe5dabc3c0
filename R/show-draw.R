# A picture in base graphics: one panel, or a page that is divided for several.

#' Draws a picture and restores the graphical parameters
#' @param main title in the place of its own, or `NULL`.
#' @noRd
draw_picture <- function(picture, main = NULL) {
  if (!is.null(main)) picture$title <- main
  # margins in lines, as a page that is divided again wants them
  old <- graphics::par("mar", "las", "mgp", "tcl", "pty", "xaxs", "yaxs")
  on.exit(graphics::par(old))
  panels <- picture$panels
  many <- length(panels) > 1
  own <- many && all(graphics::par("mfrow") == 1)
  if (own) {
    old <- c(graphics::par("mfrow", "cex", "oma"), old) # in this order: mfrow changes cex
    page <- fit_page(picture)
  }
  note <- picture_note(picture, length(panels))
  for (k in seq_len(if (own) page$k else length(panels))) {
    frame <- if (own) {
      page$frames[[k]]
    } else if (!many) {
      frame_panel(panels[[k]], picture$title, note, picture$key)
    } else { # the page is the user's: the title goes to the axes, the rest to the first panel
      frame_panel(
        panels[[k]], note = if (k == 1) setdiff(note, picture$note),
        key = if (k == 1) picture$key, ylab = if (picture$across) "" else picture$title
      )
    }
    must(
      !is.null(frame), NULL, "have room for a panel, about an inch each way", "page",
      of = "The page"
    )
    draw_panel(panels[[k]], frame)
  }
  if (own) {
    graphics::par(cex = 1)
    din <- graphics::par("din")
    draw_heading(page$heading, din[1] / 2, din[2])
  }
}

#' The note of a picture with its first `k` panels
#' @noRd
picture_note <- function(picture, k) {
  total <- picture$of$total
  c(picture$note, if (!is.null(total) && k < total) shown_of(k, total, picture$of$what))
}

#' Divides the page for as many of the panels, the first ones, as it has room for: they must
#' not be tiny, and the levels of factors must be readable
#'
#' @return list(k, heading, frames)
#' @noRd
fit_page <- function(picture) {
  panels <- picture$panels
  divide <- function(k) {
    graphics::par(mfrow = c(1, 1), cex = 1)
    page <- graphics::par("din")
    heading <- fit_heading(
      picture$title, picture_note(picture, k), picture$key, page[1], page[2] / 2
    )
    page[2] <- page[2] - heading$height
    grid <- if (picture$across) c(1, k) else page_grid(k, page)
    size <- page / rev(grid)
    graphics::par(omi = c(0, 0, heading$height, 0), mfrow = grid)
    graphics::par(cex = max(0.55, min(1, size / c(2.6, 2.3))))
    roomy <- all(size >= c(1.15, 1.05))
    frames <- if (roomy || k == 1 || is.null(picture$of)) lapply(panels, frame_panel)
    if (picture$across) frames <- level_frames(frames)
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

#' Panels side by side stand on one line
#' @noRd
level_frames <- function(frames) {
  bottom <- max(vapply(frames, function(frame) max(frame$mai[1], 0), 0))
  lapply(frames, function(frame) if (!is.null(frame)) utils::modifyList(frame, list(
    mai = replace(frame$mai, 1, bottom)
  )))
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
