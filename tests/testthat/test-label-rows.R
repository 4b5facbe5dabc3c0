# What the points of a label stage say of rows, and of how many are wrong, against plain R
# (helper-label.R).

# Rows at the points of a noise model, with their weights among those
plain_points <- function(made, nodes, name) {
  mine <- nodes$table$model == name
  list(
    points = lapply(seq_len(sum(mine)), function(k) {
      at <- plain_point_at(nodes$points[[name]], nodes$omega[mine][[k]], k, made$classes)
      plain_label_rows(at, made$P, made$y)
    }),
    weight = nodes$table$weight[mine] / sum(nodes$table$weight[mine])
  )
}

plain_mean <- function(points, weight, of) Reduce(`+`, Map(function(one, w) w * of(one), points, weight))

quantiles <- function(density) findInterval(c(0.05, 0.25, 0.5, 0.75, 0.95), cumsum(density) / sum(density))

test_that("a row's classes, with its label and without, and unusual rows are means over the points", {
  for (classes in 2:3) {
    models <- c("none", if (classes == 2) "two" else "each")
    made <- label_made(toy_scores(classes, 60, 8), "fit", models = models)
    nodes <- label_made_average(made)
    unusual <- 0
    for (m in 1:2) {
      at <- plain_points(made, nodes, models[m])
      mean <- function(of) plain_mean(at$points, at$weight, of)
      expect_equal(nodes$truth$p[, , m], mean(function(one) one$truth), tolerance = 1e-9)
      # without the row's label points weigh 1 / z: its probability is the harmonic mean
      inverse <- mean(function(one) 1 / one$z)
      expect_equal(nodes$truth$loo[, , m], mean(function(one) one$seen / one$z) / inverse, tolerance = 1e-9)
      expect_equal(nodes$truth$log_z[, m], -log(inverse), tolerance = 1e-9)
      said <- mean(function(one) one$unusual)
      unusual <- unusual + nodes$models$probability[m] * said
    }
    expect_equal(nodes$unusual, unusual, tolerance = 1e-9)
    expect_equal(nodes$truth[c("model", "y", "weight")], list(
      model = models, y = made$y, weight = nodes$models$probability
    ))
  }
})

test_that("the number of wrong labels is exactly that of the points, its mean that of the rows", {
  made <- label_made(toy_scores(2, 60, 8), "fit", models = c("none", "one"))
  nodes <- label_made_average(made)
  at <- plain_points(made, nodes, "one")
  own <- cbind(1:60, made$y)
  want <- plain_mean(at$points, at$weight, function(one) {
    plain_poisson_binomial(1 - one$truth[own])
  })
  got <- nodes$wrong$one
  expect_equal(got, want[seq_along(got)], tolerance = 1e-9)
  expect_lt(sum(want[-seq_along(got)]), 1e-9)
  expect_equal(sum(got * (seq_along(got) - 1)), sum(1 - nodes$truth$p[, , 2][own]), tolerance = 1e-9)
  expect_equal(nodes$wrong$none, 1)
})

test_that("a Poisson distribution that is moved has the quantiles of independent labels, to 1", {
  cases <- list(
    withr::with_seed(1, stats::rbeta(600, 0.1, 2)), # most are right for certain, some wrong
    withr::with_seed(2, c(stats::runif(40, 0.8, 1), stats::rbeta(560, 0.3, 20))),
    c(rep(0.999, 100), rep(1e-3, 500)), rep(0.01, 600), rep(0.3, 600), rep(1e-5, 600)
  )
  said <- function(cases, weight) {
    list(
      wrong = vapply(cases, sum, 1), variance = vapply(cases, function(p) sum(p * (1 - p)), 1),
      weight = weight
    )
  }
  for (p in cases) {
    got <- label_poisson(said(list(p), 1), 600)
    exact <- plain_poisson_binomial(p)
    expect_lte(max(abs(quantiles(got) - quantiles(exact))), 1)
    expect_equal(sum(got), 1, tolerance = 1e-9)
    expect_lte(length(got), 601)
    expect_equal(sum(got * (seq_along(got) - 1)), sum(p), tolerance = 1e-6)
  }
  weight <- c(0.5, 0.2, 0.3)
  got <- label_poisson(said(cases[1:3], weight), 600)
  exact <- plain_mean(cases[1:3], weight, plain_poisson_binomial)
  expect_lte(max(abs(quantiles(got) - quantiles(exact))), 1)
})

