#' Log evidence of a fitted model
#'
#' The log marginal likelihood of the training labels, as approximated by
#' expectation propagation, or by simulation with a standard error.
#'
#' @details
#' `"ep"` uses the site normalisers that match Z1, the normaliser of the tilted
#' distribution; `"ep_zp"` uses the predictive probabilities Zp (Futami, Sato and
#' Sugiyama, 2017, eq. 42, with the exponent df / (df + n)). The two agree at
#' `df = Inf`. `"gaussian"` is the Gaussian EP evidence at the same kernel (or prior
#' scales) and `epsilon`; at finite `df` it costs one further EP fit.
#'
#' `"corrected"` is `"gaussian"` with the largest part of EP's error taken back: the second
#' order of Opper, Paquet and Winther (2013), a sum over pairs of rows of what is
#' correlated in them and not normal. EP's own evidence is nearly exact where no
#' label can be wrong and a little too small where they can, so that it prefers overlap to
#' wrong labels (experiments/score.R in the repository). With several classes EP's is too small
#' because it leaves out that the classes of a row are dependent, and the correction is of that.
#'
#' Which is which: `"ep"`, `"ep_zp"` and `"gaussian"` and whatever learning maximises
#' are EP's own, as in the papers. What is integrated, that is
#' `"integrated"` and the weights of nodes of a fit with
#' `hyper = "integrate"`, is corrected wherever that costs little beside EP: with the kernel
#' between all rows, and up to 500 + 5 m rows with m inducing inputs, or features of a [bpm()].
#' Above that, and of [shards()], all nodes are weighed by EP's own. The column
#' `corrected` of `fit$nodes$models` and of the table of [select_model()] says so.
#'
#' All of them are of the model of the fit, under its rates; how the label stage weighs noise models
#' is for [noise_test()] to say.
#'
#' For [stc()] only `"gaussian"` may be compared with another model. The exact
#' evidence of a Student-t process equals that of a Gaussian process with the same
#' kernel, because the likelihood depends on signs only; the t-EP values are far from
#' it (see [stc()]). The same holds for [bpm()] at finite `df`.
#'
#' For a [bpm()] that has absorbed rows by ADF, `"ep"` adds the log predictive
#' probability of each of their labels before the row was absorbed.
#'
#' These values are at the learned hyperparameters and include no prior on them, so a
#' model that learned more of them is favoured. `"integrated"` is the Gaussian evidence,
#' corrected as above, integrated over everything that was learned, each with its prior
#' ([weak_prior()]; for a flip rate e the density 8 (1 - 2 e)^3 on (0, 1/2), with mean 0.1), by
#' Laplace's method: let u be the d logs (and logits) of what was learned, f(u) the log of evidence
#' times prior density, and u0 its mode. Then, but for the correction at u0,
#' \deqn{\log\int \exp f(u) du \approx f(u_0) + \frac{d}{2}\log 2\pi -
#' \frac12 \log|-f''(u_0)|}{log int exp f(u) du ~ f(u0) + d/2 log 2 pi - 1/2 log|-f''(u0)|}
#' It can be compared between models with different kernels and numbers of
#' hyperparameters; that of [stc()] is that of [gpc()] with the same kernel. Its error is
#' some tenths of a nat where the posterior of the hyperparameters has one mode, and
#' about a nat where few wrong labels with a small nugget explain the data almost as well
#' as none with a large one. It costs a short search for the mode (a search from
#' several starts for [stc()] and for fits learned by leave-one-out) and two gradients
#' for each hyperparameter.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param method `"ep"`, the default, `"ep_zp"`, `"gaussian"`, `"corrected"`, `"integrated"` or
#'   `"ais"`; with three classes or more `"ep"`, `"corrected"`, `"integrated"` or `"ais"`.
#' @param ... For `"ais"`: `se`, the standard error to be reached, above 0 (0.05 by
#'   default); `max_moves`, the number of moves after which the run stops in any case
#'   (2e6; some `r ais_least_moves` are made at least);
#'   `progress`, as in [ep_control()] (by default that of the fit).
#'   Otherwise not used.
#' @return A number, except for `"ais"`; `NA` with a warning where the evidence asked for is
#'   not defined.
#'
#'   `"ais"` returns a list of class `sturdy_ais` with a print method: `log_evidence`;
#'   `se`, its standard error; `chains`, their number, and `ess`, their effective number;
#'   `levels` of a chain; `moves`, levels times chains of the run including its pilot; and
#'   `jitter`, what was added to the diagonal of a singular kernel matrix, or 0.
#'
#' @section Simulation:
#' Annealed importance sampling (Neal, 2001) gives the exact evidence up to a known
#' error. Chains start from the prior of the latent values. The flip rates then fall
#' in levels from 1/2 to `epsilon` (which may be 0), as the barrier
#' `b = log((1 - epsilon) / epsilon)` rises in steps:
#' \deqn{\log Z = \sum_i \log(1 - \epsilon) + \log E \prod_t \exp(-(b_t - b_{t-1})
#' w_t)}{log Z = sum log(1 - epsilon) + log E prod exp(-(b_t - b_(t-1)) w_t)}
#' with `w_t` the number of labels on the wrong side at level t. Between levels every
#' chain moves as in [posterior_sample()]. The mean is without bias for any number of
#' levels. A pilot of 32 chains sets the levels, closer where the number of wrong labels
#' fluctuates more, and their number, such that the log weights have a variance of about
#' 1/2 (at least 500 levels; if less than 30 % of the chains turn out to be effective, the
#' run starts again with more). Then chains run in batches until the standard error is `se` or another
#' batch would exceed `max_moves`. (Stopping by the error adds a bias that is far below
#' the error.)
#'
#' As in all simulation, the standard error reflects only what the chains have visited.
#' They can miss a region of small prior probability and large likelihood; they do miss
#' it when inputs nearly coincide, labels contradict each other, and both the nugget and
#' `epsilon` are tiny. A smaller `se` and other seeds are a check.
#'
#' The likelihood depends on signs only, so this is the evidence of [gpc()] and of
#' [stc()] at every `df`.
#'
#' Each move takes time proportional to n^2. A standard error of 0.05 takes about a
#' second at 50 rows, half a minute at 150 and several minutes at 350, and more when
#' labels contradict the kernel and `epsilon` is 0. The time is inversely proportional
#' to the square of `se`. Memory grows with n^2. The run can be interrupted. It uses
#' R's random numbers: [set.seed()] makes it repeatable.
#'
#' @section Conditions:
#' `sturdy_warning_evidence_undefined` when the t-EP evidence is not defined at
#' the sites; `sturdy_warning_not_converged` when the Gaussian fit does not
#' converge (`"corrected"` is then `NA`);
#' `sturdy_warning_not_integrated` when a learned hyperparameter has no prior,
#' no mode was found, or it lies on a bound of the search. From `"ais"`:
#' `sturdy_warning_ais_budget` when `max_moves` ended the run before `se` was reached;
#' `sturdy_warning_ais_weights` when fewer than 10 chains carry the weight, so that the
#' standard error means little; `sturdy_message_jitter` for a singular kernel matrix;
#' `sturdy_error_no_kernel` for [bpm()], `sturdy_error_inducing` for a fit with inducing
#' inputs. `sturdy_error_no_sites` for a [bpm()] that has
#' absorbed rows, from `"ep_zp"`, `"corrected"`, `"integrated"` and, at finite `df`, `"gaussian"`.
#' @references
#' Futami, F., Sato, I. and Sugiyama, M. (2017) Expectation propagation for
#' t-exponential family using q-algebra. *Advances in Neural Information
#' Processing Systems* 30. \doi{10.48550/arXiv.1705.09046}
#'
#' Opper, M., Paquet, U. and Winther, O. (2013) Perturbative corrections for approximate
#' inference in Gaussian latent variable models. *Journal of Machine Learning Research* 14,
#' 2857-2898.
#'
#' Neal, R. M. (2001) Annealed importance sampling. *Statistics and Computing* 11,
#' 125-139. \doi{10.1023/A:1008923215028}
#' @seealso [check_fit()], [loo()]
#' @export
#' @examples
#' x <- matrix(c(-2, -1, 1, 2))
#' fit <- stc(x, c(0, 0, 1, 1), epsilon = 0.05)
#' log_evidence(fit)
#' log_evidence(fit, method = "gaussian")
#' log_evidence(fit, method = "corrected")
#'
#' set.seed(1)
#' exact <- log_evidence(fit, method = "ais")
#' exact
#' exact$log_evidence
log_evidence <- function(object,
                         method = c("ep", "ep_zp", "gaussian", "corrected", "integrated", "ais"), ...) {
  object <- fit_of(object)
  one <- !is_several(object) || is_in_order(object)
  known <- c("ep", if (one) c("ep_zp", "gaussian"), "corrected", "integrated", "ais")
  method <- if (missing(method)) "ep" else check_choice(method, known, "method")
  if (method == "ais") {
    return(ais_evidence(object, ...))
  }
  check_no_dots(...)
  check_posterior(object)
  switch(method,
    ep = known_evidence(model_evidence(object)),
    ep_zp = known_evidence(check_by_ep(check_has_latent(object))$ep$log_evidence_zp),
    integrated = integrated_of(object),
    gaussian_evidence(object, second = method == "corrected")
  )
}

