#' Many rows: inducing inputs
#'
#' What `inducing = ` of [gpc()] and [stc()] does.
#'
#' @details
#' `inducing` is their number m; or the inducing inputs themselves, a data frame or matrix; or
#' `NULL`, for the kernel between all rows; or `"auto"`, the default, which is `NULL` up to
#' `r inducing_auto_rows[1]` rows (`r inducing_auto_rows[2]` with three classes or more) and
#' `r inducing_auto` above, more where these leave more than `r stage_left` of the variance.
#'
#' With inducing inputs Z, m of them, the kernel without its bias is replaced by
#' \deqn{\tilde k(x, x') = k(x, Z) k(Z, Z)^{-1} k(Z, x'),}{k~(x, x') = k(x, Z) k(Z, Z)^-1
#'   k(Z, x'),} and what that leaves of the variance at a row is independent noise there
#' (the fully independent training conditional, FITC). The bias is carried exactly, as one column
#' more. Time grows as n m^2 and memory as
#' n m, or as n where memory is short: then the features of the rows are computed anew in
#' every pass, in about twice the time. Far from Z the prior of what depends on the inputs returns:
#' without a bias probabilities there go to 1/2, with one to what the rows have made of it.
#'
#' Z are the centres of k-means++ among at most `r inducing_sample` rows, in the metric of the
#' kernel. (With factor columns they are the rows nearest to the centres.) They are placed by the
#' median heuristic first, and once more by the lengthscales learned. Learning starts on
#' some of many rows, at most `r stage_rows` (`r stage_rows_classes` for an average with three
#' classes or more), and ends with steps on all of them, until these promise next to no gain; a
#' nugget learned is not below `r format(inducing_least_nugget)`, or with three classes or more
#' `r format(classes_least_nugget)`. Nothing is random. With more than `r parallel_rows` rows of two
#' classes EP takes all rows at once, with Anderson acceleration. There, and with three classes or
#' more with any number of rows, it ends at a residual of 1e-6 unless `tol` is larger.
#'
#' The label stage ([wrong-labels]) looks at fewer rows, too: above `r label_rows_most[["two"]]` rows of two
#' classes, rows whose leave-one-out probabilities are within `r label_cell` on the logit are two, of
#' their mean and variance, that count as often, and above `r label_rows_most[["several"]]` of several, as many tell rates and slopes.
#' What it then says of so many rows of two classes it says at steps of `r label_even` of the logit, and between them
#' by cubics, which is within 1e-6 of what it would say of each row.
#'
#' `summary()` states m and the share of the variance that Z leave at the rows. A nugget
#' learned may be short by up to that much. The log evidence is that of the replaced
#' kernel: it is no bound of the dense one, and is to be compared at equal Z only.
#'
#' # Are there enough?
#' `more <- update(fit, inducing = 2 * nrow(fit$inducing$Z))` fits the model with twice as many.
#' `loo::loo_compare(loo(fit), loo(more))` says how much better that predicts the labels, with the standard
#' error of the difference row by row.
#'
#' @inherit sturdy-package references
#' @name many-rows
#' @seealso [gpc()], [shards()], [dbi_source()] (a table of a database, fitted where it is)
NULL
