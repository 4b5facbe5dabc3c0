# Labels of rows that a fit has not seen.

test_that("a row that was left out is told by its cavity, the prediction", {
  d <- toy(40)
  kernel <- kernel_iso(1.2, variance = 2, bias = 0.5, nugget = 0.1, fixed = TRUE)
  rest <- gpc(class ~ ., d[-7, ], kernel = kernel, epsilon = 0.1, control = ep_control(tol = 1e-12))
  found <- mislabelled(rest, newdata = d[7, ])
  # the same row in the table, of which nothing is reported: its cavity is all that is known
  all <- gpc(class ~ ., d, kernel = kernel, epsilon = 0.1, scale = FALSE)
  X <- forge(rest$blueprint, d, NULL)$X
  labels <- list(
    y = label_code(all$data), reports = label_reports(label_code(all$data), 2)
  )
  latent <- latent_kernel(X, model_columns(rest), labels, kernel)
  L <- label_likelihood(labels$y, as_omega(0.1, 2))
  L[7, ] <- 1
  out <- latent$native(kernel_hyper(rest$kernel), Inf, L, NULL, ep_control(tol = 1e-12))
  own <- label_likelihood(labels$y[7], as_omega(0.1, 2))
  joint <- own * exp(out$seen[7, ])
  expect_equal(found$probability, 1 - (joint / sum(joint))[labels$y[7]], tolerance = 1e-8)
  expect_equal(found$loo, sum(joint), tolerance = 1e-8)
})

test_that("labels of further rows are weighed by Bayes' rule over all nodes", {
  d <- toy_scores(3, 150)
  old <- 1:120
  fit <- averaged_stage(list(prob = d$prob[old, ], labels = d$labels[old]))
  new <- d$prob[-old, ]
  found <- mislabelled(fit, newdata = new, labels = d$labels[-old])
  at <- truth_new(fit, new, used = all_nodes(fit))
  omega <- node_omega(fit)
  code <- as.integer(d$labels[-old])
  expected <- vapply(1:30, function(i) {
    joint <- Reduce(`+`, lapply(seq_along(at$weight), function(k) {
      at$weight[k] * at$p[i, , k] * omega[[k]][, code[i]]
    }))
    1 - joint[code[i]] / sum(joint)
  }, 0)
  expect_equal(found$probability[order(found$row)], expected, tolerance = 1e-10)
  expect_setequal(found$row, 1:30)
  expect_equal(attr(found, "expected")$count, sum(expected), tolerance = 1e-8)
  expect_output(print(found), "30 labels")
  few <- mislabelled(fit, newdata = new, labels = d$labels[-old], fdr = 0.2)
  expect_lte(max(0, few$fdr), 0.2)
  expect_error(mislabelled(fit, newdata = new), class = "sturdy_error_missing_argument")
  expect_error(mislabelled(fit, labels = d$labels), class = "sturdy_error_unknown_argument")
})

test_that("a vector of the event is taken for further rows as well", {
  d <- toy_scores(2, 100)
  fit <- second_stage(d$prob[1:80, 2], d$labels[1:80], epsilon = 0.1, hyper = "optimum")
  one <- mislabelled(fit, newdata = d$prob[81:100, 2], labels = d$labels[81:100])
  two <- mislabelled(fit, newdata = d$prob[81:100, ], labels = d$labels[81:100])
  expect_equal(one$probability, two$probability)
})

test_that("new rows are called by all nodes, and by those with wrong labels if asked to", {
  fit <- gpc(
    class ~ a + b, toy(60), kernel = kernel_iso(1.5, bias = 0.1, fixed = "lengthscale"),
    epsilon = "average", hyper = "integrate", control = ep_control(progress = FALSE)
  )
  new <- toy(20)
  code <- as.integer(new$class)
  X <- forge(fit$blueprint, new, NULL)$X
  at <- truth_new(fit, X, used = all_nodes(fit))
  wrong <- function(these) {
    joint <- Reduce(`+`, lapply(which(these), function(k) {
      at$weight[k] * at$p[, , k] * t(node_omega(fit)[[k]])[code, ]
    }))
    1 - joint[cbind(1:20, code)] / rowSums(joint)
  }
  model <- nodes(fit)$model
  found <- mislabelled(fit, newdata = new)
  expect_equal(found$probability[order(found$row)], wrong(rep(TRUE, length(model))))
  expect_equal(found$if_some[order(found$row)], wrong(model != "none"))
  # the verdict on the training rows decides here, too
  expect_lt(noise_test(fit)$bayes_factor, 3)
  expect_message(
    none <- mislabelled(fit, newdata = new, fdr = 0.5), class = "sturdy_message_open_verdict"
  )
  expect_equal(nrow(none), 0)
  some <- suppressMessages(mislabelled(fit, newdata = new, fdr = 0.5, given = "some"))
  expected <- sort(wrong(model != "none"), decreasing = TRUE)
  expect_equal(nrow(some), max(0, which(cumsum(1 - expected) <= 0.5 * seq_along(expected))))
})
