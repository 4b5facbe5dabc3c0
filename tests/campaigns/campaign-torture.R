# Fits to data that are hard in every way at once: each ends with a status, or in an
# error of ours, and no number is NaN.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("torture", cases = 5000, seconds = 2400)

pick <- function(...) sample(c(...), 1)
hard_inputs <- function() {
  n <- if (stats::runif(1) < 0.07) pick(100, 200, 300) else pick(2, 3, 5, 10, 20, 40)
  p <- pick(1, 2, 3, 60)
  X <- matrix(rnorm(n * p), n)
  switch(pick(1:9),
    X <- X[sample(n, replace = TRUE), , drop = FALSE],     # duplicated rows
    X[, 1] <- pick(0, 1, 1e10),                            # a constant column
    X <- X * pick(1e-300, 1e-150, 1e-20, 1e20, 1e150),
    X[, p] <- X[, 1],                                      # collinear
    X <- round(X),
    X[1, ] <- pick(1e8, -1e15),                            # an outlier
    X <- X + pick(1e6, 1e12),                              # far from the origin
    X[] <- 0,
    X
  )
  X
}
hard_labels <- function(X) {
  n <- nrow(X)
  y <- switch(pick(1:6),
    X[, 1] > stats::median(X[, 1]),                        # separable
    runif(n) < 0.5,
    rep_len(c(TRUE, FALSE), n),                            # contradicts duplicates
    rep(c(TRUE, FALSE), c(1, n - 1)),                      # all but one
    rep(c(FALSE, TRUE), c(1, n - 1)),
    X[, 1]^2 > stats::median(X[, 1]^2)
  )
  if (length(unique(y)) < 2) y[1] <- !y[1]
  y
}
hard_kernel <- function() {
  make <- if (pick(0, 1)) kernel_ard else kernel_iso
  make(
    lengthscale = pick(1e-8, 0.01, 1, 100, 1e8), variance = pick(1e-8, 1, 1e4, 1e10),
    bias = pick(1e-8, 1, 1e6), nugget = pick(1e-12, 1e-6, 0.1, 1), fixed = TRUE
  )
}
hard_call <- function() {
  epsilon <- pick(0, 1e-300, 1e-10, 0.01, 0.3, 0.499999, NA)
  epsilon <- if (is.na(epsilon)) "learn" else epsilon
  df <- pick(1e-3, 0.1, 0.5, 1, 3, 1e3, 1e12, Inf)
  learned <- pick(0, 0, 0, 1)
  kernel <- if (learned) kernel_iso() else hard_kernel()
  control <- ep_control(restarts = 0, damping = pick(1, 0.5), block = pick(1, 7, 64))
  scale <- pick(TRUE, FALSE)
  if (pick(0, 1)) { # Student-t or Gaussian, by the kernel or by the weights
    given <- list(kernel = kernel, epsilon = epsilon, scale = scale, control = control)
    given["inducing"] <- list(if (pick(0, 0, 1)) pick(1, 5, 30)) # low rank
    if (is.infinite(df)) {
      list(model = "gpc", given = given)
    } else {
      list(model = "stc", given = c(df = df, given))
    }
  } else if (pick(0, 0, 1)) {
    list(model = "bpm", given = list(
      df = df, inference = "adf", scale = scale, prior_scale = pick(1e-8, 1, 1e8)
    ))
  } else {
    prior <- if (learned) "learn" else pick(1e-8, 1, 1e8)
    list(model = "bpm", given = list(
      df = df, prior_scale = prior, epsilon = epsilon, scale = scale, control = control
    ))
  }
}
hard_fit <- function(X, y, call) {
  do.call(call$model, c(list(quote(X), quote(y)), call$given), envir = environment())
}
# The call of a case, as text, and its data
tell <- function(k) {
  campaign_seed_case(campaign, k)
  X <- hard_inputs()
  hard_labels(X)
  call <- hard_call()
  given <- unlist(lapply(call$given, unclass)) # kernels and controls, too
  said <- paste(names(given), given, sep = " = ", collapse = ", ")
  sprintf("%s, n = %d, p = %d, %s", call$model, nrow(X), ncol(X), said)
}
numbers <- function(fit) {
  given <- if (is.null(fit$filter)) tryCatch(
    fitted(fit), sturdy_error_no_posterior = function(cnd) 0
  )
  ep <- fit$ep
  has <- length(ep$b) > 0
  c(unlist(coef(fit)), given, if (has) c(ep$m, ep$sites$tau, ep$sites$nu, ep$residual),
    if (identical(ep$status, "converged")) c(ep$log_evidence, ep$loo, ep$flipped))
}
# NA says that there is no such number: the evidence of t-EP may be undefined
without <- converged_without <- 0

outcome <- character()
took <- numeric() # CPU seconds
large <- low_rank <- logical()
cpu <- function() sum(proc.time()[1:2])
show <- function(k, what) cat("  case ", k, ": ", what, "\n", sep = "")
for (k in seq_len(campaign$cases)) {
  if (campaign_over(campaign)) break
  campaign_seed_case(campaign, k)
  X <- hard_inputs()
  y <- hard_labels(X)
  call <- hard_call()
  large[k] <- nrow(X) >= 100
  low_rank[k] <- !is.null(call$given$inducing)
  began <- cpu()
  outcome[k] <- tryCatch(
    suppressWarnings(suppressMessages({
      fit <- hard_fit(X, y, call)
      na <- anyNA(fit$ep$log_evidence)
      without <- without + na
      converged_without <- converged_without + (na && fit$ep$status == "converged")
      if (any(is.nan(numbers(fit)))) "NaN" else if (is.null(fit$ep)) "filtered" else fit$ep$status
    })),
    error = function(cnd) {
      if (inherits(cnd, "sturdy_error")) class(cnd)[1] else paste("unclassed:", conditionMessage(cnd))
    }
  )
  took[k] <- cpu() - began
  if (grepl("^unclassed|NaN|changed", outcome[k])) show(k, outcome[k])
}
print(table(sub(":.*", "", outcome)))
campaign_figure(campaign, "fits", length(outcome))
campaign_figure(campaign, "of those, 100 to 300 rows", sum(large))
campaign_figure(campaign, "of those, low rank", sum(low_rank))
campaign_figure(campaign, "with NaN", sum(outcome == "NaN"), 0)
campaign_figure(campaign, "errors not ours", sum(grepl("^unclassed", outcome)), 0)
campaign_figure(campaign, "fits refused as changed", sum(outcome == "sturdy_error_changed"), 0)
campaign_figure(campaign, "without a status", sum(outcome %in% c("", NA)), 0)
campaign_figure(campaign, "without an evidence, NA", without)
campaign_figure(campaign, "of those, converged", converged_without)
campaign_figure(campaign, "longest fit, CPU s", max(took))
for (k in utils::head(order(took, decreasing = TRUE), 3)) {
  show(k, sprintf("%.2f s, %s: %s", took[k], outcome[k], tell(k)))
}
campaign_end(campaign)
