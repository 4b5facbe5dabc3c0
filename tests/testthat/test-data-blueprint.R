test_that("numeric columns are centred and scaled by the training rows", {
  d <- mixed()
  m <- mold(y ~ u + v, d)
  expect_equal(unname(m$data$X), unname(scale(as.matrix(d[c("u", "v")]))), ignore_attr = TRUE)
  m <- mold(y ~ u, d, scale = FALSE)
  expect_equal(m$data$X[, "u"], d$u)
})

test_that("squared differences of a factor's columns sum to the 0/1 mismatch", {
  m <- mold(y ~ f, mixed())
  expect_equal(dim(m$data$X), c(12, 3))
  columns <- blueprint_columns(m$blueprint)
  expect_equal(columns, list(group = c(1, 1, 1), weight = rep(1 / 2, 3)))
  expect_true(all(m$data$X %in% 0:1))
  mismatch <- as.matrix(dist(m$data$X * sqrt(1 / 2)))^2
  expect_equal(unname(mismatch), 1 * outer(mixed()$f, mixed()$f, `!=`))
})

test_that("characters, logicals and ordered factors are factors", {
  d <- mixed()
  m <- mold(y ~ s + l, d)
  expect_equal(colnames(m$data$X), c("sp", "sq", "lFALSE", "lTRUE"))
  d$f <- factor(d$f, ordered = TRUE)
  expect_equal(ncol(mold(y ~ f, d)$data$X), 3)
})

test_that("formula, data frame and matrix give the same encoding", {
  d <- mixed()
  by_formula <- mold(y ~ u + v, d)
  by_frame <- mold_x(d[c("u", "v")], d$y)
  by_matrix <- mold_x(as.matrix(d[c("u", "v")]), d$y)
  expect_equal(by_frame$data$X, by_formula$data$X)
  expect_equal(by_matrix$data$X, by_formula$data$X)
  expect_equal(by_matrix$data$y, by_formula$data$y)
})

test_that("`.`, `- x`, transformations and products of numerics work", {
  d <- mixed()
  expect_equal(mold(y ~ . - v - s, d)$blueprint$columns, c("u", "f", "l"))
  m <- mold(y ~ log(u) + u:v + poly(v, 2), d)
  expect_equal(
    m$blueprint$columns, c("log(u)", "poly(v, 2)1", "poly(v, 2)2", "u:v")
  )
  expect_equal(
    as.vector(mold(y ~ u:v, d, scale = FALSE)$data$X), d$u * d$v
  )
  expect_equal(mold(y ~ u * v - 1, d)$data$X, mold(y ~ u * v, d)$data$X)
})

test_that("products of numeric matrices are those of model.matrix()", {
  d <- mixed()
  f <- y ~ poly(u, 2):poly(v, 2)
  expect_equal(
    unname(mold(f, d, scale = FALSE)$data$X), unname(model.matrix(f, d)[, -1])
  )
})

test_that("constant columns and unused levels go", {
  d <- mixed()
  d$k <- 1
  d$g <- factor("a", levels = c("a", "b"))
  expect_message(m <- mold(y ~ u + k + g, d), class = "sturdy_message_constant_columns")
  expect_equal(m$blueprint$columns, "u")
  expect_equal(m$blueprint$all_columns, c("u", "k", "g"))
  d$f <- factor(d$f, levels = letters)
  expect_equal(ncol(mold(y ~ f, d)$data$X), 3)
  expect_snapshot(said(mold(y ~ u + k + g, d)))
})

test_that("one row keeps its columns, none is needed", {
  m <- mold_x(matrix(1:2, 1), y = 1)
  expect_equal(m$data$X, matrix(0, 1, 2, dimnames = list(NULL, c("x1", "x2"))))
  expect_equal(dim(mold(y ~ 1, mixed())$data$X), c(12, 0))
})

test_that("numbers with a decimal comma are refused, other text with commas is not", {
  d <- mixed()
  comma <- function(v) format(v, decimal.mark = ",")
  refused <- function(w) {
    expect_error(
      mold(y ~ w, cbind(d, w = w)), "decimal comma", class = "sturdy_error_column_type"
    )
  }
  refused(comma(round(d$v, 2)))
  refused(factor(comma(round(d$v, 2))))
  refused(c("-1,5e-04", "+,5", " 12 ", "", "3,25", "0", rep("7,1", 6)))
  expect_error(mold_x(data.frame(w = comma(d$u))), class = "sturdy_error_column_type")
  for (w in c("1,5,2", "a,5", "5,", "1.000,5")) {
    expect_equal(ncol(mold(y ~ w, cbind(d, w = rep(c(w, "1,5"), 6)))$data$X), 2)
  }
  expect_snapshot(said(mold(y ~ w, cbind(d, w = "1,5"))))
})

test_that("bad inputs are refused by name", {
  x <- matrix(1:8 + 0.5, 4)
  bad_x <- function(value) replace(x, 3, value)
  expect_error(mold_x(bad_x(NA)), class = "sturdy_error_missing")
  expect_error(mold_x(bad_x(NaN)), class = "sturdy_error_missing")
  expect_error(mold_x(bad_x(Inf)), class = "sturdy_error_not_finite")
  expect_error(mold_x(x[0, ]), class = "sturdy_error_no_rows")
  expect_error(mold_x(x, y = 0:1), class = "sturdy_error_length")
  expect_error(mold_x(x, y = rlang::missing_arg()), class = "sturdy_error_missing_argument")
  expect_error(mold_x(matrix("a", 2, 2)), class = "sturdy_error_type")
  expect_error(gpc(x, y = c(0, 0, 1, 1), scale = NA), class = "sturdy_error_type")
  twice <- setNames(as.data.frame(x), c("a", "a"))
  expect_error(mold_x(twice), class = "sturdy_error_column_names")
  d <- data.frame(a = 1:4, b = 4:1)
  for (names in list(NULL, c("a", NA), c("a", ""))) {
    bad <- d
    names(bad) <- names
    expect_error(mold_x(bad), "must have names", class = "sturdy_error_column_names")
  }
  dates <- data.frame(t = I(list(1, 2, 3, 4)))
  expect_error(mold_x(dates), class = "sturdy_error_column_type")
  expect_error(mold_x(data.frame(m = I(x))), class = "sturdy_error_column_type")
  expect_error(mold_x(data.frame(a = c(-1e308, 1e308))), class = "sturdy_error_not_finite")
  expect_snapshot({
    said(mold_x(bad_x(NA)))
    said(mold_x(bad_x(Inf)))
    said(mold_x(x, y = 0:1))
    said(mold_x(dates))
  })
})
