# emmeans: marginal means, contrasts and joint tests of the latent function on the probit scale,
# and of the probabilities of several classes.

#' Estimated marginal means
#'
#' Methods for the emmeans package: `emmeans()`, `contrast()`, `pairs()` and `joint_tests()` work
#' for fits by [gpc()], [stc()] and [bpm()].
#'
#' @details On the link scale is the latent function over the standard deviation of the nugget, that of
#' the fit itself: differences there are those of `coef()`, and what odds ratios are made of. With
#' `type = "response"` are probabilities of the event, without label noise. They come from there as
#' those of [predict()][predict.sturdy_model] do: by the normal distribution function and, where the fit
#' has a label stage, through it. The function at the points of the reference grid has
#' the means and covariances of the posterior, of all nodes where the fit averages: exact for
#' [bpm()], those of 1000 draws (`options(sturdy.draws = )`) otherwise. emmeans takes them for
#' normal, without degrees of freedom. Averages are of the link, as emmeans has them: [average
#' comparisons][sturdy-marginaleffects] of marginaleffects average probabilities over the rows.
#'
#' A fit of three classes or more, in an order or not, has no one such function: its means are of the
#' probabilities of the classes themselves, with means and covariances of 250 draws. The class is a
#' factor of the grid with the name of the outcome, and is to be named, as in
#' `emmeans(fit, ~ arm | class)`: averaged over, probabilities are all one over the number of
#' classes. For the same reason the tests of terms are those of their interactions with the class.
#'
#' `joint_tests()` are tests of terms, in the place of those of `anova()` and `car::Anova()`. For
#' whether a column belongs into a model at all compare fits with and without it, [select_model()].
#' @param object A fit.
#' @param data The data of the fit; `NULL`, the default, for those that it finds or keeps.
#' @param trms,xlev,grid As emmeans gives them.
#' @param ... Not used.
#' @return As emmeans has them.
#' @section Conditions: `sturdy_error_choice` for two classes without a nugget,
#' `sturdy_error_no_latent` for a [second_stage()].
#' @name sturdy-emmeans
#' @seealso [tidy()][tidy.sturdy_model], [coef()][bpm-weights]
#' @examplesIf rlang::is_installed("emmeans")
#' set.seed(1)
#' d <- data.frame(x = rnorm(60), arm = factor(rep(c("a", "b", "c"), 20)))
#' d$y <- factor(ifelse(d$x + (d$arm == "b") + rnorm(60) > 0, "ill", "well"), c("well", "ill"))
#' fit <- bpm(y ~ x + arm, data = d, epsilon = 0.05, hyper = "optimum")
#' means <- emmeans::emmeans(fit, "arm", type = "response")
#' means
#' pairs(means)
#' emmeans::joint_tests(fit)
NULL

#' @rdname sturdy-emmeans
#' @exportS3Method emmeans::recover_data
recover_data.sturdy_model <- function(object, data = NULL, ...) {
  check_model(object)
  check_has_latent(object)
  check_rows_without(object$data, "A reference grid", "offset")
  if (is.null(data)) data <- get_data.sturdy_model(object) else forge(object$blueprint, data, TRUE, "data")
  terms <- stats::delete.response(stats::terms(any_formula(object)))
  call <- if (is.null(object$call)) quote(bpm()) else object$call
  emmeans::recover_data(call, terms, NULL, data = data, ...)
}

#' @rdname sturdy-emmeans
#' @exportS3Method emmeans::emm_basis
emm_basis.sturdy_model <- function(object, trms, xlev, grid, ...) {
  check_model(object)
  check_posterior(object)
  for (name in intersect(names(grid), names(object$blueprint$coding))) {
    logical <- object$blueprint$coding[[name]]$kind == "logical"
    if (logical) grid[[name]] <- as.logical(as.character(grid[[name]]))
  }
  X <- forge(object$blueprint, grid, novel = takes_novel(object))$X
  basis <- if (is_several(object)) class_basis(object, X) else link_basis(object, X)
  c(basis, list(nbasis = matrix(NA), dffun = function(k, dfargs) Inf, dfargs = list()))
}

#' Probabilities of several classes at encoded inputs, all inputs of the first class first
#' @return list(X, bhat, V, misc), as emm_basis() has them
#' @noRd
class_basis <- function(object, X) {
  p <- do.call(rbind, path_prob(object, X, path_draws(object, X)))
  levels <- stats::setNames(list(object$blueprint$levels), response_name(object))
  c(draw_moments(p), list(misc = list(ylevs = levels, postGridHook = function(object, ...) {
    object@misc$estName <- "prob" # or emmeans calls them after itself
    object
  })))
}

#' The latent function at encoded inputs, over the root of the nugget, as a linear function of
#' what has means and covariances: the coefficients of a fit that has some, or draws
#' @return see class_basis()
#' @noRd
link_basis <- function(object, X) {
  if (inherits(object, "bpm")) {
    check_link(object$prior$nugget)
    nodes <- coefficient_nodes(object, "coefficients")
    # a row of encoded inputs is one of the columns of model.matrix() times A
    design <- t(bpm_design(X, object$prior)) %*% t(nodes$A) %*% solve(tcrossprod(nodes$A))
    moments <- list(X = design, bhat = unname(coefficient_mean(nodes)), V = coefficient_covariance(nodes))
  } else {
    z <- path_link(object, X, path_draws(object, X))
    check_link(all(is.finite(z)))
    moments <- draw_moments(z)
  }
  c(moments, list(misc = list(tran = event_link(object), inv.lbl = "prob")))
}

#' Means and covariances of draws, a column each
#' @noRd
draw_moments <- function(draws) list(X = diag(nrow(draws)), bhat = rowMeans(draws), V = stats::cov(t(draws)))

#' From the link to the probability of the event: by the normal distribution function, and through the
#' label stage
#' @return a link, as emmeans and make.link() have it
#' @noRd
event_link <- function(object) {
  if (is.null(object$label_stage)) {
    return("probit")
  }
  probability <- function(z) {
    known <- !is.na(z)
    p <- cbind(stats::pnorm(-z[known]), stats::pnorm(z[known]))
    replace(z, known, prob_through(object, p)[, 2])
  }
  step <- 1e-4
  list(
    linkfun = function(mu) {
      far <- rep(40, length(mu))
      bisect(probability, mu, -far, far)
    },
    linkinv = probability,
    mu.eta = function(eta) (probability(eta + step) - probability(eta - step)) / (2 * step),
    valideta = function(eta) TRUE, name = "probit"
  )
}
