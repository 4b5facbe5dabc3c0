curves_fit <- function(..., nugget = 0.3, data = transform(toy(), c = rev(a))) {
  gpc(class ~ a + b + c, data, kernel = held(nugget = nugget), epsilon = 0.05, ...)
}

test_that("curves go into the panels of a page that the user divided", {
  fit <- curves_fit()
  on_page({
    graphics::par(mfrow = c(2, 2))
    mar <- graphics::par("mar")
    plot(fit)
    expect_equal(graphics::par("mfrow"), c(2, 2))
    expect_equal(graphics::par("mar"), mar)
    expect_equal(graphics::par("mfg")[1:2], c(2, 1)) # the third panel is the last drawn
  })
})

test_that("the strongest inputs have the shortest lengthscales", {
  d <- transform(toy(), f = rep(c("u", "v"), 20))
  fit <- gpc(class ~ a + b + f, d, kernel = kernel_ard(c(3, 1, 2), fixed = TRUE), epsilon = 0.05)
  shown <- match(vapply(strongest_curves(fit, 2), `[[`, "", "name"), fit$blueprint$columns)
  expect_equal(shown, c(2L, 3L))
})

test_that("with one lengthscale the strongest inputs are those whose curves vary most", {
  fit <- curves_fit()
  vary <- vapply(1:3, function(j) diff(range(partial_curve(j, fit)$prob[, 2])), 0)
  shown <- match(vapply(strongest_curves(fit, 2), `[[`, "", "name"), fit$blueprint$columns)
  expect_equal(shown, order(-vary)[1:2])
})

test_that("a partial curve of a single input is its predicted probability", {
  fit <- gpc(class ~ a, toy(), kernel = held(), epsilon = 0.05)
  curve <- partial_curve(1, fit)
  p <- predict(fit, data.frame(a = curve$at), type = "prob")[, "yes"]
  expect_equal(curve$prob[, 2], unname(p))
  # through the label stage, too
  staged <- gpc(class ~ a, toy(), kernel = held(), epsilon = "average", hyper = "optimum")
  curve <- partial_curve(1, staged)
  expect_equal(curve$prob, unname(predict(staged, data.frame(a = curve$at), type = "prob")), tolerance = 0.01)
})

test_that("curves of several classes are their predicted probabilities", {
  fit <- gpc(
    Species ~ Petal.Length, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05, kernel = held()
  )
  curve <- partial_curve(1, fit)
  p <- predict(fit, data.frame(Petal.Length = curve$at), type = "prob")
  expect_equal(curve$prob, unname(p))
  lines <- Filter(function(layer) layer$kind == "path", picture_curves(fit, 1)$panels[[1]]$layers)
  expect_equal(lines[[3]]$data$y, unname(p[, 2])) # after the line at 1/2
})

test_that("the title says how many inputs are shown, unless all are", {
  fit <- curves_fit()
  says <- function(...) grep("shown", drawn_text(fit, ...), value = TRUE)
  expect_match(says(inputs = 2), "2 of 3 inputs shown")
  expect_length(says(), 0)
  expect_match(says(size = c(2.2, 2)), "1 of 3 inputs shown")
  divided <- on_page({
    grDevices::dev.control("enable")
    graphics::par(mfrow = c(1, 2))
    plot(fit, inputs = 2)
    unlist(lapply(grDevices::recordPlot()[[1]], function(call) as.character(call[[2]])))
  })
  expect_match(gsub("\n", " ", divided), "2 of 3 inputs shown", fixed = TRUE, all = FALSE)
})

test_that("panels are not tiny and fill their page", {
  for (size in list(c(4, 3), c(7, 5), c(12, 3), c(3, 9))) {
    grid <- page_grid(6, size)
    expect_gte(prod(grid), 6)
    expect_lt(max(grid[1] * (grid[2] - 1), (grid[1] - 1) * grid[2]), 6)
  }
  expect_equal(page_grid(6, c(7, 5)), c(2, 3))
  expect_equal(page_grid(3, c(12, 3)), c(1, 3))
})

