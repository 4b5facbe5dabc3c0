#' Three classes or more
#'
#' What [gpc()] does with a response of three classes or more that are in no order; for an ordered
#' factor see [ordered-classes].
#'
#' @details
#' Each class has a latent function under the same kernel, and the true class of a row is the
#' one whose function is the largest. It is recorded as class y with probability
#' `omega[true, y]`, where `omega` is the noise matrix: `1 - epsilon` on its diagonal and
#' `epsilon / (C - 1)` beside it for one rate, or any matrix.
#'
#' What is learned of the latent functions is learned along with a noise matrix, whose rates are at most
#' `r rate_most_first`: above that, one of two classes that look alike would be taken for errors of the other.
#' Its leave-one-out probabilities of the *true* class go into the label stage ([averaging], [wrong-labels]).
#' Where the matrix would have more than `r first_most` coordinates (seven classes and more, fewer with `rates` by group) a
#' climb of it says where errors go, and a rate for each class is integrated. With `epsilon = "learn"` there is one rate:
#' errors that are always the same are then seen in small tables, and may be learned as what the class looks like in
#' large ones.
#'
#' With `epsilon = "average"`, the default, the label stage averages over no wrong labels,
#' one rate, a rate for each class, a matrix, and errors of each class alone; where the errors of a
#' class go is learned under the last two, and may be always the same other class. `epsilon =
#' "matrix"` has the matrix alone, `"learn"` one rate.
#'
#' **Classes that look alike** (two kinds of vehicle among four) look as if one were taken for the
#' other. The label stage allows for pairs that do, as many as there are, with a prior by which few
#' do. Errors that go from one class to another are still found; errors that go both ways between two
#' such classes can't be told from overlap. [noise_test()] names the classes, and the way to know
#' is to check some rows of both. Predictions go through the label stage, and so know of it.
#'
#' With more than `r alone_most` classes (scores of [other classifiers][second_stage] may have up to
#' 1,000) errors go to the `r whereto_nearest` nearest of each class only, those with the largest
#' scores on its rows, as do pairs, and there is no noise model of one class alone. With more than
#' `r by_class_most` there is one rate and one slope, with more than `r label_weights_most` the classes
#' have no weights.
#'
#' The kernel is one for all classes (`kernels = "shared"`, the default), or one for each (`"per
#' class"`), all from the same start and under the same prior: `coef()` then names their
#' hyperparameters `<name>@<class>`.
#' Rows may be `trusted`. With `rates` by group each group has rates of its own; where errors go is
#' alike in all.
#'
#' The result is asked as one for two classes is; [noise_matrix()] shows which classes are
#' recorded as which. EP takes the latent functions as
#' independent given the labels. At 30 rows probabilities of classes are off by 0.01 to
#' 0.02 on average, and the log evidence is 0.3 to 2 below the exact one: it is to be
#' compared with that of other fits to the same classes only. Simulation, [check_fit()], tells
#' how much it is for a fit. `criterion = "loo"` is for two classes. A nugget learned is not below 0.001. Time
#' grows with the number of classes.
#'
#' @inherit sturdy-package references
#' @name several-classes
#' @seealso [gpc()], [ordered-classes], [noise_matrix()], [averaging]
NULL
