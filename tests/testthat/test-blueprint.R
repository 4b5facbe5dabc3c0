frame <- function(n = 12) {
  withr::with_seed(1, data.frame(
    y = factor(rep(c("no", "yes"), length.out = n)),
    u = rexp(n), v = rnorm(n),
    f = factor(rep(c("a", "b", "c"), length.out = n)),
    s = rep(c("p", "q"), length.out = n),
    l = rep(c(TRUE, FALSE, FALSE), length.out = n)
  ))
}
mold <- function(formula, data, scale = TRUE, na.action = na.omit) {
  mold_formula(formula, data, scale, na.action, rlang::current_env())
}
mold_x <- function(x, y = rep(0:1, length.out = nrow(x)), scale = TRUE) {
  interface <- if (is.matrix(x)) "matrix" else "data.frame"
  mold_xy(x, y, scale, interface, rlang::current_env())
}
forge_new <- function(molded, newdata) {
  forge(molded$blueprint, newdata, rlang::current_env())
}

test_that("numeric columns are centred and scaled by the training rows", {
  d <- frame()
  m <- mold(y ~ u + v, d)
  expect_equal(unname(m$X), unname(scale(as.matrix(d[c("u", "v")]))), ignore_attr = TRUE)
  m <- mold(y ~ u, d, scale = FALSE)
  expect_equal(m$X[, "u"], d$u)
})

test_that("squared differences of a factor's columns sum to the 0/1 mismatch", {
  m <- mold(y ~ f, frame())
  expect_equal(dim(m$X), c(12, 3))
  expect_equal(m$group, c(1, 1, 1))
  mismatch <- as.matrix(dist(m$X))^2
  expect_equal(unname(mismatch), 1 * outer(frame()$f, frame()$f, `!=`))
})

test_that("characters, logicals and ordered factors are factors", {
  d <- frame()
  m <- mold(y ~ s + l, d)
  expect_equal(colnames(m$X), c("sp", "sq", "lFALSE", "lTRUE"))
  d$f <- factor(d$f, ordered = TRUE)
  expect_equal(ncol(mold(y ~ f, d)$X), 3)
})

test_that("formula, data frame and matrix give the same encoding", {
  d <- frame()
  by_formula <- mold(y ~ u + v, d)
  by_frame <- mold_x(d[c("u", "v")], d$y)
  by_matrix <- mold_x(as.matrix(d[c("u", "v")]), d$y)
  expect_equal(by_frame$X, by_formula$X)
  expect_equal(by_matrix$X, by_formula$X)
  expect_equal(by_matrix$y, by_formula$y)
})

test_that("`.`, `- x`, transformations and products of numerics work", {
  d <- frame()
  expect_equal(mold(y ~ . - v - s, d)$blueprint$columns, c("u", "f", "l"))
  m <- mold(y ~ log(u) + u:v + poly(v, 2), d)
  expect_equal(
    m$blueprint$columns, c("log(u)", "poly(v, 2)1", "poly(v, 2)2", "u:v")
  )
  expect_equal(
    as.vector(mold(y ~ u:v, d, scale = FALSE)$X), d$u * d$v
  )
  expect_equal(mold(y ~ u * v - 1, d)$X, mold(y ~ u * v, d)$X)
})

test_that("products of numeric matrices are those of model.matrix()", {
  d <- frame()
  f <- y ~ poly(u, 2):poly(v, 2)
  expect_equal(
    unname(mold(f, d, scale = FALSE)$X), unname(model.matrix(f, d)[, -1])
  )
})

test_that("new data are encoded as the training data were", {
  d <- frame()
  for (f in list(y ~ ., y ~ log(u) + poly(v, 2) + f + u:v, y ~ 1)) {
    m <- mold(f, d)
    expect_equal(forge_new(m, d[c(3, 1), ])$X, m$X[c(3, 1), , drop = FALSE])
  }
  m <- mold_x(as.matrix(d[c("u", "v")]))
  expect_equal(forge_new(m, d[2:3, c("v", "s", "u")])$X, m$X[2:3, ])
})

test_that("new data may have no rows, more columns, and missing values", {
  d <- frame()
  m <- mold(y ~ poly(u, 2) + f, d)
  expect_equal(dim(forge_new(m, d[0, ])$X), c(0, 5))
  new <- data.frame(f = c("a", NA, "b"), u = c(1, 2, NA), other = 1)
  expect_equal(
    forge_new(mold(y ~ u + f, d), new)$complete, c(TRUE, FALSE, FALSE)
  )
  expect_equal(forge_new(mold(y ~ u, d), data.frame(u = NA))$complete, FALSE)
})

test_that("unnamed matrices are known by position", {
  m <- mold_x(matrix(1:8 + 0.5, 4))
  expect_equal(m$blueprint$columns, c("x1", "x2"))
  expect_equal(forge_new(m, matrix(1:8 + 0.5, 4))$X, m$X)
  expect_error(forge_new(m, matrix(1:4, 4)), class = "sturdy_error_missing_column")
})

