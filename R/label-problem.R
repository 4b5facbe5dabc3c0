# The likelihood of the label stage as a function of standard normal coordinates z: the
# weights and slopes of the classes, unusual rows, classes that look alike, the noise model, and how
# much of the noise the scores have learned [M 16.1, 16.2, 16.3].

label_slope_sd <- c(common = 0.7, class = 0.4) # of the logs of the slopes of classes
label_slope_own <- 0.3   # centre of the common one, for leave-one-out probabilities of a fit of two classes
label_weights <- 100L    # classes up to which their weights are learned,
label_slopes <- 40L      # up to which each has a slope, and matrices are whole,
label_pairs <- 12L       # and up to which all pairs may look alike: of more each with its nearest

#' Rows with scores, as the label stage takes them
#'
#' @param P scores, n x C, above 0. @param reports on the rows. @param way list(kind: "fit" where
#'   they are leave-one-out probabilities of the true class by a fit of ours, "recorded" where of
#'   the recorded class, "scores" of any classifier; slope, unusual: what is held of them, or `NULL`;
#'   within: bounds of the log slope, or `NULL`).
#' @return list(data: see native_label_values(); kinds: reports on a row of each kind; share: of the
#'   sources; way; n, classes; labels: how many, by weight)
#' @noRd
label_rows <- function(P, reports, way) {
  kinds <- report_kinds(reports)
  classes <- ncol(P)
  P <- t(unname(P))
  list(
    data = list(
      P = P, S = log(P), kind = kinds$kind - 1L, times = reports$times,
      kinds = kinds$reports$n, plain = classes > label_slopes
    ),
    kinds = kinds$reports, cell = label_cells(kinds$reports), share = source_sizes(reports), way = way,
    n = ncol(P), classes = classes, labels = max(ncol(P), round(sum(report_times(reports))))
  )
}

#' The stage under a noise model
#' @param rows see label_rows(). @param noise see noise_model(). @param near C x C, which classes are
#'   near each other. @param plain without unusual rows, and classes that look alike.
#' @return list(d, field: what each coordinate belongs to; points(Z), as native_label_values() takes
#'   them, with omega (S x C x C x K); value(Z, now: their points), log likelihoods; slope(Z): list(value, gradient), of
#'   the likelihood and the prior; starts)
#' @noRd
label_problem <- function(rows, name, noise, near, plain = FALSE) {
  shape <- label_shape(rows, name, noise, near, plain)
  points <- function(Z) label_points_at(shape, Z)
  zero <- numeric(length(shape$field))
  classes <- rows$classes
  list(
    name = name, d = length(zero), field = shape$field, points = points,
    value = function(Z, now = points(Z)) {
      fine <- points_fine(now$points)
      value <- rep(-Inf, ncol(Z))
      some <- if (all(fine)) now$points else points_at(now$points, fine)
      value[fine] <- native_label_values(rows$data, some)$value
      value + label_study(shape, now$omega)
    },
    slope = function(Z) {
      out <- label_slopes_at(shape, as.matrix(Z))
      if (!is.matrix(Z)) out$gradient <- drop(out$gradient)
      out
    },
    starts = c(
      list(zero), if (nrow(shape$pairs)) list(replace(zero, shape$at$pairs, pair_coordinate(pairs_start, classes)))
    )
  )
}

#' Which coordinates there are
#' @return list(rows, way, noise, model; pairs; unusual: the share, or `NULL`, to learn it; learns: how
#'   much of the noise scores have learned, or what is known of it, learned; takes_out: whether any of
#'   it; whole: whether matrices are; field; at: coordinates by field)
#' @noRd
label_shape <- function(rows, name, noise, near, plain) {
  classes <- rows$classes
  way <- rows$way
  model <- noise_of(name, noise)
  held <- length(way$slope) == 1 # the user's word for overlap
  whole <- classes <= label_slopes
  pairs <- if (classes > 2 && whole && !plain && !held) overlap_pairs(near, noise$turn) else matrix(0L, 0, 2)
  noisy <- model$d > 0 || name == "given" && any(wrong_rates(mean_omega(noise_omega(model, numeric()), rows$share)) > 0)
  learns <- noisy && is.null(way$within) && !held && way$kind == "scores" && whole
  takes_out <- learns || way$kind == "recorded" && name != "none" && whole
  unusual <- if (plain || held) 0 else way$unusual
  size <- c(
    w = if (classes <= label_weights) classes - 1L else 0L, slope = if (held) 0L else 1L,
    slopes = if (held || !whole || !is.null(way$within)) 0L else classes,
    u = if (is.null(unusual)) 1L else 0L, pairs = nrow(pairs), noise = model$d,
    learned = as.integer(learns)
  )
  field <- rep(names(size), size)
  list(
    rows = rows, classes = classes, way = way, noise = noise, model = model, pairs = pairs,
    unusual = unusual, learns = learns, learned = if (takes_out) most_taken_out(model, rows$share) else 1,
    takes_out = takes_out, whole = whole, field = field,
    at = split(seq_along(field), factor(field, names(size)))
  )
}

