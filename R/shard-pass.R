# What happens where the rows of a shard are. What goes to and fro are matrices of k x k, never
# rows; points and sites are called by the numbers of the messages that made them (shard-sites.R).

# Rows ------------------------------------------------------------------------

#' Features and lambda of a block as native functions take them [M 9.1]
#' @noRd
block_rows <- function(state, block) {
  if (is.null(block[["Phi"]])) {
    list2env(shard_features(state$prior, block$X), block)
  }
  c(list(Phi = block$Phi, lambda = block$lambda, kind = 1 + (block$y > 0)),
    state$prior[c("n_all", "d", "nugget")])
}

#' @param prior list(n_all, d, nugget, Z, columns, hyper), or of linear features list(n_all,
#'   d, nugget, weights: their prior as bpm_design() takes it, scale: of each weight); d is
#'   the dimension of the t.
#' @noRd
shard_features <- function(prior, X) {
  if (!is.null(prior$Z)) {
    return(native_features(X, prior$Z, prior$columns, prior$hyper))
  }
  Phi <- sqrt(prior$scale) * bpm_design(X, prior$weights)
  list(Phi = Phi, lambda = rep(prior$nugget, nrow(X)))
}

# Messages ---------------------------------------------------------------------

#' Sites to start from: those that the posterior of u under other rows makes of these
#' @param b,C of the posterior of u. @param lik its own.
#' @noRd
shard_project <- function(state, b, C, lik) {
  sites <- each_block(state, function(block) {
    rows <- block_rows(state, block)
    m <- drop(crossprod(rows$Phi, b))
    s2 <- colSums(rows$Phi * native_product(C, rows$Phi, FALSE)) + rows$lambda
    native_project(lik$L[rows$kind, , drop = FALSE], m, s2, lik$df, rows$d)
  })
  put_made(state, all_sites(sites))
}

#' A point to start from, and what it sums to
#'
#' @param sites number of its sites, `NULL` for those of the prior. @param point number of a
#'   point: its sites, negative precisions as 0.
#' @return list(P, h)
#' @noRd
shard_begin <- function(state, sites = NULL, point = NULL) {
  begun <- list()
  sums <- sum_blocks(state, function(block) {
    rows <- block_rows(state, block)
    start <- if (!is.null(point)) {
      start <- sites_of_point(made_under(state, point)[[block$at]], rows$lambda)
      start$tau <- pmax(start$tau, 0)
      start
    } else if (!is.null(sites)) {
      block_sites(made_under(state, sites), block)
    }
    begun[[block$at]] <<- native_shard_point(start, rows$lambda)
    native_shard_gram(rows, begun[[block$at]])
  }, add_grams)
  put_made(state, begun)
  sums
}

sites_of_point <- function(point, lambda) {
  left <- 1 - lambda * point[, 1]
  list(tau = point[, 1] / left, nu = point[, 2] / left)
}

#' A pass over the rows from a point, which makes another
#'
#' @param points numbers of that point and of those before it, newest first: their differences are
#'   the memory of the acceleration. @param save whether the sites of that point are to be saved.
#' @return the sums of native_shard_pass()
#' @noRd
shard_pass <- function(state, points, posterior, lik, gamma, scale, save) {
  points <- lapply(points, made_under, state = state)
  tried <- saved <- list()
  sums <- sum_blocks(state, function(block) {
    here <- lapply(points, `[[`, block$at)
    rows <- block_rows(state, block)
    if (save) saved[[block$at]] <<- sites_of_point(here[[1]], rows$lambda)
    out <- native_shard_pass(rows, lik, posterior, list(
      here = here[[1]], memory = Map(`-`, here[-length(here)], here[-1]), gamma = gamma, scale = scale
    ))
    tried[[block$at]] <<- out[["next"]]
    out["next"] <- list(NULL)
    out
  }, add_passes)
  put_made(state, tried)
  if (length(saved) && !is.null(state$saved)) save_sites(state, all_sites(saved))
  sums
}

#' P and h anew from the sites: those of the rounds are sums of steps
#' @noRd
shard_gram <- function(state, point) {
  sum_blocks(state, function(block) {
    native_shard_gram(block_rows(state, block), made_under(state, point)[[block$at]])
  }, add_grams)
}

#' Keeps the sites of a fixed point
#' @noRd
shard_settle <- function(state, point) {
  sites <- all_sites(each_block(state, function(block) {
    sites_of_point(made_under(state, point)[[block$at]], block_rows(state, block)$lambda)
  }))
  put_made(state, sites)
  if (!is.null(state$saved)) save_sites(state, sites)
}

#' @return `FALSE` without a posterior
#' @noRd
shard_gradient <- function(state, point, posterior, lik) {
  sum_blocks(state, function(block) {
    rows <- block_rows(state, block)
    inputs <- if (!is.null(state$prior$Z)) {
      c(list(X = block$X), state$prior[c("Z", "columns", "hyper")])
    }
    here <- made_under(state, point)[[block$at]]
    share <- native_shard_gradient(rows, lik, posterior, here, inputs)
    if (is.null(share)) FALSE else share
  }, add_gradients)
}

#' What EP says of the rows of a block
#' @return see native_shard_view(), with their kinds
#' @noRd
block_view <- function(state, block, point, posterior, lik) {
  rows <- block_rows(state, block)
  c(native_shard_view(rows, lik, posterior, made_under(state, point)[[block$at]]), rows["kind"])
}

#' Leave-one-out scores of the rows, as the label stage of the fit takes them
#' @return see score_cells(), `NULL` without rows
#' @noRd
shard_scores <- function(state, point, posterior, lik) {
  sum_blocks(state, function(block) {
    view <- block_view(state, block, point, posterior, lik)
    S <- log(as_scores(exp(view$seen)))
    score_cells(list(kind = view$kind, logit = S[, 2] - S[, 1], times = rep(1, nrow(S))))
  }, add_cells)
}

# Sums ------------------------------------------------------------------------

add_cells <- function(a, b) score_cells(Map(c, a, b))

add_grams <- function(a, b) list(P = a$P + b$P, h = a$h + b$h)

add_gradients <- function(a, b) if (is.list(a) && is.list(b)) Map(`+`, a, b) else FALSE

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
