# Where wrong labels of each true class go: alike, to neighbours of classes in an order, or where
# coordinates say, pi[t, v] = exp(2.5 z[t, v]) / sum of those of t [M 16.4].

whereto_spread <- 2.5 # of the logs of where errors go: one class only is no surprise
whereto_near <- 0.9   # of the errors of one class of an order fall on those beside it, the others anywhere
whereto_most <- 250   # standard deviations, from where on an exponential would not be finite

# Each way is list(d: how many coordinates it has; base: sources x C x C, pi but for what these say; and
# their kind's own fields), with one source where all share it.

#' It is known
#' @param share see as_omega().
#' @noRd
whereto_known <- function(classes, share = NULL) {
  if (is.null(share)) share <- even_share(classes)
  list(d = 0L, base = array(share, c(1L, classes, classes)))
}

#' Of classes in an order errors fall on neighbours alone, or anywhere, or both; which part does what is
#' uniform before the data: pi = base + Phi(z) further
#' @noRd
whereto_reach <- function(classes) {
  near <- neighbour_share(classes, 0)
  list(d = 1L, base = array(near, c(1L, classes, classes)), further = as.vector(neighbour_share(classes, 1) - near))
}

#' It is learned
#' @param targets C x C, which classes may be recorded of each. @param sources how many have it for
#'   themselves: one, for all of them, or all. @param turn the order in which classes have coordinates.
#' @param part of the errors of which it is learned; the others go anywhere.
#' @return with part; cell, where the learned ones stand in base, and group: which of these sum to 1.
#' @noRd
whereto_learned <- function(targets, sources, turn, part = 1) {
  classes <- length(turn)
  rows <- turn[rowSums(targets)[turn] > 0]
  # of a true class all targets of one source after the other
  learned <- do.call(rbind, lapply(rows, function(t) {
    expand.grid(v = turn[targets[t, turn]], s = seq_len(sources), t = t)
  }))
  base <- array(rep(even_share(classes), each = sources), c(sources, classes, classes))
  base[, rows, ] <- (1 - part) * base[, rows, ]
  of <- learned$s + sources * (learned$t - 1L)
  list(
    d = length(of), base = base, part = part, cell = of + sources * classes * (learned$v - 1L),
    group = match(of, unique(of))
  )
}

#' Errors that go to all other classes alike
#' @noRd
even_share <- function(classes) (1 - diag(classes)) / max(classes - 1, 1)

#' The coordinates of where errors go, after those of rates
#' @noRd
whereto_part <- function(model, Z) Z[seq_len(nrow(Z)) > model$d - model$whereto$d, , drop = FALSE]

#' pi at points, S x C x C x K
#' @noRd
noise_whereto <- function(model, Z) {
  whereto <- model$whereto
  size <- dim(whereto$base)
  z <- whereto_part(model, Z)
  pi <- matrix(whereto$base, length(whereto$base), ncol(Z))
  if (!is.null(whereto$further)) pi <- pi + outer(whereto$further, stats::pnorm(drop(z)))
  if (!is.null(whereto$cell)) pi[whereto$cell, ] <- pi[whereto$cell, ] + whereto$part * whereto_shares(whereto, z)
  of_source <- rep_len(seq_len(size[1]), nrow(model$root))
  array(pi, c(size, ncol(Z)))[of_source, , , , drop = FALSE]
}

#' The learned ones
#' @noRd
whereto_shares <- function(whereto, Z) {
  e <- exp(whereto_spread * pmin(pmax(Z, -whereto_most), whereto_most))
  e / over_group(e, whereto$group)
}

#' Derivatives in the coordinates from those in pi, D: of learned w, a part of pi, 2.5 w (D - sum of w D over the group)
#' @param slope D, of each source, (S C C) x K.
#' @noRd
whereto_pull <- function(whereto, Z, slope) {
  if (whereto$d == 0) {
    return(NULL)
  }
  sharing <- nrow(slope) / length(whereto$base) # sources that share one: their sum
  slope <- colSums(array(slope, c(sharing, length(whereto$base), ncol(Z))))
  if (!is.null(whereto$further)) {
    return((whereto$further %*% slope) * stats::dnorm(Z))
  }
  slope <- whereto$part * slope[whereto$cell, , drop = FALSE]
  w <- whereto_shares(whereto, Z)
  whereto_spread * w * (slope - over_group(w * slope, whereto$group))
}

#' The sum over its group in the place of each row
#' @noRd
over_group <- function(x, group) unname(rowsum(x, group, reorder = FALSE))[group, , drop = FALSE]
