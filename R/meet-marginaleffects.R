# marginaleffects: predictions(), comparisons(), slopes() with intervals from draws of the
# latent function.

#' Marginal effects
#'
#' Methods for the marginaleffects package: `predictions()`, `comparisons()`, `slopes()`,
#' their averages and plots work for fits of [gpc()], [stc()] and [bpm()].
#'
#' @details
#' What is predicted is the probability of the event, the second level, without label noise:
#' of what is true, not of what is recorded. Odds ratios and risk differences from it are
#' thus corrected for misclassified labels, as far as the fit knows how many there are:
#' overlap of the classes alone looks much like wrong labels to a [bpm()], which then averages
#' over both. A rate that is known (`epsilon = `), or what a validation study found
#' ([noise_prior()]), corrects more than one that is learned. With three classes or more there is a
#' row for each class (the column `group`).
#'
#' Intervals are quantiles of 1000 draws (250 with three classes or more) of the latent
#' function and, for a fit that averages, of the hyperparameters. A draw is a whole function,
#' so that differences between rows and averages over rows have the right spread. The draws
#' are the same every time, and the random numbers of the session are left alone. Draws of
#' single rows have the distribution that [predict(interval = )][predict.sturdy_model]
#' describes (where a fit has a label stage, nearly that, towards 0 and 1 less so);
#' correlations between rows are approximate for fits with a kernel (random Fourier features), exact
#' for [bpm()] and with inducing inputs. What inducing inputs leave of the variance counts as
#' independent noise. Draws are made with
#' `options(sturdy.draws = )` of them.
#'
#' As in [predict()][predict.sturdy_model], probabilities come through the label stage of a fit, each
#' draw by one of its points, and those of a row are moved by a factor of their odds so that their
#' mean is what `predict()` returns. So comparisons are those of predictions. The coefficients and odds
#' ratios of [tidy()][tidy.sturdy_model] are of the fit itself.
#'
#' `estimate` is the median of the draws unless
#' `options(marginaleffects_posterior_center = "mean")` is set, as it should be: the mean is what
#' `predict()` returns, up to the error of draws, while the median of a probability that is
#' near 0 or 1 in each draw says little. A message says so once a session.
#'
#' Rows of `newdata` with missing values have missing predictions, which a message says once a
#' session; for comparisons and slopes leave such rows out, since marginaleffects stops at missing
#' draws.
#'
#' Of a parsnip fit take the engine's, `parsnip::extract_fit_engine()`: with its own,
#' marginaleffects gives estimates without intervals.
#'
#' `hypotheses()` of a [bpm()] is about its coefficients, by `coef()` and `vcov()`.
#' @param model A fit.
#' @param newdata A data frame.
#' @param type `"response"`, the probability, or, for two classes, `"link"`, its normal quantile:
#'   without a label stage the latent function over the standard deviation of the nugget.
#' @param coefs Coefficients in the order of `coef()`.
#' @param ... Not used.
#' @return As marginaleffects has them.
#' @section Conditions:
#' From `set_coef()`: `sturdy_error_averaged` for a fit that averages, whose nodes have weights of
#' their own.
#'
#' `sturdy_message_median`, once a session, while the centre of draws is the median;
#' `sturdy_message_left_out`, once a session, for rows with missing values;
#' `sturdy_error_no_latent` for a [second_stage()], which has no latent function;
#' `sturdy_error_choice` for another `type`, or `"link"` without a nugget; those of
#' [predict()][predict.sturdy_model] for `newdata`; `sturdy_error_memory`.
#' @references
#' Wilson, J. T., Borovitskiy, V., Terenin, A., Mostowsky, P. and Deisenroth, M. P. (2021)
#' Pathwise conditioning of Gaussian processes. *Journal of Machine Learning Research* 22.
#' @seealso [predict()][predict.sturdy_model], [coef()][bpm-weights]
#' @name sturdy-marginaleffects
#' @examplesIf interactive() && all(rlang::is_installed(c("marginaleffects", "collapse")))
#' set.seed(1)
#' d <- data.frame(x = rnorm(60), treated = rep(0:1, 30))
#' d$y <- factor(ifelse(d$x + d$treated + rnorm(60) > 0, "ill", "well"), c("well", "ill"))
#' fit <- bpm(y ~ x + treated, data = d, epsilon = 0.05, hyper = "optimum")
#' # few draws, to be quick
#' old <- options(marginaleffects_posterior_center = "mean", sturdy.draws = 200)
#' marginaleffects::avg_comparisons(fit, variables = "treated")
#' options(old)
NULL

