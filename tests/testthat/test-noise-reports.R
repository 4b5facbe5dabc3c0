# Reports against plain enumeration: rows with none, one and several of them.

some_reports <- function(n = 12, classes = 3, sources = c("a", "b"), size = 20) {
  withr::local_seed(7)
  certain <- sample(n, 2)
  row <- c(sample(setdiff(seq_len(n), certain[1]), size, replace = TRUE), certain)
  value <- sample(classes, length(row), replace = TRUE)
  source <- c(sample(length(sources), size, replace = TRUE), 0, 0)
  new_reports(n, classes, row, source, value, sources)
}

some_omega <- function(sources = 2, classes = 3) {
  withr::local_seed(8)
  omega <- array(stats::runif(sources * classes^2), c(sources, classes, classes))
  omega / as.vector(apply(omega, 1:2, sum))
}

ref_likelihood <- function(reports, omega) {
  L <- matrix(1, reports$n, reports$classes)
  for (r in seq_along(reports$row)) {
    i <- reports$row[r]
    for (t in seq_len(reports$classes)) {
      p <- if (reports$source[r] == 0) {
        as.numeric(t == reports$value[r])
      } else {
        omega[reports$source[r], t, reports$value[r]]
      }
      L[i, t] <- L[i, t] * p
    }
  }
  L
}

test_that("the likelihood of a class is the product over the reports of a row", {
  reports <- some_reports()
  omega <- some_omega()
  expect_equal(report_likelihood(reports, omega), ref_likelihood(reports, omega))
  expect_true(any(table(reports$row) > 1) && any(!seq_len(12) %in% reports$row))
})

test_that("a row without reports says nothing, and so do no reports", {
  none <- new_reports(3, 2, integer(), integer(), integer())
  expect_equal(report_likelihood(none, as_omega(0.1, 2)), matrix(1, 3, 2))
  expect_equal(report_slope(none, as_omega(0.1, 2), matrix(1, 3, 2)), array(0, c(1, 2, 2)))
  empty <- new_reports(0, 2, integer(), integer(), integer())
  expect_equal(report_likelihood(empty, as_omega(0.1, 2)), matrix(1, 0, 2))
})

test_that("of one report a row, in any order, the likelihood is its entry of omega", {
  omega <- as_omega(rbind(c(0.1, 0.2, 0.3), c(0.05, 0.15, 0.25)), 3, 2)
  row <- c(4, 2, 1, 5, 3)
  source <- c(1, 2, 2, 1, 2)
  value <- c(3, 1, 2, 2, 3)
  L <- report_likelihood(new_reports(5, 3, row, source, value, c("a", "b")), omega)
  for (k in 1:5) expect_identical(L[row[k], ], omega[source[k], , value[k]])
  twice <- new_reports(5, 3, c(row, row), c(source, source), c(value, value), c("a", "b"))
  expect_equal(report_likelihood(twice, omega), L^2)
})

test_that("a report that is right for certain rules out all other classes", {
  reports <- label_reports(c(1, 3, 2), 3, source = c(1L, 0L, 1L))
  L <- report_likelihood(reports, as_omega(0.2, 3))
  expect_equal(L, rbind(c(0.8, 0.1, 0.1), c(0, 0, 1), c(0.1, 0.8, 0.1)))
  expect_equal(report_known(reports), c(FALSE, TRUE, FALSE))
})

test_that("what a rate of 0 calls impossible is left out where a check has told the class", {
  reports <- new_reports(2, 2, row = c(1, 2, 1), source = c(1, 1, 0), value = c(1, 2, 2))
  expect_equal(report_likelihood(reports, as_omega(0, 2)), rbind(c(0, 1), c(0, 1)))
  expect_equal(report_likelihood(reports, as_omega(0.1, 2)), rbind(c(0, 0.1), c(0.1, 0.9)))
  slope <- report_slope(reports, as_omega(0, 2), matrix(1, 2, 2))
  expect_equal(slope[1, , ], rbind(c(0, 1), c(0, 1)))
})

test_that("slopes in omega are those of the chain rule", {
  reports <- some_reports()
  omega <- some_omega()
  weight <- matrix(stats::rnorm(12 * 3), 12)
  value <- function(omega) sum(weight * ref_likelihood(reports, omega))
  differences <- vapply(seq_along(omega), function(k) {
    h <- replace(numeric(length(omega)), k, 1e-5)
    (value(omega + h) - value(omega - h)) / 2e-5
  }, numeric(1))
  expect_equal(
    as.vector(report_slope(reports, omega, weight)), differences, tolerance = 1e-9
  )
})

test_that("counts are sums over reports of the probabilities of the true classes", {
  reports <- some_reports()
  p <- matrix(stats::runif(36), 12)
  counts <- array(0, c(2, 3, 3))
  for (r in which(reports$source > 0)) {
    at <- cbind(reports$source[r], 1:3, reports$value[r])
    counts[at] <- counts[at] + p[reports$row[r], ]
  }
  expect_equal(report_counts(reports, p), counts)
})

