# Which noise models there are, how probable before the data, and what priors their rates have.

weights_of <- function(classes, prior = noise_prior(), epsilon = "average", reports = NULL, ...) {
  if (is.null(reports)) reports <- label_reports(rep_len(seq_len(classes), 30), classes)
  noise_weights(epsilon, prior, reports, ...)
}
model_of <- function(classes, prior = noise_prior(), epsilon = "average", ..., source = 1L) {
  sources <- if (max(source) > 1) paste0("g", seq_len(max(source))) else "label"
  reports <- label_reports(rep_len(seq_len(classes), 30), classes, source, sources)
  noise_model(epsilon, prior, reports, ...)
}

test_that("the usual noise models have their prior probabilities by the number of classes", {
  expect_equal(weights_of(2), c(none = 0.25, one = 0.3, two = 0.15, first = 0.15, second = 0.15))
  for (classes in c(3, 12)) {
    each <- stats::setNames(rep(0.15 / classes, classes), paste0("alone", seq_len(classes)))
    expect_equal(weights_of(classes), c(none = 0.3, one = 0.25, each = 0.1, matrix = 0.2, each))
  }
  # of more classes that each alone is wrong joins the matrix
  expect_equal(weights_of(13), c(none = 0.3, one = 0.25, each = 0.1, matrix = 0.35))
  for (classes in 2:14) expect_equal(sum(weights_of(classes)), 1)
})

test_that("models of the user are shared by those of several classes", {
  models <- c(none = 0.2, one = 0.2, two = 0.3, first = 0.2, second = 0.1)
  expect_equal(weights_of(2, noise_prior(models)), models)
  expect_equal(weights_of(3, noise_prior(models)), c(
    none = 0.2, one = 0.2, each = 0.1, matrix = 0.2, alone1 = 0.1, alone2 = 0.1, alone3 = 0.1
  ))
  expect_equal(
    weights_of(13, noise_prior(models)), c(none = 0.2, one = 0.2, each = 0.1, matrix = 0.5)
  )
  # what is not named is none of them
  expect_equal(weights_of(2, noise_prior(c(one = 2, second = 2))), c(one = 0.5, second = 0.5))
  expect_equal(weights_of(4, noise_prior(c(none = 1, one = 3))), c(none = 0.25, one = 0.75))
})

test_that("classes in an order have no matrix, readers what is of each of them or none", {
  alone <- stats::setNames(rep(0.15 / 4, 4), paste0("alone", 1:4))
  expect_equal(weights_of(4, ordered = TRUE), c(none = 0.3, one = 0.45, each = 0.1, alone))
  expect_equal(weights_of(13, ordered = TRUE), c(none = 0.3, one = 0.45, each = 0.25))
  models <- noise_prior(c(none = 0.2, one = 0.2, two = 0.3, first = 0.2, second = 0.1))
  expect_equal(
    weights_of(3, models, ordered = TRUE), c(none = 0.2, one = 0.2, each = 0.3, alone1 = 0.1, alone2 = 0.1, alone3 = 0.1)
  )
  noise <- model_of(4, share = neighbour_share(4))
  expect_equal(noise$first, "each")
  expect_equal(learner_noise(noise)$d, 5L) # a rate of each, and which part of the errors falls on neighbours
  expect_equal(model_of(4, epsilon = "learn", share = neighbour_share(4))$first, "one")
  for (classes in 2:3) {
    readers <- label_reports(rep_len(seq_len(classes), 30), classes, rep(1:2, 15), c("a", "b"))
    readers$readers <- TRUE
    own <- if (classes == 2) "two" else "matrix"
    none <- if (classes == 2) 0.25 else 0.3
    expect_equal(
      weights_of(classes, reports = readers), stats::setNames(c(none, 1 - none), c("none", own))
    )
  }
  # one reader alone is a source as any
  alone <- label_reports(rep(1:2, 15), 2)
  alone$readers <- TRUE
  expect_equal(weights_of(2, reports = alone), weights_of(2))
})

