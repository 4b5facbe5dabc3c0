# Fits to several readers against enumeration, and what they answer.

quiet <- ep_control(progress = FALSE)

test_that("EP with several reports a row is near enumeration of the true classes", {
  # three rows: probabilities of the signs of three normals have a closed form
  x <- c(-0.3, 0.4, 1)
  reports <- new_reports(
    3, 2, c(1, 1, 2, 2, 2, 3), c(1, 2, 1, 2, 3, 3), c(1, 1, 2, 1, 2, 2), c("a", "b", "c"), TRUE
  )
  omega <- rates_omega(rbind(c(0.1, 0.2), c(0.3, 0.6), c(0.25, 0.05)), 2)
  kernel <- kernel_iso(1, fixed = TRUE)
  fit <- gpc(matrix(x), c(0, 1, 1), kernel = kernel, epsilon = 0.1)
  X <- fit$data$X[, 1]
  K <- 1 * exp(-outer(X, X, `-`)^2 / 2) + fit$kernel$bias + diag(fit$kernel$nugget, 3)
  rho <- stats::cov2cor(K)
  signs <- as.matrix(expand.grid(1:2, 1:2, 1:2))
  prior <- apply(2 * signs - 3, 1, function(s) {
    1 / 8 + (s[1] * s[2] * asin(rho[1, 2]) + s[1] * s[3] * asin(rho[1, 3]) +
      s[2] * s[3] * asin(rho[2, 3])) / (4 * pi)
  })
  L <- report_likelihood(reports, omega)
  joint <- prior * apply(signs, 1, function(t) prod(L[cbind(1:3, t)]))
  exact <- vapply(1:3, function(i) sum(joint[signs[, i] == 2]) / sum(joint), 0)
  latent <- model_latent(fit)
  latent$reports <- reports
  out <- latent_ep(latent, latent$hyper, Inf, L, NULL, quiet)
  p <- truth_posterior(L, out$seen)[, 2]
  expect_equal(out$log_evidence, log(sum(joint)), tolerance = 0.01)
  expect_lt(max(abs(p - exact)), 0.01)
})

test_that("gradients of readers' rates are those of differences, also above one half", {
  t <- reader_table(n = 30)
  fit <- suppressMessages(gpc(readers(a, b, c) ~ x1 + x2, t$d, control = quiet))
  latent <- model_latent(fit)
  noise <- noise_model("average", fit$spec$noise, latent$reports)
  for (model in c("one", "two", "second")) {
    problem <- average_problem(latent, noise_of(model, noise), fit$spec)
    problem$search_control$tol <- 1e-10
    at <- function(z) learn_evaluation(problem, z, learn_ep_at(problem, z, NULL))
    z <- withr::with_seed(3, stats::rnorm(length(problem$field), sd = 0.6))
    z[problem$field == "epsilon"][1] <- 2.3
    expect_gt(max(1 - problem$omega(z)[1, 2, 2], 1 - problem$omega(z)[1, 1, 1]), 0.5)
    numeric <- vapply(seq_along(z), function(j) {
      h <- replace(0 * z, j, 1e-4)
      (at(z + h)$penalised - at(z - h)$penalised) / 2e-4
    }, 0)
    expect_equal(at(z)$gradient, numeric, tolerance = 1e-5)
  }
})

test_that("the number of wrong labels has the distribution of enumeration", {
  reports <- new_reports(3, 2, c(1, 1, 2, 3, 3, 3), c(1, 2, 1, 1, 2, 3), c(1, 2, 2, 1, 1, 2), letters[1:3], TRUE)
  p <- array(c(0.2, 0.7, 0.9, 0.8, 0.3, 0.1, 0.6, 0.5, 0.05, 0.4, 0.5, 0.95), c(3, 2, 2))
  weight <- c(0.3, 0.7)
  grid <- as.matrix(expand.grid(1:2, 1:2, 1:2))
  wrong <- apply(grid, 1, function(t) sum(reports$value != t[reports$row]))
  exact <- numeric(7)
  for (k in 1:2) {
    share <- apply(grid, 1, function(t) prod(p[cbind(1:3, t, k)]))
    exact <- exact + weight[k] * vapply(0:6, function(w) sum(share[wrong == w]), 0)
  }
  found <- reports_mixture(list(p = p, weight = weight), reports)
  expect_equal(c(found, numeric(7 - length(found))), exact, tolerance = 1e-12)
})

