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

# The posterior under the prior of ?readers, flat over the shares of the classes: classes and, by
# Metropolis' steps, the standard normals of rates (reader x class) and of where errors go
skene_gibbs <- function(said, reader, sweeps) {
  size <- c(max(reader), max(said))
  classes <- seq_len(size[2])
  true <- apply(said, 1, function(v) which.max(tabulate(v, size[2])))
  z <- matrix(-0.5, size[1], size[2])
  g <- array(0, c(size[2] - 1, size[1], size[2]))
  alike <- solve(0.8 * diag(size[1]) + 0.2) # of the rates of readers in a class
  row_of <- function(z, g, c) {
    e <- stats::qbeta(stats::pnorm(z) * stats::pbeta(0.7, 1, 4), 1, 4)
    to <- exp(2.5 * (g - max(g)))
    append(e * to / sum(to), 1 - e, c - 1)
  }
  p_sum <- right_sum <- 0
  for (sweep in seq_len(sweeps)) {
    log_p <- matrix(log(rgamma(size[2], 1 + tabulate(true, size[2]))), nrow(said), size[2], byrow = TRUE)
    right <- matrix(0, size[1], size[2])
    omega <- array(0, size[c(1, 2, 2)])
    for (r in seq_len(size[1])) {
      for (c in classes) {
        of <- true == c
        n <- tabulate(said[of, reader == r], size[2])
        log_f <- function(at) {
          zc <- replace(z[, c], r, at[1])
          sum((n * log(row_of(at[1], at[-1], c)))[n > 0]) - sum(zc * (alike %*% zc)) / 2 -
            sum(at[-1]^2) / 2
        }
        at <- c(z[r, c], g[, r, c])
        now <- log_f(at)
        for (step in 1:6) {
          new <- at + rnorm(length(at), 0, if (step %% 2) c(0.6, 0 * at[-1]) else c(0, 0 * at[-1] + 0.4))
          value <- log_f(new)
          if (log(runif(1)) < value - now) {
            at <- new
            now <- value
          }
        }
        z[r, c] <- at[1]
        g[, r, c] <- at[-1]
        omega[r, c, ] <- row_of(at[1], at[-1], c)
        right[r, c] <- omega[r, c, c]
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
  differ <- which(max.col(p) != max.col(em$p))
  expect_true(all(c(2, 36) %in% differ) && all(differ %in% c(2, 12, 36, 38)))
})

extended_test("anaesthetists: classes and rates are those of the posterior", {
  withr::local_seed(1)
  gibbs <- skene_gibbs(anaesthetists$said, anaesthetists$reader, 4000)
  fit <- fit_anaesthetists()
  p <- unname(predict(fit, type = "true"))
  expect_identical(max.col(p), max.col(gibbs$p))
  expect_lt(mean(abs(p - gibbs$p)), 0.01)
  expect_lt(max(abs(p - gibbs$p)), 0.2)
  found <- matrix(reader_rates(fit)$right, 5, byrow = TRUE)
  expect_lt(max(abs(found - gibbs$right)), 0.05)
})

extended_test("dentists: 3859 teeth have the rates and probabilities of EM", {
  em <- skene_em(dentists$said, 1:5, dentists$n)
  # the usual points of a label stage leave an error of .015 in these probabilities
  local_mocked(
    label_points = c(usual = 1024L, plain = 64L), label_kept = function(...) 512L
  )
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
  first <- predict(first_stage(fit), type = "true")[!duplicated(of), 2]
  expect_lt(max(abs(first - em$p[, 2])), 0.03)
})
