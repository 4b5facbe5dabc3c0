# Case weights: a row of weight w is w rows, so the table with its rows repeated is what they
# are compared with, and where weights are not whole, differences.

weighted_table <- function(n = 25) {
  withr::with_seed(3, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    d$class <- factor(ifelse(d$a + 0.5 * rnorm(n) > 0, "yes", "no"))
    d$times <- sample(1:5, n, TRUE)
  })
  d
}

repeated <- function(d) d[rep(seq_len(nrow(d)), d$times), ]

spaces <- list(
  dense = function(X, times, L, hyper, ...) {
    columns <- list(group = 1:2, weight = c(1, 1), times = times)
    native_gp_fit(X, columns, hyper, L, ...)
  },
  inducing = function(X, times, L, hyper, ...) {
    columns <- list(group = 1:2, weight = c(1, 1), times = times)
    native_inducing_fit(X, as.matrix(weighted_table()[1:8, 1:2]), columns, hyper, L, ...)
  },
  weights = function(X, times, L, hyper, ...) {
    native_weight_fit(rbind(1, t(X)), c(1, 0.5, 2), hyper$nugget, L, ..., times = times)
  }
)

weighted_hyper <- list(
  lengthscale = c(1, 2), variance = 1, bias = 0.3, nugget = 0.2, linear = 0.4
)

sharp_run <- function() utils::modifyList(unclass(ep_control(tol = 1e-11)), list(second = TRUE))

test_that("rows with times are the rows repeated: posterior, criteria and gradients", {
  d <- weighted_table()
  X <- unname(as.matrix(d[1:2]))
  L <- cbind(c(0.9, 0.1)[d$class], c(0.05, 0.95)[d$class])
  each <- rep(seq_len(nrow(d)), d$times)
  for (space in spaces) {
    for (df in c(Inf, 8)) {
      for (criterion in c("evidence", "loo")) {
        run <- function(X, times, L) {
          space(X, times, L, weighted_hyper, df, NULL, sharp_run(), criterion, TRUE)
        }
        one <- run(X, as.double(d$times), L)
        many <- run(X[each, ], NULL, L[each, ])
        expect_equal(one$status, 0)
        for (name in c("value", "log_evidence", "log_evidence_zp", "second", "log_det")) {
          expect_equal(one[[name]], many[[name]], tolerance = 1e-8)
        }
        for (name in c("m", "C_diag", "loo")) {
          expect_equal(one[[name]][each], many[[name]], tolerance = 1e-8)
        }
        expect_equal(one$seen[each, ], many$seen, tolerance = 1e-8)
        expect_equal(one$gradient, many$gradient, tolerance = 1e-7)
        expect_equal(unname(rowsum(many$slope, each)), one$slope, tolerance = 1e-7)
      }
    }
  }
})

test_that("the repeated rows are those of EP in plain R", {
  d <- weighted_table(12)
  X <- unname(as.matrix(d[1:2]))
  each <- rep(seq_len(12), d$times)
  hyper <- utils::modifyList(weighted_hyper, list(linear = 0))
  columns <- list(group = 1:2, weight = c(1, 1))
  K <- native_gram(X[each, ], NULL, columns, hyper)
  y <- ifelse(d$class == "yes", 1, -1)
  there <- ref_ep(K, y[each], epsilon = 0.05)
  columns$times <- as.double(d$times)
  here <- native_gp_fit(X, columns, hyper, likely(y, 0.05), Inf, NULL, sharp_run())
  expect_equal(here$log_evidence, ref_criteria(there)$log_evidence, tolerance = 1e-9)
  expect_equal(here$C_diag[each], there$C_diag, tolerance = 1e-8)
  expect_equal(here$m[each], there$m, tolerance = 1e-8)
  # the site of a row is that of its copies together
  expect_equal(here$sites$tau, unname(drop(rowsum(there$tau, each))), tolerance = 1e-7)
})

