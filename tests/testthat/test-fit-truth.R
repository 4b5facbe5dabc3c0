# Averages over nodes against plain enumeration: a fit at each node, and sums in R.

iso <- function(hyper, ...) {
  kernel_iso(hyper$lengthscale, hyper$variance, hyper$bias, hyper$nugget, fixed = TRUE)
}
free_size <- function(...) {
  kernel_iso(1.5, bias = 0.1, fixed = c("lengthscale", "variance", "bias"), ...)
}

three <- function(n = 36, seed = 8) {
  withr::with_seed(seed, {
    d <- data.frame(a = rnorm(n), b = rnorm(n))
    d$class <- factor(c("x", "y", "z")[max.col(cbind(d$a, d$b, -d$a - d$b))])
    d$class[1:4] <- c("y", "z", "x", "x")
    d
  })
}

averaged_three <- function(data = three(), ...) {
  gpc(
    class ~ a + b, data, kernel = free_size(), kernels = "shared", hyper = "integrate",
    scale = FALSE,
    noise = noise_prior(c(none = 1, one = 1)), ...
  )
}

# The fit to `data` at node k
held_at <- function(fit, k, data) {
  gpc(
    class ~ a + b, data, kernel = iso(fit$nodes$hyper[[k]]), scale = FALSE,
    epsilon = omega_rates(fit$nodes$omega[[k]][1, , ])
  )
}
# With blocks of the rows that are small
local_blocks <- function(code) {
  local_mocked(truth_block = 600)
  code
}
held_all <- function(fit, data) lapply(seq_len(node_count(fit)), held_at, fit = fit, data = data)

test_that("p and Z are by Bayes' rule, whatever is known of a row", {
  d <- three()
  omega <- matrix(c(0.8, 0.15, 0.05, 0.1, 0.85, 0.05, 0, 0.3, 0.7), 3, byrow = TRUE)
  dimnames(omega) <- list(levels(d$class), levels(d$class))
  fit <- gpc(class ~ a + b, d, kernel = free_size(), epsilon = omega, hyper = "optimum", trusted = 5:9)
  fit <- suppressMessages(update(fit, checked = data.frame(row = c(1, 20), label = c("x", "z"))))
  said <- truth(fit)
  sure <- c(1, 5:9, 20)
  expect_equal(which(said$source == 0), sure)
  for (i in seq_len(36)) {
    seen <- exp(fit$ep$seen[i, ])
    y <- match(c("x", "z")[match(i, c(1, 20))], levels(d$class))
    if (is.na(y)) y <- as.integer(d$class[i])
    joint <- if (i %in% sure) seen * (1:3 == y) else seen * omega[, y]
    expect_equal(said$p[i, , 1], unname(joint / sum(joint)))
    expect_equal(said$log_z[i, 1], log(sum(joint)))
    expect_equal(recorded_prob(said)[i, ], unname(if (i %in% sure) seen else drop(seen %*% omega)))
  }
})

test_that("nodes are weighted by their evidences on all rows when rows are absorbed", {
  local_fewer_points()
  d <- toy(40)
  kernel <- free_size(prior = weak_prior(nugget = c(log(0.3), 2))) # EP has one fixed point
  fit <- gpc(
    class ~ a + b, d[1:30, ], kernel = kernel, epsilon = "average", hyper = "integrate",
    scale = FALSE, noise = noise_prior(c(none = 1, one = 1)), control = ep_control(progress = FALSE)
  )
  more <- absorb(fit, d[31:40, ])
  evidence <- function(data) vapply(held_all(fit, data), log_evidence, 0, "corrected")
  weight <- fit$nodes$table$weight * exp(evidence(d) - evidence(d[1:30, ]))
  expect_equal(more$nodes$table$weight, weight / sum(weight), tolerance = 1e-3)
  by_model <- tapply(weight / sum(weight), fit$nodes$table$model, sum)[more$nodes$models$model]
  expect_equal(more$nodes$models$probability, as.vector(by_model), tolerance = 1e-3)
  # posterior odds are those of the evidences times the prior's
  models <- more$nodes$models
  odds <- exp(models$log_evidence - max(models$log_evidence)) * models$prior
  expect_equal(models$probability, odds / sum(odds))
})

