# Prediction under many nodes in one call against plain algebra at each of them, and
# against calls of one node.

node_problem <- function(n = 12, rows = 5, K = 4) {
  withr::local_seed(91)
  X <- cbind(stats::rnorm(n), stats::rnorm(n), rep(0:1, length.out = n), rep(1:0, length.out = n))
  list(
    X = X, Xnew = X[seq_len(rows), ] + 0.3, Z = X[1:6, ] + 0.1,
    columns = list(group = c(1L, 2L, 3L, 3L), weight = c(1, 1, 0.5, 0.5)),
    hyper = lapply(seq_len(K), function(k) {
      list(lengthscale = c(0.5, 1, 2) * k, variance = 1 + k, bias = 0.1 * k, nugget = 0.01 * k)
    }),
    # of both signs, and of none; as many below 0 as no other node has
    tau = matrix(stats::rnorm(n * K, c(1, 1, 0.6, 1), 0.3) * rep(c(1, 1, -0.02, 1, 0, 1), length.out = n), n),
    b = matrix(stats::rnorm(n * K), n)
  )
}

gram_by_hand <- function(X, Y, columns, hyper) {
  l <- columns$weight / (2 * hyper$lengthscale[columns$group]^2)
  hyper$bias + hyper$variance * exp(-outer(
    seq_len(nrow(X)), seq_len(nrow(Y)),
    Vectorize(function(i, j) sum(l * (X[i, ] - Y[j, ])^2))
  ))
}

test_that("every node is predicted as by plain algebra", {
  p <- node_problem()
  out <- native_gp_predict_nodes(p$X, p$columns, p$hyper, p$tau, p$b, p$Xnew)
  expect_identical(out$status, rep(0L, 4))
  for (k in 1:4) {
    hyper <- p$hyper[[k]]
    K <- gram_by_hand(p$X, p$X, p$columns, hyper) + diag(hyper$nugget, nrow(p$X))
    G <- gram_by_hand(p$X, p$Xnew, p$columns, hyper)
    explained <- solve(diag(nrow(p$X)) + p$tau[, k] * K, p$tau[, k] * G)
    expect_close(out$m[, k], drop(crossprod(G, p$b[, k])), 1e-12)
    prior <- hyper$variance + hyper$bias + hyper$nugget
    expect_close(out$s2[, k], prior - colSums(G * explained), 1e-11)
  }
})

test_that("nodes together are the nodes one by one, in any order, with kernels of their own columns", {
  p <- node_problem()
  together <- native_gp_predict_nodes(p$X, p$columns, p$hyper, p$tau, p$b, p$Xnew)
  for (k in 1:4) {
    one <- native_gp_predict(
      p$X, p$columns, p$hyper[[k]], list(tau = p$tau[, k]), p$b[, k], p$Xnew
    )
    expect_identical(one, list(m = together$m[, k], s2 = together$s2[, k], status = 0L))
  }
  turn <- 4:1
  turned <- native_gp_predict_nodes(
    p$X, rep(list(p$columns), 4), p$hyper[turn], p$tau[, turn], p$b[, turn], p$Xnew
  )
  expect_identical(turned$s2[, turn], together$s2)
  none <- native_gp_predict_nodes(
    p$X, p$columns, p$hyper, p$tau, p$b, p$Xnew[0, , drop = FALSE]
  )
  expect_identical(dim(none$m), c(0L, 4L))
})

test_that("a node without a posterior is told, and leaves the others alone", {
  p <- node_problem()
  good <- native_gp_predict_nodes(p$X, p$columns, p$hyper, p$tau, p$b, p$Xnew)
  p$tau[1, 2] <- -1e3
  out <- native_gp_predict_nodes(p$X, p$columns, p$hyper, p$tau, p$b, p$Xnew)
  expect_true(out$status[2] < 0 && all(is.nan(out$m[, 2])) && all(is.nan(out$s2[, 2])))
  expect_identical(out$m[, -2], good$m[, -2])
})

test_that("progress counts rows on average over nodes", {
  p <- node_problem()
  X <- p$X[rep(1:12, 50), ]
  seen <- NULL
  native_gp_predict_nodes(p$X, p$columns, p$hyper, p$tau, p$b, X, function(done) {
    seen <<- c(seen, done)
  })
  # 600 rows in blocks of 256, four nodes
  expect_identical(seen, as.integer(floor((rep(0:3, each = 3) * 600 + c(0, 256, 512)) / 4)))
})

test_that("weights and inducing inputs are predicted at all nodes as one by one, and as by hand", {
  p <- node_problem()
  withr::local_seed(92)
  k <- 7
  b <- matrix(stats::rnorm(k * 4), k)
  C <- vapply(1:4, function(i) crossprod(matrix(stats::rnorm(k * k), k)) / k, diag(k))
  Xt <- matrix(stats::rnorm(k * 300), k) # more than a block
  out <- native_weight_predict_nodes(Xt, b, C)
  inducing <- native_inducing_predict_nodes(p$Z, p$columns, p$hyper, b, C, p$Xnew)
  for (i in 1:4) {
    expect_close(out$m[, i], drop(crossprod(Xt, b[, i])), 1e-12)
    expect_close(out$s2[, i], colSums(Xt * (C[, , i] %*% Xt)), 1e-12)
    expect_identical(native_weight_predict_nodes(Xt, b[, i], C[, , i])$s2[, 1], out$s2[, i])

    hyper <- p$hyper[[i]]
    plain <- utils::modifyList(hyper, list(bias = 0))
    Kzz <- gram_by_hand(p$Z, p$Z, p$columns, plain) + diag(1e-8 * hyper$variance, 6)
    V <- forwardsolve(t(chol(Kzz)), gram_by_hand(p$Z, p$Xnew, p$columns, plain))
    phi <- rbind(V, sqrt(hyper$bias))
    expect_close(inducing$m[, i], drop(crossprod(phi, b[, i])), 1e-9)
    left <- hyper$variance - colSums(V^2) + hyper$nugget
    expect_close(inducing$s2[, i], left + colSums(phi * (C[, , i] %*% phi)), 1e-7)
    one <- native_inducing_predict(p$Z, p$columns, hyper, b[, i], C[, , i], p$Xnew)
    expect_identical(one, list(m = inducing$m[, i], s2 = inducing$s2[, i]))
  }
})