# Posterior of rates and true classes of rows of two classes given scores P: t draws around the mode of
# the coordinates of slopes, weight, unusual rows and rates (1.25 Beta(1, 4), cut off at 1, those of readers correlated by
# 0.2), weighted by likelihood and prior
plain_two_readers <- function(P, reports, draws = 15000, seed = 1) {
  readers <- length(reports$sources)
  root <- t(chol(0.8 * diag(readers) + 0.2))
  rates <- function(Z) { # a row a reader
    1.25 * qbeta(pnorm(root %*% Z) * pbeta(0.8, 1, 4), 1, 4)
  }
  votes <- lapply(1:2, function(v) { # n x readers
    own <- reports$value == v
    table(factor(reports$row, seq_len(nrow(P))), factor(reports$source * own, seq_len(readers)))
  })
  at <- function(Z) {
    n <- nrow(P)
    e <- rates(Z[6:(5 + readers), , drop = FALSE]) # of the first class
    f <- rates(Z[-(1:(5 + readers)), , drop = FALSE])
    L <- list(
      exp(votes[[1]] %*% log1p(-e) + votes[[2]] %*% log(e)),
      exp(votes[[1]] %*% log(f) + votes[[2]] %*% log1p(-f))
    )
    b <- matrix(exp(0.3 + 0.7 * rep(Z[2, ], each = 2) + 0.4 * Z[3:4, ]), 2)
    odds <- rep(Z[1, ], each = n) + log(P[, 2]) %*% b[2, , drop = FALSE] - log(P[, 1]) %*% b[1, , drop = FALSE]
    u <- rep(qbeta(pnorm(Z[5, ]), 1, 100), each = n)
    event <- (1 - u) * plogis(odds) + u / 2
    joint <- list(L[[1]] * (1 - event), L[[2]] * event)
    z <- joint[[1]] + joint[[2]]
    list(value = colSums(log(z)) - colSums(Z^2) / 2, event = joint[[2]] / z, e = e, f = f)
  }
  d <- 5 + 2 * readers
  minus <- function(z) -at(matrix(z))$value
  mode <- optim(numeric(d), minus, method = "BFGS", control = list(reltol = 1e-9))$par
  A <- solve(chol(optimHess(mode, minus)))
  g <- withr::with_seed(seed, matrix(rnorm(draws * d), d) / rep(sqrt(rchisq(draws, 7) / 7), each = d))
  said <- at(mode + 1.15 * A %*% g)
  ratio <- said$value + (7 + d) / 2 * log1p(colSums(g^2) / 7)
  w <- exp(ratio - max(ratio))
  w <- w / sum(w)
  list(right = 1 - cbind(said$e %*% w, said$f %*% w), event = drop(said$event %*% w), ess = 1 / sum(w^2))
}

test_that("rates of readers and true classes are those of the label stage by another integral", {
  local_many_points()
  t <- reader_table(2, n = 30, right = list(a = c(0.9, 0.7), b = c(0.6, 0.9), c = c(0.3, 0.8)))
  fit <- suppressMessages(gpc(readers(a, b, c) ~ x1 + x2, t$d, control = quiet, kernel = held()))
  stage <- judged_by(fit)
  exact <- plain_two_readers(stage$data$X, stage$data$reports)
  expect_gt(exact$ess, 500)
  found <- matrix(reader_rates(fit)$right, 3, byrow = TRUE)
  # both are of many draws; the spread of a rate is 0.05 to 0.1
  expect_lt(max(abs(found - exact$right)), 0.015)
  p <- predict(fit, type = "true")[stage$data$row_names, 2]
  expect_lt(max(abs(p - exact$event)), 0.02)
})

