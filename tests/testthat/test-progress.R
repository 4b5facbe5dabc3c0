# What a long call says of itself: when, how much, and through what.

withr::local_options(sturdy.progress = NA)

# All that a call signals, as a data frame
said <- function(code) {
  withr::local_options(cli.tick_time = 0) # each step
  local_mocked(progress_line_after = Inf)
  rows <- list()
  withCallingHandlers(code, sturdy_progress = function(cnd) {
    rows[[length(rows) + 1]] <<- data.frame(cnd[c("what", "done", "total", "left", "message")])
  })
  do.call(rbind, rows)
}

# What a meter shows in a terminal, with a clock of its own
shown <- function(progress, steps, seconds, after = 2) {
  clock <- 0
  local_mocked(seconds_now = function() clock)
  withr::local_options(
    cli.progress_show_after = after, cli.progress_clear = FALSE, cli.dynamic = TRUE,
    cli.progress_handlers_only = "cli", cli.unicode = FALSE, cli.spinner = "line"
  )
  lines <- utils::capture.output(type = "message", local({
    meter <- progress_meter("Counting", progress)
    for (k in seq_len(steps)) {
      clock <<- k * seconds
      cli::ticking(TRUE)
      meter(k, steps, "some steps")
    }
  }))
  paste(lines, collapse = "")
}

test_that("a long call says how long it takes, a short one nothing", {
  expect_match(shown(TRUE, 20, 1), "Counting .*about 20 s, 1[0-9] s left: some steps")
  expect_identical(shown(TRUE, 20, 0.05), "")
  expect_identical(shown(FALSE, 20, 1), "")
})

test_that("a call that is going to be long says so before the two seconds are over", {
  expect_match(shown(TRUE, 20, 0.6), "about 12 s, 11 s left")
  expect_true(is_long(0.6, 11))
  expect_false(is_long(0.6, 1))
  expect_false(is_long(0.6, NA))
  expect_true(is_long(2.1, NA))
})

test_that("a script says it in a line after 10 s, 20 s, 40 s and so on", {
  skip_if(interactive())
  expect_identical(
    shown(NA, 100, 0.5),
    paste0("sturdy: Counting, about 50 s, ", c(40, 30, 10), " s left: some steps", collapse = "")
  )
  expect_identical(shown(NA, 18, 0.5), "")
  expect_identical(shown(FALSE, 100, 0.5), "")
  # after a long silence the next line is not due at once
  expect_identical(lengths(regmatches(shown(NA, 4, 45), gregexpr("sturdy:", shown(NA, 4, 45)))), 3L)
})

test_that("times are said as people say them", {
  expect_identical(
    vapply(c(0.2, 40.4, 99, 130, 5400, 9000), rough_time, ""),
    c("1 s", "40 s", "99 s", "2 min", "90 min", "2.5 h")
  )
  expect_identical(progress_line("12 rows", 3, NA), "12 rows, 3 s so far")
})

test_that("learning signals each evaluation, what it expects, and how long", {
  d <- withr::with_seed(3, data.frame(a = rnorm(60), b = rnorm(60)))
  d$y <- d$a + d$b > 0
  lines <- said(fit <- gpc(y ~ ., d, epsilon = "learn"))
  learning <- lines[lines$what == "Learning", ]
  expect_identical(length(unique(learning$done)), fit$learning$evaluations)
  expect_true(all(learning$done <= learning$total))
  expect_match(learning$message, "^fit [0-9]+ of some [0-9]+, each to 60 rows$")
  told <- !is.na(learning$left) # as soon as some evaluations have been measured
  expect_lt(sum(!told), 3)
  expect_true(all(learning$left[told] > 0))
  expect_identical(unique(lines$what), "Learning") # final fits are part of it
  expect_identical(unique(said(ep_fit(diag(60) + 1, ifelse(d$y, 1, -1)))$what), "EP")
  expect_null(said(gpc(y ~ ., d, control = ep_control(progress = FALSE))))
  withr::local_options(sturdy.progress = FALSE)
  expect_null(said(gpc(y ~ ., d)))
})

