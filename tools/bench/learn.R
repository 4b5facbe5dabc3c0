# Learning all ARD lengthscales, bias, nugget and epsilon: half of Pima (384
# rows, 8 columns), and 500 rows with 10 columns.
#
#   Rscript learn.R
#
# Seconds are those of the whole call of gpc() or stc().

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

machine <- machine_line()
print_machine(machine)

pima <- sturdy_data("pima")
set.seed(2)
pima <- pima[sample(nrow(pima), nrow(pima) / 2), ]
simulated <- bench_problem(500)
problems <- list(
  "Pima, half" = list(x = pima[names(pima) != "class"], y = pima$class),
  "simulated" = list(x = as.data.frame(simulated$X), y = simulated$y)
)
models <- list(
  "gpc, evidence" = function(x, y) gpc(x, y),
  "gpc, loo" = function(x, y) gpc(x, y, criterion = "loo"),
  "stc, loo" = function(x, y) stc(x, y, criterion = "loo"),
  "stc, evidence" = function(x, y) stc(x, y, criterion = "evidence")
)

measure <- function(data, model) {
  problem <- problems[[data]]
  learn <- models[[model]]
  fit <- learn(problem$x, problem$y)
  seconds <- least_seconds(learn(problem$x, problem$y), 3, machine$threads)
  data.frame(
    data = data, n = nrow(problem$x), d = ncol(problem$x), model = model,
    seconds = seconds, evaluations = fit$learning$evaluations,
    ms_each = 1000 * seconds / fit$learning$evaluations,
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
