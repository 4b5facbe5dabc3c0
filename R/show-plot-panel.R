# A panel: measured first, so that its margins hold the texts around it, then drawn.
# All lengths are in inches of the open device.

# light to dark, so that it reads in grey; the ring is Okabe and Ito's vermilion
surface_colours <- c("#FBF7EE", "#A9CCE3", "#2E86C1")
ring_colour <- "#D55E00"
band_colour <- "grey85"
# of two classes the first two
class_symbols <- rep(c(21, 24, 22, 23, 25), 4)
class_fills <- rep(c("white", "black", "grey60", "grey85"), 5)

#' Margins of a panel and the texts that go into them
#'
#' @param key rows of key_entry(). @param left width of what stands along the left
#'   axis. @param levels names below the positions 1, 2, ... instead of numbers.
#' @noRd
frame_panel <- function(xlab, ylab = "", main = "", note = "", key = NULL,
                        left = text_width("0.0"), levels = NULL) {
  line <- line_height()
  size <- graphics::par("fin")
  heading <- fit_heading(main, note, size[1])
  if (!is.null(key)) key <- fit_key(key, 0.96 * size[1])
  top <- heading$height + max(key$height, 0)
  y <- fit_text(ylab, size[2] - top - 4 * line)
  left <- left + y$height + line
  width <- size[1] - left - line
  if (!is.null(levels)) {
    levels <- fit_levels(levels, width, 0.45 * size[2])
    if (levels$every > 1) xlab <- paste0(xlab, " (1 of ", levels$every, " levels named)")
  }
  x <- fit_text(xlab, width)
  below <- max(levels$below, line * is.null(levels))
  list(
    mai = c(below + x$height + 1.1 * line, left, top + 0.4 * line, line),
    x = x, y = y, heading = heading, key = key, levels = levels
  )
}

#' Draws a panel and restores the graphical parameters
#'
#' @param contents code that draws into the panel once its axes are there.
#' @noRd
draw_panel <- function(frame, xlim, ylim, contents, pty = "m", ...) {
  # margins in lines, as a page that is divided again wants them
  old <- graphics::par("mar", "las", "mgp", "tcl", "pty")
  on.exit(graphics::par(old))
  graphics::par(mai = frame$mai, las = 1, mgp = c(3, 0.5, 0), tcl = -0.3, pty = pty)
  graphics::plot(
    xlim, ylim, type = "n", xlab = "", ylab = "",
    xaxt = if (is.null(frame$levels)) "s" else "n", ...
  )
  force(contents)
  graphics::box()
  if (!is.null(frame$levels)) draw_levels(frame$levels)
  # from the panel's edges, for a square one may stand in the middle of its figure
  panel <- edges("npc")
  gap <- line_height(0.3)
  text_at(mean(panel$x), panel$y[1] - frame$mai[1] + gap, frame$x, adj = c(0.5, 0))
  text_at(
    panel$x[1] - frame$mai[2] + gap + frame$y$height / 2, mean(panel$y), frame$y,
    srt = 90
  )
  if (!is.null(frame$key)) draw_key(frame$key)
  figure <- edges("nfc")
  draw_heading(frame$heading, mean(figure$x), figure$y[2])
}

#' Left and right, bottom and top of the panel, with or without its margins
#' @noRd
edges <- function(of) {
  list(
    x = graphics::grconvertX(0:1, of, "inches"),
    y = graphics::grconvertY(0:1, of, "inches")
  )
}

#' Text at a place in inches from the lower left corner of the page
#' @noRd
text_at <- function(x, y, fitted, ...) {
  graphics::text(
    graphics::grconvertX(x, "inches", "user"),
    graphics::grconvertY(y, "inches", "user"),
    fitted$text, cex = fitted$cex, font = fitted$font, xpd = NA, ...
  )
}

#' Names left of the panel, at 1, 2, ...
#' @noRd
draw_rows <- function(rows) {
  at <- graphics::grconvertY(seq_along(rows$text), "user", "inches")
  text_at(edges("npc")$x[1] - line_height(0.4), at, rows, adj = c(1, 0.5))
}

#' The axis of a factor
#' @noRd
draw_levels <- function(levels) {
  at <- seq_along(levels$text)
  graphics::axis(1, at, FALSE)
  text_at(
    graphics::grconvertX(at, "user", "inches"),
    edges("npc")$y[1] - line_height(0.6), levels, srt = levels$srt,
    adj = if (levels$srt == 0) c(0.5, 1) else c(1, 0.5)
  )
}

# A heading -------------------------------------------------------------------

fit_heading <- function(main, note, width) {
  title <- fit_text(paste(main, collapse = " "), 0.96 * width, cex = 1.1, font = 2)
  note <- fit_text(note, 0.96 * width, cex = 0.85, least = 0.65)
  texts <- Filter(function(text) text$height > 0, list(title, note))
  gap <- line_height(0.4)
  list(
    texts = texts, gap = gap,
    height = sum(vapply(texts, function(text) gap + text$height, 0))
  )
}

#' @param top height in inches of its upper edge.
#' @noRd
draw_heading <- function(heading, middle, top) {
  for (text in heading$texts) {
    text_at(middle, top - heading$gap, text, adj = c(0.5, 1))
    top <- top - heading$gap - text$height
  }
}

# A key -----------------------------------------------------------------------

key_entry <- function(text, pch = NA, bg = NA, col = "black", lty = NA, lwd = 1,
                      size = 1) {
  data.frame(text, pch, bg, col, lty, lwd, size)
}

#' A key above a panel: on two lines if need be in smaller print, else on more
#' @noRd
fit_key <- function(key, width) {
  n <- nrow(key)
  for (cex in c(0.8, 0.7, 0.6)) {
    symbol <- 3 * text_width("M", cex)
    rows <- ceiling(n / max(1, floor(width / (text_width(key$text, cex) + symbol))))
    if (rows <= 2) break
  }
  columns <- ceiling(n / rows)
  fitted <- fit_text(key$text, width / columns - symbol, cex = cex, least = 0.6)
  key$text <- fitted$text
  list(
    entries = key, cex = fitted$cex, columns = columns,
    height = rows * fitted$height + line_height(fitted$cex)
  )
}

draw_key <- function(key) {
  entry <- key$entries
  graphics::legend(
    graphics::grconvertX(0.5, "nfc", "user"), graphics::grconvertY(1, "npc", "user"),
    entry$text, pch = entry$pch, pt.bg = entry$bg, col = entry$col, lty = entry$lty,
    lwd = entry$lwd, pt.cex = entry$size * key$cex, cex = key$cex, ncol = key$columns,
    xjust = 0.5, yjust = 0, seg.len = 1.2, x.intersp = 0.6, bty = "n", xpd = NA
  )
}
