# Columns that are copies or sums of others.

left <- function(d, formula = class ~ .) {
  found <- NULL
  withCallingHandlers(
    fit <- mold(formula, d),
    sturdy_message_collinear = function(cnd) found <<- cnd$columns,
    message = function(cnd) rlang::cnd_muffle(cnd)
  )
  expect_identical(intersect(found, fit$blueprint$columns), found[0])
  found
}

test_that("copies and sums are left out, the later one of them", {
  d <- toy()
  expect_null(left(d))
  expect_equal(left(cbind(d, copy = d$a)), "copy")
  expect_equal(left(cbind(d, scaled = 32 - 1.8 * d$a)), "scaled")
  expect_equal(left(cbind(d, total = d$a + d$b)), "total")
  expect_equal(left(cbind(total = d$a + d$b, d)), "b")
  expect_null(left(cbind(d, near = d$a + 1e-6 * d$b^2)))
  expect_equal(left(cbind(d, large = 1e200 * d$a)), "large")
  d$f <- rep(c("u", "v"), 20)
  d$g <- factor(d$f, labels = c("left", "right"))
  d$h <- rep(0:1, 20)
  expect_equal(left(d), c("g", "h"))
  # indicators are all kept, and so are dates that differ
  three <- rep(1:3, length.out = 40)
  expect_null(left(cbind(toy(), i = 1 * (three == 1), j = 1 * (three == 2), k = 1 * (three == 3))))
  d <- toy()
  d$day <- as.Date("2024-01-01") + round(100 * d$a)
  expect_equal(left(cbind(d, since = as.numeric(d$day))), "since")
  # more columns than rows tell
  wide <- data.frame(class = d$class, withr::with_seed(1, matrix(rnorm(1600), 40)))
  expect_null(left(wide))
  wide$again <- wide$X3
  expect_equal(left(wide), "again")
})

test_that("a fit without the copy is that of a table without it, and new rows need not have it", {
  d <- toy()
  more <- cbind(d, total = d$a + d$b)
  fit <- suppressMessages(gpc(class ~ ., more, kernel = held(), epsilon = 0.05))
  expect_equal(predict(fit, d, type = "prob"), predict(toy_fit(), d, type = "prob"))
  by_matrix <- suppressMessages(bpm(as.matrix(more[-3]), more$class, epsilon = 0.05))
  expect_equal(by_matrix$blueprint$columns, c("a", "b"))
  expect_snapshot(said(gpc(class ~ ., more, kernel = held(), epsilon = 0.05)))
})