test_that("a fit to readers answers, or refuses by name", {
  t <- reader_table()
  suppressMessages(fit <- gpc(
    readers(a, b, c) ~ x1 + x2, t$d, control = quiet, kernel = kernel_iso(), hyper = "integrate"
  ))
  p <- predict(fit, type = "true")
  expect_equal(dim(p), c(60L, 2L))
  expect_gt(mean(max.col(p) == t$truth), 0.8)
  expect_snapshot(fit)
  rates <- reader_rates(fit)
  expect_equal(rates$reader, rep(c("a", "b", "c"), each = 2))
  expect_equal(rates$labels, rep(unname(colSums(!is.na(t$d[c("a", "b", "c")]))), each = 2))
  expect_equal(1 - rates$right, flip_rates(fit)$rate)
  expect_equal(rates$wrong, flip_rates(fit)$wrong)
  expect_true(all(rates$lower < rates$right & rates$right < rates$upper))
  suspects <- mislabelled(fit)
  labels <- sum(!is.na(t$d[c("a", "b", "c")]))
  expect_equal(fit$nodes$models$model, "two") # "none" can't be, and one rate is not among them
  expect_equal(nrow(suspects), labels)
  expect_equal(sum(suspects$probability), sum(rates$wrong), tolerance = 1e-8)
  expect_equal(attr(suspects, "expected")$count, sum(rates$wrong), tolerance = 1e-3)
  # a label is wrong as often as its row is of another class
  one <- suspects[1, ]
  row <- match(as.character(one$row), rownames(p))
  expect_equal(one$probability, unname(1 - p[row, as.character(one$label)]), tolerance = 1e-10)
  expect_equal(sum(matrix_counts(judged_by(fit))), labels)
  for (verb in list(
    confusion, review, row_brier, calibration, residuals, simulate, augment,
    function(fit) label_report(fit, tempfile()), function(fit) absorb(fit, t$d[1:2, ]),
    function(fit) mislabelled(fit, newdata = t$d), function(fit) plot(mislabelled(fit)), function(fit) true_performance(fit, fitted(fit))
  )) {
    expect_error(verb(fit), class = "sturdy_error_readers")
  }
  expect_s3_class(summary(fit), "summary.sturdy_model")
  expect_true(is.finite(loo(fit)$estimates[1, 1]))
  expect_no_error(capture.output(print(summary(fit)), print(rates), print(suspects), print(noise_test(fit))))
  expect_error(reader_rates(toy_fit()), class = "sturdy_error_readers")
})

test_that("kappa is Cohen's", {
  y <- readers(a = c(0, 0, 1, 1, 1, 0, NA), b = c(0, 1, 1, 1, 0, 0, 1))
  said <- mold_readers(y, "y")$said
  found <- reader_agreement(
    new_reports(7, 2, said$row, said$source, said$value, said$sources, readers = TRUE)
  )
  expect_equal(found$rows, 6)
  expect_equal(found$agree, 4 / 6)
  expect_equal(found$kappa, (4 / 6 - 0.5) / 0.5)
  # of readers who say 1 of 1 and of 3 of 4 rows
  apart <- new_reports(4, 2, rep(1:4, 2), rep(1:2, each = 4), c(2, 1, 1, 1, 2, 2, 2, 1), c("a", "b"), readers = TRUE)
  chance <- 1 / 4 * 3 / 4 + 3 / 4 * 1 / 4
  expect_equal(reader_agreement(apart)$kappa, (1 / 2 - chance) / (1 - chance))
})

test_that("a row that was looked up is known, and its readers' labels stay", {
  t <- reader_table()
  suppressMessages({
    fit <- gpc(readers(a, b, c) ~ x1 + x2, t$d, epsilon = 0.2, kernel = kernel_iso(1.5, fixed = TRUE))
    checked <- update(fit, checked = data.frame(row = c(2, 5), label = c("no", "yes")))
    again <- update(checked, checked = data.frame(row = 5, label = "no"))
  })
  expect_equal(unname(predict(checked, type = "true")[c("2", "5"), 2]), c(0, 1))
  expect_equal(unname(predict(again, type = "true")[c("2", "5"), 2]), c(0, 0))
  expect_equal(sum(again$data$reports$source > 0), sum(fit$data$reports$source > 0))
  expect_equal(sum(again$data$reports$source == 0), 2)
})

