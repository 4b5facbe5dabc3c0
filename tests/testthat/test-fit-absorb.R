test_that("rows absorbed after an EP fit move its posterior as one ADF pass does", {
  d <- linear_data()
  for (df in c(5, Inf)) {
    fit <- bpm(class ~ ., d[1:80, ], df = df, nugget = 0, epsilon = 0.05)
    after <- absorb(fit, d[81:120, ])
    Xt <- bpm_design(forge(fit$blueprint, d[81:120, ])$X, fit$prior)
    mu <- coef(fit, "weights")
    S <- exp(fit$weights$log_scale) * fit$weights$C
    log_zp <- 0
    for (i in 1:40) {
      y <- if (d$class[80 + i] == "yes") 1 else -1
      step <- ref_adf(mu, S, Xt[, i], y, df, 0.05)
      mu <- step$mu
      S <- step$S
      log_zp <- log_zp + step$log_Zp
    }
    size <- length(mu) / sum(mu^2 + diag(S)) # all prior scales are 1
    expect_close(coef(after, "weights"), sqrt(size) * mu, 1e-9)
    covariance <- vcov(after, "weights") * if (df == 5) 3 / 5 else 1
    expect_close(covariance, size * S, 1e-9, floor = 0.1)
    expect_close(log_evidence(after), log_evidence(fit) + log_zp, 1e-10)
    expect_equal(nobs(after), 120)
    expect_equal(after$filter$rows, 40)
    expect_s3_class(after, c("bpm_filtered", "bpm", "sturdy_model"), exact = TRUE)
    expect_null(after[["ep"]])
    expect_null(after[["data"]])
    expect_match(printed(after), "40 of 120 rows absorbed")
    expect_identical(after$blueprint, fit$blueprint)
  }
})

test_that("labels come from the formula or from y, in any form of the classes", {
  d <- toy()
  fit <- bpm(class ~ a + b, d[1:20, ], epsilon = 0.05)
  wanted <- absorb(fit, d[21:40, ])$weights
  turned <- d[21:40, ]
  turned$class <- factor(turned$class, levels = c("yes", "no", "never"))
  expect_identical(absorb(fit, turned)$weights, wanted)
  X <- as.matrix(d[c("a", "b")])
  xy <- bpm(X[1:20, ], d$class[1:20] == "yes", epsilon = 0.05)
  expect_identical(absorb(xy, X[21:40, ], d$class[21:40] == "yes")$weights, wanted)
  one <- absorb(fit, d[21, ])
  expect_equal(nobs(one), 21)
  expect_identical(absorb(fit, d[0, ])$weights, fit$weights)
})

test_that("bad rows are refused and the fit is as before", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05)
  expect_error(absorb(fit, d["a"]), class = "sturdy_error_missing_column")
  expect_error(absorb(fit, d[c("a", "b")]), class = "sturdy_error_missing_column")
  expect_error(absorb(fit, transform(d, a = "1")), class = "sturdy_error_column_type")
  expect_error(absorb(fit, d, d$class), class = "sturdy_error_unknown_argument")
  expect_error(absorb(fit, d, epsilon = 0.1), class = "sturdy_error_unknown_argument")
  expect_error(absorb(fit, 1:3), class = "sturdy_error_type")
  other <- transform(d, class = ifelse(a > 1, "maybe", "yes"))
  cnd <- expect_error(absorb(fit, other), class = "sturdy_error_novel_levels")
  expect_s3_class(cnd, "sturdy_error_outcome_levels")
  expect_equal(cnd$rows, which(d$a > 1))
  expect_snapshot(said(absorb(fit, other)))
  d$a[3] <- Inf
  expect_error(absorb(fit, d), class = "sturdy_error_not_finite")
})

test_that("rows with missing values go where na.action sends them", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05)
  new <- d[1:6, ]
  new$a[2] <- NA
  new$class[5] <- NA
  complete <- absorb(fit, d[c(1, 3, 4, 6), ])
  expect_identical(suppressMessages(absorb(fit, new))$weights, complete$weights)
  cnd <- expect_message(after <- absorb(fit, new), class = "sturdy_message_rows_left_out")
  expect_equal(cnd$rows, 2)
  expect_equal(cnd$columns, c(a = 1, class = 1))
  expect_equal(nobs(after), 44)
  expect_message(absorb(toy_fit(), new), class = "sturdy_message_rows_left_out")
  expect_error(
    absorb(fit, new, na.action = na.fail), class = "sturdy_error_missing"
  )
  cnd <- expect_error(
    absorb(fit, new, na.action = na.pass), class = "sturdy_error_missing"
  )
  expect_equal(cnd$rows, c(2, 5))
})

