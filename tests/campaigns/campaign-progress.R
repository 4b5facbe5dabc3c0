# Calls of all kinds that take some seconds: what the first line that is shown says of the
# time that the whole takes, over what it takes. The clock is that of the processor, which is
# what a machine under steady load is like. The first argument is the number of calls, at most
# those that are listed here; the third, a pattern, leaves out calls of other names, and prints
# what was expected and what was done.

local({
  file <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  source(file.path(dirname(sub("^--file=", "", file[1])), "helper.R"))
})
options(sturdy.threads = 1, cli.tick_time = 0, sturdy.progress = NA)

space <- asNamespace("sturdy")
put <- function(name, value) {
  unlockBinding(name, space)
  assign(name, value, space)
}
put("seconds_now", function() sum(proc.time()[1:2]))
put("progress_line_after", Inf)
works <- list() # those of a call, the first of which is the whole
put("learn_work", local({
  made <- space$learn_work
  function(progress, ...) {
    work <- made(progress, ...)
    if (!is.list(progress)) works[[length(works) + 1]] <<- work
    work
  }
}))

# Ten columns, three of which matter, or groups around a centre for each class
rows <- function(n, d = 10, classes = 2) {
  x <- matrix(rnorm(n * d), n)
  y <- if (classes == 2) {
    1 + (x[, 1] + sin(2 * x[, 2]) + x[, 3] / 2 + rnorm(n) * 0.3 > 0)
  } else {
    y <- sample(classes, n, TRUE)
    x <- x + 1.3 * matrix(rnorm(classes * d), classes)[y, ]
    y
  }
  wrong <- sample(n, n / 10)
  y[wrong] <- 1 + (y[wrong] + sample(classes - 1, length(wrong), TRUE) - 1) %% classes
  data.frame(x, class = factor(letters[y]))
}
own <- function(fit, n, ..., d = 10, classes = 2) {
  function() {
    data <- rows(n, d, classes)
    function() fit(class ~ ., data, ...)
  }
}
stored <- function(fit, name, ...) {
  function() {
    data <- sturdy_data(name)
    function() fit(class ~ ., data, ...)
  }
}
calls <- list(
  "default, 500, dense" = own(gpc, 500, inducing = NULL),
  "default, 700" = own(gpc, 700), "default, 1000" = own(gpc, 1000),
  "default, 1000 x 4" = own(gpc, 1000, d = 4), "default, 800 x 20" = own(gpc, 800, d = 20),
  "default, 1501" = own(gpc, 1501), "default, 3000" = own(gpc, 3000),
  "default, 6000" = own(gpc, 6000), "default, 20000" = own(gpc, 2e4),
  "default, 60000" = own(gpc, 6e4), "default, sonar" = stored(gpc, "sonar"),
  "default, ionosphere" = stored(gpc, "ionosphere"),
  "default, one rate" = own(gpc, 3000, epsilon = "learn"),
  "default, stc" = own(stc, 600, df = 4), "default, three classes" = own(gpc, 300, classes = 3),
  "default, five classes" = own(gpc, 600, d = 5, classes = 5),
  "default, bpm" = own(bpm, 2e5),
  "optimum, 3000" = own(gpc, 3000, hyper = "optimum"),
  "optimum, 1200, dense" = own(gpc, 1200, hyper = "optimum", inducing = NULL),
  "optimum, 10000" = own(gpc, 1e4, hyper = "optimum"),
  "optimum, 60000" = own(gpc, 6e4, hyper = "optimum"),
  "optimum, two rates" = own(gpc, 4000, hyper = "optimum", epsilon = "learn2"),
  "optimum, loo" = own(gpc, 900, hyper = "optimum", criterion = "loo", inducing = NULL),
  "optimum, stc" = own(stc, 2000, hyper = "optimum", df = 4),
  "optimum, four classes" = own(gpc, 700, hyper = "optimum", classes = 4, inducing = NULL),
  "optimum, four classes, inducing" = own(gpc, 1500, hyper = "optimum", classes = 4),
  "optimum, matrix" = own(gpc, 500, hyper = "optimum", epsilon = "matrix", classes = 3),
  "optimum, bpm" = own(bpm, 4e5, hyper = "optimum"),
  "evidence of an optimum" = function() {
    fit <- suppressMessages(gpc(class ~ ., rows(3000), hyper = "optimum"))
    function() log_evidence(fit, "integrated")
  }
)

# Estimate and seconds, the first `NA` where nothing was shown
measured <- function(call) {
  estimate <- at <- NA_real_
  works <<- list()
  begun <- space$seconds_now()
  suppressMessages(suppressWarnings(withCallingHandlers(call(), sturdy_progress = function(said) {
    if (is.na(estimate) && space$is_long(said$elapsed, said$left) && !is.na(said$left)) {
      estimate <<- said$elapsed + said$left
      at <<- said$elapsed
    }
  })))
  c(estimate = estimate, at = at, took = space$seconds_now() - begun)
}

campaign <- campaign_start("progress", cases = length(calls), seconds = 1800)
pattern <- commandArgs(TRUE)[3]
ratio <- numeric()
for (k in seq_len(min(campaign$cases, length(calls)))) {
  if (campaign_over(campaign)) break
  if (!is.na(pattern) && !grepl(pattern, names(calls)[k])) next
  campaign_seed_case(campaign, k)
  found <- measured(calls[[k]]())
  name <- names(calls)[k]
  if (is.na(found["estimate"])) {
    cat(sprintf("%-32s %6.1f s, nothing shown\n", name, found["took"]))
  } else {
    ratio[name] <- found["estimate"] / found["took"]
    cat(sprintf(
      "%-32s %6.1f s, %5.2f of it foretold after %.1f s\n", name, found["took"], ratio[name],
      found["at"]
    ))
  }
  if (!is.na(pattern)) for (work in works) cat("passes expected", environment(work$tick)$total, "done", environment(work$tick)$done, "\n")
}
campaign_figure(campaign, "calls that say how long they take", length(ratio))
campaign_figure(
  campaign, "share beyond a factor 1.5", mean(abs(log(ratio)) > log(1.5)), at_most = 0.1
)
campaign_end(campaign)
