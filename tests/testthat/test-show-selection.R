selection <- function() {
  select_model(class ~ a + b, toy(), list(
    noise = candidate("gpc", kernel = held(), epsilon = 0.05),
    t5 = candidate("stc", df = 5, kernel = held(), epsilon = 0.05),
    bad = bad_candidate()
  ))
}

# Numbers in the snapshots are given, not computed.
shown <- function(x) {
  t <- x$table
  t$log_integrated <- c(-23.75, -24.5, NA)
  t$log_evidence <- c(-20.126, -21.5, NA)
  t$log_evidence_tep <- c(NA, -12.25, NA)
  t$loo <- c(-18.25, -17.5, NA)
  t$loo_se <- c(2.04, 1.96, NA)
  t$loo_diff <- c(-0.75, 0, NA)
  t$loo_diff_se <- c(0.31, 0, NA)
  t$weight <- c(0.798, 0.202, 0)
  t$epsilon_pos[1] <- 0.125
  t$seconds <- c(0.52, 12.26, 0)
  x$table <- t
  x
}

test_that("print() shows the table, best first, and the messages", {
  x <- shown(selection())
  expect_snapshot(x)
  expect_identical(withVisible(print(x)), list(value = x, visible = FALSE)) |>
    capture.output()
})

test_that("summary() is that of the selected fit", {
  x <- selection()
  expect_identical(summary(x), summary(x$selected))
})

test_that("tidy() is the table, glance() the selected fit's with its weight", {
  x <- selection()
  expect_identical(tidy(x), x$table)
  g <- glance(x)
  expect_equal(g$candidate, x$table$candidate[x$table$selected])
  expect_equal(g$loo, glance(x$selected)$loo)
})

test_that("a selection holds its selected fit once", {
  x <- selection()
  size <- function(x) length(serialize(x, NULL))
  held_parts <- c(lapply(unname(x$fits), size), size(x$candidates), size(x$table))
  expect_lt(size(x), sum(unlist(held_parts)) + 1000)
  expect_s3_class(x$selected, c("gpc", "sturdy_model"), exact = TRUE)
  expect_equal(uncalled(x$selected), uncalled(toy_fit()))
  expect_identical(x[["selected"]], x$selected)
  expect_identical(x$fits$noise, x$selected)
  expect_null(x$fits$bad)
  expect_named(x$fits, c("noise", "t5", "bad"))
  expect_identical(x[[1]], x$spec)
  expect_identical(x[[c("table", "df")]], x$table$df)
  expect_null(x$selec)
})

test_that("a selection answers as its selected fit", {
  x <- selection()
  fit <- x$selected
  d <- toy()
  expect_equal(predict(x, d[1:5, ]), predict(fit, d[1:5, ]))
  expect_equal(predict(x, d, type = "prob"), predict(fit, d, type = "prob"))
  expect_equal(predict(x), predict(fit))
  expect_equal(coef(x), coef(fit))
  expect_equal(fitted(x), fitted(fit))
  expect_equal(nobs(x), 40)
  expect_equal(formula(x), formula(fit))
  expect_equal(log_evidence(x), log_evidence(fit))
  expect_equal(logLik(x), logLik(fit))
  expect_equal(loo(x), loo(fit))
  expect_equal(criterion(x), criterion(fit))
  expect_equal(
    suppressMessages(mislabelled(x, fdr = 0.5)), suppressMessages(mislabelled(fit, fdr = 0.5))
  )
  expect_equal(calibration(x), calibration(fit))
  expect_equal(ep_diagnostics(x), ep_diagnostics(fit))
  expect_equal(augment(x, d), augment(fit, d))
  sampled <- function(of) { # too few draws for more than this comparison
    withr::with_seed(1, suppressWarnings(posterior_sample(of, 20)))
  }
  expect_equal(sampled(x), sampled(fit))
  expect_equal(coef(update(x, epsilon = 0.1))[["epsilon"]], 0.1)
  expect_equal(getCall(x), getCall(fit))
  expect_equal(absorb(x, d[1:3, ]), absorb(fit, d[1:3, ]))
})

test_that("logLik() of a selected stc() is the comparable one", {
  x <- select_model(class ~ a + b, toy(), list(
    candidate("stc", df = 5, kernel = held(), epsilon = 0.05)
  ))
  expect_equal(as.numeric(logLik(x)), x$table$log_evidence)
  expect_equal(log_evidence(x, "ep"), x$table$log_evidence_tep)
})

test_that("a selection survives saveRDS()", {
  x <- selection()
  file <- withr::local_tempfile()
  saveRDS(x, file)
  expect_equal(predict(readRDS(file), toy()), predict(x, toy()))
})

test_that("a comparison can be drawn whatever is missing", {
  x <- selection()
  d <- draw(x)
  expect_equal(d$after[drawing], d$before[drawing])
  expect_false(d$result$visible)
  expect_identical(d$result$value, x)
  one <- select_model(class ~ a, toy(), candidate("bpm", epsilon = 0.1), "loo")
  expect_silent(draw(one, main = "one"))
  expect_error(draw(x, which = "loo"), class = "sturdy_error_unknown_argument")
  on_page({
    graphics::par(mfrow = c(1, 2))
    plot(x)
    expect_equal(graphics::par("mfg"), c(1, 2, 1, 2))
  })
})