label_points_at <- function(shape, Z) {
  K <- ncol(Z)
  at <- shape$at
  classes <- shape$classes
  turn <- shape$noise$turn
  own <- if (length(at$slopes)) order(turn) else integer()
  log_b <- label_log_slopes(
    shape$way, Z[at$slope, , drop = FALSE], Z[at$slopes[own], , drop = FALSE], classes
  )
  u <- if (is.null(shape$unusual)) unusual_share(Z[at$u, ], shape$way, classes) else rep(shape$unusual, K)
  s <- if (nrow(shape$pairs)) pair_shares(Z[at$pairs, , drop = FALSE], classes)
  overlap <- overlap_matrices(u, s, shape$pairs, classes, !shape$whole)
  omega <- noise_omegas(shape$model, Z[at$noise, , drop = FALSE])
  learned <- if (shape$learns) stats::pnorm(Z[at$learned, ]) else rep(shape$learned, K)
  w <- matrix(0, classes, K)
  if (length(at$w)) w[turn[-1], ] <- Z[at$w, ]
  list(
    points = list(
      M = if (shape$takes_out) taken_out(omega, shape$rows$share, learned), w = w, b = exp(log_b),
      U = overlap$U, L = label_likelihoods(shape$rows$kinds, omega, shape$rows$cell)
    ),
    omega = omega, u = u, s = s, overlap = overlap, learned = learned
  )
}

#' Log likelihood of a study of the noise beside the rows
#' @noRd
label_study <- function(shape, omega) {
  study <- shape$noise$study
  if (is.null(study)) {
    return(0)
  }
  drop(crossprod(log(pmax(matrix(omega, length(study)), 1e-300)), as.vector(study)))
}

#' Log likelihood and prior with their gradients at points: -Inf, and 0, where a matrix is singular on
#' the way, so that a climb turns away
#' @return list(value (K), gradient (d x K))
#' @noRd
label_slopes_at <- function(shape, Z) {
  now <- label_points_at(shape, Z)
  value <- rep(-Inf, ncol(Z))
  gradient <- matrix(0, nrow(Z), ncol(Z))
  fine <- points_fine(now$points)
  if (!all(fine)) {
    if (any(fine)) {
      there <- label_slopes_at(shape, Z[, fine, drop = FALSE])
      value[fine] <- there$value
      gradient[, fine] <- there$gradient
    }
    return(list(value = value, gradient = gradient))
  }
  at <- shape$at
  turn <- shape$noise$turn
  out <- native_label_values(shape$rows$data, now$points, TRUE)
  by_omega <- label_by_omega(shape$rows, now$omega, out$L)
  if (shape$takes_out) {
    back <- taken_out_slope(out$M, now$points$M, now$omega, shape$rows$share, now$learned)
    by_omega <- by_omega + back$omega
    gradient[at$learned, ] <- back$learned * stats::dnorm(Z[at$learned, ])
  }
  if (!is.null(shape$noise$study)) {
    by_omega <- by_omega + as.vector(shape$noise$study) / pmax(now$omega, 1e-300)
  }
  by_slope <- out$b * now$points$b
  overlap <- overlap_slopes(out$U, now, shape$pairs, shape$classes, !shape$whole)
  gradient[at$w, ] <- out$w[turn[-1], ]
  gradient[at$slope, ] <- colSums(by_slope) * label_slope_by(shape$way, Z[at$slope, ])
  gradient[at$slopes, ] <- label_slope_sd[["class"]] * by_slope[turn, ]
  gradient[at$u, ] <- overlap$u * unusual_slope(Z[at$u, ], shape$way, shape$classes)
  gradient[at$pairs, ] <- overlap$log_s * (now$s < pairs_most) * pairs_prior[["sdlog"]]
  gradient[at$noise, ] <- noise_pull(shape$model, Z[at$noise, , drop = FALSE], by_omega)
  gradient <- gradient - Z
  value <- out$value + label_study(shape, now$omega) - colSums(Z^2) / 2
  bad <- !is.finite(value) | colSums(!is.finite(gradient)) > 0
  value[bad] <- -Inf
  gradient[, bad] <- 0
  list(value = value, gradient = gradient)
}

#' At which points all is finite
#' @noRd
points_fine <- function(points) colSums(!is.finite(do.call(rbind, unname(points)))) == 0

#' Some of the points
#' @noRd
points_at <- function(points, which) {
  size <- ncol(points$w)
  lapply(points, function(x) if (!is.null(x)) matrix(x, ncol = size)[, which, drop = FALSE])
}

# Parts -----------------------------------------------------------------------------

#' Logs of the slopes of the classes at points, C x K
#' @noRd
label_log_slopes <- function(way, common, each, classes) {
  if (length(way$slope) == 1) {
    return(matrix(log(way$slope), classes, ncol(common)))
  }
  base <- if (!is.null(way$within)) {
    way$within[1] + diff(way$within) * stats::pnorm(common)
  } else {
    way$centre + label_slope_sd[["common"]] * common
  }
  base <- matrix(base, classes, ncol(common), byrow = TRUE)
  if (nrow(each)) base + label_slope_sd[["class"]] * each else base
}

