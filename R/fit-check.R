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
  all <- rlang::set_names(c(names(model_checks), "filter", "shards"))
  at <- list2env(lapply(all, function(name) fields[[name]]), parent = topenv())
  delayedAssign("n", length(at$data$y), assign.env = at)
  delayedAssign("classes", length(at$blueprint$levels), assign.env = at)
  delayedAssign("stage", !is.null(at$recalibration), assign.env = at)
  for (name in names(model_checks)) {
    fine <- tryCatch(eval(model_checks[[name]], at), error = function(cnd) FALSE)
    if (!isTRUE(fine)) {
      return(name)
    }
  }
}

# What each field has to be: of the right type and size, with numbers that can be. What the numbers
# of one field say of those of another is not asked. `n` are the rows that are kept, `stage` is TRUE of a
# label stage.
model_checks <- expression(
  # made again, an argument that was changed to what can't be is an error
  spec = identical(edit_spec(spec, list()), spec),
  blueprint = inherits(blueprint, "sturdy_blueprint") && are_strings(blueprint$levels) && classes >= 2 &&
    (is.null(blueprint$formula) || rlang::is_formula(blueprint$formula)) &&
    are_strings(blueprint$all_columns) && are_strings(blueprint$variables) &&
    is_one_of(blueprint$interface, c("formula", "matrix", "data.frame")) &&
    identical(as.character(names(blueprint$coding)), blueprint$columns) &&
    all(vapply(blueprint$coding, is_coding, NA)),
  omega = is_noise_matrix(omega) && nrow(omega) == classes,
  epsilon = length(epsilon) > 0 && are_shares(epsilon) &&
    (mean(epsilon) < 0.5 || classes > 2 || stage || by_readers(data$reports)),
  kernel = is.null(spec$kernel) || identical(class(kernel), class(spec$kernel)) &&
    is_one_of(kernel$type, c("ard", "iso")) && is_one_of(kernel$shape, kernel_shapes) &&
    length(kernel$width) == (if (isTRUE(blueprint$ordered)) classes - 2 else 0) &&
    all(vapply(kernel[c("variance", "lengthscale", "width"[length(kernel$width) > 0])], are_numbers, NA, above = 0)) &&
    all(vapply(kernel[c("bias", "nugget", "linear")], are_numbers, NA, length(kernel$variance), least = 0)) &&
    length(kernel$lengthscale) / length(kernel$variance) ==
      if (identical(kernel$type, "iso")) 1 else length(blueprint$columns),
  prior = is.null(prior) || are_numbers(prior$scale, above = 0) &&
    are_numbers(prior$nugget, 1, least = 0) && length(prior$group) == length(prior$weights) &&
    is.logical(prior$free) && length(prior$free) == length(prior$scale) && is_flag(prior$intercept),
  recalibration = !stage || are_numbers(recalibration$weight, above = 0) &&
    are_numbers(recalibration$slope, 1, above = 0) && is_one_of(recalibration$kind, c("fit", "recorded", "scores")),
  weights = is.null(weights) || are_numbers(weights$mean, length(prior$weights)) &&
    are_numbers(weights$C, rep(length(prior$weights), 2)) && all(diag(weights$C) > 0) && are_numbers(weights$log_scale, 1),
  inducing = is.null(inducing) || is.matrix(inducing$Z) && are_numbers(inducing$Z) &&
    (!has_numbers(ep$b) || is.matrix(inducing$C) && are_numbers(inducing$C)),
  data = if (is.null(data)) is_filter(filter) || is_shards(shards) else is_data(data, n, classes),
  ep = if (is.null(ep)) is.null(data) && !is.null(weights) else is_ep(ep, n, classes, stage) &&
    (is.null(inducing) || !is.null(nodes) || !has_numbers(ep$b) ||
      length(ep$b) %in% (count_features(inducing$Z, kernel) * c(1, classes))),
  learning = is.null(learning) || are_numbers(learning$convergence, 1) && are_strings(learning$method, 1) &&
    are_strings(learning$on_bound),
  label_stage = is.null(label_stage) ||
    inherits(label_stage, "second_stage") && is.null(wrong_field(label_stage)) &&
      (is.null(data) || identical(label_stage$data$rows, data$rows)),
  call = is.null(call) || is.call(call),
  nodes = is.null(nodes) || are_nodes(nodes, n, classes) &&
    if (stage) are_label_points(nodes, n, classes) else are_latent_nodes(nodes, n, classes)
)

is_coding <- function(coding) {
  are_strings(coding$kind, 1) && switch(coding$kind,
    numeric = are_numbers(coding$center, 1) && are_numbers(coding$scale, 1, above = 0) &&
      identical(coding$time, time_of(coding$time)),
    factor = , logical = are_strings(coding$levels) && length(coding$levels) > 1,
    FALSE
  )
}

is_data <- function(data, n, classes) {
  each <- row_of_each(data) # of units
  are_numbers(data$X, c(n, ncol(data$X))) &&
    all(if (classes == 2) abs(data$y) == 1 else data$y %in% seq_len(classes)) &&
    are_strings(data$row_names, n) && are_numbers(data$n_given, 1) && are_places(each, n) &&
    are_places(c(data$rows, data$na_action, data$units$rows), data$n_given) && length(data$rows) == n &&
    (is.null(data$units) || all(lengths(data$units[c("rows", "row_names")]) == length(each))) &&
    is_reports(data$reports, n, classes)
}

