# Pictures as SVG: what the report embeds. Text is escaped where it enters. Colours of the page
# stand for those of `looks`, so that a picture is readable in light and dark.

svg_colours <- c(
  black = "--ink", white = "--card", grey20 = "--soft", grey80 = "--line", grey85 = "--band",
  "#A9CCE3" = "--band", "#2E86C1" = "--blue", "#D55E00" = "--accent"
)

svg_colour <- function(colour) {
  if (is.na(colour)) {
    return("none")
  }
  known <- svg_colours[colour]
  if (!is.na(known)) {
    return(paste0("var(", known, ")"))
  }
  grDevices::rgb(t(grDevices::col2rgb(colour)), maxColorValue = 255)
}

svg_style <- function(look) {
  dashes <- c("none", "5 4", "1.5 3.5", "1.5 3 5 3", "8 4", "2 2 6 2")
  c(
    stroke = svg_colour(look$col), fill = svg_colour(look$fill), "stroke-width" = look$lwd,
    "stroke-dasharray" = if (!is.na(look$lty)) dashes[look$lty]
  )
}

#' An element of a picture; numbers are rounded
#' @param words what a reader who points at it is told, or NA.
#' @noRd
svg_mark <- function(name, style, ..., words = NA) {
  given <- vapply(list(...), function(v) {
    if (is.numeric(v)) paste(round(v, 1), collapse = " ") else v
  }, "")
  css <- paste0(names(style), ":", style, collapse = ";")
  tag(name, if (!is.na(words)) tag("title", html_text(words)), .attr = c(given, style = css))
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
  line <- function(look, ...) svg_mark("line", svg_style(look), ...)
  axes <- c(
    lapply(y(panel$y$ticks), function(at) {
      line(look("grey80"), x1 = box$x[1], x2 = box$x[2], y1 = at, y2 = at)
    }),
    line(look("grey20"), x1 = box$x[1], x2 = box$x[2], y1 = box$y[1], y2 = box$y[1]),
    Map(svg_text, x(panel$x$ticks), box$y[1] + 17, panel$x$words, "middle"),
    Map(svg_text, box$x[1] - 7, y(panel$y$ticks) + 4, panel$y$words, "end"),
    svg_text(mean(box$x), height - 8, panel$x$label, "middle", diff(box$x)),
    svg_text(13, mean(box$y), panel$y$label, "middle", diff(box$y), turned = TRUE)
  )
  layers <- lapply(panel$layers, function(layer) {
    lapply(by_meaning(layer$data), function(data) {
      svg_marks(layer$kind, data, looks[data$meaning[1], ], x, y)
    })
  })
  html(tag(
    "svg", tag("title", html_text(alt)), unlist(axes), unlist(layers),
    .attr = c(viewBox = paste(0, 0, width, height), role = "img")
  ))
}

svg_marks <- function(kind, data, look, x, y) {
  style <- svg_style(look)
  if (kind == "point") {
    return(Map(svg_symbol, x(data$x), y(data$y), list(look), data$words))
  }
  stopifnot(kind %in% c("path", "area")) # the others are for pictures that no report has
  lapply(split(data, data$part), function(part) {
    places <- c(rbind(round(x(part$x), 1), round(y(part$y), 1)))
    shape <- if (kind == "path") "polyline" else "polygon"
    svg_mark(shape, style, points = places, words = part$words[1])
  })
}

#' @param room what it must not exceed, in either direction; letters become smaller.
#' @noRd
svg_text <- function(x, y, words, anchor, room = Inf, turned = FALSE) {
  at <- round(c(x, y), 1)
  words <- trimws(words)
  share <- abs(room) / (6.7 * nchar(words)) # of letters of 12.5 px
  tag("text", html_text(words), .attr = c(
    x = at[1], y = at[2], "text-anchor" = anchor,
    style = if (share < 1) sprintf("font-size:%.1fpx", max(7, 12.5 * share)),
    transform = if (turned) sprintf("rotate(-90 %s %s)", at[1], at[2])
  ))
}

#' The symbol of a look
#' @noRd
svg_symbol <- function(x, y, look, words = NA) {
  style <- replace(svg_style(look), "stroke-width", 1.4)
  if (look$pch %in% c(1, 21)) {
    return(svg_mark("circle", style, cx = x, cy = y, r = 4.2 * sqrt(look$size), words = words))
  }
  corners <- switch(as.character(look$pch),
    "24" = rbind(c(-4.5, 3.6), c(4.5, 3.6), c(0, -4.8)),
    "25" = rbind(c(-4.5, -3.6), c(4.5, -3.6), c(0, 4.8)),
    "23" = rbind(c(0, -5.4), c(5.4, 0), c(0, 5.4), c(-5.4, 0)),
    rbind(c(-4, -4), c(4, -4), c(4, 4), c(-4, 4))
  )
  svg_mark("polygon", style, points = c(t(corners) + c(x, y)), words = words)
}

#' The key of a picture as a line of text with symbols
#' @noRd
svg_key <- function(key) {
  entry <- function(words, meaning) {
    look <- looks[meaning, ]
    mark <- if (is.na(look$pch)) {
      svg_mark("line", svg_style(look), x1 = 0, x2 = 14, y1 = 7, y2 = 7)
    } else {
      svg_symbol(7, 7, look)
    }
    paste0(
      tag("svg", mark, .attr = c(viewBox = "0 0 14 14", class = "key")),
      html_text(paste0(" ", words))
    )
  }
  html(paste0(paste(Map(entry, names(key), key), collapse = "; "), "."))
}
