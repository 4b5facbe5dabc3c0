# The label stage of a fit of ours: its leave-one-out probabilities are the scores, and what is said of
# labels, and of true classes, is said by the stage [M 16.6].

#' Has a fit a label stage? Where nothing was learned of labels or averaged over, as all of it was
#' given, its own likelihood answers.
#' @noRd
takes_stage <- function(object) {
  has_numbers(object$ep$b) && sum(label_counts(object)) > 0 && !is_stage(object) &&
    (is.character(object$spec$epsilon) || length(object$nodes$table$weight) > 1)
}

#' A fit with its label stage
#' @param scores see label_stage_scores(): made where there is to be one.
#' @noRd
with_label_stage <- function(object, scores = label_stage_scores(object)) {
  object$label_stage <- NULL
  if (!takes_stage(object)) {
    return(object)
  }
  spec <- second_stage_spec(
    epsilon = object$spec$epsilon, hyper = "integrate", noise = object$spec$noise,
    control = object$spec$control
  )
  object$label_stage <- new_second_stage(spec, scores, own_kind(object), is_in_order(object))
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

#' Scores of rows that are elsewhere, as label_stage_scores() has them: a row is a cell of scores, and stands for as
#' many rows as the cell has
#' @param cells see score_cells(), `kind` being the class recorded.
#' @noRd
label_stage_cells <- function(object, cells) {
  places <- seq_along(cells$kind)
  levels <- object$blueprint$levels
  data <- list(
    X = as_scores(stats::plogis(cbind(-cells$logit, cells$logit))),
    y = label_codes(cells$kind, levels), rows = places, row_names = as.character(places),
    n_given = length(places), reports = with_times(label_reports(cells$kind, 2L), cells$times)
  )
  list(data = data, blueprint = score_blueprint(levels, score_least))
}