test_that("latent moments and leave-one-out answers of averaged classes are those of the nodes", {
  local_fewer_points()
  d <- three()
  fit <- averaged_three(d)
  weight <- fit$nodes$table$weight
  points <- held_all(fit, d)
  new <- data.frame(a = c(-1, 0.4), b = c(0.2, 1))
  latent <- lapply(points, predict, new, type = "latent")
  sum_of <- function(parts, w = weight) Reduce(`+`, Map(`*`, parts, w))
  mean <- sum_of(lapply(latent, `[[`, "mean"))
  square <- sum_of(lapply(latent, function(part) part$sd^2 + part$mean^2))
  found <- predict(fit, new, type = "latent")
  expect_equal(found$mean, mean, tolerance = 1e-3)
  expect_equal(found$sd, sqrt(square - mean^2), tolerance = 1e-3)
  expect_gt(max(abs(found$sd^2 - sum_of(lapply(latent, function(part) part$sd^2)))), 1e-3)
  # a label is left out of the weights, too
  z <- unname(exp(vapply(points, function(point) loo(point)$pointwise[, 1], numeric(36))))
  share <- t(weight / t(z))
  expect_equal(exp(row_loo(fit)), 1 / rowSums(share), tolerance = 1e-3)
  share <- share / rowSums(share)
  recorded <- vapply(points, function(point) recorded_rows(point)[, 2], numeric(36))
  expect_equal(recorded_rows(fit)[, 2], rowSums(recorded * share), tolerance = 1e-3)
  expect_gt(max(abs(drop(recorded %*% weight) - rowSums(recorded * share))), 1e-3)
})

test_that("one wrong label found by a check rules out that none is, a confirmed one does not", {
  local_fewer_points()
  d <- toy(40) # rows 3 and 30 are wrong
  fit <- gpc(
    class ~ a + b, d, kernel = held(), epsilon = "average", hyper = "integrate",
    control = ep_control(progress = FALSE)
  )
  other <- ifelse(d$class == "yes", "no", "yes")
  check <- function(row, label) {
    suppressMessages(update(fit, checked = data.frame(row = row, label = label)))
  }
  right <- noise_test(check(7, d$class[7]))
  expect_gt(right$probability_none, 0)
  wrong <- noise_test(check(3, other[3]))
  expect_identical(wrong$probability_none, 0)
  expect_identical(wrong$models$log_evidence[wrong$models$model == "none"], -Inf)
  both <- suppressMessages(update(averaged_three(), checked = data.frame(row = 1, label = "x")))
  expect_identical(noise_test(both)$probability_none, 0)
})

test_that("a check of a trusted row corrects its label, and tells nothing of the rates", {
  local_fewer_points()
  d <- toy(40)
  kernel <- kernel_iso(1.5, fixed = TRUE)
  fit_to <- function(data, ...) {
    gpc(class ~ a + b, data, kernel = kernel, trusted = 1:10, control = ep_control(progress = FALSE), ...)
  }
  right <- d
  right$class[3] <- ifelse(d$class[3] == "yes", "no", "yes")
  checked <- data.frame(row = c(3, 5), label = right$class[c(3, 5)])
  for (epsilon in list("average", 0.1)) {
    fit <- fit_to(right, epsilon = epsilon)
    found <- suppressMessages(update(fit_to(d, epsilon = epsilon), checked = checked))
    expect_equal(log_evidence(found, "integrated"), log_evidence(fit, "integrated"))
    expect_equal(predict(found, type = "prob"), predict(fit, type = "prob"))
    expect_equal(flip_rates(found), flip_rates(fit))
  }
})

