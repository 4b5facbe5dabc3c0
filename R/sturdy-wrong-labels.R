#' How wrong labels are found and counted
#'
#' The formulas behind [mislabelled()], and how well they do on tables whose wrong labels are known.
#'
#' @details
#' ```{r, include = FALSE}
#' wrong_count_share <- function(k) {
#'   rows <- utils::read.csv("inst/results/wrong-count-summary.csv")
#'   sprintf("%.0f %%", 100 * rows$share[k])
#' }
#' ```
#' # Two probabilities
#' The true class of row i is the sign of its latent value. The cavity of the row
#' is what all *other* labels say about that value: a t distribution (normal at
#' `df = Inf`) with location `m` and squared scale `s2`. With `z = y m / sqrt(s2)`, `F` its
#' distribution function in standard form, `w` the probability of recording `y` when
#' it is wrong and `c` when it is right (`w = epsilon` and `c = 1 - epsilon` with one
#' flip rate),
#' * **leave-one-out**: `P(true class is the other one | other labels) = F(-z)`. It
#'   does not use the label in question, and does not depend on the flip rate of that
#'   row;
#' * **posterior**: by Bayes' rule, with the label of the row as well,
#'   `P(flipped | all labels) = w F(-z) / (c F(z) + w F(-z))`. It is the share of the
#'   tilted distribution (cavity times the likelihood of the label) on the other
#'   side of 0. The denominator is the leave-one-out probability of the recorded
#'   label.
#'
#' With exact cavities both are exact. The only approximation is that the cavity of EP
#' is a normal or t distribution: the error is up to 0.07 for two or three rows that
#' contradict each other (against enumeration), and up to 0.03 for 40 rows (against
#' draws by [posterior_sample()]). Kim and Ghahramani (2008, eqs 17-20) use the marginal
#' `F(-y mean / sd)` of the approximate posterior instead, which is too large.
#'
#' Rows are sorted by the posterior probability, ties by the leave-one-out
#' probability of the label. At `epsilon = 0` the model takes every label to be
#' right: all posterior probabilities are 0, a message says so, and only the order and
#' the leave-one-out probabilities are informative.
#'
#' # How many, at one point
#' Given `epsilon` and the kernel (or prior scales), flips are taken as independent, so
#' that the number of wrong labels follows a Poisson-binomial distribution, whose mean
#' is the sum of the posterior probabilities. When `epsilon` was learned, its
#' uncertainty is more important: in simulations of 150 rows with 10 % flips
#' (`experiments/wrong-count.R` in the repository) such an interval of nominally 90 %
#' contains the true number in `r wrong_count_share(2)` of the tables. For a learned
#' `epsilon` the distribution is therefore a mixture of Poisson-binomial distributions
#' over `epsilon`, weighted by the Gaussian EP evidence under a uniform prior on (0, 1/2),
#' at the kernel (or prior scales) of the fit; its interval contains the true number in
#' `r wrong_count_share(1)`. This costs some five further runs of EP, which start from the
#' result of the fit; `level = NULL` leaves it out. If `epsilon` is two rates, their odds (of
#' `2 epsilon`) vary by a common factor.
#'
#' The `epsilon` of the fit may be far from what its kernel suggests (after learning by
#' leave-one-out, or with an `epsilon` on its lower bound). `print()` then says so. The
#' single probabilities, which are at the `epsilon` of the fit, should not be relied on
#' in that case.
#'
#' A fit that averages (`epsilon = "average"`, `hyper = "integrate"` in [gpc_spec()]) needs no such
#' steps: its probabilities are averages, and the number is a mixture over its nodes. With
#' `r told_columns` columns and more the nodes are those of a second stage on its leave-one-out
#' probabilities: *Of a fit* in [second_stage()].
#'
#' # How well it works
#' A tenth of the labels of five data sets were flipped on purpose
#' (`experiments/mislabelled-auc.R` in the repository). The table shows the area under the
#' ROC curve for finding them, for [gpc()] and for the out-of-fold margins of a random
#' forest (ranger) and a support vector machine (kernlab), and in how many of ten
#' replications the 90 % interval contained the number of flips.
#'
#' ```{r, echo = FALSE, results = "asis"}
#' rows <- utils::read.csv("inst/results/mislabelled-auc-summary.csv")
#' data <- unique(rows$data)
#' value <- function(method, column) {
#'   mine <- rows[rows$method == method, ]
#'   mine[[column]][match(data, mine$data)]
#' }
#' area <- function(method) sprintf("%.3f", value(method, "auc"))
#' held <- function(method) {
#'   sprintf("%.0f", value(method, "covered") * value(method, "replications"))
#' }
#' cat(
#'   "| data | gpc() | with kernel_iso() | forest | SVM | covered | covered, kernel_iso() |",
#'   "| --- | --- | --- | --- | --- | --- | --- |",
#'   paste(
#'     "|", data, "|", area("gpc"), "|", area("gpc, one lengthscale"), "|",
#'     area("forest"), "|", area("svm"), "|", held("gpc"), "|",
#'     held("gpc, one lengthscale"), "|"
#'   ),
#'   sep = "\n"
#' )
#' ```
#'
#' The interval keeps the kernel as it was learned. Where many lengthscales were learned
#' from few rows, the kernel explains some of the wrong labels as well, and the number is
#' too small: compare with [kernel_iso()].
#'
#' @name wrong-labels
#' @inherit sturdy-package references
#' @seealso [mislabelled()], [label-noise], `vignette("believe")`
NULL
