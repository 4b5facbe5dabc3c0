#' Errors, warnings and messages
#'
#' Every condition has a class of its own, so that a script can tell them apart:
#' `sturdy_error_<name>`, which inherits from `sturdy_error`, and likewise `sturdy_warning_<name>`
#' and `sturdy_message_<name>`. The names that fits signal are listed here; help pages of other
#' functions list their own.
#'
#' @section Errors:
#' In the data: `outcome_type`, `outcome_levels` (not two classes), `missing` (missing values),
#' `not_finite`, `no_rows`, `length` (`x` and `y` do not match), `column_type`, `column_names`,
#' `formula`, `interaction`, `subset` (it can't be evaluated or does not select rows) and
#' `missing_argument` (`y`).
#'
#' In arguments: `epsilon`, `df`, `hyperparameter`, `lengthscales`,
#' `inducing`, `kernels`, `type`, `choice`, `trusted`, `rates`, `weights`, `units` and `unknown_argument`; with
#' three classes or more also `criterion` and `prior` (of two classes), and `several_classes`
#' from functions that have no answer for them.
#'
#' With `trusted` and `rates`: errors `trusted` and `rates` for values that do not match
#' the rows, and where one averages: `prior` for a hyperparameter without one, and
#' `no_posterior` when EP has no fixed point at any start.
#'
#' `memory`: the matrices would not fit into memory. The estimate is made before anything is
#' allocated, and compared with what the machine, `ulimit`, the control group and R leave;
#' `options(sturdy.max_memory = )`, in bytes, replaces that limit. Running out of memory
#' nevertheless is an error of R.
#'
#' `changed`: the object is not a fit as this version of sturdy makes it: it is of another
#' version, or a field was removed or replaced by an impossible value. Every function for fits
#' checks this first. It does not protect you from forgery: to read an RDS file from a stranger is
#' to run a program from a stranger.
#'
#' @section Warnings:
#' * `not_converged`: EP ended without a fixed point (the status
#'   and a sentence are in the field `ep`);
#' * `fixed_points`: it has several with different probabilities (see [ep_diagnostics()]);
#' * `evidence_undefined`: there is no t-EP evidence at its fixed point;
#' * `many_columns`: one lengthscale for each of more than 400 columns is asked for, or of more
#'   columns than rows learned by the optimum of one criterion.
#'
#' @section Messages:
#' What a fit has to say of its table before it begins is one message of at most eight lines, with the
#' classes of all that it says and the field `messages`, these one by one. `options(sturdy.details =
#' TRUE)` has each by itself, with what to do about it.
#' * `rows_left_out`: rows with missing values, with the fields `rows` and `columns`; `no_label`: rows
#'   without a label, with their positions `rows`; `few_rows`: fewer than four rows;
#' * `constant_columns`, `likely_id`: columns that are left out, as constant or as identifiers, and
#'   `collinear`, as copies or sums of others;
#'   `many_columns`: the default is one lengthscale for all of more than 400 columns, or of rows of unit
#'   length; `text_dates`, `text_numbers`: columns that are dates or numbers in text; `labels`: an input
#'   that has a value for each class;
#'   `known_inputs`, `id_input`: inputs that say which rows are trusted, or which row it is;
#'   `shared_id`: identifiers that most rows share;
#'   `repeated_rows`: rows that repeat another in every input and the label, with the positions of the
#'   `copies`; `units`: a column whose values repeat, each with one label; `contradictions`: rows that are
#'   alike in every input and have different labels, with their positions `rows`; `weights_sum`: case
#'   weights that count rows for more labels than there are;
#' * `ordered_outcome`: classes that are fitted in an order; `unused_levels`: levels of the response that
#'   are dropped; `blank_level`: labels that are blank; `similar_levels`: levels that differ only in
#'   blanks or capitals; `novel_levels`: levels of new data that training did not have;
#' * `reversed_scores`: scores of a class that are lower where it is recorded, with their `area` under
#'   the ROC curve; `in_sample`: scores that seem to know the labels of their rows;
#'   `absent_class`: a class that has scores and no label; `one_class`: labels of scores that are all of
#'   one class;
#' * `constant_readers`, `shared_errors`: [readers()] who gave one answer alone, or err together;
#'   `unexpected_class`: a class that readers report and less than one row is expected to be of;
#' * `integrated_roughly`: too few nodes are effective;
#' * `node_lost`, and the errors `cluster`, `worker_version`: workers of [shards()] that give no answer, or
#'   have another version of the package.
#'
#' @name sturdy-conditions
#' @seealso [gpc()], [inputs], [ep_diagnostics()]
#' @examples
#' d <- data.frame(x = 1:10, class = "ill")
#' tryCatch(gpc(class ~ x, d), sturdy_error_outcome_levels = function(e) conditionMessage(e))
NULL
