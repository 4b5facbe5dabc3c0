#' @export
print.sturdy_model <- function(x, digits = 3, ...) {
  cat("<", class(x)[1], "> ", model_title(x), "\n", sep = "")
  print_fields(c(
    Rows = describe_rows(x),
    Kernel = describe_kernel(x, digits),
    "Label noise" = describe_noise(x, digits),
    EP = describe_ep(x, digits),
    "Log evidence" = describe_evidence(x, digits),
    "Leave-one-out" = format(sum(x$ep$loo), digits = digits + 1),
    Learned = describe_learning(x)
  ))
  invisible(x)
}

#' One "name  value" line each, the values aligned
#' @noRd
print_fields <- function(fields) {
  cat(paste0("  ", format(names(fields)), "  ", fields, "\n"), sep = "")
}

model_title <- function(x) {
  if (inherits(x, "stc")) {
    paste0("Student-t process classifier, df = ", format(x$df))
  } else {
    "Gaussian process classifier"
  }
}

describe_rows <- function(x) {
  levels <- x$blueprint$levels
  counts <- c(sum(x$y < 0), sum(x$y > 0))
  inputs <- length(x$blueprint$columns)
  paste0(
    x$nobs, " (", count(inputs, "input"), "): ",
    counts[1], " ", levels[1], ", ", counts[2], " ", levels[2], " (event)",
    if (length(x$na_action)) {
      paste0("; ", length(x$na_action), " left out for missing values")
    }
  )
}

count <- function(n, noun) {
  paste0(n, " ", noun, if (n != 1) "s")
}

describe_kernel <- function(x, digits) {
  lengthscale <- range(x$kernel$lengthscale, -Inf, Inf, finite = TRUE)
  lengthscale <- unique(format_each(lengthscale, digits))
  rest <- unlist(x$kernel[c("variance", "bias", "nugget")])
  paste0(
    toupper(x$kernel$type),
    if (length(x$kernel$lengthscale)) {
      paste(" lengthscale", paste(lengthscale, collapse = " to "))
    },
    paste0(", ", names(rest), " ", format_each(rest, digits), collapse = "")
  )
}

describe_noise <- function(x, digits) {
  paste0(
    "epsilon = ", format(x$epsilon, digits = digits),
    if (x$epsilon_learned) " (learned)" else " (fixed)"
  )
}

describe_ep <- function(x, digits) {
  status <- gsub("_", " ", x$ep$status)
  paste0(
    status, " after ", count(x$ep$sweeps, "sweep"),
    if (length(x$ep$residual)) {
      paste0(", residual ", format(max(x$ep$residual), digits = 2))
    }
  )
}

describe_evidence <- function(x, digits) {
  paste0(
    format(x$log_evidence, digits = digits + 1),
    if (is.finite(x$df)) " (t-EP: not to be compared across models, see ?stc)"
  )
}

describe_learning <- function(x) {
  learning <- x$learning
  if (is.null(learning)) {
    return("nothing, all hyperparameters held")
  }
  paste0(
    count(sum(coef_learned(x)), "hyperparameter"), " by ", x$criterion,
    if (learning$convergence != 0) " (search not converged)",
    if (length(learning$on_bound)) {
      paste0("; on a bound: ", paste(learning$on_bound, collapse = ", "))
    }
  )
}
