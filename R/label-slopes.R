# Slopes b of the classes, by which the true class follows the scores: log b[t] = m + .7 z0 + .4 z[t]
# [M 16.2]. All are held, or the common one has bounds, log b = lower + (upper - lower) Phi(z0),
# where the user says what overlap there is.

label_slope_sd <- c(common = 0.7, class = 0.4) # of the logs of the slopes of classes
label_group_sd <- 2    # of the log weights of classes in a group that has rates of its own
label_slope_own <- 0.3 # centre of the common one, for leave-one-out probabilities of a fit of two classes

#' The way of a label stage: what its scores are
#' @param unusual the share of unusual rows, or `NULL`: to learn it.
#' @return see label_rows(); with centre (of the log slope) and beta (of the prior of u)
#' @noRd
label_way <- function(kind, classes, unusual = NULL) {
  own <- kind == "fit" && classes == 2
  list(
    kind = kind, centre = if (own) label_slope_own else 0,
    beta = unusual_shape[[if (own) "fit" else "scores"]], unusual = unusual
  )
}

#' Logs of the slopes of the classes at points, C x K
#' @noRd
class_log_slopes <- function(way, common, each, classes) {
  if (length(way$slope) == 1) {
    return(matrix(log(way$slope), classes, ncol(common)))
  }
  base <- if (!is.null(way$within)) {
    min(way$within) + diff(way$within) * stats::pnorm(common)
  } else {
    way$centre + label_slope_sd[["common"]] * common
  }
  base <- matrix(base, classes, ncol(common), byrow = TRUE)
  if (nrow(each)) base + label_slope_sd[["class"]] * each else base
}

#' Derivative of the log of the common slope in its coordinate
#' @noRd
common_slope_derivative <- function(way, z) {
  if (is.null(way$within)) label_slope_sd[["common"]] else diff(way$within) * stats::dnorm(z)
}
