#' Flip rates of a fit
#'
#' The probability that a label is recorded wrongly, by true class and, with `rates = ~
#' group` in [gpc()], by group, with intervals where the fit integrates over them.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return A data frame with a row for each class (and group) and the columns
#'   * `group`: only with rates by group;
#'   * `class`: the true class;
#'   * `rate`, `lower`, `upper`: the probability that a row of this class is recorded as the
#'     other one, its posterior mean, and a central interval (`NA` for a fit at one
#'     point, and where a noise model is held at its modes, as above 4800 rows). Averaged over
#'     noise models, it is the mean over all, the model without wrong labels included;
#'   * `rows`: how many rows are not trusted;
#'   * `wrong`: the expected number of rows of the class with the wrong label.
#' @seealso [noise_test()], [mislabelled()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' flip_rates(gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = "average"))
flip_rates <- function(object, ...) {
  UseMethod("flip_rates")
}

#' @export
flip_rates.default <- function(object, ...) abort_no_fit(object)

#' @rdname flip_rates
#' @export
flip_rates.sturdy_model <- function(object, level = 0.9, ...) {
  check_no_dots(...)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  check_sites_kept(object)
  rate_table(object, level)
}

#' @param models noise models to average over.
#' @noRd
rate_table <- function(object, level, models = object$nodes$models$model) {
  if (inherits(object, "gpc_classes")) {
    return(class_rate_table(object, level, models))
  }
  groups <- object$data$groups
  group <- if (is.null(object$data$group)) rep(1L, nobs(object)) else object$data$group
  mine <- if (is_average(object)) object$nodes$table$model %in% models else TRUE
  weight <- node_weight(object)[mine] / sum(node_weight(object)[mine])
  # under "none", which is all that is left out, no label is wrong
  flipped <- row_flipped(object) / sum(node_weight(object)[mine])
  event <- object$data$y > 0
  tables <- lapply(seq_len(max(1, length(groups))), function(g) {
    rates <- group_rates(object, g)[mine, , drop = FALSE]
    ends <- if (is_average(object)) {
      node_ends(object, mine, rates, level)
    } else {
      matrix(NA_real_, 2, 2)
    }
    here <- group == g
    data.frame(
      class = object$blueprint$levels, rate = drop(weight %*% rates), lower = ends[1, ],
      upper = ends[2, ], rows = sum(here),
      # of true class neg are those wrongly recorded as pos
      wrong = c(sum(flipped[here & event]), sum(flipped[here & !event]))
    )
  })
  table <- do.call(rbind, tables)
  if (!is.null(groups)) table <- cbind(group = rep(groups, each = 2), table)
  row.names(table) <- NULL
  table
}

#' Rates (neg, pos) of a group, a row a node
#' @noRd
group_rates <- function(object, g) {
  if (!is_average(object)) {
    return(node_rates(object))
  }
  t(vapply(object$nodes$rates, function(rates) rep_len(rates[g, ], 2), numeric(2)))
}

#' Central intervals over nodes of what has a column, `NA` where mere modes stand for a noise
#' model with rates: they have no spread
#' @param mine which nodes. @param values a row for each of them. @return 2 x columns.
#' @noRd
node_ends <- function(object, mine, values, level) {
  models <- object$nodes$models
  model <- object$nodes$table$model[mine]
  weight <- node_weight(object)[mine] / sum(node_weight(object)[mine])
  bare <- models$model[models$method == "mode" & models$model != "none"]
  if (sum(weight[model %in% bare]) > 0.05) {
    return(matrix(NA_real_, 2, ncol(values)))
  }
  apply(values, 2, weighted_quantile, weight, c((1 - level) / 2, (1 + level) / 2))
}

weighted_quantile <- function(x, weight, p) {
  if (length(x) == 1) {
    return(rep(x, length(p)))
  }
  order <- order(x)
  below <- cumsum(weight[order]) - weight[order] / 2
  stats::approx(below, x[order], p, rule = 2, ties = "ordered")$y
}
