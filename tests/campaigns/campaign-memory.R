# Memory: small fits of every kind by the thousand must not grow the process, and large ones under
# `ulimit -v`, which fail at one allocation or another, must end in an error that
# says so (ours, or R's where the limit of ours was taken away), and leave R able to fit another.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("memory", cases = 2000, seconds = 1200)

resident <- function() { # MiB
  gc()
  line <- grep("^VmRSS", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
one <- function(k) {
  n <- 30
  X <- matrix(rnorm(3 * n), n)
  y <- X[, 1] + rnorm(n) > 0
  held <- kernel_iso(1.5, fixed = TRUE)
  d <- data.frame(X, y = ifelse(y, "b", "a"), three = factor(rep_len(c("a", "b", "c"), n)))
  quick <- ep_control(restarts = 0, progress = FALSE)
  fit <- switch(k %% 14 + 1,
    gpc(X, y, kernel = held, epsilon = 0.05),
    stc(X, y, df = 3, kernel = held, control = ep_control(restarts = 0)),
    bpm(X, y, epsilon = 0.05), bpm(X, y, inference = "adf"),
    gpc(X, y, kernel = held), # with its label stage
    gpc(three ~ X1 + X2 + X3, d, kernel = held, epsilon = 0.05),
    gpc(ordered(three) ~ X1 + X2 + X3, d, kernel = held, epsilon = 0.05),
    gpc(readers(y, rev(y)) ~ X1 + X2 + X3, d, kernel = held, control = quick),
    gpc(d[1:3], cbind(a = pnorm(-d$X1), b = pnorm(d$X1)), kernel = held, control = quick),
    gpc(y ~ X1 + X2 + X3, d, kernel = held, units = interaction(d$y, rep_len(1:6, n)), control = quick),
    gpc(y ~ X1 + X2 + X3, d, kernel = held, weights = rep(1:2, n / 2), control = quick),
    bpm(y ~ X1 + X2 + X3, shards(d, 2), epsilon = 0.05),
    bpm_stream(y ~ X1 + X2 + X3, d, batch_size = 10),
    bpm(y ~ X1 + X2 + X3, dbi_source(connection, "d"), nugget = 1, epsilon = 0.05)
  )
  if (k %% 14 > 4) X <- d[1:3]
  predict(fit, X, type = "prob")
  if (k %% 42 == 1) posterior_sample(fit, 20) # a Student-t fit
  if (k %% 50 == 0) try(gpc(X, y, epsilon = 2), silent = TRUE)
  invisible()
}

if (file.exists("/proc/self/status")) {
  connection <- DBI::dbConnect(RSQLite::SQLite())
  DBI::dbWriteTable(connection, "d", data.frame(
    X1 = rnorm(30), X2 = rnorm(30), X3 = rnorm(30), y = rep(c("a", "b", "b"), 10)
  ))
  quiet <- function(k) suppressWarnings(suppressMessages(one(k)))
  for (k in seq_len(max(28, campaign$cases / 10))) quiet(k)
  start <- resident()
  done <- 0
  while (done < campaign$cases && !campaign_over(campaign)) {
    done <- done + 1
    quiet(done)
  }
  campaign_figure(campaign, "fits", done)
  campaign_figure(campaign, "MiB before", start)
  campaign_figure(campaign, "MiB of growth", resident() - start, 8)
}

# R with sturdy takes less than 250 MB, the four matrices of this dense fit 288 more
limited <- '
library(sturdy)
options(sturdy.max_memory = Inf)
X <- matrix(rnorm(6000), ncol = 2)
said <- function(code) {
  no_memory <- function(cnd) inherits(cnd, "sturdy_error_memory") || grepl("cannot allocate", conditionMessage(cnd))
  cat(tryCatch({ code; "fine" }, error = function(cnd) if (no_memory(cnd)) "no memory" else class(cnd)[1]), "")
}
held <- kernel_iso(fixed = TRUE)
said(gpc(X, X[, 1] > 0, inducing = NULL, epsilon = 0.05, kernel = held))
said(predict(gpc(X[1:50, ], X[1:50] > 0), X[1:9, ]))
'
if (.Platform$OS.type == "unix" && Sys.info()[["sysname"]] == "Linux") {
  script <- tempfile(fileext = ".R")
  writeLines(limited, script)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = ":"))
  limits <- round(seq(250000, 390000, length.out = 20))
  said <- vapply(limits, function(limit) {
    run <- sprintf("ulimit -v %d; '%s/Rscript' '%s' 2>&1", limit, R.home("bin"), script)
    paste(suppressWarnings(system(run, intern = TRUE)), collapse = " ")
  }, character(1))
  wrong <- trimws(said) != "no memory fine"
  if (any(wrong)) print(cbind(limits, said)[wrong, ])
  campaign_figure(campaign, "fits under ulimit -v", length(limits))
  campaign_figure(campaign, "of these that ended otherwise", sum(wrong), 0)
}
campaign_end(campaign)
