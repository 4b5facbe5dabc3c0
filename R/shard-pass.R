# What happens where the rows of a shard are. What goes to and fro are matrices of k x k, never
# rows; points and sites are called by the numbers of the messages that made them (shard-sites.R).

# Messages ---------------------------------------------------------------------

#' Sites to start from: those that the posterior of u under other rows makes of these
#' @param b,C of the posterior of u. @param lik its own.
#' @noRd
shard_project <- function(state, b, C, lik) {
  shard_hold(state, all_sites(each_block(state, function(block, rows) {
    s2 <- colSums(rows$Phi * native_product(C, rows$Phi, FALSE)) + rows$lambda
    native_project(lik$L[rows$kind, , drop = FALSE], drop(crossprod(rows$Phi, b)), s2, lik$df, rows$d)
  })))
}

#' A point to start from, and what it sums to
#'
#' @param sites number of its sites, `NULL` for those of the prior. @param least precision of a site.
#' @return list(P, h)
#' @noRd
shard_begin <- function(state, sites = NULL, least = -Inf) {
  made <- each_block(state, function(block, rows) {
    start <- if (!is.null(sites)) lapply(made_under(state, sites), `[`, block$before + seq_len(block$n))
    if (!is.null(start)) start$tau <- pmax(start$tau, least)
    begun <- native_shard_point(start, rows$lambda)
    list(point = begun, sums = native_shard_gram(rows, begun))
  })
  hold_points(state, made, add_grams)
}

#' Keeps the points that have been made of the blocks
#' @param made list(point, sums) of each. @return the sum of what they come to, `NULL` without blocks
#' @noRd
hold_points <- function(state, made, add) {
  shard_hold(state, lapply(made, `[[`, "point"))
  add_up(lapply(made, `[[`, "sums"), add)
}

sites_of_point <- function(point, lambda) {
  left <- 1 - lambda * point[, 1]
  list(tau = point[, 1] / left, nu = point[, 2] / left)
}

#' A pass over the rows from a point, which makes another
#'
#' @param points numbers of that point and of those before it, newest first: their differences are
#'   the memory of the acceleration.
#' @return the sums of native_shard_pass()
#' @noRd
shard_pass <- function(state, points, posterior, lik, gamma, scale) {
  points <- lapply(points, made_under, state = state)
  made <- each_block(state, function(block, rows) {
    here <- lapply(points, `[[`, block$at)
    memory <- Map(`-`, here[-length(here)], here[-1])
    out <- native_shard_pass(
      rows, lik, posterior, list(here = here[[1]], memory = memory, gamma = gamma, scale = scale)
    )
    sites <- if (!is.null(state$saved)) sites_of_point(here[[1]], rows$lambda)
    list(point = out[["next"]], sums = out[names(out) != "next"], sites = sites)
  })
  save_sites(state, lapply(made, `[[`, "sites"))
  hold_points(state, made, add_passes)
}

#' Keeps the sites of a fixed point
#' @noRd
shard_settle <- function(state, point) {
  sites <- each_block(state, function(block, rows) {
    sites_of_point(made_under(state, point)[[block$at]], rows$lambda)
  })
  shard_hold(state, all_sites(sites))
  save_sites(state, sites)
}

shard_gradient <- function(state, point, posterior, lik) {
  sum_blocks(state, function(block, rows) {
    inputs <- if (!is.null(state$prior$Z)) c(list(X = block$X), state$prior[c("Z", "columns", "hyper")])
    share <- native_shard_gradient(rows, lik, posterior, made_under(state, point)[[block$at]], inputs)
    stopifnot(is.list(share)) # there was a posterior in the pass to that point
    share
  }, add_gradients)
}

#' Leave-one-out scores of the rows, as the label stage of the fit takes them
#' @return see score_cells(), `NULL` without rows
#' @noRd
shard_scores <- function(state, point, posterior, lik) {
  sum_blocks(state, function(block, rows) {
    seen <- native_shard_view(rows, lik, posterior, made_under(state, point)[[block$at]])$seen
    S <- log(as_scores(exp(seen)))
    score_cells(list(kind = rows$kind, logit = S[, 2] - S[, 1], times = rep(1, nrow(S))))
  }, add_cells)
}

# Sums ------------------------------------------------------------------------

add_cells <- function(a, b) score_cells(Map(c, a, b))

add_grams <- function(a, b) list(P = a$P + b$P, h = a$h + b$h)

add_gradients <- function(a, b) Map(`+`, a, b)

add_passes <- function(a, b) {
  if (a$status != 0 || b$status != 0) {
    return(list(status = min(a$status, b$status)))
  }
  summed <- c("squares", "improper", "log_det", "loo", "H", "g", "P", "h")
  a$worst <- max(a$worst, b$worst)
  a[summed] <- Map(`+`, a[summed], b[summed])
  for (terms in c("evidence", "evidence_zp")) a[[terms]] <- add_terms(a[[terms]], b[[terms]])
  a
}

#' (R, h, shift), R in units of exp(shift)
#' @noRd
add_terms <- function(a, b) {
  shift <- max(a[3], b[3])
  c(a[1] * exp(a[3] - shift) + b[1] * exp(b[3] - shift), a[2] + b[2], shift)
}
