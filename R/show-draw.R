# A picture in base graphics: one panel, or a page that is divided for several.

#' Draws a picture and restores the graphical parameters
#' @param main title in the place of its own, or `NULL`.
#' @noRd
draw_picture <- function(picture, main) {
  fits <- rlang::is_string(main) && validEnc(main) && nchar(main) <= 1000
  must(is.null(main) || fits, "main", "be one string of at most 1000 characters", got = main)
  if (!is.null(main)) picture$title <- main
  old <- graphics::par("mar", "las", "mgp", "tcl", "pty", "xaxs", "yaxs")
  divides <- length(picture$panels) > 1 && all(graphics::par("mfrow") == 1)
  # in this order: mfrow changes cex
  if (divides) old <- c(graphics::par("mfrow", "cex", "oma"), old)
  on.exit(graphics::par(old))
  if (divides) {
    return(draw_page(picture))
  }
  # one panel, or several on a page that the user has divided: the first has the heading of all
  panels <- picture$panels
  draw_panel(panels[[1]], with_note(picture, length(panels)))
  for (panel in panels[-1]) draw_panel(panel)
}

#' Panels on a page that is divided for them, under one heading: of those that need not all be shown as many, the
#' first ones, as are not tiny there
#' @noRd
draw_page <- function(picture) {
  graphics::par(mfrow = c(1, 1), cex = 1)
  page <- graphics::par("din")
  k <- length(picture$panels)
  if (!is.null(picture$of)) k <- min(k, max(1, prod(floor(page / 1.8))))
  heading <- fit_heading(with_note(picture, k), page[1], page[2] / 2)
  below <- page - c(0, heading$height)
  grid <- if (picture$across) c(1, k) else page_grid(k, below)
  graphics::par(omi = c(0, 0, heading$height, 0), mfrow = grid)
  graphics::par(cex = max(0.55, min(1, below / rev(grid) / c(2.6, 2.3)))) # smaller letters on small panels
  for (panel in picture$panels[seq_len(k)]) draw_panel(panel)
  graphics::par(cex = 1)
  draw_heading(heading, page[1] / 2, page[2])
}

#' A picture whose note says how many of all the panels there are
#' @noRd
with_note <- function(picture, k) {
  total <- picture$of$total
  if (isTRUE(k < total)) picture$note <- c(picture$note, shown_of(k, total, picture$of$what))
  picture
}

#' Rows and columns that leave panels about as high as they are wide, and few places empty
#' @noRd
page_grid <- function(k, page) {
  columns <- seq_len(k)
  rows <- ceiling(k / columns)
  shape <- (page[1] / columns) / (page[2] / rows)
  empty <- rows * columns - k
  best <- which.min(abs(log(shape / 1.2)) + 0.15 * empty)
  c(rows[best], columns[best])
}

# A panel ---------------------------------------------------------------------

#' @param picture whose heading stands over the panel, or `NULL`.
#' @noRd
draw_panel <- function(panel, picture = NULL) {
  text <- panel_text(panel, picture)
  graphics::par(
    mai = text$margins, pty = if (panel$square) "s" else "m", las = 1, mgp = c(3, 0.5, 0),
    tcl = -0.3, xaxs = "i", yaxs = "i"
  )
  graphics::plot(panel$x$range, panel$y$range, type = "n", axes = FALSE, xlab = "", ylab = "")
  for (layer in panel$layers) {
    for (data in by_meaning(layer$data)) draw_marks(layer$kind, data)
  }
  graphics::box()
  x <- text$x_ticks
  y <- text$y_ticks
  graphics::axis(1, panel$x$ticks, x$words, las = x$las, cex.axis = x$cex)
  graphics::axis(2, panel$y$ticks, y$words, tick = is.null(panel$y$levels), cex.axis = y$cex)
  plot <- edges("npc")
  figure <- edges("nfc")
  gap <- line_height(0.3)
  text_at(mean(plot$x), plot$y[1] - text$margins[1] + gap, text$x_label, adj = c(0.5, 0))
  left <- plot$x[1] - text$margins[2] + gap
  text_at(left + text$y_label$height / 2, mean(plot$y), text$y_label, srt = 90)
  draw_heading(text$heading, mean(figure$x), figure$y[2])
}