#' @rdname sturdy-marginaleffects
#' @exportS3Method marginaleffects::get_predict
get_predict.sturdy_model <- function(model, newdata, type = "response", ...) {
  check_model(model)
  several <- is_several(model)
  type <- check_choice(type, c("response", if (!several) "link"), "type")
  new <- marginal_inputs(model, newdata)
  draws <- path_draws(model, new$X)
  through <- type == "response" || !is.null(model$label_stage)
  p <- if (through) path_prob(model, new$X, draws)
  if (type == "link") {
    z <- if (through) tail_quantile(p[[1]], p[[2]]) else path_link(model, new$X, draws)
    check_link(all(is.finite(z)))
    p <- list(z)
  } else if (!several) p <- p[2]
  marginal_frame(p, new$complete, newdata, several)
}

#' @rdname sturdy-marginaleffects
#' @exportS3Method marginaleffects::get_vcov
get_vcov.sturdy_model <- function(model, ...) {
  check_model(model)
  if (inherits(model, "bpm")) stats::vcov(model)
}

#' @rdname sturdy-marginaleffects
#' @exportS3Method marginaleffects::set_coef
set_coef.bpm <- function(model, coefs, ...) {
  check_model(model)
  check_posterior(model)
  many <- node_count(model)
  must(
    many == 1, "model", "be a fit at one point", "averaged", more = c(
      x = "It averages over {many} nodes, each with weights of its own.",
      i = "Fit it with {.code hyper = \"optimum\"}."
    )
  )
  nodes <- coefficient_nodes(model, "coefficients")
  size <- nrow(nodes$A)
  must(are_numbers(coefs, size), "coefs", "be {size} finite number{?s}, one a coefficient", got = coefs)
  # weights with these coefficients, the nearest of them: levels have a weight each
  gap <- as.vector(coefs) / sqrt(nodes$scale) - drop(nodes$A %*% model$weights$mean)
  model$weights$mean[] <- model$weights$mean + crossprod(nodes$A, solve(tcrossprod(nodes$A), gap))
  if (is_average(model)) model$nodes$b[] <- model$weights$mean
  model
}

#' Is there a link scale?
#' @noRd
check_link <- function(nugget) {
  refuse(
    !nugget, "{.arg type} can't be {.val link} for a fit with a nugget of 0: given the latent
              function the class is certain.", "choice", arg = "type"
  )
}

#' Our classes among those that marginaleffects takes
#' @noRd
meet_marginaleffects <- function() {
  known <- getOption("marginaleffects_model_classes")
  options(marginaleffects_model_classes = union(known, c("gpc", "stc", "bpm")))
}

#' How many draws, where as many of all functions at encoded inputs fit in memory
#' @noRd
path_draws <- function(model, X) {
  several <- is_several(model)
  rows <- nrow(X) * if (several) length(model$blueprint$levels) else 1L
  draws <- draws_asked(if (several) 250L else interval_draws)
  check_memory(6 * as.double(rows) * draws, rows, what = "rows of draws")
  draws
}

#' Encoded inputs of the rows without missing values
#' @noRd
marginal_inputs <- function(model, newdata) {
  check_posterior(model)
  check_has_latent(model)
  if (is.null(getOption("marginaleffects_posterior_center"))) {
    means <- "{.fn predict} returns means: {.code options(marginaleffects_posterior_center = \"mean\")}."
    inform_sturdy(
      c(i = paste("Estimates are medians of draws.", means)), "median", .frequency = "once",
      .frequency_id = "sturdy_median"
    )
  }
  must(is.data.frame(newdata), "newdata", "be a data frame", got = newdata)
  new <- forge(model$blueprint, as.data.frame(newdata), novel = takes_novel(model))
  rows <- sum(!new$complete)
  if (rows > 0) {
    inform_sturdy(
      c(i = "{rows} row{?s} of {.arg newdata} {?has/have} missing values, and missing predictions.
             For {.fn comparisons} and {.fn slopes} leave such rows out."),
      "left_out", .frequency = "once", .frequency_id = "sturdy_left_out"
    )
  }
  new$X <- new$X[new$complete, , drop = FALSE]
  new
}

#' As get_predict() returns them: estimates, with draws as an attribute
#' @param draws list of a matrix for each group.
#' @noRd
marginal_frame <- function(draws, complete, newdata, groups) {
  n <- length(complete)
  stacked <- do.call(rbind, lapply(draws, function(d) {
    full <- matrix(NA_real_, n, ncol(d))
    full[complete, ] <- d
    full
  }))
  row <- if ("rowid" %in% names(newdata)) newdata[["rowid"]] else seq_len(n)
  out <- data.frame(rowid = rep(row, length(draws)))
  if (groups) out$group <- factor(rep(names(draws), each = n), names(draws))
  out$estimate <- rowMeans(stacked)
  out$estimate[is.nan(out$estimate)] <- NA # of NA, which is NaN on some machines
  attr(out, "posterior_draws") <- stacked
  out
}
