# Labels of one class alone that are wrong, among three classes: what it is worth that the average
# knows a noise model for each class alone.
#
# 80 rows train and the others test. Labels are as they are; a share of all is taken for
# another class at random ("uniform"), or for the next one ("pair"); or only those of one class
# are, for the next one ("row.next") or another one at random ("row.any"), two fifths of them.
# "with" is the default, "without" has the matrix with the prior probability of the rows alone.
#
# `some` is the probability that labels are wrong, `count` the number expected, `covered` whether
# its 90 % interval holds the true one, `log_loss` on the test rows, `auc` for finding the
# wrong labels, `cpu` in seconds.

experiment <- list(
  settings = list(
    data = c("iris", "newthyroid", "groups"),
    noise = c("none", "uniform.2", "pair.2", "row.next", "row.any"), replications = 4, seed = 4101
  ),
  quick = list(data = "groups", noise = "row.next", replications = 1),
  in_package = "summary",
  tasks = function(settings) {
    all_of(data = settings$data, noise = settings$noise, seed = seeds_of(settings))
  },
  run = function(task) one_row_replication(task$data, task$noise, task$seed),
  tables = function(parts) list(summary = one_row_summary(parts$results))
)

one_row_models <- list(
  with = noise_prior(),
  without = noise_prior(models = c(none = 0.25, one = 0.3, two = 0.45))
)

one_row_data <- function(name) {
  if (name == "groups") { # three that meet in a point, with a quarter of overlap at their bounds
    x <- matrix(stats::rnorm(2 * 400), ncol = 2)
    f <- cbind(x[, 1], x[, 2], -x[, 1] - x[, 2]) + 0.3 * matrix(stats::rnorm(1200), ncol = 3)
    return(list(x = x, y = factor(letters[max.col(f)])))
  }
  data <- if (name == "iris") datasets::iris else sturdy_data(name)
  class <- vapply(data, is.factor, NA)
  list(x = as.matrix(data[!class]), y = data[[which(class)]])
}

one_row_labels <- function(y, noise) {
  classes <- nlevels(y)
  wrong <- if (startsWith(noise, "row")) {
    mine <- which(y == levels(y)[which.max(table(y))])
    mine[sample.int(length(mine), round(0.4 * length(mine)))]
  } else if (noise != "none") {
    sample.int(length(y), round(0.2 * length(y)))
  }
  step <- if (noise %in% c("pair.2", "row.next")) 1 else sample(classes - 1, length(wrong), TRUE)
  code <- as.integer(y)
  code[wrong] <- (code[wrong] + step - 1) %% classes + 1
  factor(levels(y)[code], levels = levels(y))
}

one_row_replication <- function(name, noise, seed) {
  set_seed(seed)
  data <- one_row_data(name)
  training <- sample(length(data$y), 80)
  x <- scale(data$x[training, ])
  new <- scale(data$x[-training, ], attr(x, "scaled:center"), attr(x, "scaled:scale"))
  truth <- data$y[training]
  y <- one_row_labels(truth, noise)
  results <- lapply(names(one_row_models), function(model) {
    time <- system.time(fit <- gpc(
      x, y, kernel = kernel_iso(), noise = one_row_models[[model]], epsilon = "average",
      hyper = "integrate", control = ep_control(progress = FALSE)
    ))
    found <- suppressMessages(mislabelled(fit))
    at <- attr(found, "expected")
    suspicion <- found$probability[order(found$row)]
    p <- predict(fit, new, type = "prob")
    wrong <- y != truth
    models <- noise_test(fit)$models
    data.frame(
      data = name, noise = noise, seed = seed, models = model, wrong = sum(wrong),
      some = 1 - sum(models$probability[models$model == "none"]), count = at$count,
      lower = at$lower, upper = at$upper,
      covered = at$lower <= sum(wrong) && sum(wrong) <= at$upper,
      log_loss = -mean(log(p[cbind(seq_len(nrow(p)), as.integer(data$y[-training]))])),
      auc = if (any(wrong)) auc_of(suspicion, wrong) else NA_real_,
      cpu = sum(time[c(1, 4)])
    )
  })
  list(results = do.call(rbind, results))
}

auc_of <- function(score, of) {
  n <- c(sum(of), sum(!of))
  (sum(rank(score)[of]) - n[1] * (n[1] + 1) / 2) / prod(n)
}

one_row_summary <- function(results) {
  measures <- c("wrong", "some", "count", "covered", "log_loss", "auc", "cpu")
  stats::aggregate(results[measures], results[c("noise", "models")], mean, na.action = NULL)
}
