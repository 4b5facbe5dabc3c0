# Makes a PNG of a plot smaller without a visible change: at most 128 colours, which R's
# device then writes as a palette. Shared by the vignettes, the README and the figures of
# experiments; without the package png the file stays as it is.

fewer_colours <- function(path, most = 128) {
  if (!requireNamespace("png", quietly = TRUE) || !isTRUE(capabilities("cairo"))) {
    return(path)
  }
  image <- png::readPNG(path)
  size <- dim(image)[1:2]
  if (length(dim(image)) < 3) image <- array(image, c(size, 3))
  pixels <- matrix(round(255 * image[, , 1:3]), ncol = 3)
  code <- drop(pixels %*% 256^(0:2))
  kinds <- sort(table(code), decreasing = TRUE)
  all <- as.numeric(names(kinds))
  colours <- cbind(all %% 256, all %/% 256 %% 256, all %/% 65536)
  # in turn the colour that stands for most pixels, of those not near one taken before:
  # so that a few pixels of a colour of their own keep it
  taken <- 1
  gap <- rep(Inf, length(all))
  for (k in seq_len(min(most, length(all)) - 1)) {
    last <- colours[taken[k], ]
    gap <- pmin(gap, colSums((t(colours) - last)^2))
    taken[k + 1] <- which.max(sqrt(c(kinds)) * gap)
  }
  square <- function(x) rowSums(x^2)
  palette <- colours[taken, , drop = FALSE]
  away <- outer(square(colours), square(palette), `+`) - 2 * colours %*% t(palette)
  near <- palette[max.col(-away, ties.method = "first"), , drop = FALSE]
  shown <- near[match(code, all), ] / 255
  raster <- matrix(grDevices::rgb(shown[, 1], shown[, 2], shown[, 3]), size[1])
  grDevices::png(path, size[2], size[1], type = "cairo")
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot(0:1, 0:1, type = "n", xaxs = "i", yaxs = "i", axes = FALSE, ann = FALSE)
  graphics::rasterImage(grDevices::as.raster(raster), 0, 0, 1, 1, interpolate = FALSE)
  path
}
