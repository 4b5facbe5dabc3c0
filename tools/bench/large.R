# Large tables: gpc() with inducing inputs, learned, with none and a tenth of the training
# labels flipped: seconds, peak memory, test error, log loss, and how well the flips are
# found.
#
#   Rscript large.R [table:m,m ...]
#
# By default spam (kernlab), Satellite and Shuttle (mlbench), and simulated tables of 1e5
# and 1e6 rows, m = 100. Nine tenths of the rows are for training; labels for testing are
# never flipped. The log loss is that of the recorded label without flips, of the true class
# with them. A fit runs in a process of its own, so that its peak memory (of Linux) is its
# own; seconds are of its CPU, for other work on the machine.

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

measure <- function(name, m, flips) {
  data <- large_table(name)
  n <- nrow(data)
  set.seed(1)
  test <- sample.int(n, round(n / 10))
  set.seed(2) # flips and rows for testing must not share a stream
  train <- data[-test, ]
  wrong <- seq_len(nrow(train)) %in% sample.int(nrow(train), round(flips * nrow(train)))
  levels <- levels(data$class)
  train$class[wrong] <- levels[3 - as.integer(train$class[wrong])]
  seconds <- system.time(
    fit <- gpc(class ~ ., train, inducing = m, control = ep_control(progress = FALSE))
  )
  predicted <- system.time(
    p <- predict(fit, data[test, ], type = "prob", noise = flips == 0)
  )
  right <- p[cbind(seq_along(test), as.integer(data$class[test]))]
  data.frame(
    data = name, n = nrow(train), columns = ncol(data) - 1, m = m, flips = flips,
    seconds = sum(seconds[1:2]), predict_seconds = sum(predicted[1:2]),
    peak_mb = peak_megabytes(), error = mean(right < 0.5),
    log_loss = -mean(log(pmax(right, 1e-15))), auc = area(fit$ep$flipped, wrong),
    epsilon = fit$epsilon, nugget = fit$kernel$nugget, left = fit$inducing$left,
    log_evidence = fit$ep$log_evidence, evaluations = fit$learning$evaluations,
    passes = fit$ep$sweeps, status = fit$ep$status
  )
}

# All of them -----------------------------------------------------------------

wanted <- setdiff(commandArgs(TRUE), "--one")
if ("--one" %in% commandArgs(TRUE)) {
  saveRDS(measure(wanted[1], as.numeric(wanted[2]), as.numeric(wanted[3])), wanted[4])
} else {
  if (!length(wanted)) wanted <- paste0(c("spam", "Satellite", "Shuttle", "1e5", "1e6"), ":100")
  machine <- machine_line()
  print_machine(machine)
  in_own_process <- function(name, m, flips) {
    out <- tempfile(fileext = ".rds")
    system2(
      file.path(R.home("bin"), "Rscript"),
      c(shQuote(sub("^--file=", "", args[1])), "--one", name, m, flips, shQuote(out))
    )
    if (file.exists(out)) readRDS(out)
  }
  rows <- list()
  for (item in strsplit(wanted, ":")) {
    if (is.null(large_table(item[1]))) next
    for (m in strsplit(item[2], ",")[[1]]) {
      for (flips in c(0, 0.1)) rows <- c(rows, list(in_own_process(item[1], m, flips)))
    }
    bench_save(do.call(rbind, rows), "large", machine)
  }
}
