# Time and memory of fits with inducing inputs as the rows grow: at held hyperparameters, and
# learned; and the exponent of n, from each number of rows to the next.
#
#   Rscript scale.R [m] [n ...]     (default: 100, 1e4 1e5 1e6; learned up to 1e5)
#
# Ten columns, a tenth of the labels flipped. Each fit in a process of its own, so that its
# peak memory (of Linux) is its own; seconds are of its CPU, on one thread.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
options(sturdy.threads = 1)

one_fit <- function(n, m, learned) {
  problem <- bench_problem(n)
  data <- data.frame(problem$X, class = factor(problem$y))
  bench_fit(bench_problem(300)) # what a session does once
  kernel <- if (learned) {
    kernel_ard()
  } else {
    kernel_ard(3, variance = 1, bias = 0.1, nugget = 0.05, fixed = TRUE)
  }
  seconds <- system.time(fit <- gpc(
    class ~ ., data,
    kernel = kernel, epsilon = if (learned) "learn" else 0.1, inducing = m,
    control = ep_control(progress = FALSE)
  ))
  peak <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  data.frame(
    n = n, m = m, learned = learned, seconds = sum(seconds[1:2]),
    peak_mb = as.double(gsub("[^0-9]", "", peak)) / 1024, passes = fit$ep$sweeps,
    epsilon = fit$epsilon, status = fit$ep$status
  )
}

given <- commandArgs(TRUE)
if ("--one" %in% given) {
  saveRDS(one_fit(as.numeric(given[2]), as.numeric(given[3]), given[4] == "TRUE"), given[5])
} else {
  m <- as.numeric(c(given, "100")[1])
  sizes <- if (length(given) > 1) as.numeric(given[-1]) else c(1e4, 1e5, 1e6)
  machine <- machine_line()
  print_machine(machine)
  rows <- do.call(rbind, lapply(c(FALSE, TRUE), function(learned) {
    mine <- do.call(rbind, lapply(
      sizes[!learned | sizes < 1e6], in_own_process, m, learned
    ))
    mine$exponent <- c(NA, diff(log(mine$seconds)) / diff(log(mine$n)))
    mine
  }))
  bench_save(rows, paste0("scale-", m), machine)
}
