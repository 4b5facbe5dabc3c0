test_that("the number by checks alone is that of all numbers that they do not contradict", {
  # by the definition: 20 rows, 8 checked, 3 of them wrong
  drawn <- list(row = 1:8, wrong = 1:8 <= 3, open = logical(8), among = 1:20)
  fine <- vapply(0:20, function(k) {
    p <- dhyper(0:8, k, 20 - k, 8)
    sum(p[1:4]) > 0.05 && sum(p[4:9]) > 0.05
  }, NA)
  said <- drawn_count(drawn, 0.9)
  expect_equal(c(said$lower, said$upper), range((0:20)[fine]) - 3)
  expect_equal(unlist(said[c("rows", "checks", "among", "found")], use.names = FALSE), c(12, 8, 20, 3))
})

test_that("whichever rows are drawn, that interval holds the number as often as it says", {
  held <- vapply(0:12, function(wrong) {
    each <- vapply(0:min(wrong, 5), function(found) {
      drawn <- list(row = 1:5, wrong = 1:5 <= found, open = logical(5), among = 1:12)
      said <- drawn_count(drawn, 0.8)
      said$lower <= wrong - found && wrong - found <= said$upper
    }, NA)
    sum(dhyper(which(each) - 1, wrong, 12 - wrong, 5))
  }, 0)
  expect_gte(min(held), 0.8)
  # an answer that is open may be either
  open <- list(row = 1:5, wrong = 1:5 <= 1, open = 1:5 == 2, among = 1:12)
  two <- list(row = 1:5, wrong = 1:5 <= 2, open = logical(5), among = 1:12)
  expect_equal(drawn_count(open, 0.8)$upper, drawn_count(two, 0.8)$upper + 1)
})
