# Intervals of class probabilities: of two classes, and of several.

test_that("the ends of the interval of a probability are those of its distribution", {
  fit <- toy_fit()
  new <- data.frame(a = c(-0.5, 1), b = c(0.3, 1))
  ends <- predict(fit, new, interval = 0.9)
  latent <- predict(fit, new, type = "latent")
  nugget <- fit$kernel$nugget
  by_quantile <- function(p) {
    pnorm((latent$m + qnorm(p) * sqrt(latent$s2 - nugget)) / sqrt(nugget))
  }
  expect_equal(ends$lower, by_quantile(0.05))
  expect_equal(ends$upper, by_quantile(0.95))
  expect_equal(ends$estimate, unname(predict(fit, new, type = "response")))
  # the estimate is the mean of that distribution
  level <- (seq_len(4000) - 0.5) / 4000
  expect_equal(ends$estimate[1], mean(vapply(level, function(p) by_quantile(p)[1], 0)), tolerance = 1e-4)
  # averaged: the distribution function at the ends is the mixture's
  fit <- first_stage(gpc(class ~ a + b, toy(), hyper = "integrate", kernel = kernel_iso(
    1.5, bias = 0.1, nugget = 0.1, fixed = c("lengthscale", "variance", "bias")
  )))
  ends <- predict(fit, new, type = "prob", interval = 0.8)
  X <- forge(fit$blueprint, new)$X
  below <- function(value, row) {
    each <- vapply(seq_len(node_count(fit)), function(k) {
      point <- latent_new(latent_at(fit, k), X)
      nugget <- fit$nodes$hyper[[k]]$nugget
      pnorm((sqrt(nugget) * qnorm(value) - point$m[row]) / sqrt(point$s2[row] - nugget))
    }, 0)
    sum(each * node_weight(fit))
  }
  expect_equal(below(ends$lower[1], 1), 0.1, tolerance = 1e-6)
  expect_equal(below(ends$upper[1], 1), 0.9, tolerance = 1e-6)
  expect_error(predict(fit, new, type = "class", interval = 0.9), class = "sturdy_error_interval")
  expect_error(predict(fit, new, interval = 2), class = "sturdy_error_range")
  expect_true(all(is.na(predict(fit, data.frame(a = NA, b = 1), interval = 0.5)[2:3])))
})

test_that("a t process and its nugget have one scale in common", {
  fit <- stc(class ~ a + b, toy(), df = 3, kernel = held(nugget = 0.5), epsilon = 0.05)
  new <- data.frame(a = c(-0.5, 1, 2), b = c(0.3, 1, 0))
  ends <- predict(fit, new, interval = 0.9)
  latent <- predict(fit, new, type = "latent")
  drawn <- withr::with_seed(1, list(scale = sqrt(rchisq(2e5, 3) / 3), z = rnorm(2e5)))
  for (row in 1:3) {
    p <- pnorm((drawn$scale * latent$m[row] + sqrt(latent$s2[row] - 0.5) * drawn$z) / sqrt(0.5))
    expect_lt(abs(ends$estimate[row] - mean(p)), 0.003)
    expect_lt(max(abs(unlist(ends[row, c("lower", "upper")]) - quantile(p, c(0.05, 0.95)))), 0.005)
  }
})

# Several classes -----------------------------------------------------------------------

