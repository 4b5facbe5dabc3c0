# Against grids over one and two parameters, central differences and enumeration.

quiet <- ep_control(progress = FALSE)

averaged <- function(data = toy(), ..., epsilon = "average") {
  gpc(
    class ~ a + b, data, epsilon = epsilon, hyper = "integrate", control = quiet, ...
  )
}

one_free <- function(...) {
  kernel_iso(1.5, bias = 0.1, nugget = 0.1, fixed = c("lengthscale", "variance", "bias"), ...)
}

# The latent of a fit with its priors, and the problem under a noise model
problem_of <- function(fit, model, noise = fit$spec$noise, reports = fit$data$reports) {
  latent <- model_latent(fit)
  latent$reports <- reports
  average_problem(latent, noise_of(model, noise_model("average", noise, reports)), fit$spec)
}

test_that("gradients in coordinates are those of differences", {
  d <- toy(30)
  fit <- averaged(d)
  code <- label_code(fit$data)
  plain <- fit$data$reports
  groups <- label_reports(code, 2, rep(0:2, 10), c("u", "v"))
  at <- which(groups$source == 0) # two of the trusted labels were checked
  checked <- new_reports(
    30, 2, c(groups$row, at[1:2]), c(groups$source, 1, 2), c(code, 3 - code[at[1]], code[at[2]]),
    groups$sources
  )
  for (case in list(
    list("none", plain), list("one", plain), list("two", plain), list("one", groups),
    list("two", groups), list("one", checked), list("two", checked), list("first", plain),
    list("second", groups), list("first", checked)
  )) {
    problem <- problem_of(fit, case[[1]], noise_prior(pooling = 0.3), case[[2]])
    problem$search_control$tol <- 1e-10
    at <- function(z) learn_evaluation(problem, z, learn_native(problem, z, NULL))
    z <- withr::with_seed(2, rnorm(length(problem$field), sd = 0.6))
    numeric <- vapply(seq_along(z), function(j) {
      up <- down <- z
      up[j] <- z[j] + 1e-4
      down[j] <- z[j] - 1e-4
      (at(up)$penalised - at(down)$penalised) / 2e-4
    }, 0)
    expect_equal(at(z)$gradient, numeric, tolerance = 1e-5)
  }
})

test_that("rates that may be above one half leave their sum below 1", {
  d <- toy(30)
  fit <- averaged(d)
  prior <- noise_prior(sensitivity = c(3, 7), specificity = c(6, 4))
  noise <- noise_of("two", noise_model("average", prior, fit$data$reports))
  z <- withr::with_seed(1, matrix(rnorm(2000), 2))
  rates <- apply(z, 2, noise$rates)
  expect_true(all(colSums(rates) < 1) && max(rates[2, ]) > 0.7)
  expect_gt(suppressWarnings(ks.test(rates[1, ], pbeta, 4, 6)$p.value), 0.01)
  below <- pbeta(rates[2, ], 7, 3) / pbeta(1 - rates[1, ], 7, 3)
  expect_equal(below, pnorm(z[2, ]), tolerance = 1e-6)
  # one prior alone: the other rate stays below 1/2
  one <- noise_prior(specificity = c(3, 7))
  noise <- noise_of("two", noise_model("average", one, fit$data$reports))
  rates <- apply(z, 2, noise$rates)
  expect_true(all(colSums(rates) < 1) && all(rates[2, ] < 0.5) && max(rates[1, ]) > 0.9)
  for (case in list(list("two", prior), list("two", one), list("second", prior))) {
    problem <- problem_of(fit, case[[1]], case[[2]])
    problem$search_control$tol <- 1e-10
    at <- function(z) learn_evaluation(problem, z, learn_native(problem, z, NULL))
    z <- withr::with_seed(2, rnorm(length(problem$field), sd = 0.6))
    numeric <- vapply(seq_along(z), function(j) {
      h <- replace(0 * z, j, 1e-4)
      (at(z + h)$penalised - at(z - h)$penalised) / 2e-4
    }, 0)
    expect_equal(at(z)$gradient, numeric, tolerance = 1e-5)
  }
})

