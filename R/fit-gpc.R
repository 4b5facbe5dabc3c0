#' Gaussian process classification with labels that may be wrong
#'
#' Fits a Gaussian process classifier for two classes by expectation propagation
#' (EP). The likelihood says that a recorded label is wrong with probability
#' `epsilon`, so that a few wrong labels do not bend the class boundary; the rate
#' is learned together with the hyperparameters of the kernel. [stc()] is the same
#' model under a Student-t process.
#'
#' @details
#' With a latent function `f` under the [kernel][kernel_ard] and labels `y` of -1
#' and +1, the likelihood of one label is
#' \deqn{p(y_i | f_i) = \epsilon + (1 - 2\epsilon) 1(y_i f_i > 0)}{p(y_i | f_i) =
#'   epsilon + (1 - 2 epsilon) 1(y_i f_i > 0)}
#' (Kim and Ghahramani, 2008). With a nugget in the kernel this is a probit
#' likelihood with labels that flip. EP is that of Minka (2001); Rasmussen and
#' Williams (2006), algorithm 3.5, with sites of either sign.
#'
#' Hyperparameters that are not held by the kernel, and `epsilon = "learn"`, are
#' found by maximising the criterion plus the log prior of the kernel, on the log
#' scale (`epsilon` on the logit scale below 1/2), by L-BFGS-B with exact
#' gradients from several starting points. A solution on a bound of the search is
#' reported by `print()` and [ep_diagnostics()].
#'
#' Time grows as n^3 and memory as n^2 in the number of training rows n: a fit
#' holds about four n x n matrices of doubles at a time (3.2 GB at n = 10,000).
#'
#' # Inputs
#' Numeric columns enter by squared differences, factor, character and logical
#' columns by whether two rows agree; contrasts are not used, and all levels count
#' alike. Constant columns are dropped with a message. In a formula, a term may be
#' a variable, a transformation such as `log(x)` or `poly(x, 2)`, or a product of
#' numeric variables; interactions with factors are refused, for the kernel lets
#' all inputs interact. The kernel's `bias` plays the part of an intercept, so the
#' intercept of the formula has no effect. Functions in a formula must be found
#' from the workspace or a package when predicting.
#'
#' # Ways to learn the flip rate
#' What the three values of `method` learn on New Thyroid, normal against the rest,
#' with a share of the training labels flipped (`run_experiment("kg08-table2")`;
#' means over random halves, `gain` is the log evidence less that at `epsilon` held
#' at 0, with its standard error):
#'
#' ```{r, echo = FALSE, results = "asis"}
#' read <- function(name) {
#'   file <- paste0("kg08-thyroid-", name, ".csv")
#'   rows <- utils::read.csv(file.path("inst", "experiments", "results", file))
#'   rows[rows$method %in% c("gradient", "em", "em_kg08") & rows$rate %in% c(0, 0.1), ]
#' }
#' rows <- merge(read("table"), read("paired"), by = c("rate", "method"), sort = FALSE)
#' cat(
#'   "| flipped | `method` | learned `epsilon` | log evidence | gain |",
#'   "| --- | --- | --- | --- | --- |",
#'   sprintf(
#'     "| %d %% | `\"%s\"` | %.3f | %.1f | %.1f (%.1f) |",
#'     round(100 * rows$rate), rows$method, rows$epsilon, rows$log_evidence.x,
#'     rows$log_evidence.y, rows$log_evidence_se.y
#'   ),
#'   sep = "\n"
#' )
#' ```
#'
#' `"gradient"`, the default, and `"em"` seek the same optimum; where there are several
#' they may end in different ones. `"em_kg08"` learns a larger rate at a lower evidence,
#' and with no flips its evidence is below that of `epsilon = 0`.
#'
#' @param x A formula, a data frame of inputs, or a numeric matrix of inputs with
#'   one row an observation.
#' @param formula A formula with the response on its left, as in `class ~ .`.
#' @param data A data frame with the variables of the formula.
#' @param y The response, one entry a row of `x`: a factor with two levels, a
#'   character or logical vector, or numbers 0/1 or -1/+1. **The second level is
#'   the event**, whose probability the fit models. Unused levels are dropped
#'   with a message.
#' @param ... Nothing: an argument that is not known is an error.
#' @param kernel [kernel_ard()] (one lengthscale a column) or [kernel_iso()] (one
#'   for all).
#' @param epsilon The probability that a recorded label is wrong: a number in
#'   `[0, 0.5)`, or `"learn"`. Two rates, `c(neg = , pos = )`, let the classes
#'   differ: `neg` is the probability that a row of the first class is recorded as
#'   the event, `pos` that an event is recorded as the first class; `"learn2"`
#'   learns both.
#' @param criterion What learning maximises: `"evidence"`, the EP approximation of
#'   the log marginal likelihood, or `"loo"`, the leave-one-out log predictive
#'   probability of the recorded labels. Nothing is learned when everything is
#'   held.
#' @param method How a flip rate is learned by the evidence: `"gradient"`, jointly
#'   with the kernel, or in turn with kernel steps by EM-EP (Kim and Ghahramani,
#'   2008, section 3): `"em"` sets `epsilon` to the mean flip probability under the
#'   tilted marginals, whose fixed point is a stationary point of the evidence, so
#'   that it reaches the same optimum, in more steps; `"em_kg08"` takes the
#'   posterior marginals instead, as their eqs 17-20 print it, and overshoots: see
#'   'Ways to learn the flip rate'.
#' @param scale Whether numeric columns are centred and scaled to unit standard
#'   deviation by the training rows. Lengthscales refer to the scaled columns.
#' @param control [ep_control()].
#' @param na.action What to do with rows of `data` that have missing values, a
#'   function such as [stats::na.omit()], [stats::na.exclude()] or
#'   [stats::na.fail()]. The other interfaces refuse missing values.
#'
#' @return An object of class `c("gpc", "sturdy_model")`, a plain list that
#'   survives [saveRDS()], with the fields
#'   * `df`: `Inf`; `epsilon`: the flip rate in use; `epsilon_learned`: whether it
#'     was learned; `criterion`: `"evidence"` or `"loo"`;
#'   * `kernel`: the kernel with the values in use;
#'   * `blueprint`: how inputs are encoded: levels, terms, centring, scaling;
#'   * `X` (n x p), `group` (p), `y` (n): encoded inputs, the lengthscale each
#'     column uses, labels -1/+1;
#'   * `ep`: the fixed point: `sites` (`tau`, `nu`), `m` (n), `C_diag` (n),
#'     `log_det`, `kappa`, `residual` (n), `sweeps`, `status`, `message`,
#'     `skipped`, `trace`, `cavity` (`mean`, `var`), `b`, `log_evidence`,
#'     `log_evidence_zp`, `loo` (n), `flipped` (n);
#'   * `log_evidence`: that of `ep`, without any prior;
#'   * `learning`: `NULL` when nothing was learned, otherwise a list of `value`,
#'     `penalised`, `convergence` (0 is success), `message`, `evaluations`,
#'     `starts` and `on_bound`;
#'   * `nobs`, `rows`, `row_names`, `na_action`: the training rows and their
#'     positions in the data given;
#'   * `control`, `scale`, `kernel_spec`, `epsilon_spec`: arguments as given.
#'
#' @section Conditions:
#' Errors, all below `sturdy_error`: `outcome_type`, `outcome_levels` (not two
#' classes), `missing` (missing values), `not_finite`, `no_rows`, `length` (`x` and
#' `y` differ), `column_type`, `column_names`, `formula`, `interaction`, `epsilon`,
#' `df`, `hyperparameter`, `lengthscales`, `type`, `choice`, `unknown_argument`,
#' and `memory` (the matrices would not fit: the estimate is said before anything
#' is allocated; see `options(sturdy.max_memory = )`, in bytes). The class is
#' `sturdy_error_<name>`.
#'
#' Warning `sturdy_warning_not_converged`: EP ended without a fixed point; the
#' status and a sentence are in `ep`. Messages `sturdy_message_constant_columns`
#' and `sturdy_message_unused_levels`.
#'
#' @inherit sturdy-package references
#' @seealso [predict()][predict.sturdy_model], [mislabelled()], [log_evidence()],
#'   [loo()], [ep_diagnostics()], [plot()][plot.sturdy_model], [stc()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(60), b = rnorm(60))
#' d$class <- factor(ifelse(d$a + d$b > 0, "yes", "no"))
#' wrong <- c(3, 30)
#' d$class[wrong] <- ifelse(d$class[wrong] == "yes", "no", "yes")
#'
#' fit <- gpc(class ~ ., data = d, kernel = kernel_iso())
#' fit
#' predict(fit, data.frame(a = c(-1, 1), b = 0), type = "prob")
#' head(mislabelled(fit))
gpc <- function(x, ...) {
  UseMethod("gpc")
}