# Latent moments of every class at new encoded inputs, nugget left out, by the formulas of one
# class in plain R
plain_known <- function(fit, X) {
  rows <- fit$data$X
  sites <- fit$ep$sites
  hyper <- kernel_hyper(fit$kernel)
  per_class <- function(name, c) rep_len(hyper[[name]], ncol(sites$tau))[c]
  moments <- lapply(seq_len(ncol(sites$tau)), function(c) {
    k <- function(A, B) {
      square <- outer(rowSums(A^2), rowSums(B^2), `+`) - 2 * A %*% t(B)
      per_class("variance", c) * exp(-square / (2 * per_class("lengthscale", c)^2)) +
        per_class("bias", c)
    }
    K <- k(rows, rows) + diag(per_class("nugget", c), nrow(rows))
    H <- solve(diag(nrow(rows)) + sites$tau[, c] * K)
    cross <- k(rows, X)
    m <- drop(t(cross) %*% (fit$ep$b[, c]))
    v <- diag(k(X, X)) - colSums(cross * (H %*% (sites$tau[, c] * cross)))
    list(m = m, sd = sqrt(v), noise = per_class("nugget", c))
  })
  lapply(c(m = "m", sd = "sd", noise = "noise"), function(name) {
    matrix(vapply(moments, function(x) rep_len(x[[name]], nrow(X)), numeric(nrow(X))), nrow(X))
  })
}

# Draws of the probability of each class at row i: posterior draws of the latent functions, and
# the nugget integrated by a sum over a grid
plain_probability <- function(known, i, draws) {
  classes <- ncol(known$m)
  g <- vapply(seq_len(classes), function(c) {
    rnorm(draws, known$m[i, c], known$sd[i, c])
  }, numeric(draws))
  u <- seq(-9, 9, 0.3)
  vapply(seq_len(classes), function(c) {
    f <- outer(g[, c], sqrt(known$noise[i, c]) * u, `+`)
    all <- matrix(dnorm(u) * 0.3, draws, length(u), byrow = TRUE)
    for (k in seq_len(classes)[-c]) all <- all * pnorm((f - g[, k]) / sqrt(known$noise[i, k]))
    rowSums(all)
  }, numeric(draws))
}

species <- function(rows = c(1:15, 51:65, 101:115)) datasets::iris[rows, ]
held_fit <- made_once(function(..., data = species()) {
  gpc(Species ~ ., data, epsilon = 0.05, ..., kernel = held(2))
})

test_that("the ends are quantiles of the posterior, drawn in plain R", {
  withr::local_options(sturdy.draws = 4000)
  data <- species()
  fits <- list(
    held_fit(),
    gpc(Species ~ ., data, kernel = kernel_iso(), kernels = "per class", epsilon = 0.05,
        hyper = "optimum"),
    first_stage(gpc(Species ~ ., data, kernel = kernel_iso(), epsilon = 0.05, hyper = "integrate"))
  )
  new <- datasets::iris[c(71, 84, 107), ]
  for (fit in fits) {
    X <- forge(fit$blueprint, new)$X
    found <- predict(fit, new, interval = 0.8)
    weight <- node_weight(fit)
    size <- 2 + ceiling(4000 * weight)
    nodes <- lapply(seq_along(weight), function(k) plain_known(latent_at(fit, k), X))
    withr::local_seed(1)
    for (i in 1:3) {
      shares <- Reduce(`+`, lapply(seq_along(weight), function(k) {
        p <- plain_probability(nodes[[k]], i, size[k])
        weight[k] * rbind(
          lower = colMeans(p < rep(found$lower[i, ], each = nrow(p))),
          upper = colMeans(p < rep(found$upper[i, ], each = nrow(p))),
          tiny = colMeans(p < 1e-12) # can't be told from 0
        )
      }))
      below <- shares[c("lower", "upper"), ]
      # an end of 1e-100 hangs on how an integral is taken there; all that is left to it is to
      # have a tenth of the draws below what can be told from 0
      nothing <- rbind(found$lower[i, ] < 1e-12, FALSE)
      below[nothing] <- c(0.1, 0.9)[row(below)[nothing]]
      # 4 standard errors of a level of 0.1 by 4000 draws, here and there
      error <- 4 * sqrt(0.1 * 0.9 / 4000) * sqrt(2)
      expect_lt(max(abs(below - c(0.1, 0.9))), error)
      expect_true(all(shares["tiny", nothing[1, ]] > 0.1 - error))
    }
    expect_equal(found$estimate, predict(fit, new, type = "prob"))
  }
})

