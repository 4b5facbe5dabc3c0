# An offset is a known part of the latent mean, in units of the nugget's standard deviation: against
# EP in plain R with a prior mean, exact values, glm() and differences.

offset_table <- function(n = 30) {
  withr::with_seed(5, {
    d <- data.frame(a = rnorm(n), b = rnorm(n), z = rnorm(n))
    d$class <- factor(ifelse(d$a + d$z + 0.5 * rnorm(n) > 0, "yes", "no"))
  })
  d
}

# EP with the prior N(o, K), sites of f itself, in turn
ref_ep_mean <- function(K, o, y, epsilon, sweeps = 200) {
  n <- length(y)
  tau <- nu <- numeric(n)
  posterior <- function() {
    C <- solve(diag(n) + K %*% diag(tau, n), K)
    list(A = diag(C), m = drop(o + C %*% (nu - tau * o)))
  }
  for (sweep in seq_len(sweeps)) {
    for (i in seq_len(n)) {
      at <- posterior()
      new <- ref_project(at$A[i], at$m[i], tau[i], nu[i], y[i], Inf, epsilon, n)
      tau[i] <- new$tau
      nu[i] <- new$nu
    }
  }
  at <- posterior()
  cavity <- ref_cavity(at$A, at$m, tau, nu, Inf)
  # the integral of N(f; o, K) and Gaussian sites, with the normalisers of the sites
  log_z <- mapply(function(m, v, y) {
    log(epsilon + (1 - 2 * epsilon) * pnorm(y * m / sqrt(v)))
  }, cavity$mean, cavity$var, y)
  log_site <- log_z + log(1 + tau * cavity$var) / 2 -
    (2 * cavity$mean * nu + cavity$var * nu^2 - tau * cavity$mean^2) / (2 * (1 + tau * cavity$var))
  B <- diag(n) + K %*% diag(tau, n)
  v <- nu - tau * o
  whole <- sum(nu * o - tau * o^2 / 2) + sum(v * solve(B, K %*% v)) / 2 -
    as.numeric(determinant(B)$modulus) / 2
  c(at, list(log_evidence = whole + sum(log_site), loo = log_z, tau = tau, nu = nu))
}

offset_hyper <- list(lengthscale = c(1, 2), variance = 1, bias = 0.3, nugget = 0.2, linear = 0)

test_that("EP with an offset is that in plain R with a prior mean, dense and of low rank", {
  d <- offset_table(12)
  X <- unname(as.matrix(d[1:2]))
  y <- ifelse(d$class == "yes", 1, -1)
  columns <- list(group = 1:2, weight = c(1, 1))
  o <- 0.5 * d$z
  sharp <- ep_control(tol = 1e-11)
  there <- ref_ep_mean(native_gram(X, NULL, columns, offset_hyper), o, y, 0.05)
  here <- native_gp_fit(
    X, columns, offset_hyper, likely(y, 0.05), Inf, NULL, sharp, "evidence", TRUE, offset = o
  )
  expect_equal(here$log_evidence, there$log_evidence, tolerance = 1e-9)
  expect_equal(here$m, there$m, tolerance = 1e-8)
  expect_equal(here$C_diag, there$A, tolerance = 1e-8)
  expect_equal(here$loo, there$loo, tolerance = 1e-8)
  expect_equal(here$sites$tau, there$tau, tolerance = 1e-7)
  Xt <- t(cbind(1, X))
  s0 <- c(1, 0.5, 2)
  there <- ref_ep_mean(crossprod(sqrt(s0) * Xt) + 0.7 * diag(12), o, y, 0.05)
  here <- native_weight_fit(Xt, s0, 0.7, likely(y, 0.05), Inf, NULL, sharp, offset = o)
  expect_equal(here$log_evidence, there$log_evidence, tolerance = 1e-9)
  expect_equal(here$m, there$m, tolerance = 1e-8)
})

