#' Many rows: inducing inputs
#'
#' What `inducing = ` of [gpc()] and [stc()] does.
#'
#' @details
#' With inducing inputs Z, m of them, the kernel is replaced by
#' \deqn{\tilde k(x, x') = k(x, Z) k(Z, Z)^{-1} k(Z, x'),}{k~(x, x') = k(x, Z) k(Z, Z)^-1
#'   k(Z, x'),} and what that leaves of the variance at a row is independent noise there
#' (the fully independent training conditional, FITC). Time grows as n m^2 and memory as
#' n m, or as n where memory is short: then the features of the rows are computed anew in
#' every pass, in about twice the time. Far from Z the prior returns, so that probabilities there
#' go to 1/2.
#'
#' Z are the centres of k-means++ among at most 4000 rows, in the metric of the kernel.
#' (With factor columns they are the rows nearest to the centres.) They are placed by the
#' median heuristic first, and once more by the lengthscales learned. Learning starts on
#' 4000 rows and ends with at most 8 steps on all of them; a nugget learned is not below
#' 1e-4. Nothing is random. With more than 2000 rows EP takes all rows at once, with
#' Anderson acceleration, and ends at a residual of 1e-6 unless `tol` is larger.
#'
#' `print()` states m and the share of the variance that Z leave at the rows. A nugget
#' learned may be short by up to that much. The log evidence is that of the replaced
#' kernel: it is no bound of the dense one, and is to be compared at equal Z only.
#'
#' @inherit sturdy-package references
#' @name many-rows
#' @seealso [gpc()], [compare_inducing()], [shards()]
NULL
