# Tables with some columns for their rows. The more columns, the better a fit explains labels, whatever
# they are: it ranks wrong ones first, and expects few. Its leave-one-out probabilities contradict them
# all the same, so what is said of the labels is told by a second stage on those [M 15.1].

# Settled on tables of 40 to 3,000 rows, seeds 65001 to 66903 (experiments/embeddings.R judges by others)
told_share <- 1 / 100 # columns a row from which that is so,
told_columns <- 5L    # columns, with fewer of which a fit counts as well by itself,
told_least <- 20L     # and rows

#' Is it a fit whose labels a second stage tells of?
#'
#' Of one that averages over noise models. Where the user says how much classes overlap, that is
#' meant of classes and not of scores, and the fit tells of its labels itself.
#' @noRd
is_told <- function(object) {
  data <- object$data
  columns <- NCOL(data$X)
  NROW(data$X) >= told_least && columns >= max(told_columns, told_share * NROW(data$X)) &&
    is.null(object$recalibration) && is.null(object$spec$noise$overlap) && is_test(object) &&
    !has_readers(object) && !has_soft(data$reports) && !labels_one_class(object) &&
    !is_in_order(object)
}

#' A fit with what tells of its labels
#' @noRd
with_told <- function(object) {
  object$told <- NULL
  if (!is_told(object)) {
    return(object)
  }
  spec <- second_stage_spec(
    epsilon = "average", hyper = "integrate", noise = object$spec$noise,
    control = object$spec$control
  )
  spec$control$progress <- FALSE
  object$told <- tryCatch(
    suppressMessages(new_second_stage(spec, told_scores(object), NULL)),
    sturdy_error = function(cnd) {
      warn_sturdy(
        c(
          "No second stage tells of the labels: with as many columns as these the number of wrong ones is
           too small.",
          x = conditionMessage(cnd)
        ), "not_told"
      )
      NULL
    }
  )
  object
}

#' The rows of a fit with its leave-one-out probabilities in the place of inputs, and all that is
#' known of the labels
#' @noRd
told_scores <- function(object) {
  data <- object$data
  prob <- own_scores(object)
  molded <- mold_scores(unname(prob), attr(prob, "labels"), NULL) # a class may be called ""
  molded$data <- c(molded$data["X"], data[setdiff(names(data), c("X", "unlabelled"))])
  molded
}

#' Encoded new rows as that second stage takes them
#' @noRd
told_rows <- function(object, X, call) {
  prob <- prob_new(object, X, call = call, used = every_node(object))
  score_rows(prob, object$told$blueprint$floor, "newdata", call)
}
