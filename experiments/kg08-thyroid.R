# Robust Gaussian process classification of New Thyroid, normal against the rest, with
# 0, 5, 10 and 15 % of the training labels flipped, as in Table 2 of Kim and Ghahramani
# (2008): evidence and test error over random halves. The kernel has one lengthscale,
# fixed at l = 0.05 = 1/(2 lengthscale^2) with inputs scaled by the training half, a bias
# fixed at 1e-8, and a nugget that is learned, without any prior. We do not know how many
# halves they drew, or which; ours are sixty. The methods are described in kg08.R.

sys.source(file.path(experiments, "kg08.R"), environment())

experiment <- list(
  settings = list(replications = 60, seed = 1, rates = c(0, 0.05, 0.1, 0.15)),
  quick = list(replications = 1, rates = c(0, 0.1)),
  in_package = c("table", "reference", "paired"),
  needs = "kernlab",
  tasks = function(settings) {
    all_of(
      rate = settings$rates, seed = seeds_of(settings)
    )
  },
  run = function(task) thyroid_run(task$rate, task$seed),
  tables = function(parts) {
    means <- kg08_means(parts$results, "rate")
    list(
      table = thyroid_beside_paper(means), reference = thyroid_reference(means),
      paired = kg08_paired(parts$results, "rate")
    )
  },
  figures = list("kg08-thyroid" = list(
    width = 9.6, height = 4.6,
    draw = function(parts, tables) draw_thyroid(tables$table)
  ))
)

thyroid_kernel <- function() {
  kernel_iso(
    lengthscale = 1 / sqrt(2 * 0.05), variance = 1, bias = 1e-8, nugget = 0.1,
    fixed = c("lengthscale", "variance", "bias"), prior = NULL
  )
}

# The flips do not depend on the half that was drawn; those of a higher rate include
# those of the lower ones
thyroid_half <- function(rate, seed) {
  d <- random_half("newthyroid", seed)
  noisy <- flip(d$y, rate, 1000 + seed)
  d$y <- noisy$y
  d$flipped <- noisy$flipped
  d
}

thyroid_run <- function(rate, seed) {
  d <- thyroid_half(rate, seed)
  kg08_rows(d, thyroid_kernel(), scale = TRUE, seed = seed)
}

# Tables ----------------------------------------------------------------------

# The paper prints one robust evidence: it is repeated for each way of learning epsilon
thyroid_beside_paper <- function(means) {
  method <- means$method
  means$method[method %in% c("gradient", "em", "em_kg08")] <- "robust"
  means <- beside_printed(means, "kg08-table2", c("rate", "method"), "log_evidence")
  means$method <- method
  means
}

# Compared with the reference values of the specification, for the same settings
thyroid_reference <- function(means) {
  means <- means[means$method %in% c("gpc", "gradient"), ]
  one <- function(quantity, scale) {
    columns <- paste0(quantity, c("", "_sd", "_se"))
    table <- means[c("rate", "method", columns)]
    table <- beside_printed(
      table, paste0("reference-thyroid-", quantity), c("rate", "method"), quantity,
      scale
    )
    table <- cbind(quantity = quantity, table)
    names(table) <- sub(paste0("^", quantity), "value", names(table))
    names(table) <- sub("^printed", "reference", names(table))
    table
  }
  rbind(one("log_evidence", 1), one("error", 0.01))
}

# Figure ----------------------------------------------------------------------

thyroid_shown <- c(
  "gpc" = "GPC, epsilon = 0", "gradient" = "robust GPC", "em_kg08" = "robust, em_kg08",
  "svm" = "SVM"
)

draw_thyroid <- function(table) {
  table <- table[table$method %in% names(thyroid_shown), ]
  graphics::par(mfrow = c(1, 2))
  thyroid_panel(table, "error", "test error, %", 100)
  thyroid_legend("topleft", names(thyroid_shown))
  fitted <- table[table$method != "svm", ]
  thyroid_panel(fitted, "log_evidence", "log evidence, nats", 1)
  paper <- fitted[fitted$method %in% c("gpc", "em_kg08"), ]
  graphics::points(
    100 * paper$rate, paper$printed,
    pch = ifelse(paper$method == "gpc", 3, 4), cex = 1.1, lwd = 1.4
  )
  graphics::legend(
    "topright", legend = paste("printed,", c("GPC", "robust")), pch = c(3, 4),
    bty = "n", cex = 0.9
  )
}

# Means and standard errors against the rate; the points of a rate side by side
thyroid_panel <- function(table, column, label, scale) {
  mean <- scale * table[[column]]
  error <- scale * table[[paste0(column, "_se")]]
  error[is.na(error)] <- 0
  k <- match(table$method, names(thyroid_shown))
  x <- 100 * table$rate + 0.3 * (k - 2.5)
  printed <- if (column == "log_evidence") table$printed
  graphics::plot(
    range(x), range(mean - error, mean + error, printed, na.rm = TRUE), type = "n",
    xlab = "training labels flipped, %", ylab = label,
    main = "mean and standard error"
  )
  graphics::segments(x, mean - error, x, mean + error, col = figure_colours[k])
  for (method in unique(k)) {
    graphics::lines(
      x[k == method], mean[k == method],
      type = "o", pch = 14 + method, cex = 0.9,
      col = figure_colours[method], lty = figure_lines[method]
    )
  }
}

thyroid_legend <- function(place, methods) {
  k <- match(methods, names(thyroid_shown))
  graphics::legend(
    place, legend = thyroid_shown[k], col = figure_colours[k], lty = figure_lines[k],
    pch = 14 + k, bty = "n", seg.len = 3, cex = 0.9
  )
}
