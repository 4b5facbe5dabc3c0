#' Classes in an order
#'
#' What [gpc()] does with a response that is an ordered factor of three classes or more, such as the
#' stage of a disease or a rating.
#'
#' @details
#' There is one latent function, with noise (the nugget), and a threshold between each two classes that
#' follow each other: a row truly belongs to the class between whose thresholds its latent value is.
#' That is a cumulative probit, as `MASS::polr(method = "probit")` has it of a linear function. A
#' message says so when such a factor is fitted.
#'
#' Labels may be wrong: with the rate `epsilon` a row is recorded as another class, a part of the wrong
#' labels as a neighbouring one (one of two alike, at the ends the only one), the rest as any of the
#' others. `epsilon = "average"`, the default, averages over no wrong labels, one such rate, one for
#' each class, and one in a class alone, with the prior probabilities of [noise_prior()]; which part
#' falls on neighbours is learned, and may be anything before the data are seen. With rates that are
#' given, or `"learn"`, it is nine in ten. Of a class between two others that alone is recorded wrongly
#' nine in ten fall on these, and how many on which is learned. A noise matrix may be given as `epsilon`.
#'
#' Wrong labels of one class that all fall on the next one look like a threshold that lies elsewhere.
#' Of the first or last class that shows where rows are far beyond the threshold. Of a class in between
#' the number is too low: little tells such errors from rows near a threshold.
#'
#' The thresholds are learned as widths of the classes between the first and the last, which `coef()`
#' names `width.<class>` and `summary()` shows as thresholds, where 0 is midway between the first and the
#' last: where the rows are on that scale the `bias` of the kernel says. `hyper = "integrate"`, the default,
#' averages over the widths as over all hyperparameters. By their prior each is about what it would be
#' if all classes had as many rows: with a probability of .95 within a factor of 7.
#'
#' A fit is asked as one of several classes is. `predict(type = "link")` and `"latent"` are of the one
#' latent function; [mislabelled()] suggests a class. It takes the time of a fit to two classes, which is
#' a fraction of that of [several-classes] without an order.
#'
#' # What there is not
#' `"matrix"` and `"learn2"` for `epsilon`, `study` of [noise_prior()], kernels by class, the
#' leave-one-out criterion, case weights, offsets, [shards()], and simulation ([check_fit()]): they are refused. [stc()] and [bpm()]
#' take two classes. Labels of [readers()] are fitted without an order.
#'
#' Where the order is not meant, `factor(y, ordered = FALSE)` takes it away.
#'
#' @name ordered-classes
#' @seealso [gpc()], [several-classes], [label-noise]
#' @examples
#' set.seed(2)
#' d <- data.frame(a = rnorm(50), b = rnorm(50))
#' d$pain <- cut(
#'   d$a + rnorm(50, sd = 0.3), c(-Inf, -0.8, 0.7, Inf), c("none", "some", "much"),
#'   ordered_result = TRUE
#' )
#' d$pain[which.max(d$a)] <- "some"
#' fit <- gpc(pain ~ ., d, kernel = kernel_iso(2, fixed = TRUE))
#' fit
#' head(mislabelled(fit), 3)
#' predict(fit, data.frame(a = c(-1, 0, 1), b = 0), type = "prob")
NULL
