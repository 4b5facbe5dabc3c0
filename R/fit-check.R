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

#' The first field of a fit that is missing or can't be, `NULL` if there is none
#' @noRd
wrong_field <- function(object) {
  given <- as.list(unclass(object))
  all <- c(rlang::set_names(unique(names(field_rules))), filter = "filter", in_shards = "shards")
  fit <- list2env(lapply(all, function(name) given[[name]]), parent = topenv())
  delayedAssign("n", length(fit$data$y), assign.env = fit)
  delayedAssign("classes", length(fit$blueprint$levels), assign.env = fit)
  delayedAssign("stage", !is.null(fit$recalibration), assign.env = fit)
  for (k in seq_along(field_rules)) {
    fit$it <- fit[[names(field_rules)[k]]]
    if (!holds(field_rules[[k]], fit)) {
      return(names(field_rules)[k])
    }
  }
}

#' Do rules hold of the field `it` of a fit? What can't even be asked is wrong.
#' @param fit an environment with the fields, and what the rules name besides.
#' @noRd
holds <- function(rules, fit) {
  is_true <- function(rule) isTRUE(eval(rule, fit))
  tryCatch(!eval(rules$when, fit) || all(vapply(rules$all, is_true, NA)), error = function(cnd) FALSE)
}

#' @param ... what must all be TRUE. @param when what must be for them to be asked: by default that the field is
#'   there, as not every fit has all.
#' @noRd
rules <- function(..., when = !is.null(it)) list(when = substitute(when), all = as.list(substitute(list(...)))[-1])

