# Makes the pictures of help pages, man/figures/help-*.png, with the installed package:
#
#   Rscript data-raw/help-pictures.R
#
# from the root of the repository.

library(sturdy)
source("vignettes/fewer-colours.R")

class_colours <- c("#0072B2", "#D55E00")
class_shapes <- c(1, 17)

picture <- function(name, draw) {
  path <- file.path("man", "figures", paste0("help-", name, ".png"))
  grDevices::png(path, 1520, 620, res = 200, type = "cairo")
  graphics::par(
    mfrow = c(1, 2), mar = c(3.2, 3.7, 2, 0.5), mgp = c(2.4, 0.6, 0), las = 1, cex = 0.8, tcl = -0.3
  )
  draw()
  grDevices::dev.off()
  fewer_colours(path, 32)
}

# One input, one label flipped --------------------------------------------------

set.seed(4)
line <- data.frame(x = sort(stats::runif(30, -3, 3)))
line$class <- factor(line$x > 0.2, labels = c("no", "yes"))
odd <- which.min(abs(line$x + 1.6))
line$class[odd] <- "yes"
along <- data.frame(x = seq(-3, 3, length.out = 200))

curve_of <- function(fit, title) {
  graphics::plot(
    along$x, predict(fit, along, type = "prob")[, "yes"], type = "l", lwd = 2.5, ylim = c(0, 1),
    xlab = "input", ylab = "probability of the event", main = title
  )
  two <- as.integer(line$class)
  graphics::points(line$x, two - 1, pch = class_shapes[two], col = class_colours[two])
  suspects <- mislabelled(fit, given = "some")
  ring <- suspects$row[suspects$probability > 0.5]
  graphics::points(line$x[ring], two[ring] - 1, cex = 2.6, lwd = 1.5)
}

picture("noise", function() {
  curve_of(gpc(class ~ x, line, epsilon = 0), "Every label is taken to be right")
  curve_of(gpc(class ~ x, line), "Labels may be wrong")
})

# Every value of the hyperparameters ---------------------------------------------

picture("averaging", function() {
  # before the label stage, of which the mean over nodes is the answer of the first
  first <- function(fit) {
    fit$label_stage <- NULL
    fit
  }
  best <- first(gpc(class ~ x, line, hyper = "optimum"))
  average <- first(gpc(class ~ x, line))
  empty <- function(title) {
    graphics::plot(
      range(along$x), 0:1, type = "n", xlab = "input", ylab = "probability of the event", main = title
    )
    two <- as.integer(line$class)
    graphics::points(line$x, two - 1, pch = class_shapes[two], col = class_colours[two])
  }
  empty("At the best values")
  graphics::lines(along$x, predict(best, along, type = "prob")[, "yes"], lwd = 2.5)
  empty("Averaged over all values")
  weight <- average$nodes$table$weight
  for (k in order(weight)) {
    one <- suppressWarnings(update(
      average,
      hyper = "optimum", epsilon = min(0.49, average$nodes$omega[[k]][1, 1, 2]), inducing = NULL,
      kernel = do.call(kernel_ard, c(
        average$nodes$hyper[[k]][c("lengthscale", "variance", "bias", "nugget", "linear")],
        fixed = TRUE
      ))
    ))
    graphics::lines(
      along$x, predict(one, along, type = "prob")[, "yes"],
      col = grDevices::grey(0.85 - 0.45 * sqrt(weight[k] / max(weight)))
    )
  }
  graphics::lines(along$x, predict(average, along, type = "prob")[, "yes"], lwd = 2.5)
})

# Wrong labels beside overlap ------------------------------------------------------

set.seed(5)
plane <- data.frame(a = stats::rnorm(250), b = stats::rnorm(250))
side <- plane$a + plane$b

picture("overlap", function() {
  show <- function(class, title) {
    fit <- gpc(plane, class)
    two <- as.integer(class)
    graphics::plot(
      plane$a, plane$b, pch = class_shapes[two], col = class_colours[two],
      xlab = "first input", ylab = "second input", main = title, cex = 0.9
    )
    graphics::abline(0, -1, col = "grey50", lty = 2)
    suspects <- mislabelled(fit)
    ring <- suspects$row[suspects$if_some > 0.5]
    graphics::points(plane$a[ring], plane$b[ring], cex = 2.4, lwd = 1.3)
  }
  apart <- factor(side > 0, labels = c("no", "yes"))
  show(flip_labels(apart, 0.1, seed = 1), "Wrong labels")
  mixed <- factor(side + stats::rnorm(250, sd = 0.5) > 0, labels = c("no", "yes"))
  show(mixed, "Overlap")
})
