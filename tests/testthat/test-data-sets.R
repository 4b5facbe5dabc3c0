# Shipped data -------------------------------------------------------------

test_that("each data set has the documented shape and levels", {
  shape <- list(
    pima = list(c(768, 9), c(neg = 500, pos = 268)),
    ionosphere = list(c(351, 35), c(bad = 126, good = 225)),
    sonar = list(c(208, 61), c(R = 97, M = 111)),
    newthyroid = list(c(215, 6), c(normal = 150, hyper = 35, hypo = 30)),
    synth = list(c(1250, 4), c("0" = 625, "1" = 625)),
    colon = list(c(62, 11), c(normal = 22, tumour = 40))
  )
  for (name in names(shape)) {
    data <- sturdy_data(name)
    expect_identical(dim(data), as.integer(shape[[name]][[1]]), label = name)
    expect_identical(names(data)[ncol(data)], "class", label = name)
    expect_s3_class(data$class, "factor")
    count <- table(data$class)
    expect_equal(
      c(unclass(count)), shape[[name]][[2]],
      ignore_attr = "dim", label = name
    )
    features <- data[setdiff(names(data), c("class", "set"))]
    expect_true(all(vapply(features, is.numeric, NA)), label = name)
    expect_false(anyNA(data), label = name)
  }
})

test_that("synth marks its training and its test rows", {
  expect_identical(
    c(table(sturdy_data("synth")$set)),
    c(train = 250L, test = 1000L)
  )
})

test_that("of the nine tissues of colon that are doubted eight come first", {
  fit <- gpc(class ~ ., sturdy_data("colon"), hyper = "integrate")
  doubted <- c(3, 45, 49, 56, 57, 16, 24, 51, 55)
  expect_gte(sum(utils::head(mislabelled(fit), 9)$row %in% doubted), 8)
})

test_that("the files are the ones whose checksums are documented", {
  folder <- system.file("extdata", package = "sturdy")
  readme <- readLines(file.path(folder, "README.md"))
  lines <- grep("^[0-9a-f]{64}  [a-z]+[.]csv$", readme, value = TRUE)
  expect_setequal(paste0(substring(lines, 67), ".gz"), list.files(folder, "[.]gz$"))
  skip_if(!nzchar(Sys.which("sha256sum")), "no sha256sum")
  plain <- vapply(paste0(substring(lines, 67), ".gz"), function(name) {
    packed <- gzfile(file.path(folder, name), "rb")
    on.exit(close(packed))
    file <- tempfile()
    writeBin(readBin(packed, "raw", 1e6), file)
    file
  }, "")
  found <- system2("sha256sum", shQuote(plain), stdout = TRUE)
  unlink(plain)
  expect_identical(substr(found, 1, 64), substr(lines, 1, 64))
})

test_that("an unknown data set is an error that lists the known ones", {
  expect_error(sturdy_data("iris"), class = "sturdy_error_choice")
  expect_error(sturdy_data(), class = "sturdy_error_choice")
  expect_error(sturdy_data(c("pima", "sonar")), class = "sturdy_error_choice")
  expect_error(sturdy_data(1), class = "sturdy_error_choice")
  expect_snapshot(said(sturdy_data("iris")))
})

# Flipped labels -----------------------------------------------------------

test_that("exactly round(rate * n) labels are flipped, and named", {
  y <- factor(rep(c("a", "b"), c(30, 21)))
  for (rate in c(0, 0.05, 0.1, 0.5, 1)) {
    noisy <- flip_labels(y, rate, seed = 1)
    flipped <- attr(noisy, "flipped")
    expect_type(flipped, "integer")
    expect_identical(flipped, which(noisy != y))
    expect_length(flipped, round(rate * 51))
  }
})

test_that("flipping keeps the type, the levels and the names", {
  kept <- list(
    factor = factor(c("no", "yes", "no", "yes"), levels = c("yes", "no")),
    ordered = factor(c("low", "high", "low", "low"), ordered = TRUE),
    logical = c(TRUE, FALSE, TRUE, TRUE),
    zero_one = c(0, 1, 1, 0),
    integer = c(0L, 1L, 1L, 1L),
    minus_plus = c(-1, 1, 1, -1),
    named = c(a = TRUE, b = FALSE, c = TRUE, d = FALSE)
  )
  for (name in names(kept)) {
    y <- kept[[name]]
    noisy <- flip_labels(y, 0.5, seed = 2)
    flipped <- attr(noisy, "flipped")
    attr(noisy, "flipped") <- NULL
    expect_identical(attributes(noisy), attributes(y), label = name)
    expect_identical(typeof(noisy), typeof(y), label = name)
    expect_identical(which(as.vector(noisy) != as.vector(y)), flipped)
    # flipping the same positions again gives the labels back
    again <- flip_labels(noisy, 0.5, seed = 2)
    attr(again, "flipped") <- NULL
    expect_identical(again, y, label = name)
  }
})