test_that("of more than 500 labels the number has the quantiles of the exact one, to 1", {
  made <- label_made(toy_scores(2, 600, 12), "fit", models = c("none", "one"))
  nodes <- label_made_average(made)
  local_mocked(label_exact = 600L)
  exact <- label_made_average(made)
  expect_equal(nodes$truth, exact$truth)
  expect_lte(max(abs(quantiles(nodes$wrong$one) - quantiles(exact$wrong$one))), 1)
  expect_false(isTRUE(all.equal(nodes$wrong$one, exact$wrong$one))) # it was in question
})

test_that("of many labels what few points leave open is in the number: ends of 90 % are those of t", {
  points <- list(wrong = c(40, 60, 90), variance = c(30, 50, 80), weight = c(0.3, 0.5, 0.2))
  data <- list(reports = label_reports(rep(1:2, 300), 2L))
  variance <- function(ess, method = "nodes") {
    nodes <- list(models = data.frame(model = c("none", "one"), ess = c(NA, ess), method = c("exact", method)))
    density <- label_number(list(labels = 600), nodes, "one", points, data)
    at <- seq_along(density) - 1
    expect_equal(sum(at * density), 60, tolerance = 1e-6)
    sum((at - 60)^2 * density)
  }
  within <- 0.3 * 30 + 0.5 * 50 + 0.2 * 80
  between <- 0.3 * 20^2 + 0.2 * 30^2
  # mean and standard deviation of 6 draws, not of a known distribution
  t <- (1 + 1 / 6) * 6 / 5 * (qt(0.95, 5) / qnorm(0.95))^2
  expect_equal(variance(6), within + t * between, tolerance = 0.01)
  expect_equal(variance(1e6), within + between, tolerance = 0.01)
  expect_equal(variance(6, "laplace"), within + between, tolerance = 0.01)
  # so many may be wrong of as many labels, in few rows
  data$reports <- with_times(label_reports(rep(1:2, 30), 2L), rep(10, 60))
  expect_equal(variance(1e6), within + between, tolerance = 0.01)
})

test_that("labels are as many as rows stand for, or rows", {
  rows <- function(times) label_rows(toy_scores(2, 40)$prob, with_times(label_reports(rep(1:2, 20), 2L), times), list())
  expect_equal(rows(NULL)$labels, 40)
  expect_equal(rows(rep(20.1, 40))$labels, 804)
  expect_equal(rows(rep(0.1, 40))$labels, 40)
})

test_that("noise models of no probability are left out, but the best with wrong labels never is", {
  d <- toy_scores(2, 900, 60, wrong = 180)
  made <- label_made(d, "fit", unusual = 0, models = c("none", "one", "first"))
  nodes <- label_made_average(made)
  expect_lt(nodes$models$probability[1], label_model_least)
  expect_false("none" %in% nodes$truth$model)
  expect_equal(sum(nodes$truth$weight), 1)
  nodes$models$probability <- c(1, 1e-30, 1e-40)
  said <- label_says(label_made_rows(made), NULL, nodes, made$data, 1:900)
  expect_equal(said$truth$model, c("none", "one"))
  nodes$models$probability <- c(1e-30, 0.7, 0.3) # the first of them is not asked
  said <- label_says(label_made_rows(made), NULL, nodes, made$data, 1:900)
  expect_equal(said$truth[c("model", "weight")], list(model = c("one", "first"), weight = c(0.7, 0.3)))
})

test_that("the points that are kept say of rows what all of them say, but for little", {
  made <- label_made(toy_scores(2, 400, 12, wrong = 30), "fit", models = c("none", "one", "two"))
  all <- label_made_average(made)
  local_mocked(label_kept = function(...) 128L)
  nodes <- label_made_average(made)
  expect_lt(max(abs(label_wrong(all, made$y) - label_wrong(nodes, made$y))), 0.02)
  expect_lt(abs(sum(label_wrong(all, made$y)) - sum(label_wrong(nodes, made$y))), 0.3)
})

