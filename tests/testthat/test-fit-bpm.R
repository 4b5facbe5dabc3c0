test_that("formula, data frame and matrix give the same fit", {
  d <- toy()
  by_formula <- bpm(class ~ a + b, d, epsilon = 0.05)
  by_frame <- bpm(d[c("a", "b")], d$class, epsilon = 0.05)
  by_matrix <- bpm(as.matrix(d[c("a", "b")]), d$class, epsilon = 0.05)
  expect_s3_class(by_formula, c("bpm", "sturdy_model"), exact = TRUE)
  expect_identical(by_frame$weights, by_formula$weights)
  expect_identical(by_matrix$weights, by_formula$weights)
  expect_equal(by_formula$ep$status, "converged")
  expect_equal(names(coef(by_formula)), c("(Intercept)", "a", "b"))
})

test_that("a filtered model keeps no rows; both kinds survive saveRDS()", {
  fit <- bpm(class ~ ., toy(400), epsilon = 0.05)
  filtered <- absorb(fit, toy())
  sizes <- vapply(rapply(unclass(filtered), length, how = "unlist"), identity, 1)
  expect_lt(max(sizes), 40)
  file <- withr::local_tempfile(fileext = ".rds")
  for (model in list(fit, filtered)) {
    saveRDS(model, file)
    back <- readRDS(file)
    expect_identical(predict(back, toy(), "prob"), predict(model, toy(), "prob"))
    expect_identical(absorb(back, toy())$weights, absorb(model, toy())$weights)
  }
})

test_that("factors have an indicator a level, all levels alike", {
  d <- linear_data()
  fit <- bpm(class ~ ., d, epsilon = 0.05)
  expect_equal(fit$prior$weights, c("(Intercept)", "a", "b", "fu", "fv", "fw"))
  molded <- mold(class ~ ., d)
  Xt <- bpm_design(molded$data$X, fit$prior)
  expect_equal(dim(Xt), c(6L, 120L))
  expect_identical(Xt[1, ], rep(1, 120))
  expect_identical(Xt[4, ], as.numeric(d$f == "u"))
  expect_identical(colSums(Xt[4:6, ]), rep(1, 120))
  expect_equal(Xt[2, ], (d$a - mean(d$a)) / sd(d$a))
  turned <- transform(d, f = factor(f, levels = c("w", "u", "v")))
  other <- bpm(class ~ ., turned, epsilon = 0.05)
  weights <- coef(fit, "weights")
  expect_equal(coef(other, "weights")[names(weights)], weights, tolerance = 1e-6)
  mixed <- bpm(y ~ ., mixed(), epsilon = 0.1)
  expect_equal(
    mixed$prior$weights,
    c("(Intercept)", "u", "v", "fa", "fb", "fc", "sp", "sq", "lFALSE", "lTRUE")
  )
})

test_that("prior scales are given by number, position or name", {
  d <- toy()
  scales <- function(...) bpm(class ~ a + b, d, inference = "adf", ...)$prior$scale
  expect_equal(scales(), c("(Intercept)" = 1, a = 1, b = 1))
  expect_equal(unname(scales(prior_scale = 4)), c(1, 4, 4))
  expect_equal(unname(scales(prior_scale = 2:3)), c(1, 2, 3))
  expect_equal(
    scales(prior_scale = c(b = 3, a = 2, "(Intercept)" = 9)),
    c("(Intercept)" = 9, a = 2, b = 3)
  )
  expect_equal(scales(prior_scale = 2, intercept = FALSE), c(a = 2, b = 2))
  expect_error(scales(prior_scale = 1:3), class = "sturdy_error_prior_scale")
  expect_error(scales(prior_scale = c(a = 1)), class = "sturdy_error_prior_scale")
  twice <- c(a = 1, b = 1, "(Intercept)" = 9, "(Intercept)" = 3)
  expect_error(scales(prior_scale = twice), class = "sturdy_error_prior_scale")
  # of an intercept that is not there
  named <- c(a = 2, b = 3, "(Intercept)" = 9)
  expect_error(scales(prior_scale = named, intercept = FALSE), "no column", class = "sturdy_error_prior_scale")
  expect_error(
    bpm(class ~ a + b - 1, d, inference = "adf", prior_scale = named), class = "sturdy_error_prior_scale"
  )
  expect_error(scales(prior_scale = 0), class = "sturdy_error_hyperparameter")
  expect_error(scales(prior_scale = NA_real_), class = "sturdy_error_hyperparameter")
  expect_error(scales(prior_scale = "wide"), class = "sturdy_error_type")
})

