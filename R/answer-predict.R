#' Predict from a fitted classifier
#'
#' Classes, class probabilities or the latent function at new inputs.
#'
#' @details
#' With `k*` the kernel between the training rows and a new row, `b` and `R` from
#' the sites, the latent value has location `m = k*'b` and squared scale
#' `s2 = k(x*, x*) - k*' R k*` (`k(x*, x*)` with the nugget), and
#' \deqn{P(y^* = event) = F_{df}(m / \sqrt{s2})}{P(event) = F_df(m / sqrt(s2))}
#' with `F` the distribution function of a standard t, the normal one at
#' `df = Inf`; with `noise = TRUE` it becomes `epsilon + (1 - 2 epsilon) F`.
#' Training rows are predicted as new observations at the same inputs. The cost is
#' one n^3 factorisation and n^2 a new row. For [bpm()] with features `x`,
#' `m = x'mean` and `s2 = x'C x` of its `weights`, at k^2 a row.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param newdata A data frame (or, for a fit from `x` and `y`, also a matrix)
#'   with the input columns of the training data; further columns are ignored.
#'   `NULL`, the default, means the training rows; a [bpm()] that has absorbed rows by
#'   ADF keeps nothing of them and needs `newdata`.
#' @param type `"class"`, `"prob"` or `"latent"`.
#' @param noise Whether probabilities are those of the label as it would be
#'   recorded, wrong with probability `epsilon`, instead of those of the true
#'   class. Classes are the same either way.
#' @param ... Not used.
#'
#' @return One entry a row of `newdata`, in its order; rows with missing values
#'   give `NA`.
#'   * `"class"`: a factor with the levels of the training response;
#'   * `"prob"`: a matrix with one column a level (the second is the event) and
#'     the row names of `newdata`; rows sum to 1;
#'   * `"latent"`: a data frame of `location`, `scale` and `df` of the latent
#'     function's t (or normal, `df = Inf`) distribution, and `m` and `s2`, the
#'     same before the global scale kappa: `location = sqrt(kappa) m`,
#'     `scale = sqrt(kappa s2)`.
#'
#' @section Conditions:
#' `sturdy_error_type`, `sturdy_error_missing_column`, `sturdy_error_column_type`,
#' `sturdy_error_novel_levels` and `sturdy_error_not_finite` for `newdata` that
#' does not look like the training data; `sturdy_error_no_posterior` when EP left
#' no posterior; `sturdy_error_missing_argument` when `newdata` is needed.
#'
#' @inherit sturdy-package references
#' @seealso [gpc()], [stc()], [fitted()][fitted.sturdy_model]
#' @export
#' @examples
#' x <- matrix(c(-2, -1, 1, 2), dimnames = list(NULL, "x"))
#' fit <- gpc(x, c("no", "no", "yes", "yes"), epsilon = 0.05)
#' new <- data.frame(x = c(-3, 0.2, NA))
#' predict(fit, new)
#' predict(fit, new, type = "prob")
#' predict(fit, new, type = "latent")
predict.sturdy_model <- function(object,
                                 newdata = NULL,
                                 type = c("class", "prob", "latent"),
                                 noise = FALSE,
                                 ...) {
  check_no_dots(...)
  type <- check_choice(type, c("class", "prob", "latent"), "type")
  noise <- check_flag(noise, "noise")
  latent <- latent_at(object, newdata, rlang::current_env())
  switch(type,
    class = predicted_class(object, latent),
    prob = predicted_prob(object, latent, if (noise) object$epsilon else 0),
    latent = predicted_latent(object, latent)
  )
}

#' Fitted class probabilities
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param ... Not used.
#' @return A numeric vector: the probability of the event (the second level) at
#'   each training row, without label noise, named by row; padded with `NA` where
#'   `na.action = na.exclude` left rows out.
#' @seealso [predict()][predict.sturdy_model]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' fitted(fit)
fitted.sturdy_model <- function(object, ...) {
  predict(object, type = "prob")[, 2]
}

#' Scaled latent location and squared scale, NA where an input is
#'
#' @return list(m, s2, row_names)
#' @noRd
latent_at <- function(object, newdata, call) {
  check_posterior(object, call)
  if (is.null(newdata)) {
    return(latent_at_training(object, call))
  }
  new <- forge(object$blueprint, newdata, call)
  m <- s2 <- rep(NA_real_, nrow(new$X))
  X <- if (all(new$complete)) new$X else new$X[new$complete, , drop = FALSE]
  latent <- latent_new(object, X, call)
  m[new$complete] <- latent$m
  s2[new$complete] <- latent$s2
  list(m = m, s2 = s2, row_names = new$row_names)
}

latent_at_training <- function(object, call) {
  latent <- latent_training(object, call)
  latent$row_names <- object$row_names
  if (!inherits(object$na_action, "exclude")) {
    return(latent)
  }
  n_all <- object$nobs + length(object$na_action)
  place <- match(seq_len(n_all), object$rows)
  row_names <- object$row_names[place]
  row_names[object$na_action] <- names(object$na_action)
  list(m = latent$m[place], s2 = latent$s2[place], row_names = row_names)
}

# Latent m and s2 at encoded inputs, list(m, s2).
latent_new <- function(object, X, call) {
  UseMethod("latent_new")
}

latent_new.sturdy_model <- function(object, X, call) {
  latent <- native_gp_predict(
    object$X, columns_of(object$group), kernel_hyper(object$kernel),
    object$ep$sites, object$ep$b, X
  )
  if (latent$status < 0) {
    abort_sturdy(
      "The posterior of the fit can't be factorised for prediction.",
      "no_posterior", call = call
    )
  }
  positive_scale(latent)
}

# A point known exactly has a scale of 0: no logarithm or ratio survives that.
positive_scale <- function(latent) {
  list(m = latent$m, s2 = pmax(latent$s2, .Machine$double.xmin))
}

# The same at the training rows, as if they were new.
latent_training <- function(object, call) {
  UseMethod("latent_training")
}

latent_training.sturdy_model <- function(object, call) {
  latent_new(object, object$X, call)
}

# The global scale of the latent function.
latent_kappa <- function(object) {
  UseMethod("latent_kappa")
}

latent_kappa.sturdy_model <- function(object) {
  object$ep$kappa
}

predicted_class <- function(object, latent) {
  levels <- object$blueprint$levels
  factor(levels[1 + (latent$m > 0)], levels = levels)
}

# Of the true class at epsilon = 0, otherwise of the recorded label [M 7.3]
predicted_prob <- function(object, latent, epsilon) {
  z <- latent$m / sqrt(latent$s2)
  epsilon <- rep_len(epsilon, 2) # true neg, true pos
  neg <- stats::pt(-z, object$df)
  pos <- stats::pt(z, object$df)
  matrix(
    c(
      (1 - epsilon[1]) * neg + epsilon[2] * pos,
      epsilon[1] * neg + (1 - epsilon[2]) * pos
    ),
    ncol = 2,
    dimnames = list(latent$row_names, object$blueprint$levels)
  )
}

predicted_latent <- function(object, latent) {
  kappa <- latent_kappa(object)
  data.frame(
    location = sqrt(kappa) * latent$m,
    scale = sqrt(kappa * latent$s2),
    df = rep(object$df, length(latent$m)),
    m = latent$m,
    s2 = latent$s2,
    row.names = make.unique(as.character(latent$row_names))
  )
}
