# Two installed versions of sturdy beside each other: CPU seconds of the same calls, by the
# public functions alone, in two processes that take turns; medians and their ratio.
#
#   Rscript versions.R <library of the one before> <library of this one> [turns [task ...]]
#
# A task is named by a part of its name; all by default. One thread.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
given <- commandArgs(TRUE)
turns <- as.integer(c(given[-(1:2)], "5")[1])

# What a process has at hand -------------------------------------------------------

tasks_here <- function() {
  options(sturdy.threads = 1, sturdy.progress = FALSE)
  quiet <- function(code) suppressMessages(suppressWarnings(code))
  problem <- function(n, d = 5, classes = 2) {
    set.seed(n + d)
    x <- matrix(stats::rnorm(n * d), n, dimnames = list(NULL, paste0("x", seq_len(d))))
    f <- x[, 1] + sin(2 * x[, 2]) + 0.3 * stats::rnorm(n)
    y <- 1 + findInterval(f, stats::quantile(f, seq_len(classes - 1) / classes))
    wrong <- sample.int(n, n / 10)
    y[wrong] <- sample.int(classes, length(wrong), TRUE)
    list(x = as.data.frame(x), y = factor(letters[y]))
  }
  held <- kernel_ard(
    lengthscale = 3, variance = 4, bias = 1, nugget = 0.1,
    fixed = c("lengthscale", "variance", "bias", "nugget")
  )
  control <- ep_control(progress = FALSE)
  # with `epsilon` held nothing is learned
  evaluate <- function(n, ..., d = 5, classes = 2, f = gpc) {
    p <- problem(n, d, classes)
    function() quiet(f(p$x, p$y, ..., hyper = "optimum", control = control))
  }
  one_rate <- function(n, ...) {
    evaluate(n, kernel = held, epsilon = 0.1, ...)
  }
  learned <- function(n, hyper, d = 3) {
    force(hyper)
    p <- problem(n, d)
    function() quiet(gpc(p$x, p$y, hyper = hyper, control = control))
  }
  once <- function(make) { # what it makes, made when it is first asked for
    force(make)
    made <- NULL
    function() {
      if (is.null(made)) made <<- make()
      made
    }
  }
  of <- function(fit, f) {
    force(fit)
    force(f)
    function() quiet(f(fit()))
  }
  new <- problem(1000, 3)$x
  answers <- list(
    "predict 1 row" = function(fit) stats::predict(fit, new[1, ]),
    "predict 1000 rows" = function(fit) stats::predict(fit, new),
    mislabelled = function(fit) mislabelled(fit), noise_test = function(fit) noise_test(fit),
    print = function(fit) utils::capture.output(print(fit)),
    summary = function(fit) summary(fit),
    "update checked" = function(fit) {
      stats::update(fit, checked = data.frame(row = 1:3, label = c("a", "a", "b")))
    }
  )
  gram <- local({
    x <- as.matrix(problem(300)$x)
    4 * exp(-as.matrix(stats::dist(x))^2 / 18) + diag(0.1, 300)
  })
  sign <- ifelse(problem(300)$y == "a", -1, 1)
  tasks <- c(
    lapply(c("EP, n = 50" = 50, "EP, n = 200" = 200, "EP, n = 500" = 500, "EP, n = 1000" = 1000),
      one_rate, inducing = NULL),
    "EP, n = 5000, m = 100" = one_rate(5000, inducing = 100),
    "EP, three classes, n = 200" = one_rate(200, inducing = NULL, classes = 3),
    "EP, stc, n = 200" = one_rate(200, df = 10, f = stc, inducing = NULL),
    "ep_fit, n = 300" = function() quiet(ep_fit(gram, sign, epsilon = 0.1)),
    "bpm, n = 5000" = evaluate(5000, d = 10, f = bpm, epsilon = 0.1, nugget = 0.1),
    "optimum, n = 100" = learned(100, "optimum"), "optimum, n = 300" = learned(300, "optimum"),
    "average, n = 100" = learned(100, "integrate"), "average, n = 300" = learned(300, "integrate")
  )
  for (hyper in c("optimum", "integrate")) {
    more <- lapply(answers, of, fit = once(learned(200, hyper)))
    names(more) <- paste(if (hyper == "optimum") "optimum:" else "average:", names(answers))
    tasks <- c(tasks, more)
  }
  tasks
}

# CPU seconds of one call of a task, of as many as take 0.2 s
seconds_of <- function(name, times) {
  task <- tasks[[name]]
  spent <- system.time(for (k in seq_len(times)) task(), gcFirst = TRUE)
  sum(spent[1:2]) / times
}

# Turns ----------------------------------------------------------------------------

start <- function(library) {
  old <- Sys.getenv("R_LIBS")
  on.exit(Sys.setenv(R_LIBS = old))
  Sys.setenv(R_LIBS = paste0(library, ":", old))
  process <- parallel::makePSOCKcluster(1)
  environment(tasks_here) <- environment(seconds_of) <- globalenv()
  parallel::clusterExport(process, c("tasks_here", "seconds_of"))
  parallel::clusterEvalQ(process, {
    library(sturdy)
    tasks <- tasks_here()
  })
  process
}

processes <- list(before = start(given[1]), now = start(given[2]))
ask <- function(process, name, times) {
  parallel::clusterCall(process, function(...) seconds_of(...), name, times)[[1]]
}

measure <- function(name) {
  first <- vapply(processes, ask, 0, name, 1L) # makes what it needs
  times <- max(1, floor(0.2 / max(ask(processes$before, name, 1L), 1e-4)))
  seconds <- vapply(seq_len(turns), function(k) {
    turn <- if (k %% 2) 1:2 else 2:1
    vapply(processes[turn], ask, 0, name, times)[c("before", "now")]
  }, numeric(2))
  row <- data.frame(
    task = name, before = stats::median(seconds["before", ]),
    now = stats::median(seconds["now", ]),
    ratio = stats::median(seconds["now", ] / seconds["before", ])
  )
  cat(sprintf("%-28s %9.5f %9.5f %6.2f\n", name, row$before, row$now, row$ratio))
  row
}

machine <- machine_line()
print_machine(machine)
names <- parallel::clusterEvalQ(processes$now, names(tasks))[[1]]
asked <- given[-(1:3)]
if (length(asked)) {
  found <- lapply(asked, function(part) grep(part, names, fixed = TRUE, value = TRUE))
  names <- unique(unlist(found))
}
table <- do.call(rbind, lapply(names, measure))
if (!length(asked)) bench_save(table, "versions", machine)
invisible(lapply(processes, parallel::stopCluster))