test_that("new rows have the classes of their scores at each point that is kept", {
  for (classes in 2:3) {
    models <- c("none", "one", if (classes == 3) "matrix")
    made <- label_made(toy_scores(classes, 60, 8), "recorded", models = models)
    nodes <- label_made_average(made, 16L)
    new <- unname(toy_scores(classes, 7, 3, seed = 9)$prob)
    seen <- label_seen_new(new, nodes)
    expect_equal(dim(seen), c(7, classes, length(nodes$table$weight)))
    at <- 0
    for (model in models) {
      points <- nodes$points[[model]]
      for (k in seq_len(ncol(points$w))) {
        at <- at + 1
        point <- plain_point_at(points, nodes$omega[[at]], k, classes)
        expect_equal(seen[, , at], plain_label_rows(point, new, rep(1, 7))$seen, tolerance = 1e-10)
      }
    }
    some <- c(2, length(nodes$table$weight))
    expect_equal(label_seen_new(new, nodes, some), seen[, , some])
  }
})

test_that("rows of a group have its weights, and those after them the weights of all", {
  d <- toy_scores(2, 60, seed = 2)
  group <- rep(1:3, 20)
  made <- label_made(
    d, "scores", reports = label_reports(as.integer(d$labels), 2L, group, letters[1:3]), models = "one"
  )
  nodes <- label_made_average(made, 16L)
  new <- unname(toy_scores(2, 7, 3, seed = 9)$prob)
  seen <- label_seen_new(rbind(made$P, new), nodes, group = group)
  expect_equal(seen[60 + 1:7, , ], label_seen_new(new, nodes), tolerance = 1e-12)
  for (g in 1:3) {
    mine <- which(group == g)
    point <- plain_point_at(nodes$points$one, nodes$omega[[5]][g, , ], 5, 2)
    point$w <- point$w + nodes$points$one$v[2 * g - 1:0, 5]
    point$out <- matrix(nodes$points$one$M[, 5], 2)
    expect_equal(seen[mine, , 5], plain_label_rows(point, made$P[mine, ], rep(1, 20))$seen, tolerance = 1e-10)
  }
})

test_that("of very many classes overlap is two numbers, of each point its own, and may be left out", {
  nodes <- withr::with_seed(1, list(
    points = list(one = list(
      M = NULL, w = matrix(stats::rnorm(82), 41), b = matrix(stats::runif(82, 0.5, 2), 41),
      U = rbind(c(0.9, 0.6), c(0.1, 0.4) / 41), v = NULL
    )), table = data.frame(model = c("one", "one"), weight = 0.5)
  ))
  P <- withr::with_seed(2, matrix(stats::rexp(205), 5))
  P <- P / rowSums(P)
  for (k in 1:2) {
    U <- diag(c(0.9, 0.6)[k], 41) + c(0.1, 0.4)[k] / 41
    expect_equal(label_overlap_at(nodes, 1:2)[, , k], U)
    q <- exp(rep(nodes$points$one$w[, k], each = 5) + log(P) * rep(nodes$points$one$b[, k], each = 5))
    q <- q / rowSums(q)
    expect_equal(label_seen_new(P, nodes)[, , k], q %*% U, tolerance = 1e-12)
    expect_equal(label_seen_new(P, nodes, overlap = FALSE)[, , k], q, tolerance = 1e-12)
  }
})

test_that("probabilities of new rows are means over the points, in blocks as at once", {
  made <- label_made(toy_scores(3, 60, 8), "recorded", models = c("none", "one", "matrix"))
  nodes <- label_made_average(made, 16L)
  K <- length(nodes$table$weight)
  nodes$few <- list(node = seq_len(K), weight = nodes$table$weight)
  new <- unname(toy_scores(3, 11, 3, seed = 9)$prob)
  seen <- label_seen_new(new, nodes)
  mean <- function(recorded) {
    Reduce(`+`, lapply(seq_len(K), function(k) {
      p <- if (recorded) seen[, , k] %*% matrix(nodes$omega[[k]], 3) else seen[, , k]
      nodes$table$weight[k] * p
    }))
  }
  expect_equal(label_prob_new(new, nodes), mean(FALSE), tolerance = 1e-12)
  expect_equal(label_prob_new(new, nodes, recorded = TRUE), mean(TRUE), tolerance = 1e-12)
  expect_equal(rowSums(label_prob_new(new, nodes)), rep(1, 11))
  whole <- label_prob_new(new, nodes, recorded = TRUE)
  local_mocked(label_block = 3 * K * 4) # rows by four
  expect_equal(label_prob_new(new, nodes, recorded = TRUE), whole, tolerance = 1e-12)
})

