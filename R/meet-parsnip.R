# parsnip: the model gp_class() with the engine "sturdy", and its parameters for dials.

#' Gaussian process classification in tidymodels
#'
#' `gp_class()` specifies a Gaussian process (or Student-t process) classifier for parsnip,
#' with the engine `"sturdy"`: [gpc()], or [stc()] at a finite `df`. It works in workflows,
#' with recipes, resampling and tuning; the parameter functions are those that tuning finds.
#'
#' @details
#' Attach sturdy and parsnip (or tidymodels) in any order. The fit itself is
#' `extract_fit_engine()` of the parsnip fit, with which [mislabelled()], [noise_test()] and
#' all else work.
#'
#' Factor inputs stay factors: no indicators are made, since the kernel compares levels.
#' Inputs are centred and scaled by the engine; a recipe need not do so. Case
#' weights of both kinds are those of [gpc()], for two classes: see [case-weights].
#'
#' Further arguments of [gpc_spec()] and [stc_spec()] are arguments of the engine:
#' `set_engine("sturdy", hyper = "optimum")` finds one value of the hyperparameters instead
#' of averaging, which takes a fraction of the time of a search over a grid.
#'
#' # What is known of labels
#' `rates`, `trusted` and `units` of [gpc()] are arguments of the engine, too: one-sided formulas, or names of
#' columns, so that resampling takes the rows it has drawn: `set_engine("sturdy", rates = ~ clinic,
#' trusted = "checked")`. Columns that they name are no inputs, unless the formula of the model
#' names them itself: `.` leaves them out. In a workflow they have to be among the predictors of the
#' recipe or of `add_variables()`. Rows that are set aside count in measures as
#' they were recorded, trusted or not.
#'
#' # Which level is the event
#' sturdy models the probability of the **second** level of a factor, as [glm()] does;
#' yardstick takes the **first** for the event. Probabilities and intervals have a column
#' for each level and so are the same for both; for measures such as `roc_auc()` say
#' `event_level = "second"`, or order the levels by `relevel()`. Rates of wrong labels `c(neg = ,
#' pos = )` are by sturdy's order.
#'
#' # Predictions
#' `predict(type = )` of the parsnip fit: `"class"`; `"prob"`, of the true class; `"conf_int"`,
#' the central interval of that probability (see [predict()][predict.sturdy_model]), with the
#' argument `level`; `"raw"`, the latent function.
#'
#' Labels that are set aside in resampling are wrong as often as those of training. Measures
#' against them (the log loss above all) punish probabilities of the true class for being sharp,
#' and a search over `epsilon` by them ends at 0. The engine learns `epsilon` from the training
#' rows by default: leave it out unless you know it. To search all the same, compare what labels
#' are predicted to be recorded: `set_engine("sturdy", predicts = "recorded")` makes `"prob"`
#' the probabilities of recorded classes, `predict(noise = TRUE)`, and the log loss is then
#' least near the rate there is. Finish with the default, `predicts = "true"`. A fit with
#' `epsilon = 0` says that it takes every label for right.
#'
#' @param mode `"classification"`, the only one.
#' @param engine `"sturdy"`, the only one.
#' @param kernel `"ard"`, a lengthscale for each input, the default up to 400 of them; `"iso"`, one
#'   for all; or what [kernel_ard()] and [kernel_iso()] return. `NULL` in all arguments means the
#'   default of the engine.
#' @param epsilon The probability that a recorded label is wrong, see [gpc()].
#' @param inducing The number of inducing inputs, see [gpc()].
#' @param df Degrees of freedom, above 0; at `Inf`, the default, the process is Gaussian.
#' @return `gp_class()` returns a model specification of parsnip, of class
#'   `c("gp_class", "model_spec")`; `gp_epsilon()`, `gp_kernel()`, `gp_inducing()` and `gp_df()`
#'   parameter objects of dials.
#' @section Conditions:
#' `sturdy_error_package` where parsnip, or dials for the parameter functions, is not
#' installed. `sturdy_message_no_noise` for `epsilon = 0`.
#' From `predict(type = "conf_int")`: `sturdy_error_unknown_argument` for
#' `std_error = TRUE`.
#' @seealso [gpc()], [stc()]
#' @name sturdy-parsnip
#' @aliases gp_class
#' @examplesIf interactive() && rlang::is_installed("parsnip")
#' spec <- gp_class(epsilon = 0.05, kernel = "iso")
#' spec
#' d <- data.frame(x = c(-2, -1, 1, 2), y = factor(c("no", "no", "yes", "yes")))
#' fit <- parsnip::fit(parsnip::set_engine(spec, "sturdy", hyper = "optimum"), y ~ x, data = d)
#' predict(fit, data.frame(x = c(-3, 0.2)), type = "prob")
#' predict(fit, data.frame(x = c(-3, 0.2)), type = "conf_int", level = 0.9)
NULL

