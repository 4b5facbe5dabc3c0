# Learning all ARD lengthscales, bias, nugget and epsilon: halves of Pima, Ionosphere and
# Sonar, and 1000 rows with 10 columns. What it costs: evaluations (EP with a gradient) and
# sweeps on all rows, evaluations on some of them, seconds; and how far off the time is
# that the progress line gives after the first evaluations.
#
#   Rscript learn.R [model ...]       (default: all)
#
# Seconds are those of the whole call of gpc() or stc(). The estimate and the time it is
# compared with are elapsed ones, of one run.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

machine <- machine_line()
print_machine(machine)

problems <- learning_problems()
models <- list(
  "gpc, evidence" = function(x, y) gpc(x, y),
  "gpc, loo" = function(x, y) gpc(x, y, criterion = "loo"),
  "stc, loo" = function(x, y) stc(x, y, criterion = "loo"),
  "stc, evidence" = function(x, y) stc(x, y, criterion = "evidence")
)
asked <- commandArgs(TRUE)
if (length(asked)) models <- models[asked]

quiet <- function(code) suppressMessages(suppressWarnings(code))

measure <- function(data, model) {
  problem <- problems[[data]]
  learn <- function() quiet(models[[model]](problem$x, problem$y))
  estimate <- first_estimate(learn())
  counted <- count_fits(fit <- learn())
  all <- counted$n == nrow(problem$x)
  seconds <- least_seconds(learn(), 2, machine$threads)
  data.frame(
    data = data, n = nrow(problem$x), d = ncol(problem$x), model = model,
    seconds = seconds, evaluations = sum(counted$gradient & all),
    sweeps = sum(counted$sweeps[all]), on_some_rows = sum(!all),
    estimate_s = estimate$estimate, took_s = estimate$took,
    criterion = fit$learning$value, penalised = fit$learning$penalised,
    epsilon = coef(fit)[["epsilon"]],
    convergence = fit$learning$convergence, status = fit$ep$status
  )
}

cases <- expand.grid(
  model = names(models), data = names(problems), stringsAsFactors = FALSE
)
cat("\n")
table <- do.call(rbind, Map(measure, cases$data, cases$model))
bench_save(table, "learn", machine)
