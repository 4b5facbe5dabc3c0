# What a fit with three classes or more is asked, and what is known about its labels.

held_iso <- function(...) kernel_iso(2, nugget = 0.1, ..., fixed = TRUE)
iris_rows <- c(1:15, 51:65, 101:115)

flipped_iris <- function(wrong = c(3, 20, 40)) {
  d <- datasets::iris[iris_rows, ]
  row.names(d) <- NULL
  next_one <- c(setosa = "versicolor", versicolor = "virginica", virginica = "setosa")
  d$Species[wrong] <- next_one[as.character(d$Species[wrong])]
  d
}
right_species <- datasets::iris$Species[iris_rows]

test_that("where all labels are trusted there is no rate", {
  d <- flipped_iris()
  sure <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0)
  fit <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.2, trusted = rep(TRUE, 45))
  expect_equal(log_evidence(fit), log_evidence(sure), tolerance = 1e-8)
  expect_equal(predict(fit, type = "prob"), predict(sure, type = "prob"), tolerance = 1e-7)
  expect_equal(unname(fit$ep$flipped), rep(0, 45))
  expect_equal(row_brier(fit), row_brier(sure), tolerance = 1e-7)
})

test_that("a trusted label is not suspected, and its neighbours follow it", {
  d <- flipped_iris()
  plain <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1)
  fit <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1, trusted = c(20, 21))
  expect_equal(fit$ep$flipped[c(20, 21)], c(0, 0))
  expect_gt(plain$ep$flipped[20], 0.1)
  expect_gt(predict(fit, type = "prob")[20, "virginica"], predict(plain, type = "prob")[20, "virginica"])
  # the order in which EP visits the rows does not matter
  turn <- c(31:45, 1:30)
  again <- gpc(Species ~ ., d[turn, ], kernel = held_iso(), epsilon = 0.1,
               trusted = turn %in% c(20, 21))
  expect_equal(unname(again$ep$flipped), unname(fit$ep$flipped[turn]), tolerance = 1e-7)
})

test_that("the learned rate of rows that are not trusted is where the evidence has no slope", {
  d <- flipped_iris()
  known <- c(1:2, 16:17, 31:32)
  fit <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = "learn", hyper = "optimum",
             trusted = known)
  at <- function(epsilon) {
    log_evidence(gpc(Species ~ ., d, kernel = held_iso(), epsilon = epsilon, trusted = known))
  }
  expect_equal(at(fit$epsilon), log_evidence(fit), tolerance = 1e-7)
  expect_lt(at(0.8 * fit$epsilon), log_evidence(fit))
  expect_lt(at(1.2 * fit$epsilon), log_evidence(fit))
  matrix <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = "matrix", hyper = "optimum",
                trusted = known)
  open <- 45 - length(known)
  expect_equal(flip_rates(matrix)$rows, rep(open, 3))
  expect_equal(sum(expected_reports(judged_by(matrix))), open, tolerance = 1e-8)
})

test_that("a review names the most suspicious rows, and takes the answers in", {
  d <- flipped_iris()
  fit <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1)
  first <- review(fit, 4)
  ranked <- mislabelled(fit)
  expect_equal(first$row, ranked$row[1:4])
  expect_equal(first$found, cumsum(ranked$probability[1:4]))
  expect_equal(attr(first, "left")$count, sum(ranked$probability[-(1:4)]), tolerance = 1e-8)
  expect_match(printed(first), "4 rows to check")
  checked <- data.frame(row = first$row, label = right_species[first$row])
  next_fit <- suppressMessages(update(fit, checked = checked))
  expect_equal(levels(right_species)[next_fit$data$y[first$row]], as.character(checked$label))
  expect_equal(unname(next_fit$ep$flipped[first$row]), rep(0, 4))
  expect_false(any(review(next_fit, 41)$row %in% first$row))
  expect_lt(sum(next_fit$ep$flipped), sum(fit$ep$flipped))
  # all checked: as if the labels had been right, and what was found is binomial
  all <- suppressMessages(
    update(fit, checked = data.frame(row = 1:45, label = right_species))
  )
  d$Species <- right_species
  right <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0)
  wrong <- sum(flipped_iris()$Species != right_species)
  found <- wrong * log(0.1 / 2) + (45 - wrong) * log(0.9)
  expect_equal(log_evidence(all), log_evidence(right) + found, tolerance = 1e-8)
  expect_error(
    update(fit, checked = data.frame(row = 1, label = "rose")), class = "sturdy_error_checked"
  )
})

test_that("calibration is of the probabilities of what is recorded", {
  fit <- gpc(Species ~ ., flipped_iris(), kernel = held_iso(), epsilon = 0.1)
  all <- calibration(fit, bins = 4)
  expect_equal(all$probability, as.vector(exp(fit$ep$seen) %*% fit$omega))
  expect_equal(all$event, as.vector(outer(fit$data$y, 1:3, `==`)))
  expect_equal(sum(all$bins$n * all$bins$observed), 45)
  expect_equal(sum(all$probability), 45)
  expect_equal(sum(all$event), 45)
  expect_match(printed(all), "a class is recorded")
})

