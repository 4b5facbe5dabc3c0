#' Three classes or more
#'
#' What [gpc()] does with a response of three classes or more that are in no order; for an ordered
#' factor see [ordered-classes].
#'
#' @details
#' Each class has a latent function under the same kernel, and the true class of a row is the
#' one whose function is the largest. It is recorded as class y with probability
#' `omega[true, y]`, where `omega` is the noise matrix: `1 - epsilon` on its diagonal and
#' `epsilon / (C - 1)` beside it for one rate, or any matrix. `epsilon = "matrix"` learns it,
#' under a prior of two levels: how often a row of a class is recorded wrongly, much the same for
#' all classes (a Beta distribution around one rate, with a strength of some 150 rows), and as
#' which other class, which may be always the same (a Dirichlet distribution). Rate and strengths
#' are learned, so that the matrix is nearly that of one rate where the data say no
#' more. When one class is often taken for another, one learned rate may end at 0, with
#' a wiggly boundary, and the matrix is needed. `epsilon = "average"`, the default, averages
#' over no wrong labels, one rate and a matrix, with three or four classes and up to `r alone_rows`
#' rows also each row of the matrix alone, where labels of the other classes are right: see
#' [averaging].
#'
#' The kernel is one for all classes (`kernels = "shared"`, the default where the optimum is
#' sought), or one for each (`"per class"`), all from
#' the same start and under the same prior: `coef()` then names their hyperparameters
#' `<name>@<class>`. Where two classes overlap and the others are well apart, one kernel for all
#' can't say so, but a noise matrix can: labels that are right may then be called wrong, with
#' a probability near 1. With a kernel for each class this does not happen, but at some hundred
#' rows such a fit misses wrong labels. So a fit that integrates averages over both
#' (`kernels = "average"`): with probability 1/2 one kernel, with 1/2 kernels by class that are
#' alike to a degree (the logs of their nuggets, biases and of a factor of their lengthscales are
#' correlated). It takes about half as long again as with `"shared"`; `coef()` is of the better of
#' the two. Where kernels by class would cost too much (rows times classes above 14,400, or many
#' classes and columns: 400 rows of 20 classes) it is over the shared kernel alone, which
#' `summary()` says.
#' Rows may be `trusted`. With `rates` by group each group has a rate of its own; a noise matrix
#' is that of all groups.
#'
#' The result is asked as one for two classes is; [noise_matrix()] shows which classes are
#' recorded as which. EP takes the latent functions as
#' independent given the labels. At 30 rows probabilities of classes are off by 0.01 to
#' 0.02 on average, and the log evidence is 0.3 to 2 below the exact one: it is to be
#' compared with that of other fits to the same classes only. Simulation, [check_fit()], tells
#' how much it is for a fit. `criterion = "loo"` and other
#' methods than `"gradient"` are for two classes. A nugget learned is not below 0.001. Time
#' grows with the number of classes.
#'
#' @inherit sturdy-package references
#' @name several-classes
#' @seealso [gpc()], [ordered-classes], [noise_matrix()], [averaging]
NULL
