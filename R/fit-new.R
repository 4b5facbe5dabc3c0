# New rows: as they are encoded for a fit, and what it says of them.

#' The rows that a prediction is of: those of `newdata`, or the training rows
#'
#' @return list(X, the encoded rows that are complete; row_names, of all; spread, which takes
#'   answers for the rows of X, a vector or a matrix, to all rows, `NA` where there is none); of the
#'   training rows also labelled, which rows of X have labels, and each, which of the fit these are.
#' @noRd
rows_to_predict <- function(object, newdata) {
  check_posterior(object)
  if (is.null(newdata)) {
    refuse(!is.null(object$filter), c(
      "{.arg newdata} must be given: the model keeps none of the rows it has
       absorbed.",
      i = "To estimate the error on new rows, predict them before {.fn absorb}."
    ), "missing_argument", arg = "newdata")
    check_by_ep(object)
    return(own_rows(object$data))
  }
  new <- forge(object$blueprint, newdata, novel = takes_novel(object))
  new$X <- within_reach(new$X)
  at <- replace(rep(NA_integer_, nrow(new$X)), new$complete, seq_len(sum(new$complete)))
  list(
    X = if (all(new$complete)) new$X else new$X[new$complete, , drop = FALSE],
    row_names = new$row_names,
    spread = function(answers) {
      if (is.matrix(answers)) answers[at, , drop = FALSE] else answers[at]
    }
  )
}

#' The rows of a fit, those without a label at their places
#'
#' Of the rows 1, 2, ... that na.action saw it left out `omitted`; the labelled ones are the others. Some
#' of those left out lack a label alone: they are `open`, and have an answer.
#' @param data of the fit. @return see rows_to_predict().
#' @noRd
own_rows <- function(data) {
  omitted <- data$na_action
  open <- data$unlabelled
  each <- row_of_each(data)
  labelled <- setdiff(seq_len(length(each) + length(omitted)), omitted)
  order <- order(c(labelled, open$at))
  if (length(open$at)) {
    still <- !omitted %in% open$at
    # as na.exclude() has them: their positions count those without a label, too
    omitted <- structure(omitted[still], names = names(omitted)[still], class = class(omitted))
  }
  if (!is.null(data$units)) {
    data[c("X", "row_names")] <- list(data$X[each, , drop = FALSE], data$units$row_names)
  }
  names <- stats::naresid(omitted, c(data$row_names, open$row_names)[order])
  if (inherits(omitted, "exclude")) names[omitted] <- names(omitted)
  list(
    X = if (is.null(open)) data$X else bind_rows(data$X, open$X)[order, , drop = FALSE],
    row_names = names, labelled = match(seq_along(each), order), each = each,
    spread = function(answers) stats::naresid(omitted, answers)
  )
}

#' Which labelled row of a fit each row is that rows_to_predict() has of it, `NA` for those without a label
#' @noRd
own_places <- function(data) {
  rows <- own_rows(data)
  place <- rep(NA_integer_, nrow(rows$X))
  place[rows$labelled] <- rows$each
  rows$spread(place)
}

#' Scaled latent locations and squared scales, see node_latent(), at the point of a fit: matrices with a column a function
#' @noRd
latent_new <- function(object, X) {
  object["nodes"] <- list(NULL)
  lapply(node_latent(object, X)[c("m", "s2")], at_k, 1)
}

#' Probabilities of the true class at encoded inputs, or of the recorded one: through the label stage,
#' where there is one
#' @param used see used_nodes(). @return a row each of X, a column a class.
#' @noRd
prob_new <- function(object, X, noise = FALSE, used = used_nodes(object)) {
  if (is.null(object$label_stage)) {
    return(first_prob(object, X, noise, used))
  }
  stage <- object$label_stage
  scores <- label_stage_rows(object, X, used)
  label_prob_new(scores, stage$nodes, noise, source_sizes(stage$data$reports))
}

#' Probabilities of the true class where the fit itself gives `p`: through the label stage
#' @param p rows x classes. @return the same
#' @noRd
prob_through <- function(object, p) label_prob_new(pmax(p, score_least), object$label_stage$nodes)

#' Probabilities at encoded inputs by the fit itself, over its nodes: see prob_new()
#' @noRd
first_prob <- function(object, X, noise = FALSE, used = used_nodes(object)) {
  new <- truth_new(object, X, used)
  if (noise) new$p <- with_noise(new$p, node_omega(object)[new$node])
  pmin(mean_over(new$p, new$weight), 1) # but for rounding it is
}

#' Encoded new rows as scores for the label stage
#' @noRd
label_stage_rows <- function(object, X, used = used_nodes(object)) {
  as_scores(first_prob(object, X, own_kind(object) == "recorded", used))
}

#' How a fit takes levels that training did not have: see forge()
#' @noRd
takes_novel <- function(object) if (inherits(object, "bpm")) "weight" else TRUE
