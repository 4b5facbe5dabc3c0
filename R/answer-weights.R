# What a fitted Bayes point machine answers in its own way: the weights, its
# latent values, its words. Everything else is that of any sturdy_model.

# Weights -------------------------------------------------------------------

#' Weights of a Bayes point machine
#'
#' The location, covariance and credible intervals of the weights under their
#' posterior, a normal (`df = Inf`) or a multivariate t distribution.
#'
#' @details
#' Weights are those of the encoded inputs: numeric columns centred and scaled
#' (unless `scale = FALSE`), and an indicator a level of every other column. The
#' likelihood sees the sign of the weighted sum only, so the data say nothing about
#' the common size of the weights; it comes from the prior. Their ratios carry the
#' information.
#'
#' The posterior is `St(df, location, S)` with
#' `location = exp(log_scale / 2) mean` and scale matrix `S = exp(log_scale) C` from the
#' field `weights` of the fit. Its covariance is `S df / (df - 2)`, which `vcov()`
#' returns; it does not exist for `df` at or below 2, where `vcov()` is an error and
#' `confint()` still answers, from the quantiles of the marginal t distributions.
#'
#' @param object A model fitted by [bpm()].
#' @param parm Names or positions of the weights; all by default.
#' @param level Probability of the interval.
#' @param ... Not used.
#' @return `coef()`: the location of each weight, named. `vcov()`: their covariance
#'   matrix. `confint()`: a matrix with the lower and upper end of a central
#'   interval for each weight.
#' @section Conditions:
#' `sturdy_error_no_covariance` from `vcov()` at `df <= 2`, `sturdy_error_parm` for a
#' weight that is not there, `sturdy_error_no_posterior` when EP left none.
#' @name bpm-weights
#' @seealso [bpm()]
#' @examples
#' fit <- bpm(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' coef(fit)
#' vcov(fit)
#' confint(fit, level = 0.9)
NULL

#' @rdname bpm-weights
#' @export
coef.bpm <- function(object, ...) {
  check_posterior(object)
  exp(object$weights$log_scale / 2) * object$weights$mean
}

#' @rdname bpm-weights
#' @importFrom stats vcov
#' @export
vcov.bpm <- function(object, ...) {
  check_posterior(object)
  df <- object$df
  if (df <= 2) {
    abort_sturdy(
      c(
        "A t distribution with {format(df)} degrees of freedom has no covariance;
         {.field df} must be above 2.",
        i = "{.fn confint} gives intervals, and {.code fit$weights} holds the scale
             matrix."
      ),
      "no_covariance", df = df
    )
  }
  stretch <- if (is.finite(df)) df / (df - 2) else 1
  stretch * exp(object$weights$log_scale) * object$weights$C
}

#' @rdname bpm-weights
#' @importFrom stats confint
#' @export
confint.bpm <- function(object, parm = NULL, level = 0.95, ...) {
  check_no_dots(...)
  check_posterior(object)
  level <- check_number(level, "level", min = 0, max = 1, open = TRUE)
  rows <- weight_rows(object, parm)
  tails <- c((1 - level) / 2, (1 + level) / 2)
  ends <- coef(object) + outer(weight_scale(object), stats::qt(tails, object$df))
  dimnames(ends) <- list(
    object$weight_names,
    paste(format(100 * tails, trim = TRUE, digits = 3), "%")
  )
  ends[rows, , drop = FALSE]
}

weight_rows <- function(object, parm, call = rlang::caller_env()) {
  names <- object$weight_names
  if (is.null(parm)) {
    return(seq_along(names))
  }
  rows <- if (is.character(parm)) match(parm, names) else seq_along(names)[parm]
  if (anyNA(rows)) {
    abort_sturdy(
      "{.arg parm} must name weights of the model: {.val {few(names)}}.",
      "parm", arg = "parm", call = call
    )
  }
  rows
}

#' Scale of each weight's marginal t
#' @noRd
weight_scale <- function(object) {
  sqrt(exp(object$weights$log_scale) * diag(object$weights$C))
}

#' A row a weight; `NULL` for models without weights
#' @noRd
weight_table <- function(object) {
  if (!inherits(object, "bpm")) {
    return(NULL)
  }
  ends <- confint(object)
  df <- object$df
  stretch <- if (df <= 2) NA else if (is.finite(df)) sqrt(df / (df - 2)) else 1
  data.frame(
    term = object$weight_names,
    estimate = unname(coef(object)),
    std.error = unname(stretch * weight_scale(object)),
    conf.low = unname(ends[, 1]),
    conf.high = unname(ends[, 2]),
    prior_scale = unname(object$prior_scale)
  )
}

# Internal methods ----------------------------------------------------------

has_posterior.bpm <- function(object) {
  !is.null(object$weights)
}

hyperparameters.bpm <- function(object) {
  scale <- object$prior$scale
  c(
    stats::setNames(scale, sprintf("prior_scale.%s", names(scale))),
    stats::setNames(object$epsilon, epsilon_names(object$epsilon))
  )
}

learned.bpm <- function(object) {
  c(
    object$prior$free, rep(object$epsilon_learned, length(object$epsilon))
  )
}

latent_new.bpm <- function(object, X, call) {
  positive_scale(native_weight_predict(
    bpm_design(object, X), object$weights$mean, object$weights$C
  ))
}

latent_training.bpm <- function(object, call) {
  if (is.null(object$ep)) {
    abort_sturdy(
      c(
        "{.arg newdata} must be given: the model keeps none of the rows it has
         absorbed.",
        i = "Predict before {.fn update} for the error on rows not yet seen."
      ),
      "missing_argument", arg = "newdata", call = call
    )
  }
  positive_scale(list(m = object$ep$m, s2 = object$ep$C_diag))
}

