# EP can have several fixed points: which one it is to end at, whatever the order of the
# rows, and what to say of the others.

# The order of the rows ------------------------------------------------------

# What a native result has for each row, but for `b`, which is by weight in weight space
row_fields <- c("m", "C_diag", "residual", "loo", "seen", "slope")

#' Some rows of a vector with an entry a row, or of a matrix
#' @noRd
take_rows <- function(x, rows) if (is.matrix(x)) x[rows, , drop = FALSE] else x[rows]

#' Between the rows as they are and in the order `visit`, in which the engine sees them
#' @param columns of sites: one, or one a class.
#' @return list(sites, result): functions that take sites there, and results back.
#' @noRd
in_order <- function(visit, fields = row_fields, columns = 1L) {
  back <- order(visit)
  sites <- function(sites) {
    if (columns > 1L) sites <- lapply(sites, matrix, ncol = columns)
    if (length(sites)) lapply(sites, take_rows, visit)
  }
  result <- function(out) {
    fields <- intersect(fields, names(out))
    out[fields] <- lapply(out[fields], function(x) if (!is.null(x)) take_rows(x, back))
    for (pair in intersect(c("sites", "cavity"), names(out))) {
      out[[pair]] <- lapply(out[[pair]], take_rows, back)
    }
    out
  }
  list(sites = sites, result = result)
}

# Further starts -------------------------------------------------------------

# Rows up to which one further start, and several, cost next to nothing
few_rows <- 500
very_few_rows <- 100

#' Is the nugget so small that EP may well have several fixed points?
#'
#' Those that tests/campaigns/campaign-fixed-points.R finds at random have one that is at
#' most half as large, which it checks. In weight space there may be none.
#' @noRd
small_noise <- function(hyper) {
  is.null(hyper$nugget) || hyper$nugget < 0.05 * max(hyper$variance, 0.1)
}

#' EP from every start that is worth its time, and the best of the fixed points
#'
#' From the prior; from `sites`, where a search ended; and from ep_other_starts(). With
#' several classes there are no others: of fixed points apart nothing is known.
#' @return list(out, status, rival, cold): `cold`, whether ep_continue() ends there
#'   from the prior, too; `rival`, where there is another fixed point, is
#'   list(worse, probability): by how much its criterion is lower, and the largest
#'   difference of a row's probability of the event.
#' @param tol tolerance of EP, within which ends are the same.
#' @noRd
ep_settle <- function(run, L, sites, certain, small_noise, tol) {
  start <- ep_continue(run, L, NULL, certain)
  cold <- start$out
  ends <- list(cold)
  if (!is.null(sites)) ends <- c(ends, list(run(L, sites)))
  two <- ncol(L) == 2
  if (two && !certain) ends <- c(ends, ep_other_starts(run, L, cold, small_noise))
  ends <- Filter(ep_converged, ends)
  if (!length(ends)) {
    return(start)
  }
  value <- vapply(ends, ep_value, numeric(1))
  best <- ends[[which(value >= max(value) - 1e-6)[1]]] # at the same one, the first
  gap <- ep_value(best) - ep_value(cold)
  list(
    out = best, status = "converged", rival = if (two) ep_rival(best, ends, max(1e-5, 100 * tol)),
    cold = ep_converged(cold) && isTRUE(gap < 1e-4 * (1 + abs(ep_value(best))))
  )
}

#' Where EP ends that is started otherwise than from the prior
#'
#' With half the step length, where there are few rows or, with little noise, sites of
#' negative precision; with very few rows also with a tenth of it, and from sites that
#' take every other label (by three divisions) for certain. Half the step length shows
#' another fixed point most often, a tenth of it and the divisions some that it does not.
#' @noRd
ep_other_starts <- function(run, L, cold, small_noise) {
  n <- nrow(L)
  hidden <- small_noise && any(cold$sites$tau < 0)
  if (!has_numbers(cold$m) || !(n <= few_rows || hidden)) {
    return(list())
  }
  ends <- list(run(L, NULL, damping = 0.5))
  if (n > very_few_rows) {
    return(ends)
  }
  side <- sign(L[, 2] - L[, 1])
  divided <- lapply(1:3, function(k) {
    sure <- 10 * (golden_share(rank(cold$m) * k) < 0.5)
    run(L, list(tau = sure / cold$C_diag, nu = sure * side / sqrt(cold$C_diag)))
  })
  c(ends, list(run(L, NULL, damping = 0.1)), divided)
}

#' What fixed points are compared by: the criterion, or else the evidence
#' @noRd
ep_value <- function(out) {
  value <- if (is.null(out$value)) out$log_evidence else out$value
  if (length(value) && is.finite(value)) value else -Inf
}

ep_rival <- function(best, ends, near) {
  event <- function(out) stats::pnorm(out$m / sqrt(out$C_diag))
  worse <- ep_value(best) - vapply(ends, ep_value, numeric(1))
  apart <- vapply(ends, function(end) max(abs(event(end) - event(best))), numeric(1))
  others <- (worse > near | apart > near) %in% TRUE
  if (any(others)) {
    k <- which(others)[which.max(apart[others])]
    list(worse = worse[k], probability = apart[k])
  }
}

rival_words <- function(rival) {
  if (!is.null(rival)) {
    paste0(
      " From another start it ends at another fixed point",
      if (is.finite(rival$worse)) {
        paste0(", whose criterion is ", format(rival$worse, digits = 2), " lower")
      },
      "; probabilities at the rows differ by up to ", format(rival$probability, digits = 2), "."
    )
  }
}