test_that("counts have checked rows at what had been recorded of them", {
  d <- three()
  fit <- gpc(class ~ a + b, d, kernel = free_size(), epsilon = 0.1, hyper = "optimum", trusted = 11)
  label <- c("x", "y", "z", "z")
  rows <- c(1, 2, 3, 30)
  found <- suppressMessages(update(fit, checked = data.frame(row = rows, label = label)))
  counts <- matrix_counts(judged_by(found))
  dimnames(counts) <- list(levels(d$class), levels(d$class))
  expected <- matrix(0, 3, 3, dimnames = dimnames(counts))
  p <- truth(found)$p[, , 1]
  for (i in seq_len(36)) {
    true <- if (i %in% rows) as.numeric(levels(d$class) == label[match(i, rows)]) else p[i, ]
    expected[, d$class[i]] <- expected[, d$class[i]] + true
  }
  expect_equal(counts, expected, ignore_attr = "type")
  expect_equal(sum(counts), 36)
  expect_equal(sum(counts["x", "y"]), 1 + sum(p[-rows, 1][d$class[-rows] == "y"]))
})

test_that("a fit without rows says nothing of rows, and has its rates", {
  small <- axe_data.sturdy_model(
    gpc(class ~ a + b, toy(), inducing = 10, epsilon = 0.1, hyper = "optimum")
  )
  expect_identical(row_flipped(small), numeric())
  expect_identical(row_loo(small), numeric())
  expect_equal(dim(truth(small)$p), c(0, 2, 1))
})

test_that("what is kept of each noise model gives the means over its nodes", {
  for (fit in list(
    gpc(class ~ a + b, toy(40), kernel = free_size(), epsilon = "average", hyper = "integrate"),
    averaged_three(trusted = 5:9)
  )) {
    kept <- truth(fit)
    each <- node_truth(fit)
    weight <- each$weight
    expect_equal(dim(kept$p)[3], nrow(fit$nodes$models))
    over <- function(x, weight) Reduce(`+`, lapply(seq_along(weight), function(k) weight[k] * x[, , k]))
    expect_equal(mean_over(kept$p, kept$weight), over(each$p, weight))
    expect_equal(mean_wrong(kept), mean_wrong(each))
    for (i in c(1, 7, 20)) {
      share <- weight / exp(each$log_z[i, ])
      expect_equal(exp(left_out_score(kept)[i]), 1 / sum(share))
      unseen <- mean_over(kept$loo, left_out_weight(kept))[i, ]
      expect_equal(unseen, drop(each$loo[i, , ] %*% share) / sum(share))
      source <- each$source[i] # of the label; 0: known to be right
      said <- vapply(seq_along(share), function(k) {
        rates <- if (source > 0) each$omega[[k]][source, , ] else diag(dim(each$loo)[2])
        drop(each$loo[i, , k] %*% rates)
      }, numeric(dim(each$loo)[2]))
      expect_equal(recorded_prob(kept)[i, ], drop(said %*% share) / sum(share))
    }
  }
})

test_that("the noise of a fit is the mean over its nodes, and over groups by their labels", {
  omega <- lapply(list(c(0.1, 0.3, 0.2, 0.4), c(0, 0.05, 0.15, 0.25)), function(e) rates_omega(matrix(e, 2), 2))
  reports <- with_times(label_reports(rep(1:2, 4), 2L, rep(1:2, c(6, 2)), c("a", "b")), rep(c(1, 2), c(6, 2)))
  share <- c(0.6, 0.4) # of the labels, by weight
  want <- 0
  for (k in 1:2) for (s in 1:2) want <- want + c(0.25, 0.75)[k] * share[s] * omega[[k]][s, , ]
  expect_equal(nodes_omega(list(omega = omega, table = data.frame(weight = c(0.25, 0.75))), reports), want)
})

