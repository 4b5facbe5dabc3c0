# The likelihood of the label stage as a function of standard normal coordinates z: the
# weights and slopes of the classes, unusual rows, classes that look alike, the noise model, and how
# much of the noise the scores have learned [M 16.1, 16.2, 16.3].

label_slope_sd <- c(common = 0.7, class = 0.4) # of the logs of the slopes of classes
label_slope_own <- 0.3   # centre of the common one, for leave-one-out probabilities of a fit of two classes
label_unusual <- c(fit = 100, scores = 50) # u ~ Beta(1, k) of such a fit, and of all else
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
#'   them, with omega (S x C x C x K); value(Z, now: their points), log likelihoods; slope(z): list(value, gradient), of
#'   the likelihood and the prior; starts)
#' @noRd
label_problem <- function(rows, name, noise, near, plain = FALSE) {
  classes <- rows$classes
  way <- rows$way
  model <- noise_of(name, noise)
  held <- length(way$slope) == 1 # the user's word for overlap
  whole <- classes <= label_slopes
  turn <- noise$turn # the classes as coordinates have them
  pairs <- if (classes > 2 && whole && !plain && !held) overlap_pairs(near, turn) else matrix(0L, 0, 2)
  learns <- model$d > 0 && is.null(way$within) && !held && way$kind == "scores" && whole
  takes_out <- learns || way$kind == "recorded" && name != "none" && whole
  unusual <- if (plain || held) 0 else way$unusual
  size <- c(
    w = if (classes <= label_weights) classes - 1L else 0L, slope = if (held) 0L else 1L,
    slopes = if (held || !whole || !is.null(way$within)) 0L else classes,
    u = if (is.null(unusual)) 1L else 0L, pairs = nrow(pairs), noise = model$d,
    learned = as.integer(learns)
  )
  field <- rep(names(size), size)
  at <- split(seq_along(field), factor(field, names(size)))
  share <- rows$share
  learned_all <- if (takes_out) most_taken_out(model, share) else 1
  parts <- function(Z) {
    K <- ncol(Z)
    own <- if (size[["slopes"]]) order(turn) else integer()
    log_b <- label_log_slopes(way, Z[at$slope, , drop = FALSE], Z[at$slopes[own], , drop = FALSE], classes)
    u <- if (is.null(unusual)) unusual_share(Z[at$u, ], way, classes) else rep(unusual, K)
    s <- if (nrow(pairs)) pair_shares(Z[at$pairs, , drop = FALSE])
    overlap <- overlap_matrices(u, s, pairs, classes, !whole)
    omega <- model$omegas(Z[at$noise, , drop = FALSE])
    learned <- if (learns) stats::pnorm(Z[at$learned, ]) else rep(learned_all, K)
    w <- matrix(0, classes, K)
    if (size[["w"]]) w[turn[-1], ] <- Z[at$w, ]
    list(
      points = list(
        M = if (takes_out) taken_out(omega, share, learned), w = w, b = exp(log_b), U = overlap$U,
        L = label_likelihoods(rows$kinds, omega, rows$cell)
      ),
      omega = omega, log_b = log_b, u = u, s = s, overlap = overlap, learned = learned
    )
  }
  study <- function(omega) {
    if (is.null(noise$study)) {
      return(0)
    }
    of <- matrix(omega, length(noise$study))
    drop(crossprod(log(pmax(of, 1e-300)), as.vector(noise$study)))
  }
  slope <- function(z) {
    Z <- matrix(z, ncol = 1)
    now <- parts(Z)
    bad <- list(value = -Inf, gradient = numeric(length(z)))
    if (!all(is.finite(unlist(now$points)))) {
      return(bad) # a singular matrix on the way: the climb turns away
    }
    out <- native_label_values(rows$data, now$points, TRUE)
    by_omega <- label_by_omega(rows, now$omega, out$L)
    gradient <- numeric(length(z))
    if (takes_out) {
      back <- taken_out_slope(out$M, now$points$M, slice4(now$omega), share, now$learned)
      by_omega <- by_omega + back$omega
      gradient[at$learned] <- back$learned * stats::dnorm(z[at$learned])
    }
    if (!is.null(noise$study)) {
      by_omega <- by_omega + array(noise$study / pmax(slice4(now$omega)[1, , ], 1e-300), dim(by_omega))
    }
    by_slope <- drop(out$b) * drop(now$points$b)
    back <- overlap_slopes(out$U, now$u, now$s, now$overlap, pairs, classes, !whole)
    gradient[at$w] <- out$w[turn[-1]]
    gradient[at$slope] <- sum(by_slope) * label_slope_by(way, z[at$slope])
    gradient[at$slopes] <- label_slope_sd[["class"]] * by_slope[turn]
    gradient[at$u] <- back$u * unusual_slope(z[at$u], way, classes)
    gradient[at$pairs] <- back$log_s * (now$s < pairs_most) * pairs_prior[["sdlog"]]
    gradient[at$noise] <- model$pull(z[at$noise], by_omega)
    value <- out$value + study(now$omega) - sum(z^2) / 2
    if (!is.finite(value) || !all(is.finite(gradient))) {
      return(bad)
    }
    list(value = value, gradient = gradient - z)
  }
  zero <- numeric(length(field))
  list(
    name = name, d = length(field), field = field, points = parts,
    value = function(Z, now = parts(Z)) {
      fine <- colSums(!is.finite(rbind(now$points$M, now$points$U, now$points$b))) == 0
      value <- rep(-Inf, ncol(Z))
      some <- if (all(fine)) now$points else points_at(now$points, fine)
      value[fine] <- native_label_values(rows$data, some)$value
      value + study(now$omega)
    },
    slope = slope,
    starts = c(list(zero), if (nrow(pairs)) list(replace(zero, at$pairs, pairs_start)))
  )
}

