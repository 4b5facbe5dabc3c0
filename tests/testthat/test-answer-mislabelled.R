test_that("flipped labels lead the list", {
  found <- mislabelled(toy_fit())
  expect_named(found, c(
    "row", "label", "probability", "rank", "loo", "suggested", "loo_wrong", "fdr"
  ))
  expect_s3_class(found, c("sturdy_mislabelled", "data.frame"), exact = TRUE)
  expect_setequal(found$row, 1:40)
  expect_equal(found$rank, 1:40)
  expect_true(30 %in% found$row[1:3])
  expect_true(all(diff(found$probability) <= 0))
  expect_equal(as.character(found$label), as.character(toy()$class[found$row]))
})

test_that("probabilities follow from the cavity", {
  fit <- toy_fit(epsilon = 0.1)
  z <- fit$data$y * fit$ep$cavity$mean / sqrt(fit$ep$cavity$var)
  p <- 0.1 * pnorm(-z) / (0.1 + 0.8 * pnorm(z))
  found <- mislabelled(fit)
  expect_equal(found$probability, p[found$row])
  expect_equal(found$loo_wrong, pnorm(-z)[found$row])
  expect_equal(found$loo, with(found, 0.9 * (1 - loo_wrong) + 0.1 * loo_wrong))
})

test_that("the suggested label is the other one where a flip is likely", {
  found <- mislabelled(toy_fit())
  wrong <- found$probability > 0.5
  expect_true(any(wrong))
  expect_equal(found$suggested != found$label, wrong)
  expect_identical(levels(found$suggested), levels(found$label))
})

test_that("each class is judged by its own flip rate", {
  fit <- toy_fit(epsilon = c(neg = 0.02, pos = 0.3))
  found <- mislabelled(fit)
  # a recorded event is wrong when a true non-event was flipped, and conversely
  event <- found$label == "yes"
  w <- ifelse(event, 0.02, 0.3)
  right <- ifelse(event, 1 - 0.3, 1 - 0.02)
  expect_equal(
    found$probability,
    with(found, w * loo_wrong / (right * (1 - loo_wrong) + w * loo_wrong))
  )
  expect_true(all(diff(found$probability) <= 0))
})

# By the label stage ----------------------------------------------------------

test_that("a label is wrong, or its row unusual, as the points of the label stage say", {
  local_fewer_points()
  scores <- lapply(2:3, toy_scores, n = 60, strength = 3)
  fits <- list(
    gpc(class ~ a + b, toy(), kernel = kernel_iso(), hyper = "integrate"),
    gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], kernel = kernel_iso(), hyper = "integrate"),
    averaged_stage(scores[[1]]), averaged_stage(scores[[2]])
  )
  for (fit in fits) {
    stage <- judged_by(fit)
    y <- label_code(fit$data)
    at <- lapply(kept_points(stage), plain_label_rows, P = stage$data$X, y = y)
    weight <- stage$nodes$table$weight
    mean_of <- function(f) drop(vapply(at, f, numeric(length(y))) %*% weight)
    own <- cbind(seq_along(y), y)
    found <- mislabelled(fit)
    by_row <- order(found$row)
    expect_equal(found$unusual[by_row], mean_of(function(said) said$unusual), tolerance = 1e-7)
    expect_equal(
      found$probability[by_row], mean_of(function(said) 1 - said$truth[own]), tolerance = 1e-7
    )
    expect_equal(found$loo[by_row], 1 / mean_of(function(said) 1 / said$z), tolerance = 1e-7)
    expect_true(all(found$unusual >= 0 & found$probability + found$unusual <= 1))
    expect_equal(which(names(found) == "loo_wrong"), which(names(found) == "unusual") + 1)
  }
})

test_that("no row is unusual where the prior says so, and there is no column without a label stage", {
  local_fewer_points()
  d <- toy_scores(2, 60, strength = 3)
  none <- mislabelled(averaged_stage(d, noise = noise_prior(unusual = 0)))
  expect_identical(none$unusual, numeric(60))
  held <- mislabelled(averaged_stage(d, noise = noise_prior(unusual = 0.2)))
  learned <- mislabelled(averaged_stage(d))
  expect_gt(sum(held$unusual), 3 * sum(learned$unusual))
  expect_lt(sum(held$probability), sum(learned$probability)) # what is unusual is not wrong
  expect_null(mislabelled(toy_fit())$unusual)
})

