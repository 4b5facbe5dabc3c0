# Text of plots that fits its place: wrapped, then smaller, never cut off by the edge
# of the page. All lengths are in inches of the open device.

#' Width of the widest
#' @noRd
text_width <- function(text, cex = 1, font = 1) {
  max(graphics::strwidth(text, "inches", cex = cex, font = font), 0)
}

#' From one line of text to the next
#' @noRd
line_height <- function(cex = 1) {
  diff(graphics::strheight(c("M", "M\nM"), "inches", cex = cex))
}

#' The parts of a text between which a line may end: after spaces and the marks that
#' join words, but not inside a number
#' @noRd
words_of <- function(text) {
  marked <- gsub("([ _/:;-]|[.,](?![0-9]))", "\\1\n", text, perl = TRUE)
  unlist(strsplit(marked, "\n", fixed = TRUE))
}

#' Lines no wider than `width`, with a break inside a word only where the word is
#' wider by itself
#' @noRd
wrap_text <- function(text, width, cex = 1, font = 1) {
  fits <- function(part) text_width(trimws(part), cex, font) <= width
  parts <- lapply(words_of(text), function(word) {
    if (fits(word)) word else strsplit(word, "")[[1]]
  })
  lines <- ""
  for (part in unlist(parts)) {
    k <- length(lines)
    longer <- paste0(lines[k], part)
    if (lines[k] == "" || fits(longer)) lines[k] <- longer else lines[k + 1] <- part
  }
  paste(trimws(lines), collapse = "\n")
}

#' Texts in the largest size, down to `least`, at which all go into a width and a
#' height without a break inside a word; if none is small enough, in the smallest, with
#' as many lines and breaks as that takes. The height, unless given, is that of a line
#' in large print, or two in smaller print.
#'
#' @return list(text, cex, font, width, height, fits), width and height of the largest.
#' @noRd
fit_text <- function(text, width, height = 1.61 * line_height(cex), cex = 1, least = 0.6,
                     font = 1) {
  text <- trimws(gsub("[[:space:]]+", " ", text))
  words <- trimws(words_of(text))
  width <- max(width, 0.1)
  for (size in seq(cex, least, by = -0.05)) {
    wrapped <- vapply(text, wrap_text, "", width, size, font, USE.NAMES = FALSE)
    needed <- max(lengths(strsplit(wrapped, "\n")), 0) * line_height(size)
    fits <- needed <= height && text_width(words, size, font) <= width
    if (fits) break
  }
  list(
    text = wrapped, cex = size, font = font, width = text_width(wrapped, size, font),
    height = needed, fits = fits
  )
}

#' Texts without their middle where they are wider than `width`
#' @noRd
shorten <- function(text, width, cex = 1) {
  short <- text
  for (kept in seq(max(nchar(text)), 2)) {
    wide <- graphics::strwidth(short, "inches", cex = cex) > width
    if (!any(wide)) break
    half <- kept %/% 2
    ends <- sprintf("^(.{%d}).*(.{%d})$", kept - half, half)
    short[wide] <- sub(ends, "\\1...\\2", text[wide])
  }
  short
}

#' Names along an axis: in lines or smaller, else without their middle
#' @noRd
fit_names <- function(names, width, height, least = 0.5) {
  fitted <- fit_text(names, width, height, least = least)
  if (fitted$height > height) {
    fitted$text <- shorten(names, width, fitted$cex)
    fitted$width <- text_width(fitted$text, fitted$cex)
  }
  fitted
}

#' Names of levels on a third of the height, or, where they do not fit there, on nearly half
#' @noRd
fit_levels_low <- function(levels, width, height) {
  low <- fit_levels(levels, width, 0.3 * height)
  if (low$fits) low else fit_levels(levels, width, 0.45 * height)
}

#' Names of levels below their points: side by side, else upright; in the last resort
#' some are left out or lose their middle, so that those that remain can be read
#'
#' @param width of the axis. @param room height there is for them.
#' @return what fit_text() returns, with the height they take as `below`, the angle
#'   `srt`, and `every`: every m-th level is named.
#' @noRd
fit_levels <- function(levels, width, room) {
  slot <- 0.92 * width / length(levels)
  flat <- fit_text(levels, slot, min(room, line_height(3)), least = 0.75)
  if (flat$fits) {
    return(c(flat, below = flat$height, srt = 0, every = 1))
  }
  # relative to a panel's size of text, which is small where there are many
  least <- min(1, max(0.5, 0.45 / graphics::par("cex")))
  upright <- fit_names(levels, room, slot, least)
  every <- 1
  if (!upright$fits) {
    every <- ceiling(line_height(least) / slot)
    upright$text[seq_along(levels) %% every != 1 %% every] <- ""
  }
  c(upright, below = upright$width, srt = 90, every = every)
}
