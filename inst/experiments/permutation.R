# The order of the rows: assumed density filtering (ADF) gives another boundary for
# every order, expectation propagation (EP) always the same one. As in section 5.1
# and Figure 1 of Futami, Sato and Sugiyama (2017): 1000 points of a mixture of
# four components, a Bayes point machine with a t prior, df = 10.
#
#   Rscript permutation.R [replications] [folder]
#
# or, in R,
#
#   source(system.file("experiments", "permutation.R", package = "sturdy"))
#   experiment_permutation(replications = 20, folder = tempdir())
#
# A hundred orders take about half a minute.

library(sturdy)
source(system.file("experiments", "helper.R", package = "sturdy"))

#' @param seed of the points and the orders. @param replications number of orders,
#'   each given to ADF and to EP.
#' @return one row an order and method, invisibly: the unit vector of the mean
#'   weights, its angle to that of EP in the first order (degrees), and the share of
#'   points on the wrong side. Saved as permutation.csv, permutation-summary.csv and
#'   permutation.png.
experiment_permutation <- function(seed = 1,
                                   replications = 100,
                                   folder = "results",
                                   n = 1000,
                                   df = 10) {
  points <- sim_permutation(n, seed = seed)
  set.seed(seed)
  orders <- lapply(seq_len(replications), function(i) sample.int(n))
  rows <- list()
  cli::cli_progress_bar("orders", total = replications)
  for (i in seq_along(orders)) {
    for (method in c("ep", "adf")) {
      row <- permutation_row(points, orders[[i]], i, method, df)
      rows[[length(rows) + 1]] <- row
    }
    cli::cli_progress_update()
  }
  rows <- do.call(rbind, rows)
  rows$angle <- angle_between(weights_of(rows), weights_of(rows)[1, , drop = FALSE])[, 1]
  summary <- permutation_summary(rows)
  save_results(rows, folder, "permutation")
  save_results(summary, folder, "permutation-summary")
  draw_permutation(points, rows, file.path(folder, "permutation.png"))
  print(summary, digits = 3, row.names = FALSE)
  invisible(rows)
}

permutation_row <- function(points, order, number, method, df) {
  fit <- bpm(
    class ~ x1 + x2, points[order, ],
    df = df, epsilon = 0.01, scale = FALSE, inference = method,
    control = ep_control(max_sweeps = 2000, progress = FALSE)
  )
  w <- fit$weights$mean
  w <- w / sqrt(sum(w^2))
  data.frame(
    order = number, method = method, intercept = w[[1]], x1 = w[[2]], x2 = w[[3]],
    wrong = mean(predict(fit, points) != points$class),
    sweeps = if (method == "ep") fit$ep$sweeps else 1,
    status = if (method == "ep") fit$ep$status else "one pass"
  )
}

weights_of <- function(rows) as.matrix(rows[c("intercept", "x1", "x2")])

# Angles in degrees between unit vectors in the rows of A and of B. Half the chord
# is the sine of half the angle: exact for small angles, too.
angle_between <- function(A, B) {
  chord <- sqrt(pmax(outer(rowSums(A^2), rowSums(B^2), `+`) - 2 * tcrossprod(A, B), 0))
  near <- chord < 1e-4
  if (any(near)) {
    at <- which(near, arr.ind = TRUE)
    gap <- A[at[, 1], , drop = FALSE] - B[at[, 2], , drop = FALSE]
    chord[near] <- sqrt(rowSums(gap^2))
  }
  2 * asin(pmin(chord / 2, 1)) * 180 / pi
}

# By how much do the boundaries of a method differ between orders?
permutation_summary <- function(rows) {
  one <- function(mine) {
    W <- weights_of(mine)
    data.frame(
      method = mine$method[1], orders = nrow(mine),
      most_degrees_from_ep = max(mine$angle),
      mean_degrees_from_ep = mean(mine$angle),
      most_degrees_between_orders = max(angle_between(W, W)),
      most_change_of_direction = max(apply(W, 2, function(w) diff(range(w)))),
      not_converged = sum(!mine$status %in% c("converged", "one pass"))
    )
  }
  summary <- do.call(rbind, lapply(split(rows, rows$method), one))
  rownames(summary) <- NULL
  summary
}

draw_permutation <- function(points, rows, file) {
  adf <- rows[rows$method == "adf", ]
  W <- weights_of(adf)
  apart <- angle_between(W, W)
  pair <- which(apart == max(apart), arr.ind = TRUE)[1, ]
  ep <- rows[rows$method == "ep", ]
  figure_png(file, 12, 4.4)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 3), cex = 1)
  for (k in pair) {
    draw_boundaries(points, adf, adf[k, ], sprintf("ADF, order %d (thin: all)", adf$order[k]))
  }
  draw_boundaries(points, ep, ep[1, ], sprintf("EP, %d orders: one line", nrow(ep)))
}

# The boundary of one row, thick, before those of all rows, thin
draw_boundaries <- function(points, all, one, title) {
  positive <- points$class == "pos"
  graphics::plot(
    points$x1, points$x2,
    pch = ifelse(positive, 3, 1), cex = 0.55, asp = 1, lwd = 0.8,
    col = ifelse(positive, "#D55E00", "#56B4E9"), xlab = "x1", ylab = "x2",
    main = title
  )
  line <- function(w, ...) {
    # steep lines: x1 as a function of x2
    x2 <- c(-3, 3)
    graphics::lines(-(w$intercept + w$x2 * x2) / w$x1, x2, ...)
  }
  for (i in seq_len(nrow(all))) line(all[i, ], col = "grey65", lwd = 0.5)
  line(one, lwd = 2.2)
}

if (sys.nframe() == 0L) {
  given <- script_arguments(100L)
  experiment_permutation(replications = given$replications, folder = given$folder)
}
