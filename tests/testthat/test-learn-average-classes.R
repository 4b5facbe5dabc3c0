# Averages with three classes or more: over hyperparameters and one rate, and what the label stage makes
# of them.

three_groups <- function(n, wrong, seed = 4) {
  set.seed(seed)
  x <- matrix(rnorm(2 * n), n)
  true <- max.col(cbind(x[, 1], x[, 2], -x[, 1] - x[, 2]))
  y <- true
  at <- seq_len(n) <= round(wrong * n)
  y[at] <- y[at] %% 3 + 1
  list(x = x, y = factor(c("a", "b", "c")[y]), true = true, wrong = which(at))
}
held_three <- function() kernel_iso(1.5, nugget = 0.05, fixed = TRUE)

test_that("the evidence of one rate is the integral over it", {
  d <- three_groups(60, 0.1)
  fit <- gpc(
    d$x, d$y, kernel = held_three(), epsilon = "learn", hyper = "integrate", scale = FALSE
  )
  grid <- seq(0.0125, 0.4875, by = 0.025) # of a smooth density
  at <- vapply(grid, function(epsilon) {
    held <- gpc(d$x, d$y, kernel = held_three(), epsilon = epsilon, scale = FALSE)
    log_evidence(held, "corrected")
  }, 0)
  density <- 8 * (1 - 2 * grid)^3 # 2 epsilon ~ Beta(1, 4)
  truth <- max(at) + log(sum(exp(at - max(at)) * density) * 0.025)
  expect_equal(log_evidence(fit, "integrated"), truth, tolerance = 0.05 / abs(truth))
  weight <- exp(at - max(at)) * density
  expect_equal(unname(fit$epsilon), sum(grid * weight) / sum(weight), tolerance = 0.1)
})

test_that("averages are those of fits at the nodes", {
  local_fewer_points()
  d <- three_groups(40, 0.1)
  whole <- gpc(d$x, d$y, kernel = kernel_iso(), hyper = "integrate")
  fit <- first_stage(whole)
  new <- d$x[1:5, ] + 0.1
  nodes <- fit$nodes
  expect_equal(sum(nodes$table$weight), 1)
  expect_identical(unique(nodes$table$model), "matrix")
  parts <- lapply(seq_along(nodes$hyper), function(k) {
    h <- nodes$hyper[[k]]
    kernel <- kernel_iso(h$lengthscale, h$variance, h$bias, h$nugget, fixed = TRUE)
    one <- gpc(d$x, d$y, kernel = kernel, epsilon = nodes$omega[[k]][1, , ])
    list(
      prob = predict(one, new, type = "prob"), flipped = one$ep$flipped,
      recorded = predict(one, new, type = "prob", noise = TRUE)
    )
  })
  mean_of <- function(name, used = all_nodes(fit)) {
    Reduce(`+`, Map(function(part, w) part[[name]] * w, parts[used$node], used$weight))
  }
  used <- used_nodes(fit) # few of them do for predictions
  expect_equal(predict(fit, new, type = "prob"), mean_of("prob", used), tolerance = 1e-4)
  expect_equal(
    predict(fit, new, type = "prob", noise = TRUE), mean_of("recorded", used), tolerance = 1e-4
  )
  expect_lt(max(abs(mean_of("prob", used) - mean_of("prob"))), 0.01)
  expect_equal(mean_wrong(truth(fit)), mean_of("flipped"), tolerance = 1e-3)
  # the label stage has the true class for its scores
  points <- kept_points(whole$label_stage)
  few <- whole$label_stage$nodes$few
  seen <- kept_seen(mean_of("prob", used), points[few$node])
  expect_equal(
    unname(predict(whole, new, type = "prob")), apply(seen, 1:2, function(p) sum(p * few$weight)),
    tolerance = 1e-3
  )
  expect_equal(sum(matrix_counts(judged_by(whole))), 40, tolerance = 1e-8)
  expect_equal(unname(rowSums(predict(whole, new, type = "prob", noise = TRUE))), rep(1, 5))
  latent <- predict(fit, new, type = "latent")
  expect_true(all(latent$sd > 0))
})

