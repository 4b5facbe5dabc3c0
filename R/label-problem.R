# The likelihood of the label stage as a function of standard normal coordinates z: the weights (of
# groups, too) and slopes of the classes, unusual rows, classes that look alike, the noise model, and how much of
# the noise the scores have learned [M 16.1, 16.2, 16.3]. Z has a column a point, K of them.

#' The stage under a noise model
#' @param rows see label_rows(). @param noise see noise_model(), its targets being the classes that are near each
#'   other, see near_classes(). @param plain without unusual rows, and classes that look alike.
#' @return list(d; field: what each coordinate belongs to, at: coordinates by field; rows, noise; model:
#'   see noise_of(); pairs: that may look alike; unusual: the share, or `NULL`, where it is learned;
#'   learned: how much of the noise scores have learned, where that is known, or `NULL`: none; starts)
#' @noRd
label_problem <- function(rows, name, noise, plain = FALSE) {
  classes <- rows$classes
  way <- rows$way
  model <- noise_of(name, noise)
  held <- length(way$slope) == 1 # the user's word for overlap
  whole <- classes <= label_slopes_most
  pairs <- if (classes > 2 && whole && !plain && !held) overlap_pairs(noise$targets, noise$turn) else matrix(0L, 0, 2)
  noisy <- model$d > 0 || name == "given" && any(wrong_rates(mean_omega(model$held, rows$share)) > 0)
  learns <- noisy && is.null(way$within) && !held && way$kind == "scores" && whole
  takes_out <- learns || way$kind == "recorded" && name != "none" && whole
  weights <- if (classes <= label_weights_most) classes - 1L else 0L
  unusual <- if (plain || held) 0 else way$unusual
  size <- c(
    w = weights, v = rows$groups * weights, slope = if (held) 0L else 1L,
    slopes = if (held || !whole || !is.null(way$within)) 0L else classes,
    u = if (is.null(unusual)) 1L else 0L, pairs = nrow(pairs), noise = model$d,
    learned = as.integer(learns)
  )
  field <- rep(names(size), size)
  at <- split(seq_along(field), factor(field, names(size)))
  centre <- numeric(length(field))
  alike <- replace(centre, at$pairs, pair_coordinate(pairs_start, classes))
  list(
    d = length(field), field = field, at = at, rows = rows, noise = noise, model = model, pairs = pairs,
    unusual = unusual, learned = if (takes_out) most_taken_out(model, rows$share),
    starts = c(list(centre), if (nrow(pairs)) list(alike))
  )
}

#' What coordinates stand for
#' @return list(points: list(M, w, b, U, L, v) as native_label_values() takes them; omega, S x C x C x K; u; s, of
#'   pairs; overlap: see overlap_matrices(); learned)
#' @noRd
label_points_at <- function(problem, Z) {
  rows <- problem$rows
  classes <- rows$classes
  at <- problem$at
  turn <- problem$noise$turn
  each <- if (length(at$slopes)) at$slopes[order(turn)]
  log_b <- class_log_slopes(rows$way, Z[at$slope, , drop = FALSE], Z[each, , drop = FALSE], classes)
  u <- if (is.null(problem$unusual)) unusual_share(Z[at$u, ], rows$way, classes) else rep(problem$unusual, ncol(Z))
  s <- if (nrow(problem$pairs)) pair_shares(Z[at$pairs, , drop = FALSE], classes)
  overlap <- overlap_matrices(u, s, problem$pairs, classes)
  omega <- noise_omegas(problem$model, Z[at$noise, , drop = FALSE])
  learned <- if (length(at$learned)) stats::pnorm(Z[at$learned, ]) else rep(problem$learned, ncol(Z))
  w <- matrix(0, classes, ncol(Z))
  if (length(at$w)) w[turn[-1], ] <- Z[at$w, ]
  v <- if (length(at$v)) matrix(0, classes * rows$groups, ncol(Z))
  if (length(at$v)) v[group_places(turn, rows$groups), ] <- label_group_sd * Z[at$v, ]
  list(
    points = list(
      M = if (!is.null(learned)) taken_out(omega, rows$share, learned), w = w, b = exp(log_b),
      U = overlap$U, L = label_likelihoods(rows$kinds, omega, rows$cell), v = v
    ),
    omega = omega, u = u, s = s, overlap = overlap, learned = learned
  )
}