# Through the label stage --------------------------------------------------------------

# How often classes are below ends in row i, over draws of the fit, each through every point of its label
# stage: each class by a factor before overlap, so that the mean is as given
staged_share <- function(fit, X, i, mean) {
  few <- fit$label_stage$nodes$few
  points <- kept_points(fit$label_stage)[few$node]
  weight <- node_weight(fit)
  q <- w <- of <- NULL
  for (k in seq_along(weight)) {
    p <- plain_probability(plain_known(latent_at(fit, k), X), i, 2 + ceiling(2000 * weight[k]))
    scores <- if (fit$label_stage$recalibration$kind == "recorded") p %*% unname(fit$omega) else p
    for (j in seq_along(points)) {
      q <- rbind(q, plain_label_rows(points[[j]], scores, rep(1, nrow(p)))$q)
      of <- c(of, rep(j, nrow(p)))
      w <- c(w, rep(weight[k] * few$weight[j] / nrow(p), nrow(p)))
    }
  }
  at <- function(v, some = seq_along(w)) {
    tilted <- q[some, ] * rep(exp(c(v, 0)), each = length(some))
    tilted <- tilted / rowSums(tilted)
    for (j in seq_along(points)) {
      mine <- of[some] == j
      tilted[mine, ] <- tilted[mine, , drop = FALSE] %*% points[[j]]$U
    }
    tilted
  }
  some <- seq(1, length(w), 7)
  gap <- function(v) sum((colSums(w[some] * at(v, some)) / sum(w[some]) - mean)^2)
  found <- stats::optim(c(0, 0), gap, control = list(reltol = 1e-12))
  expect_lt(found$value, 1e-8)
  moved <- at(found$par)
  function(ends) colSums(w * (moved < rep(ends, each = nrow(q)))) / sum(w)
}

test_that("of several classes the ends are quantiles of draws through the points of the label stage", {
  withr::local_options(sturdy.draws = 4000)
  local_fewer_points()
  new <- datasets::iris[c(84, 107), ]
  # 4 standard errors of a level of 0.1 by 4000 draws here, and by 2000 there
  error <- 4 * sqrt(0.1 * 0.9 * (1 / 4000 + 1 / 2000))
  withr::local_seed(1)
  for (hyper in c("integrate", "optimum")) { # scores are of the true class, and of that recorded
    epsilon <- if (hyper == "optimum") "matrix" else "average"
    fit <- gpc(Species ~ ., species(), kernel = kernel_iso(), epsilon = epsilon, hyper = hyper)
    X <- forge(fit$blueprint, new)$X
    found <- predict(fit, new, interval = 0.8)
    for (i in 1:2) {
      below <- staged_share(fit, X, i, found$estimate[i, ])
      # at the least probability that a point leaves to a class are many draws
      for (side in 1:2) {
        ends <- found[[c("lower", "upper")[side]]][i, ]
        expect_lt(max(below(stats::plogis(stats::qlogis(ends) - 0.05))) - c(0.1, 0.9)[side], error)
        expect_gt(min(below(stats::plogis(stats::qlogis(ends) + 0.05))) - c(0.1, 0.9)[side], -error)
      }
    }
    expect_equal(found$estimate, predict(fit, new, type = "prob"))
  }
})

noisy_plane <- function(classes, n = 90) {
  d <- withr::with_seed(6, data.frame(a = rnorm(n), b = rnorm(n)))
  d$class <- cut(d$a + d$b^2, quantile(d$a + d$b^2, 0:classes / classes), include.lowest = TRUE)
  levels(d$class) <- letters[seq_len(classes)]
  d$class[1:9] <- rev(levels(d$class))[d$class[1:9]]
  d
}