test_that("one number of wrong labels, and two statements", {
  d <- three_groups(60, 0.1)
  fit <- gpc(d$x, d$y, kernel = kernel_iso(), hyper = "integrate")
  test <- noise_test(fit)
  expect_identical(test$models$model, c("none", "one", "each", "matrix", paste0("alone", 1:3)))
  expect_equal(sum(test$models$probability), 1)
  found <- mislabelled(fit)
  expect_equal(test$average$count, sum(found$probability), tolerance = 1e-6)
  expect_equal(attr(found, "expected")$count, test$average$count)
  expect_equal(
    test$average$count, (1 - test$probability_none) * test$some$count, tolerance = 1e-6
  )
  expect_true(test$some$lower <= 6 && 6 <= test$some$upper)
  expect_true(all(found$if_some >= found$probability))
  expect_gt(mean(found$row[1:6] %in% d$wrong), 0.6)
  suggested <- found$suggested[match(d$wrong, found$row)]
  expect_gt(mean(suggested == c("a", "b", "c")[d$true[d$wrong]]), 0.6)
  expect_match(printed(fit), "Wrong labels[?] (Yes|Probably)")
  expect_match(printed(test), "matrix")
  m <- noise_matrix(fit)
  expect_equal(unname(rowSums(m)), rep(1, 3))
  expect_true(all(attr(m, "lower") <= m + 1e-12 & m <= attr(m, "upper") + 1e-12))
})

test_that("classes taken for particular others are seen", {
  set.seed(2)
  n <- 150
  x <- matrix(rnorm(2 * n), n)
  true <- max.col(cbind(x[, 1], x[, 2], -x[, 1] - x[, 2]))
  y <- true
  wrong <- runif(n) < 0.25
  y[wrong] <- y[wrong] %% 3 + 1
  fit <- gpc(x, factor(y), kernel = kernel_iso())
  test <- noise_test(fit)
  expect_gt(test$two, 3)
  expect_gt(test$bayes_factor, 20)
  expect_match(printed(test), "particular others")
  found <- noise_matrix(fit)
  expect_true(all(found[cbind(1:3, c(2, 3, 1))] > 0.12))
  expect_true(all(found[cbind(1:3, c(3, 1, 2))] < 0.1))
})

test_that("one point is the escape, and a held fit needs no nodes", {
  local_fewer_points()
  d <- three_groups(40, 0.1)
  point <- gpc(d$x, d$y, kernel = kernel_iso(), epsilon = "learn", hyper = "optimum")
  expect_null(point$nodes)
  expect_error(noise_test(point), class = "sturdy_error_no_average")
  best <- update(point, epsilon = "average")
  expect_equal(c(node_count(best), nrow(noise_test(best)$models)), c(1, 7))
  back <- update(best, hyper = "integrate")
  expect_equal(nrow(noise_test(back)$models), 7)
  expect_identical(point$label_stage$nodes$models$model, "one")
  expect_null(gpc(d$x, d$y, kernel = held_three(), epsilon = 0.1)$nodes)
  given <- gpc(d$x, d$y, kernel = kernel_iso(), epsilon = rate_matrix(0.1, 3), hyper = "integrate")
  expect_equal(unname(given$omega), rate_matrix(0.1, 3))
  expect_gt(node_count(given), 5)
  expect_error(
    gpc(d$x, d$y, noise = noise_prior(sensitivity = c(9, 1))), class = "sturdy_error_prior"
  )
})

test_that("an average is saved, absorbs rows and knows trusted ones", {
  local_fewer_points()
  noise <- noise_prior(c(none = 1, one = 1))
  d <- three_groups(45, 0.1)
  data <- data.frame(d$x, y = d$y)
  data$X1[7] <- NA
  fit <- gpc(
    y ~ ., data, kernel = kernel_iso(), inducing = 15, trusted = d$wrong[1:2],
    hyper = "integrate", noise = noise
  )
  expect_equal(nobs(fit), 44L)
  expect_equal(row_flipped(fit)[1:2], c(0, 0))
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), data, type = "prob"), predict(fit, data, type = "prob"))
  expect_true(is.na(predict(fit, data)[7]))
  expect_error(absorb(fit, data[1:2, ]), class = "sturdy_error_known_labels")
  some <- gpc(y ~ ., data[-(40:45), ], kernel = kernel_iso(), hyper = "integrate", noise = noise)
  more <- absorb(some, data[40:45, ])
  expect_equal(nobs(more), 44L)
  expect_equal(sum(more$nodes$table$weight), 1)
  expect_false(isTRUE(all.equal(log_evidence(more, "integrated"), log_evidence(some, "integrated"))))
  expect_equal(length(row_loo(more)), 44)
  review <- review(fit, 3)
  checked <- data.frame(row = review$row, label = c("a", "b", "c")[d$true[review$row]])
  next_fit <- suppressMessages(update(fit, checked = checked))
  expect_equal(row_flipped(next_fit)[match(review$row, next_fit$data$rows)], c(0, 0, 0))
})

