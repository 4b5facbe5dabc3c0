# The latent function over shards, as latent.R describes latents: EP and its gradient
# are rounds, learning does not know that.

#' Rows in shards: kernel space at inducing inputs, or weight space
#'
#' @param team see shard-team.R. @param rows of each shard. @param few the latent of a
#'   sample of rows that is here: its Z are those of all.
#' @param prior that of the weights, see bpm_prior(); of inducing inputs list(columns), see
#'   latent_kernel().
#' @noRd
latent_shards <- function(team, rows, few, prior) {
  n <- sum(rows)
  # what u is multiplied by in the coordinates of the model
  unit <- function(hyper) if (is.null(prior$columns)) sqrt(weight_scales(prior, hyper)) else 1
  project <- function(hyper, df, L, found) {
    if (!team$resumed) {
      team$log$prior <- features_over(n, few$Z, prior, hyper)
      project_shards(team, rows, found, list(df = df, L = L), 1 / unit(hyper))
    }
    held_sites
  }
  ep <- function(points, df, control, criterion = "none", gradient = FALSE, progress = NULL) {
    if (n > parallel_rows) control$tol <- max(control$tol, 1e-6)
    lapply(points, function(at) {
      team$log$prior <- features_over(n, few$Z, prior, at$hyper)
      lik <- list(df = df, L = at$L)
      out <- shard_rounds(team, lik, control, !is.null(at$sites), progress)
      if (out$status < 0) { # there is no posterior
        return(out)
      }
      out[c("lik", "gradient_status")] <- list(lik, NA_integer_)
      if (gradient && ep_converged(out)) out <- with_shard_gradient(out, team, prior, at$hyper)
      out$value <- switch(criterion,
        evidence = out$log_evidence, evidence_zp = out$log_evidence_zp, loo = out$loo_sum
      )
      in_units(out, unit(at$hyper))
    })
  }
  new_latent(
    n = n, columns = few$columns, classes = 2L, y = NULL,
    reports = label_reports(1:2, 2), # of the kinds of rows, which have one label each
    hyper = few$hyper, free = few$free, prior = few$prior, least = few$least,
    coarse = if (n > parallel_rows) 1e-3, second = FALSE, Z = few$Z, places = few$places,
    some = function(k) few, predict = few$predict, project = project, ep = ep,
    again = function(hyper, m) {
      if (is.null(few$again)) few$hyper <- hyper else few <- few$again(hyper, m)
      latent_shards(team, rows, few, prior)
    }
  )
}

#' What features of rows are made of, see shard-read.R
#' @noRd
features_over <- function(n, Z, prior, hyper) {
  all <- list(n_all = n, d = n, nugget = hyper$nugget)
  if (!is.null(prior$columns)) {
    return(c(all, list(Z = Z, columns = prior$columns, hyper = hyper)))
  }
  scale <- weight_scales(prior, hyper)
  if (hyper$nugget == 0) all$d <- length(scale) + 0
  c(all, list(weights = prior["intercept"], scale = scale))
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
    team$ask("hold", each = Map(function(before, n) {
      list(value = lapply(found$sites[c("tau", "nu")], `[`, before + seq_len(n)))
    }, cumsum(rows) - rows, rows))
  } else {
    own <- in_units(found, unit)
    team$ask("project", list(b = own$b, C = own$extra, lik = lik))
  }
  team$sites <- team$number
}

#' A fixed point with the gradient of the evidence there, in the logs of hyperparameters, and in L
#' @noRd
with_shard_gradient <- function(out, team, prior, hyper) {
  sums <- team$sum("gradient", out[c("point", "posterior", "lik")], add_gradients)
  # that of weights is of M alone, see shard.c; u in its own units
  scales <- list(s0 = (out$b^2 - 1 + diag(out$extra)) / 2, nugget = sums$nugget)
  gradient <- if (is.null(prior$columns)) weight_gradient(scales, prior, hyper) else sums
  utils::modifyList(out, list(gradient = gradient, gradient_status = 0L, slope = sums$slope))
}

#' The optimum, where the label stage averages over noise models that of a rate for each class
#' @noRd
learn_over_shards <- function(latent, spec) {
  if (identical(spec$epsilon, "average")) spec$epsilon <- "learn2"
  learn_fit(latent, spec)
}