test_that("a noise model that is asked for, or of which a study tells, is the only one", {
  expect_equal(weights_of(2, epsilon = 0.1), c(given = 1))
  expect_equal(weights_of(2, epsilon = "learn"), c(one = 1))
  expect_equal(weights_of(2, epsilon = "learn2"), c(two = 1))
  expect_equal(weights_of(3, epsilon = "matrix"), c(matrix = 1))
  expect_equal(weights_of(3, epsilon = "learn2"), c(matrix = 1))
  expect_equal(weights_of(2, noise_prior(sensitivity = c(9, 1))), c(two = 1))
  expect_equal(weights_of(2, noise_prior(specificity = c(9, 1))), c(two = 1))
  expect_equal(weights_of(3, noise_prior(study = diag(3))), c(matrix = 1))
  # a positive class: its share is a sensitivity, and the model that one
  unlabelled <- noise_prior(c(second = 1), sensitivity = c(1, 1))
  unlabelled$unlabelled <- "no"
  expect_equal(weights_of(2, unlabelled), c(second = 1))
})

test_that("a model under which a label that was checked can't be wrong is ruled out", {
  code <- rep(1:3, 4)
  checked <- function(row, class) {
    new_reports(12, 3, c(1:12, row), c(rep(1, 12), rep(0, length(row))), c(code, class))
  }
  left <- function(reports) names(noise_model("average", noise_prior(), reports)$weights)
  all <- c("none", "one", "each", "matrix", "alone1", "alone2", "alone3")
  expect_identical(left(checked(1, 1)), all)         # it was right
  # a row of class 3 was recorded as 1: errors of classes 1 or 2 alone do not have that
  expect_identical(left(checked(1, 3)), c("one", "each", "matrix", "alone3"))
  expect_identical(left(checked(c(1, 2), c(3, 1))), c("one", "each", "matrix"))
  out <- noise_model("average", noise_prior(), checked(1, 3))
  expect_equal(out$ruled_out, c(none = 0.3, alone1 = 0.05, alone2 = 0.05))
  # they are the user's word where they are all that there is
  only <- noise_model("average", noise_prior(c(none = 1)), checked(1, 3))
  expect_equal(only$weights, c(none = 1))
  expect_null(only$ruled_out)
})

test_that("readers who contradict each other leave no place for no wrong labels", {
  reports <- new_reports(
    4, 2, c(1, 1, 2, 3, 4), c(1, 2, 1, 1, 2), c(1, 1, 2, 1, 2), c("a", "b"), readers = TRUE
  )
  left <- function(reports) names(noise_model("average", noise_prior(), reports)$weights)
  expect_identical(left(reports), c("none", "two"))
  reports$value[2] <- 2L
  expect_identical(left(reports), "two")
  # unless that row's class is known, and the one who was right is not the other
  known <- new_reports(
    4, 2, c(reports$row, 1), c(reports$source, 0), c(reports$value, 1), c("a", "b"), readers = TRUE
  )
  expect_identical(left(known), "two") # the check found b wrong
})

