
test_that("of two rows it is said that they tell next to nothing", {
  d <- data.frame(x = c(-1, 1, 2, -2), y = c(0, 1, 1, 0))
  expect_message(gpc(y ~ x, d[1:2, ], epsilon = 0.1), class = "sturdy_message_few_rows")
  expect_message(bpm(y ~ x, d[1:3, ]), class = "sturdy_message_few_rows")
  expect_no_message(gpc(y ~ x, d, epsilon = 0.1), class = "sturdy_message_few_rows")
})
