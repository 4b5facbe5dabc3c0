test_that("flipped labels lead the list", {
  found <- mislabelled(toy_fit())
  expect_named(found, c("row", "label", "probability", "rank", "loo"))
  expect_setequal(found$row, 1:40)
  expect_equal(found$rank, 1:40)
  expect_true(30 %in% found$row[1:3])
  expect_true(all(diff(found$probability) <= 0))
  expect_equal(as.character(found$label), as.character(toy()$class[found$row]))
})

test_that("probabilities follow from the cavity", {
  fit <- toy_fit(epsilon = 0.1)
  z <- fit$y * fit$ep$cavity$mean / sqrt(fit$ep$cavity$var)
  p <- 0.1 * pnorm(-z) / (0.1 + 0.8 * pnorm(z))
  found <- mislabelled(fit)
  expect_equal(found$probability, p[found$row])
})

test_that("without label noise the ranks stay and a message says so", {
  fit <- toy_fit(epsilon = 0)
  expect_message(found <- mislabelled(fit), class = "sturdy_message_no_label_noise")
  expect_true(all(found$probability == 0))
  expect_true(all(diff(found$loo) >= 0))
  expect_snapshot(said(mislabelled(fit)))
})

test_that("rows are those of the data given, missing rows counted", {
  d <- toy()
  row.names(d) <- paste0("id", 1:40)
  d$a[1:2] <- NA
  found <- mislabelled(toy_fit(data = d))
  expect_setequal(found$row, 3:40)
  expect_equal(row.names(found), paste0("id", found$row))
})

test_that("an argument that is not known is an error", {
  expect_error(mislabelled(toy_fit(), n = 3), class = "sturdy_error_unknown_argument")
})
