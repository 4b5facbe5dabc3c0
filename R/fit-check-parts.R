# What the fields of a fit are made of: is each of these parts one?

#' A number, NA where it is not defined, as the evidence of t-EP may be
#' @noRd
is_value <- function(x) is.numeric(x) && length(x) == 1

is_whole_spec <- function(spec) {
  made_again <- function(make, x) {
    identical(do.call(make, unclass(x), quote = TRUE), x)
  }
  made_again(ep_control, spec$control) && identical(edit_spec(spec, list()), spec) &&
    (is.null(spec$kernel) || is_kernel(spec$kernel))
}

is_kernel <- function(kernel) {
  if (!is.null(kernel$width)) {
    if (!are_numbers(kernel$width, above = 0)) {
      return(FALSE)
    }
    kernel <- unordered_kernel(kernel)
  }
  again <- unclass(kernel)
  bare <- if (is.numeric(kernel$lengthscale) && !length(kernel$lengthscale)) {
    c("lengthscale", "prior") # no inputs
  }
  again[bare] <- list(NULL)
  again <- do.call(new_kernel, again, quote = TRUE)
  again[bare] <- kernel[bare]
  attr(again, "usual") <- if (is_usual(kernel)) TRUE
  centred <- vapply(kernel$prior[intersect(hyper_names, names(kernel$prior))], function(prior) {
    is.null(prior) || is.numeric(prior$meanlog) && are_numbers(prior$sdlog, 1, above = 0)
  }, logical(1))
  identical(again, kernel) && all(centred)
}

holds_all <- function(kernel) {
  none <- length(kernel$lengthscale) == 0 # no inputs
  held <- c(kernel$fixed, held_at_zero(kernel), if (none) "lengthscale")
  is.null(kernel$width) && all(hyper_names %in% held)
}

is_blueprint <- function(blueprint) {
  columns <- blueprint$columns
  by_formula <- identical(blueprint$interface, "formula")
  codings <- vapply(blueprint$coding, is_coding, logical(1))
  inherits(blueprint, "sturdy_blueprint") && are_strings(blueprint$levels) &&
    length(blueprint$levels) >= 2 &&
    are_strings(columns) && identical(as.character(names(blueprint$coding)), columns) &&
    all(codings) && are_strings(blueprint$all_columns) &&
    all(columns %in% blueprint$all_columns) && is_flag(blueprint$scale) &&
    (is.null(blueprint$ordered) || is_flag(blueprint$ordered)) &&
    (is.null(blueprint$variables) || are_strings(blueprint$variables)) &&
    (is.null(blueprint$groups) || are_strings(blueprint$groups$variables)) &&
    if (by_formula) {
      inherits(blueprint$formula, "formula") && length(blueprint$formula) == 3 &&
        inherits(blueprint$terms, "terms") && are_strings(blueprint$response) &&
        length(blueprint[["term"]]) == length(columns) &&
        setequal(attr(blueprint$terms, "term.labels"), blueprint[["term"]])
    } else {
      blueprint$interface %in% c("matrix", "data.frame") && is_flag(blueprint$named)
    }
}

is_coding <- function(coding) {
  switch(coding$kind,
    numeric = are_numbers(coding$center, 1) && are_numbers(coding$scale, 1, above = 0),
    factor = ,
    logical = are_strings(coding$levels) && length(coding$levels) > 0,
    FALSE
  )
}

is_data <- function(data, blueprint) {
  n <- length(data$y)
  p <- sum(vapply(blueprint$coding, coding_width, integer(1)))
  left_out <- data$na_action
  is.matrix(data$X) && is.double(data$X) && identical(dim(data$X), c(n, p)) &&
    are_numbers(data$X) && are_numbers(data$y) && is_code(data$y, length(blueprint$levels)) &&
    are_strings(data$row_names, n) && are_numbers(data$rows, n, above = 0) &&
    are_numbers(data$n_given, 1) && all(data$rows <= data$n_given) &&
    (is.null(left_out) || are_numbers(left_out, above = 0) &&
      inherits(left_out, c("omit", "exclude")) && all(left_out <= length(row_of_each(data)) + length(left_out))) &&
    (is.null(data$units) || is_units(data$units, n)) &&
    (is.null(data$unlabelled) || is_unlabelled(data$unlabelled, data$X)) &&
    (is.null(data$reports) || is_reports(data$reports, n, length(blueprint$levels)))
}

