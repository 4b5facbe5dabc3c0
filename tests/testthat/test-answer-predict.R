test_that("classes, probabilities and latent values agree with each other", {
  fit <- toy_fit()
  new <- data.frame(a = c(-1, 0.3, 2), b = c(0.2, -0.1, 1), row.names = c("x", "y", "z"))
  class <- predict(fit, new)
  prob <- predict(fit, new, type = "prob")
  latent <- predict(fit, new, type = "latent")
  expect_equal(levels(class), c("no", "yes"))
  expect_equal(dimnames(prob), list(c("x", "y", "z"), c("no", "yes")))
  expect_equal(unname(rowSums(prob)), c(1, 1, 1))
  expect_equal(class == "yes", unname(prob[, "yes"] > 0.5))
  expect_equal(unname(prob[, "yes"]), pnorm(latent$location / latent$scale))
  expect_equal(rownames(latent), c("x", "y", "z"))
  expect_equal(latent$df, rep(Inf, 3))
})

test_that("latent values of a t process carry its scale", {
  fit <- stc(class ~ a + b, toy(), df = 4, kernel = held(), epsilon = 0.05)
  latent <- predict(fit, type = "latent")
  expect_equal(latent$location, sqrt(fit$ep$kappa) * latent$m)
  expect_equal(latent$scale^2, fit$ep$kappa * latent$s2)
  expect_equal(unname(fitted(fit)), pt(latent$location / latent$scale, 4))
})

test_that("noise = TRUE gives the probability of the recorded label", {
  fit <- toy_fit(epsilon = 0.1)
  expect_equal(
    predict(fit, type = "prob", noise = TRUE), 0.1 + 0.8 * predict(fit, type = "prob")
  )
  expect_equal(predict(fit, noise = TRUE), predict(fit))
})

test_that("each class is recorded by its own flip rate", {
  fit <- toy_fit(epsilon = c(neg = 0.02, pos = 0.3))
  yes <- predict(fit, type = "prob")[, "yes"]
  recorded <- predict(fit, type = "prob", noise = TRUE)
  expect_equal(recorded[, "yes"], 0.7 * yes + 0.02 * (1 - yes))
  expect_equal(recorded[, "no"], 0.3 * yes + 0.98 * (1 - yes))
})

test_that("no newdata means the training rows", {
  fit <- toy_fit()
  expect_equal(predict(fit), predict(fit, toy()))
  expect_equal(fitted(fit), predict(fit, toy(), type = "prob")[, "yes"])
})

test_that("rows keep their order, NA stays NA, extra columns do no harm", {
  fit <- toy_fit()
  new <- data.frame(z = "?", b = c(0, NA, 1, 0), a = c(1, 1, NA, -1))
  prob <- predict(fit, new, type = "prob")
  expect_equal(unname(is.na(prob[, 1])), c(FALSE, TRUE, TRUE, FALSE))
  expect_equal(unname(prob[4, ]), unname(predict(fit, new[4, ], type = "prob")[1, ]))
  expect_equal(is.na(predict(fit, new)), c(FALSE, TRUE, TRUE, FALSE))
  expect_equal(is.na(predict(fit, new, "latent")$m), c(FALSE, TRUE, TRUE, FALSE))
})

test_that("no new rows give no predictions, of the right type", {
  fit <- toy_fit()
  new <- toy()[0, ]
  expect_equal(predict(fit, new), factor(character(), levels = c("no", "yes")))
  expect_equal(dim(predict(fit, new, type = "prob")), c(0, 2))
  expect_equal(nrow(predict(fit, new, type = "latent")), 0)
  expect_true(all(is.na(predict(fit, data.frame(a = NA, b = NA)))))
})

