# Large tables, with none and a tenth of the training labels flipped: gpc() with inducing
# inputs, and beside it gpc() on 1000 of the rows, ranger, gbm and glm: seconds, peak memory,
# test error, log loss, and how well the flips are found.
#
#   Rscript large.R [--seeds=k] [table:method,method ...]
#
# Tables: spam (kernlab), Satellite and Shuttle (mlbench), 1e5 and 1e6 (simulated rows).
# Methods: a number (of inducing inputs), dense, ranger, gbm, glm. Nine tenths of the rows are
# for training, drawn anew for each seed; labels for testing are never flipped. The log loss is
# that of the recorded label without flips, of the true class with them: the probabilities of
# gpc() are those of the true class then, those of the others of the recorded one. Flips are
# ranked by leave-one-out for gpc(), out of bag for ranger, by the fit for the others; for
# `dense` among its own rows. A fit runs in a process of its own, so that its peak memory (of
# Linux) is its own; seconds are of its CPU, for other work on the machine.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

# Tables ----------------------------------------------------------------------

from_package <- function(name, package) {
  if (!requireNamespace(package, quietly = TRUE)) {
    message("skipped: ", name, " needs the package ", package)
    return(NULL)
  }
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  found[[name]]
}

two_classes <- function(data, column, event) {
  if (!is.null(data)) {
    data$class <- factor(ifelse(grepl(event, data[[column]]), "event", "other"))
    if (column != "class") data[[column]] <- NULL
  }
  data
}

# Ten columns, a curved boundary and overlap near it
simulated <- function(n) {
  set.seed(3)
  X <- matrix(stats::rnorm(10 * n), n, dimnames = list(NULL, letters[1:10]))
  f <- X[, 1] + sin(2 * X[, 2]) + X[, 3] * X[, 4] / 2 + 0.3 * stats::rnorm(n)
  data.frame(X, class = factor(ifelse(f > 0, "event", "other")))
}

large_table <- function(name) {
  switch(name,
    spam = two_classes(from_package("spam", "kernlab"), "type", "^spam"),
    Satellite = two_classes(from_package("Satellite", "mlbench"), "classes", "grey"),
    Shuttle = two_classes(from_package("Shuttle", "mlbench"), "Class", "Rad.Flow"),
    `1e5` = simulated(1e5),
    `1e6` = simulated(1e6)
  )
}

# One fit ---------------------------------------------------------------------

# Area under the curve of p for telling the rows `wrong`
area <- function(p, wrong) {
  if (!any(wrong)) {
    return(NA_real_)
  }
  k <- as.double(sum(wrong))
  (sum(rank(p)[wrong]) - k * (k + 1) / 2) / (k * sum(!wrong))
}

peak_megabytes <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM", status, value = TRUE)
  if (length(line)) as.double(gsub("[^0-9]", "", line)) / 1024 else NA_real_
}

# Each method: list(fit, p: function(new) of the probability of the second level, suspicion:
# one number for each row of `rows`, and what else there is to tell).
of_gpc <- function(train, inducing, flips, rows = seq_len(nrow(train))) {
  fit <- gpc(
    class ~ ., train[rows, ],
    inducing = inducing, control = ep_control(progress = FALSE)
  )
  list(
    p = function(new) predict(fit, new, type = "prob", noise = flips == 0)[, 2],
    suspicion = fit$ep$flipped, rows = rows,
    told = data.frame(
      epsilon = fit$epsilon, nugget = fit$kernel$nugget,
      left = if (is.null(fit$inducing)) 0 else fit$inducing$left,
      log_evidence = fit$ep$log_evidence, evaluations = fit$learning$evaluations,
      passes = fit$ep$sweeps, status = fit$ep$status
    )
  )
}

# 1 - P(recorded label) ranks the rows
recorded <- function(p, train) ifelse(as.integer(train$class) == 2, 1 - p, p)

