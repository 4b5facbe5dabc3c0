# Averages over noise models with three classes or more.

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
  grid <- seq(0.002, 0.45, by = 0.004)
  at <- vapply(grid, function(epsilon) {
    held <- gpc(d$x, d$y, kernel = held_three(), epsilon = epsilon, scale = FALSE)
    log_evidence(held, "corrected")
  }, 0)
  density <- 8 * (1 - 2 * grid)^3 # 2 epsilon ~ Beta(1, 4)
  truth <- max(at) + log(sum(exp(at - max(at)) * density) * 0.004)
  expect_equal(log_evidence(fit, "integrated"), truth, tolerance = 0.05 / abs(truth))
  weight <- exp(at - max(at)) * density
  expect_equal(unname(fit$epsilon), sum(grid * weight) / sum(weight), tolerance = 0.1)
})

# The evidence of a matrix by importance sampling of the matrix and of the prior's parameters, from
# the prior given 0.7 of the counts: with 400 draws its standard error is below 0.2.
test_that("the evidence of a matrix is its integral, and the bound is below it", {
  d <- three_groups(60, 0.2)
  fit <- gpc(
    d$x, d$y, kernel = held_three(), epsilon = "matrix", hyper = "integrate", scale = FALSE
  )
  set.seed(9)
  counts <- 0.7 * fit$noise$counts
  right <- diag(counts)
  off <- rbind(counts[1, -1], counts[2, -2], counts[3, -3])
  rate <- stats::rbeta(2e4, 1, 4) / 2
  strength <- exp(stats::rnorm(2e4, log(150), 1))
  apart <- exp(stats::rnorm(2e4, 0, 1.5))
  marginal <- 0 # of these counts
  for (c in 1:3) {
    a <- strength * rate
    b <- strength - a
    marginal <- marginal + lbeta(a + sum(off[c, ]), b + right[c]) - lbeta(a, b) +
      lbeta(apart / 2 + off[c, 1], apart / 2 + off[c, 2]) - lbeta(apart / 2, apart / 2)
  }
  drawn <- sample.int(2e4, 400, TRUE, exp(marginal - max(marginal)))
  latent <- model_latent(fit)
  hyper <- model_hyper(fit)
  control <- with_second(ep_control(tol = 1e-4))
  ratio <- vapply(drawn, function(k) {
    a <- strength[k] * rate[k]
    wrong <- stats::rbeta(3, a + rowSums(off), strength[k] - a + right)
    to <- stats::rbeta(3, apart[k] / 2 + off[, 1], apart[k] / 2 + off[, 2])
    to <- pmin(pmax(to, 1e-250), 1 - 1e-16)
    log_power <- sum(right * log1p(-wrong)) + sum(rowSums(off) * log(wrong)) +
      sum(off[, 1] * log(to)) + sum(off[, 2] * log1p(-to))
    omega <- diag(1 - wrong)
    omega[cbind(1:3, c(2, 1, 1))] <- wrong * to
    omega[cbind(1:3, c(3, 3, 2))] <- wrong * (1 - to)
    out <- latent$native(hyper, Inf, latent_likely(latent, omega), NULL, control)
    if (!ep_converged(out)) return(-Inf)
    corrected_evidence(out) - log_power
  }, 0) + log_sum(marginal) - log(2e4)
  truth <- log_sum(ratio) - log(400)
  expect_equal(log_evidence(fit, "integrated"), truth, tolerance = 0.4 / abs(truth))
  expect_identical(fit$nodes$models$method, "nodes")
  bound <- fit$nodes$models$laplace
  expect_lt(bound, truth + 0.3)
  expect_gt(bound, truth - 2.5)
  # every node has a matrix of its own
  expect_false(anyDuplicated(fit$nodes$omega) > 0)
  expect_equal(rowSums(fit$nodes$omega[[2]][1, , ]), rep(1, 3))
})

