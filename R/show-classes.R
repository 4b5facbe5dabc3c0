# How a fit with several classes shows itself.

#' @export
print.gpc_classes <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  levels <- x$blueprint$levels
  counts <- tabulate(x$data$y, length(levels))
  left_out <- length(x$data$na_action)
  wrong <- if (has_numbers(x$ep$flipped)) format(sum(x$ep$flipped), digits = digits)
  cat("<gpc> Gaussian process classifier, ", length(levels), " classes\n", sep = "")
  print_fields(c(
    Rows = paste0(
      format(nobs(x), scientific = FALSE),
      if (left_out) paste0(" (", left_out, " more left out: missing values)"), ", ",
      count(length(x$blueprint$columns), "input")
    ),
    Classes = paste0(name_some(paste0(levels, " (", counts, ")"))),
    Kernel = describe_kernel(x[c("kernel")], digits),
    Inducing = if (!is.null(x$inducing)) count(nrow(x$inducing$Z), "inducing input"),
    "Label noise" = describe_class_noise(x, digits),
    "Wrong labels" = wrong,
    EP = ep_words(x$ep),
    "Log evidence" = if (has_numbers(x$ep$b)) {
      paste0(
        format(x$ep$log_evidence, digits = digits + 1),
        " (of factorised EP: to be compared with its own kind only)"
      )
    },
    "Leave-one-out" = if (has_numbers(x$ep$loo)) format(sum(x$ep$loo), digits = digits + 1),
    Learned = describe_class_learning(x)
  ))
  invisible(x)
}

describe_class_noise <- function(x, digits) {
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

describe_class_learning <- function(x) {
  learning <- x$learning
  if (is.null(learning)) {
    return("nothing, all hyperparameters held")
  }
  paste0(
    count(learning$evaluations, "evaluation"), " of the evidence",
    if (learning$convergence != 0) " (search not converged)",
    if (length(learning$on_bound)) paste0("; on a bound: ", name_some(learning$on_bound))
  )
}

#' @export
format.gpc_classes <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  paste0(
    "<gpc> ", count(nobs(x), "row"), ", ", length(x$blueprint$levels), " classes, ",
    count(length(x$blueprint$columns), "input"), ", ", describe_class_noise(x, digits),
    ", log evidence ", format(x$ep$log_evidence, digits = digits + 1)
  )
}
