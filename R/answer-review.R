#' Which labels to check next
#'
#' The rows whose check would most reduce the expected number of wrong labels that remain,
#' what checking them will find, and what will remain.
#'
#' @details
#' A check finds a wrong label with the probability that it is wrong, and puts it right.
#' What else it tells (about the flip rate, and about its neighbours) may raise or lower
#' the probabilities of other labels, but on average it leaves their expected number as it
#' is. So the next rows to check are those with the highest probabilities.
#'
#' After the check, `update(fit, checked = )` takes the answers in: the rows get the labels that
#' were found and are trusted from then on. How many of the recorded labels were wrong says most
#' about the flip rate. So the other probabilities change, and with them the next rows to check
#' and the number of wrong labels that remain. A label found wrong rules out that none is wrong,
#' and that only labels of another class are.
#'
#' Stop when the expected number of wrong labels found by a further check is worth less
#' than the check, or when `none_left` is high enough.
#'
#' # A guarantee
#' With `fdr` the rows to check are drawn **at random** from the most suspicious ones. Their answers hold that
#' false-discovery rate among the other rows, whatever the model is worth, see [mislabelled()]. From how many they are
#' drawn is chosen by the model such that most wrong labels come to light. `print()` says the price beforehand: how
#' many wrong labels these checks are expected to find, and how many other rows will then be called wrong. Fill in
#' `label` of all rows, leave it empty where nothing can be said, and give the list to
#' `update(fit, checked = )`. It may be saved as a CSV file in between.
#'
#' @param object A model fitted by [gpc()], [stc()], [second_stage()] or, by EP, [bpm()].
#' @param n How many rows to check (10 by default, 40 with `fdr`).
#' @param level Probability of the interval, strictly between 0 and 1 (0.9 by default).
#' @param id Identifiers of the rows, as in [mislabelled()].
#' @param fdr A false-discovery rate to be guaranteed by the checks, strictly between 0 and 1: rows are then drawn at
#'   random, which depends on [set.seed()]. `NULL`, the default, lists the most suspicious ones.
#' @param ... Not used.
#' @return A data frame of class `sturdy_review` with a row for each row to check: `row`,
#'   its position in the data given to the fit; `id`, or the column given as such, where there are
#'   identifiers; `label`, the recorded label; `suggested`,
#'   the more probable class (of several, the most probable other one where the label is more
#'   likely wrong than right); `probability`, that the label is wrong; `found`, the
#'   expected number of wrong labels among this row and those above it; with `fdr` also `drawn`, of how many rows they
#'   were drawn. It has the attributes
#'   * `left`: a list of `count`, `lower` and `upper`, the number of wrong labels that
#'     remain among rows neither trusted nor in the list, and `level`;
#'   * `none_left`: the probability that none remains;
#'   * `unchecked` and `listed`: how many labels remain and how many rows are in the list;
#'   * `price`: with `fdr`, a list of `checks`, `among` how many rows they were drawn, `fdr`, and the numbers
#'     expected: of wrong labels that are `found` by the checks, of `calls` after them, and of those that are `wrong`.
#' @section Conditions:
#' Message `sturdy_message_no_label_noise` when `epsilon` is 0; errors: `sturdy_error_readers` for a fit to [readers()]; `sturdy_error_no_sites` for a
#' [bpm()] that has absorbed rows by filtering; `sturdy_error_few_checks` for an `n` that is too small for `fdr`;
#' `sturdy_error_drawn` for `fdr` of a fit with copies of rows.
#' @seealso [update()][update.sturdy_model], [mislabelled()]
#' @export
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40))
#' truth <- factor(x > 0)
#' y <- flip_labels(truth, 0.1, seed = 1)
#' fit <- gpc(x, y, kernel = kernel_iso(1, fixed = TRUE), epsilon = "average")
#' first <- review(fit, 5)
#' first
#' fit <- update(fit, checked = data.frame(row = first$row, label = truth[first$row]))
#' review(fit, 5)
#' @order 1
review <- function(object, n = if (is.null(fdr)) 10 else 40, level = 0.9, id = NULL, fdr = NULL, ...) {
  object <- fit_of(object, ..., .level = level)
  n <- check_count(n, "n", min = 1)
  check_label_each(object)
  object <- judged_by(object)
  inform_no_label_noise(object)
  said <- truth(object)
  order <- suspicion_order(said)
  open <- order[said$source[order] > 0L] # labels that are not known to be right
  drawn <- if (!is.null(fdr)) drawn_rows(object, said, open, n, fdr)
  places <- if (is.null(drawn)) utils::head(open, n) else drawn$place
  first <- suspicion(object, said, row_ids(object$data, id))[match(places, order), ]
  right <- first$probability <= 0.5
  first$suggested[right] <- first$label[right]
  times <- report_times(object$data$reports)
  first$found <- cumsum(times[places] * first$probability)
  if (length(drawn)) first$drawn <- drawn_words(n, drawn$price$among)
  left <- sort(setdiff(open, places))
  density <- wrong_density(object, left)
  structure(
    first[c("row", id_column(first), "label", "suggested", "probability", "found", if (length(drawn)) "drawn")],
    left = c(density_summary(density, level), list(level = level)),
    none_left = density[1] / sum(density), unchecked = sum(times[left]), listed = nrow(first),
    price = drawn$price, class = c("sturdy_review", "data.frame")
  )
}

#' @param digits Significant digits.
#' @param x The result of `review()`.
#' @rdname review
#' @export
print.sturdy_review <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  whole <- identical(attr(x, "listed"), nrow(x)) # else rows or columns were taken out of it
  if (whole) {
    among <- attr(x, "price")$among
    drawn <- if (length(among)) paste0(", drawn at random of the ", whole(among), " most suspicious")
    cat("<sturdy_review> ", count(nrow(x), "row"), " to check", drawn, "\n", sep = "")
    print_fields(review_fields(x, digits))
  }
  print(as.data.frame(x), digits = digits, row.names = !whole)
  invisible(x)
}

review_fields <- function(x, digits) {
  left <- attr(x, "left")
  price <- attr(x, "price")
  number <- function(v) format(signif(v, digits))
  first <- list(rows = nrow(x), found = max(x$found, 0), left = left$count)
  some <- paste0(number(left$count), " of ", whole(attr(x, "unchecked")), " (", interval_words(left$level, left), ")")
  none <- paste("none: probability", bounded(attr(x, "none_left"), number))
  next_line <- if (length(price)) price_words(price) else next_words(first)
  c("What next?" = next_line, "Would remain" = paste0(some, "; ", none))
}
