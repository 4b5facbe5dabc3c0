#' How wrong labels are found and counted
#'
#' What is behind [mislabelled()], [noise_test()], [flip_rates()] and all else that is said of
#' labels, and what in it is approximate.
#'
#' @details
#' # Scores
#' A fit says of each row how probable its classes are given all *other* labels: `p[i, t]`, its
#' leave-one-out probabilities (from the cavities of EP, averaged over nodes whose weights are
#' without the label, too). A wrong label can't support itself there. With two classes they are of
#' the true class; with three or more of the class as it would be recorded.
#'
#' # From scores to labels
#' The **label stage** takes these scores as known. The true class of row i is t with a probability
#' proportional to `exp(w[t] + b[t] log p[i, t])`: the scores, recalibrated by weights and slopes. With
#' rates by group each group has weights of its own beside these: a classifier learns the errors of a group as a
#' shift of it. A small share of rows is unusual, so that their scores say nothing; and with three classes or more,
#' pairs of classes may look alike. Then the label is recorded, rightly or wrongly, by one of the
#' noise models of [label-noise]. All of these numbers have priors and are integrated over. What
#' scores have learned of the noise is taken out: with three classes or more the rates of the noise
#' model, of the scores of [other classifiers][second_stage] as much as they tell, of two classes
#' nothing, as the fit has done it. By Bayes' rule
#' * `loo` and `loo_wrong` of [mislabelled()] are the probabilities without the row's own label;
#' * `probability` is that with it, given all labels;
#' * the number of wrong labels is a mixture, over all of that, of Poisson-binomial distributions;
#' * the Bayes factor compares the evidence of the noise models with wrong labels and of that
#'   without;
#' * predictions are first-stage probabilities that go through the same weights, slopes and shares.
#'
#' The article *The mathematics*, section 16, has the formulas.
#'
#' # Unusual rows
#' A row that contradicts its class may have a wrong label, or be an unusual member of its class.
#' *Nothing in a table with one label a row tells the two apart*, however many rows there are: only a
#' belief does, or a check. So each row has three probabilities: that its label is wrong
#' (`probability`), that it is right and the row `unusual`, and that all is well. The prior share
#' of unusual rows is small, 1 % on average, and learned; `unusual` of [noise_prior()]
#' holds it. Where the labels speak for wrong ones only if no row is unusual, the verdict says that
#' these labels contradict their rows.
#'
#' # What is approximate
#' * EP, the likelihood of the first stage ([check_fit()]).
#' * The label stage takes the scores as known. What the first stage does not know of them, and that
#'   they hang together, is in no interval of the number.
#' * With many rows: above `r label_rows_most[["two"]]` rows of two classes, those whose scores are
#'   within `r label_cell` on the logit are two rows, of their mean and variance, that count as often; above
#'   `r label_rows_most[["several"]]` rows of several, as many tell rates and slopes. All are answered.
#'   Above `r label_exact` labels the distribution of their number is by its mean and variance, to
#'   which that of a mean over so many points is added.
#' * With many classes: above `r alone_most` errors go to each class's `r whereto_nearest` nearest,
#'   pairs that look alike are sought there, and there is no noise model of one class alone. Above
#'   `r label_slopes_most` there are one slope, one rate or none, and no pairs; above `r label_weights_most`
#'   the weights are held.
#'
#' # What can't be told
#' * Noise that depends on the inputs, as most human errors do: labels that are wrong where the
#'   row looks like another class agree with any classifier that has learned from them.
#' * Errors that go both ways between two classes that look alike: [noise_test()] names the
#'   classes. Check some of both.
#' * Errors of all rows of one kind. Nothing contradicts them.
#'
#' # At given rates
#' A fit at one point whose rates are given (`hyper = "optimum"`, `epsilon = 0.1`) needs no label
#' stage. Its cavity of row i is a t distribution (normal at `df = Inf`) with location `m` and
#' squared scale `s2`. With `z = y m / sqrt(s2)`, `F` its distribution function in standard form,
#' `w` the probability of recording `y` when it is wrong and `c` when it is right,
#' * `loo_wrong` is `F(-z)`;
#' * `probability` is `w F(-z) / (c F(z) + w F(-z))`.
#'
#' With exact cavities both are exact. The only approximation is that the cavity of EP
#' is a normal or t distribution: the error is up to 0.07 for two or three rows that
#' contradict each other (against enumeration), and up to 0.03 for 40 rows (against
#' draws by [posterior_sample()]). Kim and Ghahramani (2008, eqs 17-20) use the marginal
#' `F(-y mean / sd)` of the approximate posterior instead, which is too large. At `epsilon = 0` the
#' model takes every label to be right: all probabilities are 0, a message says so, and only the
#' order and the leave-one-out probabilities are informative.
#'
#' @name wrong-labels
#' @inherit sturdy-package references
#' @seealso [mislabelled()], [noise_test()], [label-noise], `vignette("believe")`
NULL
