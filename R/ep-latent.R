# What EP and learning need of a latent function, so that both are written once: its
# hyperparameters, which of them are free, their priors, and the native fit.
#
# A latent is a list of
#   n       number of sites
#   reports what is known of their labels; where rows are elsewhere, of each kind of row
#   code    their labels, 1..C, or NULL
#   hyper   named list of hyperparameters on the natural scale
#   free    names of those to be learned
#   prior   named list of list(meanlog, sdlog), or NULL
#   native  function(hyper, df, L, sites, control, criterion, gradient, progress)
#           -> native result, gradients with respect to logs by name; L: a row for each of
#           the reports' and a column a class, see report_likelihood()
#   some    function(k) -> the latent of k rows alone, spread over all; its `rows` says which
# and may have
#   least   named list of the least values that learning may give hyperparameters
#   coarse  the EP tolerance that is enough for a search
#   staged  functions that learning in stages needs, see learn-staged.R

#' The labels of rows as latents take them: codes 1..C, and all that is known
#' @param data of a fit.
#' @noRd
row_labels <- function(data) list(code = label_code(data), reports = data$reports)

#' Reports in the order in which EP takes their rows, so that sums over them are rounded
#' alike however the table is sorted
#' @noRd
visited_reports <- function(reports, visit) {
  turn <- order(match(reports$row, visit), reports$source, reports$value)
  parts <- c("row", "source", "value")
  reports[parts] <- lapply(reports[parts], `[`, turn)
  reports
}

some_labels <- function(labels, rows) {
  list(code = labels$code[rows], reports = reports_of(labels$reports, rows))
}

#' A noise model as the sources of a latent's reports have it
#' @noRd
latent_omega <- function(latent, epsilon) {
  as_omega(epsilon, latent$reports$classes, length(latent$reports$sources))
}

#' Kernel space: the latent function at the rows
#'
#' @param X encoded inputs (n x p). @param columns list(group, weight), an entry a
#'   column: its lengthscale, the weight of its squared differences.
#' @param labels list(code, reports). @param kernel resolved kernel.
#' @noRd
latent_kernel <- function(X, columns, labels, kernel, call = rlang::caller_env()) {
  n <- nrow(X)
  check_memory(5 * n^2 + 2 * length(X), n, TRUE, call)
  free <- setdiff(hyper_names, kernel$fixed)
  if (ncol(X) == 0) free <- setdiff(free, "lengthscale")
  visit <- table_order(X, labels$code)
  rows <- in_order(visit, c(row_fields, "b"))
  X <- X[visit, , drop = FALSE]
  list(
    n = n,
    code = labels$code,
    reports = visited_reports(labels$reports, visit),
    hyper = unclass(kernel)[hyper_names],
    free = free,
    prior = kernel$prior,
    some = function(k) {
      few <- latent_kernel(
        X[seq_len(k), , drop = FALSE], columns, some_labels(labels, visit[seq_len(k)]), kernel,
        call
      )
      c(few, list(rows = visit[seq_len(k)]))
    },
    native = function(hyper, df, L, sites, control, criterion = "none", gradient = FALSE,
                      progress = NULL) {
      rows$result(native_gp_fit(
        X, columns, hyper, take_rows(L, visit), df, rows$sites(sites), control, criterion,
        gradient, progress
      ))
    }
  )
}

