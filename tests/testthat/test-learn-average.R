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
  latent[c("reports", "cells")] <- list(reports, report_cells(reports))
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
    at <- function(z) learn_evaluation(problem, z, learn_ep_at(problem, z, NULL))
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
  cut <- gpc(
    class ~ x, d, kernel = k, epsilon = "learn2", hyper = "integrate", control = quiet,
    noise = noise_prior(rate = 4)
  )
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

test_that("the learner has one noise model, which allows for wrong labels, and a row of it", {
  model <- function(fit) {
    models <- fit$nodes$models
    expect_equal(nrow(models), 1)
    expect_equal(c(models$prior, models$probability), c(1, 1))
    expect_equal(unique(fit$nodes$table$model), models$model)
    expect_equal(sum(fit$nodes$table$weight), 1)
    models$model
  }
  expect_identical(model(averaged(kernel = one_free())), "two")
  expect_identical(model(averaged(kernel = one_free(), epsilon = "learn")), "one")
  expect_identical(model(averaged(kernel = one_free(), epsilon = "learn2")), "two")
  second <- averaged(kernel = one_free(), noise = noise_prior(models = c(none = 1, second = 1)))
  expect_identical(model(second), "second")
  # labels of the other class are right under it
  first <- vapply(second$nodes$omega, function(omega) omega[1, 1, 2], 0)
  expect_identical(unique(first), 0)
  given <- averaged(kernel = one_free(), epsilon = 0.1)
  expect_identical(model(given), "given")
  expect_equal(unique(unlist(given$nodes$omega)), c(0.9, 0.1))
})

test_that("over one hyperparameter and one rate nodes agree with a grid", {
  d <- toy(50)
  d$class <- flip_labels(d$class, 0.1, seed = 3)
  fit <- averaged(d, kernel = one_free(), epsilon = "learn")
  nodes <- fit$nodes
  expect_gt(nodes$models$ess, 10)
  # prior of the kernel and of the rate as densities, on a grid of quantiles
  p <- (seq_len(12) - 0.5) / 12
  both <- expand.grid(nugget = exp(qnorm(p, log(1), 1.5)), rate = (1 - (1 - p)^(1 / 4)) / 2)
  at <- function(nugget, rate) {
    kernel <- kernel_iso(1.5, bias = 0.1, nugget = nugget, fixed = TRUE)
    point <- suppressWarnings( # of other fixed points
      gpc(class ~ a + b, d, kernel = kernel, epsilon = rate, control = quiet),
      "sturdy_warning_fixed_points"
    )
    list(z = log_evidence(point, "corrected"), flipped = point$ep$flipped)
  }
  one <- Map(at, both$nugget, both$rate)
  z <- vapply(one, `[[`, 0, "z")
  expect_lt(abs(nodes$models$log_evidence - (log_sum(z) - log(144))), 0.1)
  expect_equal(log_evidence(fit, "integrated"), nodes$models$log_evidence)

  weight <- exp(z - max(z)) / sum(exp(z - max(z)))
  flipped <- drop(vapply(one, `[[`, numeric(50), "flipped") %*% weight)
  expect_lt(max(abs(mean_wrong(truth(fit)) - flipped)), 0.06)
  expect_lt(abs(sum(mean_wrong(truth(fit))) - sum(flipped)), 0.3)
  nuggets <- vapply(nodes$hyper, `[[`, 0, "nugget")
  expect_lt(abs(sum(node_weight(fit) * log(nuggets)) - sum(weight * log(both$nugget))), 0.15)
})

test_that("over two rates alone nodes agree with a grid", {
  d <- toy(50)
  d$class <- flip_labels(d$class, 0.1, seed = 3)
  fit <- averaged(d, kernel = held())
  # e_c ~ Beta(1, 2), the second cut off where the first leaves it
  p <- (seq_len(9) - 0.5) / 9
  both <- expand.grid(first = p, second = p)
  both$e1 <- 1 - sqrt(1 - both$first)
  both$e2 <- 1 - sqrt(1 - both$second * (1 - both$e1^2))
  one <- Map(function(e1, e2) {
    point <- suppressWarnings(
      gpc(class ~ a + b, d, kernel = held(), epsilon = c(neg = e1, pos = e2), control = quiet),
      "sturdy_warning_fixed_points"
    )
    list(z = log_evidence(point, "corrected"), flipped = point$ep$flipped)
  }, both$e1, both$e2)
  z <- vapply(one, `[[`, 0, "z")
  expect_lt(abs(fit$nodes$models$log_evidence - (log_sum(z) - log(81))), 0.1)
  weight <- exp(z - max(z)) / sum(exp(z - max(z)))
  rates <- vapply(fit$nodes$omega, function(omega) c(omega[1, 1, 2], omega[1, 2, 1]), numeric(2))
  expect_lt(max(abs(rates %*% node_weight(fit) - c(sum(weight * both$e1), sum(weight * both$e2)))), 0.02)
  flipped <- drop(vapply(one, `[[`, numeric(50), "flipped") %*% weight)
  expect_lt(max(abs(mean_wrong(truth(fit)) - flipped)), 0.06)
})