#' Where log weights of groups that have coordinates stand among all, classes x groups
#' @noRd
group_places <- function(turn, groups) turn[-1] + rep(length(turn) * (seq_len(groups) - 1L), each = length(turn) - 1)

#' Log likelihoods at points, -Inf where there is none
#' @param now see label_points_at().
#' @noRd
label_value <- function(problem, Z, now = label_points_at(problem, Z)) {
  value <- rep(-Inf, ncol(Z))
  fine <- points_fine(now$points)
  value[fine] <- native_label_values(problem$rows$data, points_at(now$points, fine))$value
  value + label_study(problem, now$omega)
}

#' Log likelihood of a study of the noise beside the rows
#' @noRd
label_study <- function(problem, omega) {
  study <- problem$noise$study
  if (is.null(study)) {
    return(0)
  }
  drop(crossprod(log(pmax(matrix(omega, length(study)), 1e-300)), as.vector(study)))
}

#' Log likelihood and prior with their gradients at points: -Inf, and 0, where a matrix is singular on
#' the way, so that a climb turns away
#' @return list(value (K), gradient (d x K))
#' @noRd
label_slope <- function(problem, Z) {
  value <- rep(-Inf, ncol(Z))
  gradient <- matrix(0, nrow(Z), ncol(Z))
  now <- label_points_at(problem, Z)
  fine <- which(points_fine(now$points))
  if (length(fine)) {
    there <- Z[, fine, drop = FALSE]
    if (length(fine) < ncol(Z)) now <- label_points_at(problem, there)
    said <- label_slope_fine(problem, there, now)
    used <- is.finite(said$value) & colSums(!is.finite(said$gradient)) == 0
    value[fine[used]] <- said$value[used]
    gradient[, fine[used]] <- said$gradient[, used]
  }
  list(value = value, gradient = gradient)
}

label_slope_fine <- function(problem, Z, now) {
  rows <- problem$rows
  classes <- rows$classes
  at <- problem$at
  turn <- problem$noise$turn
  gradient <- matrix(0, nrow(Z), ncol(Z))
  by <- native_label_values(rows$data, now$points, TRUE) # in points, field by field
  by_omega <- label_by_omega(rows, now$omega, by$L)
  if (!is.null(now$learned)) {
    back <- taken_out_slope(by$M, now$points$M, now$omega, rows$share, now$learned)
    by_omega <- by_omega + back$omega
    gradient[at$learned, ] <- back$learned * stats::dnorm(Z[at$learned, ])
  }
  study <- problem$noise$study
  if (!is.null(study)) by_omega <- by_omega + as.vector(study) / pmax(now$omega, 1e-300)
  by_log_b <- by$b * now$points$b
  by_overlap <- overlap_gradient(by$U, now, problem$pairs, classes)
  gradient[at$w, ] <- by$w[turn[-1], ]
  if (length(at$v)) gradient[at$v, ] <- label_group_sd * by$v[group_places(turn, rows$groups), ]
  gradient[at$slope, ] <- colSums(by_log_b) * common_slope_derivative(rows$way, Z[at$slope, ])
  gradient[at$slopes, ] <- label_slope_sd[["class"]] * by_log_b[turn, ]
  gradient[at$u, ] <- by_overlap$u * unusual_share_derivative(Z[at$u, ], rows$way, classes)
  gradient[at$pairs, ] <- by_overlap$log_s * (now$s < pairs_most) * pairs_prior[["sdlog"]]
  gradient[at$noise, ] <- noise_pull(problem$model, Z[at$noise, , drop = FALSE], by_omega)
  list(
    value = by$value + label_study(problem, now$omega) - colSums(Z^2) / 2,
    gradient = gradient - Z
  )
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
