# What must not move the answers of a fit about labels: order of rows, of classes, weights in the
# place of rows; and what may not make them jump.

same_table <- function(n = 60, p = 2, seed = 4, classes = 2) {
  withr::with_seed(seed, {
    X <- matrix(stats::rnorm(n * p), n, dimnames = list(NULL, paste0("x", seq_len(p))))
    score <- X[, 1] + 0.5 * X[, 2] + 0.3 * stats::rnorm(n)
    code <- 1 + findInterval(score, stats::quantile(score, seq_len(classes - 1) / classes))
    wrong <- sample(n, n %/% 10)
  })
  code[wrong] <- code[wrong] %% classes + 1
  data.frame(X, y = factor(letters[code], letters[seq_len(classes)]))
}

# Answers of a fit, the rows as given, the classes by name
said_by <- function(fit, new, rows = seq_len(nobs(fit)), classes = levels(new$y)) {
  found <- suppressMessages(mislabelled(fit))
  found <- found[order(found$row), ]
  omega <- unclass(noise_matrix(fit))[classes, classes]
  list(
    probability = found$probability[rows], unusual = found$unusual[rows], loo = found$loo[rows],
    expected = unlist(attr(found, "expected")[c("count", "lower", "upper")]),
    factor = if (is_test(fit)) log(noise_test(fit)$bayes_factor), omega = c(omega),
    prob = c(predict(fit, new, type = "prob")[, classes]),
    noisy = c(predict(fit, new, type = "prob", noise = TRUE)[, classes]),
    true = c(predict(fit, type = "true")[rows, classes]), evidence = log_evidence(fit)
  )
}
# Fits that several tests ask, each with fewer points
by_default <- made_once(function(d, ...) gpc(y ~ ., d, ..., hyper = "integrate"))

expect_same <- function(a, b, tolerance) {
  for (name in names(a)) eval(bquote(expect_close(a[[.(name)]], b[[.(name)]], tolerance, floor = 1)))
}

test_that("case weights are rows repeated, learned or held, to 1e-6", {
  local_fewer_points()
  d <- same_table(24)
  times <- rep_len(c(1, 3, 2), 24)
  again <- rep(1:24, times)
  new <- same_table(10, seed = 8)
  fits <- list(
    function(...) gpc(y ~ ., ..., kernel = kernel_iso(), hyper = "integrate", scale = FALSE),
    function(...) bpm(y ~ ., ..., hyper = "integrate", scale = FALSE),
    function(...) stc(y ~ ., ..., df = 5, kernel = held(1.5), hyper = "integrate", scale = FALSE),
    function(...) gpc(y ~ ., ..., inducing = 10, hyper = "optimum", scale = FALSE)
  )
  for (fit in fits) {
    weighted <- suppressWarnings(suppressMessages(fit(d, weights = times)))
    all <- suppressWarnings(suppressMessages(fit(d[again, ])))
    expect_same(said_by(all, new, match(1:24, again)), said_by(weighted, new), 1e-6)
  }
})

test_that("they are so with trusted rows and rates by group, and with more than a thousand labels", {
  local_fewer_points()
  d <- same_table(40)
  times <- rep_len(1:3, 40)
  again <- rep(1:40, times)
  group <- rep_len(c("u", "v"), 40)
  quiet <- function(code) suppressMessages(code)
  weighted <- quiet(gpc(d[1:2], d$y, hyper = "integrate", scale = FALSE, weights = times,
                        kernel = held(), trusted = 1:40 < 5, rates = group))
  all <- quiet(gpc(d[again, 1:2], d$y[again], hyper = "integrate", scale = FALSE, kernel = held(),
                   trusted = (1:40 < 5)[again], rates = group[again]))
  expect_close(row_flipped(all), row_flipped(weighted)[again], 1e-6, floor = 1)
  expect_close(flip_rates(all)$rate, flip_rates(weighted)$rate, 1e-6, floor = 1)
  local_mocked(label_exact = 100L, label_rows_most = c(two = 100L, several = 500L))
  many <- rep_len(2:4, 40)
  again <- rep(1:40, many)
  weighted <- quiet(bpm(y ~ ., d, hyper = "integrate", scale = FALSE, weights = many))
  all <- quiet(bpm(y ~ ., d[again, ], hyper = "integrate", scale = FALSE))
  expect_same(said_by(all, d, match(1:40, again)), said_by(weighted, d), 1e-6)
})

