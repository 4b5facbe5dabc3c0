# The sums of a round, against plain R with derivatives by differences.

# log Z of rows and what follows of it, at cavities that are held
cavity_in_r <- function(X, s, at, rates = at$rates, row = NULL, w = at$w) {
  log_z <- function(m, a, rates) {
    log(ifelse(s > 0, rates[1], rates[2]) + (1 - sum(rates)) * pnorm(m / sqrt(1 + a)))
  }
  slope <- function(m, a, rates) (log_z(m + 1e-5, a, rates) - log_z(m - 1e-5, a, rates)) / 2e-5
  bend <- function(m, a, rates) (log_z(m + 1e-4, a, rates) - 2 * log_z(m, a, rates) + log_z(m - 1e-4, a, rates)) / 1e-8
  if (is.null(row)) {
    m <- s * drop(X %*% w)
    a <- rowSums((X %*% at$M) * X)
    row <- list(m = m - a * slope(m, a, rates), a = a * (1 - a * bend(m, a, rates)))
  }
  list(row = row, log_z = log_z(row$m, row$a, rates), d1 = slope(row$m, row$a, rates), d2 = bend(row$m, row$a, rates))
}

# Rows in a database, as a fit to them has them; the connection is closed with the test
points_table <- function(d, fit, env = parent.frame()) {
  table <- new_table(sqlite_points(d, env), "points")
  list2env(list(
    needed = names(d), types = d, response = "class", n = nrow(d), classes = list(value = c("no", "yes")),
    blueprint = fit$blueprint
  ), table)
}

test_that("the sums of a query are those over the rows", {
  d <- withr::with_seed(2, data.frame(a = rnorm(40), b = rnorm(40, 2, 3), f = sample(c("u", "v"), 40, TRUE)))
  d$class <- withr::with_seed(3, sample(c("no", "yes"), 40, TRUE))
  fit <- bpm(class ~ ., d, nugget = 1, epsilon = 0.1)
  table <- points_table(d, fit)
  at <- list(w = c(0.3, -1, 0.5, 0.2, -0.4), M = 0.05 * crossprod(matrix(sin(1:25), 5)), rates = c(0.02, 0.2), by = diag(2), prior = fit$prior)
  sums <- table_round(table, at)
  X <- t(bpm_design(fit$data$X, fit$prior))
  s <- fit$data$y
  r <- cavity_in_r(X, s, at)
  expect_equal(sums$n, 40)
  expect_equal(sums$g, colSums(s * r$d1 * X), tolerance = 1e-6)
  tau <- -r$d2 / (1 + r$d2 * r$row$a)
  expect_equal(sums$H, crossprod(X, tau * X), tolerance = 1e-5)
  # the evidence of sites: log Z less what a normal cavity makes of the site
  nu <- (r$d1 - r$row$m * r$d2) / (1 + r$d2 * r$row$a)
  of_site <- vapply(seq_along(s), function(i) {
    log(integrate(function(f) exp(nu[i] * f - tau[i] * f^2 / 2) * dnorm(f, r$row$m[i], sqrt(r$row$a[i])), -15, 15, rel.tol = 1e-10)$value)
  }, 0)
  expect_equal(sums$value, sum(r$log_z - of_site), tolerance = 1e-5)
  move <- function(j, h) {
    rates <- at$rates
    rates[j] <- rates[j] + h
    cavity_in_r(X, s, at, rates, r$row)
  }
  for (j in 1:2) {
    up <- move(j, 1e-5)
    down <- move(j, -1e-5)
    expect_equal(sums$slope[j], sum(up$log_z - down$log_z) / 2e-5, tolerance = 1e-6)
    expect_equal(sums$cross[, j], colSums(s * (up$d1 - down$d1) / 2e-5 * X), tolerance = 1e-4)
  }
  by <- function(a, b) {
    rates <- at$rates + c(a, b)
    sum(cavity_in_r(X, s, at, rates, r$row)$log_z)
  }
  h <- 1e-3
  expect_equal(sums$curvature[1, 2], (by(h, h) - by(h, -h) - by(-h, h) + by(-h, -h)) / (4 * h^2), tolerance = 1e-3)
  expect_equal(sums$curvature[1, 1], (by(h, 0) - 2 * by(0, 0) + by(-h, 0)) / h^2, tolerance = 1e-2)
  # rows far from the boundary have numbers, too
  at$w <- 1e3 * at$w
  expect_true(all(is.finite(unlist(table_round(table, at)))))
  at[c("rates", "by")] <- list(c(0, 0), rates_by(0))
  expect_true(all(is.finite(unlist(table_round(table, at)))))
})

test_that("cells of scores have the number, the mean and the spread of the rows in them", {
  d <- withr::with_seed(5, data.frame(a = rnorm(400)))
  d$class <- withr::with_seed(6, ifelse(d$a + rnorm(400) > 0, "yes", "no"))
  fit <- bpm(class ~ ., d, nugget = 1, epsilon = 0.1)
  table <- points_table(d, fit)
  at <- list(w = fit$weights$mean, M = fit$weights$C, rates = rep(0.1, 2), prior = fit$prior)
  cells <- table_scores(table, at)
  s <- ifelse(d$class == "yes", 1, -1)
  X <- t(bpm_design(fit$data$X, fit$prior))
  row <- cavity_in_r(X, s, at)$row
  p <- pnorm(s * row$m / sqrt(1 + row$a))
  logit <- qlogis(p)
  cell <- paste(s > 0, floor(logit / label_cell))
  moments <- function(x, w, of) {
    sums <- rowsum(cbind(w, w * x, w * x^2), of)
    sums[order(sums[, 2]), ]
  }
  made <- paste(cells$kind, seq_along(cells$kind) %% (length(cells$kind) / 2))
  expect_lt(length(unique(cell)), 400)
  expect_equal(moments(cells$logit, cells$times, made), moments(logit, 1, cell), tolerance = 1e-5, ignore_attr = TRUE)
  expect_setequal(cells$kind, 1:2)
})

test_that("features at inducing inputs are those of rows that are here, in units of what they leave", {
  d <- withr::with_seed(7, data.frame(a = rnorm(30), b = rnorm(30, 2, 3), f = sample(c("u", "v"), 30, TRUE)))
  d$class <- rep(c("no", "yes"), 15)
  for (linear in c(0, 0.7)) {
    kernel <- kernel_ard(c(0.8, 1.5, 2), variance = 2, bias = linear, nugget = 0.1, linear = linear, fixed = TRUE)
    fit <- gpc(class ~ ., d, kernel = kernel, inducing = d[1:6, 1:3], epsilon = 0.1)
    table <- points_table(d, fit)
    of <- list(Z = fit$inducing$Z, columns = model_columns(fit), hyper = kernel_hyper(fit$kernel))
    at <- list(w = fit$ep$b, M = fit$inducing$C, rates = rep(0.1, 2), prior = list(inducing = of))
    made <- table_cavity(table, at)
    here <- native_features(fit$data$X, of$Z, of$columns, of$hyper)
    expect_length(made$x, length(fit$ep$b))
    for (hint in c("MATERIALIZED ", "")) {
      table$hint <- hint
      found <- table_ask(table, table_query(table, made$steps[1:7], made$x))
      expect_equal(as.matrix(found), t(here$Phi) / sqrt(here$lambda), tolerance = 1e-6, ignore_attr = TRUE)
    }
  }
})

test_that("sums that are no finite numbers lead nowhere, and end", {
  expect_identical(newton_round(list(), list(value = 1, g = Inf)), list(value = NA_real_, penalised = -Inf, left = Inf))
})