test_that("a filtered fit needs the data to be fitted again, one by EP does not", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05)
  filtered <- absorb(fit, d[1:5, ])
  for (ask in expression(
    update(filtered), update(filtered, epsilon = 0.1), update(filtered, . ~ a)
  )) {
    expect_error(eval(ask), class = "sturdy_error_missing_argument")
  }
  expect_snapshot(said(update(filtered, epsilon = 0.1)))
  direct <- bpm(class ~ a + b, d, epsilon = 0.1)
  expect_identical(update(fit, epsilon = 0.1)$weights, direct$weights)
  expect_identical(update(filtered, data = d, epsilon = 0.1)$weights, direct$weights)
  smaller <- update(fit, . ~ . - b)
  expect_equal(names(coef(smaller)), c("(Intercept)", "a"))
  expect_s3_class(update(fit, inference = "adf"), "bpm_filtered")
  expect_identical(update(filtered, data = d)$weights, fit$weights)
  expect_error(
    update(fit, data = d, epsilom = 1), class = "sturdy_error_unknown_argument"
  )
  xy <- bpm(d[c("a", "b")], d$class, epsilon = 0.05)
  expect_error(update(xy, data = d), class = "sturdy_error_no_formula")
  expect_error(absorb(xy, d[c("a", "b")]), class = "sturdy_error_missing_argument")
  expect_error(
    absorb(xy, d[c("a", "b")], d$class[-1]), class = "sturdy_error_length"
  )
})

test_that("a gpc() takes in rows at its hyperparameters, as if it had had them", {
  d <- toy(40)
  for (df in c(5, Inf)) {
    scaled <- kernel_iso(1.5, fixed = TRUE)
    part <- stc(class ~ a + b, d[1:30, ], df = df, kernel = scaled, epsilon = 0.05, scale = FALSE)
    all <- stc(class ~ a + b, d, df = df, kernel = scaled, epsilon = 0.05, scale = FALSE)
    grown <- absorb(part, d[31:40, ])
    expect_equal(grown$ep$m, all$ep$m, tolerance = 1e-7)
    expect_equal(log_evidence(grown), log_evidence(all), tolerance = 1e-8)
    expect_equal(grown$data$rows, 1:40)
    expect_equal(mislabelled(grown)$probability, mislabelled(all)$probability, tolerance = 1e-6)
  }
  # rows left out are not counted twice
  d$a[c(2, 35)] <- NA
  part <- gpc(class ~ a + b, d[1:30, ], kernel = held(), epsilon = 0.05, na.action = na.exclude)
  grown <- absorb(part, d[31:40, ])
  expect_equal(nobs(grown), 38)
  expect_equal(grown$data$rows, c(1, 3:30, 31:34, 36:40))
  expect_identical(absorb(part, d[0, ]), part)
})

test_that("what can't be taken in is refused, and nothing changes nothing", {
  d <- cbind(toy(), f = factor(rep(c("u", "v"), 20)))
  fit <- gpc(class ~ a + f, d, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.05)
  expect_error(
    absorb(fit, transform(d[1:2, ], f = c("new", "newer"))),
    class = "sturdy_error_novel_levels"
  )
  expect_error(absorb(fit), class = "sturdy_error_missing_argument")
  linear <- bpm(class ~ a + f, d, epsilon = 0.05)
  expect_error(
    absorb(linear, transform(d[1, ], f = "new")), class = "sturdy_error_novel_levels"
  )
  expect_identical(absorb(linear, d[0, ]), linear)
})

test_that("labels for new rows in a table or a matrix of another size are refused", {
  d <- data.frame(u = c(-1, 0, 1, 2), v = c(1, 0, 1, 0))
  fit <- gpc(d, c("a", "b", "a", "b"), kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.1)
  expect_error(absorb(fit, d[1:3, ], table(1:2)), class = "sturdy_error_length")
  expect_error(absorb(fit, d[1:3, ], matrix(0, 2, 2)), class = "sturdy_error_outcome_type")
  expect_equal(nobs(absorb(fit, d[1:2, ], array(c("a", "b")))), 6)
})

test_that("an average none of whose nodes has a fixed point with the new rows says so", {
  d <- toy()
  fit <- gpc(
    class ~ a + b, d, kernel = kernel_iso(1, fixed = TRUE), epsilon = "average",
    hyper = "integrate"
  )
  fit$spec$control$max_sweeps <- 1L
  fit$spec$control$tol <- 1e-14
  expect_error(
    suppressWarnings(absorb(fit, toy(10))), class = "sturdy_error_no_posterior"
  )
})

