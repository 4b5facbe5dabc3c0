# Robust Gaussian process classification of New Thyroid, normal against the rest, with
# 0, 5, 10 and 15 % of the training labels flipped, as in Table 2 of Kim and Ghahramani
# (2008): evidence and test error over random halves, 107 rows for training. The paper has
# ten halves; ours are sixty, and the first ten of them also by themselves. Its kernel has
# v0 = 1, v1 = 1e-8 (our bias) and "l1 = .05 and l2 = .05" held, and v2 (our nugget)
# learned. The data have five columns, and the scaling of the inputs is not stated: ours has
# l = 0.05 = 1/(2 lengthscale^2) in all of them, scaled by the training half. No prior. The
# methods are described in kg08.R: `svm_held` is the paper's; the tuned `svm` sees the first
# ten halves only.

sys.source(file.path(experiments, "kg08.R"), environment())

experiment <- list(
  settings = list(
    replications = 60, as_printed = 10, seed = 1, rates = c(0, 0.05, 0.1, 0.15)
  ),
  quick = list(replications = 1, as_printed = 1, rates = c(0, 0.1)),
  in_package = c("table", "paired"),
  needs = "kernlab",
  tasks = function(settings) {
    all_of(
      rate = settings$rates, first = settings$seed + settings$as_printed - 1,
      seed = seeds_of(settings)
    )
  },
  run = function(task) thyroid_run(task$rate, task$seed, task$seed <= task$first),
  tables = function(parts) {
    rows <- parts$results
    few <- rows[rows$seed <= rows$first, ]
    list(
      table = rbind(
        thyroid_beside_paper(kg08_means(few, "rate")),
        thyroid_beside_paper(kg08_means(rows[rows$method != "svm", ], "rate"))
      ),
      paired = kg08_paired(rows, "rate")
    )
  },
  figures = list("kg08-thyroid" = list(
    width = 9.6, height = 4.6,
    draw = function(parts, tables) {
      table <- tables$table
      draw_thyroid(table[table$n == max(table$n), ])
    }
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

thyroid_run <- function(rate, seed, tuned = TRUE) {
  d <- thyroid_half(rate, seed)
  sigmas <- c(list(svm_held = 0.05), if (tuned) list(svm = kg08_sigmas))
  kg08_rows(d, thyroid_kernel(), scale = TRUE, seed = seed, sigmas = sigmas)
}

# Tables ----------------------------------------------------------------------

# The method of the paper that each of ours stands for
thyroid_printed <- c(
  gpc = "gpc", em_kg08 = "robust", selected_kg08 = "selected", svm_held = "svm"
)

# Both quantities in columns of their own; the errors in shares
thyroid_beside_paper <- function(means) {
  ours <- means$method
  means$method <- unname(thyroid_printed[ours])
  by <- c("rate", "method")
  named <- function(table, of) {
    added <- c("printed", "printed_spread", "printed_se", "z")
    stats::setNames(table[added], paste0(of, "_", added))
  }
  evidence <- beside_printed(means, "kg08-table2-evidence", by, "log_evidence")
  error <- beside_printed(means, "kg08-table2-error", by, "error", scale = 0.01)
  means$method <- ours
  cbind(means, named(evidence, "log_evidence"), named(error, "error"))
}

# Figure ----------------------------------------------------------------------

thyroid_shown <- c(
  "gpc" = "GPC, epsilon = 0", "em_kg08" = "robust, em_kg08", "svm_held" = "SVM, kernel held",
  "gradient" = "robust GPC, gradient"
)

draw_thyroid <- function(table) {
  table <- table[table$method %in% names(thyroid_shown), ]
  graphics::par(mfrow = c(1, 2))
  thyroid_panel(table, "error", "test error, %", 100)
  thyroid_legend("topleft", names(thyroid_shown))
  thyroid_panel(table[table$method != "svm_held", ], "log_evidence", "log evidence, nats", 1)
}

# Means and standard errors against the rate; the points of a rate side by side, the
# printed values (crosses) beside them
thyroid_panel <- function(table, column, label, scale) {
  mean <- scale * table[[column]]
  error <- scale * table[[paste0(column, "_se")]]
  k <- match(table$method, names(thyroid_shown))
  x <- 100 * table$rate + 0.3 * (k - 2.5)
  printed <- scale * table[[paste0(column, "_printed")]]
  printed_error <- scale * table[[paste0(column, "_printed_se")]]
  graphics::plot(
    range(x), range(mean - error, mean + error, printed, na.rm = TRUE), type = "n",
    xlab = "training labels flipped, %", ylab = label,
    main = "means and standard errors; crosses: printed"
  )
  graphics::segments(x, mean - error, x, mean + error, col = figure_colours[k])
  beside <- x + 0.12
  has <- !is.na(printed)
  graphics::segments(
    beside[has], (printed - printed_error)[has], beside[has],
    (printed + printed_error)[has], col = figure_colours[k][has], lty = 3
  )
  graphics::points(beside, printed, pch = 4, col = figure_colours[k], lwd = 1.4)
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