test_that("so do evaluations on some rows, integration, prediction and simulation", {
  d <- withr::with_seed(3, data.frame(a = rnorm(230), b = rnorm(230)))
  d$y <- d$a + d$b + rnorm(230) / 3 > 0
  lines <- said(fit <- gpc(y ~ ., d, epsilon = "learn"))
  few <- unique(grep("^fits", lines$message[lines$what == "Learning"], value = TRUE))
  expect_identical(few, "fits of 150 of 230 rows")
  expect_true("Predicting" %in% said(predict(fit, d))$what)
  expect_true("Integrating" %in% said(log_evidence(fit, "integrated"))$what)
  small <- toy_fit(epsilon = 0.05)
  ais <- said(withr::with_seed(1, log_evidence(small, "ais", se = 0.02)))
  expect_identical(unique(ais$what), "Annealing")
  expect_match(utils::tail(ais$message, 1), "chains of .* levels, standard error")
  draws <- said(suppressWarnings(withr::with_seed(1, posterior_sample(small, 100))))
  expect_true("Sampling" %in% draws$what)
})

test_that("a pass over some rows counts as much as they take, and what is expected is still to come", {
  told <- list()
  local_mocked(progress_meter = function(...) {
    function(done, total, words) told <<- list(done = done, total = total, words = words)
  })
  work <- learn_work(TRUE, list(n = 200, again = identity))
  work$expect(30)
  work$tick(50)
  expect_equal(told[1:2], list(done = 1 / 4, total = 30 + passes_end))
  expect_identical(told$words, "fits of 50 of 200 rows")
  work$tick(200, 3L)
  work$expect(10)
  work$pulse()
  expect_equal(told[1:2], list(done = 3.25, total = 3.25 + 10 + passes_end))
  expect_identical(work$count(), 3L)
  learn_work(TRUE, list(n = 200))$tick(100)
  expect_equal(told$done, 0.5^2.5) # of a dense kernel
})

test_that("of very many rows few passes over all are expected, where modes on some of them lead", {
  expected <- function(n, ..., curved = TRUE) {
    passes <- NULL
    work <- list(expect = function(all) passes <<- all, share = function(rows) rows / n)
    latents <- lapply(c(..., n), function(rows) list(n = rows, classes = 2))
    learn_expect(
      list(
        control = list(progress = work), start = numeric(10), latent = latents[[length(latents)]], curved = curved
      ), latents[-length(latents)]
    )
    passes
  }
  first <- 2 * (passes_climb + 10) + 10
  expect_equal(expected(3000), first)
  expect_equal(expected(3000, 300), first / 10 + passes_climb_on + 20)
  expect_equal(expected(30000, 300), first / 100 + passes_climb_on + 2)
  expect_equal(expected(3000, 300, curved = FALSE), first / 10 + passes_climb_on + 2) # at an optimum none is asked for
  told <- 0
  local_mocked(progress_meter = function(...) function(done, ...) told <<- done)
  learn_work(TRUE, list(n = 20000, again = identity, classes = 2))$tick(1000)
  expect_equal(told, 0.05^0.85) # fits of some rows begin from nowhere
})

test_that("progressr is told where there is no terminal, and FALSE keeps it out", {
  skip_if_not_installed("progressr")
  withr::local_options(
    progressr.enable = TRUE, cli.progress_show_after = 0, cli.tick_time = 0
  )
  told <- 0
  count <- function(code) {
    told <<- 0
    withCallingHandlers(code, progression = function(p) {
      if (identical(p$type, "update")) told <<- told + p$amount
    })
    told
  }
  expect_gt(count(toy_fit(epsilon = "learn")), 50)
  quiet <- ep_control(progress = FALSE)
  expect_identical(count(toy_fit(epsilon = "learn", control = quiet)), 0)
})

test_that("a handler may stop a call from its progress, and nothing is left behind", {
  withr::local_options(cli.tick_time = 0)
  stopped <- tryCatch(
    withCallingHandlers(toy_fit(epsilon = "learn"), sturdy_progress = function(cnd) {
      rlang::abort("enough", "enough")
    }),
    enough = function(cnd) "stopped"
  )
  expect_identical(stopped, "stopped")
  expect_s3_class(toy_fit(epsilon = 0.05), "gpc")
})

test_that("what it may be is checked", {
  expect_identical(ep_control(progress = NA)$progress, NA)
  expect_error(ep_control(progress = 2), class = "sturdy_error_type")
  expect_error(ep_control(progress = NULL), class = "sturdy_error_type")
})