test_that("nothing free but a rate: the evidence is that of EP, corrected", {
  fit <- averaged(kernel = held(), epsilon = "learn")
  rate <- (seq_len(25) - 0.5) / 25
  z <- vapply((1 - (1 - rate)^(1 / 4)) / 2, function(e) {
    log_evidence(toy_fit(epsilon = e), "corrected")
  }, 0)
  expect_lt(abs(fit$nodes$models$log_evidence - log_sum(z) + log(25)), 0.05)
})

test_that("a fit averages where it integrates over something, over noise models or rates by source", {
  latent <- list(free = c("bias", "nugget"), reports = list(sources = "label"))
  held <- utils::modifyList(latent, list(free = character()))
  groups <- utils::modifyList(held, list(reports = list(sources = c("a", "b"))))
  asked <- function(latent, hyper, epsilon) is_averaged(latent, list(hyper = hyper, epsilon = epsilon))
  expect_true(asked(latent, "integrate", 0.1))
  expect_true(asked(held, "integrate", "learn"))
  expect_true(asked(held, "optimum", "average"))
  expect_true(asked(groups, "optimum", "learn"))
  expect_false(asked(held, "integrate", 0.1))
  expect_false(asked(latent, "optimum", "learn"))
})

test_that("with everything held a fit has no nodes", {
  fit <- averaged(kernel = held(), epsilon = 0.05)
  expect_null(fit$nodes)
  expect_equal(fit$ep$flipped, toy_fit()$ep$flipped)
})

test_that("what a fit says by itself is the average over its nodes", {
  whole <- averaged()
  fit <- first_stage(whole)
  nodes <- fit$nodes
  weight <- nodes$table$weight
  new <- data.frame(a = c(-1, 0.3), b = c(0.2, NA))
  each <- lapply(seq_along(weight), function(k) {
    point <- gpc(
      class ~ a + b, toy(), epsilon = omega_rates(fit$nodes$omega[[k]][1, , ]), control = quiet,
      kernel = do.call(kernel_ard, c(nodes$hyper[[k]], list(fixed = TRUE)))
    )
    list(
      p = predict(point, new, type = "response"), flipped = point$ep$flipped,
      recorded = predict(point, new, type = "response", noise = TRUE),
      loo = point$ep$loo, seen = point$ep$seen[, 2]
    )
  })
  of <- function(part) vapply(each, function(e) unname(e[[part]]), numeric(length(each[[1]][[part]])))
  used <- used_nodes(fit) # few of them do for predictions
  by_few <- function(part) drop(of(part)[, used$node] %*% used$weight)
  # EP at nodes ends at a residual of 1e-3
  expect_equal(unname(predict(fit, new, type = "response")), by_few("p"), tolerance = 1e-3)
  expect_lt(max(abs(by_few("p") - of("p") %*% weight), na.rm = TRUE), 0.01)
  expect_equal(
    unname(predict(fit, new, type = "response", noise = TRUE)), by_few("recorded"), tolerance = 1e-3
  )
  expect_equal(mean_wrong(truth(fit)), drop(of("flipped") %*% weight), tolerance = 1e-3)
  # leaving a label out changes the weights, too
  zp <- exp(of("loo"))
  left_out <- drop(1 / ((1 / zp) %*% weight))
  expect_equal(unname(exp(loo(whole)$pointwise[, 1])), left_out, tolerance = 1e-3)
  # and so are the scores of the label stage
  share <- t(weight / t(zp))
  scores <- rowSums(share * exp(of("seen"))) / rowSums(share)
  expect_equal(unname(whole$label_stage$data$X[, 2]), scores, tolerance = 1e-3)
  found <- mislabelled(whole)
  expect_equal(sum(found$probability), attr(found, "expected")$count, tolerance = 1e-6)
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
  expect_equal(near$label_stage$nodes$models, fit$label_stage$nodes$models, tolerance = 1e-6)
  expect_equal(row_flipped(near), row_flipped(fit), tolerance = 1e-6)
  H <- crossprod(matrix(c(2, -1, 0.3, 0.5, 1, -2, 0, 0.4, 3), 3))
  expect_equal(axes(H)$vectors %*% (axes(H)$values * t(axes(H)$vectors)), H)
  expect_equal(apply(axes(H)$vectors, 2, function(v) v[which.max(abs(v))] > 0), rep(TRUE, 3))
  expect_length(axes(diag(0))$values, 0)
})

