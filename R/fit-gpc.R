#' Gaussian process classification with labels that may be wrong
#'
#' Fits a Gaussian process classifier by expectation propagation (EP), for two classes or, with
#' a latent function a class, for up to 20. The likelihood allows each recorded label to be
#' wrong with probability `epsilon`, so that a few wrong labels have little effect on the
#' class boundary. By default answers are averages over the hyperparameters of the kernel,
#' over `epsilon`, and over whether labels are wrong at all. [stc()] is the same model under a
#' Student-t process.
#'
#' `gpc_spec()` checks the arguments and returns them without fitting anything;
#' `gpc()` passes its `...` to it.
#'
#' @details
#' With a latent function `f` under the [kernel][kernel_ard] and labels `y` of -1
#' and +1, the likelihood of one label is
#' \deqn{p(y_i | f_i) = \epsilon + (1 - 2\epsilon) 1(y_i f_i > 0)}{p(y_i | f_i) =
#'   epsilon + (1 - 2 epsilon) 1(y_i f_i > 0)}
#' (Kim and Ghahramani, 2008). With a nugget in the kernel this is a probit
#' likelihood whose labels may be flipped. EP is that of Minka (2001), in the form of
#' Rasmussen and Williams (2006, algorithm 3.5), with site precisions of either sign.
#'
#' With `hyper = "optimum"` the hyperparameters that the kernel does not hold fixed, and
#' `epsilon` if it is `"learn"` or `"learn2"`, are found by maximising the criterion plus
#' the log prior of the kernel. The search is on the log scale (for `epsilon` on the logit
#' scale below 1/2), by quasi-Newton steps with exact gradients from several starting
#' points; see [ep_control()]. A solution on a bound of the search is reported by
#' `print()` and [ep_diagnostics()].
#'
#' Details have pages of their own: [averaging], the default; [many-rows], inducing inputs;
#' [several-classes]; [flip-rate-methods], ways to learn the flip rate.
#'
#' Without inducing inputs time grows as n^3 and memory as n^2 in the number of training
#' rows n: a fit holds about four n x n matrices of doubles at a time (3.2 GB at n =
#' 10,000).
#'
#' # Inputs
#' Numeric columns enter the kernel through squared differences. Factor, character
#' and logical columns enter through whether two rows have the same level: contrasts
#' are not used, and all levels are treated alike.
#'
#' Two kinds of columns are dropped with a message: constant ones, and text or
#' factor columns that differ in every one of more than ten rows, because they look
#' like identifiers. Text or levels that look like numbers with a decimal comma are an
#' error.
#'
#' In new data, a level that did not occur in training is allowed, with a message: to
#' the kernel it differs from every known level, as these do from each other. [absorb()]
#' and [posterior_sample()] refuse it, because several new levels would count as one.
#'
#' In a formula, a term may be a variable, a transformation such as `log(x)` or
#' `poly(x, 2)`, or a product of numeric variables. Interactions with factors are an
#' error, because the kernel lets all inputs interact. The intercept of the formula
#' has no effect: the `bias` of the kernel plays that part. Every input must be a
#' column of `data`, and functions in the formula must be in the workspace or in a
#' package, where [predict()][predict.sturdy_model] finds them; local ones are an error.
#' There are no case weights and no offset; `weights` and `offset()` are errors.
#'
#' @param x A formula, a data frame of inputs, or a numeric matrix of inputs with
#'   one row per observation.
#' @param formula A formula with the response on its left, as in `class ~ .`.
#' @param data A data frame with the variables of the formula, or rows in pieces, see
#'   [shards()]. `NULL`, the default, takes them from the environment of the formula.
#' @param y The response, with one entry per row of `x`: a factor or character vector with
#'   two classes (for [gpc()] up to 20), a logical vector, or numbers 0/1 or -1/+1. Of two
#'   classes **the second level is the event**, whose probability the fit models: that of a factor
#'   as it stands, of text the later one in the order of the C locale (capitals before small
#'   letters, plain letters before others) whatever the locale of the session, and `TRUE` or 1.
#'   `print()` names it. Unused levels are dropped with a message. Where several people or tests
#'   labelled the rows, [readers()]. A row whose label is missing takes no part in the fit, and
#'   [predict()][predict.sturdy_model] without `newdata` answers for it, too; a message says so.
#' @param ... For `gpc()`, arguments of `gpc_spec()`: `kernel`, `epsilon`, `hyper`, `noise`,
#'   `criterion`, `method`, `inducing`, `kernels`, `scale` and `control`. For `gpc_spec()`, none. An
#'   unknown argument is an error.
#' @param subset Which rows of `data` to use, as in [stats::lm()]: an expression that
#'   is evaluated in `data` and gives a logical vector with one entry per row, or
#'   positions or names of rows. `NULL`, the default, uses all rows.
#' @param na.action What to do with rows of `data` that have missing values: a
#'   function such as [stats::na.omit()], the default, [stats::na.exclude()] or
#'   [stats::na.fail()]. The first two leave rows out that lack an input; those that lack the
#'   label alone are answered. The methods for data frames and matrices do not accept
#'   missing inputs.
#' @param cluster With [shards()], `NULL`, the default, for this process, or a cluster made by
#'   [parallel::makeCluster()], at whose workers the shards are then.
#' @param kernel [kernel_ard()] (one lengthscale per column) or [kernel_iso()] (one for all). The
#'   default is the first up to 400 columns, and the second with more, with a message. Asked for
#'   with more than 400 columns, `kernel_ard()` gives a warning: the ratios of the lengthscales are
#'   then found in a few steps and held, and what they have in common is learned.
#' @param epsilon The probability that a recorded label is wrong: a number in `[0, 0.5)`,
#'   `"learn"`, or `"average"`, over noise models (see [averaging]), the default unless
#'   `hyper = "optimum"`, when it is `"learn"`. Two rates, `c(neg = , pos = )`, let the
#'   classes differ: `neg` is the probability that a row of the first class is recorded as
#'   the event, `pos` that an event is recorded as the first class; `"learn2"` learns
#'   both. In [gpc()] also a noise matrix, with a row for each true class and a column for
#'   each recorded one, or `"matrix"`, which learns it.
#' @param hyper `"integrate"`, the default, averages over the values of what is learned;
#'   `"optimum"`, the default where `criterion` or `method` is given, finds the best values
#'   and takes them as known. See [averaging].
#'   `options(sturdy.hyper = "optimum")` changes the default, for scripts that were written
#'   for it.
#' @param noise The priors of label noise, made by [noise_prior()]. They are used where
#'   `hyper = "integrate"` or `epsilon = "average"`.
#' @param trusted Rows whose labels are known to be right: logical, with an entry for each
#'   row of the data, or positions of rows. With a formula it is evaluated in `data`, as
#'   `subset` is. These rows have a flip rate of 0.
#' @param rates Groups of rows (sites, annotators, batches) with flip rates of their own:
#'   a formula such as `~ clinic`, evaluated in `data`, or a vector with the group of each
#'   row. By their prior the rates of groups are alike to a degree (`pooling` in
#'   [noise_prior()]). Refused where most rows are alone in their group.
#' @param criterion What learning maximises: `"evidence"`, the EP approximation of
#'   the log marginal likelihood, or `"loo"`, the leave-one-out log predictive
#'   probability of the recorded labels. Not used when nothing is learned.
#' @param method How a flip rate is learned when the criterion is the evidence:
#'   * `"gradient"`, the default: jointly with the kernel, by its gradient;
#'   * `"em"`: by EM-EP (Kim and Ghahramani, 2008, section 3), in turn with steps for
#'     the kernel. The M-step sets `epsilon` to the mean probability that a label is wrong under the
#'     tilted marginals. Its fixed points are stationary points of the evidence, so it
#'     seeks the same optimum as `"gradient"`, in more steps;
#'   * `"em_kg08"`: the same with the posterior marginals, as printed in their
#'     equations 17-20. It learns rates that are too large, see [flip-rate-methods].
#' @param inducing For many rows: `NULL` for the kernel between all rows; a number m of
#'   inducing inputs, which are placed among the rows; or the inducing inputs themselves, a
#'   data frame or matrix with the input columns. `"auto"`, the default, is `NULL` up to
#'   500 rows (300 with three classes or more), where the kernel between all rows is as fast,
#'   and 100 above: more where 100 leave more than a twentieth of the variance (200 with more
#'   than 20 encoded columns, else 200 at 501 rows and fewer with more, 100 from 4000 on). See
#'   [many-rows].
#' @param kernels With two classes and all rows in the kernel (`inducing = NULL`), `"average"`, the
#'   default with `hyper = "integrate"`, over a kernel with a lengthscale for each column and a plain
#'   one, with one lengthscale for all of them and a linear part: on few rows many lengthscales may
#'   follow wrong labels. `"shared"` is the first alone. With three classes or more, `"average"`, the default with `hyper =
#'   "integrate"`, over one kernel and kernels by class that are alike to a degree (see
#'   [several-classes]); `"shared"`, the default otherwise, for one kernel; or `"per class"`, for
#'   hyperparameters of each class that know nothing of each other.
#' @param scale Whether numeric columns are centred and scaled to unit standard
#'   deviation in the training rows (`TRUE`, the default). Lengthscales refer to the
#'   scaled columns.
#' @param control Settings of EP and of the search, made by [ep_control()].
#'
#' @return
#' `gpc()` returns an object of class `c("gpc", "sturdy_model")`, a plain list that can
#' be saved by [saveRDS()]. With n training rows, p encoded columns (numeric columns,
#' and one 0/1 indicator per level of the others) and g inputs, its fields are
#'   * `spec`: the arguments, as `gpc_spec()` returns them;
#'   * `blueprint`: how inputs are encoded: terms, levels, centre and scale, and the two
#'     classes. It contains no data;
#'   * `data`: the encoded training rows, a list of `X` (n x p), `y` (n, -1 or +1),
#'     `rows` (n, positions in the data given), `row_names` (n), `na_action` (what
#'     `na.action` left out, or `NULL`) and `n_given` (the number of rows of the data
#'     given); where rows have no label `unlabelled`, a list of their `X`, `rows`, `row_names` and
#'     `at`, their positions before `na.action` left rows out;
#'   * `epsilon`: the flip rate in use, a number, or two named `neg` and `pos`;
#'   * `omega`: the noise matrix in use, a row a true class and a column a recorded one (the mean
#'     over groups and nodes);
#'   * `kernel`: the kernel with the values in use; `lengthscale` has g entries (one for
#'     [kernel_iso()]);
#'   * `inducing`: `NULL` for a dense kernel, otherwise a list of `Z` (m x p, encoded), `C`
#'     (the covariance of the whitened latent values at Z and of the bias) and `left` (the
#'     share of the variance left); `b` of `ep` is then their location;
#'   * `ep`: the EP fixed point, a list of `sites` (`tau` and `nu`, n each), `m` (n),
#'     `C_diag` (n), `log_det`, `kappa`, `b` (n) and `cavity` (`mean` and `var`, n each),
#'     in the scaled coordinates of [ep_fit()]; `log_evidence` and `log_evidence_zp`;
#'     `loo` (n, leave-one-out log probabilities of the labels); `flipped` (n,
#'     probabilities that the labels are wrong); `status`, `message`, `residual` (n),
#'     `sweeps`, `newton` (Newton steps among them), `skipped` (sites left out of the last
#'     sweep), and `trace`, a data frame with one row per sweep (`NULL` if
#'     `ep_control(trace = FALSE)`);
#'   * `learning`: `NULL` if nothing was learned, otherwise a list of `value` (the
#'     criterion), `penalised` (with the log prior), `convergence` (0 means success),
#'     `message`, `cold_start` (whether EP from a cold start reaches `value`),
#'     `evaluations`, `starts` (a data frame with one row per starting point; those that
#'     end at the same place share its value), `method`,
#'     `trace` (the iterations of EM, otherwise `NULL`) and `on_bound` (names of the
#'     hyperparameters on a bound of the search);
#'   * `call`: the call;
#'   * `nodes`: where the fit averages, see [averaging], otherwise `NULL`;
#'   * `noise`: with a matrix learned at one point a list of `rate`, `strength` and `apart` of its
#'     prior (see [several-classes]) and the expected `counts`, otherwise `NULL`.
#'
#' With three classes or more `data$y` counts the classes from 1, `epsilon` has the rate, or
#' with a matrix the rate of each true class, `inducing$C` has a column a class, and so have
#' `sites`, `cavity`, `m`, `C_diag` and `b` in `ep`.
#'
#' `gpc_spec()` returns a list of class `c("gpc_spec", "sturdy_spec")` with the checked
#' arguments and `df`, which is `Inf`.
#'
#' @section Conditions:
#' The class of an error is `sturdy_error_<name>`, below `sturdy_error`, and that of
#' warnings and messages accordingly. Errors in the data: `outcome_type`, `outcome_levels`
#' (not two classes), `missing` (missing values), `not_finite`, `no_rows`, `length` (`x`
#' and `y` do not match), `column_type`, `column_names`, `formula`, `interaction`,
#' `subset` (it can't be evaluated or does not select rows) and `missing_argument` (`y`).
#' Errors in arguments: `epsilon`, `df`, `method`, `hyperparameter`, `lengthscales`,
#' `inducing`, `kernels`, `type`, `choice`, `trusted`, `rates` and `unknown_argument`; with
#' three classes or more also `criterion` and `prior` (of two classes), and `several_classes`
#' from functions that have no answer for them. Error `memory`: the matrices would not fit into
#' memory; the estimate is made before anything is allocated, against what the machine, `ulimit`,
#' the control group and R leave, and `options(sturdy.max_memory = )`, in bytes, replaces that
#' limit; the same class when memory runs out all the same.
#'
#' Every function for a fit first checks that it is one. Error `changed`: it was not made
#' by this version of sturdy, or a field was removed or replaced by what can't be there.
#' This is no protection from a forger: to read an RDS file from a stranger is to run a
#' program from a stranger.
#'
#' Warnings: `sturdy_warning_not_converged` when EP ended without a fixed point (the status
#' and a sentence are in the field `ep`); `sturdy_warning_fixed_points` when it has several
#' with different probabilities (see [ep_diagnostics()]);
#' `sturdy_warning_evidence_undefined` when there is no t-EP evidence at its fixed point.
#'
#' With `trusted` and `rates`: errors `trusted` and `rates` for values that do not match
#' the rows, and where one averages: `prior` for a hyperparameter without one, and
#' `no_posterior` when EP has no fixed point at any start.
#'
#' Warning `sturdy_warning_many_columns` where one lengthscale for each of more than 400 columns is
#' asked for, message `sturdy_message_many_columns` where the default is one for all of them.
#'
#' Messages: `sturdy_message_integrated_roughly` when too few nodes are effective;
#' `sturdy_message_few_rows` with fewer than four rows;
#' `sturdy_message_rows_left_out` for rows with missing values, with the fields `rows` and
#' `columns`; `sturdy_message_no_label` for rows without a label, with their positions `rows`; `sturdy_message_constant_columns` and `sturdy_message_likely_id` for columns
#' that are dropped; `sturdy_message_row_numbers`, `sturdy_message_text_dates` and
#' `sturdy_message_text_numbers` for columns that number the rows, or are dates or numbers in text;
#' `sturdy_message_ordered_outcome` for classes whose order is not used,
#' `sturdy_message_unused_levels` for levels of the response that are
#' dropped, `sturdy_message_blank_level` for labels that are blank,
#' `sturdy_message_similar_levels` for levels that differ only in blanks or capitals,
#' `sturdy_message_labels` for an input that has a value for each class, and,
#' for new data, `sturdy_message_novel_levels`.
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
  check_x_given(missing(x), ...)
  UseMethod("gpc")
}

