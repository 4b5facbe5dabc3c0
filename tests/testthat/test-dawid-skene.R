# readers() without inputs is Dawid and Skene's model: against EM and its posterior by Gibbs
# sampling, both written out, on two published tables.

# 45 patients by 5 anaesthetists, the first of whom read them three times; Dawid and Skene (1979),
# Table 1
anaesthetists <- list(
  said = do.call(rbind, strsplit(c(
    "1111111", "3334334", "1122122", "2223121", "2223222", "2223322", "1122111", "3333433", "2222223",
    "2322223", "4444444", "2223343", "1111111", "2223212", "1211111", "1112111", "1111111", "1111111",
    "2222221", "2221322", "2222222", "2222221", "2223222", "2212222", "1111111", "1111111", "2322222",
    "1111111", "1111111", "1121121", "1111111", "3333233", "1111111", "2222222", "2223232", "4334343",
    "2212232", "2323233", "3333432", "1111111", "1111111", "1212111", "2322222", "1211111", "2222222"
  ), "")),
  reader = c(1, 1, 1:5)
)
storage.mode(anaesthetists$said) <- "integer"

# 3859 teeth by 5 dentists from X-rays, sound (1) or not (2): how many of each pattern, the last
# dentist varying fastest; Espeland and Handelman (1989)
dentists <- list(
  said = as.matrix(expand.grid(rep(list(1:2), 5)))[, 5:1],
  n = c(
    1880, 789, 43, 75, 23, 63, 8, 22, 188, 191, 17, 67, 15, 85, 8, 56, 12, 26, 6, 14, 1, 20, 2, 17, 2,
    20, 6, 27, 3, 72, 1, 100
  )
)

# Maximum likelihood, from the shares of the votes
skene_em <- function(said, reader, n = rep(1, nrow(said))) {
  classes <- seq_len(max(said))
  p <- vapply(classes, function(v) rowMeans(said == v), numeric(nrow(said)))
  for (step in 1:5000) {
    prior <- colSums(n * p) / sum(n)
    omega <- lapply(seq_len(max(reader)), function(r) {
      votes <- vapply(classes, function(v) {
        colSums(n * p * rowSums(said[, reader == r, drop = FALSE] == v))
      }, numeric(max(said)))
      votes / rowSums(votes)
    })
    log_p <- matrix(log(prior), nrow(p), length(prior), byrow = TRUE)
    for (j in seq_along(reader)) log_p <- log_p + t(log(omega[[reader[j]]][, said[, j]]))
    new <- exp(log_p - apply(log_p, 1, max))
    new <- new / rowSums(new)
    if (max(abs(new - p)) < 1e-9) break
    p <- new
  }
  list(p = new, prior = prior, omega = omega)
}

# The posterior under the prior of ?readers, flat over the shares of the classes: classes,
# matrices, and the three parameters of their prior in turn
skene_gibbs <- function(said, reader, sweeps) {
  size <- c(max(reader), max(said))
  classes <- seq_len(size[2])
  true <- apply(said, 1, function(v) which.max(tabulate(v, size[2])))
  h <- c(-1, log(10), 0)
  p_sum <- right_sum <- 0
  for (sweep in seq_len(sweeps)) {
    N <- array(0, size[c(1, 2, 2)])
    for (j in seq_along(reader)) {
      N[reader[j], , ] <- N[reader[j], , ] + table(factor(true, classes), factor(said[, j], classes))
    }
    rows <- apply(N, 2:3, c) # readers x true x said
    log_f <- function(h) {
      rate <- plogis(h[1]) / 2
      strength <- exp(h[2])
      each <- exp(h[3]) / (size[2] - 1)
      value <- dbeta(2 * rate, 1, 4, log = TRUE) + dlogis(h[1], log = TRUE) +
        dnorm(h[2], log(10), 1, log = TRUE) + dnorm(h[3], 0, 1.5, log = TRUE)
      for (c in classes) {
        off <- matrix(rows[, c, -c], size[1])
        wrong <- rowSums(off)
        a <- strength * rate
        b <- strength - a
        value <- value + sum(lbeta(a + wrong, b + rows[, c, c]) - lbeta(a, b)) +
          sum(lgamma(each + off) - lgamma(each)) - sum(lgamma(exp(h[3]) + wrong) - lgamma(exp(h[3])))
      }
      value
    }
    for (step in 1:3) {
      new <- h + rnorm(3, 0, c(0.5, 0.6, 0.6))
      if (log(runif(1)) < log_f(new) - log_f(h)) h <- new
    }
    a <- exp(h[2]) * plogis(h[1]) / 2
    log_p <- matrix(log(rgamma(size[2], 1 + tabulate(true, size[2]))), nrow(said), size[2], byrow = TRUE)
    right <- matrix(0, size[1], size[2])
    omega <- array(0, dim(N))
    for (r in seq_len(size[1])) {
      for (c in classes) {
        wrong <- rbeta(1, a + sum(N[r, c, -c]), exp(h[2]) - a + N[r, c, c])
        to <- pmax(rgamma(size[2] - 1, exp(h[3]) / (size[2] - 1) + N[r, c, -c]), 1e-300)
        omega[r, c, -c] <- wrong * to / sum(to)
        omega[r, c, c] <- right[r, c] <- 1 - wrong
      }
    }
    for (j in seq_along(reader)) log_p <- log_p + t(log(omega[reader[j], , ][, said[, j]]))
    p <- exp(log_p - apply(log_p, 1, max))
    p <- p / rowSums(p)
    true <- max.col(runif(nrow(p)) < t(apply(p, 1, cumsum)), "first")
    if (sweep > sweeps / 5) {
      p_sum <- p_sum + p
      right_sum <- right_sum + right
    }
  }
  kept <- sweeps - floor(sweeps / 5)
  list(p = p_sum / kept, right = right_sum / kept)
}

