# The scores of a fit: what it says of the class of each row without the row's own reports.

#' What the scores of a fit are: of the true class, as what it has learned of the noise is taken out of them; but of
#' the class recorded, "recorded", where its label stage has noise that differs by class and it has learned one rate
#' @noRd
own_kind <- function(object) {
  known <- object$label_stage$recalibration$kind
  if (!is.null(known)) {
    return(known)
  }
  reports <- object$data$reports
  one_rate <- is_several(object) && has_one_label(reports) &&
    !any(is_by_class(nodes(object)$model))
  models <- if (one_rate) names(noise_weights(object$spec$epsilon, object$spec$noise, reports, is_in_order(object)))
  if (any(is_by_class(models))) "recorded" else "fit"
}

#' Leave-one-out probabilities of the true classes; or of the classes recorded, as the labels are
#' that may be wrong, also where a row's is known
#' @noRd
own_scores <- function(object) {
  recorded <- own_kind(object) == "recorded"
  said <- if (recorded) node_truth(object) else truth(object)
  if (recorded) said$loo <- with_noise(said$loo, node_omega(object))
  as_scores(mean_over(said$loo, left_out_weight(said)))
}

#' Of the classes recorded, where `p` (rows x classes x nodes) is of the true ones
#' @param omega a noise matrix for each node.
#' @noRd
with_noise <- function(p, omega) {
  for (k in seq_along(omega)) p[, , k] <- at_k(p, k) %*% omega[[k]]
  p
}

#' Probabilities as a label stage takes them: above 0
#' @noRd
as_scores <- function(prob) {
  prob <- pmax(prob, score_least)
  prob / rowSums(prob)
}

# Of the probabilities of a fit, which may be 0 in double precision
score_least <- 1e-300