test_that("rates that leave a row no class are refused, and so are shards and filtering", {
  t <- reader_table()
  refused <- function(...) expect_error(suppressMessages(...), class = "sturdy_error_readers")
  refused(gpc(readers(a, b) ~ x1, t$d, epsilon = 0))
  three <- iris[c(1:5, 51:55, 101:105), ]
  refused(gpc(readers(Species, rev(Species)) ~ Sepal.Length, three, noise = noise_prior(study = diag(3) * 5)))
  refused(gpc(readers(a, b) ~ x1, shards(t$d, n = 2), inducing = 10))
  expect_error(
    suppressMessages(bpm(readers(a, b) ~ x1, t$d, inference = "adf", epsilon = 0.1)), "readers",
    class = "sturdy_error"
  )
})

test_that("readers of several classes have a matrix each", {
  d <- iris[c(1:30, 51:80, 101:130), ]
  truth <- as.integer(d$Species)
  withr::with_seed(4, {
    d$u <- ifelse(stats::runif(90) < 0.9, truth, 1 + truth %% 3)
    d$v <- ifelse(truth == 2 & stats::runif(90) < 0.7, 3, truth)
    d$w <- ifelse(stats::runif(90) < 0.6, truth, sample(3, 90, TRUE))
  })
  f <- readers(factor(u), factor(v), factor(w)) ~ Sepal.Length + Petal.Length
  fit <- gpc(f, d, control = quiet, kernel = kernel_iso())
  p <- predict(fit, type = "true")
  expect_gt(mean(max.col(p) == truth), 0.9)
  rates <- reader_rates(fit)
  v <- rates[rates$reader == "factor(v)", ]
  expect_lt(v$right[2], 0.5)
  expect_gt(min(v$right[-2]), 0.8)
})

test_that("what is called wrong of readers is labels, not rows", {
  t <- reader_table(n = 30)
  fit <- suppressMessages(gpc(readers(a, b, c) ~ x1 + x2, t$d, control = quiet))
  expect_message(
    found <- mislabelled(fit, fdr = 0.9, given = "some"), "of the [0-9]+ labels called wrong are",
    class = "sturdy_message_likely_right"
  )
  expect_match(printed(found), "[0-9] labels at a false-discovery rate of 0.9")
  expect_match(printed(found), "less suspicious labels not shown")
})

# The same of several classes by Metropolis' walk over all coordinates, with the pairs of classes that
# look alike and where the errors of each reader go
plain_walk_readers <- function(P, reports, draws = 40000, burn = 15000) {
  classes <- ncol(P)
  readers <- length(reports$sources)
  size <- c(
    w = classes - 1, slope = 1, slopes = classes, u = 1, pairs = classes * (classes - 1) / 2,
    rate = readers * classes, where = readers * classes * (classes - 1)
  )
  field <- rep(names(size), size)
  root <- t(chol(0.8 * diag(readers) + 0.2))
  omega_of <- function(z) {
    e <- qbeta(pnorm(root %*% matrix(z[field == "rate"], readers)) * pbeta(0.7, 1, 4), 1, 4)
    to <- exp(2.5 * matrix(z[field == "where"], classes - 1))
    to <- to / rep(colSums(to), each = classes - 1)
    omega <- array(0, c(readers, classes, classes))
    for (r in seq_len(readers)) for (t in seq_len(classes)) {
      omega[r, t, t] <- 1 - e[r, t]
      omega[r, t, -t] <- e[r, t] * to[, (t - 1) * readers + r]
    }
    omega
  }
  at <- function(z) {
    omega <- omega_of(z)
    L <- matrix(1, nrow(P), classes)
    for (t in seq_len(classes)) {
      each <- rowsum(log(omega[cbind(reports$source, t, reports$value)]), reports$row)
      L[as.integer(rownames(each)), t] <- exp(each)
    }
    point <- plain_label_point(z, field, "none", "fit", classes)
    said <- plain_label_rows(point, P, rep(1, nrow(P)), L)
    list(value = sum(log(said$z)) - sum(z^2) / 2, omega = omega, truth = said$truth)
  }
  d <- length(field)
  z <- numeric(d)
  now <- at(z)
  S <- diag(0.2, d)
  kept <- matrix(0, burn, d)
  omega <- truth <- 0
  for (k in seq_len(burn + draws)) {
    tried <- z + drop(S %*% rnorm(d)) * sample(c(0.1, 1), 1, prob = c(0.3, 0.7))
    new <- at(tried)
    if (isTRUE(log(runif(1)) < new$value - now$value)) {
      z <- tried
      now <- new
    }
    if (k <= burn) {
      kept[k, ] <- z
      if (k %% 500 == 0 && k >= 1000) S <- t(chol(cov(kept[(k / 2):k, ]) + diag(1e-3, d))) * 2.2 / sqrt(d)
    } else {
      omega <- omega + now$omega / draws
      truth <- truth + now$truth / draws
    }
  }
  list(omega = omega, truth = truth)
}

