test_that("with several classes there is a rate of each, and the expected number", {
  d <- iris[c(1:15, 51:65, 101:115), ]
  d$Species[c(3, 20)] <- c("versicolor", "virginica")
  fit <- gpc(
    Species ~ ., d, kernel = kernel_iso(2, nugget = 0.1, fixed = TRUE), epsilon = 0.1, trusted = 1:2
  )
  found <- flip_rates(fit)
  expect_equal(found$class, levels(d$Species))
  expect_equal(found$rate, rep(0.1, 3))
  expect_true(all(is.na(found$lower)))
  expect_equal(found$rows, rep(43L, 3))
  ranked <- mislabelled(fit)
  expect_equal(sum(found$wrong), sum(ranked$probability))
})

test_that("a noise matrix of two classes has the rates, with intervals, and the counts", {
  local_many_points()
  d <- toy(40)
  fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = "learn2", hyper = "optimum")
  rates <- noise_matrix(fit)
  expect_equal(dimnames(rates), list(true = c("no", "yes"), recorded = c("no", "yes")))
  expect_equal(c(rates["no", "yes"], rates["yes", "no"]), flip_rates(fit)$rate)
  # over their posterior by the label stage, in plain R
  plain <- plain_own_stage(fit, "two", draws = 6000)
  expect_lt(max(abs(flip_rates(fit)$rate - plain$rates() %*% plain$weight)), 0.005)
  lower <- attr(rates, "lower")
  upper <- attr(rates, "upper")
  expect_true(all(lower <= upper))
  expect_equal(colSums(matrix_counts(judged_by(fit))), c(table(d$class)), ignore_attr = TRUE)
  # over the posterior of the rates, as the number of wrong labels
  wrong <- attr(mislabelled(fit), "expected")$count
  expect_equal(sum(diag(matrix_counts(judged_by(fit)))), 40 - wrong)
})

test_that("several classes have rates by group", {
  local_fewer_points()
  set.seed(1)
  d <- data.frame(a = rnorm(90), b = rnorm(90), site = rep(c("u", "v"), each = 45))
  d$class <- factor(c("x", "y", "z")[max.col(cbind(d$a, d$b, -d$a - d$b))])
  wrong <- 46:60
  d$class[wrong] <- c(x = "y", y = "z", z = "x")[as.character(d$class[wrong])]
  fit_to <- function(..., epsilon = "learn", hyper = "integrate") {
    gpc(
      class ~ a + b, d, kernel = kernel_iso(1.5, nugget = 0.1, fixed = TRUE), epsilon = epsilon,
      hyper = hyper, ...
    )
  }
  fit <- fit_to(rates = ~site)
  rates <- flip_rates(fit)
  expect_equal(rates$group, rep(c("u", "v"), each = 3))
  expect_true(all(rates$upper[1:3] < rates$lower[4:6]))
  expect_true(all(rates$lower[4:6] < 1 / 3 & rates$upper[4:6] > 0.2))
  # the evidence of a node is that of EP, corrected, with the rate of each row's group
  k <- which.max(fit$nodes$table$weight)
  omega <- lapply(1:2, function(s) fit$nodes$omega[[k]][s, , ])
  L <- t(mapply(function(site, class) omega[[site]][, class], 1 + (d$site == "v"), d$class))
  control <- with_second(ep_control(tol = 1e-8))
  out <- latent_ep(model_latent(fit), model_hyper(fit), Inf, L, NULL, control)
  expect_equal(fit$nodes$table$log_evidence[k], corrected_evidence(out), tolerance = 1e-5)
  expect_equal(unname(node_truth(fit)$p[, , k]), L * exp(out$seen) / rowSums(L * exp(out$seen)), tolerance = 1e-3)
  # one group is none
  expect_equal(
    predict(fit_to(rates = rep("all", 90)), type = "prob"), predict(fit_to(), type = "prob")
  )
  held <- fit_to(rates = ~site, epsilon = 0.2, hyper = "optimum")
  same <- fit_to(epsilon = 0.2, hyper = "optimum")
  expect_equal(predict(held, type = "prob"), predict(same, type = "prob"), tolerance = 1e-4)
})

