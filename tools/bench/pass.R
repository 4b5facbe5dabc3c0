# One pass of parallel EP with inducing inputs: seconds, and the share of this machine's
# dgemm speed that its 2 n k^2 flops are done at.
#
#   Rscript pass.R [n]
#
# The difference of fits of one pass and of eleven, over the passes between, halved steps
# counted. The share is of the speed of dgemm between two matrices of 1000 x 1000.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
fit_inducing <- function(X, Z, ...) gp_fit(X, ..., Z = Z)

n <- as.integer(c(commandArgs(TRUE), sized("20000", "1000"))[1])
machine <- machine_line()
problem <- bench_problem(n, 9)
speed <- dgemm_speed(times = 5, threads = machine$threads)
print_machine(machine)
cat(sprintf("n = %d, 9 columns; dgemm %.1f Gflop/s\n\n", n, speed / 1e9))

measure <- function(m) {
  spent <- function(passes) {
    control <- c(bench_control(1e-300), list(parallel = TRUE, lean = TRUE))
    control$max_sweeps <- passes
    seconds <- least_seconds(out <- fit_inducing(
      problem$X, problem$X[seq_len(m), ], problem$columns, problem$hyper,
      likely(problem$y, 0.1), Inf, NULL, control
    ), 3, machine$threads)
    # each halved step is a pass, too; the first row is the start
    c(seconds = seconds, passes = sum(1 - log2(out$trace[-1, "damping"])))
  }
  between <- spent(11) - spent(1)
  pass <- between[["seconds"]] / between[["passes"]]
  data.frame(
    n = n, m = m, pass_seconds = pass, gflops = 2 * n * (m + 1)^2 / pass / 1e9,
    of_dgemm = 2 * n * (m + 1)^2 / pass / speed, dgemm_gflops = speed / 1e9
  )
}

bench_save(do.call(rbind, lapply(sized(c(50, 100, 200, 400), 20), measure)), "pass", machine)