#' The text around a panel, fitted to the figure, and the margins that it needs
#'
#' The heading may have half of the height, or less; at last it goes, and the labels of the axes.
#' @return list(heading, x_label, y_label, x_ticks, y_ticks, margins in inches)
#' @noRd
panel_text <- function(panel, picture) {
  figure <- graphics::par("fin")
  line <- line_height()
  y_ticks <- fit_ticks_beside(panel$y$words, 0.45 * figure[1], 0.7 * figure[2])
  for (share in c(0.5, 0.3, 0)) {
    heading <- fit_heading(picture, figure[1], share * figure[2])
    labels <- if (share > 0) c(panel$x$label, panel$y$label) else c("", "")
    y_label <- fit_text(labels[2], figure[2] - heading$height - 4 * line)
    left <- y_ticks$reach + y_label$height + line
    width <- figure[1] - left - line
    x_ticks <- fit_ticks_below(panel$x, width, 0.4 * figure[2])
    x_label <- fit_text(labels[1], width)
    below <- x_ticks$reach + x_label$height + 1.1 * line
    above <- heading$height + 0.4 * line
    if (width > 0.3 && figure[2] - (below + above) > 0.3) {
      return(list(
        heading = heading, x_label = x_label, y_label = y_label, x_ticks = x_ticks,
        y_ticks = y_ticks, margins = c(below, left, above, line)
      ))
    }
  }
  abort_sturdy("The page must have room for a panel, about an inch each way.", "page")
}

#' Where the plot ("npc") or its figure ("nfc") begins and ends, in inches
#' @noRd
edges <- function(of) {
  list(x = graphics::grconvertX(0:1, of, "inches"), y = graphics::grconvertY(0:1, of, "inches"))
}

#' Text at places in inches, wherever in the figure they are
#' @noRd
text_at <- function(x, y, fitted, ...) {
  graphics::text(
    graphics::grconvertX(x, "inches", "user"), graphics::grconvertY(y, "inches", "user"),
    fitted$text, cex = fitted$cex, font = fitted$font, xpd = NA, ...
  )
}

#' The marks of one kind and meaning
#' @noRd
draw_marks <- function(kind, data) {
  look <- looks[data$meaning[1], ]
  usr <- graphics::par("usr")
  x <- pmin(pmax(data$x, usr[1]), usr[2]) # infinite ends are those of the panel
  y <- pmin(pmax(data$y, usr[3]), usr[4])
  # lines and polygons in one call each: NA ends a part
  parted <- function(v) utils::head(unlist(lapply(split(v, data$part), c, NA)), -1)
  switch(kind,
    point = graphics::points(
      data$x, data$y, pch = look$pch, col = look$col, bg = look$fill, cex = look$size,
      lwd = look$lwd
    ),
    path = graphics::lines(parted(x), parted(y), col = look$col, lty = look$lty, lwd = look$lwd),
    area = {
      fill <- data$fill[!duplicated(data$part)]
      graphics::polygon(parted(x), parted(y), col = ifelse(is.na(fill), look$fill, fill), border = look$col)
    },
    raster = draw_raster(data),
    name = draw_names(data),
    entry = {
      room <- 0.9 / max(graphics::strwidth(data$words))
      graphics::text(x, y, data$words, cex = min(0.9, room))
    }
  )
}

#' Colours of a grid: an image has its rows from the top, and ends half a cell beyond the points
#' @noRd
draw_raster <- function(data) {
  x <- unique(data$x)
  y <- unique(data$y)
  image <- t(matrix(data$fill, length(x)))[rev(seq_along(y)), ]
  half <- c(diff(x[1:2]), diff(y[1:2])) / 2
  graphics::rasterImage(image, min(x) - half[1], min(y) - half[2], max(x) + half[1], max(y) + half[2])
}

#' Names upright above or below points, short ones where the others have no room
#' @noRd
draw_names <- function(data) {
  cex <- max(0.5, min(0.75, 1 / graphics::xinch(line_height())))
  gap <- line_height(0.5)
  room <- data$room / graphics::yinch() - 2 * gap
  wide <- any(graphics::strwidth(data$words, "inches", cex = cex) > room)
  words <- if (wide) data$short else data$words
  for (down in unique(data$down)) { # adj takes one value
    mine <- data$down == down
    y <- data$y[mine] + graphics::yinch(if (down) -gap else gap)
    graphics::text(data$x[mine], y, words[mine], cex = cex, srt = 90, adj = c(down, 0.5), xpd = NA)
  }
}