#' @rdname gpc
#' @export
gpc.formula <- function(formula, data = NULL, ..., subset = NULL,
                        na.action = stats::na.omit) {
  spec <- gpc_spec(...)
  fit_spec(spec, mold_formula(formula, data, spec$scale, na.action, substitute(subset)))
}

#' @rdname gpc
#' @export
gpc.data.frame <- function(x, y, ...) {
  spec <- gpc_spec(...)
  fit_spec(spec, mold_xy(x, y, spec$scale))
}

#' @rdname gpc
#' @export
gpc.matrix <- gpc.data.frame

#' @rdname gpc
#' @export
gpc.default <- function(x, ...) {
  abort_no_method(x, "gpc")
}

#' @rdname gpc
#' @export
gpc_spec <- function(...,
                     kernel = kernel_ard(),
                     epsilon = "learn",
                     criterion = c("evidence", "loo"),
                     method = c("gradient", "em", "em_kg08"),
                     scale = TRUE,
                     control = ep_control()) {
  blame_caller()
  check_no_dots(..., known = names(formals(gpc_spec))[-1])
  criterion <- check_choice(criterion, c("evidence", "loo"), "criterion")
  epsilon <- check_epsilon(epsilon)
  new_spec(
    "gpc",
    df = Inf, kernel = check_kernel(kernel), epsilon = epsilon,
    criterion = criterion, method = check_method(method, epsilon, criterion),
    scale = check_flag(scale, "scale"), control = check_control(control)
  )
}

