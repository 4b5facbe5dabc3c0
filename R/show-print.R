#' @export
print.sturdy_model <- function(x, digits = 3, ...) {
  check_model(x)
  digits <- check_digits(digits)
  if (is_several(x)) {
    return(print_classes(x, digits))
  }
  cat("<", spec_model(x$spec), "> ", model_title(x), "\n", sep = "")
  print_fields(c(
    Rows = describe_rows(x),
    describe_latent(x, digits),
    "Label noise" = describe_noise(x, digits),
    "Known labels" = describe_known(x),
    describe_inference(x, digits),
    "Log evidence" = describe_evidence(x, digits),
    "Leave-one-out" = if (has_numbers(x$ep$loo)) {
      format(sum(row_loo(x)), digits = digits + 1)
    },
    Learned = describe_learning(x),
    if (is_test(x)) noise_lines(noise_statement(x, 0.9), digits - 1)
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

describe_latent.bpm <- function(x, digits) {
  scales <- unique(format_each(range(x$prior$scale), digits))
  c(Weights = paste0(
    length(x$prior$weights), if (x$prior$intercept) " with the intercept",
    ", prior scale ", paste(scales, collapse = " to "),
    if (x$prior$nugget > 0) {
      paste0(
        ", nugget ", format_each(x$prior$nugget, digits),
        if (x$prior$free_nugget) " (learned)"
      )
    }
  ))
}

# How the posterior was found: one named line.
describe_inference <- function(x, digits) {
  UseMethod("describe_inference")
}

describe_inference.sturdy_model <- function(x, digits) c(EP = ep_words(x$ep))

describe_inference.bpm_filtered <- function(x, digits) {
  rows <- x$filter$rows
  all <- if (rows < nobs(x)) paste(" of", whole(nobs(x)))
  c(ADF = paste0(
    whole(rows), all, " rows absorbed, ",
    format(100 * filter_error(x), digits = digits),
    "% of their labels predicted wrongly beforehand"
  ))
}

#' What is known of labels beside them: trusted rows, checks and groups; `NULL` for nothing
#' @noRd
describe_known <- function(x) {
  reports <- x$data$reports
  if (is.null(reports) || !report_beside(reports)) {
    return(NULL)
  }
  known <- sum(report_known(reports))
  checked <- length(recorded_before(reports)$row)
  groups <- length(reports$sources)
  paste(c(
    if (known) {
      paste0(count(known, "row"), " trusted", if (checked) {
        paste0(", ", checked, " of them by a check")
      })
    },
    if (groups > 1) paste("rates of", count(groups, "group"))
  ), collapse = "; ")
}

describe_rows <- function(x) {
  levels <- x$blueprint$levels
  counts <- label_counts(x)
  left_out <- if (is.null(x$shards)) length(x$data$na_action) else x$shards$left_out
  paste0(
    format(nobs(x), scientific = FALSE),
    if (!is.null(x$shards) && !inherits(x, "butchered")) {
      paste(" in", count(length(x$shards$rows), "shard"))
    },
    if (left_out) paste0(" (", left_out, " more left out: missing values)"), ", ",
    count(length(x$blueprint$columns), "input"), "; classes ", levels[1], " (",
    counts[1], ") and ", levels[2], " (", counts[2], ", event)"
  )
}

describe_kernel <- function(x, digits) {
  kernel <- x$kernel
  ends <- function(x) {
    paste(unique(format_each(c(min(x, Inf), max(x, -Inf)), digits)), collapse = " to ")
  }
  values <- vapply(kernel[hyper_names], ends, "")
  if (length(kernel$lengthscale) == 0) {
    values <- values[-1]
  }
  type <- if (kernel$type == "iso") "isotropic" else "ARD"
  paste0(
    type, ": ", paste(names(values), values, collapse = ", "), describe_inducing(x, digits)
  )
}

describe_inducing <- function(x, digits) {
  if (!is.null(x$inducing)) {
    paste0(
      "; ", count(nrow(x$inducing$Z), "inducing input"), ", which leave ",
      format_each(100 * x$inducing$left, digits), "% of the variance beside the nugget"
    )
  }
}

describe_noise <- function(x, digits) {
  if (is_average(x)) {
    return(describe_average(x, digits))
  }
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
    if (!rate_learned(x)) {
      " (fixed)"
    } else if (x$learning$method == "gradient") {
      " (learned)"
    } else {
      paste0(" (learned by ", x$learning$method, ")")
    }
  )
}

noise_words <- c(
  none = "no wrong labels", one = "one rate", two = "a rate for each class",
  matrix = "a noise matrix", given = "the rates given"
)

#' The noise models averaged over, and the mean rate
#' @noRd
describe_average <- function(x, digits) {
  models <- x$nodes$models
  share <- if (nrow(models) > 1) {
    paste0(" (", format_each(round(models$probability, 4), 2), ")")
  }
  rate <- 1 - unname(diag(x$omega))
  alike <- isTRUE(all.equal(rate[[1]], rate[[2]]))
  paste0(
    toString(paste0(noise_words[models$model], share)), "; mean rate ",
    if (alike) {
      format(rate[[1]], digits = digits)
    } else {
      paste(
        format_each(rate, digits), "of true", x$blueprint$levels, collapse = ", "
      )
    }
  )
}

describe_evidence <- function(x, digits) {
  if (!has_posterior(x)) {
    return("none")
  }
  if (is_average(x)) {
    return(paste0(
      format(average_evidence(x), digits = digits + 1), ", integrated; ",
      format(model_evidence(x), digits = digits + 1), " at the mode"
    ))
  }
  paste0(format(model_evidence(x), digits = digits + 1), evidence_note(x))
}

evidence_note <- function(x) {
  UseMethod("evidence_note")
}

evidence_note.default <- function(x) {
  if (is.finite(x$spec$df)) " (t-EP: not comparable across models, see ?stc)"
}

evidence_note.bpm_filtered <- function(x) " (depends on the order of the rows)"

describe_learning <- function(x) {
  learning <- x$learning
  if (is.null(learning)) {
    return("nothing, all hyperparameters held")
  }
  if (is_average(x)) {
    nodes <- x$nodes$models$method == "nodes"
    return(paste0(
      count(sum(learned(x)), "hyperparameter"), " integrated ",
      if (any(nodes)) {
        paste0("over ", count(node_count(x), "node"))
      } else {
        "by Laplace's method"
      }
    ))
  }
  paste0(
    count(sum(learned(x)), "hyperparameter"), " by ", x$spec$criterion,
    if (learning$convergence != 0) " (search not converged)",
    if (length(learning$on_bound)) {
      paste0("; on a bound: ", name_some(learning$on_bound))
    }
  )
}

#' @export
format.sturdy_model <- function(x, digits = 3, ...) {
  check_model(x)
  digits <- check_digits(digits)
  if (is_several(x)) {
    return(format_classes(x, digits))
  }
  paste0(
    "<", spec_model(x$spec), "> ", count(nobs(x), "row"), ", ",
    count(length(x$blueprint$columns), "input"), ", ", describe_noise(x, digits),
    ", log evidence ", describe_evidence(x, digits)
  )
}
