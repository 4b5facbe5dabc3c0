# Hard fits with inducing inputs: flips that epsilon is far below, tiny nuggets, duplicated
# rows and centres, more inducing inputs than distinct rows, rows far from all of them. Each
# has a status and no NaN, and none takes 20 times the median of its size and kind.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("lowrank", cases = 500, seconds = 1800)
native_run <- utils::getFromNamespace("native_run", "sturdy")
native_gp_fits <- utils::getFromNamespace("native_gp_fits", "sturdy")
fit_inducing <- function(X, Z, columns, hyper, ...) {
  native_gp_fits(X, Z, columns, list(hyper), list(native_run(...)))[[1]]
}
predict_inducing <- utils::getFromNamespace("native_inducing_predict", "sturdy")

pick <- function(...) sample(c(...), 1)

problem <- function() {
  n <- pick(30, 300, 2500)
  p <- pick(1, 3, 10)
  X <- matrix(stats::rnorm(n * p), n)
  if (stats::runif(1) < 0.3) X <- round(X) # duplicated rows
  if (stats::runif(1) < 0.3) X[seq_len(n %/% 10), ] <- X[seq_len(n %/% 10), ] * 1e3
  y <- ifelse(X[, 1] + X[, p]^2 - 0.5 > 0, 1, -1)
  wrong <- stats::runif(n) < pick(0, 0.1, 0.3)
  y[wrong] <- -y[wrong]
  m <- pick(1, 10, 60)
  Z <- X[sample.int(n, m, replace = TRUE), , drop = FALSE] # centres that are doubled
  if (stats::runif(1) < 0.2) Z <- Z + 1e4                  # and far from all rows
  list(
    X = X, y = y, Z = Z, columns = list(group = seq_len(p), weight = rep(1, p)),
    hyper = list(
      lengthscale = rep(pick(0.05, 1, 20), p), variance = 1, bias = pick(0, 0.1),
      nugget = 10^stats::runif(1, -6, 0)
    ),
    df = pick(3, 10, Inf, Inf), epsilon = pick(0, 1e-6, 0.01, 0.1)
  )
}

finite <- function(x) all(is.finite(unlist(x)))

one <- function(case) {
  n <- length(case$y)
  control <- ep_control()
  if (n > 2000) {
    lean <- is.infinite(case$df)
    control <- utils::modifyList(unclass(control), list(tol = 1e-6, parallel = TRUE, lean = lean))
  }
  seconds <- system.time(out <- fit_inducing(
    case$X, case$Z, case$columns, case$hyper, likely(case$y, case$epsilon), case$df, NULL,
    control, "evidence", TRUE
  ))[["user.self"]]
  usable <- out$status >= 0
  sound <- !usable || finite(out[c("sites", "m", "C_diag", "b", "extra")]) && finite(
    predict_inducing(case$Z, case$columns, case$hyper, out$b, out$extra, case$X[1:5, , drop = FALSE])
  ) && (out$status != 0 || finite(out[c("loo", "flipped", "cavity", "residual")]))
  data.frame(
    kind = paste(n, nrow(case$Z), is.finite(case$df)), status = out$status, sound = sound,
    seconds = seconds
  )
}

rows <- list()
while (length(rows) < campaign$cases && !campaign_over(campaign)) {
  case <- problem()
  rows[[length(rows) + 1]] <- tryCatch(one(case), error = function(cnd) {
    data.frame(kind = "error", status = NA, sound = FALSE, seconds = 0)
  })
}
rows <- do.call(rbind, rows)
campaign_figure(campaign, "fits", nrow(rows))
campaign_figure(campaign, "errors", sum(is.na(rows$status)), 0)
campaign_figure(campaign, "with numbers that are not finite", sum(!rows$sound), 0)
campaign_figure(campaign, "without a posterior", sum(rows$status %in% -(1:9)))
campaign_figure(campaign, "converged, of all", mean(rows$status %in% 0))
slowest <- vapply(
  split(rows$seconds, rows$kind), function(s) max(s) / max(stats::median(s), 0.02), numeric(1)
)
campaign_figure(campaign, "slowest over the median, same n, m and kind of df", max(slowest), 20)
campaign_end(campaign)
