# Rates of wrong labels by group, and what they do to a comparison of the groups: by draws of the true classes,
# so that all intervals hold at once [M 13.10]. Counts in draws are matrices, draws x groups.

group_draws <- 2000L # of the true classes; fewer, but 200, where rows x draws would be more than
group_cells <- 2e7   # this, and never more of them at once

#' Rates of wrong labels by group
#'
#' How many labels are wrong in each group (clinic, annotator, batch), with intervals that hold for all groups at once,
#' where the rate is higher than elsewhere, and how wrong labels change a comparison between the groups: the difference
#' of a class's prevalence, and of the true positive rate of predictions.
#'
#' @details
#' The label stage of the fit ([wrong-labels]) is learned again with rates of its own for each group, which are alike a
#' priori (`pooling` of [noise_prior()]), under each noise model that is averaged over: one rate in a group, one for each
#' class there, one class alone. The scores of the rows stay as they are, but may err in a group: a classifier that has
#' the groups among its inputs learns the errors of each as a shift of it, and its scores then contradict no label. So
#' each group has weights of the classes of its own. From the posterior the true classes of
#' all rows are drawn together, again and again. What is counted in a draw, in each group, is what would be counted had
#' all labels been looked up: the number of wrong labels, the prevalence, the rate. So an interval is about the rows of
#' this table; what it leaves open is which labels are wrong, not which rows are in the table.
#'
#' Intervals are simultaneous: with probability `level` all of them hold, for the rates of all groups, and likewise for
#' all differences. They are those quantiles of the draws, the same for each group, between which so many of the draws
#' are with all of their numbers (Besag and others 1995).
#'
#' Of tables with six groups of 40 rows, a fifth of the labels of two of them wrong, all six 90 % intervals held
#' in 48 of 48 where the errors were at random, and in 42 of 48 where they were of one class only
#' (`experiments/groups.R`, by scores of a linear classifier that has the groups among its inputs). All fifteen
#' intervals of the differences of prevalence held in 45 and 39; the mean error of these differences was .038, and
#' .076 as recorded. In 90 of the 96 the two groups had the highest rates. [flip_rates()] says whether the classes differ.
#'
#' Rates that a second stage was given as `rates`, with `hyper = "optimum"`, are at their modes (`by = NULL`):
#' intervals are then too short, as they leave out how unsure the rates are. With `by` they are integrated over.
#'
#' Labels that were checked count as they were recorded: those found wrong are wrong, and known. Labels that were trusted
#' from the start are no part of the rates, nor of `higher`, but of the comparison.
#'
#' @param object A model fitted by [gpc()], [stc()], [second_stage()] or, by EP, [bpm()].
#' @param by The group of each row of the data that the fit was given, a factor or what makes one. `NULL`, the
#'   default, stands for those of the `rates` of the fit.
#' @param level Probability that all intervals hold, strictly between 0 and 1 (0.9 by default).
#' @param class The class whose prevalence, and true positive rate, are compared. `NULL`, the default, is the event of two
#'   classes; of several nothing is compared without it.
#' @param predicted Predicted classes of all rows of the data, if the true positive rates of these predictions are to be
#'   compared.
#' @param ... Not used.
#' @return A data frame of class `sturdy_groups` with a row for each group and the columns `group`; `rows`, how many labels
#'   were not trusted; `wrong`, how many of them are expected to be wrong; `rate`, `lower` and `upper`, their share;
#'   `higher`, the probability that the rate of wrong labels is higher there than in the other groups (`NA` for rates that
#'   are given); and, where a class is compared, its prevalence as `recorded` and as `corrected`. Where all labels of a
#'   group were trusted, `rate`, `lower`, `upper` and `higher` are `NA`. Rows count by their weights. The attribute
#'   `differences` is a data frame of all pairs of groups: `of` (`"prevalence"` or `"true positive rate"`), `first`,
#'   `second`, and the difference of the first from the second as `recorded` and `corrected`, with `lower` and `upper`;
#'   `NA` where a group may have no row of the class.
#' @section Conditions:
#' Errors: `sturdy_error_by` for groups that are not those of the rows, or fewer than two; `sturdy_error_predicted` for
#' predictions that are no classes of the rows; `sturdy_error_units` for groups or predictions that differ in a unit;
#' `sturdy_error_choice` for a `class` that is none; `sturdy_error_readers` for
#' fits to [readers()]; `sturdy_error_no_sites` for fits that keep no rows, those to [shards()] included.
#' @references
#' Besag, J., Green, P., Higdon, D. and Mengersen, K. (1995) Bayesian computation and stochastic systems. *Statistical
#' Science* 10, 3-41.
#' @seealso [flip_rates()], by true class; [audit()], of two versions of a table
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(240), 120)
#' truth <- factor(x[, 1] > 0, labels = c("no", "yes"))
#' site <- rep(c("a", "b", "c"), 40)
#' y <- truth
#' y[site == "b"] <- flip_labels(truth[site == "b"], 0.3, seed = 1)
#' fit <- bpm(x, y)
#' group_rates(fit, by = site)
group_rates <- function(object, by = NULL, level = 0.9, class = NULL, predicted = NULL, ...) {
  object <- fit_of(object, ..., .level = level)
  check_label_each(object)
  levels <- object$blueprint$levels
  if (is.null(class) && length(levels) == 2) class <- levels[2]
  if (!is.null(class)) class <- match(check_choice(class, levels, "class"), levels)
  must(is.null(predicted) || length(class), "class", "be given along with {.arg predicted}", "missing_argument")
  groups <- check_groups(object$data, by)
  hits <- if (!is.null(predicted)) check_predicted(predicted, object$data, levels) == class
  judge <- if (is.null(by)) judged_by(object) else by_groups(object, by)
  said <- node_truth(judge)
  counts <- group_counts(judge, said, groups, class, hits)
  table <- group_table(counts, groups, level, group_higher(judge, said, groups))
  share <- counts$prevalence
  if (length(class)) table[c("recorded", "corrected")] <- list(share$recorded, colMeans(share$draws))
  differences <- rbind(
    if (length(class)) group_differences(share, "prevalence", levels(groups), level),
    if (length(hits)) group_differences(counts$hits, "true positive rate", levels(groups), level)
  )
  structure(
    table, differences = differences, level = level, class = c("sturdy_groups", "data.frame"), of = levels[class]
  )
}