#' Weight space: a linear function of features
#'
#' @param Xt features k x n. @param prior list(scale, group, free, prior, nugget,
#'   free_nugget): prior scales by input column (and the intercept first), the one each
#'   weight uses, which are learned (logical), the log-normal prior; the nugget, and
#'   whether it is learned.
#' @noRd
latent_weight <- function(Xt, labels, prior, call = rlang::caller_env()) {
  n <- ncol(Xt)
  k <- nrow(Xt)
  # the features three times and, for the gradient, some 270 n-vectors
  check_memory(n * (3 * k + 270) + 8 * k^2, n, FALSE, call)
  visit <- table_order(t(Xt), labels$code)
  rows <- in_order(visit)
  Xt <- Xt[, visit, drop = FALSE]
  span <- if (k > n && !any(prior$free)) row_span(Xt, weight_scales(prior))
  list(
    n = n,
    code = labels$code,
    reports = visited_reports(labels$reports, visit),
    hyper = list(prior_scale = prior$scale[prior$free], nugget = prior$nugget),
    free = c(if (any(prior$free)) "prior_scale", if (prior$free_nugget) "nugget"),
    prior = list(prior_scale = prior$prior, nugget = prior$prior),
    some = function(k) {
      few <- latent_weight(
        Xt[, seq_len(k), drop = FALSE], some_labels(labels, visit[seq_len(k)]), prior, call
      )
      c(few, list(rows = visit[seq_len(k)]))
    },
    native = function(hyper, df, L, sites, control, criterion = "none", gradient = FALSE,
                      progress = NULL) {
      if (hyper$nugget > 0) {
        control <- control_for(control, n, is.infinite(df) && criterion != "loo")
      }
      fit <- function(features, scales) {
        rows$result(native_weight_fit(
          features, scales, hyper$nugget, take_rows(L, visit), df, rows$sites(sites), control,
          criterion, gradient, progress
        ))
      }
      out <- if (is.null(span)) {
        fit(Xt, weight_scales(prior, hyper))
      } else {
        out_of_span(fit(span$features, rep(1, n)), span, covariance = !gradient)
      }
      if (!is.null(out$gradient)) {
        out$gradient <- list(
          prior_scale = if (any(prior$free)) {
            drop(rowsum(out$gradient$s0, prior$group))[prior$free]
          },
          nugget = if (hyper$nugget > 0) out$gradient$nugget
        )
      }
      out
    }
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

#' Prior scale of each weight (k)
#' @noRd
weight_scales <- function(prior, hyper = list(prior_scale = prior$scale[prior$free])) {
  scale <- prior$scale
  scale[prior$free] <- hyper$prior_scale
  unname(scale[prior$group])
}

# Many rows -------------------------------------------------------------------

# With more rows all sites are updated at once, which costs less than their turns, and
# EP ends at a residual of 1e-6.
parallel_rows <- 2000

#' The control of EP on n rows
#'
#' @param stationary whether the gradient needs no adjoint, so that its memory and that of
#'   Newton steps can be saved.
#' @noRd
control_for <- function(control, n, stationary) {
  if (n <= parallel_rows) {
    return(control)
  }
  utils::modifyList(unclass(control), list(
    tol = max(control$tol, 1e-6), parallel = TRUE, lean = stationary
  ))
}

#' Kernel space through inducing inputs: FITC [M 9.6]
#'
#' @param Z encoded inducing inputs (m x p), or their number: then they are placed among
#'   the rows in the metric of the kernel. Others as latent_kernel().
#' @noRd
latent_inducing <- function(X, columns, labels, kernel, Z, call = rlang::caller_env()) {
  n <- nrow(X)
  m <- if (is.matrix(Z)) nrow(Z) else Z
  keep <- 8 * (lowrank_doubles(n, m + 1) + 2 * length(X)) <= memory_limit()
  if (!keep) check_memory(lowrank_doubles(n, 0) + 10 * m^2 + 2 * length(X), n, FALSE, call)
  free <- setdiff(hyper_names, kernel$fixed)
  if (ncol(X) == 0) free <- setdiff(free, "lengthscale")
  visit <- table_order(X, labels$code)
  rows <- in_order(visit)
  given <- X
  X <- X[visit, , drop = FALSE]
  Z_at <- if (is.matrix(Z)) Z else place_inducing(X, columns, kernel$lengthscale, Z)
  at <- function(X, labels, hyper, Z) {
    kernel[hyper_names] <- hyper
    latent_inducing(X, columns, labels, kernel, Z, call)
  }
  list(
    n = n,
    code = labels$code,
    reports = visited_reports(labels$reports, visit),
    hyper = unclass(kernel)[hyper_names],
    free = free,
    prior = kernel$prior,
    least = list(nugget = 1e-4),
    coarse = if (n > parallel_rows) 1e-3,
    Z = Z_at,
    some = function(k) {
      few <- at(
        X[seq_len(k), , drop = FALSE], some_labels(labels, visit[seq_len(k)]),
        kernel[hyper_names], Z_at
      )
      c(few, list(rows = visit[seq_len(k)]))
    },
    staged = list(
      given = is.matrix(Z),
      columns = ncol(X),
      # all rows at other hyperparameters and, unless they were given, other Z
      again = function(hyper, m = nrow(Z_at)) at(given, labels, hyper, if (is.matrix(Z)) Z else m),
      predict = function(hyper, b, C) {
        native_inducing_predict(Z_at, columns, hyper, b, C, given)
      },
      # sites under the posterior of other rows
      project = function(hyper, df, L, b, C) {
        prior <- native_inducing_predict(Z_at, columns, hyper, b, C, given)
        native_project(L, prior$m, prior$s2, df, n)
      }
    ),
    native = function(hyper, df, L, sites, control, criterion = "none", gradient = FALSE,
                      progress = NULL) {
      control <- control_for(control, n, is.infinite(df) && criterion != "loo")
      control$keep <- keep
      rows$result(native_inducing_fit(
        X, Z_at, columns, hyper, take_rows(L, visit), df, rows$sites(sites), control, criterion,
        gradient, progress
      ))
    }
  )
}

#' Doubles of a low-rank fit at df = Inf: k features (which are not kept where they do not
#' fit) and what EP has a row (200 more at a finite df)
#' @noRd
lowrank_doubles <- function(n, k) {
  a_row <- if (n > parallel_rows) 120 else 280
  n * (k + a_row) + 10 * k^2
}

#' Share of the variance that inducing inputs leave, beside the nugget [M 9.6]: what a
#' nugget learned with them may be short by
#' @noRd
inducing_left <- function(latent, hyper) {
  m <- nrow(latent$Z)
  k <- m + (hyper$bias > 0)
  prior <- latent$staged$predict(hyper, numeric(k), matrix(0, k, k))
  mean(prior$s2 - hyper$nugget) / hyper$variance
}
