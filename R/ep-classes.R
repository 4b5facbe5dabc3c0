# The latent functions of a fit with several classes, as ep-latent.R describes a latent:
# learning and EP in R's words take them as they take one.

classes_least_nugget <- 1e-3 # below, EP often has no fixed point

#' One latent function a class, with one kernel
#'
#' @param X,columns,kernel,Z as latent_kernel() and latent_inducing(); `Z` is `NULL` for
#'   kernel space. With a kernel for each class its hyperparameters are those of the first,
#'   then the second, see class_hyper(). @param y classes 1..C. @param template the noise
#'   matrix whose rows keep their proportions beside the diagonal when `epsilon` is a rate
#'   for each class. @param trusted which labels are right for certain, or `NULL`.
#' @return a latent whose `native` takes as `epsilon` one rate, a rate for each true class,
#'   or the noise matrix itself. Its result has besides: `omega`, the matrix in use;
#'   `true_class`, n x C probabilities of the true classes; and `flipped`, those that the
#'   recorded one is not it; `loo_class`, n x C, those of the classes given other labels.
#' @noRd
latent_classes <- function(X, columns, y, classes, kernel, Z = NULL, template = NULL,
                           trusted = NULL, checked = NULL, call = rlang::caller_env()) {
  n <- length(y)
  own <- length(kernel$nugget) > 1
  check_memory(classes_doubles(n, classes, Z, own) + 2 * length(X), n, is.null(Z), call)
  free <- setdiff(hyper_names, kernel$fixed)
  if (ncol(X) == 0) free <- setdiff(free, "lengthscale")
  visit <- table_order(X, y)
  given <- X
  X <- X[visit, , drop = FALSE]
  labels <- y[visit]
  sure <- if (!is.null(trusted)) trusted[visit]
  asked <- Z
  if (is.numeric(Z) && is.null(dim(Z))) {
    Z <- place_inducing(X, columns, mean_lengthscale(kernel$lengthscale, columns), Z)
  }
  list(
    n = n,
    y = y,
    trusted = trusted,
    checked = checked,
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
        latent_classes(
          given, columns, y, classes, kernel, if (is.matrix(asked)) asked else m, template,
          trusted, checked, call
        )
      },
      predict = function(hyper, b, C) {
        native_inducing_predict(Z, columns, hyper, b, C, given)
      }
    ),
    some = function(k) {
      first <- seq_len(k)
      latent_classes(
        X[first, , drop = FALSE], columns, labels[first], classes, kernel, Z, template,
        sure[first], checked, call
      )
    },
    native = function(hyper, df, epsilon, sites, control, criterion = "none",
                      gradient = FALSE, progress = NULL) {
      omega <- classes_omega(epsilon, classes, template)
      # a trusted label is another record: that the class is what it says
      record <- if (is.null(sure)) labels else labels + classes * sure
      out <- native_classes_fit(
        X, Z, columns, class_hypers(hyper, classes), record,
        if (is.null(sure)) omega else cbind(omega, diag(classes)),
        rows_of(sites, visit, classes), classes_control(control, Z), labels = !gradient,
        gradient = gradient, progress = progress
      )
      if (!is.null(checked)) out <- with_checked_log(out, omega, checked)
      classes_result(out, labels, omega, sure, order(visit))
    }
  )
}

#' With inducing inputs EP ends at a residual of 1e-6
#' @noRd
classes_control <- function(control, Z) {
  if (is.null(Z)) control else utils::modifyList(unclass(control), list(tol = max(control$tol, 1e-6)))
}

