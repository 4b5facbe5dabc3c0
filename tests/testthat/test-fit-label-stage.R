# The label stage of a fit of ours: when there is one, what its scores are, what is asked of it, and
# what becomes of it when rows, or what is known of them, change.

stage_table <- function(n = 60, classes = 2, seed = 4) {
  withr::with_seed(seed, {
    d <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n))
    score <- d$a + 0.6 * d$b + 0.3 * stats::rnorm(n)
    truth <- 1 + findInterval(score, stats::quantile(score, seq_len(classes - 1) / classes))
  })
  wrong <- seq(5, n, by = 11)
  code <- truth
  code[wrong] <- code[wrong] %% classes + 1
  levels <- letters[seq_len(classes)]
  d$y <- factor(levels[code], levels)
  list(d = d, truth = factor(levels[truth], levels), wrong = wrong)
}
quiet_gpc <- function(...) suppressMessages(gpc(...))
one_point <- function(d, ..., kernel = held(1.5)) gpc(y ~ ., d, kernel = kernel, hyper = "optimum", ...)
wrong_of <- function(fit) attr(mislabelled(fit), "expected")[c("count", "lower", "upper")]

test_that("a fit that learns a rate, or averages, has a label stage, and one all of which is given has none", {
  local_fewer_points()
  d <- stage_table(30)$d
  has <- function(fit) {
    expect_s3_class(fit$label_stage, "second_stage")
    expect_identical(judged_by(fit), fit$label_stage)
    expect_null(wrong_field(fit))
    expect_identical(fit$label_stage$data$rows, fit$data$rows)
  }
  has_none <- function(fit) {
    expect_null(fit$label_stage)
    expect_identical(judged_by(fit), fit)
  }
  has(one_point(d))
  has(one_point(d, epsilon = "learn2"))
  has(gpc(y ~ ., d, kernel = held(), hyper = "integrate"))
  has(gpc(y ~ ., d, kernel = kernel_iso(), epsilon = 0.1, hyper = "integrate"))
  has(one_point(d, epsilon = "learn"))
  has(stc(y ~ ., d, df = 5, kernel = held(), hyper = "integrate"))
  has(bpm(y ~ ., d, hyper = "optimum"))
  has(bpm(y ~ ., d, hyper = "integrate"))
  has(one_point(stage_table(30, 3)$d))
  ordered <- stage_table(30, 3)$d
  ordered$y <- factor(ordered$y, ordered = TRUE)
  has(suppressMessages(one_point(ordered)))
  has_none(one_point(d, epsilon = 0.1))
  has_none(one_point(d, epsilon = c(neg = 0.1, pos = 0)))
  has_none(gpc(y ~ ., d, kernel = kernel_iso(), epsilon = 0.1, hyper = "optimum"))
  has_none(bpm(y ~ ., d, epsilon = 0.05, hyper = "optimum"))
  has_none(bpm(y ~ ., d, inference = "adf"))
  scores <- toy_scores(2, 40)
  has_none(second_stage(scores$prob, scores$labels, hyper = "optimum"))
})

test_that("readers, soft and missing labels have a stage as others do", {
  local_fewer_points()
  made <- stage_table(40)
  d <- made$d
  other <- function(y, rows) replace(y, rows, rev(levels(y))[as.integer(y[rows])])
  d$second <- other(made$truth, c(3, 9))
  d$third <- other(made$truth, 20)
  read <- quiet_gpc(readers(y, second, third) ~ a + b, d, kernel = held(), hyper = "integrate")
  expect_s3_class(read$label_stage, "second_stage")
  # where two others agree against it a reader was wrong
  expect_gt(min(predict(read, type = "true")[cbind(1:40, as.integer(made$truth))]), 0.5)
  P <- cbind(a = ifelse(made$truth == "a", 0.8, 0.3), b = 0)
  P[, "b"] <- 1 - P[, "a"]
  soft <- quiet_gpc(d[c("a", "b")], P, kernel = kernel_iso(), hyper = "integrate")
  expect_s3_class(soft$label_stage, "second_stage")
  expect_equal(soft$label_stage$nodes$models$model, "given")
  d$y[c(2, 7)] <- NA
  open <- quiet_gpc(y ~ a + b, d, kernel = held(), hyper = "integrate")
  expect_equal(nobs(open$label_stage), 38)
  expect_equal(nrow(predict(open, type = "prob")), 40)
})