#' EM has a closed M-step only for a flip rate that the evidence learns
#' @noRd
check_method <- function(method, epsilon, criterion, call = rlang::caller_env()) {
  method <- check_choice(method, c("gradient", "em", "em_kg08"), "method", call)
  if (method != "gradient" && !(is.character(epsilon) && criterion == "evidence")) {
    abort_sturdy(
      "{.arg method} must be {.val gradient} unless {.fn gpc} learns
       {.arg epsilon} by {.code criterion = \"evidence\"}.",
      "method", arg = "method", call = call
    )
  }
  method
}

fit_spec.gpc_spec <- function(spec, molded, call = rlang::caller_env()) {
  molded$blueprint$novel <- TRUE # a new level differs from all others: no more
  blueprint <- molded$blueprint
  X <- molded$data$X
  coding <- blueprint_columns(blueprint)
  kernel <- kernel_resolve(
    spec$kernel, X, coding, blueprint$columns, blueprint$all_columns, call
  )
  columns <- kernel_columns(kernel, coding)
  fit <- learn_fit(latent_kernel(X, columns, molded$data$y, kernel, call), spec)
  kernel[hyper_names] <- fit$hyper
  warn_not_converged(fit$ep)
  new_model(spec, molded, call, fit[c("epsilon", "ep", "learning")], kernel = kernel)
}
