# Whether an object is a fit as this version makes them: its parts are there, of the
# right type and size. Every method that answers a user about a fit
# asks this in its first line; what methods share inside the package does not.

check_model <- function(object) {
  wrong <- wrong_field(object)
  if (!is.null(wrong)) {
    made <- unclass(object)$call
    made_by <- if (is.call(made)) cli::format_inline(": {.code {deparse1(made)}}")
    abort_sturdy(
      c(
        "This object was not made by this version of sturdy, or was changed.",
        x = "Its field {.field {wrong}} is missing or is not that of a fit.",
        i = "Fit the model again{made_by}."
      ),
      "changed", field = wrong
    )
  }
}

#' The fit that a verb asks: what it was given, or that inside of it
#' @param ... of a verb that takes no other arguments.
#' @noRd
fit_of <- function(object, ...) {
  fit <- if (!missing(object) && inherits(object, "sturdy_model")) object else own_fit(object)
  if (is.null(fit)) abort_no_fit(object)
  check_model(fit)
  check_no_dots(...)
  fit
}

#' The first field of a fit that is missing or can't be, `NULL` if there is none
#' @noRd
wrong_field <- function(object) {
  fields <- as.list(unclass(object))
  names <- c(names(model_checks), "filter", "shards")
  at <- list2env(sapply(names, function(name) fields[[name]], simplify = FALSE), parent = topenv())
  for (name in names(model_checks)) {
    fine <- tryCatch(eval(model_checks[[name]], at), error = function(cnd) FALSE)
    if (!isTRUE(fine)) {
      return(name)
    }
  }
}

# What each field has to be: of the right type and size, with numbers that can be. What the numbers
# of one field say of those of another is not asked.
model_checks <- expression(
  # made again, an argument that was changed to what can't be is an error
  spec = identical(do.call(ep_control, unclass(spec$control), quote = TRUE), spec$control) &&
    identical(edit_spec(spec, list()), spec) && is.null(kernel) == is.null(spec$kernel),
  blueprint = inherits(blueprint, "sturdy_blueprint") && are_strings(blueprint$levels) &&
    length(blueprint$levels) >= 2 && are_strings(blueprint$all_columns) && are_strings(blueprint$variables) &&
    is_one_of(blueprint$interface, c("formula", "matrix", "data.frame")) &&
    identical(as.character(names(blueprint$coding)), blueprint$columns) && all(vapply(blueprint$coding, is_coding, NA)),
  omega = are_omega(list(array(omega, c(1, dim(omega))))) && all(dim(omega) == length(blueprint$levels)),
  epsilon = length(epsilon) > 0 && are_shares(epsilon) && (
    mean(epsilon) < 0.5 || length(blueprint$levels) > 2 || !is.null(recalibration) || by_readers(data$reports)
  ),
  kernel = is.null(spec$kernel) || identical(class(kernel), class(spec$kernel)) &&
    is_one_of(kernel$shape, kernel_shapes) && are_numbers(kernel$variance, above = 0) &&
    are_numbers(kernel$lengthscale, above = 0) && length(kernel$lengthscale) / length(kernel$variance) ==
      switch(kernel$type, iso = 1, ard = length(blueprint$columns)) &&
    (is.null(kernel$width) || are_numbers(kernel$width, above = 0)) &&
    all(vapply(kernel[c("bias", "nugget", "linear")], are_numbers, NA, length(kernel$variance), -1e-300)),
  prior = is.null(prior) || are_numbers(prior$scale, above = 0) && are_numbers(prior$nugget, 1) &&
    prior$nugget >= 0 && length(prior$group) == length(prior$weights),
  recalibration = is.null(recalibration) || are_numbers(recalibration$weight, above = 0) &&
    are_numbers(recalibration$slope, 1, above = 0) && is_one_of(recalibration$kind, c("fit", "recorded", "scores")),
  weights = is.null(weights) || are_numbers(weights$mean, length(prior$weights)) && are_numbers(weights$C) &&
    identical(dim(weights$C), rep(length(prior$weights), 2)) && are_numbers(weights$log_scale, 1),
  inducing = is.null(inducing) || is.matrix(inducing$Z) && are_numbers(inducing$Z),
  data = if (is.null(data)) {
    is_filter(filter) || is_shards(shards)
  } else {
    is_data(data, length(blueprint$levels))
  },
  ep = if (is.null(ep)) {
    is.null(data) && !is.null(weights)
  } else {
    is_ep(ep, length(data$y), length(blueprint$levels), !is.null(recalibration))
  },
  learning = is.null(learning) || are_numbers(learning$convergence, 1) && are_strings(learning$method, 1) &&
    are_strings(learning$on_bound),
  label_stage = is.null(label_stage) ||
    inherits(label_stage, "second_stage") && is.null(wrong_field(label_stage)) &&
      (is.null(data) || identical(label_stage$data$rows, data$rows)),
  call = is.null(call) || is.call(call),
  nodes = is.null(nodes) || are_nodes(nodes, length(data$y), length(blueprint$levels), recalibration)
)

