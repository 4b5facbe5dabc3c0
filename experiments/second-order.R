# How much of the sum c of the second order (4.9) is missing in the log evidence of EP? The exact
# one is that of annealed importance sampling (A.2), at hyperparameters and a rate that are drawn for
# each table, two inputs and one lengthscale. Three kinds of tables: drawn from the model; inputs
# that say nothing, and one label in eight of the event; and three times as many rows, one in twenty of
# the event and hardly any nugget, where the sum is largest. Errors are of the log evidence with
# nothing of c, with all of it, and with what is taken, c / (1 + |c|); that of the simulation is
# taken out of them.
#
# The form of what is taken was chosen by hand, on a few other tables.

experiment <- list(
  settings = list(rows = 40, replications = 90, se = 0.05, seed = 5001),
  quick = list(rows = 12, replications = 2, se = 0.2),
  in_package = "summary",
  tasks = function(settings) {
    all_of(rows = settings$rows, se = settings$se, seed = seeds_of(settings))
  },
  run = function(task) second_one(task),
  tables = function(parts) {
    rows <- parts$results
    rows$size <- cut(rows$c, c(-Inf, 0.1, 0.2, 0.4, 0.8, Inf))
    groups <- split(rows, rows$size, drop = TRUE)
    groups$all <- rows
    summary <- lapply(groups, function(part) {
      rms <- function(error) sqrt(max(0, mean(error^2) - mean(part$missing_se^2)))
      data.frame(
        tables = nrow(part), c = mean(part$c), taken = mean(part$taken),
        missing = mean(part$missing), missing_se = stats::sd(part$missing) / sqrt(nrow(part)),
        error_none = rms(part$missing), error_all = rms(part$missing - part$c),
        error_taken = rms(part$missing - part$taken)
      )
    })
    list(summary = cbind(size = names(summary), do.call(rbind, unname(summary))))
  }
)

second_one <- function(task) {
  set_seed(task$seed)
  kind <- c("useless", "rare", "own")[1 + task$seed %% 3]
  n <- if (kind == "rare") 3 * task$rows else task$rows
  X <- matrix(stats::rnorm(2 * n), n)
  between <- function(a, b) exp(stats::runif(1, log(a), log(b)))
  h <- c(
    lengthscale = between(0.3, 3), bias = between(0.1, 5),
    nugget = if (kind == "rare") between(1e-4, 3e-3) else between(1e-3, 0.3),
    epsilon = stats::runif(1, 0.01, if (kind == "rare") 0.1 else 0.25)
  )
  kernel <- kernel_iso(
    h[["lengthscale"]], bias = h[["bias"]], nugget = h[["nugget"]], fixed = TRUE
  )
  y <- switch(kind,
    useless = seq_len(n) %% 8 == 1, rare = seq_len(n) %% 20 == 1,
    own = {
      K <- exp(-as.matrix(stats::dist(X))^2 / (2 * h[["lengthscale"]]^2)) + h[["bias"]]
      repeat { # both classes are there
        f <- drop(crossprod(chol(K + diag(h[["nugget"]], n)), stats::rnorm(n)))
        y <- xor(f > 0, stats::runif(n) < h[["epsilon"]])
        if (any(y) && !all(y)) break
      }
      y
    }
  )
  fit <- observe(gpc(
    X, factor(y, c(FALSE, TRUE)), epsilon = h[["epsilon"]], scale = FALSE, kernel = kernel,
    control = quiet_control()
  ))$value
  ep <- log_evidence(fit)
  taken <- log_evidence(fit, "corrected") - ep
  exact <- observe(log_evidence(fit, "ais", se = task$se))$value
  data.frame(
    kind, n, as.list(h), events = sum(y), taken, c = taken / (1 - abs(taken)),
    missing = exact$log_evidence - ep, missing_se = exact$se, chains_ess = exact$ess
  )
}
