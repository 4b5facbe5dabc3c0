# What a check against simulation says in words, and how it is shown.

# Gaps that do not matter, that matter for close calls, that spoil the result
check_limits <- list(evidence = c(0.5, 3), probability = c(0.02, 0.1))

check_words <- function(check) {
  gap <- stats::setNames(check$evidence$gap, check$evidence$method)
  found <- findings(
    words_evidence(gap[[1]], check),
    if (isTRUE(!is.na(gap["corrected"]))) list(means = paste0( # of several classes
      "Corrected to second order, as averages are weighed, it", nats_off(gap[["corrected"]], 2), "."
    )),
    if ("t-ep" %in% names(gap)) list(
      means = paste0(
        "The t-EP evidence", if (is.na(gap[["t-ep"]])) " is not defined here" else nats_off(gap[["t-ep"]], 1),
        ". This is no fault of the fit: the t-EP evidence is not an approximation of the ",
        "evidence (see ?stc)."
      ),
      do = "For comparisons use log_evidence(fit, method = \"gaussian\")."
    ),
    if (!is.na(check$largest_gap)) words_probability(check$largest_gap, check$mean_gap)
  )
  found[c("means", "do")]
}

words_evidence <- function(gap, check) {
  error <- check$ais$se
  if (is.na(gap) || is.na(error)) {
    return(list(
      means = "There is no exact log evidence to compare with.",
      do = "Run it again with a larger max_moves."
    ))
  }
  name <- if (is.finite(check$df)) "The Gaussian EP evidence" else "EP's log evidence"
  least <- max(check_limits$evidence[1], 2 * error)
  list(
    means = if (abs(gap) <= 2 * error) {
      sprintf(
        "%s agrees with the exact one within the error of the simulation (gap %.2f, error %.2f).",
        name, gap, error
      )
    } else {
      paste0(name, nats_off(gap, 2), graded(
        abs(gap), "evidence", ": too little to affect the choice of a model.",
        ": this matters when models differ by less.", ": do not choose a model by it."
      ))
    },
    do = c(
      if (error > 2 * check$se_wanted) {
        "Use a larger max_moves: the simulation is less exact than asked for."
      },
      if (abs(gap) >= least) "Compare models by log_evidence(fit, method = \"ais\") or by loo(fit)."
    )
  )
}

nats_off <- function(gap, digits) {
  sprintf(" is %.*f nats %s the exact one", digits, abs(gap), if (gap < 0) "below" else "above")
}

#' One of the words by where a size stands among the limits
#' @noRd
graded <- function(size, of, ...) c(...)[findInterval(size, check_limits[[of]]) + 1]

words_probability <- function(largest, mean) {
  list(
    means = sprintf(
      "Class probabilities are at most %.3f from the exact ones (mean %.3f): %s", largest, mean,
      graded(
        largest, "probability", "they can be used.", "good enough for classes, rough in the worst rows.",
        "some rows are far off."
      )
    ),
    do = if (largest >= check_limits$probability[2]) {
      "Compute probabilities by posterior_sample(fit, newdata = ), or allow more label noise or a larger nugget."
    }
  )
}

#' @export
print.sturdy_check <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  number <- function(value, at = 2) formatC(value, format = "f", digits = at)
  print_title(
    "<sturdy_check> EP against simulation: ", x$title, ", ", count(x$nobs, "row"),
    if (x$of > x$nobs) paste(" of", whole(x$of))
  )
  labels <- c(
    gaussian = if (is.finite(x$df)) "Gaussian EP" else "EP", "t-ep" = "t-EP", ep = "EP",
    corrected = "second order"
  )
  evidence <- paste0(
    labels[x$evidence$method], " ", number(x$evidence$log_evidence), ", exact ",
    number(x$ais$log_evidence), ", gap ", number(x$evidence$gap), " (error ",
    format(x$ais$se, digits = 2), ")"
  )
  at <- which.max(abs(x$probability$ep - x$probability$exact))
  print_fields(c(
    stats::setNames(evidence, c("Log evidence", " ")[seq_along(evidence)]),
    Probability = if (is.na(x$largest_gap)) {
      "not compared"
    } else {
      paste0(
        "largest gap ", number(x$largest_gap, 3), " (row ", x$largest_row,
        if (!is.null(x$largest_class)) paste(" as", x$largest_class), ", error ",
        number(x$probability$error[at], 3), "), mean gap ", number(x$mean_gap, 4)
      )
    }
  ))
  print_sentences("What it means", x$means)
  print_sentences("What to do", if (length(x$do)) x$do else "Nothing.")
  invisible(x)
}
