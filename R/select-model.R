#' Compare models and choose one
#'
#' Fits several candidates to the same rows, compares them by evidence or by
#' leave-one-out, and returns the comparison together with the best fit. The result is
#' itself a fit, which predicts, finds suspicious labels and so on as the selected one.
#'
#' @details
#' # What is compared
#' All candidates are fitted to the same rows, so all values are about the same
#' recorded labels. Only values that estimate the same quantity are compared:
#' * `log_integrated`, the default criterion, is the log evidence integrated over the
#'   learned hyperparameters, each with its prior (see [log_evidence()]). It is the
#'   evidence for the candidate as a whole, which does not favour candidates that learned
#'   more. It is computed only when it is the criterion.
#' * `log_evidence` is the Gaussian EP evidence at the hyperparameters of the fit, for a
#'   candidate with finite `df` too. The exact evidence of a Student-t process equals that
#'   of the Gaussian process with the same kernel, because the likelihood depends on signs
#'   only (see [stc()]); EP estimates it well, t-EP does not. It favours candidates that
#'   learned more (`learned`).
#' * `log_evidence_tep`, the t-EP evidence of a candidate with finite `df`, is not
#'   compared. It is not an estimate of the evidence, and only values at the same `df` can
#'   be compared with each other: with K = I and 100 rows, where the log evidence is
#'   -69.31, it is -42.30 at 10 degrees of freedom.
#' * `loo` is the sum of the log probabilities of the recorded labels, each predicted
#'   from the other rows at the learned hyperparameters. It can be compared between all
#'   models. Because the hyperparameters were learned from all rows, it is optimistic,
#'   the more so the more of them were learned, and `loo_diff_se` does not reflect this.
#'
#' At equal hyperparameters a [stc()] has the evidence of the [gpc()] with the same
#' kernel, whatever its `df`. By the integrated evidence the two are equal, and the first
#' of equals in the list is selected; by the evidence they differ because they learned
#' different hyperparameters. `criterion = "loo"` compares their predictions.
#'
#' With `hyper = "optimum"` the default kernel and its priors are others where `epsilon` is
#' `"average"` than where it is held or `"learn"` (see [gpc()], [weak_prior()]). To learn from
#' integrated evidences what wrong labels explain, leave `hyper` at `"integrate"`, or give all
#' candidates one kernel, with all of its priors.
#'
#' `weight` is `exp(criterion)`, normalised over the candidates that converged. With the
#' integrated evidence the weights are posterior probabilities of the candidates under
#' equal prior probabilities (of the entries in the list, which may contain the same
#' kernel several times, as the default one does). With the other criteria they are only a scale. A
#' difference of one nat of evidence is negligible, and one of three nats is strong. For
#' leave-one-out compare `loo_diff` with `loo_diff_se`.
#'
#' # Does it help?
#' It is better to compare models that there are reasons for, and to look at the size of the
#' differences, than to choose the best of a long list. [bpm()] has almost nothing to integrate over,
#' which the integrated evidence rewards on small tables.
#'
#' # Progress
#' Candidates are fitted one after the other, each on the cores that [gpc()] takes. Progress is a bar
#' in interactive sessions; `progress` of [ep_control()] in the first candidate, or
#' `options(sturdy.progress = FALSE)`, silences it.
#'
#' # Candidates that fail
#' A candidate that fails has a row in the table with its message. One whose EP did
#' not converge keeps its values and is marked by its `status`, but it has no weight
#' and is not selected if another one converged.
#'
#' @param x A formula, a data frame of inputs, or a numeric matrix of inputs.
#' @param formula,data,y,subset,na.action As in [gpc()], for all candidates.
#' @param candidates A list of [candidate()]s, named or not; by default
#'   [default_candidates()] for the number of classes and the criterion.
#' @param criterion What the candidates are compared by: `"integrated"`, the default,
#'   `"evidence"` or `"loo"`. The `criterion` by which a candidate learns its
#'   hyperparameters is an argument of that candidate. A candidate without an integrated
#'   evidence, for example because one of its learned hyperparameters has no prior, is not
#'   compared under `"integrated"`, and its `message` says so.
#' @param scale As in [gpc()], for all candidates; `NULL`, the default, leaves each
#'   candidate its own.
#' @param ... Not used; an unknown argument is an error.
#'
#' @return The selected fit, with the class `sturdy_selection` before its own and with
#'   the further fields
#'   * `table`: a data frame with one row per candidate, in the order given: `candidate`
#'     (its name), `model`, `df`, `epsilon` (the mean of the rates where there are several),
#'     `epsilon_neg`, `epsilon_pos` (`NA` where several classes have a rate each), `learned` (how many hyperparameters),
#'     `log_integrated` (`NA` unless it is the criterion) and whether it is `corrected` (see
#'     [log_evidence()]: compare those that are among themselves where they differ by less than a
#'     nat), `log_evidence`, `log_evidence_tep`, `loo`, `loo_se` (standard error of `loo`),
#'     `loo_diff` and `loo_diff_se` (difference from the best by leave-one-out, and its standard
#'     error, from the paired rows), `weight`, `selected`, `seconds`, `status` (of EP, or
#'     `"failed"`) and `message` (warnings, or why it failed: also for want of memory);
#'   * `fits`: all fits, by name, `NULL` where one failed;
#'   * `criterion`: the criterion in use; `candidates`: the list of candidates.
#'
#'   `$selected` is the selected fit alone. The selection holds it once: `$selected` and
#'   its entry in `$fits` are made of the other fields when they are asked for.
#'
#'   All functions for a fit accept a selection: [predict()][predict.sturdy_model],
#'   [mislabelled()], [update()][update.sturdy_model] and so on use the selected fit.
#'   [tidy()] returns the table, [glance()] adds the name and the weight of the
#'   selected candidate, and `print()` and `plot()` show the comparison.
#' @section Conditions:
#' Errors: `sturdy_error_no_candidate` when no candidate could be fitted,
#' `sturdy_error_candidates` for a list that is not one of candidates,
#' and those of [gpc()] for the data.
#'
#' Warnings: `sturdy_warning_not_converged` when none converged and the best of the
#' others was taken, `sturdy_warning_criterion` when none has an integrated evidence and
#' `"evidence"` took its place.
#' @inherit sturdy-package references
#' @seealso [candidate()], [log_evidence()], [loo()],
#'   [plot()][plot.sturdy_selection]
#' @order 1
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(40), b = rnorm(40))
#' d$class <- factor(ifelse(d$a + d$b > 0, "yes", "no"))
#' wrong <- c(3, 8, 30)
#' d$class[wrong] <- ifelse(d$class[wrong] == "yes", "no", "yes")
#' candidates <- list(
#'   noise = candidate("gpc", kernel = kernel_iso(1, fixed = TRUE)),
#'   none = candidate("gpc", kernel = kernel_iso(1, fixed = TRUE), epsilon = 0)
#' )
#' selection <- select_model(class ~ ., d, candidates)
#' selection
#' predict(selection, data.frame(a = 1, b = 1), type = "prob")
select_model <- function(x, ...) {
  check_x_given(missing(x), ...)
  UseMethod("select_model")
}

