# Rows of unit length around two directions, some of whose labels are wrong
wide_table <- function(n = 100, p = 60, rate = 0.12, seed = 1, classes = 2) {
  set.seed(seed)
  class <- sample(classes, n, TRUE)
  X <- matrix(rnorm(n * p), n) / sqrt(p)
  X[cbind(seq_len(n), class)] <- X[cbind(seq_len(n), class)] + 0.9
  colnames(X) <- paste0("e", seq_len(p))
  wrong <- sample(n, round(rate * n))
  said <- replace(class, wrong, class[wrong] %% classes + 1)
  levels <- letters[seq_len(classes)]
  list(
    X = X / sqrt(rowSums(X^2)), y = factor(levels[said], levels),
    truth = factor(levels[class], levels), wrong = wrong
  )
}

expected_count <- function(fit, ...) attr(mislabelled(fit, ...), "expected")$count

without_told <- function(fit) {
  fit$told <- NULL
  fit
}

d <- wide_table(seed = 2)
wide <- gpc(d$X, d$y, kernel = kernel_iso(), hyper = "integrate")

test_that("a second stage tells of the labels where columns are many", {
  expect_s3_class(wide$told, "second_stage")
  itself <- attr(mislabelled(without_told(wide)), "expected")
  told <- attr(mislabelled(wide), "expected")
  expect_lt(itself$upper, 12) # of 12
  expect_gt(told$upper, 12)
  expect_equal(told$count, 12, tolerance = 0.2)
  expect_setequal(head(mislabelled(wide)$row, 10), head(mislabelled(wide$told)$row, 10))
})

test_that("it is the second stage that a user would make", {
  made <- second_stage(without_told(wide), hyper = "integrate")
  same <- c("row", "label", "probability", "fdr", "if_some")
  expect_equal(
    as.data.frame(mislabelled(wide))[same], as.data.frame(mislabelled(made))[same],
    tolerance = 1e-10
  )
  expect_equal(noise_test(wide)$bayes_factor, noise_test(made)$bayes_factor)
  expect_equal(noise_matrix(wide), noise_matrix(made))
  expect_equal(flip_rates(wide), flip_rates(made))
  expect_equal(confusion(wide), confusion(made))
  expect_equal(as.character(relabel(wide)), as.character(relabel(made)))
  expect_equal(review(wide, 5)$probability, review(made, 5)$probability)
  expect_equal(summary(wide)$expected_wrong, expected_count(made), tolerance = 1e-6)
  expect_equal(generics::augment(wide)$.flipped[d$wrong[1]],
    mislabelled(made)$probability[mislabelled(made)$row == d$wrong[1]])
})

test_that("prints say so, and predictions are of the fit itself", {
  said <- "Labels judged by second_stage(): 60 coded columns, 100 rows."
  for (x in list(noise_test(wide), mislabelled(wide))) expect_output(print(x), said, fixed = TRUE)
  expect_output(print(wide), "Gaussian process classifier; labels by second_stage()", fixed = TRUE)
  expect_match(format(wide), describe_noise(wide$told, 3), fixed = TRUE)
  expect_equal(glance(wide)$epsilon, glance(wide$told)$epsilon)
  expect_output(print(without_told(wide)), "Wrong labels")
  expect_false(any(grepl("second_stage", capture.output(print(without_told(wide))))))
  expect_identical(
    predict(wide, d$X[1:3, ], type = "prob"), predict(without_told(wide), d$X[1:3, ], type = "prob")
  )
  expect_identical(loo(wide), loo(without_told(wide)))
  expect_identical(log_evidence(wide), log_evidence(without_told(wide)))
  expect_lte(length(capture.output(print(wide))), 6)
})

test_that("a report has its number", {
  file <- withr::local_tempfile(fileext = ".html")
  label_report(wide, file, n = 5)
  page <- paste(readLines(file), collapse = "\n")
  said <- "Labels judged by second_stage(): 60 coded columns, 100 rows."
  expect_true(grepl(paste0("<p class=\"note\">", said, "</p>"), page, fixed = TRUE))
})

