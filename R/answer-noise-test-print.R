# How noise_test() shows itself.

#' @param digits Significant digits.
#' @param x The result of `noise_test()`.
#' @rdname noise_test
#' @order 2
#' @export
print.sturdy_noise_test <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  cat("<sturdy_noise_test>\n")
  print_fields(c(verdict_lines(x, digits), named_notes(verdict_notes(x))))
  number <- function(v) format(signif(v, digits))
  none <- c(bounded(x$probability_none, number), number(x$prior_none))
  cat("\nWhat it rests on\n")
  print_fields(c(
    "No label noise" = paste0("probability ", none[1], " (before the data ", none[2], ")"),
    "Bayes factor for noise" = bounded(x$bayes_factor, number, 1e4),
    if (!x$settled) c("If some are wrong" = count_interval(x$any, x, digits), "Averaged" = count_interval(x$average, x, digits))
  ))
  models <- x$models[c("model", "prior", "probability", "log_evidence", "nodes", "ess", "pareto_k", "method")]
  models$pareto_k <- round(models$pareto_k, 2)
  print_part(models, digits + 1, "Noise models")
  rates <- x$rates
  rates$rows <- whole(rates$rows) # not 1e+05
  print_part(rates, digits, "Flip rates by true class, if there is label noise")
  cat("", strwrap(factor_words(x$error, sum(x$models$nodes), x$bayes_factor)), sep = "\n")
  invisible(x)
}

count_interval <- function(part, test, digits) {
  ends <- lapply(part[c("lower", "upper")], whole)
  said <- paste(count_text(part$count, digits), of_words(test))
  if (is.null(test$level)) said else paste0(said, " (", interval_words(test$level, ends), ")")
}
