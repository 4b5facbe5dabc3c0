# The points that a label stage keeps, as plain_label_rows() takes them, and what goes through them.

kept_points <- function(stage) {
  kept <- stage$nodes
  points <- unlist(lapply(unname(kept$points), function(of) {
    classes <- nrow(of$w)
    lapply(seq_len(ncol(of$w)), function(k) {
      list(
        w = of$w[, k], b = of$b[, k], U = matrix(of$U[, k], classes),
        out = if (!is.null(of$M)) matrix(of$M[, k], classes)
      )
    })
  }), recursive = FALSE)
  Map(function(point, omega) c(point, list(omega = omega[1, , ])), points, kept$omega)
}

# Probabilities of the true classes of rows with scores at each of some of them, n x C x K
kept_seen <- function(P, points) {
  seen <- lapply(points, function(at) plain_label_rows(at, P, rep(1, nrow(P)))$seen)
  array(unlist(seen), c(dim(P), length(points)))
}

# A fit without its label stage: what it says by itself
first_stage <- function(fit) {
  fit$label_stage <- NULL
  fit
}

# Two classes: draws of the probability of the event by a fit, and of that through its stage; moved(mean)
# are those by one factor of the odds before overlap, so that they have that mean
plain_staged <- function(fit, new, draws = 20000) {
  X <- forge(fit$blueprint, new)$X
  weight <- node_weight(fit)
  moments <- lapply(seq_along(weight), function(k) latent_new(latent_at(fit, k), X))
  node <- sample(length(weight), draws, TRUE, weight)
  few <- fit$label_stage$nodes$few
  point <- sample(few$node, draws, TRUE, few$weight)
  points <- kept_points(fit$label_stage)
  lapply(seq_len(nrow(X)), function(i) {
    m <- vapply(moments, function(at) at$m[i], 0)[node]
    nugget <- vapply(fit$nodes$hyper, `[[`, 0, "nugget")[node]
    s2 <- vapply(moments, function(at) at$s2[i], 0)[node]
    z <- (m + sqrt(s2 - nugget) * stats::rnorm(draws)) / sqrt(nugget)
    P <- cbind(stats::pnorm(-z), stats::pnorm(z))
    odds <- low <- rise <- numeric(draws)
    for (k in unique(point)) {
      mine <- point == k
      q <- plain_label_rows(points[[k]], P[mine, ], rep(1, sum(mine)))$q
      odds[mine] <- log(q[, 2]) - log(q[, 1])
      low[mine] <- points[[k]]$U[1, 2]
      rise[mine] <- points[[k]]$U[2, 2] - points[[k]]$U[1, 2]
    }
    at <- function(shift) low + rise * stats::plogis(odds + shift)
    moved <- function(mean) {
      at(stats::uniroot(function(shift) mean(at(shift)) - mean, c(-30, 30), tol = 1e-8)$root)
    }
    list(first = P[, 2], staged = at(0), moved = moved)
  })
}

# The label stage of a fit of two classes under one noise model, integrated in plain R: rows, and the
# distribution of the number of wrong ones among some of them
plain_own_stage <- function(fit, model = "one", unusual = TRUE, ...) {
  data <- fit$label_stage$data
  normals <- switch(model, none = 0, two = 2, 1)
  field <- rep(c("w", "slope", "slopes", "u", "noise"), c(1, 1, 2, unusual, normals))
  part <- plain_label_model(data$X, label_code(data), model, "fit", field, ...)
  part$rates <- function(rates = plain_rates_two) rates(model, part$Z[field == "noise", , drop = FALSE])
  part$number <- function(rows = seq_along(part$wrong)) {
    some <- which(part$weight > 1e-6 * max(part$weight))
    density <- vapply(some, function(k) plain_poisson_binomial(part$each[rows, k]), numeric(length(rows) + 1))
    drop(density %*% part$weight[some]) / sum(part$weight[some])
  }
  part
}

# Label stages by so many points that next to nothing hangs on which they are
local_many_points <- function(frame = parent.frame()) {
  local_mocked(
    label_points = c(usual = 2000L, plain = 64L), label_kept = function(...) 2000L,
    frame = frame
  )
}

# A quarter of the usual points, until the caller ends: for claims that hold of any number of them,
# as that one thing is the same as another
local_fewer_points <- function(env = parent.frame()) {
  local_mocked(label_points = c(usual = 64L, plain = 64L), frame = env)
}
