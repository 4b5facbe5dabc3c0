# Copies of rows are one row that counts as often: what is taken for copies, and that the fit of
# the rows apart is the fit to all of them.

copied <- function(times = rep_len(1:3, 20)) {
  d <- toy(20)
  d$other <- factor(rep_len(c("u", "v"), 20))
  again <- rep(seq_len(20), times)
  list(d = d, times = times, again = again, all = d[again, ])
}
molded_xy <- function(x, y, ...) with_known(mold_xy(x, y, FALSE, many = TRUE), ...)

test_that("copies are rows that are alike in all inputs, the label and what is known of it", {
  made <- copied()
  X <- as.matrix(made$all[c("a", "b")])
  turn <- withr::with_seed(1, sample(nrow(X)))
  molded <- molded_xy(X[turn, ], made$all$class[turn], NULL, NULL)
  apart <- rows_apart(molded)
  expect_equal(nrow(apart$molded$data$X), 20)
  expect_equal(apart$molded$data$X[apart$of, ], molded$data$X)
  expect_equal(apart$molded$data$y[apart$of], molded$data$y)
  expect_equal(sort(apart$molded$data$reports$times), sort(as.double(made$times)))
  # the label of a copy may be another
  y <- made$all$class
  y[2:3] <- c("yes", "no")
  expect_equal(nrow(rows_apart(molded_xy(X, y, NULL, NULL))$molded$data$X), 21)
  # or be known, or of another source
  trusted <- molded_xy(X, made$all$class, seq_len(nrow(X)) == 2, NULL)
  expect_equal(nrow(rows_apart(trusted)$molded$data$X), 21)
  rates <- molded_xy(X, made$all$class, NULL, rep_len(c("p", "q"), nrow(X)))
  expect_gt(nrow(rows_apart(rates)$molded$data$X), 20)
  weighted <- molded
  weighted$data$reports$times <- seq_len(nrow(X)) / 2
  expect_equal(sum(rows_apart(weighted)$molded$data$reports$times), sum(seq_len(nrow(X))) / 2)
})

test_that("tables without copies, several classes, readers and soft labels are left as they are", {
  made <- copied()
  same <- function(molded) {
    apart <- rows_apart(molded)
    expect_identical(apart$molded, molded)
    expect_null(apart$of)
  }
  X <- as.matrix(made$d[c("a", "b")])
  same(molded_xy(X, made$d$class, NULL, NULL))
  twice <- rbind(X, X)
  same(molded_xy(twice, factor(rep_len(c("p", "q", "r"), 40)), NULL, NULL))
  soft <- cbind(no = rep(0.3, 40), yes = 0.7)
  same(molded_xy(twice, soft, NULL, NULL))
})

test_that("sites, posterior and nodes of all rows are those of EP on all of them", {
  made <- copied()
  tight <- ep_control(tol = 1e-11)
  for (fit in list(
    gpc(class ~ a + b, made$all, kernel = held(), epsilon = 0.1, control = tight),
    gpc(class ~ a + b, made$all, kernel = held(), epsilon = 0.1, control = tight, inducing = 8),
    gpc(class ~ a + b, made$all, kernel = kernel_iso(), control = tight),
    stc(class ~ a + b, made$all, df = 4, kernel = held(), epsilon = 0.1, control = tight),
    bpm(class ~ a + b + other, made$all, epsilon = 0.05, control = tight)
  )) {
    expect_null(wrong_field(fit))
    expect_equal(nobs(fit), length(made$again))
    expect_null(fit$data$reports$times)
    direct <- kept_ep(refit_ep(fit, final = TRUE), fit$spec)
    for (part in c("sites", "m", "C_diag", "cavity", "loo", "seen", "flipped", "log_evidence", "b")) {
      expect_close(fit$ep[[part]], direct[[part]], 1e-7, floor = 1)
    }
    expect_identical(fit$ep$status, "converged")
  }
  fit <- gpc(class ~ a + b, made$all, kernel = held(), hyper = "integrate", control = tight)
  latent <- model_latent(fit)
  for (k in c(1, 9)) {
    out <- latent_ep(latent, fit$nodes$hyper[[k]], Inf, row_likelihood(fit, k), NULL, tight)
    expect_close(fit$nodes$tau[, k], out$sites$tau, 5e-3, floor = 1) # nodes end at a tolerance of 1e-3
    expect_close(fit$nodes$seen[, , k], out$seen, 5e-3, floor = 1)
    expect_close(fit$nodes$b[, k], out$b, 5e-3, floor = 1)
  }
})

test_that("a table with copies keeps its rows, is asked about each, and can be changed", {
  made <- copied()
  fit <- gpc(class ~ a + b, made$all, kernel = held(), hyper = "integrate")
  found <- mislabelled(fit)
  expect_equal(nrow(found), length(made$again))
  said <- found$probability[order(found$row)]
  first <- match(made$again, made$again)
  expect_equal(said, said[first], tolerance = 1e-10) # of copies the same
  expect_equal(nrow(predict(fit, type = "prob")), length(made$again))
  checked <- suppressMessages(update(fit, checked = data.frame(row = 1, label = made$all$class[1])))
  expect_identical(row_flipped(checked)[1], 0)
  more <- absorb(fit, made$all[1:4, ])
  expect_equal(nobs(more), length(made$again) + 4)
  expect_null(wrong_field(more))
  both <- match(c("no", "yes"), made$d$class)[c(1, 1, 2, 1)]
  few <- suppressMessages(gpc(class ~ a, made$d[both, ], kernel = held(), epsilon = 0.1))
  expect_equal(nobs(few), 4)
})

test_that("an EP that fails on rows apart fails on all of them, with its words", {
  made <- copied()
  fit <- suppressWarnings(gpc(
    class ~ a + b, made$all, kernel = held(), epsilon = 0.1, control = ep_control(max_sweeps = 1)
  ))
  expect_null(wrong_field(fit))
  expect_false(fit$ep$status == "converged")
  expect_equal(nobs(fit), length(made$again))
})

test_that("copies of rows with case weights have shares by their weights, at every node", {
  local_fewer_points()
  d <- toy(24)
  times <- rep(1, 24)
  times[1:3] <- 3
  by <- function(rows, weights) {
    gpc(class ~ a + b, d[rows, ], weights = weights, kernel = kernel_iso(), hyper = "integrate", scale = FALSE)
  }
  whole <- by(1:24, times)
  apart <- by(c(1:24, 1:3), c(rep(1, 24), 2, 2, 2))
  expect_equal(apart$nodes$tau[25:27, ], 2 * apart$nodes$tau[1:3, ])
  new <- data.frame(a = c(-1, 0, 1), b = 0.5)
  expect_equal(
    predict(first_stage(apart), new, type = "latent"), predict(first_stage(whole), new, type = "latent"), tolerance = 1e-5
  )
})