test_that("surfaces and curves of an average are its predicted probabilities", {
  d <- iris[c(1:15, 51:65, 101:115), c("Petal.Length", "Petal.Width", "Species")]
  d$Species[c(3, 20)] <- c("virginica", "setosa")
  fit <- gpc(
    Species ~ ., d, kernel = kernel_iso(), noise = noise_prior(c(none = 1, one = 1)),
    epsilon = "average", hyper = "integrate"
  )
  expect_gt(node_count(fit), 5)
  expect_lt(length(choose_nodes(fit, few_gap_pictured)$node), node_count(fit))
  raster <- picture(fit, NULL)$panels[[1]]$layers[[1]]$data[seq(1, 10000, 97), ]
  grid <- stats::setNames(raster[c("x", "y")], names(d)[1:2])
  exact <- predict(fit, grid, type = "prob") # of all nodes
  X <- encode_features(grid, fit$blueprint$coding, nrow(grid))
  expect_lt(max(abs(prob_pictured(fit, X) - exact)), 0.02)
  expect_lt(sqrt(mean((prob_pictured(fit, X) - exact)^2)), 0.01)
  expect_equal(raster$fill, region_fill(prob_pictured(fit, X)))
  two <- update(fit, . ~ Petal.Length)
  curve <- partial_curve(1, two)
  p <- predict(two, data.frame(Petal.Length = curve$at), type = "prob")
  expect_lt(max(abs(curve$prob - p)), 0.02)
})

test_that("a surface holds the probabilities of predict(), and rings the suspects", {
  fit <- toy_fit()
  picture <- picture(fit, NULL)
  grid <- drawn(picture, "raster")[c(1, 5050, 9999), ]
  p <- predict(fit, data.frame(a = grid$x, b = grid$y), type = "prob")[, "yes"]
  expect_identical(grid$fill, surface_fill(unname(p)))
  points <- drawn(picture, "point")
  expect_equal(nrow(points), 40 + sum(mislabelled(fit)$probability > 0.5))
  rings <- points[points$meaning == "suspect", ]
  expect_equal(rings$x, toy()$a[row_flipped(fit) > 0.5])
})

test_that("curves are probabilities, in panels that name their levels", {
  d <- transform(toy(), f = rep(c("u", "v", "w", "w"), 10))
  fit <- gpc(class ~ a + b + f, d, kernel = held(nugget = 0.3), epsilon = 0.05)
  picture <- picture(fit, NULL)
  curves <- add_bands(strongest_curves(fit, 6), fit)
  numeric <- Filter(function(curve) is.null(curve$levels), curves)
  lines <- drawn(picture, "path", "curve")
  expect_equal(lines$y, unlist(lapply(numeric, function(curve) curve$prob[, 2])))
  points <- drawn(picture, "point")
  expect_equal(points$y, setdiff(curves, numeric)[[1]]$prob[, 2])
  labels <- lapply(picture$panels, function(panel) panel$x$words)
  expect_equal(sum(vapply(labels, identical, NA, c("u", "v", "w"))), 1)
  expect_length(picture(fit, 2)$panels, 2)
})

test_that("a factor alone can be drawn", {
  fit <- gpc(class ~ f, transform(toy(), f = rep(c("u", "v"), 20)), kernel = held(), epsilon = 0.1)
  p <- predict(fit, data.frame(f = c("u", "v")), type = "prob")[, "yes"]
  points <- drawn(picture(fit, NULL), "point")
  expect_equal(points[c("x", "y")], data.frame(x = 1:2, y = unname(p)), ignore_attr = TRUE)
})

test_that("weights stand with their intervals, the surest on top", {
  fit <- bpm(class ~ a + b, toy(), epsilon = 0.05, prior_scale = 1, nugget = 0.2)
  picture <- picture(fit, 2)
  lines <- drawn(picture, "path", "interval")
  weights <- coef(fit, "weights")
  surest <- order(-abs(weights) / sqrt(diag(vcov(fit, "weights"))))[1:2]
  for (k in 1:2) {
    ends <- range(lines$x[lines$y == 3 - k])
    expect_equal(ends, unname(confint(fit, component = "weights")[surest[k], ]))
  }
  expect_equal(drawn(picture, "point")$x[2:1], unname(weights[surest]))
})

test_that("several classes have regions, and lines of their own", {
  fit <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  grid <- drawn(picture(fit, NULL), "raster")[c(1, 10000), ]
  best <- predict(fit, data.frame(Petal.Length = grid$x, Petal.Width = grid$y))
  hue <- function(colour) unname(which.max(255 - grDevices::col2rgb(colour)))
  expect_equal(
    vapply(grid$fill, hue, 1L, USE.NAMES = FALSE),
    vapply(class_hues[as.integer(best)], hue, 1L, USE.NAMES = FALSE)
  )
  more <- gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05, kernel = held())
  lines <- drawn(picture(more, 2), "path")
  expect_setequal(setdiff(lines$meaning, "guide"), of_class("line", 1:3))
})

test_that("what plot() can't draw is refused", {
  fit <- toy_fit()
  expect_error(plot(fit, colour = 2), class = "sturdy_error_unknown_argument")
})
