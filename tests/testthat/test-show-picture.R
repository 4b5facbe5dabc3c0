test_that("a layer is a table of marks, and nothing makes no layer", {
  expect_null(marks("point", numeric(), numeric()))
  expect_null(spans(numeric(), 0, 1, 1, "guide"))
  box <- boxes(1:2, 0, 3, 4, "band")$data
  expect_equal(box$x, c(1, 3, 3, 1, 2, 3, 3, 2))
  expect_equal(box$y, rep(c(0, 0, 4, 4), 2))
  expect_equal(box$part, rep(1:2, each = 4))
  line <- rule("guide", c(0.5, 1))$data
  expect_equal(line$x, rep(c(-Inf, Inf), 2))
  expect_equal(line$y, rep(c(0.5, 1), each = 2))
})

test_that("contours are where the surface has their height, and none where it does not", {
  axes <- list(seq(0, 1, 0.1), seq(0, 2, 0.1))
  z <- outer(axes[[1]], axes[[2]])
  line <- contours(axes, z, c(0.3, 5), "edge")$data
  expect_equal(line$x * line$y, rep(0.3, nrow(line)), tolerance = 0.02)
  expect_null(contours(axes, z, 3, "edge"))
  expect_null(contours(axes, 0 * z, 0, "edge"))
})

test_that("every meaning in a picture has a look", {
  several <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  fit <- toy_fit()
  selection <- select_model(class ~ a, toy(), candidate("bpm", epsilon = 0.1), "loo")
  pictures <- list(
    picture(fit, NULL), picture(several, NULL),
    picture_curves(fit, 2), picture_curves(several, 2),
    picture_weights(bpm(class ~ a, toy(), epsilon = 0.1), 5),
    picture(mislabelled(fit, fdr = 0.9), NULL, 3), picture(calibration(fit)),
    picture(selection), picture(noise_matrix(several)),
    picture_count(dbinom(0:9, 9, 0.3), 1, 4)
  )
  for (picture in pictures) {
    layers <- unlist(lapply(picture$panels, `[[`, "layers"), recursive = FALSE)
    meanings <- unlist(lapply(layers, function(layer) unique(layer$data$meaning)))
    expect_true(all(c(meanings, picture$key) %in% row.names(looks)))
  }
})

test_that("colours of several classes come again, symbols too", {
  expect_equal(of_class("line", c(1, 40, 41)), c("line 1", "line 40", "line 1"))
})

test_that("a key of several classes shows lines, symbols, or both, as its panels do", {
  d <- iris[c(1:15, 51:65, 101:115), c("Petal.Length", "Species")]
  d$side <- rep(c("left", "right"), length.out = 45)
  key <- function(formula) {
    fit <- gpc(formula, d, epsilon = 0.05, kernel = held())
    looks[picture_curves(fit, 2)$key, c("lty", "pch")]
  }
  expect_identical(is.na(key(Species ~ Petal.Length)[1, ])[1, ], c(lty = FALSE, pch = TRUE))
  expect_identical(is.na(key(Species ~ side)[1, ])[1, ], c(lty = TRUE, pch = FALSE))
  both <- key(Species ~ .)
  expect_false(anyNA(both))
  expect_identical(both$pch, looks[of_class("region", 1:3), "pch"])
  expect_identical(both$lty, looks[of_class("line", 1:3), "lty"])
})

test_that("the shares of a count are the heights of its bars", {
  density <- dbinom(0:9, 9, 0.3)
  bars <- picture_count(density, 1, 4)$panels[[1]]$layers[[1]]$data
  top <- tapply(bars$y, bars$part, max)
  at <- tapply(bars$x, bars$part, mean)
  expect_equal(c(top), density[at + 1], ignore_attr = TRUE)
  inner <- bars$meaning == "inner bar"
  expect_equal(range(bars$x[inner]), c(0.6, 4.4))
})

test_that("the report draws the marks of the picture at their places", {
  found <- mislabelled(toy_fit())
  picture <- picture(found, 12, 0)
  svg <- svg_picture(picture, "alt <text>", height = 300)
  expect_match(svg, "<title>alt &lt;text&gt;</title>", fixed = TRUE)
  expect_false(grepl("NaN|Inf|NA", svg))
  circles <- regmatches(svg, gregexpr("<circle cx=\"[0-9.]+\" cy=\"[0-9.]+\"", svg))[[1]]
  place <- do.call(rbind, lapply(
    regmatches(circles, gregexpr("[0-9.]+", circles)), as.numeric
  ))
  first <- found[1:12, ][found$label[1:12] == "no", ]
  expect_equal(nrow(place), nrow(first))
  # linear in the values, in the box within the margins
  axes <- picture$panels[[1]]
  share <- function(v, axis) (v - axis$range[1]) / diff(axis$range)
  expect_equal(place[, 1], 60 + 388 * share(first$rank, axes$x), tolerance = 1e-3)
  expect_equal(place[, 2], 254 - 242 * share(first$probability, axes$y), tolerance = 1e-3)
})
