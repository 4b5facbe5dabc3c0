# Whether an object is a fit as this version makes them: its parts are there, of the
# right type and size. Every method that answers a user about a fit
# asks this in its first line; what methods share inside the package does not.

#' An error where an object is no fit of this version
#' @noRd
check_model <- function(object) {
  wrong <- wrong_field(object)
  if (!is.null(wrong)) {
    made <- unclass(object)$call
    made_by <- if (is.call(made)) cli::format_inline(": {.code {deparse1(made)}}")
    abort_sturdy(c(
      "This object was not made by this version of sturdy, or was changed.",
      x = "Its field {.field {wrong}} is missing or is not that of a fit.",
      i = "Fit the model again{made_by}."
    ), "changed", field = wrong)
  }
}

#' The first field of a fit that is missing or can't be, `NULL` if there is none
#' @noRd
wrong_field <- function(object) {
  given <- as.list(unclass(object))
  if (!"ep" %in% names(given)) return("ep") # `NULL` of a filter; without it `$ep` is `epsilon`
  fields <- unique(c(sub("[$].*", "", names(field_rules)), "filter", "shards"))
  fit <- lapply(rlang::set_names(fields), function(name) given[[name]]) # `NULL` where it has none
  # a term of a field that can't be is `NA`: the field's own rule tells
  terms <- lapply(field_terms, function(term) tryCatch(eval(term, fit), error = function(cnd) NA))
  for (k in seq_along(field_rules)) {
    name <- names(field_rules)[k]
    path <- strsplit(name, "$", fixed = TRUE)[[1]]
    fine <- tryCatch({
      it <- Reduce(`[[`, path, fit)
      known <- c(list(it = it), terms, fit)
      needed <- name %in% names(field_needed) && eval(field_needed[[name]], known)
      if (is.null(it)) !needed else eval(field_rules[[k]], known)
    }, error = function(cnd) FALSE)
    if (!isTRUE(fine)) return(path[1])
  }
}

# What rules read beside the fields: `n`, the rows that are kept; `stage`, is it a label stage; `bare`, has its `ep`
# no numbers of rows, as a label stage, whose likelihood is exact, or a fit for which EP found no posterior.
field_terms <- expression(
  n = length(data$y), classes = length(blueprint$levels), stage = !is.null(recalibration),
  bare = !is.null(recalibration) || !has_numbers(ep$b)
)

# When a field has to be there; others need not
field_needed <- expression(
  spec = TRUE, blueprint = TRUE, omega = TRUE, epsilon = TRUE, kernel = !is.null(spec$kernel), nodes = stage,
  data = !is_filter(filter) && !is_shards(shards), ep = !is.null(data) || is.null(weights)
)

