# Numbers in the snapshots are given, not computed.
shown <- function(fit) {
  fit$ep$log_evidence <- -12.3456
  fit$ep$sweeps <- 6L
  fit$ep$residual <- rep(3.2e-10, nobs(fit))
  with_scores(fit, rep(-0.25, nobs(fit)))
}

test_that("a fit prints in at most six lines, none wider than the console", {
  d <- toy()
  d$class <- factor(d$class, labels = c("a class with a name that is long", "another such class"))
  d$a[1:2] <- NA
  fits <- suppressMessages(list(
    toy_fit(), update(toy_fit(), df = 3), toy_fit(data = d, trusted = 5:9), toy_fit(epsilon = 0),
    bpm(class ~ a + b, toy(), inference = "adf"),
    gpc(class ~ a + b, d, kernel = held(), epsilon = "average", hyper = "integrate", trusted = 5:9),
    bpm(class ~ ., shards(toy(), n = 2), nugget = 1, epsilon = 0.05)
  ))
  for (fit in fits) {
    for (width in c(60, 80, 120)) {
      withr::with_options(list(width = width), lines <- capture.output(print(fit)))
      expect_lte(max(nchar(lines)), width)
      if (width >= 80) expect_lte(length(lines), 6)
    }
  }
  expect_match(printed(fits[[6]]), "Labels 5 rows trusted", fixed = TRUE)
  expect_match(printed(fits[[5]]), "Absorbed 40 rows")
})

test_that("print() shortens names and leaves out fields, but cuts no sentence", {
  d <- toy()
  d$class <- factor(d$class, labels = c("a class of a very long name", "virginica"))
  fit <- gpc(
    class ~ a + b, d, kernel = held(), epsilon = "average", hyper = "integrate", trusted = 5:9
  )
  said <- function(fit) withr::with_options(list(width = 80), capture.output(print(fit)))
  lines <- said(fit)
  expect_match(lines, "40, 2 inputs; classes a class..ng name (15) and virginica (25,", fixed = TRUE, all = FALSE)
  expect_match(lines, "5 rows trusted", all = FALSE)
  expect_no_match(lines, "\\.\\.\\.")
  local_mocked(fit_fields = function(x, digits) {
    c(Kept = strrep("long ", 70), Fit = "also kept", More = "less important")
  })
  expect_match(said(fit), "Fit   also kept", fixed = TRUE, all = FALSE)
  expect_no_match(said(fit), "important")
})

test_that("print() says what went wrong", {
  fit <- toy_fit()
  fit$ep$status <- "max_sweeps"
  expect_match(printed(fit), "EP: max sweeps after")
  learned <- toy_fit()
  learned$learning <- list(
    convergence = 1, message = "", on_bound = "nugget", starts = 1, method = "gradient"
  )
  learned$kernel$fixed <- "variance"
  expect_match(printed(learned), "stopped short: see ep_diagnostics()", fixed = TRUE)
})

test_that("print() says what was fitted and how it went", {
  d <- toy()
  d$a[1:2] <- NA
  learned <- toy_fit()
  learned$learning <- list(
    convergence = 1, message = "", on_bound = "nugget", starts = 1, method = "gradient"
  )
  learned$kernel$fixed <- "variance"
  expect_snapshot({
    shown(toy_fit())
    said(toy_fit(data = d))
    shown(suppressMessages(toy_fit(data = d)))
    shown(update(toy_fit(), df = 3, kernel = kernel_ard(c(1, 2), fixed = TRUE)))
    shown(gpc(class ~ 1, toy(), kernel = held(), epsilon = 0))
    shown(learned)
    summary(shown(learned))
  })
})

test_that("an average that takes every label for right says so, and what it can't test not how", {
  d <- toy()
  right <- gpc(class ~ a + b, d, epsilon = 0, hyper = "integrate")
  expect_output(print(right), "Not asked: every label is taken to be right")
  one <- gpc(
    class ~ a + b, d, epsilon = "average", hyper = "integrate",
    noise = noise_prior(models = c(one = 1))
  )
  expect_no_match(printed(one), "epsilon = \"average\"", fixed = TRUE)
})

