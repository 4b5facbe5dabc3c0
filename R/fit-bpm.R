#' Bayes point machine: linear classification with labels that may be wrong
#'
#' Fits a linear classifier for two classes with a prior on its weights, by
#' expectation propagation (EP) or, in one pass, by assumed density filtering
#' (ADF). The likelihood is that of [gpc()]: a recorded label is wrong with
#' probability `epsilon`. It is the model for many rows and for streams: an EP fit
#' takes time proportional to n k^2 for n rows and k weights, ADF takes k^2 a row and
#' never looks back.
#'
#' @details
#' With weights w and features x of a row (the encoded inputs and, unless
#' `intercept = FALSE`, a constant 1), `f = w'x`, the prior is
#' \deqn{w \sim St(df, 0, diag(s))}{w ~ St(df, 0, diag(s))}
#' with the scale matrix made of `prior_scale`: variances at `df = Inf`, where the
#' prior is normal. The posterior is of the same kind; [coef()][bpm-weights],
#' [vcov()][bpm-weights] and [confint()][bpm-weights] describe it.
#'
#' # EP
#' The engine is that of [gpc()] and [stc()], with the k x k matrix of the weights in
#' place of the n x n one of the rows: the same fixed point as [ep_fit()] with the
#' kernel matrix X diag(s) X' reaches at `df = Inf`. At finite `df` the number of
#' dimensions, which decides q = 1 + 2/(df + k), is that of the weights. The
#' result does not depend on the order of the rows. `epsilon = "learn"` and
#' `prior_scale = "learn"` are found by maximising the criterion as in [gpc()].
#'
#' # ADF
#' Each row in turn replaces the posterior by the t distribution with the escort mean
#' and covariance of the posterior times the likelihood of that label (Ding, Qi and
#' Vishwanathan, 2011; Minka, 2001 at `df = Inf`). The result depends on the order
#' of the rows, which is yours to choose. At finite `df` a surprising label widens
#' the whole posterior, so that the model follows a target that changes; the normal
#' one grows ever more certain. There is no criterion to learn by: `epsilon` is a
#' number, 0.01 unless given, and prior scales are given too. [update()][update.bpm]
#' absorbs further rows.
#'
#' # When EP finds no fixed point
#' The likelihood is a step: labels are as likely to be wrong far from the boundary as
#' near it, and there is no nugget to blur it. Where the classes overlap instead, many
#' rows and few weights leave EP without a fixed point (status `"no_fixed_point"`):
#' the exact posterior has many modes then. A larger `epsilon` helps; ADF always
#' answers; [gpc()] with a nugget on a sample of the rows has the blur.
#'
#' # What the evidence of this model tells
#' What [stc()] says of finite `df` holds here too: the likelihood sees signs only, so
#' the exact evidence is the same for all `df`, and t-EP evidences may not be compared
#' across models. `log_evidence(fit, method = "gaussian")` may, and is computed with
#' the fit. Learning at finite `df` uses the leave-one-out criterion unless told
#' otherwise. The log evidence of an ADF fit is the sum of the log predictive
#' probabilities of the labels as they came.
#'
#' # Inputs
#' Numeric columns enter linearly, centred and scaled unless `scale = FALSE`; factor,
#' character and logical columns by one 0/1 indicator a level, all levels alike,
#' without a reference level (the prior keeps the weights finite). Constant columns
#' are dropped with a message. In a formula, a term may be a variable, a
#' transformation such as `log(x)` or `poly(x, 2)`, or a product of numeric
#' variables. A formula with `- 1` has no intercept. Functions in a formula must be
#' found from the workspace or a package when predicting.
#'
#' @inheritParams gpc
#' @param df Degrees of freedom of the prior of the weights, above 0; `Inf` is a
#'   normal prior.
#' @param prior_scale Prior scales of the weights, entries of a scale *matrix* (at
#'   `df = Inf` variances), above 0: one number for all input columns, or one a
#'   column in the order of the columns or by their names (the indicators of a
#'   factor share theirs), or `"learn"` for one a column, found by the criterion
#'   with a weak log-normal prior. The intercept has the scale 1 unless a named
#'   vector holds an entry `"(Intercept)"`; it is held while learning, because the
#'   common scale of all weights has no influence.
#' @param epsilon The probability that a recorded label is wrong: a number in
#'   `[0, 0.5)` or two of them by true class, as in [gpc()]; with `inference = "ep"`
#'   also `"learn"` or `"learn2"`.
#' @param inference `"ep"` or `"adf"`.
#' @param intercept Whether a constant is among the features.
#' @param criterion What learning maximises, as in [gpc()]. Not used by ADF.
#'
#' @return An object of class `c("bpm", "sturdy_model")`, a plain list that survives
#'   [saveRDS()] and holds no inputs, with the fields
#'   * `df`; `epsilon`: the flip rate in use; `epsilon_learned`; `criterion`;
#'     `inference`: `"ep"` or `"adf"`;
#'   * `prior_scale` (k): of each weight, named; `prior`: the same by column;
#'   * `weights`: list of `mean` (k), `C` (k x k) and `log_scale`; the posterior is
#'     `St(df, exp(log_scale / 2) mean, exp(log_scale) C)`; `NULL` when EP left none;
#'   * `weight_names`, `intercept`, `blueprint`: how inputs are encoded;
#'   * `ep`: as in [gpc()], `b` being the mean weights, with
#'     `log_evidence_gaussian` at finite `df`; `NULL` for ADF;
#'   * `log_evidence`; `learning`: as in [gpc()];
#'   * `filter`: list of `rows`, `errors`, `log_score`: rows absorbed by ADF, how many
#'     of their labels were predicted wrongly before, and the sum of the log
#'     predictive probabilities;
#'   * `nobs`, `counts`: rows, and rows a class; for EP also `y` (n), `rows`,
#'     `row_names`, `na_action`;
#'   * `control`, `scale`, `spec`: arguments as given.
#'
#' Without `newdata`, [predict()][predict.sturdy_model] and [fitted()] answer for an EP
#' fit; an ADF fit keeps nothing of its rows.
#'
#' @section Conditions:
#' Those of [gpc()], with `sturdy_error_prior_scale` for prior scales that do not match
#' the columns, `sturdy_error_epsilon` also for `"learn"` with ADF, and
#' `sturdy_error_no_inputs` without a column and an intercept. ADF signals
#' `sturdy_error_not_positive_definite`, with the field `row`, when rounding has
#' destroyed the posterior. What needs single rows, as [loo()] does, signals
#' `sturdy_error_no_sites` for an ADF fit.
#'
#' @inherit sturdy-package references
#' @seealso [update()][update.bpm], [coef()][bpm-weights],
#'   [predict()][predict.sturdy_model], [gpc()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(200), b = rnorm(200))
#' d$class <- factor(ifelse(d$a - d$b > 0, "yes", "no"))
#' wrong <- sample(200, 15)
#' d$class[wrong] <- ifelse(d$class[wrong] == "yes", "no", "yes")
#'
#' fit <- bpm(class ~ ., data = d)
#' fit
#' confint(fit)
#' predict(fit, data.frame(a = c(-1, 1), b = 0), type = "prob")
#'
#' first <- bpm(class ~ ., data = d[1:100, ], df = 10, inference = "adf")
#' update(first, d[101:200, ])
bpm <- function(x, ...) {
  UseMethod("bpm")
}