test_that("a rate of .7 is found by a prior that allows it, and on its bound by another", {
  d <- withr::with_seed(5, {
    x <- c(rnorm(80, -2), rnorm(80, 2))
    truth <- rep(0:1, each = 80)
    data.frame(x, class = ifelse(truth == 1 & runif(160) < 0.7, 0, truth))
  })
  k <- kernel_iso(1, nugget = 0.01, fixed = TRUE)
  fit <- gpc(
    class ~ x, d, kernel = k, epsilon = "learn2", hyper = "integrate", control = quiet,
    noise = noise_prior(sensitivity = c(15, 35))
  )
  rates <- flip_rates(fit)
  expect_true(rates$lower[2] < 0.7 && rates$upper[2] > 0.7 && rates$lower[2] > 0.5)
  cut <- gpc(class ~ x, d, kernel = k, epsilon = "learn2", hyper = "integrate", control = quiet)
  known <- data.frame(row = 41:160, label = rep(0:1, c(40, 80)))
  cut <- suppressMessages(update(cut, checked = known))
  expect_message(flip_rates(cut), class = "sturdy_message_rate_bound")
  expect_no_message(flip_rates(fit), class = "sturdy_message_rate_bound")
})

test_that("rates that are given may be above one half", {
  d <- toy(20)
  k <- kernel_iso(1.5, fixed = TRUE)
  fit <- gpc(class ~ a + b, d, kernel = k, epsilon = c(neg = 0.1, pos = 0.7))
  # the same as by reports, whose likelihoods need no rates below one half
  omega <- rates_omega(cbind(0.1, 0.7), 2)
  expect_equal(row_likelihood(fit), report_likelihood(fit$data$reports, omega))
  expect_equal(fit$ep$status, "converged")
  p <- predict(fit, type = "prob", noise = TRUE)
  q <- predict(fit, type = "prob")
  expect_equal(p[, 2], 0.1 * q[, 1] + 0.3 * q[, 2])
  expect_error(gpc(class ~ a, d, epsilon = c(neg = 0.4, pos = 0.6)), class = "sturdy_error_epsilon")
})

test_that("rates have their prior, and the way back is the inverse", {
  z <- c(-7, -2, 0, 0.5, 3, 6)
  usual <- list(a = 1, b = 4, size = 0.5, most = 0.5)
  study <- list(a = 3, b = 20, size = 1, most = 0.5)
  wide <- list(a = 2, b = 2, size = 1, most = 0.5) # cut off at 1/2
  for (prior in list(usual, study, wide)) {
    e <- vapply(z, rate_quantile, 0, prior)
    expect_true(all(diff(e) > 0) && all(e > 0 & e < 0.5))
    expect_equal(vapply(e, rate_normal, 0, prior)[1:5], z[1:5], tolerance = 1e-6)
    slope <- vapply(z[2:5], function(z) {
      (rate_quantile(z + 1e-5, prior) - rate_quantile(z - 1e-5, prior)) / 2e-5
    }, 0)
    expect_equal(vapply(z[2:5], rate_slope, 0, prior), slope, tolerance = 1e-6)
  }
  # a study in which nearly all were wrong leaves nearly no mass below 1/2
  most <- list(a = 60, b = 2, size = 1, most = 0.5)
  e <- vapply(c(-2, -0.01, 0.01, 2), rate_quantile, 0, most)
  expect_true(all(diff(e) > 0) && all(e > 0.4 & e < 0.5))
  expect_equal(
    pbeta(e, 60, 2, log.p = TRUE) - pbeta(0.5, 60, 2, log.p = TRUE),
    pnorm(c(-2, -0.01, 0.01, 2), log.p = TRUE), tolerance = 1e-6
  )
  # 2e ~ Beta(1, 4), by its distribution function
  expect_equal(1 - (1 - 2 * rate_quantile(0.7, usual))^4, pnorm(0.7))
})

