# One latent function for each of several classes, of which the largest is the true class.

classes_least_nugget <- 1e-3 # below, EP often has no fixed point

#' @param X,columns,labels,kernel,Z as latent_kernel() and latent_inducing(); `Z` is `NULL`
#'   for kernel space. With a kernel for each class its hyperparameters are those of the
#'   first, then the second, see class_hyper().
#' @return a latent. With a gradient `seen` of its results is that of
#'   native_classes_fit() with `labels` FALSE.
#' @noRd
latent_classes <- function(X, columns, labels, kernel, Z = NULL) {
  classes <- labels$reports$classes
  own <- length(kernel$nugget) > 1
  check_memory(classes_doubles(nrow(X), classes, Z, own) + 2 * length(X), nrow(X), is.null(Z))
  rows <- latent_rows(X, labels, c(row_fields, if (is.null(Z)) "b"), classes)
  given <- X
  X <- rows$X
  asked <- Z
  if (is.numeric(Z) && !is.matrix(Z)) {
    Z <- place_inducing(X, columns, mean_lengthscale(kernel$lengthscale, columns), Z)
  }
  new_latent(
    n = rows$n, columns = ncol(X), classes = classes, y = labels$y, reports = rows$reports,
    hyper = unclass(kernel)[hyper_names], free = free_hyper(kernel, X), prior = kernel$prior,
    least = list(nugget = classes_least_nugget),
    second = is.null(Z) || second_is_cheap(rows$n, nrow(Z)),
    Z = Z, places = !is.null(Z) && !is.matrix(asked),
    some = function(k) {
      latent_classes(X[seq_len(k), , drop = FALSE], columns, rows$first(k), kernel, Z)
    },
    again = if (!is.null(Z)) function(hyper, m = nrow(Z)) {
      kernel[hyper_names] <- hyper
      latent_classes(given, columns, labels, kernel, if (is.matrix(asked)) asked else m)
    },
    predict = if (!is.null(Z)) function(hyper, b, C) {
      native_inducing_predict(Z, columns, hyper, b, C, given)
    },
    ep = function(points, df, control, criterion = "none", gradient = FALSE, progress = NULL) {
      if (!is.null(Z)) control$tol <- max(control$tol, least_tol)
      fits <- list()
      for (at in points) {
        out <- native_classes_fit(
          X, Z, columns, class_hypers(at$hyper, classes), rows$likelihoods(at$L), rows$sites(at$sites),
          control, labels = !gradient, gradient = gradient, progress = progress
        )
        out$value <- out$log_evidence
        out$gradient_status <- if (is.null(out$gradient)) NA_integer_ else 0L
        fits <- c(fits, list(rows$result(out)))
      }
      fits
    }
  )
}

#' Doubles that a fit holds at a time
#' @param own whether each class has a kernel of its own; otherwise they share features.
#' @noRd
classes_doubles <- function(n, classes, Z, own = FALSE) {
  if (is.null(Z)) {
    return((2 * classes + 3) * n^2)
  }
  k <- 1 + if (is.matrix(Z)) nrow(Z) else Z
  2 * n * k * (if (own) classes else 1) + classes * (80 * n + 10 * k^2 + 1500 * k) + 40 * n
}

# A kernel for each class -------------------------------------------------------

#' A kernel with hyperparameters of each class: those of the first class first
#'
#' They are named `<column>@<class>`, or `@<class>` where a class has one.
#' @noRd
kernel_per_class <- function(kernel, levels) {
  kernel[hyper_names] <- lapply(kernel[hyper_names], function(x) {
    names <- paste0(names(x), "@", rep(levels, each = length(x)))
    stats::setNames(rep(x, length(levels)), if (length(x)) names) # of no columns there are no lengthscales
  })
  kernel
}

#' Hyperparameters by class: `hyper` itself where the kernel is shared, so that every
#' length is that of one kernel; else a list of one for each
#' @noRd
class_hypers <- function(hyper, classes) {
  if (length(hyper$nugget) == 1) hyper else lapply(seq_len(classes), class_hyper, hyper = hyper)
}

class_hyper <- function(hyper, c) {
  classes <- length(hyper$nugget)
  if (classes == 1) {
    return(hyper)
  }
  lapply(hyper, function(values) {
    each <- length(values) / classes
    values[(c - 1) * each + seq_len(each)]
  })
}

#' One lengthscale a column, the geometric mean of those of the classes
#' @noRd
mean_lengthscale <- function(lengthscale, columns) {
  groups <- length(unique(columns$group))
  exp(rowMeans(log(matrix(lengthscale, groups))))
}

#' Share of the variance that inducing inputs leave, beside the nugget [M 9.6], on average
#' over the kernels: what a nugget learned with them may be short by
#' @noRd
inducing_left <- function(latent, hyper) {
  mean(vapply(seq_along(hyper$nugget), function(c) {
    hyper <- class_hyper(hyper, c)
    k <- count_features(latent$Z, hyper)
    prior <- latent$predict(hyper, numeric(k), matrix(0, k, k))
    mean(prior$s2 - hyper$nugget) / hyper$variance
  }, numeric(1)))
}
