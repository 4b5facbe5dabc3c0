# Coefficients of a Bayes point machine in the terms of a regression.

# Tables of base R and MASS
regression_tables <- function() {
  skip_if_not_installed("MASS")
  from <- function(name, package = "MASS") {
    home <- new.env()
    utils::data(list = name, package = package, envir = home)
    home[[name]]
  }
  yes <- function(v) factor(as.numeric(v))
  birthwt <- from("birthwt")
  birthwt[c("race", "smoke", "ht", "ui")] <- lapply(birthwt[c("race", "smoke", "ht", "ui")], factor)
  housing <- from("housing")
  housing <- housing[rep(seq_len(nrow(housing)), housing$Freq), ]
  survey <- stats::na.omit(from("survey")[c("Sex", "Pulse", "Exer", "Age", "Smoke")])
  list(
    birthwt = list(low ~ age + lwt + race + smoke + yes(ptl > 0) + ht + ui, birthwt),
    pima = list(type ~ ., rbind(from("Pima.tr"), from("Pima.te"))),
    infert = list(
      case ~ education + age + parity + spontaneous + induced, from("infert", "datasets")
    ),
    bacteria = list(y ~ trt + week, from("bacteria")),
    melanoma = list(yes(status == 1) ~ sex + age + thickness + ulcer, from("Melanoma")),
    breaks = list(yes(breaks > 26) ~ wool + tension, from("warpbreaks", "datasets")),
    survey = list(Sex ~ Pulse + Exer + Age + Smoke, survey),
    quine = list(yes(Days > 11) ~ Eth + Sex + Age + Lrn, from("quine")),
    esoph = list(yes(agegp > "45-54") ~ tobgp + alcgp, from("esoph", "datasets")), # ordered factors
    housing = list(yes(Sat == "High") ~ Infl + Type + Cont, housing)
  )
}

test_that("without wrong labels and under a weak prior they are those of glm()", {
  for (table in regression_tables()) {
    formula <- table[[1]]
    environment(formula) <- globalenv()
    data <- stats::model.frame(table[[1]], table[[2]])
    names(data) <- make.names(names(data))
    formula <- stats::reformulate(names(data)[-1], names(data)[1])
    ours <- bpm(formula, data, epsilon = 0, nugget = 1, prior_scale = 4)
    theirs <- stats::glm(formula, stats::binomial("probit"), data)
    se <- sqrt(diag(vcov(theirs)))
    expect_named(coef(ours), names(coef(theirs)))
    expect_lt(max(abs(coef(ours) - coef(theirs)) / se), 0.1)
    expect_lt(max(abs(log(sqrt(diag(vcov(ours))) / se))), 0.06)
  }
})

coefficient_data <- function() {
  withr::with_seed(3, {
    d <- data.frame(
      x = rnorm(90, 50, 8), f = factor(sample(c("u", "v", "w"), 90, TRUE)), z = rexp(90),
      o = ordered(sample(c("low", "mid", "high"), 90, TRUE), c("low", "mid", "high")),
      l = runif(90) < 0.4
    )
    d$y <- factor(ifelse(d$x / 8 - 50 / 8 + (d$f == "v") + rnorm(90) > 0, "yes", "no"))
    d
  })
}

test_that("columns of model.matrix() times them are the latent function", {
  d <- coefficient_data()
  contrasts(d$f) <- "contr.sum"
  formulas <- list(
    y ~ x + f + o + l, y ~ f + x + o - 1, y ~ x + z - 1, y ~ x + z + x:z, y ~ poly(x, 2) + l,
    y ~ f - 1
  )
  for (formula in formulas) {
    fit <- bpm(formula, d, epsilon = 0.05, nugget = 0.5)
    X <- stats::model.matrix(stats::delete.response(stats::terms(formula)), d)
    b <- coef(fit)
    extra <- setdiff(names(b), colnames(X)) # what centring leaves without an intercept
    expect_true(all(extra == "(Intercept)"))
    f <- drop(X %*% b[colnames(X)]) + sum(b[extra])
    expect_equal(unname(f), latent_new(fit, fit$data$X)$m[, 1] / sqrt(0.5), tolerance = 1e-10)
  }
})

test_that("those of an average are the moments and quantiles of its draws", {
  d <- coefficient_data()
  fit <- bpm(y ~ x + f, d, hyper = "integrate")
  expect_gt(node_count(fit), 10)
  A <- coefficient_map(fit)
  draws <- withr::with_seed(1, do.call(rbind, lapply(seq_len(node_count(fit)), function(k) {
    node <- latent_at(fit, k)
    root <- t(chol(node$weights$C))
    size <- ceiling(40000 * node_weight(fit)[k])
    w <- node$weights$mean + root %*% matrix(rnorm(size * nrow(root)), nrow(root))
    t(A %*% w) / sqrt(node$prior$nugget)
  })))
  sd <- apply(draws, 2, sd)
  expect_lt(max(abs(coef(fit) - colMeans(draws)) / sd), 0.03)
  expect_lt(max(abs(sqrt(diag(vcov(fit))) / sd - 1)), 0.03)
  expect_lt(max(abs(stats::cov2cor(vcov(fit)) - stats::cor(draws))), 0.03)
  ends <- confint(fit, level = 0.8)
  below <- function(at) vapply(seq_along(at), function(j) mean(draws[, j] < at[j]), 0)
  expect_lt(max(abs(below(ends[, 1]) - 0.1), abs(below(ends[, 2]) - 0.9)), 0.01)
  table <- tidy(fit, conf.level = 0.8)
  expect_equal(cbind(table$conf.low, table$conf.high), unname(ends))
  signs <- pmax(colMeans(draws > 0), colMeans(draws < 0))
  expect_lt(max(abs(table$pd - signs)), 0.01)
})

