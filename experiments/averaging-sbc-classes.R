# Simulation-based calibration as in averaging-sbc.R, of three classes: noise models with one rate, a
# matrix and a row of it alone, a kernel that classes share and kernels by class, and inputs that
# say nothing, as the priors have them.

sys.source(file.path(experiments, "averaging-sbc.R"), environment())

experiment$settings <- list(replications = 400, rows = 80, seed = 5601)
experiment$run <- function(task) calibrate_classes(task$rows, task$seed)
experiment$tables <- function(parts) {
  rows <- parts$results
  test <- function(u) suppressWarnings(stats::ks.test(u, "punif"))
  tests <- list(test(rows$rank_count), test(rows$rank_rate))
  found <- colMeans(rows[paste0("p_", sbc_models)])
  # as the shares of 400 draws alone have standard errors of .02
  drawn <- unlist(Map(models_drawn, rows$rows, rows$seed))
  drawn <- vapply(sbc_models, function(model) mean(drawn == model), 0)
  list(summary = data.frame(
    what = c("rank of the count", "rank of the rate", paste("model", sbc_models),
             "interval of the count", "count"),
    value = c(vapply(tests, function(t) unname(t$statistic), 0), found, mean(rows$covered),
              mean(rows$count)),
    beside = c(vapply(tests, function(t) t$p.value, 0), drawn, 0.9, mean(rows$flipped)),
    n = nrow(rows)
  ))
}

# A rate for each class is a matrix; half of the probability of one class alone is that of one of
# its rows alone
sbc_models <- c("none", "one", "matrix", "first", "second", "third")
sbc_prior <- local({
  two <- sturdy:::usual_models$two
  alone <- sum(two[c("first", "second")]) / 2
  c(two[c("none", "one")], matrix = 1 - sum(two[c("none", "one")]) - alone, rep(alone / 3, 3))
})

calibrate_classes <- function(rows, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(2 * rows), rows)
  truth <- draw_classes(X)
  fit <- observe(gpc(
    X, factor(truth$y, 1:3), epsilon = "average", hyper = "integrate", control = quiet_control()
  ))$value
  nodes <- fit$nodes
  rates <- vapply(nodes$omega, function(omega) 1 - mean(diag(omega[1, , ])), 0)
  same <- abs(rates - truth$rate) < 1e-12
  below <- !same & rates < truth$rate
  weight <- nodes$table$weight
  density <- Reduce(`+`, lapply(nodes$models$model, function(model) {
    d <- nodes$wrong[[model]]
    c(d, numeric(rows + 1 - length(d))) * nodes$models$probability[nodes$models$model == model]
  }))
  count <- sum(truth$flipped)
  expected <- attr(observe(mislabelled(fit))$value, "expected")
  probability <- nodes$models$probability[match(sbc_models, nodes$models$model)]
  data.frame(
    model = truth$model, flipped = count, count = expected$count,
    covered = expected$lower <= count && count <= expected$upper,
    rank_count = min(1, sum(density[seq_len(count)]) + density[count + 1] * stats::runif(1)),
    rank_rate = min(max(sum(weight[below]) + sum(weight[same]) * stats::runif(1), 0), 1),
    as.list(stats::setNames(ifelse(is.na(probability), 0, probability), paste0("p_", sbc_models)))
  )
}

# The noise models of ten more such tables, to which no model is fitted
models_drawn <- function(rows, seed) {
  set_seed(1e6 + seed)
  X <- matrix(stats::rnorm(2 * rows), rows)
  centre <- median_lengthscales(X)
  replicate(10, draw_classes(X, centre)$model)
}

# The median heuristic, at which the prior of the lengthscales is centred
median_lengthscales <- function(X) {
  held <- gpc(
    X, factor(rep(1:3, length.out = nrow(X))), epsilon = 0.1, hyper = "optimum",
    kernel = kernel_ard(fixed = TRUE), control = quiet_control()
  )
  held$kernel$lengthscale
}

# Labels of three classes, until all are there
draw_classes <- function(X, centre = median_lengthscales(X)) {
  repeat {
    model <- sample(sbc_models, 1, prob = sbc_prior)
    # a row of the matrix alone is looked for under the shared kernel only
    apart <- model %in% c("none", "one", "matrix") && stats::runif(1) < 0.5
    f <- draw_latent(X, centre, apart)
    true <- max.col(f)
    omega <- draw_matrix(model)
    y <- vapply(true, function(t) sample.int(3, 1, prob = omega[t, ]), 1L)
    if (length(unique(y)) == 3) break
  }
  list(y = y, flipped = y != true, model = model, rate = 1 - mean(diag(omega)))
}

# A latent function a class; the same values in all rows but for noise where the inputs say nothing
draw_latent <- function(X, centre, apart) {
  n <- nrow(X)
  if (stats::runif(1) < 0.5) {
    share <- stats::rgamma(3, exp(-log(0.3) + 2 * stats::rnorm(1)))
    if (!(sum(share) > 0)) share <- replace(numeric(3), sample.int(3, 1), 1)
    class <- sample.int(3, n, TRUE, share)
    return(diag(3)[class, ])
  }
  # between two classes a correlation of 1/2, or they share everything
  by_class <- function(meanlog, sd) {
    common <- stats::rnorm(1)
    own <- if (apart) sqrt(0.5) * (common + stats::rnorm(3)) else rep(common, 3)
    exp(meanlog + sd * own)
  }
  nugget <- by_class(log(0.03), 1.5)
  bias <- by_class(log(0.3), 2) * (1 + nugget)
  scores <- 0.7 * stats::rnorm(2) + 0.5 * stats::rnorm(1)
  moved <- if (apart) sqrt(0.7^2 + 0.5^2) * sqrt(0.5) * stats::rnorm(3) else numeric(3)
  if (apart) scores <- sqrt(0.5) * scores
  vapply(1:3, function(c) {
    lengthscale <- centre * exp(scores + moved[c])
    D <- as.matrix(stats::dist(fit_scale(X) / rep(lengthscale, each = n)))^2
    K <- exp(-D / 2) + bias[c] + diag(nugget[c], n)
    drop(crossprod(chol(K), stats::rnorm(n)))
  }, numeric(n))
}

draw_matrix <- function(model) {
  rate <- stats::rbeta(1, 1, 4) / 2
  if (model == "none") {
    return(diag(3))
  }
  if (model == "one") {
    return(matrix(rate / 2, 3, 3) + diag(1 - 1.5 * rate, 3))
  }
  strength <- exp(log(150) + stats::rnorm(1))
  apart <- exp(1.5 * stats::rnorm(1))
  rows <- if (model == "matrix") 1:3 else match(model, c("first", "second", "third"))
  omega <- diag(3)
  for (row in rows) {
    wrong <- stats::rbeta(1, strength * rate, strength * (1 - rate))
    to <- stats::rbeta(1, apart / 2, apart / 2)
    omega[row, row] <- 1 - wrong
    omega[row, -row] <- wrong * c(to, 1 - to)
  }
  omega
}