slice4 <- function(x) array(x, dim(x)[1:3])

#' Some of the points
#' @noRd
points_at <- function(points, which) {
  size <- ncol(points$w)
  lapply(points, function(x) if (!is.null(x)) matrix(x, ncol = size)[, which, drop = FALSE])
}

#' Some of the points
#' @param said see points() of label_problem().
#' @noRd
label_said_at <- function(said, which) {
  list(points = points_at(said$points, which), omega = said$omega[, , , which, drop = FALSE])
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

pair_shares <- function(Z) {
  pmin(exp(pairs_prior[["meanlog"]] + pairs_prior[["sdlog"]] * Z), pairs_most)
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
  vapply(seq_along(learned), function(k) {
    inverse <- tryCatch(solve(matrix(A[, k], classes)), error = function(cnd) NaN)
    rep_len(as.vector(inverse), classes^2)
  }, numeric(classes^2))
}

#' The share of the noise to take out of scores that have learned all of it: of rates that are given,
#' and that no matrix takes out, nearly all
#' @noRd
most_taken_out <- function(model, share) {
  given <- model$d == 0 && !all(is.finite(taken_out(model$omegas(matrix(0, 0, 1)), share, 1)))
  if (given) 0.99 else 1
}

#' From the slope in that inverse M those in omega and in the share that was learned
#' @noRd
taken_out_slope <- function(slope, M, omega, share, learned) {
  classes <- dim(omega)[2]
  M <- matrix(M, classes)
  by <- -t(M) %*% matrix(slope, classes) %*% t(M)
  mean <- matrix(share %*% matrix(omega, dim(omega)[1]), classes)
  list(
    omega = learned * outer(share, by), learned = sum(by * (mean - diag(classes)))
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

#' The slope in omega at a point from that in the likelihoods of the kinds
#' @noRd
label_by_omega <- function(rows, omega, slope) {
  size <- dim(omega)[1:3]
  if (is.null(rows$cell)) {
    return(report_slope(rows$kinds, array(omega, size), matrix(slope, rows$kinds$n)))
  }
  array(replace(numeric(prod(size)), rows$cell, slope), size)
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
    beta = label_unusual[[if (own) "fit" else "scores"]], unusual = unusual
  )
}
