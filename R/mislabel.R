#' Which training labels are likely to be wrong
#'
#' The probability that each recorded training label was flipped, most suspicious
#' first.
#'
#' @details
#' From the cavity of row i, which has not seen its label, with location `m` and
#' squared scale `s2`,
#' `P(flipped) = epsilon F_df(-y m / sqrt(s2)) / Zp` with
#' `Zp = epsilon + (1 - 2 epsilon) F_df(y m / sqrt(s2))`
#' (Kim and Ghahramani, 2008, in leave-one-out form). The order is that of the
#' leave-one-out probability of the recorded label, which gives the same ranks. At
#' `epsilon = 0` the model holds every label for right: all probabilities are 0,
#' the ranks are still given, and a message says so.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param ... Not used.
#' @return A data frame sorted by `rank`, one row a training row, with
#'   * `row`: the position of the row in the data given to the fit (rows left out
#'     by `na.action` are counted);
#'   * `label`: the recorded label, a factor;
#'   * `probability`: the probability that it was flipped;
#'   * `rank`: 1 for the most suspicious;
#'   * `loo`: the leave-one-out probability of the recorded label.
#'
#'   Its row names are those of the data.
#' @section Conditions:
#' `sturdy_message_no_label_noise` when `epsilon` is 0.
#' @inherit sturdy-package references
#' @seealso [gpc()], [loo()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#' mislabelled(fit)
mislabelled <- function(object, ...) {
  UseMethod("mislabelled")
}

#' @rdname mislabelled
#' @export
mislabelled.sturdy_model <- function(object, ...) {
  check_no_dots(...)
  check_sites_kept(object)
  if (object$epsilon == 0) {
    inform_sturdy(
      c(
        i = "With {.code epsilon = 0} no label can be wrong: the probabilities
             are 0.",
        i = "Rows are ranked by the leave-one-out probability of their label."
      ),
      "no_label_noise"
    )
  }
  suspicion(object)
}

suspicion <- function(object) {
  levels <- object$blueprint$levels
  first <- order(object$ep$loo)
  data.frame(
    row = object$rows[first],
    label = factor(levels[1 + (object$y[first] > 0)], levels = levels),
    probability = object$ep$flipped[first],
    rank = seq_along(first),
    loo = exp(object$ep$loo[first]),
    row.names = make.unique(object$row_names[first])
  )
}
