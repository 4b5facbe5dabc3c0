#' Bayes point machine: linear classification with labels that may be wrong
#'
#' Fits a linear classifier for two classes with a prior on its weights, by
#' expectation propagation (EP) or, in one pass, by assumed density filtering
#' (ADF). The likelihood is that of [gpc()]: a recorded label is wrong with
#' probability `epsilon`. It is the model for many rows and for streams: an EP fit
#' takes time proportional to n k^2 for n rows and k weights; ADF takes time k^2 per
#' row and reads each row once. With a table of a database as `data` ([dbi_source()]) the database computes sums
#' over its rows.
#'
#' `bpm_spec()` checks the arguments and returns them without fitting anything.
#'
#' @details
#' With weights w and the features x of a row (the encoded inputs and, unless
#' `intercept = FALSE`, a constant 1), `f = w'x + g`, where g is independent from row to row
#' with variance `nugget`: overlap of the classes near the boundary. The prior is
#' \deqn{w \sim St(df, 0, diag(s))}{w ~ St(df, 0, diag(s))}
#' where `prior_scale` gives the diagonal s of the scale matrix: variances at
#' `df = Inf`, where the prior is normal. The posterior is of the same kind;
#' [coef()][bpm-weights], [vcov()][bpm-weights] and [confint()][bpm-weights] describe
#' it.
#'
#' # EP
#' The engine is that of [gpc()] and [stc()], with the k x k matrix of the weights in
#' place of the n x n matrix of the rows. At `df = Inf` it reaches the same fixed point
#' as [ep_fit()] with the kernel matrix X diag(s) X'. At finite `df` the number of
#' dimensions, which decides q = 1 + 2/(df + k), is that of the weights, or with a nugget
#' that of the rows. With more than 2000 rows and a nugget EP takes all rows at once, as in
#' [gpc()]. The result does not depend on the order of the rows. What is learned is averaged over or
#' found at one point as in [gpc()].
#'
#' # ADF
#' Each row in turn replaces the posterior by the t distribution with the escort mean
#' and covariance of the posterior times the likelihood of that label (Ding, Qi and
#' Vishwanathan, 2011; Minka, 2001 at `df = Inf`). The result depends on the order
#' of the rows. At finite `df` a surprising label widens the whole posterior, so that
#' the model can follow a target that changes; at `df = Inf` the posterior only ever
#' becomes narrower. There is no criterion to learn by: `epsilon` is a number, 0.01 by
#' default, and `prior_scale` and `nugget` must be numeric. [absorb()] takes in further rows.
#'
#' # When EP finds no fixed point
#' The likelihood is a step: labels are as likely to be wrong far from the boundary as
#' near it. A `nugget` blurs the step. If it is 0 and the classes overlap near
#' the boundary, EP may have no fixed point with many rows and few weights (status
#' `"no_fixed_point"`), because the exact posterior then has many modes. A larger
#' `epsilon` helps. ADF needs no fixed point.
#'
#' # Effects
#' [coef()][bpm-weights] and [tidy()][tidy.sturdy_model] report coefficients on the probit scale,
#' [marginal effects][sturdy-marginaleffects] risk differences and odds ratios of the true
#' classes. The default prior is for classification, and it shrinks effects. `prior_scale =
#' "effects"` is for effects: those of standardised columns (and of factors, scaled to add as much
#' to the variance of the latent function over the rows) then have independent normal priors. Their
#' standard deviation on the probit scale, one over the root of the nugget, is log-normal with
#' median 1 and a log standard deviation of one half; that of the intercept is three times as
#' large.
#'
#' # When the boundary is not linear
#' Where the boundary is not linear, rows beyond it look like wrong labels: on New Thyroid, whose
#' labels are right, `bpm()` expects ten wrong ones, and [gpc()] none. So where the Bayes factor
#' for wrong labels is above 3, with up to 2,000 rows, `gpc(epsilon = 0)` is fitted once for
#' comparison, which takes the time of such a fit. `print()` and [noise_test()] say where that
#' curve explains the labels better, and then no row is called wrong.
#'
#' # What the evidence of this model tells
#' What the help page of [stc()] says about finite `df` holds here too: the likelihood
#' depends on signs only, so the exact evidence is the same for all `df`, and t-EP
#' evidences must not be compared across models. `log_evidence(fit, method = "gaussian")`
#' can be compared; at finite `df` it costs one further EP fit. The default criterion
#' at finite `df` is therefore the leave-one-out one. The log evidence of an ADF fit is
#' the sum of the log predictive probabilities of the labels in the order of the rows.
#'
#' # Inputs
#' Numeric columns enter linearly, centred and scaled unless `scale = FALSE`. Factor,
#' character and logical columns enter as one 0/1 indicator per level, without a
#' reference level (the prior keeps the weights finite).
#'
#' Two kinds of columns are dropped with a message: constant ones, and text or
#' factor columns that differ in every one of more than ten rows, because they look
#' like identifiers. Text or levels that look like numbers with a decimal comma are an
#' error.
#'
#' In new data, a level that did not occur in training is allowed, with a message. The
#' rows tell nothing about its weight, which is therefore as under the prior: its mean is
#' 0, and the prior scale of the column is added to `s2` (see
#' [predict()][predict.sturdy_model]). At `df = Inf` that is what EP finds for a weight
#' without rows, at finite `df` nearly so. [absorb()] and [bpm_stream()] refuse such a
#' level, because the posterior has no place for its weight.
#'
#' In a formula, a term may be a variable, a transformation such as `log(x)` or
#' `poly(x, 2)`, or a product of numeric variables. A formula with `- 1` has no
#' intercept. Every input must be a column of `data`, and functions in the formula must
#' be in the workspace or in a package, where [predict()][predict.sturdy_model] finds
#' them; local ones are an error. Case weights and offsets: [case-weights].
#'
#' @inheritParams gpc
#' @param hyper `"integrate"`, the default, averages over the values of what is learned;
#'   `"optimum"`, the default where `criterion` is given or `inference = "adf"`, finds the best
#'   values and takes them as known, as in [gpc()]. `options(sturdy.hyper = "optimum")` changes the default.
#' @param df Degrees of freedom of the prior of the weights, above 0; `Inf`, the
#'   default, is a normal prior.
#' @param prior_scale Prior scales of the weights, above 0: diagonal entries of the
#'   scale *matrix* (variances at `df = Inf`). One number for all input columns (1 by
#'   default); or one per column, in the order of the columns or named by them (the
#'   indicators of a factor share theirs); or `"learn"`, which finds one per column by
#'   the criterion with a weak log-normal prior (only with `inference = "ep"`); or `"effects"`, the
#'   prior for who reports effects, see below. The
#'   intercept, if there is one, has scale 1 unless a named vector has an entry `"(Intercept)"`. It is not
#'   learned, because the common scale of all weights has no influence.
#' @param nugget Variance of independent noise on the latent function, on the scale of
#'   `prior_scale`: a number of at least 0, or `"learn"`, the default with `inference =
#'   "ep"`, which starts at 1 and has a log-normal prior with median 1 and a standard
#'   deviation of the log of 2. The default with `inference = "adf"` is 0.
#' @param epsilon The probability that a recorded label is wrong: a number in
#'   `[0, 0.5)`, or two, named `neg` and `pos`, by true class, as in [gpc()]; with
#'   `inference = "ep"` also `"learn"`, `"learn2"` or `"average"`, the default there unless
#'   `criterion = "loo"`, where it is `"learn"`. The default with `inference = "adf"` is 0.01.
#' @param inference `"ep"`, the default, or `"adf"`.
#' @param intercept Whether a constant is among the features (`TRUE` by default).
#' @param criterion What learning maximises, `"evidence"` or `"loo"`, as in [gpc()].
#'   `NULL`, the default, means `"evidence"` at `df = Inf` and `"loo"` at finite `df`.
#'   Not used by ADF.
#' @param scale Whether numeric columns are centred and scaled to unit standard
#'   deviation in the training rows (`TRUE`, the default). Weights and prior scales
#'   refer to the scaled columns.
#'
#' @return
#' `bpm()` returns an object of class `c("bpm", "sturdy_model")`, a plain list that can
#' be saved by [saveRDS()]. With n training rows, p encoded columns, g inputs and k
#' weights, its fields are
#'   * `spec`: the arguments, as `bpm_spec()` returns them;
#'   * `blueprint`, `data`, `epsilon`, `learning`, `call`: as in [fit-object];
#'   * `prior`: a list of `nugget` and `free_nugget`, whether it was learned; `scale`, the
#'     prior scales in use (g, one more with an intercept), named; `group` (k), which of
#'     them each weight uses; `free`, which
#'     were learned; `prior`, the `meanlog` and `sdlog` of their log-normal prior;
#'     `intercept`, whether there is one; and `weights` (k), the names of the weights;
#'   * `weights`: a list of `mean` (k), `C` (k x k) and `log_scale`. The posterior is
#'     `St(df, exp(log_scale / 2) mean, exp(log_scale) C)`. `NULL` if EP found none;
#'   * `ep`: as in [fit-object], but `b` (k) is the mean of the weights;
#'   * `label_stage`: as in [fit-object];
#'   * `curve`: where a curved boundary was held against this one, the integrated log evidences
#'     `log_evidence` (of the curve without wrong labels) and `some` (of the linear boundary with
#'     them).
#'
#' With `inference = "adf"`, and after [absorb()], the class is
#' `c("bpm_filtered", "bpm", "sturdy_model")`. Such a fit keeps nothing of single rows:
#' `data` and `ep` are `NULL`, and the field `filter` is a list of `rows` (the number of
#' rows absorbed), `errors` (how many of their labels were predicted wrongly before they
#' were absorbed), `log_score` (the sum of the log probabilities of those predictions),
#' `log_evidence` (the same, added to the log evidence of the EP fit that `absorb()`
#' started from, if any), `counts` (the number of rows of each class, including those
#' of the EP fit) and `log_scale` (the logarithm of the scale that ADF has taken out of the
#' posterior, which labels say nothing about: `exp(log_scale) C` is the scale matrix by the
#' formulas of ADF, which drifts without bound). In `weights` the `log_scale` of such a fit
#' gives the weights the size that they have in the prior: the sum of their escort second
#' moments over the prior scales is k, as under the exact posterior.
#'
#' An EP fit keeps its rows: [predict()][predict.sturdy_model] without `newdata`,
#' [fitted()], [residuals()][residuals.sturdy_model], [loo()] and [mislabelled()] work
#' for it, and not for a filtered fit.
#'
#' `bpm_spec()` returns a list of class `c("bpm_spec", "sturdy_spec")` with the checked
#' arguments.
#'
#' @section Conditions:
#' Those of [gpc()], listed in [conditions][sturdy-conditions], and
#' * `sturdy_error_prior_scale`: prior scales that do not match the columns, or
#'   `"learn"` with ADF;
#' * `sturdy_error_epsilon`: also for `"learn"` with ADF;
#' * `sturdy_error_no_inputs`: neither an input column nor an intercept;
#' * `sturdy_error_not_finite`, with the field `row`: inputs too large for ADF to square;
#' * `sturdy_error_not_positive_definite`, with the field `row`: the posterior to filter
#'   from is none;
#' * `sturdy_error_no_sites`: [loo()] and other functions that need single rows, for a
#'   filtered fit.
#'
#' @inherit sturdy-package references
#' @seealso [absorb()], [bpm_stream()], [coef()][bpm-weights],
#'   [predict()][predict.sturdy_model], [gpc()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(50), b = rnorm(50))
#' d$class <- factor(ifelse(d$a - d$b > 0, "yes", "no"))
#' wrong <- sample(50, 5)
#' d$class[wrong] <- ifelse(d$class[wrong] == "yes", "no", "yes")
#'
#' fit <- bpm(class ~ ., data = d)
#' fit
#' confint(fit)
#' predict(fit, data.frame(a = c(-1, 1), b = 0), type = "prob")
#'
#' first <- bpm(class ~ ., data = d[1:30, ], df = 10, inference = "adf")
#' absorb(first, d[31:50, ])
bpm <- function(x, ...) {
  check_x_given(missing(x), ...)
  UseMethod("bpm")
}