plane_fit <- made_once(function(classes, ordered = FALSE) {
  d <- noisy_plane(classes)
  if (ordered) d$class <- factor(d$class, ordered = TRUE)
  suppressMessages(gpc(class ~ ., d, kernel = kernel_iso(), hyper = "integrate"))
})

test_that("draws of a t process are those of its closed form, before they go through a stage", {
  fit <- stc(class ~ a + b, toy(), df = 3, kernel = held(nugget = 0.3))
  X <- forge(fit$blueprint, data.frame(a = c(-2, 0, 2), b = 1))$X
  local_mocked(through_stage = function(object, p, prob) p)
  drawn <- drawn_interval(fit, X, prob_new(fit, X), 0.8)
  closed <- event_interval(fit, X, 0.8)
  for (end in c("lower", "upper")) { # 4 standard errors of a level by 1000 draws are a tenth of a quantile
    expect_lt(max(abs(stats::qnorm(drawn[[end]][, 2]) - stats::qnorm(closed[[end]]))), 0.3)
  }
})

test_that("of two classes the ends are quantiles of draws in plain R", {
  fit <- plane_fit(2)
  new <- data.frame(a = c(-0.6, 0.1, 0.5, 2), b = c(0.3, 1, -1, 0))
  found <- predict(fit, new, interval = 0.8)
  drawn <- withr::with_seed(1, plain_staged(fit, new))
  for (i in 1:4) {
    moved <- stats::qlogis(drawn[[i]]$moved(found$estimate[i]))
    ends <- stats::qlogis(c(found$lower[i], found$upper[i]))
    # 4 standard errors of a level of 0.1 by 1000 draws; at the least that a point leaves are many draws
    error <- 4 * sqrt(0.1 * 0.9 / 1000)
    expect_lt(max(mean(moved < ends[1] - 0.05), mean(moved > ends[2] + 0.05)), 0.1 + error)
    expect_gt(min(mean(moved < ends[1] + 0.05), mean(moved > ends[2] - 0.05)), 0.1 - error)
  }
})

test_that("draws of intervals and of paths are moved alike: their mean is what predict() says", {
  for (case in list(list(2, FALSE), list(3, FALSE), list(3, TRUE))) {
    fit <- if (case[[2]]) plane_fit(3, ordered = TRUE) else plane_fit(case[[1]])
    new <- data.frame(a = seq(-2, 2, length.out = 5), b = 0.3)
    real <- through_stage
    means <- found <- NULL
    local({
      local_mocked(through_stage = function(...) {
        p <- real(...)
        means <<- rbind(means, vapply(p, rowMeans, numeric(nrow(p[[1]]))))
        p
      }, interval_block = 2 * 1000 * case[[1]]) # some rows at once
      found <<- predict(fit, new, interval = 0.8)
    })
    prob <- predict(fit, new, type = "prob")
    gap <- apply(abs(means - prob), 1, max)
    # in an order a class far off may have the least that points leave to it, which are dealt to draws
    at_least <- case[[2]] & apply(prob, 1, min) < 0.006
    expect_lt(max(gap[!at_least]), 1e-7)
    expect_lt(max(gap), 1e-3)
    X <- forge(fit$blueprint, new)$X
    p <- path_prob(fit, X, 2000L)
    if (case[[1]] == 2) p <- p[2]
    for (c in seq_along(p)) {
      ends <- lapply(found[c("lower", "upper")], function(end) as.matrix(end)[, c])
      # 4 standard errors of a level of 0.1 by 1000 draws, and of paths at 50 nodes
      z <- stats::qlogis(p[[c]])
      expect_lt(max(rowMeans(z < stats::qlogis(ends$lower) - 0.05)) - 0.1, 0.06)
      expect_lt(max(rowMeans(z > stats::qlogis(ends$upper) + 0.05)) - 0.1, 0.06)
    }
  }
})

