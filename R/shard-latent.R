# The latent function over shards, as latent.R describes latents: EP and its gradient
# are rounds, learning does not know that.

#' Kernel space at inducing inputs, its rows in shards
#'
#' @param team see shard-team.R. @param rows of each shard. @param few the latent of a
#'   sample of rows that is here, as latent_inducing() makes it: its Z are those of all.
#' @param columns see latent_kernel(). @param m number of inducing inputs, or `NULL` where
#'   they were given.
#' @noRd
latent_shards <- function(team, rows, few, columns, m) {
  features <- function(hyper) {
    list(n_all = sum(rows), d = sum(rows), nugget = hyper$nugget, Z = few$Z, columns = columns, hyper = hyper)
  }
  again <- function(hyper, size = m) {
    placed <- if (is.null(m)) few else few$again(hyper, size)
    placed$hyper <- hyper
    latent_shards(team, rows, placed, columns, if (!is.null(m)) size)
  }
  shards_base(team, rows, few, features, again)
}

#' Weight space, its rows in shards
#' @param weights the prior of the weights, see bpm_prior().
#' @noRd
latent_weight_shards <- function(team, rows, few, weights) {
  features <- function(hyper) {
    scale <- weight_scales(weights, hyper)
    list(
      n_all = sum(rows), d = if (hyper$nugget > 0) sum(rows) else length(scale) + 0,
      nugget = hyper$nugget, weights = weights["intercept"], scale = scale
    )
  }
  # of M alone, see shard.c; u in its own units
  by_hyper <- function(out, hyper) {
    by_weight <- (out$b^2 - 1 + diag(out$extra)) / 2
    list(
      prior_scale = if (any(weights$free)) drop(rowsum(by_weight, weights$group))[weights$free],
      nugget = if (hyper$nugget > 0) out$gradient$nugget
    )
  }
  again <- function(hyper, m) {
    few$hyper <- hyper
    latent_weight_shards(team, rows, few, weights)
  }
  units <- function(hyper) sqrt(weight_scales(weights, hyper))
  shards_base(team, rows, few, features, again, units, by_hyper)
}

#' @param features function(hyper) of what shard_features() takes. @param units
#'   function(hyper): what u is multiplied by in the coordinates of the model. @param
#'   by_hyper function(out, hyper): the gradient where it is not the sum over shards.
#' @noRd
shards_base <- function(team, rows, few, features, again, units = function(hyper) 1,
                        by_hyper = function(out, hyper) out$gradient) {
  n <- sum(rows)
  project <- function(hyper, df, L, found) {
    if (!team$resumed) {
      team$log$prior <- features(hyper)
      project_shards(team, rows, found, list(df = df, L = L), 1 / units(hyper))
    }
    held_sites
  }
  ep <- function(points, df, control, criterion = "none", gradient = FALSE, progress = NULL) {
    if (n > parallel_rows) control$tol <- max(control$tol, 1e-6)
    lapply(points, function(at) {
      team$log$prior <- features(at$hyper)
      lik <- list(df = df, L = at$L)
      out <- shard_rounds(team, lik, control, if (is.null(at$sites)) "prior" else "sites", progress)
      if (out$status < 0) { # there is no posterior
        return(out)
      }
      out <- c(out, list(lik = lik, gradient = NULL, gradient_status = NA_integer_))
      if (gradient && ep_converged(out)) out <- with_shard_gradient(out, team, at$hyper, by_hyper)
      out$value <- switch(criterion,
        evidence = out$log_evidence, evidence_zp = out$log_evidence_zp, loo = out$loo_sum
      )
      in_units(out, units(at$hyper))
    })
  }
  new_latent(
    n = n, columns = few$columns, classes = 2L, y = NULL,
    reports = label_reports(1:2, 2), # of the kinds of rows, which have one label each
    hyper = few$hyper, free = few$free, prior = few$prior, least = few$least,
    coarse = if (n > parallel_rows) 1e-3, second = FALSE, Z = few$Z, places = few$places,
    some = function(k) few, again = again, predict = few$predict, project = project, ep = ep
  )
}

#' A posterior of u in other units
#' @noRd
in_units <- function(out, unit) {
  out$b <- unit * out$b
  out$extra <- unit * t(unit * out$extra)
  out
}

#' Sites of all rows by those of a sample: the same, where the sample is all; else those that its posterior
#' of u makes of the rows
#' @param found the sample's fixed point. @param unit what its u is multiplied by in the coordinates of the
#'   shards.
#' @noRd
project_shards <- function(team, rows, found, lik, unit) {
  if (length(found$sites$tau) == sum(rows)) {
    own <- Map(function(before, n) {
      list(value = lapply(found$sites[c("tau", "nu")], `[`, before + seq_len(n)))
    }, cumsum(rows) - rows, rows)
    team$ask("hold", each = own)
  } else {
    own <- in_units(found, unit)
    team$ask("project", list(b = own$b, C = own$extra, lik = lik))
  }
  team$sites <- team$number
}

#' A fixed point with the gradient of the evidence there, in the logs of hyperparameters, and in L
#' @noRd
with_shard_gradient <- function(out, team, hyper, by_hyper) {
  sums <- team$sum("gradient", out[c("point", "posterior", "lik")], add_gradients)
  out$gradient_status <- if (is.list(sums)) 0L else 4L
  if (is.list(sums)) {
    out[c("gradient", "slope")] <- list(sums, sums$slope)
    out$gradient <- by_hyper(out, hyper)
  }
  out
}

#' The optimum, where the label stage averages over noise models that of a rate for each class
#' @noRd
learn_over_shards <- function(latent, spec) {
  if (identical(spec$epsilon, "average")) spec$epsilon <- "learn2"
  learn_fit(latent, spec)
}