test_that("constant columns and unused levels go", {
  d <- frame()
  d$k <- 1
  d$g <- factor("a", levels = c("a", "b"))
  expect_message(m <- mold(y ~ u + k + g, d), class = "sturdy_message_constant_columns")
  expect_equal(m$blueprint$columns, "u")
  expect_equal(m$blueprint$all_columns, c("u", "k", "g"))
  d$f <- factor(d$f, levels = letters)
  expect_equal(ncol(mold(y ~ f, d)$X), 3)
  expect_snapshot(m <- mold(y ~ u + k + g, d))
})

test_that("one row keeps its columns, none is needed", {
  m <- mold_x(matrix(1:2, 1), y = 1)
  expect_equal(m$X, matrix(0, 1, 2, dimnames = list(NULL, c("x1", "x2"))))
  expect_equal(dim(mold(y ~ 1, frame())$X), c(12, 0))
})

test_that("rows are dropped, kept or refused as na.action says", {
  d <- frame()
  d$u[3] <- NA
  m <- mold(y ~ u, d)
  expect_equal(m$rows, setdiff(1:12, 3))
  expect_equal(m$row_names, as.character(setdiff(1:12, 3)))
  expect_s3_class(mold(y ~ u, d, na.action = na.exclude)$na_action, "exclude")
  expect_equal(nrow(mold(y ~ u, d, na.action = "na.omit")$X), 11)
  expect_error(mold(y ~ u, d, na.action = na.fail), class = "sturdy_error_missing")
  expect_error(mold(y ~ u, d, na.action = na.pass), class = "sturdy_error_missing")
  expect_error(mold(y ~ u, d, na.action = NULL), class = "sturdy_error_missing")
  d$u <- NA_real_
  expect_error(mold(y ~ u, d), class = "sturdy_error_no_rows")
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
  expect_error(mold_x(x, scale = NA), class = "sturdy_error_type")
  twice <- setNames(as.data.frame(x), c("a", "a"))
  expect_error(mold_x(twice), class = "sturdy_error_column_names")
  dates <- data.frame(t = as.Date("2020-01-01") + 0:3)
  expect_error(mold_x(dates), class = "sturdy_error_column_type")
  expect_error(mold_x(data.frame(m = I(x))), class = "sturdy_error_column_type")
  expect_error(mold_x(data.frame(a = c(-1e308, 1e308))), class = "sturdy_error_not_finite")
  expect_snapshot(error = TRUE, {
    mold_x(bad_x(NA))
    mold_x(bad_x(Inf))
    mold_x(x, y = 0:1)
    mold_x(dates)
  })
})

test_that("bad formulas are refused", {
  d <- frame()
  expect_error(mold(~u, d), class = "sturdy_error_formula")
  expect_error(mold(y ~ nowhere, d), class = "sturdy_error_formula")
  expect_error(mold(y ~ u + offset(v), d), class = "sturdy_error_formula")
  expect_error(mold(y ~ f:u, d), class = "sturdy_error_interaction")
  expect_error(mold(y ~ u, as.matrix(1:3)), class = "sturdy_error_type")
  expect_error(mold(u ~ v, d), class = "sturdy_error_outcome_levels")
  expect_snapshot(mold(y ~ f * u, d), error = TRUE)
})

test_that("new data that differ in kind are refused", {
  d <- frame()
  m <- mold(y ~ u + f + l, d)
  new <- function(...) transform(d, ...)
  expect_error(forge_new(m, d["u"]), class = "sturdy_error_missing_column")
  expect_error(forge_new(m, new(f = "z")), class = "sturdy_error_novel_levels")
  expect_error(forge_new(m, new(f = 1)), class = "sturdy_error_column_type")
  expect_error(forge_new(m, new(u = "1")), class = "sturdy_error_column_type")
  expect_error(forge_new(m, new(l = 1)), class = "sturdy_error_column_type")
  expect_error(forge_new(m, new(u = Inf)), class = "sturdy_error_not_finite")
  expect_error(forge_new(m, as.matrix(d["u"])), class = "sturdy_error_type")
  expect_error(forge_new(m, 1:3), class = "sturdy_error_type")
  logged <- mold(y ~ log(u), d)
  expect_error(forge_new(logged, new(u = "1")), class = "sturdy_error_formula")
  expect_snapshot(error = TRUE, {
    forge_new(m, d["u"])
    forge_new(m, new(f = c("z", "a", "zz")))
    forge_new(m, new(u = "1"))
  })
})

test_that("the blueprint keeps nothing of the data and no local environment", {
  make <- function() {
    ballast <- rnorm(1e5)
    mold(y ~ u + v, frame())$blueprint
  }
  expect_lt(length(serialize(make(), NULL)), 10000)
})