test_that("gradients with an offset are differences", {
  d <- offset_table()
  X <- unname(as.matrix(d[1:2]))
  y <- ifelse(d$class == "yes", 1, -1)
  columns <- list(group = 1:2, weight = c(1, 1))
  sharp <- ep_control(tol = 1e-11)
  runs <- list(
    function(par, criterion) {
      hyper <- list(
        lengthscale = exp(par[1:2]), variance = exp(par[3]), bias = exp(par[4]),
        nugget = exp(par[5]), linear = exp(par[6])
      )
      Z <- X[1:9, ]
      both <- list(sharp, criterion, TRUE, offset = sqrt(hyper$nugget) * d$z)
      start <- list(columns, hyper, likely(y, 0.05), Inf, NULL)
      c(do.call(native_gp_fit, c(list(X), start, both))[c("value", "gradient")],
        do.call(native_inducing_fit, c(list(X, Z), start, both))[c("value", "gradient")])
    }
  )
  par <- log(c(1, 2, 1, 0.3, 0.2, 0.4))
  for (criterion in c("evidence", "loo")) {
    at <- function(par) runs[[1]](par, criterion)
    here <- at(par)
    for (space in 1:2) {
      value <- function(par) at(par)[[2 * space - 1]]
      differences <- vapply(1:6, function(j) {
        move <- replace(numeric(6), j, 1e-5)
        (value(par + move) - value(par - move)) / 2e-5
      }, 0)
      expect_equal(unname(unlist(here[[2 * space]])), differences, tolerance = 1e-7)
    }
  }
})

test_that("one row is exact, and the scale of the kernel does not matter", {
  d <- data.frame(a = c(0, 1), z = c(0.7, -1), y = c(1, 0))
  kernel <- function(scale) {
    kernel_iso(1, variance = scale, bias = 0.3 * scale, nugget = 0.5 * scale, fixed = TRUE)
  }
  fit <- function(scale) {
    gpc(y ~ a + offset(z), d, kernel = kernel(scale), epsilon = 0.1, scale = FALSE)
  }
  one <- fit(1)
  expect_equal(fit(9)$ep$log_evidence, one$ep$log_evidence, tolerance = 1e-9)
  alone <- native_gp_fit(
    matrix(0), list(group = 1L, weight = 1), kernel_hyper(kernel(1)), likely(1, 0.1), Inf, NULL,
    ep_control(), offset = sqrt(0.5) * 0.7
  )
  exact <- 0.1 + 0.8 * pnorm(sqrt(0.5) * 0.7 / sqrt(1 + 0.3 + 0.5))
  expect_equal(exp(alone$log_evidence), exact, tolerance = 1e-12)
})

test_that("with a wide prior, and no wrong labels, the weights are those of glm()", {
  d <- offset_table(400)
  fit <- bpm(
    class ~ a + b + offset(z), d, prior_scale = 1e4, nugget = 1, epsilon = 0, scale = FALSE
  )
  glm <- stats::glm(class ~ a + b + offset(z), stats::binomial("probit"), d)
  table <- summary(glm)$coefficients
  expect_lt(max(abs((coef(fit) - table[, 1]) / table[, 2])), 0.1)
  # left out, z is not in the mean
  bare <- stats::glm(class ~ a + b, stats::binomial("probit"), d)
  expect_gt(max(abs((coef(fit) - coef(bare)) / table[, 2])), 1)
  new <- data.frame(a = c(-1, 0, 1), b = 0, z = c(2, 0, -2))
  expect_equal(
    unname(predict(fit, new, type = "prob")[, 2]), unname(predict(glm, new, type = "response")),
    tolerance = 0.02
  )
})