test_that("the learner has a model that allows for wrong labels of every class that may have some", {
  first <- function(classes, ...) model_of(classes, ...)$first
  expect_identical(first(2), "two")
  expect_identical(first(3), "matrix")
  expect_identical(first(6), "matrix")
  expect_identical(first(7), "each") # of too many coordinates
  expect_identical(first(3, source = 1:9), "matrix")
  expect_identical(first(3, source = 1:10), "each")
  expect_identical(first(3, source = 1:11), "one")
  expect_identical(first(3, noise_prior(c(none = 1, one = 1))), "one")
  expect_identical(first(3, epsilon = "learn"), "one")
  expect_identical(first(2, epsilon = "learn"), "one")
  expect_identical(first(2, epsilon = "learn2"), "two")
  expect_identical(first(3, epsilon = "matrix"), "matrix")
  expect_identical(first(2, epsilon = c(0.1, 0.2)), "given")
  expect_identical(first(4, share = neighbour_share(4)), "each")
  expect_identical(first(4, noise_prior(c(none = 1, one = 1)), share = neighbour_share(4)), "one")
  expect_identical(first(2, noise_prior(c(none = 1, second = 1))), "second")
  expect_identical(first(2, noise_prior(c(none = 1, first = 1))), "first")
  expect_identical(first(2, noise_prior(c(none = 1, first = 1, second = 1))), "two")
  expect_identical(first(2, noise_prior(c(one = 1, second = 1))), "two")
  for (classes in 2:3) expect_identical(first(classes, noise_prior(c(none = 1))), "none")
})

test_that("readers start at the rates that are guessed of them, in whatever turn classes are", {
  said <- cbind(c(1, 1, 2, 2, 2), c(1, 1, 2, 1, 2), c(2, 1, 2, 2, 2))[rep(1:5, 4), ]
  reports <- new_reports(20, 2, row(said), col(said), said, letters[1:3], readers = TRUE)
  guesses <- reader_guesses(reports)
  for (turn in list(1:2, 2:1)) {
    model <- noise_of("two", replace(noise_model("average", noise_prior(), reports), "turn", list(turn)))
    starts <- noise_starts(model)
    expect_length(starts, length(guesses))
    for (k in seq_along(starts)) {
      rates <- noise_rates(model, matrix(starts[[k]]))[, , 1]
      expect_equal(rates, unname(guesses[[k]]), tolerance = 1e-8)
    }
  }
})

# The distribution of a rate under its prior, by the distribution function of the density in plain R
ref_rate <- function(e, a, b, size, most) {
  pbeta(e / size, a, b) / pbeta(most / size, a, b)
}

test_that("rates have the priors that are told", {
  z <- c(-2.5, -1, 0, 0.7, 2)
  at <- function(model, name, k = 1) { # the k-th rate at each z, the others at their medians
    model <- noise_of(name, model)
    vapply(z, function(z) noise_shown(model, replace(numeric(model$d), k, z))[k], 0, USE.NAMES = FALSE)
  }
  # two classes: 2 e ~ Beta(1, 4) of one rate; e_c ~ Beta(1, 2), their sum below 1, of two
  expect_equal(ref_rate(at(model_of(2), "one"), 1, 4, 0.5, 0.5), pnorm(z), tolerance = 1e-8)
  expect_equal(ref_rate(at(model_of(2), "two"), 1, 2, 1, 1), pnorm(z), tolerance = 1e-6)
  median <- 1 - sqrt(0.5)
  expect_equal(
    ref_rate(at(model_of(2), "two", 2), 1, 2, 1, 1 - median), pnorm(z), tolerance = 1e-6
  )
  # one class alone, up to .95
  alone <- noise_of("second", model_of(2))
  second <- vapply(z, function(z) noise_shown(alone, z)[["pos"]], 0)
  expect_equal(ref_rate(second, 1, 2, 1, 0.95), pnorm(z), tolerance = 1e-6)
  # several: 2 e ~ Beta(1, 4), and of each class e_c ~ Beta(1, 4), at most .7 or alone .95
  expect_equal(ref_rate(at(model_of(3), "one"), 1, 4, 0.5, 0.5), pnorm(z), tolerance = 1e-8)
  expect_equal(ref_rate(at(model_of(3), "each", 2), 1, 4, 1, 0.7), pnorm(z), tolerance = 1e-6)
  alone <- noise_of("alone2", model_of(3))
  second <- vapply(z, function(z) noise_shown(alone, c(z, 0, 0))[2], 0)
  expect_equal(ref_rate(second, 1, 4, 1, 0.95), pnorm(z), tolerance = 1e-6)
  # of readers 4/5 e ~ Beta(1, 4) below 1, where its density is not 0
  reports <- new_reports(4, 2, c(1:4, 1:4), rep(1:2, each = 4), rep(1:2, 4), c("a", "b"), readers = TRUE)
  priors <- noise_model("average", noise_prior(), reports)$rate$class
  expect_equal(ref_rate(rate_quantile(z, priors[[1]]), 1, 4, 1.25, 1), pnorm(z), tolerance = 1e-8)
  # a shape of the user: of rates below 1/2
  told <- noise_prior(rate = 7)
  for (name in c("one", "two")) {
    expect_equal(ref_rate(at(model_of(2, told), name), 1, 7, 0.5, 0.5), pnorm(z), tolerance = 1e-6)
  }
  # of several classes, too: no rate has a bound beyond the half that its prior ends at
  for (name in c("each", "alone1")) {
    model <- noise_of(name, model_of(3, told))
    expect_equal(noise_shown(model, rep(40, model$d))[1], 0.5, tolerance = 1e-5)
    gradient <- noise_pull(model, matrix(40, model$d), array(1, c(1, 3, 3)))
    expect_identical(gradient[1], 0)
  }
  # by group that of one rate is 2
  by_group <- model_of(2, source = rep(1:3, 10))
  expect_equal(by_group$rate$one$b, 2)
  expect_equal(model_of(2, told, source = rep(1:3, 10))$rate$one$b, 7)
})