methods <- list(
  dense = function(train, flips) {
    rows <- sample.int(nrow(train), min(1000, nrow(train)))
    of_gpc(train, NULL, flips, rows)
  },
  ranger = function(train, flips) {
    trees <- if (nrow(train) > 20000) 100 else 500
    fit <- ranger::ranger(
      class ~ ., train, probability = TRUE, num.trees = trees, num.threads = 1
    )
    list(
      p = function(new) stats::predict(fit, new, num.threads = 1)$predictions[, 2],
      suspicion = recorded(fit$predictions[, 2], train)
    )
  },
  gbm = function(train, flips) {
    train$class <- as.integer(train$class) - 1
    fit <- gbm::gbm(
      class ~ ., "bernoulli", train, n.trees = 300, interaction.depth = 5, shrinkage = 0.1,
      n.minobsinnode = 10, train.fraction = 0.9
    )
    best <- which.min(fit$valid.error)
    p <- function(new) gbm::predict.gbm(fit, new, n.trees = best, type = "response")
    list(p = p, suspicion = abs(p(train) - train$class))
  },
  glm = function(train, flips) {
    fit <- suppressWarnings(stats::glm(class ~ ., stats::binomial(), train))
    p <- function(new) suppressWarnings(stats::predict(fit, new, type = "response"))
    list(p = p, suspicion = recorded(stats::fitted(fit), train))
  }
)

measure <- function(name, method, flips, seed) {
  data <- large_table(name)
  n <- nrow(data)
  set.seed(seed)
  test <- sample.int(n, round(n / 10))
  set.seed(100 + seed) # flips and rows for testing must not share a stream
  train <- data[-test, ]
  wrong <- seq_len(nrow(train)) %in% sample.int(nrow(train), round(flips * nrow(train)))
  levels <- levels(data$class)
  train$class[wrong] <- levels[3 - as.integer(train$class[wrong])]
  m <- suppressWarnings(as.numeric(method))
  fit_it <- if (is.na(m)) methods[[method]] else function(train, flips) of_gpc(train, m, flips)
  spent <- system.time(fit <- fit_it(train, flips))
  predicted <- system.time(p <- fit$p(data[test, ]))
  right <- ifelse(as.integer(data$class[test]) == 2, p, 1 - p)
  if (is.null(fit$rows)) fit$rows <- seq_len(nrow(train))
  none <- data.frame(
    epsilon = NA, nugget = NA, left = NA, log_evidence = NA, evaluations = NA, passes = NA,
    status = NA
  )
  data.frame(
    data = name, n = nrow(train), columns = ncol(data) - 1, method = method, flips = flips,
    seed = seed, seconds = sum(spent[1:2]), predict_seconds = sum(predicted[1:2]),
    peak_mb = peak_megabytes(), error = mean(right < 0.5),
    log_loss = -mean(log(pmax(right, 1e-15))), auc = area(fit$suspicion, wrong[fit$rows]),
    if (is.null(fit$told)) none else fit$told
  )
}

# All of them -----------------------------------------------------------------

given <- commandArgs(TRUE)
if ("--one" %in% given) {
  given <- setdiff(given, "--one")
  options(sturdy.threads = 1)
  saveRDS(
    measure(given[1], given[2], as.numeric(given[3]), as.integer(given[4])), given[5]
  )
} else {
  seeds <- as.integer(c(sub("--seeds=", "", grep("^--seeds=", given, value = TRUE)), 1)[1])
  wanted <- grep("^--", given, value = TRUE, invert = TRUE)
  if (!length(wanted)) {
    rivals <- ",dense,ranger,gbm,glm"
    wanted <- c(
      paste0(c("spam:100,200,400", "Satellite:100,200", "Shuttle:100"), rivals),
      "1e5:100,200,ranger,glm", "1e6:100"
    )
  }
  machine <- machine_line()
  print_machine(machine)
  rows <- list()
  for (item in strsplit(wanted, ":")) {
    if (is.null(large_table(item[1]))) next
    for (seed in seq_len(if (item[1] %in% c("spam", "Satellite")) seeds else 1)) {
      for (method in strsplit(item[2], ",")[[1]]) {
        for (flips in c(0, 0.1)) {
          rows <- c(rows, list(in_own_process(item[1], method, flips, seed)))
        }
      }
    }
    bench_save(
      do.call(rbind, rows), "large", machine, c("data", "method", "flips", "seed")
    )
  }
}
