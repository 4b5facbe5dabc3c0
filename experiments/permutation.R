# ADF depends on the order of the rows, EP does not: a Bayes point machine on the mixture
# of Figure 1 of Futami, Sato and Sugiyama (2017), 1000 points of four components with the
# means, weights and covariances of the paper (simulators.R), given in many orders to
# assumed density filtering (ADF) and to EP. df = 10 is the paper's. It prints neither
# epsilon nor the prior: ours are 0.01 and the default of bpm(), with an intercept, which
# the linear model of the paper does not have.

experiment <- list(
  settings = list(replications = 100, seed = 1, rows = 1000, df = 10),
  quick = list(replications = 3, rows = 200),
  in_package = c("summary", "permutation"),
  tasks = function(settings) {
    all_of(
      rows = settings$rows, df = settings$df, seed = settings$seed,
      order = seq_len(settings$replications)
    )
  },
  run = function(task) {
    points <- sim_permutation(task$rows, seed = task$seed)
    set_seed(task$seed + task$order)
    order <- sample.int(task$rows)
    rbind(
      permutation_row(points, order, "ep", task$df),
      permutation_row(points, order, "adf", task$df)
    )
  },
  tables = function(parts) list(summary = permutation_summary(parts$results)),
  figures = list(permutation = list(
    width = 12, height = 4.4,
    draw = function(parts, tables) draw_permutation(parts$results)
  ))
)

permutation_row <- function(points, order, method, df) {
  fit <- bpm(
    class ~ x1 + x2, points[order, ],
    df = df, nugget = 0, epsilon = 0.01, scale = FALSE, inference = method,
    control = ep_control(max_sweeps = 2000, progress = FALSE)
  )
  w <- fit$weights$mean
  w <- w / max(sqrt(sum(w^2)), .Machine$double.xmin) # 0 at a df of nearly 0
  data.frame(
    method = method, intercept = w[[1]], x1 = w[[2]], x2 = w[[3]],
    wrong = mean(predict(fit, points) != points$class),
    sweeps = if (method == "ep") fit$ep$sweeps else 1,
    status = if (method == "ep") fit$ep$status else "one pass"
  )
}

weights_of <- function(rows) as.matrix(rows[c("intercept", "x1", "x2")])

# Angles in degrees between unit vectors in the rows of A and of B. Half the chord
# is the sine of half the angle: also exact for small angles.
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
  first <- which(rows$method == "ep" & rows$order == 1)
  rows$angle <- angle_between(weights_of(rows), weights_of(rows[first, ]))[, 1]
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

draw_permutation <- function(rows) {
  points <- sim_permutation(rows$rows[1], seed = rows$seed[1])
  adf <- rows[rows$method == "adf", ]
  W <- weights_of(adf)
  apart <- angle_between(W, W)
  pair <- which(apart == max(apart), arr.ind = TRUE)[1, ]
  ep <- rows[rows$method == "ep", ]
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
