# A second kernel beside the usual one.
#
# Of several classes, kernels by class beside the one that all share. One kernel can't say that some
# classes overlap and others do not, but a noise matrix can, and then labels that are right are
# called wrong; kernels that know nothing of each other cost too much prior. So with probability 1/2
# each class has a kernel of its own that is like those of the others to a degree: the logs of its
# hyperparameters have the usual prior, and between two classes a correlation [M 12.21]. Its noise
# models stand in tables under names of their own until all nodes are there; then both kernels
# of a noise model are one. With many classes and inputs they have hundreds of coordinates: where
# they would cost too much they are left out, which a summary says.
#
# Two classes have one latent function. Beside a lengthscale of each column it has with probability
# 1/2 a plain kernel, see plain_kernel(): on few rows many lengthscales follow wrong labels.

pooled_prior <- 1 / 2
pooled_suffix <- ", by class"

is_pooled <- function(names) endsWith(as.character(names), pooled_suffix)
pooled_name <- function(names) paste0(names, pooled_suffix, recycle0 = TRUE)

#' The noise model that stands under a name
#' @noRd
noise_named <- function(names) ifelse(is_pooled(names), sub(pooled_suffix, "", names), names)

#' Is a second kernel, by class or plain, a possibility?
#' @noRd
pooled_is_open <- function(latent, spec) {
  identical(spec$kernels, "average") && spec$hyper == "integrate" && !is.null(latent$pooled) &&
    any(c("lengthscale", "nugget") %in% latent$free)
}

#' Noise models with those of both kernels, see noise_model(); rows of a noise matrix alone are
#' those of the shared kernel
#' @noRd
pooled_noise <- function(noise) {
  own <- whole_matrices(noise)$weights * pooled_prior
  noise$weights[names(own)] <- noise$weights[names(own)] * (1 - pooled_prior)
  noise$weights <- c(noise$weights, stats::setNames(own, pooled_name(names(own))))
  noise
}

#' The noise models but rows of a matrix alone
#' @noRd
whole_matrices <- function(noise) {
  alone <- intersect(noise$matrices, names(noise_only))
  noise$weights <- noise$weights[!names(noise$weights) %in% alone]
  noise$matrices <- intersect(noise$matrices, "matrix")
  noise
}

#' Parts of an average that are one: nodes of all, weighted by their evidences
#'
#' @param prior of the parts, up to a constant. @param says which of them tells how it was
#'   integrated.
#' @noRd
join_parts <- function(parts, prior, says = which.max(share)) {
  if (length(parts) == 1) {
    return(parts[[1]])
  }
  share <- log(prior / sum(prior)) + vapply(parts, function(part) part$log_evidence, 1)
  all <- log_sum(share)
  each <- function(field) unlist(lapply(parts, `[[`, field), FALSE, FALSE)
  joint <- parts[[says]]
  joint$log_weight <- unlist(Map(function(part, share) {
    part$log_weight - log_sum(part$log_weight) + share - all
  }, parts, share), use.names = FALSE)
  joint$log_evidence <- all
  for (field in c("out", "hyper", "omega")) joint[[field]] <- each(field)
  joint$constant <- do.call(rbind, lapply(parts, `[[`, "constant"))
  before <- cumsum(c(0, vapply(parts, function(part) max(part$pair), 1)))
  joint$pair <- each("pair") + rep(utils::head(before, -1), lengths(lapply(parts, `[[`, "pair")))
  joint
}
