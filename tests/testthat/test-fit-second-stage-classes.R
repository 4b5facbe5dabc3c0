# A second stage where classes are many, or one of them is all but empty, and where noise leaves nothing of
# the scores.

# Rows of many classes, the first `wrong` of which are recorded as any other
many_scores <- function(classes, n = 300, wrong = 30, seed = 3) {
  withr::with_seed(seed, {
    truth <- sample(rep_len(seq_len(classes), n))
    prob <- matrix(stats::rexp(n * classes), n, dimnames = list(NULL, paste0("c", seq_len(classes))))
    prob[cbind(seq_len(n), truth)] <- 100 * stats::rexp(n)
    labels <- truth
    at <- seq_len(wrong)
    labels[at] <- (labels[at] + sample(classes - 1, wrong, TRUE) - 1) %% classes + 1
  })
  level <- colnames(prob)
  list(
    prob = prob / rowSums(prob), labels = factor(level[labels], level), truth = factor(level[truth], level),
    rows = at
  )
}

mean_rate <- function(most) { # of Beta(1, 4), cut off at `most`
  density <- function(e) stats::dbeta(e, 1, 4)
  stats::integrate(function(e) e * density(e), 0, most)$value / stats::pbeta(most, 1, 4)
}

test_that("the row of a class with fewer than three labels is that of the prior", {
  d <- toy_scores(3, 80, strength = 20, wrong = 4)
  none <- d$labels != "c"
  for (keep in list(none, none | seq_along(none) %in% which(!none)[1])) {
    expect_lt(sum(d$labels[keep] == "c"), 3)
    fit <- suppressMessages(second_stage(d$prob[keep, ], d$labels[keep], hyper = "integrate"))
    expect_identical(fit$blueprint$levels, c("a", "b", "c"))
    mine <- fit$nodes$table$model
    rate <- vapply(fit$nodes$omega, function(o) 1 - o[1, 3, 3], 0)
    of <- function(model) stats::weighted.mean(rate[mine == model], fit$nodes$table$weight[mine == model])
    expect_equal(of("each"), mean_rate(0.7), tolerance = 0.25)
    expect_equal(of("matrix"), mean_rate(0.7), tolerance = 0.25)
    expect_equal(of("alone3"), mean_rate(0.95), tolerance = 0.25)
    expect_equal(of("alone1"), 0)
    omega <- noise_matrix(fit)
    expect_true(all(is.finite(omega)) && all(abs(rowSums(omega) - 1) < 1e-8))
    expect_true(all(is.finite(mislabelled(fit)$probability)))
  }
})

test_that("of more than 12 classes none is the only one with wrong labels, of more than 40 all have one rate", {
  for (classes in c(12, 13, 41)) {
    d <- many_scores(classes, 120, 12)
    spec <- second_stage_spec()
    models <- names(noise_model("average", spec$noise, label_reports(as.integer(d$labels), classes))$weights)
    alone <- if (classes == 12) paste0("alone", 1:12)
    shared <- c("none", "one", if (classes <= 40) c("each", "matrix"))
    expect_setequal(models, c(shared, alone))
    near <- near_classes(d$prob, as.integer(d$labels))
    expect_false(any(diag(near)))
    expect_true(all(rowSums(near) == if (classes > 12) whereto_nearest else classes - 1))
  }
  # the nearest are those that the rows of a class have most scores of
  score <- colMeans(d$prob[d$labels == "c5", , drop = FALSE])
  score[5] <- -1
  expect_setequal(which(near[5, ]), order(-score)[1:4])
})

test_that("answers of 13 and 41 classes are Bayes' rule at the points, and wrong labels come first", {
  local_fewer_points()
  for (classes in c(13, 41)) {
    n <- if (classes == 13) 160 else 100
    d <- many_scores(classes, n, n %/% 8)
    noise <- noise_prior(c(none = 1, one = 1))
    fit <- second_stage(d$prob, d$labels, noise = noise, hyper = "integrate")
    plain <- ref_stage(fit, y = as.integer(d$labels))
    p <- predict(fit, type = "true")
    expect_equal(unname(rowSums(p)), rep(1, n), tolerance = 1e-8)
    expect_lt(sqrt(mean((p - plain$p)^2)), 0.01) # these are of all points, those of some
    first <- utils::head(mislabelled(fit)$row, n / 10)
    expect_gt(mean(first %in% d$rows), 0.75)
  }
})