test_that("the interval of a rate is the shortest, and has 0 inside where the density falls from it", {
  # against distributions whose shortest intervals are known, by their quantiles as draws
  shortest <- function(quantile, probability) {
    length <- function(a) quantile(probability(a) + 0.9) - a
    low <- optimise(length, c(0, quantile(0.1)))$minimum
    c(low, low + length(low))
  }
  draws <- ppoints(2000)
  found <- shortest_interval(qbeta(draws, 3, 30), rep(1, 2000), 0.9, 0.5)
  exact <- shortest(function(p) qbeta(p, 3, 30), function(q) pbeta(q, 3, 30))
  expect_lt(max(abs(found - exact)), 0.003) # the spread is 0.05
  x <- qexp(draws, 20)
  expect_equal(shortest_interval(x, rep(1, 2000), 0.9, 0.5), c(0, qexp(0.9, 20)), tolerance = 0.02)
  expect_equal(shortest_interval(1 - x, rep(1, 2000), 0.9, 0.5), 1 - c(qexp(0.9, 20), 0), tolerance = 0.003)
  # weights are those of draws
  few <- seq(0.005, 0.495, by = 0.01)
  weighted <- shortest_interval(few, dexp(few, 20), 0.9, 0.5)
  expect_equal(weighted, c(0, qexp(0.9, 20)), tolerance = 0.05)
  # what is known to be 0 counts as much as its weight says
  mixed <- shortest_interval(c(0, x), c(2000 * 0.5, rep(1, 2000)), 0.9, 0.5)
  expect_equal(mixed, c(0, qexp((0.9 * 1.5 - 0.5), 20)), tolerance = 0.03)
  apart <- shortest_interval(c(0, 0.2 + x / 10), c(20, rep(1, 2000)), 0.9, 0.5)
  expect_gt(apart[1], 0.15)
  expect_equal(shortest_interval(c(0, 0.1, 0.2), c(0.95, 0.03, 0.02), 0.9, 0.5), c(0, 0))
  expect_equal(shortest_interval(0.2, 1, 0.9, 0.5), c(0.2, 0.2))
  expect_equal(shortest_interval(c(0.1, 0.1), c(1, 3), 0.9, 0.5), c(0.1, 0.1))
  rounded <- 0.1 + c(0, 1, 2) * .Machine$double.eps / 16
  expect_no_warning(expect_equal(shortest_interval(rounded, c(1, 3, 2), 0.9, 0.5), c(0.1, 0.1)))
  expect_no_warning(point <- shortest_interval(x, rep(1, 2000), 1e-300, 0.5)) # none is known to be 0
  expect_lt(diff(point), 0.01)
  # not above one half, where the noise models end
  expect_lte(shortest_interval(c(0.4, 0.45, 0.48, 0.499), rep(1, 4), 0.9, 0.5)[2], 0.5)
})

test_that("rates by group have their own prior, unless it is given", {
  reports <- function(sources) list(classes = 2, sources = sources, row = 1:4, source = rep(1:2, 2))
  shape <- function(prior, sources) noise_model("learn", prior, reports(sources))$rate$one$b
  expect_equal(shape(noise_prior(), "label"), 4)
  expect_equal(shape(noise_prior(), c("a", "b")), 2)
  expect_equal(shape(noise_prior(rate = 7), c("a", "b")), 7)
  expect_equal(noise_prior()$pooling, 0.2)
})

extended_test("intervals of the rates of groups hold them", {
  true <- c(a = 0, b = 0.05, c = 0.05, d = 0.25)
  covered <- vapply(1:80, function(seed) {
    table <- withr::with_seed(8000 + seed, {
      X <- matrix(rnorm(400), 200)
      K <- exp(-as.matrix(dist(X))^2 / 2) + diag(0.02, 200)
      latent <- drop(crossprod(chol(K), rnorm(200)))
      site <- sample(names(true), 200, TRUE)
      list(X = X, site = site, y = xor(latent > 0, runif(200) < true[site]))
    })
    held <- function(epsilon) {
      fit <- suppressMessages(gpc(
        table$X, table$y, epsilon = epsilon, hyper = "integrate", rates = table$site,
        control = ep_control(progress = FALSE)
      ))
      rates <- flip_rates(fit)
      of <- split(rates$lower <= true[rates$group] & true[rates$group] <= rates$upper, rates$group)
      vapply(of, mean, numeric(1))
    }
    c(held("learn"), held("average"))
  }, numeric(8))
  share <- matrix(rowMeans(covered), 4)
  expect_true(all(share[4, ] >= 0.8))
  expect_true(all(rowMeans(share)[2:3] >= 0.9))
  expect_true(all(share[1, ] >= 0.8))
})
