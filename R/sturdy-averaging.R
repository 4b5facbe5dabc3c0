#' Averaging over hyperparameters and noise models
#'
#' What `hyper = "integrate"` and `epsilon = "average"`, the defaults of [gpc()], [stc()]
#' and [bpm()], do.
#'
#' @details
#' ```{r, include = FALSE}
#' averaging_cost <- function(many) {
#'   rows <- utils::read.csv("inst/results/averaging-families.csv")
#'   rows <- rows[rows$way == "average", ]
#'   wide <- rows$family %in% c("ionosphere", "sonar", "spam")
#'   paste(format(range(round(rows$evaluations[wide == many], -1))), collapse = " to ")
#' }
#' ```
#' \if{html}{\figure{help-averaging.png}{options: width="100\%" style="max-width: 760px;" alt="Two panels
#' with the same rows along one input. Left one curve of the probability of the event. Right many grey
#' curves, steep and flat, and a bold one, which is their weighted mean."}}
#'
#' *Left*: the probability of the event along one input, at the best values of the hyperparameters. *Right*: the same
#' at many values (grey, darker where they explain the data better), and their weighted mean, which is the
#' answer. With few rows many values explain the data nearly as well.
#'
#' At the optimum the kernel and the flip rate are taken as known, and so is whether labels may be
#' wrong at all. With `hyper = "integrate"`, the default, answers are averages over all values of
#' the hyperparameters, weighted by their posterior. With `epsilon = "average"` they are also
#' averages over five noise models: no label is wrong; one rate for all labels; a rate for each
#' class; only labels of the first class are wrong; only those of the second ([label-noise]). With
#' three classes or more a noise matrix replaces the last three, and with three or four also one
#' of its rows alone. The probabilities that labels are wrong, the number of wrong labels and its
#' interval, predictions and leave-one-out probabilities are all averaged. What depends on one
#' point ([coef()][coef.sturdy_model], [criterion()], [ep_diagnostics()], [check_fit()],
#' [posterior_sample()]) is at the best mode of the most probable noise model with a flip rate.
#'
#' Every parameter is mapped to a coordinate in which its prior is standard normal (see
#' [weak_prior()] and [noise_prior()]). Under each noise model the modes are found from
#' several starts, and some 40 nodes are placed around them, the same in every run; their
#' weights are those of importance sampling, Pareto-smoothed. With two classes some nodes stand
#' for inputs that say nothing: their latent function is constant, and needs no EP. This
#' possibility has one quarter of the prior probability of each noise model where lengthscales and
#' nugget are learned. Where few nodes are effective they are drawn a second time; if that does
#' not help, the modes are weighted by Laplace's method, and a message says so. With many
#' parameters (above 12) Laplace's method also gives the evidence, where there are too few nodes
#' for it. Above 150 rows there are fewer nodes, because the posterior narrows, and modes are
#' first sought on some of the rows; above 4800 rows the modes alone are used. [noise_test()]
#' shows the noise models and how far their nodes can be relied on. A noise model under which EP
#' finds no fixed point is left out, with a message of class `sturdy_message_models_left_out`. In
#' the tables of
#' `vignette("believe")` a fit takes `r averaging_cost(FALSE)` EP fits with up to ten inputs, and
#' `r averaging_cost(TRUE)` with 33 to 60.
#'
#' # Three classes or more
#' The noise models are none, one rate, and a noise matrix, which has the prior probability that
#' [noise_prior()] gives to rates that differ by class. With none and one rate all is as
#' for two classes, with half as many nodes. A matrix has the prior of [several-classes], and is
#' found together with the mode of the kernel from two starts; nodes are drawn around all
#' modes found, each with a matrix of its own, from the prior times a share of the
#' expected counts, and are weighted by their evidences. Where too few of them count, as may be
#' with many classes, a lower bound takes the place of the evidence, and the modes that
#' of the nodes. With C classes the modes alone are used above 14,400/C rows. The table of
#' [noise_test()] shows how many nodes each model has, and `print()` says where there are
#' none.
#'
#' # What a fit keeps
#' The field `nodes` is a list of
#'   * `models`: a data frame as in [noise_test()];
#'   * `table`: a data frame with a row for each of K nodes: `model`, `weight` (which
#'     add up to 1), `log_evidence` and `constant`, the latent function where it is one;
#'   * `hyper` (K): their hyperparameters; `omega` (K): their noise matrices, by group, true
#'     class and recorded class;
#'   * `tau` and `b`: a column a node, site precisions and what predictions need, with three
#'     classes or more one class below the other; `C`, with inducing inputs or weights;
#'   * `seen` (rows x classes x K): leave-one-out log probabilities of the true classes;
#'   * `truth`: for each noise model, with its nodes as one, `p`, the probabilities of the true
#'     classes (rows x classes x models), `loo`, the same without the label, `log_z`, log
#'     leave-one-out probabilities of the labels, `weight` and `model`;
#'   * `few`: the nodes and weights that predict new rows (`NULL` below 100 rows), and with a dense
#'     kernel and many rows inducing inputs `Z` and, at each node, the covariance `C` there, see
#'     [predict()][predict.sturdy_model];
#'   * `wrong`: the distribution of the number of wrong labels under each noise model;
#'   * `point`: the flip rates of the point that the fit is held at; `evaluations`: EP
#'     fits to all rows.
#'
#' Nodes that together have a thousandth of the weight of their noise model are left out.
#' With n rows the object grows by some 4 n K numbers, and `few` has up to 10,000 for each of its
#' nodes, or 40,000.
#'
#' @name averaging
#' @seealso [noise_test()], [noise_prior()], [weak_prior()]
NULL
