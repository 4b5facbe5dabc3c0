# How many passes parallel EP takes from a cold start, halved steps counted, and how often
# it ends at a fixed point: what the constants of parallel.c were chosen by.
#
#   Rscript passes.R [seed ...]     (default: 13 14)
#
# 10^4 simulated rows, 60 inducing inputs; seeds, columns, epsilon, nugget and lengthscale
# are varied.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
options(sturdy.threads = 1)
fit_inducing <- utils::getFromNamespace("native_inducing_fit", "sturdy")

cold_start <- function(case) {
  problem <- bench_problem(1e4, case$columns, case$seed)
  hyper <- list(
    lengthscale = rep(case$lengthscale, case$columns), variance = 1, bias = 0.1,
    nugget = case$nugget
  )
  control <- c(bench_control(1e-6), list(parallel = TRUE, lean = TRUE))
  seconds <- system.time(out <- fit_inducing(
    problem$X, problem$X[1:60, ], problem$columns, hyper,
    likely(problem$y, case$epsilon), Inf, NULL, control
  ))
  data.frame(
    case,
    passes = sum(1 - log2(out$trace[, "damping"])), seconds = sum(seconds[1:2]),
    converged = out$status == 0
  )
}

seeds <- as.integer(c(commandArgs(TRUE)))
if (!length(seeds)) seeds <- 13:14
machine <- machine_line()
print_machine(machine)
cases <- expand.grid(
  seed = seeds, columns = c(5, 10), epsilon = c(0.02, 0.1), nugget = c(0.005, 0.05),
  lengthscale = c(1.5, 4, 8)
)
rows <- do.call(rbind, lapply(split(cases, seq_len(nrow(cases))), cold_start))
bench_save(data.frame(
  starts = nrow(rows), converged = mean(rows$converged), passes = mean(rows$passes),
  median = stats::median(rows$passes), most = max(rows$passes),
  seconds = sum(rows$seconds)
), "passes", machine)
