test_that("plots leave par() as it was and return the fit invisibly", {
  fit <- toy_fit()
  d <- draw(fit)
  expect_equal(d$after[drawing], d$before[drawing])
  expect_false(d$result$visible)
  expect_identical(d$result$value, fit)
  d <- draw(gpc(class ~ a, toy(), kernel = held(nugget = 0.2), epsilon = 0.05))
  expect_equal(d$after[drawing], d$before[drawing])
  d <- draw(bpm(class ~ a + b, toy(), epsilon = 0.05))
  expect_equal(d$after[drawing], d$before[drawing])
})

test_that("plots draw no random numbers", {
  fit <- stc(class ~ a, toy(), kernel = held(nugget = 0.2), epsilon = 0.05)
  set.seed(1)
  before <- .Random.seed
  draw(fit)
  expect_identical(.Random.seed, before)
})

test_that("one input, factors, many inputs and both kernels can be drawn", {
  d <- transform(toy(), f = rep(c("u", "v"), 20), l = a > 0.2)
  draw_model <- function(formula, kernel = held(nugget = 0.1)) {
    draw(gpc(formula, d, kernel = kernel, epsilon = 0.05))
  }
  expect_silent(draw_model(class ~ a))
  expect_silent(draw_model(class ~ f))
  expect_silent(draw_model(class ~ a + f))
  expect_silent(draw_model(class ~ .))
  expect_silent(draw_model(class ~ ., kernel_ard(c(1, 2, 3, 4), fixed = TRUE)))
  expect_silent(draw_model(class ~ a, held(nugget = 0)))
  expect_silent(draw(suppressMessages(gpc(matrix(1), 1, kernel = held(), epsilon = 0))))
  expect_silent(draw(stc(class ~ a + b, d, kernel = held(), epsilon = 0), main = "t"))
  expect_silent(draw(stc(class ~ a + b + f, d, kernel = held(nugget = 0.1), epsilon = 0.05)))
})

test_that("a surface that does not reach the boundary can be drawn", {
  flat <- gpc(class ~ a + b, toy(), kernel = held(nugget = 50), epsilon = 0.4)
  expect_silent(draw(flat))
})

# Names of 40 characters, twelve levels, sixty inputs.
crowded <- function(n = 40) {
  withr::with_seed(4, {
    d <- as.data.frame(matrix(rnorm(60 * n), n))
    names(d) <- sprintf("m%02d_concentration_in_milligrams_per_litre", 1:60)
    d$site <- factor(sprintf("%02d inflammation of the lower extremities", rep_len(1:12, n)))
    d$class <- factor(
      ifelse(d[[1]] + rnorm(n) > 0, 2, 1), labels = c(
        "benign lesion of no further consequences", "malignant neoplasm of the stomach, stage 3"
      )
    )
    d
  })
}

test_that("crowded plots can be drawn on small and large pages", {
  d <- crowded()
  all <- gpc(class ~ ., d, kernel = held(10, nugget = 0.1), epsilon = 0.05)
  bandless <- gpc(class ~ ., d, kernel = held(10, nugget = 0), epsilon = 0.05)
  two <- gpc(class ~ ., d[c(1:2, 62)], kernel = held(nugget = 0.1), epsilon = 0.05)
  weights <- bpm(class ~ ., d[c(1:20, 61, 62)], epsilon = 0.05)
  suspects <- mislabelled(two)
  calibrated <- calibration(two)
  for (size in list(c(4, 3), c(12, 9))) {
    expect_silent(draw(all, size = size))
    expect_silent(draw(bandless, inputs = 61, size = size))
    expect_silent(draw(two, size = size))
    expect_silent(draw(weights, size = size))
    expect_silent(draw(suspects, size = size))
    expect_silent(draw(calibrated, size = size))
  }
})

test_that("a small page has what fits, and one without room for a panel is refused", {
  several <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  d <- crowded()
  fit <- toy_fit()
  shown <- list(
    fit, several, mislabelled(fit), calibration(fit), noise_matrix(several),
    gpc(class ~ ., d[c(1:2, 61, 62)], kernel = held(nugget = 0.1), epsilon = 0.05),
    bpm(class ~ ., d[c(1:2, 61, 62)], epsilon = 0.05),
    gpc(class ~ site, d, kernel = held(nugget = 0.1), epsilon = 0.05)
  )
  for (x in shown) {
    for (size in list(c(2.2, 2), c(5, 1.5), c(1.5, 5))) {
      expect_silent(draw(x, size = size))
    }
    expect_error(draw(x, size = c(0.5, 0.5)), class = "sturdy_error_page")
  }
  # two panels that must stand side by side
  one <- select_model(class ~ a, toy(), candidate("gpc", kernel = held(), epsilon = 0.1), "loo")
  expect_silent(draw(one, size = c(3, 2)))
  expect_error(draw(one, size = c(1.5, 5)), class = "sturdy_error_page")
  # the title and the axes are the last to go
  texts <- drawn_text(several, size = c(2.2, 2))
  expect_true(all(c("Mostprobabletrueclass", "Petal.Length", "Petal.Width") %in% gsub(" ", "", texts)))
})

test_that("the number of weights shown is said", {
  fit <- bpm(class ~ ., crowded()[c(1:30, 62)], epsilon = 0.05)
  for (size in list(c(7, 7), c(4, 3))) {
    expect_match(drawn_text(fit, size = size), "25 of 31 weights shown", all = FALSE)
  }
})

test_that("what can't be drawn is said", {
  fit <- toy_fit()
  expect_error(draw(fit, which = "roc"), class = "sturdy_error_unknown_argument")
  expect_error(draw(fit, inputs = 0), class = "sturdy_error_range")
  none <- gpc(class ~ 1, toy(), kernel = held(), epsilon = 0.1)
  expect_error(draw(none), class = "sturdy_error_no_inputs")
})

test_that("a title is one string", {
  d <- data.frame(u = c(-1, 0, 1, 2), class = c(0, 1, 0, 1))
  fit <- gpc(class ~ u, d, kernel = kernel_ard(1, fixed = TRUE), epsilon = 0.1)
  for (bad in list(sum, list(3), c("a", "b"), NA_character_, "\xff", strrep("x", 1e6), quote(x))) {
    expect_error(plot(fit, main = bad), class = "sturdy_error_type")
    expect_error(plot(calibration(fit), main = bad), class = "sturdy_error_type")
    expect_error(plot(mislabelled(fit), main = bad), class = "sturdy_error_type")
  }
})
