# What a fit says of itself: print(), the answer first, in few lines; and the words of summary().

print_most <- 6L # lines, where the console is 80 letters wide

# What a reader misses least, the least first: left out where all would take more lines. No
# sentence is ever cut
print_least <- c("More", "Fit", "Could hide?", "Absorbed", "Labels", "Rows")

#' @export
print.sturdy_model <- function(x, digits = 3, ...) {
  check_model(x)
  fields <- fit_fields(x, check_digits(digits))
  for (field in c("", print_least)) {
    fields <- fields[names(fields) != field]
    if (length(unlist(field_lines(fields))) <= print_most) break
  }
  print_fields(fields)
  invisible(x)
}

fit_fields <- function(x, digits) {
  test <- if (is_test(x)) noise_statement(x, 0.9)
  note <- c(trouble_note(x), if (!is.null(test)) verdict_notes(test))
  c(
    answer_lines(x, test, digits), Note = if (length(note)) note[[1]], Fit = fit_title(x),
    Rows = describe_rows(x), Labels = describe_known(x),
    Absorbed = if (!is.null(x$filter)) unname(describe_inference(x, digits)), More = more_line(x)
  )
}

#' What a fit says of wrong labels
#' @param test of noise_statement(), `NULL` for a fit without one.
#' @noRd
answer_lines <- function(x, test, digits) {
  if (!is.null(test)) {
    verdict_lines(test, max(digits - 1, 1))
  } else if (labels_one_class(x)) {
    unlabelled_lines(x, max(digits - 1, 1))
  } else if (has_soft(x$data$reports)) {
    c("Wrong labels?" = "Not asked: labels are probabilities, which say how sure they are.")
  } else {
    untested_lines(x, digits)
  }
}

#' What a fit that does not test whether labels are wrong says of them
#' @noRd
untested_lines <- function(x, digits) {
  if (takes_labels_as_right(x)) {
    return(c("Wrong labels?" = "Not asked: every label is taken to be right (epsilon = 0)."))
  }
  expected <- if (has_rows(judged_by(x))) expected_wrong(x)
  about <- if (isTRUE(expected < 0.05)) {
    "Next to none"
  } else if (length(expected)) paste("About", count_text(expected, digits - 1))
  c(
    "Wrong labels?" = paste0("Not tested: ", describe_noise(judged_by(x), digits), "."),
    "How many?" = paste0(about, " of ", whole(label_total(x)), ", if such a share is wrong.", recycle0 = TRUE)
  )
}

#' Where more is told
#' @noRd
more_line <- function(x) {
  asks <- has_rows(x) && !identical(x$spec$epsilon, "average")
  c( # the first that is the case
    if (has_readers(x)) "predict(fit, type = \"true\"), reader_rates(), mislabelled(); summary()",
    if (labels_one_class(x)) "mislabelled() lists rows by how likely they are positive; summary()",
    if (has_soft(x$data$reports)) "predict(fit, type = \"true\") has the true classes; summary()",
    if (is_test(x)) paste0(if (has_rows(x)) "mislabelled() lists the suspects; ", "noise_test(), summary()"),
    if (asks) "update(fit, epsilon = \"average\", hyper = \"integrate\") tests it", "summary()"
  )[1]
}

#' What went wrong, if anything did
#' @noRd
trouble_note <- function(x) {
  apart <- isTRUE(x$ep$status != "converged")
  forgets <- "The filter forgets: many more labels are predicted wrongly than epsilon ="
  c( # the first that is the case
    if (apart) paste0("EP: ", ep_words(x$ep), if (has_posterior(x)) "; see ep_diagnostics()"),
    if (isTRUE(x$learning$convergence != 0)) "The search stopped short: see ep_diagnostics().",
    if (filter_forgets(x)) paste(forgets, format(max(x$epsilon)), "allows for.")
  )[1]
}

fit_title <- function(x) {
  classes <- if (is_several(x)) paste0(", ", length(x$blueprint$levels), " classes")
  paste0("<", spec_model(x$spec), "> ", model_title(x), classes, if (is_in_order(x)) " in an order")
}

#' What stands for the latent function: one named line
#' @noRd
describe_latent <- function(x, digits) {
  if (!is.null(x$recalibration)) {
    now <- x$recalibration
    slope <- paste0("slope ", format_each(now$slope, digits), if (!"slope" %in% now$free) " (held)")
    c(Recalibration = paste0(slope, ", weights ", format_range(now$weight, digits)))
  } else if (inherits(x, "bpm")) {
    prior <- x$prior
    weights <- paste0(length(prior$weights), if (prior$intercept) " with the intercept")
    nugget <- paste0(", nugget ", format_each(prior$nugget, digits), if (prior$free_nugget) " (learned)")
    scale <- format_range(prior$scale, digits)
    c(Weights = paste0(weights, ", prior scale ", scale, if (prior$nugget > 0) nugget))
  } else {
    c(Kernel = describe_kernel(x, digits))
  }
}

