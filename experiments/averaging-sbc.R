# Is what a fit says of labels calibrated where its first stage's model is right? Hyperparameters are
# drawn from the priors of ?weak_prior, then two inputs, the latent function and the true classes;
# noise model and rates from those of ?noise_prior, and labels. No row is unusual. The label stage takes the
# leave-one-out probabilities as they come, so that its answers are no exact posterior: measured is
# how far from calibrated they are.

experiment <- list(
  settings = list(replications = 400, rows = 100, seed = 5001),
  quick = list(replications = 2, rows = 40),
  in_package = "summary",
  tasks = function(settings) all_of(rows = settings$rows, seed = seeds_of(settings)),
  run = function(task) {
    set_seed(task$seed)
    X <- matrix(stats::rnorm(2 * task$rows), task$rows)
    calibrate(X, draw_truth(X))
  },
  tables = function(parts) list(summary = calibrated_summary(parts$results))
)

calibrated_summary <- function(rows) {
  models <- sub("^p_", "", grep("^p_", names(rows), value = TRUE))
  drawn <- vapply(models, function(model) mean(rows$model == model), 0)
  ranks <- rows[c("rank_count", "rank_rate")]
  tests <- lapply(ranks, function(u) suppressWarnings(stats::ks.test(u, "punif")))
  data.frame(
    what = c("rank of the count", "rank of the rate", paste("model", models), "interval of the count", "count"),
    value = c(
      vapply(tests, function(t) unname(t$statistic), 0), colMeans(rows[paste0("p_", models)]),
      mean(rows$covered), mean(rows$count)
    ),
    beside = c(vapply(tests, function(t) t$p.value, 0), drawn, 0.9, mean(rows$flipped)),
    n = nrow(rows), row.names = NULL
  )
}

# What is said of labels of which `truth` tells which are wrong, under which noise
calibrate <- function(X, truth) {
  fit <- observe(gpc(
    X, factor(truth$y), epsilon = "average", hyper = "integrate", control = quiet_control()
  ))$value
  nodes <- fit$label_stage$nodes
  weight <- nodes$table$weight
  rates <- vapply(nodes$omega, function(omega) 1 - mean(diag(omega[1, , ])), 0)
  below <- function(weight, values, true) {
    same <- abs(values - true) < 1e-9
    min(max(sum(weight[values < true & !same]) + sum(weight[same]) * stats::runif(1), 0), 1)
  }
  models <- nodes$models
  asked <- match(names(nodes$wrong), models$model)
  density <- 0
  for (k in seq_along(asked)) {
    d <- nodes$wrong[[k]]
    density <- density + c(d, numeric(nrow(X) + 1 - length(d))) * models$probability[asked[k]]
  }
  count <- sum(truth$flipped)
  expected <- attr(observe(mislabelled(fit))$value, "expected")
  data.frame(
    model = truth$model, flipped = count, count = expected$count,
    covered = expected$lower <= count && count <= expected$upper,
    rank_count = below(density / sum(density), seq_along(density) - 1, count),
    rank_rate = below(weight, rates, mean(truth$rates)),
    as.list(stats::setNames(models$probability, paste0("p_", models$model)))
  )
}

# Latent functions under the default kernel, whose hyperparameters are drawn from their priors, n x k
draw_latent <- function(X, centre, nugget, k = 1) {
  n <- nrow(X)
  Z <- scale(X)
  lengthscale <- centre * exp(0.7 * stats::rnorm(ncol(X)) + 0.5 * stats::rnorm(1))
  linear <- exp(2 * stats::rnorm(1))
  bias <- 0.3 * exp(2 * stats::rnorm(1)) * (1 + nugget)
  D <- as.matrix(stats::dist(Z / rep(lengthscale, each = n)))^2
  K <- (exp(-D / 2) + linear * tcrossprod(Z) / ncol(X)) / (1 + linear) + bias + diag(nugget, n)
  crossprod(chol(K), matrix(stats::rnorm(n * k), n))
}

# The median heuristic, at which the prior of the lengthscales is centred
median_lengthscales <- function(X, classes = 2) {
  held <- gpc(
    X, factor(rep(seq_len(classes), length.out = nrow(X))), epsilon = 0.1, hyper = "optimum",
    kernel = kernel_ard(fixed = TRUE), control = quiet_control()
  )
  held$kernel$lengthscale
}

# Parameters and labels, until both classes are there
draw_truth <- function(X) {
  n <- nrow(X)
  centre <- median_lengthscales(X)
  prior <- sturdy:::usual_models$two
  repeat {
    f <- drop(draw_latent(X, centre, exp(1.5 * stats::rnorm(1))))
    model <- sample(names(prior), 1, prob = prior)
    # rates by class have a sum below 1
    repeat {
      by_class <- stats::rbeta(2, 1, 2)
      if (sum(by_class) < 1) break
    }
    rates <- switch(model,
      none = c(0, 0), one = rep(stats::rbeta(1, 1, 4) / 2, 2), two = by_class,
      first = c(by_class[1], 0), second = c(0, by_class[2])
    )
    flipped <- stats::runif(n) < ifelse(f > 0, rates[2], rates[1])
    y <- xor(f > 0, flipped)
    if (min(sum(y), sum(!y)) > 0) break
  }
  list(y = y, flipped = flipped, model = model, rates = rates)
}
