# How good readers are: their rates, and how far they agree with each other.

#' How good each reader is
#'
#' Of a fit to [readers()]: the probability that each of them reports a row of each true class
#' rightly, with intervals, the number of labels they gave and how many of these are expected to be
#' wrong; and how far the readers agree with each other.
#'
#' @details
#' Of two classes `right` is the sensitivity of the reader for the second one, the event, and the
#' specificity for the first. With three classes or more it is the diagonal of the reader's noise
#' matrix, which [`noise_matrix(fit, reader = )`][noise_matrix] has in full.
#'
#' Cohen's kappa of two readers is from the rows that both labelled, and takes no model: it says how
#' often they agree beyond what their shares of the classes make of chance. Two readers who are both
#' often wrong, in different rows, have a low kappa; two who are wrong in the same rows have a
#' high one.
#'
#' @param object A fit to [readers()].
#' @param level Probability of the intervals, strictly between 0 and 1 (0.9 by default).
#' @param ... Not used.
#' @return A data frame of class `sturdy_reader_rates` with a row for each reader and true class:
#'   * `reader`, `class`;
#'   * `right`, `lower`, `upper`: the probability that the reader names this class where it is the
#'     true one, its posterior mean and the shortest interval;
#'   * `rank`: of the reader by the mean of `right` over the classes, 1 for the best;
#'   * `labels`: how many the reader gave;
#'   * `expected`: how many of them are expected to be of rows of this class, and `wrong`, how many
#'     of those to be wrong.
#'
#'   The attribute `agreement` is a data frame with a row for each pair of readers: `reader`,
#'   `other`, `rows` (that both labelled), `agree` (the share on which they agree), `kappa`
#'   (`NA` where chance alone would make them agree on all) and `counted`: how many readers the two
#'   count as, 2 unless they share errors (see [readers()]).
#' @section Conditions:
#' `sturdy_error_readers` where the fit is not to [readers()].
#' @seealso [readers()], [flip_rates()], [noise_matrix()], [mislabelled()]
#' @export
#' @examples
#' set.seed(1)
#' x <- rnorm(40)
#' truth <- x > 0
#' read <- function(wrong) ifelse(runif(40) < wrong, !truth, truth)
#' both <- readers(ann = read(0.1), bob = read(0.3))
#' fit <- gpc(data.frame(x), both, kernel = kernel_iso(1, fixed = TRUE))
#' reader_rates(fit)
reader_rates <- function(object, level = 0.9, ...) {
  object <- fit_of(object, ..., .level = level)
  check_sites_kept(object)
  check_has_readers(object)
  object <- judged_by(object)
  rates <- rate_table(object, level)
  at <- expected_reports(object)
  wrong <- apply(at, 1, wrong_rates)
  right <- 1 - rates$rate
  balance <- stats::ave(right, rates$reader)
  best <- sort(unique(balance), decreasing = TRUE)
  shown <- data.frame(
    rates[c("reader", "class")], right = right, lower = 1 - rates$upper, upper = 1 - rates$lower,
    rank = match(balance, best), labels = rep(apply(at, 1, sum), each = dim(at)[2]),
    expected = as.vector(t(rowSums(at, dims = 2))), wrong = as.vector(wrong)
  )
  structure(
    shown, agreement = reader_agreement(object$data$reports), level = level,
    levels = object$blueprint$levels, class = c("sturdy_reader_rates", "data.frame")
  )
}

#' Agreement of each pair of readers, by the first label of each on a row
#' @return a data frame, see reader_rates().
#' @noRd
reader_agreement <- function(reports) {
  labels <- reader_labels(reports)
  pairs <- which(upper.tri(diag(ncol(labels))), arr.ind = TRUE)
  pairs <- pairs[order(pairs[, 1], pairs[, 2]), , drop = FALSE]
  told <- vapply(seq_len(nrow(pairs)), function(k) {
    both <- labels[, pairs[k, ]]
    both <- both[!is.na(rowSums(both)), , drop = FALSE]
    share <- function(r) tabulate(both[, r], reports$classes) / nrow(both)
    agree <- mean(both[, 1] == both[, 2])
    chance <- sum(share(1) * share(2))
    c(nrow(both), agree, if (isTRUE(chance < 1)) (agree - chance) / (1 - chance) else NA)
  }, numeric(3))
  told[is.nan(told)] <- NA
  counted <- matrix(2, ncol(labels), ncol(labels))
  counted[reports$together[, 1:2, drop = FALSE]] <- reports$together[, 3]
  data.frame(
    reader = reports$sources[pairs[, 1]], other = reports$sources[pairs[, 2]],
    rows = told[1, ], agree = told[2, ], kappa = told[3, ], counted = counted[pairs]
  )
}

readers_shown <- 10L # pairs of readers that print() has a line for

#' @param x The result of `reader_rates()`.
#' @param digits Significant digits of probabilities (2 by default).
#' @rdname reader_rates
#' @export
print.sturdy_reader_rates <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  agreement <- attr(x, "agreement")
  if (is.null(agreement) || is.null(x$right)) { # columns were taken out of it
    print(as.data.frame(x), digits = digits)
    return(invisible(x))
  }
  of <- attr(x, "levels")
  names <- paste0("; right of ", of[2], ": the sensitivity, of ", of[1], ": the specificity")
  print_title("<sturdy_reader_rates> ", count(length(unique(x$reader)), "reader"), if (length(of) == 2) names)
  shown <- as.data.frame(x)
  for (name in c("expected", "wrong")) shown[[name]] <- round(shown[[name]], 1)
  print(shown, digits = digits, row.names = FALSE)
  pairs <- agreement[!is.na(agreement$kappa), ]
  if (nrow(pairs)) {
    most <- utils::head(pairs[order(-pairs$rows), ], readers_shown)
    which <- if (nrow(most) < nrow(pairs)) paste0(", the ", readers_shown, " with most rows")
    shown <- most[names(most) != "counted" | any(most$counted < 2)]
    print_part(shown, digits, "Cohen's kappa of ", count(nrow(pairs), "pair"), which)
  }
  invisible(x)
}

# Which reader was wrong on which row -----------------------------------------------

#' Reports by the probability that they are wrong, in the place of rows
#' @param ids of row_ids().
#' @noRd
suspected_reports <- function(object, ids) {
  reports <- object$data$reports
  class_of <- function(k) class_factor(k, object$blueprint$levels)
  said <- truth(object)
  p <- mean_over(said$p, said$weight)
  own <- which(reports$source > 0L)
  row <- reports$row[own]
  value <- reports$value[own]
  best <- max.col(p, ties.method = "first")[row]
  if (!is.null(ids)) ids$value <- ids$value[row]
  found <- data.frame(
    with_ids(object$data$rows[row], ids),
    reader = reports$sources[reports$source[own]], label = class_of(value),
    probability = wrong_share(p[row, , drop = FALSE], value), rank = NA_integer_,
    suggested = class_of(best), p_suggested = p[cbind(row, best)], check.names = FALSE
  )
  found <- found[order(-found$probability, found$row, found$reader), ]
  found$rank <- seq_along(own)
  row.names(found) <- make.unique(paste(found$row, found$reader))
  found
}
