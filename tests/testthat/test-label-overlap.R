# Overlap beyond what the scores say: the semigroup of classes that look alike, and its slopes, against
# a power series (helper-label.R).

all_pairs <- function(classes) overlap_pairs(!diag(classes))

alike <- function(s, classes) {
  matrix(overlap_matrices(0, matrix(s), all_pairs(classes), classes)$U, classes)
}

# Shares over all of their range, of all pairs
spread_shares <- function(classes, seed, low = 1e-8, high = 20) {
  k <- classes * (classes - 1) / 2
  withr::with_seed(seed, exp(stats::runif(k, log(low), log(high))))
}

test_that("exp(-L) is that of its power series", {
  for (classes in c(3, 4, 5, 8)) {
    for (seed in 1:5) {
      s <- spread_shares(classes, seed)
      expect_equal(alike(s, classes), plain_exp(-plain_laplacian(s, classes)), tolerance = 1e-12)
    }
  }
})

test_that("two classes alone that look alike are told apart as far as exp(-2 s)", {
  U <- alike(c(0.3, 0, 0), 3) # the pair of the first two
  kept <- (1 + exp(-0.6)) / 2
  expect_equal(U, rbind(c(kept, 1 - kept, 0), c(1 - kept, kept, 0), c(0, 0, 1)), tolerance = 1e-14)
})

test_that("overlap of the half, twice, is the whole, and a class is some class", {
  s <- spread_shares(5, 9)
  expect_equal(alike(s / 2, 5) %*% alike(s / 2, 5), alike(s, 5), tolerance = 1e-12)
  expect_equal(rowSums(alike(s, 5)), rep(1, 5), tolerance = 1e-13)
  expect_equal(alike(s, 5), t(alike(s, 5)), tolerance = 1e-13)
})

test_that("no share is below 0, where rounding would make it so", {
  for (seed in 1:20) {
    s <- spread_shares(6, seed, 1e-16, 1e-12)
    expect_gte(min(alike(s, 6)), 0)
  }
})

test_that("unusual rows are of any class alike, and add to classes that look alike", {
  u <- c(0, 0.04)
  s <- cbind(spread_shares(3, 1), spread_shares(3, 2))
  U <- overlap_matrices(u, s, all_pairs(3), 3)$U
  for (k in 1:2) {
    want <- plain_exp(-plain_laplacian(s[, k], 3)) %*% (diag(1 - u[k], 3) + u[k] / 3)
    expect_equal(matrix(U[, k], 3), want, tolerance = 1e-13)
  }
  expect_equal(matrix(overlap_matrices(0.04, NULL, NULL, 2)$U, 2), diag(0.96, 2) + 0.02)
  expect_equal(drop(overlap_matrices(0.04, NULL, NULL, 50)$U), c(0.96, 0.04 / 50))
})

test_that("slopes are those of the power series, also where directions of L are alike, or nearly", {
  slope_by_series <- function(G, u, s, classes) {
    f <- function(v) {
      U <- plain_exp(-plain_laplacian(exp(v[-1]), classes)) %*%
        (diag(1 - v[1], classes) + v[1] / classes)
      sum(G * U)
    }
    v <- c(u, log(s))
    h <- 1e-3
    at <- function(j, h) f(replace(v, j, v[j] + h))
    vapply(seq_along(v), function(j) {
      (8 * (at(j, h) - at(j, -h)) - (at(j, 2 * h) - at(j, -2 * h))) / (12 * h)
    }, 1)
  }
  for (classes in c(3, 5)) {
    k <- classes * (classes - 1) / 2
    cases <- list(
      spread_shares(classes, 1), spread_shares(classes, 2, 0.1), rep(0.4, k),
      0.4 * (1 + 1e-9 * seq_len(k)),
      0.4 * (1 + 3e-8 * seq_len(k)), rep(15, k), rep(1e-10, k)
    )
    for (s in cases) {
      G <- withr::with_seed(3, matrix(stats::rnorm(classes^2), classes))
      now <- list(u = c(0.05, 0.3), s = cbind(s, s / 2))
      now$overlap <- overlap_matrices(now$u, now$s, all_pairs(classes), classes)
      got <- overlap_gradient(cbind(as.vector(G), as.vector(2 * G)), now, all_pairs(classes), classes)
      want <- cbind(
        slope_by_series(G, 0.05, s, classes), slope_by_series(2 * G, 0.3, s / 2, classes)
      )
      expect_lt(max(abs(got$u - want[1, ])), 1e-10)
      expect_lt(max(abs(got$log_s - want[-1, ])), 1e-10)
    }
  }
})

test_that("two numbers have the slopes of the matrix they stand for", {
  G <- withr::with_seed(4, matrix(stats::rnorm(16), 4))
  whole <- overlap_gradient(cbind(as.vector(G)), list(u = 0.1), NULL, 4)
  local_mocked(label_slopes_most = 3L)
  plain <- overlap_gradient(cbind(c(sum(diag(G)), sum(G))), list(u = 0.1), NULL, 4)
  expect_equal(plain$u, whole$u)
  expect_equal(whole$u, sum(G) / 4 - sum(diag(G)))
})

test_that("pairs are each class's with those near it, whatever turn classes have", {
  near <- !diag(4)
  near[1, 3] <- near[3, 1] <- FALSE
  near[1, 4] <- FALSE # the fourth has the first near it
  pairs <- function(x) apply(x, 1, function(p) paste(sort(p), collapse = " "))
  expect_setequal(pairs(overlap_pairs(near)), c("1 2", "2 3", "1 4", "2 4", "3 4"))
  expect_setequal(pairs(overlap_pairs(near, c(3L, 1L, 4L, 2L))), pairs(overlap_pairs(near)))
  expect_equal(dim(overlap_pairs(near & FALSE)), c(0, 2))
})

test_that("the class most like another has the same median, however many there are [M 16.5]", {
  expect_equal(exp(pairs_centre(3)), 0.001)
  x <- log(0.001) + 3 * stats::qnorm(sqrt(0.5)) # P(both others below x) = 1/2
  for (classes in c(4, 12)) {
    expect_equal(stats::pnorm(x, pairs_centre(classes), 3)^(classes - 1), 0.5, tolerance = 1e-10)
  }
})

test_that("shares of unusual rows have a Beta distribution, also far out, and their slopes", {
  way <- list(beta = 100)
  z <- c(-30, -5, -1, 0, 2, 6)
  for (classes in 2:3) {
    part <- 1 + (classes > 2)
    share <- unusual_share(z, way, classes)
    expect_equal(stats::pbeta(part * share, 1, 100), stats::pnorm(z), tolerance = 1e-12)
    by <- (unusual_share(z[-1] + 1e-4, way, classes) - unusual_share(z[-1] - 1e-4, way, classes)) / 2e-4
    expect_equal(unusual_share_derivative(z[-1], way, classes), by, tolerance = 1e-6)
    # P(Z > 10) is below the distance of 1 from its neighbours
    expect_equal(log1p(-part * unusual_share(10, way, classes)), stats::pnorm(-10, log.p = TRUE) / 100, tolerance = 1e-12)
    expect_lt(unusual_share_derivative(10, way, classes), 1)
  }
})
