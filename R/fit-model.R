# The fitted model: a plain list of one shape for all models.
#
#   spec         its arguments
#   blueprint    how inputs are encoded
#   data         encoded rows: X, y, rows, row_names, na_action; NULL once filtered
#   epsilon      the flip rate in use
#   kernel       in use; a bpm() has `prior` and `weights` (NULL without a posterior)
#   ep           the fixed point; a filtered bpm() has `filter` instead
#   learning     NULL when nothing was learned
#   call         the call that made it
#   nodes        where it averages: see new_nodes() of learn-average.R

#' @param fitted list of `epsilon`, `ep`, `learning` and, where it averages, `nodes`. @param ... what is the model's
#'   own: `kernel`, or `prior` and `weights`.
#' @noRd
new_model <- function(spec, molded, call, fitted, ...) {
  model <- spec_model(spec)
  nodes <- complete_nodes(fitted[["nodes"]], molded$data)
  structure(
    c(list(
      spec = spec,
      blueprint = molded$blueprint,
      data = molded$data,
      epsilon = fitted$epsilon,
      ...,
      ep = fitted[["ep"]], # `$` would match epsilon
      learning = fitted$learning,
      call = fit_call(call, spec)
    ), if (!is.null(nodes)) list(nodes = nodes)),
    class = c(model, "sturdy_model")
  )
}

#' The call of a running function, its arguments by name
#' @noRd
named_call <- function(frame) {
  number <- Position(function(k) identical(sys.frame(k), frame), seq_len(sys.nframe()))
  if (is.na(number)) {
    return(NULL)
  }
  match.call(
    rlang::frame_fn(frame), rlang::frame_call(frame),
    envir = sys.frame(sys.parents()[number])
  )
}

#' The call of a fit, with symbols in the place of data that came by value, and kernels
#' and controls as they are made
#' @noRd
fit_call <- function(frame, spec) {
  call <- if (is.environment(frame)) named_call(frame)
  if (!is.null(call)) short_call(call, spec)
}

short_call <- function(call, spec) {
  call[[1]] <- as.name(spec_model(spec))
  short <- function(x) is.null(x) || is.language(x) || (is.atomic(x) && length(x) <= 5)
  for (k in seq_along(call)[-1]) {
    if (is.object(call[[k]])) call[[k]] <- maker_call(call[[k]])
    if (!short(call[[k]])) {
      name <- names(call)[k]
      call[[k]] <- as.name(if (length(name) && nzchar(name)) name else "data")
    } else if (inherits(call[[k]], "formula")) {
      attributes(call[[k]]) <- NULL # a formula by value carries an environment
    }
  }
  call
}

#' The call that makes a kernel, its prior or a control; other values as they are
#' @noRd
maker_call <- function(value) {
  maker <- switch(class(value)[1],
    kernel_ard = , kernel_iso = class(value)[1],
    sturdy_prior = "weak_prior", sturdy_control = "ep_control"
  )
  if (is.null(maker)) {
    return(value)
  }
  usual <- do.call(maker, list())
  parts <- unclass(value)[!mapply(identical, value, usual[names(value)])]
  if (maker == "weak_prior") parts <- lapply(parts, unlist)
  as.call(c(as.name(maker), lapply(parts, maker_call)))
}

abort_no_method <- function(x, fun, call = rlang::caller_env()) {
  vector <- is.atomic(x) && is.null(dim(x)) && !is.null(x)
  abort_sturdy(
    c(
      "{.arg x} must be a formula, a data frame or a matrix,
       not {describe(x)}.",
      i = "For example {.code {fun}(class ~ ., data)} or {.code {fun}(x, y)}.",
      i = if (vector) "For a single input column use {.code data.frame(x = x)}.",
      i = if (inherits(x, "Matrix")) "For a sparse matrix use {.code as.matrix(x)}."
    ),
    "type", arg = "x", call = call
  )
}

#' Has the fit inducing inputs?
#' @noRd
is_low_rank <- function(object) !is.null(object$inducing)

#' Something else is asked what only a fit can answer
#' @noRd
abort_no_fit <- function(object, arg = "object", call = rlang::caller_env()) {
  if (inherits(object, "gpc_classes")) {
    abort_sturdy(
      "This is not there for a fit with three classes or more.", c("several_classes", "type"),
      arg = arg, call = call
    )
  }
  abort_sturdy(
    "{.arg {arg}} must be a model fitted by {.fn gpc}, {.fn stc} or {.fn bpm},
     not {describe(object)}.",
    "type", arg = arg, call = call
  )
}

# Posterior -------------------------------------------------------------------

has_posterior <- function(object) {
  UseMethod("has_posterior")
}

has_posterior.default <- function(object) has_numbers(object$ep$b)

has_posterior.bpm <- function(object) !is.null(object$weights)

#' An error for a fit whose EP left no posterior
#' @noRd
check_posterior <- function(object, call = rlang::caller_env()) {
  if (!has_posterior(object)) {
    abort_sturdy(
      c(
        "The fit has no posterior: {object$ep$message}",
        i = "See {.code ep_diagnostics(fit)} for what to do."
      ),
      "no_posterior", status = object$ep$status, call = call
    )
  }
  status <- object$ep$status
  if (!is.null(status) && status != "converged") {
    warn_sturdy(
      c(
        "This result is from a fit whose EP did not converge ({status}).",
        i = "See {.code ep_diagnostics(fit)} for what that means and what to do."
      ),
      "not_converged", status = status
    )
  }
}