test_that("one factor is common to all lengthscales", {
  root <- common_root(4, 0.7, 0.5)
  expect_equal(root %*% t(root), diag(0.49, 4) + 0.25)
  expect_equal(common_root(1, 1.5, 0), matrix(1.5))
})

test_that("over one hyperparameter and one rate nodes agree with a grid", {
  d <- toy(50)
  d$class <- flip_labels(d$class, 0.1, seed = 3)
  fit <- averaged(d, kernel = one_free())
  nodes <- fit$nodes
  expect_equal(nodes$models$model, c("none", "one", "two", "first", "second"))
  matters <- nodes$models$probability > 0.05 # others have no more than a dozen nodes
  expect_true(all(nodes$models$ess[matters] > 10))
  # prior of the kernel and of the rate as densities, on a grid of quantiles
  p <- (seq_len(40) - 0.5) / 40
  nugget <- vapply(p, function(p) {
    below <- function(x) pnorm(x, log(0.3), 2) / 2 + pnorm(x, log(0.01), 0.5) / 2
    exp(uniroot(function(x) below(x) - p, c(-20, 20), tol = 1e-10)$root)
  }, 0)
  rate <- (1 - (1 - p)^(1 / 4)) / 2
  at <- function(nugget, rate) {
    kernel <- kernel_iso(1.5, bias = 0.1, nugget = nugget, fixed = TRUE)
    point <- suppressWarnings( # of other fixed points
      gpc(class ~ a + b, d, kernel = kernel, epsilon = rate, control = quiet),
      "sturdy_warning_fixed_points"
    )
    list(z = log_evidence(point, "corrected"), flipped = point$ep$flipped, loo = point$ep$loo)
  }
  none <- lapply(nugget, at, rate = 0)
  z_none <- vapply(none, `[[`, 0, "z")
  both <- expand.grid(nugget = nugget[seq(1, 40, 2)], rate = rate[seq(1, 40, 2)])
  one <- Map(at, both$nugget, both$rate)
  z_one <- vapply(one, `[[`, 0, "z")
  expect_equal(nodes$models$log_evidence[1], log_sum(z_none) - log(40), tolerance = 0.002)
  expect_lt(abs(nodes$models$log_evidence[2] - (log_sum(z_one) - log(400))), 0.1)

  weight <- exp(z_one - max(z_one)) / sum(exp(z_one - max(z_one)))
  flipped <- drop(vapply(one, `[[`, numeric(50), "flipped") %*% weight)
  mine <- nodes$table$model == "one"
  by_nodes <- wrong_each(node_truth(fit))[, mine] %*%
    (nodes$table$weight[mine] / sum(nodes$table$weight[mine]))
  expect_lt(max(abs(by_nodes - flipped)), 0.06)
  count <- drop(vapply(one, function(o) poisson_binomial(o$flipped), numeric(51)) %*% weight)
  mixture <- c(nodes$wrong$one, numeric(51 - length(nodes$wrong$one)))
  expect_lt(sum(abs(count - mixture)) / 2, 0.1)
})

test_that("nothing free but the noise model: evidences are those of EP, corrected", {
  fit <- averaged(kernel = held(), epsilon = "average",
                  noise = noise_prior(models = c(none = 0.3, one = 0.7)))
  none <- toy_fit(epsilon = 0)
  without <- log_evidence(none, "corrected")
  # a search ends EP at 1e-4, which the evidence does not feel, and the correction a little
  expect_equal(fit$nodes$models$log_evidence[1], without, tolerance = 1e-6)
  rate <- (seq_len(200) - 0.5) / 200
  z <- vapply((1 - (1 - rate)^(1 / 4)) / 2, function(e) {
    log_evidence(toy_fit(epsilon = e), "corrected")
  }, 0)
  expect_lt(abs(fit$nodes$models$log_evidence[2] - log_sum(z) + log(200)), 0.05)
  posterior <- c(0.3, 0.7) * exp(c(without, log_sum(z) - log(200)))
  expect_equal(fit$nodes$models$probability, posterior / sum(posterior), tolerance = 0.02)
})