# Text that fits --------------------------------------------------------------

line_height <- function(cex = 1) diff(graphics::strheight(c("M", "M\nM"), "inches", cex = cex))

text_width <- function(text, cex = 1, font = 1) {
  max(graphics::strwidth(text, "inches", cex = cex, font = font), 0)
}

#' A text on as many lines as it takes in a width, smaller where a word is wider
#' @return list(text, cex, font, height)
#' @noRd
fit_text <- function(text, width, cex = 1, font = 1) {
  letter <- 1.05 * text_width(text, cex, font) / max(nchar(text), 1)
  text <- paste(strwrap(text, max(width / max(letter, 0.01), 8)), collapse = "\n")
  widest <- text_width(text, cex, font)
  if (widest > width) cex <- max(0.5, cex * width / widest)
  lines <- lengths(strsplit(text, "\n", fixed = TRUE))
  list(text = text, cex = cex, font = font, height = lines * line_height(cex))
}

#' Names beside an axis, each in its share of the length, without their middle where they are wider
#' than there is room
#' @return list(words, cex, reach: their width)
#' @noRd
fit_ticks_beside <- function(words, room, length) {
  cex <- max(0.5, min(1, length / length(words) / line_height()))
  wide <- text_width(words, cex)
  if (wide > room) words <- shorter(words, max(floor(room * max(nchar(words)) / wide), 5)) # letters
  list(words = words, cex = cex, reach = min(text_width(words, cex), room))
}

#' Names below an axis: numbers, or levels, upright where they are wider than their places
#' @noRd
fit_ticks_below <- function(axis, width, room) {
  if (is.null(axis$levels) || text_width(axis$levels) < 0.92 * width / length(axis$levels)) {
    return(list(words = axis$words, cex = 1, las = 1, reach = line_height()))
  }
  c(fit_ticks_beside(axis$levels, room, max(width, 0.1)), las = 2)
}

# The heading -----------------------------------------------------------------

#' Title, note and key of a picture in so many inches; where it would be higher, without note or key
#' @noRd
fit_heading <- function(picture, width, height) {
  width <- 0.96 * width
  parts <- list(
    title = fit_text(paste(picture$title, collapse = " "), width, 1.1, font = 2),
    note = fit_text(paste(picture$note, collapse = "; "), width, 0.85),
    key = if (length(picture$key)) fit_key(picture$key, width)
  )
  for (without in c("", "note", "key", "title")) {
    parts <- Filter(function(part) part$height > 0, parts[names(parts) != without])
    needed <- sum(vapply(parts, function(part) part$height + line_height(0.4), 0))
    if (needed <= height) break
  }
  list(parts = parts, height = needed)
}

fit_key <- function(key, width) {
  columns <- max(1, floor(width / (text_width(names(key), 0.8) + 4 * text_width("M", 0.8))))
  rows <- ceiling(length(key) / columns)
  list(key = key, columns = ceiling(length(key) / rows), height = (rows + 1) * line_height(0.8))
}

draw_heading <- function(heading, middle, top) {
  for (part in heading$parts) {
    top <- top - line_height(0.4)
    if (is.null(part$key)) text_at(middle, top, part, adj = c(0.5, 1)) else draw_key(part, middle, top)
    top <- top - part$height
  }
}

draw_key <- function(fitted, middle, top) {
  look <- looks[fitted$key, ]
  graphics::legend(
    graphics::grconvertX(middle, "inches", "user"), graphics::grconvertY(top, "inches", "user"),
    names(fitted$key), pch = look$pch, pt.bg = look$fill, col = look$col, lty = look$lty,
    lwd = look$lwd, pt.cex = 0.8 * pmin(look$size, 1.8), cex = 0.8, ncol = fitted$columns,
    xjust = 0.5, yjust = 1, seg.len = 1.6, x.intersp = 0.6, bty = "n", xpd = NA
  )
}