test_that("of some noise models alone the nodes have the weights that sum to one", {
  truth <- list(
    p = array(1:12, c(2, 2, 3)), loo = array(13:24, c(2, 2, 3)), log_z = matrix(1:6, 2), weight = c(0.2, 0.3, 0.5),
    model = c("none", "one", "two"), omega = as.list(1:3), y = 1:2, source = c(1L, 1L)
  )
  some <- truth_under(truth, c("one", "two"))
  expect_equal(some$weight, c(0.375, 0.625))
  expect_identical(some[c("p", "loo", "log_z", "model", "omega", "y", "source")], list(
    p = truth$p[, , 2:3], loo = truth$loo[, , 2:3], log_z = truth$log_z[, 2:3], model = c("one", "two"),
    omega = list(2L, 3L), y = truth$y, source = truth$source
  ))
})

test_that("block by block of the rows the nodes say what they say at once", {
  local_fewer_points() # some rows in a block of two classes, one in a block of three
  for (classes in 2:3) {
    d <- toy_scores(classes, 12)
    fit <- second_stage(d$prob, d$labels, hyper = "integrate", noise = noise_prior(c(none = 1, one = 1)))
    at <- c(as.list(fit$nodes$table[c("weight", "model")]), fit$nodes["omega"])
    seen <- function(rows) node_seen(fit)[rows, , , drop = FALSE]
    whole <- truth_in_blocks(at, seen, fit$data, block = Inf)
    parts <- truth_in_blocks(at, seen, fit$data, block = 600)
    expect_equal(parts, whole, tolerance = 1e-13)
    at_once <- recorded_rows(fit)
    expect_equal(rowSums(at_once), rep(1, 12))
    expect_equal(local_blocks(recorded_rows(fit)), at_once, tolerance = 1e-13)
  }
})

test_that("one node at which a cavity was lost does not decide what the others say of a row", {
  truth <- list(
    y = 1:2, weight = c(0.3, 0.3, 0.01, 0.39), model = c("one", "one", "one", "none"),
    log_z = rbind(c(-1, -1.2, -70, -9), c(-1, -2, -5, -300))
  )
  harmonic <- function(log_z) -log(colSums(truth$weight / t(exp(log_z))))
  mended <- truth$log_z
  mended[1, 3] <- -1.2 # the median of its noise model; what "none" has is its own
  expect_equal(left_out_score(truth), harmonic(mended), tolerance = 1e-12)
  expect_equal(
    left_out_weight(truth),
    unname(t(apply(mended, 1, function(v) truth$weight / exp(v) / sum(truth$weight / exp(v)))))
  )
  truth$model <- c("given", "given", "given", "none") # at rates that are given nothing is lost
  expect_equal(left_out_score(truth), harmonic(truth$log_z), tolerance = 1e-12)
})

test_that("a row is left out as by a fit without it, also where a node has lost its cavity", {
  set.seed(2)
  n <- 50
  X <- matrix(rnorm(2 * n), n)
  K <- exp(-as.matrix(dist(X))^2 / 2) + diag(0.02, n)
  y <- drop(crossprod(chol(K), rnorm(n))) > 0
  y <- factor(xor(y, runif(n) < 0.1))
  fit <- gpc(X, y, hyper = "integrate")
  # the row whose nodes differ most
  row <- which.max(apply(node_truth(fit)$log_z, 1, function(v) diff(range(v))))
  without <- gpc(X[-row, ], y[-row], hyper = "integrate")
  new <- (X[row, , drop = FALSE] - colMeans(X[-row, ])) / apply(X[-row, ], 2, sd)
  p <- first_prob(without, new, noise = TRUE)[, as.integer(y[row])]
  expect_equal(row_loo(fit)[row], log(p), tolerance = 0.1)
  lost <- fit
  label <- as.integer(y[row])
  lost$nodes$seen[row, , 3] <- log(replace(c(1, 1), label, 1e-30))
  lost$nodes$omega[[3]][] <- diag(2) # which calls the label impossible there
  lost <- with_nodes(lost, lost$nodes)
  expect_lt(min(node_truth(lost)$log_z[row, ]), -60)
  expect_equal(row_loo(lost)[row], log(p), tolerance = 0.1)
})