#' @rdname bpm
#' @export
bpm_spec <- function(...,
                     df = Inf,
                     prior_scale = 1,
                     nugget = if (inference == "adf") 0 else "learn",
                     epsilon = if (inference == "adf") 0.01 else default_epsilon(hyper, criterion),
                     inference = c("ep", "adf"),
                     hyper = default_hyper(criterion, if (inference == "adf") inference),
                     noise = noise_prior(),
                     intercept = TRUE,
                     criterion = NULL,
                     scale = TRUE,
                     control = ep_control()) {
  check_no_dots(..., known = names(formals(bpm_spec))[-1])
  inference <- check_choice(inference, c("ep", "adf"), "inference")
  df <- check_df(df)
  hyper <- check_choice(hyper, c("integrate", "optimum"), "hyper")
  epsilon <- check_epsilon(epsilon, average = TRUE)
  nugget <- check_open(
    nugget, "nugget", "learn", "be a number or {.val learn}", inference, positive = FALSE, size = 1
  )
  prior_scale <- check_open(
    prior_scale, "prior_scale", c("learn", "effects"),
    "be numeric, {.val learn} or {.val effects}", inference, positive = TRUE
  )
  if (inference == "adf" && is.character(epsilon)) abort_no_learning("epsilon", epsilon)
  new_spec(
    "bpm",
    df = df, prior_scale = prior_scale, nugget = nugget, epsilon = epsilon,
    inference = inference, hyper = hyper,
    noise = check_noise_prior(noise),
    intercept = check_flag(intercept, "intercept"),
    criterion = check_criterion(criterion, df),
    scale = check_flag(scale, "scale"), control = check_control(control)
  )
}
formals(bpm) <- c(formals(bpm), formals(bpm_spec)[-1])

