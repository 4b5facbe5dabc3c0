#' Averaging over hyperparameters and noise models
#'
#' What `hyper = "integrate"` and `epsilon = "average"`, the defaults of [gpc()], [stc()]
#' and [bpm()], do.
#'
#' @details
#' \if{html}{\figure{help-averaging.png}{options: width="100\%" style="max-width: 760px;" alt="Two panels
#' with the same rows along one input. Left one curve of the probability of the event. Right many grey
#' curves, steep and flat, and a bold one, which is their weighted mean."}}
#'
#' *Left*: the probability of the event along one input, at the best values of the hyperparameters. *Right*: the same
#' at many values (grey, darker where they explain the data better), and their weighted mean, the answer of the
#' first stage. With few rows many values explain the data nearly as well.
#'
#' Answers are averages, in two steps:
#' * the **first stage** (`hyper = "integrate"`) averages over all values of the hyperparameters,
#'   weighted by their posterior, under one noise model that allows for wrong labels: of two
#'   classes a rate for each, of several a noise matrix ([several-classes]). The latent function, effects,
#'   [loo()], [log_evidence()] and [calibration()] are its answers;
#' * the **label stage** takes the probabilities that the first stage has for each row without the
#'   row's own label, and asks how the recorded labels come from them. With `epsilon = "average"`
#'   it averages over noise models, among them that no label is wrong ([label-noise]). Whether
#'   labels are wrong, how many, which, and at which rates, are its answers, and predictions of
#'   the true class go through it ([wrong-labels]).
#'
#' `hyper = "optimum"` is the same with one node, the best mode of the first stage, and the same label
#' stage. It takes a fraction of the time, and its probabilities take the kernel as known.
#'
#' With `epsilon = "learn"` or `"learn2"` the optimum is another one ([learning]), and the label stage
#' has the noise model of one rate alone, or of a rate for each class. Where rates are given at one
#' point there is no label stage. What depends on one point ([coef()][coef.sturdy_model],
#' [ep_diagnostics()], [check_fit()], [posterior_sample()]) is at the best mode of the first stage.
#'
#' # First stage
#' Every parameter is mapped to a coordinate in which its prior is standard normal (see
#' [weak_prior()] and [noise_prior()]). Modes are found from several starts, with many rows first on
#' some of them, and nodes are placed around them, the same in every run: some 60, fewer where a
#' node is dear, twice as many where they are cheap and few of them effective. Their weights are
#' those of importance sampling, Pareto-smoothed. Where fewer than five nodes are effective, the
#' modes are weighted by Laplace's method, and a message says so. Above 4800 rows, or 14,400/C with
#' C classes, the modes alone are used. With `hyper = "optimum"` it is the best mode alone, and the
#' integrated evidence is Laplace's about it. [summary()][summary.sturdy_model] says what there is.
#'
#' # Label stage
#' Its likelihood is exact, and needs no EP. Each noise model has `r label_points[["usual"]]` points,
#' drawn and weighted as nodes are; with more than `r label_wide` coordinates Laplace's method gives the
#' evidence, and its curvature the points. [noise_test()] shows the noise models, and how far their points can be
#' relied on. Up to `r label_kept_most` of them all are kept, and
#' answer: those of large weight, and others for the rest; with many rows fewer, so that numbers by row, class
#' and point are some `r format(label_kept_work, big.mark = ",", scientific = FALSE)`, and `r label_kept_least` at least.
#'
#' # What a fit keeps
#' The field `nodes` has the first stage, a list of
#'   * `models`: a data frame with one row, as in [noise_test()], and the column `corrected`, whether
#'     the evidence is EP's, corrected to second order, see [log_evidence()];
#'   * `table`: a data frame with a row for each of K nodes: `model`, `weight` (which
#'     add up to 1) and `log_evidence`;
#'   * `hyper` (K): their hyperparameters; `omega` (K): their noise matrices, by group, true
#'     class and recorded class;
#'   * `tau` and `b`: a column a node, site precisions and what predictions need, with three
#'     classes or more one class below the other; `C`, with inducing inputs or weights;
#'   * `seen` (rows x classes x K): leave-one-out log probabilities of the true classes;
#'   * `truth`: with its nodes as one, `p`, the probabilities of the true
#'     classes (rows x classes x 1), `loo`, the same without the label, `log_z`, log
#'     leave-one-out probabilities of the labels, `weight` and `model`;
#'   * `few`: the nodes and weights that predict new rows (`NULL` below `r few_least` labels), see
#'     [predict()][predict.sturdy_model];
#'   * `point`: the flip rates of the point that the fit is held at; `evaluations`: EP
#'     fits to all rows.
#'
#' The field `label_stage` is a fit as [second_stage()] makes one, to the leave-one-out probabilities
#' of the first stage. Its `nodes` have `models`, a row a noise model; `table`, `omega`, `hyper` and
#' `few`, of points that were kept; `points`, by noise model what those are; `truth`, of each noise
#' model; `wrong`, the distribution of the number of wrong labels under each; `unusual`, of each
#' row; and `plain`, the log Bayes factor without unusual rows, where it was asked for.
#'
#' Nodes that together have a thousandth of the weight are left out. With n rows the object grows by
#' some 4 n K numbers, and `few` has up to 10,000 for each of its nodes, or 40,000.
#'
#' @name averaging
#' @seealso [wrong-labels], [noise_test()], [noise_prior()], [weak_prior()]
NULL
