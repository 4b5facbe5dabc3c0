# How often wrong labels would show, against drawn tables.

quiet <- ep_control(progress = FALSE)

asked_of <- function(...) {
  gpc(..., kernel = held(), epsilon = "average", hyper = "integrate", control = quiet)
}
asked_fit <- made_once(function(n = 40, ...) asked_of(class ~ a + b, toy(n), ...))
three_asked <- made_once(function() {
  local_fewer_points()
  asked_of(Species ~ ., iris[c(1:15, 51:65, 101:115), ])
})

asked_table <- function(fit) {
  stage <- judged_by(fit)
  noticed_table(fit, stage, which(label_source(stage$data$reports) > 0))
}

test_that("with scores as they are, mean and spread of the log factor are those of drawn labels", {
  for (fit in list(asked_fit(60), three_asked())) {
    stage <- judged_by(fit)
    table <- asked_table(fit)
    table$told <- 0
    classes <- ncol(table$P)
    for (rates in list(rep(0.1, classes), replace(numeric(classes), 2, 0.2))) {
      said <- noticed_factor(table, rates, stage)
      q <- table$p %*% rate_matrix(rates, classes)
      model <- noticed_model(stage, which(rates > 0))
      drawn <- withr::with_seed(2, replicate(16, {
        y <- max.col(log(q) - log(-log(matrix(runif(length(q)), nrow(q))))) # Gumbel's: draws from q
        rows <- label_rows(table$P, label_reports(y, classes), stage$recalibration$way)
        of <- function(name, beside = NULL) {
          label_integral(label_problem(rows, name, table$noise), 0L, beside)
        }
        none <- of("none")
        of(model$model, none)$log_evidence - none$log_evidence
      }))
      expect_lt(abs(mean(drawn) + log(model$share) - said$mean), 3 * sd(drawn) / sqrt(16) + 0.3)
      expect_lt(abs(log(sd(drawn) / said$sd)), 0.6) # 16 draws: 3 standard errors
    }
  }
})

test_that("a row that speaks for two counts twice, and models without such rates make it rarer", {
  fit <- asked_fit()
  stage <- judged_by(fit)
  table <- asked_table(fit)
  table$told <- 0
  twice <- table
  twice[c("P", "p")] <- lapply(table[c("P", "p")], function(x) x[rep(1:40, 2), ])
  twice$times <- rep(1, 80)
  twice$reports <- reports_of(table$reports, rep(1:40, 2))
  often <- table
  often$times <- rep(2, 40)
  expect_equal(noticed_factor(often, c(0.1, 0.1), stage), noticed_factor(twice, c(0.1, 0.1), stage), tolerance = 1e-4)
  # "one" and "two" of what has wrong labels
  expect_equal(noticed_model(stage, 1:2), list(model = "one", share = 0.45 / 0.75))
  expect_equal(noticed_model(stage, 2), list(model = "second", share = 0.3 / 0.75))
  user <- update(fit, noise = noise_prior(models = c(none = 0.5, first = 0.5)))
  expect_equal(noticed_model(judged_by(user), 2), list(model = "first", share = 1))
})

test_that("flips take as much of what labels say as differences of probabilities have it", {
  table <- list(p = withr::with_seed(1, {
    p <- exp(matrix(rnorm(60), 20))
    p / rowSums(p)
  }), times = rep(c(1, 2), 10))
  omega <- rate_matrix(c(0.1, 0, 0.3), 3)
  information <- function(omega) { # trace over log odds of each row, by central differences
    sum(vapply(1:20, function(i) {
      of <- function(eta) drop((exp(eta) / sum(exp(eta))) %*% omega)
      eta <- log(table$p[i, ])
      slopes <- vapply(1:3, function(t) {
        h <- replace(numeric(3), t, 1e-5)
        (of(eta + h) - of(eta - h)) / 2e-5
      }, numeric(3))
      table$times[i] * sum(slopes^2 / of(eta))
    }, 0))
  }
  expect_equal(label_information(table, omega), information(omega) / information(diag(3)), tolerance = 1e-6)
  expect_equal(label_information(table, diag(3)), 1)
})

