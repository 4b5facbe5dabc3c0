# Draws into a file that goes away; returns par() before and after.
draw <- function(..., size = c(7, 7)) {
  on_page({
    before <- graphics::par(no.readonly = TRUE)
    result <- withVisible(plot(...))
    list(before = before, after = graphics::par(no.readonly = TRUE), result = result)
  }, size)
}
drawing <- c("mar", "mai", "oma", "mfrow", "las", "xpd", "cex", "lwd", "mgp", "tcl", "pty")

# Evaluates on a page of a size in inches, which goes away.
on_page <- function(code, size = c(7, 7)) {
  grDevices::pdf(NULL, size[1], size[2])
  on.exit(grDevices::dev.off())
  code
}

# The texts that plot() sets itself: not those of axis().
drawn_text <- function(..., size = c(7, 7)) {
  on_page({
    grDevices::dev.control("enable")
    plot(...)
    calls <- lapply(grDevices::recordPlot()[[1]], `[[`, 2)
    texts <- lapply(calls, function(call) {
      if (identical(call[[1]]$name, "C_text")) as.character(call[[3]])
    })
    gsub("\n", " ", unlist(texts))
  }, size)
}

# The marks of one kind, or of one meaning, in a picture, and which of its panels they are in.
drawn <- function(picture, kind, meaning = NULL) {
  panels <- lapply(seq_along(picture$panels), function(k) {
    mine <- Filter(function(layer) layer$kind == kind, picture$panels[[k]]$layers)
    do.call(rbind, lapply(mine, function(layer) cbind(layer$data[c("x", "y", "meaning", "words", "fill")], panel = k)))
  })
  all <- do.call(rbind, panels)
  if (is.null(meaning)) all else all[all$meaning %in% meaning, ]
}