#' @rdname gpc
#' @export
gpc.formula <- function(formula, data = NULL, ..., subset = NULL,
                        na.action = stats::na.omit, trusted = NULL, rates = NULL,
                        cluster = NULL) {
  spec <- gpc_spec(...)
  fit_rows(
    data, spec, formula, substitute(subset), na.action, cluster, rlang::current_env(),
    environment(formula), list(trusted = substitute(trusted), rates = substitute(rates)),
    many = TRUE
  )
}

#' @rdname gpc
#' @export
gpc.data.frame <- function(x, y, ..., trusted = NULL, rates = NULL) {
  spec <- gpc_spec(...)
  fit_spec(spec, known_in(mold_xy(x, y, spec$scale, many = TRUE), x, trusted, rates))
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
                     epsilon = default_epsilon(hyper),
                     hyper = if (optimum) "optimum" else default_hyper(),
                     noise = noise_prior(),
                     criterion = c("evidence", "loo"),
                     method = c("gradient", "em", "em_kg08"),
                     inducing = "auto",
                     kernels = if (hyper == "integrate") "average" else "shared",
                     scale = TRUE,
                     control = ep_control()) {
  blame_caller()
  check_no_dots(..., known = names(formals(gpc_spec))[-1])
  optimum <- !missing(criterion) || !missing(method)
  kernel <- if (missing(kernel)) usual_kernel() else check_kernel(kernel)
  hyper <- check_choice(hyper, c("integrate", "optimum"), "hyper")
  criterion <- check_choice(criterion, c("evidence", "loo"), "criterion")
  epsilon <- check_epsilon(epsilon, average = TRUE, matrix = TRUE)
  new_spec(
    "gpc",
    df = Inf, kernel = kernel, epsilon = epsilon, hyper = hyper,
    noise = check_noise_prior(noise), criterion = criterion,
    method = check_method(method, epsilon, criterion, hyper),
    inducing = check_inducing(inducing),
    kernels = check_kernels(kernels, hyper),
    scale = check_flag(scale, "scale"), control = check_control(control)
  )
}

#' @noRd
check_kernels <- function(kernels, hyper, call = rlang::caller_env()) {
  kernels <- check_choice(kernels, c("average", "shared", "per class"), "kernels", call)
  must(
    kernels != "average" || hyper == "integrate", "kernels",
    "be {.val shared} or {.val per class} with {.code hyper = \"optimum\"}", "kernels",
    call = call
  )
  kernels
}

#' EM has a closed M-step only for a flip rate that the evidence learns
#' @noRd
check_method <- function(method, epsilon, criterion, hyper, call = rlang::caller_env()) {
  method <- check_choice(method, c("gradient", "em", "em_kg08"), "method", call)
  learned <- is_one_of(epsilon, c("learn", "learn2")) && hyper == "optimum"
  if (method != "gradient" && !(learned && criterion == "evidence")) {
    abort_sturdy(
      "{.arg method} must be {.val gradient}, unless {.arg epsilon} is {.val learn} or
       {.val learn2} with {.code hyper = \"optimum\"} and {.code criterion = \"evidence\"}.",
      "method", arg = "method", call = call
    )
  }
  method
}