test_that("true performance is that against the labels where these are right", {
  d <- flipped_iris()
  sure <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0)
  prob <- predict(sure, type = "prob")
  found <- true_performance(sure, prob, draws = 20)
  expect_equal(found$true, found$recorded)
  expect_equal(found$lower, found$upper)
  p <- prob[cbind(1:45, sure$data$y)]
  expect_equal(found$recorded[found$measure == "log_score"], mean(log(p)))
  expect_equal(found$recorded[1], mean(max.col(prob) == sure$data$y))
  noisy <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1)
  accuracy <- true_performance(noisy, right_species)
  expect_gt(accuracy$true, accuracy$recorded)
  # of new rows: Bayes' rule, here by hand
  new <- d[c(3, 18), ]
  joint <- predict(noisy, new, type = "prob") * t(noisy$omega)[new$Species, ]
  truth <- joint / rowSums(joint)
  told <- true_performance(noisy, rep("setosa", 2), new, new$Species, draws = 4000)
  expect_equal(told$true, mean(truth[, "setosa"]), tolerance = 0.03)
  expect_equal(true_performance(sure, as.data.frame(prob), draws = 20), found)
  # one class alone has no area, and the other classes do not count
  alone <- true_performance(sure, prob[1:3, ], d[c(1, 2, 4), ], rep("setosa", 3), draws = 20)
  expect_identical(unlist(alone[alone$measure == "auc", -1], use.names = FALSE), rep(NA_real_, 4))
  # where rows were left out
  some <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1, subset = -(1:3))
  all <- replace(prob, 1:3, NA)
  dimnames(all) <- dimnames(prob)
  kept <- true_performance(some, prob[-(1:3), ], draws = 20)
  expect_equal(true_performance(some, all, draws = 20), kept)
  own <- true_performance(some, predict(some, type = "prob"), draws = 20)
  expect_equal(attr(own, "n"), 42)
  expect_error(true_performance(some, prob[1:41, ]), class = "sturdy_error_predictions")
  expect_error(true_performance(noisy, prob[, 1:2]), class = "sturdy_error_predictions")
  expect_error(true_performance(noisy), class = "sturdy_error_missing_argument")
  expect_error(true_performance(noisy, prob, new), class = "sturdy_error_missing_argument")
})

test_that("rows that are absorbed are as if they had been there", {
  d <- flipped_iris()
  fit <- gpc(Species ~ ., d[1:40, ], kernel = held_iso(), epsilon = 0.1, scale = FALSE)
  more <- absorb(fit, d[41:45, ])
  all <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1, scale = FALSE)
  expect_equal(predict(more, d, type = "prob"), predict(all, d, type = "prob"), tolerance = 1e-6)
  expect_equal(log_evidence(more), log_evidence(all), tolerance = 1e-7)
  expect_equal(mislabelled(more)$row, mislabelled(all)$row)
  low <- absorb(update(fit, inducing = 20), d[41:45, ])
  expect_equal(nobs(low), 45)
  expect_lt(max(abs(predict(low, d, type = "prob") - predict(all, d, type = "prob"))), 0.05)
  d$Species <- as.character(d$Species)
  d$Species[45] <- "rose"
  expect_error(absorb(fit, d[41:45, ]), class = "sturdy_error_novel_levels")
})

test_that("a fit is fitted again with changes", {
  d <- flipped_iris()
  fit <- gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1, inducing = 10)
  less <- update(fit, . ~ . - Sepal.Width, epsilon = 0.2)
  expect_equal(less$epsilon, 0.2)
  expect_equal(less$blueprint$columns, names(d)[c(1, 3, 4)])
  expect_equal(nrow(less$inducing$Z), 10)
  expect_equal(nobs(update(fit, data = d[-(1:3), ])), 42)
  two <- update(fit, data = droplevels(datasets::iris[51:150, ]))
  expect_s3_class(two, "sturdy_model")
  expect_error(update(fit, df = 5), class = "sturdy_error_several_classes")
})

test_that("candidates of several classes are compared", {
  d <- flipped_iris()
  candidates <- list(
    right = candidate("gpc", kernel = held_iso(), epsilon = 0),
    wrong = candidate("gpc", kernel = held_iso(), epsilon = 0.1)
  )
  chosen <- select_model(Species ~ ., d, candidates)
  expect_equal(chosen$table$log_evidence, c(
    log_evidence(gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0)),
    log_evidence(gpc(Species ~ ., d, kernel = held_iso(), epsilon = 0.1))
  ))
  best <- which.max(chosen$table$log_evidence)
  expect_equal(which(chosen$table$selected), best)
  expect_equal(predict(chosen, d[1:3, ]), predict(update(chosen), d[1:3, ]))
  expect_output(print(chosen), paste("Selected:", names(candidates)[best]))
  expect_error(
    select_model(Species ~ ., d, list(candidate("stc"))), class = "sturdy_error_several_classes"
  )
  expect_true(all(vapply(default_candidates(3), inherits, NA, "gpc_spec")))
})

test_that("more inducing inputs of several classes leave less", {
  fit <- gpc(Species ~ ., flipped_iris(), kernel = held_iso(), epsilon = 0.1, inducing = 10)
  expect_lt(update(fit, inducing = 30)$inducing$left, fit$inducing$left)
})

within_fit <- function(fit, field, value) {
  fit[[field]] <- value
  fit
}

test_that("a fit that was changed is refused", {
  fit <- gpc(Species ~ ., flipped_iris(), kernel = held_iso(), epsilon = 0.1)
  for (change in list(
    function(fit) within_fit(fit, "spec", NULL),
    function(fit) within_fit(fit, "omega", fit$omega[, 1:2]),
    function(fit) within_fit(fit, "data", fit$data["X"]),
    function(fit) within_fit(fit, "kernel", list())
  )) {
    changed <- change(fit)
    for (ask in list(predict, mislabelled, review, calibration, update, loo, log_evidence, print)) {
      expect_error(ask(changed), class = "sturdy_error_changed")
    }
  }
})