test_that("with everything held a fit has no nodes", {
  fit <- averaged(kernel = held(), epsilon = 0.05)
  expect_null(fit$nodes)
  expect_equal(fit$ep$flipped, toy_fit()$ep$flipped)
})

test_that("what a fit says is the average over its nodes", {
  fit <- averaged()
  nodes <- fit$nodes
  weight <- nodes$table$weight
  expect_equal(sum(weight), 1)
  expect_equal(
    as.vector(tapply(weight, nodes$table$model, sum)[nodes$models$model]),
    nodes$models$probability
  )
  new <- data.frame(a = c(-1, 0.3), b = c(0.2, NA))
  each <- lapply(seq_along(weight), function(k) {
    point <- gpc(
      class ~ a + b, toy(), epsilon = omega_rates(fit$nodes$omega[[k]][1, , ]), control = quiet,
      kernel = do.call(kernel_ard, c(nodes$hyper[[k]], list(fixed = TRUE)))
    )
    list(
      p = predict(point, new, type = "response"), flipped = point$ep$flipped,
      recorded = predict(point, new, type = "response", noise = TRUE),
      loo = point$ep$loo
    )
  })
  mean_of <- function(part) {
    drop(vapply(each, function(e) unname(e[[part]]), numeric(length(each[[1]][[part]]))) %*% weight)
  }
  expect_equal(unname(predict(fit, new, type = "response")), mean_of("p"), tolerance = 1e-4)
  expect_equal(
    unname(predict(fit, new, type = "response", noise = TRUE)), mean_of("recorded"),
    tolerance = 1e-4
  )
  found <- mislabelled(fit)
  found <- found[order(found$row), ]
  expect_equal(found$probability, mean_of("flipped"), tolerance = 1e-3)
  expect_equal(sum(found$probability), attr(found, "expected")$count, tolerance = 1e-6)
  # leaving a label out changes the weights, too
  zp <- exp(vapply(each, `[[`, numeric(40), "loo"))
  expect_equal(found$loo, drop(1 / ((1 / zp) %*% weight)), tolerance = 1e-3)
  expect_equal(sum(loo(fit)$pointwise[, 1]), sum(log(found$loo)))
})

test_that("the same table gives the same nodes, in any order of its rows", {
  fit <- averaged()
  expect_equal(averaged()$nodes, fit$nodes)
  back <- averaged(toy()[40:1, ])
  expect_equal(back$nodes$models, fit$nodes$models, tolerance = 1e-6)
  expect_equal(rev(row_flipped(back)), row_flipped(fit), tolerance = 1e-6)
})

test_that("rounding of the inputs moves no node", {
  # axes of the nodes are known up to their sign
  d <- toy(60)
  fit <- averaged(d)
  d$a <- d$a * (1 + 1e-12 * seq(-1, 1, length.out = 60))
  near <- averaged(d)
  expect_equal(near$nodes$models, fit$nodes$models, tolerance = 1e-7)
  expect_equal(near$nodes$table$weight, fit$nodes$table$weight, tolerance = 1e-6)
  H <- crossprod(matrix(c(2, -1, 0.3, 0.5, 1, -2, 0, 0.4, 3), 3))
  expect_equal(axes(H)$vectors %*% (axes(H)$values * t(axes(H)$vectors)), H)
  expect_equal(apply(axes(H)$vectors, 2, function(v) v[which.max(abs(v))] > 0), rep(TRUE, 3))
  expect_length(axes(diag(0))$values, 0)
})

