# How a fit with several classes shows itself.

#' @noRd
print_classes <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  levels <- x$blueprint$levels
  counts <- tabulate(x$data$y, length(levels))
  left_out <- length(x$data$na_action)
  wrong <- if (has_numbers(x$ep$flipped)) format(sum(row_flipped(x)), digits = digits)
  cat("<gpc> Gaussian process classifier, ", length(levels), " classes\n", sep = "")
  print_fields(c(
    Rows = paste0(
      format(nobs(x), scientific = FALSE),
      if (left_out) paste0(" (", left_out, " more left out: missing values)"), ", ",
      count(length(x$blueprint$columns), "input")
    ),
    Classes = paste0(name_some(paste0(levels, " (", counts, ")"))),
    Kernel = describe_class_kernel(x, digits),
    "Label noise" = describe_class_noise(x, digits),
    "Known labels" = describe_known(x),
    "Wrong labels" = if (!is_test(x)) wrong,
    EP = ep_words(x$ep),
    "Log evidence" = if (has_numbers(x$ep$b)) {
      paste0(
        format(fit_evidence(x), digits = digits + 1), if (is_average(x)) ", integrated",
        " (of factorised EP: to be compared with its own kind only)"
      )
    },
    "Leave-one-out" = if (has_numbers(x$ep$loo)) format(sum(row_loo(x)), digits = digits + 1),
    Learned = describe_class_learning(x),
    if (is_test(x)) noise_lines(noise_statement(x, 0.9), digits - 1)
  ))
  invisible(x)
}

#' Of kernels that differ, the range
#' @noRd
describe_class_kernel <- function(x, digits) {
  kernel <- x$kernel
  own <- length(kernel$nugget) > 1
  paste0(
    describe_kernel(x[c("kernel", "inducing")], digits), if (own) " (a kernel for each class)"
  )
}

describe_class_noise <- function(x, digits) {
  if (is_average(x)) {
    return(describe_class_average(x, digits))
  }
  epsilon <- x$spec$epsilon
  rates <- format_each(range(x$epsilon), digits)
  if (identical(epsilon, "matrix")) {
    paste0("a matrix, rates ", rates[1], " to ", rates[2], " (learned), see noise_matrix()")
  } else if (is.matrix(epsilon)) {
    paste0("a matrix, rates ", rates[1], " to ", rates[2], " (fixed)")
  } else {
    paste0("epsilon = ", rates[1], if (is.character(epsilon)) " (learned)" else " (fixed)")
  }
}

#' As describe_average()
#' @noRd
describe_class_average <- function(x, digits) {
  models <- x$nodes$models
  named <- c(
    none = "no wrong labels", one = "one rate", matrix = "a matrix", given = "as given"
  )
  share <- if (nrow(models) > 1) {
    paste0(" (", format_each(round(models$probability, 4), 2), ")")
  }
  rate <- 1 - mean(diag(x$omega)[x$data$y])
  paste0(
    toString(paste0(named[models$model], share)), "; mean rate ", format(rate, digits = digits)
  )
}

describe_class_learning <- function(x) {
  learning <- x$learning
  if (is.null(learning)) {
    return("nothing, all hyperparameters held")
  }
  if (is_average(x)) {
    return(describe_learning(x))
  }
  paste0(
    count(learning$evaluations, "evaluation"), " of the evidence",
    if (learning$convergence != 0) " (search not converged)",
    if (length(learning$on_bound)) paste0("; on a bound: ", name_some(learning$on_bound))
  )
}

#' @noRd
format_classes <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  paste0(
    "<gpc> ", count(nobs(x), "row"), ", ", length(x$blueprint$levels), " classes, ",
    count(length(x$blueprint$columns), "input"), ", ", describe_class_noise(x, digits),
    ", log evidence ", format(x$ep$log_evidence, digits = digits + 1)
  )
}
