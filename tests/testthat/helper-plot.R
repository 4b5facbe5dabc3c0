# Draws into a file that goes away; returns par() before and after.
draw <- function(...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- graphics::par(no.readonly = TRUE)
  result <- withVisible(plot(...))
  list(before = before, after = graphics::par(no.readonly = TRUE), result = result)
}
looks <- c("mar", "oma", "mfrow", "las", "xpd", "cex", "lwd")
