# One EP fit to 1e-6 at fixed hyperparameters: sweeps, Newton steps, seconds, and
# the share of this machine's dgemm speed that a sweep reaches.
#
#   Rscript ep-fit.R [n]
#
# A sweep over all sites is n^3 flops (n^2 b for each block of b sites), a
# factorisation with the new posterior is counted as 7/3 n^3 (Cholesky, triangular
# solve, rank-n update), of which it takes n^3 to 1.5 n^3; dgemm is 2 n^3. Their
# seconds are differences of fits: from the prior to tol = Inf (the kernel matrix
# alone), the same from a fixed point (and one factorisation), and one sweep from
# the prior.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

n <- as.integer(c(commandArgs(TRUE), sized("1000", "60"))[1])
machine <- machine_line()
problem <- bench_problem(n)
speed <- dgemm_speed(n, times = 9, threads = machine$threads)
print_machine(machine)
cat(sprintf(
  "n = %d, d = %d, tol = 1e-6; dgemm %.1f Gflop/s\n\n", n, problem$d, speed / 1e9
))

measure <- function(df, epsilon) {
  fit <- bench_fit(problem, df, epsilon)
  parts <- part_seconds(problem, df, epsilon, fit$sites, machine$threads)
  seconds <- least_seconds(bench_fit(problem, df, epsilon), 7, machine$threads)
  data.frame(
    n = n, d = problem$d, df = df, epsilon = epsilon,
    status = fit$status, residual = max(fit$residual),
    sweeps = fit$sweeps - fit$newton, newton = fit$newton,
    seconds = seconds,
    sweep_seconds = parts[["sweep"]], factor_seconds = parts[["factor"]],
    sweep_of_dgemm = n^3 / parts[["sweep"]] / speed,
    factor_of_dgemm = 7 / 3 * n^3 / parts[["factor"]] / speed,
    dgemm_gflops = speed / 1e9
  )
}

table <- do.call(rbind, Map(measure, c(Inf, Inf, 10, 10), c(0, 0.1, 0, 0.1)))
bench_save(table, "ep-fit", machine)
