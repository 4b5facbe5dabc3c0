# Positive and unlabelled rows.

quiet <- ep_control(progress = FALSE)
held <- kernel_iso(1, nugget = 0.05, fixed = TRUE)

unlabelled_rows <- function(seed = 1, n = 80, share = 0.5) {
  withr::with_seed(seed, {
    d <- data.frame(x1 = stats::rnorm(n), x2 = stats::rnorm(n))
    truth <- d$x1 + d$x2 > 0.3
    d$y <- factor(ifelse(truth & stats::runif(n) < share, "yes", "no"), c("no", "yes"))
    list(d = d, truth = truth)
  })
}
asked <- noise_prior(unlabelled = "no")

test_that("the share that is labelled and the prevalence are integrals over that share [M 13.8]", {
  local_many_points()
  d <- unlabelled_rows()$d
  fit <- gpc(y ~ x1 + x2, d, kernel = held, hyper = "integrate", noise = asked, control = quiet)
  found <- summary(fit)$unlabelled
  expect_equal(found$of, c("labelled", "prevalence"))
  # the label stage with a rate of the event that is flat on (0, 1), in plain R
  flat <- function(model, Z) rbind(0, stats::pnorm(Z))
  plain <- plain_own_stage(fit, "second", unusual = FALSE, draws = 6000, rates = flat)
  expect_lt(abs(found$estimate[1] - 1 + sum(plain$rates(flat)[2, ] * plain$weight)), 0.01)
  density <- plain$number()
  known <- sum(d$y == "yes")
  expect_lt(abs(found$estimate[2] - (known + sum((seq_along(density) - 1) * density)) / nrow(d)), 0.005)
  ends <- (known + density_ends(density, 0.9)) / nrow(d)
  expect_lte(max(abs(unlist(found[2, c("lower", "upper")]) - ends)), 1.01 / nrow(d))
  # the learner's share, by EP at rates that are held
  missed <- (seq_len(16) - 0.5) / 16
  log_weight <- vapply(missed, function(e) {
    # EP has two fixed points at some of them
    suppressWarnings(log_evidence(gpc(
      y ~ x1 + x2, d, kernel = held, epsilon = c(neg = 0, pos = e), hyper = "optimum",
      control = quiet
    )), classes = "sturdy_warning_fixed_points")
  }, 1)
  weight <- exp(log_weight - max(log_weight)) / sum(exp(log_weight - max(log_weight)))
  first <- vapply(fit$nodes$omega, function(omega) omega[1, 2, 1], 0)
  expect_equal(sum(node_weight(fit) * first), sum(weight * missed), tolerance = 0.02)
  # labels that are there are right
  listed <- mislabelled(fit)
  expect_equal(max(listed$probability[listed$label == "yes"]), 0)
  expect_equal(flip_rates(fit)$rate[1], 0)
})

test_that("which level is the unlabelled one makes no difference", {
  local_fewer_points()
  d <- unlabelled_rows(2)$d
  fit <- gpc(y ~ ., d, kernel = held, hyper = "integrate", noise = asked, control = quiet)
  d$y <- factor(d$y, c("yes", "no"))
  other <- gpc(y ~ ., d, kernel = held, hyper = "integrate", noise = asked, control = quiet)
  expect_equal(summary(other)$unlabelled, summary(fit)$unlabelled, tolerance = 1e-8)
})

test_that("bpm(), stc(), inducing inputs and groups answer, too; a check is taken in", {
  local_fewer_points()
  t <- unlabelled_rows(3, 150)
  true <- mean(t$truth)
  clinic <- rep(c("a", "b"), 75)
  fits <- list(
    bpm(y ~ ., t$d, hyper = "integrate", noise = asked, control = quiet),
    stc(y ~ ., t$d, df = 4, kernel = held, hyper = "integrate", noise = asked, control = quiet),
    gpc(y ~ ., t$d, kernel = held, inducing = 20, hyper = "integrate", noise = asked, control = quiet),
    gpc(y ~ ., t$d, kernel = held, rates = clinic, hyper = "integrate", noise = asked, control = quiet)
  )
  for (fit in fits) {
    found <- summary(fit)$unlabelled
    last <- nrow(found)
    expect_lt(abs(found$estimate[last] - true), 0.08)
    expect_true(found$lower[1] < 0.5 && found$upper[1] > 0.5)
  }
  expect_equal(found$of, c("labelled, a", "labelled, b", "prevalence"))
  rows <- which(t$d$y == "no")[1:20]
  checks <- data.frame(row = rows, label = ifelse(t$truth[rows], "yes", "no"))
  told <- suppressMessages(update(fits[[1]], checked = checks))
  expect_lt(diff(unlist(summary(told)$unlabelled[2, 3:4])), diff(unlist(found[3, 3:4])) + 0.05)
  expect_equal(
    summary(told)$unlabelled$estimate[2],
    mean(predict(told, type = "true")[, "yes"]), tolerance = 1e-8
  )
})

test_that("shares of groups are told from the least to the most", {
  d <- unlabelled_rows()$d
  d$clinic <- rep(c("u", "v"), 40)
  fit <- gpc(y ~ x1 + x2, d, rates = ~clinic, kernel = held, hyper = "optimum", noise = asked, control = quiet)
  shares <- data.frame(of = c("u", "v", "prevalence"), estimate = c(0.095, 0.24, 0.5), lower = NA, upper = NA)
  local_mocked(unlabelled_table = function(...) shares)
  expect_match(unlabelled_lines(fit, 2)[["Labelled"]], "^9.5 to 24% of them")
  expect_match(unlabelled_lines(fit, 2, level = 0.5)[["How many?"]], "(50% interval", fixed = TRUE)
})

test_that("where labels are not left to chance the prevalence is wrong", {
  local_fewer_points()
  n <- 300
  t <- withr::with_seed(4, {
    d <- data.frame(x1 = stats::rnorm(n), x2 = stats::rnorm(n))
    truth <- d$x1 + d$x2 > 0
    chance <- stats::plogis(2 * d$x1)
    d$y <- ifelse(truth & stats::runif(n) < chance, "yes", "no")
    list(d = d, true = mean(truth))
  })
  fit <- gpc(
    y ~ ., t$d, kernel = kernel_iso(1.5, nugget = 0.02, fixed = TRUE), hyper = "integrate",
    noise = asked, control = quiet
  )
  found <- summary(fit)$unlabelled[2, ]
  expect_lt(found$upper, t$true) # as help warns
})

test_that("it says what it assumes, and refuses what it can't be", {
  d <- unlabelled_rows()$d
  fit <- gpc(y ~ ., d, kernel = held, hyper = "integrate", noise = asked, control = quiet)
  expect_snapshot(print(fit))
  expect_snapshot(print(asked))
  refused <- function(code) expect_error(code, class = "sturdy_error_prior")
  refused(noise_prior(unlabelled = c("a", "b")))
  refused(noise_prior(unlabelled = "no", study = diag(2)))
  with_noise <- function(...) gpc(y ~ ., d, epsilon = "average", noise = noise_prior(...))
  expect_snapshot({
    said(with_noise(unlabelled = "maybe"))
    said(with_noise(unlabelled = "no", specificity = c(1, 1)))
    said(gpc(y ~ ., d, epsilon = "learn", noise = asked))
    said(second_stage(rep(0.5, 80), d$y, epsilon = "average", noise = asked))
    said(gpc(Species ~ ., iris, epsilon = "average", noise = noise_prior(unlabelled = "setosa")))
    said(bpm(y ~ ., shards(d), noise = asked))
  })
})