test_that("a fit that is held at a point, with rates given, answers by its own likelihood [M 7.1]", {
  d <- stage_table(40)$d
  e <- c(neg = 0.15, pos = 0.05)
  fit <- one_point(d, epsilon = e, control = ep_control(tol = 1e-10))
  K <- ref_kernel(fit$data$X, lengthscale = 1.5, bias = fit$kernel$bias, nugget = fit$kernel$nugget)
  S <- solve(solve(K) + diag(fit$ep$sites$tau))
  m <- drop(S %*% fit$ep$sites$nu)
  v <- 1 / (1 / diag(S) - fit$ep$sites$tau)
  mean <- v * (m / diag(S) - fit$ep$sites$nu)
  q <- stats::pnorm(mean / sqrt(v)) # of the event, without the row's own label
  event <- d$y == "b"
  recorded <- cbind(1 - q, q) %*% rbind(c(1 - e[[1]], e[[1]]), c(e[[2]], 1 - e[[2]]))
  z <- recorded[cbind(1:40, 1 + event)]
  wrong <- ifelse(event, e[[1]] * (1 - q), e[[2]] * q) / z
  found <- mislabelled(fit)
  found <- found[order(found$row), ]
  expect_equal(found$probability, unname(wrong), tolerance = 1e-6)
  expect_equal(found$loo, unname(z), tolerance = 1e-6)
  expect_null(found$unusual)
  # and of new rows the probability of the latent function
  new <- data.frame(a = c(-1, 0.2), b = c(0.5, 0))
  latent <- predict(fit, new, type = "latent")
  expect_equal(
    unname(predict(fit, new, type = "prob")[, "b"]), stats::pnorm(latent$location / latent$scale), tolerance = 1e-8
  )
})

# The first stage takes the noise out that it has learned, or is given; but not all that a matrix knows, where it
# has learned one rate
own_cases <- list(
  list(classes = 2, epsilon = "learn", kind = "fit"), list(classes = 3, epsilon = "learn", kind = "fit"),
  list(classes = 3, epsilon = "average", kind = "fit"), list(classes = 3, epsilon = "matrix", kind = "recorded")
)

test_that("the scores are of the true class, or of the recorded one, without the row", {
  for (case in own_cases) {
    classes <- case$classes
    made <- stage_table(30, classes)
    fit <- one_point(made$d, scale = FALSE, epsilon = case$epsilon)
    scores <- fit$label_stage$data$X
    expect_equal(rowSums(scores), rep(1, 30))
    expect_identical(fit$label_stage$recalibration$kind, case$kind)
    P <- if (case$kind == "fit") scores %*% unname(fit$omega) else scores
    expect_equal(
      log(P[cbind(1:30, as.integer(made$d$y))]), unname(loo(fit)$pointwise[, "elpd_loo"]), tolerance = 1e-8
    )
    for (i in c(2, 5, 16)) { # the second is wrong; EP of several classes leaves a row out less exactly
      without <- gpc(
        y ~ ., made$d[-i, ], kernel = held(1.5), epsilon = if (classes == 2) fit$epsilon else fit$omega,
        hyper = "optimum", scale = FALSE
      )
      p <- first_prob(without, as.matrix(made$d[i, 1:2]), noise = case$kind == "recorded")
      expect_lt(max(abs(scores[i, ] - p)), c(0.02, 0.07)[classes - 1])
    }
  }
})

test_that("answers about labels are L q~ / Z at the points of the stage", {
  for (case in own_cases) {
    classes <- case$classes
    made <- stage_table(60, classes)
    fit <- one_point(made$d, epsilon = case$epsilon, control = ep_control(tol = 1e-10))
    expect_identical(fit$label_stage$recalibration$kind, case$kind)
    stage <- fit$label_stage
    noise <- noise_model(if (case$kind == "fit") "learn" else "matrix", noise_prior(), stage$data$reports)
    # at its modes alone, which are all that is kept
    stage$nodes <- label_average(stage$data$X, stage$data, noise, stage$recalibration$way, 0L)
    expect_lte(nrow(stage$nodes$table), 2)
    y <- as.integer(made$d$y)
    plain <- ref_stage(stage, y = y)
    expect_equal(
      rowSums(stage$nodes$truth$p * rep(stage$nodes$truth$weight, each = 60 * classes), dims = 2),
      unname(plain$p), tolerance = 1e-8
    )
    # nothing is to be taken out of the scores, or all of the noise
    at <- points_at(stage$nodes$points[[1]], 1)
    omega <- stage$nodes$omega[[1]][1, , ]
    if (case$kind == "fit") {
      expect_null(at$M)
    } else {
      expect_equal(matrix(at$M, 3) %*% omega, diag(3), tolerance = 1e-8)
    }
  }
})

