skip_if_not_installed("ggplot2", "3.4.0")

# The data of a layer as they are drawn.
drawn <- function(plot, geom) {
  built <- ggplot2::ggplot_build(plot)
  mine <- vapply(built$plot$layers, function(l) class(l$geom)[1], "") == geom
  do.call(rbind, built$data[mine])
}

test_that("a surface holds the probabilities of predict(), and rings the suspects", {
  fit <- toy_fit()
  plot <- ggplot2::autoplot(fit)
  grid <- plot$layers[[1]]$data[c(1, 5050, 9999), ]
  p <- predict(fit, data.frame(a = grid$x, b = grid$y), type = "prob")[, "yes"]
  expect_equal(grid$value, unname(p))
  points <- drawn(plot, "GeomPoint")
  expect_equal(nrow(points), 40 + sum(mislabelled(fit)$probability > 0.5))
})

test_that("curves are those of the base plot, in panels that name their levels", {
  d <- transform(toy(), f = rep(c("u", "v", "w", "w"), 10))
  fit <- gpc(class ~ a + b + f, d, kernel = held(nugget = 0.3), epsilon = 0.05)
  plot <- ggplot2::autoplot(fit)
  curves <- add_bands(strongest_curves(fit, 6), fit)
  lines <- drawn(plot, "GeomPath")
  numeric <- Filter(function(curve) is.null(curve$levels), curves)
  expect_true(all(unlist(lapply(numeric, function(curve) curve$prob[, 2])) %in% lines$y))
  points <- drawn(plot, "GeomPoint")
  expect_equal(points$y, setdiff(curves, numeric)[[1]]$prob[, 2])
  panels <- ggplot2::ggplot_build(plot)$layout$panel_params
  labels <- lapply(panels, function(panel) as.character(panel$x$get_labels()))
  expect_equal(sum(vapply(labels, identical, NA, c("u", "v", "w"))), 1)
  expect_length(unique(drawn(ggplot2::autoplot(fit, inputs = 2), "GeomPath")$PANEL), 2)
})

test_that("a factor alone can be drawn", {
  fit <- gpc(class ~ f, transform(toy(), f = rep(c("u", "v"), 20)), kernel = held(), epsilon = 0.1)
  p <- predict(fit, data.frame(f = c("u", "v")), type = "prob")[, "yes"]
  points <- drawn(ggplot2::autoplot(fit), "GeomPoint")
  expect_equal(points[c("x", "y")], data.frame(x = 1:2, y = unname(p)), ignore_attr = TRUE)
})

test_that("weights stand with their intervals, the surest on top", {
  fit <- bpm(class ~ a + b, toy(), epsilon = 0.05, prior_scale = 1, nugget = 0.2)
  plot <- ggplot2::autoplot(fit, inputs = 2)
  lines <- drawn(plot, "GeomPath")
  weights <- coef(fit, "weights")
  surest <- order(-abs(weights) / sqrt(diag(vcov(fit, "weights"))))[1:2]
  for (k in 1:2) {
    ends <- range(lines$x[lines$y == 3 - k])
    expect_equal(ends, unname(confint(fit, component = "weights")[surest[k], ]))
  }
  expect_equal(drawn(plot, "GeomPoint")$x[2:1], unname(weights[surest]))
})

test_that("the trace falls to the tolerance", {
  fit <- toy_fit(control = ep_control(trace = TRUE))
  residual <- 10^drawn(ggplot2::autoplot(fit, which = "trace"), "GeomPoint")$y
  expect_equal(residual, as.data.frame(fit$ep$trace)$residual)
  expect_lt(tail(residual, 1), fit$spec$control$tol)
})

test_that("suspects are drawn by rank, with the band and the cut-off", {
  found <- suppressMessages(mislabelled(toy_fit(), fdr = 0.5))
  plot <- ggplot2::autoplot(found, labels = 2)
  expect_equal(drawn(plot, "GeomPoint")$y, found$probability)
  expect_equal(trimws(drawn(plot, "GeomText")$label), as.character(found$row[1:2]))
  expected <- attr(found, "expected")
  expect_equal(
    range(drawn(plot, "GeomPolygon")$x), c(expected$lower, expected$upper) + 0.5
  )
  lines <- drawn(plot, "GeomPath")
  expect_equal(
    unique(lines$x[lines$colour == ring_colour]), attr(found, "cutoff")$rows + 0.5
  )
  expect_equal(nrow(drawn(ggplot2::autoplot(mislabelled(toy_fit()), n = 7), "GeomPoint")), 7)
})

test_that("calibration shows its bins", {
  x <- calibration(toy_fit(), bins = 4)
  points <- drawn(ggplot2::autoplot(x), "GeomPoint")
  expect_equal(points[c("x", "y")], setNames(x$bins[1:2], c("x", "y")))
})

test_that("a selection shows both scores of each candidate", {
  s <- select_model(class ~ a + b, toy(), list(
    noise = candidate("gpc", kernel = held(), epsilon = 0.1),
    none = candidate("gpc", kernel = held(), epsilon = 0)
  ))
  points <- drawn(ggplot2::autoplot(s), "GeomPoint")
  expect_setequal(points$x, c(s$table[[selection_criteria[[s$criterion]]]], s$table$loo))
  expect_equal(sum(points$fill == "black"), 2)
})

test_that("several classes have regions and a noise matrix", {
  fit <- gpc(
    Species ~ Petal.Length + Petal.Width, iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05,
    kernel = held()
  )
  plot <- ggplot2::autoplot(fit)
  grid <- drawn(plot, "GeomRaster")[c(1, 10000), ]
  best <- predict(fit, data.frame(Petal.Length = grid$x, Petal.Width = grid$y))
  hue <- function(colour) unname(which.max(255 - grDevices::col2rgb(colour)))
  expect_equal(
    vapply(grid$fill, hue, 1L, USE.NAMES = FALSE),
    vapply(class_hues[as.integer(best)], hue, 1L, USE.NAMES = FALSE)
  )
  cells <- drawn(ggplot2::autoplot(noise_matrix(fit)), "GeomText")
  expect_equal(cells$label[cells$x + cells$y == 4], rep("95.0", 3))
  more <- gpc(Species ~ ., iris[c(1:15, 51:65, 101:115), ], epsilon = 0.05, kernel = held())
  lines <- drawn(ggplot2::autoplot(more, inputs = 2), "GeomPath")
  expect_setequal(lines$colour[lines$linewidth > 1], class_hues[1:3])
})

test_that("what autoplot() can't draw is refused as by plot()", {
  fit <- toy_fit()
  expect_error(ggplot2::autoplot(fit, which = "all"), class = "sturdy_error_choice")
  expect_error(ggplot2::autoplot(fit, colour = 2), class = "sturdy_error_unknown_argument")
  untraced <- toy_fit(control = ep_control(trace = FALSE))
  expect_error(
    ggplot2::autoplot(untraced, which = "trace"), class = "sturdy_error_no_trace"
  )
})