known_evidence <- function(value) {
  if (is.na(value)) warn_no_evidence()
  if (is.na(value)) NA_real_ else value # and not NaN
}

#' Integrated evidence of a fit; `NA` with a warning where there is none
#'
#' The Student-t process has that of the Gaussian process with the same kernel and
#' prior: their exact evidences are equal at every value of the hyperparameters.
#' @noRd
integrated_of <- function(object) {
  check_by_ep(object)
  spec <- object$spec
  at_mode <- is.infinite(spec$df) && spec$criterion == "evidence"
  value <- if (is_average(object)) {
    average_evidence(object)
  } else if (is_several(object) && identical(spec$epsilon, "matrix")) {
    not_integrated("a learned matrix is integrated by {.code hyper = \"integrate\"}")
  } else {
    epsilon <- if (at_mode && rate_learned(object)) object$epsilon
    integrated_evidence(model_latent(object), spec, epsilon, search = !at_mode)
  }
  if (is.na(value)) {
    why <- "The evidence can't be integrated over the hyperparameters: "
    warn_sturdy(paste0(why, attr(value, "why"), "."), "not_integrated")
  }
  as.numeric(value)
}

#' Is the integrated evidence of a fit corrected to second order?
#' @noRd
is_corrected <- function(object) {
  corrected <- object$nodes$models$corrected
  if (is.null(corrected)) model_latent(object)$second else isTRUE(corrected[1])
}

#' Evidence of an average: over the hyperparameters, rates and noise models; `NULL` at a point
#' @noRd
average_evidence <- function(object) {
  models <- object$nodes$models
  if (!is.null(models)) log_sum(models$log_evidence + log(models$prior))
}

#' Log-likelihood of a fitted model
#'
#' The log evidence in the form that [AIC()] and [BIC()] expect.
#'
#' It is the Gaussian EP evidence of [log_evidence()], so that `AIC()` and `BIC()` compare like with like; at `df = Inf`
#' that is the model's own. With three classes or more, and for a [bpm()] that has absorbed rows by ADF, it is `"ep"`.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()].
#' @param ... Not used.
#' @return A number of class `logLik`, with the attributes `df`, the number of
#'   hyperparameters learned, and `nobs`.
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' logLik(fit)
logLik.sturdy_model <- function(object, ...) {
  fit_of(object, ...)
  several <- is_several(object) && !is_in_order(object)
  structure(
    log_evidence(object, if (is.null(object$ep) || several) "ep" else "gaussian"),
    df = sum(learned(object)), nobs = nobs(object), class = "logLik"
  )
}
