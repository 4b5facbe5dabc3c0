# Rates that go by numbers.

quiet <- ep_control(progress = FALSE)
held <- kernel_iso(1, nugget = 0.05, fixed = TRUE)

sloped_rows <- function(n = 60, seed = 1, slope = 1.5) {
  withr::with_seed(seed, {
    d <- data.frame(x1 = stats::rnorm(n), x2 = stats::rnorm(n), z = stats::rnorm(n))
    truth <- d$x1 + d$x2 > 0
    rate <- 0.5 * stats::plogis(stats::qlogis(0.3) + slope * d$z)
    d$wrong <- stats::runif(n) < rate
    d$y <- factor(xor(truth, d$wrong), labels = c("no", "yes"))
    d$site <- rep(c("a", "b"), length.out = n)
    d
  })
}

test_that("derivatives of rates in their coordinates are differences [M 13.9]", {
  d <- sloped_rows()
  design <- rates_design(factor(d$site), cbind(z = d$z, x = d$x1))
  reports <- label_reports(as.integer(d$y), 2, design$source, design$sources)
  reports$design <- design$design
  for (prior in list(noise_prior(), noise_prior(sensitivity = c(3, 2)))) {
    noise <- noise_model("average", prior, reports)
    for (name in c("one", "two", "first", "second")) {
      model <- noise_of(name, noise)
      withr::with_seed(2, {
        z <- stats::rnorm(model$d, 0, 0.7)
        slope <- array(stats::rnorm(60 * 4), c(60, 2, 2))
      })
      at <- function(z) sum(slope * model$omega(z))
      differences <- vapply(seq_along(z), function(j) {
        (at(replace(z, j, z[j] + 1e-5)) - at(replace(z, j, z[j] - 1e-5))) / 2e-5
      }, 0)
      expect_equal(model$pull(z, slope), differences, tolerance = 1e-6)
    }
  }
})

test_that("numbers are standardised wherever their zero is", {
  d <- sloped_rows()
  Z <- cbind(z = d$z, x = 100 * d$x1)
  group <- factor(d$site)
  plain <- rates_design(group, Z)
  moved <- rates_design(group, Z + 1.7e9) # as seconds since 1970
  expect_equal(moved$source, plain$source)
  expect_equal(moved$design$Z, plain$design$Z, tolerance = 1e-6)
  expect_equal(moved$design$scale, plain$design$scale, tolerance = 1e-6)
  each <- plain$design$Z[plain$source, ]
  population <- apply(Z, 2, function(v) (v - mean(v)) / sqrt(mean((v - mean(v))^2)))
  expect_equal(each, population, tolerance = 1e-10)
})

test_that("the slope is that of quadrature over a rate and a slope", {
  d <- sloped_rows(40)
  fit <- gpc(
    y ~ x1 + x2, d, kernel = held, rates = ~z, epsilon = "learn", hyper = "integrate",
    control = quiet
  )
  # a label with a flip rate of its own is a row of probabilities
  z <- (d$z - mean(d$z)) / sqrt(mean((d$z - mean(d$z))^2))
  base <- stats::qbeta((seq_len(12) - 0.5) / 12, 1, 4) # of twice the rate, equally probable
  slopes <- seq(-3, 3.5, length.out = 14)
  grid <- expand.grid(base = base, slope = slopes)
  value <- mapply(function(base, slope) {
    e <- 0.5 * stats::plogis(stats::qlogis(base) + slope * z)
    yes <- ifelse(d$y == "yes", 1 - e, e)
    fit <- suppressWarnings(gpc(
      d[c("x1", "x2")], cbind(no = 1 - yes, yes = yes), kernel = held, control = quiet
    ), classes = "sturdy_warning_fixed_points")
    log_evidence(fit) + stats::dnorm(slope, log = TRUE)
  }, grid$base, grid$slope)
  weight <- exp(value - max(value)) / sum(exp(value - max(value)))
  mean <- sum(weight * grid$slope)
  sd <- sqrt(sum(weight * grid$slope^2) - mean^2)
  at <- nodes(fit)
  each <- vapply(at$omega, function(omega) {
    rates_slopes(omega[, 1, 2], fit$data$reports$design, 0.5)
  }, 0)
  expect_equal(sum(at$weight * each), mean, tolerance = 0.1)
  expect_equal(sqrt(sum(at$weight * each^2) - sum(at$weight * each)^2), sd, tolerance = 0.15)
  # and so says the label stage, which has other scores but the same labels
  found <- attr(flip_rates(fit), "slopes")[1, ]
  expect_lt(abs(found$slope - mean), 0.15 * sd)
  expect_equal((found$upper - found$lower) / 2 / stats::qnorm(0.95), sd, tolerance = 0.15)
})

