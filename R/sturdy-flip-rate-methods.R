#' Ways to learn the flip rate at one point
#'
#' What the values of `method` of [gpc()] do to a flip rate that is learned.
#'
#' @details
#' Results of two values of `method` on New Thyroid, normal against the rest,
#' with a share of the training labels flipped (`experiments/kg08-thyroid.R` in the
#' repository). Values are means over random halves of the data; `gain` is the log
#' evidence minus that with `epsilon` held at 0, with its standard error:
#'
#' ```{r, echo = FALSE, results = "asis"}
#' read <- function(name) {
#'   file <- paste0("kg08-thyroid-", name, ".csv")
#'   rows <- utils::read.csv(file.path("inst", "results", file))
#'   rows <- rows[rows$method %in% c("gradient", "em_kg08") & rows$rate %in% c(0, 0.1), ]
#'   rows[rows$n == max(rows$n), ]
#' }
#' rows <- merge(read("table"), read("paired"), by = c("rate", "method"), sort = FALSE)
#' cat(
#'   "| flipped | `method` | learned `epsilon` | log evidence | gain |",
#'   "| --- | --- | --- | --- | --- |",
#'   sprintf(
#'     "| %d %% | `\"%s\"` | %.3f | %.1f | %.1f (%.1f) |",
#'     round(100 * rows$rate), rows$method, rows$epsilon, rows$log_evidence.x,
#'     rows$log_evidence.y, rows$log_evidence_se.y
#'   ),
#'   sep = "\n"
#' )
#' ```
#'
#' `"gradient"`, the default, and `"em"` seek the same optimum; where there are several
#' they may end in different ones. `"em_kg08"` learns a larger rate at a lower evidence,
#' and without flips its evidence is below that of `epsilon = 0`.
#'
#' @inherit sturdy-package references
#' @name flip-rate-methods
#' @seealso [gpc()], [averaging]
NULL
