# What EP and learning need of a latent function, so that both are written once. A latent is
# a list, all of whose fields are there:
#
#   n         number of sites of each of its functions: rows
#   columns   number of encoded inputs
#   classes   C
#   functions latent functions: one with two classes or classes in an order, else one a class
#   y         labels of the rows, 1..C; NULL where rows are elsewhere
#   reports   what is known of the labels; where rows are elsewhere, of each kind of row
#   cells     see report_cells(), of these
#   hyper     named list of hyperparameters on the natural scale
#   free      names of those to be learned
#   prior     named list of list(meanlog, sdlog), or NULL
#   least     named list of the least values that learning may give hyperparameters
#   coarse    the EP tolerance that is enough for a search, see coarse_tol(), or NULL
#   second    whether the second order of the evidence, which ep() gives where control has
#             it, costs little beside EP
#   Z         inducing inputs, or NULL
#   places    whether again() places them anew
#   ep(points, df, control, criterion, gradient, progress): EP at points, each list(hyper, L, sites),
#             on as many threads as there are. L has a row for each of the reports' and a column a
#             class, see report_likelihood(). A list for each point as of native_gp_fits(), rows in
#             the order given, gradients by hyperparameter with respect to logs; b and extra,
#             mean and scaled covariance, are what the latent predicts from.
#   some(k)   the latent of k rows alone, spread over all
#   again(hyper, m): the latent at other hyperparameters, with m inducing inputs where it
#             places them; NULL in kernel space, where learning needs none
#   project(hyper, df, L, found): sites of all rows by what EP on some of them has found; or
#             NULL
#   predict(hyper, b, C): list(m, s2) at the rows by b and C of EP on other rows; or NULL

#' A latent: its fields as they stand above, NULL, the default, of what it has not
#' @noRd
new_latent <- function(n, columns, classes, functions = if (classes > 2) classes else 1L, y, reports,
                       cells = report_cells(reports), hyper, free, prior, least = list(), coarse = NULL,
                       second, Z = NULL, places = FALSE, ep, some, again = NULL, project = NULL, predict = NULL) {
  stopifnot(
    is.function(ep), is.function(some), classes == reports$classes, all(free %in% names(hyper)),
    is.null(y) || length(y) == n && reports$n == n
  )
  mget(names(formals()))
}

# Rows ------------------------------------------------------------------------------

#' The labels of rows as latents take them: classes 1..C, and all that is known
#' @param data of a fit. @return list(y, reports, offset: of each row, or `NULL`)
#' @noRd
row_labels <- function(data) {
  list(y = label_code(data), reports = data$reports, offset = row_offset(data$X))
}

#' Rows in the order in which EP takes them
#'
#' @param X encoded inputs. @param labels see row_labels(). @param fields,columns see
#'   in_order(). @param across whether the rows are the columns of X.
#' @return list(n, X, reports, first(k): labels of the first k; likelihoods(L),
#'   sites(sites): rows there; result(out): rows back; times, or `NULL`; offset(hyper), the prior
#'   means, or `NULL`).
#' @noRd
latent_rows <- function(X, labels, fields = row_fields, columns = 1L, across = FALSE) {
  visit <- table_order(X, labels$y, across)
  c(in_order(visit, fields, columns), list(
    n = length(visit), X = if (across) X[, visit, drop = FALSE] else X[visit, , drop = FALSE],
    reports = visited_reports(labels$reports, visit),
    likelihoods = function(L) L[visit, , drop = FALSE],
    times = labels$reports$times[visit],
    # in units of the nugget's standard deviation [M 3.20]
    offset = function(hyper) {
      if (length(labels$offset)) sqrt(hyper$nugget) * labels$offset[visit]
    },
    first = function(k) {
      rows <- visit[seq_len(k)]
      list(
        y = labels$y[rows], reports = reports_of(labels$reports, rows),
        offset = labels$offset[rows]
      )
    }
  ))
}

# Doubles that fits on threads of their own may take together
latent_together <- 5e7

#' ep() of a latent of rows with one function
#' @param Z inducing inputs, or `NULL`. @param doubles that a fit takes: where there is no memory for
#'   two, it is one by one. @param keep see native_gp_fits().
#' @noRd
row_ep <- function(rows, columns, Z, doubles, keep = TRUE) {
  columns$times <- rows$times
  together <- keep && max(2, getOption("sturdy.threads")) * doubles <= latent_together
  function(points, df, control, criterion = "none", gradient = FALSE, progress = NULL) {
    if (!is.null(Z)) control <- control_for(control, rows$n, df, criterion)
    runs <- list()
    for (at in points) {
      runs <- c(runs, list(native_run(
        rows$likelihoods(at$L), df, rows$sites(at$sites), control, criterion, gradient, progress,
        offset = rows$offset(at$hyper), width = at$hyper$width
      )))
    }
    hyper <- lapply(points, `[[`, "hyper")
    out <- list()
    for (some in if (together) list(seq_along(points)) else seq_along(points)) {
      out <- c(out, native_gp_fits(rows$X, Z, columns, hyper[some], runs[some], keep))
    }
    lapply(out, rows$result)
  }
}

#' Reports in the order in which EP takes their rows, so that sums over them are rounded
#' alike however the table is sorted
#' @noRd
visited_reports <- function(reports, visit) {
  turn <- order(match(reports$row, visit), reports$source, reports$value)
  parts <- c("row", "source", "value")
  reports[parts] <- lapply(reports[parts], `[`, turn)
  if (has_soft(reports)) reports$soft <- reports$soft[turn, , drop = FALSE]
  reports
}

#' How a rate of wrong labels is shared by the other classes, see as_omega()
#' @noRd
latent_share <- function(latent) {
  in_order <- isTRUE(latent$classes > 2 && latent$functions == 1)
  if (in_order) neighbour_share(latent$classes)
}

#' The likelihoods of its rows under a noise model
#' @param omega S x C x C
#' @noRd
latent_likelihood <- function(latent, omega) report_likelihood(latent$reports, omega, latent$cells)

#' Which hyperparameters of a kernel are learned
#' @noRd
free_hyper <- function(kernel, X) {
  held <- c(kernel$fixed, if (ncol(X) == 0) "lengthscale")
  c(setdiff(hyper_names, held), if (!is.null(kernel$width)) "width")
}

# Many rows -------------------------------------------------------------------------

# With more rows all sites are updated at once, which costs less than their turns.
parallel_rows <- 2000

# EP that sees its rows through features, all at once or of several classes, is not asked for less:
# each pass gains a factor, and what is left of the residual is seen in no digit that is printed
least_tol <- 1e-6

#' The tolerance that is enough for a search over many rows, or `NULL`: the error of the evidence is the square
#' of the residual
#' @noRd
coarse_tol <- function(n) if (n > parallel_rows) 1e-3

#' The control of EP on n rows: where the gradient needs no adjoint, its memory and that of Newton
#' steps is saved
#' @noRd
control_for <- function(control, n, df, criterion) {
  at_once <- list(
    tol = max(control$tol, least_tol), parallel = TRUE, lean = is.infinite(df) && criterion != "loo"
  )
  if (n > parallel_rows) utils::modifyList(unclass(control), at_once) else control
}