test_that("numbers of few values, factors and vectors are groups; checks and updates keep slopes", {
  d <- sloped_rows()
  d$level <- round(pmin(pmax(d$z, -2), 2))
  of <- function(rates, ...) {
    gpc(y ~ x1 + x2, d, kernel = held, rates = rates, epsilon = "average", control = quiet, ...)
  }
  expect_null(of(~level)$data$reports$design)
  expect_equal(flip_rates(of(~level)), flip_rates(of(factor(d$level))), tolerance = 1e-10)
  expect_error(of(d$z), class = "sturdy_error_rates")
  fit <- of(~ site + z)
  expect_equal(unique(flip_rates(fit)$group), c("a", "b"))
  expect_equal(sum(flip_rates(fit)$wrong), sum(mislabelled(fit)$probability), tolerance = 1e-8)
  checks <- data.frame(row = 1:5, label = d$y[1:5])
  checked <- suppressMessages(update(fit, checked = checks))
  expect_equal(checked$data$reports$design, fit$data$reports$design)
  expect_equal(attr(flip_rates(checked), "slopes")$term, c("z", "z"))
  d$year <- round(10 * d$z)
  expect_message(of(~year), class = "sturdy_message_rates_numbers")
  expect_error(mislabelled(fit, newdata = d), class = "sturdy_error_rates")
  expect_error(
    gpc(Species ~ ., iris, rates = ~Sepal.Length, control = quiet), class = "sturdy_error_rates"
  )
})

test_that("where labels get worse with a number that is found, and which are wrong is told better", {
  d <- sloped_rows(200, 3)
  fit <- function(...) {
    gpc(
      y ~ x1 + x2, d, kernel = held, hyper = "integrate", epsilon = "average", control = quiet, ...
    )
  }
  sloped <- fit(rates = ~z)
  plain <- fit()
  found <- attr(flip_rates(sloped), "slopes")
  expect_true(all(found$lower > 0 & found$lower < 1.5 & found$upper > 1.5))
  score <- function(fit) {
    p <- mislabelled(fit)
    p <- p$probability[order(p$row)]
    mean(log(ifelse(d$wrong, p, 1 - p)))
  }
  expect_gt(score(sloped), score(plain))
  expect_identical(summary(sloped)$slopes, found)
  expect_match(printed(summary(sloped)), "class term slope lower upper")
})

test_that("that positives are not labelled at random is seen by a slope", {
  n <- 300
  d <- withr::with_seed(4, {
    d <- data.frame(x1 = stats::rnorm(n), x2 = stats::rnorm(n), z = stats::rnorm(n))
    labelled <- d$x1 + d$x2 > 0 & stats::runif(n) < stats::plogis(1.5 * d$z)
    d$y <- factor(ifelse(labelled, "yes", "no"), c("no", "yes"))
    d
  })
  of <- function(...) {
    gpc(
      y ~ x1 + x2, d, kernel = held, noise = noise_prior(unlabelled = "no"), hyper = "integrate",
      control = quiet, ...
    )
  }
  fit <- of(rates = ~z)
  found <- summary(fit)
  expect_lt(found$slopes$upper, 0) # of the rate at which they are not
  expect_equal(found$slopes$class, "yes")
  evidence <- function(fit) fit$nodes$models$log_evidence
  expect_gt(evidence(fit), evidence(of()) + 3)
})