test_that("ends lie around the estimate, and further out than at the mean of the stage's points", {
  new <- data.frame(a = seq(-2, 2, length.out = 9), b = 0.3)
  for (classes in 2:3) {
    fit <- plane_fit(classes)
    found <- predict(fit, new, interval = 0.9)
    # but for the mean of a skewed distribution
    expect_gte(mean(found$lower <= found$estimate & found$estimate <= found$upper), 8 / 9)
    expect_true(all(found$lower < found$upper & found$lower > 0 & found$upper < 1))
    wider <- predict(fit, new, interval = 0.99)
    expect_true(all(wider$lower <= found$lower & wider$upper >= found$upper))
    few <- fit$label_stage$nodes$few
    real <- label_seen_new
    local({
      local_mocked(label_seen_new = function(P, nodes, which, overlap = TRUE) {
        mean <- mean_over(real(P, nodes, few$node, overlap), few$weight)
        array(mean, c(dim(mean), length(which)))
      })
      mean_only <- predict(fit, new, interval = 0.9)
      expect_equal(mean_only$estimate, found$estimate)
      least <- c(1.02, 1.005)[classes - 1] # points of three classes differ less here
      expect_gt(mean(found$upper - found$lower), least * mean(mean_only$upper - mean_only$lower))
    })
    none <- predict(fit, new[0, ], interval = 0.9)
    expect_identical(NROW(none[[1]]), 0L)
    missing <- predict(fit, data.frame(a = c(NA, 1), b = 1), interval = 0.9)
    expect_true(all(is.na(as.matrix(missing$lower)[1, ])) && !anyNA(as.matrix(missing$lower)[2, ]))
    one <- predict(fit, new[4, ], interval = 0.9)
    expect_equal(unlist(one), if (classes == 2) {
      unlist(found[4, ])
    } else {
      unlist(lapply(found, function(part) part[4, , drop = FALSE]))
    }, tolerance = 1e-5) # draws of rows asked together are moved until all means are right
  }
})

test_that("1000 draws are enough for what the help says", {
  fit <- held_fit()
  new <- datasets::iris[c(71, 84, 107, 130), ]
  X <- forge(fit$blueprint, new)$X
  found <- predict(fit, new, interval = 0.9)
  withr::local_seed(1)
  known <- plain_known(fit, X)
  inside <- vapply(1:4, function(i) {
    p <- plain_probability(known, i, 2e4)
    colMeans(p > rep(found$lower[i, ], each = 2e4) & p < rep(found$upper[i, ], each = 2e4))
  }, numeric(3))
  expect_lt(max(abs(inside - 0.9)), 0.03) # 3 standard errors
})

test_that("an interval has rows in order, `NA` where an input is, and those asked alone", {
  fit <- held_fit()
  new <- datasets::iris[c(20, 71, 107), ]
  new$Sepal.Width[2] <- NA
  found <- predict(fit, new, interval = 0.9)
  expect_named(found, c("estimate", "lower", "upper"))
  for (part in found) {
    expect_identical(dimnames(part), list(c("20", "71", "107"), levels(datasets::iris$Species)))
    expect_identical(which(rowSums(is.na(part)) > 0), c("71" = 2L))
  }
  expect_true(all(found$lower[-2, ] < found$upper[-2, ]))
  alone <- predict(fit, new[3, ], interval = 0.9)
  expect_equal(unclass(alone), lapply(found, function(part) part[3, , drop = FALSE]))
  # more probability, wider
  wider <- predict(fit, new, interval = 0.99)
  expect_true(all(wider$lower[-2, ] <= found$lower[-2, ] & wider$upper[-2, ] >= found$upper[-2, ]))
  expect_identical(dim(predict(fit, interval = 0.5)$upper), c(45L, 3L))
  expect_identical(dim(predict(fit, new[0, ], interval = 0.5)$upper), c(0L, 3L))
  set.seed(3)
  before <- .Random.seed
  predict(fit, new, interval = 0.9)
  expect_identical(.Random.seed, before)
})