test_that("matrices of nodes are drawn from what their density says", {
  counts <- matrix(c(20, 3, 0.2, 1, 25, 0, 4, 0.1, 30), 3)
  component <- list(centre = 0, matrix = matrix_component(
    list(counts = counts, shape = 4, study = 0 * counts), 0.7
  ))
  points <- matrix_points(component, 4000, 0)
  expect_equal(colSums(exp(points[c(1, 4, 7), ])), rep(1, 4000))
  # the prior integrates to one
  few <- list(centre = 0, matrix = matrix_component(
    list(counts = counts / 10, shape = 4, study = 0 * counts), 0.7
  ))
  wide <- matrix_points(few, 4000, 0)
  expect_equal(mean(exp(-matrix_log_ratio(wide, few$matrix))), 1, tolerance = 0.1)
  # a row's mean is that of its Beta distributions, and where it goes of its Dirichlet ones
  n <- component$matrix$counts
  posterior <- matrix_prior_grid(n, 4)
  often <- posterior$often
  mean <- sum(often$share * (often$strength * (1 - often$rate) + n[1, 1]) /
    (often$strength + sum(n[1, ])))
  expect_equal(mean(exp(points[1, ])), mean, tolerance = 0.01)
  to <- posterior$whereto
  mean <- sum(to$share * (to$apart / 2 + n[1, 2]) / (to$apart + n[1, 2] + n[1, 3]))
  expect_equal(mean(exp(points[4, ]) / (1 - exp(points[1, ]))), mean, tolerance = 0.02)
})

test_that("the prior of a matrix has two levels, and its marginals are integrals", {
  counts <- rbind(c(8, 2, 0), c(1, 9, 3), c(0, 0.5, 4))
  # by one draw of a category after the other
  one <- rbind(c(2, 3, 1), 0, 0)
  diag(one)[2:3] <- 0
  expect_equal(
    often_marginal(0.1, 20, one), log(prod(18:19) * prod(2:5) / prod(20:25))
  )
  expect_equal(whereto_marginal(1.4, one), log(prod(0.7 + 0:2) * 0.7 / prod(1.4 + 0:3)))
  # by draws from the prior, rows and all
  set.seed(3)
  n <- 2e5
  rate <- stats::rbeta(n, 1, 4) / 2
  strength <- exp(stats::rnorm(n, log(150), 1))
  apart <- exp(stats::rnorm(n, 0, 1.5))
  log_p <- 0
  for (c in 1:3) {
    wrong <- stats::rbeta(n, strength * rate, strength * (1 - rate))
    to <- stats::rbeta(n, apart / 2, apart / 2)
    off <- counts[c, -c]
    power <- function(x, k) if (k > 0) k * log(x) else 0
    log_p <- log_p + power(1 - wrong, counts[c, c]) + power(wrong, sum(off)) +
      power(to, off[1]) + power(1 - to, off[2])
  }
  p <- exp(log_p)
  grid <- matrix_prior_grid(counts, 4)
  expect_lt(abs(exp(grid$log_marginal) - mean(p)), 4 * stats::sd(p) / sqrt(n) + 0.01 * mean(p))
  mean_of <- function(of, name) sum(of$share * of[[name]])
  expect_equal(mean_of(grid$often, "rate"), sum(p * rate) / sum(p), tolerance = 0.03)
  expect_equal(
    sum(grid$whereto$share * log(grid$whereto$apart)), sum(p * log(apart)) / sum(p),
    tolerance = 0.05
  )
})

test_that("the posterior of a matrix has the moments of its draws, and divergences theirs", {
  set.seed(4)
  prior <- list(rate = 0.1, strength = 30, apart = 1.2)
  counts <- rbind(c(8, 2, 0), c(1, 9, 3), c(0, 0.5, 4))
  posterior <- matrix_posterior(prior, counts)
  off <- rbind(c(2, 0), c(1, 3), c(0, 0.5))
  draws <- replicate(2e4, {
    wrong <- stats::rbeta(3, 3 + rowSums(off), 27 + c(8, 9, 4))
    to <- stats::rbeta(3, 0.6 + off[, 1], 0.6 + off[, 2])
    c(wrong * to, wrong * (1 - to), 1 - wrong)
  })
  entries <- cbind(c(1, 2, 3, 1, 2, 3, 1, 2, 3), c(2, 1, 1, 3, 3, 2, 1, 2, 3))
  error <- apply(draws, 1, stats::sd) / sqrt(2e4)
  expect_true(all(abs(matrix_mean(posterior)[entries] - rowMeans(draws)) < 4 * error))
  expect_true(all(
    abs(matrix_geometric(posterior)[entries] / exp(rowMeans(log(draws))) - 1) <
      4 * apply(log(draws), 1, stats::sd) / sqrt(2e4) + 1e-3
  ))
  expect_equal(
    matrix_variance(posterior)[entries], apply(draws, 1, stats::var), tolerance = 0.05
  )
  # the mean of log posterior less log prior; the densities differ by the counts' powers alone
  log_ratio <- log(draws[c(1, 2, 3, 4, 5, 6, 7, 8, 9), ])
  power <- c(2, 1, 0, 0, 3, 0.5, 8, 9, 4)
  value <- colSums(power * log_ratio) -
    often_marginal(0.1, 30, counts) - whereto_marginal(1.2, counts)
  expect_lt(
    abs(matrix_divergence(posterior, matrix_posterior(prior, 0 * counts)) - mean(value)),
    4 * stats::sd(value) / sqrt(2e4)
  )
})

