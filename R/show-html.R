# HTML and SVG as strings: what the report is made of. Text is escaped where it enters.

#' Text as HTML shows it
#' @noRd
html_text <- function(x) {
  x <- iconv(enc2utf8(as.character(x)), "UTF-8", "UTF-8", sub = "byte")
  x[is.na(x)] <- "NA"
  x <- gsub("&", "&amp;", x, fixed = TRUE)
  x <- gsub("<", "&lt;", x, fixed = TRUE)
  x <- gsub(">", "&gt;", x, fixed = TRUE)
  gsub("\"", "&quot;", x, fixed = TRUE)
}

#' An element; contents are HTML, attributes text
#' @noRd
tag <- function(name, ..., .attr = character()) {
  given <- if (length(.attr)) {
    paste0(" ", names(.attr), "=\"", html_text(.attr), "\"", collapse = "")
  }
  inside <- paste(c(...), collapse = "")
  paste0("<", name, given, ">", inside, "</", name, ">")
}

#' A paragraph of text
#' @noRd
html_p <- function(..., class = NULL) {
  tag("p", html_text(paste0(...)), .attr = c(class = class))
}

#' A table of texts that are escaped here; numbers stand on the right
#' @noRd
html_table <- function(frame, class = NULL, emphasis = integer()) {
  right <- vapply(frame, is.numeric, logical(1))
  side <- ifelse(right, "number", "text")
  head <- tag("tr", mapply(
    function(name, side) tag("th", html_text(name), .attr = c(scope = "col", class = side)),
    names(frame), side
  ))
  words <- lapply(frame, function(v) if (is.numeric(v)) number_words(v) else html_text(v))
  body <- vapply(seq_len(nrow(frame)), function(i) {
    cells <- mapply(
      function(v, side) tag("td", v[i], .attr = c(class = side)), words, side
    )
    tag("tr", cells, .attr = if (i %in% emphasis) c(class = "this"))
  }, character(1))
  tag("div", tag("table", tag("thead", head), tag("tbody", body), .attr = c(class = class)),
      .attr = c(class = "scroll", tabindex = "0"))
}

#' Numbers in four digits, whole ones in all theirs
#' @noRd
number_words <- function(v) {
  vapply(v, function(x) {
    if (is.na(x)) {
      "NA"
    } else if (x == round(x) && abs(x) < 1e15) {
      format(x, scientific = FALSE)
    } else {
      format(signif(x, 3), digits = 4)
    }
  }, character(1))
}

# Pictures ------------------------------------------------------------------------

#' An element of a picture, closed
#' @noRd
mark <- function(name, class, ..., title = NULL) {
  given <- list(...)
  given <- vapply(given, function(v) {
    if (is.numeric(v)) paste(round(v, 1), collapse = " ") else v
  }, "")
  tag(
    name, if (!is.null(title)) tag("title", html_text(title)), .attr = c(class = class, given)
  )
}

#' A panel with axes, in SVG: colours come from the page's style sheet, so that it is
#' readable in light and dark
#'
#' @param draw function of the two scales that returns marks.
#' @param alt what the picture shows, for those who do not see it.
#' @noRd
svg_panel <- function(xlim, ylim, xlab, ylab, alt, draw, xticks = pretty(xlim),
                      yticks = pretty(ylim), height = 300) {
  width <- 460
  box <- list(x = c(60, width - 12), y = c(height - 46, 12))
  scale <- function(lim, ends) function(v) ends[1] + (v - lim[1]) / diff(lim) * diff(ends)
  x <- scale(xlim, box$x)
  y <- scale(ylim, box$y)
  within <- function(ticks, lim) ticks[ticks >= min(lim) - 1e-9 & ticks <= max(lim) + 1e-9]
  xticks <- within(xticks, xlim)
  yticks <- within(yticks, ylim)
  label <- function(at, words, ...) {
    paste0(mapply(function(a, w) svg_text(a[1], a[2], w, ...), at, words), collapse = "")
  }
  axes <- c(
    vapply(yticks, function(t) {
      mark("line", "grid", x1 = box$x[1], x2 = box$x[2], y1 = y(t), y2 = y(t))
    }, ""),
    mark("line", "axis", x1 = box$x[1], x2 = box$x[2], y1 = box$y[1], y2 = box$y[1]),
    label(lapply(xticks, function(t) c(x(t), box$y[1] + 17)), format(xticks), anchor = "middle"),
    label(
      lapply(yticks, function(t) c(box$x[1] - 7, y(t) + 4)), format(yticks), anchor = "end"
    ),
    svg_text(mean(box$x), height - 8, xlab, anchor = "middle"),
    svg_text(13, mean(box$y), ylab, anchor = "middle", turned = TRUE)
  )
  tag(
    "svg", tag("title", html_text(alt)), axes, draw(x, y),
    .attr = c(viewBox = paste(0, 0, width, height), role = "img")
  )
}

svg_text <- function(x, y, words, anchor = "start", turned = FALSE) {
  at <- round(c(x, y), 1)
  tag("text", html_text(trimws(words)), .attr = c(
    x = at[1], y = at[2], "text-anchor" = anchor,
    transform = if (turned) sprintf("rotate(-90 %s %s)", at[1], at[2])
  ))
}

#' Symbols of classes: circle, triangle, square, diamond, every second one filled; then the
#' other way round
#' @noRd
svg_symbol <- function(x, y, class, title = NULL) {
  shape <- list(
    rbind(c(-4.5, 3.6), c(4.5, 3.6), c(0, -4.8)), rbind(c(-4, -4), c(4, -4), c(4, 4), c(-4, 4)),
    rbind(c(0, -5.4), c(5.4, 0), c(0, 5.4), c(-5.4, 0))
  )[c(NA, 1:3)][[(class - 1) %% 4 + 1]]
  fill <- if ((class + (class - 1) %/% 4) %% 2) "hollow" else "solid"
  if (is.null(shape)) {
    return(mark("circle", fill, cx = x, cy = y, r = 4.2, title = title))
  }
  corners <- round(t(t(shape) + c(x, y)), 1)
  points <- paste(corners[, 1], corners[, 2], sep = ",", collapse = " ")
  mark("polygon", fill, points = points, title = title)
}
