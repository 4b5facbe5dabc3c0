test_that("classes have coordinates by the number of their labels, then by what tells them apart", {
  code <- c(1, 2, 2, 3, 3, 3)
  expect_equal(class_turn(code, 3, rep(1, 6), numeric(3)), c(3, 2, 1))
  # whatever the levels are called
  for (turn in list(c(2, 3, 1), c(3, 1, 2), c(2, 1, 3))) {
    named <- turn[class_turn(match(code, turn), 3, rep(1, 6), numeric(3))]
    expect_equal(named, c(3, 2, 1))
  }
  # by weight, ties by the second key, a class without labels last
  expect_equal(class_turn(code, 3, c(9, 1, 1, 1, 1, 1), numeric(3)), c(1, 3, 2))
  expect_equal(class_turn(c(1, 2), 3, c(1, 1), c(0.2, 0.5, 9)), c(2, 1, 3))
  # rounding of sums is no difference
  expect_equal(class_turn(rep(1:2, 3), 2, c(0.1, 0.3, 0.2, 0.2, 0.3, 0.1), c(0, 1)), c(2, 1))
})
