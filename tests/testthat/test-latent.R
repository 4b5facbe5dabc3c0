# The protocol of a latent, and the order in which it takes rows.

test_latents <- function(n = 30) {
  d <- toy(n)
  X <- scale(as.matrix(d[c("a", "b")]))
  columns <- list(group = 1:2, weight = c(1, 1))
  kernel <- kernel_resolve(kernel_ard(), X, columns, c("a", "b"))
  two <- plain_labels(ifelse(d$class == "yes", 1, -1))
  code <- withr::with_seed(3, sample(rep(1:3, length.out = n)))
  three <- list(y = code, reports = label_reports(code, 3))
  prior <- list(
    scale = c(1, 2), group = 1:2, free = c(TRUE, TRUE),
    prior = list(meanlog = 0, sdlog = 1), nugget = 0.1, free_nugget = TRUE,
    nugget_prior = list(meanlog = 0, sdlog = 1), intercept = TRUE
  )
  list(
    kernel = latent_kernel(X, columns, two, kernel),
    weight = latent_weight(t(X), two, prior),
    inducing = latent_inducing(X, columns, two, kernel, 5),
    classes = latent_classes(X, columns, three, kernel),
    inducing_classes = latent_classes(X, columns, three, kernel, X[1:4, ])
  )
}

test_that("every latent has all fields of the protocol, and so have those it makes", {
  for (latent in test_latents()) {
    expect_setequal(names(latent), names(formals(new_latent)))
    few <- latent$some(12)
    expect_setequal(names(few), names(formals(new_latent)))
    expect_equal(c(few$n, few$reports$n, length(few$y)), c(12, 12, 12))
    if (!is.null(latent$again)) {
      anew <- latent$again(latent$hyper, 3)
      expect_setequal(names(anew), names(formals(new_latent)))
      expect_equal(nrow(anew$Z), if (latent$places) 3 else nrow(latent$Z))
    }
  }
})

test_that("a latent without a field is none", {
  latent <- test_latents()$kernel
  expect_error(do.call(new_latent, latent[names(latent) != "ep"]))
  expect_error(do.call(new_latent, c(latent, list(staged = NULL))))
  expect_error(do.call(new_latent, utils::modifyList(latent, list(y = 1:3))))
})

test_that("EP at several points is EP at each of them", {
  control <- ep_control()
  for (latent in test_latents()) {
    L <- latent_likely(latent, 0.1)
    hyper <- latent$hyper
    free <- latent$free[1]
    wider <- utils::modifyList(hyper, stats::setNames(list(1.3 * hyper[[free]]), free))
    sites <- latent_ep(latent, hyper, Inf, L, NULL, control)$sites
    points <- list(
      list(hyper = hyper, L = L, sites = NULL), list(hyper = wider, L = L, sites = sites),
      list(hyper = wider, L = latent_likely(latent, 0.2), sites = NULL)
    )
    together <- latent$ep(points, Inf, control, "evidence", TRUE)
    for (k in seq_along(points)) {
      at <- points[[k]]
      one <- latent_ep(latent, at$hyper, Inf, at$L, at$sites, control, "evidence", TRUE)
      expect_identical(together[[k]], one)
    }
  }
})

test_that("EP of any latent tells of the true classes, and its slope is that of differences", {
  tight <- ep_control(tol = 1e-10)
  for (latent in test_latents()) {
    L <- latent_likely(latent, 0.1)
    run <- function(L, gradient = FALSE) {
      latent_ep(latent, latent$hyper, Inf, L, NULL, tight, "evidence", gradient)
    }
    plain <- run(L)
    expect_equal(dim(plain$seen), dim(L))
    expect_equal(rowSums(exp(plain$seen)), rep(1, latent$n), tolerance = 1e-8)
    expect_equal(log(rowSums(L * exp(plain$seen))), plain$loo, tolerance = 1e-8)
    out <- run(L, TRUE)
    for (i in c(1, 7)) {
      move <- replace(0 * L, cbind(i, latent$y[i]), 1e-4)
      slope <- (run(L + move)$value - run(L - move)$value) / 2e-4
      expect_equal(out$slope[i, latent$y[i]], slope, tolerance = 1e-6)
    }
  }
})

test_that("a row whose likelihoods are equal says nothing, and lo above hi is a label -", {
  for (df in c(5, Inf)) {
    latent <- test_latents()$kernel
    L <- latent_likely(latent, 0.1)
    none <- L
    none[4, ] <- 1
    out <- latent_ep(latent, latent$hyper, df, none, NULL, ep_control(tol = 1e-10))
    expect_equal(c(out$sites$tau[4], out$sites$nu[4]), c(0, 0))
    expect_equal(out$loo[4], 0)
    mirrored <- latent_ep(latent, latent$hyper, df, L[, 2:1], NULL, ep_control(tol = 1e-10))
    plain <- latent_ep(latent, latent$hyper, df, L, NULL, ep_control(tol = 1e-10))
    expect_equal(mirrored$m, -plain$m, tolerance = 1e-8)
    expect_equal(mirrored$log_evidence, plain$log_evidence, tolerance = 1e-10)
  }
})

test_that("the path in the likelihoods is with one rate the path in the rate", {
  code <- c(1, 2, 2)
  for (classes in c(2, 4)) {
    at <- function(epsilon) label_likelihood(code, as_omega(epsilon, classes))
    for (epsilon in c(0, 0.07, 0.3)) {
      for (s in c(0, 0.4, 1)) {
        expect_equal(
          likelihood_blunted(at(epsilon), s), at(epsilon + (0.45 - epsilon) * (1 - s)^3)
        )
        expect_equal(likelihood_sharpened(at(epsilon), s), at(epsilon * (1 + s) / 2))
      }
    }
    expect_identical(likelihood_blunted(at(0.1), 1), at(0.1))
  }
})

test_that("some of the rows have their own offsets", {
  X <- matrix(c(3, 1, 2, 5, 4))
  rows <- latent_rows(X, c(plain_labels(c(1, -1, 1, -1, 1)), list(offset = X[, 1])))
  expect_equal(rows$first(3)$offset, rows$X[1:3, 1])
  expect_equal(rows$offset(list(nugget = 4)), 2 * rows$X[, 1])
})
