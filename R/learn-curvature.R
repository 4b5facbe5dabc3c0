# The curvature of what is maximised at a mode, by differences of the gradient. Where EP does
# not converge nearby, its gradient there may be near enough, or a shorter step helps, or the
# scores of the rows tell it: it is never that of the prior alone without a word [M 8.13].

# Between the gradients that are subtracted; the first step, and then shorter ones
curvature_step <- c(usual = 0.03, central = 0.01)
curvature_shorter <- c(1, 1 / 3, 1 / 10)
curvature_tol <- 1e-6 # of EP, for gradients are subtracted from each other
# Of EP that stalls: its gradients are then right to some 0.1
curvature_residual <- 1e-2
curvature_grid <- 1 / 256 # sds of the posterior: between coordinates that a mode may have
# How it was measured along a coordinate, from the best
curvature_ways <- c("converged", "stalled", "scores", "prior")

#' -f'' at a mode by differences of the gradient, and how the sites move there
#'
#' @param central whether both sides are looked at: half as exact again, twice as dear.
#' @return list(H, tangent, measured: which of `curvature_ways` tells H along each
#'   coordinate), all `NULL` where EP has no fixed point at the mode; and, unless `central`, the evaluation at round coordinates next to the mode, see mode_rounded(). If
#'   `central`, H is `NA` where differences do not tell it.
#' @noRd
learn_curvature <- function(problem, mode, central = FALSE) {
  look <- curvature_look(problem)
  here <- if (central) mode else look(mode_rounded(problem, mode), mode$sites)
  # where EP ended in a search, but does not to a finer tolerance
  if (!is.finite(here$penalised)) here <- mode
  if (!is.finite(here$penalised)) {
    return(list(H = NULL, tangent = NULL, measured = NULL))
  }
  first <- curvature_step[[if (central) "central" else "usual"]]
  d <- length(mode$par)
  H <- matrix(NA_real_, d, d)
  even <- function(end) unlist(learn_even(problem, end))
  tangent <- matrix(0, length(even(here)), d)
  measured <- rep("prior", d)
  asked <- seq_len(d)
  # those that are asked for in any case, at once
  points <- unlist(lapply(if (central) c(first, -first) else first, function(side) {
    lapply(asked, function(j) replace(here$par, j, here$par[j] + side))
  }), recursive = FALSE)
  if (length(points)) look(points[[1]], here$sites, points[-1])
  for (j in asked) {
    for (step in first * curvature_shorter) {
      ends <- curvature_ends(here, j, step, look, central)
      if (!is.null(ends)) {
        H[, j] <- (ends$down$gradient - ends$up$gradient) / ends$apart
        # gradients that are not exact may say anything
        if (ends$way == "converged" || H[j, j] > problem$least) {
          tangent[, j] <- (even(ends$up) - even(ends$down)) / ends$apart
          measured[j] <- ends$way
          break
        }
        H[, j] <- NA
      }
      if (learn_is_over(problem)) break
    }
  }
  if (!central && "prior" %in% measured) {
    told <- curvature_scores(problem, here, measured, first)
    # columns that differences do not tell: from the others, and from scores
    H[, told$at] <- t(H[told$at, , drop = FALSE])
    H[told$at, told$at] <- told$H
    measured <- told$measured
  }
  c(
    list(H = (H + t(H)) / 2, tangent = tangent, measured = measured),
    if (!central) c(here[c("par", "value", "penalised", "gradient")], list(sites = learn_even(problem, here)))
  )
}

#' Round coordinates next to a mode, less than 1/512 of an sd away: nodes then stand where they do
#' whatever the last digits of the climb
#' @noRd
mode_rounded <- function(problem, mode) {
  H <- if (is.null(mode$curvature)) 1 else pmax(diag(mode$curvature), 1)
  grid <- 2^floor(log2(curvature_grid / sqrt(H)))
  learn_within(problem, round(mode$par / grid) * grid)
}