is_coding <- function(coding) {
  switch(coding$kind,
    numeric = are_numbers(coding$center, 1) && are_numbers(coding$scale, 1, above = 0) &&
      identical(coding$time, time_of(coding$time)),
    factor = , logical = are_strings(coding$levels) && length(coding$levels) > 0,
    FALSE
  )
}

is_data <- function(data, classes) {
  n <- length(data$y)
  is.matrix(data$X) && are_numbers(data$X) && nrow(data$X) == n &&
    all(if (classes == 2) abs(data$y) == 1 else data$y %in% seq_len(classes)) &&
    are_strings(data$row_names, n) && are_numbers(data$rows, n, above = 0) &&
    are_numbers(data$n_given, 1) && all(data$rows <= data$n_given) &&
    (is.null(data$reports) || is_reports(data$reports, n, classes))
}

#' Counts of a stream, which agree with each other
#' @noRd
is_filter <- function(filter) {
  are_numbers(unlist(filter[c("rows", "errors")]), 2, above = -1) &&
    filter$errors <= filter$rows && are_numbers(filter$log_score, 1) &&
    are_numbers(filter$counts, 2, above = -1) && sum(filter$counts) >= filter$rows
}

is_shards <- function(shards) {
  are_numbers(shards$counts, above = -1) && sum(shards$rows) == sum(shards$counts) &&
    are_numbers(shards$left_out, 1, above = -1)
}

#' One that converged has a number for each row; n is 0 where the rows are not kept, and a label
#' stage, whose likelihood is exact, has none.
#' @noRd
is_ep <- function(ep, n, classes, stage) {
  if (!has_numbers(ep$b)) {
    return(ep$status %in% names(ep_statuses) && ep$status != "converged")
  }
  rows <- list(ep$sites$tau, ep$sites$nu, ep$m, ep$C_diag, ep$cavity$mean, ep$cavity$var)
  sized <- function(x, n) {
    is.numeric(x) && length(x) == n && (ep$status != "converged" || !anyNA(x))
  }
  ep$status %in% names(ep_statuses) && are_numbers(ep$b) && (stage || are_strings(ep$message, 1) &&
    all(vapply(rows, sized, NA, length(rows[[1]]))) && length(rows[[1]]) %in% (n * c(1, classes)) &&
    sized(ep$loo, n) && sized(ep$seen, n * classes) && are_numbers(c(ep$sweeps, ep$skipped), 2))
}

are_shares <- function(x) are_numbers(x) && all(x >= 0 & x <= 1 + 1e-8)

are_omega <- function(omegas) {
  size <- dim(omegas[[1]])
  values <- unlist(omegas, use.names = FALSE)
  length(size) == 3 && all(vapply(omegas, function(one) identical(dim(one), size), NA)) && are_shares(values) && {
    dim(values) <- c(size[1] * size[2], size[3], length(omegas)) # all at once, there are hundreds
    rows <- Reduce(`+`, lapply(seq_len(size[3]), function(t) values[, t, ]))
    all(abs(rows - 1) < 1e-6)
  }
}

are_nodes <- function(nodes, n, classes, recalibration) {
  models <- nodes$models
  truth <- nodes$truth
  points <- if (is.null(recalibration)) nodes$hyper else nodes$points
  numbers <- unlist(points, use.names = FALSE)
  is.data.frame(models) && are_strings(models$model) && are_shares(models$probability) &&
    are_strings(models$method) && are_shares(models$prior) &&
    are_shares(nodes$table$weight) && all(nodes$table$model %in% models$model) &&
    length(nodes$omega) == nrow(nodes$table) && are_omega(nodes$omega) &&
    is.numeric(numbers) && all(is.finite(numbers)) &&
    (is.null(truth) || are_numbers(truth$y, n) && are_shares(truth$weight) &&
      identical(dim(truth$p), c(n, classes, length(truth$model))) && is.numeric(truth$p)) &&
    if (is.null(recalibration)) {
      length(points) == nrow(nodes$table) && all(numbers >= 0) &&
        all(vapply(unlist(points, FALSE), is.numeric, NA)) &&
        length(unique(lapply(points, function(one) lengths(one) / length(one$nugget)))) == 1 &&
        identical(dim(nodes$seen), c(n, classes, length(points))) &&
        (n == 0 || all(vapply(nodes[c("tau", "b")], is.numeric, NA)))
    } else {
      identical(names(points), models$model) && all(names(nodes$wrong) %in% models$model) &&
        all(vapply(points, function(one) NROW(one$w) == classes, NA)) &&
        are_shares(nodes$unusual) && length(nodes$unusual) == n
    }
}

#' Has a kernel nothing to learn?
#' @noRd
holds_all <- function(kernel) {
  none <- length(kernel$lengthscale) == 0 # no inputs
  held <- c(kernel$fixed, held_at_zero(kernel), if (none) "lengthscale")
  is.null(kernel$width) && all(hyper_names %in% held)
}