#' @rdname bpm
#' @export
bpm.formula <- formula_face(bpm_spec)

#' @rdname bpm
#' @export
bpm.data.frame <- table_face(bpm_spec)

#' @rdname bpm
#' @export
bpm.matrix <- bpm.data.frame

#' @rdname bpm
#' @export
bpm.default <- no_face("bpm")

fit_molded.bpm_spec <- function(spec, molded) {
  prior <- bpm_prior(spec, molded$blueprint)
  if (spec$inference == "adf") {
    # one label and one flip rate for all rows, each of which counts once
    check_rows_without(molded$data, "Filtering", names(row_parts), "Fits with {.code inference = \"ep\"} can.")
    check_one_label(molded)
    return(absorb_rows(bpm_start(spec, molded, prior), molded$data$X, molded$data$y))
  }
  latent <- latent_weight(bpm_design(molded$data$X, prior), row_labels(molded$data), prior)
  fit <- learn_fit(latent, spec)
  prior <- prior_at(prior, fit$hyper)
  weights <- ep_weights(fit$ep, prior, spec$df)
  fit$ep <- kept_ep(fit$ep, spec)
  warn_ep(fit$ep)
  new_model(spec, molded, fit, prior = prior, weights = weights)
}

#' A filtered fit that has seen no row yet
#' @noRd
bpm_start <- function(spec, molded, prior) {
  k <- length(prior$weights)
  spec <- two_class_noise(spec, molded$blueprint$levels)
  fit <- new_model(
    spec, molded, list(epsilon = spec$epsilon, ep = NULL),
    prior = prior, weights = new_weights(numeric(k), diag(weight_scales(prior), k), prior)
  )
  as_filtered(fit)
}
