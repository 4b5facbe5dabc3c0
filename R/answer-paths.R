# Draws of the posterior of the latent function as functions: the same functions whatever
# inputs they are asked at, in one call or in several, so that differences between rows,
# slopes and averages of the probability have intervals.
#
# With a kernel, a path is one from the prior, corrected by what the posterior says at the
# training rows (pathwise conditioning, Wilson et al. 2021): g(x) = g0(x) + k(x, X) K^-1 (u -
# u0), with u from the posterior at the rows. g0 is a sum of cosines (random Fourier
# features), whose prior covariance is nearly that of the kernel; the spread of the paths is
# scaled at each input to the exact one, so that only correlations are approximate. With
# weights or inducing inputs a path is a draw of the weights, and exact.

paths_pairs <- 400L # of a sine and a cosine
paths_nodes <- 50L  # at which an average is drawn, or more where their factors take no longer than
paths_flops <- 5e9  # so many

#' Draws of the latent function over the standard deviation of what is added to it (the
#' nugget, and what inducing inputs leave out): the normal quantile of the probability of the
#' event by the first stage, infinite without a nugget
#'
#' @param X encoded inputs. @param draws how many.
#' @return matrix, a row an input, a column a draw.
#' @noRd
path_link <- function(object, X, draws) {
  do.call(cbind, path_parts(object, draws, function(node, draws) {
    part <- path_draw(node, X, draws)
    part$m <- part$m + drop(offset_latent(node, X, 1L))
    scale <- rep(path_scale(object, draws), each = nrow(X))
    z <- (part$m * scale + part$deviation) / sqrt(part$noise)
    z[is.nan(z)] <- 0
    z
  }))
}

#' Draws at some of the nodes, the same in each call
#' @param part function of the fit at a node and the number of draws there.
#' @noRd
path_parts <- function(object, draws, part) {
  most <- max(paths_nodes, floor(paths_flops / NROW(object$data$X)^3))
  count <- node_draws(node_weight(object), draws, min(most, draws))
  with_seed_or_stream(1L, Map(function(node, draws) {
    part(latent_at(object, node), draws)
  }, count$node, count$draws))
}

#' The root of the random precision that a draw of a t process has, its nugget's too
#' @noRd
path_scale <- function(object, draws) {
  df <- object$spec$df
  if (is.finite(df)) sqrt(stats::rchisq(draws, df) / df) else rep(1, draws)
}

#' Draws at one point of the hyperparameters
#' @return list(m: mean, deviation: draws of the difference, noise: variance of what is
#'   added, a number or one a row)
#' @noRd
path_draw <- function(object, X, draws) UseMethod("path_draw")

path_draw.bpm <- function(object, X, draws) {
  known <- known_levels(object, X)
  Xt <- bpm_design(known$X, object$prior)
  list(
    m = drop(object$weights$mean %*% Xt), deviation = crossprod(Xt, draw_normal(object$weights$C, draws)),
    noise = object$prior$nugget + known$unknown
  )
}

path_draw.sturdy_model <- function(object, X, draws) {
  if (is.null(object$inducing)) {
    return(path_draw_dense(object, X, draws))
  }
  at <- inducing_features(object)(X)
  deviation <- crossprod(at$V, draw_normal(object$inducing$C, draws))
  list(m = drop(object$ep$b %*% at$V), deviation = deviation, noise = object$kernel$nugget + at$left)
}