test_that("each class has a kernel of its own", {
  d <- three_groups(50, 0.1)
  own <- gpc(d$x, d$y, kernel = kernel_iso(), kernels = "per class", epsilon = 0.1,
             hyper = "optimum")
  expect_length(own$kernel$nugget, 3)
  expect_gt(diff(range(own$kernel$lengthscale)), 1e-4)
  expect_equal(
    names(coef(own))[1:5],
    c("lengthscale@a", "variance@a", "bias@a", "nugget@a", "lengthscale@b")
  )
  shared <- gpc(d$x, d$y, kernel = kernel_iso(), epsilon = 0.1, hyper = "optimum")
  # held alike, the two are one
  h <- model_hyper(shared)
  like <- own
  like$kernel[names(h)] <- lapply(h, rep, 3)
  out <- lapply(list(like, shared), function(fit) {
    L <- row_likelihood(fit)
    latent_ep(model_latent(fit), model_hyper(fit), Inf, L, NULL, ep_control(), gradient = TRUE)
  })
  expect_equal(out[[1]]$log_evidence, out[[2]]$log_evidence, tolerance = 1e-10)
  expect_equal(sum(out[[1]]$gradient$nugget), out[[2]]$gradient$nugget, tolerance = 1e-6)
  # gradient against differences
  latent <- model_latent(own)
  at <- model_hyper(own)
  L <- row_likelihood(own)
  slope <- latent_ep(latent, at, Inf, L, NULL, ep_control(tol = 1e-10), gradient = TRUE)$gradient
  for (name in c("lengthscale", "nugget", "bias")) {
    for (c in 1:3) {
      value <- vapply(c(1, -1), function(s) {
        to <- at
        to[[name]][c] <- to[[name]][c] * exp(s * 1e-4)
        latent_ep(latent, to, Inf, L, NULL, ep_control(tol = 1e-11))$log_evidence
      }, 0)
      expect_equal(as.vector(slope[[name]])[c], diff(rev(value)) / 2e-4, tolerance = 1e-5)
    }
  }
  average <- gpc(d$x, d$y, kernel = kernel_iso(), kernels = "per class", epsilon = 0.1,
                 hyper = "integrate")
  expect_gt(node_count(average), 3)
  expect_equal(unname(rowSums(predict(average, type = "prob"))), rep(1, 50))
  low <- gpc(d$x, d$y, kernel = kernel_iso(), kernels = "per class", epsilon = 0.1,
             hyper = "optimum", inducing = 40)
  expect_lt(max(abs(predict(low, type = "prob") - predict(own, type = "prob"))), 0.1)
  expect_match(printed(summary(low)), "a kernel for each class")
  expect_error(
    gpc(d$x, d$y == "a", kernels = "per class"), class = "sturdy_error_kernels"
  )
  expect_error(gpc_spec(kernels = "average"), class = "sturdy_error_choice")
})

test_that("a study of very many rows is as good as the matrix itself", {
  d <- three_groups(45, 0.15)
  omega <- rbind(c(0.85, 0.1, 0.05), c(0.02, 0.9, 0.08), c(0.05, 0.05, 0.9))
  kernel <- kernel_iso(1.5, nugget = 0.05, fixed = TRUE)
  dimnames(omega) <- rep(list(levels(factor(d$y))), 2)
  study <- noise_prior(study = 1e6 * omega[3:1, c(2, 3, 1)]) # by their names
  fit <- gpc(d$x, d$y, kernel = kernel, noise = study, epsilon = "matrix")
  expect_identical(fit$label_stage$nodes$models$model, "matrix")
  found <- noise_matrix(fit)
  expect_equal(unclass(found), omega, tolerance = 1e-3, ignore_attr = TRUE)
  expect_lt(max(attr(found, "upper") - attr(found, "lower")), 0.003)
  # rows are as where the label stage is given the matrix, for the same scores
  local_mocked( # two integrals
    label_points = c(usual = 1024L, plain = 64L), label_kept = function(...) 1024L
  )
  spec <- second_stage_spec(epsilon = omega, hyper = "integrate")
  given <- new_second_stage(spec, label_stage_scores(fit), "recorded")
  stage <- with_label_stage(fit)
  # of some 250 effective points each, for probabilities with a spread of some .3
  expect_lt(max(abs(row_flipped(stage) - row_flipped(given))), 0.04)
  # a study of a few rows moves the matrix towards it
  few <- noise_matrix(gpc(d$x, d$y, kernel = kernel, epsilon = "matrix"))
  some <- noise_prior(study = rbind(c(10, 10, 0), c(0, 20, 0), c(0, 0, 20)))
  some <- noise_matrix(gpc(d$x, d$y, kernel = kernel, epsilon = "matrix", noise = some))
  expect_gt(some[1, 2], few[1, 2] + 0.1)
  expect_lt(some[2, 1], few[2, 1])
})