#' How the posterior was found: one named line
#' @noRd
describe_inference <- function(x, digits) {
  if (!is.null(x$recalibration)) {
    return(c(Likelihood = "exact, no EP"))
  }
  if (is.null(x$filter)) {
    return(c(EP = ep_words(x$ep)))
  }
  rows <- x$filter$rows
  all <- if (rows < row_count(x)) paste(" of", whole(row_count(x)))
  wrong <- format(100 * filter_error(x), digits = digits)
  absorbed <- paste0(whole(rows), all, " rows absorbed, ")
  c(ADF = paste0(absorbed, wrong, "% of their labels predicted wrongly beforehand"))
}

describe_rows <- function(x) {
  open <- length(x$data$unlabelled$at)
  left_out <- if (is.null(x$shards)) length(x$data$na_action) - open else x$shards$left_out
  event <- if (!is_several(x)) ", event"
  classes <- paste0(class_words(x$blueprint$levels), " (", whole(label_counts(x)), c("", event), ")")
  paste0(
    whole(row_count(x)), if (!is.null(x$data$units)) paste(" units of", count(length(x$data$units$of), "row")),
    if (!is.null(x$data$reports$times)) paste0(" (by weight ", whole(label_total(x)), ")"),
    if (length(x$shards$rows) > 1) paste(" in", count(length(x$shards$rows), "shard")),
    if (left_out) paste0(" (", left_out, " more left out: missing values)"),
    if (open) paste0(" (", open, " more without a label)"),
    ", ", if (is.null(x$recalibration)) count(length(x$blueprint$columns), "input") else "scores",
    "; classes ", if (is_several(x)) name_some(classes) else paste(classes, collapse = " and ")
  )
}

describe_kernel <- function(x, digits) {
  kernel <- x$kernel
  parts <- kernel[c(if (length(kernel$lengthscale)) "lengthscale", scalar_names(kernel))]
  values <- vapply(parts, format_range, "", digits)
  inducing <- if (!is.null(x$inducing)) {
    left <- paste0(format_each(100 * x$inducing$left, digits), "% of the variance beside the nugget")
    paste0("; ", count(nrow(x$inducing$Z), "inducing input"), ", which leave ", left)
  }
  paste0(
    if (kernel$type == "iso") "isotropic" else "ARD",
    if (is_shaped(kernel)) paste0(", ", shape_title(kernel)), ": ",
    paste(names(values), values, collapse = ", "), inducing,
    if (length(kernel$nugget) > 1) " (a kernel for each class)",
    if (is_in_order(x)) paste("; thresholds", paste(format_each(thresholds(x), digits), collapse = ", "))
  )
}

describe_noise <- function(x, digits) {
  if (is_average(x)) {
    return(describe_average(x, digits))
  }
  matrix <- is_several(x) && length(x$epsilon) > 1
  rates <- if (matrix) format_range(x$epsilon, digits) else describe_rates(x, x$epsilon, digits)
  how <- if (!rate_learned(x)) " (fixed)" else if (matrix) " (learned), see noise_matrix()" else " (learned)"
  paste0(if (matrix) "a matrix, rates " else "epsilon = ", rates, how)
}

#' One rate, or the rate of each true class
#' @noRd
describe_rates <- function(x, rates, digits) {
  if (length(rates) == 1) {
    format(rates, digits = digits)
  } else if (is_several(x)) {
    paste(format_range(rates, digits), "by class")
  } else {
    paste(format_each(rates, digits), "of true", x$blueprint$levels, collapse = ", ")
  }
}

#' The noise models averaged over, and the mean rate
#' @noRd
describe_average <- function(x, digits) {
  models <- x$nodes$models
  number <- function(v) format(round(v, 4), digits = 2, scientific = FALSE)
  share <- if (nrow(models) > 1) paste0(" (", vapply(models$probability, bounded, "", number), ")")
  rates <- unname(wrong_rates(x$omega))
  if (isTRUE(all.equal(rates, rep(rates[1], length(rates))))) rates <- rates[1]
  averaged <- toString(paste0(model_words(models$model, x$blueprint$levels), share))
  paste0(averaged, "; mean rate ", describe_rates(x, rates, digits))
}

#' What limits comparisons of the evidence of a fit, or `NULL`
#' @noRd
evidence_note <- function(x) {
  c( # the first that is the case
    if (!is.null(x$filter)) "depends on the order of the rows",
    if (latent_functions(x) > 1) "of factorised EP: to be compared with its own kind only",
    if (is.finite(x$spec$df)) "t-EP: not comparable, see ?stc"
  )[1]
}

describe_learning <- function(x) {
  if (!is.null(x$recalibration)) {
    return(paste(count(sum(learned(x)), "parameter"), "integrated over", count(node_count(x), "point")))
  }
  learning <- x$learning
  if (is.null(learning)) {
    return("nothing, all hyperparameters held")
  }
  at_point <- !identical(learning$method, "integrate")
  how <- if (at_point) {
    paste("by", x$spec$criterion)
  } else if (any(x$nodes$models$method == "nodes")) {
    paste("integrated over", count(node_count(x), "node"))
  } else {
    paste("at", count(x$nodes$models$modes, "mode"), "by Laplace's method")
  }
  bounds <- if (at_point && length(learning$on_bound)) paste0("; on a bound: ", name_some(learning$on_bound))
  short <- if (learning$convergence != 0) " (search stopped short)"
  paste0(count(sum(learned(x)), "hyperparameter"), " ", how, short, bounds)
}