test_that("under the noise models of one class labels of the other are right", {
  nodes <- averaged(kernel = one_free())$nodes
  wrong <- function(model) {
    omega <- nodes$omega[nodes$table$model == model]
    cbind(vapply(omega, function(o) o[1, 1, 2], 0), vapply(omega, function(o) o[1, 2, 1], 0))
  }
  expect_true(all(wrong("first")[, 1] > 0) && all(wrong("first")[, 2] == 0))
  expect_true(all(wrong("second")[, 2] > 0) && all(wrong("second")[, 1] == 0))
})

test_that("one noise model is kept to, and the optimum is one node a model", {
  one <- averaged(epsilon = "learn")
  expect_equal(one$nodes$models$model, "one")
  two <- averaged(epsilon = "learn2")
  expect_equal(two$nodes$models$model, "two")
  given <- averaged(epsilon = 0.1)
  expect_equal(unique(unlist(given$nodes$omega)), c(0.9, 0.1))
  modes <- gpc(class ~ a + b, toy(), epsilon = "average", hyper = "optimum", control = quiet)
  expect_equal(modes$nodes$models$method, rep("mode", 5))
  expect_equal(modes$nodes$models$log_evidence, modes$nodes$models$laplace)
})

test_that("a hyperparameter without a prior can't be integrated", {
  expect_error(
    averaged(kernel = kernel_iso(prior = NULL)), class = "sturdy_error_prior"
  )
  expect_error(
    gpc_spec(method = "em", epsilon = "average", hyper = "integrate"),
    class = "sturdy_error_method"
  )
})

test_that("nothing free but the noise model is averaged over many rows, too", {
  d <- withr::with_seed(1, data.frame(a = rnorm(260), b = rnorm(260)))
  d$class <- d$a + d$b + withr::with_seed(2, rnorm(260)) > 0
  kernel <- kernel_iso(1, fixed = TRUE)
  fit <- averaged(d, kernel = kernel)
  expect_equal(fit$nodes$models$method, c("exact", rep("nodes", 4)))
  none <- gpc(class ~ a + b, d, kernel = kernel, epsilon = 0, control = quiet)
  without <- log_evidence(none, "corrected")
  expect_equal(fit$nodes$models$log_evidence[1], without, tolerance = 1e-6)
})

test_that("a noise model that is left out is named", {
  cnd <- expect_message(inform_models_left("two"), class = "sturdy_message_models_left_out")
  expect_equal(cnd$models, "two")
  expect_match(conditionMessage(cnd), "without the noise\\s+model \"two\"")
  expect_silent(inform_models_left(character()))
})

test_that("a noise model under which t-EP has no fixed point is left out, and that is said", {
  set.seed(1)
  X <- matrix(rnorm(90), 30)
  y <- X[, 1] + rnorm(30) > 0
  ask <- function(verb, ...) {
    verb(X, y, ..., kernel = kernel_iso(1.5, fixed = TRUE), hyper = "integrate")
  }
  cnd <- expect_message(fit <- ask(stc, df = 3), class = "sturdy_message_models_left_out")
  expect_equal(cnd$models, "none")
  # the others keep the odds that their Gaussian evidence gives them
  models <- fit$nodes$models
  gaussian <- ask(gpc)$nodes$models[-1, ]
  expect_equal(models$model, c("one", "two", "first", "second"))
  expect_equal(sum(models$probability), 1)
  expect_equal(
    models$probability[1] / models$probability[2],
    gaussian$probability[1] / gaussian$probability[2], tolerance = 1e-8
  )
  left <- vapply(fit$nodes$wrong, sum, 0)
  expect_equal(unname(left), rep(1, 4), tolerance = 1e-9)
  expect_no_error(printed(fit))
  expect_no_error(mislabelled(fit))
})

