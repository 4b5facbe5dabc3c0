# EP over shards against EP on all rows at once, which is another loop (src/ep-parallel.c).

d <- shard_data()
Z <- d[1:20, ]
tight <- ep_control(tol = 1e-10)

test_that("shards give the fit of all rows at once, however many there are", {
  local_few()
  new <- shard_data(50, seed = 2)
  whole <- gpc(class ~ ., d, kernel = held_kernel(), epsilon = 0.1, inducing = Z,
               control = tight)
  for (n in c(1, 4, 16, 64)) {
    fit <- gpc(class ~ ., shards(d, n), kernel = held_kernel(), epsilon = 0.1,
               inducing = Z, control = tight)
    expect_identical(fit$ep$status, "converged")
    expect_gt(fit$ep$sweeps, 5)
    expect_equal(fit$inducing[c("Z", "C")], whole$inducing[c("Z", "C")], tolerance = 1e-8)
    expect_same_answers(fit, whole, new, 1e-9)
  }
})

test_that("so do those of the other models", {
  local_few()
  new <- shard_data(50, seed = 2)
  # t-EP needs noise
  fits <- list(
    function(rows) stc(class ~ ., rows, df = 10, kernel = held_kernel(1), epsilon = 0.1,
                       inducing = Z, control = tight),
    function(rows) bpm(class ~ ., rows, nugget = 0.5, epsilon = 0.2, control = tight),
    function(rows) bpm(class ~ ., rows, df = 10, nugget = 0.5, epsilon = 0.2, control = tight)
  )
  for (fit in fits) {
    whole <- fit(d)
    for (n in c(1, 64)) {
      apart <- fit(shards(d, n))
      expect_identical(apart$ep$status, "converged")
      expect_gt(apart$ep$sweeps, 5)
      expect_same_answers(apart, whole, new, 1e-9)
      for (sum in c("log_evidence", "log_evidence_zp", "log_det")) {
        expect_equal(apart$ep[[sum]], whole$ep[[sum]], tolerance = 1e-9, info = sum)
      }
    }
  }
  expect_equal(coef(apart), coef(whole), tolerance = 1e-8)
})

# R in units of exp(shift), as src/criterion.c has them where exponents are large
test_that("shards are as near to rest as the one that is farthest, and sums if none failed", {
  part <- function(k) {
    sums <- c("squares", "improper", "log_det", "loo", "H", "g", "P", "h")
    terms <- list(worst = c(2, 5, 3)[k], status = 0, evidence = c(k, k, 0), evidence_zp = c(2 * k, k, 0))
    c(stats::setNames(as.list(k * seq_along(sums)), sums), terms)
  }
  for (order in list(1:3, 3:1, c(2, 1, 3))) {
    sum <- Reduce(add_passes, lapply(order, part))
    expect_identical(sum$worst, 5)
    expect_equal(unlist(sum[1:8], use.names = FALSE), 6 * 1:8)
    expect_equal(sum[c("evidence", "evidence_zp")], list(evidence = c(6, 6, 0), evidence_zp = c(12, 6, 0)))
  }
  expect_identical(add_passes(part(1), list(status = -2)), list(status = -2))
})

test_that("terms of the evidence add up whatever their units", {
  value <- function(terms) c(terms[1] * exp(terms[3]), terms[2])
  parts <- list(c(2, 3, 0), c(0.5, -1, 4), c(-0.25, 0.5, 2))
  for (order in list(1:3, 3:1, c(2, 1, 3))) {
    sum <- Reduce(add_terms, parts[order])
    expect_equal(value(sum), rowSums(vapply(parts, value, numeric(2))))
    expect_identical(sum[3], 4)
  }
  # of a size that a double has no room for
  sum <- add_terms(c(2, 1, 900), c(3, 1, 890))
  expect_equal(sum, c(2 + 3 * exp(-10), 2, 900))
  log_det <- 7
  expect_equal(
    native_evidence(sum, log_det, 1.5),
    -1.5 / 2 * (900 - log_det / 1.5 + log(sum[1])) - log_det / 2
  )
  expect_identical(native_evidence(c(-2, 0, 900), log_det, 1.5), NA_real_)
  expect_equal(native_evidence(c(-4, 3, 0), log_det, Inf), -4 + 3 / 2 - 7 / 2)
})

test_that("a few rows lead all to their fixed point, also without a nugget", {
  whole <- bpm(class ~ ., d, nugget = 0, epsilon = 0.2, control = tight)
  fit <- bpm(class ~ ., shards(d, 3), nugget = 0, epsilon = 0.2, control = tight)
  expect_identical(fit$ep$status, "converged")
  expect_equal(coef(fit), coef(whole), tolerance = 1e-8)
})

