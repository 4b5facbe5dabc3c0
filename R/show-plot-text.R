# Text of plots that fits its place: wrapped, then smaller, never cut off by the edge
# of the page. All lengths are in inches of the open device.

text_width <- function(text, cex = 1, font = 1) {
  graphics::strwidth(text, "inches", cex = cex, font = font)
}

#' From one line of text to the next
#' @noRd
line_height <- function(cex = 1) {
  diff(graphics::strheight(c("M", "M\nM"), "inches", cex = cex))
}

count_lines <- function(text) {
  lengths(strsplit(paste0(text, " "), "\n", fixed = TRUE))
}

#' The parts of a text between which a line may end: after spaces and the marks that
#' join words
#' @noRd
words_of <- function(text) {
  words <- regmatches(text, gregexpr("[^ _./:,;-]*[ _./:,;-]*", text))[[1]]
  words[nzchar(words)]
}

#' Lines no wider than `width`, with a break inside a word only where the word is
#' wider by itself
#' @noRd
wrap_text <- function(text, width, cex = 1, font = 1) {
  words <- unlist(lapply(words_of(text), split_word, width, cex, font))
  lines <- character()
  for (word in words) {
    longer <- paste0(lines[length(lines)], word)
    if (length(lines) && text_width(trimws(longer), cex, font) <= width) {
      lines[length(lines)] <- longer
    } else {
      lines <- c(lines, word)
    }
  }
  paste(trimws(lines), collapse = "\n")
}

split_word <- function(word, width, cex, font) {
  parts <- character()
  while (nchar(word) > 1 && text_width(trimws(word), cex, font) > width) {
    heads <- substring(word, 1, seq_len(nchar(word) - 1))
    fits <- max(1, sum(text_width(heads, cex, font) <= width))
    parts <- c(parts, substr(word, 1, fits))
    word <- substring(word, fits + 1)
  }
  c(parts, word)
}

#' Texts in the largest size, down to `least`, at which all go into a width and a
#' number of lines without a break inside a word; if none is small enough in the
#' smallest, with as many lines and breaks as that takes
#'
#' @return list(text, cex, font, width, height, fits), width and height of the largest.
#' @noRd
fit_text <- function(text, width, lines = 2, cex = 1, least = 0.6, font = 1) {
  text <- trimws(gsub("[[:space:]]+", " ", text))
  width <- max(width, 0.1)
  words <- trimws(unlist(lapply(text, words_of)))
  for (size in unique(c(seq(cex, least, by = -0.05), least))) {
    wrapped <- vapply(text, wrap_text, character(1), width, size, font)
    fits <- all(count_lines(wrapped) <= lines) &&
      all(text_width(words, size, font) <= width)
    if (fits) break
  }
  list(
    text = unname(wrapped), cex = size, font = font,
    width = max(text_width(wrapped, size, font), 0),
    height = max(count_lines(wrapped) * nzchar(wrapped), 0) * line_height(size),
    fits = fits
  )
}

#' Texts without their middle where they are wider than `width`
#' @noRd
shorten <- function(text, width, cex = 1) {
  vapply(text, function(one) {
    kept <- nchar(one)
    short <- one
    while (kept > 2 && text_width(short, cex) > width) {
      kept <- kept - 1
      half <- kept %/% 2
      short <- paste0(
        substr(one, 1, kept - half), "...", substring(one, nchar(one) - half + 1)
      )
    }
    short
  }, character(1), USE.NAMES = FALSE)
}

# Places ----------------------------------------------------------------------

#' Text at a place in inches from the lower left corner of the page
#' @noRd
text_at <- function(x, y, fitted, ...) {
  if (!any(nzchar(fitted$text))) {
    return(invisible())
  }
  graphics::text(
    graphics::grconvertX(x, "inches", "user"),
    graphics::grconvertY(y, "inches", "user"),
    fitted$text, cex = fitted$cex, font = fitted$font, xpd = NA, ...
  )
}

#' Left, right, bottom and top of the panel, with or without its margins
#' @noRd
edges <- function(of = c("npc", "nfc")) {
  of <- match.arg(of)
  c(
    graphics::grconvertX(0:1, of, "inches"), graphics::grconvertY(0:1, of, "inches")
  )
}

# A panel ---------------------------------------------------------------------