test_that("only the ratios of prior scales matter", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.1, nugget = 0.3)
  tenfold <- bpm(
    nugget = 3,
    class ~ a + b, d, epsilon = 0.1,
    prior_scale = c("(Intercept)" = 10, a = 10, b = 10)
  )
  expect_equal(fitted(tenfold), fitted(fit), tolerance = 1e-7)
  expect_equal(log_evidence(tenfold), log_evidence(fit), tolerance = 1e-8)
  expect_equal(coef(tenfold), coef(fit), tolerance = 1e-6)
  expect_equal(coef(tenfold, "weights"), sqrt(10) * coef(fit, "weights"), tolerance = 1e-6)
})

test_that("an intercept can be left out by argument or by formula", {
  d <- toy()
  without <- bpm(class ~ a + b, d, inference = "adf", intercept = FALSE)
  expect_equal(names(coef(without, "weights")), c("a", "b"))
  expect_identical(
    bpm(class ~ a + b - 1, d, inference = "adf")$weights, without$weights
  )
  none <- bpm(class ~ 1, d, epsilon = 0.3)
  expect_equal(names(coef(none)), "(Intercept)")
  expect_error(bpm(class ~ 0, d, epsilon = 0.3), class = "sturdy_error_no_inputs")
})

test_that("swapping the classes turns the weights round", {
  d <- toy()
  fit <- bpm(class ~ a + b, d, epsilon = 0.05, df = 6)
  d$class <- factor(d$class, levels = c("yes", "no"))
  swapped <- bpm(class ~ a + b, d, epsilon = 0.05, df = 6)
  expect_equal(coef(swapped), -coef(fit), tolerance = 1e-6)
  expect_equal(log_evidence(swapped), log_evidence(fit), tolerance = 1e-8)
})

test_that("defaults follow inference and df", {
  d <- toy(20)
  expect_identical(bpm(class ~ a, d)$spec$epsilon, "average")
  expect_equal(bpm(class ~ a, d, inference = "adf")$epsilon, 0.01)
  expect_equal(bpm(class ~ a, d, epsilon = 0.1)$spec$criterion, "evidence")
  expect_equal(bpm(class ~ a, d, epsilon = 0.1, df = 9)$spec$criterion, "loo")
})

test_that("two flip rates are learned, held and absorbed", {
  d <- toy(60)
  fit <- bpm(class ~ a + b, d, epsilon = "learn2")
  expect_named(fit$epsilon, c("neg", "pos"))
  expect_equal(
    utils::tail(names(hyperparameters(fit)), 2), c("epsilon.neg", "epsilon.pos")
  )
  two <- bpm(class ~ a + b, d, epsilon = c(neg = 0.1, pos = 0.1))
  one <- bpm(class ~ a + b, d, epsilon = 0.1)
  expect_equal(two$weights, one$weights)
  expect_equal(absorb(two, d)$weights, absorb(one, d)$weights)
})

test_that("bad arguments are refused by name", {
  d <- toy(10)
  expect_error(bpm(class ~ a, d, epsilon = 0.5), class = "sturdy_error_epsilon")
  expect_error(bpm(class ~ a, d, df = 0), class = "sturdy_error_df")
  expect_error(bpm(class ~ a, d, df = "many"), class = "sturdy_error_type")
  expect_error(bpm(class ~ a, d, inference = "vb"), class = "sturdy_error_choice")
  expect_error(bpm(class ~ a, d, criterion = "aic"), class = "sturdy_error_choice")
  expect_error(bpm(class ~ a, d, intercept = 1), class = "sturdy_error_type")
  expect_error(bpm(class ~ a, d, control = list()), class = "sturdy_error_type")
  expect_error(bpm(class ~ a, d, epsilom = 0), class = "sturdy_error_unknown_argument")
  expect_error(bpm(d["a"]), class = "sturdy_error_missing_argument")
  expect_error(bpm(1:10, d$class), class = "sturdy_error_type")
  expect_error(bpm(d["a"], rep("yes", 10)), class = "sturdy_error_outcome_levels")
  d$a[2] <- NA
  expect_error(bpm(d["a"], d$class), class = "sturdy_error_missing")
  expect_error(
    bpm(class ~ a, d, na.action = na.fail), class = "sturdy_error_missing"
  )
  expect_equal(nobs(bpm(class ~ a, d, epsilon = 0.1)), 9)
})