#' @rdname sturdy-parsnip
#' @export
gp_class <- function(mode = "classification", engine = "sturdy", kernel = NULL, epsilon = NULL,
                     inducing = NULL, df = NULL) {
  check_package("parsnip", "gp_class")
  parsnip::new_model_spec(
    "gp_class",
    args = unclass(rlang::enquos(kernel = kernel, epsilon = epsilon, inducing = inducing, df = df)),
    eng_args = NULL, mode = mode, user_specified_mode = !missing(mode), method = NULL,
    engine = engine, user_specified_engine = !missing(engine)
  )
}

#' @rdname sturdy-parsnip
#' @param object,x A specification made by `gp_class()`.
#' @param parameters A list or a one-row tibble of parameters, as of `tune::select_best()`.
#' @param fresh Whether arguments that are not given are forgotten (`FALSE` by default).
#' @param ... Arguments of the engine, or of further methods.
#' @export
update.gp_class <- function(object, parameters = NULL, kernel = NULL, epsilon = NULL,
                            inducing = NULL, df = NULL, fresh = FALSE, ...) {
  args <- unclass(rlang::enquos(kernel = kernel, epsilon = epsilon, inducing = inducing, df = df))
  parsnip::update_spec(
    object = object, parameters = parameters, args_enquo_list = args, fresh = fresh,
    cls = "gp_class", ...
  )
}

#' @rdname sturdy-parsnip
#' @export
print.gp_class <- function(x, ...) {
  NextMethod()
  print_title("Event: the second level, as in glm(); for yardstick with event_level = \"second\".")
  invisible(x)
}

# The engine ------------------------------------------------------------------

#' The fit that parsnip calls
#'
#' Fits what [gp_class()] specifies: [gpc()], or [stc()] at a finite `df`.
#' @inheritParams sturdy-parsnip
#' @param formula,data,weights As in [gpc()].
#' @param rates,trusted,units As in [gpc()], or names of columns of `data`; these are not among what `.`
#'   in `formula` stands for.
#' @param ... Further arguments of [gpc()] or [stc()].
#' @param predicts Which classes parsnip's probabilities are of, `"true"` or `"recorded"`.
#' @return A fit of [gpc()] or [stc()].
#' @keywords internal
#' @export
gp_class_fit <- function(formula, data, kernel = NULL, epsilon = NULL, inducing = "auto",
                         df = Inf, ..., weights = NULL, rates = NULL, trusted = NULL, units = NULL,
                         predicts = c("true", "recorded")) {
  df <- check_df(df)
  check_choice(predicts, c("true", "recorded"), "predicts") # which parsnip_answers asks for
  inform_no_noise(epsilon)
  known <- lapply(list(rates = rates, trusted = trusted, units = units), known_formula, data)
  if (inherits(weights, "hardhat_case_weights")) weights <- as.double(weights)
  given <- list(kernel = kernel_named(kernel), epsilon = epsilon, inducing = inducing, weights = weights)
  given$df <- if (is.finite(df)) df
  args <- c(list(...), Filter(Negate(is.null), c(given, known)))
  verb <- if (is.finite(df)) quote(stc) else quote(gpc)
  # what is itself a call or a name would be run: it is refused, as by that verb
  runs <- Filter(function(v) is.language(v) && !inherits(v, "formula"), args)
  name <- names(runs)[1]
  must(!length(runs), name, "be a value", c(name, "type"), got = runs[[1]], call = as.call(list(verb)))
  formula <- formula_beside(formula, data, Filter(is.language, known))
  # the fit keeps this call, with a name for the table and the values of the rest
  fit <- eval(as.call(c(verb, quote(formula), args, data = quote(data))))
  fit$call$formula <- `attributes<-`(formula, NULL) # as it is written, without class and environment
  fit
}

inform_no_noise <- function(epsilon) {
  if (is.numeric(epsilon) && length(epsilon) && all(epsilon %in% 0)) {
    inform_sturdy(c(
      i = "{.code epsilon = 0} takes every label for right. A search by the log loss of recorded
           labels ends there: see {.help [gp_class()](sturdy::gp_class)}."
    ), "no_noise")
  }
}

kernel_named <- function(kernel) {
  if (is.null(kernel) || inherits(kernel, "sturdy_kernel")) return(kernel)
  if (check_choice(kernel, c("ard", "iso"), "kernel") == "ard") kernel_ard() else kernel_iso()
}

#' Names of columns as a formula of them, as gpc() takes rates
#' @noRd
known_formula <- function(value, data) {
  some <- is.character(value) && length(value) > 0 && length(value) < nrow(data) # or one for each row
  if (some && all(value %in% names(data))) stats::as.formula(call("~", sum_of(lapply(value, as.name))), globalenv()) else value
}

#' What is known of labels is no input of the latent function, where `.` stands for the inputs
#' @param known formulas.
#' @noRd
formula_beside <- function(formula, data, known) {
  beside <- intersect(unlist(lapply(known, all.vars)), names(data))
  if (length(beside) && length(formula) == 3 && "." %in% all.vars(formula)) {
    others <- setdiff(names(data), c(beside, all.vars(formula[[2]])))
    formula[[3]] <- do.call(substitute, list(formula[[3]], list(. = sum_of(lapply(others, as.name)))))
  }
  formula
}