#' Derivative of the log of the common slope in its coordinate
#' @noRd
label_slope_by <- function(way, z) {
  if (is.null(way$within)) label_slope_sd[["common"]] else diff(way$within) * stats::dnorm(z)
}

#' The share of unusual rows: u, of several classes 2 u, has a Beta(1, k) distribution
#' @noRd
unusual_share <- function(z, way, classes) {
  stats::qbeta(stats::pnorm(z), 1, way$beta) / (1 + (classes > 2))
}

unusual_slope <- function(z, way, classes) {
  u <- stats::qbeta(stats::pnorm(z), 1, way$beta)
  exp(stats::dnorm(z, log = TRUE) - stats::dbeta(u, 1, way$beta, log = TRUE)) / (1 + (classes > 2))
}

pair_coordinate <- function(s, classes) (log(s) - pairs_centre(classes)) / pairs_prior[["sdlog"]]

pair_shares <- function(Z, classes) {
  pmin(exp(pairs_centre(classes) + pairs_prior[["sdlog"]] * Z), pairs_most)
}

#' What takes the noise out that scores have learned: (a Omega + (1 - a) I)^-1
#' @param omega S x C x C x K. @param share of the sources. @param learned a of each point.
#' @return C^2 x K; `NaN` where there is no inverse.
#' @noRd
taken_out <- function(omega, share, learned) {
  classes <- dim(omega)[2]
  mean <- matrix(share %*% matrix(omega, dim(omega)[1]), classes^2) # C^2 x K
  A <- mean * rep(learned, each = classes^2) + outer(as.vector(diag(classes)), 1 - learned)
  if (classes == 2) {
    det <- A[1, ] * A[4, ] - A[2, ] * A[3, ]
    return(rbind(A[4, ], -A[2, ], -A[3, ], A[1, ], deparse.level = 0) / rep(det, each = 4))
  }
  native_noise_inverse(A, classes)
}

#' The share of the noise to take out of scores that have learned all of it: of rates that are given,
#' and that no matrix takes out, nearly all
#' @noRd
most_taken_out <- function(model, share) {
  given <- model$d == 0 && !all(is.finite(taken_out(noise_omegas(model, matrix(0, 0, 1)), share, 1)))
  if (given) 0.99 else 1
}

#' From the slopes in that inverse M those in omega and in the share that was learned
#' @param slope,M C^2 x K. @param omega S x C x C x K.
#' @return list(omega, in its shape; learned (K))
#' @noRd
taken_out_slope <- function(slope, M, omega, share, learned) {
  size <- dim(omega)
  by <- native_noise_inverse_back(M, slope, size[2])
  mean <- matrix(share %*% matrix(omega, size[1]), size[2]^2)
  list(
    omega = array(outer(share, by * rep(learned, each = size[2]^2)), size),
    learned = colSums(by * (mean - as.vector(diag(size[2]))))
  )
}

#' Where the likelihoods of kinds of rows stand in omega, those of one report each that is not certain;
#' of others `NULL`
#' @noRd
label_cells <- function(kinds) {
  if (report_one_each(kinds) && !has_soft(kinds) && all(kinds$source > 0L)) {
    sources <- length(kinds$sources)
    classes <- kinds$classes
    true <- rep(seq_len(classes), each = kinds$n)
    kinds$source + sources * (true - 1L + classes * (kinds$value - 1L))
  }
}

#' The slopes in omega at points from those in the likelihoods of the kinds
#' @noRd
label_by_omega <- function(rows, omega, slope) {
  if (is.null(rows$cell)) {
    by <- vapply(seq_len(ncol(slope)), function(k) {
      report_slope(rows$kinds, array(omega[, , , k], dim(omega)[1:3]), matrix(slope[, k], rows$kinds$n))
    }, array(0, dim(omega)[1:3]))
    return(array(by, dim(omega)))
  }
  by <- matrix(0, prod(dim(omega)[1:3]), ncol(slope))
  by[rows$cell, ] <- slope
  array(by, dim(omega))
}

#' The likelihoods of the kinds of rows at points, (kinds C) x K
#' @param cell see label_cells().
#' @noRd
label_likelihoods <- function(kinds, omega, cell = label_cells(kinds)) {
  size <- dim(omega)
  if (!is.null(cell)) {
    return(matrix(omega, ncol = size[4])[cell, , drop = FALSE])
  }
  L <- vapply(seq_len(size[4]), function(k) {
    as.vector(report_likelihood(kinds, array(omega[, , , k], size[1:3])))
  }, numeric(kinds$n * size[2]))
  matrix(L, kinds$n * size[2])
}

#' The way of a label stage: what its scores are
#' @param unusual the share of unusual rows, or `NULL`: to learn it.
#' @return see label_rows(); with centre (of the log slope) and beta (of the prior of u)
#' @noRd
label_way <- function(kind, classes, unusual = NULL) {
  own <- kind == "fit" && classes == 2
  list(
    kind = kind, centre = if (own) label_slope_own else 0,
    beta = unusual_shape[[if (own) "fit" else "scores"]], unusual = unusual
  )
}
