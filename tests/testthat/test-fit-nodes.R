# Fits of every kind that average over nodes.

quiet <- ep_control(progress = FALSE)

tested <- function(..., model = gpc) {
  kernel <- kernel_iso(1.5, bias = 0.1, nugget = 0.1, fixed = c("lengthscale", "variance", "bias"))
  model(
    class ~ a + b, toy(), kernel = kernel, epsilon = "average", hyper = "integrate",
    control = quiet, ...
  )
}

test_that("a Student-t process has the weights of the Gaussian one and answers of its own", {
  gauss <- tested()
  student <- tested(model = stc, df = 8)
  expect_equal(student$nodes$models$log_evidence, gauss$nodes$models$log_evidence)
  # a node without a fixed point of t-EP leaves its weight to the others of its model
  all <- gauss$nodes$table
  kept <- all[match(student$nodes$table$log_evidence, all$log_evidence), ]
  expect_gt(nrow(kept), 0.95 * nrow(all))
  by_model <- function(table) tapply(table$weight, table$model, sum)
  share <- (by_model(all) / by_model(kept))[kept$model]
  expect_equal(student$nodes$table$weight, as.vector(kept$weight * share))
  k <- which.max(student$nodes$table$weight)
  hyper <- student$nodes$hyper[[k]]
  point <- stc(
    class ~ a + b, toy(), df = 8, epsilon = omega_rates(student$nodes$omega[[k]][1, , ]), control = quiet,
    kernel = do.call(kernel_iso, c(hyper, list(fixed = TRUE)))
  )
  expect_equal(node_truth(student)$log_z[, k], point$ep$loo, tolerance = 1e-3)
  expect_equal(wrong_each(node_truth(student))[, k], point$ep$flipped, tolerance = 1e-3)
})

test_that("inducing inputs at all rows give the average of the dense kernel", {
  dense <- tested()
  low_rank <- tested(inducing = toy()[c("a", "b")])
  expect_equal(low_rank$nodes$models$log_evidence, dense$nodes$models$log_evidence, tolerance = 1e-3)
  new <- data.frame(a = c(-1, 0.2), b = c(0.4, 0.1))
  expect_equal(
    predict(low_rank, new, type = "prob"), predict(dense, new, type = "prob"), tolerance = 0.01
  )
})

test_that("a Bayes point machine averages over nodes", {
  fit <- bpm(class ~ a + b, toy(), epsilon = "average", hyper = "integrate", control = quiet)
  new <- data.frame(a = c(-1, 0.2), b = c(0.4, 0.1))
  each <- vapply(seq_len(node_count(fit)), function(k) {
    point <- bpm(
      class ~ a + b, toy(), epsilon = omega_rates(fit$nodes$omega[[k]][1, , ]), nugget = fit$nodes$hyper[[k]]$nugget,
      control = quiet
    )
    unname(predict(point, new, type = "response"))
  }, numeric(2))
  X <- forge(fit$blueprint, new)$X
  found <- first_prob(fit, X, used = all_nodes(fit))[, 2]
  expect_equal(found, drop(each %*% node_weight(fit)), tolerance = 1e-3)
})

test_that("an average that absorbs by filtering goes on from its point", {
  fit <- bpm(class ~ a + b, toy(), epsilon = "average", hyper = "integrate", control = quiet)
  more <- absorb(fit, toy()[1:5, ])
  expect_null(more$nodes)
  expect_named(predict(more, toy()[1:2, ], type = "response"), c("1", "2"))
})

test_that("nodes that were changed by hand are refused", {
  fit <- tested()
  for (part in c("models", "table", "tau", "seen", "omega", "hyper")) {
    bad <- fit
    bad$nodes[[part]] <- NULL
    expect_error(mislabelled(bad), class = "sturdy_error_changed")
  }
})

test_that("diagnostics say how many nodes are effective, and which are rough", {
  fit <- tested()
  said <- ep_diagnostics(fit)
  expect_match(said$happened, "Integrated 2 hyperparameters|Integrated 3 hyperparameters", all = FALSE)
  # one number of nodes, of those that are averaged over
  over <- paste0("over ", node_count(fit), " nodes")
  expect_match(said$happened, over, fixed = TRUE, all = FALSE)
  expect_match(capture.output(print(summary(fit))), over, fixed = TRUE, all = FALSE)
  expect_equal(fit$nodes$models$nodes, c(table(fit$nodes$table$model)[fit$nodes$models$model]),
               ignore_attr = TRUE)
  bad <- fit
  bad$nodes$models$ess <- 3
  expect_match(ep_diagnostics(bad)$means, "Averages are rough", all = FALSE)
  bad$nodes$models$method <- "mode"
  expect_match(ep_diagnostics(bad)$happened, "Laplace", all = FALSE)
})