test_that("at the optimum the best mode is the node, and the evidence there is by Laplace", {
  modes <- gpc(class ~ a + b, toy(), hyper = "optimum", control = quiet)
  models <- modes$nodes$models
  expect_identical(models$method, "mode")
  expect_equal(models$log_evidence, models$laplace)
  expect_equal(c(models$nodes, models$modes, node_weight(modes)), c(1, 1, 1))
  expect_equal(unlist(nodes(modes)$hyper[[1]]), unlist(named_hyper(modes$kernel)), tolerance = 1e-8)
  # it is that of the nodes: the kernel with its linear part, under the same priors
  all <- gpc(class ~ a + b, toy(), hyper = "integrate", control = quiet)
  expect_equal(coef(modes), coef(all), tolerance = 1e-3)
  expect_identical(modes$kernel$prior, all$kernel$prior)
  expect_match(describe_learning(modes), "at 1 mode by Laplace")
  # the label stage is of all noise models
  expect_equal(modes$label_stage$nodes$models$model, all$label_stage$nodes$models$model)
})

test_that("a hyperparameter without a prior can't be integrated", {
  expect_error(
    averaged(kernel = kernel_iso(prior = NULL)), class = "sturdy_error_prior"
  )
})

test_that("nothing free but a rate is averaged over many rows, too", {
  d <- withr::with_seed(1, data.frame(a = rnorm(260), b = rnorm(260)))
  d$class <- d$a + d$b + withr::with_seed(2, rnorm(260)) > 0
  kernel <- kernel_iso(1, fixed = TRUE)
  fit <- averaged(d, kernel = kernel, epsilon = "learn")
  expect_identical(fit$nodes$models$method, "nodes")
  rate <- (seq_len(20) - 0.5) / 20
  z <- vapply((1 - (1 - rate)^(1 / 4)) / 2, function(e) {
    log_evidence(gpc(class ~ a + b, d, kernel = kernel, epsilon = e, control = quiet), "corrected")
  }, 0)
  expect_lt(abs(fit$nodes$models$log_evidence - log_sum(z) + log(20)), 0.05)
})