test_that("sensitivity and specificity are the priors of the rates of their classes", {
  told <- model_of(2, noise_prior(sensitivity = c(30, 6), specificity = c(80, 3)))
  withr::with_seed(1, {
    model <- noise_of("two", told)
    rates <- apply(matrix(rnorm(4e3), 2), 2, noise_shown, model = model)
  })
  expect_gt(suppressWarnings(ks.test(rates["neg", ], pbeta, 3, 80)$p.value), 0.01)
  expect_gt(suppressWarnings(ks.test(rates["pos", ], pbeta, 6, 30)$p.value), 0.01)
  # of one alone the other stays as it is
  one <- model_of(2, noise_prior(sensitivity = c(30, 6)))$rate$class
  expect_equal(one[[1]][c("a", "b", "size")], list(a = 1, b = 2, size = 1))
  expect_equal(one[[2]][c("a", "b", "size")], list(a = 6, b = 30, size = 1))
})

test_that("models are called by the names of their classes", {
  expect_identical(
    model_words(c("none", "one", "two", "second"), c("no", "yes")),
    c("no wrong labels", "one rate", "a rate for each class", "a rate in true yes only")
  )
  expect_identical(
    model_words(c("matrix", "each", "alone3", "given"), c("a", "b", "c")),
    c("a noise matrix", "a rate for each class", "a rate in true c only", "the rates given")
  )
  expect_identical(model_words("first", c("", "x")), "a rate in true \"\" only")
  expect_equal(
    noise_alone(c("none", "first", "second", "alone1", "alone11", "matrix")), c(NA, 1, 2, 1, 11, NA)
  )
  expect_equal(is_by_class(c("none", "one", "given", "two", "each", "first")), rep(c(FALSE, TRUE), each = 3))
})

test_that("the matrix of the learner has rates up to a bound, with the density of the prior below it", {
  z <- c(-3, 0, 1, 4)
  at <- function(model) vapply(z, function(z) noise_shown(model, replace(numeric(model$d), 1, z))[1], 0)
  for (classes in c(3, 7)) { # of 7 a rate for each
    e <- at(learner_noise(model_of(classes)))
    expect_lt(max(e), rate_most_first)
    expect_equal(ref_rate(e, 1, 4, 1, rate_most_first), stats::pnorm(z), tolerance = 1e-8)
    expect_gt(max(at(noise_of("matrix", model_of(classes)))), 2 * rate_most_first)
  }
})