test_that("a factor with one class in use still flips to the other", {
  y <- factor(c("a", "a"), levels = c("a", "b"))
  expect_identical(as.character(flip_labels(y, 1)), c("b", "b"))
})

test_that("labels are flipped among the classes that occur, and the levels are kept", {
  y <- factor(rep(c("a", "c"), 50), levels = c("none", "a", "b", "c"))
  noisy <- flip_labels(y, 0.5, seed = 1)
  expect_identical(as.vector(table(noisy[y == "a"])[c("none", "b")]), c(0L, 0L))
  expect_identical(levels(noisy), levels(y))
  flipped <- attr(noisy, "flipped")
  expect_identical(as.character(noisy[flipped]), ifelse(y[flipped] == "a", "c", "a"))
})

test_that("zero and one label can be flipped", {
  expect_identical(attr(flip_labels(logical(), 0.5), "flipped"), integer())
  expect_length(flip_labels(factor(character(), levels = 1:2), 0.5), 0)
  expect_length(flip_labels(numeric(), 0.5), 0)
  expect_identical(as.vector(flip_labels(TRUE, 1)), FALSE)
  expect_identical(as.vector(flip_labels(TRUE, 0)), TRUE)
})

test_that("a seed repeats the choice, whatever generator the session uses", {
  y <- rep(c(TRUE, FALSE), 50)
  first <- flip_labels(y, 0.1, seed = 7)
  expect_identical(flip_labels(y, 0.1, seed = 7), first)
  expect_false(identical(flip_labels(y, 0.1, seed = 8), first))
  withr::with_seed(1, .rng_kind = "Wichmann-Hill", {
    expect_identical(flip_labels(y, 0.1, seed = 7), first)
  })
})

test_that("a seed leaves the random number stream as it was", {
  y <- rep(c(TRUE, FALSE), 50)
  withr::with_seed(3, {
    before <- .Random.seed
    flip_labels(y, 0.1, seed = 7)
    expect_identical(.Random.seed, before)
    flip_labels(y, 0.1)
    expect_false(identical(.Random.seed, before))
  })
})

test_that("a seed leaves a session that has drawn nothing its kind of numbers", {
  withr::local_preserve_seed()
  RNGkind("Wichmann-Hill")
  rm(".Random.seed", envir = globalenv())
  flip_labels(c(TRUE, FALSE), 0.5, seed = 1)
  expect_identical(RNGkind()[1], "Wichmann-Hill")
})

test_that("of several classes a flipped label is any other one alike", {
  y <- factor(rep(c("a", "b", "c", "d"), each = 3000))
  noisy <- flip_labels(y, 0.5, seed = 3)
  flipped <- attr(noisy, "flipped")
  expect_length(flipped, 6000)
  expect_identical(which(noisy != y), flipped)
  expect_identical(levels(noisy), levels(y))
  # each pair expects 500, with a standard deviation of some 20
  pairs <- table(y[flipped], noisy[flipped])
  expect_true(all(diag(pairs) == 0))
  expect_lt(max(abs(pairs[row(pairs) != col(pairs)] - 500)), 100)
})

test_that("labels that can't be flipped are errors", {
  expect_error(flip_labels(c("a", "b"), 0.1), class = "sturdy_error_type")
  expect_error(flip_labels(data.frame(y = 1:2), 0.1), class = "sturdy_error_type")
  expect_error(flip_labels(NULL, 0.1), class = "sturdy_error_type")
  expect_error(flip_labels(c(TRUE, NA), 0.1), class = "sturdy_error_missing")
  for (y in list(1:3, c(-1, 0, 1), c(0, 0.5), c(1, 1), c(0, Inf))) {
    expect_error(flip_labels(y, 0.1), class = "sturdy_error_outcome_levels")
  }
  expect_error(flip_labels(factor(c("a", "a")), 0.1), class = "sturdy_error_outcome_levels")
  expect_snapshot({
    said(flip_labels(c("a", "b"), 0.1))
    said(flip_labels(c(TRUE, NA), 0.1))
    said(flip_labels(factor(c("a", "a")), 0.1))
    said(flip_labels(1:3, 0.1))
    said(flip_labels(c(1, 1), 0.1))
  })
})

test_that("rate and seed are checked", {
  y <- c(TRUE, FALSE)
  expect_error(flip_labels(y, -0.1), class = "sturdy_error_range")
  expect_error(flip_labels(y, 1.1), class = "sturdy_error_range")
  expect_error(flip_labels(y, NA), class = "sturdy_error_type")
  expect_error(flip_labels(y, "0.1"), class = "sturdy_error_type")
  expect_error(flip_labels(y, 0.1, seed = "a"), class = "sturdy_error_type")
  expect_error(flip_labels(y, 0.1, seed = 1.5), class = "sturdy_error_type")
})

# Simulated outliers -------------------------------------------------------
