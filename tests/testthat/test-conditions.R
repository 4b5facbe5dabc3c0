test_that("every error is classed below sturdy_error and names its argument", {
  cnd <- tryCatch(
    abort_sturdy("{.arg x} is bad.", "type", arg = "x", extra = 1),
    error = identity
  )
  expect_s3_class(cnd, c("sturdy_error_type", "sturdy_error"))
  expect_equal(cnd$arg, "x")
  expect_equal(cnd$extra, 1)
  expect_warning(warn_sturdy("Hm.", "thing"), class = "sturdy_warning_thing")
  expect_message(inform_sturdy("Hm.", "thing"), class = "sturdy_message_thing")
})

test_that("braces in a user's text are not interpolated", {
  x <- "{stop('no')}"
  expect_error(
    abort_sturdy("Not {describe(x)}.", "type"), "stop\\('no'\\)",
    class = "sturdy_error_type"
  )
})

test_that("what came is described by kind and size", {
  expect_equal(describe(NULL), "`NULL`")
  expect_equal(describe(NA), "missing")
  expect_equal(describe("a"), "\"a\"")
  expect_equal(describe(0.25), "0.25")
  expect_equal(describe(1:3), "an integer vector of length 3")
  expect_equal(describe(matrix(0, 2, 3)), "a double matrix of 2 x 3")
  expect_equal(describe(data.frame()), "a data frame")
  expect_equal(describe(mean), "a function")
  expect_equal(describe(list()), "an object of class list")
})

test_that("must() words what an argument must be, and what came, only when it is wrong", {
  f <- function(x, n = 2) {
    must(is.null(x), "x", "be {.code NULL} or have {n} row{?s}", "shape", got = x,
         more = c(i = "A hint."), field = 1)
  }
  expect_invisible(f(NULL))
  refused <- expect_error(
    f("a", 1), "`x` must be `NULL` or have 1 row, not \"a\"", fixed = TRUE,
    class = "sturdy_error_shape"
  )
  expect_identical(unclass(refused)[c("arg", "field")], list(arg = "x", field = 1))
  expect_identical(refused$call, quote(f("a", 1)))
  expect_error(must(NA, "y", "be {arg}"), "`y` must be y.", fixed = TRUE)
  expect_null(must(TRUE, stop(), stop(), got = stop()))
})

test_that("the verb that the user called is named, by the frame of the outermost one", {
  # where a user is: tests run inside the package
  user <- new.env(parent = globalenv())
  user$d <- toy()
  run <- function(code) {
    cnd <- tryCatch(eval(substitute(code), user), sturdy_error = identity)
    rlang::format_error_call(cnd$call)
  }
  expect_identical(run(sturdy::gpc(class ~ a, d, epsilon = 2)), "`sturdy::gpc()`")
  expect_identical(run(sturdy::gpc_spec(epsilon = 2)), "`sturdy::gpc_spec()`")
  # the argument of a verb was called by the user, too
  expect_identical(run(sturdy::mislabelled(sturdy::gpc(class ~ none, d))), "`sturdy::gpc()`")
  user$fit <- toy_fit()
  expect_identical(run(update(fit, epsilon = 2)), "`update()`")
  expect_identical(run(predict(fit, 3)), "`predict()`")
  expect_identical(run(print(fit, digits = "few")), "`print()`")
})

test_that("what a function of the user's calls, the user called", {
  user <- new.env(parent = globalenv())
  user$d <- toy()
  eval(quote(inside <- function(x, y) sturdy::gpc(x, y, epsilon = 2)), user)
  refused <- expect_error(
    eval(quote(sturdy::cross_fit(d[c("a", "b")], d$class, inside)), user),
    class = "sturdy_error_classifier"
  )
  expect_identical(refused$call[[1]], quote(sturdy::cross_fit))
  expect_identical(refused$parent$call[[1]], quote(sturdy::gpc))
})

test_that("an argument that is evaluated when its function has ended has a condition, too", {
  late <- function(x) function() x
  make <- function() late(must(FALSE, "x", "be fine"))
  ask <- make()
  expect_error(ask(), class = "sturdy_error_type")
})

test_that("several messages of a fit are one, of at most eight lines, and each is there on request", {
  d <- toy()
  d$con <- 1
  d$who <- paste("p", 1:40)
  d$total <- d$a + d$b
  d$day <- factor(format(as.Date("2024-01-01") + rep(1:20, 2)))
  d$part <- c("n/a", rep(1:13 / 2, 3))
  d$leak <- d$class
  d <- rbind(d, d[1:3, ], transform(d[4:6, ], class = c("no", "yes")[(class == "no") + 1]))
  d$a[20] <- NA
  said <- list()
  catch <- function(code) withCallingHandlers(code, message = function(cnd) {
    said[[length(said) + 1]] <<- cnd
    rlang::cnd_muffle(cnd)
  })
  fit_to <- function(d) gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  for (width in c(60, 80, 120)) {
    withr::local_options(cli.condition_width = width)
    said <- list()
    catch(fit_to(d))
    expect_length(said, 1)
    lines <- strsplit(conditionMessage(said[[1]]), "\n")[[1]]
    expect_lte(length(lines), 8)
    expect_lte(max(nchar(lines)), width)
    expect_gt(length(said[[1]]$messages), 5)
    # whoever waits for one of them gets it
    for (cnd in said[[1]]$messages) expect_s3_class(said[[1]], class(cnd)[1])
  }
  together <- said[[1]]$messages
  said <- list()
  withr::with_options(list(sturdy.details = TRUE), catch(fit_to(d)))
  expect_equal(vapply(said, conditionMessage, ""), vapply(together, conditionMessage, ""))
  # one alone is as it is, and one before an error is told
  said <- list()
  catch(fit_to(d[1:19, c("a", "b", "con", "class")]))
  expect_equal(class(said[[1]])[1], "sturdy_message_constant_columns")
  said <- list()
  expect_error(catch(gpc(class ~ ., d[1:19, ], trusted = 99)), class = "sturdy_error_trusted")
  expect_length(said, 1)
})