latent_kappa.bpm <- function(object) {
  exp(object$weights$log_scale)
}

gaussian_evidence.bpm <- function(object) {
  if (is.infinite(object$df)) {
    return(ep_evidence(object))
  }
  check_sites_kept(object, rlang::caller_env())
  value <- object$ep$log_evidence_gaussian
  if (is.na(value)) {
    warn_sturdy(
      "The Gaussian fit at the same prior did not converge.",
      "not_converged", status = "unknown"
    )
  }
  value
}

#' @rdname criterion
#' @param data For a [bpm()] fit by EP, which keeps no rows: the data it was fitted
#'   to.
#' @param y For a [bpm()] fitted from `x` and `y`: the response.
#' @export
criterion.bpm <- function(object,
                          type = c("evidence", "loo"),
                          data = NULL,
                          y = NULL,
                          ...) {
  check_no_dots(...)
  type <- check_choice(type, c("evidence", "loo"), "type")
  check_sites_kept(object)
  call <- rlang::current_env()
  if (is.null(data)) {
    abort_no_rows_kept(call)
  }
  rows <- forge_labelled(object$blueprint, data, y, stats::na.omit, call)
  if (!identical(rows$y, object$y)) {
    abort_sturdy(
      "{.arg data} must hold the {object$nobs} row{?s} the model was fitted to, in
       their order.",
      "length", arg = "data"
    )
  }
  prior <- object$prior
  prior$free[] <- TRUE
  ep <- engine_fit(
    weight_space(bpm_design(object, rows$X), rows$y, prior),
    list(prior_scale = prior$scale), object$df, object$epsilon,
    object$ep$sites, object$control, type, gradient = TRUE
  )
  criterion_result(ep, names(hyperparameters(object)))
}

abort_no_rows_kept <- function(call) {
  abort_sturdy(
    "{.arg data} must be given: a {.fn bpm} keeps none of its training rows.",
    "missing_argument", arg = "data", call = call
  )
}

#' @rdname tidy.sturdy_model
#' @export
tidy.bpm <- function(x, ...) {
  check_no_dots(...)
  check_posterior(x)
  weight_table(x)
}

# Words ---------------------------------------------------------------------

describe_latent.bpm <- function(x, digits) {
  scales <- unique(format_each(range(x$prior_scale), digits))
  c(Weights = paste0(
    length(x$weight_names), if (x$intercept) " with the intercept",
    ", prior scale ", paste(scales, collapse = " to ")
  ))
}

describe_inference.bpm <- function(x, digits) {
  if (!is.null(x$ep)) {
    return(c(EP = describe_ep(x, digits)))
  }
  rows <- x$stream$rows
  all <- if (rows < x$nobs) paste(" of", format_count(x$nobs))
  c(ADF = paste0(
    format_count(rows), all, " rows absorbed, ",
    format(100 * adf_error(x), digits = digits),
    "% of their labels predicted wrongly before"
  ))
}

format_count <- function(n) {
  format(n, big.mark = ",", scientific = FALSE)
}

adf_error <- function(x) {
  x$stream$errors / x$stream$rows
}

adf_scores <- function(object) {
  c(
    log_evidence = object$log_evidence,
    prequential = object$stream$log_score,
    prequential_error = adf_error(object)
  )
}

diagnose_adf <- function(object) {
  stream <- object$stream
  list(
    happened = paste0(
      "Assumed density filtering absorbed ", format_count(stream$rows),
      " rows in one pass, in the order they came."
    ),
    means = c(
      paste(
        "The posterior depends on the order of the rows; nothing was iterated,",
        "so nothing can fail to converge."
      ),
      paste0(
        "Before a row was absorbed, its label was predicted wrongly in ",
        format(100 * adf_error(object), digits = 3), "% of the rows."
      )
    ),
    do = NULL,
    numbers = list(
      residual = NA_real_, sweeps = NA_integer_, skipped = NA_integer_,
      negative_sites = NA_integer_
    )
  )
}

# Plot ----------------------------------------------------------------------

#' Weights with 50 % and 95 % intervals, the surest on top
#' @noRd
plot_model.bpm <- function(x, inputs, main) {
  shown <- order(-abs(coef(x)) / weight_scale(x))
  shown <- rev(utils::head(shown, inputs))
  names <- x$weight_names[shown]
  wide <- confint(x)[shown, , drop = FALSE]
  thin <- confint(x, level = 0.5)[shown, , drop = FALSE]
  at <- seq_along(shown)
  left <- 1.5 + 0.55 * max(nchar(names), 6)
  op <- graphics::par(mar = c(4.2, min(left, 14), 2.6, 1), las = 1)
  on.exit(graphics::par(op))
  graphics::plot(
    range(wide, 0), range(at) + c(-0.5, 0.5), type = "n", yaxt = "n",
    xlab = "Weight, with 50% and 95% interval", ylab = "",
    main = if (is.null(main)) {
      paste("Weights towards", x$blueprint$levels[2])
    } else {
      main
    }
  )
  graphics::abline(v = 0, lty = 3)
  graphics::segments(wide[, 1], at, wide[, 2], at)
  graphics::segments(thin[, 1], at, thin[, 2], at, lwd = 3.5)
  graphics::points(coef(x)[shown], at, pch = 19)
  graphics::axis(2, at, names, tick = FALSE)
}
