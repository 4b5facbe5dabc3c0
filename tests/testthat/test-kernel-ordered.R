# Fits to classes in an order

# Four classes by a latent function, `wrong` of whose labels are those of a neighbour
ordered_table <- function(n = 160, wrong = 12, seed = 62701, anywhere = FALSE) {
  withr::with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    f <- 1.5 * d$a + sin(2 * d$b) + rnorm(n, sd = 0.2)
    true <- findInterval(f, c(-1.2, 0, 1)) + 1
    at <- sample(n, wrong)
    moved <- pmin(4, pmax(1, true[at] + sample(c(-1, 1), wrong, TRUE)))
    moved <- ifelse(moved == true[at], ifelse(moved == 1, 2, 3), moved)
    if (anywhere) moved <- (true[at] + sample(3, wrong, TRUE) - 1) %% 4 + 1
    code <- replace(true, at, moved)
    d$y <- factor(c("low", "mid", "high", "top")[code], c("low", "mid", "high", "top"), ordered = TRUE)
    list(d = d, wrong = at, true = true)
  })
}
quiet_gpc <- function(...) suppressMessages(gpc(...), classes = "sturdy_message_ordered_outcome")

test_that("thresholds are learned, wrong labels found, and what they should be is said", {
  table <- ordered_table()
  expect_message(
    fit <- gpc(y ~ ., table$d, kernel = kernel_iso()), class = "sturdy_message_ordered_outcome"
  )
  expect_equal(latent_functions(fit), 1)
  # widths in units of each other: 1.2 and 1
  expect_named(fit$kernel$width, c("mid", "high"))
  expect_lt(abs(log(fit$kernel$width[[1]] / fit$kernel$width[[2]] / 1.2)), 0.25)
  p <- mean_wrong(truth(fit))
  right <- setdiff(seq_len(nrow(table$d)), table$wrong)
  expect_gt(mean(outer(p[table$wrong], p[right], ">")), 0.9)
  expect_lt(abs(sum(p) - 12), 7)
  found <- utils::head(mislabelled(fit), 8)
  true <- levels(table$d$y)[table$true[found$row]]
  expect_gt(mean(found$suggested == true), 0.6)
})

test_that("a fit in an order answers as others do, and the same after it was saved", {
  table <- ordered_table(80, 5)
  fit <- quiet_gpc(y ~ ., table$d, kernel = kernel_iso())
  new <- data.frame(a = c(-2, 0.1, 2, NA), b = c(0, 0.3, 1, 0))
  prob <- predict(fit, new, type = "prob")
  expect_equal(unname(rowSums(prob)), c(1, 1, 1, NA))
  X <- rows_to_predict(fit, new)$X
  at <- latent_new(latent_at(fit, 1), X)
  z <- outer(drop(at$m), native_cuts(fit$kernel$width), function(m, cut) cut - m) / sqrt(drop(at$s2))
  by_hand <- cbind(pnorm(z), 1) - cbind(0, pnorm(z))
  expect_equal(first_prob(fit, X), unname(by_hand), tolerance = 1e-12)
  # and through the points of the label stage
  few <- fit$label_stage$nodes$few
  points <- kept_points(fit$label_stage)[few$node]
  through <- function(p) kept_seen(p, points) # n x C x K
  staged <- apply(through(by_hand), 1:2, function(p) sum(p * few$weight))
  expect_equal(unname(prob[1:3, ]), staged, tolerance = 1e-8)
  expect_equal(predict(fit, new)[1:3], factor(
    levels(table$d$y)[max.col(staged)], levels(table$d$y)
  ))
  expect_equal(unname(predict(fit, new, type = "link")[1:3]), drop(at$m / sqrt(at$s2)))
  expect_named(predict(fit, new, type = "latent"), c("location", "scale", "df", "m", "s2"))
  ends <- predict(fit, new, interval = 0.9)
  # draws of the latent function without its nugget, in plain R
  nugget <- fit$kernel$nugget
  for (i in 1:2) {
    g <- withr::with_seed(1, rnorm(1e4, at$m[i], sqrt(at$s2[i] - nugget)))
    z <- outer(g, native_cuts(fit$kernel$width), function(g, cut) cut - g) / sqrt(nugget)
    p <- cbind(pnorm(z), 1) - cbind(0, pnorm(z))
    class <- which.max(prob[i, ])
    expect_lt(abs(mean(p[, class]) - by_hand[i, class]), 0.02)
    point <- withr::with_seed(2, sample(length(few$node), 1e4, TRUE, few$weight))
    p <- matrix(through(p)[, class, ], 1e4)[cbind(1:1e4, point)]
    below <- colMeans(outer(p, c(ends$lower[i, class], ends$upper[i, class]), "<="))
    if (i == 2) expect_lt(max(abs(below - c(0.05, 0.95))), 0.03)
  }
  expect_error(predict(fit, new, type = "response"), class = "sturdy_error_choice")
  expect_true(is.finite(log_evidence(fit)))
  expect_equal(log_evidence(fit, "ep_zp"), log_evidence(fit))
  expect_lt(abs(log_evidence(fit, "corrected") - log_evidence(fit)), 2)
  expect_lte(length(capture.output(print(fit))), 6)
  expect_output(print(summary(fit)), "4 classes in an order")
  expect_output(print(summary(fit)), "thresholds")
  expect_equal(nrow(loo(fit)$pointwise), 80)
  expect_length(residuals(fit), 80)
  omega <- noise_matrix(fit)
  expect_gt(omega["mid", "low"], omega["mid", "top"])
  expect_equal(rowSums(omega), c(low = 1, mid = 1, high = 1, top = 1))
  expect_length(fit$epsilon, 4)
  again <- unserialize(serialize(fit, NULL))
  expect_equal(predict(again, new, type = "prob"), prob)
  expect_null(wrong_field(again))
  # the gradient of the evidence is that of what was learned: near 0 but for the prior
  slope <- criterion(fit)$gradient
  expect_named(slope, names(coef(fit)))
  checked <- suppressMessages(update(fit, checked = data.frame(
    row = table$wrong[1], label = levels(table$d$y)[table$true[table$wrong[1]]]
  )))
  expect_equal(mislabelled(checked)$probability[mislabelled(checked)$row == table$wrong[1]], 0)
})

