#' sturdy: robust Bayesian classification by expectation propagation
#'
#' Two-class classification for data in which some labels are wrong. The three
#' models are [gpc()], a Gaussian process classifier; [stc()], its Student-t
#' process counterpart; and [bpm()], the linear Bayes point machine, which can also be
#' fitted to streams of rows ([bpm_stream()]). All use the same likelihood, in which a label
#' is flipped with a small probability `epsilon`, and all are fitted by the same
#' expectation propagation engine, which is written in C.
#'
#' A fitted model gives class probabilities ([predict()][stats::predict]), an
#' evidence ([log_evidence()]), a leave-one-out score ([loo()]) and the
#' probability that each training label is wrong ([mislabelled()]). [noise_test()] says whether
#' labels are wrong at all and how many, [label_report()] writes all that to a page, and
#' [review()] says what to check next. [select_model()] compares models, [check_fit()] compares a
#' fit with exact simulation, [update()][update.sturdy_model] fits again with changed arguments, and
#' [absorb()] takes in further rows. For n training rows, a fit by [gpc()] or [stc()] takes time
#' proportional to n^3 and memory proportional to n^2; a fit by [bpm()] with k weights
#' takes time proportional to n k^2.
#'
#' Fits are at home in [tidymodels][sturdy-parsnip], [marginaleffects][sturdy-marginaleffects],
#' [easystats and modelsummary][sturdy-insight], [mlr3][sturdy-mlr3], and behind a server by
#' [vetiver][sturdy-deploy].
#'
#' Data to try it on: [sturdy_data()] and [flip_labels()]. The terms are explained in the
#' [glossary]; the t-exponential family and the simulators of the papers are listed in
#' [sturdy-papers].
#'
#' @references
#' Futami, F., Sato, I. and Sugiyama, M. (2017) Expectation propagation for
#' t-exponential family using q-algebra. *Advances in Neural Information
#' Processing Systems* 30. \doi{10.48550/arXiv.1705.09046}
#'
#' Kim, H.-C. and Ghahramani, Z. (2008) Outlier robust Gaussian process
#' classification. *Structural, Syntactic, and Statistical Pattern
#' Recognition*, LNCS 5342, 896-905.
#'
#' Ding, N., Qi, Y. and Vishwanathan, S. V. N. (2011) t-divergence based
#' approximate inference. *Advances in Neural Information Processing Systems*
#' 24.
#'
#' Minka, T. P. (2001) Expectation propagation for approximate Bayesian
#' inference. *Uncertainty in Artificial Intelligence* 17, 362-369.
#' \doi{10.48550/arXiv.1301.2294}
#'
#' Rasmussen, C. E. and Williams, C. K. I. (2006) *Gaussian Processes for
#' Machine Learning*. MIT Press. \doi{10.7551/mitpress/3206.001.0001}
#'
#' @useDynLib sturdy, .registration = TRUE, .fixes = "C_"
#' @importFrom stats coef fitted formula logLik nobs predict update
#' @keywords internal
"_PACKAGE"
