# Learning a lengthscale for each column, beside other packages in one run: gpboost's
# Laplace approximation with the same covariance function and its own default
# optimiser, and kernlab::gausspr, which learns nothing (its one lengthscale is a
# quantile of the distances).
#
#   Rscript peers.R
#
# All on one thread, inputs standardised; a package that is not installed is left out.
# `times_sturdy` is its seconds over ours.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
options(sturdy.threads = 1)

machine <- machine_line()
print_machine(machine)

scaled <- function(x) {
  x <- as.matrix(as.data.frame(lapply(x, as.numeric)))
  x <- x[, apply(x, 2, stats::sd) > 0, drop = FALSE]
  scale(x)
}

methods <- list(
  sturdy = function(x, y) suppressWarnings(suppressMessages(gpc(x, factor(y)))),
  gpboost = function(x, y) {
    gpboost::fitGPModel(
      gp_coords = x, cov_function = "gaussian_ard", likelihood = "bernoulli_probit",
      y = as.numeric(factor(y)) - 1, X = matrix(1, nrow(x), 1),
      num_parallel_threads = 1L
    )
  },
  kernlab = function(x, y) {
    utils::capture.output(
      fit <- kernlab::gausspr(x, factor(y), type = "classification", scaled = FALSE)
    )
    fit
  }
)
here <- vapply(names(methods), requireNamespace, logical(1), quietly = TRUE)
methods <- methods[here]

problems <- learning_problems()

measure <- function(data) {
  x <- scaled(problems[[data]]$x)
  y <- problems[[data]]$y
  seconds <- vapply(methods, function(method) {
    least_seconds(method(x, y), times = 2)
  }, numeric(1))
  data.frame(
    data = data, n = nrow(x), d = ncol(x), method = names(methods),
    seconds = seconds, times_sturdy = seconds / seconds[["sturdy"]], row.names = NULL
  )
}

cat("\n")
table <- do.call(rbind, lapply(names(problems), measure))
bench_save(table, "peers", machine)