test_that("no rows are predicted in silence", {
  fit <- quiet_gpc(y ~ ., ordered_table(60, 4)$d, kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.1)
  none <- ordered_table()$d[0, ]
  expect_silent(prob <- predict(fit, none, type = "prob"))
  expect_identical(dim(prob), c(0L, 4L))
  expect_silent(found <- mislabelled(fit, newdata = none))
  expect_identical(nrow(found), 0L)
})

test_that("averages are over thresholds, too, with no rate of wrong labels, one, and by class", {
  table <- ordered_table(90, 7)
  fit <- quiet_gpc(
    y ~ ., table$d, kernel = kernel_iso(), epsilon = "average", hyper = "integrate"
  )
  # the fit allows for wrong labels, its label stage for none, too
  expect_identical(fit$nodes$models$model, "each")
  models <- noise_test(fit)$models
  expect_identical(models$model, c("none", "one", "each", paste0("alone", 1:4)))
  expect_equal(models$prior, c(0.3, 0.45, 0.1, rep(0.15 / 4, 4)))
  width <- vapply(nodes_hyper(fit), function(hyper) hyper$width[1], 1)
  expect_gt(stats::sd(log(width)), 0.01)
  expect_s3_class(noise_test(fit), "sturdy_noise_test")
  new <- data.frame(a = c(-2, 0.1), b = c(0, 0.3))
  prob <- predict(fit, new, type = "prob")
  expect_equal(unname(rowSums(prob)), c(1, 1))
  X <- rows_to_predict(fit, new)$X
  # over the nodes, each with its thresholds and its rate
  used <- used_nodes(fit)
  each <- lapply(used$node, function(k) first_prob(latent_at(fit, k), X))
  scores <- Reduce(`+`, Map(`*`, each, used$weight))
  few <- fit$label_stage$nodes$few
  seen <- kept_seen(scores, kept_points(fit$label_stage)[few$node])
  expect_equal(
    unname(prob), apply(seen, 1:2, function(p) sum(p * few$weight)), tolerance = 1e-8
  )
  # the link is the quantile of the mean probability of being above the middle
  expect_true(all(diff(predict(fit, new, type = "link")) > 0))
  ends <- predict(fit, new, interval = 0.9)
  expect_true(all(ends$lower <= ends$upper))
  expect_null(wrong_field(fit))
  expect_lte(length(capture.output(print(fit))), 6)
})

test_that("the gradient in normal coordinates is that of differences", {
  table <- ordered_table(40, 3)
  molded <- with_reports(mold_formula(y ~ ., table$d, TRUE, many = TRUE))
  kernel <- kernel_resolve(
    kernel_ard(), molded$data$X, blueprint_columns(molded$blueprint), c("a", "b"), integrate = TRUE
  )
  kernel <- ordered_kernel(kernel, molded$blueprint$levels)
  latent <- new_kernel_latent(
    molded$data, kernel, kernel_columns(kernel, blueprint_columns(molded$blueprint)), NULL
  )
  expect_equal(latent$functions, 1)
  noise <- noise_model("average", noise_prior(), latent$reports, share = latent_share(latent))
  spec <- gpc_spec(control = ep_control(tol = 1e-11))
  problem <- average_problem(latent, learner_noise(noise), spec)
  problem$search_control$tol <- 1e-11
  at <- function(z) learn_evaluation(problem, z, learn_ep_at(problem, z, NULL))
  z <- seq(-0.6, 0.7, length.out = length(problem$field))
  slope <- at(z)$gradient
  for (k in seq_along(z)) {
    moved <- function(by) at(replace(z, k, z[k] + by))$penalised
    expect_equal(slope[k], (moved(1e-4) - moved(-1e-4)) / 2e-4, tolerance = 1e-5)
  }
})