test_that("permuting the rows permutes the answers, to 1e-8", {
  local_fewer_points()
  d <- same_table(40)
  turn <- withr::with_seed(1, sample(40))
  new <- same_table(10, seed = 8)
  fit <- function(d) by_default(d, kernel = kernel_ard(linear = 1))
  expect_same(said_by(fit(d[turn, ]), new, order(turn)), said_by(fit(d), new), 1e-8)
  # of more rows than predictions are chosen by, and numbers are exact for
  local_mocked(few_looked_at = 100L, label_exact = 100L)
  d <- same_table(130)
  turn <- withr::with_seed(1, sample(130))
  fit <- function(d) bpm(y ~ ., d, prior_scale = 1, nugget = 1, hyper = "integrate")
  expect_same(said_by(fit(d[turn, ]), new[1:2], order(turn), levels(d$y)),
              said_by(fit(d), new[1:2], classes = levels(d$y)), 1e-8)
})

test_that("swapping the two classes swaps the answers, and so does any order of three", {
  local_fewer_points()
  new <- same_table(10, seed = 8)
  fits <- list(
    by_default, function(d) bpm(y ~ ., d, hyper = "integrate"), function(d) gpc(y ~ ., d, kernel = kernel_iso())
  )
  for (k in seq_along(fits)) {
    d <- same_table(if (k == 1) 61 else 40) # as many of each class, and not
    turned <- transform(d, y = factor(y, levels = c("b", "a")))
    expect_same(said_by(fits[[k]](turned), new, classes = c("a", "b")), said_by(fits[[k]](d), new), 1e-6)
  }
  d <- same_table(45, classes = 3)
  new <- same_table(10, seed = 8, classes = 3)
  fit <- function(levels, rows) {
    d <- transform(d, y = factor(y, levels = levels))
    said_by(by_default(d[rows, ], kernel = held(1.5)), new, order(rows), c("a", "b", "c"))
  }
  before <- fit(c("a", "b", "c"), 1:45)
  expect_same(fit(c("c", "a", "b"), withr::with_seed(1, sample(45))), before, 1e-5)
})

test_that("the two classes of a noise model are in the order of their labels, not of their levels", {
  local_fewer_points()
  d <- same_table(61)
  fit <- by_default(d)
  turned <- by_default(transform(d, y = factor(y, levels = c("b", "a"))))
  models <- fit$label_stage$nodes$models
  swapped <- turned$label_stage$nodes$models
  other <- c(none = "none", one = "one", two = "two", first = "second", second = "first")
  at <- match(other[models$model], swapped$model)
  expect_equal(models$log_evidence, swapped$log_evidence[at], tolerance = 1e-8)
  expect_equal(fit$omega[1, 2], turned$omega[2, 1], tolerance = 1e-8)
})

test_that("a column more or less, or some rows, do not make the answer jump", {
  # 4, 5 and 6 columns of which two tell anything
  count <- function(d) wrong_count(gpc(y ~ ., d, kernel = kernel_iso()))
  wrong_count <- function(fit) unlist(attr(mislabelled(fit), "expected")[c("count", "lower", "upper")])
  d <- same_table(110, 6)
  by_columns <- vapply(4:6, function(p) count(d[c(seq_len(p), 7)]), numeric(3))
  expect_lt(max(abs(diff(by_columns[1, ]))), 2.5)
  expect_true(all(by_columns[2, ] <= 11 & by_columns[3, ] >= 11))
  # 99 and 101 rows a column
  d <- same_table(303, 3, seed = 5)
  fits <- lapply(c(297, 303), function(n) bpm(y ~ ., d[seq_len(n), ], hyper = "integrate"))
  by_rows <- vapply(fits, wrong_count, numeric(3))
  expect_lt(abs(diff(by_rows[1, ])), 3)
  expect_true(all(by_rows[2, ] <= 29 & by_rows[3, ] >= 30))
  for (fit in fits) expect_s3_class(fit$label_stage, "second_stage")
})
