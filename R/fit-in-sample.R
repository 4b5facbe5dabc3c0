# Were the scores of another classifier made in sample, with the labels of their own rows?

agree_least <- 50L # rows that all agree by chance are fewer
agree_share <- 0.25 # labels that scores contradict, over those they expect to: out of bag it is more
own_label_most <- 0.65 # see own_label(): out of sample it is less
own_label_rows <- 300L # that are asked

#' What scores and their labels say of having been made in sample
#'
#' From the scores alone: in sample a forest contradicts hardly any label, and is unsure of some all the
#' same. Scores that are sure, too, may be those of classes that are easily told apart.
#' @param data of molded scores. @param inputs as the user gave them, or `NULL`.
#' @return list(n, contradicted, expected; correlation, with inputs; seems: does it look so?)
#' @noRd
in_sample <- function(data, inputs) {
  best <- max.col(data$X, ties.method = "first")
  against <- sum(best != label_code(data))
  expected <- sum(1 - data$X[cbind(seq_along(best), best)])
  own <- if (!is.null(inputs)) own_label(data, inputs)
  few <- against + 0.5 < agree_share * (expected + 0.5) || against == 0 && length(best) >= agree_least
  seems <- if (is.null(own)) few else own > own_label_most
  list(n = length(best), contradicted = against, expected = expected, correlation = own, seems = seems)
}

#' The correlation with its own label of what inputs, and the scores of other rows, leave open of a score
#'
#' The score of each row is predicted from its inputs by those of the other rows, and so is its
#' label, by ridge regression with a smooth and a linear kernel (residuals by [RW06 5.12]). Out of sample a
#' score is a function of the inputs: what is left of it knows of what is left of the label only as
#' much as the regression has missed.
#' @return `NULL` where there are too few rows, or all are alike.
#' @noRd
own_label <- function(data, inputs) {
  must(
    length(dim(inputs)) == 2 && nrow(inputs) == data$n_given, "inputs",
    "be a data frame or a matrix with a row for each score", got = inputs
  )
  rows <- which(stats::complete.cases(inputs[data$rows, , drop = FALSE]))
  if (length(rows) < 20) return(NULL)
  rows <- rows[spread_over(length(rows), own_label_rows)]
  features <- xy_features(inputs[data$rows[rows], , drop = FALSE])
  code <- label_code(data)[rows]
  Z <- suppressMessages(mold_features(features, length(rows), TRUE, list(), code))$data$X
  D <- as.matrix(stats::dist(Z))^2
  if (!isTRUE(max(D) > 0)) return(NULL)
  classes <- seq_len(ncol(data$X))
  both <- cbind(data$X[rows, ], outer(code, classes, `==`))
  K <- 1 + exp(-D / mean(D)) + 0.3 * tcrossprod(Z) / mean(rowSums(Z^2))
  left <- lapply(c(0.01, 0.1, 1), function(ridge) {
    inverse <- chol2inv(chol(K + diag(ridge, nrow(K))))
    inverse %*% both / diag(inverse)
  })
  left <- left[[which.min(vapply(left, function(each) sum(each[, classes]^2), 0))]]
  stats::cor(c(left[, classes]), c(left[, -classes]))
}

#' In words, with the figure; `NULL` where nothing speaks for it
#' @param found of in_sample(), or `NULL`.
#' @noRd
in_sample_words <- function(found) {
  if (isTRUE(found$seems)) {
    paste0(
      "Scores seem to be made in sample, which hides wrong labels: ",
      if (is.null(found$correlation)) {
        paste(found$contradicted, "of", found$n, "contradict their label, not some", round(found$expected))
      } else {
        paste0("beyond inputs they follow their own labels (correlation ", round(found$correlation, 2), ")")
      }, "."
    )
  }
}
