# A panel in base graphics: measured first, so that its margins hold the texts around it, then
# drawn. All lengths are in inches of the open device.

#' Margins of a panel and the texts that go into them: on a small page less of the heading, in
#' the last resort none of it and no labels of the axes
#'
#' @param key as of new_picture(). @param ylab in the place of that of its axis.
#' @return `NULL` where not even the marks have room.
#' @noRd
frame_panel <- function(panel, main = "", note = "", key = NULL, ylab = panel$y$label) {
  size <- graphics::par("fin")
  for (share in c(0.5, 0.3, 0)) { # of the height, for the heading
    heading <- fit_heading(main, note, key, size[1], share * size[2])
    frame <- frame_axes(panel, heading, if (share > 0) c(panel$x$label, ylab) else c("", ""))
    margins <- c(sum(frame$mai[c(2, 4)]), sum(frame$mai[c(1, 3)]))
    if (all(size - margins > 0.3)) {
      return(frame)
    }
  }
}

#' @param labels of the horizontal and the vertical axis.
#' @noRd
frame_axes <- function(panel, heading, labels) {
  line <- line_height()
  size <- graphics::par("fin")
  y <- fit_text(labels[2], size[2] - heading$height - 4 * line)
  rows <- if (!is.null(panel$y$levels)) {
    below <- if (is.null(panel$x$levels)) 4 * line else 0.55 * size[2]
    fit_side(panel$y$levels, size[1], size[2] - heading$height - below)
  }
  left <- y$height + line + if (is.null(rows)) text_width(panel$y$words) else rows$width
  width <- size[1] - left - line
  levels <- if (!is.null(panel$x$levels)) fit_levels_low(panel$x$levels, width, size[2])
  if (isTRUE(levels$every > 1)) {
    labels[1] <- paste0(labels[1], " (one in ", levels$every, " levels named)")
  }
  x <- fit_text(labels[1], width)
  below <- if (is.null(levels)) line else levels$below
  list(
    mai = c(below + x$height + 1.1 * line, left, heading$height + 0.4 * line, line),
    x = x, y = y, heading = heading, levels = levels, rows = rows
  )
}

#' Names along the left of a page or a panel, in its width and height
#' @noRd
fit_side <- function(names, width, height, least = 0.5) {
  fit_names(names, 0.45 * width, height / length(names), least)
}

#' How many of some names, the first ones, a panel has room for
#' @noRd
names_with_room <- function(names) {
  size <- graphics::par("fin")
  room <- size[2] - line_height(7)
  for (k in max(1, min(length(names), floor(room / line_height(0.6)))):1) {
    if (fit_side(names[seq_len(k)], size[1], room, least = 0.6)$fits) break
  }
  k
}

#' Draws a panel, and leaves the graphical parameters to draw_picture()
#' @noRd
draw_panel <- function(panel, frame) {
  graphics::par(
    mai = frame$mai, las = 1, mgp = c(3, 0.5, 0), tcl = -0.3,
    pty = if (panel$square) "s" else "m", xaxs = "i", yaxs = "i"
  )
  graphics::plot(panel$x$range, panel$y$range, type = "n", axes = FALSE, xlab = "", ylab = "")
  for (layer in panel$layers) {
    for (data in by_meaning(layer$data)) draw_marks(layer$kind, data, looks[data$meaning[1], ])
  }
  graphics::box()
  draw_axes(panel, frame)
  # from the panel's edges, for a square one may stand in the middle of its figure
  inner <- edges("npc")
  gap <- line_height(0.3)
  text_at(mean(inner$x), inner$y[1] - frame$mai[1] + gap, frame$x, adj = c(0.5, 0))
  text_at(
    inner$x[1] - frame$mai[2] + gap + frame$y$height / 2, mean(inner$y), frame$y, srt = 90
  )
  figure <- edges("nfc")
  draw_heading(frame$heading, mean(figure$x), figure$y[2])
}

draw_axes <- function(panel, frame) {
  inner <- edges("npc")
  if (is.null(frame$levels)) {
    graphics::axis(1, panel$x$ticks, panel$x$words)
  } else {
    levels <- frame$levels
    at <- seq_along(levels$text)
    graphics::axis(1, at, FALSE)
    text_at(
      graphics::grconvertX(at, "user", "inches"), inner$y[1] - line_height(0.6), levels,
      srt = levels$srt, adj = if (levels$srt == 0) c(0.5, 1) else c(1, 0.5)
    )
  }
  if (is.null(panel$y$levels)) {
    graphics::axis(2, panel$y$ticks, panel$y$words)
  } else if (!is.null(frame$rows)) {
    at <- graphics::grconvertY(seq_along(frame$rows$text), "user", "inches")
    text_at(inner$x[1] - line_height(0.4), at, frame$rows, adj = c(1, 0.5))
  }
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
    graphics::grconvertX(x, "inches", "user"), graphics::grconvertY(y, "inches", "user"),
    fitted$text, cex = fitted$cex, font = fitted$font, xpd = NA, ...
  )
}

# Marks -----------------------------------------------------------------------