# What a field, or a part of it, is where it is there, called `it`: of the right type and size, with numbers
# that can be. What the numbers of one field say of those of another is not asked. A line a rule, all of which
# must be `TRUE`; one that stops with an error is not.
field_rules <- expression(
  # the model, how inputs are encoded, and the noise
  spec = identical(edit_spec(it, list()), it), # made again, an argument that can't be is an error
  blueprint = inherits(it, "sturdy_blueprint") && are_strings(it$levels) && classes >= 2,
  blueprint = is.null(it$formula) || rlang::is_formula(it$formula),
  blueprint = are_strings(it$all_columns) && are_strings(it$variables),
  blueprint = is_one_of(it$interface, c("formula", "matrix", "data.frame")),
  blueprint = identical(as.character(names(it$coding)), it$columns) && all(vapply(it$coding, is_coding, NA)),
  omega = is_noise_matrix(it) && nrow(it) == classes,
  epsilon = length(it) > 0 && are_shares(it),
  epsilon = mean(it) < 0.5 || classes > 2 || stage || by_readers(data$reports),

  # the latent function: of a kernel, perhaps through inducing inputs, or of weights; or a recalibration
  kernel = identical(class(it), class(spec$kernel)),
  kernel = is_one_of(it$type, c("ard", "iso")) && is_one_of(it$shape, kernel_shapes),
  kernel = are_numbers(it$variance, above = 0) && are_numbers(it$lengthscale, above = 0),
  kernel = length(it$lengthscale) == length(it$variance) * (if (it$type == "iso") 1 else length(blueprint$columns)),
  kernel = all(vapply(it[c("bias", "nugget", "linear")], are_numbers, NA, length(it$variance), least = 0)),
  kernel = length(it$width) == (if (isTRUE(blueprint$ordered)) classes - 2 else 0),
  kernel = is.null(it$width) || are_numbers(it$width, above = 0),
  prior = are_numbers(it$scale, above = 0) && are_numbers(it$nugget, 1, least = 0),
  prior = length(it$group) == length(it$weights) && is_flag(it$intercept) && is_flag(it$free_nugget),
  prior = is.logical(it$free) && length(it$free) == length(it$scale),
  recalibration = are_numbers(it$weight, above = 0) && are_numbers(it$slope, 1, above = 0),
  recalibration = is_one_of(it$kind, c("fit", "recorded", "scores")),
  weights = are_numbers(it$mean, length(prior$weights)) && are_numbers(it$log_scale, 1),
  weights = are_numbers(it$C, rep(length(prior$weights), 2)) && all(diag(it$C) > 0),
  inducing = is.matrix(it$Z) && are_numbers(it$Z),
  inducing = !has_numbers(ep$b) || is.matrix(it$C) && are_numbers(it$C),

  # the rows, and the fixed point of EP on them
  data = are_numbers(it$X, c(n, ncol(it$X))),
  data = all(if (classes == 2) abs(it$y) == 1 else it$y %in% seq_len(classes)),
  data = are_strings(it$row_names, n) && length(it$rows) == n,
  data = are_numbers(it$n_given, 1) && are_places(c(it$rows, it$na_action, it$units$rows), it$n_given),
  data = are_places(row_of_each(it), n),
  data = is.null(it$units) || all(lengths(it$units[c("rows", "row_names")]) == length(row_of_each(it))),
  data = is_reports(it$reports, n, classes),
  ep = it$status %in% names(ep_statuses),
  ep = if (has_numbers(it$b)) are_numbers(it$b) else it$status != "converged",
  ep = bare || are_strings(it$message, 1) && are_numbers(c(it$sweeps, it$skipped), 2),
  ep = bare || is.numeric(it$kappa) && is.numeric(c(0, it$residual)),
  ep = bare || are_of_rows(it$sites[c("tau", "nu")], it, n * c(1, classes)),
  ep = bare || are_of_rows(it$cavity[c("mean", "var")], it, n * c(1, classes)),
  ep = bare || are_of_rows(it[c("m", "C_diag")], it, n * c(1, classes)),
  ep = bare || are_of_rows(it["loo"], it, n) && are_of_rows(it["seen"], it, n * classes),
  ep = bare || is.numeric(it$log_evidence) && length(it$log_evidence) == 1,
  ep = bare || is.null(it$rival) || is.list(it$rival),
  ep = bare || is.null(inducing) || !is.null(nodes) ||
    length(it$b) %in% (count_features(inducing$Z, kernel) * c(1, classes)),

  # what is said of learning, the stage that judges the labels
  learning = are_numbers(it$convergence, 1) && are_strings(it$method, 1) && are_strings(it$on_bound),
  label_stage = inherits(it, "second_stage") && is.null(wrong_field(it)),
  label_stage = is.null(data) || identical(it$data$rows, data$rows),
  call = is.call(it),

  # the nodes: noise models, their weights, and what they say of rows; of a label stage points
  nodes = all(lengths(it[c("models", "table", "omega", if (stage) c("few", "points") else c("point", "hyper"))]) > 0),
  "nodes$models" = is.data.frame(it) && are_strings(it$model) && are_strings(it$method),
  "nodes$models" = is.numeric(c(0, it$ess, it$pareto_k)) && are_shares(it$probability) && are_shares(it$prior),
  "nodes$table" = are_shares(it$weight) && length(it$model) > 0 && all(it$model %in% nodes$models$model),
  "nodes$omega" = length(it) == nrow(nodes$table) && all(vapply(it, are_noise_matrices, NA, classes)),
  "nodes$few" = length(it$weight) > 0 && are_shares(it$weight),
  "nodes$few" = are_places(it$node, length(nodes$omega), length(it$weight)),
  "nodes$truth" = are_strings(it$model) && are_places(it$y, classes, n),
  "nodes$truth" = are_shares(it$weight) && length(it$weight) == length(it$model),
  "nodes$truth" = length(it$log_z) == n * length(it$model),
  "nodes$truth" = are_posteriors(it[c("p", "loo", if (!stage) "recorded")], n, classes, length(it$model)),
  "nodes$point" = stage || are_noise_matrices(it, classes),
  "nodes$hyper" = stage || length(it) == nrow(nodes$table) && are_alike(it),
  nodes = stage || identical(dim(it$seen), c(n, classes, length(it$hyper))),
  nodes = stage || n == 0 || are_by_node(it$tau, it) && are_by_node(it$b, it),
  nodes = stage || n == 0 || length(it$tau) %in% (n * length(it$hyper) * c(1, classes)),
  "nodes$points" = identical(names(it), nodes$models$model) && all(vapply(it, are_label_points, NA, classes)),
  "nodes$wrong" = all(names(it) %in% names(nodes$points)) && all(vapply(it, are_shares, NA) & lengths(it) > 0),
  nodes = !stage || are_shares(it$unusual) && length(it$unusual) == n
)

