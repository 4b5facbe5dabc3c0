# Where searches start: in logs at offsets from the given values, in normal coordinates as the
# heuristics have it.

learn_tied <- c("lengthscale", "prior_scale") # one factor for all in the race

#' Starting points: the given one, then others at fixed offsets
#'
#' Offsets of (log lengthscale, log nugget, epsilon) chosen to lie in different
#' basins: wiggly with few flips, smooth with many, and between. A prior scale
#' moves as 1/lengthscale^2. Both epsilon = 0 and 1/2 are traps (the gradient on
#' the logit scale dies), so all start inside.
#' @noRd
learn_starts <- function(problem, restarts = problem$control$restarts) {
  offset <- rbind(
    c(0, 0, 0.05), c(-1, -1.5, 0.02), c(1, 0.5, 0.15), c(-0.5, 1.5, 0.1),
    c(0.5, -1.5, 0.2), c(-1.5, 0, 0.05), c(1.5, -1, 0.02)
  )
  pick <- rep_len(seq_len(nrow(offset)), restarts + 1L)
  round <- (seq_along(pick) - 1L) %/% nrow(offset)
  lapply(seq_along(pick), function(k) {
    d <- offset[pick[k], ] * (1 + 0.5 * round[k])
    par <- problem$start
    at <- problem$field
    par[at == "lengthscale"] <- par[at == "lengthscale"] + d[1]
    par[at == "prior_scale"] <- par[at == "prior_scale"] - 2 * d[1]
    list(par = learn_move_noise(problem, par, d[2], min(d[3], 0.3)))
  })
}

#' The first start with a larger nugget and, when it is learned, a larger epsilon: t-EP needs
#' more of it to have a fixed point
#' @noRd
learn_noisier <- function(problem) {
  par <- learn_starts(problem, 0)[[1]]$par
  lapply(c(4, 16, 64), function(times) {
    list(par = learn_move_noise(problem, par, log(times), min(0.02 * times, 0.4)))
  })
}

#' Other overlap and wrong labels: the log nugget by a step, the flip rates to a value
#' @noRd
learn_move_noise <- function(problem, par, step, rate) {
  at <- problem$field
  par[at == "nugget"] <- par[at == "nugget"] + step
  par[at == "epsilon"] <- stats::qlogis(2 * rate)
  learn_within(problem, par)
}

# In normal coordinates --------------------------------------------------------

# Shifts of the log lengthscale and, in sds, of the nugget, and rates of wrong labels: as the
# heuristics have it, wiggly with little noise, smooth with much
average_shifts <- list(c(0, -0.55, 0.05), c(-1, -1.35, 0.05), c(0.7, 0.5, 0.15))

#' Where the search under the noise model starts
#' @noRd
average_starts <- function(problem) {
  at <- problem$field
  name <- intersect(learn_tied, at)
  starts <- lapply(average_shifts, function(shift) {
    z <- numeric(length(at))
    if (length(name)) {
      # the coordinates of a common factor exp(shift): root z = shift
      toward <- if (name == "lengthscale") shift[1] else -2 * shift[1]
      from <- log(unlist(problem$latent$hyper[[name]])) - problem$latent$prior[[name]]$meanlog
      # values that move together have one coordinate
      z[at == name] <- qr.coef(qr(prior_root(problem$latent, name)), from + toward)
    }
    if ("nugget" %in% at) z[at == "nugget"] <- nugget_start(shift[2], problem$latent$prior$nugget)
    z[at == "epsilon"] <- noise_start(problem$noise, shift[3])
    list(par = pmin(pmax(z, 1 - average_far), average_far - 1)) # off the ends
  })
  c(starts, lapply(noise_starts(problem$noise), function(z) {
    list(par = replace(starts[[1]]$par, at == "epsilon", z))
  }))
}

#' The coordinate of a nugget so many sds from the centre of its prior, that of the wide part where
#' it has two
#' @noRd
nugget_start <- function(sds, prior) {
  curve <- nugget_curve(prior)
  if (is.null(curve)) sds else curve$normal(prior$meanlog + sds * prior$sdlog)
}
