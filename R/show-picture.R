# The language of pictures. A picture is a plain list: panels with two axes and layers of marks,
# and the words around them. A mark has a place and a meaning; what a meaning looks like stands
# in `looks`, once. Base graphics (draw_picture()) and the report (svg_picture()) draw the same
# pictures.

#' The picture of a fit or of an answer; its arguments are those of plot()
#' @noRd
picture <- function(x, ...) UseMethod("picture")

#' A picture
#'
#' @param panels of new_panel(). @param title,note words above; `NULL` or "" for none.
#' @param key meanings that the reader must be told, named by the words for them.
#' @param of the panels there are in all, list(total, what), where not all need be shown:
#'   those at the end may be left out of a small page. @param across whether panels have the
#'   same rows, which only the first names.
#' @noRd
new_picture <- function(panels, title, note = NULL, key = NULL, of = NULL, across = FALSE) {
  list(panels = panels, title = title, note = note, key = key, of = of, across = across)
}

#' @param square whether both axes have one scale.
#' @noRd
new_panel <- function(x, y, layers, square = FALSE) {
  list(x = x, y = y, layers = Filter(Negate(is.null), layers), square = square)
}

#' An axis with numbers, or with the names of levels at 1, 2, ...
#' @noRd
new_axis <- function(label, range, levels = NULL, ticks = pretty(range), time = NULL) {
  if (!is.null(time)) {
    ticks <- if (inherits(time, "difftime")) as_time(ticks, time) else pretty(as_time(range, time))
  }
  if (!is.null(levels)) {
    range <- c(0.5, length(levels) + 0.5)
    ticks <- seq_along(levels)
  }
  words <- if (is.null(levels)) format(ticks) else levels
  ticks <- as.double(ticks)
  inside <- ticks >= min(range) & ticks <= max(range)
  list(label = label, range = range, levels = levels, ticks = ticks[inside], words = words[inside])
}

#' A range with room beside what is in it
#' @noRd
padded <- function(values, by = 0.04) {
  range <- range(values, finite = TRUE)
  if (diff(range) == 0) range <- range + c(-1, 1)
  range + c(-by, by) * diff(range)
}

# Layers ------------------------------------------------------------------------------

#' Marks of one kind: `point`, `path`, `area`, `raster`, `name` (text that stands upright beside
#' a point) or `entry` (text in the middle of a square of side 1)
#'
#' @param part the path or area that a place belongs to. @param words text, or what a reader
#'   who points at the mark is told. @param fill in the place of that of the meaning.
#' @noRd
marks <- function(kind, x, y, meaning = "text", part = seq_along(x), words = NA, fill = NA, ...) {
  if (length(x) > 0) list(kind = kind, data = data.frame(x, y, meaning, part, words, fill, ...))
}

#' Marks with several corners
#' @param x,y lists, the coordinates of a corner each; a number is that of all marks.
#' @noRd
shapes <- function(kind, x, y, meaning, words = NA, fill = NA) {
  if (all(lengths(c(x, y)) > 0)) {
    corners <- seq_along(x)
    at <- do.call(rbind, c(x, y))
    each <- function(v) rep(rep_len(v, ncol(at)), each = length(x))
    marks(
      kind, c(at[corners, ]), c(at[-corners, ]), each(meaning), each(seq_len(ncol(at))),
      each(words), each(fill)
    )
  }
}

#' Straight lines; an end may be infinite
#' @noRd
spans <- function(x0, y0, x1, y1, meaning) shapes("path", list(x0, x1), list(y0, y1), meaning)

rule <- function(meaning, h) spans(-Inf, h, Inf, h, meaning)

#' Rectangles
#' @noRd
boxes <- function(x0, y0, x1, y1, ...) shapes("area", list(x0, x1, x1, x0), list(y0, y0, y1, y1), ...)

#' Ticks below 0 and above 1: values of rows in which something is, and is not, the case
#' @noRd
rugs <- function(value, event) {
  inner <- as.numeric(event)
  spans(value, inner, value, inner + ifelse(event, 0.04, -0.04), "tick")
}
rug_range <- c(-0.04, 1.04)

#' Lines of equal height over a grid
#' @noRd
contours <- function(axes, z, levels, meaning) {
  levels <- levels[levels > min(z) & levels < max(z)]
  grid <- matrix(z, length(axes[[1]]))
  lines <- if (length(levels)) grDevices::contourLines(axes[[1]], axes[[2]], grid, levels = levels)
  x <- lapply(lines, `[[`, "x")
  marks("path", unlist(x), unlist(lapply(lines, `[[`, "y")), meaning, rep(seq_along(x), lengths(x)))
}

# Looks -------------------------------------------------------------------------------

# light to dark, so that it reads in grey; the ring is Okabe and Ito's vermilion
surface_colours <- c("#FBF7EE", "#A9CCE3", "#2E86C1")
ring_colour <- "#D55E00"

# Okabe and Ito's colours
class_hues <- c("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999")

#' White with a share of each colour
#' @noRd
tinted <- function(colour, share) {
  away <- (255 - grDevices::col2rgb(colour)) * rep(share, each = 3)
  grDevices::rgb(t(255 - away), maxColorValue = 255)
}

look <- function(col = "black", fill = NA, pch = NA, lty = NA, lwd = 1, size = 1) {
  data.frame(col, fill, pch, lty, lwd, size)
}

#' What a meaning looks like. Recorded classes differ in symbol and fill, so that they can be
#' told apart in grey, and where there are several, in hue
#' @noRd
looks <- local({
  each <- function(what, ...) {
    all <- do.call(look, lapply(list(...), rep_len, 40))
    row.names(all) <- paste(what, 1:40)
    all
  }
  symbols <- c(21, 24, 22, 23, 25)
  dark <- replace(class_hues, 4, "#B3A500") # a yellow line is lost on white
  rbind(
    each("class", fill = c("white", "black", "grey60", "grey85"), pch = symbols),
    each("region", fill = class_hues, pch = symbols),
    each("line", dark, lty = 1:6, lwd = 2.5),
    each("both", dark, class_hues, symbols, lty = 1:6, lwd = 2.5), # in a key of regions and lines
    guide = look(lty = 3),
    dashed = look(lty = 2),
    curve = look(lty = 1, lwd = 2),
    edge = look(lty = 1),
    boundary = look(lty = 1, lwd = 2.5),
    interval = look(lty = 1),
    likeliest = look(lty = 1, lwd = 3.5),
    faint = look("grey80", lty = 3),
    tick = look("grey20", lty = 1, lwd = 0.7),
    cutoff = look(ring_colour, lty = 1, lwd = 2),
    suspect = look(ring_colour, pch = 1, lwd = 2.2, size = 2.4),
    estimate = look(fill = "black", pch = 21, size = 1.2),
    bin = look(fill = "white", pch = 21),
    failed = look(pch = 4, lwd = 1.5, size = 1.2),
    band = look(NA, "grey85", pch = 22, size = 1.8),
    bar = look(NA, "#A9CCE3", pch = 22, size = 1.8),
    "inner bar" = look(NA, "#2E86C1", pch = 22, size = 1.8),
    cell = look("white"),
    surface = look(),
    text = look()
  )
})

#' Meanings "class 1", "region 2", ... ; colours come again after 40 classes
#' @noRd
of_class <- function(what, code) paste(what, (code - 1) %% 40 + 1)

#' Marks of each meaning by themselves, in the order in which they come
#' @noRd
by_meaning <- function(data) split(data, factor(data$meaning, unique(data$meaning)))
