# How many labels are wrong hangs on how much the classes overlap, which the prior of the nugget
# leaves open: the number at both ends.

#' The number of wrong labels under each of the two possibilities of the nugget's prior [M 8.16]
#'
#' The nodes of an average with other weights: their own times the probability of the
#' possibility at their nugget. That the inputs say nothing is overlap as wide as can be.
#' @param level of the intervals. @param models names of the noise models that are looked at.
#' @return a data frame with the rows `overlap` (as much as the data allow) and `apart` (they
#'   hardly overlap): probability; count, lower and upper of the number of wrong labels;
#'   nodes, how many count. `NULL` where the prior has one possibility, or one has no node.
#' @noRd
overlap_ends <- function(object, level = 0.9, models = object$nodes$models$model) {
  if (!is.null(object$recalibration)) {
    return(recalibrated_ends(object, level))
  }
  prior <- nugget_prior(object)
  if (is.null(prior$besides) || is.null(models)) {
    return(NULL)
  }
  mine <- object$nodes$table$model %in% models
  weight <- node_weight(object) * mine
  nugget <- vapply(nodes(object)$hyper, function(hyper) hyper$nugget[1], numeric(1))
  constant <- at_constant(object$nodes$table)
  if (any(nugget[!constant] == 0)) { # held there: classes are not believed to overlap at all
    return(NULL)
  }
  apart <- besides_share(log(nugget), prior)
  apart[constant] <- 0
  wrong <- node_wrong(object)
  ends <- lapply(list(overlap = 1 - apart, apart = apart), function(share) {
    w <- weight * share
    if (sum(w) > 0) {
      used <- w > 0
      said <- density_summary(wrong_mixture(
        wrong[, used, drop = FALSE], w[used], object$data$reports$times
      ), level)
      data.frame(probability = sum(w) / sum(weight), said, nodes = sum(w)^2 / sum(w^2))
    }
  })
  if (!any(vapply(ends, is.null, NA))) do.call(rbind, ends)
}

#' The same of recalibrated scores: as learned, and where overlap is held at 1 %. Which is
#' the case the data do not say [M 15.3].
#' @noRd
recalibrated_ends <- function(object, level) {
  held <- object$recalibration$apart
  if (is.null(held)) {
    return(NULL)
  }
  learned <- density_summary(average_density(object), level)
  apart <- lapply(density_summary(held$density, level), `*`, held$times)
  row <- function(said) data.frame(probability = NA_real_, said, nodes = NA_real_)
  rbind(overlap = row(learned), apart = row(apart))
}

#' The prior of the nugget of a fit
#' @noRd
nugget_prior <- function(object) {
  if (is.null(object$kernel)) object$prior$nugget_prior else object$kernel$prior$nugget
}