fit_anaesthetists <- function() {
  n <- nrow(anaesthetists$said)
  long <- data.frame(
    item = rep(seq_len(n), 7), who = rep(anaesthetists$reader, each = n),
    label = factor(anaesthetists$said)
  )
  suppressMessages(gpc(
    readers(label, reader = who, item = item) ~ 1, long, hyper = "integrate",
    epsilon = "average", control = ep_control(progress = FALSE)
  ))
}

test_that("anaesthetists: classes are those of EM, but where it has a matrix to itself", {
  em <- skene_em(anaesthetists$said, anaesthetists$reader)
  # as printed in 1979
  expect_equal(em$prior, c(0.4, 0.42, 0.11, 0.07), tolerance = 0.01)
  expect_equal(round(em$omega[[1]][4, ], 2), c(0, 0, 0.56, 0.44))
  p <- predict(fit_anaesthetists(), type = "true")
  # Of the fourth class there are three patients by EM, which then takes 3 for the usual word of the
  # first anaesthetist for it; patients 12 and 38 are open between the second and third class
  expect_identical(which(max.col(p) != max.col(em$p)), c(2L, 12L, 36L, 38L))
})

extended_test("anaesthetists: classes and rates are those of the posterior", {
  withr::local_seed(1)
  gibbs <- skene_gibbs(anaesthetists$said, anaesthetists$reader, 4000)
  fit <- fit_anaesthetists()
  p <- unname(predict(fit, type = "true"))
  expect_identical(max.col(p), max.col(gibbs$p))
  expect_lt(mean(abs(p - gibbs$p)), 0.01)
  # it is surer than it should be of what is open: its nodes stand at modes
  expect_lt(max(abs(p - gibbs$p)), 0.35)
  found <- matrix(reader_rates(fit)$right, 5, byrow = TRUE)
  expect_lt(max(abs(found - gibbs$right)), 0.05)
})

extended_test("dentists: 3859 teeth have the rates and probabilities of EM", {
  em <- skene_em(dentists$said, 1:5, dentists$n)
  of <- rep(1:32, dentists$n)
  d <- data.frame(unname(dentists$said))[of, ]
  row.names(d) <- NULL
  d[] <- lapply(d, factor)
  fit <- suppressMessages(bpm(
    readers(d) ~ 1, d, hyper = "integrate", epsilon = "average",
    control = ep_control(progress = FALSE)
  ))
  right <- vapply(em$omega, diag, numeric(2))
  found <- reader_rates(fit)
  expect_lt(max(abs(found$right - as.vector(right))), 0.01)
  expect_true(all(found$lower < right & right < found$upper))
  p <- predict(fit, type = "true")[!duplicated(of), 2]
  expect_lt(max(abs(p - em$p[, 2])), 0.03)
})
