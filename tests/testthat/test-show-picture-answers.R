test_that("suspicion can be drawn, with and without an interval and a cut-off", {
  fit <- toy_fit()
  for (found in list(
    mislabelled(fit), mislabelled(fit, level = NULL), suppressMessages(mislabelled(fit, fdr = 0.4)),
    mislabelled(toy_fit(epsilon = 0.01), fdr = 0)
  )) {
    d <- draw(found)
    expect_equal(d$after[drawing], d$before[drawing])
    expect_false(d$result$visible)
    expect_identical(d$result$value, found)
  }
  expect_silent(draw(mislabelled(fit), n = 5, labels = 0, main = "five"))
})

test_that("arguments of the plot are checked", {
  found <- mislabelled(toy_fit())
  expect_error(draw(found, n = 0), class = "sturdy_error_range")
  expect_error(draw(found, rows = 3), class = "sturdy_error_unknown_argument")
})

test_that("it is said when nothing is suspicious, and the axis shows what there is", {
  x <- matrix(c(-4, -3.5, -3, -2.5, 2.5, 3, 3.5, 4))
  clean <- gpc(x, x > 0, kernel = held(2), epsilon = 0.01)
  found <- mislabelled(clean)
  expect_lt(max(found$probability), 0.01)
  texts <- drawn_text(found)
  expect_match(texts, "No label is more likely wrong than right", all = FALSE)
  expect_match(texts, "the axis ends at", all = FALSE)
  expect_lt(suspicion_top(found), 1)
  expect_gt(suspicion_top(found), max(found$probability, found$loo_wrong))

  suspicious <- mislabelled(toy_fit())
  expect_equal(suspicion_top(suspicious), 1)
  expect_false(any(grepl("No label|axis ends", drawn_text(suspicious))))

  none <- suppressMessages(mislabelled(toy_fit(epsilon = 0)))
  expect_match(drawn_text(none), "epsilon = 0: no label can be wrong", all = FALSE)
  empty <- mislabelled(toy_fit(epsilon = 0.01), fdr = 0)
  expect_match(drawn_text(empty), "No row at a false-discovery rate of 0", all = FALSE)
})

test_that("rows are named by one number everywhere, with their identifiers", {
  d <- toy()[40:1, ]
  row.names(d) <- paste0("p", 100 + 1:40)
  fit <- toy_fit(data = d)
  found <- mislabelled(fit)
  wanted <- paste0(found$row, ": ", row.names(d)[found$row])[1:10]
  expect_true(all(wanted %in% drawn_text(found)))
  shown <- function(of) gsub(" +", " ", capture.output(print(of, n = 10)))
  for (k in 1:3) {
    expect_match(shown(found), paste0("^ ", sub(":", "", wanted[k]), " "), all = FALSE)
  }
  expect_equal(drawn(picture(found, NULL, 10), "name")$words, wanted)
})

test_that("rows with long names are named by their position", {
  d <- toy()
  expect_true("3" %in% drawn_text(mislabelled(toy_fit()), size = c(4, 3)))
  row.names(d) <- sprintf("patient number %02d of the second cohort, blind", 1:40)
  found <- mislabelled(toy_fit(data = d))
  expect_true("row 3" %in% drawn_text(found, size = c(4, 3)))
})

test_that("the band is of the ranks up to which labels are wrong, for each number of them in the interval", {
  found <- mislabelled(toy_fit())
  expected <- attr(found, "expected")
  layers <- picture(found, NULL, 0)$panels[[1]]$layers
  band <- Filter(function(layer) "band" %in% layer$data$meaning, layers)[[1]]$data
  expect_equal(range(band$x), c(expected$lower, expected$upper) + 0.5)
})

test_that("a cut-off is in the picture, or said to be beyond it", {
  found <- mislabelled(toy_fit())
  attr(found, "cutoff") <- list(fdr = 0.4, rows = 30L, rank = 30L) # more than are shown otherwise
  lines <- function(...) {
    unlist(lapply(picture(found, ...)$panels[[1]]$layers, function(layer) {
      layer$data$x[layer$data$meaning == "cutoff"]
    }))
  }
  expect_identical(lines(n = NULL, labels = 0)[1], 30.5)
  expect_match(drawn_text(found), "false-discovery rate 0.4", all = FALSE)
  expect_length(lines(n = 3, labels = 0), 0)
  few <- picture(found, n = 3, labels = 0)
  expect_match(few$note, "a false-discovery rate of 0.4 ends at rank 30", all = FALSE)
  expect_false(any(few$key == "cutoff"))
})

test_that("suspects are drawn by rank, with the band and the cut-off", {
  found <- suppressMessages(mislabelled(toy_fit(), fdr = 0.5))
  picture <- picture(found, NULL, 2)
  expect_equal(drawn(picture, "point")$y, found$probability)
  expect_equal(drawn(picture, "name")$words, as.character(found$row[1:2]))
  expected <- attr(found, "expected")
  expect_equal(range(drawn(picture, "area", "band")$x), c(expected$lower, expected$upper) + 0.5)
  expect_equal(unique(drawn(picture, "path", "cutoff")$x), attr(found, "cutoff")$rows + 0.5)
  expect_equal(nrow(drawn(picture(mislabelled(toy_fit()), 7, 0), "point")), 7)
})

test_that("calibration shows its bins", {
  x <- calibration(toy_fit(), bins = 4)
  points <- drawn(picture(x), "point")
  expect_equal(points[c("x", "y")], setNames(x$bins[1:2], c("x", "y")))
})

test_that("a selection shows both scores of each candidate", {
  s <- select_model(class ~ a + b, toy(), list(
    noise = candidate("gpc", kernel = held(), epsilon = 0.1),
    none = candidate("gpc", kernel = held(), epsilon = 0)
  ))
  points <- drawn(picture(s), "point")
  expect_setequal(points$x, c(s$table[[selection_criteria[[s$criterion]]]], s$table$loo))
  expect_equal(sum(points$meaning == "estimate"), 2)
})

test_that("a noise matrix has the true classes from the top", {
  fit <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  cells <- drawn(picture(noise_matrix(fit)), "entry")
  expect_equal(cells$words[cells$x + cells$y == 4], rep("95.0", 3))
})
