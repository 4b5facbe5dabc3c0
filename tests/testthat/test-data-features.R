# What the columns of a table are as inputs: times are numbers, and shown as what they are.

# the same column as numbers, days since 1970, and as times
timed <- function(n = 40) {
  d <- toy(n)
  d$day <- withr::with_seed(5, round(19000 + 300 * d$b + rnorm(n)))
  d$b <- NULL
  d
}
as_timed <- function(d, how) replace(d, "day", list(how(d$day)))
ways <- list(
  Date = function(v) as.Date(v, origin = "1970-01-01"), POSIXct = function(v) as.POSIXct(86400 * v, origin = "1970-01-01", tz = "UTC"),
  difftime = function(v) as.difftime(v, units = "days")
)

test_that("a fit to times is the fit to their numbers", {
  d <- timed()
  plain <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  new <- data.frame(a = c(0, 1), day = c(18900, 19500))
  for (name in names(ways)) {
    how <- ways[[name]]
    timed <- as_timed(d, how)
    expect_no_message(fit <- gpc(class ~ ., timed, kernel = held(), epsilon = 0.05))
    expect_equal(fit$data$X, plain$data$X)
    expect_equal(predict(fit, as_timed(new, how), type = "prob"), predict(plain, new, type = "prob"))
    expect_equal(decode_features(fit$data$X, fit$blueprint)$day, timed$day)
    # a row alone, from a file, with a missing value, and after update()
    saved <- withr::local_tempfile()
    saveRDS(fit, saved)
    expect_equal(predict(readRDS(saved), as_timed(new, how)[2, ]), predict(plain, new)[2])
    expect_true(is.na(predict(fit, as_timed(replace(new, "day", NA_real_), how))[1]))
    expect_equal(update(fit, data = timed)$data$X, fit$data$X)
    expect_error(predict(fit, new), class = "sturdy_error_column_type")
    xy <- gpc(timed[c("a", "day")], timed$class, kernel = held(), epsilon = 0.05)
    expect_equal(predict(xy, as_timed(new, how), type = "prob"), predict(fit, as_timed(new, how), type = "prob"))
    expect_error(predict_sql(bpm(class ~ ., timed, epsilon = 0.05)), class = "sturdy_error_no_sql")
  }
  expect_error(predict(plain, as_timed(new, ways$Date)), class = "sturdy_error_column_type")
  expect_snapshot(said(predict(fit, new)))
})

test_that("differences of times have one unit, whatever the columns have", {
  d <- as_timed(timed(), ways$difftime)
  fit <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  hours <- d
  units(hours$day) <- "hours"
  expect_equal(predict(fit, hours, type = "prob"), predict(fit, d, type = "prob"))
})

test_that("times are shown as times", {
  d <- as_timed(timed(), ways$Date)
  fit <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  surface <- picture(fit, NULL)$panels[[1]]
  expect_match(surface$y$words, "^20[12][0-9]-[0-9]{2}-[0-9]{2}$")
  expect_equal(as.Date(surface$y$words), ways$Date(surface$y$ticks))
  page <- withr::local_tempfile(fileext = ".html")
  label_report(fit, page, n = 3)
  page <- paste(readLines(page), collapse = " ")
  for (row in mislabelled(fit)$row[1:3]) expect_match(page, format(d$day[row]), fixed = TRUE)
  d$other <- rep(c("u", "v"), 20)
  curves <- gpc(class ~ ., d, kernel = held(), epsilon = 0.05)
  words <- lapply(picture(curves, NULL)$panels, function(panel) panel$x$words)
  expect_true(any(vapply(words, function(w) all(grepl("^20[0-9-]+$", w)), NA)))
})

test_that("shards and streams take times as tables do", {
  d <- as_timed(timed(), ways$Date)
  fit_to <- function(data) bpm(class ~ ., data, nugget = 0.5, epsilon = 0.2)
  whole <- fit_to(d)
  parts <- fit_to(shards(d, 3))
  expect_equal(predict(parts, d, type = "prob"), predict(whole, d, type = "prob"), tolerance = 1e-6)
  again <- list(d[1:20, ], as_timed(d[21:40, ], as.double))
  expect_error(fit_to(shards(list(function() again[[1]], function() again[[2]]))), class = "sturdy_error_column_type")
  first <- bpm(class ~ ., d[1:20, ], inference = "adf")
  expect_equal(nobs(absorb(first, d[21:40, ])), 40)
})
