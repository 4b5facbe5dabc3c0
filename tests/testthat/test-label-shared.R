# Readers who share errors: what they say together, how it is found, and what it counts as.

# Labels of readers with the rate e in both classes, the first two of whom are wrong together in
# `both` of the rows
sharing_readers <- function(n, e, both, readers = 3, seed = 1) {
  withr::with_seed(seed, {
    truth <- sample(2, n, TRUE)
    u <- stats::runif(n)
    others <- matrix(stats::runif(n * (readers - 2)) < e, n)
    wrong <- cbind(u < e, u < both | u >= e & u < 2 * e - both, others)
    list(labels = ifelse(wrong, 3 - truth, truth), truth = truth, wrong = wrong)
  })
}

test_that("coupled readers keep their rates, and are wrong together as often as may be", {
  omega <- list(rbind(c(0.7, 0.2, 0.1), c(0.1, 0.8, 0.1), c(0.3, 0.3, 0.4)), diag(0.4, 3) + 0.2)
  for (share in c(0, 0.3, 1)) {
    together <- array(coupled(omega, share), c(3, 3, 3))
    expect_equal(apply(together, 1:2, sum), omega[[1]], tolerance = 1e-14)
    expect_equal(apply(together, c(1, 3), sum), omega[[2]], tolerance = 1e-14)
  }
  for (t in 1:3) {
    expect_equal(matrix(coupled(omega, 0)[t, ], 3), outer(omega[[1]][t, ], omega[[2]][t, ]))
    expect_equal(diag(together[t, , ]), pmin(omega[[1]][t, ], omega[[2]][t, ]))
  }
  alike <- coupled(list(diag(2), diag(2)), 1) # nothing is left to be apart
  expect_equal(alike, rbind(c(1, 0, 0, 0), c(0, 0, 0, 1)))
})

test_that("like labels count by their log odds", {
  end <- function(both, e = 0.25) {
    one <- matrix(c(1 - e, e, e, 1 - e), 2)
    list(omega = list(one, one), share = (both - e^2) / (e - e^2))
  }
  expect_equal(do.call(counted_as, end(0.15)), 2 * log(0.65 / 0.15) / (2 * log(3)), tolerance = 1e-12)
  expect_equal(do.call(counted_as, end(0.0625)), 2)
  expect_equal(do.call(counted_as, end(0.25 - 1e-8)), 1, tolerance = 1e-5) # one and its copy
})

test_that("EM finds the share of known classes, and their likelihood", {
  made <- sharing_readers(4000, 0.25, 0.15)
  seen <- diag(2)[made$truth, ] * (1 - 1e-9) + 5e-10
  end <- coupled_em(made$labels, cbind(1, 2), seen, seen)
  rates <- lapply(end$omega, function(omega) c(omega[1, 2], omega[2, 1]))
  value <- function(share) { # by enumeration, row by row
    first <- made$wrong[, 1]
    second <- made$wrong[, 2]
    e <- rates[[1]][made$truth]
    f <- rates[[2]][made$truth]
    both <- (1 - share) * e * f + share * pmin(e, f)
    p <- ifelse(first, ifelse(second, both, e - both), ifelse(second, f - both, 1 - e - f + both))
    g <- rates[[3]][made$truth]
    sum(log(p)) + sum(log(ifelse(made$wrong[, 3], g, 1 - g)))
  }
  best <- optimize(value, c(0, 1), maximum = TRUE)
  expect_equal(end$value, value(end$share), tolerance = 1e-6)
  expect_lt(best$objective - end$value, 0.01)
  expect_lt(abs(end$share - best$maximum), 0.02)
  expect_lt(abs(end$share - 0.467), 0.08) # (.15 - 1/16) / (1/4 - 1/16)
})

test_that("pairs are found where errors are shared, and only there", {
  found <- function(both, sure = 0.8, n = 400, readers = 5, seed = 1, twin = FALSE) {
    made <- sharing_readers(n, 0.25, both, readers, seed)
    if (twin) made$labels[, 2] <- made$labels[, 1]
    reports <- new_reports(
      n, 2, row(made$labels), col(made$labels), made$labels, letters[seq_len(readers)], readers = TRUE
    )
    seen <- matrix(1 - sure, n, 2)
    right <- withr::with_seed(seed, stats::runif(n) < sure) # of a classifier, calibrated
    seen[cbind(seq_len(n), ifelse(right, made$truth, 3 - made$truth))] <- sure
    omega <- array(rep(c(0.75, 0.25, 0.25, 0.75), each = readers), c(readers, 2, 2))
    shared_errors(reports, seen, truth_posterior(report_likelihood(reports, omega), log(seen)))
  }
  for (seed in 1:3) {
    expect_null(found(0.0625, seed = seed))
    pair <- found(0.15, seed = seed)
    expect_identical(pair[, 1:2], c(1, 2))
    expect_lt(abs(pair[, 3] - 1.33), 0.2)
  }
  expect_lt(abs(found(0.2, twin = TRUE)[, 3] - 1), 0.05)
  expect_null(found(0.15, n = 29)) # too few rows
})

