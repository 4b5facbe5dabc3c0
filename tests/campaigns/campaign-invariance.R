# What must not move the default answer, and what may by no more than its stated error.
#
# Tables of two and of three classes (every other such table in an order), dense and by inducing
# inputs, are fitted by default. Inputs times 1,000, rows in another order, classes swapped, R's BLAS
# in the place of the own kernels, two threads, weights of 2 in the place of two copies of some rows, and
# units of one row must give the same answers to 1e-8; inputs moved by 1e-12, to 1e-6. The columns in reverse
# order give other nodes: Bayes factors differ by what noise_test() states, in nineteen of twenty.
#
# With CAMPAIGN_BLAS, the path of another BLAS as a shared library, it is that which must not move
# the answers: processes that load it first are asked for them, by the own kernels and by R's, with
# one thread and with two.

args <- commandArgs(FALSE)
folder <- dirname(sub("^--file=", "", grep("^--file=", args, value = TRUE)[1]))
source(file.path(folder, "helper.R"))
campaign <- campaign_start("invariance", cases = 40, seconds = 1800)
options(sturdy.progress = FALSE, sturdy.threads = 1, sturdy.blas = "own")

table_of <- function(k) {
  campaign_seed_case(campaign, k)
  classes <- if (k %% 4 == 3) 3 else 2
  n <- if (k %% 4 == 2) sample(420:600, 1) else sample(60:150, 1)
  p <- sample(2:8, 1)
  X <- matrix(stats::rnorm(n * p), n, dimnames = list(NULL, paste0("x", seq_len(p))))
  f <- X[, 1] + sin(2 * X[, 2]) + 0.4 * stats::rnorm(n)
  y <- 1 + findInterval(f, stats::quantile(f, seq_len(classes - 1) / classes))
  wrong <- sample.int(n, round(n * sample(c(0, 0.05, 0.15), 1)))
  y[wrong] <- sample.int(classes, length(wrong), TRUE)
  list(X = X, y = factor(letters[y], ordered = k %% 8 == 7))
}

answers <- function(X, y, how = list(), worker = NULL, ...) {
  if (!is.null(worker)) {
    return(parallel::clusterCall(worker, answers, X, y, how)[[1]])
  }
  before <- options(how)
  on.exit(options(before))
  fit <- suppressWarnings(suppressMessages(gpc(y ~ ., data.frame(X, y = y), ...)))
  test <- suppressMessages(noise_test(fit))
  found <- suppressMessages(mislabelled(fit))
  list(
    probability = found$probability[order(found$row)], log_bayes_factor = log(test$bayes_factor),
    count = test$some$count, error = test$error
  )
}

copied <- function(t) seq_along(t$y) %% 5 == 0 # rows that are there twice, or count twice

ways <- list(
  scaled = function(t) list(X = t$X * 1000, y = t$y),
  rows = function(t) list(X = t$X[rev(seq_along(t$y)), ], y = rev(t$y)),
  classes = function(t) list(X = t$X, y = factor(t$y, rev(levels(t$y)), ordered = is.ordered(t$y))),
  jitter = function(t) list(X = t$X + 1e-12 * stats::rnorm(length(t$X)), y = t$y),
  blas = function(t) list(X = t$X, y = t$y, how = list(sturdy.blas = "r")),
  threads = function(t) list(X = t$X, y = t$y, how = list(sturdy.threads = 2)),
  units = function(t) list(X = t$X, y = t$y, units = rev(seq_along(t$y))),
  weights = function(t) list(X = t$X, y = t$y, weights = 1 + copied(t), scale = FALSE),
  columns = function(t) list(X = t$X[, rev(seq_len(ncol(t$X)))], y = t$y)
)
# what a way is held against, where that is not the table itself
against <- list(weights = function(t) {
  rows <- c(seq_along(t$y), which(copied(t)))
  list(X = t$X[rows, ], y = t$y[rows], scale = FALSE) # columns are scaled by the rows there are
})
back <- list(rows = rev)