test_that("odds ratios are those of average probabilities", {
  d <- coefficient_data()
  fit <- bpm(y ~ x + f + z, d, epsilon = 0.05, nugget = 0.5)
  table <- tidy(fit, exponentiate = TRUE)
  expect_identical(table$term, names(coef(fit)))
  expect_true(is.na(table$estimate[1]))
  draws <- withr::with_seed(2, {
    root <- t(chol(fit$weights$C))
    fit$weights$mean + root %*% matrix(rnorm(4000 * nrow(root)), nrow(root))
  })
  odds <- function(data) {
    Xt <- bpm_design(forge(fit$blueprint, data)$X, fit$prior)
    qlogis(colMeans(pnorm(crossprod(Xt, draws) / sqrt(0.5))))
  }
  level <- function(name) odds(transform(d, f = factor(name, levels(f))))
  log_ratios <- rbind(
    odds(transform(d, x = x + 1)) - odds(d), level("v") - level("u"), level("w") - level("u"),
    odds(transform(d, z = z + 1)) - odds(d)
  )
  spread <- apply(log_ratios, 1, sd)
  expect_lt(max(abs(log(table$estimate[-1]) - apply(log_ratios, 1, median)) / spread), 0.15)
  wide <- (log(table$conf.high) - log(table$conf.low))[-1] / spread
  expect_true(all(wide > 3.5 & wide < 4.4))
  product <- tidy(bpm(y ~ x + z + x:z + l, d, epsilon = 0.05, nugget = 0.5), exponentiate = TRUE)
  expect_identical(is.na(product$estimate), c(TRUE, TRUE, TRUE, TRUE, FALSE)[c(1, 2, 3, 5, 4)])
  expect_error(tidy(fit, exponentiate = TRUE, component = "weights"), class = "sturdy_error_choice")
})

test_that("odds ratios are numbers where draws of all probabilities round to 1", {
  d <- data.frame(x = seq(-2, 2, length.out = 40), y = rep("yes", 40))
  d$y[c(9, 20, 33)] <- "no"
  fit <- bpm(y ~ x, d, epsilon = 0.2, nugget = 0.02, hyper = "integrate")
  z <- path_link(fit, fit$data$X, 1000L)
  expect_true(any(colMeans(stats::pnorm(z)) == 1))
  table <- tidy(fit, exponentiate = TRUE)[2, -1]
  expect_true(all(is.finite(unlist(table[c("estimate", "conf.low", "conf.high", "pd")]))))
  expect_gt(table$estimate, 0.5)
  expect_lt(table$estimate, 2)
  # and what they are where nothing rounds
  small <- matrix(c(-1, 0.2, 1, 3, -2, 0), 3)
  expect_equal(average_log_odds(small), qlogis(colMeans(pnorm(small))))
  far <- matrix(c(42, 41), 1)
  expect_equal(average_log_odds(far), -pnorm(far, lower.tail = FALSE, log.p = TRUE)[1, ])
})

test_that("the prior for effects shrinks little", {
  d <- withr::with_seed(5, {
    d <- data.frame(treated = rep(0:1, 150), x = rnorm(300))
    d$y <- factor(rnorm(300) < -0.3 + 0.7 * d$treated + 0.6 * d$x)
    d
  })
  known <- bpm(y ~ treated + x, d, epsilon = 0, prior_scale = "effects", hyper = "integrate")
  expect_identical(known$prior$nugget_prior, list(meanlog = 0, sdlog = 1))
  theirs <- stats::glm(y ~ treated + x, stats::binomial("probit"), d)
  gap <- (coef(known) - coef(theirs)) / sqrt(diag(vcov(theirs)))
  expect_lt(max(abs(gap)), 0.2)
  # zeros and ones, or a factor
  d$arm <- factor(d$treated, labels = c("a", "b"))
  by_factor <- update(known, y ~ arm + x, data = d)
  expect_lt(max(abs(coef(by_factor) / coef(known)[names(coef(theirs))] - 1)), 0.02)
  expect_error(
    bpm(y ~ x, d, prior_scale = "effects", inference = "adf"), class = "sturdy_error_prior_scale"
  )
})

test_that("coef() refuses what it does not know", {
  fit <- bpm(y ~ x + f, coefficient_data(), epsilon = 0.05, nugget = 0.5)
  expect_error(coef(fit, "scores"), class = "sturdy_error_choice")
  expect_error(confint(fit, contrasts = list(f = "contr.sum")), class = "sturdy_error_unknown_argument")
})

test_that("odds ratios beyond the largest number have an infinite error, and of odds that are both infinite are 1", {
  d <- withr::with_seed(1, data.frame(a = rnorm(10), g = factor(rep(c("u", "v"), 5))))
  d$y <- factor(ifelse(d$g == "v" | d$a > 1, "yes", "no"))
  fit <- bpm(y ~ a + g, d, nugget = 0.001, hyper = "optimum", epsilon = 0.05)
  table <- tidy(fit, exponentiate = TRUE)
  # by logs of the same draws
  X <- fit$data$X
  level <- function(name) {
    X[] <- forge(fit$blueprint, transform(d, g = factor(name, levels(g))))$X
    average_log_odds(path_link(fit, X, 1000L))
  }
  apart <- level("v") - level("u")
  expect_gt(max(apart), 710)
  expect_equal(log(table$estimate[3]), median(apart), tolerance = 0.02)
  expect_identical(table$std.error[3], Inf)
  expect_false(anyNA(table[-1, -1]))
  # without a nugget the class of a row is certain, and a table all of one class has infinite odds
  certain <- tidy(bpm(y ~ a, d, nugget = 0, hyper = "optimum", epsilon = 0.05), exponentiate = TRUE)
  expect_false(anyNA(certain[-1, -1]))
})