test_that("forty classes are as good as three, and as a hundred", {
  for (classes in c(40, 41, 101)) {
    d <- many_scores(classes, 200, 20)
    fit <- second_stage(d$prob, d$labels, epsilon = "learn", hyper = "optimum")
    expect_lt(abs(sum(row_flipped(fit)) - 20), 5)
    expect_null(noticed(fit))
    weight <- coef(fit)[seq_len(classes - 1)]
    expect_equal(any(weight != 1), classes <= 100) # of very many they are held
    b <- do.call(cbind, lapply(fit$nodes$points, `[[`, "b"))
    alike <- max(apply(b, 2, function(v) diff(range(v)))) == 0
    expect_equal(alike, classes > 40) # as are slopes of their own
  }
})

test_that("a climb turns away from noise that leaves nothing of the scores", {
  d <- toy_scores(3, 60)
  made <- label_made(d, "scores")
  problem <- label_made_problem(made, "matrix")
  singular <- numeric(problem$d)
  at <- which(problem$field == "noise")
  # the first two classes are recorded as each other as often as not: their rows of Omega are alike
  half <- uniroot(function(z) plain_rate(z, 4, 0.7) - 0.5, c(-3, 6), tol = 1e-14)$root
  singular[at[1:2]] <- half
  singular[at[3 + c(1, 3)]] <- 40
  singular[problem$field == "learned"] <- 40 # all of it was learned
  omega <- label_points_at(problem, matrix(singular))$omega[1, , , 1]
  omega[1:2, 1:2] <- 0.5 # but for rounding
  expect_false(all(is.finite(taken_out(array(omega, c(1, 3, 3, 1)), 1, 1))))
  turned <- taken_out
  local_mocked(taken_out = function(omega, share, learned) {
    lost <- abs(apply(omega, 4, function(o) det(matrix(o, 3)))) < 1e-6 & learned > 0.999
    out <- turned(omega, share, learned)
    out[, lost] <- NaN
    out
  })
  said <- slope_at(problem, singular)
  expect_identical(said$value, -Inf)
  expect_identical(said$gradient, numeric(problem$d))
  both <- label_value(problem, cbind(singular, 0))
  expect_identical(both[1], -Inf)
  expect_equal(both[2], label_value(problem, matrix(0, problem$d)))
  expect_true(is.finite(label_climb(list(z = 0.9 * singular, root = diag(0.3, problem$d)), problem)$value))
})

test_that("rates given that leave nothing of the scores are no crash, and have the evidence of those beside", {
  d <- iris[c(1:15, 51:65, 101:115), ]
  at <- function(e) {
    omega <- rbind(c(0.9, 0.05, 0.05), c(0.1, 0.9 - e, e), c(0.1, e, 0.9 - e))
    dimnames(omega) <- list(levels(d$Species), levels(d$Species))
    gpc(Species ~ ., d, epsilon = omega, kernel = kernel_iso(), hyper = "integrate")
  }
  alike <- at(0.45)
  beside <- at(0.44)
  p <- predict(alike, type = "prob")
  expect_equal(rowSums(p), rep(1, 45), ignore_attr = TRUE)
  expect_lt(abs(log_evidence(alike$label_stage) - log_evidence(beside$label_stage)), 0.5)
  expect_gt(min(p[1:15, 1]), 0.9) # the first class is apart
  expect_lt(max(p[16:45, 1]), 0.5)
})

test_that("labels by chance are no sign of anything, and no numbers go wrong", {
  local_fewer_points()
  for (seed in 1:2) {
    classes <- 2 + seed %% 2
    d <- toy_scores(classes, 60, seed = seed)
    y <- withr::with_seed(seed, sample(d$labels))
    fit <- second_stage(d$prob, y, hyper = "integrate")
    expect_true(all(is.finite(mislabelled(fit)$probability)))
    expect_true(all(is.finite(fit$nodes$models$log_evidence)))
    expect_true(all(is.finite(predict(fit, type = "prob"))))
    expect_lt(noise_test(fit)$bayes_factor, 10)
  }
})