test_that("a rate goes to neighbours, and the gradient in it follows", {
  share <- neighbour_share(4)
  expect_equal(rowSums(share), rep(1, 4))
  expect_equal(diag(share), rep(0, 4))
  expect_equal(share[1, ], c(0, 0.9 + 0.1 / 3, 0.1 / 3, 0.1 / 3))
  expect_equal(share[2, ], c(0.45 + 0.1 / 3, 0, 0.45 + 0.1 / 3, 0.1 / 3))
  expect_equal(neighbour_share(4, 1), even_share(4))
  expect_equal(neighbour_share(2), matrix(c(0, 1, 1, 0), 2))
  omega <- as_omega(0.2, 4, 2L, share)
  expect_equal(omega[2, , ], 0.8 * diag(4) + 0.2 * share)
  expect_equal(omega_rates(omega[1, , ]), 0.2)
  expect_equal(omega_rates(0.5 * diag(4) + 0.5 * as_omega(0.2, 4, share = neighbour_share(4, 0.6))[1, , ]), 0.1)
  expect_equal(omega_rates(diag(4)), 0)
  one_of_three <- rbind(c(0.9, 0.1, 0), c(0, 0.9, 0.1), c(0.1, 0, 0.9))
  expect_equal(omega_rates(one_of_three), rep(0.1, 3))
})

test_that("errors that fall anywhere are as many as they are, and those on neighbours too", {
  far <- vapply(c(TRUE, FALSE), function(anywhere) {
    table <- ordered_table(200, 20, 62711, anywhere)
    fit <- quiet_gpc(y ~ ., table$d, kernel = kernel_iso(), hyper = "integrate")
    count <- wrong_count(fit, 0.9)
    expect_gt(count$count, 10)
    expect_gt(count$upper, 20)
    omega <- unclass(noise_matrix(fit))
    sum(omega[abs(row(omega) - col(omega)) > 1]) / sum(wrong_rates(omega))
  }, 0)
  expect_gt(far[1], 0.3) # a half fell further
  expect_lt(far[2], 0.15)
})

test_that("errors of the last class alone come first, and are not taken for another threshold", {
  found <- vapply(62731:62733, function(seed) {
    d <- withr::with_seed(seed, data.frame(a = rnorm(250), b = rnorm(250), e = rnorm(250, sd = 0.25), hit = runif(250) < 0.25))
    code <- findInterval(d$a + 0.5 * d$b + d$e, c(-1, 0, 0.8)) + 1
    wrong <- d$hit & code == 4
    d$y <- factor(code - wrong, ordered = TRUE)
    fit <- quiet_gpc(y ~ a + b, d, kernel = kernel_iso())
    p <- mean_wrong(truth(fit))
    models <- noise_test(fit)$models
    some <- models$model != "none"
    c(
      wrong = sum(wrong), expected = sum(p), above = mean(outer(p[wrong], p[!wrong], ">")),
      of_class = models$probability[models$model == "alone4"] / sum(models$probability[some])
    )
  }, numeric(4))
  expect_gt(mean(found["above", ]), 0.95)
  expect_gt(mean(found["of_class", ]), 0.5)
  expect_gt(sum(found["expected", ]), 0.2 * sum(found["wrong", ]))
})

test_that("with inducing inputs, trusted rows and rates by group an order is kept", {
  table <- ordered_table(120, 8)
  d <- table$d
  fit <- quiet_gpc(y ~ ., d, kernel = kernel_iso(), inducing = 15, trusted = 1:20)
  expect_equal(mean_wrong(truth(fit))[1:20], rep(0, 20))
  expect_equal(latent_functions(fit), 1)
  expect_null(wrong_field(fit))
  dense <- quiet_gpc(y ~ ., d, kernel = kernel_iso(), inducing = NULL, trusted = 1:20)
  new <- data.frame(a = seq(-2, 2, 0.5), b = 0.2)
  expect_lt(max(abs(predict(fit, new, "prob") - predict(dense, new, "prob"))), 0.2)
})

test_that("what an order can't have is refused by name, and factor() takes it away", {
  d <- ordered_table(60, 4)$d
  refused <- function(..., class) {
    expect_error(suppressMessages(gpc(y ~ ., d, ...)), class = paste0("sturdy_error_", class))
  }
  refused(epsilon = "matrix", class = "epsilon")
  refused(epsilon = "learn2", class = "epsilon")
  refused(kernels = "per class", class = "kernels")
  refused(criterion = "loo", class = "criterion")
  refused(noise = noise_prior(study = diag(4)), hyper = "integrate", class = "prior")
  refused(weights = rep(2, 60), class = "weights")
  expect_error(stc(y ~ ., d), class = "sturdy_error_outcome_levels")
  expect_error(bpm(y ~ ., d), class = "sturdy_error_outcome_levels")
  fit <- quiet_gpc(y ~ ., d, kernel = kernel_iso(), epsilon = 0.1)
  expect_equal(fit$epsilon, 0.1)
  expect_error(check_fit(fit), class = "sturdy_error_ordered")
  free <- expect_no_message(
    gpc(factor(y, ordered = FALSE) ~ a + b, d, kernel = kernel_iso(), epsilon = 0.1),
    class = "sturdy_message_ordered_outcome"
  )
  expect_equal(latent_functions(free), 4)
})