test_that("a trusted label can't be wrong, but its row unusual", {
  local_fewer_points()
  d <- toy_scores(2, 80)
  wrong <- d$rows[which.min(d$prob[cbind(d$rows, as.integer(d$labels[d$rows]))])]
  found <- mislabelled(averaged_stage(d, trusted = wrong))
  expect_equal(found$probability[found$row == wrong], 0)
  expect_equal(found$row[which.max(found$unusual)], wrong)
  expect_gt(max(found$unusual), 0.05)
})

# Truth by enumeration --------------------------------------------------------

# P(signs of a zero-mean normal vector), n = 2 or 3, with correlations R
orthant <- function(signs, R) {
  pairs <- utils::combn(length(signs), 2)
  angle <- apply(pairs, 2, function(p) asin(prod(signs[p]) * R[p[1], p[2]]))
  if (length(signs) == 2) 1 / 4 + angle / (2 * pi) else 1 / 8 + sum(angle) / (4 * pi)
}

# Exact P(flipped | all labels) and P(true class is the other one | the others)
flips_by_enumeration <- function(y, K, epsilon) {
  n <- length(y)
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), n)))
  prior <- apply(signs, 1, orthant, R = stats::cov2cor(K))
  likelihood <- function(rows) { # of the labels in `rows`, a pattern each
    agree <- sweep(signs[, rows, drop = FALSE], 2, y[rows], `==`)
    apply(ifelse(agree, 1 - epsilon, epsilon), 1, prod)
  }
  share <- function(i, rows) {
    weight <- prior * likelihood(rows)
    sum(weight[signs[, i] != y[i]]) / sum(weight)
  }
  list(
    posterior = vapply(seq_len(n), function(i) share(i, seq_len(n)), numeric(1)),
    unseen = vapply(seq_len(n), function(i) share(i, setdiff(seq_len(n), i)), numeric(1))
  )
}

test_that("one row: the label says nothing, and the probability is epsilon", {
  found <- mislabelled(gpc(matrix(1), 1, kernel = held(), epsilon = 0.1))
  expect_equal(found$probability, 0.1)
  expect_equal(found$loo_wrong, 0.5)
})

test_that("with exact cavities Bayes' rule gives the exact posterior", {
  K <- exp(-as.matrix(dist(c(-0.4, 0.1, 0.5)))^2 / 2) + 0.1 + diag(0.05, 3)
  truth <- flips_by_enumeration(c(1, -1, 1), K, 0.2)
  bayes <- with(truth, 0.2 * unseen / (0.8 * (1 - unseen) + 0.2 * unseen))
  expect_equal(truth$posterior, bayes, tolerance = 1e-12)
})

test_that("two and three rows: both probabilities are near enumeration", {
  x <- c(-0.4, 0.1, 0.5)
  error <- NULL
  for (y in list(c(1, -1), c(1, -1, 1), c(-1, 1, 1), c(-1, -1, 1))) {
    for (epsilon in c(0.05, 0.2)) {
      at <- x[seq_along(y)]
      fit <- gpc(
        matrix(at), y, kernel = held(1, bias = 0.1, nugget = 0.05),
        epsilon = epsilon, scale = FALSE
      )
      found <- mislabelled(fit)
      found <- found[order(found$row), ]
      K <- exp(-as.matrix(dist(at))^2 / 2) + 0.1 + diag(0.05, length(y))
      truth <- flips_by_enumeration(y, K, epsilon)
      marginal <- pnorm(-y * fit$ep$m / sqrt(fit$ep$C_diag))
      error <- rbind(error, data.frame(
        posterior = found$probability - truth$posterior,
        unseen = found$loo_wrong - truth$unseen,
        marginal = marginal - truth$posterior
      ))
    }
  }
  # EP is an approximation, and these labels contradict each other; the bounds are
  # 1.5 times the largest errors found (0.068, 0.067)
  expect_lt(max(abs(error$posterior)), 0.1)
  expect_lt(max(abs(error$unseen)), 0.1)
  # the marginal of Kim and Ghahramani overstates
  expect_gt(mean(error$marginal), 5 * mean(abs(error$posterior)))
})