test_that("scores are made less sure by so many nats", {
  p <- withr::with_seed(3, plogis(3 * rnorm(50)))
  p <- cbind(p, 1 - p)
  times <- rep(1:2, 25)
  entropy <- function(power) {
    odds <- power * qlogis(p[, 1])
    sum(times * (-plogis(odds) * plogis(odds, log.p = TRUE) - plogis(-odds) * plogis(-odds, log.p = TRUE)))
  }
  power <- softer_power(p, times, 4)
  expect_equal(entropy(power) - entropy(1), 4, tolerance = 1e-4)
  expect_identical(softer_power(p, times, 0), 1)
  expect_identical(softer_power(p, times, 1e4), noticed_step)
  # what labels tell of themselves: by predictions with and without them
  fit <- asked_fit()
  own <- cbind(1:40, as.integer(toy()$class))
  with <- log(predict(first_stage(fit), type = "prob", noise = TRUE)[own])
  without <- loo_terms(fit)
  expect_equal(asked_table(fit)$told, sum(with - without), tolerance = 1e-6)
  expect_gt(asked_table(fit)$told, 0)
  fit$label_stage$data$reports$times <- rep(1:2, 20) # each of as many labels
  local_mocked(told_of_itself = function(object, rows) rep(0.1, length(rows)))
  expect_equal(asked_table(fit)$told, 6)
})

test_that("more rows and clearer classes show more, and overlap hides everything", {
  fit <- asked_fit(80)
  stage <- judged_by(fit)
  table <- asked_table(fit)
  share <- function(table) {
    ratio <- noticed_factor(table, c(0.1, 0.1), stage)
    pnorm((ratio$mean - log(3)) / ratio$sd)
  }
  like <- function(power, times = 1) {
    table$p <- softer(table$p, power)
    table$P <- softer(table$P, power)
    table$times <- times * table$times
    share(table)
  }
  expect_gt(like(1, 3), like(1))
  expect_gt(like(3), like(1))
  expect_lt(like(0.2), 0.05)
  # a fit that learned more freely would learn less from wrong labels
  expect_lt(share(replace(table, "told", table$told + 20)), like(1))
})

test_that("probabilities of 0 and 1, and a class that no row can be of, leave a number", {
  sure <- cbind(rep(c(1, 0), 50), rep(c(0, 1), 50))
  for (fit in list(asked_fit(), three_asked())) {
    table <- asked_table(fit)
    classes <- ncol(table$P)
    for (p in list(sure, sure[rep(1, 100), ])) {
      table$p <- if (classes > 2) cbind(p, 0) else p
      table$P <- pmax(table$p, 1e-300)
      table$times <- rep(1, 100)
      table$reports <- reports_of(table$reports, rep(1, 100))
      for (wrong in seq_len(classes)) {
        ratio <- noticed_factor(table, replace(numeric(classes), wrong, 0.1), judged_by(fit))
        expect_true(all(is.finite(unlist(ratio))) && ratio$sd > 0)
      }
    }
  }
})

test_that("it is asked once of a fit, and anew of another", {
  fit <- asked_fit()
  first <- noticed_once(fit)
  expect_equal(first, noticed(fit))
  other <- update(fit, noise = noise_prior(rate = 2))
  local_mocked(noticed = function(...) "asked")
  withr::defer(noticed_last$key <- NULL)
  expect_identical(noticed_once(fit), first)
  expect_equal(noticed_once(other), "asked")
})