test_that("many new rows at once are predicted as one at a time", {
  withr::local_seed(31)
  new <- data.frame(a = rnorm(600), b = rnorm(600)) # C works in blocks of 256
  fits <- list(toy_fit(), bpm(class ~ a + b, toy(), epsilon = 0.05))
  for (fit in fits) {
    X <- forge(fit$blueprint, new)$X
    single <- vapply(seq_len(600), function(i) {
      unlist(latent_new(fit, X[i, , drop = FALSE]))
    }, numeric(2))
    together <- predict(fit, new, type = "latent")
    expect_close(together$m, single["m", ], 1e-11, floor = 1)
    expect_close(together$s2, single["s2", ], 1e-11)
  }
})

test_that("600 new rows have the moments of the reference, each its own", {
  fit <- gpc(
    class ~ a + b, toy(), kernel = held(0.8, bias = 0.3, nugget = 0.2),
    epsilon = 0.1, scale = FALSE
  )
  new <- withr::with_seed(1, data.frame(a = rnorm(600), b = rnorm(600)))
  K <- ref_kernel(fit$data$X, NULL, 0.8, 1, 0.3, 0.2)
  k <- ref_kernel(fit$data$X, as.matrix(new), 0.8, 1, 0.3)
  reference <- ref_predict(
    c(fit$ep$sites, df = Inf, epsilon = fit$epsilon, kappa = 1), K, k, 1.5
  )
  latent <- predict(fit, new, type = "latent")
  expect_close(latent[c("m", "s2")], reference[c("m", "s2")], 1e-7, floor = 1)
})

test_that("na.exclude pads the fitted values", {
  d <- toy()
  d$a[5] <- NA
  omit <- toy_fit(data = d)
  exclude <- toy_fit(data = d, na.action = na.exclude)
  expect_length(fitted(omit), 39)
  expect_equal(names(fitted(omit))[5], "6")
  expect_length(fitted(exclude), 40)
  expect_equal(names(fitted(exclude)), as.character(1:40))
  expect_equal(which(is.na(fitted(exclude))), c("5" = 5))
  expect_equal(fitted(exclude)[-5], fitted(omit))
})

test_that("a row that na.exclude took out keeps its name", {
  d <- toy()
  row.names(d) <- paste0("id", 40:1)
  d$a[c(5, 9)] <- NA
  fit <- toy_fit(data = d, na.action = na.exclude)
  expect_equal(names(fitted(fit)), row.names(d))
  expect_equal(names(which(is.na(fitted(fit)))), c("id36", "id32"))
})

test_that("new data of another shape are refused", {
  fit <- toy_fit()
  expect_error(predict(fit, toy()["a"]), class = "sturdy_error_missing_column")
  expect_error(predict(fit, transform(toy(), a = "1")), class = "sturdy_error_column_type")
  expect_error(predict(fit, 1:3), class = "sturdy_error_type")
  expect_error(predict(fit, type = "terms"), class = "sturdy_error_choice")
  expect_error(predict(fit, noise = 1), class = "sturdy_error_type")
  expect_error(predict(fit, toy(), newdta = 1), class = "sturdy_error_unknown_argument")
  expect_snapshot(said(predict(fit, toy()["a"])))
})

test_that("row names that occur twice are kept", {
  x <- matrix(1:4, dimnames = list(c("a", "a", "b", "b"), "x"))
  fit <- gpc(x, c(0, 0, 1, 1), kernel = held(), epsilon = 0.1)
  expect_equal(rownames(predict(fit, x, type = "prob")), rownames(x))
  expect_equal(rownames(predict(fit, type = "prob")), rownames(x))
  expect_equal(rownames(predict(fit, type = "latent")), c("a", "a.1", "b", "b.1"))
})

test_that("no rows have as many answers, of each type", {
  d <- data.frame(x = c(-2, -1, 1, 2), y = c(0, 0, 1, 1))
  for (epsilon in list(0.05, "average")) {
    fit <- suppressWarnings(suppressMessages(gpc(y ~ x, d, epsilon = epsilon)))
    for (type in c("response", "link")) {
      expect_equal(unname(predict(fit, d[0, ], type = type)), numeric())
    }
  }
})
