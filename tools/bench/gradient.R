# Criterion and its gradient (all ARD lengthscales, variance, bias, nugget,
# epsilon) on top of an EP fit, in units of one sweep over all sites.
#
#   Rscript gradient.R [n]
#
# Aim: less than two sweeps.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

n <- as.integer(c(commandArgs(TRUE), "1000")[1])
machine <- machine_line()
problem <- bench_problem(n)
print_machine(machine)
cat(sprintf("n = %d, d = %d\n\n", n, problem$d))

measure <- function(df, criterion, epsilon) {
  sites <- bench_fit(problem, df, epsilon)$sites
  sweep <- part_seconds(problem, df, epsilon, sites, machine$threads)[["sweep"]]
  plain <- least_seconds(
    bench_fit(problem, df, epsilon, sites = sites), 7, machine$threads
  )
  both <- least_seconds(
    bench_fit(
      problem, df, epsilon, sites = sites, criterion = criterion, gradient = TRUE
    ),
    7, machine$threads
  )
  data.frame(
    n = n, d = problem$d, df = df, criterion = criterion, epsilon = epsilon,
    gradient_seconds = both - plain, sweep_seconds = sweep,
    sweeps_on_top = (both - plain) / sweep
  )
}

cases <- expand.grid(
  df = c(Inf, 10), criterion = c("evidence", "loo"), epsilon = c(0, 0.1),
  stringsAsFactors = FALSE
)
table <- do.call(rbind, Map(measure, cases$df, cases$criterion, cases$epsilon))
bench_save(table, "gradient", machine)
