# The memory that fits work in (src/glue-memory.c)

test_that("what a large fit works in is kept while it is learned, and given back", {
  n <- 4e4
  d <- withr::with_seed(1, data.frame(x = rnorm(n), z = rnorm(n)))
  d$class <- d$x + rnorm(n) > 0
  kept <- numeric()
  keeps <- native_keep_memory
  local_mocked(native_keep_memory = function(all) {
    kept <<- c(kept, keeps(all))
    invisible(kept)
  })
  bpm(class ~ ., d, hyper = "optimum", control = ep_control(progress = FALSE))
  expect_identical(kept > 2e6, c(FALSE, TRUE, FALSE)) # before, when it is learned, and in the end
})