#' Evaluations near a mode, as a function of the point and of the sites to start from; `near`
#' where EP came near a fixed point only. With a first point `more` may be given: they are
#' evaluated with it, and known when they are asked for.
#' @noRd
curvature_look <- function(problem) {
  problem$search_control$tol <- max(problem$control$tol, curvature_tol, problem$latent$coarse)
  problem <- learn_near(problem)
  known <- list()
  function(par, sites, more = list()) {
    k <- Position(function(end) identical(end$par, par), known)
    if (!is.na(k)) {
      return(known[[k]])
    }
    points <- c(list(par), more)
    out <- learn_ep(problem, lapply(points, function(p) list(par = p, sites = sites)))
    learn_tick(problem, length(points))
    ends <- Map(function(par, out) {
      end <- learn_evaluation(problem, par, out, curvature_residual)
      end$near <- !ep_converged(out)
      end
    }, points, out)
    if (length(more)) known <<- ends
    ends[[1]]
  }
}

#' Two points along a coordinate whose gradients are there: exact ones on one side, or on both
#' sides those of an EP that came near
#' @return list(up, down, apart, way), or `NULL`.
#' @noRd
curvature_ends <- function(here, j, step, look, central) {
  along <- function(step) look(replace(here$par, j, here$par[j] + step), here$sites)
  fine <- function(end) is.finite(end$penalised)
  exact <- function(end) fine(end) && !isTRUE(end$near)
  up <- along(step)
  down <- if (central || !exact(up)) along(-step) else here
  if (!central && !exact(up) && exact(down) || !fine(up)) up <- here
  if (!fine(down)) down <- here
  apart <- up$par[j] - down$par[j]
  if (apart > (if (central) 1.5 * step else 0)) {
    way <- if (exact(up) && exact(down)) "converged" else "stalled"
    list(up = up, down = down, apart = apart, way = way)
  }
}

#' What the scores of the rows tell of coordinates that differences do not
#'
#' The score of a row is the slope of its leave-one-out log probability with the sites as
#' they are; the sum of its squares is the expected curvature.
#' @return list(at: these coordinates, H: among them, measured)
#' @noRd
curvature_scores <- function(problem, here, measured, step) {
  at <- which(measured == "prior")
  problem$search_control$max_sweeps <- 1L
  loo <- function(j, step) {
    par <- replace(here$par, j, here$par[j] + step)
    learn_tick(problem)
    learn_ep(problem, list(list(par = par, sites = here$sites)), gradient = FALSE)[[1]]$loo
  }
  n <- problem$latent$n
  scores <- matrix(vapply(at, function(j) {
    slope <- (loo(j, step) - loo(j, -step)) / (2 * step)
    if (length(slope) == n && all(is.finite(slope))) slope else numeric(n)
  }, numeric(n)), n)
  measured[at[colSums(scores^2) > 0]] <- "scores"
  precision <- rep_len(pmax(problem$precision, problem$least), length(here$par))
  times <- report_times(problem$latent$reports)
  list(at = at, H = crossprod(scores, times * scores) + diag(precision[at], length(at)), measured = measured)
}

#' What is to be said of how the curvature at modes was measured, after their method
#' @noRd
curvature_words <- function(modes) {
  worst <- max(0L, match(unlist(lapply(modes, `[[`, "measured")), curvature_ways))
  switch(max(1L, worst), "", " (stalled)", " (scores)", " (prior)")
}

#' The curvature on more rows: the data's part of it grows with them, the prior's does not
#' @param times as many rows.
#' @noRd
grown_curvature <- function(problem, H, times) {
  prior <- diag(pmax(problem$precision, problem$least), nrow(H))
  turned_up(prior + times * (H - prior), problem$least)
}

#' A matrix whose axes are those of a minimum, the others turned round
#' @noRd
turned_up <- function(H, least) {
  e <- axes(H)
  e$vectors %*% (pmax(abs(e$values), least) * t(e$vectors))
}

#' eigen() of a symmetric matrix, which may have no rows; the largest part of a vector is
#' positive, so that rounding does not turn it round
#' @noRd
axes <- function(H) {
  if (nrow(H) == 0) {
    return(list(values = numeric(), vectors = H))
  }
  e <- eigen(H, symmetric = TRUE)
  largest <- e$vectors[cbind(max.col(abs(t(e$vectors)), "first"), seq_along(e$values))]
  e$vectors <- e$vectors * rep(sign(largest), each = nrow(H))
  e
}