#' @rdname select_model
#' @order 2
#' @export
select_model.formula <- function(formula, data = NULL,
                                 candidates = default_candidates(criterion = criterion),
                                 criterion = c("integrated", "evidence", "loo"),
                                 scale = NULL,
                                 ...,
                                 subset = NULL, na.action = stats::na.omit) {
  check_no_dots(...)
  subset <- substitute(subset)
  mold <- function(scale) mold_formula(formula, data, scale, na.action, subset, many = TRUE)
  select_impl(mold, candidates, criterion, scale, match.call())
}

#' @rdname select_model
#' @order 3
#' @export
select_model.data.frame <- function(x, y, candidates = default_candidates(criterion = criterion),
                                    criterion = c("integrated", "evidence", "loo"), scale = NULL, ...) {
  check_no_dots(...)
  y <- rlang::maybe_missing(y)
  mold <- function(scale) mold_xy(x, rlang::maybe_missing(y), scale, many = TRUE)
  select_impl(mold, candidates, criterion, scale, match.call())
}

#' @rdname select_model
#' @order 4
#' @export
select_model.matrix <- select_model.data.frame

#' @rdname select_model
#' @order 5
#' @export
select_model.default <- no_face("select_model")

#' A named list of candidates; names that were not given describe the candidate
#' @noRd
check_candidates <- function(candidates, scale) {
  if (inherits(candidates, "sturdy_spec")) candidates <- list(candidates)
  must(
    is.list(candidates) && length(candidates) && all(vapply(candidates, is_spec, NA)),
    "candidates", "be a list of results of {.fn candidate}", "candidates", got = candidates
  )
  refuse(
    any(vapply(candidates, function(spec) identical(spec$inference, "adf"), NA)),
    "A candidate can't have {.code inference = \"adf\"}: there is no leave-one-out score
     and no evidence to compare it by.",
    "candidates", arg = "candidates"
  )
  names <- rlang::names2(candidates)
  none <- !nzchar(names)
  names[none] <- vapply(candidates[none], format, character(1))
  names(candidates) <- make.unique(names, sep = " ")
  changed <- if (!is.null(scale)) list(scale = check_flag(scale, "scale"))
  lapply(candidates, edit_spec, changed)
}

# Comparing -----------------------------------------------------------------

