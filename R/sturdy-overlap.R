#' Overlap: wrong labels, or classes that mix?
#'
#' A label on the wrong side of the boundary may be wrong, or the classes may *overlap* there: the
#' inputs do not tell them apart. A hundred rows often can't say which. So the number of wrong
#' labels depends on what is assumed about overlap.
#'
#' @details
#' \if{html}{\figure{help-overlap.png}{options: width="100\%" style="max-width: 760px;" alt="Two scatter
#' plots of two classes with a straight boundary. Left, wrong labels: the rows on the wrong side lie
#' anywhere, many of them far from the boundary, and have rings. Right, overlap: the rows on the wrong
#' side lie close to the boundary, and hardly any has a ring."}}
#'
#' *Left*: a tenth of the labels was flipped. These labels lie anywhere, also far from the
#' boundary, where no row should have such a label. *Right*: no label is wrong, but the classes
#' mix near the boundary. Rings are rows that the fit calls wrong, if some are, with a probability
#' above 1/2. With more rows, and with rows far from the boundary, the two can be told apart; near
#' the boundary they can't.
#'
#' # How it is measured
#' Overlap is the share of *right* labels that contradict the inputs. In a fit it is the nugget of the
#' kernel: with a nugget g beside a latent function of variance v, `atan(sqrt(g / v)) / pi`.
#'
#' # What is assumed about it
#' By default overlap is learned. Before the data half of the probability is between
#' `r round(100 * nugget_overlap(exp(-qnorm(0.75) * nugget_usual$two[["sdlog"]])))` and
#' `r round(100 * nugget_overlap(exp(qnorm(0.75) * nugget_usual$two[["sdlog"]])))` % with two classes.
#' That is much: what it leaves to wrong labels, the label stage judges once more
#' ([wrong-labels]), with a share of rows that are unusual, and classes that look alike in pairs.
#'
#' **If you know, say so.** If two experts would agree on 99 of 100 labels, the classes hardly
#' overlap: `gpc(class ~ ., d, noise = noise_prior(overlap = 0.01))`. `overlap = c(0.01, 0.1)`
#' bounds it. If the classes do overlap, this makes right labels look wrong. To the scores of another
#' classifier overlap is how often right labels contradict *them*: [second_stage()].
#'
#' **Or ask for checks.** A few records that somebody looks up settle more than any model:
#' [review()] names them, `update(fit, checked = )` takes the answers in.
#'
#' @name overlap
#' @seealso [noise_prior()], [noise_test()], [label-noise]
NULL
