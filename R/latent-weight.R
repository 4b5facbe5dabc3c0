# Weight space: a linear function of features.

#' @param Xt features k x n. @param labels see row_labels().
#' @param prior list(scale, group, free, prior, nugget, free_nugget, nugget_prior): prior scales by
#'   input column (and the intercept first), the one each weight uses, which are learned (logical),
#'   the log-normal prior; the nugget, whether it is learned, and its prior.
#' @noRd
latent_weight <- function(Xt, labels, prior) {
  n <- ncol(Xt)
  k <- nrow(Xt)
  # the features three times and, for the gradient, some 270 n-vectors
  check_memory(n * (3 * k + 270) + 8 * k^2, n, FALSE)
  rows <- latent_rows(Xt, labels, across = TRUE)
  given <- Xt
  Xt <- rows$X
  span <- if (k > n && !any(prior$free)) row_span(Xt, weight_scales(prior))
  new_latent(
    n = n, columns = k, classes = 2L, y = labels$y, reports = rows$reports,
    hyper = prior_hyper(prior),
    free = c(if (any(prior$free)) "prior_scale", if (prior$free_nugget) "nugget"),
    prior = list(prior_scale = prior$prior, nugget = prior$nugget_prior),
    second = second_is_cheap(n, min(n, k)),
    some = function(k) latent_weight(Xt[, seq_len(k), drop = FALSE], rows$first(k), prior),
    again = function(hyper, m) latent_weight(given, labels, prior_at(prior, hyper)),
    project = function(hyper, df, L, found) {
      at <- native_weight_predict_nodes(given, found$b, array(found$extra, c(k, k, 1)))
      native_project(L, drop(at$m), drop(at$s2) + hyper$nugget, df, k)
    },
    ep = function(points, df, control, criterion = "none", gradient = FALSE, progress = NULL) {
      fits <- list()
      for (at in points) {
        out <- native_weight_fit(
          if (is.null(span)) Xt else span$features,
          if (is.null(span)) weight_scales(prior, at$hyper) else rep(1, n),
          at$hyper$nugget, rows$likelihoods(at$L), df, rows$sites(at$sites),
          if (at$hyper$nugget > 0) control_for(control, n, df, criterion) else control,
          criterion, gradient, progress, offset = rows$offset(at$hyper), times = rows$times
        )
        if (!is.null(span)) out <- out_of_span(out, span, covariance = !gradient)
        if (!is.null(out$gradient)) out$gradient <- weight_gradient(out$gradient, prior, at$hyper)
        fits <- c(fits, list(rows$result(out)))
      }
      fits
    }
  )
}

#' The gradient in the prior scales that are learned, from that in the scale of each weight
#' @noRd
weight_gradient <- function(gradient, prior, hyper) {
  list(
    prior_scale = if (any(prior$free)) drop(rowsum(gradient$s0, prior$group))[prior$free],
    nugget = if (hyper$nugget > 0) gradient$nugget
  )
}

#' What the rows span where they are fewer than the weights: EP there costs n^3, and
#' beyond it the weights keep their prior [M 9.9]
#'
#' @return list(features: n x n, a row a column; back: k x n, from the n weights of these
#'   features to the k; scale)
#' @noRd
row_span <- function(Xt, scale) {
  factors <- qr(sqrt(scale) * Xt, LAPACK = TRUE)
  R <- qr.R(factors)
  list(
    features = R[, order(factors$pivot), drop = FALSE],
    back = sqrt(scale) * qr.Q(factors), scale = scale
  )
}

#' The weights of all features, from those of the row span
#' @param covariance whether theirs is wanted, k x k
#' @noRd
out_of_span <- function(out, span, covariance) {
  if (is.null(out$b)) {
    return(out)
  }
  out$b <- drop(span$back %*% out$b)
  out$extra <- if (covariance) {
    gained <- diag(nrow(out$extra)) - out$extra # symmetric, of either sign
    diag(span$scale) - native_product(t(span$back), native_product(gained, t(span$back)))
  }
  out
}

#' Hyperparameters of the prior of weights, and the prior at them
#' @noRd
prior_hyper <- function(prior) list(prior_scale = prior$scale[prior$free], nugget = prior$nugget)

prior_at <- function(prior, hyper) {
  prior$scale[prior$free] <- hyper$prior_scale
  prior$nugget <- hyper$nugget
  prior
}

#' Prior scale of each weight (k)
#' @noRd
weight_scales <- function(prior, hyper = prior_hyper(prior)) {
  scale <- prior$scale
  scale[prior$free] <- hyper$prior_scale
  unname(scale[prior$group])
}
