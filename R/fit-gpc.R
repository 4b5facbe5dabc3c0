#' Gaussian process classification with labels that may be wrong
#'
#' Fits a classifier to a table in which some labels may be wrong. The boundary between the
#' classes may have any smooth shape, and a few wrong labels hardly affect it. The fit says
#' whether labels are wrong, how many, and which. There may be two to 20 classes.
#'
#' @details
#' `fit <- gpc(class ~ ., data = d)` is all that most tables need. Then
#' * `print(fit)` answers: are labels wrong, and how many; [noise_test()] says why it thinks so;
#' * [mislabelled()] lists the rows, most suspicious first; [label_report()] makes a page of
#'   them, and [review()] says what to check next;
#' * [predict()][predict.sturdy_model] gives classes and probabilities, of the *true* class;
#' * [plot()][plot.sturdy_model] and [summary()][summary.sturdy_model] show the model.
#'
#' Nothing is taken as known: the fit averages over the kernel, and a second step over how labels
#' go wrong and whether any is ([averaging]). Each of these pages answers one question:
#'
#' | question | page |
#' | --- | --- |
#' | Which columns, formulas and classes may there be? | [inputs] |
#' | What is a wrong label? How do I say what I know of the labels? | [label-noise] |
#' | How are wrong labels found and counted? | [wrong-labels] |
#' | Are labels wrong, or do the classes overlap? | [overlap] |
#' | What is averaged over, and what does that cost? | [averaging] |
#' | What if there are more than 500 rows (300 with three classes or more)? | [many-rows] |
#' | What if there are three classes or more? | [several-classes] |
#' | What if the classes have an order? | [ordered-classes] |
#' | How are hyperparameters and rate learned at one point? | [learning] |
#' | What is in a fit? | [fit-object] |
#' | Which errors, warnings and messages are there? | [conditions][sturdy-conditions] |
#'
#' Time grows as n^3 and memory as n^2 in the number of rows n up to 500 rows (with `inducing =
#' NULL` a fit holds about four n x n matrices: 3.2 GB at n = 10,000); above, by default, both grow as n.
#'
#' `gpc_spec()` checks the arguments and returns them without fitting anything.
#'
#' @param x A formula, a data frame of inputs, or a numeric matrix of inputs with
#'   one row per observation.
#' @param formula A formula with the response on its left, as in `class ~ .`.
#' @param data A data frame with the variables of the formula, or rows in pieces, see
#'   [shards()]. `NULL`, the default, takes them from the environment of the formula.
#' @param y The response, with one entry per row of `x`: a factor, text, a logical vector, or
#'   numbers 0/1 or -1/+1 (see [inputs]). With two classes **the second level is the event**,
#'   whose probability the fit models; `print()` names it. [gpc()] uses the order of an ordered
#'   factor of three classes or more, see [ordered-classes]. For labels by several people or tests
#'   see [readers()]; for a matrix of class probabilities [label-noise]; where only one class is
#'   ever recorded, `unlabelled` of [noise_prior()].
#' @param ... Not used: an unknown argument is an error.
#' @param subset Which rows of `data` to use, as in [stats::lm()]: an expression that
#'   is evaluated in `data` and gives a logical vector with one entry per row, or
#'   positions or names of rows. `NULL`, the default, uses all rows.
#' @param na.action What to do with rows of `data` that have missing values: a function such as
#'   [stats::na.omit()], the default, [stats::na.exclude()] or [stats::na.fail()]. The first two
#'   leave out rows that lack an input. Rows that lack only the label take no part in the fit, but
#'   [predict()][predict.sturdy_model] without `newdata` answers for them. The methods for data
#'   frames and matrices do not accept missing inputs.
#' @param weights Case weights, for two classes only: numbers above 0, one for each row of the
#'   data; with a formula they are evaluated in `data`, as `subset` is. A row of weight w counts
#'   as w rows with the same inputs and label: see [case-weights].
#' @param cluster Where the rows of [shards()] are fitted: `NULL`, the default, in this process,
#'   or by an engine that maps a function over a list, such as `mirai::mirai_map`, or a cluster
#'   made by [parallel::makeCluster()].
#' @param kernel [kernel_ard()] (one lengthscale per column) or [kernel_iso()] (one for all). The
#'   default is the first, with two classes and `hyper = "integrate"` or `epsilon = "average"` with a
#'   linear part whose size is learned (`kernel_ard(linear = 1)`); with more than `r wide_columns` columns, and for rows of
#'   unit length (embeddings), the second, with a message.
#' @param epsilon The probability that a recorded label is wrong. `"average"`, the default,
#'   averages over noise models and rates; `"learn"` finds the best rate, and is the default at the
#'   optimum with `criterion = "loo"`, or a kernel that learns
#'   something without a prior. A number in `[0, 0.5)`, two rates by true class, named `neg` and `pos` or by the classes, whose sum
#'   is below 1, or a noise matrix is taken as known; `"learn2"` learns two rates, `"matrix"` a
#'   matrix. See [label-noise].
#' @param hyper `"integrate"`, the default, averages over the values of what is learned;
#'   `"optimum"`, the default where `criterion` is given, finds the best values
#'   and takes them as known: at the best mode of what would be averaged over, or with `epsilon =
#'   "learn"` or a given rate those that maximise `criterion`. `options(sturdy.hyper = "optimum")` changes the default.
#' @param noise The priors of label noise and of overlap, made by [noise_prior()].
#' @param trusted Rows whose labels are known to be right: logical, with an entry for each
#'   row of the data, without missing values in the rows of the fit, or positions of rows. With a formula it is evaluated in `data`, as
#'   `subset` is, or a formula such as `~ checked`. These rows have a flip rate of 0. Trust
#'   rows of every class: with nearly all rows of one class trusted and none of the other, no row is
#'   known to be of the other class, and its labels look wrong, be they all right.
#' @param rates Groups of rows (sites, annotators, batches) with flip rates of their own: a
#'   formula such as `~ clinic`, evaluated in `data`, or a vector with the group of each row. A
#'   priori the rates of groups are correlated (`pooling` in [noise_prior()]). Groups that have
#'   nothing to do with wrong labels make the evidence for wrong labels weaker. Refused where most
#'   rows are alone in their group: of a measurement `~ cut(age, 4)` makes groups.
#' @param units The unit of each row, where rows come in units that share a label, and the error of it (the
#'   visits of a patient, the crops of an image): a formula such as `~ patient`, evaluated in `data`, or a vector.
#'   See [label-noise]. `NULL`, the default, means that each row is a unit of its own.
#' @param criterion What learning at one point maximises, unless `epsilon = "average"`: `"evidence"` or
#'   `"loo"`, the leave-one-out log probability of the recorded labels. `NULL`, the default, means the
#'   first, at a finite `df` the second. See [learning].
#' @param inducing For many rows: `"auto"`, the default; `NULL` for the kernel between all rows; a
#'   number of inducing inputs, or the inducing inputs themselves. See [many-rows]; of a table of a database [dbi_source()].
#' @param kernels `"shared"`, the default, for one kernel; with three classes or more also `"per
#'   class"`, one for each, see [several-classes].
#' @param df Degrees of freedom of the process: `Inf`, the default, is a Gaussian one. With a finite
#'   number the fit is an [stc()], of two classes.
#' @param scale Whether numeric columns are centred and scaled to unit standard
#'   deviation in the training rows (`TRUE`, the default). Lengthscales refer to the
#'   scaled columns.
#' @param control Settings of EP and of the search, made by [ep_control()].
#'
#' @return `gpc()` returns an object of class `c("gpc", "sturdy_model")`, a plain list that can be saved
#'   by [saveRDS()]; [fit-object] describes its fields. `gpc_spec()` returns a list of class
#'   `c("gpc_spec", "sturdy_spec")` with the checked arguments.
#' @section Conditions:
#' All are listed on the page [conditions][sturdy-conditions]. Errors in the data name the column or the rows; a fit that did not
#' converge is a warning, and says so when it is printed.
#' @inherit sturdy-package references
#' @seealso [stc()], the same under a Student-t process; [bpm()], a linear boundary;
#'   [second_stage()], for the scores of any classifier; [select_model()], which compares them
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
gpc_spec <- function(...,
                     kernel = kernel_ard(),
                     epsilon = default_epsilon(hyper, criterion, kernel),
                     hyper = default_hyper(criterion),
                     noise = noise_prior(),
                     criterion = NULL,
                     inducing = "auto",
                     kernels = "shared",
                     df = Inf,
                     scale = TRUE,
                     control = ep_control()) {
  check_no_dots(..., known = names(formals(gpc_spec))[-1])
  df <- check_df(df)
  kernel <- if (missing(kernel)) usual_kernel() else check_kernel(kernel)
  hyper <- check_choice(hyper, c("integrate", "optimum"), "hyper")
  epsilon <- check_epsilon(epsilon, average = TRUE, matrix = TRUE)
  criterion <- check_criterion(criterion, df)
  new_spec(
    c(if (is.finite(df)) "stc", "gpc"),
    df = df, kernel = kernel, epsilon = epsilon, hyper = hyper,
    noise = check_noise_prior(noise), criterion = criterion,
    inducing = check_inducing(inducing),
    kernels = check_choice(kernels, c("shared", "per class"), "kernels"),
    scale = check_flag(scale, "scale"), control = check_control(control)
  )
}
formals(gpc) <- c(formals(gpc), formals(gpc_spec)[-1]) # to be seen; methods hand them on

