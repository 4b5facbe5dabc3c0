# Several classes, and two beside them, by the default call and at the optimum: seconds, and how good
# the answers are; one training label in ten is wrong.
#
#   Rscript classes.R [problem ...]      (default: all)
#
# Rows around a centre for each class; 2,000 rows for testing, whose labels are right. Seconds
# are of the CPU, on one thread, each fit in a process of its own, which is ended after ten minutes:
# then there is no row; `aim` is what the default call may take.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

problems <- list(
  "100 x 10, 2 classes" = list(n = 100, d = 10, classes = 2, aim = NA),
  "1,000 x 10, 2 classes" = list(n = 1000, d = 10, classes = 2, aim = NA),
  "100 x 10, 3 classes" = list(n = 100, d = 10, classes = 3, aim = NA),
  "1,000 x 10, 3 classes" = list(n = 1000, d = 10, classes = 3, aim = NA),
  "500 x 5, 3 classes" = list(n = 500, d = 5, classes = 3, aim = 10),
  "100 x 5, 10 classes" = list(n = 100, d = 5, classes = 10, aim = NA),
  "400 x 5, 20 classes" = list(n = 400, d = 5, classes = 20, aim = NA),
  "4,000 x 16, 5 classes" = list(n = 4000, d = 16, classes = 5, aim = 60),
  "20,000 x 16, 5 classes" = list(n = 20000, d = 16, classes = 5, aim = 120),
  "2,000 x 10, 20 classes" = list(n = 2000, d = 10, classes = 20, aim = NA)
)

groups <- function(p, n) {
  set.seed(1)
  centre <- matrix(stats::rnorm(p$classes * p$d, sd = 1.3), p$classes)
  true <- sample(p$classes, n, TRUE)
  x <- centre[true, ] + matrix(stats::rnorm(n * p$d), n)
  y <- true
  wrong <- stats::runif(n) < 0.1
  y[wrong] <- 1 + (true[wrong] + sample(p$classes - 1, sum(wrong), TRUE) - 1) %% p$classes
  list(x = as.data.frame(x), true = true, y = factor(y), wrong = wrong)
}

one_fit <- function(name, hyper) {
  p <- problems[[name]]
  if (smoke) p[c("n", "d")] <- list(90, 2)
  n_test <- sized(2000, 30)
  all <- groups(p, p$n + n_test)
  train <- seq_len(p$n)
  spent <- cpu(system.time(fit <- quiet(gpc(all$x[train, ], all$y[train], hyper = hyper))))
  peak <- peak_megabytes()
  predicted <- cpu(system.time(prob <- predict(fit, all$x[-train, ], type = "prob")))
  at <- prob[cbind(seq_len(n_test), all$true[-train])]
  found <- mislabelled(fit)
  data.frame(
    problem = name, classes = p$classes, n = p$n, d = p$d, hyper = hyper, seconds = spent,
    aim = if (hyper == "integrate") p$aim else NA, predict_ms = 1000 * predicted / n_test,
    peak_mb = peak, error = mean(max.col(prob) != all$true[-train]), log_loss = -mean(log(at)),
    auc = area(found$probability[order(found$row)], all$wrong[train]),
    evaluations = sum(fit$learning$evaluations), status = fit$ep$status
  )
}

given <- commandArgs(TRUE)
if ("--one" %in% given) {
  saveRDS(one_fit(given[2], given[3]), given[4])
} else {
  machine <- machine_line()
  print_machine(machine)
  one <- yardstick()
  asked <- if (length(given)) given else sized(names(problems), names(problems)[1])
  for (name in asked) {
    rows <- do.call(rbind, lapply(c("optimum", "integrate"), function(hyper) {
      row <- in_own_process(name, hyper, seconds = 600)
      if (is.null(row)) message(name, ", ", hyper, ": no end within ten minutes")
      row
    }))
    if (!is.null(rows)) bench_save(cbind(rows, yardsticks = rows$seconds / one), "classes", machine, c("problem", "hyper"))
  }
}