test_that("averages are those of fits at the nodes", {
  d <- three_groups(40, 0.1)
  fit <- gpc(d$x, d$y, kernel = kernel_iso(), noise = noise_prior(c(none = 1, one = 1)),
             hyper = "integrate", kernels = "shared")
  new <- d$x[1:5, ] + 0.1
  nodes <- fit$nodes
  expect_equal(sum(nodes$table$weight), 1)
  expect_setequal(nodes$table$model, c("none", "one"))
  parts <- lapply(seq_along(nodes$hyper), function(k) {
    h <- nodes$hyper[[k]]
    kernel <- kernel_iso(h$lengthscale, h$variance, h$bias, h$nugget, fixed = TRUE)
    one <- gpc(d$x, d$y, kernel = kernel, epsilon = 1 - nodes$omega[[k]][1, 1, 1])
    list(prob = predict(one, new, type = "prob"), flipped = one$ep$flipped)
  })
  mean_of <- function(name) Reduce(`+`, Map(function(part, w) part[[name]] * w, parts, nodes$table$weight))
  expect_equal(predict(fit, new, type = "prob"), mean_of("prob"), tolerance = 1e-4)
  expect_equal(row_flipped(fit), mean_of("flipped"), tolerance = 1e-3)
  expect_equal(sum(noise_matrix(fit, type = "count")), 40, tolerance = 1e-8)
  expect_equal(unname(rowSums(predict(fit, new, type = "prob", noise = TRUE))), rep(1, 5))
  latent <- predict(fit, new, type = "latent")
  expect_true(all(latent$sd > 0))
})

test_that("one number of wrong labels, and two statements", {
  d <- three_groups(60, 0.1)
  fit <- gpc(d$x, d$y, kernel = kernel_iso(), hyper = "integrate")
  test <- noise_test(fit)
  rows <- c("first", "second", "third")
  expect_identical(test$models$model, c("none", "one", "matrix", rows))
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
  n <- 240
  x <- matrix(rnorm(2 * n), n)
  true <- max.col(cbind(x[, 1], x[, 2], -x[, 1] - x[, 2]))
  y <- true
  wrong <- runif(n) < 0.25
  y[wrong] <- y[wrong] %% 3 + 1
  fit <- gpc(x, factor(y), kernel = kernel_iso(), hyper = "integrate")
  test <- noise_test(fit)
  expect_gt(test$two, 3)
  expect_gt(test$bayes_factor, 20)
  expect_match(printed(test), "particular others")
  pairs <- fit$omega[cbind(1:3, c(2, 3, 1))]
  expect_true(all(pairs > 0.12) && all(fit$omega[cbind(1:3, c(3, 1, 2))] < 0.1))
})

test_that("one point is the escape, and a held fit needs no nodes", {
  d <- three_groups(40, 0.1)
  point <- gpc(d$x, d$y, kernel = kernel_iso(), hyper = "optimum")
  expect_null(point$nodes)
  expect_equal(point$spec$epsilon, "learn")
  expect_error(noise_test(point), class = "sturdy_error_no_average")
  back <- update(point, hyper = "integrate")
  expect_equal(nrow(noise_test(back)$models), 6)
  expect_null(gpc(d$x, d$y, kernel = held_three(), epsilon = 0.1)$nodes)
  given <- gpc(d$x, d$y, kernel = kernel_iso(), epsilon = rate_matrix(0.1, 3), hyper = "integrate")
  expect_equal(unname(given$omega), rate_matrix(0.1, 3))
  expect_gt(node_count(given), 5)
  expect_error(
    gpc(d$x, d$y, noise = noise_prior(sensitivity = c(9, 1))), class = "sturdy_error_prior"
  )
})