#' Of a kernel between all rows: g(x) = g0(x) + k(x, X) K^-1 (u - u0), where g0 is of the prior and u0 what it is
#' at the rows with their nuggets, and u is of the posterior there
#' @noRd
path_draw_dense <- function(object, X, draws) {
  rows <- object$data$X
  hyper <- kernel_hyper(object$kernel)
  columns <- model_columns(object)
  times <- report_times(object$data$reports)
  normals <- function(rows) matrix(stats::rnorm(rows * draws), rows)
  exact <- native_gp_predict_nodes(rows, row_columns(object), list(hyper), object$ep$sites$tau, object$ep$b, X)
  K <- native_gram(rows, NULL, row_columns(object), hyper)
  root <- any_root(K - latent_explained(object)(K)) # of the posterior at the rows
  features <- fourier_features(hyper, columns)
  new <- features(X)
  old <- features(rows)
  L <- any_root(K)
  # K^-1 k(X, x)
  A <- native_solve(L, native_solve(L, native_gram(rows, X, columns, hyper)), TRUE) # n x N
  weights <- normals(ncol(new))
  nugget <- sqrt(hyper$nugget / times) * normals(nrow(K))
  posterior <- native_product(root, normals(nrow(K)), FALSE)
  prior <- native_product(old, weights, FALSE) + nugget
  deviation <- native_product(new, weights, FALSE) + native_product(A, posterior - prior)
  # that of these deviations, and what it should be
  variance <- rowSums((new - native_product(A, old))^2) + hyper$nugget * colSums(A^2 / times) +
    colSums(native_product(root, A)^2)
  wanted <- pmax(drop(exact$s2) - hyper$nugget, .Machine$double.xmin)
  list(m = drop(exact$m), deviation = deviation * sqrt(wanted / variance), noise = hyper$nugget)
}

#' Features whose products are nearly the kernel, without the nugget
#' @return a function of inputs, that has a row for each of them
#' @noRd
fourier_features <- function(hyper, columns) {
  lengthscale <- rep_len(hyper$lengthscale, max(columns$group, 0))[columns$group]
  scale <- sqrt(columns$weight) / lengthscale
  frequency <- matrix(stats::rnorm(length(scale) * paths_pairs), length(scale)) * scale
  frequency <- frequency * rep(sqrt(shape_mixture(columns, paths_pairs)), each = length(scale))
  cosine <- identical(columns$shape, match("cosine", kernel_shapes) - 1L)
  parts <- native_kernel(columns, hyper)$theta # of the squared exponential, .., linear
  size <- sqrt(parts[1] / paths_pairs)
  function(X) {
    unit <- if (cosine) shaped_rows(X, columns, "cosine") / rep(sqrt(columns$weight), each = nrow(X)) else X
    angle <- unit %*% frequency
    waves <- cbind(size * cos(angle), size * sin(angle), rep(sqrt(hyper$bias), nrow(X)))
    if (parts[4] == 0) waves else cbind(waves, X * rep(sqrt(parts[4] * columns$weight), each = nrow(X)))
  }
}

#' Draws of what multiplies the squared frequencies of a squared exponential: the other shapes are
#' mixtures of it over lengthscales [M 6.11]
#' @noRd
shape_mixture <- function(columns, n) {
  shape <- if (is.null(columns$shape)) kernel_shapes[1] else kernel_shapes[columns$shape + 1L]
  switch(shape,
    "matern 5/2" = 5 / stats::rchisq(n, 5), "matern 3/2" = 3 / stats::rchisq(n, 3),
    "rational quadratic" = stats::rgamma(n, columns$alpha) / columns$alpha, rep(1, n)
  )
}

#' Draws of normals with mean 0 and covariance C, a column each
#' @noRd
draw_normal <- function(C, draws) {
  native_product(any_root(C), matrix(stats::rnorm(nrow(C) * draws), nrow(C)), FALSE)
}

#' Lower Cholesky factor of a covariance that rounding may have left singular
#' @noRd
any_root <- function(C) {
  C <- (C + t(C)) / 2
  found <- first_root(C, c(0, 10^(-14:-4)) * max(diag(C)))
  if (is.null(found)) diag(sqrt(pmax(diag(C), 0)), nrow(C)) else found$L
}

# Probabilities -------------------------------------------------------------------

#' Draws of the probabilities of the true classes
#' @return list of a matrix a class, as path_link()
#' @noRd
path_prob <- function(object, X, draws) {
  levels <- object$blueprint$levels
  p <- if (is_several(object)) {
    p <- do.call(rbind, path_parts(object, draws, function(node, draws) node_path_classes(node, X, draws)))
    lapply(seq_along(levels), function(c) matrix(p[, c], nrow(X), draws))
  } else {
    z <- path_link(object, X, draws)
    lapply(c(-1, 1), function(side) replace(z, TRUE, stats::pnorm(side * z))) # matrices of no rows, too
  }
  stats::setNames(through_stage(object, p, prob_new(object, X)), levels)
}

