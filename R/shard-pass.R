# What happens where the rows of a shard are: in this process, or in one of a cluster, which
# holds the state of its shards (shard-read.R) between the rounds. What goes to and fro are
# matrices of k x k, never rows.

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

# Messages --------------------------------------------------------------------

#' Other hyperparameters: features anew
#' @noRd
shard_prepare <- function(state, prior) {
  state$prior <- prior
  for (block in state$blocks) {
    block$Phi <- block$lambda <- NULL
  }
}

#' Sites to start from, and what they sum to
#'
#' @param from "prior"; "sites", those of the last fixed point; "positive", those last begun
#'   from, negative precisions as 0; or list(b, C, lik), the posterior of u under other rows.
#' @return list(P, h)
#' @noRd
shard_begin <- function(state, from) {
  state$scale <- 0
  sum_blocks(state, function(block) {
    rows <- block_rows(state, block)
    sites <- if (is.list(from)) {
      block$good <- projected_sites(rows, from)
    } else if (from == "positive" && !is.null(block$here)) {
      sites_of_point(block$here, rows$lambda)
    } else if (from != "prior") {
      block$good
    }
    if (identical(from, "positive") && !is.null(sites)) sites$tau <- pmax(sites$tau, 0)
    block$here <- native_shard_point(sites, rows$lambda)
    block$trial <- NULL
    block$memory <- list()
    native_shard_gram(rows, block$here)
  }, add_grams)
}

projected_sites <- function(rows, from) {
  m <- drop(crossprod(rows$Phi, from$b))
  s2 <- colSums(rows$Phi * native_product(from$C, rows$Phi, FALSE)) + rows$lambda
  lik <- from$lik
  native_project(lik$L[rows$kind, , drop = FALSE], m, s2, lik$df, rows$d)
}

sites_of_point <- function(point, lambda) {
  left <- 1 - lambda * point[, 1]
  list(tau = point[, 1] / left, nu = point[, 2] / left)
}

#' A pass over the rows, from the last point or, if `accept`, from the one tried last
#' @param forget whether to forget earlier differences.
#' @return the sums of native_shard_pass()
#' @noRd
shard_pass <- function(state, posterior, lik, gamma, scale, accept, forget) {
  if (accept) shard_accept(state)
  state$scale <- scale
  saved <- list()
  sums <- sum_blocks(state, function(block) {
    if (accept && !is.null(state$file)) {
      sites <- sites_of_point(block$here, block_rows(state, block)$lambda)
      saved[[length(saved) + 1]] <<- sites
    }
    if (forget) block$memory <- list()
    step <- list(here = block$here, memory = block$memory, gamma = gamma, scale = scale)
    out <- native_shard_pass(block_rows(state, block), lik, posterior, step)
    block$trial <- out[["next"]]
    out["next"] <- list(NULL)
    out
  }, add_passes)
  if (length(saved)) save_sites(state, saved)
  state$known <- length(sums$g)
  sums
}

shard_accept <- function(state) {
  for (block in state$blocks) {
    if (state$scale > 0) {
      difference <- block$trial - block$here
      block$memory <- utils::head(c(list(difference), block$memory), state$known)
    }
    block$here <- block$trial
  }
  NULL
}

#' P and h anew from the sites: those of the rounds are sums of steps
#' @noRd
shard_gram <- function(state) {
  sum_blocks(state, function(block) {
    native_shard_gram(block_rows(state, block), block$here)
  }, add_grams)
}

#' Keeps the sites of a fixed point
#' @noRd
shard_settle <- function(state) {
  each_block(state, function(block) {
    block$good <- sites_of_point(block$here, block_rows(state, block)$lambda)
    NULL
  })
  if (!is.null(state$file)) save_sites(state, lapply(state$blocks, `[[`, "good"))
  NULL
}

#' @return `FALSE` without a posterior
#' @noRd
shard_gradient <- function(state, posterior, lik) {
  sum_blocks(state, function(block) {
    rows <- block_rows(state, block)
    inputs <- if (!is.null(state$prior$Z)) {
      c(list(X = block$X), state$prior[c("Z", "columns", "hyper")])
    }
    share <- native_shard_gradient(rows, lik, posterior, block$here, inputs)
    if (is.null(share)) FALSE else share
  }, add_gradients)
}

#' What EP says of the rows of a block
#' @return see native_shard_view(), with their kinds
#' @noRd
block_view <- function(state, block, posterior, lik) {
  rows <- block_rows(state, block)
  c(native_shard_view(rows, lik, posterior, block$here), rows["kind"])
}

#' Leave-one-out scores of the rows, as the label stage of the fit takes them
#' @return see score_cells(), `NULL` without rows
#' @noRd
shard_scores <- function(state, posterior, lik) {
  sum_blocks(state, function(block) {
    view <- block_view(state, block, posterior, lik)
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
