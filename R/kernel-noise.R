# Priors of flip rates, and of there being any.

#' Priors of label noise
#'
#' What is believed of wrong labels before the data are seen: the probabilities of three
#' noise models (no label is wrong; all are with one rate; each class has a rate of its
#' own) and the priors of the rates. Used where a fit averages over them
#' (`epsilon = "average"` in [gpc_spec()]) and where it integrates over a rate.
#'
#' @details
#' A rate e has the density `2 b (1 - 2e)^(b - 1)` on (0, 1/2), b being `rate`: twice the
#' rate has a Beta(1, b) distribution, with mean `1/(b + 1)`. The default of 4 expects a
#' tenth of the labels to be wrong, and more than 28 % in one case of 30; that of 2 for rates by
#' group expects a sixth, and more than 28 % in one case of five.
#'
#' Where a validation study compared recorded labels with the truth, give what it found as
#' `sensitivity` and `specificity`: with 45 of 50 events recorded as events, `sensitivity
#' = c(45, 5)` (add one half to each for a study with few rows). The noise model is then
#' the one with two rates, whatever `models` says.
#'
#' @param models Prior probabilities of the noise models, a vector named `none`, `one` and
#'   `two`, at least 0 with a positive sum. A model with probability 0 is left out. With
#'   three classes or more `two` is the probability of a noise matrix.
#' @param rate The shape b of the prior of a rate, above 0. `NULL`, the default, is 4, and 2 with
#'   rates by group: among several groups one with many wrong labels is less of a surprise.
#' @param sensitivity,specificity Beta priors, `c(a, b)` with both above 0, of the
#'   probability that an event is recorded as one (`sensitivity`), and a row of the first
#'   class as such (`specificity`). Both rates are below 1/2 all the same. `NULL`, the
#'   default, is the prior by `rate`.
#' @param pooling With rates by group (`rates = ~ group` in [gpc_spec()]): the prior
#'   correlation of the rates of two groups on the normal scale, from 0 (each on its
#'   own) to below 1; 0.2 by default.
#' @return A list of class `sturdy_noise_prior` with the fields `models`, `rate`,
#'   `sensitivity`, `specificity` and `pooling`.
#' @section Conditions:
#' `sturdy_error_prior` for values that are no such priors.
#' @seealso [gpc_spec()], [weak_prior()], [noise_test()]
#' @export
#' @examples
#' noise_prior()
#' noise_prior(models = c(none = 1, one = 1, two = 1))
#' noise_prior(sensitivity = c(45, 5), specificity = c(98, 2))
noise_prior <- function(models = c(none = 0.25, one = 0.375, two = 0.375),
                        rate = NULL,
                        sensitivity = NULL,
                        specificity = NULL,
                        pooling = 0.2) {
  known <- c("none", "one", "two")
  must(
    are_numbers(models) && !is.null(names(models)) && all(names(models) %in% known) &&
      !anyDuplicated(names(models)) && all(models >= 0) && sum(models) > 0,
    "models", "be probabilities named {.val none}, {.val one} and {.val two}", "prior",
    got = models
  )
  all <- stats::setNames(numeric(3), known)
  all[names(models)] <- models
  structure(
    list(
      models = all / sum(all),
      rate = if (!is.null(rate)) {
        check_number(rate, "rate", min = 0, open = TRUE, class = "prior")
      },
      sensitivity = check_beta(sensitivity, "sensitivity"),
      specificity = check_beta(specificity, "specificity"),
      pooling = check_pooling(pooling)
    ),
    class = "sturdy_noise_prior"
  )
}

group_rate_shape <- 2

#' The shape of the prior of a rate, where there are rates of so many groups
#' @noRd
rate_shape <- function(prior, sources) {
  if (!is.null(prior$rate)) {
    prior$rate
  } else if (sources > 1) {
    group_rate_shape
  } else {
    rate_prior_shape
  }
}

check_beta <- function(x, arg, call = rlang::caller_env()) {
  must(
    is.null(x) || are_numbers(x, 2, above = 0), arg,
    "be {.code NULL} or {.code c(a, b)}, the two shapes of a Beta distribution, above 0",
    "prior", got = x, call = call
  )
  if (!is.null(x)) as.double(x)
}

check_pooling <- function(x, call = rlang::caller_env()) {
  x <- check_number(x, "pooling", min = 0, max = 1, class = "prior", call = call)
  must(x < 1, "pooling", "be below 1", "prior", call = call)
  x
}

check_noise_prior <- function(prior, call = rlang::caller_env()) {
  check_made(prior, "noise", noise_prior, "sturdy_noise_prior", call)
}

#' @export
print.sturdy_noise_prior <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  beta <- function(shapes) {
    shown <- paste(format_each(shapes, digits), collapse = ", ")
    if (!is.null(shapes)) paste0("Beta(", shown, ")")
  }
  rates <- function(shape) {
    paste0(
      "2 epsilon ~ Beta(1, ", format(shape, digits = digits), "), mean ",
      format(0.5 / (1 + shape), digits = digits)
    )
  }
  cat("<sturdy_noise_prior>\n")
  print_fields(c(
    "Models" = paste(names(x$models), format_each(x$models, digits), collapse = ", "),
    "Rates" = rates(rate_shape(x, 1)),
    "By group" = paste0(
      rates(rate_shape(x, 2)), ", correlation ", format(x$pooling, digits = digits)
    ),
    "Sensitivity" = beta(x$sensitivity), "Specificity" = beta(x$specificity)
  ))
  invisible(x)
}
