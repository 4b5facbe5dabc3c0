# Points and weights of nodes, against closed forms: integrals of products, normal moments, the
# generalised Pareto quantiles.

test_that("Pareto smoothing finds the shape and keeps light tails as they are", {
  for (k in c(0.1, 0.5, 0.9)) {
    x <- (((1 - (seq_len(2000) - 0.5) / 2000)^-k) - 1) / k
    fit <- pareto_fit(sort(x))
    expect_lt(abs(fit$k - k), 0.05)
    expect_lt(abs(fit$sigma - 1), 0.1)
  }
  # few are drawn to 1/2, as ten more that say so would
  skip_if_not_installed("loo")
  few <- sort(stats::qexp((seq_len(10) - 0.5) / 10))
  fit <- pareto_fit(few)
  other <- loo::gpdfit(few) # on a grid of other points
  expect_equal(fit, other[c("k", "sigma")], tolerance = 1e-3)
  # the largest are quantiles in the middles of equal shares
  raw <- withr::with_seed(1, 2 * stats::rnorm(100))
  at <- order(raw)[76:100] # a quarter of a hundred
  cut <- sort(exp(raw))[75]
  fit <- pareto_fit(exp(raw[at]) - cut)
  p <- (seq_len(25) - 0.5) / 25
  want <- log(cut + fit$sigma * ((1 - p)^-fit$k - 1) / fit$k)
  expect_equal(pareto_smooth(raw)$log_weight[at], pmin(want, max(raw)), tolerance = 1e-10)
  even <- pareto_smooth(rep(0, 50))
  expect_equal(even$log_weight, rep(0, 50))
  heavy <- c(log(seq_len(99) / 99), 20)
  expect_gt(pareto_smooth(heavy)$k, 0.7)
  expect_lte(max(pareto_smooth(heavy)$log_weight), 20)
})

# A problem whose log evidence at z is that of `f`, and nothing else of it
problem_at <- function(f, d, ...) {
  out <- list(status = 0L, sweeps = 1L, residual = 0, b = 0, loo = 0, sites = list(tau = 0, nu = 0))
  ep <- function(points, ...) {
    lapply(points, function(point) c(out, list(log_evidence = f(point$hyper))))
  }
  list(
    latent = list(n = 1, reports = label_reports(1, 2), ep = ep), df = Inf,
    criterion = "evidence", field = rep("nugget", d), hyper = identity,
    omega = function(z) as_omega(0, 2, 1), search_control = list(max_sweeps = 100), ...
  )
}
mode_at <- function(par, H, penalised) {
  d <- length(par)
  list(
    par = par, H = H, penalised = penalised, sites = list(tau = 0, nu = 0),
    tangent = matrix(0, 2, d)
  )
}

test_that("a component that gets no node is left out", {
  # several modes and few nodes: the shares of some round to none
  part <- function(share, mode) {
    list(centre = c(mode, 0), axes = diag(2), scale = c(1, 1), tails = c(FALSE, FALSE),
         share = share, mode = mode, corners = FALSE)
  }
  proposal <- list(part(0.97, 1L), part(0.01, 1L), part(0.02, 2L))
  drawn <- node_draw(proposal, 10, 0)
  expect_equal(ncol(drawn$Z), 10)
  expect_equal(length(drawn$proposal), 1)
})

test_that("what ratios of lengthscales cost of the prior is known beforehand", {
  problem <- problem_at(function(z) 0, 2)
  modes <- lapply(1:2, function(mode) mode_at(c(mode, 0), diag(2), 0))
  free <- node_further(problem, modes, NULL, 10)
  problem$latent$prior$lengthscale$spent <- c(1.5, 0.25)
  expect_equal(node_further(problem, modes, NULL, 10)$log_f, free$log_f - 1.75)
})

test_that("points move from the mode to the mean of those before, as far as these can be trusted", {
  mode <- mode_at(c(1, -1), diag(c(4, 1)), 0)
  Z <- withr::with_seed(1, matrix(rnorm(40), 2))
  w <- withr::with_seed(2, rexp(20))
  w <- w / sum(w)
  other <- mode_at(c(30, 30), diag(2), -3) # too far for its points to be moved
  moved <- node_adapt(list(mode, other), list(ess = 6, log_weight = log(w), Z = Z))
  plain <- node_proposal(list(mode, other))
  for (k in seq_along(plain)) {
    centre <- if (plain[[k]]$mode == 1) 6 / 8 * drop(Z %*% w) + 2 / 8 * c(1, -1) else c(30, 30)
    expect_equal(moved[[k]]$centre, centre)
    along <- crossprod(plain[[k]]$axes, Z - centre)
    expect_equal(moved[[k]]$scale^2, 6 / 8 * drop(along^2 %*% w) + 2 / 8 * plain[[k]]$scale^2)
  }
  expect_equal(node_adapt(list(mode), list(ess = 0)), node_proposal(list(mode)))
})