test_that("nodes of which none has a fixed point have no weight, and are no error of R", {
  from <- list(list(centre = 0, axes = diag(1), scale = 1, tails = FALSE, share = 1))
  lost <- node_weights(list(
    Z = matrix(0, 1, 12), out = vector("list", 12), log_f = rep(-Inf, 12), proposal = from
  ), -5)
  expect_identical(lost$log_weight, rep(-Inf, 12))
  expect_identical(lost$log_evidence, -Inf)
  expect_identical(lost$ess, 0)
  some <- node_weights(
    list(Z = matrix(0, 1, 3), log_f = c(-Inf, -1, -1), proposal = from), -5
  )
  expect_equal(exp(some$log_weight), c(0, 0.5, 0.5))
  expect_equal(some$ess, 2)
  # far from the origin in units of nothing: EP converges at the mode, and nowhere near it
  X <- withr::with_seed(1, 1e12 + matrix(rnorm(20 * 60), 20))
  fit <- suppressMessages(bpm(
    X, rep(0:1, 10), df = 0.5, prior_scale = "learn", epsilon = 0.01, scale = FALSE,
    control = ep_control(restarts = 0, progress = FALSE)
  ))
  expect_false(anyNA(predict(fit, type = "prob")))
})

test_that("a noise model far behind on some rows is left near its mode, and said to be far behind", {
  d <- withr::with_seed(1, data.frame(a = rnorm(300), b = rnorm(300)))
  d$class <- xor(2 * d$a + d$b > 0, withr::with_seed(2, runif(300) < 0.15))
  fit <- averaged(d)
  none <- fit$nodes$models[1, ]
  full <- gpc(class ~ a + b, d, epsilon = 0, hyper = "integrate", control = quiet)
  full <- full$nodes$models
  best <- max(fit$nodes$models$log_evidence)
  expect_identical(none$method, "carried")
  expect_gt(best - full$log_evidence, average_dropped)
  expect_gt(best - none$log_evidence, average_dropped)
  expect_lt(abs(none$laplace - full$laplace), average_rough_gain + 0.5)
})

test_that("a noise model is left near its mode by how far it is behind and whether it got there", {
  ended <- 0L
  local_mocked(
    learn_walk = function(start, ...) list(penalised = 0, opt = list(convergence = ended)),
    node_laplace = function(mode) -100, model_laplace = function(model) model
  )
  far <- function(best) {
    average_rough(NULL, list(), list(par = 0, curvature = 1), NULL, list(best), most = 10)$far
  }
  expect_true(far(-100 + 10 + average_rough_gain + 0.1))
  expect_false(far(-100 + 10 + average_rough_gain - 0.1)) # the best, or near it
  expect_false(far(-100))
  ended <- 1L
  expect_false(far(0))
})

test_that("a node above its mode leads all noise models there", {
  model <- function(field, par, penalised) {
    list(
      problem = list(field = field, latent = list(classes = 2)),
      modes = list(list(par = par, penalised = penalised, second = 0.5, H = diag(length(par))))
    )
  }
  models <- list(
    none = model(c("lengthscale", "nugget"), c(0, 0), -10),
    one = model(c("lengthscale", "nugget", "epsilon"), c(0, 0, 1), -9)
  )
  parts <- list(
    none = list(log_f = c(-12, -9.4), Z = diag(2)),
    one = list(log_f = c(-7, -Inf, -8.6), Z = cbind(4:6, 1:3, 7:9))
  )
  ahead <- average_ahead(models, parts)
  expect_equal(ahead$none$modes[[1]]$par, 4:5)
  expect_equal(ahead$one$modes[[1]]$par, 4:6)
  expect_identical(names(sort(-vapply(ahead, model_laplace, 1))), c("one", "none"))
  parts$one$log_f[1] <- -7.6 # no more than the second order and the nodes' own spread
  expect_null(average_ahead(models, parts))
  expect_null(average_ahead(models, lapply(parts, function(part) list())))
})

