# Fits to classes in an order

# Four classes by a latent function, `wrong` of whose labels are those of a neighbour
ordered_table <- function(n = 160, wrong = 12, seed = 62701) {
  withr::with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    f <- 1.5 * d$a + sin(2 * d$b) + rnorm(n, sd = 0.2)
    true <- findInterval(f, c(-1.2, 0, 1)) + 1
    at <- sample(n, wrong)
    moved <- pmin(4, pmax(1, true[at] + sample(c(-1, 1), wrong, TRUE)))
    moved <- ifelse(moved == true[at], ifelse(moved == 1, 2, 3), moved)
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
  at <- latent_new(fit, rows_to_predict(fit, new, NULL)$X, NULL)
  z <- outer(drop(at$m), native_cuts(fit$kernel$width), function(m, cut) cut - m) / sqrt(drop(at$s2))
  by_hand <- cbind(pnorm(z), 1) - cbind(0, pnorm(z))
  expect_equal(unname(prob[1:3, ]), unname(by_hand), tolerance = 1e-12)
  expect_equal(predict(fit, new)[1:3], factor(
    levels(table$d$y)[max.col(by_hand)], levels(table$d$y)
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
    below <- colMeans(outer(p[, class], c(ends$lower[i, class], ends$upper[i, class]), "<="))
    if (i == 2) expect_lt(max(abs(below - c(0.05, 0.95))), 0.03)
    expect_lt(abs(mean(p[, class]) - prob[i, class]), 0.02)
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
  expect_length(fit$epsilon, 1)
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

test_that("averages are over thresholds, too, with no rate of wrong labels and one", {
  table <- ordered_table(90, 7)
  fit <- quiet_gpc(
    y ~ ., table$d, kernel = kernel_iso(), epsilon = "average", hyper = "integrate"
  )
  expect_setequal(fit$nodes$models$model, c("none", "one"))
  expect_equal(sum(fit$nodes$models$prior), 1)
  width <- vapply(nodes_hyper(fit), function(hyper) hyper$width[1], 1)
  expect_gt(stats::sd(log(width)), 0.01)
  expect_s3_class(noise_test(fit), "sturdy_noise_test")
  new <- data.frame(a = c(-2, 0.1), b = c(0, 0.3))
  prob <- predict(fit, new, type = "prob")
  expect_equal(unname(rowSums(prob)), c(1, 1))
  X <- rows_to_predict(fit, new, NULL)$X
  by_node <- over_nodes(fit, function(k) prob_new(latent_at(fit, k), X))
  expect_equal(unname(prob), by_node, tolerance = 1e-10)
  # the link is the quantile of the mean probability of being above the middle
  expect_true(all(diff(predict(fit, new, type = "link")) > 0))
  ends <- predict(fit, new, interval = 0.9)
  expect_true(all(ends$lower <= ends$upper))
  expect_null(wrong_field(fit))
  expect_lte(length(capture.output(print(fit))), 6)
})

test_that("inputs that say nothing are a possibility, whose classes have the same shares in all rows", {
  d <- withr::with_seed(62710, {
    data.frame(a = rnorm(60), y = sample(c("a", "b", "c", "d"), 60, TRUE, c(0.1, 0.2, 0.6, 0.1)))
  })
  d$y <- factor(d$y, ordered = TRUE)
  for (inducing in list(NULL, 8)) {
    fit <- quiet_gpc(
      y ~ ., d, epsilon = "average", hyper = "integrate", inducing = inducing, kernel = kernel_iso()
    )
    flat <- which(at_constant(fit$nodes$table))
    expect_gt(length(flat), 2)
    for (k in flat[1:2]) {
      shares <- exp(node_seen(fit)[1, , k])
      expect_equal(drop(prob_new(latent_at(fit, k), fit$data$X[5, , drop = FALSE])), shares,
                   tolerance = 1e-6)
      omega <- nodes(fit)$omega[[k]]
      L <- report_likelihood(fit$data$reports, omega)
      expect_equal(fit$nodes$table$log_evidence[k], sum(log(L %*% shares)), tolerance = 1e-8)
    }
    # their evidence is that of shares alone: no rate of wrong labels, by the same draws
    latent <- new_kernel_latent(
      fit$data, fit$kernel, model_columns(fit), fit$inducing$Z, NULL
    )
    by_draws <- null_classes(latent, list(as_omega(0, 4)))$log_evidence
    unordered <- utils::modifyList(latent, list(functions = 4L))
    unordered$constant <- function(m) list(hyper = NULL, b = m, extra = NULL)
    expect_equal(by_draws, null_classes(unordered, list(as_omega(0, 4)))$log_evidence)
    checked <- suppressMessages(update(fit, checked = data.frame(row = 1, label = d$y[1])))
    expect_null(wrong_field(checked))
  }
})

test_that("the gradient in normal coordinates is that of differences", {
  table <- ordered_table(40, 3)
  molded <- with_reports(mold_formula(y ~ ., table$d, TRUE, many = TRUE))
  kernel <- kernel_resolve(
    kernel_ard(), molded$data$X, blueprint_columns(molded$blueprint), c("a", "b"), integrate = TRUE
  )
  kernel <- ordered_kernel(kernel, molded$blueprint$levels)
  latent <- new_kernel_latent(
    molded$data, kernel, kernel_columns(kernel, blueprint_columns(molded$blueprint)), NULL, NULL
  )
  expect_equal(latent$functions, 1)
  noise <- noise_model("average", noise_prior(), latent$reports, share = latent_share(latent))
  expect_named(noise$weights, c("none", "one"))
  spec <- gpc_spec(control = ep_control(tol = 1e-11))
  problem <- average_problem(latent, noise_of("one", noise), spec)
  problem$search_control$tol <- 1e-11
  at <- function(z) learn_evaluation(problem, z, learn_native(problem, z, NULL))
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
  expect_equal(neighbour_share(2), matrix(c(0, 1, 1, 0), 2))
  omega <- as_omega(0.2, 4, 2L, share)
  expect_equal(omega[2, , ], 0.8 * diag(4) + 0.2 * share)
  expect_equal(omega_rates(omega[1, , ]), 0.2)
  slope <- withr::with_seed(1, array(rnorm(32), c(2, 4, 4)))
  moved <- function(e) sum(slope * rates_omega(matrix(e), 4, share))
  for (s in 1:2) {
    e <- c(0.1, 0.3)
    by <- replace(c(0, 0), s, 1e-3)
    expect_equal(
      rates_slope(slope, 1L, share)[s], (moved(e + by) - moved(e - by)) / 2e-3, tolerance = 1e-8
    )
  }
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
  expect_error(criterion(fit, "loo"), class = "sturdy_error_several_classes")
  free <- expect_no_message(
    gpc(factor(y, ordered = FALSE) ~ a + b, d, kernel = kernel_iso(), epsilon = 0.1),
    class = "sturdy_message_ordered_outcome"
  )
  expect_equal(latent_functions(free), 4)
})
