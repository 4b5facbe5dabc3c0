#' Flip rates of a fit
#'
#' The probability that a label is recorded wrongly, by true class and, with `rates = ~
#' group` in [gpc()], by group, with intervals where the fit integrates over them.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()].
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return A data frame with a row for each class (and group) and the columns
#'   * `group`: only with rates by group; `reader`: only with [readers()];
#'   * `class`: the true class;
#'   * `rate`, `lower`, `upper`: the probability that a row of this class is recorded as
#'     another one, its posterior mean, and the shortest interval of that probability, which has 0
#'     inside where the posterior density falls from there (`NA` for rates that are given at one
#'     point). It is the mean over all noise models, the one without wrong labels included;
#'   * `rows`: how many rows are not trusted, with readers how many labels are of such rows;
#'   * `wrong`: the expected number of rows of the class with the wrong label.
#' @section Conditions:
#' Message `sturdy_message_rate_bound`, with the field `classes`, where the posterior of a rate is cut
#' off at one half: [noise_prior()] takes priors of `sensitivity` and `specificity` below 1/2.
#' @seealso [noise_test()], [mislabelled()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' flip_rates(gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = "average"))
flip_rates <- function(object, level = 0.9, ...) {
  object <- fit_of(object, ..., .level = level)
  object <- check_judge(object)
  inform_these("rate_bound", c(
    i = "The flip rate of true {.val {these}} is on its bound of 1/2, and may be above.",
    i = "{.fn noise_prior} takes priors of {.arg sensitivity} and {.arg specificity} below 1/2."
  ), classes = rates_on_bound(object))
  rate_table(object, level)
}

#' Flip rates of each source and true class, over nodes of some noise models
#' @param models their names.
#' @noRd
rate_table <- function(object, level, models = object$nodes$models$model) {
  rates <- noise_over_points(object, function(omega) apply(omega, 1, wrong_rates), level, models)
  said <- truth(object)
  if (!any(models %in% said$model)) said <- node_truth(object) # of one that is next to impossible
  said <- truth_under(said, if (is.null(models)) said$model else models)
  reports <- object$data$reports
  if (is.null(reports)) reports <- label_reports(integer(), dim(said$p)[2]) # it has not kept its rows
  p <- mean_over(said$p, said$weight)
  p[report_known(reports), ] <- 0
  rows <- source_counts(reports)
  table <- data.frame(
    group = rep(reports$sources, each = ncol(p)), class = rep(object$blueprint$levels, length(rows)), rates,
    rows = rep(rows, each = ncol(p)), wrong = as.vector(apply(report_counts(reports, p), 1, wrong_rates))
  )
  if (has_readers(object)) names(table)[1] <- "reader"
  if (identical(reports$sources, "label")) table$group <- NULL # labels of no group
  with_ends(table)
}

#' Rates, or what else is made of the noise, over the points of a fit: every rate, and every noise matrix, is of these
#' @param of function of the noise at a point, S x C x C, that has probabilities.
#' @param models names of the noise models that are meant, or `NULL` for all.
#' @return a data frame with a row for each probability: rate, the mean, lower and upper, which are `NA` without a
#'   level or where mere modes stand for a noise model with rates: they have no spread
#' @noRd
noise_over_points <- function(object, of, level = NULL, models = NULL) {
  at <- nodes(object)
  mine <- if (is.null(models)) rep(TRUE, length(at$weight)) else at$model %in% models
  weight <- shares(at$weight[mine])
  size <- length(of(at$omega[[1]]))
  values <- vapply(at$omega[mine], function(omega) as.vector(of(omega)), numeric(size)) # a column a point
  known <- object$nodes$models
  modes_alone <- known$model[grepl("^mode", known$method) & known$model != "none"]
  spread <- !is.null(known) && sum(weight[at$model[mine] %in% modes_alone]) <= 0.05
  ends <- matrix(NA_real_, 2, nrow(values))
  if (spread && !is.null(level)) ends[] <- apply(values, 1, shortest_interval, weight, level, highest_rate(object))
  data.frame(rate = drop(values %*% weight), lower = ends[1, ], upper = ends[2, ])
}