test_that("drawn twice, nodes have the density of both draws together", {
  # f is the prior, so that the evidence is 1; drawn far too narrowly at first
  problem <- problem_at(function(z) 0, 2)
  mode <- mode_at(c(0, 0), diag(60, 2), -log(2 * pi))
  found <- node_further(problem, list(mode), NULL, 60)
  found <- node_further(problem, list(mode), found, 60)
  expect_equal(ncol(found$Z), 120)
  expect_lt(abs(found$log_evidence), 0.2)
})

test_that("corners integrate what is skewed in ten coordinates", {
  # of prod pnorm(a z + b) under a standard normal prior all is known in closed form
  d <- 10
  a <- 2 * 0.85^seq_len(d)
  b <- rep(c(-1, 0.5), length.out = d)
  f <- function(z) sum(stats::pnorm(a * z + b, log.p = TRUE))
  one <- function(j) {
    g <- function(z) stats::pnorm(a[j] * z + b[j], log.p = TRUE) - z^2 / 2 - log(2 * pi) / 2
    at <- stats::optimize(g, c(-6, 6), maximum = TRUE, tol = 1e-8)$maximum
    c(at, -(g(at + 1e-3) - 2 * g(at) + g(at - 1e-3)) / 1e-6, g(at))
  }
  each <- vapply(seq_len(d), one, numeric(3))
  truth <- sum(stats::pnorm(b / sqrt(1 + a^2), log.p = TRUE))
  s <- b / sqrt(1 + a^2)
  mean <- a / sqrt(1 + a^2) * exp(stats::dnorm(s, log = TRUE) - stats::pnorm(s, log.p = TRUE))
  problem <- problem_at(f, d, corners = TRUE)
  mode <- mode_at(each[1, ], diag(each[2, ]), sum(each[3, ]))
  found <- node_further(problem, list(mode), NULL, 32)
  error <- function(found) max(abs(drop(found$Z %*% exp(found$log_weight)) - mean))
  expect_lt(abs(found$log_evidence - truth), abs(found$laplace - truth))
  expect_lt(error(found), max(abs(mode$par - mean)))
  many <- Reduce(
    function(part, n) node_further(problem, list(mode), part, n), rep(32, 15), found
  )
  expect_equal(length(many$log_f), 512)
  expect_lt(abs(many$log_evidence - truth), 0.1)
  expect_lt(error(many), 0.1)
  # mirror images: turning an axis round changes nothing
  x <- corner_points(d, 32)
  expect_equal(x[, 2 * (1:16)], -x[, 2 * (1:16) - 1])
})

test_that("corners are orthogonal in their signs and as far out as normal points", {
  for (d in c(8, 15, 20)) {
    size <- 2 * 2^ceiling(log2(d + 1))
    x <- corner_points(d, size)
    expect_equal(tcrossprod(sign(x)), diag(size, d))
    expect_equal(mean(colSums(x^2)), d, tolerance = 0.02)
    expect_equal(rowSums(x), numeric(d))
    # the next block has other corners
    both <- corner_points(d, 2 * size)
    expect_equal(both[, seq_len(size)], x)
    expect_lt(mean(duplicated(t(sign(both)))), 0.15)
  }
})

test_that("points of a component have its mean and spread", {
  axes <- eigen(matrix(c(2, 0.6, 0.6, 1), 2))$vectors
  part <- list(centre = c(1, -2), axes = axes, scale = c(0.5, 2), tails = c(FALSE, FALSE),
               corners = FALSE)
  Z <- node_points(part, 4000)
  expect_equal(rowMeans(Z), c(1, -2), tolerance = 0.01)
  expect_equal(var(t(Z)), axes %*% diag(c(0.25, 4)) %*% t(axes), tolerance = 0.02)
  expect_equal(primes(6), c(2, 3, 5, 7, 11, 13))
  # its density integrates to one
  grid <- as.matrix(expand.grid(seq(-9, 11, 0.1), seq(-12, 8, 0.1)))
  expect_equal(sum(exp(node_log_density(t(grid), part))) * 0.01, 1, tolerance = 1e-4)
})
