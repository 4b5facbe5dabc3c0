# The label stage over noise models, against a large sample by importance (helper-label.R), and what it
# must not depend on.

test_that("noise models, rows and their number are those of a large sample by importance", {
  for (kind in c("fit", "scores")) {
    made <- label_made(toy_scores(2, 60, 5, seed = 3), kind)
    nodes <- label_made_average(made)
    want <- plain_label_stage(made$P, made$y, kind, label_fields(made), 8000)
    expect_equal(nodes$models$model, names(want$probability))
    expect_lt(max(abs(nodes$models$log_evidence - want$log_evidence)), 0.25)
    expect_lt(max(abs(nodes$models$probability - want$probability)), 0.03)
    wrong <- label_wrong(nodes, made$y)
    expect_lt(max(abs(wrong - want$wrong)), 0.03)
    expect_equal(sum(wrong), sum(want$wrong), tolerance = 0.1)
    expect_lt(max(abs(nodes$unusual - want$unusual)), 0.03)
    expect_equal(sum(nodes$unusual), sum(want$unusual), tolerance = 0.1)
    expect_true(all(wrong + nodes$unusual <= 1))
  }
})

test_that("clean scores with unusual rows: no sign of wrong labels, but without unusual rows there is", {
  made <- label_made(toy_scores(2, 60, 60, wrong = 0, seed = 2), "fit")
  made$P[1:3, ] <- made$P[1:3, 2:1]
  nodes <- label_made_average(made)
  factor <- function(nodes) {
    said <- flip_evidence(nodes$models)
    said$some - said$none
  }
  expect_lt(factor(nodes), log(3))
  expect_gt(nodes$plain, log(3))
  expect_gt(sum(nodes$unusual[1:3]), 10 * sum(nodes$unusual[-(1:3)]))
  # without unusual rows the factor is that of a sample without them
  want <- plain_label_stage(made$P, made$y, "fit", label_fields(made, plain = TRUE), 2000)$log_evidence
  prior <- c(0.3, 0.15, 0.15, 0.15)
  some <- log(sum(prior * exp(want[-1] - max(want))) / 0.75) + max(want)
  expect_lt(abs(nodes$plain - (some - want[["none"]])), 0.2)
  # where some are wrong, unusual rows or not, it is not asked
  wrong <- label_made(toy_scores(2, 200, 60, wrong = 30), "fit")
  nodes <- label_made_average(wrong)
  expect_gt(factor(nodes), log(10))
  expect_null(nodes$plain)
})

test_that("classes that look alike are no wrong labels", {
  made <- label_made(alike_scores(), "recorded", models = c("none", "one", "matrix"))
  nodes <- label_made_average(made)
  said <- flip_evidence(nodes$models)
  expect_lt(said$some - said$none, 0)
  expect_lt(sum(label_wrong(nodes, made$y)), 2)
  # without the second start they are taken for such
  local_mocked(pairs_start = exp(pairs_centre(3)))
  one <- label_made_average(made)
  expect_lt(one$models$log_evidence[1], nodes$models$log_evidence[1] - 5)
})

test_that("wrong labels between classes that nothing else confuses are found", {
  d <- toy_scores(3, 150, 30, wrong = 0)
  wrong <- which(d$labels == "a")[1:15]
  d$labels[wrong] <- "b"
  made <- label_made(d, "recorded")
  nodes <- label_made_average(made)
  expect_gt(mean(label_wrong(nodes, made$y)[wrong]), 0.8)
  expect_lt(mean(label_wrong(nodes, made$y)[-wrong]), 0.05)
  # true a recorded as b
  omega <- Reduce(`+`, Map(`*`, nodes$omega, nodes$table$weight))
  expect_gt(omega[1, 1, 2], 0.1)
  expect_lt(omega[1, 2, 1] + omega[1, 1, 3], 0.1)
})

test_that("neither the order of the rows nor that of the classes changes the answer", {
  for (classes in 2:3) {
    d <- toy_scores(classes, 90, 8)
    models <- c("none", "one", if (classes == 2) "two" else "matrix")
    average <- function(d) label_made_average(label_made(d, "scores", models = models))
    nodes <- average(d)
    p <- label_posterior(nodes)
    turn <- withr::with_seed(1, sample(90))
    turned <- list(prob = d$prob[turn, ], labels = d$labels[turn])
    again <- average(turned)
    expect_equal(label_posterior(again), p[turn, ], tolerance = 1e-12)
    expect_equal(again$models, nodes$models, tolerance = 1e-12)
    expect_equal(again$unusual, nodes$unusual[turn], tolerance = 1e-12)
    expect_equal(again$truth$y, nodes$truth$y[turn])
    o <- rev(seq_len(classes))
    renamed <- list(prob = d$prob[, o], labels = factor(d$labels, rev(levels(d$labels))))
    again <- average(renamed)
    expect_equal(label_posterior(again), p[, o], tolerance = 1e-6)
  }
})