test_that("predictions go through the stage: the scores of new rows are those of the first", {
  for (case in own_cases) {
    made <- stage_table(60, case$classes)
    fit <- one_point(made$d, epsilon = case$epsilon)
    new <- stage_table(25, case$classes, seed = 9)$d
    X <- rows_to_predict(fit, new)$X
    first <- first_prob(fit, X, noise = case$kind == "recorded")
    plain <- ref_stage(fit$label_stage, first)
    said <- predict(fit, new, type = "prob")
    expect_lt(max(abs(said - plain$seen)), 0.005) # of a few of the points
    noisy <- predict(fit, new, type = "prob", noise = TRUE)
    expect_lt(max(abs(noisy - plain$recorded)), 0.005)
    expect_gt(max(abs(said - first_prob(fit, X))), 0.005)
  }
})

test_that("what is of the fit itself does not go through the stage", {
  local_fewer_points()
  made <- stage_table(50)
  fit <- gpc(y ~ ., made$d, kernel = kernel_iso(), hyper = "integrate")
  alone <- fit
  alone$label_stage <- NULL
  for (of in list(loo, log_evidence, row_brier, coef, calibration)) expect_identical(of(fit), of(alone))
  expect_identical(predict(fit, made$d[1:3, ], type = "latent"), predict(alone, made$d[1:3, ], type = "latent"))
  expect_false(identical(row_flipped(fit), row_flipped(alone)))
  # without its stage it judges the labels itself, until it is fitted again
  expect_equal(row_flipped(alone), mean_wrong(truth(fit)))
  expect_s3_class(update(alone, epsilon = "average")$label_stage, "second_stage")
})

test_that("one learned rate has its noise model alone in its stage, an average the usual ones", {
  local_fewer_points()
  two <- c("none", "one", "two", "first", "second")
  of <- function(fit) fit$label_stage$nodes$models$model
  d <- stage_table(30)$d
  expect_equal(of(one_point(d, epsilon = "learn")), "one")
  expect_setequal(of(one_point(d)), two)
  expect_setequal(of(gpc(y ~ ., d, kernel = held(), hyper = "integrate")), two)
  three <- stage_table(30, 3)$d
  expect_setequal(
    of(gpc(y ~ ., three, kernel = held(), hyper = "integrate")),
    c("none", "one", "each", "matrix", paste0("alone", 1:3))
  )
  some <- gpc(
    y ~ ., d, kernel = held(), hyper = "integrate", noise = noise_prior(c(none = 1, first = 1))
  )
  expect_setequal(of(some), c("none", "first"))
  expect_equal(nrow(some$nodes$models), 1)
  held_share <- gpc(y ~ ., d, kernel = held(), hyper = "integrate", noise = noise_prior(unusual = 0))
  expect_identical(held_share$label_stage$nodes$unusual, numeric(30))
})

test_that("checks and trusted rows change both stages, as a fit to what is known then", {
  local_fewer_points()
  made <- stage_table(60)
  fit <- gpc(y ~ ., made$d, kernel = held(1.5), hyper = "integrate")
  rows <- made$wrong[1:3]
  after <- suppressMessages(update(fit, checked = data.frame(row = rows, label = made$truth[rows])))
  test <- noise_test(after)
  expect_equal(test$found, 3)
  expect_true(test$disproved)
  expect_identical(row_flipped(after)[rows], numeric(3))
  expect_equal(after$label_stage$nodes$ruled_out[["none"]], 0.25)
  expect_false("none" %in% after$label_stage$nodes$models$model)
  known <- setdiff(1:20, made$wrong)
  trusted <- update(fit, trusted = known)
  direct <- gpc(y ~ ., made$d, kernel = held(1.5), hyper = "integrate", trusted = known)
  expect_equal(row_flipped(trusted), row_flipped(direct), tolerance = 1e-10)
  expect_identical(row_flipped(trusted)[known], numeric(length(known)))
  expect_identical(report_known(trusted$label_stage$data$reports), seq_len(60) %in% known)
})

test_that("rows that are absorbed are in the stage, which is that of all leave-one-out probabilities", {
  local_fewer_points()
  made <- stage_table(60)
  old <- 1:45
  fit <- gpc(y ~ ., made$d[old, ], kernel = held(1.5), hyper = "integrate")
  more <- absorb(fit, made$d[-old, ])
  expect_equal(nobs(more$label_stage), 60)
  expect_identical(more$label_stage$data$X, own_scores(more))
  again <- with_label_stage(more)
  expect_identical(row_flipped(again), row_flipped(more))
  expect_equal(nrow(mislabelled(more)), 60)
  filtered <- absorb(bpm(y ~ ., made$d[old, ], hyper = "optimum"), made$d[-old, ])
  expect_null(filtered$label_stage)
})