test_that("a fit says what would be noticed, of any number of classes", {
  local_fewer_points()
  fit <- asked_fit()
  said <- noticed(fit)
  expect_equal(said$of, c("all", "no", "yes"))
  expect_true(all(said$probability > 0 & said$probability < 1))
  expect_equal(noise_test(fit)$noticed, said)
  expect_equal(noticed(three_asked())$of, c("all", levels(iris$Species)))
  # of classes in an order each may be the only one, too
  iris <- iris[seq(1, 150, by = 3), ]
  iris$Species <- factor(iris$Species, levels(iris$Species), ordered = TRUE)
  expect_equal(noticed(asked_of(Species ~ Petal.Length, iris))$of, c("all", levels(iris$Species)))
  # each of very many classes would take long: the rarest is that in which errors show least
  class <- rep(1:7, c(15, 16, 12, 15, 17, 15, 15))
  many <- withr::with_seed(1, data.frame(x = class + rnorm(105) / 10, y = factor(letters[class])))
  said <- noticed(asked_of(y ~ x, many))
  expect_equal(said$of, c("all", "c"))
  expect_lt(said$probability[2], said$probability[1])
})

test_that("of very many rows wrong labels of one class show, whichever it is", {
  d <- withr::with_seed(1, data.frame(a = rnorm(20000), b = rnorm(20000)))
  d$class <- factor(d$a + d$b + withr::with_seed(2, rnorm(20000, 0, 0.3)) > 0)
  expect_gt(min(noticed(bpm(class ~ ., d))$probability), 0.99)
})

test_that("nothing is said where scores would have learned from wrong labels, or none is open", {
  d <- toy_scores(2, 60)
  expect_null(noticed(second_stage(d$prob, d$labels)))
  expect_null(noise_test(averaged_stage(d))$noticed)
  expect_null(noticed(asked_fit(trusted = 1:40)))
  expect_null(noticed(toy_fit()))
  expect_null(noticed(bpm(class ~ a + b, toy(), inference = "adf")))
})

test_that("a class that next to no row has is not asked about: it can't hide", {
  d <- withr::with_seed(1, data.frame(x = rnorm(60)))
  for (event in c(6, 20)) { # of which a tenth are 0.6 and 2
    d$y <- factor(rank(-d$x) <= event, c(FALSE, TRUE), c("no", "yes"))
    expect_equal(noticed(asked_of(y ~ x, d))$of, c("all", "no", if (event == 20) "yes"))
  }
})

test_that("of many rows some speak for all, whatever order they are in", {
  fit <- asked_fit()
  d <- toy()[c(23:40, 1:22), ]
  other <- gpc(class ~ a + b, d, kernel = held(), epsilon = "average", hyper = "integrate", control = quiet)
  local_mocked(noticed_rows = 50L)
  table <- asked_table(fit)
  expect_equal(nrow(table$P), 25)
  expect_equal(sum(table$times), 40)
  expect_equal(noticed(other), noticed(fit), tolerance = 1e-6)
})

extended_test("in tables whose labels are flipped so many factors are above 3 as was said", {
  make <- list(
    curved = function() {
      X <- matrix(rnorm(240), 120)
      list(X = X, y = runif(120) < plogis(12 * (X[, 1]^2 - X[, 2] - 0.6)))
    },
    linear = function() {
      X <- matrix(rnorm(1000), 200)
      list(X = X, y = runif(200) < plogis(2 * drop(X %*% c(1.5, 1, 0.5, 0, 0))))
    }
  )
  for (of in make) {
    found <- vapply(1:24, function(seed) withr::with_seed(900 + seed, {
      d <- of()
      test <- function(y) noise_test(gpc(d$X, factor(y), hyper = "integrate", control = quiet))
      flipped <- function(rows) test(replace(d$y, rows, !d$y[rows]))$bayes_factor > 3
      said <- test(d$y)$noticed$probability
      n <- length(d$y)
      c(said[c(1, 3)], flipped(sample(n, n / 10)), flipped(which(d$y & runif(n) < 0.1)))
    }), numeric(4))
    share <- rowMeans(found)
    # two standard errors of a share of 24
    expect_lt(max(abs(share[1:2] - share[3:4])), 0.2)
  }
})