#' @rdname gpc
#' @export
gpc.formula <- formula_face(gpc_spec)

#' @rdname gpc
#' @export
gpc.data.frame <- table_face(gpc_spec)

#' @rdname gpc
#' @export
gpc.matrix <- gpc.data.frame

#' @rdname gpc
#' @export
gpc.default <- no_face("gpc")

fit_molded.gpc_spec <- function(spec, molded) {
  blueprint <- molded$blueprint
  X <- molded$data$X
  coding <- blueprint_columns(blueprint)
  ordered <- isTRUE(blueprint$ordered)
  two <- length(blueprint$levels) == 2
  spec$kernel <- kernel_for(spec$kernel, X, blueprint, two && learns_by_nodes(spec))
  kernel <- kernel_resolve(
    spec$kernel, X, coding, blueprint$columns, blueprint$all_columns,
    integrate = learns_by_nodes(spec), overlap = spec$noise$overlap,
    classes = if (ordered) 2 else length(blueprint$levels)
  )
  if (ordered) kernel <- ordered_kernel(kernel, blueprint$levels)
  if (spec$kernels == "per class") kernel <- kernel_per_class(kernel, blueprint$levels)
  Z <- inducing_inputs(spec$inducing, blueprint, X)
  latent_of <- function(kernel) {
    new_kernel_latent(molded$data, kernel, kernel_columns(kernel, coding), Z)
  }
  latent <- latent_of(kernel)
  wide <- wide_kernel(kernel, latent, spec)
  if (!identical(wide, kernel)) {
    kernel <- wide
    latent <- latent_of(kernel)
  }
  warn_followed(kernel, latent, spec)
  fit <- learn_fit(latent, spec)
  for (name in names(fit$hyper)) kernel[[name]][] <- fit$hyper[[name]]
  inducing <- new_inducing(fit)
  fit$ep <- kept_ep(fit$ep, spec)
  warn_ep(fit$ep)
  new_model(spec, molded, fit, kernel = kernel, inducing = inducing)
}
