# The latent functions of a fit with several classes, as ep-latent.R describes a latent:
# learning and EP in R's words take them as they take one.

classes_least_nugget <- 1e-3 # below, EP often has no fixed point

#' One latent function a class, with one kernel
#'
#' @param X,columns,labels,kernel,Z as latent_kernel() and latent_inducing(); `Z` is `NULL`
#'   for kernel space. With a kernel for each class its hyperparameters are those of the
#'   first, then the second, see class_hyper().
#' @return a latent. With a gradient `seen` of its native result is that of
#'   native_classes_fit() with `labels` FALSE.
#' @noRd
latent_classes <- function(X, columns, labels, kernel, Z = NULL, call = rlang::caller_env()) {
  n <- nrow(X)
  classes <- labels$reports$classes
  own <- length(kernel$nugget) > 1
  check_memory(classes_doubles(n, classes, Z, own) + 2 * length(X), n, is.null(Z), call)
  free <- setdiff(hyper_names, kernel$fixed)
  if (ncol(X) == 0) free <- setdiff(free, "lengthscale")
  visit <- table_order(X, labels$code)
  rows <- in_order(visit, c(row_fields, if (is.null(Z)) "b"), classes)
  given <- X
  X <- X[visit, , drop = FALSE]
  asked <- Z
  if (is.numeric(Z) && is.null(dim(Z))) {
    Z <- place_inducing(X, columns, mean_lengthscale(kernel$lengthscale, columns), Z)
  }
  list(
    n = n,
    code = labels$code,
    reports = visited_reports(labels$reports, visit),
    classes = classes,
    hyper = unclass(kernel)[hyper_names],
    free = free,
    prior = kernel$prior,
    least = list(nugget = classes_least_nugget),
    Z = Z,
    staged = if (!is.null(Z)) list(
      given = is.matrix(asked), columns = ncol(X),
      again = function(hyper, m = nrow(Z)) {
        kernel[hyper_names] <- hyper
        latent_classes(given, columns, labels, kernel, if (is.matrix(asked)) asked else m, call)
      },
      predict = function(hyper, b, C) {
        native_inducing_predict(Z, columns, hyper, b, C, given)
      }
    ),
    some = function(k) {
      first <- seq_len(k)
      latent_classes(
        X[first, , drop = FALSE], columns, some_labels(labels, visit[first]), kernel, Z, call
      )
    },
    native = function(hyper, df, L, sites, control, criterion = "none", gradient = FALSE,
                      progress = NULL) {
      out <- native_classes_fit(
        X, Z, columns, class_hypers(hyper, classes), take_rows(L, visit), rows$sites(sites),
        classes_control(control, Z), labels = !gradient, gradient = gradient,
        progress = progress
      )
      out$value <- out$log_evidence
      out$gradient_status <- if (is.null(out$gradient)) NA_integer_ else 0L
      rows$result(out)
    }
  )
}

#' With inducing inputs EP ends at a residual of 1e-6
#' @noRd
classes_control <- function(control, Z) {
  if (is.null(Z)) control else utils::modifyList(unclass(control), list(tol = max(control$tol, 1e-6)))
}

# A kernel for each class -------------------------------------------------------

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

#' Share of the variance that inducing inputs leave, on average over the classes
#' @noRd
classes_left <- function(latent, hyper) {
  kernels <- seq_along(hyper$nugget)
  mean(vapply(kernels, function(c) inducing_left(latent, class_hyper(hyper, c)), numeric(1)))
}

#' EP from the prior and from where a search ended, and the better of the ends
#'
#' @return as ep_settle(), without other starts: of fixed points apart nothing is known.
#' @noRd
classes_settle <- function(run, L, sites, certain) {
  start <- ep_continue(run, L, NULL, certain)
  ends <- c(list(start$out), if (!is.null(sites)) list(run(L, sites)))
  ends <- Filter(ep_converged, ends)
  if (!length(ends)) {
    return(start)
  }
  value <- vapply(ends, ep_value, numeric(1))
  best <- ends[[which(value >= max(value) - 1e-6)[1]]]
  gap <- ep_value(best) - ep_value(start$out)
  list(
    out = best, status = "converged",
    cold = ep_converged(start$out) && isTRUE(gap < 1e-4 * (1 + abs(ep_value(best))))
  )
}