#' Expected number of reports of each class by each source on rows of each true class
#' @return S x C x C
#' @noRd
expected_reports <- function(object) {
  said <- truth(object)
  report_counts(object$data$reports, mean_over(said$p, said$weight))
}

#' The largest probability of a wrong label that noise models know: rates of two classes are below
#' one half, those of readers, under a prior that the user gave and in a noise matrix are not
#' @noRd
highest_rate <- function(object) {
  given <- length(unlist(object$spec$noise[c("sensitivity", "specificity")])) > 0
  halved <- !is.null(object$spec$noise$rate) || identical(object$spec$epsilon, "learn")
  if (is_several(object) || has_readers(object) || given || !halved) 1 else 0.5
}

#' True classes whose rate is on its bound of one half: their posterior is cut off there
#' @noRd
rates_on_bound <- function(object) {
  if (!is_average(object) || highest_rate(object) > 0.5 || is_several(object)) {
    return(character())
  }
  is_near <- function(omega) apply(omega, 1, wrong_rates) > bound_near
  probability <- matrix(noise_over_points(object, is_near)$rate, 2) # a row a class, a column a source
  object$blueprint$levels[row_max(probability) > bound_share]
}
bound_near <- 0.45  # a rate is on its bound of 1/2 where it is above
bound_share <- 0.5  # with more than this probability

#' The shortest interval with a share `level` of a distribution of probabilities, known by
#' weighted draws
#'
#' It begins at a bound where the density falls from there: a rate of 0 can be inside. Draws at 0 (a noise
#' model without wrong labels) stay there, the others are smoothed.
#' @param most the largest that they can be.
#' @noRd
shortest_interval <- function(x, weight, level, most) {
  weight <- weight / sum(weight)
  if (sum(weight * x) > 0.5) {
    return(1 - rev(shortest_interval(1 - x, weight, level, most)))
  }
  inside <- x > 1e-12
  some <- sum(weight[inside])
  share <- weight[inside] / some
  centre <- sum(share * x[inside])
  spread <- sqrt(sum(share * (x[inside] - centre)^2))
  none <- !all(inside) && some <= 1 - level
  if (none || !isTRUE(spread > 1e-10 * centre)) { # all the same, but for rounding
    return(range(x[if (none) !inside else weight > 0]))
  }
  smooth <- smoothed_draws(x[inside], share, centre, spread, most)
  at <- c(0, smooth$at)
  below <- 1 - some + some * c(0, smooth$below)
  upper <- stats::approx(below, at, replace(below, at == 0, 0) + level, ties = "ordered")$y # of each lower end
  k <- which.min(upper - at)
  c(at[k], upper[k])
}

#' The distribution function of draws smoothed by Silverman's rule, drawn together by as much as that adds to
#' their variance and reflected at the bounds
#' @param share weights that sum to 1. @return list(at, below)
#' @noRd
smoothed_draws <- function(x, share, centre, spread, most) {
  step <- 0.9 * sum(share^2)^(1 / 5) # over the spread
  draws <- centre + sqrt(1 - step^2) * (x - centre)
  h <- step * spread
  ends <- c(max(0, min(draws) - 5 * h), min(most, max(draws) + 5 * h))
  knots <- seq(ends[1], ends[2], length.out = 128)
  below <- vapply(knots, function(e) {
    normal <- stats::pnorm(c((e - draws) / h, (-e - draws) / h, (e + draws - 2 * most) / h))
    sum(share * matrix(normal, length(draws)) %*% c(1, -1, 1))
  }, numeric(1))
  at <- seq(ends[1], ends[2], length.out = 512)
  list(at = at, below = stats::splinefun(knots, below, "monoH.FC")(at))
}
