#' @export
print.sturdy_model <- function(x, digits = 3, ...) {
  cat("<", class(x)[1], "> ", model_title(x), "\n", sep = "")
  print_fields(c(
    Rows = describe_rows(x),
    describe_latent(x, digits),
    "Label noise" = describe_noise(x, digits),
    describe_inference(x, digits),
    "Log evidence" = describe_evidence(x, digits),
    "Leave-one-out" = if (has_posterior(x) && !is.null(x$ep)) {
      format(sum(x$ep$loo), digits = digits + 1)
    },
    Learned = describe_learning(x)
  ))
  invisible(x)
}

# What stands for the latent function: one named line.
describe_latent <- function(x, digits) {
  UseMethod("describe_latent")
}

describe_latent.sturdy_model <- function(x, digits) {
  c(Kernel = describe_kernel(x, digits))
}

# How the posterior was found: one named line.
describe_inference <- function(x, digits) {
  UseMethod("describe_inference")
}

describe_inference.sturdy_model <- function(x, digits) {
  c(EP = describe_ep(x, digits))
}

#' One "name  value" line each, the values aligned
#' @noRd
print_fields <- function(fields) {
  cat(paste0("  ", format(names(fields)), "  ", fields, "\n"), sep = "")
}

model_title <- function(x) {
  t <- paste0("Student-t %s, df = ", format(x$df))
  switch(class(x)[1],
    stc = sprintf(t, "process classifier"),
    bpm = if (is.finite(x$df)) {
      sprintf(t, "Bayes point machine")
    } else {
      "Bayes point machine"
    },
    "Gaussian process classifier"
  )
}

describe_rows <- function(x) {
  levels <- x$blueprint$levels
  counts <- if (is.null(x$counts)) c(sum(x$y < 0), sum(x$y > 0)) else x$counts
  inputs <- length(x$blueprint$columns)
  left_out <- length(x$na_action)
  paste0(
    format(x$nobs, scientific = FALSE), if (left_out) paste0(" (", left_out, " more left out for NA)"), ", ",
    count(inputs, "input"), "; classes ", levels[1], " (", counts[1], ") and ",
    levels[2], " (", counts[2], ", event)"
  )
}

count <- function(n, noun) {
  paste0(n, " ", noun, if (n != 1) "s")
}

describe_kernel <- function(x, digits) {
  kernel <- x$kernel
  lengthscale <- unique(format_each(c(
    min(kernel$lengthscale, Inf), max(kernel$lengthscale, -Inf)
  ), digits))
  values <- c(
    lengthscale = paste(lengthscale, collapse = " to "),
    format_each(unlist(kernel[c("variance", "bias", "nugget")]), digits)
  )
  names(values) <- hyper_names
  if (length(kernel$lengthscale) == 0) {
    values <- values[-1]
  }
  type <- if (kernel$type == "iso") "isotropic" else "ARD"
  paste0(type, ": ", paste(names(values), values, collapse = ", "))
}

describe_noise <- function(x, digits) {
  paste0(
    if (length(x$epsilon) == 2) {
      paste0(
        "epsilon = ", format(x$epsilon[["neg"]], digits = digits), " of true ",
        x$blueprint$levels[1], ", ", format(x$epsilon[["pos"]], digits = digits),
        " of true ", x$blueprint$levels[2]
      )
    } else {
      paste0("epsilon = ", format(x$epsilon, digits = digits))
    },
    if (!x$epsilon_learned) {
      " (fixed)"
    } else if (x$learning$method == "gradient") {
      " (learned)"
    } else {
      paste0(" (learned by ", x$learning$method, ")")
    }
  )
}

describe_ep <- function(x, digits) {
  status <- gsub("_", " ", x$ep$status)
  if (!has_posterior(x)) {
    return(paste0(status, ": no posterior, see ep_diagnostics()"))
  }
  paste0(
    status, " after ", count(x$ep$sweeps, "sweep"),
    ", residual ", format(max(x$ep$residual), digits = 2)
  )
}

describe_evidence <- function(x, digits) {
  if (!has_posterior(x)) {
    return("none")
  }
  paste0(
    format(x$log_evidence, digits = digits + 1),
    if (is.null(x$ep)) {
      " (of the rows as they came)"
    } else if (is.finite(x$df)) {
      paste0(
        " (t-EP: not to be compared across models, see ?", class(x)[1], ")"
      )
    }
  )
}

describe_learning <- function(x) {
  learning <- x$learning
  if (is.null(learning)) {
    return("nothing, all hyperparameters held")
  }
  paste0(
    count(sum(learned(x)), "hyperparameter"), " by ", x$criterion,
    if (learning$convergence != 0) " (search not converged)",
    if (length(learning$on_bound)) {
      paste0("; on a bound: ", name_some(learning$on_bound))
    }
  )
}

#' The first three of some names
#' @noRd
name_some <- function(names) {
  more <- length(names) - 3
  paste0(
    paste(utils::head(names, 3), collapse = ", "),
    if (more > 0) paste(" and", more, "more")
  )
}
