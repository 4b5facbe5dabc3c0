# Learning with several classes: the kernel and one rate of wrong labels, or a noise matrix,
# with 3 classes in kernel space and with 10 and inducing inputs; one label in ten is wrong.
#
#   Rscript classes.R [problem ...]      (default: all)
#
# Seconds are CPU seconds of the whole call of gpc(), once; with the aims that they are
# measured by, in one core under OpenBLAS.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

machine <- machine_line()
print_machine(machine)

# Rows around a centre for each class in five columns
groups <- function(classes, n, d = 5, seed = 1) {
  set.seed(seed)
  centre <- matrix(stats::rnorm(classes * d, sd = 1.3), classes)
  y <- sample(classes, n, TRUE)
  x <- centre[y, ] + matrix(stats::rnorm(n * d), n)
  wrong <- stats::runif(n) < 0.1
  y[wrong] <- sample(classes, sum(wrong), TRUE)
  list(x = x, y = factor(letters[y]))
}

problems <- list(
  "3, dense" = list(classes = 3, n = 500, inducing = NULL, aim = 20),
  "3, dense, one lengthscale" = list(classes = 3, n = 500, inducing = NULL, iso = TRUE, aim = 20),
  "3, dense, matrix" = list(classes = 3, n = 500, inducing = NULL, epsilon = "matrix", aim = 20),
  "10, inducing" = list(classes = 10, n = 2000, inducing = 200, aim = 300),
  "10, inducing, one lengthscale" = list(
    classes = 10, n = 2000, inducing = 200, iso = TRUE, aim = 300
  )
)
asked <- commandArgs(TRUE)
if (length(asked)) problems <- problems[asked]

measure <- function(name) {
  p <- problems[[name]]
  d <- groups(p$classes, p$n)
  epsilon <- if (is.null(p$epsilon)) "learn" else p$epsilon
  kernel <- if (isTRUE(p$iso)) kernel_iso() else kernel_ard()
  spent <- system.time(fit <- suppressMessages(suppressWarnings(gpc(
    d$x, d$y, kernel = kernel, epsilon = epsilon, inducing = p$inducing,
    control = ep_control(progress = FALSE)
  ))))
  cat(sprintf("%-32s %6.1f s\n", name, sum(spent[1:2])))
  data.frame(
    problem = name, classes = p$classes, n = p$n,
    m = if (is.null(p$inducing)) NA_integer_ else p$inducing, epsilon = epsilon,
    seconds = sum(spent[1:2]), aim = p$aim, evaluations = sum(fit$learning$evaluations),
    rate = mean(fit$epsilon), log_evidence = fit$ep$log_evidence, status = fit$ep$status
  )
}

table <- do.call(rbind, lapply(names(problems), measure))
bench_save(table, "classes", machine)
