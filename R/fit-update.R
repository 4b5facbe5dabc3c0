#' Fit again with changed arguments, inputs or data
#'
#' Without `data`, the model is fitted again to the encoded training rows it keeps,
#' with the named arguments changed and all others as they were given. With `data`
#' (and, optionally, a changed formula) it is fitted to that data. Learning starts
#' again from its usual starting points, not from the old optimum. To take in further
#' rows use [absorb()].
#'
#' @param object A model fitted by [gpc()], [stc()], [bpm()] or [second_stage()].
#' @param formula. Changes to the formula, as in [stats::update.formula()]. Without
#'   `data` it may only remove inputs: `update(fit, . ~ . - x)`.
#' @param ... Arguments of [gpc_spec()], [stc_spec()] or [bpm_spec()] to change, by
#'   name. A finite `df` turns a [gpc()] into an [stc()]. If `criterion` is
#'   given, the default of `hyper` applies; and where `criterion` or `epsilon` is what is usual, it
#'   becomes what is usual beside the arguments that change.
#' @param data A data frame to fit to, for a model that was fitted by a formula.
#' @param subset,na.action As in [gpc()]; used only with `data`. The default of
#'   `na.action` is [stats::na.exclude()] if the old fit left out rows by it, otherwise
#'   [stats::na.omit()].
#' @param trusted,rates,weights As in [gpc()]. Without `data`, vectors for the rows of the data that
#'   the fit was given; what was known before is kept unless it is given again, or taken away by `NULL`.
#' @param cluster As in [gpc()], along with `data` in [shards()].
#' @param units As in [gpc()], along with `data`; a fit of units keeps them otherwise.
#' @param checked Labels that were looked up: a data frame with the columns `row` and `label`, or
#'   the name of a CSV file with such a table, as the page of [label_report()] saves it. `row` is
#'   the position in the data given to the fit, as in [review()] and [mislabelled()]. Instead of
#'   `row`, or beside it, there may be the column of identifiers that these functions show: `id`,
#'   the names of the rows where they have any, or what the argument `id` has. `label` is the true
#'   class that was found, not the recorded one: a list from [review()] or [mislabelled()] that
#'   was not filled in is refused. A row may occur twice with the same label. These rows get these
#'   labels and are trusted from then on. What had been recorded is kept, as the flip rates are
#'   learned from it, and a message says how many labels changed. Of a file that a report saved,
#'   only answers that name the class count as checks. The list that `review(fit, fdr = )` has drawn is to come back with
#'   all of its rows.
#' @param id Identifiers of the rows, as in [mislabelled()], where `checked` has a column of them.
#' @return A fitted model of the same kind.
#' @section Conditions:
#' * `sturdy_error_checked`: `checked` is no such data frame, has rows that are not in the fit,
#'   labels that are no class, or two labels for one row; it comes with `data`; or answers of a
#'   report contradict themselves or are about other rows than those of the fit;
#' * `sturdy_error_drawn`: of rows that were drawn some are missing, or they are of another fit;
#' * `sturdy_error_file`: the file does not exist or holds no such table;
#' * `sturdy_error_ambiguous`: several rows have one identifier, or a `row` may be the name of one
#'   row and the position of another (give `id`, or both);
#' * `sturdy_error_id`: other values of `id`;
#' * `sturdy_message_checked`: the checks were taken in;
#' * `sturdy_message_draw_left`: these checks, or rows that are trusted, put an end to the guarantee of those before, see [mislabelled()];
#' * `sturdy_message_open_answers`: some answers of a report are no checks;
#' * `sturdy_message_checks_left`: new `data` replace rows that were checked; the field `checked`
#'   is their number;
#' * `sturdy_error_missing_argument`: the change needs `data` (another `scale`, another response,
#'   an input that the model does not hold, or a filtered [bpm()], which keeps no rows), or
#'   `trusted`, `rates` or `weights` is a formula or names columns, without `data`;
#' * `sturdy_error_no_formula`: `formula.` or `data` is given for a model fitted from `x` and `y`;
#' * `sturdy_error_unknown_argument`, and those of [gpc()].
#' @seealso [gpc()], [stc()], [bpm()]; [absorb()]
#' @export
#' @examples
#' held <- kernel_iso(1, fixed = TRUE)
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05, kernel = held)
#' update(fit, epsilon = 0.2)
#' update(fit, df = 5)
update.sturdy_model <- function(object,
                                formula. = NULL,
                                ...,
                                data = NULL,
                                subset = NULL,
                                na.action = update_na_action(object),
                                trusted = NULL,
                                rates = NULL,
                                weights = NULL,
                                units = NULL,
                                cluster = NULL,
                                checked = NULL,
                                id = NULL) {
  check_model(object)
  must(is.null(id) || !is.null(checked), "id", "be given along with {.arg checked}", "id")
  changed <- list(...)
  do.call(check_no_dots, unname(changed[!nzchar(rlang::names2(changed))]), quote = TRUE)
  of_rows <- c("subset", "na.action", "units", "cluster")
  given <- of_rows[!c(missing(subset), missing(na.action), missing(units), is.null(cluster))]
  if (is.null(data) && length(given)) abort_needs_data("to change {.arg {given}}")
  must(
    is.null(data) || !missing(units) || is.null(object$data$units), "units",
    "be given along with {.arg data}: those of the fit are of its own rows (or {.code NULL} for none)",
    c("units", "missing_argument")
  )
  spec <- edit_spec(object$spec, changed)
  molded <- if (is.null(data)) {
    stored <- stored_rows(object, formula., spec)
    # NULL, where it is given, takes away
    none <- function(none, missing) if (!missing) rep(none, stored$data$n_given)
    known <- with_known(
      stored, given_known(trusted, "trusted", none(FALSE, missing(trusted))),
      given_known(rates, "rates", none("label", missing(rates)))
    )
    known <- with_weights(known, given_known(weights, "weights", none(1, missing(weights))))
    if (is.null(checked)) known else with_checked(known, checked, id, suspicious_rows(object))
  } else {
    must(
      is.null(checked), "checked", "be about the rows that the fit keeps: {.arg data} can't be given, too", "checked"
    )
    inform_checks_left(object)
    known <- as.list(substitute(list(units = units, trusted = trusted, rates = rates, weights = weights)))[-1]
    mold_rows(
      data, spec, changed_formula(object, formula.), substitute(subset), na.action, cluster, parent.frame(), known
    )
  }
  new <- fit_spec(spec, molded)
  new$call <- update_call(object$call, match.call(), new)
  new
}

