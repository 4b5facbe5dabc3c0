# The fitted model: a plain list of one shape for all models and any number of classes C.
#
#   spec         its arguments
#   blueprint    how inputs are encoded; its `levels` are the classes
#   data         encoded rows: X, y (-1 and 1, or of many classes 1, 2, ...), rows, row_names,
#                na_action, and the reports on them; NULL once filtered
#   epsilon      the flip rate in use, or rates by true class
#   omega        C x C, P(recorded | true class), the mean over nodes and rows
#   kernel       in use, and its `inducing` inputs; a bpm() has `prior` and `weights` (NULL
#                without a posterior)
#   ep           the fixed point; NULL of a filtered bpm(), which has `filter` instead
#   learning     NULL when nothing was learned
#   call         the call that made it
#   nodes        where it averages: see complete_nodes(); NULL at one point
#   noise        of a matrix learned at one point: the rate, strength and counts of its prior

#' @param fitted list of `epsilon`, `ep`, `learning` and, where it averages, `nodes`; of several
#'   classes `omega`. @param ... what is the model's own: `kernel`, or `prior` and `weights`.
#' @noRd
new_model <- function(spec, molded, call, fitted, ...) {
  levels <- molded$blueprint$levels
  classes <- length(levels)
  nodes <- complete_nodes(fitted$nodes, molded$data)
  omega <- if (is.null(nodes)) {
    as_omega(if (is.null(fitted$omega)) fitted$epsilon else fitted$omega, classes)[1, , ]
  } else {
    nodes_omega(nodes, molded$data$reports)
  }
  dimnames(omega) <- list(true = levels, recorded = levels)
  structure(
    list(
      spec = spec,
      blueprint = molded$blueprint,
      data = molded$data,
      epsilon = if (classes == 2) fitted$epsilon else omega_rates(omega),
      omega = omega,
      ...,
      ep = fitted$ep,
      learning = fitted$learning,
      call = fit_call(call, spec),
      nodes = nodes,
      noise = if (!is.null(fitted$counts)) fitted[c("rate", "strength", "counts")]
    ),
    class = c(spec_model(spec), "sturdy_model")
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
  must(
    FALSE, "x", "be a formula, a data frame or a matrix", got = x,
    more = c(
      i = "For example {.code {fun}(class ~ ., data)} or {.code {fun}(x, y)}.",
      i = if (vector) "For a single input column use {.code data.frame(x = x)}.",
      i = if (inherits(x, "Matrix")) "For a sparse matrix use {.code as.matrix(x)}."
    ),
    call = call
  )
}

#' Has the fit inducing inputs?
#' @noRd
is_low_rank <- function(object) !is.null(object$inducing)

#' Something else is asked what only a fit can answer
#' @noRd
abort_no_fit <- function(object, arg = "object", call = rlang::caller_env()) {
  must(
    FALSE, arg, "be a model fitted by {.fn gpc}, {.fn stc} or {.fn bpm}", got = object,
    call = call
  )
}

#' Has a fit three classes or more?
#' @noRd
is_several <- function(object) length(object$blueprint$levels) > 2

#' What two classes have and several have not
#' @param instead what to use, a bullet.
#' @noRd
abort_several <- function(what, instead, call = rlang::caller_env()) {
  abort_sturdy(
    c("A fit with three classes or more has no {what}.", i = instead),
    c("several_classes", "type"), arg = "object", call = call
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
  refuse(
    !has_posterior(object),
    c(
      "The fit has no posterior: {object$ep$message}",
      i = "See {.code ep_diagnostics(fit)} for what to do."
    ),
    "no_posterior", status = object$ep$status, call = call
  )
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
  tabulate(label_code(object$data), length(object$blueprint$levels))
}

label_counts.bpm_filtered <- function(object) object$filter$counts

#' @export
nobs.sturdy_model <- function(object, ...) {
  check_model(object)
  as.integer(sum(label_counts(object)))
}

#' @export
formula.sturdy_model <- function(x, ...) {
  check_model(x)
  fit_formula(x)
}

fit_formula <- function(x, call = rlang::caller_env()) {
  refuse(
    is.null(x$blueprint$formula),
    "The model was fitted from {.arg x} and {.arg y}: it has no formula.", "no_formula",
    call = call
  )
  x$blueprint$formula
}

#' @importFrom stats terms
#' @export
terms.sturdy_model <- function(x, ...) {
  check_model(x)
  stats::terms(stats::formula(x))
}

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
  check_model(object)
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
  check_model(object)
  hyperparameters(object)
}

# Hyperparameters of a fit, named, on the natural scale; epsilon is the last.
hyperparameters <- function(object) {
  UseMethod("hyperparameters")
}

hyperparameters.sturdy_model <- function(object) {
  kernel <- kernel_hyper(object$kernel)
  kernels <- seq_along(kernel$nugget) # one, or one for each class
  values <- unlist(lapply(kernels, class_hyper, hyper = kernel), use.names = FALSE)
  names <- kernel_names(object)
  if (length(kernels) > 1) {
    names <- paste0(names, "@", rep(object$blueprint$levels, each = length(names)))
  }
  c(stats::setNames(values, names), named_rates(object))
}

kernel_names <- function(object) {
  columns <- object$blueprint$columns
  lengthscale <- if (object$kernel$type == "iso") {
    "lengthscale"
  } else if (length(columns)) {
    paste0("lengthscale.", columns)
  }
  c(lengthscale, "variance", "bias", "nugget")
}

named_rates <- function(object) {
  rates <- unname(object$epsilon)
  if (length(rates) == 1) {
    return(c(epsilon = rates))
  }
  of <- if (length(rates) == 2) c("neg", "pos") else object$blueprint$levels
  stats::setNames(rates, paste0("epsilon.", of))
}

hyperparameters.bpm <- function(object) {
  scale <- object$prior$scale
  c(
    stats::setNames(scale, sprintf("prior_scale.%s", names(scale))),
    nugget = if (object$prior$nugget > 0) object$prior$nugget,
    named_rates(object)
  )
}

# Which of the hyperparameters were learned.
learned <- function(object) {
  UseMethod("learned")
}

learned.sturdy_model <- function(object) {
  held <- object$kernel$fixed
  kernels <- length(object$kernel$nugget)
  scales <- length(object$kernel$lengthscale) / kernels
  one <- c(rep(!"lengthscale" %in% held, scales), !c("variance", "bias", "nugget") %in% held)
  free <- c(rep(one, kernels), rep(rate_learned(object), length(object$epsilon)))
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
