# The hyperparameters of a fit: as its latent takes them, and named, as they are shown.

#' Hyperparameters of a fit as its latent takes them
#' @noRd
model_hyper <- function(object) UseMethod("model_hyper")

model_hyper.sturdy_model <- function(object) kernel_hyper(object$kernel)

model_hyper.bpm <- function(object) prior_hyper(object$prior)

# By name -------------------------------------------------------------------------------

#' Hyperparameters of a fit, named, on the natural scale; those of its label noise are the last
#' @noRd
hyperparameters <- function(object) {
  rates <- unname(object$epsilon)
  several <- if (length(rates) == 2) c("neg", "pos") else object$blueprint$levels
  names(rates) <- if (length(rates) == 1) "epsilon" else paste0("epsilon.", several)
  c(own_hyper(object)$value, rates)
}

#' Which of them were learned
#' @noRd
learned <- function(object) {
  any <- !is.null(object$learning) || is_stage(object)
  c(own_hyper(object)$learned & any, rep(rate_learned(object) && any, length(object$epsilon)))
}

#' Were rates of wrong labels learned, or given?
#' @noRd
rate_learned <- function(object) is.character(object$spec$epsilon)

#' Those of the latent function, or of the recalibration of scores
#' @return list(value, named; learned: where anything is)
#' @noRd
own_hyper <- function(object) UseMethod("own_hyper")

own_hyper.sturdy_model <- function(object) {
  kernel <- object$kernel
  each <- by_kernel(kernel_hyper(kernel))
  size <- lengths(each[[1]])
  name <- rep(names(size), size)
  free <- !name %in% kernel$fixed
  if (kernel$type == "ard") name[name == "lengthscale"] <- paste0("lengthscale.", object$blueprint$columns)
  name[name == "width"] <- paste0("width.", names(kernel$width))
  if (length(each) > 1) name <- paste0(name, "@", rep(object$blueprint$levels, each = length(name)))
  list(
    value = stats::setNames(unlist(each, use.names = FALSE), name), learned = rep(free, length(each))
  )
}

#' What there is of the hyperparameters of each kernel, one or one a class, in the order they are shown
#' @param of their values, or derivatives in them.
#' @noRd
by_kernel <- function(kernel, of = kernel) {
  shown <- c("lengthscale", scalar_names(kernel), if (!is.null(kernel$width)) "width")
  lapply(seq_along(kernel$nugget), function(c) class_hyper(of, c)[shown])
}

own_hyper.bpm <- function(object) {
  prior <- object$prior
  nugget <- prior$nugget[prior$nugget > 0]
  list(
    value = c(
      stats::setNames(prior$scale, sprintf("prior_scale.%s", names(prior$scale))),
      stats::setNames(nugget, rep("nugget", length(nugget)))
    ),
    learned = c(prior$free, prior$free_nugget[length(nugget) > 0])
  )
}

#' The hyperparameters of a kernel that are one number: of a linear part where there is one
#' @noRd
scalar_names <- function(kernel) {
  c("variance", "bias", "nugget", if (any(kernel$linear > 0)) "linear")
}
