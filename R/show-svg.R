# Pictures as SVG: what the report embeds. Text is escaped where it enters. Colours of the page
# stand for those of `looks`, so that a picture is readable in light and dark.

svg_colours <- c(
  black = "--ink", white = "--card", grey20 = "--soft", grey80 = "--line", grey85 = "--band",
  "#A9CCE3" = "--band", "#2E86C1" = "--blue", "#D55E00" = "--accent"
)

svg_colour <- function(colour) {
  if (is.na(colour)) {
    "none"
  } else if (colour %in% names(svg_colours)) {
    paste0("var(", svg_colours[colour], ")")
  } else {
    grDevices::rgb(t(grDevices::col2rgb(colour)), maxColorValue = 255)
  }
}

#' An element of a picture
#' @param ... numbers, which are rounded. @param words what a reader who points at it is told,
#'   or NA.
#' @noRd
svg_mark <- function(name, look, ..., words = NA) {
  dashes <- c("none", "5 4", "1.5 3.5", "1.5 3 5 3", "8 4", "2 2 6 2")
  style <- c(
    stroke = svg_colour(look$col), fill = svg_colour(look$fill), "stroke-width" = look$lwd,
    "stroke-dasharray" = if (!is.na(look$lty)) dashes[look$lty]
  )
  given <- vapply(list(...), function(v) paste(round(v, 1), collapse = " "), "")
  title <- if (!is.na(words)) tag("title", html_text(words))
  tag(name, title, .attr = c(given, style = paste0(names(style), ":", style, collapse = ";")))
}

#' A picture of one panel
#'
#' @param alt what the picture shows, for those who do not see it.
#' @noRd
svg_picture <- function(picture, alt, height = 300) {
  panel <- picture$panels[[1]]
  width <- 460
  box <- list(x = c(60, width - 12), y = c(height - 46, 12))
  scale <- function(range, ends) {
    function(v) ends[1] + (pmin(pmax(v, range[1]), range[2]) - range[1]) / diff(range) * diff(ends)
  }
  x <- scale(panel$x$range, box$x)
  y <- scale(panel$y$range, box$y)
  lines <- list(rule("faint", panel$y$ticks), rule("tick", -Inf))
  texts <- c(
    Map(svg_text, x(panel$x$ticks), box$y[1] + 17, panel$x$words, "middle"),
    Map(svg_text, box$x[1] - 7, y(panel$y$ticks) + 4, panel$y$words, "end"),
    svg_text(mean(box$x), height - 8, panel$x$label, "middle", diff(box$x)),
    svg_text(13, mean(box$y), panel$y$label, "middle", diff(box$y), turned = TRUE)
  )
  marks <- lapply(c(lines, panel$layers), function(layer) {
    lapply(by_meaning(layer$data), svg_marks, layer$kind, x, y)
  })
  size <- c(viewBox = paste(0, 0, width, height), role = "img")
  html(tag("svg", tag("title", html_text(alt)), unlist(texts), unlist(marks), .attr = size))
}

#' Marks of one meaning
#' @param x,y what takes places to the picture.
#' @noRd
svg_marks <- function(data, kind, x = identity, y = identity) {
  look <- looks[data$meaning[1], ]
  if (kind == "point") {
    return(Map(svg_symbol, x(data$x), y(data$y), list(look), data$words))
  }
  shape <- c(path = "polyline", area = "polygon")[[kind]] # reports have no other
  lapply(split(data, data$part), function(part) {
    svg_mark(shape, look, points = rbind(x(part$x), y(part$y)), words = part$words[1])
  })
}

#' @param room what it must not exceed, in either direction; letters become smaller.
#' @noRd
svg_text <- function(x, y, words, anchor, room = Inf, turned = FALSE) {
  at <- round(c(x, y), 1)
  words <- trimws(words)
  share <- abs(room) / (6.7 * nchar(words)) # of letters of 12.5 px
  smaller <- if (share < 1) sprintf("font-size:%.1fpx", max(7, 12.5 * share))
  turn <- if (turned) sprintf("rotate(-90 %s %s)", at[1], at[2])
  place <- c(x = at[1], y = at[2], "text-anchor" = anchor, style = smaller, transform = turn)
  tag("text", html_text(words), .attr = place)
}

#' The symbol of a look
#' @noRd
svg_symbol <- function(x, y, look, words = NA) {
  look$lwd <- 1.4
  if (look$pch %in% c(1, 21)) {
    return(svg_mark("circle", look, cx = x, cy = y, r = 4.2 * sqrt(look$size), words = words))
  }
  corners <- switch(as.character(look$pch),
    "24" = rbind(c(-4.5, 3.6), c(4.5, 3.6), c(0, -4.8)),
    "25" = rbind(c(-4.5, -3.6), c(4.5, -3.6), c(0, 4.8)),
    "23" = rbind(c(0, -5.4), c(5.4, 0), c(0, 5.4), c(-5.4, 0)),
    rbind(c(-4, -4), c(4, -4), c(4, 4), c(-4, 4))
  )
  svg_mark("polygon", look, points = t(corners) + c(x, y), words = words)
}

#' The key of a picture as a line of text with symbols
#' @noRd
svg_key <- function(key) {
  entry <- function(words, meaning) {
    line <- is.na(looks[meaning, "pch"])
    mark <- if (line) marks("path", c(0, 14), c(7, 7), meaning, 1) else marks("point", 7, 7, meaning)
    drawn <- unlist(svg_marks(mark$data, mark$kind))
    svg <- tag("svg", drawn, .attr = c(viewBox = "0 0 14 14", class = "key"))
    paste0(svg, html_text(paste0(" ", words)))
  }
  html(paste0(paste(Map(entry, names(key), key), collapse = "; "), "."))
}
