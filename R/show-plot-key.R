# The key of a plot: symbols and what they mean, in as many lines above the panel as
# that takes.

# light to dark, so that it reads in grey; the ring is Okabe and Ito's vermilion
surface_colours <- function(n) {
  grDevices::colorRampPalette(c("#FBF7EE", "#A9CCE3", "#2E86C1"))(n)
}
ring_colour <- "#D55E00"
band_colour <- "grey85"
class_symbols <- c(21, 24)
class_fills <- c("white", "black")

#' Entries of a key for both classes
#' @noRd
class_entries <- function(labels) {
  Map(
    function(text, pch, bg) list(text = text, pch = pch, bg = bg),
    labels, class_symbols, class_fills
  )
}

#' Entries as lines of a key: one line if need be in smaller print, else several
#'
#' @param entries list of list(text, and pch, bg, col, cex, lwd of a point, or `line`,
#'   its type, of a dash).
#' @return list(entries, text, cex, row, x, line, height): where each starts.
#' @noRd
fit_key <- function(entries, width = graphics::par("fin")[1]) {
  text <- vapply(entries, `[[`, character(1), "text")
  width <- 0.96 * width
  for (cex in c(1, 0.9, 0.8, 0.7)) {
    symbol <- 1.6 * text_width("M", cex)
    needed <- symbol + text_width(text, cex) + text_width("M", cex)
    if (sum(needed) <= width) break
  }
  fitted <- fit_text(text, width - 2.6 * text_width("M", cex), 1, cex, 0.6)
  needed <- symbol + text_width(fitted$text, fitted$cex) + text_width("M", cex)
  row <- integer()
  used <- Inf
  for (k in seq_along(needed)) {
    new <- used + needed[k] > width
    row[k] <- sum(row[k - 1], new)
    used <- if (new) needed[k] else used + needed[k]
  }
  heights <- tapply(count_lines(fitted$text), row, max) * line_height(fitted$cex)
  list(
    entries = entries, fitted = fitted, needed = needed, row = row, symbol = symbol,
    heights = as.vector(heights), height = sum(heights) + line_height(0.3)
  )
}

#' @param bottom height in inches of its lower edge.
#' @noRd
draw_key <- function(key, bottom = edges("npc")[4] + line_height(0.3)) {
  figure <- edges("nfc")
  panel <- edges("npc")
  for (row in seq_along(key$heights)) {
    mine <- which(key$row == row)
    wide <- sum(key$needed[mine])
    left <- min(max(mean(panel[1:2]) - wide / 2, figure[1]), figure[2] - wide)
    x <- left + cumsum(key$needed[mine]) - key$needed[mine]
    y <- bottom + sum(key$heights[seq_along(key$heights) >= row]) -
      key$heights[row] / 2
    for (k in seq_along(mine)) {
      draw_symbol(key$entries[[mine[k]]], x[k], y, key$symbol, key$fitted$cex)
      one <- key$fitted
      one$text <- one$text[mine[k]]
      text_at(x[k] + key$symbol, y, one, adj = c(0, 0.5))
    }
  }
}

draw_symbol <- function(entry, x, y, width, cex) {
  at_x <- graphics::grconvertX(x + width * c(0.05, 0.45, 0.8), "inches", "user")
  at_y <- graphics::grconvertY(y, "inches", "user")
  usual <- list(bg = NA, col = "black", cex = 1, lwd = 1)
  entry <- utils::modifyList(usual, entry)
  if (is.null(entry$pch)) {
    graphics::segments(
      at_x[1], at_y, at_x[3], at_y, lty = entry$line, lwd = entry$lwd,
      col = entry$col, xpd = NA
    )
  } else {
    graphics::points(
      at_x[2], at_y, pch = entry$pch, bg = entry$bg, col = entry$col,
      lwd = entry$lwd, cex = entry$cex * cex, xpd = NA
    )
  }
}
