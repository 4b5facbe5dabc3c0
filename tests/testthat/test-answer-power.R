# Probabilities of the true classes of n rows.
drawn_classes <- function(n, classes, seed) {
  withr::with_seed(seed, p <- exp(2.5 * matrix(rnorm(n * classes), n)))
  p / rowSums(p)
}

# Classes as likely as p, but for b and s
softmax_of <- function(p, b, s = 0 * p[1, -1]) {
  eta <- b * (log(p) + rep(c(0, s), each = nrow(p)))
  exp(eta) / rowSums(exp(eta))
}

# A nugget whose log b is log-normal: what overlap_freedom() makes of a fit
as_it_may <- list(
  start = 0.4, log_b = function(z) 0.8 * (0.4 - z), slope = function(z) rep(-0.8, length(z))
)

# log b and s, and the same with b held
split_of <- function(at, free) {
  if (is.null(free)) list(b = 1, s = at) else list(b = exp(free$log_b(at[1])), s = at[-1])
}

test_that("the rival without flips explains their labels best, by another search", {
  for (classes in 2:3) {
    p <- drawn_classes(60, classes, 1)
    q <- p %*% rate_matrix(replace(numeric(classes), 2, 0.2), classes)
    for (free in list(NULL, as_it_may)) {
      value <- function(at) {
        own <- split_of(at, free)
        2 * sum(q * log(softmax_of(p, own$b, own$s))) - sum(at^2) / 2
      }
      size <- classes - is.null(free)
      best <- optim(rep(0.1, size), value, method = "BFGS",
                    control = list(fnscale = -1, reltol = 1e-14))
      found <- without_flips(p, q, free, times = 2)
      expect_equal(value(found$at), best$value, tolerance = 1e-9)
      expect_equal(found$at, best$par, tolerance = 1e-3)
      own <- split_of(found$at, free)
      expect_equal(exp(found$log_r), softmax_of(p, own$b, own$s), tolerance = 1e-9)
    }
  }
})

test_that("mean and variance are those of drawn labels, and of informations by differences", {
  p <- drawn_classes(80, 3, 2)
  rates <- c(0.1, 0.1, 0.1)
  q <- p %*% rate_matrix(rates, 3)
  rate_of <- function(z) qbeta(pnorm(z), 1, 4) / 2
  z <- qnorm(pbeta(0.2, 1, 4))
  # of probabilities as a function of coordinates, by central differences
  information <- function(of, at, h = 1e-4) {
    slopes <- vapply(seq_along(at), function(k) {
      step <- replace(0 * at, k, h)
      as.vector(of(at + step) - of(at - step)) / (2 * h)
    }, numeric(length(p)))
    crossprod(slopes, slopes / as.vector(of(at)))
  }
  log_det <- function(H) log(det(diag(nrow(H)) + H))
  for (free in list(NULL, as_it_may)) {
    ratio <- evidence_ratio(p, rates, 4, free)
    at <- without_flips(p, q, free)$at
    plain <- function(at) {
      own <- split_of(at, free)
      softmax_of(p, own$b, own$s)
    }
    flipped <- function(at) {
      own <- split_of(at[-1], free)
      softmax_of(p, own$b, own$s) %*% rate_matrix(rate_of(at[1]), 3)
    }
    truth <- c(z, free$start, 0, 0)
    r <- plain(at)
    expect_equal(flipped(truth), q, tolerance = 1e-12)
    expect_equal(
      ratio$mean,
      sum(q * log(q / r)) + (sum(at^2) - sum(truth^2)) / 2 +
        (log_det(information(plain, at)) - log_det(information(flipped, truth))) / 2,
      tolerance = 1e-5
    )
    withr::with_seed(3, logs <- replicate(4000, {
      y <- max.col(log(q) - log(-log(matrix(runif(240), 80)))) # Gumbel's: draws from q
      sum(log(q / r)[cbind(1:80, y)])
    }))
    expect_equal(sd(logs), ratio$sd, tolerance = 0.05)
    expect_lt(abs(mean(logs) - sum(q * log(q / r))), 4 * sd(logs) / sqrt(4000))
    # a row that speaks for two, and noise models that do not have these rates
    twice <- evidence_ratio(p[rep(1:80, 2), ], rates, 4, free)
    expect_equal(evidence_ratio(p, rates, 4, free, times = 2), twice, tolerance = 1e-6)
    rare <- evidence_ratio(p, rates, 4, free, share = 0.1)
    expect_equal(rare$mean, ratio$mean + log(0.1))
  }
})