update_na_action <- function(object) {
  excluded <- inherits(object$data$na_action, "exclude")
  if (excluded) stats::na.exclude else stats::na.omit
}

#' Checks are of the rows of a fit: they do not go over to other data
#' @noRd
inform_checks_left <- function(object) {
  reports <- object$data$reports
  certain <- reports$row[reports$source == 0L]
  n <- length(intersect(certain, reports$row[reports$source > 0L]))
  if (n > 0) {
    inform_sturdy(c(
      i = "{n} label{?s} {?was/were} checked in the rows that the fit keeps; with {.arg data}
           {?it is/they are} left behind.",
      i = "Without {.arg data} checks are kept; or give them again, by {.arg checked} of another
           {.fn update}."
    ), "checks_left", checked = n)
  }
}

#' The call of the old fit with what update() was given
#' @noRd
update_call <- function(old, given, new) {
  if (is.null(old)) {
    return(NULL)
  }
  model <- spec_model(new$spec)
  changed <- as.list(given)[-1]
  changed[c("object", "formula.")] <- NULL
  if ("data" %in% names(changed)) old$subset <- NULL # unless given again
  old[names(changed)] <- changed
  formula <- new$blueprint$formula
  if (!is.null(formula)) {
    attributes(formula) <- NULL
    old$formula <- formula
  }
  known <- c("", unlist(lapply(
    list(gpc.formula, gpc.data.frame, second_stage, spec_constructor(model)), function(f) names(formals(f))
  )))
  old <- old[rlang::names2(old) %in% known]
  old[[1]] <- as.name(model)
  old
}