test_that("gradients with weights that are not whole are differences", {
  d <- weighted_table()
  X <- unname(as.matrix(d[1:2]))
  L <- cbind(c(0.9, 0.1)[d$class], c(0.05, 0.95)[d$class])
  times <- withr::with_seed(1, runif(nrow(d), 0.2, 3))
  for (space in spaces[1:2]) {
    for (criterion in c("evidence", "loo")) {
      at <- function(par) {
        hyper <- list(
          lengthscale = exp(par[1:2]), variance = exp(par[3]), bias = exp(par[4]),
          nugget = exp(par[5]), linear = exp(par[6])
        )
        space(X, times, L, hyper, Inf, NULL, sharp_run(), criterion, TRUE)
      }
      par <- log(c(1, 2, 1, 0.3, 0.2, 0.4))
      differences <- vapply(seq_along(par), function(j) {
        move <- replace(numeric(6), j, 1e-5)
        (at(par + move)$value - at(par - move)$value) / 2e-5
      }, 0)
      expect_equal(unname(unlist(at(par)$gradient)), differences, tolerance = 1e-7)
    }
  }
})

test_that("weights below one, and of a frequency table, have fixed points", {
  d <- weighted_table()
  X <- unname(as.matrix(d[1:2]))
  L <- cbind(c(0.9, 0.1)[d$class], c(0.05, 0.95)[d$class])
  for (w in c(0.5, 0.1, 0.01)) {
    for (nugget in c(0, 0.2)) {
      hyper <- utils::modifyList(weighted_hyper, list(nugget = nugget))
      expect_equal(spaces$dense(X, w * d$times, L, hyper, Inf, NULL, sharp_run())$status, 0)
    }
  }
  # both labels of each pattern, thousands of times
  both <- rbind(X[1:8, ], X[1:8, ])
  pi <- 0.05 + 0.9 * stats::pnorm(1.5 * X[1:8, 1])
  seen <- cbind(rep(c(0.95, 0.05), each = 8), rep(c(0.05, 0.95), each = 8))
  for (space in spaces[c("dense", "weights")]) {
    for (size in c(10, 1000)) {
      out <- space(both, size * c(1 - pi, pi), seen, weighted_hyper, Inf, NULL, ep_control())
      expect_equal(out$status, 0)
    }
    expect_equal(0.05 + 0.9 * exp(out$seen[1:8, 2]), pi, tolerance = 0.01)
  }
})

test_that("fits with weights answer as fits to the rows repeated", {
  d <- weighted_table(40)
  again <- repeated(d)
  each <- rep(seq_len(nrow(d)), d$times)
  kernel <- kernel_ard(c(1, 2), nugget = 0.3, bias = 0.2, fixed = TRUE)
  new <- data.frame(a = c(-1, 0, 2), b = 1:3)
  fits <- list(
    function(...) gpc(class ~ a + b, ..., kernel = kernel, epsilon = 0.1, scale = FALSE),
    function(...) stc(class ~ a + b, ..., kernel = kernel, epsilon = 0.1, scale = FALSE),
    function(...) bpm(class ~ a + b, ..., nugget = 0.5, epsilon = 0.1, scale = FALSE),
    function(...) {
      gpc(class ~ a + b, ..., kernel = kernel, epsilon = 0.1, scale = FALSE, inducing = d[1:9, 1:2])
    }
  )
  for (fit in fits) {
    one <- fit(d, weights = times)
    many <- fit(again)
    expect_equal(
      predict(one, new, type = "prob"), predict(many, new, type = "prob"), tolerance = 1e-7
    )
    expect_equal(log_evidence(one), log_evidence(many), tolerance = 1e-8)
    expect_equal(loo(one)$estimates[1, 1], loo(many)$estimates[1, 1], tolerance = 1e-8)
    expect_equal(one$ep$flipped[each], many$ep$flipped, tolerance = 1e-7)
    for (rows in list(NULL, transform(new, class = c("no", "yes", "no")))) {
      expected <- function(fit) attr(mislabelled(fit, newdata = rows), "expected")
      expect_type(expected(one)$count, "double")
      expect_equal(expected(one), expected(many), tolerance = 1e-7)
    }
    expect_equal(flip_rates(one), flip_rates(many), tolerance = 1e-6)
    expect_equal(confusion(one), confusion(many), tolerance = 1e-6)
    expect_equal(group_rates(one, d$a > 0), group_rates(many, again$a > 0), tolerance = 1e-6)
    expect_equal(weights(one), d$times)
    expect_equal(
      criterion(one, "loo")$gradient, criterion(many, "loo")$gradient, tolerance = 1e-6
    )
  }
})

