# Rows with scores and reports, as the label stage takes them: rows of which the same is reported are of one
# kind, whose likelihoods of the true classes are made of omega once.

label_weights_most <- 100L # classes up to which their weights are learned,
label_slopes_most <- 40L   # up to which each has a slope, and matrices are whole,
label_pairs_most <- 12L    # and up to which all pairs may look alike: of more each with its nearest

#' Rows with scores, as the label stage takes them
#'
#' @param P scores, n x C, above 0. @param reports on the rows. @param way list(kind: "fit" where
#'   they are leave-one-out probabilities of the true class by a fit of ours, "recorded" where of
#'   the recorded class, "scores" of any classifier; slope, unusual: what is held of them, or `NULL`;
#'   within: bounds of the log slope, or `NULL`).
#' @return list(data: see native_label_values(); groups: how many have weights of their own; kinds: reports on a
#'   row of each kind; share: of the sources; way; n, classes; labels: how many, by weight)
#' @noRd
label_rows <- function(P, reports, way) {
  kinds <- report_kinds(reports)
  group <- label_groups(reports)
  classes <- ncol(P)
  P <- t(unname(P))
  list(
    data = list(
      P = P, S = log(P), kind = kinds$kind - 1L, times = reports$times,
      kinds = kinds$reports$n, plain = classes > label_slopes_most, group = group
    ),
    groups = if (is.null(group)) 0L else length(reports$sources),
    kinds = kinds$reports, cell = report_cells(kinds$reports), share = source_sizes(reports), way = way,
    n = ncol(P), classes = classes, labels = max(ncol(P), round(sum(report_times(reports))))
  )
}

#' The group of each row, 0 for none, where there are rates by group
#' @noRd
label_groups <- function(reports) {
  if (length(reports$sources) > 1 && !by_readers(reports)) {
    open <- reports$source > 0L # a label that was found wrong is of the group, too
    replace(integer(reports$n), reports$row[open], reports$source[open])
  }
}

#' The k-th noise of an array S x C x C x K
#' @noRd
omega_at <- function(omega, k) array(omega[, , , k], dim(omega)[1:3])

#' The slopes in omega at points from those in the likelihoods of the kinds
#' @noRd
label_by_omega <- function(rows, omega, slope) {
  if (is.null(rows$cell)) {
    return(as_slices(lapply(seq_len(ncol(slope)), function(k) {
      report_slope(rows$kinds, omega_at(omega, k), matrix(slope[, k], rows$kinds$n))
    })))
  }
  by <- matrix(0, prod(dim(omega)[1:3]), ncol(slope))
  by[rows$cell, ] <- slope
  array(by, dim(omega))
}

#' The likelihoods of the kinds of rows at points, (kinds C) x K
#' @param cell see report_cells().
#' @noRd
label_likelihoods <- function(kinds, omega, cell = report_cells(kinds)) {
  size <- dim(omega)
  if (!is.null(cell)) {
    return(matrix(omega, ncol = size[4])[cell, , drop = FALSE])
  }
  L <- vapply(seq_len(size[4]), function(k) {
    as.vector(report_likelihood(kinds, omega_at(omega, k)))
  }, numeric(kinds$n * size[2]))
  matrix(L, kinds$n * size[2])
}