test_that("a study of two classes is their sensitivity and specificity", {
  d <- toy()
  study <- rbind(yes = c(yes = 40, no = 8), no = c(1, 60))
  fit <- function(...) {
    gpc(class ~ a + b, d, kernel = held(), noise = noise_prior(...), hyper = "integrate",
        epsilon = "average")
  }
  told <- fit(study = study)
  same <- fit(sensitivity = c(40.5, 8.5), specificity = c(60.5, 1.5))
  expect_identical(told$nodes, same$nodes)
  expect_identical(told$nodes$models$model, "two")
  expect_identical(fit(study = unname(study[2:1, 2:1]))$nodes, same$nodes)
  linear <- bpm(class ~ a + b, d, noise = noise_prior(study = study))
  expect_identical(linear$spec$noise$sensitivity, c(40.5, 8.5))
  for (bad in list(1:4, matrix(1, 2, 3), -study, 0 * study, matrix("a", 2, 2))) {
    expect_error(noise_prior(study = bad), class = "sturdy_error_prior")
  }
  expect_error(noise_prior(study = study, sensitivity = c(4, 1)), class = "sturdy_error_prior")
  expect_error(fit(study = diag(3)), class = "sturdy_error_prior")
  expect_error(
    fit(study = matrix(1, 2, 2, dimnames = list(c("a", "b"), NULL))),
    class = "sturdy_error_prior"
  )
  expect_snapshot(print(noise_prior(study = study)))
})

test_that("with rows whose class is known rates are those of all counts under their prior", {
  d <- withr::with_seed(3, data.frame(a = rnorm(60), b = rnorm(60)))
  truth <- 1 + (d$a + d$b > 0)
  said <- replace(truth, c(3, 21, 22, 45), 3 - truth[c(3, 21, 22, 45)])
  d$y <- factor(c("no", "yes"))[said]
  fit <- gpc(
    y ~ a + b, d, kernel = held(), epsilon = "learn2", hyper = "integrate",
    control = ep_control(progress = FALSE)
  )
  checked <- data.frame(row = 1:60, label = c("no", "yes")[truth])
  fit <- suppressMessages(update(fit, checked = checked))
  # e_c ~ Beta(1, 2), the second cut off where the first leaves it
  e <- (seq_len(200) - 0.5) / 200
  grid <- expand.grid(e1 = e, e2 = e)
  grid <- grid[grid$e1 + grid$e2 < 1, ]
  k <- table(truth, said)
  log_w <- with(grid, dbeta(e1, 1, 2, log = TRUE) + dbeta(e2, 1, 2, log = TRUE) -
    pbeta(1 - e1, 1, 2, log.p = TRUE) + k[1, 2] * log(e1) + k[1, 1] * log1p(-e1) +
    k[2, 1] * log(e2) + k[2, 2] * log1p(-e2))
  w <- exp(log_w - max(log_w))
  w <- w / sum(w)
  # of the fit itself and of its label stage
  first <- nodes(fit)
  mean_of <- function(t) sum(first$weight * vapply(first$omega, function(o) o[1, t, 3 - t], 0))
  expect_equal(c(mean_of(1), mean_of(2)), c(sum(w * grid$e1), sum(w * grid$e2)), tolerance = 0.05)
  found <- flip_rates(fit)
  expect_equal(found$rate, c(sum(w * grid$e1), sum(w * grid$e2)), tolerance = 0.05)
  for (t in 1:2) {
    inside <- grid[[t]] >= found$lower[t] & grid[[t]] <= found$upper[t]
    expect_lt(abs(sum(w[inside]) - 0.9), 0.05)
  }
})

