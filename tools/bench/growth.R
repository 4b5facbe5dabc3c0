# The default call as the rows grow, beside the optimum and, as long as it is cheap, all n x n
# matrices; and bpm() of very many rows: seconds, memory, how good the answers are.
#
#   Rscript growth.R [largest n]
#
# Ten columns, three of which matter, a tenth of the labels flipped; 2,000 rows for testing, whose
# labels are right. Each fit in a process of its own, so that its peak memory (of Linux) is its
# own; seconds are of its CPU, on one thread, `yardsticks` the same over those of dense algebra of 1,000
# rows. `aim` is what the default call may take; `exponent`
# that of n from the number of rows before.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

methods <- list(
  default = function(data) gpc(class ~ ., data),
  optimum = function(data) gpc(class ~ ., data, hyper = "optimum"),
  dense = function(data) gpc(class ~ ., data, inducing = NULL),
  bpm = function(data) bpm(class ~ ., data)
)
steps <- c(100, 500, 1000, 1500, 5000, 2e4, 1e5)
sizes <- list(
  default = steps, optimum = steps,
  dense = c(500, 1000), bpm = c(1e5, 1e6)
)
aims <- c(
  "default 100" = 0.8, "default 500" = 4, "default 1000" = 8, "default 1500" = 10,
  "default 5000" = 15, "default 20000" = 25, "default 1e+05" = 90, "bpm 1e+06" = 60
)

one_fit <- function(method, n) {
  n_test <- sized(2000, 50)
  parts <- split_table(bench_table(n + n_test), n_test, 1)
  quiet(methods[[method]](bench_table(60, 2))) # what a session does once
  spent <- cpu(system.time(fit <- quiet(methods[[method]](parts$train))))
  peak <- peak_megabytes()
  predicted <- cpu(system.time(p <- predict(fit, parts$test, type = "prob")[, 2]))
  flips <- mislabelled(fit)
  data.frame(
    method = method, n = n, seconds = spent, predict_ms = 1000 * predicted / n_test,
    peak_mb = peak, scores(p, parts$test$class),
    auc = area(flips$probability[order(flips$row)], parts$wrong),
    evaluations = sum(fit$learning$evaluations)
  )
}

given <- commandArgs(TRUE)
if ("--one" %in% given) {
  saveRDS(one_fit(given[2], as.numeric(given[3])), given[4])
} else {
  largest <- as.numeric(c(given, sized("1e6", "100"))[1])
  if (smoke) sizes <- lapply(sizes, function(n) c(60, 100))
  machine <- machine_line()
  print_machine(machine)
  rows <- do.call(rbind, lapply(names(methods), function(method) {
    mine <- lapply(Filter(function(n) n <= largest, sizes[[method]]), function(n) {
      in_own_process(method, n)
    })
    mine <- do.call(rbind, mine)
    mine$exponent <- c(NA, diff(log(mine$seconds)) / diff(log(mine$n)))
    mine
  }))
  rows$aim <- unname(aims[paste(rows$method, rows$n)])
  optimum <- rows[rows$method == "optimum", ]
  rows$of_optimum <- rows$seconds / optimum$seconds[match(rows$n, optimum$n)]
  rows$yardsticks <- rows$seconds / yardstick()
  bench_save(rows, "growth", machine, c("method", "n"))
}