test_that("averages with weights are those over the rows repeated", {
  d <- weighted_table(40)
  fit <- function(...) {
    bpm(class ~ a + b, ..., nugget = 0.5, epsilon = "average", hyper = "integrate", scale = FALSE)
  }
  fits <- list(fit(d, weights = times), fit(repeated(d)))
  # of further rows, too, which are more than those with weights and fewer than their labels
  new <- weighted_table(80)[c("a", "b", "class")]
  expect_gt(sum(d$times), 80)
  expected <- lapply(fits, function(fit) attr(mislabelled(fit, newdata = new), "expected"))
  expect_equal(expected[[1]], expected[[2]], tolerance = 1e-3)
  one <- noise_test(fits[[1]])
  many <- noise_test(fits[[2]])
  expect_equal(one$models$log_evidence, many$models$log_evidence, tolerance = 1e-5)
  expect_equal(one$bayes_factor, many$bayes_factor, tolerance = 1e-4)
  expect_equal(one$average[1:3], many$average[1:3], tolerance = 1e-3)
  expect_equal(one$n, many$n)
})

test_that("checks of rows that stand for several count the labels of these", {
  d <- weighted_table(40)
  fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.1, weights = times)
  listed <- review(fit, 5)
  found <- mislabelled(fit)
  wrong <- d$times[found$row] * found$probability
  expect_equal(listed$found, cumsum(wrong[1:5]))
  expect_equal(max(listed$found) + attr(listed, "left")$count, attr(found, "expected")$count)
  expect_equal(attr(listed, "unchecked"), sum(d$times[-listed$row]))
  words <- next_words(list(rows = 20, found = sum(wrong[1:20]), left = sum(wrong[-(1:20)])))
  expect_match(printed(found), words, fixed = TRUE)
  called <- mislabelled(fit, fdr = 0.8)
  first <- seq_len(nrow(called))
  expect_gt(nrow(called), 0)
  words <- next_words(list(rows = nrow(called), found = sum(wrong[first]), left = sum(wrong[-first])))
  expect_match(printed(called), words, fixed = TRUE)
  page <- withr::local_tempfile(fileext = ".html")
  label_report(fit, page, n = 5)
  said <- paste(readLines(page), collapse = " ")
  first <- json(list(p = I(wrong[1:5])))
  expect_match(said, substr(first, 2, nchar(first) - 1), fixed = TRUE)
  expect_match(said, paste("of", sum(d$times), "(90% interval"), fixed = TRUE)
})

test_that("weights go with the rows: subset, update, absorb, trusted rows", {
  d <- weighted_table(40)
  fit <- gpc(
    class ~ a + b, d, kernel = held(), epsilon = 0.1, weights = times, subset = 40:1,
    trusted = 1:3
  )
  expect_equal(weights(fit), rev(d$times))
  expect_equal(weights(update(fit, epsilon = 0.2)), rev(d$times))
  expect_equal(weights(update(fit, weights = rep(2, 40))), rep(2, 40))
  expect_error(weights(update(fit, weights = rep(1, 40))), class = "sturdy_error_no_case_weights")
  checked <- update(fit, checked = data.frame(row = 9, label = "yes"))
  expect_equal(weights(checked), rev(d$times))
  plain <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.1, weights = times)
  expect_equal(weights(absorb(plain, d[1:2, ])), c(d$times, 1, 1))
  matrix <- gpc(as.matrix(d[1:2]), d$class, kernel = held(), epsilon = 0.1, weights = d$times)
  expect_equal(matrix$ep$log_evidence, plain$ep$log_evidence)
})