#' Margins of a panel, in inches, and the texts that go into them
#'
#' @param ticks what stands along the left axis. @param top,below height of what
#'   stands above, and between the lower axis and its label (a line of numbers unless
#'   given). @param size width and height of the figure.
#' @return list(mai, x, y, line, below, top)
#' @noRd
frame_panel <- function(xlab, ylab, ticks = c("0.0", "0.5"), top = 0, below = NULL,
                        size = graphics::par("fin"), cex = 1) {
  line <- line_height(cex)
  if (is.null(below)) below <- line
  right <- 0.6 * line
  y <- fit_text(ylab, 0.95 * (size[2] - top), cex = cex)
  left <- 0.8 * line + max(text_width(ticks, cex), 0) + y$height +
    0.4 * line * nzchar(ylab)
  x <- fit_text(xlab, 0.95 * size[1] - line, cex = cex)
  bottom <- 0.6 * line + below + 0.2 * line + x$height + 0.3 * line
  list(
    mai = c(bottom, left, top + 0.4 * line, right), x = x, y = y,
    line = line, below = below, top = top
  )
}

#' The labels of both axes, each in the middle of its axis unless the page ends there
#' @noRd
label_panel <- function(frame) {
  panel <- edges("npc")
  figure <- edges("nfc")
  line <- frame$line
  text_at(
    between(mean(panel[1:2]), frame$x$width, figure[1:2] + c(0.3, -0.3) * line),
    panel[3] - 0.8 * line - frame$below, frame$x, adj = c(0.5, 1)
  )
  # at the axis of a square panel, which may stand in the middle of a wide figure
  left <- if (frame$y$width <= diff(panel[3:4])) panel[1] - frame$mai[2] else figure[1]
  text_at(
    left + 0.3 * line + frame$y$height / 2,
    between(mean(panel[3:4]), frame$y$width, figure[3:4] - c(0, frame$top)), frame$y,
    srt = 90, adj = c(0.5, 0.5)
  )
}

#' The middle nearest to the wanted one that keeps a text within two ends
#' @noRd
between <- function(middle, width, ends) {
  half <- min(width, diff(ends)) / 2
  max(min(middle, ends[2] - half), ends[1] + half)
}

#' Sets graphical parameters, and ticks and their labels near the axis
#'
#' @return the old ones for par(): margins in lines, as a page that is divided again
#'   wants them, mfrow first, for it changes others.
#' @noRd
set_panel <- function(...) {
  new <- list(..., las = 1, mgp = c(3, 0.5, 0), tcl = -0.3)
  as_lines <- c(mai = "mar", omi = "oma")
  names <- ifelse(names(new) %in% names(as_lines), as_lines[names(new)], names(new))
  old <- graphics::par(c(names, "mar"))
  graphics::par(new)
  old
}

# Names of rows ---------------------------------------------------------------

#' Names left of a panel, one a row of the given height, within 45 % of the figure
#' @noRd
fit_rows <- function(names, height, figure = graphics::par("fin")[1], least = 0.5) {
  width <- 0.45 * figure
  for (cex in seq(1, least, by = -0.05)) {
    rows <- fit_text(names, width, max(1, floor(height / line_height(cex))), cex, cex)
    if (rows$fits) break
  }
  if (rows$height > height) rows$text <- shorten(names, width, rows$cex)
  rows
}

#' @param at their places on the axis.
#' @noRd
draw_rows <- function(rows, at) {
  text_at(
    edges("npc")[1] - line_height(0.4), graphics::grconvertY(at, "user", "inches"),
    rows, adj = c(1, 0.5)
  )
}

# A heading -------------------------------------------------------------------

check_main <- function(main, call = rlang::caller_env()) {
  fits <- rlang::is_string(main) && validEnc(main) && nchar(main) <= 1000
  if (!is.null(main) && !fits) {
    abort_sturdy(
      "{.arg main} must be one string of at most 1000 characters, not {describe(main)}.",
      "type", arg = "main", call = call
    )
  }
}

#' A title and a note below it, both wrapped
#' @noRd
fit_heading <- function(main, note = "", width = graphics::par("fin")[1]) {
  main <- paste(main, collapse = " ")
  title <- fit_text(main, 0.96 * width, 1, cex = 1.1, least = 0.85, font = 2)
  if (!title$fits) title <- fit_text(main, 0.96 * width, cex = 1, least = 0.7, font = 2)
  note <- fit_text(note, 0.96 * width, cex = 0.85, least = 0.65)
  gap <- line_height(0.4)
  list(
    title = title, note = note, gap = gap,
    height = gap + title$height + note$height + gap * any(nzchar(note$text))
  )
}

#' @param top height in inches of its upper edge.
#' @noRd
draw_heading <- function(heading, middle = mean(edges("nfc")[1:2]),
                         top = edges("nfc")[4]) {
  text_at(middle, top - heading$gap, heading$title, adj = c(0.5, 1))
  text_at(
    middle, top - 2 * heading$gap - heading$title$height, heading$note,
    adj = c(0.5, 1)
  )
}
