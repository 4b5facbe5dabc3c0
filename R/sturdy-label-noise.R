#' Label noise: what a wrong label is, and what is known of labels
#'
#' A recorded label is *wrong* if it is not the true class of its row. The model lets every label be
#' wrong with some probability, the *flip rate*, so that a row which all others contradict is called
#' wrong instead of bending the boundary.
#'
#' @details
#' \if{html}{\figure{help-noise.png}{options: width="100\%" style="max-width: 760px;" alt="Two panels with
#' the same 30 rows along one input, one of which is labelled wrongly. Left, if no label may be wrong, the
#' probability of the event bends towards that row. Right, if labels may be wrong, it hardly does, and
#' the row has a ring."}}
#'
#' The probability of the event along one input. One label was flipped. *Left*: where every label is
#' taken to be right (`epsilon = 0`) the curve bends towards it. *Right*: where labels may be wrong it hardly
#' does, and the row is called wrong (the ring).
#'
#' # Noise models
#' By default, `epsilon = "average"`, a fit does not take it as known how labels go wrong. Its label
#' stage ([wrong-labels]) averages over five possibilities, weighted by how well they explain the
#' labels:
#'
#' | model | what it says |
#' | --- | --- |
#' | `none` | no label is wrong |
#' | `one` | labels of both classes are wrong, at one rate |
#' | `two` | each class has a rate of its own |
#' | `first` | only rows of the first class are recorded wrongly |
#' | `second` | only rows of the second class, the event, are recorded wrongly |
#'
#' With three classes or more there are none, one, a rate for each class, a matrix, which also says
#' where the errors of each class go, and errors of one class alone, for each: [several-classes].
#' [noise_test()] shows what the data say of each, [flip_rates()] the rates, [noise_prior()] changes what
#' is believed of them before.
#'
#' # What is known of labels goes in
#'
#' | you know | argument |
#' | --- | --- |
#' | some labels were checked before | `trusted = ` these rows |
#' | somebody looked suspects up | `update(fit, checked = )` |
#' | sites, readers or batches differ | `rates = ~ site` |
#' | labels get worse with a number | `rates = ~ cut(age, 4)` |
#' | rows come in units (patients, images) with one label | `units = ~ patient`, see below |
#' | several people labelled each row | [readers()] as the response |
#' | a probability of each class, not a label | `cbind(no, yes) ~ x`, see below |
#' | the rate, from an audit | `epsilon = 0.05`, or `epsilon = c(neg = 0.01, pos = 0.08)` |
#' | what a validation study counted | `noise = noise_prior(sensitivity = c(46, 4))`, or `study = ` |
#' | experts agree on 99 of 100 labels | `noise = noise_prior(overlap = 0.01)`, see [overlap] |
#' | no row is unusual for its class | `noise = noise_prior(unusual = 0)` |
#' | only one class is ever recorded | `noise = noise_prior(unlabelled = "no")` |
#' | every label is right | `epsilon = 0` |
#'
#' Of two rates, `neg` is the probability that a row of the first class is recorded as the event, and `pos`
#' that an event is recorded as the first class. A noise matrix has a row for each true class and a column
#' for each recorded one.
#'
#' # Rows of one unit
#' The visits of a patient, the crops of an image and repeated measurements share a label, and if it is wrong, it is
#' wrong in all of them. Taken for independent rows they confirm each other: a wrong label is explained by its own
#' copies, and nothing is found. `units = ~ patient` makes a unit one row, with the means of its rows' inputs and
#' one latent value. What is said of a unit is said without the labels of all its rows; labels are
#' counted, listed and checked by unit (`row` is the first of its rows, and any of them stands for it in `checked` and
#' `trusted`); and [predict()][predict.sturdy_model] without `newdata`, `fitted()` and `residuals()` have the
#' answer of its unit for each row.
#' New rows are units of their own. With one row a unit the fit is that without units.
#'
#' Of scores ([second_stage()], [mislabelled()]) a unit has the means of their logs; they must be made without any label
#' of the unit, as [cross_fit()] with `units` does. Where the rows of a unit are of several kinds, so that their means
#' say little (tiles of an image, few of which show it), use these.
#'
#' The label, `rates` and `weights` must be the same in all rows of a unit (`sturdy_error_units`). [readers()],
#' probabilities in the place of labels, filtering, streams and [shards()] have no units.
#'
#' # Labels that are probabilities
#' Where an expert, or another model, gives a probability of each class and not a label, the response
#' is a matrix with a column for each class and rows that sum to 1: `cbind(no, yes) ~ x`, or `y` in
#' `gpc(x, y)`. A row is taken as a likelihood: what the expert saw is `P[i, a] / P[i, b]` times
#' as probable if the true class is `a` as if it is `b`. Probabilities mean that if their giver
#' held all classes to be equally probable before looking, and knew nothing of the inputs of the
#' model. Otherwise divide them by the shares of the classes that the giver had in mind, and make
#' the rows sum to 1 again. A row of 0 and 1 is a trusted label; a row of equal probabilities says
#' nothing. There is no flip rate beside them (`epsilon` is 0). `predict(fit, type = "true")`
#' gives the probabilities of the true classes from both, the row's own and the inputs. Whatever
#' needs one recorded label is refused (`sturdy_error_soft_labels`).
#'
#' # What the model does not see
#' Errors are taken to fall at random within a class, or a group. Where they fall on rows that look
#' like another class, or on all rows of one kind, nothing in the table contradicts them:
#' *What can't be told* in [wrong-labels].
#'
#' @name label-noise
#' @aliases noise
#' @seealso [gpc()], [overlap], [averaging], [noise_prior()]
NULL