# Groups -------------------------------------------------------------------------------

#' The group of each row of a fit, a factor
#' @noRd
check_groups <- function(data, by) {
  if (is.null(by)) {
    sources <- data$reports$sources
    no_rates <- "be given: the fit has no {.arg rates} of groups"
    must(length(sources) > 1, "by", no_rates, c("by", "missing_argument"))
    return(factor(sources[data$source], sources))
  }
  must(
    is.atomic(by) && length(by) == data$n_given && !anyNA(by[data$rows]), "by",
    "be the group of each of the {data$n_given} row{?s} of the data that the fit was given", "by", got = by
  )
  check_units_share(data, by, "by")
  groups <- droplevels(as.factor(by)[data$rows])
  must(
    nlevels(groups) > 1 && nlevels(groups) <= length(groups) / 2, "by", "be two groups or more, of several rows",
    "by", more = c(x = "Here: {nlevels(groups)} group{?s} of {length(groups)} row{?s}.")
  )
  groups
}

#' The predicted class of each row of a fit, a number
#' @noRd
check_predicted <- function(predicted, data, levels) {
  code <- if (length(predicted) == data$n_given) match(as.character(predicted), levels)[data$rows] else NA
  must(
    !anyNA(code), "predicted", "be a class of each of the {data$n_given} row{?s} of the data that the fit was given",
    "predicted", got = predicted
  )
  check_units_share(data, predicted, "predicted")
  code
}

#' What judges the labels, with rates of each group: the label stage of the same scores, learned again
#' @noRd
by_groups <- function(object, by) {
  stage <- judged_by(object)
  if (is.null(stage$recalibration)) { # all is given
    return(stage)
  }
  spec <- replace(stage$spec, "hyper", "integrate") # at the modes alone intervals leave out what is not known of rates
  new_second_stage(spec, with_known(scores_of(object), NULL, by), stage$recalibration$kind, is_in_order(object))
}

#' The scores that the labels of a fit are judged by, and what is known of these
#' @return list(blueprint, data)
#' @noRd
scores_of <- function(object) {
  if (is.null(object$recalibration)) label_stage_scores(object) else object[c("blueprint", "data")]
}

# Counts ----------------------------------------------------------------------------

#' How many labels of each row count for the rates: none of those that were trusted from the start
#' @noRd
rated_times <- function(reports) report_times(reports) * (seq_len(reports$n) %in% reports$row[reports$source > 0L])

#' Expected numbers of wrong labels in each group at the points of the noise
#' @param said of node_truth(), the sources of the noise being the groups.
#' @return list(wrong, groups x points; rows [groups], the labels that count)
#' @noRd
point_wrong <- function(judge, said, groups) {
  times <- rated_times(judge$data$reports)
  true <- rowsum(mean_over(said$p, said$weight) * times, groups) # labels of each class
  each <- vapply(said$omega, function(one) rowSums(true * t(apply(one, 1, wrong_rates))), numeric(nrow(true)))
  list(wrong = matrix(each, nrow(true)), rows = rowsum(times, groups)[, 1])
}

#' Shares, `NA` of none
#' @noRd
share_of <- function(some, all) replace(some / all, all == 0, NA)

#' Rates of wrong labels by group, as a table
#' @param counts see group_counts(). @param higher a column of it.
#' @noRd
group_table <- function(counts, groups, level, higher) {
  ends <- joint_ends(counts$wrong / rep(counts$rows, each = nrow(counts$wrong)), level)
  wrong <- colMeans(counts$wrong)
  data.frame(
    group = levels(groups), rows = counts$rows, wrong = wrong, rate = share_of(wrong, counts$rows),
    lower = ends[1, ], upper = ends[2, ], higher = higher
  )
}

