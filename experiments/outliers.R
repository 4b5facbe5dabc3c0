# What a few gross outliers do to the boundary: two Gaussian classes of 300 points,
# with and without eight points that have the label of one class and lie behind the other,
# as in Figure 2 of Futami, Sato and Sugiyama (2017). The positions of the classes and of the
# outliers are ours, see ?sim_outliers.
#
# Gaussian and Student-t process (df = 10), each
# - with epsilon = 0, learned by its own evidence, which is nearest to the paper;
# - with epsilon learned by the default criterion;
# - with epsilon = 0 at one kernel, that of the Gaussian process without outliers. Only the
#   inference differs here. In theory nothing should differ: the exact class probabilities
#   of both are the same at equal kernels (see ?stc).
#
# We measure the mean |change of class probability| over a grid and over fresh points of the
# two classes, the share of the grid that changes class, and the scores on the fresh points,
# which contain no outliers.

experiment <- list(
  settings = list(replications = 20, seed = 1, df = 10, fresh = 5000),
  quick = list(replications = 1, fresh = 500),
  in_package = c("results", "summary"),
  tasks = function(settings) {
    all_of(
      df = settings$df, fresh = settings$fresh,
      seed = seeds_of(settings)
    )
  },
  run = function(task) outlier_runs(task),
  tables = function(parts) {
    summary <- group_means(parts$results, "method", c(
      "change_grid", "change_fresh", "class_changed", "error_without", "error_with",
      "error_change", "log_score_change", "epsilon_with"
    ))
    list(summary = summary[!endsWith(names(summary), "_sd")])
  },
  figures = list(outliers = list(
    width = 12.5, height = 6,
    draw = function(parts, tables) draw_outliers(parts$surface)
  ))
)

classifiers <- data.frame(
  method = c(
    "GPC, epsilon 0", "STC, epsilon 0", "GPC, epsilon learned",
    "STC, epsilon learned", "GPC, kernel held", "STC, kernel held"
  ),
  student = c(FALSE, TRUE),
  criterion = c("evidence", "evidence", "evidence", "loo", "evidence", "evidence"),
  learned = rep(c(FALSE, TRUE, FALSE), each = 2),
  held = rep(c(FALSE, FALSE, TRUE), each = 2)
)

outlier_runs <- function(task) {
  points <- sim_outliers(seed = task$seed)
  data <- list(
    without = points[!points$outlier, ], with = points,
    fresh = sim_outliers(task$fresh, 0, seed = task$seed + 10000)
  )
  held <- held_kernel(fit_classifier(classifiers[1, ], data$without, task$df))
  runs <- lapply(seq_len(nrow(classifiers)), function(k) {
    outlier_run(classifiers[k, ], data, task$df, held)
  })
  list(
    results = do.call(rbind, lapply(runs, `[[`, "results")),
    surface = do.call(rbind, lapply(runs, `[[`, "surface"))
  )
}

# Columns are not standardised, so that a kernel means the same with outliers
fit_classifier <- function(classifier, points, df, kernel = kernel_ard()) {
  stc(
    class ~ x1 + x2, points,
    df = if (classifier$student) df else Inf, criterion = classifier$criterion,
    epsilon = if (classifier$learned) "learn" else 0, kernel = kernel, scale = FALSE,
    control = quiet_control()
  )
}

held_kernel <- function(fit) {
  value <- coef(fit)
  kernel_ard(
    lengthscale = unname(value[c("lengthscale.x1", "lengthscale.x2")]),
    bias = value[["bias"]], nugget = value[["nugget"]],
    fixed = c("lengthscale", "variance", "bias", "nugget")
  )
}

outlier_grid <- function() {
  all_of(x1 = seq(-6, 6, by = 0.25), x2 = seq(-3.5, 3.5, by = 0.25))
}

# One classifier with and without the outliers
outlier_run <- function(classifier, data, df, held) {
  kernel <- if (classifier$held) held else kernel_ard()
  grid <- outlier_grid()
  runs <- lapply(data[c("without", "with")], function(points) {
    run <- observe(fit_classifier(classifier, points, df, kernel))
    fit <- run$value
    fresh <- predict(fit, data$fresh, type = "prob")
    list(
      grid = predict(fit, grid, type = "prob")[, "pos"], fresh = fresh[, "pos"],
      facts = data.frame(
        probability_scores(fresh, data$fresh$class)[c("error", "log_score")],
        epsilon = fit$epsilon, status = fit$ep$status, warned = run$warned
      )
    )
  })
  without <- runs$without
  with <- runs$with
  named <- function(facts, of) stats::setNames(facts, paste0(names(facts), "_", of))
  list(
    results = data.frame(
      method = classifier$method,
      change_grid = mean(abs(with$grid - without$grid)),
      change_fresh = mean(abs(with$fresh - without$fresh)),
      class_changed = mean((with$grid > 0.5) != (without$grid > 0.5)),
      error_change = with$facts$error - without$facts$error,
      log_score_change = with$facts$log_score - without$facts$log_score,
      named(without$facts, "without"), named(with$facts, "with")
    ),
    surface = data.frame(
      method = classifier$method, outliers = rep(names(runs), each = nrow(grid)),
      rbind(grid, grid), p = c(without$grid, with$grid)
    )
  )
}

# Figure ------------------------------------------------------------------------

# Class probabilities of the first seed: a row without the outliers, a row with them
draw_outliers <- function(surface) {
  surface <- surface[surface$seed == surface$seed[1], ]
  points <- sim_outliers(seed = surface$seed[1])
  methods <- classifiers$method[!classifiers$held]
  graphics::par(mfrow = c(2, length(methods)), cex = 0.8, mar = c(3.2, 3.4, 2, 0.6))
  graphics::par(mgp = c(1.9, 0.5, 0))
  for (outliers in unique(surface$outliers)) {
    shown <- if (outliers == "with") points else points[!points$outlier, ]
    for (method in methods) {
      mine <- surface[surface$method == method & surface$outliers == outliers, ]
      draw_surface(mine, shown, paste0(method, ", ", outliers, " outliers"))
    }
  }
}

# Boundary, thick, and where the probabilities are 0.1 and 0.9, dashed. Outliers have
# large symbols.
draw_surface <- function(surface, points, title) {
  x1 <- unique(surface$x1)
  x2 <- unique(surface$x2)
  p <- matrix(surface$p, length(x1))
  graphics::plot(
    range(x1), range(x2), type = "n", xaxs = "i", yaxs = "i", main = title,
    xlab = "x1", ylab = "x2"
  )
  # blue for neg, orange for pos, white where they are equal
  shades <- grDevices::colorRampPalette(c("#7FB8DA", "#FFFFFF", "#F2B27F"))(101)
  shade <- matrix(shades[1 + round(100 * p)], length(x1))
  graphics::rasterImage(
    t(shade)[rev(seq_along(x2)), ], min(x1), min(x2), max(x1), max(x2)
  )
  positive <- points$class == "pos"
  graphics::points(
    points$x1, points$x2, pch = ifelse(positive, 3, 1), lwd = 0.8,
    cex = ifelse(points$outlier, 1.2, 0.5),
    col = ifelse(positive, "#A34700", "#00507D")
  )
  graphics::contour(
    x1, x2, p, levels = c(0.1, 0.9), add = TRUE, lty = 2, lwd = 1, drawlabels = FALSE
  )
  graphics::contour(x1, x2, p, levels = 0.5, add = TRUE, lwd = 2.4, drawlabels = FALSE)
  graphics::box(lwd = 1)
}