extended_test("a mode that some rows do not show is found on all of them", {
  d <- withr::with_seed(1, {
    X <- matrix(rnorm(7000), 700, dimnames = list(NULL, letters[1:10]))
    f <- X[, "a"] + sin(2 * X[, "b"]) + X[, "c"] / 2 + 0.3 * rnorm(700)
    data.frame(X, class = factor(ifelse(f > 0, "event", "other")))
  })
  wrong <- withr::with_seed(101, sample.int(700, 70))
  d$class[wrong] <- levels(d$class)[3 - as.integer(d$class[wrong])]
  fit <- gpc(class ~ ., d)
  # it ended some seventy nats below
  expect_gt(log_evidence(fit), log_evidence(gpc(class ~ ., d, hyper = "optimum")) - 5)
  expect_lt(fit$kernel$lengthscale[["b"]], 2)
})

test_that("where labels contradict each other for certain there is no mode", {
  expect_error(
    gpc(
      matrix(c(0, 0, 1, 1)), c(0, 1, 0, 1), kernel = kernel_iso(nugget = 0, fixed = "nugget"),
      epsilon = 0, hyper = "integrate", control = quiet
    ),
    class = "sturdy_error_no_posterior"
  )
})

test_that("modes stand for nodes of which too few are effective, and it is said", {
  fitted <- function() {
    gpc(
      class ~ a + b, toy(60), kernel = kernel_iso(), epsilon = "average", hyper = "integrate",
      control = quiet
    )
  }
  nodes <- fitted()
  local_mocked(node_least_ess = Inf)
  expect_message(modes <- fitted(), class = "sturdy_message_integrated_roughly")
  expect_true(all(startsWith(modes$nodes$models$method, "mode")))
  # evidences by Laplace are near those of nodes, and how near is not known
  expect_lt(max(abs(modes$nodes$models$log_evidence - nodes$nodes$models$log_evidence)), 1.5)
  expect_true(is.na(noise_test(modes)$error$count))
  apart <- predict(modes, type = "response") - predict(nodes, type = "response")
  expect_lt(sqrt(mean(apart^2)), 0.05)
})

test_that("modes alone do where there are many rows, and models far behind on some are left", {
  d <- toy(240)
  fitted <- function() {
    gpc(
      class ~ a + b, d, kernel = kernel_iso(), epsilon = "average", hyper = "integrate",
      control = quiet
    )
  }
  nodes <- fitted()
  local_mocked(average_laplace_rows = 100L, average_hopeless = 1)
  modes <- suppressMessages(fitted())
  by <- modes$nodes$models
  expect_false(any(by$method == "nodes"))
  # what was left is far behind among all nodes, too
  all <- nodes$nodes$models
  behind <- setdiff(all$model, by$model)
  expect_true(length(behind) > 0)
  expect_lt(max(all$log_evidence[match(behind, all$model)]), max(all$log_evidence) - 0.3)
  apart <- predict(modes, type = "response") - predict(nodes, type = "response")
  expect_lt(sqrt(mean(apart^2)), 0.05)
})

test_that("a noise model is not lost where EP fails at the first rates that are tried", {
  d <- withr::with_seed(12 + 2e5 * 8700, {
    n <- sample(60:150, 1)
    p <- sample(2:8, 1)
    X <- matrix(stats::rnorm(n * p), n)
    f <- X[, 1] + sin(2 * X[, 2]) + 0.4 * stats::rnorm(n)
    data.frame(X, y = f > stats::median(f))
  })
  fit <- gpc(y ~ ., d, epsilon = "average", hyper = "integrate", control = quiet)
  models <- fit$nodes$models
  expect_identical(models$model, names(noise_prior()$models))
  expect_true(all(is.finite(models$log_evidence)))
  # one rate is that of both classes: a rate of one alone is not far behind
  expect_gt(min(models$log_evidence[4:5]), models$log_evidence[2] - 3)
})
