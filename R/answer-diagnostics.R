#' How a fit went, what that means and what to do
#'
#' Describes in words how EP and learning ended.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()], the result of
#'   [second_stage()] or of [ep_fit()].
#' @param ... Not used.
#' @return A list of class `ep_diagnostics`: `status`; `happened`, `means` and `do`,
#'   character vectors of sentences (`do` is `NULL` if there is nothing to do); and
#'   the numbers behind them: `residual` (the largest), `sweeps`, `skipped` (sites left
#'   out of the last sweep; with several classes rows), `negative_sites` (sites with negative
#'   precision, which belong to labels that the other rows contradict; `NA` where a fit keeps no
#'   sites, as over [shards()]), `rival` (see below) and `on_bound` (hyperparameters on a bound of
#'   the search, named by its end). Its print method shows the sentences.
#'
#' @section Several fixed points:
#' With little noise EP may have several fixed points. So the posterior of a fit is the
#' best of several starts, by the evidence or, where that was maximised, by leave-one-out:
#' from the prior, up to `r learn_long_rows` rows; from where the search for hyperparameters
#' ended; and, of two classes, damped, up to `r few_rows` rows or where a nugget below 5% of the
#' variance meets sites of negative precision, and up to `r very_few_rows` rows from four more.
#' Where those of two classes end at different fixed points `rival` is a list of
#' `worse`, by how much the criterion of another one is lower, and `probability`, the
#' largest difference between the two probabilities of a row; otherwise it is `NULL`. No
#' number of starts finds every fixed point.
#'
#' EP takes the rows in an order that depends on their values alone, so that sorting a
#' table does not change its fit.
#'
#' @section Statuses:
#' * `converged`: EP reached a fixed point within the tolerance.
#' * `max_sweeps`: EP reached `max_sweeps` before the tolerance.
#' * `sites_skipped`: the last sweep left out sites whose cavity was improper.
#' * `stalled`: the residual stopped falling before it reached the tolerance.
#' * `no_step`: no step was left that has a posterior and is no worse.
#' * `no_fixed_point`: EP found no fixed point, and the one followed from a larger
#'   `epsilon` was lost on the way; there may be none.
#' * `not_positive_definite`: the posterior could not be factorised.
#' * `improper`: EP could not take its first step, because cavities or tilted moments
#'   are outside the range of floating-point numbers.
#' * `exact`: no EP was needed ([second_stage()] only).
#' * `filtered`: the rows were absorbed by ADF, so there is no EP to diagnose
#'   ([bpm()] only).
#' @seealso [ep_control()], [stc()]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' ep_diagnostics(fit)
ep_diagnostics <- function(object, ...) UseMethod("ep_diagnostics")

#' @export
ep_diagnostics.default <- function(object, ...) by_own_fit(ep_diagnostics, object, ...)

#' @rdname ep_diagnostics
#' @export
ep_diagnostics.sturdy_model <- function(object, ...) {
  fit_of(object, ...)
  new_diagnostics(diagnose(object), diagnose_learning(object), object$learning$on_bound)
}

#' @rdname ep_diagnostics
#' @export
ep_diagnostics.sturdy_ep <- function(object, ...) {
  check_no_dots(...)
  new_diagnostics(diagnose_ep(object))
}

#' @param how see diagnose(). @param learning findings() of the search for hyperparameters.
#' @noRd
new_diagnostics <- function(how, learning = NULL, on_bound = NULL) {
  said <- c(list(status = how$status), findings(how, learning), how$numbers, list(on_bound = on_bound))
  structure(said, class = "ep_diagnostics")
}

#' What there is to say of how the posterior was found
#' @return list(status, happened, means, do, numbers)
#' @noRd
diagnose <- function(object) {
  if (!is.null(object$recalibration)) {
    list(
      status = "exact", numbers = ep_numbers(),
      happened = "The likelihood of the scores is exact: there is no EP that could fail.",
      means = "All depends on scores made for each row without its label: in-sample ones hide wrong labels."
    )
  } else if (!is.null(object$filter)) {
    list(
      status = "filtered", numbers = ep_numbers(),
      happened = paste("Assumed density filtering absorbed", whole(object$filter$rows), "rows in one pass."),
      means = c(
        "The posterior depends on the order of the rows. There is no iteration that could fail to converge.",
        paste0(signif(100 * filter_error(object), 3), "% of labels were predicted wrongly beforehand.")
      )
    )
  } else {
    diagnose_ep(object$ep, linear = inherits(object, "bpm"))
  }
}

diagnose_ep <- function(ep, linear = FALSE) {
  negative <- if (length(ep$sites$tau)) sum(ep$sites$tau < 0, na.rm = TRUE) else NA_integer_
  found <- findings(
    c(list(happened = ep$message), ep_advice(ep$status, linear)),
    if (isTRUE(negative > 0)) list(
      happened = paste0("Sites with a negative precision: ", negative, " of ", length(ep$sites$tau), "."),
      means = "A negative precision marks a label that the other rows contradict, as wrong ones do."
    ),
    if (!is.null(ep$rival)) list(
      means = "Of several fixed points this is the best one: probabilities are less certain than they look.",
      do = "A larger nugget or epsilon often leaves one fixed point."
    )
  )
  residual <- if (length(ep$residual)) max(ep$residual) else NA_real_
  numbers <- ep_numbers(residual, ep$sweeps, ep$skipped, negative, ep$rival)
  c(list(status = ep$status), found, list(numbers = numbers))
}

