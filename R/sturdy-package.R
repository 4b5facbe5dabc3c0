#' sturdy: robust Bayesian classification by expectation propagation
#'
#' For tables in which some labels may be wrong. It says whether labels are wrong, how many and
#' which, and predicts new rows, hardly affected by the wrong ones.
#'
#' @details
#' ```r
#' library(sturdy)
#' d <- sturdy_data("newthyroid")                              # or read.csv("mydata.csv")
#' d$ill <- flip_labels(d$class != "normal", 0.1, seed = 1)    # for this example: a tenth is wrong
#' fit <- gpc(ill ~ . - class, data = d)                        # are labels wrong, and how many?
#' label_report(fit, "report.html", data = d)                   # which: a page for the browser
#' ```
#'
#' Print `fit` for the answer in words. The page lists the rows to check and takes the answers of whoever
#' looks them up; `update(fit, checked = "report-answers.csv")` takes them in.
#'
#' Eight verbs do most of it:
#'
#' | to | use |
#' | --- | --- |
#' | fit a table: any smooth boundary, up to 20 classes | [gpc()] |
#' | the same, linear | [bpm()] |
#' | learn from several readers of the same rows | [readers()] |
#' | ask which labels are wrong and how many, of a fit or of the scores of another classifier | [mislabelled()] |
#' | list the rows to check, as a page | [label_report()] |
#' | take answers in, change an argument | [`update()`][update.sturdy_model] |
#' | predict | [`predict()`][predict.sturdy_model] |
#' | see how well it does, whatever the labels are worth | [true_performance()] |
#'
#' One level down:
#'
#' | to | use |
#' | --- | --- |
#' | judge the scores of another classifier as a fit is judged | [second_stage()], [cross_fit()] |
#' | ask whether labels are wrong, and whether some could hide; what to check next | [noise_test()], [review()] |
#' | say which rows are of one patient, one image | `units` in [gpc()] |
#' | see how often labels of each class are wrong | [flip_rates()], [noise_matrix()], [reader_rates()] |
#' | watch over labels: two versions of a table, a new batch | [audit()] |
#' | compare groups whose labels are not equally right | [group_rates()] |
#' | fit rows in files, databases, on several machines; a stream of rows | [shards()]; [bpm_stream()], [absorb()] |
#' | predict in a database | [predict_sql()] |
#' | ask whether the fit can be relied on | [ep_diagnostics()], [check_fit()], [calibration()] |
#' | compare models | [select_model()], [log_evidence()], [stc()] |
#'
#' Topic pages explain how it works: [inputs], [label-noise], [overlap], [averaging], [many-rows],
#' [several-classes], [ordered-classes], [learning]. The [glossary] explains the words. Fits work
#' in [tidymodels][sturdy-parsnip], [marginaleffects][sturdy-marginaleffects],
#' [emmeans][sturdy-emmeans], [easystats and modelsummary][sturdy-insight] and
#' [mlr3][sturdy-mlr3]; [vetiver][sturdy-deploy] puts them behind a server.
#'
#' # Longer texts
#' Vignettes: `vignette("get-started")`; `vignette("believe")`, can the number be believed;
#' `vignette("your-own-classifier")`; `vignette("large-tables")`.
#'
#' Articles are not installed. They are in the folder `vignettes/articles` of the sources, and
#' `make site` turns them into web pages: *Cheat sheet*, *Walk-through*, *At home in R*, *Effects
#' under misclassification*, *Tests without a gold standard*, *Explaining predictions*, *Many
#' machines*, *Streams and drift*; and *The mathematics*, *One engine*, *What the evidence tells
#' you*, *Validation*, *Reproducing the papers*.
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