test_that("a class may have no name", {
  blank <- replace(as.character(d$y), 1:3, "")
  fit <- suppressMessages(gpc(d$X[, 1:5], blank, kernel = kernel_iso(), hyper = "integrate"))
  expect_s3_class(fit$told, "second_stage")
  expect_equal(fit$told$blueprint$levels, c("", "a", "b"))
})

test_that("labels of new rows are told by it, too", {
  new <- wide_table(200, 40, seed = 3)
  fit <- gpc(new$X[1:100, ], new$y[1:100], kernel = kernel_iso(), hyper = "integrate")
  wrong <- sum(new$wrong > 100)
  told <- expected_count(fit, newdata = new$X[101:200, ], labels = new$y[101:200])
  itself <- expected_count(without_told(fit), newdata = new$X[101:200, ], labels = new$y[101:200])
  expect_lt(abs(told - wrong), 3)
  expect_lt(abs(told - wrong), abs(itself - wrong))
})

test_that("the scores of new rows are the probabilities of their true classes", {
  prob <- predict(wide, d$X[1:4, ], type = "prob")
  scores <- told_rows(wide, wide$data$X[1:4, ], NULL)
  expect_equal(unname(scores), unname(as.matrix(as.data.frame(prob))), tolerance = 0.01)
})

test_that("what is known of rows is known to it", {
  known <- gpc(d$X, d$y, kernel = kernel_iso(), trusted = setdiff(1:20, d$wrong), hyper = "integrate")
  found <- mislabelled(known)
  expect_true(all(found$probability[found$row %in% setdiff(1:20, d$wrong)] == 0))
  checked <- data.frame(row = d$wrong[1:3], label = d$truth[d$wrong[1:3]])
  after <- suppressMessages(update(wide, checked = checked))
  expect_s3_class(after$told, "second_stage")
  expect_equal(noise_test(after)$found, 3)
  expect_true(noise_test(after)$disproved)
  expect_lt(expected_count(after), 12)
})

test_that("several classes, a t process and a linear model have it, too", {
  several <- wide_table(90, 40, classes = 3, seed = 3)
  fit <- gpc(several$X, several$y, kernel = kernel_iso(), hyper = "integrate")
  expect_s3_class(fit$told, "second_stage")
  expect_gt(expected_count(fit), expected_count(without_told(fit)))
  small <- wide_table(60, 30)
  linear <- bpm(small$X, small$y, hyper = "integrate")
  expect_s3_class(linear$told, "second_stage")
  process <- stc(small$X, small$y, df = 5, kernel = kernel_iso(),
    hyper = "integrate")
  expect_s3_class(process$told, "second_stage")
  expect_null(absorb(linear, small$X[1:2, ], small$y[1:2])$told)
  expect_equal(nobs(absorb(process, small$X[1:2, ], small$y[1:2])$told), 62)
})

test_that("without its rows a fit says the same of their labels", {
  skip_if_not_installed("butcher")
  small <- wide_table(60, 30)
  linear <- bpm(small$X, small$y, hyper = "integrate")
  alone <- butcher::butcher(linear)
  expect_null(alone$told$data)
  same <- c("bayes_factor", "any", "average", "verdict", "told")
  expect_equal(noise_test(alone)[same], noise_test(linear)[same])
  new <- list(small$X[1:5, ], labels = small$y[1:5])
  told <- function(fit) do.call(mislabelled, c(list(fit, newdata = new[[1]]), new[-1]))
  expect_equal(told(alone)$probability, told(linear)$probability)
})

test_that("few columns, rates that are given, and a stated overlap leave the fit to tell", {
  few <- wide_table(20, 5)
  told <- function(rows, columns = 1:5, ...) {
    X <- few$X[rows, columns]
    gpc(X, few$y[rows], kernel = kernel_iso(), hyper = "integrate", ...)$told
  }
  expect_s3_class(told(1:20), "second_stage")
  expect_null(told(1:20, 1:4))
  expect_null(told(1:19))
  expect_null(told(1:20, epsilon = 0.1))
  expect_null(told(1:20, noise = noise_prior(overlap = 0.01)))
})

