test_that("the price is what checks bring on average over the wrong labels and the draws", {
  # 6 rows, the first 3 wrong, 3 checks: by all 20 draws
  wrong <- matrix(1:6 <= 3, 6, 400)
  draws <- utils::combn(6, 3, simplify = FALSE)
  each <- vapply(draws, function(checked) {
    other <- !1:6 %in% checked
    k <- vapply(1:6, function(k) 3 * (1 + sum(!other[1:k] & !wrong[1:k, 1])) / (4 * sum(other[1:k])), 0)
    called <- which(other & 1:6 <= max(0, which(k <= 0.5)))
    c(sum(wrong[checked, 1]), length(called), sum(wrong[called, 1]))
  }, numeric(3))
  said <- withr::with_seed(1, price_of(wrong, 3, 0.5))
  expect_equal(unname(said), rowMeans(each), tolerance = 0.1)
  expect_equal(said[["found"]], 1.5, tolerance = 0.1)
})

test_that("of numbers of rows to draw from that bring as much the largest is taken", {
  said <- list(p = array(0.5, c(60, 2, 1)), weight = 1, y = rep(1:2, 30), model = "one")
  among <- function(...) {
    bring <- list(...)
    local_mocked(price_of = function(wrong, checks, fdr) {
      c(found = if (nrow(wrong) > 40) bring$many else bring$few, calls = 0, wrong = 0)
    })
    draw_price(said, 1:60, 20, 0.2)$among
  }
  expect_equal(among(few = 10, many = 9.1), 60)
  few <- among(few = 10, many = 8.9)
  expect_true(few > 37 && few <= 40)
})

test_that("rows are drawn at random, and the price leaves the random numbers alone", {
  fit <- toy_fit(epsilon = 0.1)
  drawn <- function(seed) withr::with_seed(seed, review(fit, n = 20, fdr = 0.2))
  expect_identical(drawn(1), drawn(1))
  expect_false(identical(drawn(1)$row, drawn(2)$row))
  price <- attr(drawn(1), "price")
  expect_identical(attr(drawn(2), "price"), price)
  expect_true(price$among > 20 && price$among <= 40)
  expect_true(all(drawn(1)$row %in% mislabelled(fit)$row[seq_len(price$among)]))
  expect_identical(unique(drawn(1)$drawn), drawn_words(20, price$among))
  local_mocked(draw_price = function(...) list(among = 22))
  expect_true(all(drawn(1)$row %in% mislabelled(fit)$row[1:22]))
})
