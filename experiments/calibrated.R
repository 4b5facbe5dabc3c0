# Rows called wrong at a false-discovery rate of 0.1: by the probabilities of the model
# (mislabelled(fdr =)), and by rows checked at random (calibrate =). How many are called, and what
# share of them has the right label (0 where none is called)?
#
# - smooth: a Gaussian process of two inputs (lengthscale 1, nugget 0.02), a fifth of the labels
#   flipped, and the model that made it, at its parameters;
# - overlap: with nugget 1 and no label wrong, and that same model;
# - circle: a fifth of the labels flipped, and a model with a linear boundary, to which all
#   that is beyond it looks wrong.
#
# Half of the 80 most suspicious of 150 rows are checked. Nothing was chosen by these tables.

sys.source(file.path(experiments, "averaging.R"), environment())

calibrated_families <- utils::read.csv(strip.white = TRUE, text = "
  family,  model, share
  smooth,  gpc,   0.2
  circle,  bpm,   0.2
  overlap, gpc,   0
")

experiment <- list(
  settings = list(
    families = calibrated_families$family, rows = 150, among = 80, checks = 40,
    replications = 500, seed = 5001
  ),
  quick = list(rows = 60, among = 40, checks = 20, replications = 1),
  in_package = "summary",
  tasks = function(settings) {
    all_of(
      family = settings$families, rows = settings$rows, among = settings$among,
      checks = settings$checks, seed = seeds_of(settings)
    )
  },
  run = function(task) calibrated_one(task),
  tables = function(parts) {
    columns <- c("wrong", "called_model", "called_checks", "false_model", "false_checks")
    summary <- group_means(parts$results, "family", columns)
    at <- match(summary$family, calibrated_families$family)
    list(summary = cbind(model = calibrated_families$model[at], summary))
  }
)

calibrated_one <- function(task) {
  way <- calibrated_families[calibrated_families$family == task$family, ]
  set_seed(task$seed)
  table <- switch(task$family,
    smooth = process_table(task$rows, 0.02, 0), overlap = process_table(task$rows, 1, 0),
    circle = circle_table(task$rows)
  )
  flipped <- stats::runif(task$rows) < way$share
  truth <- factor(table$y, c(FALSE, TRUE))
  y <- factor(xor(table$y, flipped), c(FALSE, TRUE))
  own <- if (way$model == "gpc") {
    list(kernel = kernel_iso(1, bias = 0, nugget = 0.02, fixed = TRUE), scale = FALSE)
  } else {
    list(prior_scale = 1, nugget = 0.02)
  }
  fit <- observe(do.call(way$model, c(
    list(table$x, y, epsilon = 0.2, hyper = "optimum", control = quiet_control()), own
  )))$value
  ranked <- observe(mislabelled(fit, level = NULL))$value
  drawn <- sample(utils::head(ranked$row, task$among), task$checks)
  called <- function(...) observe(mislabelled(fit, fdr = 0.1, level = NULL, ...))$value$row
  model <- called()
  checks <- called(
    calibrate = data.frame(row = drawn, label = truth[drawn]), among = task$among
  )
  share_right <- function(rows) if (length(rows)) mean(!flipped[rows]) else 0
  data.frame(
    wrong = sum(flipped), called_model = length(model), called_checks = length(checks),
    false_model = share_right(model), false_checks = share_right(checks)
  )
}

circle_table <- function(rows) {
  X <- matrix(stats::rnorm(2 * rows), rows)
  list(x = as.data.frame(X), y = rowSums(X^2) > 2 * log(2))
}