extended_test("posterior probabilities and their number agree with exact draws", {
  for (epsilon in c(0.05, 0.2)) {
    fit <- toy_fit(epsilon = epsilon)
    f <- withr::with_seed(1, posterior_sample(fit, 4000))
    wrong <- fit$data$y * t(f) < 0
    found <- mislabelled(fit)
    # EP's error: 0.03 found at epsilon 0.05, 0.014 at 0.2; the draws' is 0.008
    expect_lt(max(abs(rowMeans(wrong)[found$row] - found$probability)), 0.05)
    expected <- attr(found, "expected")
    ends <- quantile(colSums(wrong), c(0.05, 0.95), names = FALSE)
    expect_lte(max(abs(c(expected$lower, expected$upper) - ends)), 1)
  }
})

# How it shows itself ---------------------------------------------------------

test_that("without label noise the ranks stay and a message says so", {
  fit <- toy_fit(epsilon = 0)
  expect_message(found <- mislabelled(fit), class = "sturdy_message_no_label_noise")
  expect_true(all(found$probability == 0))
  expect_true(all(diff(found$loo) >= 0))
  expect_true(any(found$loo_wrong > 0.5))
  expect_equal(attr(found, "expected")$upper, 0)
  expect_snapshot(said(mislabelled(fit)))
})

test_that("rows are those of the data given, missing rows counted", {
  d <- toy()
  row.names(d) <- paste0("id", 1:40)
  d$a[1:2] <- NA
  found <- mislabelled(toy_fit(data = d))
  expect_setequal(found$row, 3:40)
  expect_equal(found$id, paste0("id", found$row))
})

test_that("an argument that is not known or out of range is an error", {
  fit <- toy_fit()
  expect_error(mislabelled(fit, n = 3), class = "sturdy_error_unknown_argument")
  expect_error(mislabelled(fit, fdr = 1.5), class = "sturdy_error_range")
  expect_error(mislabelled(fit, fdr = "low"), class = "sturdy_error_type")
  expect_error(mislabelled(fit, level = 1), class = "sturdy_error_range")
})

test_that("print() shows the number to expect and the first rows", {
  fit <- toy_fit()
  found <- mislabelled(fit)
  shown <- utils::head(found, 3)
  shown$probability <- c(0.9, 0.5, 0.25)
  shown$loo <- c(0.1, 0.5, 0.75)
  shown$loo_wrong <- c(0.95, 0.5, 0.2)
  shown$fdr <- c(0.1, 0.3, 0.45)
  attr(shown, "expected") <- list(
    count = 2.345, lower = 1, upper = 4, level = 0.9, epsilon = "uncertain",
    at_fit = 2.3
  )
  expect_snapshot({
    shown
    print(shown, n = 1)
    structure(shown, expected = list(
      count = 9.56, lower = 6, upper = 14, level = 0.9, epsilon = "uncertain",
      at_fit = 0.0123
    ))
    structure(shown, cutoff = list(fdr = 0.45, rows = 3, probability = 0.25))
    shown[c("row", "probability")]
  })
  expect_invisible(print(shown))
})

test_that("all models that keep sites have suspects", {
  d <- toy()
  for (fit in list(
    stc(class ~ a + b, d, df = 5, kernel = held(), epsilon = 0.05),
    bpm(class ~ a + b, d)
  )) {
    found <- mislabelled(fit)
    expect_equal(nrow(found), 40)
    expect_true(30 %in% found$row[1:3])
  }
  filtered <- bpm(class ~ a + b, d, inference = "adf")
  expect_error(mislabelled(filtered), class = "sturdy_error_no_sites")
})

test_that("what holds if some are wrong does not hang on how unlikely that is", {
  fit <- function(one) {
    gpc(
      class ~ a + b, toy(), kernel = held(), epsilon = "average", hyper = "integrate",
      noise = noise_prior(models = c(none = 1 - one, one = one))
    )
  }
  rare <- mislabelled(fit(1e-15))
  usual <- mislabelled(fit(0.5))
  # where it is as unlikely as that, one node at its mode must do
  expect_lt(max(abs(sort(rare$if_some) - sort(usual$if_some))), 0.15)
  expect_lt(max(rare$probability), 1e-14)
})

test_that("a share next to 0 leaves the others of its column readable", {
  shown <- small_shares(data.frame(row = 1L, probability = 0.9, fdr = c(5e-16, 0.02)), 2)
  expect_equal(shown$fdr, c("< 0.001", "0.02"))
  expect_equal(shown$probability, c(0.9, 0.9))
})
