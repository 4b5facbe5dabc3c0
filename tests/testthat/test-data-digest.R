# Digests of values.

# FNV-1a in plain R: 64 bits as four numbers of 16, the smallest first
fnv <- function(bytes, state = c(0x2325, 0x8422, 0x9ce4, 0xcbf2)) {
  prime <- c(0x1b3, 0, 0x100, 0)
  for (byte in as.integer(bytes)) {
    state[1] <- bitwXor(state[1], byte)
    new <- vapply(1:4, function(k) sum(state[1:k] * prime[k:1]), 0)
    for (k in 1:3) new[k + 1] <- new[k + 1] + new[k] %/% 65536
    state <- new %% 65536
  }
  paste(sprintf("%04x", as.integer(rev(state))), collapse = "")
}

test_that("the first half is FNV-1a, as published", {
  first <- function(text) substr(digest(charToRaw(text)), 1, 16)
  expect_identical(substr(digest(raw()), 1, 16), "cbf29ce484222325")
  expect_identical(first("a"), "af63dc4c8601ec8c")
  expect_identical(first("foobar"), "85944171f73967e8")
  bytes <- withr::with_seed(1, as.raw(sample(0:255, 300, TRUE)))
  expect_identical(substr(digest(bytes), 1, 16), fnv(bytes))
  second <- c(0x7c15, 0x7f4a, 0x79b9, 0x9e37)
  expect_identical(substr(digest(bytes), 17, 32), fnv(bytes, second))
})

test_that("a digest is of the values, however R holds them", {
  expect_identical(digest(1:3), digest(c(1L, 2L, 3L)))
  expect_identical(digest(list("a", 2)), digest(list("a", 2)))
  expect_false(digest(1:3) == digest(c(1, 2, 3)))
  # without what names the version of R
  bytes <- serialize(list("a", 2), NULL, version = 2)
  expect_identical(digest(list("a", 2)), digest(bytes[-(1:14)]))
  whole <- as.raw(1:200)
  others <- vapply(seq_along(whole), function(k) {
    whole[k] <- xor(whole[k], as.raw(1))
    digest(whole)
  }, "")
  expect_length(unique(c(digest(whole), others)), 201)
})
