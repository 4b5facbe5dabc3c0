#' Learning at one point
#'
#' What `hyper = "optimum"` and `criterion` of [gpc()] do. By default a fit averages instead:
#' [averaging]; and at the optimum it is held at the best mode of what would be averaged over.
#'
#' @details
#' With a latent function `f` under the [kernel][kernel_ard] and labels `y` of -1
#' and +1, the likelihood of one label is
#' \deqn{p(y_i | f_i) = \epsilon + (1 - 2\epsilon) 1(y_i f_i > 0)}{p(y_i | f_i) =
#'   epsilon + (1 - 2 epsilon) 1(y_i f_i > 0)}
#' (Kim and Ghahramani, 2008). With a nugget in the kernel this is a probit
#' likelihood whose labels may be flipped. EP is that of Minka (2001), in the form of
#' Rasmussen and Williams (2006, algorithm 3.5), with site precisions of either sign.
#'
#' # Two optima
#' With `hyper = "optimum"` and `epsilon = "average"`, the default, hyperparameters and rates are those
#' at the best mode of the posterior that `hyper = "integrate"` averages over ([averaging]): EP's
#' evidence (of a Student-t process that of the Gaussian one) times all priors, those of a rate for
#' each class among them, or with several classes of a noise matrix. `log_evidence(fit)` is EP's evidence
#' there, and `log_evidence(fit, "integrated")` that of Laplace's method about this mode.
#'
#' With `epsilon = "learn"` or `"learn2"`, or rates that are given, the hyperparameters that the kernel
#' does not hold fixed, and one rate or one for each class if they are not given, are found by
#' maximising the criterion plus the log prior of the kernel; learned rates have none. So the papers
#' learn. `"learn"` is the default with `criterion = "loo"`,
#' and where something is learned that has no prior. The search is on the log scale (for `epsilon` on the logit
#' scale below 1/2), by quasi-Newton steps with exact gradients from several starting
#' points; see [ep_control()]. A solution on a bound of the search is reported by
#' `summary()` and [ep_diagnostics()].
#'
#' # Criterion
#' `"evidence"` is the EP approximation of the log marginal likelihood, `"loo"` the leave-one-out log
#' predictive probability of the recorded labels. Not used when nothing is learned, or `epsilon` is
#' `"average"`.
#'
#' # The flip rate
#' When the criterion is the evidence a rate is learned jointly with the kernel, by its gradient.
#' EM-EP (Kim and Ghahramani, 2008, section 3) sets `epsilon` in turn to the
#' mean probability that a label is wrong, in more steps. With the tilted marginals of EP its fixed
#' points are stationary points of the evidence: it seeks the same optimum, and at an optimum of the
#' gradient, too, the rate is the mean of `fit$ep$flipped`. With the posterior marginals, as printed in
#' their equations 17-20, it learns rates that are too large. Both are `kg08_em()` in
#' `experiments/kg08.R` of the repository.
#'
#' Results of the gradient and of their M-step (`em_kg08`) on New Thyroid, normal against the rest,
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
#'   "| flipped | method | learned `epsilon` | log evidence | gain |",
#'   "| --- | --- | --- | --- | --- |",
#'   sprintf(
#'     "| %d %% | %s | %.3f | %.1f | %.1f (%.1f) |",
#'     round(100 * rows$rate), rows$method, rows$epsilon, rows$log_evidence.x,
#'     rows$log_evidence.y, rows$log_evidence_se.y
#'   ),
#'   sep = "\n"
#' )
#' ```
#'
#' `em_kg08` learns a larger rate at a lower evidence, and without flips its evidence is below that of
#' `epsilon = 0`.
#'
#' @inherit sturdy-package references
#' @name learning
#' @seealso [gpc()], [averaging]
NULL