test_that("with rows whose class is known the matrices of readers are those of counts under their prior", {
  d <- iris[c(1:20, 51:70, 101:120), ]
  row.names(d) <- NULL
  truth <- as.integer(d$Species)
  code <- withr::with_seed(5, {
    cbind(
      ifelse(runif(60) < 0.2, truth %% 3 + 1, truth), ifelse(runif(60) < 0.1, 4 - truth, truth),
      ifelse(runif(60) < 0.3, sample(3, 60, TRUE), truth)
    )
  })
  d[c("r1", "r2", "r3")] <- lapply(1:3, function(r) factor(levels(d$Species)[code[, r]], levels(d$Species)))
  control <- ep_control(progress = FALSE)
  fit <- suppressMessages(gpc(
    readers(r1, r2, r3) ~ Sepal.Length + Petal.Length, d, epsilon = "average", hyper = "integrate",
    kernel = kernel_iso(1, nugget = 0.1, fixed = TRUE), control = control
  ))
  local_mocked( # more points than usual, so that they are an integral
    label_points = c(usual = 1024L, plain = 64L), label_kept = function(...) 1024L
  )
  checked <- data.frame(row = 1:60, label = d$Species)
  fit <- suppressMessages(update(fit, checked = checked))
  found <- matrix(reader_rates(fit)$right, 3, byrow = TRUE) # readers x classes
  # rates e ~ Beta(1, 4) below .7, of three readers correlated by .2; where to by exp(2.5 z)
  withr::local_seed(1)
  root <- chol(0.8 * diag(3) + 0.2)
  for (t in 1:3) {
    z <- matrix(rnorm(3e5), ncol = 3) %*% root
    e <- qbeta(pnorm(z) * pbeta(0.7, 1, 4), 1, 4)
    right <- colSums(code == t & truth == t)
    w <- exp(drop(log1p(-e) %*% right + log(e) %*% (sum(truth == t) - right)))
    expect_lt(max(abs(found[, t] - 1 + colSums(w * e) / sum(w))), 0.02)
  }
})

test_that("a study of two classes is the prior of each reader", {
  d <- reader_table()$d
  study <- rbind(no = c(no = 900, yes = 100), yes = c(200, 800))
  fit <- suppressMessages(gpc(
    readers(a, b, c) ~ x1 + x2, d, kernel = kernel_iso(1.5, fixed = TRUE), hyper = "integrate",
    epsilon = "average", noise = noise_prior(study = study), control = ep_control(progress = FALSE)
  ))
  found <- reader_rates(fit)
  expect_equal(found$right, rep(c(0.9, 0.8), 3), tolerance = 0.02)
  expect_lt(max(found$upper - found$lower), 0.05)
})


test_that("each of seven classes taken for the next is seen, where errors go being held", {
  d <- withr::with_seed(62752, {
    y <- rep(1:7, 22)
    data.frame(
      a = 3 * cos(2 * pi * y / 7) + rnorm(154, sd = 0.7), b = 3 * sin(2 * pi * y / 7) + rnorm(154, sd = 0.7),
      y, wrong = runif(154) < 0.2
    )
  })
  d$class <- letters[ifelse(d$wrong, d$y %% 7 + 1, d$y)]
  fit <- gpc(class ~ a + b, d, kernel = kernel_iso(), hyper = "integrate")
  # a rate for each class is integrated, and most of its errors go to the next
  expect_identical(fit$nodes$models$model, "each")
  shares <- wrong_shares(fit$nodes$point[1, , ])
  expect_gt(min(shares[cbind(1:7, c(2:7, 1))]), 0.4)
  expect_gt(sum(mean_wrong(truth(fit))), sum(d$wrong) / 2) # 35, of which 5 were expected with shares that are even
})

test_that("shares of wrong labels are those of the rows of a matrix beside its diagonal", {
  omega <- rbind(c(0.7, 0.1, 0.2), c(0, 0.9, 0.1), c(0.3, 0.3, 0.4))
  expect_equal(wrong_shares(omega), rbind(c(0, 1, 2) / 3, c(0, 0, 1), c(1, 1, 0) / 2))
})

test_that("a mode that is the only node has the probabilities of all classes, whatever its search has kept", {
  d <- three_groups(60, 0.1)
  molded <- with_reports(mold_formula(y ~ ., data.frame(d$x, y = d$y), TRUE, many = TRUE))
  kernel <- kernel_resolve(kernel_iso(), molded$data$X, blueprint_columns(molded$blueprint), c("X1", "X2"), integrate = TRUE)
  latent <- new_kernel_latent(molded$data, kernel, kernel_columns(kernel, blueprint_columns(molded$blueprint)), 12)
  latent$second <- FALSE # as of many rows
  spec <- gpc_spec()
  problem <- average_problem(latent, average_noise(latent, spec), spec)
  mode <- learn_objective(problem)$at(problem$start)
  mode$H <- diag(length(mode$par))
  seen <- node_at_modes(problem, list(mode))$out[[1]]$seen
  expect_equal(seen, node_evaluate(problem, list(mode), matrix(mode$par))[[1]]$seen, tolerance = 1e-6)
  expect_equal(rowSums(exp(matrix(seen, ncol = 3))), rep(1, 60), tolerance = 1e-6)
})