#' Rows as units, see with_units()
#' @noRd
is_units <- function(units, n) {
  rows <- length(units$of)
  are_strings(units$name, 1) && are_numbers(units$rows, rows, above = 0) && are_strings(units$row_names, rows) &&
    identical(sort(unique(units$of)), seq_len(n))
}

#' Rows without a label, see split_unlabelled()
#' @noRd
is_unlabelled <- function(open, X) {
  n <- length(open$at)
  is.matrix(open$X) && identical(dim(open$X), c(n, ncol(X))) && are_numbers(open$X) &&
    are_numbers(open$at, n, above = 0) && are_numbers(open$rows, n, above = 0) &&
    are_strings(open$row_names, n)
}

#' Labels as they are kept: -1 and 1, or of many classes 1, 2, ...
#' @noRd
is_code <- function(y, classes) {
  all(if (classes == 2) abs(y) == 1 else y %in% seq_len(classes))
}

is_filter <- function(filter) {
  are_numbers(filter$rows, 1, above = -1) && are_numbers(filter$errors, 1, above = -1) &&
    filter$errors <= filter$rows && are_numbers(filter$log_score, 1) &&
    is_value(filter$log_evidence) && are_numbers(filter$counts, 2, above = -1) &&
    sum(filter$counts) >= filter$rows &&
    (is.null(filter$history) ||
      is.data.frame(filter$history) && all(vapply(filter$history, are_numbers, NA)))
}

#' @param n the number of rows. @param k that of entries of `b`.
#' @noRd
is_shards <- function(shards, classes) {
  are_numbers(shards$rows, above = -1) && are_numbers(shards$counts, classes, above = -1) &&
    sum(shards$rows) == sum(shards$counts) && are_numbers(shards$left_out, 1, above = -1)
}

is_ep <- function(ep, n, k, functions, classes) {
  status <- ep$status
  if (!has_numbers(ep$b)) {
    return(status %in% names(ep_statuses) && status != "converged")
  }
  if (functions == 0) { # a label stage, without EP
    return(status == "converged" && are_numbers(ep$b, k) && is_value(ep$log_evidence))
  }
  # what a fit that did not converge has may be NaN in places
  sized <- function(x, n) {
    is.numeric(x) && length(x) == n && (status != "converged" || !anyNA(x))
  }
  by_function <- list(
    ep$sites$tau, ep$sites$nu, ep$m, ep$C_diag, ep$cavity$mean, ep$cavity$var
  )
  by_row <- c(list(ep$loo, ep$flipped), if (n > 0) list(ep$residual))
  status %in% names(ep_statuses) && are_strings(ep$message, 1) &&
    are_numbers(ep$b, k * functions) &&
    all(vapply(by_function, sized, NA, n * functions)) &&
    all(vapply(by_row, sized, NA, n)) && sized(ep$seen, n * classes) &&
    !any(ep$C_diag <= 0, na.rm = TRUE) &&
    (status != "converged" || all(ep$cavity$var > 0)) && sized(ep$kappa, functions) && !any(ep$kappa < 0, na.rm = TRUE) && # 0 by underflow
    are_numbers(c(ep$sweeps, ep$skipped), 2) && is_value(ep$log_evidence) &&
    (functions != 1 || is_value(ep$log_evidence_zp)) &&
    (is.null(ep$trace) || is.data.frame(ep$trace))
}

is_learning <- function(learning) {
  are_numbers(learning$convergence, 1) && are_strings(learning$message) &&
    are_strings(learning$on_bound) && are_strings(learning$method, 1) &&
    NROW(learning$starts) > 0
}