test_that("nodes are weighed by what their evidence has changed by, also where none has any left", {
  nodes <- list(
    table = data.frame(model = "two", weight = c(0.25, 0.75), log_evidence = c(-100, -99)),
    models = data.frame(model = "two", prior = 1, log_evidence = -99.5, probability = 1),
    hyper = list(1, 2), omega = list(1, 2)
  )
  out <- list(list(sites = list(tau = 1), b = 1), list(sites = list(tau = 2), b = 2))
  after <- nodes_at_evidence(nodes, c(-102, -104))
  left <- c(0.25 * exp(-2), 0.75 * exp(-5))
  expect_equal(after$models$log_evidence, -99.5 + log(sum(left)))
  expect_equal(after$table$weight, left / sum(left))
  expect_equal(after$table$log_evidence, c(-102, -104))
  # one without a fixed point goes, and the other has all of the weight
  lost <- nodes_at_evidence(nodes, c(-Inf, -99))
  expect_equal(lost$models$log_evidence, -99.5 + log(0.75))
  one <- nodes_kept_of(lost, lost$table$log_evidence > -Inf, out)
  expect_equal(one$table$weight, 1)
  expect_equal(one$hyper, list(2))
  expect_equal(one$omega, list(2))
  expect_equal(c(one$tau, one$b), c(2, 2))
  # of those that are left none may have had any weight
  rare <- nodes
  rare$table$weight <- c(0, 1)
  only <- nodes_kept_of(nodes_at_evidence(rare, c(-100, -Inf)), c(TRUE, FALSE), out)
  expect_equal(only$table$weight, 1)
  expect_equal(only$models$log_evidence, -Inf)
})

few_rows <- function(seed) {
  withr::local_seed(seed)
  X <- matrix(rnorm(100), 50)
  f <- X[, 1] + sin(2 * X[, 2])
  list(X = X, y = (f > 0) != (runif(50) < 0.1))
}
absorb_last <- function(d, ..., hyper) {
  kernel <- kernel_iso(..., bias = 0.1, fixed = TRUE)
  fit <- suppressWarnings(
    gpc(d$X[1:40, ], d$y[1:40], kernel = kernel, epsilon = "average", hyper = hyper)
  )
  list(before = fit, after = suppressWarnings(absorb(fit, d$X[41:50, ], d$y[41:50])))
}

# EP of all rows at a node, from a cold start
at_node <- function(fit, k) {
  latent <- model_latent(fit)
  latent_ep(latent, fit$nodes$hyper[[k]], Inf, row_likelihood(fit, k), NULL, fit$spec$control)
}

test_that("a node without a fixed point on the new rows leaves the average", {
  both <- absorb_last(few_rows(8), 1, variance = 100, nugget = 1e-6, hyper = "integrate")
  before <- both$before
  after <- both$after
  rates <- function(fit) vapply(fit$nodes$omega, function(o) paste(o[1, 1, 1], o[1, 2, 2]), "")
  lost <- which(!rates(before) %in% rates(after))
  expect_length(lost, 2)
  before$data <- after$data
  expect_true(all(vapply(lost, function(k) !ep_converged(at_node(before, k)), NA)))
  expect_equal(sum(after$nodes$table$weight), 1)
  expect_equal(dim(after$nodes$seen), c(50, 2, length(after$nodes$omega)))
  expect_no_error(printed(summary(after)))
  expect_equal(nrow(mislabelled(after)), 50)
})

test_that("nodes have the evidence of fits to all rows at their rates", {
  d <- few_rows(3)
  both <- absorb_last(d, 1, nugget = 0.3, hyper = "integrate")
  after <- both$after
  for (k in c(1, 10, 20)) {
    omega <- after$nodes$omega[[k]]
    direct <- gpc(
      d$X, d$y, kernel = after$kernel, epsilon = c(neg = omega[1, 1, 2], pos = omega[1, 2, 1])
    )
    direct$data$X <- after$data$X # scaled by the first rows
    direct$ep <- refit_ep(direct, final = TRUE)
    expect_equal(
      after$nodes$table$log_evidence[k], gaussian_evidence(direct, second = TRUE), tolerance = 1e-6
    )
  }
  change <- after$nodes$table$log_evidence - both$before$nodes$table$log_evidence
  weight <- both$before$nodes$table$weight * exp(change)
  expect_equal(after$nodes$table$weight, weight / sum(weight), tolerance = 1e-10)
})

test_that("a node that a cold start would lose on the new rows is followed there", {
  d <- few_rows(6)
  both <- absorb_last(d, 3, variance = 1000, nugget = 1e-6, hyper = "optimum")
  expect_equal(nrow(both$after$nodes$table), 1)
  expect_false(ep_converged(at_node(both$after, 1)))
  expect_equal(both$after$nodes$table$log_evidence, log_evidence(both$after), tolerance = 0.02)
})
