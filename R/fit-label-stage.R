# The label stage of a fit of ours: its leave-one-out probabilities are the scores, and what is said of
# labels, and of true classes, is said by the stage [M 16.6].

#' Has a fit a label stage? Where nothing was learned of labels or averaged over, as all of it was
#' given, its own likelihood answers.
#' @noRd
takes_stage <- function(object) {
  has_rows(object) && NROW(object$data$X) > 0 && is.null(object$recalibration) &&
    (is.character(object$spec$epsilon) || length(object$nodes$table$weight) > 1)
}

#' A fit with its label stage
#' @noRd
with_label_stage <- function(object) {
  object$label_stage <- NULL
  if (!takes_stage(object)) {
    return(object)
  }
  spec <- second_stage_spec(
    epsilon = object$spec$epsilon, hyper = "integrate", noise = object$spec$noise,
    control = object$spec$control
  )
  object$label_stage <- new_second_stage(spec, label_stage_scores(object), NULL, own_kind(object), is_in_order(object))
  object
}

#' The rows of a fit with its leave-one-out probabilities in the place of inputs, and all that is
#' known of the labels
#' @noRd
label_stage_scores <- function(object) {
  data <- object$data[setdiff(names(object$data), "unlabelled")]
  data$X <- own_scores(object)
  list(data = data, blueprint = score_blueprint(object$blueprint$levels, score_least))
}