test_that("rows that stand for several are as many rows", {
  d <- toy_scores(2, 40)
  times <- rep(1:4, 10)
  often <- rep(1:40, times)
  made <- label_made(d, "fit", reports = with_times(label_reports(as.integer(d$labels), 2L), times))
  nodes <- label_made_average(made)
  whole <- label_made(list(prob = d$prob[often, ], labels = d$labels[often]), "fit")
  repeated <- label_made_average(whole)
  expect_equal(nodes$models$log_evidence, repeated$models$log_evidence, tolerance = 1e-6)
  expect_equal(label_posterior(nodes)[often, ], label_posterior(repeated), tolerance = 1e-6)
})

test_that("cells of scores tell the coordinates as all rows do", {
  models <- c("none", "one", "first")
  made <- label_made(toy_scores(2, 3000, 12, wrong = 150), "fit", models = models)
  all <- label_made_rows(made)
  cells <- label_telling(all, made$P, made$data$reports)
  expect_lt(cells$n, 1000)
  expect_equal(sum(cells$data$times), 3000)
  # values at points, of the mean and variance within cells
  values <- lapply(list(cells, all), function(rows) {
    problem <- label_problem(rows, "one", made$noise)
    label_value(problem, withr::with_seed(3, matrix(rnorm(10 * problem$d, 0, 0.5), problem$d)))
  })
  expect_lt(max(abs(values[[1]] - values[[2]])), 1e-3)
  parts <- lapply(list(cells, all), label_parts, made$noise, NULL)
  said <- lapply(parts, lapply, function(part) {
    weight <- exp(part$log_weight)
    native_label_said(all$data, part$said$points, weight / sum(weight), made$y - 1L)
  })
  for (name in names(parts[[1]])) {
    expect_lt(abs(parts[[1]][[name]]$log_evidence - parts[[2]][[name]]$log_evidence), 0.02)
    expect_lt(max(abs(said[[1]][[name]]$truth - said[[2]][[name]]$truth)), 1e-3)
    expect_lt(max(abs(said[[1]][[name]]$unusual - said[[2]][[name]]$unusual)), 1e-3)
  }
})

test_that("cells have the number, mean and variance of their rows, also cells of cells", {
  withr::with_seed(2, {
    part <- function(n) list(kind = sample(2, n, TRUE), logit = rnorm(n, 0, 3), times = sample(3, n, TRUE))
    parts <- list(part(1500), part(2500))
  })
  rows <- do.call(Map, c(c, parts))
  moments <- function(cells) {
    at <- split(seq_along(cells$kind), cells$kind)
    vapply(at, function(k) {
      c(sum(cells$times[k]), sum(cells$times[k] * cells$logit[k]), sum(cells$times[k] * cells$logit[k]^2))
    }, numeric(3))
  }
  once <- score_cells(rows)
  expect_lt(length(once$kind), 1500)
  expect_equal(moments(once), moments(rows))
  twice <- score_cells(do.call(Map, c(c, lapply(parts, score_cells))))
  expect_equal(moments(twice), moments(rows))
  expect_equal(moments(score_cells(lapply(rows, head, 90))), moments(lapply(rows, head, 90)))
})

test_that("cells hold kinds of reports and rows that stand for several apart", {
  d <- toy_scores(2, 3000, 12)
  code <- as.integer(d$labels)
  group <- rep(1:2, length.out = 3000)
  reports <- label_reports(code, 2L, group, c("a", "b"))
  reports <- with_times(reports, rep(c(1, 2.5, 1), 1000))
  made <- label_made(d, "fit", reports = reports)
  all <- label_made_rows(made)
  cells <- label_telling(all, made$P, made$data$reports)
  expect_equal(sum(cells$data$times), 4500)
  by <- function(rows, times) tapply(times, rows$data$kind, sum)
  expect_equal(by(cells, cells$data$times), by(all, reports$times))
  logit <- function(rows) rows$data$S[2, ] - rows$data$S[1, ]
  expect_equal(sum(logit(cells) * cells$data$times), sum(logit(all) * reports$times))
  expect_equal(colSums(cells$data$P), rep(1, cells$n))
})