test_that("a pair costs half the log of its rows, and the choice among all pairs its log", {
  labels <- matrix(rep(1:2, 200), 400, 4) # six pairs
  reports <- new_reports(400, 2, row(labels), col(labels), labels, letters[1:4], readers = TRUE)
  even <- matrix(0.5, 400, 2)
  taken <- function(gain) {
    local_mocked(
      coupled_em = function(labels, pairs, seen, p, steps) list(value = gain * NROW(pairs), p = p),
      counted_as = function(...) 1
    )
    NROW(shared_errors(reports, even, even))
  }
  expect_equal(taken(log(400) / 2 + 0.99 * log(6)), 0)
  expect_equal(taken(log(400) / 2 + 1.01 * log(6)), 2) # and then the other two of the four
})

test_that("labels that count less are powers, and their slopes differences", {
  reports <- new_reports(
    3, 2, c(1, 1, 1, 2, 2, 3), c(1, 2, 3, 1, 3, 0), c(1, 2, 2, 2, 1, 1), letters[1:3], readers = TRUE
  )
  reports$together <- cbind(1, 3, 1.3)
  omega <- aperm(array(c(0.8, 0.2, 0.4, 0.6, 0.7, 0.3, 0.1, 0.9, 0.75, 0.25, 0.3, 0.7), c(2, 2, 3)), 3:1)
  L <- report_likelihood(reports, omega)
  expect_equal(L[1, ], omega[1, , 1]^0.65 * omega[2, , 2] * omega[3, , 2]^0.65)
  expect_equal(L[3, ], c(1, 0))
  slope <- matrix(c(0.3, -1, 2, 0.5, 0.1, 1), 3)
  value <- function(omega) sum(slope * report_likelihood(reports, omega))
  by_steps <- vapply(seq_along(omega), function(k) {
    step <- replace(0 * omega, k, 1e-6)
    (value(omega + step) - value(omega - step)) / 2e-6
  }, 1)
  expect_equal(as.vector(report_slope(reports, omega, slope)), by_steps, tolerance = 1e-7)
  expect_identical(reports_of(reports, 2:3)$together, reports$together)
})

test_that("a fit says which readers share errors, and counts them as fewer", {
  local_fewer_points()
  made <- sharing_readers(160, 0.3, 0.27, 4)
  d <- withr::with_seed(2, data.frame(x = made$truth + stats::rnorm(160, sd = 0.4)))
  fit <- function(labels) {
    labels <- matrix(c("no", "yes")[labels], nrow(labels))
    quiet <- ep_control(progress = FALSE)
    gpc(d, readers(labels), control = quiet, hyper = "optimum", kernel = kernel_iso(1, fixed = TRUE))
  }
  expect_message(
    sharing <- fit(made$labels), "reader1 and reader2 share errors: they count as 1",
    class = "sturdy_message_shared_errors"
  )
  counted <- attr(reader_rates(sharing), "agreement")$counted
  expect_lt(counted[1], 1.5)
  expect_identical(counted[-1], rep(2, 5))
  expect_output(print(reader_rates(sharing)), "counted")
  expect_output(print(sharing), "reader1 and reader2 share errors")
  apart <- sharing_readers(160, 0.3, 0.09, 4)$labels
  expect_no_message(fit(apart), class = "sturdy_message_shared_errors")
})

test_that("of readers who copy and differ in quality one is hardly more, where both have labelled", {
  local_fewer_points()
  made <- withr::with_seed(1, {
    d <- data.frame(u = rnorm(400), v = rnorm(400))
    truth <- d$u + d$v > 0
    said <- function(wrong) factor(truth != wrong, c(FALSE, TRUE), c("n", "p"))
    wrong <- runif(400) < 0.12
    d$a <- said(wrong)
    d$b <- said(wrong | runif(400) < 0.2)
    d$c <- said(runif(400) < 0.2)
    d$d <- said(runif(400) < 0.2)
    d$b[1:100] <- NA
    list(d = d, wrong = wrong)
  })
  fit <- suppressMessages(gpc(readers(a, b, c, d) ~ u + v, made$d))
  reports <- fit$label_stage$data$reports
  expect_lt(reports$together[1, 3], 1.5)
  counted <- report_counted(reports)
  expect_equal(unique(counted[reports$row %in% 1:100]), 1)
  open <- with(made$d, which(a == b & c == d & a != c))
  p <- predict(fit, type = "true")[cbind(open, as.integer(made$d$a[open]))]
  expect_lt(abs(mean(p) - mean(!made$wrong[open])), 0.1)
})