test_that("new rows, rows of the fit and copies of it have their offsets", {
  d <- offset_table()
  fit <- gpc(class ~ a + offset(z) + offset(b / 2), d, kernel = held(nugget = 0.5), epsilon = 0.1)
  expect_equal(row_offset(fit$data$X), d$z + d$b / 2)
  same <- predict(fit, d, type = "prob")
  expect_equal(predict(fit, type = "prob"), same)
  expect_equal(predict(fit, d[5:1, ], type = "prob"), same[5:1, ], ignore_attr = TRUE)
  expect_equal(same[, 2], unname(pnorm(with(latent_new(fit, fit$data$X), drop(m / sqrt(s2))))),
               ignore_attr = TRUE)
  expect_error(predict(fit, d["a"]), class = "sturdy_error_missing_column")
  odd <- d[1:3, ]
  odd$z[2] <- NA
  expect_equal(is.na(predict(fit, odd)), c(FALSE, TRUE, FALSE))
  open <- d
  open$class[4] <- NA
  part <- suppressMessages(
    gpc(class ~ a + offset(z), open, kernel = held(nugget = 0.5), epsilon = 0.1)
  )
  expect_equal(predict(part, type = "prob"), predict(part, d, type = "prob"))
  again <- update(fit, epsilon = 0.2)
  expect_equal(row_offset(again$data$X), row_offset(fit$data$X))
  expect_error(update(fit, class ~ a), class = "sturdy_error_missing_argument")
})

test_that("new offsets that are all missing are missing values, and no rows have none", {
  fit <- gpc(class ~ a + offset(ifelse(z > 0, z, 0)), offset_table(), kernel = held(nugget = 0.5), epsilon = 0.1)
  expect_identical(unname(predict(fit, data.frame(a = 1, z = NA), type = "response")), NA_real_)
  expect_length(predict(fit, offset_table()[0, ]), 0)
})

test_that("fits with an offset answer for shards", {
  d <- offset_table(40)
  fit <- bpm(class ~ a + offset(z), d, nugget = 1, epsilon = 0.1)
  folder <- withr::local_tempdir()
  done <- predict(fit, shards(d, 2), type = "response", to = folder)
  written <- do.call(rbind, lapply(done$file, utils::read.csv))
  expect_equal(written$response, unname(predict(fit, d, type = "response")), tolerance = 1e-12)
  folder <- withr::local_tempdir()
  found <- mislabelled(fit, newdata = shards(d, 2), to = folder)
  direct <- mislabelled(fit, newdata = d, labels = NULL)
  expect_equal(sum(found$wrong), sum(direct$probability), tolerance = 1e-12)
})

test_that("averages and case weights go with an offset", {
  d <- offset_table()
  fit <- gpc(class ~ a + offset(z), d, weights = rep(1:3, 10), hyper = "integrate")
  expect_equal(weights(fit), rep(1:3, 10))
  without <- gpc(class ~ a, d, weights = rep(1:3, 10), hyper = "integrate")
  expect_gt(log_evidence(fit, "integrated"), log_evidence(without, "integrated"))
  linear <- bpm(class ~ a + offset(z), d, inference = "ep")
  expect_equal(dim(predict(linear, d, type = "prob")), c(30L, 2L))
  low <- gpc(class ~ a + offset(z), d, inducing = 8, kernel = held(nugget = 0.5), epsilon = 0.1)
  dense <- gpc(class ~ a + offset(z), d, kernel = held(nugget = 0.5), epsilon = 0.1)
  expect_equal(predict(low, d, type = "prob"), predict(dense, d, type = "prob"), tolerance = 0.01)
})

test_that("offsets are refused by name where there are none", {
  d <- offset_table()
  d$kind <- factor(rep(1:3, 10))
  expect_error(stc(class ~ a + offset(z), d), class = "sturdy_error_offset")
  expect_error(gpc(kind ~ a + offset(z), d), class = "sturdy_error_offset")
  expect_error(
    gpc(class ~ a + offset(z), d, kernel = held(nugget = 0)), class = "sturdy_error_offset"
  )
  expect_error(gpc(class ~ a + offset(letters[1:30]), d), class = "sturdy_error_offset")
  expect_error(bpm(class ~ a + offset(z), d, inference = "adf"), class = "sturdy_error_offset")
  fit <- gpc(class ~ a + offset(z), d, kernel = held(), epsilon = 0.1)
  expect_error(posterior_sample(fit), class = "sturdy_error_offset")
  expect_error(absorb(fit, d[1:2, ]), class = "sturdy_error_offset")
  expect_error(predict_sql(fit), class = "sturdy_error_offset")
  expect_snapshot(said(stc(class ~ a + offset(z), d)))
})
