# What the experiments after Kim and Ghahramani (2008) share: their classifiers, on one
# problem. The labels of the Gaussian process classifiers are
#
#   gpc            epsilon = 0, the plain classifier
#   gradient       robust: epsilon learned by the evidence, see ?learning
#   em_kg08        robust: epsilon learned by their M-step as printed
#   selected       gpc or gradient, whichever has the larger evidence (their eq. 21)
#   selected_kg08  the same with em_kg08
#
# and two are support vector machines with a radial kernel (kernlab), tuned by 10-fold
# cross-validation on the training rows with their flipped labels, the smallest values
# among equals:
#
#   svm            the cost C, one of 0.1, 1, ..., 1000, and sigma (kernel exp(-sigma
#                  |x - x'|^2), columns scaled), one of 0.01, 0.03, 0.1, ..., 3
#   svm_held       C alone, with sigma held at the value of the Gaussian process's kernel,
#                  as in the paper

kg08_fitted <- c("gpc", "gradient", "em_kg08")

kg08_fit <- function(method, d, kernel, scale) {
  if (method == "gpc") {
    return(paper_fit(gpc, d$x, d$y, kernel = kernel, epsilon = 0, scale = scale))
  }
  if (method != "gradient") {
    return(kg08_em(d$x, d$y, kernel, scale, method))
  }
  paper_fit(gpc, d$x, d$y, kernel = kernel, epsilon = "learn", scale = scale)
}

# EM-EP, their section 3: in turn the kernel by the evidence, from where it is, and the rate by the
# mean probability that a label is wrong: under the tilted marginals ("em", whose fixed points are
# stationary points of the evidence), or by their equations 17-20 under the posterior ones ("em_kg08").
# It starts inside: 0 is a fixed point whatever the data.
kg08_em <- function(x, y, kernel, scale, method) {
  rate <- 0.05
  for (iteration in seq_len(500)) {
    fit <- paper_fit(
      gpc, x, y, kernel = kernel, epsilon = rate, scale = scale,
      control = quiet_control(restarts = 0)
    )
    ep <- fit$ep
    wrong <- if (method == "em") ep$flipped else stats::pnorm(-fit$data$y * ep$m / sqrt(ep$C_diag))
    change <- min(mean(wrong), 0.49) - rate
    if (abs(change) < 1e-7) break
    rate <- rate + change
    kernel[c("bias", "nugget")] <- fit$kernel[c("bias", "nugget")]
    kernel$lengthscale <- unname(fit$kernel$lengthscale)
  }
  fit
}

# d: x, y, x_test, y_test, and which of y are `flipped`; `sigmas` a named list, those that
# each support vector machine may have
kg08_rows <- function(d, kernel, scale, seed, sigmas = list()) {
  rows <- lapply(kg08_fitted, function(method) {
    run <- observe(kg08_fit(method, d, kernel, scale))
    kg08_row(method, run, d)
  })
  rows <- do.call(rbind, rows)
  svm <- lapply(names(sigmas), function(name) kg08_svm_row(name, d, seed, sigmas[[name]]))
  rbind(
    rows, kg08_selected(rows, "gradient", "selected"),
    kg08_selected(rows, "em_kg08", "selected_kg08"), do.call(rbind, svm)
  )
}

kg08_row <- function(method, run, d) {
  fit <- run$value
  scores <- probability_scores(predict(fit, d$x_test, type = "prob"), d$y_test)
  data.frame(
    method = method, error = scores$error, log_score = scores$log_score,
    log_evidence = log_evidence(fit), epsilon = fit$epsilon,
    nugget = fit$kernel$nugget, lengthscale = fit$kernel$lengthscale[[1]],
    found = kg08_found(fit, d$flipped), status = fit$ep$status,
    seconds = run$seconds, warned = run$warned
  )
}

# With k labels flipped: the share of them among the first k that mislabelled() names
kg08_found <- function(fit, flipped) {
  if (!any(flipped)) {
    return(NA_real_)
  }
  ranked <- observe(mislabelled(fit, level = NULL))$value
  mean(flipped[ranked$row[seq_len(sum(flipped))]])
}

kg08_selected <- function(rows, robust, name) {
  two <- rows[match(c("gpc", robust), rows$method), ]
  chosen <- two[which.max(two$log_evidence), ]
  chosen$method <- name
  chosen$seconds <- sum(two$seconds)
  chosen
}

# Support vector machines ------------------------------------------------------

kg08_sigmas <- c(0.01, 0.03, 0.1, 0.3, 1, 3)

kg08_svm_row <- function(name, d, seed, sigmas) {
  run <- observe(kg08_svm(data.matrix(d$x), d$y, seed, sigmas))
  predicted <- kernlab::predict(run$value, data.matrix(d$x_test))
  data.frame(
    method = name, error = mean(predicted != d$y_test), log_score = NA_real_,
    log_evidence = NA_real_, epsilon = NA_real_, nugget = NA_real_,
    lengthscale = NA_real_, found = NA_real_, status = "", seconds = run$seconds,
    warned = run$warned
  )
}

kg08_svm <- function(x, y, seed, sigmas) {
  grid <- all_of(sigma = sigmas, C = c(0.1, 1, 10, 100, 1000))
  fit <- function(k, ...) {
    set_seed(seed) # the same folds for each pair
    kernlab::ksvm(
      x, y, type = "C-svc", kernel = "rbfdot", kpar = list(sigma = grid$sigma[k]),
      C = grid$C[k], ...
    )
  }
  wrong <- vapply(seq_len(nrow(grid)), function(k) {
    kernlab::cross(fit(k, cross = 10))
  }, numeric(1))
  fit(which.min(wrong))
}

# Tables ----------------------------------------------------------------------

# Means over replications, by the columns `by` and method
kg08_means <- function(rows, by = character()) {
  group_means(
    rows, c(by, "method"),
    c("error", "log_evidence", "epsilon", "nugget", "log_score", "found")
  )
}

# Values of each method less those of gpc in the same replication. The claim is that
# no robust or selected one errs more than gpc by more than the standard error.
kg08_paired <- function(rows, by = character()) {
  key <- function(rows) do.call(paste, rows[c(by, "seed")])
  gpc <- rows[rows$method == "gpc", ]
  others <- rows[rows$method != "gpc", ]
  at <- match(key(others), key(gpc))
  for (column in c("error", "log_evidence")) {
    others[[column]] <- others[[column]] - gpc[[column]][at]
  }
  table <- group_means(others, c(by, "method"), c("error", "log_evidence"))
  table$never_worse <- table$error <= table$error_se
  table
}