#' Is it the coding of a feature, see feature_coding()?
#' @noRd
is_coding <- function(coding) {
  are_strings(coding$kind, 1) && switch(coding$kind,
    numeric = are_numbers(coding$center, 1) && are_numbers(coding$scale, 1, above = 0) &&
      identical(coding$time, time_of(coding$time)),
    factor = , logical = are_strings(coding$levels) && length(coding$levels) > 1,
    FALSE
  )
}

#' Counts of a stream, which agree with each other
#' @noRd
is_filter <- function(filter) {
  is.list(filter) && all(vapply(filter[c("rows", "errors", "log_score", "log_scale")], are_numbers, NA, 1)) &&
    filter$errors >= 0 && filter$errors <= filter$rows && length(filter$log_evidence) == 1 &&
    is.numeric(filter$log_evidence) && are_numbers(filter$counts, 2, least = 0) && sum(filter$counts) >= filter$rows
}

is_shards <- function(shards) {
  are_numbers(shards$counts, least = 0) && sum(shards$rows) == sum(shards$counts) &&
    are_numbers(shards$left_out, 1, least = 0)
}

are_shares <- function(x) are_numbers(x, least = 0) && all(x <= 1 + 1e-8)

#' Parts of a fixed point that are by row, all known where EP converged
#' @param sizes how many numbers of each there may be.
#' @noRd
are_of_rows <- function(parts, ep, sizes) {
  fine <- function(x) is.numeric(x) && length(x) %in% sizes && (ep$status != "converged" || !anyNA(x))
  length(parts) > 0 && all(vapply(parts, fine, NA))
}

#' Noise matrices of sources, S x C x C
#' @noRd
are_noise_matrices <- function(omega, classes) {
  identical(dim(omega)[-1], c(classes, classes)) && are_shares(omega) &&
    all(abs(rowSums(omega, dims = 2) - 1) < 1e-6)
}

#' Hyperparameters of nodes, which have the same shape at all
#' @noRd
are_alike <- function(hyper) {
  all(vapply(unlist(hyper, FALSE), are_numbers, NA, least = 0)) &&
    length(unique(lapply(hyper, function(one) lengths(one) / length(one$nugget)))) == 1
}

#' Probabilities of the classes of rows under noise models
#' @noRd
are_posteriors <- function(parts, n, classes, models) {
  all(vapply(parts, are_numbers, NA, c(n, classes, models)))
}

#' Numbers whose last dimension is that of the nodes
#' @noRd
are_by_node <- function(x, nodes) are_numbers(x) && identical(rev(dim(x))[1], length(nodes$hyper))

#' The points of a noise model as src/label.h has them: the last dimension is that of the points
#' @noRd
are_label_points <- function(one, classes) {
  sizes <- lapply(Filter(length, one), dim)
  identical(names(one), c("M", "w", "b", "U", "v")) && NROW(one$w) == classes && NROW(one$b) == classes &&
    NROW(one$U) %in% c(2, classes^2) && are_numbers(unlist(one, use.names = FALSE)) &&
    all(vapply(sizes, function(size) identical(rev(size)[1], ncol(one$w)), NA))
}