#' Counts of a stream, which agree with each other
#' @noRd
is_filter <- function(filter) {
  are_numbers(filter$rows, 1, least = 0) && are_numbers(filter$errors, 1, least = 0) &&
    filter$errors <= filter$rows && are_numbers(filter$log_score, 1) &&
    are_numbers(filter$counts, 2, least = 0) && sum(filter$counts) >= filter$rows
}

is_shards <- function(shards) {
  are_numbers(shards$counts, least = 0) && sum(shards$rows) == sum(shards$counts) &&
    are_numbers(shards$left_out, 1, least = 0)
}

#' One that converged has a number for each row; n is 0 where the rows are not kept, and a label
#' stage, whose likelihood is exact, has none.
#' @noRd
is_ep <- function(ep, n, classes, stage) {
  sized <- function(x, sizes = n * c(1, classes)) {
    is.numeric(x) && length(x) %in% sizes && (ep$status != "converged" || !anyNA(x))
  }
  rows <- list(ep$sites$tau, ep$sites$nu, ep$m, ep$C_diag, ep$cavity$mean, ep$cavity$var)
  ep$status %in% names(ep_statuses) && if (!has_numbers(ep$b)) ep$status != "converged" else are_numbers(ep$b) &&
    (stage || are_strings(ep$message, 1) && is.numeric(ep$kappa) && all(vapply(rows, sized, NA)) &&
      is.numeric(ep$log_evidence) && length(ep$log_evidence) == 1 && (is.null(ep$rival) || is.list(ep$rival)) &&
      sized(ep$loo, n) && sized(ep$seen, n * classes) && are_numbers(c(ep$sweeps, ep$skipped), 2))
}

are_shares <- function(x) are_numbers(x, least = 0) && all(x <= 1 + 1e-8)

are_nodes <- function(nodes, n, classes) {
  models <- nodes$models
  truth <- nodes$truth
  few <- nodes$few
  latent <- is.null(nodes$points) # not of a label stage
  is_omega <- function(omega) {
    identical(dim(omega)[-1], c(classes, classes)) && are_shares(omega) &&
      all(abs(rowSums(omega, dims = 2) - 1) < 1e-6)
  }
  is.data.frame(models) && are_strings(models$model) && are_strings(models$method) && is.numeric(c(0, models$ess)) &&
    are_shares(models$probability) && are_shares(models$prior) &&
    are_shares(nodes$table$weight) && length(nodes$table$model) > 0 && all(nodes$table$model %in% models$model) &&
    length(nodes$omega) == nrow(nodes$table) && all(vapply(c(nodes$omega, nodes["point"[latent]]), is_omega, NA)) &&
    (latent && is.null(few) || length(few$weight) > 0 && are_shares(few$weight) &&
      are_places(few$node, length(nodes$omega), length(few$weight))) &&
    (is.null(truth) || are_strings(truth$model) && are_places(truth$y, classes, n) && are_shares(truth$weight) &&
      length(truth$weight) == length(truth$model) && length(truth$log_z) == n * length(truth$model) &&
      all(vapply(truth[c("p", "loo", "recorded"[latent])], are_numbers, NA, c(n, classes, length(truth$model)))))
}

are_latent_nodes <- function(nodes, n, classes) {
  hyper <- nodes$hyper
  by_node <- function(x) are_numbers(x) && identical(rev(dim(x))[1], length(hyper))
  length(hyper) == nrow(nodes$table) &&
    all(vapply(unlist(hyper, FALSE), are_numbers, NA, least = 0)) &&
    length(unique(lapply(hyper, function(one) lengths(one) / length(one$nugget)))) == 1 &&
    identical(dim(nodes$seen), c(n, classes, length(hyper))) &&
    (n == 0 || by_node(nodes$tau) && by_node(nodes$b) && length(nodes$tau) %in% (n * length(hyper) * c(1, classes)))
}

are_label_points <- function(nodes, n, classes) {
  points <- nodes$points
  identical(names(points), nodes$models$model) && all(names(nodes$wrong) %in% names(points)) &&
    are_numbers(unlist(points, use.names = FALSE)) &&
    all(vapply(points, function(one) {
      sizes <- lapply(Filter(length, one), dim) # a point is the last of them
      identical(names(one), c("M", "w", "b", "U", "v")) && NROW(one$w) == classes && NROW(one$b) == classes &&
        NROW(one$U) %in% c(2, classes^2) &&
        all(vapply(sizes, function(size) identical(rev(size)[1], ncol(one$w)), NA))
    }, NA)) &&
    are_shares(nodes$unusual) && length(nodes$unusual) == n
}

#' Has a kernel nothing to learn?
#' @noRd
holds_all <- function(kernel) {
  none <- length(kernel$lengthscale) == 0 # no inputs
  held <- c(kernel$fixed, held_at_zero(kernel), if (none) "lengthscale")
  is.null(kernel$width) && all(hyper_names %in% held)
}