test_that("reports on some rows are those of a table of these rows", {
  reports <- some_reports()
  omega <- some_omega()
  rows <- c(5, 2, 11, 1)
  expect_equal(
    report_likelihood(reports_of(reports, rows), omega),
    report_likelihood(reports, omega)[rows, ]
  )
})

test_that("labels have one code whatever the number of classes", {
  two <- list(y = c(-1, 1, 1), reports = list(classes = 2L))
  expect_identical(label_code(two), c(1L, 2L, 2L))
  three <- list(y = c(3, 1), reports = list(classes = 3L))
  expect_identical(label_code(three), c(3L, 1L))
})

test_that("the posterior of the truth is Bayes' rule, also in the far tails", {
  L <- rbind(c(0.9, 0.1), c(0, 1), c(0.2, 0.2))
  log_pi <- log(rbind(c(0.3, 0.7), c(0.5, 0.5), c(0.1, 0.9)))
  joint <- L * exp(log_pi)
  expect_equal(truth_posterior(L, log_pi), joint / rowSums(joint))
  far <- truth_posterior(rbind(c(1e-3, 1)), rbind(c(-1000, -1e6)))
  expect_equal(far, rbind(c(1, 0)))
  near <- truth_posterior(rbind(c(1e-3, 1)), rbind(c(-1e4, -1e4 - 2)))
  expect_equal(near[1, 1], 1e-3 / (1e-3 + exp(-2)))
})

test_that("every shape of epsilon is one shape of omega", {
  expect_equal(as_omega(0.1, 2)[1, , ], rbind(c(0.9, 0.1), c(0.1, 0.9)))
  two <- as_omega(c(neg = 0.1, pos = 0.3), 2, sources = 2L)
  expect_equal(two[2, , ], rbind(c(0.9, 0.1), c(0.3, 0.7)))
  expect_equal(as_omega(c(0.1, 0.2, 0.3), 3)[1, 3, ], c(0.15, 0.15, 0.7))
  omega <- some_omega(1)[1, , ]
  expect_equal(as_omega(omega, 3, 2L)[2, , ], omega)
  expect_identical(as_omega(two, 2), two)
})

test_that("rows of which the same is reported are of one kind, whatever their order", {
  reports <- new_reports(
    8, 2, c(1:8, 1:4), c(0, 0, 1, 1, 1, 2, 2, 1, 1, 1, 2, 0), c(1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1),
    c("a", "b")
  )
  omega <- array(c(0.9, 0.8, 0.3, 0.05, 0.1, 0.2, 0.7, 0.95), c(2, 2, 2))
  for (rows in list(1:8, 8:1, c(3, 1, 8, 5))) {
    some <- reports_of(reports, rows)
    found <- report_kinds(some)
    expect_equal(
      report_likelihood(found$reports, omega)[found$kind, ], report_likelihood(some, omega)
    )
    expect_equal(max(found$kind), found$reports$n)
  }
  # rows 6 and 7 are alike, the others are not
  expect_equal(report_kinds(reports)$reports$n, 7)
  expect_equal(anyDuplicated(report_kinds(reports)$kind), 7)
  soft <- reports
  soft$soft <- matrix(NA_real_, 12, 2)
  expect_equal(report_kinds(soft)$reports$n, 8) # each is of its own
})

test_that("readers start as if the most were right, all or without one, but for those who say one thing", {
  said <- cbind(c(1, 1, 2, 2), c(1, 1, 2, 1), c(2, 1, 2, 2), 1)[rep(1:4, 5), ]
  reports <- new_reports(20, 2, row(said), col(said), said, letters[1:4], readers = TRUE)
  expect_identical(unname(report_constant(reports)), 4L)
  reports_few <- reports_of(reports, 1:4)
  expect_length(report_constant(reports_few), 0) # so few may be all alike
  guesses <- reader_guesses(reports)
  expect_length(guesses, 4)
  # without the second the first and the third vote: they differ in rows 1, 5, ...
  p <- rep(c(1.1 / 2.2, 2.1 / 2.2, 0.1 / 2.2, 0.1 / 2.2), 5) # of the first class
  wrong <- function(s) {
    c(sum(p[said[, s] == 2]), sum(1 - p[said[, s] == 1])) + 0.5
  }
  all <- c(sum(p), 20 - sum(p)) + 1
  expect_equal(guesses[[3]], t(vapply(1:4, wrong, c(0, 0))) / rep(all, each = 4), tolerance = 1e-12)
})

test_that("labels of sources are counted as often as their rows stand for, those that are known not at all", {
  reports <- new_reports(5, 2, c(1:5, 4L), c(1, 2, 1, 0, 2, 2), c(1, 2, 2, 1, 1, 2), c("a", "b"))
  expect_equal(source_counts(reports), c(2, 2))
  expect_equal(source_counts(with_times(reports, c(3, 1, 0.5, 7, 2))), c(3.5, 3))
  expect_equal(source_sizes(with_times(reports, c(3, 1, 0.5, 7, 2))), c(3.5, 3) / 6.5)
})
