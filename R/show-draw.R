# A picture in base graphics: one panel, or a page that is divided for several.

#' Draws a picture and restores the graphical parameters
#' @param main title in the place of its own, or `NULL`.
#' @noRd
draw_picture <- function(picture, main) {
  fits <- rlang::is_string(main) && validEnc(main) && nchar(main) <= 1000
  must(is.null(main) || fits, "main", "be one string of at most 1000 characters", got = main)
  if (!is.null(main)) picture$title <- main
  old <- graphics::par("mar", "las", "mgp", "tcl", "pty", "xaxs", "yaxs")
  on.exit(graphics::par(old))
  panels <- picture$panels
  many <- length(panels) > 1
  own <- many && all(graphics::par("mfrow") == 1)
  if (own) {
    old <- c(graphics::par("mfrow", "cex", "oma"), old) # in this order: mfrow changes cex
    page <- divide_page(picture)
    panels <- panels[seq_len(page$k)]
  } else {
    picture <- with_note(picture, length(panels))
  }
  for (k in seq_along(panels)) { # on a page of the user's the first has the heading of all
    draw_panel(panels[[k]], if (!own && k == 1) picture)
  }
  if (own) {
    graphics::par(cex = 1)
    draw_heading(page$heading, graphics::par("din")[1] / 2, graphics::par("din")[2])
  }
}

#' Divides the page for as many of the panels, the first ones, as are not tiny there
#' @return list(k, heading)
#' @noRd
divide_page <- function(picture) {
  graphics::par(mfrow = c(1, 1), cex = 1)
  page <- graphics::par("din")
  k <- length(picture$panels)
  if (!is.null(picture$of)) k <- min(k, max(1, prod(floor(page / 1.8))))
  heading <- fit_heading(with_note(picture, k), page[1], page[2] / 2)
  page[2] <- page[2] - heading$height
  grid <- if (picture$across) c(1, k) else page_grid(k, page)
  graphics::par(omi = c(0, 0, heading$height, 0), mfrow = grid)
  graphics::par(cex = max(0.55, min(1, page / rev(grid) / c(2.6, 2.3))))
  list(k = k, heading = heading)
}

#' A picture whose note says how many of all the panels there are
#' @noRd
with_note <- function(picture, k) {
  total <- picture$of$total
  if (isTRUE(k < total)) picture$note <- c(picture$note, shown_of(k, total, picture$of$what))
  picture
}

#' Rows and columns that leave panels about as high as they are wide
#' @noRd
page_grid <- function(k, page) {
  columns <- seq_len(k)
  rows <- ceiling(k / columns)
  shape <- (page[1] / columns) / (page[2] / rows)
  best <- which.min(abs(log(shape / 1.2)) + 0.15 * (rows * columns - k))
  c(rows[best], columns[best])
}

# A panel ---------------------------------------------------------------------

#' @param picture whose heading stands over the panel, or `NULL`.
#' @noRd
draw_panel <- function(panel, picture = NULL) {
  size <- graphics::par("fin")
  line <- line_height()
  side <- fit_names(panel$y$words, 0.45 * size[1], 0.7 * size[2])
  for (share in c(0.5, 0.3, 0)) { # of the height, for the heading; and labels where there is some
    heading <- fit_heading(picture, size[1], share * size[2])
    labels <- if (share > 0) c(panel$x$label, panel$y$label) else c("", "")
    y <- fit_text(labels[2], size[2] - heading$height - 4 * line)
    left <- side$reach + y$height + line
    low <- fit_low(panel$x, size[1] - left - line, 0.4 * size[2])
    x <- fit_text(labels[1], size[1] - left - line)
    margins <- c(low$reach + x$height + 1.1 * line, left, heading$height + 0.4 * line, line)
    if (all(size - c(sum(margins[c(2, 4)]), sum(margins[c(1, 3)])) > 0.3)) break
    refuse(share == 0, "The page must have room for a panel, about an inch each way.", "page")
  }
  graphics::par(
    mai = margins, las = 1, mgp = c(3, 0.5, 0), tcl = -0.3, pty = if (panel$square) "s" else "m",
    xaxs = "i", yaxs = "i"
  )
  graphics::plot(panel$x$range, panel$y$range, type = "n", axes = FALSE, xlab = "", ylab = "")
  for (layer in panel$layers) {
    for (data in by_meaning(layer$data)) draw_marks(layer$kind, data)
  }
  graphics::box()
  graphics::axis(1, panel$x$ticks, low$words, las = low$las, cex.axis = low$cex)
  graphics::axis(2, panel$y$ticks, side$words, tick = is.null(panel$y$levels), cex.axis = side$cex)
  inner <- edges("npc")
  gap <- line_height(0.3)
  text_at(mean(inner$x), inner$y[1] - margins[1] + gap, x, adj = c(0.5, 0))
  text_at(inner$x[1] - left + gap + y$height / 2, mean(inner$y), y, srt = 90)
  draw_heading(heading, mean(edges("nfc")$x), edges("nfc")$y[2])
}

