# Simulation-based calibration of fits that average: everything is drawn from the priors
# (noise model, rates, whether the inputs say anything, which kernel, its lengthscales, linear part,
# nugget, bias), then two inputs, the latent function and the labels. If the fit's posterior is right, the true number of wrong labels, the
# rate and the first lengthscale have ranks in it that are uniform, and its probabilities
# of the noise models agree with the shares drawn.

experiment <- list(
  settings = list(replications = 1000, rows = 100, seed = 5001),
  quick = list(replications = 2, rows = 40),
  in_package = "summary",
  tasks = function(settings) all_of(rows = settings$rows, seed = seeds_of(settings)),
  run = function(task) calibrate_one(task$rows, task$seed),
  tables = function(parts) {
    rows <- parts$results
    uniform <- function(u) suppressWarnings(stats::ks.test(u, "punif"))
    ranks <- list(count = rows$rank_count, rate = rows$rank_rate, lengthscale = rows$rank_lengthscale)
    tests <- lapply(ranks, uniform)
    models <- names(sturdy:::usual_models$two)
    each <- rows[paste0("p_", models)]
    each[is.na(each)] <- 0 # under which EP found no fixed point
    found <- colMeans(each)
    drawn <- vapply(models, function(model) mean(rows$model == model), 0)
    list(summary = data.frame(
      what = c(
        paste("rank of the", names(ranks)), paste("model", names(drawn)),
        "interval of the count", "count"
      ),
      value = c(
        vapply(tests, function(t) unname(t$statistic), 0), found, mean(rows$covered),
        mean(rows$count)
      ),
      beside = c(vapply(tests, function(t) t$p.value, 0), drawn, 0.9, mean(rows$flipped)),
      n = nrow(rows)
    ))
  }
)

calibrate_one <- function(rows, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(2 * rows), rows)
  truth <- draw_truth(X)
  fit <- observe(gpc(
    X, truth$y, epsilon = "average", hyper = "integrate", control = quiet_control()
  ))$value
  nodes <- fit$nodes
  weight <- nodes$table$weight
  rank <- function(values, true) {
    below <- sum(weight[values < true])
    same <- sum(weight[values == true])
    min(max(below + same * stats::runif(1), 0), 1)
  }
  density <- Reduce(`+`, lapply(nodes$models$model, function(model) {
    d <- nodes$wrong[[model]]
    c(d, numeric(rows + 1 - length(d))) * nodes$models$probability[nodes$models$model == model]
  }))
  count <- sum(truth$flipped)
  models <- names(sturdy:::usual_models$two)
  expected <- attr(observe(mislabelled(fit))$value, "expected")
  data.frame(
    model = truth$model, flipped = count, count = expected$count,
    covered = expected$lower <= count && count <= expected$upper,
    rank_count = min(1, sum(density[seq_len(count)]) + density[count + 1] * stats::runif(1)),
    rank_rate = rank(
      vapply(nodes$omega, function(omega) 1 - mean(apply(omega, 1, diag)), 0), mean(truth$rates)
    ),
    rank_lengthscale = rank(
      ifelse(
        is.na(nodes$table$constant), vapply(nodes$hyper, function(h) h$lengthscale[[1]], 0), Inf
      ),
      truth$lengthscale[1]
    ),
    as.list(stats::setNames(
      nodes$models$probability[match(models, nodes$models$model)], paste0("p_", models)
    )),
    least_ess = min(nodes$models$ess, Inf, na.rm = TRUE),
    largest_k = max(nodes$models$pareto_k, -Inf, na.rm = TRUE),
    evaluations = nodes$evaluations
  )
}

# Parameters from the priors that ?weak_prior and ?noise_prior state, and labels from
# them, until both classes are there
draw_truth <- function(X) {
  n <- nrow(X)
  # the median heuristic, at which the prior of the lengthscales is centred
  held <- gpc(
    X, rep(0:1, length.out = n), epsilon = 0.1, hyper = "optimum", kernel = kernel_ard(fixed = TRUE),
    control = quiet_control()
  )
  centre <- held$kernel$lengthscale
  repeat {
    plain <- stats::runif(1) < 0.5 # one lengthscale, and a linear part
    lengthscale <- centre * if (plain) {
      exp(1.5 * stats::rnorm(1))
    } else {
      exp(0.7 * stats::rnorm(2) + 0.5 * stats::rnorm(1))
    }
    linear <- if (plain) stats::plogis(2 * stats::rnorm(1)) else 0
    nugget <- if (stats::runif(1) < 0.5) {
      0.3 * exp(2 * stats::rnorm(1))
    } else {
      0.01 * exp(0.5 * stats::rnorm(1))
    }
    bias <- 0.3 * exp(2 * stats::rnorm(1))
    prior <- sturdy:::usual_models$two
    model <- sample(names(prior), 1, prob = prior)
    rate <- stats::rbeta(2, 1, 4) / 2
    rates <- switch(model,
      none = c(0, 0), one = rate[c(1, 1)], two = rate, first = c(rate[1], 0),
      second = c(0, rate[2])
    )
    if (stats::runif(1) < 0.25) { # the inputs say nothing
      lengthscale[] <- Inf
      f <- sqrt(bias) * stats::rnorm(1) + stats::rnorm(n)
    } else {
      D <- as.matrix(stats::dist(fit_scale(X) / rep(lengthscale, each = n)))^2
      K <- (1 - linear) * exp(-D / 2) + linear * tcrossprod(fit_scale(X)) / 2 +
        bias * (1 + nugget) + diag(nugget, n)
      f <- drop(crossprod(chol(K), stats::rnorm(n)))
    }
    flipped <- stats::runif(n) < ifelse(f > 0, rates[2], rates[1])
    y <- xor(f > 0, flipped)
    if (min(sum(y), sum(!y)) > 0) break
  }
  list(y = y, flipped = flipped, model = model, rates = rates, lengthscale = lengthscale)
}

# Inputs as the fit scales them
fit_scale <- function(X) scale(X)
