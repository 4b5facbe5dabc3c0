# Is the default call faster at equal answers? Twenty tables, fitted by two installations of the
# package: CPU seconds, and their ratio to a yardstick of the same run, the product and the Cholesky
# factor of 1,000 x 1,000 by R's BLAS; and how far answers are apart.
#
#   Rscript speed-answers.R LIBRARY FILE [table ...]   fits, and saves what came (default: all)
#   Rscript speed-answers.R --compare BEFORE AFTER     two such files; 1 where a bound is broken

# Seeds that judge nothing else
tables <- c(
  sprintf("two-110-%d", 901:906), sprintf("two-300-%d", 911:912), sprintf("two-500-%d", 921:922),
  sprintf("two-1000-%d", 931), sprintf("two-1501-%d", 941), sprintf("three-150-%d", 951:955),
  sprintf("iris-150-%d", 0:2)
)
bounds <- c(probability = 1e-3, wrong = 0.3, evidence = 0.1)

# Two classes of 10 columns, or three of 6; a label in ten is wrong. iris, and with ten labels drawn anew
table_of <- function(name) {
  part <- strsplit(name, "-")[[1]]
  n <- as.integer(part[2])
  set.seed(as.integer(part[3]))
  if (part[1] == "iris") {
    d <- stats::setNames(datasets::iris, c(letters[1:4], "class"))
    some <- sample.int(150, if (part[3] == "0") 0 else 10)
    d$class[some] <- sample(d$class[some])
    return(d)
  }
  columns <- if (part[1] == "two") 10 else 6
  X <- matrix(stats::rnorm(columns * n), n, dimnames = list(NULL, letters[seq_len(columns)]))
  f <- if (part[1] == "two") {
    cbind(0, X[, 1] + sin(2 * X[, 2]) + X[, 3] / 2)
  } else {
    cbind(X[, 1] + sin(2 * X[, 2]), X[, 3] - X[, 1] / 2, X[, 2] * X[, 3] / 2)
  }
  y <- max.col(f + 0.3 * stats::rnorm(length(f)))
  wrong <- sample.int(n, round(n / 10))
  y[wrong] <- y[wrong] %% ncol(f) + 1
  data.frame(X, class = factor(c("a", "b", "c")[y]))
}

cpu <- function(code) sum(system.time(code)[1:2])

yardstick <- function() {
  A <- matrix(stats::rnorm(1e6), 1000)
  cpu(chol(crossprod(A) + diag(1000)))
}

fit_one <- function(name) {
  d <- table_of(name)
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  seconds <- cpu(fit <- quiet(gpc(class ~ ., d)))
  found <- quiet(mislabelled(fit))
  list(
    seconds = seconds, yard = yardstick(), bytes = length(serialize(fit, NULL)),
    probability = as.matrix(quiet(predict(fit, d, type = "prob"))),
    suspected = found$probability[order(found$row)], wrong = sum(found$probability),
    evidence = log_evidence(fit), runs = sum(fit$learning$evaluations)
  )
}

compare <- function(before, after) {
  rms <- function(a, b) sqrt(mean((a - b)^2))
  both <- intersect(names(before), names(after))
  out <- do.call(rbind, lapply(both, function(name) {
    a <- before[[name]]
    b <- after[[name]]
    data.frame(
      table = name, before = a$seconds, after = b$seconds, yards_before = a$seconds / a$yard,
      yards_after = b$seconds / b$yard, kB_after = b$bytes / 1e3, probability = rms(a$probability, b$probability),
      suspected = rms(a$suspected, b$suspected), wrong = abs(a$wrong - b$wrong),
      evidence = abs(a$evidence - b$evidence)
    )
  }))
  out[-1] <- signif(out[-1], 3)
  print(out, row.names = FALSE)
  worst <- vapply(names(bounds), function(of) max(out[[of]]), 1)
  print(rbind(worst, bounds))
  all(worst <= bounds)
}

given <- commandArgs(TRUE)
if (given[1] == "--compare") {
  quit(status = as.integer(!compare(readRDS(given[2]), readRDS(given[3]))))
}
library(sturdy, lib.loc = given[1])
options(sturdy.threads = 1, sturdy.progress = FALSE)
asked <- if (length(given) > 2) given[-(1:2)] else tables
known <- if (file.exists(given[2])) readRDS(given[2]) else list()
invisible(suppressMessages(gpc(class ~ ., table_of("two-60-1")))) # what a session does once
for (name in asked) {
  known[[name]] <- fit_one(name)
  cat(name, format(known[[name]]$seconds), format(known[[name]]$yard), "\n")
  saveRDS(known, given[2])
}