#' Enter the model in parsnip's registry
#' @noRd
meet_parsnip <- function() {
  if ("gp_class" %in% parsnip::get_from_env("models")) return(invisible())
  model <- "gp_class"
  mode <- "classification"
  parsnip::set_new_model(model)
  parsnip::set_model_mode(model, mode)
  parsnip::set_model_engine(model, mode, "sturdy")
  parsnip::set_dependency(model, "sturdy", "sturdy", mode)
  for (arg in c("kernel", "epsilon", "inducing", "df")) {
    parsnip::set_model_arg(model, "sturdy", arg, arg, list(pkg = "sturdy", fun = paste0("gp_", arg)), FALSE)
  }
  parsnip::set_fit(model, mode, "sturdy", list(
    interface = "formula", protect = c("formula", "data", "weights"),
    func = c(pkg = "sturdy", fun = "gp_class_fit"), defaults = list()
  ))
  parsnip::set_encoding(model, mode, "sturdy", list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = FALSE
  ))
  for (type in names(parsnip_answers)) {
    parsnip::set_pred(model, mode, "sturdy", type, parsnip_answers[[type]])
  }
}

#' How predict() of a fit is asked
#' @noRd
parsnip_answer <- function(..., post = NULL) {
  args <- list(object = quote(object$fit), newdata = quote(new_data), ...)
  list(pre = NULL, post = post, func = c(fun = "predict"), args = args)
}

#' A column for each level, 0 for those that did not occur in training
#' @noRd
all_levels <- function(prob, levels) {
  full <- matrix(0, nrow(prob), length(levels), dimnames = list(NULL, levels))
  full[, colnames(prob)] <- prob
  full
}

parsnip_prob <- function(prob, object) as.data.frame(all_levels(prob, object$lvl), optional = TRUE)

#' The ends of each level, those that did not occur in training at 0; with two classes the
#' interval is of the second, turned over for the first
#'
#' What was asked of the interval is known to `post`, not to `pre`: std_error is refused here.
#' @noRd
parsnip_interval <- function(ends, object) {
  must(
    !isTRUE(object$spec$method$pred$conf_int$extras$std_error), "std_error",
    "be {.code FALSE}: intervals are quantiles", "unknown_argument",
    call = NULL # parsnip calls, and no verb
  )
  if (is.data.frame(ends)) {
    ends <- list(lower = cbind(1 - ends$upper, ends$lower), upper = cbind(1 - ends$lower, ends$upper))
    ends <- lapply(ends, `colnames<-`, object$fit$blueprint$levels)
  }
  side <- function(name) {
    stats::setNames(parsnip_prob(ends[[name]], object), paste0(".pred_", name, "_", object$lvl))
  }
  by_level <- order(rep(seq_along(object$lvl), 2))
  tibble::as_tibble(cbind(side("lower"), side("upper"))[by_level])
}

parsnip_answers <- list(
  class = parsnip_answer(type = "class"),
  prob = parsnip_answer(
    type = "prob", post = parsnip_prob,
    noise = quote(identical(rlang::eval_tidy(object$spec$eng_args$predicts), "recorded"))
  ),
  conf_int = parsnip_answer(
    interval = quote(object$spec$method$pred$conf_int$extras$level),
    post = parsnip_interval
  ),
  raw = parsnip_answer(type = "latent")
)

# Parameters --------------------------------------------------------------------

#' @rdname sturdy-parsnip
#' @param range The lower and upper end of a parameter; on the scale of `trans`, where
#'   there is one.
#' @param trans A transformation of the scales package, or `NULL`.
#' @export
gp_epsilon <- function(range = c(0, 0.3), trans = NULL) {
  gp_quantity("double", range, trans, c(epsilon = "Probability of a Wrong Label"))
}

gp_quantity <- function(type, range, trans, label) {
  check_package("dials", paste0("gp_", names(label)))
  dials::new_quant_param(
    type = type, range = range, inclusive = c(TRUE, TRUE), trans = trans, label = label
  )
}

#' @rdname sturdy-parsnip
#' @param values The values of the parameter.
#' @export
gp_kernel <- function(values = c("ard", "iso")) {
  check_package("dials", "gp_kernel")
  dials::new_qual_param("character", values = values, label = c(kernel = "Kernel"))
}

#' @rdname sturdy-parsnip
#' @export
gp_inducing <- function(range = c(20L, 200L), trans = NULL) {
  gp_quantity("integer", range, trans, c(inducing = "# Inducing Inputs"))
}

#' @rdname sturdy-parsnip
#' @export
gp_df <- function(range = c(0.5, 2), trans = scales::log10_trans()) {
  gp_quantity("double", range, trans, c(df = "Degrees of Freedom"))
}
