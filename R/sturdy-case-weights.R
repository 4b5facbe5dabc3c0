#' Case weights and offsets
#'
#' What `weights` of [gpc()], [stc()] and [bpm()] mean, and what they do to answers; and what an
#' `offset()` in the formula of [gpc()] and [bpm()] is.
#'
#' @details
#' # Case weights
#' A row of weight w is taken for **w rows** with the same inputs and the same label: w labels, each
#' with a nugget of its own and each wrong or right by itself. For whole numbers that is exact: at
#' given hyperparameters posterior, evidence, leave-one-out criterion and their gradients equal
#' those of the table with the rows repeated to some 1e-9, at the cost of the rows that there are:
#' copies of a row, with its label, are merged into one with their number for a weight before anything is
#' learned, and so it is in the label stage ([wrong-labels]), whose likelihood has a row's to that power. A
#' weight that is not whole is the same formula: the site of the row in EP enters to the power w.
#' (That is not the likelihood to the power w at one latent value: labels of one row do not share
#' their nugget.)
#'
#' Answers about numbers go by weight: how many labels are expected to be wrong and of how many,
#' [flip_rates()], [confusion()], the sum of [loo()], whose rows are each summed over what they
#' stand for. Answers about a row, such as its probability in [mislabelled()], are of one of its w
#' labels. [true_performance()] and [calibration()] take each row once.
#' Inputs are centred and scaled by the rows as they are, each once. The priors of lengthscales are
#' centred, inducing inputs are placed and hyperparameters are learned by rows that differ.
#' So with `scale = FALSE` all answers equal those of the table with the rows repeated.
#'
#' # Frequency and sampling weights
#' *Frequency weights* say how often a row was seen: rows alike in one. They are what this is made
#' for, and the number of wrong labels is out of the sum of the weights.
#'
#' A wrong label that is counted twice **confirms itself**: of two copies neither looks wrong, and where
#' many rows count several times the answer may be "no sign" although labels are wrong. So
#' weights are for rows that were seen that often, each time with a label given independently. For the same reason copies of rows, as joins and double entry make them, should be left out:
#' a message names rows that are alike in a measurement and in all else. Where weights make more
#' labels of different rows than there are (a mean above 1.5), another says that.
#'
#' *Sampling weights* say how many of a population a row stands for. As they come they claim as many
#' rows as the population has, and every interval is far too narrow. Divide them by their mean: the
#' sum is then the number of rows, probabilities are weighted towards the population, and numbers of
#' wrong labels are out of the rows as if they had been drawn from it. Intervals are still not those
#' of the design: they do not know that weights which differ cost precision.
#'
#' # What has no weights
#' Three classes or more, [readers()], [shards()], streams and filtering (`inference = "adf"`),
#' and simulation ([check_fit()], [posterior_sample()]) have none: they refuse
#' them (`sturdy_error_weights`, or `sturdy_error_unknown_argument`). [absorb()] takes new rows once
#' each. Weights must be above 0; `subset` leaves rows out.
#'
#' [weights()][stats::weights] of a fit are those of its rows.
#'
#' # Offsets
#' `offset(z)` in a formula is a **known part of the latent mean**, on the scale of a probit:
#' without wrong labels the probability of the event at latent function `f` is `pnorm(f /
#' sqrt(nugget) + z)`. So it is what it is in `glm(family = binomial("probit"))`, whose estimates a
#' [bpm()] with a wide prior and `epsilon = 0` has, and multiplying the whole kernel by a number
#' changes nothing. Offsets of another model's linear predictor, of a baseline risk
#' (`offset(qnorm(p))`) or of a treatment whose effect is known go here. New rows need the columns
#' that the offset is computed from.
#'
#' A Student-t process, three classes or more, a nugget held at 0, fits from `x` and `y`,
#' [shards()], streams and filtering, [absorb()], [predict_sql()] and simulation have none
#' (`sturdy_error_offset`).
#' @name case-weights
#' @examples
#' d <- data.frame(x = c(-2, -1, 0, 0, 1, 2), y = c(0, 0, 0, 1, 1, 1), n = c(3, 5, 2, 2, 4, 3))
#' fit <- bpm(y ~ x, d, weights = n, epsilon = 0.05, hyper = "optimum")
#' again <- bpm(y ~ x, d[rep(1:6, d$n), ], epsilon = 0.05, hyper = "optimum", scale = FALSE)
#' fit
#' predict(update(fit, data = d, weights = n, scale = FALSE), data.frame(x = 1), type = "prob")
#' predict(again, data.frame(x = 1), type = "prob")
#'
#' d$known <- c(-1, -1, 0, 0, 1, 1)
#' bpm(y ~ x + offset(known), d, weights = n, epsilon = 0.05, hyper = "optimum")
NULL