test_that("print() returns its argument and takes digits", {
  fit <- toy_fit()
  capture.output(shown <- withVisible(print(fit)))
  expect_identical(shown$value, fit)
  expect_false(shown$visible)
  expect_output(print(toy_fit(epsilon = 0.012345), digits = 2), "epsilon = 0.012 ")
})

test_that("several classes print as two do, with their own words for the noise", {
  d <- iris[c(1:15, 51:65, 101:115), ]
  fit <- function(...) gpc(Species ~ Petal.Length + Petal.Width, d, kernel = held(), ...)
  said <- function(...) printed(summary(fit(...)))
  one <- said(epsilon = 0.1)
  expect_match(one, "<gpc> Gaussian process classifier, 3 classes", fixed = TRUE)
  expect_match(one, "2 inputs; classes setosa (15), versicolor (15), virginica (15)", fixed = TRUE)
  expect_match(one, "epsilon = 0.1 (fixed)", fixed = TRUE)
  expect_match(one, "to be compared with its own kind only", fixed = TRUE)
  m <- matrix(c(0.9, 0.05, 0.05, 0.02, 0.96, 0.02, 0, 0, 1), 3, byrow = TRUE)
  dimnames(m) <- list(levels(d$Species), levels(d$Species))
  expect_match(said(epsilon = m), "a matrix, rates 0 to 0.1 (fixed)", fixed = TRUE)
  expect_match(said(epsilon = 0.1, trusted = 1:4), "Labels 4 rows trusted", fixed = TRUE)
  averaged <- said(epsilon = "average", hyper = "integrate")
  expect_match(averaged, "no wrong labels (0.", fixed = TRUE)
  expect_match(averaged, "as logLik() has it; of factorised EP", fixed = TRUE)
})

test_that("nothing is printed wider than the console", {
  fit <- toy_fit(epsilon = "average", hyper = "integrate", data = transform(toy(), class = rev(class)))
  three <- gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = held(), epsilon = 0.05)
  shown <- list(
    fit, summary(fit), noise_test(fit), review(fit, 3), confusion(fit), calibration(fit), loo(fit),
    noise_matrix(fit), ep_diagnostics(fit), three, confusion(three), noise_matrix(three),
    calibration(three)
  )
  for (width in c(80, 60, 45)) {
    withr::local_options(width = width)
    for (x in shown) expect_lte(max(nchar(capture.output(print(x)))), width)
  }
})

test_that("four classes are all named, and of more the first three", {
  expect_equal(name_some(letters[1:4]), "a, b, c, d")
  expect_equal(name_some(letters[1:5]), "a, b, c and 2 more")
})

test_that("noise models of one class have its name", {
  expect_identical(
    model_words(c("none", "second", "matrix", "first"), c("well", " ill")),
    c("no wrong labels", "a rate in true \" ill\" only", "a noise matrix", "a rate in true well only")
  )
  expect_identical(
    model_words(c("each", "alone2"), c("a", "b", "c")),
    c("a rate for each class", "a rate in true b only")
  )
})

test_that("a rate that is learned is printed as the label stage has it, beside its count", {
  d <- toy(60)
  fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = "learn", hyper = "optimum")
  stage <- fit$label_stage
  rate <- stage$omega[1, 2]
  expect_gt(abs(rate / fit$epsilon - 1), 0.02) # that of the first stage is another
  expect_match(printed(fit), paste0("Not tested: one rate; mean rate ", format(rate, digits = 3), "."), fixed = TRUE)
  # the mean of the points that also say how many
  points <- vapply(stage$nodes$omega, function(omega) omega[1, 1, 2], 0)
  expect_equal(rate, sum(points * stage$nodes$table$weight), tolerance = 1e-8)
})

test_that("rows without a label are told apart from those without an input", {
  fit <- toy_fit()
  fit$data$na_action <- structure(c(3L, 9L, 12L), class = "omit")
  expect_match(describe_rows(fit), "(3 more left out: missing values)", fixed = TRUE)
  fit$data$unlabelled <- list(at = 9L)
  expect_match(describe_rows(fit), "(2 more left out: missing values) (1 more without a label)", fixed = TRUE)
})
