# What a check against simulation says in words, and how it is shown.

# Gaps that do not matter, that matter for close calls, that spoil the result
check_limits <- list(evidence = c(0.5, 3), probability = c(0.02, 0.1))

check_words <- function(check) {
  found <- findings(
    words_evidence(check), words_corrected(check), words_t_evidence(check), words_probability(check)
  )
  found[c("means", "do")]
}

words_evidence <- function(check) {
  gap <- check$evidence$gap[1]
  error <- check$ais$se
  if (is.na(gap) || is.na(error)) {
    return(list(
      means = "There is no exact log evidence to compare with.",
      do = "Run it again with a larger max_moves."
    ))
  }
  limit <- check_limits$evidence
  name <- if (is.finite(check$df)) "The Gaussian EP evidence" else "EP's log evidence"
  means <- if (abs(gap) <= 2 * error) {
    sprintf(
      "%s agrees with the exact one within the error of the simulation (gap %.2f, error %.2f).",
      name, gap, error
    )
  } else {
    paste0(name, nats_off(gap, 2), graded(
      abs(gap), limit, ": too little to affect the choice of a model.",
      ": this matters when models differ by less.", ": do not choose a model by it."
    ))
  }
  do <- c(
    if (error > 2 * check$se_wanted) {
      "Use a larger max_moves: the simulation is less exact than asked for."
    },
    if (abs(gap) >= max(limit[1], 2 * error)) {
      "Compare models by log_evidence(fit, method = \"ais\") or by loo(fit)."
    }
  )
  list(means = means, do = do)
}

#' Of several classes: what the second order makes good
#' @noRd
words_corrected <- function(check) {
  gap <- check$evidence$gap[check$evidence$method == "corrected"]
  if (length(gap) == 0 || is.na(gap)) {
    return(NULL)
  }
  list(means = paste0(
    "Corrected to second order, as averages are weighed, it", nats_off(gap, 2), "."
  ))
}

nats_off <- function(gap, digits) {
  sprintf(" is %.*f nats %s the exact one", digits, abs(gap), if (gap < 0) "below" else "above")
}

#' One of the words by where a size stands among the limits
#' @noRd
graded <- function(size, limits, ...) c(...)[findInterval(size, limits) + 1]

words_t_evidence <- function(check) {
  gap <- check$evidence$gap[check$evidence$method == "t-ep"]
  if (length(gap) == 0) {
    return(NULL)
  }
  list(
    means = paste0(
      "The t-EP evidence", if (is.na(gap)) " is not defined here" else nats_off(gap, 1),
      ". This is no fault of the fit: the t-EP evidence is not an approximation of the ",
      "evidence (see ?stc)."
    ),
    do = "For comparisons use log_evidence(fit, method = \"gaussian\")."
  )
}

words_probability <- function(check) {
  gap <- check$largest_gap
  if (is.na(gap)) {
    return(NULL)
  }
  limit <- check_limits$probability
  list(
    means = sprintf(
      "Class probabilities are at most %.3f from the exact ones (mean %.3f): %s", gap,
      check$mean_gap, graded(
        gap, limit, "they can be used.",
        "good enough for classes, rough in the worst rows.", "some rows are far off."
      )
    ),
    do = if (gap >= limit[2]) paste(
      "Compute probabilities by posterior_sample(fit, newdata = ), or allow more label",
      "noise or a larger nugget."
    )
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
  error <- x$ais$se
  labels <- c(
    gaussian = if (is.finite(x$df)) "Gaussian EP" else "EP", "t-ep" = "t-EP", ep = "EP",
    corrected = "second order"
  )
  evidence <- paste0(
    labels[x$evidence$method], " ", number(x$evidence$log_evidence), ", exact ",
    number(x$ais$log_evidence), ", gap ", number(x$evidence$gap), " (error ",
    format(error, digits = 2), ")"
  )
  probability <- if (is.na(x$largest_gap)) {
    "not compared"
  } else {
    at <- which.max(abs(x$probability$ep - x$probability$exact))
    paste0(
      "largest gap ", number(x$largest_gap, 3), " (row ", x$largest_row,
      if (!is.null(x$largest_class)) paste(" as", x$largest_class), ", error ",
      number(x$probability$error[at], 3), "), mean gap ", number(x$mean_gap, 4)
    )
  }
  print_fields(c(
    "Log evidence" = evidence[1],
    if (length(evidence) > 1) c(" " = evidence[2]),
    "Probability" = probability
  ))
  print_sentences("What it means", x$means)
  print_sentences("What to do", if (length(x$do)) x$do else "Nothing.")
  invisible(x)
}