test_that("nodes of which none has a fixed point have no weight, and are no error of R", {
  lost <- smoothed_weights(rep(-Inf, 12))
  expect_identical(lost$log_weight, rep(-Inf, 12))
  expect_identical(lost$log_evidence, -Inf)
  expect_identical(lost$ess, 0)
  some <- smoothed_weights(c(-Inf, -1, -1))
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

test_that("a node above its mode leads the search there", {
  model <- list(
    problem = list(latent = list(classes = 2, functions = 1)),
    modes = list(list(par = c(0, 0, 1), penalised = -9, second = 0.5, H = diag(3)))
  )
  sites <- list(tau = 1, nu = 2)
  part <- list(
    log_f = c(-7, -Inf, -8.6), Z = cbind(4:6, 1:3, 7:9), out = list(list(sites = sites), NULL, NULL)
  )
  ahead <- average_ahead(model, part)
  expect_equal(ahead$modes[[1]]$par, 4:6)
  expect_identical(ahead$modes[[1]]$from, sites)
  expect_identical(ahead$problem, model$problem)
  part$log_f[1] <- -7.6 # no more than the second order and the nodes' own spread
  expect_null(average_ahead(model, part))
  expect_null(average_ahead(model, list()))
  # of several classes nodes are dear: they stay where they are
  part$log_f[1] <- -7
  model$problem$latent$functions <- 3
  expect_null(average_ahead(model, part))
})

test_that("cheap nodes of uneven weights are joined by as many again, and dear ones are fewer", {
  drawn <- 0
  original <- node_draw
  local_mocked(node_draw = function(proposal, n, ...) {
    drawn <<- drawn + n
    original(proposal, n, ...)
  })
  nodes_of <- function() {
    drawn <<- 0
    fit <- averaged()
    # those of next to no weight are not kept
    expect_lte(fit$nodes$models$nodes, drawn)
    expect_gt(fit$nodes$models$nodes, drawn / 2)
    fit
  }
  fit <- nodes_of()
  size <- average_total(model_latent(fit))
  expect_equal(drawn, size)
  local_mocked(average_uneven = 2) # no weights are as even as that
  more <- nodes_of()
  expect_equal(drawn, average_more * size)
  expect_lt(abs(more$nodes$models$log_evidence - fit$nodes$models$log_evidence), 0.2)
  local_mocked(average_cheap = 1)
  nodes_of()
  expect_lt(drawn, size)
})

test_that("where EP fails at all starts they are tried with hardly a wrong label", {
  tried <- list()
  local_mocked(learn_modes = function(objective, starts) {
    tried <<- c(tried, list(lapply(starts, `[[`, "par")))
    if (starts[[1]]$par[2] > average_rare) list() else list(list(par = c(1, -3), penalised = -5))
  })
  search <- function(field, ...) {
    problem <- list(
      field = field, starts = function(problem) lapply(list(...), function(par) list(par = par)),
      elsewhere = average_elsewhere, rival = TRUE
    )
    learn_search(problem, NULL)$modes
  }
  found <- search(c("nugget", "epsilon"), c(1, 0.5), c(2, -4))
  expect_identical(found[[1]]$penalised, -5)
  expect_equal(tried, list(list(c(1, 0.5), c(2, -4)), list(c(1, average_rare), c(2, -4))))
  # without a rate there is nothing else to try
  tried <- list()
  expect_length(search(c("nugget", "bias"), c(1, 2)), 0)
  expect_length(tried, 1)
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
  expect_gt(log_evidence(fit), log_evidence(gpc(class ~ ., d, epsilon = "learn")) - 5)
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
  fitted <- function() averaged(toy(60), kernel = kernel_iso())
  nodes <- fitted()
  local_mocked(node_least_ess = Inf)
  expect_message(modes <- fitted(), class = "sturdy_message_integrated_roughly")
  expect_true(startsWith(modes$nodes$models$method, "mode"))
  # the evidence by Laplace is near that of nodes
  expect_lt(abs(modes$nodes$models$log_evidence - nodes$nodes$models$log_evidence), 1.5)
  apart <- predict(modes, type = "response") - predict(nodes, type = "response")
  expect_lt(sqrt(mean(apart^2)), 0.05)
})

test_that("modes alone do where there are many rows", {
  d <- toy(240)
  nodes <- averaged(d, kernel = kernel_iso())
  local_mocked(learn_long_rows = 100L)
  modes <- suppressMessages(averaged(d, kernel = kernel_iso()))
  expect_true(startsWith(modes$nodes$models$method, "mode"))
  expect_lt(abs(modes$nodes$models$log_evidence - nodes$nodes$models$log_evidence), 1.5)
  apart <- predict(modes, type = "response") - predict(nodes, type = "response")
  expect_lt(sqrt(mean(apart^2)), 0.05)
})

test_that("there are modes where EP fails at the first rates that are tried", {
  d <- withr::with_seed(12 + 2e5 * 8700, {
    n <- sample(60:150, 1)
    p <- sample(2:8, 1)
    X <- matrix(stats::rnorm(n * p), n)
    f <- X[, 1] + sin(2 * X[, 2]) + 0.4 * stats::rnorm(n)
    data.frame(X, y = f > stats::median(f))
  })
  fit <- gpc(y ~ ., d, epsilon = "average", hyper = "integrate", control = quiet)
  evidence <- function(fit) fit$nodes$models$log_evidence
  expect_true(is.finite(evidence(fit)))
  # one rate is that of both classes: two are not far behind
  expect_lt(abs(evidence(update(fit, epsilon = "learn")) - evidence(fit)), 4)
})

test_that("where no label may be wrong the first stage is that at epsilon = 0, held or not", {
  species <- iris[c(1:8, 51:58, 101:108), ]
  none <- noise_prior(models = c(none = 1))
  for (case in list(list(class ~ a + b, toy(30)), list(Species ~ Petal.Length + Petal.Width, species))) {
    for (kernel in list(one_free(), held())) {
      fits <- lapply(c("integrate", "optimum"), function(hyper) {
        gpc(
          case[[1]], case[[2]], kernel = kernel, noise = none, epsilon = "average", hyper = hyper, control = quiet
        )
      })
      right <- gpc(case[[1]], case[[2]], kernel = kernel, epsilon = 0, hyper = "integrate", control = quiet)
      expect_equal(right$ep$log_evidence, fits[[1]]$ep$log_evidence, tolerance = 1e-6)
      expect_equal(first_prob(right, right$data$X), first_prob(fits[[1]], right$data$X), tolerance = 1e-6)
      for (fit in fits) {
        expect_silent(check_model(fit))
        expect_true(all(fit$epsilon == 0))
        expect_identical(fit$nodes$models$model, "none")
        expect_true(all(vapply(fit$nodes$omega, function(omega) all(omega[1, , ] == diag(dim(omega)[2])), NA)))
      }
    }
  }
})
