# The experiments after Kim and Ghahramani (2008): their problems, tables and claims.

extended_test("training labels only are flipped, those of a lower rate again", {
  thyroid <- script_env("kg08-thyroid")
  clean <- thyroid$thyroid_half(0, 4)
  flipped <- lapply(c(0.05, 0.15), thyroid$thyroid_half, seed = 4)
  expect_false(any(clean$flipped))
  for (d in flipped) {
    expect_identical(d[c("x", "x_test", "y_test")], clean[c("x", "x_test", "y_test")])
    expect_identical(which(d$y != clean$y), which(d$flipped))
  }
  counts <- vapply(flipped, function(d) sum(d$flipped), 0L)
  expect_identical(counts, as.integer(round(c(0.05, 0.15) * length(clean$y))))
  expect_true(all(which(flipped[[1]]$flipped) %in% which(flipped[[2]]$flipped)))
})

extended_test("the kernel of Table 2 has all but the nugget held", {
  thyroid <- script_env("kg08-thyroid")
  d <- thyroid$thyroid_half(0, 1)
  at <- coef(thyroid$kg08_fit("gpc", d, thyroid$thyroid_kernel(), TRUE))
  expect_equal(1 / (2 * at[["lengthscale"]]^2), 0.05)
  expect_equal(at[c("variance", "bias", "epsilon")], c(1, 1e-8, 0), ignore_attr = TRUE)
  expect_false(at[["nugget"]] == 0.1)
})

extended_test("the circle parts the square in halves, and gross errors lie far from it", {
  circle <- script_env("kg08-circle")
  d <- circle$circle_problem(3, 40, 2, 0.25)
  expect_lt(abs(mean(d$y_test == "inside") - 0.5), 0.005)
  expect_identical(sum(d$flipped), 2L)
  expect_identical(d$y != circle$circle_class(d$x), d$flipped)
  radius <- sqrt(rowSums(d$x[d$flipped, ]^2))
  expect_true(all(abs(radius - sqrt(2 / pi)) > 0.25))
})

extended_test("the evidence selects, and the rest of its row follows", {
  thyroid <- script_env("kg08-thyroid")
  rows <- data.frame(
    method = c("gpc", "gradient"), log_evidence = c(-20, -19), error = c(0.1, 0.2),
    seconds = 1:2
  )
  selected <- thyroid$kg08_selected(rows, "gradient", "selected")
  expect_identical(selected$error, 0.2)
  expect_identical(selected$seconds, 3L)
  rows$log_evidence[2] <- -21
  expect_identical(thyroid$kg08_selected(rows, "gradient", "selected")$error, 0.1)
})

extended_test("errors are compared within replications", {
  thyroid <- script_env("kg08-thyroid")
  rows <- data.frame(
    seed = c(1, 2, 3, 3, 2, 1), method = rep(c("gpc", "em"), each = 3),
    error = c(0.1, 0.2, 0.3, 0.32, 0.24, 0.1), log_evidence = -1
  )
  table <- thyroid$kg08_paired(rows)
  expect_equal(table$error, 0.02)
  expect_equal(table$error_se, 0.02 / sqrt(3))
  expect_false(table$never_worse)
  rows$error[6] <- 0.02
  expect_true(thyroid$kg08_paired(rows)$never_worse)
})

extended_test("the share of flipped labels found is that among the first ranks", {
  thyroid <- script_env("kg08-thyroid")
  d <- toy()
  fit <- toy_fit()
  flipped <- seq_len(nrow(d)) %in% c(3, 30)
  first <- mislabelled(fit)$row[1:2]
  expect_equal(thyroid$kg08_found(fit, flipped), mean(first %in% c(3, 30)))
  expect_identical(thyroid$kg08_found(fit, !flipped & FALSE), NA_real_)
})

extended_test("the support vector machine is tuned, and finds a circle", {
  circle <- script_env("kg08-circle")
  d <- circle$circle_problem(1, 200, 2, 0.25)
  row <- circle$kg08_svm_row(d, 1)
  expect_lt(row$error, 0.1)
  expect_identical(circle$kg08_svm_row(d, 1)$error, row$error)
})

extended_test("the printed evidence stands beside each method", {
  thyroid <- script_env("kg08-thyroid")
  means <- expand.grid(
    rate = c(0, 0.1), method = c("gpc", "gradient", "em_kg08", "svm"),
    stringsAsFactors = FALSE
  )
  means$log_evidence <- -20
  means$log_evidence_se <- 1
  table <- thyroid$thyroid_beside_paper(means)
  expect_identical(table$method, means$method)
  expect_equal(table$printed[1:6], c(-24.4, -51.8, rep(c(-27.8, -50.9), 2)))
  expect_true(all(is.na(table$printed[7:8])))
  expect_equal(table$difference_se[1], 4.4)
})

test_that("robust and selected are not worse than plain, at 10 and 15 % flips", {
  paired <- stored_result("kg08-thyroid-paired.csv")
  robust <- c("gradient", "em", "em_kg08", "selected", "selected_kg08")
  rows <- paired[paired$method %in% robust & paired$rate >= 0.1, ]
  expect_identical(nrow(rows), 10L)
  expect_true(all(rows$error <= rows$error_se))
  gain <- rows$log_evidence[rows$method %in% c("gradient", "em", "selected")]
  expect_true(all(gain > 0))
  circle <- stored_result("kg08-circle-paired.csv")
  circle <- circle[circle$method %in% robust, ]
  expect_identical(nrow(circle), 5L)
  expect_true(all(circle$error <= circle$error_se))
})
