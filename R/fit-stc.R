#' Student-t process classification with labels that may be wrong
#'
#' Fits a Student-t process classifier for two classes by expectation propagation
#' in the t-exponential family (t-EP): the model of [gpc()] under a Student-t
#' process with `df` degrees of freedom. `stc(df = Inf)` gives the same fit as `gpc()`.
#'
#' `stc_spec()` checks the arguments and returns them without fitting anything;
#' `stc()` passes its `...` to it: `df`, `criterion`, and the other arguments of
#' [gpc_spec()].
#'
#' @details
#' t-EP is that of Ding, Qi and Vishwanathan (2011) and of Futami, Sato and
#' Sugiyama (2017): each site is a q-exponential factor with
#' q = 1 + 2/(df + n), matched by the escort mean and second moment of its latent
#' value. The engine is the same as for [gpc()].
#'
#' # What the evidence of this model tells
#' A Student-t process is a Gaussian process divided by an independent random scale, and
#' the likelihood depends on the sign of the latent value only. The exact evidence and the
#' exact class probabilities of `stc()` and `gpc()` are therefore **identical** for equal
#' kernels, and only the error of the approximation differs. For t-EP it is large: with K
#' = I and 100 rows the log evidence is -69.31; EP gives -69.31, t-EP with 10 degrees of
#' freedom -42.30. Two things follow:
#' * `gpc()` and `stc()` must not be ranked by their own EP evidences. Use
#'   `log_evidence(fit, method = "gaussian")`, the Gaussian value at the same
#'   kernel;
#' * learning by the t-EP evidence drives `epsilon` to about a third on real data. The default
#'   criterion here is therefore the leave-one-out one, which does not.
#'
#' # Why these defaults
#' The rate of wrong labels that is learned, on four data sets (Pima, Ionosphere, Sonar, New
#' Thyroid), ten splits each, 10 % of the training labels flipped, df = 10; means over data sets and
#' splits:
#'
#' ```{r, echo = FALSE, results = "asis"}
#' rows <- utils::read.csv("inst/results/fss17-tables-defaults.csv")
#' rows <- rows[rows$rate == 0.1, ]
#' shown <- c(
#'   "STC loo, epsilon learned" = '`"loo"` (default)',
#'   "STC evidence, epsilon learned" = '`"evidence"`',
#'   "GPC evidence, epsilon learned" = '[gpc()], `"evidence"`'
#' )
#' rows <- rows[match(names(shown), paste(rows$method, rows$variant)), ]
#' cat(
#'   "| criterion | learned epsilon |", "| --- | --- |",
#'   sprintf("| %s | %.2f |", shown, rows$epsilon),
#'   sep = "\n"
#' )
#' ```
#'
#' When the noise is learned by the t-EP evidence, a third of the labels are estimated
#' to be wrong at every rate of flips, even without any. Learning by leave-one-out does
#' not have this defect. The fits are those of `experiments/fss17-tables.R` in the repository; the
#' means are in `results/fss17-tables-defaults.csv` of the installed package.
#'
#' # Averaging
#' With `hyper = "integrate"`, the default, the nodes of [gpc()] are weighted by their
#' Gaussian evidence, and each has the sites and probabilities of t-EP at `df`; those
#' without a fixed point of t-EP are left out. With `hyper = "optimum"` the best mode by the Gaussian
#' evidence is the only node. `criterion` has no influence then: what it says is for `epsilon =
#' "learn"`, the default where `criterion = "loo"` is given, and for given rates at the optimum.
#'
#' # When t-EP finds no fixed point
#' At small `df` (below about 5) with little noise (`epsilon` and `nugget` near 0)
#' t-EP may have no fixed point. When EP stalls or has to leave out sites, it is run
#' again at a larger `epsilon`, near 0.45, and the fixed point is followed from there to
#' the wanted `epsilon`, or, if that fails, up from half of it. If the fixed point is
#' lost on the way down, the fit ends with the status `"no_fixed_point"` and a warning.
#' More noise or a larger `df` helps.
#'
#' @inheritParams gpc
#' @param df Degrees of freedom of the process, above 0 (10 by default); `Inf` makes it
#'   a [gpc()].
#' @param criterion What learning at one point maximises, unless `epsilon = "average"`: `"loo"`, the leave-one-out log predictive
#'   probability of the recorded labels, or `"evidence"`, the t-EP approximation of the
#'   log marginal likelihood. `NULL`, the default, means `"loo"` at finite `df` and
#'   `"evidence"` at `df = Inf`.
#' @return `stc()` returns an object of class `c("stc", "sturdy_model")`, with a finite `df`, a plain list
#'   with the fields of [gpc()]; the degrees of freedom are `spec$df`. `stc_spec()`
#'   returns a list of class `c("stc_spec", "gpc_spec", "sturdy_spec")` with the checked
#'   arguments.
#' @inherit sturdy-package references
#' @seealso [gpc()], whose [inputs] and [conditions][sturdy-conditions] hold here; [log_evidence()],
#'   [ep_diagnostics()]
#' @export
#' @examples
#' set.seed(1)
#' d <- data.frame(a = rnorm(50), b = rnorm(50))
#' d$class <- factor(ifelse(d$a + d$b > 0, "yes", "no"))
#'
#' fit <- stc(class ~ ., data = d, df = 10, kernel = kernel_iso(), hyper = "optimum")
#' fit
#' log_evidence(fit, method = "gaussian")
stc <- function(x, ...) {
  check_x_given(missing(x), ...)
  UseMethod("stc")
}

#' @rdname stc
#' @export
stc_spec <- gpc_spec
formals(stc_spec)$df <- 10
formals(stc) <- c(formals(stc), formals(stc_spec)[-1])

#' @rdname stc
#' @export
stc.formula <- formula_face(stc_spec)

#' @rdname stc
#' @export
stc.data.frame <- table_face(stc_spec)

#' @rdname stc
#' @export
stc.matrix <- stc.data.frame

#' @rdname stc
#' @export
stc.default <- no_face("stc")