#' Counts in draws of the true classes, by group
#' @param judge what judges the labels. @param said of node_truth(). @param class a number or `NULL`.
#' @param hits which rows are predicted to be of it, or `NULL`.
#' @return list(rows [G]; wrong, draws x G; prevalence, hits: list(recorded [G], draws), of shares)
#' @noRd
group_counts <- function(judge, said, groups, class = NULL, hits = NULL) {
  reports <- judge$data$reports
  label <- labels_apart(report_times(reports))
  recorded <- recorded_code(judge)[label$row]
  groups <- groups[label$row]
  hits <- hits[label$row] # NULL of NULL
  times <- label$times
  rated <- times * (rated_times(reports) > 0)[label$row]
  by_group <- function(numbers) rowsum(numbers, groups)
  size <- by_group(times)[, 1]
  count <- function(true) { # of true classes, a column a draw
    event <- if (length(class)) by_group((true == class) * times)
    list(
      wrong = t(by_group((true != recorded) * rated)), prevalence = if (length(class)) t(event / size),
      hits = if (length(hits)) t(share_of(by_group((true == class & hits) * times), event))
    )
  }
  most <- max(1, floor(group_cells / length(recorded)))
  drawn <- do.call(Map, c(rbind, draw_classes(said, max(200, min(group_draws, most)), count, most, label$row)))
  as_recorded <- count(recorded)
  compared <- function(of) if (length(drawn[[of]])) list(recorded = as_recorded[[of]][1, ], draws = drawn[[of]])
  list(rows = by_group(rated)[, 1], wrong = drawn$wrong, prevalence = compared("prevalence"), hits = compared("hits"))
}

#' Probability that the rate of each group is above that of the others together
#' @noRd
group_higher <- function(judge, said, groups) {
  if (length(judge$data$reports$sources) != nlevels(groups) || is.null(judge$recalibration)) {
    return(rep(NA_real_, nlevels(groups)))
  }
  at <- point_wrong(judge, said, groups)
  others <- (rep(colSums(at$wrong), each = nlevels(groups)) - at$wrong) / (sum(at$rows) - at$rows)
  drop((at$wrong / at$rows > others) %*% said$weight)
}

# Intervals ----------------------------------------------------------------------------

#' Ends between which a share `level` of draws is with all of their numbers: the same quantiles of each. How
#' far the ranks of a draw are from the middle, at most, has a quantile `level`: so far from the middle are the ends
#' (Besag, Green, Higdon and Mengersen 1995).
#' @param draws draws x numbers. @return 2 x numbers, `NA` of those that some draws lack
#' @noRd
joint_ends <- function(draws, level) {
  lacking <- is.na(colSums(draws))
  draws[, lacking] <- 0 # all ranks of these are the middle, so that they move no other's ends
  middle <- (nrow(draws) + 1) / 2
  far <- abs(apply(draws, 2, rank) - middle)
  reach <- stats::quantile(row_max(far), level, type = 1, names = FALSE)
  at <- c(ceiling(middle - reach), floor(middle + reach))
  ends <- apply(draws, 2, function(v) sort(v)[at])
  ends[, lacking] <- NA
  ends
}

#' The difference of shares of each pair of groups
#' @param said list(recorded, draws), see group_counts().
#' @noRd
group_differences <- function(said, of, names, level) {
  pair <- utils::combn(length(names), 2)
  drawn <- said$draws[, pair[1, ], drop = FALSE] - said$draws[, pair[2, ], drop = FALSE]
  ends <- joint_ends(drawn, level)
  data.frame(
    of = of, first = names[pair[1, ]], second = names[pair[2, ]],
    recorded = said$recorded[pair[1, ]] - said$recorded[pair[2, ]], corrected = colMeans(drawn),
    lower = ends[1, ], upper = ends[2, ]
  )
}

#' @param x The result of `group_rates()`.
#' @param digits Significant digits.
#' @param n Number of differences shown, those that change most (6 by default).
#' @rdname group_rates
#' @export
print.sturdy_groups <- function(x, n = 6, digits = 2, ...) {
  digits <- check_digits(digits)
  apart <- attr(x, "differences")
  cat("<sturdy_groups> ", count(sum(x$rows), "label"), " in ", count(nrow(x), "group"), "\n", sep = "")
  print(as.data.frame(x), digits = digits, row.names = FALSE)
  cat("All intervals hold at once with probability ", format(attr(x, "level")), ".\n", sep = "")
  if (length(apart)) {
    cat("Differences, class ", attr(x, "of"), ":\n", sep = "")
    order <- order(-abs(apart$corrected - apart$recorded))
    print(utils::head(apart[order, ], check_count(n, "n")), digits = digits, row.names = FALSE)
  }
  invisible(x)
}