test_that("without a nugget a class is certain, and nothing is NaN", {
  data <- species()
  fit <- gpc(
    Species ~ ., data, kernel = kernel_iso(2, nugget = 0, fixed = TRUE), epsilon = 0.05
  )
  new <- datasets::iris[c(20, 71, 107), ]
  found <- predict(fit, rbind(new, data[1:3, ]), interval = 0.9)
  expect_false(anyNA(unlist(found)))
  expect_true(all(c(found$lower, found$upper) %in% 0:1))
  p <- path_prob(fit, forge(fit$blueprint, new)$X, 50L)
  expect_true(all(unlist(p) %in% 0:1))
})

test_that("inducing inputs and 20 classes have intervals", {
  found <- predict(held_fit(inducing = 8), datasets::iris[c(20, 71), ], interval = 0.9)
  expect_true(all(found$lower < found$estimate & found$estimate < found$upper))
  data <- data.frame(x = seq(-3, 3, length.out = 40), y = factor(rep(letters[1:20], each = 2)))
  many <- gpc(y ~ x, data, kernel = held(0.5), epsilon = 0.02)
  withr::local_options(sturdy.draws = 50)
  found <- predict(many, data[1:2, ], interval = 0.9)
  expect_identical(dim(found$lower), c(2L, 20L))
  expect_false(anyNA(unlist(found)))
})

test_that("an interval of what has none is an error", {
  fit <- held_fit()
  expect_error(predict(fit, type = "class", interval = 0.9), class = "sturdy_error_interval")
  expect_error(predict(fit, type = "latent", interval = 0.9), class = "sturdy_error_interval")
  expect_error(predict(fit, noise = TRUE, interval = 0.9), class = "sturdy_error_interval")
  expect_error(predict(fit, interval = 1), class = "sturdy_error_range")
  withr::local_options(sturdy.draws = 3)
  expect_error(predict(fit, interval = 0.9), class = "sturdy_error_range")
  withr::local_options(sturdy.draws = 1e6, sturdy.max_memory = 1e7)
  expect_error(predict(fit, interval = 0.9), class = "sturdy_error_memory")
})

test_that("an end far out in a tail is printed as a bound, and the others in full", {
  ends <- with_ends(data.frame(estimate = c(0.5, 1e-5), lower = c(0.123456, 1.288e-136),
                               upper = c(1 - 1e-9, 0), row.names = c("a", "b")))
  expect_equal(
    gsub(" +", " ", capture.output(shown <- print(ends)))[-1],
    c("a 0.5 0.123 > 0.999", "b < 0.001 < 0.001 0")
  )
  expect_identical(shown, ends)
  expect_identical(as.data.frame(ends)$lower[2], 1.288e-136)
  d <- toy()
  d$class <- factor(ifelse(d$a > 0, "yes", "no"))
  fit <- gpc(class ~ a, d, kernel = held(2, nugget = 0.001), epsilon = 0)
  table <- predict(fit, d, interval = 0.9)
  expect_lt(min(table$lower[table$lower > 0]), 1e-12)
  expect_false(any(grepl("e-[0-9]", capture.output(print(table)))))
  rates <- flip_rates(gpc(class ~ a, d, kernel = held(), epsilon = "average"))
  expect_false(any(grepl("e-[0-9]", capture.output(print(rates[c("lower", "upper")])))))
})

test_that("there is one probability, with an interval or without", {
  for (classes in 2:3) {
    fit <- plane_fit(classes)
    expect_false(is.null(fit$nodes$few))
    new <- data.frame(a = c(-1, 0, 1), b = 0.5)
    prob <- predict(fit, new, type = "prob")
    found <- predict(fit, new, interval = 0.9)$estimate
    expect_identical(found, if (classes == 2) unname(prob[, 2]) else prob)
  }
  # far out in a tail no number is written with a power of ten
  expect_no_match(capture.output(predict(fit, data.frame(a = 4, b = 4), interval = 0.9)), "e-")
})