select_impl <- function(mold, candidates, criterion, scale, matched) {
  criterion <- check_choice(criterion, names(selection_criteria), "criterion")
  usual <- identical(candidates, default_candidates(criterion = criterion))
  candidates <- check_candidates(candidates, scale)
  scales <- unique(vapply(candidates, `[[`, NA, "scale"))
  molded <- lapply(rlang::set_names(scales), mold)
  classes <- length(molded[[1]]$blueprint$levels)
  if (usual) candidates <- check_candidates(candidates_for(molded[[1]], criterion), scale)
  must(
    classes == 2 || all(vapply(candidates, spec_model, "") == "gpc"), "candidates", "be of {.fn gpc}",
    c("several_classes", "candidates"),
    more = c(i = "For example {.code candidates = default_candidates({classes})}."),
    of = "With {classes} classes every candidate"
  )
  meter <- progress_meter("Fitting candidates", candidates[[1]]$control$progress)
  runs <- list()
  # the call that would fit a candidate alone
  alone <- as.list(matched)[!names(matched) %in% c("candidates", "criterion", "scale")]
  for (name in names(candidates)) {
    spec <- candidates[[name]]
    run <- candidate_run(spec, molded[[as.character(spec$scale)]], criterion == "integrated")
    if (!is.null(run$fit)) run$fit$call <- short_call(as.call(c(alone, spec_changed(spec))), spec)
    runs[[name]] <- run
    meter(length(runs), length(candidates), paste(length(runs), "of", count(length(candidates), "candidate")))
  }
  new_selection(runs, criterion, candidates)
}

#' The default candidates, those that are of use for a table
#' @noRd
candidates_for <- function(molded, criterion) {
  candidates <- default_candidates(length(molded$blueprint$levels), criterion)
  if (isTRUE(molded$blueprint$ordered)) candidates[c("gpc_matrix", "gpc_own")] <- NULL
  if (is_one_scaled(molded$data$X, molded$blueprint)) candidates$gpc_iso <- NULL
  candidates
}

#' The selected fit, which also holds the comparison
#' @noRd
new_selection <- function(runs, criterion, candidates) {
  fits <- lapply(runs, `[[`, "fit")
  facts <- do.call(rbind, lapply(unname(runs), `[[`, "facts"))
  criterion <- criterion_at_hand(criterion, facts)
  table <- selection_table(runs, facts, criterion)
  chosen <- which(table$selected)
  if (length(chosen) == 0) abort_no_candidate(table)
  if (table$status[chosen] != "converged") {
    warn_sturdy(c(
      "No candidate converged: {.val {table$candidate[chosen]}} is the best of those with a posterior.",
      i = "See {.code ep_diagnostics(selection)} for what to do."
    ), "not_converged", status = table$status[chosen])
  }
  selected <- fits[[chosen]]
  fits[chosen] <- list(NULL)
  more <- list(table = table, fits = fits, criterion = criterion, candidates = candidates)
  structure(c(unclass(selected), more), class = c("sturdy_selection", class(selected)))
}

#' Where no candidate has an integrated evidence, the evidence at learned values
#' @noRd
criterion_at_hand <- function(criterion, facts) {
  if (criterion != "integrated" || any(is.finite(facts$log_integrated)) ||
      !any(is.finite(facts$log_evidence))) {
    return(criterion)
  }
  if (any(facts$status == "converged")) {
    warn_sturdy(
      "No candidate has an integrated evidence: they are compared by {.val evidence}.",
      "criterion"
    )
  }
  "evidence"
}

selection_table <- function(runs, facts, criterion) {
  pointwise <- lapply(runs, function(run) if (!is.null(run$fit)) row_loo(run$fit))
  value <- eligible(facts[[selection_criteria[[criterion]]]], facts)
  last <- c("seconds", "status", "message")
  cbind(
    candidate = names(runs), facts[setdiff(names(facts), last)],
    loo_differences(pointwise, facts),
    weight = softmax(ifelse(facts$status == "converged", value, -Inf)),
    selected = seq_along(runs) == first_of_best(value), facts[last]
  )
}

# the column each criterion is
selection_criteria <- c(integrated = "log_integrated", evidence = "log_evidence", loo = "loo")

#' Values of those that converged, or of all where none did; -Inf where they don't count
#' @noRd
eligible <- function(value, facts) {
  known <- is.finite(value)
  converged <- known & facts$status == "converged"
  ifelse(if (any(converged)) converged else known, value, -Inf)
}

#' The first of those that equal the largest value: equal models, an stc() and the
#' gpc() of its kernel, differ by what the search for the mode leaves open
#' @return its index, 0 when no value is finite.
#' @noRd
first_of_best <- function(value) {
  best <- which(is.finite(value) & value >= max(value, na.rm = TRUE) - 0.02)
  c(best, 0L)[1]
}

#' Differences from the best leave-one-out score among those that converged, with
#' the standard error of the paired difference
#' @noRd
loo_differences <- function(pointwise, facts) {
  best <- pointwise[[which.max(eligible(facts$loo, facts))]]
  gap <- Map(function(loo, known) if (known) loo - best else NA_real_, pointwise, is.finite(facts$loo))
  data.frame(loo_diff = vapply(gap, sum, 0), loo_diff_se = vapply(gap, se_sum, 0), row.names = NULL)
}

abort_no_candidate <- function(table) {
  why <- utils::head(cli_verbatim(paste0(table$candidate, ": ", table$message)), 5)
  names(why) <- rep("x", length(why))
  abort_sturdy(c("No candidate could be fitted.", why), "no_candidate", table = table)
}