#' The numbers behind the sentences: without EP none is known
#' @noRd
ep_numbers <- function(residual = NA_real_, sweeps = NA_integer_, skipped = NA_integer_,
                       negative = NA_integer_, rival = NULL) {
  list(residual = residual, sweeps = sweeps, skipped = skipped, negative_sites = negative, rival = rival)
}

#' What there is to say of how hyperparameters were found, `NULL` where none was
#' @return findings()
#' @noRd
diagnose_learning <- function(object) {
  how <- object$learning$method
  if (!is.null(how)) switch(how, integrate = diagnose_average(object), diagnose_search(object))
}

diagnose_search <- function(object) {
  learning <- object$learning
  what <- count(sum(learned(object)), "hyperparameter")
  starts <- count(object$spec$control$restarts + 1, "start")
  findings(
    list(happened = paste0("Learned ", what, " by ", object$spec$criterion, " from ", starts, ".")),
    if (learning$convergence != 0) list(
      happened = paste0("The search stopped early: ", learning$message, "."),
      means = if (is.finite(learning$penalised)) "There may be a better optimum nearby.",
      do = "Fit again with more starts or, where a budget was used up, with more time: see ep_control()."
    ),
    if (isFALSE(learning$cold_start)) list(
      happened = "EP from a cold start does not reach the value that the search found.",
      means = "EP has several fixed points there, or none: do not rely on this optimum.",
      do = "Hold the nugget or epsilon at a larger value, or use a stronger prior."
    ),
    if (length(learning$on_bound)) list(
      happened = paste0("On a bound of the search: ", name_some(learning$on_bound), "."),
      means = bound_words(learning$on_bound)
    )
  )
}

#' How well the nodes of an average stand for the posterior of the hyperparameters
#' @noRd
diagnose_average <- function(object) {
  average <- object$nodes$models # of a fit's own nodes there is one
  named <- model_words(average$model, object$blueprint$levels)
  by_nodes <- average$method == "nodes"
  how <- if (by_nodes) {
    over <- paste(count(sum(learned(object)), "hyperparameter"), "over", count(node_count(object), "node"))
    paste0("Integrated ", over, "; effective: ", round(average$ess), " with ", named, ".")
  } else if (grepl("^mode", average$method)) {
    paste0("At ", count(average$modes, "mode"), ", by Laplace's method: ", named, ".")
  } # what is exact needs no words
  early <- paste0("The search for modes stopped early: ", object$learning$message, ".")
  hold <- if (identical(object$kernel$type, "ard")) "Use kernel_iso(), or hold" else "Hold"
  findings(
    list(happened = c(how, if (isTRUE(object$learning$convergence != 0)) early)),
    if (by_nodes && isTRUE(average$pareto_k > 0.7 || average$ess < 10)) list(
      means = paste("Averages are rough with", named, "(few nodes are effective, or Pareto k above 0.7)."),
      do = paste(hold, "some hyperparameters: the fewer, the better nodes cover them.")
    )
  )
}

#' What a hyperparameter on a bound means, by the end it lies at
#' @noRd
bound_words <- function(bounds) {
  kind <- sub("[.@].*", "", bounds) # nugget@<class>, with a kernel for each class
  said <- bound_meanings[paste(kind, names(bounds))]
  open <- paste0(kind, " on its ", names(bounds), " bound: the data do not determine it.")
  unique(ifelse(is.na(said), open, said))
}

bound_no_need <- "A bias, nugget or epsilon on its lower bound: the data show no need for it."
bound_no_use <- "A bias or nugget on its upper bound: the inputs explain almost nothing."
# By hyperparameter and end of its range; others tell no more than that they are there
bound_meanings <- c(
  "lengthscale lower" =
    "A lengthscale on its lower bound: rows that differ there carry no information about each other.",
  "lengthscale upper" = "A lengthscale on its upper bound: the column has no influence.",
  "prior_scale lower" = "A prior scale on its lower bound: the column has no influence.",
  "prior_scale upper" = "A prior scale on its upper bound: the column far outweighs all else.",
  "bias lower" = bound_no_need, "nugget lower" = bound_no_need, "epsilon lower" = bound_no_need,
  "bias upper" = bound_no_use, "nugget upper" = bound_no_use,
  "epsilon upper" = "epsilon near 1/2: to this model the labels look like coin tosses."
)

#' @export
print.ep_diagnostics <- function(x, ...) {
  print_sentences("What happened", x$happened)
  print_sentences("What it means", x$means)
  print_sentences("What to do", if (length(x$do)) x$do else "Nothing.")
  invisible(x)
}