test_that("nothing is learned by one pass", {
  d <- toy(10)
  expect_error(
    bpm(class ~ a, d, inference = "adf", epsilon = "learn"),
    class = "sturdy_error_epsilon"
  )
  expect_error(
    bpm(class ~ a, d, inference = "adf", prior_scale = "learn"),
    class = "sturdy_error_prior_scale"
  )
  expect_snapshot(said(bpm(class ~ a, d, inference = "adf", epsilon = "learn")))
})

test_that("one row, one class seen twice, constant and wide data work", {
  one <- bpm(matrix(1), 1, epsilon = 0.1)
  expect_equal(log_evidence(one), log(0.5))
  expect_message(
    none <- bpm(matrix(1, 6, 1), c(0, 1, 1, 1, 1, 1), epsilon = 0.1),
    class = "sturdy_message_constant_columns"
  )
  expect_gt(predict(none, matrix(7), type = "prob")[, 2], 0.5)
  wide <- withr::with_seed(1, matrix(rnorm(400), 8))
  fit <- bpm(wide, rep(0:1, 4))
  expect_length(coef(fit), 51)
  expect_true(is.finite(log_evidence(fit)))
  twice <- toy(20)[rep(1:20, 2), ]
  expect_true(all(is.finite(fitted(bpm(class ~ a + b, twice, epsilon = 0.1)))))
})

test_that("memory is asked for n x k, not n x n", {
  withr::local_options(sturdy.max_memory = 2^28)
  expect_error(gpc(class ~ a + b, toy(4000), inducing = NULL), class = "sturdy_error_memory")
  expect_silent(bpm(class ~ a + b, toy(4000), epsilon = 0.1))
  withr::local_options(sturdy.max_memory = 1000)
  expect_error(bpm(class ~ a, toy()), class = "sturdy_error_memory")
  expect_error(bpm(class ~ a, toy(), inference = "adf"), class = "sturdy_error_memory")
})

test_that("20,000 rows are fitted by EP in seconds", {
  X <- withr::with_seed(1, matrix(rnorm(2e4 * 10), ncol = 10))
  y <- drop(X %*% 10:1) > 0
  wrong <- withr::with_seed(2, sample(2e4, 2000))
  y[wrong] <- !y[wrong]
  time <- system.time(fit <- bpm(X, y, epsilon = 0.1))[["elapsed"]]
  expect_lt(time, 30)
  expect_equal(fit$ep$status, "converged")
  expect_gt(sum(coef(fit)[-1] * 10:1) / sqrt(sum(coef(fit)^2) * sum((1:10)^2)), 0.999)
})

test_that("a nugget is learned, and takes overlap for what it is", {
  withr::local_seed(5)
  n <- 600
  d <- data.frame(a = rnorm(n), b = rnorm(n))
  d$class <- factor(ifelse(runif(n) < pnorm(d$a - 0.5 * d$b), "yes", "no"))
  fit <- bpm(class ~ ., d[1:300, ], epsilon = "learn")
  expect_gt(fit$prior$nugget, 0.3)
  expect_lt(fit$epsilon, 0.03)
  expect_true(fit$prior$free_nugget)
  expect_named(hyperparameters(fit)[4], "nugget")
  glm <- stats::glm(class ~ ., stats::binomial("probit"), d[1:300, ])
  yes <- d$class[301:n] == "yes"
  loss <- function(p) -mean(log(ifelse(yes, p, 1 - p)))
  ours <- predict(fit, d[301:n, ], type = "response", noise = TRUE)
  theirs <- stats::predict(glm, d[301:n, ], type = "response")
  expect_lt(loss(ours), 1.02 * loss(theirs))
  expect_gt(loss(predict(update(fit, nugget = 0), d[301:n, ], type = "response", noise = TRUE)),
            loss(ours))
  # held, in the cavity of filtering, and refused where it can't be
  held <- bpm(class ~ ., d[1:300, ], nugget = 0.5, epsilon = 0.01)
  expect_identical(held$prior$nugget, 0.5)
  filtered <- bpm(class ~ ., d[1:300, ], nugget = 0.5, inference = "adf")
  expect_lt(loss(predict(filtered, d[301:n, ], type = "response")), 1.1 * loss(theirs))
  expect_error(
    bpm(class ~ ., d, nugget = "learn", inference = "adf"),
    class = "sturdy_error_hyperparameter"
  )
  expect_error(bpm(class ~ ., d, nugget = "some"), class = "sturdy_error_type")
  expect_error(bpm(class ~ ., d, nugget = -1), class = "sturdy_error_hyperparameter")
})