test_that("points that are kept say what all say: of rows, of their number, and of noise models", {
  for (classes in 2:3) {
    models <- c("none", "one", if (classes == 2) "two" else "matrix")
    kind <- if (classes == 2) "fit" else "recorded"
    made <- label_made(toy_scores(classes, 150, 12), kind, models = models)
    local_mocked(label_kept = function(...) 128L)
    both <- label_captured(made)
    nodes <- both$nodes
    expect_lte(nrow(nodes$table), 128 + length(models))
    share <- rowsum(nodes$table$weight, nodes$table$model)[models, ]
    expect_equal(unname(share), nodes$models$probability)
    all <- vapply(both$parts, function(part) {
      wrong <- vapply(seq_len(ncol(part$Z)), function(k) {
        at <- plain_point_at(part$said$points, part$said$omega[, , , k], k, classes)
        1 - plain_label_rows(at, made$P, made$y)$truth[cbind(1:150, made$y)]
      }, numeric(150))
      drop(wrong %*% exp(part$log_weight))
    }, numeric(150)) %*% nodes$models$probability
    kept <- label_wrong(nodes, made$y)
    expect_lt(abs(sum(kept) - sum(all)), 0.3)
    expect_lt(max(abs(kept - all)), 0.03)
  }
})

test_that("noise models share the points that are kept by their roots, none has a fifth", {
  expect_equal(label_sizes(c(none = 0.9, one = 0.09, two = 0.01), 100), c(none = 20, one = 60, two = 20))
  expect_equal(min(label_sizes(c(none = 1, one = 0, two = 0), 100)), 1)
  expect_equal(label_sizes(c(none = 1), 50), c(none = 50))
  expect_equal(sum(label_sizes(c(one = 0.5, two = 0.3, first = 0.2), 32)), 32)
})

test_that("points whose weights are next to nothing are not kept, and make no others", {
  w <- 2^-(1:256) # of which a fit that is kept with 236 points has 40 that count
  w <- w / sum(w)
  for (n in c(20, 39, 40, 236, 256)) {
    some <- thinned_weights(w, n, 256:1)
    expect_lte(length(some$at), n)
    expect_equal(sum(some$weight), 1, tolerance = 1e-10)
    expect_equal(some$weight[some$at <= 10], w[1:10], tolerance = 1e-10)
  }
})

test_that("few points that are kept have the means of all, and the weights stay near", {
  said <- withr::with_seed(3, rbind(rnorm(400), rexp(400), runif(400)) * c(1, 0.1, 0.01))
  said <- said - rowMeans(said)
  some <- withr::with_seed(4, sample(400, 30))
  before <- rep(1 / 30, 30)
  weight <- calibrated_weights(before, said[, some])
  expect_gt(max(abs(said[, some] %*% before)), 0.01)
  expect_lt(max(abs(said[, some] %*% weight)), 1e-4)
  expect_equal(sum(weight), 1)
  expect_gte(min(weight), 0)
  # the nearest of those with these means, as Lagrange has it
  A <- rbind(said[, some], 1)
  nearest <- before + drop(crossprod(A, solve(tcrossprod(A), c(-drop(said[, some] %*% before), 0))))
  if (min(nearest) > 0) expect_equal(weight, nearest, tolerance = 0.02)
})

test_that("points of large weight keep it, and the others are thinned to as much [Fearnhead and Clifford]", {
  w <- withr::with_seed(1, rgamma(200, 0.1))
  w <- w / sum(w)
  x <- withr::with_seed(2, rnorm(200))
  for (n in c(5, 40, 120)) {
    some <- thinned_weights(w, n, order(x))
    expect_lte(length(some$at), n)
    expect_equal(sum(some$weight), 1)
    # the least weight: sum(min(w / c, 1)) = n
    least <- uniroot(function(c) sum(pmin(w / c, 1)) - n, c(1e-8, 1), tol = 1e-12)$root
    large <- which(w > 1.001 * least)
    expect_equal(some$weight[match(large, some$at)], w[large], tolerance = 1e-6)
    times <- some$weight[!some$at %in% large] / least
    expect_equal(times, round(times), tolerance = 1e-6)
    # of the others the mean along their order
    expect_lt(abs(sum(some$weight * x[some$at]) - sum(w * x)), 2 * diff(range(x)) * least)
  }
  # of nine alike every third, each the middle one of those that it stands for
  expect_identical(thinned_weights(rep(c(0.91, 0.01), c(1, 9)), 4, 1:10)$at, c(1L, 3L, 6L, 9L))
  expect_identical(label_kept(60, 2), 512L)
  expect_identical(label_kept(1e6, 2), 32L)
  expect_identical(label_kept(5000, 2), 200L)
})
