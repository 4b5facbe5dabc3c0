# Lengthscales of very many columns. To integrate over each of them takes a time that grows with the
# cube of their number, so few steps find their ratios, which are then held: what is learned is
# their common factor [M 8.16].

wide_steps <- 20L  # towards them, each of an evaluation or little more,
wide_rows <- 1000L # on so many rows at most,
wide_rate <- 0.1   # with this flip rate: without one they would follow each wrong label

#' A kernel with the ratios of its lengthscales held where there are too many to learn
#'
#' Their prior has what they have in common, and as `spent` what their ratios cost of the log prior:
#' the evidence then is that of Laplace's method with the curvature of the prior.
#' @param latent of the kernel.
#' @noRd
wide_kernel <- function(kernel, latent, spec) {
  each <- length(kernel$lengthscale) / length(kernel$nugget)
  if (each <= wide_columns || !"lengthscale" %in% latent$free) {
    return(kernel)
  }
  warn_sturdy(c(
    "One lengthscale for each of {each} columns: their ratios are found in a few steps
     and held.",
    i = "{.code kernel = kernel_iso()} has one lengthscale for all columns, and averages over it."
  ), "many_columns", columns = each)
  prior <- kernel$prior$lengthscale
  found <- wide_lengthscales(latent, spec)
  if (!is.null(prior)) {
    apart <- log(found) - prior$meanlog
    prior$spent <- sum((apart - mean(apart))^2) / (2 * prior$sdlog^2)
    prior$meanlog <- prior$meanlog + apart - mean(apart)
  }
  prior$tied <- TRUE
  kernel$prior$lengthscale <- prior
  kernel$lengthscale[] <- found
  kernel
}

#' Lengthscales after few steps towards the optimum of the evidence and the prior, by little memory
#' @noRd
wide_lengthscales <- function(latent, spec) {
  few <- if (latent$n > wide_rows && !is.null(latent$y)) latent$some(wide_rows) else latent
  spec <- utils::modifyList(
    unclass(spec), list(df = Inf, criterion = "evidence", epsilon = wide_rate)
  )
  problem <- learn_problem(few, spec)
  objective <- learn_objective(problem)
  best <- list(par = problem$start, penalised = -Inf)
  worst <- NULL
  fall <- function(par) {
    there <- objective$at(unname(par))
    if (there$penalised > best$penalised) best <<- there
    value <- -there$penalised
    # where EP has no fixed point: somewhat worse than all that is known
    if (is.finite(value)) worst <<- max(worst, value) else value <- max(worst, 0) + 100
    value
  }
  stats::optim(
    problem$start, fall, function(par) -objective$at(unname(par))$gradient, method = "L-BFGS-B",
    lower = problem$lower, upper = problem$upper, control = list(maxit = wide_steps)
  )
  problem$hyper(best$par)$lengthscale
}

#' More lengthscales than rows that the optimum of a criterion is sought for: their common factor has
#' no prior there
#' @noRd
warn_followed <- function(kernel, latent, spec) {
  each <- length(kernel$lengthscale) / length(kernel$nugget)
  follows <- !learns_by_nodes(spec) && "lengthscale" %in% latent$free && each > latent$n
  if (follows && each <= wide_columns) { # of more than that there has been a warning
    warn_sturdy(c(
      "One lengthscale for each of {each} columns, learned from {latent$n} rows: so many follow any
       labels, right or wrong.",
      i = "{.code kernel = kernel_iso()} has one for all columns; {.code hyper = \"integrate\"}
           averages over them."
    ), "many_columns", columns = each)
  }
}
