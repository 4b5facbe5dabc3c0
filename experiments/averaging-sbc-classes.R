# The same as averaging-sbc.R with three classes: noise models with one rate, a rate for each
# class, a matrix, and a row of it alone, as the priors have them.

sys.source(file.path(experiments, "averaging-sbc.R"), environment())

experiment$settings <- list(replications = 200, rows = 80, seed = 5601)
experiment$run <- function(task) {
  set_seed(task$seed)
  X <- matrix(stats::rnorm(2 * task$rows), task$rows)
  calibrate(X, draw_classes(X))
}

# Parameters and labels, until all classes are there
draw_classes <- function(X) {
  n <- nrow(X)
  centre <- median_lengthscales(X, 3)
  prior <- sturdy:::usual_models$several
  alone <- paste0("alone", 1:3)
  prior <- c(prior[names(prior) != "alone"], stats::setNames(rep(prior[["alone"]] / 3, 3), alone))
  repeat {
    nugget <- 0.03 * exp(1.5 * stats::rnorm(1))
    draw <- draw_latent(X, centre, nugget, 3)
    true <- max.col(draw, "first")
    model <- sample(names(prior), 1, prob = prior)
    omega <- draw_matrix(model)
    y <- vapply(true, function(t) sample(3, 1, prob = omega[t, ]), 0L)
    if (all(tabulate(y, 3) > 0)) break
  }
  list(y = y, flipped = y != true, model = model, rates = 1 - diag(omega))
}

draw_matrix <- function(model) {
  rate <- function(most) {
    repeat {
      e <- stats::rbeta(1, 1, 4)
      if (e < most) return(e)
    }
  }
  row <- function(t, e, whereto = c(0.5, 0.5)) {
    out <- numeric(3)
    out[t] <- 1 - e
    out[-t] <- e * whereto
    out
  }
  anywhere <- function() {
    g <- exp(2.5 * stats::rnorm(2))
    g / sum(g)
  }
  one <- stats::rbeta(1, 1, 4) / 2
  only <- suppressWarnings(as.integer(sub("alone", "", model)))
  t(vapply(1:3, function(t) {
    switch(sub("[0-9]", "", model),
      none = row(t, 0), one = row(t, one), each = row(t, rate(0.7)),
      matrix = row(t, rate(0.7), anywhere()),
      alone = if (t == only) row(t, rate(0.95), anywhere()) else row(t, 0)
    )
  }, numeric(3)))
}
