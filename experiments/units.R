# Rows of one unit: 40 patients with 6 rows each share a label, and 4 labels are wrong, in 24 rows. Are they found,
# and does the 90 % interval hold their number?
#
# `rows`: `near`, the rows of a patient differ by .15 standard deviations of the patients, who are of a class by a line;
# `far`, by .7; `tiles`, each row is of one of two kinds, whose place in the plane tells the class and whose mean does not
# (an exclusive or). `way`: gpc() that takes all rows for independent (of `near` alone), gpc(units = ), which takes
# their means, and mislabelled(units = ) of scores by gpc() of the rows, whole patients left out of five folds.

experiment <- list(
  settings = list(
    replications = 20, seed = 101, rows = c("near", "far", "tiles"),
    way = c("independent", "units", "scores")
  ),
  quick = list(replications = 1, rows = "near", way = "units"),
  in_package = "summary",
  tasks = function(settings) {
    all <- all_of(rows = settings$rows, way = settings$way, seed = seeds_of(settings))
    all[all$way != "independent" | all$rows == "near", ]
  },
  run = function(task) units_one(task$rows, task$way, task$seed),
  tables = function(parts) {
    rows <- parts$results
    value <- c("found", "expected", "covered", "sign", "log_factor")
    list(summary = stats::aggregate(rows[value], rows[c("way", "rows")], mean))
  }
)

units_table <- function(rows, seed) {
  set_seed(seed)
  patient <- rep(1:40, each = 6)
  noise <- function(sd) matrix(stats::rnorm(720, 0, sd), 240)
  if (rows == "tiles") {
    label <- stats::rnorm(40) > 0
    kind <- sample(c(-1, 1), 240, TRUE)
    X <- 1.2 * cbind(kind, ifelse(label[patient], kind, -kind), 0) + noise(0.7)
  } else {
    u <- matrix(stats::rnorm(120), 40)
    X <- u[patient, ] + noise(c(near = 0.15, far = 0.7)[[rows]])
    label <- u[, 1] + u[, 2] > 0
  }
  wrong <- sample(40, 4)
  label[wrong] <- !label[wrong]
  list(X = data.frame(unname(X)), y = factor(label[patient]), patient = patient, wrong = wrong)
}

# found: of the patients that stand first, as many as are wrong
units_one <- function(rows, way, seed) {
  made <- units_table(rows, seed)
  found <- if (way == "scores") {
    prob <- cross_fit(
      made$X, made$y, function(x, y) gpc(x, y, kernel = kernel_iso(), epsilon = "learn", hyper = "optimum"),
      folds = 5, units = made$patient, progress = FALSE
    )
    observe(mislabelled(prob))$value
  } else {
    units <- if (way == "units") made$patient
    observe(mislabelled(gpc(made$X, made$y, units = units, control = quiet_control())))$value
  }
  test <- attr(found, "test")
  expected <- attr(found, "expected")
  truth <- if (way == "independent") 24 else 4
  data.frame(
    found = sum(utils::head(unique(made$patient[found$row]), 4) %in% made$wrong),
    expected = expected$count, lower = expected$lower, upper = expected$upper,
    covered = expected$lower <= truth && truth <= expected$upper,
    sign = !startsWith(test$verdict, "no sign"), log_factor = log(test$bayes_factor), verdict = test$verdict
  )
}
