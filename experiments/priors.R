# How wide should the prior of the lengthscales be? gpc() with one lengthscale per column
# under log-normal priors of several standard deviations (of the logarithm, around the
# median heuristic), and with one lengthscale for all columns. The default of weak_prior()
# is based on this comparison. All kernels see the same splits and flips.

experiment <- list(
  settings = list(
    data = c("pima", "ionosphere", "sonar", "newthyroid", "synth"),
    rates = c(0, 0.1, 0.2), replications = 10, seed = 1
  ),
  quick = list(data = "newthyroid", rates = 0.1, replications = 1),
  in_package = "overall",
  tasks = function(settings) {
    all_of(
      data = settings$data, rate = settings$rates,
      seed = seeds_of(settings)
    )
  },
  run = function(task) {
    half <- random_half(task$data, task$seed)
    noisy <- flip(half$y, task$rate, task$seed)
    rows <- lapply(names(prior_kernels), function(kernel) {
      prior_row(kernel, half, noisy)
    })
    do.call(rbind, rows)
  },
  tables = function(parts) {
    scores <- c("error", "log_score", "integrated", "log_evidence", "covered")
    rows <- parts$results
    over_data <- stats::aggregate(
      rows[scores], rows[c("kernel", "seed")], mean, na.rm = TRUE
    )
    over_data <- over_data[order(match(over_data$kernel, names(prior_kernels))), ]
    list(
      overall = group_means(over_data, "kernel", scores),
      summary = group_means(rows, c("data", "rate", "kernel"), scores)
    )
  }
)

ard_under <- function(sdlog) {
  kernel_ard(prior = weak_prior(lengthscale = c(NA, sdlog)))
}

prior_kernels <- list(
  "ARD, sd 0.4" = ard_under(0.4), "ARD, sd 0.7" = ard_under(0.7),
  "ARD, sd 1" = ard_under(1), "ARD, sd 1.5" = ard_under(1.5), "iso" = kernel_iso()
)

# covered: does the 90 % interval for the number of wrong labels contain that of the flips?
prior_row <- function(kernel, half, noisy) {
  run <- observe(paper_fit(
    gpc, half$x, noisy$y, kernel = prior_kernels[[kernel]], epsilon = "learn"
  ))
  fit <- run$value
  expected <- attr(observe(mislabelled(fit))$value, "expected")
  flipped <- sum(noisy$flipped)
  data.frame(
    kernel = kernel,
    probability_scores(predict(fit, half$x_test, type = "prob"), half$y_test),
    log_evidence = log_evidence(fit),
    integrated = log_evidence(fit, method = "integrated"),
    epsilon = fit$epsilon,
    covered = expected$lower <= flipped && flipped <= expected$upper,
    status = fit$ep$status, seconds = run$seconds
  )
}