test_that("a label that noise leaves no other class has that class, however improbable its scores", {
  made <- label_made(toy_scores(2, 40, 30, wrong = 0), "scores", unusual = 0, models = "none")
  made$P[1, ] <- c(1e-280, 1)[if (made$y[1] == 1) 1:2 else 2:1]
  nodes <- label_made_average(made)
  expect_false(anyNA(unlist(nodes$truth[c("p", "loo", "log_z")])))
  expect_equal(nodes$truth$p[1, made$y[1], 1], 1)
  expect_false(anyNA(unlist(nodes$wrong)))
  expect_equal(nodes$wrong$none, 1)
})

test_that("the probability of what is reported is carried in logs, below the least double too", {
  made <- label_made(toy_scores(2, 12, 30, wrong = 0), "scores")
  made$P[1, ] <- if (made$y[1] == 1) c(1e-280, 1) else c(1, 1e-280)
  rows <- label_made_rows(made)
  b <- c(0.9, 1.3, 5)
  weight <- c(0.2, 0.3, 0.5)
  points <- list(M = NULL, v = NULL, w = matrix(0, 2, 3), b = rbind(b, b), U = matrix(c(1, 0, 0, 1), 4, 3))
  points$L <- label_likelihoods(rows$kinds, array(diag(2), c(1, 2, 2, 3)))
  said <- function(which) {
    native_label_said(rows$data, points_at(points, which), shares(weight[which]), made$y - 1L)$log_inverse
  }
  # -log Z of one point, in logs
  minus <- vapply(b, function(b) {
    l <- b * log(made$P)
    log(rowSums(exp(l - apply(l, 1, max)))) + apply(l, 1, max) - l[cbind(1:12, made$y)]
  }, numeric(12))
  expect_gt(minus[1, 2], 800)
  for (k in 1:3) expect_equal(said(k), minus[, k], tolerance = 1e-12)
  most <- apply(minus, 1, max)
  expect_equal(said(1:3), most + log(drop(exp(minus - most) %*% weight)), tolerance = 1e-12)
})

test_that("what is said of many rows between even steps is what points say of them", {
  for (kind in c("fit", "recorded")) {
    made <- label_made(toy_scores(2, 16000, 8), kind, models = c("one", "two"))
    nodes <- label_made_average(made)
    all <- label_made_rows(made)
    expect_lt(label_steps(all, made$y, 1:16000)$n, 8000)
    some <- seq(1, 16000, by = 97)
    for (m in 1:2) {
      mine <- nodes$table$model == nodes$truth$model[m]
      points <- nodes$points[[nodes$truth$model[m]]]
      weight <- nodes$table$weight[mine] / sum(nodes$table$weight[mine])
      at <- lapply(seq_along(weight), function(k) {
        plain_label_rows(plain_point_at(points, nodes$omega[mine][[k]], k, 2), made$P[some, ], made$y[some])
      })
      mean <- function(of) plain_mean(at, weight, of)
      expect_equal(nodes$truth$p[some, , m], mean(function(one) one$truth), tolerance = 1e-7)
      inverse <- mean(function(one) 1 / one$z)
      expect_equal(nodes$truth$loo[some, , m], mean(function(one) one$seen / one$z) / inverse, tolerance = 1e-7)
      expect_equal(nodes$truth$log_z[some, m], -log(inverse), tolerance = 1e-7)
      # of all rows their sum, from the cells that the coordinates are told by
      count <- nodes$wrong[[m]]
      wrong <- sum(nodes$truth$p[cbind(1:16000, 3 - made$y, m)])
      expect_equal(sum(count * (seq_along(count) - 1)), wrong, tolerance = 1e-3)
    }
  }
  # rows whose scores are far apart are more than half of their steps
  far <- label_made(toy_scores(2, 1200, 8), models = "one")
  expect_null(label_steps(label_made_rows(far), far$y, 1:1200))
})