#' @rdname bpm
#' @export
bpm.formula <- function(formula, data = NULL, ..., subset = NULL,
                        na.action = stats::na.omit) {
  spec <- bpm_spec(...)
  fit_spec(spec, mold_formula(formula, data, spec$scale, na.action, substitute(subset)))
}

#' @rdname bpm
#' @export
bpm.data.frame <- function(x, y, ...) {
  spec <- bpm_spec(...)
  fit_spec(spec, mold_xy(x, y, spec$scale))
}

#' @rdname bpm
#' @export
bpm.matrix <- bpm.data.frame

#' @rdname bpm
#' @export
bpm.default <- function(x, ...) {
  abort_no_method(x, "bpm")
}

#' @rdname bpm
#' @export
bpm_spec <- function(...,
                     df = Inf,
                     prior_scale = 1,
                     epsilon = if (inference == "adf") 0.01 else "learn",
                     inference = c("ep", "adf"),
                     intercept = TRUE,
                     criterion = NULL,
                     scale = TRUE,
                     control = ep_control()) {
  blame_caller()
  check_no_dots(..., known = names(formals(bpm_spec))[-1])
  inference <- check_choice(inference, c("ep", "adf"), "inference")
  df <- check_df(df)
  epsilon <- check_epsilon(epsilon)
  if (inference == "adf" && is.character(epsilon)) {
    abort_no_learning("epsilon")
  }
  if (is.null(criterion)) criterion <- default_criterion(df)
  new_spec(
    "bpm",
    df = df, prior_scale = check_prior_scale(prior_scale, inference),
    epsilon = epsilon, inference = inference,
    intercept = check_flag(intercept, "intercept"),
    criterion = check_choice(criterion, c("evidence", "loo"), "criterion"),
    scale = check_flag(scale, "scale"), control = check_control(control)
  )
}

fit_spec.bpm_spec <- function(spec, molded, call = rlang::caller_env()) {
  prior <- bpm_prior(spec, molded$blueprint, call)
  if (spec$inference == "adf") {
    return(bpm_filter(spec, molded, prior, call))
  }
  latent <- latent_weight(bpm_design(molded$data$X, prior), molded$data$y, prior, call)
  fit <- learn_fit(latent, spec)
  prior$scale[prior$free] <- fit$hyper$prior_scale
  weights <- ep_weights(fit$ep, prior, spec$df)
  fit$ep$C <- NULL
  warn_not_converged(fit$ep)
  new_model(
    spec, molded, call, fit[c("epsilon", "ep", "learning")],
    prior = prior, weights = weights
  )
}
