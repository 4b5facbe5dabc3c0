# Some 400 problems, what is answered to them, and what a change of the package changes in
# that. They ask by the public interface alone.
#
#   sh tools/run.sh ../tests/campaigns/problems.R run <file> [expression for their names]
#   sh tools/run.sh ../tests/campaigns/problems.R compare <before> <after> [...]
#
# results/problems-before.csv.gz is of commit c47dcfd. The table is problem, quantity, value;
# numbers with 12 digits. Its quantities: of rows some single values, the mean and a
# fingerprint, sum(p cos(i)), so that no row can change unseen; seconds of processor time.
# compare prints how far two tables are apart, by kind, and fails beyond the bounds below.

file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
folder <- dirname(normalizePath(gsub("~+~", " ", file, fixed = TRUE)))

# Running ---------------------------------------------------------------------

row_values <- function(p, shown = 2) {
  p <- as.matrix(p)
  at <- unique(round(seq(1, length(p), length.out = shown + 1)))[-1]
  c(stats::setNames(p[at], at), mean = mean(p), print = sum(p * cos(seq_along(p))))
}

# an answer that is refused is named by the class of its error
answer <- function(code) {
  tryCatch(suppressMessages(suppressWarnings(code)), error = function(cnd) {
    known <- grep("^sturdy_error_", class(cnd), value = TRUE)
    if (length(known)) known[1] else "error"
  })
}

model_values <- function(fit) {
  test <- noise_test(fit)
  models <- test$models
  c(
    log_bf = log(test$bayes_factor),
    stats::setNames(models$log_evidence, models$model),
    nodes = sum(models$nodes), modes = sum(models$modes)
  )
}

wrong_values <- function(fit) {
  found <- mislabelled(fit)
  p <- found$probability[order(found$row)]
  loo <- found$loo[order(found$row)]
  expected <- attr(found, "expected")
  c(
    flip = row_values(p), top = found$probability[1], loo = row_values(loo, 1),
    unlist(expected[c("count", "lower", "upper")])
  )
}

rate_values <- function(fit, classes) {
  if (classes > 2) {
    omega <- as.matrix(as.data.frame(unclass(noise_matrix(fit)))[seq_len(classes)])
    omega[1, 1:3]
  } else {
    rates <- flip_rates(fit)
    unlist(rates[c("rate", "upper")])
  }
}

values_of <- function(fit, data) {
  classes <- length(unique(data$y))
  learning <- fit$learning
  coefs <- answer(coef(fit))
  c(
    list(
      status = fit$ep$status, evaluations = learning$evaluations,
      value = learning$value, penalised = learning$penalised,
      evidence = answer(log_evidence(fit)), integrated = answer(log_evidence(fit, "integrated")),
      coef = utils::tail(coefs, 6),
      fitted = answer(row_values(suppressMessages(fitted(fit)))),
      new = answer(row_values(predict(fit, data$new, type = "prob")[, -1], 3)),
      wrong = answer(wrong_values(fit)), models = answer(model_values(fit)),
      rates = answer(rate_values(fit, classes))
    ),
    if (inherits(fit, "stc")) list(gaussian = answer(log_evidence(fit, "gaussian")))
  )
}

as_rows <- function(problem, values, digits) {
  parts <- lapply(names(values), function(name) {
    v <- values[[name]]
    if (!length(v)) {
      return(NULL)
    }
    label <- names(v)
    if (is.null(label)) label <- if (length(v) > 1) seq_along(v) else ""
    data.frame(
      problem = problem, quantity = ifelse(label == "", name, paste(name, label, sep = ".")),
      value = if (is.numeric(v)) as.character(signif(v, digits)) else as.character(v)
    )
  })
  do.call(rbind, parts)
}

run_problem <- function(problem) {
  data <- problem_data(problem$table)
  warned <- character()
  begun <- sum(proc.time()[1:2])
  problem_seed(1)
  fit <- tryCatch(
    withCallingHandlers(
      solve_problem(plan[[problem$way]][[2]], data),
      warning = function(cnd) {
        warned <<- c(warned, grep("^sturdy_warning_", class(cnd), value = TRUE))
        invokeRestart("muffleWarning")
      },
      message = function(cnd) {
        warned <<- c(warned, grep("^sturdy_message_", class(cnd), value = TRUE))
        invokeRestart("muffleMessage")
      }
    ),
    error = function(cnd) class(cnd)[1]
  )
  seconds <- sum(proc.time()[1:2]) - begun
  values <- if (is.character(fit)) list(error = fit) else values_of(fit, data)
  values$conditions <- paste(sort(unique(warned)), collapse = " ")
  values$seconds <- round(seconds, 3)
  as_rows(problem$problem, values, if (plan[[problem$way]][[2]]$how == "held") 12 else 8)
}

run_problems <- function(to, pattern) {
  problems <- all_problems()
  problems <- problems[grepl(pattern, problems$problem), ]
  rows <- lapply(seq_len(nrow(problems)), function(k) {
    part <- run_problem(problems[k, ])
    cat(sprintf("%d of %d: %s\n", k, nrow(problems), problems$problem[k]))
    part
  })
  utils::write.csv(do.call(rbind, rows), to, row.names = FALSE, quote = FALSE)
}

# Main ------------------------------------------------------------------------

source(file.path(folder, "problems-compare.R"))
given <- commandArgs(TRUE)
if (identical(given[1], "run")) {
  suppressPackageStartupMessages(library(sturdy))
  source(file.path(folder, "problems-table.R"))
  run_problems(given[2], if (length(given) > 2) given[3] else ".")
} else if (identical(given[1], "compare")) {
  quit(save = "no", status = as.integer(compare_problems(given[2], given[3])))
} else {
  stop("run <file> [expression] or compare <before> <after>")
}
