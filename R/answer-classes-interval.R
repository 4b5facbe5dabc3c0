# Intervals of the class probabilities of a fit with several classes.

interval_draws <- 1000L

#' Class probabilities at encoded inputs, with the ends of their intervals [M 7.7, 12.2]
#'
#' The distribution of a probability over the posterior has no closed form. Its quantiles are
#' those of draws: a Latin hypercube of the latent functions, the same for every row, dealt out
#' to the nodes by weight. Of 1000 draws the level of an end at 0.05 has a
#' standard error of 0.007.
#' @return list(estimate, lower, upper), rows x C.
#' @noRd
classes_interval_new <- function(object, X, level, call) {
  classes <- length(object$blueprint$levels)
  draws <- check_count(
    getOption("sturdy.draws", interval_draws), "options(sturdy.draws = )", min = 10,
    call = call
  )
  estimate <- classes_prob_new(object, X)
  check_memory(8 * as.double(draws) * classes, draws, call = call, what = "draws")
  dealt <- node_draws(object, draws)
  parts <- lapply(dealt$node, function(k) classes_known(node_fit(object, k), X))
  random <- with_seed_or_stream(1L, list(
    z = latin_normals(draws, classes),
    node = sample(rep(seq_along(dealt$node), dealt$draws))
  ))
  meter <- progress_meter("Intervals", object$spec$control$progress)
  ends <- vapply(seq_len(nrow(X)), function(i) {
    meter(i - 1, nrow(X), paste(whole(nrow(X)), "rows"))
    drawn <- lapply(c(m = "m", sd = "sd", noise = "noise"), function(name) {
      at <- vapply(parts, function(part) part[[name]][i, ], numeric(classes))
      t(at[, random$node])
    })
    p <- class_probabilities(drawn$m + drawn$sd * random$z, drawn$noise)
    apply(p, 2, stats::quantile, c(1 - level, 1 + level) / 2, names = FALSE)
  }, matrix(0, 2, classes))
  side <- function(k) matrix(ends[k, , ], nrow(X), classes, byrow = TRUE)
  list(estimate = unname(estimate), lower = side(1), upper = side(2))
}

#' The latent functions without their nuggets: list(m, sd, noise), rows x C
#' @noRd
classes_known <- function(fit, X) {
  latent <- classes_latent_new(fit, X)
  noise <- matrix(fit$kernel$nugget, nrow(X), ncol(latent$m), byrow = TRUE)
  list(m = latent$m, sd = sqrt(pmax(latent$s2 - noise, 0)), noise = noise)
}

#' Draws of independent standard normals, each column of which has one in each of as many
#' intervals of equal probability
#' @noRd
latin_normals <- function(draws, columns) {
  level <- (seq_len(draws) - 0.5) / draws
  vapply(seq_len(columns), function(c) stats::qnorm(sample(level)), numeric(draws))
}