test_that("a fit is the same after saveRDS(), and one of the version before was changed", {
  local_fewer_points()
  made <- stage_table(40)
  for (fit in list(
    gpc(y ~ ., made$d, kernel = kernel_iso(), hyper = "integrate"),
    gpc(y ~ ., stage_table(40, 3)$d, kernel = held(), hyper = "integrate", noise = noise_prior(c(none = 1, one = 1)))
  )) {
    file <- withr::local_tempfile(fileext = ".rds")
    saveRDS(fit, file)
    back <- readRDS(file)
    expect_identical(mislabelled(back), mislabelled(fit))
    expect_identical(predict(back, made$d[1:5, ], type = "prob"), predict(fit, made$d[1:5, ], type = "prob"))
    # noise_prior() had no share of unusual rows then
    before <- fit
    before$label_stage <- NULL
    before$spec$noise["unusual"] <- NULL
    for (ask in list(print, mislabelled, noise_test, predict, loo)) {
      cnd <- expect_error(ask(before), class = "sturdy_error_changed")
      expect_equal(cnd$field, "spec")
    }
  }
  other <- fit
  other$label_stage$data$rows <- rev(other$label_stage$data$rows)
  expect_error(print(other), class = "sturdy_error_changed")
})

test_that("a class may have no name", {
  local_fewer_points()
  d <- stage_table(40)$d
  blank <- replace(as.character(d$y), 1:3, "")
  fit <- quiet_gpc(d[c("a", "b")], blank, kernel = held(), hyper = "integrate")
  expect_equal(fit$label_stage$blueprint$levels, c("", "a", "b"))
  expect_equal(nrow(mislabelled(fit)), 40)
})

test_that("without its rows a fit says the same of their labels", {
  local_fewer_points()
  skip_if_not_installed("butcher")
  d <- stage_table(40)$d
  linear <- bpm(y ~ ., d, hyper = "integrate")
  alone <- butcher::butcher(linear)
  expect_null(alone$label_stage$data)
  same <- c("bayes_factor", "any", "average", "verdict")
  expect_equal(noise_test(alone)[same], noise_test(linear)[same])
  told <- function(fit) mislabelled(fit, newdata = d[1:5, ])
  expect_equal(told(alone)$probability, told(linear)$probability)
})

test_that("classes that overlap are not taken for wrong labels beside a factor of many levels", {
  local_fewer_points()
  set.seed(2)
  d <- data.frame(city = factor(sample(paste0("c", 1:25), 90, TRUE)), x = rnorm(90))
  d$y <- factor(ifelse(d$x + rnorm(90) / 2 > 0, "u", "v"))
  fit <- gpc(y ~ ., d, hyper = "integrate")
  expect_lt(noise_test(fit)$bayes_factor, 3)
  expect_equal(attr(mislabelled(fit), "expected")$lower, 0)
})

test_that("rows of unit length in many columns: the number of wrong labels is in its interval", {
  local_fewer_points()
  set.seed(2)
  n <- 100
  p <- 60
  class <- sample(2, n, TRUE)
  X <- matrix(rnorm(n * p), n, dimnames = list(NULL, paste0("e", 1:p))) / sqrt(p)
  X[cbind(1:n, class)] <- X[cbind(1:n, class)] + 0.9
  wrong <- sample(n, 12)
  y <- factor(c("a", "b")[replace(class, wrong, 3 - class[wrong])])
  fit <- gpc(X / sqrt(rowSums(X^2)), y, kernel = kernel_iso(), hyper = "integrate")
  said <- wrong_of(fit)
  expect_true(said$lower <= 12 && said$upper >= 12)
  expect_gt(mean(head(mislabelled(fit)$row, 8) %in% wrong), 0.7)
})

test_that("errors that take one class for the same other one are seen, and none where there are none", {
  d <- withr::with_seed(41, {
    d <- data.frame(a = stats::rnorm(1200), b = stats::rnorm(1200))
    score <- d$a + d$b + 0.3 * stats::rnorm(1200)
    d$class <- cut(score, c(-Inf, -0.6, 0.6, Inf), c("lo", "mid", "hi"))
    d
  })
  wrong <- which(d$class == "hi")[seq(4, sum(d$class == "hi"), by = 10)]
  clean <- quiet_gpc(class ~ ., d, hyper = "optimum")
  expect_lt(noise_test(clean)$bayes_factor, 0.1)
  d$class[wrong] <- "mid"
  fit <- quiet_gpc(class ~ ., d, hyper = "optimum")
  expect_gt(noise_test(fit)$bayes_factor, 10)
  said <- wrong_of(fit)
  expect_lt(said$lower, length(wrong))
  expect_gt(said$upper, length(wrong))
})