test_that("what is learned over shards is what is learned on all rows", {
  new <- shard_data(50, seed = 2)
  # given inputs: where they are placed hangs on the rows that a search begins with
  at <- d[seq(1, nrow(d), length.out = 20), ]
  whole <- gpc(class ~ ., d, inducing = at, epsilon = "learn")
  fit <- gpc(class ~ ., shards(d, 3), inducing = at, epsilon = "learn")
  expect_equal(log_evidence(fit), log_evidence(whole), tolerance = 1e-4)
  expect_gt(whole$epsilon, 0.05) # the optimum of the few rows that come first has next to none
  # of the fits themselves, before any label stage
  X <- forge(whole$blueprint, new)$X
  expect_equal(first_prob(fit, X), first_prob(whole, X), tolerance = 2e-3)
  whole <- bpm(class ~ ., d, prior_scale = "learn", epsilon = "learn")
  fit <- bpm(class ~ ., shards(d, 3), prior_scale = "learn", epsilon = "learn")
  expect_equal(log_evidence(fit), log_evidence(whole), tolerance = 1e-4)
  expect_equal(coef(fit), coef(whole), tolerance = 2e-2)
})

# Central differences of the evidence, each of them a fit of its own
test_that("the gradient summed over shards is that of the evidence", {
  team <- new_team(shards(d, 3))
  withr::defer(team$close())
  molded <- mold_shards(team, class ~ ., TRUE, stats::na.omit)
  X <- molded$data$X
  columns <- blueprint_columns(molded$blueprint)
  kernel <- kernel_resolve(
    kernel_ard(lengthscale = c(1, 1, 1.5), nugget = 0.1), X, columns,
    molded$blueprint$columns, molded$blueprint$all_columns
  )
  few <- latent_inducing(X, columns, plain_labels(molded$data$y), kernel, 15)
  weights <- bpm_prior(bpm_spec(prior_scale = "learn", nugget = "learn"), molded$blueprint)
  linear <- latent_weight(bpm_design(X, weights), plain_labels(molded$data$y), weights)
  for (latent in list(
    latent_shards(team, c(200, 200, 200), few, list(columns = columns)),
    latent_shards(team, c(200, 200, 200), linear, weights)
  )) {
    value <- function(hyper, epsilon) {
      latent_ep(latent, hyper, Inf, latent_likely(latent, epsilon), NULL, tight, "evidence")$value
    }
    L <- latent_likely(latent, 0.1)
    out <- latent_ep(latent, latent$hyper, Inf, L, NULL, tight, "evidence", TRUE)
    expect_identical(out$gradient_status, 0L)
    step <- 1e-4
    for (name in latent$free) {
      moved <- vapply(seq_along(latent$hyper[[name]]), function(j) {
        hyper <- function(sign) {
          hyper <- latent$hyper
          hyper[[name]][j] <- hyper[[name]][j] * exp(sign * step)
          hyper
        }
        (value(hyper(1), 0.1) - value(hyper(-1), 0.1)) / (2 * step)
      }, numeric(1))
      expect_equal(unname(out$gradient[[name]]), moved, tolerance = 1e-5, info = name)
    }
    by_rate <- (value(latent$hyper, 0.1 + step) - value(latent$hyper, 0.1 - step)) / (2 * step)
    expect_equal(sum(rate_gradient(out$slope, c(-1, 1))), by_rate, tolerance = 1e-5)
  }
})

# Rows of which only the sums are given: one weight, from sites whose Phi' diag(tt) Phi is P
summed_team <- function(P, passes = list()) {
  list(
    ask = function(verb) NULL,
    sum = function(verb, args, add) {
      if (verb == "begin") {
        return(list(P = P, h = 0))
      }
      now <- passes[[1]]
      passes <<- passes[-1]
      now
    }
  )
}

test_that("rounds say that there is no posterior, or no step that helps", {
  lik <- list(df = Inf, L = matrix(0.5, 1, 2))
  none <- shard_rounds(summed_team(-2), lik, ep_control(), TRUE)
  expect_identical(ep_status(none$status), "not_positive_definite")

  here <- list(
    status = 0L, worst = 1, squares = 1, improper = 0L, log_det = 0, loo = -1, P = 0.5, h = 0.1,
    H = numeric(), g = numeric(), evidence = c(0, -1, 0), evidence_zp = c(0, -1, 0)
  )
  worse <- utils::modifyList(here, list(squares = 1e4, worst = 10))
  stuck <- shard_rounds(
    summed_team(1, c(list(here), rep(list(worse), 50))), lik, ep_control(), FALSE
  )
  expect_identical(ep_status(stuck$status), "no_step")
  expect_equal(stuck$b, 0)
  expect_equal(stuck$residual, 1)
  expect_match(ep_message("no_step", stuck, Inf), "after 1 sweep no step was left")
})
