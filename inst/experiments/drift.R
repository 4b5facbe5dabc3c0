# A target that drifts: assumed density filtering with a normal and with t priors,
# as in section 6.1 of Ding, Qi and Vishwanathan (2011), their Figure 3 and Table
# 1. The target changes every 400 points, wholly (case 1) or in a tenth of its
# entries (case 2). Each label is predicted before it is absorbed.
#
#   Rscript drift.R [replications] [folder]
#
# or, in R,
#
#   source(system.file("experiments", "drift.R", package = "sturdy"))
#   experiment_drift(replications = 2, folder = tempdir())
#
# Ten replications take about a minute.

library(sturdy)
source(system.file("experiments", "helper.R", package = "sturdy"))

#' @param seed of the first replication; the others follow it.
#' @param step points between two looks at the signs of the weights.
#' @return list(errors, signs), invisibly: one row a run with its prequential
#'   error; and the mean number of wrong signs after each step. Saved as
#'   drift.csv, drift-table.csv, drift-signs.csv and drift.png.
experiment_drift <- function(seed = 1,
                             replications = 10,
                             folder = "results",
                             df = c(Inf, 3, 10),
                             step = 40) {
  runs <- expand.grid(df = df, case = 1:2, seed = seed + seq_len(replications) - 1)
  traced <- vector("list", nrow(runs))
  runs$error <- NA_real_
  cli::cli_progress_bar("runs", total = nrow(runs))
  for (i in seq_len(nrow(runs))) {
    run <- drift_run(runs$case[i], runs$df[i], runs$seed[i], step)
    runs$error[i] <- run$error
    traced[[i]] <- cbind(runs[i, c("case", "df")], run$signs, row.names = NULL)
    cli::cli_progress_update()
  }
  errors <- runs[order(runs$case, runs$df, runs$seed), c("case", "df", "seed", "error")]
  signs <- stats::aggregate(wrong ~ time + df + case, do.call(rbind, traced), mean)
  table <- drift_table(errors)
  save_results(errors, folder, "drift")
  save_results(table, folder, "drift-table")
  save_results(signs[c("case", "df", "time", "wrong")], folder, "drift-signs")
  draw_drift(signs, replications, file.path(folder, "drift.png"))
  print(table, digits = 3, row.names = FALSE)
  invisible(list(errors = errors, signs = signs))
}

# One pass over one stream: prequential error, and how many of the signs of the
# base vector in force the posterior mean has wrong, after every `step` points
drift_run <- function(case, df, seed, step) {
  d <- sim_drift(case, seed = seed)
  ends <- seq(step, nrow(d$x), by = step)
  wrong <- integer(length(ends))
  fit <- NULL
  for (i in seq_along(ends)) {
    rows <- seq(ends[i] - step + 1, ends[i])
    if (is.null(fit)) {
      fit <- bpm(
        d$x[rows, ], d$y[rows],
        df = df, epsilon = 0.01, inference = "adf", intercept = FALSE, scale = FALSE
      )
    } else {
      fit <- update(fit, d$x[rows, ], d$y[rows])
    }
    base <- d$base[d$segment[ends[i]], ]
    wrong[i] <- sum(sign(fit$weights$mean) != base)
  }
  list(
    error = fit$stream$errors / fit$stream$rows,
    signs = data.frame(time = ends, wrong = wrong)
  )
}

# Mean error and its standard deviation over the seeds, beside those printed in
# Table 1 of the paper
drift_table <- function(errors) {
  by <- stats::aggregate(
    error ~ df + case, errors,
    function(e) c(mean(e), stats::sd(e), min(e), max(e))
  )
  paper <- data.frame(
    case = rep(1:2, each = 3), df = c(3, 10, Inf),
    paper = c(0.242, 0.254, 0.337, 0.130, 0.128, 0.150)
  )
  found <- match(paste(by$case, by$df), paste(paper$case, paper$df))
  data.frame(
    case = by$case, df = by$df, error = by$error[, 1], sd = by$error[, 2],
    least = by$error[, 3], most = by$error[, 4], paper = paper$paper[found]
  )
}

draw_drift <- function(signs, replications, file) {
  figure_png(file, 9.6, 4.4)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 2))
  dfs <- sort(unique(signs$df), decreasing = TRUE)
  for (case in 1:2) {
    graphics::plot(
      range(signs$time), c(0, max(signs$wrong[signs$case == case])),
      type = "n", xlab = "points absorbed",
      ylab = sprintf("wrong signs of 100, mean of %d", replications),
      main = c("case 1: all entries redrawn", "case 2: a tenth redrawn")[case]
    )
    graphics::abline(v = seq(400, 3600, by = 400), col = "grey85", lwd = 1)
    for (k in seq_along(dfs)) {
      mine <- signs[signs$case == case & signs$df == dfs[k], ]
      graphics::lines(mine$time, mine$wrong, col = figure_colours[k], lty = figure_lines[k])
    }
    if (case == 2) {
      graphics::legend(
        "topright",
        legend = ifelse(is.finite(dfs), paste("t prior, df =", dfs), "normal prior"),
        col = figure_colours[seq_along(dfs)], lty = figure_lines[seq_along(dfs)],
        bty = "n", seg.len = 3, cex = 0.9
      )
    }
  }
}

if (sys.nframe() == 0L) {
  given <- script_arguments(10L)
  experiment_drift(replications = given$replications, folder = given$folder)
}
