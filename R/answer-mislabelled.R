#' Which training labels are likely to be wrong
#'
#' The probability that each recorded training label is wrong, most suspicious
#' first, with the label that the model suggests, the expected number of wrong labels,
#' and a cut-off for a given false-discovery rate.
#'
#' @details
#' # How to read it
#' `print()` says first whether labels are wrong and how many. Below it are the rows, those whose
#' label is most probably wrong at the top: look these up. `probability` is how probable it is
#' that the label is wrong, given all labels. `loo_wrong` is how probable it is that the true
#' class is another one, given the other rows alone, as if the row had no label. `unusual` is how
#' probable it is that the label is right although it contradicts its row. `suggested` is
#' the class that the row most probably has; no label is changed. [review()] says which rows to
#' check next, [label_report()] makes a page for those who check them, and
#' [`update(fit, checked = )`][update.sturdy_model] takes their answers.
#'
#' # How many labels are wrong
#' A fit by default averages over what is not known (the kernel, the rates, whether any label is
#' wrong), and the number is averaged with it. It says what [noise_test()] says: whether labels are wrong
#' at all, how many, and whether wrong ones could hide. Beside "no sign" stands how many there would be
#' if some were wrong nevertheless. All of it is said by the fit's label stage, which takes what the
#' fit says of each row without its own label: [wrong-labels] explains it, and what is approximate. So
#' `loo` and `loo_wrong` are not the probabilities of [loo()], which are those of the fit itself.
#'
#' At `epsilon = 0` the model takes every label to be right: all probabilities are 0, a message says
#' so, and only the order and `loo_wrong` tell something.
#'
#' # False discoveries
#' The column `fdr` is the mean of `1 - probability` over the rows down to some rank: the expected
#' share of right labels among them. `fdr = 0.1` returns the longest list whose expected share is
#' at most 0.1. Where a fit averages over noise models, the one without wrong labels is among
#' them, and **no row is called wrong as long as it is open whether labels are wrong at all** (a
#' Bayes factor of at most 3, [noise_test()]): a message says so. `given = "some"` uses `if_some`
#' instead of `probability`, whatever the verdict is: it lists the rows to call wrong *if* some
#' labels are wrong. If none is, all labels on that list are right.
#'
#' Because the rule is about an average, rows with a high probability can bring in rows
#' with a probability below 1/2, whose labels are more likely right than wrong. A
#' message and `print()` give their number. To exclude them, keep only the rows with a
#' `probability` above 1/2.
#'
#' # At a rate that holds whatever the model is worth
#' All of the above relies on the model. Rows that are drawn and checked **at random** show how far it can be
#' believed:
#' ```
#' plan <- review(fit, n = 40, fdr = 0.1)  # which rows to check, and what that will bring
#' plan$label <- ...                       # what they were found to be
#' fit <- update(fit, checked = plan)
#' mislabelled(fit, fdr = 0.1)
#' ```
#' From then on `fdr` goes by these checks. The ranking is that of the fit from before them, and the list goes
#' down it as long as `N (1 + r) / ((m + 1) k)` is at most `fdr`. Here `k` rows of the list are among the `N`
#' that were drawn from and not checked, and `r` of the `m` checked rows that rank as high had the right label.
#' Over the draw of the checks the expected share of right labels among the rows called is at most `fdr`, for
#' any table and any model, a wrong one included (conformal selection, Jin and Candes 2023; the article *The
#' mathematics*, 7.8, has a proof). A wrong model makes lists shorter, not worse. The verdict on whether labels
#' are wrong at all plays no part in it, nor does `given`. What these checks alone say of the number of wrong
#' labels among the rows they were drawn from, by the hypergeometric distribution, is printed beside that of the
#' model.
#'
#' Two things are needed: the answers to *all* rows that were drawn (one of which nothing can be said has an
#' empty `label`, and counts as right), and the fit that they were drawn for. Rows that were checked because
#' they look wrong are of no use here. Rows drawn by other means may have the column `drawn` that [review()] writes:
#' `"30 of 200"`, of how many of the most suspicious rows of that fit they are. Once other rows are checked or trusted, rows are called wrong by the model
#' again, as a message says.
#'
#' # Labels of new rows
#' `newdata` must not hold rows of the fit. Each new row is judged by the fit and its own label
#' alone, as leave-one-out judges a row of the table: the answer is the same whichever other rows
#' come with it. **How many** labels are wrong is judged by all of them together: the points of the
#' label stage are weighted again by how likely they make these labels.
#' So the number need not be the sum of the probabilities; where the two differ much, `print()`
#' has both.
#'
#' The noise of the training labels is the starting point. If the new rows are from elsewhere and
#' more of their labels are wrong, the number is too low: [update()][update.sturdy_model] with all
#' rows as `data` says how many are. New rows share what is not known of the boundary. If there
#' are more of them than the fit has rows, they therefore count as no more than that many, and the
#' interval stops shrinking.
#'
#' `fdr` goes by the rows' own probabilities and by the verdict of the fit. All points of the label
#' stage are used, where [predict()][predict.sturdy_model] uses a few. Where the fit has `rates`
#' by group, the groups of `newdata` are computed from the columns that those of the fit were
#' computed from.
#'
#' @param object A model fitted by [gpc()], [stc()] or, by EP, [bpm()]; or out-of-sample
#'   probabilities of any classifier, see [second_stage()]: a matrix or data frame with a column
#'   for each class, a vector for the event, or an object that holds them.
#' @param labels With probabilities: the recorded labels. With `newdata`: their labels, for a fit from
#'   `x` and `y`.
#' @param newdata Further rows with labels, in the place of the training rows; made by [shards()],
#'   what is found is written to files, see [shard_answers].
#' @param rates Groups of these rows, as in [gpc()], where those of the fit were no columns of its
#'   data.
#' @param fdr The false-discovery rate, a number between 0 and 1: only the rows called
#'   wrong at this rate are returned. `NULL`, the default, returns all rows.
#' @param level Probability of the interval for the number of wrong labels, strictly
#'   between 0 and 1 (0.9 by default); `NULL` for no interval.
#' @param id Identifiers of the rows, to be shown beside their positions: a vector with an entry
#'   for each row of the data that the fit was given (`data$patient`), or a data frame of that
#'   column alone (`data["patient"]`), whose name is kept. `NULL`, the default, stands for the
#'   names of the rows where these are not their positions, or of the `units` of the fit, under the name of their
#'   variable.
#' @param given Over which noise models false discoveries are counted, where the fit averages:
#'   `"average"`, the default, over all of them; or `"some"`, over those with wrong labels.
#' @param ... With probabilities: arguments of [second_stage()]. Otherwise not used.
#' @return A data frame of class `sturdy_mislabelled`, sorted by `rank`, with one row per
#'   training row and the columns
#'   * `row`: the position of the row in the data given to the fit (rows left out
#'     by `na.action` are counted), the number that [review()] and [`update(fit, checked =
#'     )`][update.sturdy_model] take, and that pictures and reports show;
#'   * `id`, or what the column in the argument `id` is called: identifiers, where there are any;
#'   * `label`: the recorded label, a factor;
#'   * `probability`: the posterior probability that it is wrong;
#'   * `rank`: 1 for the most suspicious;
#'   * `loo`: the leave-one-out probability of the recorded label, by the label stage;
#'   * `suggested`: the more probable true label: the other class where
#'     `probability` is above 1/2, else that which is recorded, printed as `-`;
#'   * `unusual`: the probability that the label is right and the row unusual (or, of several classes,
#'     like those of another class); not with `newdata`, nor where all rates are given at one point;
#'   * `loo_wrong`: the leave-one-out probability that the true class is the other
#'     one;
#'   * `contradicts`: only where there are such rows: the position of a row that is alike in every
#'     input (but for a millionth of its range) and has another label, or `NA`. One of the two is
#'     wrong, or the inputs don't decide. Not where this is so of most rows, as of inputs of a few
#'     values each;
#'   * `if_some`: only where the fit averages over noise models: `probability` if some labels are
#'     wrong;
#'   * `fdr`: the expected share of right labels among this row and all above it, with `given =
#'     "some"` if some labels are wrong; by checks at random the smallest rate at which the row is
#'     called wrong, and before it `p_value`, of the row's label being right. Both are `NA` where
#'     the label was checked, or the row is not among those that checks were drawn of.
#'
#'   With three classes or more the columns `suggested` and `runner_up` are the most probable
#'   true classes other than the recorded one, and `p_suggested` and `p_runner_up` the
#'   probabilities that they are the true class. Where the label is
#'   more likely wrong than right, but no class has a probability of one half, `print()`
#'   says `unclear`. Nothing is relabelled.
#'
#'   Its row names are those positions. It has the attributes
#'   * `expected`: a list of `count` (the expected number of wrong labels), `at_fit` (the
#'     sum of the probabilities) and, unless `level` is `NULL`, `lower`, `upper`, `level`
#'     and `epsilon` (`"uncertain"` if it was learned and integrated out, otherwise
#'     `"given"`); with `newdata` also `newdata`, `TRUE`; after checks at random `by_checks`, a list of
#'     `lower` and `upper`, how many of the `rows` that were drawn from and not checked are wrong by these
#'     checks alone, of `checks`, `among` how many they were drawn, and `found`;
#'   * `cutoff`: `NULL` without `fdr`, otherwise a list of `fdr`, `rows` (the number of
#'     rows called wrong), `probability` (the smallest among them), `rank` (the last),
#'     `unlikely` (the number of them with a probability below 1/2; by checks at random, which do not
#'     go by probabilities, 0), `given`, and `open`, whether
#'     none is called because it is open whether labels are wrong; by checks at random also `checks`,
#'     their number, and `least`, how many rows must be called at least with so many checks;
#'   * `n` and `rate`: the number of training labels, and `epsilon` (averaged: the mean
#'     rate);
#'   * `test`: for a fit that averages over noise models, the result of [noise_test()]; without
#'     its intervals and errors if `level` is `NULL`.
#' @section Conditions:
#' Messages: `sturdy_message_no_label_noise` when `epsilon` is 0;
#' `sturdy_message_likely_right`, with the field `rows`, when rows are called wrong whose
#' probability is below 1/2; `sturdy_message_open_verdict` when none is called wrong because it is
#' open whether labels are wrong; `sturdy_message_few_checks`, with the field `least`, when none is
#' called wrong by checks. Errors: `sturdy_error_id` for identifiers that do not match the rows;
#' `sturdy_error_rates` for `newdata` of other groups;
#' `sturdy_error_few_checks` where rows that were checked at random are too few for `fdr`;
#' `sturdy_error_no_sites` for a [bpm()] that has absorbed rows by filtering.
#' @references
#' Jin, Y. and Candes, E. J. (2023) Selection by prediction with conformal p-values. *Journal of
#' Machine Learning Research* 24(244), 1-41.
#'
#' Kim, H.-C. and Ghahramani, Z. (2008) Outlier robust Gaussian process classification.
#' *Structural, Syntactic, and Statistical Pattern Recognition*, LNCS 5342, 896-905.
#' @seealso [wrong-labels] for the formulas, [gpc()], [loo()], [plot()][plot.sturdy_mislabelled], [calibration()]
#' @export
#' @examples
#' x <- matrix(c(-3, -2, -1.5, -1, 1, 1.5, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 1, 1, 1)
#' fit <- gpc(x, y, kernel = kernel_iso(2, fixed = TRUE), epsilon = 0.1)
#' mislabelled(fit)
#' mislabelled(fit, fdr = 0.3)
#'
#' # any classifier: probabilities that were made without the label of the row
#' d <- data.frame(x = c(x), y = y)
#' p <- sapply(1:8, function(i) {
#'   predict(suppressWarnings(glm(y ~ x, binomial, d[-i, ])), d[i, ], type = "response")
#' })
#' mislabelled(p, d$y, epsilon = 0.1)
#'
#' # 30 rows drawn at random and looked up; which others are wrong?
#' set.seed(1)
#' x <- matrix(rnorm(400), 200)
#' truth <- factor(x[, 1] > 0, labels = c("no", "yes"))
#' fit <- gpc(
#'   x, flip_labels(truth, 0.2, seed = 1), kernel = kernel_iso(1, fixed = TRUE), epsilon = 0.1
#' )
#' plan <- review(fit, n = 30, fdr = 0.1)
#' plan$label <- truth[plan$row]
#' mislabelled(update(fit, checked = plan), fdr = 0.1)
#' @order 1
mislabelled <- function(object, ...) UseMethod("mislabelled")