# What each field, called `it`, has to be: of the right type and size, with numbers that can be. What the
# numbers of one field say of those of another is not asked. `n` are the rows that are kept, `stage` is TRUE
# of a label stage.
field_rules <- list(
  # made again, an argument that was changed to what can't be is an error
  spec = rules(when = TRUE, identical(edit_spec(it, list()), it)),
  blueprint = rules(
    when = TRUE, inherits(it, "sturdy_blueprint"), are_strings(it$levels) && classes >= 2,
    is.null(it$formula) || rlang::is_formula(it$formula),
    are_strings(it$all_columns) && are_strings(it$variables),
    is_one_of(it$interface, c("formula", "matrix", "data.frame")),
    identical(as.character(names(it$coding)), it$columns), all(vapply(it$coding, is_coding, NA))
  ),
  omega = rules(when = TRUE, is_noise_matrix(it) && nrow(it) == classes),
  epsilon = rules(
    when = TRUE, length(it) > 0 && are_shares(it), mean(it) < 0.5 || classes > 2 || stage || by_readers(data$reports)
  ),
  kernel = rules(
    when = !is.null(spec$kernel),
    identical(class(it), class(spec$kernel)),
    is_one_of(it$type, c("ard", "iso")), is_one_of(it$shape, kernel_shapes),
    are_numbers(it$variance, above = 0) && are_numbers(it$lengthscale, above = 0),
    length(it$lengthscale) == length(it$variance) * (if (it$type == "iso") 1 else length(blueprint$columns)),
    all(vapply(it[c("bias", "nugget", "linear")], are_numbers, NA, length(it$variance), least = 0)),
    length(it$width) == (if (isTRUE(blueprint$ordered)) classes - 2 else 0),
    is.null(it$width) || are_numbers(it$width, above = 0)
  ),
  prior = rules(
    are_numbers(it$scale, above = 0) && are_numbers(it$nugget, 1, least = 0),
    length(it$group) == length(it$weights), is_flag(it$intercept),
    is.logical(it$free) && length(it$free) == length(it$scale)
  ),
  recalibration = rules(
    are_numbers(it$weight, above = 0) && are_numbers(it$slope, 1, above = 0),
    is_one_of(it$kind, c("fit", "recorded", "scores"))
  ),
  weights = rules(
    are_numbers(it$mean, length(prior$weights)), are_numbers(it$log_scale, 1),
    are_numbers(it$C, rep(length(prior$weights), 2)) && all(diag(it$C) > 0)
  ),
  inducing = rules(
    is.matrix(it$Z) && are_numbers(it$Z),
    !has_numbers(ep$b) || is.matrix(it$C) && are_numbers(it$C)
  ),
  data = rules(when = is.null(data), is_filter(filter) || is_shards(in_shards)),
  data = rules(
    are_numbers(it$X, c(n, ncol(it$X))),
    all(if (classes == 2) abs(it$y) == 1 else it$y %in% seq_len(classes)),
    are_strings(it$row_names, n) && length(it$rows) == n,
    are_numbers(it$n_given, 1) && are_places(c(it$rows, it$na_action, it$units$rows), it$n_given),
    are_places(row_of_each(it), n),
    is.null(it$units) || all(lengths(it$units[c("rows", "row_names")]) == length(row_of_each(it))),
    is_reports(it$reports, n, classes)
  ),
  ep = rules(when = is.null(ep), is.null(data) && !is.null(weights)),
  ep = rules(
    it$status %in% names(ep_statuses),
    if (has_numbers(it$b)) are_numbers(it$b) else it$status != "converged"
  ),
  # one that converged has a number for each row; a label stage, whose likelihood is exact, has none
  ep = rules(
    when = has_numbers(ep$b) && !stage,
    are_strings(it$message, 1), is.numeric(it$kappa),
    are_of_rows(c(it$sites, it$cavity, it)[c("tau", "nu", "mean", "var", "m", "C_diag")], it, n * c(1, classes)),
    are_of_rows(it["loo"], it, n), are_of_rows(it["seen"], it, n * classes),
    is.numeric(it$log_evidence) && length(it$log_evidence) == 1, is.null(it$rival) || is.list(it$rival),
    are_numbers(c(it$sweeps, it$skipped), 2)
  ),
  ep = rules(
    when = has_numbers(ep$b) && !is.null(inducing) && is.null(nodes),
    length(it$b) %in% (count_features(inducing$Z, kernel) * c(1, classes))
  ),
  learning = rules(are_numbers(it$convergence, 1), are_strings(it$method, 1), are_strings(it$on_bound)),
  label_stage = rules(
    inherits(it, "second_stage") && is.null(wrong_field(it)),
    is.null(data) || identical(it$data$rows, data$rows)
  ),
  call = rules(is.call(it)),
  nodes = rules(
    is.data.frame(it$models) && are_strings(it$models$model) && are_strings(it$models$method),
    is.numeric(c(0, it$models$ess)), are_shares(it$models$probability) && are_shares(it$models$prior),
    are_shares(it$table$weight), length(it$table$model) > 0 && all(it$table$model %in% it$models$model),
    length(it$omega) == nrow(it$table) && all(vapply(it$omega, are_noise_matrices, NA, classes))
  ),
  nodes = rules(
    when = !is.null(nodes$few) || stage,
    length(it$few$weight) > 0 && are_shares(it$few$weight),
    are_places(it$few$node, length(it$omega), length(it$few$weight))
  ),
  nodes = rules(
    when = !is.null(nodes$truth),
    are_strings(it$truth$model), are_places(it$truth$y, classes, n),
    are_shares(it$truth$weight) && length(it$truth$weight) == length(it$truth$model),
    length(it$truth$log_z) == n * length(it$truth$model),
    all(vapply(
      it$truth[c("p", "loo", if (!stage) "recorded")], are_numbers, NA, c(n, classes, length(it$truth$model))
    ))
  ),
  nodes = rules(
    when = !stage && !is.null(it),
    are_noise_matrices(it$point, classes), length(it$hyper) == nrow(it$table),
    all(vapply(unlist(it$hyper, FALSE), are_numbers, NA, least = 0)),
    length(unique(lapply(it$hyper, function(one) lengths(one) / length(one$nugget)))) == 1,
    identical(dim(it$seen), c(n, classes, length(it$hyper))),
    n == 0 || are_by_node(it$tau, it) && are_by_node(it$b, it),
    n == 0 || length(it$tau) %in% (n * length(it$hyper) * c(1, classes))
  ),
  nodes = rules(
    when = stage,
    identical(names(it$points), it$models$model), all(names(it$wrong) %in% names(it$points)),
    are_numbers(unlist(it$points, use.names = FALSE)),
    all(vapply(it$points, are_label_points, NA, classes)),
    are_shares(it$unusual) && length(it$unusual) == n
  )
)

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
  are_numbers(filter$rows, 1, least = 0) && are_numbers(filter$errors, 1, least = 0) &&
    filter$errors <= filter$rows && are_numbers(filter$log_score, 1) &&
    are_numbers(filter$counts, 2, least = 0) && sum(filter$counts) >= filter$rows
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
  all(vapply(parts, fine, NA))
}

#' Noise matrices of sources, S x C x C
#' @noRd
are_noise_matrices <- function(omega, classes) {
  identical(dim(omega)[-1], c(classes, classes)) && are_shares(omega) &&
    all(abs(rowSums(omega, dims = 2) - 1) < 1e-6)
}

#' Numbers whose last dimension is that of the nodes
#' @noRd
are_by_node <- function(x, nodes) are_numbers(x) && identical(rev(dim(x))[1], length(nodes$hyper))

#' The points of a noise model as src/label.h has them: the last dimension is that of the points
#' @noRd
are_label_points <- function(one, classes) {
  sizes <- lapply(Filter(length, one), dim)
  identical(names(one), c("M", "w", "b", "U", "v")) && NROW(one$w) == classes && NROW(one$b) == classes &&
    NROW(one$U) %in% c(2, classes^2) &&
    all(vapply(sizes, function(size) identical(rev(size)[1], ncol(one$w)), NA))
}

#' Has a kernel nothing to learn?
#' @noRd
holds_all <- function(kernel) {
  none <- length(kernel$lengthscale) == 0 # no inputs
  held <- c(kernel$fixed, held_at_zero(kernel), if (none) "lengthscale")
  is.null(kernel$width) && all(hyper_names %in% held)
}