test_that("with a nugget EP is that of the kernel with one", {
  d <- linear_problem(80)
  for (df in c(8, Inf)) {
    fit <- bare_bpm(d, df, nugget = 0.3)
    K <- d$X %*% (d$s * t(d$X)) + diag(0.3, 80)
    dense <- ep_fit(K, d$y, df, 0.1, control = ep_control(tol = 1e-12))
    expect_equal(fit$ep$loo, dense$loo_pointwise, tolerance = 1e-7)
    expect_equal(fit$ep$log_evidence, dense$log_evidence, tolerance = 1e-8)
    new <- predict(fit, d$X[1:3, ], type = "latent")
    R <- solve(diag(80) + dense$sites$tau * K, diag(dense$sites$tau))
    plain <- (K - diag(0.3, 80))[, 1:3]
    expect_equal(new$m, drop(t(plain) %*% dense$b), tolerance = 1e-7)
    expect_equal(
      new$s2, diag(K)[1:3] - colSums(plain * (R %*% plain)), tolerance = 1e-7
    )
  }
})

test_that("fewer rows than weights: the fit is that of the kernel, new rows included", {
  n <- 12
  d <- linear_problem(n, k = 30)
  new <- withr::with_seed(1, matrix(rnorm(4 * 30), 4, dimnames = list(NULL, colnames(d$X))))
  gram <- function(A, B) A %*% (d$s * t(B))
  for (nugget in c(0, 0.3)) {
    for (df in c(8, Inf)) {
      fit <- bare_bpm(d, df, nugget = nugget)
      K <- gram(d$X, d$X) + diag(nugget, n)
      dense <- ep_fit(K, d$y, df, 0.1, control = ep_control(tol = 1e-12))
      expect_equal(fit$ep$loo, dense$loo_pointwise, tolerance = 1e-7)
      latent <- predict(fit, new, type = "latent")
      at_new <- gram(d$X, new)
      R <- solve(diag(n) + dense$sites$tau * K, diag(dense$sites$tau))
      expect_equal(latent$m, drop(t(at_new) %*% dense$b), tolerance = 1e-7)
      s2 <- diag(gram(new, new)) + nugget - colSums(at_new * (R %*% at_new))
      expect_equal(latent$s2, s2, tolerance = 1e-7)
      # all weights: w = S X' b, C = S - S X' R X S
      SX <- unname(d$s * t(d$X))
      expect_equal(unname(coef(fit, "weights")), drop(SX %*% dense$b) * sqrt(latent_kappa(fit)),
                   tolerance = 1e-6)
      expect_equal(unname(fit$weights$C), diag(d$s) - SX %*% R %*% t(SX), tolerance = 1e-7)
    }
  }
  # scales that are learned are learned in weight space
  learned <- bpm(d$X[, 1:13], d$y, prior_scale = "learn", nugget = 0.5, epsilon = 0.1)
  expect_identical(learned$ep$status, "converged")
})

test_that("filtering refuses what is known of labels", {
  d <- toy()
  for (known in list(list(trusted = 1:2), list(rates = rep(1:2, 20)))) {
    expect_error(
      do.call(bpm, c(list(class ~ a + b, d, inference = "adf"), known)),
      class = "sturdy_error_known_labels"
    )
  }
})