#' @export
mislabelled.default <- function(object, ...) {
  if (!is.null(own_fit(object))) {
    return(by_own_fit(mislabelled, object, ...))
  }
  must(
    !is.null(scorer_of(object)), "object", "be a model fitted by {.fn gpc}, {.fn stc}, {.fn bpm} or
     {.fn second_stage}, or probabilities of any classifier", got = object,
    more = c(i = "Probabilities have a column for each class, made without the label of the row.")
  )
  mislabelled.matrix(object, ...)
}

#' @rdname mislabelled
#' @export
#' @order 2
mislabelled.sturdy_model <- function(object, fdr = NULL, level = 0.9, id = NULL,
                                     given = c("average", "some"), ..., newdata = NULL,
                                     labels = NULL, rates = NULL) {
  check_model(object)
  if (inherits(newdata, "sturdy_shards")) {
    must(
      is.null(fdr) && is.null(id), if (is.null(fdr)) "id" else "fdr",
      "be left out where rows are in {.fn shards}: each is judged by itself", "unknown_argument"
    )
    return(mislabelled_apart(newdata, object, labels, rates, ...))
  }
  check_no_dots(...)
  given <- check_choice(given, c("average", "some"), "given")
  if (!is.null(fdr)) fdr <- check_number(fdr, "fdr", min = 0, max = 1)
  if (!is.null(level)) level <- check_level(level)
  if (!is.null(newdata)) {
    check_one_label(object)
    return(mislabelled_new(object, newdata, labels, rates, fdr, level, id, given))
  }
  must(is.null(labels), "labels", "be given along with {.arg newdata}", "unknown_argument")
  must(is.null(rates), "rates", "be given along with {.arg newdata}", "unknown_argument")
  check_sites_kept(object)
  readers <- has_readers(object)
  if (!readers) {
    check_one_label(object)
    inform_no_label_noise(judged_by(object))
  }
  fit <- object
  object <- judged_by(fit)
  ids <- row_ids(object$data, id)
  test <- if (is_test(object)) noise_statement(fit, level)
  said <- truth(object)
  found <- if (readers) {
    suspected_reports(object, ids)
  } else {
    partner <- if (is.null(fit$recalibration)) contradictions(fit$data) # scores are no inputs
    contradicts <- if (!is.null(partner)) list(contradicts = fit$data$rows[partner])
    some <- if (!is.null(test)) list(if_some = mean_wrong(truth_under(said, setdiff(said$model, "none"))))
    suspicion(object, said, ids, object$nodes$unusual, c(contradicts, some))
  }
  new_mislabelled(
    found, fdr, given, test, object$data$drawn, wrong_count(object, level), n = label_total(object),
    rate = shown_rate(object), test = test, times = object$data$reports$times[match(found$row, object$data$rows)]
  )
}

#' @rdname mislabelled
#' @export
#' @order 3
mislabelled.matrix <- function(object, labels, fdr = NULL, level = 0.9, id = NULL,
                               given = c("average", "some"), ...) {
  fit <- if (missing(labels)) second_stage(object, ...) else second_stage(object, labels, ...)
  mislabelled(fit, fdr, level, id, given)
}

#' @export
mislabelled.data.frame <- mislabelled.matrix

#' @export
mislabelled.numeric <- mislabelled.matrix