test_that("a larger nugget draws the log odds together as the fit's prior has it", {
  fit <- gpc(class ~ a + b, toy(), epsilon = "average", hyper = "integrate")
  k <- which.max(fit$nodes$table$weight * is.na(fit$nodes$table$constant))
  p <- exp(node_seen(fit)[, , k])
  free <- overlap_freedom(fit, k, p)
  nugget <- fit$nodes$hyper[[k]]$nugget
  expect_equal(free$log_b(free$start), 0, tolerance = 1e-6)
  z <- c(-1, 0.3, 1.5)
  slopes <- (free$log_b(z + 1e-5) - free$log_b(z - 1e-5)) / 2e-5
  expect_equal(free$slope(z), slopes, tolerance = 1e-4)
  # the normal of a nugget is that of its prior probability
  prior <- fit$kernel$prior$nugget
  below <- 0.5 * pnorm(log(nugget), prior$meanlog, prior$sdlog) +
    0.5 * pnorm(log(nugget), prior$besides$meanlog, prior$besides$sdlog)
  expect_equal(pnorm(free$start), below, tolerance = 1e-4)
  # probits of variance R are those of latent values with the variance that is not left
  left <- (1 - mean(qnorm(p)^2) * nugget) / (1 + mean(qnorm(p)^2))
  expect_equal((1 - left) / (left + nugget), mean(qnorm(p)^2))
  twice <- free$log_b(nugget_normal(prior)$normal(log(2 * nugget)))
  expect_equal(exp(2 * twice), (left + nugget) / (left + 2 * nugget), tolerance = 1e-4)
  # held, or where the inputs say nothing, it is what it is
  held <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = "average", hyper = "integrate")
  expect_null(overlap_freedom(held, 1, p))
  useless <- withr::with_seed(1, gpc(
    matrix(rnorm(40)), rep(0:1, 20), epsilon = "average", hyper = "integrate"
  ))
  nothing <- which(!is.na(useless$nodes$table$constant))[1]
  expect_null(overlap_freedom(useless, nothing, p))
  # a linear model, whose weights have a prior of their own
  linear <- bpm(class ~ a + b, toy(), nugget = 0.1, epsilon = "average", hyper = "integrate")
  expect_null(overlap_freedom(linear, 1, p))
  linear <- bpm(class ~ a + b, toy(), epsilon = "average", hyper = "integrate")
  free <- overlap_freedom(linear, 1, p)
  expect_equal(free$log_b(free$start), 0, tolerance = 1e-6)
})

test_that("more rows and clearer classes show more, and overlap hides everything", {
  share <- function(p) noticed_probability(evidence_ratio(p, c(0.1, 0.1), 4, as_it_may))
  p <- drawn_classes(100, 2, 4)
  expect_gt(share(p[rep(1:100, 3), ]), share(p))
  clear <- p^3 / rowSums(p^3)
  expect_gt(share(clear), share(p))
  expect_lt(share(p^0.3 / rowSums(p^0.3)), 0.01)
})

test_that("probabilities of 0 and 1, and a class that no row can be of, leave a number", {
  sure <- cbind(rep(c(1, 0), 50), rep(c(0, 1), 50))
  none <- cbind(sure, 0)
  alike <- matrix(1e-300, 20, 3) + rep(c(1, 0, 0), each = 20)
  for (p in list(sure, none, alike, sure[1:2, ])) {
    for (wrong in seq_len(ncol(p))) {
      for (free in list(NULL, as_it_may)) {
        rates <- replace(numeric(ncol(p)), wrong, 0.1)
        said <- noticed_probability(evidence_ratio(bounded_shares(p), rates, 4, free))
        expect_true(said >= 0 && said <= 1)
      }
    }
  }
})

test_that("it is asked once of a fit, and anew of another", {
  fit <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = "average", hyper = "integrate")
  first <- noticed_once(fit)
  expect_equal(first, noticed(fit))
  other <- update(fit, noise = noise_prior(rate = 2))
  local_mocked(noticed = function(...) "asked")
  withr::defer(noticed_last$key <- NULL)
  expect_identical(noticed_once(fit), first)
  expect_equal(noticed_once(other), "asked")
})

test_that("a fit says what would be noticed, of any number of classes", {
  fit <- gpc(class ~ a + b, toy(), kernel = held(), epsilon = "average", hyper = "integrate")
  said <- noticed(fit)
  expect_equal(said$of, c("all", "no", "yes"))
  expect_true(all(said$probability > 0 & said$probability < 1))
  expect_equal(noise_test(fit)$noticed, said)
  expect_null(noticed(toy_fit(trusted = 1:40)))
  expect_null(noticed(bpm(class ~ a + b, toy(), inference = "adf")))
  three <- gpc(Species ~ ., iris, kernel = held(), epsilon = 0.05)
  expect_equal(noticed(three)$of, c("all", levels(iris$Species)))
})

test_that("a class that no row has is not asked about: it can't hide", {
  d <- toy_scores(2, 60)
  nearly <- cbind(d$prob, c = 1e-9)
  fit <- second_stage(nearly / rowSums(nearly), d$labels)
  expect_equal(noticed(fit)$of, c("all", "a", "b"))
  two <- noticed(second_stage(d$prob, d$labels))
  expect_equal(two$of, c("all", "a", "b"))
})

extended_test("where the classes are known but for overlap, so many tables are noticed", {
  # by Laplace's method with numerical Hessians over b and the boundary, the mean over the rate
  share_of <- function(p, rates, tables) {
    wrong <- which(rates > 0)
    grid <- c(0, seq(0.01, 0.39, by = 0.02))
    mean(replicate(tables, {
      q <- p %*% rate_matrix(rates, 2)
      y <- 1 + (runif(nrow(p)) < q[, 2])
      log_at <- function(at, e) {
        by <- rate_matrix(replace(numeric(2), wrong, e), 2)
        own <- split_of(at, as_it_may)
        sum(log((softmax_of(p, own$b, own$s) %*% by)[cbind(seq_along(y), y)])) - sum(at^2) / 2
      }
      evidence <- vapply(grid, function(e) {
        best <- optim(c(0.4, 0), log_at, e = e, control = list(fnscale = -1), hessian = TRUE)
        best$value - log(det(-best$hessian)) / 2
      }, 0)
      prior <- 2 * dbeta(2 * grid[-1], 1, 4) * 0.02
      log(sum(prior * exp(evidence[-1] - evidence[1])) / sum(prior)) > log(3)
    }))
  }
  withr::with_seed(5, for (rates in list(c(0.1, 0.1), c(0, 0.15))) {
    for (sharp in c(1.5, 3)) {
      p <- drawn_classes(150, 2, 6)^sharp
      p <- p / rowSums(p)
      said <- noticed_probability(evidence_ratio(p, rates, 4, as_it_may))
      expect_equal(said, share_of(p, rates, 150), tolerance = 0.15)
    }
  })
})