test_that("readers and classes in an order leave the fit to tell, other labels do not", {
  X <- withr::with_seed(1, as.data.frame(matrix(rnorm(100), 20)))
  right <- X$V1 + X$V2 > 0
  said <- function(rows) c("no", "yes")[1 + replace(right, rows, !right[rows])]
  told <- function(formula, ...) {
    gpc(
      formula, data.frame(X, ...), kernel = held(), hyper = "integrate",
      noise = noise_prior(models = c(none = 1, one = 1))
    )
  }
  expect_s3_class(told(y ~ ., y = said(1:2))$told, "second_stage")
  read <- told(readers(a, b, c) ~ ., a = said(1:2), b = said(3:6), c = said(7:8))
  expect_true(is_test(read)) # so what keeps it is none of the other conditions
  expect_null(read$told)
  steps <- cut(X$V1 + X$V2, c(-Inf, -0.5, 0.5, Inf), c("low", "mid", "high"))
  ordered <- suppressMessages(told(y ~ ., y = factor(steps, ordered = TRUE)))
  expect_true(is_test(ordered))
  expect_null(ordered$told)
})

test_that("many rows for their columns leave it to tell, too", {
  many <- wide_table(501, 5)
  told <- function(n) bpm(many$X[seq_len(n), ], many$y[seq_len(n)], hyper = "integrate")$told
  expect_s3_class(told(500), "second_stage")
  expect_null(told(501))
})

test_that("a table with weights is told of as its rows, repeated", {
  set.seed(2)
  d <- expand.grid(a = c("a", "b", "c"), b = c("a", "b", "c"), c = c("a", "b"), y = c("u", "v"))
  right <- ifelse((d$a == "a") + (d$b == "b") > 0, "v", "u")
  times <- ifelse(d$y == right, 6, rep_len(0:1, nrow(d)))
  some <- d[times > 0, ]
  some$y <- factor(some$y)
  times <- times[times > 0]
  weighted <- bpm(y ~ ., some, weights = times, hyper = "integrate")
  all <- bpm(y ~ ., some[rep(seq_along(times), times), ], hyper = "integrate")
  expect_s3_class(weighted$told, "second_stage")
  expect_equal(noise_test(weighted)$bayes_factor, noise_test(all)$bayes_factor, tolerance = 0.1)
  expect_equal(expected_count(weighted), expected_count(all), tolerance = 0.03)
})

test_that("lengthscales learned at one point from fewer rows are a warning", {
  few <- wide_table(15, 16, seed = 2)
  expect_warning(
    gpc(few$X, few$y, kernel = kernel_ard(), epsilon = 0.1, hyper = "optimum"),
    class = "sturdy_warning_many_columns"
  )
})

test_that("a fit whose second stage is of other rows was changed", {
  other <- wide
  other$told <- wide$told
  other$told$data$rows <- rev(other$told$data$rows)
  expect_error(print(other), class = "sturdy_error_changed")
})

test_that("what else is said of labels is told by it, too", {
  p <- predict(wide, type = "true")[, 2]
  flipped <- mislabelled(wide)
  p_wrong <- ifelse(d$y == "b", 1 - p, p)
  expect_equal(unname(p_wrong[flipped$row]), flipped$probability, tolerance = 1e-8)
  cv <- exp(loo(wide)$pointwise[, 1])
  event <- ifelse(d$y == "b", cv, 1 - cv)
  expect_equal(true_performance(wide, event), true_performance(wide$told, event))
  expect_output(print(summary(wide)), "Labels judged by second_stage()", fixed = TRUE)
  linear <- bpm(d$X, d$y, hyper = "integrate")
  expect_s3_class(linear$told, "second_stage")
  expect_error(predict_sql(linear, "t", labels = "y"), class = "sturdy_error_no_sql")
})

test_that("classes that overlap are not taken for wrong labels beside a factor of many levels", {
  set.seed(2) # EP loses the cavity of a row at one node of 122
  d <- data.frame(city = factor(sample(paste0("c", 1:25), 90, TRUE)), x = rnorm(90))
  d$y <- factor(ifelse(d$x + rnorm(90) / 2 > 0, "u", "v"))
  fit <- gpc(y ~ ., d, hyper = "integrate")
  expect_s3_class(fit$told, "second_stage")
  expect_lt(noise_test(fit)$bayes_factor, 3)
  expect_equal(attr(mislabelled(fit), "expected")$lower, 0)
})