#' Rows of sites or cavities, n x C or so many numbers
#' @noRd
rows_of <- function(parts, which, classes = ncol(parts[[1]])) {
  if (!is.null(parts)) {
    lapply(parts, function(x) matrix(x, ncol = classes)[which, , drop = FALSE])
  }
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

#' A native result in the order of the rows given, with what R adds
#' @noRd
classes_result <- function(out, labels, omega, sure, back) {
  out$omega <- omega
  # of trusted labels omega says nothing
  if (!is.null(out$d_omega)) out$d_omega <- out$d_omega[, seq_len(ncol(omega)), drop = FALSE]
  out$value <- out$log_evidence
  out$gradient_status <- if (is.null(out$gradient)) NA_integer_ else 0L
  if (!is.null(out$gradient)) out$gradient$epsilon <- one_rate_slope(out$d_omega)
  if (!is.null(out$log_p)) {
    recorded <- label_given(omega, labels, sure)
    out$true_class <- exp(log(recorded) + out$log_p - out$loo)
    out$loo_class <- exp(out$log_p)
    out$flipped <- wrong_share(out$true_class, labels)
  }
  for (name in intersect(c("m", "C_diag", "log_p", "true_class", "loo_class"), names(out))) {
    out[[name]] <- out[[name]][back, , drop = FALSE]
  }
  if (!is.null(out$b) && nrow(out$b) == length(labels) && is.null(out$extra)) {
    out$b <- out$b[back, , drop = FALSE]
  }
  for (name in intersect(c("residual", "loo", "flipped"), names(out))) {
    out[[name]] <- out[[name]][back]
  }
  out[c("sites", "cavity")] <- lapply(out[c("sites", "cavity")], rows_of, back)
  out
}

#' P(the label of each row | each true class), n x C
#' @noRd
label_given <- function(omega, y, trusted = NULL) {
  given <- t(omega)[y, , drop = FALSE]
  if (!is.null(trusted)) given[trusted, ] <- diag(nrow(omega))[y[trusted], ]
  unname(given)
}

#' Probability that the true class is not the recorded one
#' @noRd
wrong_share <- function(true_class, y) {
  rowSums(replace(true_class, cbind(seq_along(y), y), 0))
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

# The noise matrix ------------------------------------------------------------

#' One rate as a noise matrix [M 12.1]
#' @noRd
rate_omega <- function(epsilon, classes) {
  omega <- matrix(epsilon / (classes - 1), classes, classes)
  diag(omega) <- 1 - epsilon
  omega
}

#' What a fit calls epsilon, as a noise matrix
#' @noRd
classes_omega <- function(epsilon, classes, template = NULL) {
  if (is.matrix(epsilon)) {
    return(epsilon)
  }
  if (length(epsilon) == 1) {
    return(rate_omega(epsilon, classes))
  }
  off <- if (is.null(template)) rate_omega(0.5, classes) else template
  diag(off) <- 0
  omega <- off * (epsilon / rowSums(off))
  omega[!is.finite(omega)] <- 0
  diag(omega) <- 1 - epsilon
  omega
}

#' Derivative in the one rate [M 12.11]
#' @noRd
one_rate_slope <- function(d_omega) {
  on <- sum(diag(d_omega))
  (sum(d_omega) - on) / (ncol(d_omega) - 1) - on
}

#' Expected number of rows of each true class (row) recorded as each class (column)
#'
#' For a noise matrix to be learned from, those of rows that are not trusted.
#' @noRd
class_counts <- function(true_class, y, trusted = NULL, checked = NULL) {
  classes <- ncol(true_class)
  counts <- if (is.null(checked)) matrix(0, classes, classes) else checked
  if (!is.null(trusted)) y <- replace(y, trusted, 0)
  for (k in seq_len(classes)) {
    counts[, k] <- counts[, k] + colSums(true_class[y == k, , drop = FALSE])
  }
  counts
}

#' With the log probability of what was recorded where checks have told the true classes
#' [M 8.12]
#'
#' What a given matrix calls impossible is left out: it is the user's word.
#' @param checked see checked_matrix(), or `NULL`.
#' @noRd
with_checked_log <- function(out, omega, checked) {
  at <- which(checked > 0 & omega > 0)
  gain <- sum(checked[at] * log(omega[at]))
  out$log_evidence <- out$log_evidence + gain
  if (!is.null(out$value)) out$value <- out$value + gain
  if (!is.null(out$d_omega)) out$d_omega[at] <- out$d_omega[at] + checked[at] / omega[at]
  out
}

#' EP from the prior and from where a search ended, and the better of the ends
#'
#' @return as ep_settle(), without other starts: of fixed points apart nothing is known.
#' @noRd
classes_settle <- function(run, epsilon, sites, certain) {
  start <- ep_continue(run, epsilon, NULL, certain)
  ends <- c(list(start$out), if (!is.null(sites)) list(run(epsilon, sites)))
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