extended_test("matrices of readers and true classes of several are those of a long walk", {
  d <- iris[c(1:30, 51:80, 101:130), ]
  truth <- as.integer(d$Species)
  withr::with_seed(4, {
    d$u <- factor(ifelse(stats::runif(90) < 0.9, truth, 1 + truth %% 3))
    d$v <- factor(ifelse(truth == 2 & stats::runif(90) < 0.5, 3, truth))
  })
  fit <- gpc(readers(u, v) ~ Sepal.Length + Petal.Length, d, control = quiet, kernel = kernel_iso(), hyper = "integrate")
  stage <- judged_by(fit)
  exact <- withr::with_seed(1, plain_walk_readers(stage$data$X, stage$data$reports))
  for (r in 1:2) {
    found <- noise_matrix(fit, reader = c("u", "v")[r], level = NULL)
    # a rate's spread is 0.05, of which a walk and 128 points leave a third
    expect_lt(max(abs(found - exact$omega[r, , ])), 0.035)
  }
  p <- predict(fit, type = "true")[stage$data$row_names, ]
  expect_lt(sqrt(mean((p - exact$truth)^2)), 0.01)
})

test_that("a reader who always says the same is found out, and what others say decides", {
  t <- reader_table(1, n = 120, right = list(a = c(1, 0), b = c(0.7, 0.65), c = c(0.75, 0.7)), cover = 2)
  expect_message(
    fit <- gpc(readers(a, b, c) ~ x1 + x2, t$d, control = quiet, hyper = "optimum"),
    "a.*gave one answer alone", class = "sturdy_message_constant_readers"
  )
  event <- predict(fit, type = "true")[, 2]
  expect_gt(mean((event > 0.5) == (t$truth == 2)), 0.9) # .52 from starts that hold all readers alike
  rates <- reader_rates(fit)
  expect_identical(c(rates$upper[1], rates$lower[2]), c(1, 0))
})

test_that("a class that readers report and no row is of is named", {
  reports <- new_reports(3, 2, 1:3, c(1, 1, 2), c(1, 1, 2), c("a", "b"), readers = TRUE)
  p <- cbind(c(0.9, 0.9, 0.5), c(0.1, 0.1, 0.5))
  expect_message(
    inform_readers(reports, c("no", "yes"), p), "report \"yes\".*gold",
    class = "sturdy_message_unexpected_class"
  )
  expect_silent(inform_readers(reports, c("no", "yes"), p[, 2:1][c(1, 3, 3), ]))
})

test_that("one label a row is one label", {
  one <- list(data = list(reports = new_reports(2, 2, 1:2, c(1, 1), 1:2, "a", TRUE)))
  expect_identical(describe_known(one), "1 reader, 1 label a row")
})