#' What only a fit that keeps its rows can answer
#' @noRd
check_sites_kept <- function(object, call = rlang::caller_env()) {
  check_by_ep(object, call)
  check_posterior(object, call)
}

check_by_ep <- function(object, call = rlang::caller_env()) {
  UseMethod("check_by_ep")
}

check_by_ep.sturdy_model <- function(object, call = rlang::caller_env()) {
  invisible(object)
}

check_by_ep.bpm_filtered <- function(object, call = rlang::caller_env()) {
  abort_sturdy(
    c(
      "The fit has nothing on single rows: it absorbed them by assumed density
       filtering.",
      i = "{.code bpm(..., inference = \"ep\")} keeps a site for each row, until
           {.fn absorb} takes in further rows."
    ),
    "no_sites", call = call
  )
}

# What a model is asked -------------------------------------------------------

#' How many labels of each class, the event second
#' @noRd
label_counts <- function(object) {
  UseMethod("label_counts")
}

label_counts.sturdy_model <- function(object) {
  c(sum(object$data$y < 0), sum(object$data$y > 0))
}

label_counts.bpm_filtered <- function(object) object$filter$counts

#' @export
nobs.sturdy_model <- function(object, ...) {
  as.integer(sum(label_counts(object)))
}

#' @export
formula.sturdy_model <- function(x, ...) fit_formula(x)

fit_formula <- function(x, call = rlang::caller_env()) {
  if (is.null(x$blueprint$formula)) {
    abort_sturdy(
      "The model was fitted from {.arg x} and {.arg y}: it has no formula.",
      "no_formula", call = call
    )
  }
  x$blueprint$formula
}

#' @importFrom stats terms
#' @export
terms.sturdy_model <- function(x, ...) stats::terms(stats::formula(x))

#' @importFrom stats model.frame
#' @export
model.frame.sturdy_model <- function(formula, ...) {
  abort_sturdy(
    "A fit has no model frame: {.code augment(fit)} returns the inputs and labels it keeps.",
    "no_model_frame"
  )
}

#' @importFrom stats weights
#' @export
weights.sturdy_model <- function(object, ...) {
  abort_sturdy(
    "A fit has no case weights. {.fn coef} returns the weights of a {.fn bpm}.",
    "no_case_weights"
  )
}

#' Hyperparameters of a fitted model
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param ... Not used.
#' @return A named numeric vector on the natural scale: `lengthscale.<column>`
#'   for each input column (`lengthscale` for [kernel_iso()]), `variance`,
#'   `bias`, `nugget`, and `epsilon` (or `epsilon.neg` and `epsilon.pos`). For a fit that
#'   averages, those of the point it is held at, see [averaging].
#' @seealso [kernel_ard()] for their meaning, [criterion()] for the gradient with
#'   respect to them; [coef.bpm()] for the weights of a [bpm()], whose hyperparameters
#'   are shown by [summary()][summary.sturdy_model].
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' coef(fit)
coef.sturdy_model <- function(object, ...) {
  hyperparameters(object)
}

# Hyperparameters of a fit, named, on the natural scale; epsilon is the last.
hyperparameters <- function(object) {
  UseMethod("hyperparameters")
}

hyperparameters.sturdy_model <- function(object) {
  kernel <- object$kernel
  values <- c(
    kernel$lengthscale, kernel$variance, kernel$bias, kernel$nugget,
    object$epsilon
  )
  stats::setNames(values, kernel_names(object))
}

kernel_names <- function(object) {
  columns <- names(object$kernel$lengthscale)
  lengthscale <- if (object$kernel$type == "iso") {
    "lengthscale"
  } else if (length(columns)) {
    paste0("lengthscale.", columns)
  }
  c(lengthscale, "variance", "bias", "nugget", epsilon_names(object$epsilon))
}

epsilon_names <- function(epsilon) {
  if (length(epsilon) == 2) c("epsilon.neg", "epsilon.pos") else "epsilon"
}

hyperparameters.bpm <- function(object) {
  scale <- object$prior$scale
  c(
    stats::setNames(scale, sprintf("prior_scale.%s", names(scale))),
    nugget = if (object$prior$nugget > 0) object$prior$nugget,
    stats::setNames(object$epsilon, epsilon_names(object$epsilon))
  )
}

# Which of the hyperparameters were learned.
learned <- function(object) {
  UseMethod("learned")
}

learned.sturdy_model <- function(object) {
  held <- object$kernel$fixed
  free <- c(
    rep(!"lengthscale" %in% held, length(object$kernel$lengthscale)),
    !c("variance", "bias", "nugget") %in% held,
    rep(rate_learned(object), length(object$epsilon))
  )
  free & !is.null(object$learning)
}

learned.bpm <- function(object) {
  c(
    object$prior$free, if (object$prior$nugget > 0) object$prior$free_nugget,
    rep(rate_learned(object), length(object$epsilon))
  )
}

rate_learned <- function(object) is.character(object$spec$epsilon)

#' What the model is called
#' @noRd
model_title <- function(object) {
  df <- object$spec$df
  name <- switch(spec_model(object$spec),
    gpc = "Gaussian process classifier",
    stc = "process classifier",
    bpm = "Bayes point machine"
  )
  student <- is.finite(df) || spec_model(object$spec) == "stc"
  if (student) paste0("Student-t ", name, ", df = ", format(df)) else name
}

#' Share of the filtered labels that were predicted wrongly before
#' @noRd
filter_error <- function(object) object$filter$errors / object$filter$rows