edges <- function(of) {
  list(
    x = graphics::grconvertX(0:1, of, "inches"), y = graphics::grconvertY(0:1, of, "inches")
  )
}

#' Text at places in inches, wherever in the figure they are
#' @noRd
text_at <- function(x, y, fitted, ...) {
  graphics::text(
    graphics::grconvertX(x, "inches", "user"), graphics::grconvertY(y, "inches", "user"),
    fitted$text, cex = fitted$cex, font = fitted$font, xpd = NA, ...
  )
}

draw_marks <- function(kind, data) {
  look <- looks[data$meaning[1], ]
  usr <- graphics::par("usr")
  x <- pmin(pmax(data$x, usr[1]), usr[2])
  y <- pmin(pmax(data$y, usr[3]), usr[4])
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

draw_raster <- function(data) {
  x <- unique(data$x)
  y <- unique(data$y)
  half <- c(diff(x[1:2]), diff(y[1:2])) / 2
  graphics::rasterImage(
    t(matrix(data$fill, length(x)))[rev(seq_along(y)), ], min(x) - half[1], min(y) - half[2],
    max(x) + half[1], max(y) + half[2]
  )
}

#' Names upright above or below points, short ones where the others have no room
#' @noRd
draw_names <- function(data) {
  cex <- max(0.5, min(0.75, 1 / graphics::xinch(line_height())))
  gap <- line_height(0.5)
  room <- data$room / graphics::yinch() - 2 * gap
  wide <- any(graphics::strwidth(data$words, "inches", cex = cex) > room)
  for (down in unique(data$down)) { # adj takes one value
    mine <- data[data$down == down, ]
    graphics::text(
      mine$x, mine$y + graphics::yinch(if (down) -gap else gap), if (wide) mine$short else mine$words,
      cex = cex, srt = 90, adj = c(down, 0.5), xpd = NA
    )
  }
}

# Text that fits --------------------------------------------------------------

line_height <- function(cex = 1) {
  diff(graphics::strheight(c("M", "M\nM"), "inches", cex = cex))
}

text_width <- function(text, cex = 1, font = 1) {
  max(graphics::strwidth(text, "inches", cex = cex, font = font), 0)
}

#' A text on as many lines as it takes in a width, smaller where a word is wider
#' @return list(text, cex, font, height)
#' @noRd
fit_text <- function(text, width, cex = 1, font = 1) {
  letter <- 1.05 * text_width(text, cex, font) / max(nchar(text), 1)
  text <- paste(strwrap(text, max(width / max(letter, 0.01), 8)), collapse = "\n")
  if (text_width(text, cex, font) > width) cex <- max(0.5, cex * width / text_width(text, cex, font))
  lines <- lengths(strsplit(text, "\n", fixed = TRUE))
  list(text = text, cex = cex, font = font, height = lines * line_height(cex))
}

#' Names beside an axis, each in its share of the length, without their middle where they are wider
#' than there is room
#' @return list(words, cex, reach: their width)
#' @noRd
fit_names <- function(words, room, length) {
  cex <- max(0.5, min(1, length / length(words) / line_height()))
  if (text_width(words, cex) > room) {
    words <- shorter(words, max(floor(room * max(nchar(words)) / text_width(words, cex)), 5))
  }
  list(words = words, cex = cex, reach = min(text_width(words, cex), room))
}

#' Names below an axis: numbers, or levels, upright where they are wider than their places
#' @noRd
fit_low <- function(axis, width, room) {
  if (is.null(axis$levels) || text_width(axis$levels) < 0.92 * width / length(axis$levels)) {
    return(list(words = axis$words, cex = 1, las = 1, reach = line_height()))
  }
  c(fit_names(axis$levels, room, max(width, 0.1)), las = 2)
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