test_that("counts of weights that are not whole keep their mean", {
  P <- matrix(c(0.2, 0.7), 2)
  density <- wrong_mixture(P, 1, c(2.5, 0.25))
  expect_equal(sum((seq_along(density) - 1) * density), 2.5 * 0.2 + 0.25 * 0.7)
  expect_equal(wrong_mixture(P, 1, c(2, 1)), wrong_mixture(P[c(1, 1, 2), , drop = FALSE], 1))
  expect_equal(repeated_rows(1:3, c(1, 3, 2)), c(1, 2, 2, 2, 3, 3))
})

test_that("labels that are drawn one by one are as many as rows stand for, or count for as much", {
  expect_equal(labels_apart(c(1, 3)), list(row = c(1, 2, 2, 2), times = rep(1, 4)))
  expect_equal(labels_apart(c(0.5, 1.5)), list(row = c(1, 2, 2), times = c(0.5, 0.75, 0.75)))
  many <- labels_apart(c(1e9, 3e9, 1))
  expect_lt(length(many$row), labels_most + 2)
  expect_equal(as.vector(rowsum(many$times, many$row)), c(1e9, 3e9, 1))
})

test_that("what is left of a weight is a trial of as small a probability, also of very many", {
  p <- c(0.2, 0.7, 0.01, 0.5)
  times <- c(3.4, 1, 2.25, 0.6)
  density <- binomial_sum(p, times)
  trials <- plain_poisson_binomial(c(rep(p, floor(times)), 0.4 * 0.2, 0.25 * 0.01, 0.6 * 0.5))
  expect_equal(density, trials[seq_along(density)], tolerance = 1e-10)
  expect_equal(sum((seq_along(density) - 1) * density), sum(times * p), tolerance = 1e-10)
})

test_that("weights that make many labels of rows that differ are asked about", {
  d <- weighted_table(40)
  asked <- function(w, data = d) {
    cnd <- NULL
    withCallingHandlers(
      bpm(class ~ a + b, data, weights = w, epsilon = 0.1),
      sturdy_message_weights_sum = function(found) {
        cnd <<- found
        rlang::cnd_muffle(found)
      }
    )
    cnd
  }
  expect_equal(asked(d$times)$sum, nrow(repeated(d)))
  expect_match(conditionMessage(asked(rep(2, 40))), "40 rows count as 80 labels")
  expect_null(asked(d$times / mean(d$times)))
  expect_null(asked(rep(1.5, 40)))
  # rows of a table of counts
  counted <- transform(d, a = round(a), b = round(b))
  expect_lt(nrow(unique(counted[1:2])), 36)
  expect_null(asked(d$times, counted))
})

test_that("weights are refused by name where there are none", {
  d <- toy()
  expect_error(gpc(class ~ a, d, weights = 1:3), class = "sturdy_error_weights")
  expect_error(gpc(class ~ a, d, weights = rep(0, 40)), class = "sturdy_error_weights")
  expect_error(
    bpm(class ~ a, d, weights = rep(2, 40), inference = "adf"), class = "sturdy_error_weights"
  )
  expect_error(gpc(Species ~ ., iris, weights = rep(2, 150)), class = "sturdy_error_weights")
  expect_error(gpc(Species ~ ., iris, weights = rep(1:2, 75)), class = "sturdy_error_weights")
  fit <- gpc(class ~ a + b, d, kernel = held(), epsilon = 0.1, weights = rep(2, 40))
  expect_error(check_fit(fit), class = "sturdy_error_weights")
  expect_error(posterior_sample(fit), class = "sturdy_error_weights")
  expect_snapshot({
    said(gpc(class ~ a, d, weights = rep(-1, 40)))
    said(posterior_sample(fit))
    fit
  })
})
