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

extended_test("EM ends where the gradient does, and with the M-step as printed it overshoots", {
  thyroid <- script_env("kg08-thyroid")
  d <- thyroid$thyroid_half(0.1, 2)
  fits <- lapply(c("gradient", "em", "em_kg08"), function(method) {
    thyroid$kg08_fit(method, d, thyroid$thyroid_kernel(), TRUE)
  })
  rates <- vapply(fits, `[[`, 0, "epsilon")
  evidence <- vapply(fits, log_evidence, 0)
  expect_close(rates[2], rates[1], 2e-3, floor = 1)
  expect_close(evidence[2], evidence[1], 0.01, floor = 1)
  expect_close(rates[2], mean(fits[[2]]$ep$flipped), 1e-6, floor = 1)
  wrong <- pnorm(-fits[[3]]$data$y * fits[[3]]$ep$m / sqrt(fits[[3]]$ep$C_diag))
  expect_close(rates[3], mean(wrong), 1e-6, floor = 1)
  expect_gt(rates[3], rates[2] + 0.01)
  expect_lt(evidence[3], evidence[2] - 0.5)
})

circle_task <- function(problem, points = 40, seed = 3) {
  list(problem = problem, seed = seed, points = points, flipped = 2, gap = 0.25)
}

extended_test("the circle of the paper has its area, and random flips among the first 40", {
  circle <- script_env("kg08-circle")
  d <- circle$circle_problem(circle_task("paper"))
  expect_identical(c(nrow(d$x), nrow(d$x_test)), c(40L, 960L))
  expect_identical(d$y_test == "outside", unname(rowSums(d$x_test^2) > 0.5))
  expect_identical(unname((d$y == "inside") != (rowSums(d$x^2) < 0.5)), d$flipped)
  expect_identical(sum(d$flipped), 2L)
  at <- coef(circle$kg08_fit("em_kg08", d, circle$circle_kernels$paper, FALSE))
  # l = 1 / (2 lengthscale^2)
  expect_equal(1 / (2 * at[["lengthscale"]]^2), 0.5)
  expect_equal(at[c("variance", "bias")], c(1, 1e-8), ignore_attr = TRUE)
})

extended_test("our circle parts the square in halves, and gross errors lie far from it", {
  circle <- script_env("kg08-circle")
  d <- circle$circle_problem(circle_task("gross"))
  expect_lt(abs(mean(d$y_test == "inside") - 0.5), 0.005)
  expect_identical(sum(d$flipped), 2L)
  expect_identical(d$y != circle$circle_class(d$x, "gross"), d$flipped)
  radius <- sqrt(rowSums(d$x[d$flipped, ]^2))
  expect_true(all(abs(radius - sqrt(2 / pi)) > 0.25))
})

extended_test("the printed data set is placed among ours", {
  circle <- script_env("kg08-circle")
  rows <- data.frame(
    problem = "paper", method = rep(c("gpc", "em_kg08"), each = 4), seed = rep(1:4, 2),
    log_evidence = c(-20, -22, -24, -27, -19, -23, -25, -26), error = rep(c(0.1, 0.05), each = 4)
  )
  table <- circle$circle_table1(rows)
  expect_equal(table$printed, c(-26.96, -25.31, 0.0708, 0.024))
  expect_equal(table$as_low, c(1, 1, 0, 0) / 4)
  expect_equal(table$robust_better, c(0.5, 0.5, 1, 1))
  spread <- sd(rows$log_evidence[1:4])
  expect_equal(table$z[1], (-23.25 + 26.96) / (spread * sqrt(1 + 1 / 4)))
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
  d <- circle$circle_problem(circle_task("gross", 200, 1))
  row <- circle$kg08_svm_row("svm", d, 1, circle$kg08_sigmas)
  expect_lt(row$error, 0.1)
  expect_identical(circle$kg08_svm_row("svm", d, 1, circle$kg08_sigmas)$error, row$error)
  # that of the paper has the kernel held
  held <- circle$kg08_svm(data.matrix(d$x), d$y, 1, 0.05)
  expect_identical(kernlab::kpar(kernlab::kernelf(held))$sigma, 0.05)
})

extended_test("both printed quantities stand beside the methods of the paper", {
  thyroid <- script_env("kg08-thyroid")
  means <- expand.grid(
    rate = c(0, 0.1), method = c("gpc", "gradient", "em_kg08", "selected_kg08", "svm_held"),
    stringsAsFactors = FALSE
  )
  means[c("log_evidence", "log_evidence_se")] <- rep(c(-20, 1), each = 10)
  means[c("error", "error_se")] <- rep(c(0.05, 0.01), each = 10)
  table <- thyroid$thyroid_beside_paper(means)
  expect_identical(table$method, means$method)
  expect_equal(
    table$log_evidence_printed, c(-24.4, -51.8, NA, NA, -27.8, -50.9, -24.4, -50.5, NA, NA)
  )
  expect_equal(
    100 * table$error_printed, c(3.70, 7.50, NA, NA, 4.54, 6.30, 3.70, 6.76, 4.07, 6.76)
  )
  # both errors count
  expect_equal(table$log_evidence_z[1], 4.4 / sqrt(1 + 0.6^2))
  expect_equal(table$error_z[1], (0.05 - 0.037) / sqrt(0.01^2 + 0.0036^2))
})

test_that("robust and selected are not worse than plain, at 10 and 15 % flips", {
  paired <- stored_result("kg08-thyroid-paired.csv")
  robust <- c("gradient", "em_kg08", "selected", "selected_kg08")
  rows <- paired[paired$method %in% robust & paired$rate >= 0.1, ]
  expect_identical(nrow(rows), 8L)
  expect_true(all(rows$error <= rows$error_se))
  gain <- rows$log_evidence[rows$method %in% c("gradient", "selected")]
  expect_true(all(gain > 0))
  circle <- stored_result("kg08-circle-paired.csv")
  circle <- circle[circle$method %in% robust, ]
  expect_identical(nrow(circle), 8L)
  expect_true(all(circle$error <= circle$error_se))
})
