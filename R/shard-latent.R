# The latent function over shards, as latent.R describes latents: EP and its gradient
# are rounds, learning does not know that. Shards know features Phi and the posterior of standard normal
# weights u of these [M 10.1]. At inducing inputs this is the model's own; in weight space its
# weights are w = sqrt(s0) u, s0 their prior scales, and Phi = X diag(sqrt(s0)) [M 9.1].

in_weight_space <- function(prior) is.null(prior$columns)

#' What u is multiplied by in the model
#' @noRd
unit_of <- function(prior, hyper) if (in_weight_space(prior)) sqrt(weight_scales(prior, hyper)) else 1

#' Mean and covariance of weights that are multiplied by `unit`
#' @noRd
in_units <- function(out, unit) {
  out$b <- unit * out$b
  out$extra <- unit * t(unit * out$extra)
  out
}

#' What features of rows are made of, see shard-read.R
#' @noRd
features_over <- function(n, Z, prior, hyper) {
  all <- list(n_all = n, d = n, nugget = hyper$nugget)
  if (!in_weight_space(prior)) return(c(all, list(Z = Z, columns = prior$columns, hyper = hyper)))
  scale <- weight_scales(prior, hyper)
  if (hyper$nugget == 0) all$d <- as.double(length(scale))
  c(all, list(weights = prior["intercept"], scale = scale))
}

#' Rows in shards: kernel space at inducing inputs, or weight space
#'
#' @param team see shard-team.R. @param rows of each shard. @param few the latent of a
#'   sample of rows that is here: its Z are those of all.
#' @param prior that of the weights, see bpm_prior(); of inducing inputs list(columns), see
#'   latent_kernel().
#' @noRd
latent_shards <- function(team, rows, few, prior) {
  n <- sum(rows)
  tell <- function(hyper) team$log$prior <- features_over(n, few$Z, prior, hyper)
  new_latent(
    n = n, columns = few$columns, classes = 2L, y = NULL,
    reports = label_reports(1:2, 2), # of the kinds of rows, which have one label each
    hyper = few$hyper, free = few$free, prior = few$prior, least = few$least,
    coarse = coarse_tol(n), second = FALSE, Z = few$Z, places = few$places,
    some = function(k) few, predict = few$predict,
    again = function(hyper, m) latent_shards(team, rows, few$again(hyper, m), prior),
    project = function(hyper, df, L, found) {
      if (!team$resumed) { # with sites of these rows, which are nearer
        tell(hyper)
        project_shards(team, rows, found, 1 / unit_of(prior, hyper), list(df = df, L = L))
      }
      held_sites
    },
    ep = function(points, df, control, criterion = "none", gradient = FALSE, progress = NULL) {
      control <- control_for(control, n, df, criterion)
      lapply(points, function(at) {
        tell(at$hyper)
        out <- shard_rounds(team, list(df = df, L = at$L), control, !is.null(at$sites), progress)
        # without a posterior there is a status alone
        if (out$status < 0) out else shard_result(out, team, prior, at, df, criterion, gradient)
      })
    }
  )
}

#' Where rounds have ended as ep() of a latent gives it
#' @param out see shard_rounds(). @param at the point they were at.
#' @return with `lik`, which is asked for with `point` and `posterior`
#' @noRd
shard_result <- function(out, team, prior, at, df, criterion, gradient) {
  out$lik <- list(df = df, L = at$L)
  if (gradient && ep_converged(out)) out[c("gradient", "slope")] <- shard_slopes(out, team, prior, at$hyper)
  out$gradient_status <- if (is.null(out[["gradient"]])) NA_integer_ else 0L
  out$value <- switch(criterion,
    evidence = out$log_evidence, evidence_zp = out$log_evidence_zp, loo = out$loo_sum
  )
  in_units(out, unit_of(prior, at$hyper))
}

#' The gradient of the evidence at a fixed point at df = Inf
#' @return list(the gradient in the logs of hyperparameters, the slope in L)
#' @noRd
shard_slopes <- function(out, team, prior, hyper) {
  sums <- team$sum("gradient", out[c("point", "posterior", "lik")], add_gradients)
  gradient <- sums[names(sums) != "slope"]
  if (in_weight_space(prior)) {
    # d log Z / d log s0_k = (E u_k^2 - 1) / 2, which [M 5.9] comes to: that takes no rows
    gradient$s0 <- (out$b^2 - 1 + diag(out$extra)) / 2
    gradient <- weight_gradient(gradient, prior, hyper)
  }
  list(gradient, sums$slope)
}

#' Sites of all rows by those of a sample: the same, where the sample is all; else those that its posterior
#' of u makes of the rows
#' @param found the sample's fixed point. @param to_u what makes its weights u.
#' @noRd
project_shards <- function(team, rows, found, to_u, lik) {
  if (length(found$sites$tau) == sum(rows)) {
    team$ask("hold", each = Map(function(before, n) {
      list(value = lapply(found$sites[c("tau", "nu")], `[`, before + seq_len(n)))
    }, cumsum(rows) - rows, rows))
  } else {
    own <- in_units(found, to_u)
    team$ask("project", list(b = own$b, C = own$extra, lik = lik))
  }
  team$sites <- team$number
}

#' The optimum, where the label stage averages over noise models that of a rate for each class: a fit
#' over shards stands at one point
#' @noRd
learn_over_shards <- function(latent, spec) {
  if (identical(spec$epsilon, "average")) spec$epsilon <- "learn2"
  learn_fit(latent, spec)
}
