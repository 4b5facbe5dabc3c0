# The scores of a fit: what it says of the class of each row without the row's own reports.

#' What the scores of a fit are: of two classes its rates have taken the noise out, of several they are
#' of the class recorded
#' @noRd
own_kind <- function(object) {
  if (is_several(object) && !has_readers(object) && !has_soft(object$data$reports)) "recorded" else "fit"
}

#' Leave-one-out probabilities of the true classes, or of the classes recorded
#' @noRd
own_scores <- function(object) {
  said <- truth(object)
  prob <- if (own_kind(object) == "recorded") {
    recorded_left_out(object)
  } else {
    mean_over(said$loo, left_out_weight(said))
  }
  as_scores(prob)
}

#' Probabilities as a label stage takes them: above 0
#' @noRd
as_scores <- function(prob) {
  prob <- pmax(prob, score_least)
  prob / rowSums(prob)
}

#' The same of a class that is recorded as the labels are that may be wrong, also where a row's is known
#' @noRd
recorded_left_out <- function(object) {
  said <- node_truth(object)
  omega <- node_omega(object)
  for (k in seq_along(omega)) said$loo[, , k] <- at_k(said$loo, k) %*% omega[[k]]
  mean_over(said$loo, left_out_weight(said))
}

# Of the probabilities of a fit, which may be 0 in double precision
score_least <- 1e-300
