# New rows: as they are encoded for a fit, and what it says of them.

#' The rows that a prediction is of: those of `newdata`, or the training rows
#'
#' @return list(X, the encoded rows that are complete; row_names, of all; spread, which takes
#'   answers for the rows of X, a vector or a matrix, to all rows, `NA` where there is none).
#' @noRd
rows_to_predict <- function(object, newdata, call) {
  check_posterior(object, call)
  if (is.null(newdata)) {
    check_has_data(object, call)
    omitted <- object$data$na_action
    return(list(
      X = object$data$X, row_names = padded_names(object),
      spread = function(answers) stats::naresid(omitted, answers)
    ))
  }
  new <- forge(object$blueprint, newdata, call, novel = takes_novel(object))
  at <- replace(rep(NA_integer_, nrow(new$X)), new$complete, seq_len(sum(new$complete)))
  list(
    X = if (all(new$complete)) new$X else new$X[new$complete, , drop = FALSE],
    row_names = new$row_names,
    spread = function(answers) {
      if (is.matrix(answers)) answers[at, , drop = FALSE] else answers[at]
    }
  )
}

# The training rows, as if they were new, are there to be predicted.
check_has_data <- function(object, call) {
  UseMethod("check_has_data")
}

check_has_data.sturdy_model <- function(object, call) invisible(object)

check_has_data.bpm_filtered <- function(object, call) {
  abort_sturdy(
    c(
      "{.arg newdata} must be given: the model keeps none of the rows it has
       absorbed.",
      i = "To estimate the error on new rows, predict them before {.fn absorb}."
    ),
    "missing_argument", arg = "newdata", call = call
  )
}

#' Names of the training rows, with those that na.exclude() left out
#' @noRd
padded_names <- function(object) {
  omitted <- object$data$na_action
  names <- stats::naresid(omitted, object$data$row_names)
  if (inherits(omitted, "exclude")) names[omitted] <- names(omitted)
  names
}

#' The same at the point of a fit: matrices with a column a function
#' @noRd
latent_new <- function(object, X, call) {
  object["nodes"] <- list(NULL)
  lapply(node_latent(object, X, call)[c("m", "s2")], at_k, 1)
}

#' Probabilities of the true class at encoded inputs, or of the recorded one, over nodes
#' @param used see used_nodes(). @return a row each of X, a column a class.
#' @noRd
prob_new <- function(object, X, noise = FALSE, call = rlang::caller_env(),
                     used = used_nodes(object)) {
  new <- truth_new(object, X, call, used)
  if (noise) {
    omega <- node_omega(object)[new$node]
    for (k in seq_along(omega)) new$p[, , k] <- at_k(new$p, k) %*% omega[[k]]
  }
  pmin(mean_over(new$p, new$weight), 1) # but for rounding it is
}