#' Marks of one meaning
#' @noRd
draw_marks <- function(kind, data, look) {
  usr <- graphics::par("usr")
  x <- pmin(pmax(data$x, usr[1]), usr[2])
  y <- pmin(pmax(data$y, usr[3]), usr[4])
  # NA between parts
  parted <- function(v) utils::head(unlist(lapply(split(v, data$part), c, NA)), -1)
  switch(kind,
    point = graphics::points(
      data$x, data$y, pch = look$pch, col = look$col, bg = look$fill, cex = look$size,
      lwd = look$lwd
    ),
    path = graphics::lines(
      parted(x), parted(y), col = look$col, lty = look$lty, lwd = look$lwd
    ),
    area = {
      fill <- data$fill[!duplicated(data$part)]
      graphics::polygon(
        parted(x), parted(y), col = ifelse(is.na(fill), look$fill, fill), border = look$col
      )
    },
    raster = draw_raster(data),
    name = draw_names(data),
    entry = {
      room <- 0.9 / max(graphics::strwidth(data$words))
      graphics::text(x, y, data$words, cex = min(0.9, room))
    }
  )
}

#' Colours at the places of a grid
#' @noRd
draw_raster <- function(data) {
  x <- unique(data$x)
  y <- unique(data$y)
  colours <- matrix(data$fill, length(x))
  half <- c(diff(x[1:2]), diff(y[1:2])) / 2
  # rows of a raster run down
  graphics::rasterImage(
    t(colours)[rev(seq_along(y)), ], min(x) - half[1], min(y) - half[2], max(x) + half[1],
    max(y) + half[2]
  )
}

#' Names of points, upright, for these are close to each other; the short names where one of
#' the others is too long
#' @noRd
draw_names <- function(data) {
  gap <- line_height(0.5)
  cex <- max(0.5, min(0.75, 1 / graphics::xinch(line_height())))
  room <- data$room / graphics::yinch() - 2 * gap
  wide <- any(graphics::strwidth(data$words, "inches", cex = cex) > room)
  y <- data$y + graphics::yinch(ifelse(data$down, -gap, gap))
  for (side in unique(data$down)) { # adj takes one value
    mine <- data$down == side
    graphics::text(
      data$x[mine], y[mine], if (wide) data$short[mine] else data$words[mine], cex = cex,
      srt = 90, adj = c(side, 0.5), xpd = NA
    )
  }
}

# A heading -------------------------------------------------------------------

#' Title, note and key above a panel or a page, without those for which the height is too small
#' @noRd
fit_heading <- function(main, note, key, width, height) {
  width <- 0.96 * width
  gap <- line_height(0.4)
  parts <- list(
    title = fit_text(paste(main, collapse = " "), width, cex = 1.1, font = 2),
    note = fit_text(paste(note, collapse = "; "), width, cex = 0.85, least = 0.65),
    key = if (!is.null(key)) fit_key(key, width)
  )
  for (without in c("", "note", "key", "title")) {
    parts <- parts[names(parts) != without]
    texts <- Filter(function(text) text$height > 0, parts[names(parts) != "key"])
    needed <- sum(vapply(texts, function(text) gap + text$height, 0), parts$key$height)
    if (needed <= height) break
  }
  list(texts = texts, gap = gap, key = parts$key, height = needed)
}

#' @param top height in inches of its upper edge.
#' @noRd
draw_heading <- function(heading, middle, top) {
  if (!is.null(heading$key)) draw_key(heading$key, middle, top - heading$height)
  for (text in heading$texts) {
    text_at(middle, top - heading$gap, text, adj = c(0.5, 1))
    top <- top - heading$gap - text$height
  }
}

key_gap <- 0.8 # between a text and the next symbol, in letters M

#' A key above a panel: on two lines if need be in smaller print, else on more
#' @noRd
fit_key <- function(key, width) {
  n <- length(key)
  for (cex in c(0.8, 0.7, 0.6)) {
    symbol <- (3 + key_gap) * text_width("M", cex)
    rows <- ceiling(n / max(1, floor(width / (text_width(names(key), cex) + symbol))))
    if (rows <= 2) break
  }
  columns <- ceiling(n / rows)
  fitted <- fit_text(names(key), width / columns - symbol, cex = cex, least = 0.6)
  list(
    text = fitted$text, looks = looks[key, ], cex = fitted$cex, columns = columns,
    height = rows * fitted$height + line_height(fitted$cex)
  )
}

draw_key <- function(key, middle, bottom) {
  look <- key$looks
  wide <- text_width(key$text, key$cex) + key_gap * text_width("M", key$cex)
  graphics::legend(
    graphics::grconvertX(middle, "inches", "user"),
    graphics::grconvertY(bottom, "inches", "user"), key$text, pch = look$pch,
    pt.bg = look$fill, col = look$col, lty = look$lty, lwd = look$lwd,
    pt.cex = pmin(look$size, 1.8) * key$cex, cex = key$cex, ncol = key$columns, xjust = 0.5,
    yjust = 0, seg.len = 1.6, x.intersp = 0.6, bty = "n", xpd = NA,
    text.width = diff(graphics::grconvertX(c(0, wide), "inches", "user"))
  )
}