# Processes with another BLAS, asked for what `answers` says there
other_blas <- function(library, threads) {
  given <- list(LD_PRELOAD = library, OPENBLAS_NUM_THREADS = threads, OMP_NUM_THREADS = threads)
  before <- Sys.getenv(names(given), NA)
  do.call(Sys.setenv, given)
  on.exit({
    Sys.unsetenv(names(given))
    if (any(!is.na(before))) do.call(Sys.setenv, as.list(before[!is.na(before)]))
  })
  worker <- parallel::makePSOCKcluster(1)
  parallel::clusterCall(worker, function(paths) {
    .libPaths(paths)
    library(sturdy)
    options(sturdy.progress = FALSE)
  }, .libPaths())
  cat("other BLAS:", parallel::clusterCall(worker, function() La_library())[[1]], "\n")
  worker
}
library_given <- Sys.getenv("CAMPAIGN_BLAS")
workers <- if (nzchar(library_given)) lapply(1:2, other_blas, library = library_given)
if (length(workers)) ways <- list()
for (threads in seq_along(workers)) {
  for (kernels in c("own", "r")) {
    local({
      worker <- workers[[threads]]
      how <- list(sturdy.blas = kernels, sturdy.threads = threads)
      name <- paste0("other BLAS, ", if (kernels == "own") "own kernels" else "its kernels", ", ",
                     threads, " threads")
      ways[[name]] <<- function(t) list(X = t$X, y = t$y, how = how, worker = worker)
    })
  }
}
same <- setdiff(names(ways), "columns")

rows <- list()
for (k in seq_len(campaign$cases)) {
  if (campaign_over(campaign)) break
  t <- table_of(k)
  plain <- answers(t$X, t$y)
  for (way in names(ways)) {
    if (campaign_over(campaign)) break
    if (way == "weights" && nlevels(t$y) > 2) next # they are for two classes
    other <- against[[way]]
    before <- if (is.null(other)) plain else do.call(answers, other(t))
    before$probability <- before$probability[seq_along(t$y)]
    after <- do.call(answers, ways[[way]](t))
    if (!is.null(back[[way]])) after$probability <- back[[way]](after$probability)
    rows[[length(rows) + 1]] <- data.frame(
      case = k, way = way, probability = sqrt(mean((after$probability - before$probability)^2)),
      most = max(abs(after$probability - before$probability)),
      log_bayes_factor = abs(after$log_bayes_factor - before$log_bayes_factor),
      count = abs(after$count - before$count),
      stated = before$error
    )
  }
}
rows <- do.call(rbind, rows)
if (nzchar(Sys.getenv("CAMPAIGN_ROWS"))) utils::write.csv(rows, Sys.getenv("CAMPAIGN_ROWS"))

campaign_figure(campaign, "tables", length(unique(rows$case)))
for (way in same) {
  these <- rows[rows$way == way, ]
  at_most <- if (way == "jitter") 1e-6 else 1e-8
  for (what in c("most", "log_bayes_factor", "count")) {
    apart <- these[[what]]
    name <- paste0(way, ", ", if (what == "most") "probability" else gsub("_", " ", what))
    campaign_figure(campaign, name, max(apart, na.rm = TRUE), at_most)
    campaign_figure(campaign, paste0(name, ", tables beyond"), sum(apart > at_most, na.rm = TRUE))
  }
}
for (way in intersect("columns", names(ways))) {
  these <- rows[rows$way == way, ]
  for (what in c("probability", "log_bayes_factor", "count")) {
    campaign_figure(
      campaign, paste0(way, ", ", what, ", median difference"), stats::median(these[[what]], na.rm = TRUE)
    )
  }
  known <- is.finite(these$stated) & is.finite(these$log_bayes_factor)
  # one in twenty may be, and so few tables have more by chance
  campaign_figure(
    campaign, paste0(way, ", log Bayes factors apart by more than twice what was stated, share"),
    mean((these$log_bayes_factor > 2 * sqrt(2) * these$stated + 1e-6)[known]),
    stats::qbinom(0.99, sum(known), 0.05) / sum(known)
  )
}
campaign_end(campaign)