test_that("an average is saved, absorbs rows and knows trusted ones", {
  d <- three_groups(45, 0.1)
  data <- data.frame(d$x, y = d$y)
  data$X1[7] <- NA
  fit <- gpc(
    y ~ ., data, kernel = kernel_iso(), inducing = 15, trusted = d$wrong[1:2],
    hyper = "integrate"
  )
  expect_equal(nobs(fit), 44L)
  expect_equal(row_flipped(fit)[1:2], c(0, 0))
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), data, type = "prob"), predict(fit, data, type = "prob"))
  expect_true(is.na(predict(fit, data)[7]))
  expect_error(absorb(fit, data[1:2, ]), class = "sturdy_error_known_labels")
  some <- gpc(y ~ ., data[-(40:45), ], kernel = kernel_iso(), hyper = "integrate")
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
    model_latent(fit)$native(model_hyper(fit), Inf, L, NULL, ep_control(), gradient = TRUE)
  })
  expect_equal(out[[1]]$log_evidence, out[[2]]$log_evidence, tolerance = 1e-10)
  expect_equal(sum(out[[1]]$gradient$nugget), out[[2]]$gradient$nugget, tolerance = 1e-6)
  # gradient against differences
  latent <- model_latent(own)
  at <- model_hyper(own)
  L <- row_likelihood(own)
  slope <- latent$native(at, Inf, L, NULL, ep_control(tol = 1e-10), gradient = TRUE)$gradient
  for (name in c("lengthscale", "nugget", "bias")) {
    for (c in 1:3) {
      value <- vapply(c(1, -1), function(s) {
        to <- at
        to[[name]][c] <- to[[name]][c] * exp(s * 1e-4)
        latent$native(to, Inf, L, NULL, ep_control(tol = 1e-11))$log_evidence
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
})

test_that("a study joins the counts in the prior of a matrix, which still integrates to one", {
  counts <- rbind(c(6, 2, 0), c(1, 5, 1), c(0, 0.5, 4))
  study <- rbind(c(12, 1, 2), c(0, 9, 0), c(3, 0, 7))
  set.seed(5)
  n <- 2e5
  rate <- stats::rbeta(n, 1, 4) / 2
  strength <- exp(stats::rnorm(n, log(150), 1))
  apart <- exp(stats::rnorm(n, 0, 1.5))
  log_p <- function(N, wrong, to, c) {
    power <- function(x, k) if (k > 0) k * log(x) else 0
    off <- N[c, -c]
    power(1 - wrong, N[c, c]) + power(wrong, sum(off)) + power(to, off[1]) + power(1 - to, off[2])
  }
  both <- alone <- 0
  for (c in 1:3) {
    wrong <- stats::rbeta(n, strength * rate, strength * (1 - rate))
    to <- stats::rbeta(n, apart / 2, apart / 2)
    alone <- alone + log_p(study, wrong, to, c)
    both <- both + log_p(study + counts, wrong, to, c)
  }
  ratio <- mean(exp(both)) / mean(exp(alone))
  error <- sqrt(var(exp(both)) / mean(exp(both))^2 + var(exp(alone)) / mean(exp(alone))^2) / sqrt(n)
  grid <- matrix_prior_grid(counts, 4, study)
  expect_lt(abs(exp(grid$log_marginal) / ratio - 1), 4 * error + 0.01)
  component <- list(
    centre = 0, matrix = matrix_component(list(counts = counts, shape = 4, study = study), 0.3)
  )
  points <- matrix_points(component, 4000, 0)
  expect_equal(mean(exp(-matrix_log_ratio(points, component$matrix))), 1, tolerance = 0.05)
  # of no counts the divergence from the prior given the study is 0
  found <- c(matrix_prior(study, 4), list(counts = 0 * counts, shape = 4, study = study))
  found$posterior <- matrix_posterior(found, study)
  expect_equal(matrix_offset(found), 0, tolerance = 1e-10)
})

test_that("a study of very many rows is as good as the matrix itself", {
  d <- three_groups(45, 0.15)
  omega <- rbind(c(0.85, 0.1, 0.05), c(0.02, 0.9, 0.08), c(0.05, 0.05, 0.9))
  kernel <- kernel_iso(1.5, nugget = 0.05, fixed = TRUE)
  dimnames(omega) <- rep(list(levels(factor(d$y))), 2)
  given <- gpc(d$x, d$y, kernel = kernel, epsilon = omega)
  study <- noise_prior(study = 1e6 * omega[3:1, c(2, 3, 1)]) # by their names
  for (hyper in c("integrate", "optimum")) {
    fit <- gpc(d$x, d$y, kernel = kernel, noise = study, epsilon = "matrix", hyper = hyper)
    expect_equal(unclass(fit$omega), given$omega, tolerance = 1e-3)
    expect_equal(
      mislabelled(fit)$probability, mislabelled(given)$probability, tolerance = 2e-3
    )
    ends <- noise_matrix(fit)
    expect_lt(max(attr(ends, "upper") - attr(ends, "lower")), 0.003)
  }
  # the evidence is that of the matrix, corrected to second order
  fit <- gpc(d$x, d$y, kernel = kernel, noise = study, epsilon = "average", hyper = "integrate")
  expect_identical(fit$nodes$models$model, "matrix")
  expect_equal(
    log_evidence(fit, "integrated"), log_evidence(given, "corrected"), tolerance = 1e-3
  )
  # a study of a few rows moves the matrix towards it
  few <- gpc(d$x, d$y, kernel = kernel, epsilon = "matrix")
  some <- update(few, noise = noise_prior(study = rbind(c(10, 10, 0), c(0, 20, 0), c(0, 0, 20))))
  expect_gt(some$omega[1, 2], few$omega[1, 2] + 0.1)
  expect_lt(some$omega[2, 1], few$omega[2, 1])
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

test_that("with rows whose class is known the matrix is that of all counts under its prior", {
  d <- iris[c(1:20, 51:70, 101:120), ]
  row.names(d) <- NULL
  truth <- as.integer(d$Species)
  said <- replace(truth, c(3, 21, 22, 45), c(2, 3, 3, 2))
  d$y <- factor(levels(d$Species)[said], levels(d$Species))
  study <- rbind(c(8, 2, 0), c(0, 6, 3), c(0, 0, 5))
  fit <- gpc(
    y ~ Sepal.Length + Petal.Length, d, kernel = kernel_iso(1, nugget = 0.1, fixed = TRUE),
    noise = noise_prior(study = study), epsilon = "matrix", hyper = "integrate", control = ep_control(progress = FALSE)
  )
  fit <- suppressMessages(update(fit, checked = data.frame(row = 1:60, label = d$Species)))
  counts <- table(truth, said) + study
  # draws from the prior, weighted
  withr::local_seed(1)
  n <- 2e5
  rate <- stats::rbeta(n, 1, 4) / 2
  strength <- exp(stats::rnorm(n, log(150), 1))
  apart <- exp(stats::rnorm(n, 0, 1.5))
  power <- function(x, k) if (k > 0) k * log(x) else 0
  log_w <- 0
  omega <- array(0, c(n, 3, 3))
  for (c in 1:3) {
    wrong <- stats::rbeta(n, strength * rate, strength * (1 - rate))
    to <- stats::rbeta(n, apart / 2, apart / 2)
    omega[, c, ] <- 1 - wrong
    omega[, c, -c] <- wrong * cbind(to, 1 - to)
    off <- counts[c, -c]
    log_w <- log_w + power(1 - wrong, counts[c, c]) + power(wrong, sum(off)) + power(to, off[1]) +
      power(1 - to, off[2])
  }
  w <- softmax(log_w)
  found <- noise_matrix(fit)
  for (t in 1:3) {
    for (v in 1:3) {
      expect_lt(abs(found[t, v] - sum(w * omega[, t, v])), 0.01)
      inside <- omega[, t, v] >= attr(found, "lower")[t, v] & omega[, t, v] <= attr(found, "upper")[t, v]
      expect_lt(abs(sum(w[inside]) - 0.9), 0.05)
    }
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

test_that("one class's row alone has the integral over its rate and where it goes as evidence", {
  d <- three_groups(40, 0)
  code <- as.integer(d$y)
  wrong <- which(code == 2)[1:4]
  code[wrong] <- 3
  y <- factor(letters[1:3])[code]
  fit <- gpc(d$x, y, kernel = held_three(), epsilon = "average", hyper = "integrate", scale = FALSE)
  models <- fit$nodes$models
  expect_identical(models$model, c("none", "one", "matrix", "first", "second", "third"))
  expect_equal(models$prior, c(0.25, 0.3, 0.3, 0.05, 0.05, 0.05))
  # the prior of the row, by draws, in cells of rate and share
  set.seed(6)
  n <- 4e5
  rate <- stats::rbeta(n, 1, 4) / 2
  strength <- exp(stats::rnorm(n, log(150), 1))
  apart <- exp(stats::rnorm(n, 0, 1.5))
  often <- stats::rbeta(n, strength * rate, strength * (1 - rate))
  to <- stats::rbeta(n, apart / 2, apart / 2)
  steps <- c(0, 0.005, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1)
  share <- c(0, 0.002, 0.02, 0.07, 0.2, 0.4, 0.6, 0.8, 0.93, 0.98, 0.998, 1)
  cell <- interaction(
    cut(often, steps, include.lowest = TRUE), cut(to, share, include.lowest = TRUE)
  )
  cells <- data.frame(
    p = as.vector(table(cell)) / n, often = as.vector(tapply(often, cell, mean)),
    to = as.vector(tapply(to, cell, mean))
  )
  cells <- cells[cells$p > 0, ]
  latent <- model_latent(fit)
  control <- utils::modifyList(unclass(ep_control()), list(second = TRUE))
  log_z <- mapply(function(often, to) {
    omega <- diag(3)
    omega[2, ] <- c(often * to, 1 - often, often * (1 - to))
    out <- latent$native(model_hyper(fit), Inf, latent_likely(latent, omega), NULL, control)
    corrected_evidence(out)
  }, cells$often, cells$to)
  truth <- log_sum(log_z + log(cells$p))
  expect_identical(models$method[models$model == "second"], "nodes")
  expect_lt(abs(models$log_evidence[models$model == "second"] - truth), 0.3)
  # labels of the other classes are right under it
  mine <- which(fit$nodes$table$model == "second")
  for (k in mine) expect_equal(fit$nodes$omega[[k]][1, -2, ], diag(3)[-2, ])
  among <- models$model %in% c("matrix", "first", "second", "third")
  expect_identical(models$model[among][which.max(models$log_evidence[among])], "second")
  expect_identical(which.max(flip_rates(fit)$rate), 2L)
  # a check that finds a wrong label of another class rules out those that have it right
  found <- data.frame(row = which(code == 1)[1], label = "c")
  known <- suppressMessages(update(fit, checked = found))
  expect_setequal(known$nodes$models$model, c("one", "matrix", "third"))
})

test_that("rows alone are left out where classes or rows are many, and shared alike", {
  reports <- list(classes = 3L, n = 100L)
  models <- c(none = 0.2, one = 0.2, two = 0.3, first = 0.2, second = 0.1)
  few <- matrix_weights(models, reports)
  expect_equal(few, c(
    none = 0.2, one = 0.2, matrix = 0.45, first = 0.05, second = 0.05, third = 0.05
  ))
  sums <- c(none = 0.2, one = 0.2, matrix = 0.6)
  expect_equal(matrix_weights(models, list(classes = 5L, n = 100L)), sums)
  expect_equal(matrix_weights(models, list(classes = 3L, n = alone_rows + 1L)), sums)
})

test_that("on many rows a matrix goes on from the kernel under one rate there", {
  problem <- list(
    hyper = function(par) list(l = par), field = c("a", "b"), precision = 1, least = 1e-3,
    latent = list(n = 10)
  )
  way <- list(problem = function(omega) problem, point = identity)
  few <- list(
    problem = problem,
    modes = list(list(par = c(1, 2), H = diag(2, 2), matrix = list(posterior = 7)))
  )
  one <- list(
    problem = list(field = c("a", "b", "epsilon")),
    modes = list(list(par = c(3, 4, 9), sites = "its"))
  )
  from <- function(...) matrix_onward(few, list(n = 40), way, ...)[[1]]
  expect_identical(from(one)$par, c(1, 2))
  expect_identical(from(one, TRUE)$par, c(3, 4))
  expect_identical(from(one, TRUE)$hyper, list(l = c(3, 4)))
  expect_identical(from(one, TRUE)[c("omega", "sites")], list(omega = 7, sites = "its"))
  expect_identical(from(NULL, TRUE)$par, c(1, 2))
  # the curvature of four times the rows, the prior's part once
  expect_equal(from(one, TRUE)$curvature, diag(5, 2))
})

test_that("a matrix known on some rows is sought anew on all, unless rows are many or time is over", {
  sought <- NULL
  local_mocked(
    matrix_onward = function(...) list("onward"), matrix_starts = function(...) list("anew"),
    until_over = function(from, ...) {
      sought <<- unlist(from)
      list()
    }
  )
  from <- function(long = FALSE, deadline = Inf) {
    average_matrix(
      "matrix", list(classes = 3), list(), list(deadline = deadline), list(), NULL,
      list(matrix = 1), long
    )
    sought
  }
  expect_identical(from(), c("onward", "anew"))
  expect_identical(from(long = TRUE), "onward")
  expect_identical(from(deadline = 0), "onward")
})