#' Those of several classes at one point of the hyperparameters: a row for each input and draw, a
#' column a class
#' @noRd
node_path_classes <- function(object, X, draws) {
  functions <- latent_functions(object)
  paths <- lapply(seq_len(functions), function(c) {
    part <- path_draw(if (functions > 1) one_function(object, c) else object, X, draws)
    list(m = part$m + part$deviation, noise = rep(rep_len(part$noise, nrow(X)), draws))
  })
  of <- function(what) matrix(unlist(lapply(paths, `[[`, what)), ncol = functions)
  exp(class_log_prob(of("m"), of("noise"), width = object$kernel$width))
}

# Through the label stage ------------------------------------------------------------

#' Draws of probabilities of the true classes as the label stage has them: each goes through a point of
#' the stage, and all of a row are moved so that their mean is what predict() says of it
#'
#' A mean of probabilities that went through the stage is not what comes out for their mean, and that
#' is what the stage has learned from. They are moved as the weights of the classes move them, before
#' overlap: so they stay within what the stage holds for possible.
#' @param p list of a matrix a class, rows x draws, of the fit itself. @param prob what predict() says,
#'   rows x classes. @return as p
#' @noRd
through_stage <- function(object, p, prob) {
  stage <- object$label_stage
  if (is.null(stage) || nrow(prob) == 0) {
    return(p)
  }
  few <- stage$nodes$few
  dealt <- node_draws(few$weight, ncol(p[[1]]))
  point <- with_seed_or_stream(2L, sample(rep(dealt$node, dealt$draws))) # of each draw
  recorded <- if (own_kind(object) == "recorded") unname(object$omega)
  by_weights <- through_points(p, point, function(P, k) {
    if (!is.null(recorded)) P <- P %*% recorded
    at_k(label_seen_new(pmax(P, score_least), stage$nodes, few$node[k], overlap = FALSE), 1)
  })
  U <- label_overlap_at(stage$nodes, few$node)
  moved_to_mean(by_weights, prob, function(q) through_points(q, point, function(q, k) q %*% at_k(U, k)))
}

#' Probabilities of draws after each has gone through its point
#' @param p see through_stage(). @param point of each draw. @param through a function of probabilities,
#'   a column a class, and a point.
#' @noRd
through_points <- function(p, point, through) {
  for (k in unique(point)) {
    mine <- which(point == k)
    P <- vapply(p, function(one) as.vector(one[, mine]), numeric(nrow(p[[1]]) * length(mine)))
    P <- through(matrix(P, ncol = length(p)), k)
    for (t in seq_along(p)) p[[t]][, mine] <- P[, t]
  }
  p
}

moved_steps <- c(most = 100, size = 1, left = 1e-9) # of the log of a factor; and what they leave

#' Draws of shares that add up to 1, each class of a row by a factor, so that the means of what is made of
#' them are as given
#' @param p list of a matrix a class, rows x draws. @param mean rows x classes. @param mixed what is made
#'   of them.
#' @return mixed(p) of the draws that were moved
#' @noRd
moved_to_mean <- function(p, mean, mixed = identity) {
  for (step in seq_len(moved_steps[["most"]])) {
    now <- mixed(p)
    gaps <- lapply(seq_along(p), function(t) mean[, t] - rowMeans(now[[t]]))
    if (max(abs(unlist(gaps))) < moved_steps[["left"]]) break
    p <- Map(function(one, gap) {
      slope <- pmax(rowMeans(one * (1 - one)), 1e-300)
      size <- moved_steps[["size"]]
      one * exp(pmin(pmax(gap / slope / 2, -size), size)) # half of Newton's step: others move, too
    }, p, gaps)
    p <- lapply(p, `/`, Reduce(`+`, p))
  }
  mixed(p)
}
