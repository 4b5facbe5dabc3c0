# The noise matrices of readers, drawn: those of several classes have more entries than the weights
# of nodes can tell of, and at mere modes they have no spread. Given what the other rows say of the
# class of each, which is from the nodes, the classes and the matrices are drawn in turn: Dawid and
# Skene's model with a prior of its own for each row [M 13.7].

reader_sweeps <- c(before = 100L, kept = 600L)

#' Are the matrices of readers drawn?
#' @noRd
draws_readers <- function(object) {
  models <- object$nodes$models
  sure <- function(which) sum(models$probability[which]) > 0.5
  has_readers(object) && length(object$data$reports$sources) > 1 && rate_learned(object) &&
    if (is_several(object)) {
      sure(models$model == "matrix")
    } else {
      sure(models$model == "two") && sure(grepl("^mode", models$method))
    }
}

#' Draws of their matrices, the same every time
#' @return list(omega, S x C x C arrays; weight)
#' @noRd
reader_draws <- function(object) {
  reports <- object$data$reports
  said <- truth(object)
  log_pi <- log(pmax(mean_over(said$loo, said$weight), 1e-300))
  counts <- stacked(expected_reports(object))
  given <- readers_posterior(object, counts)
  sources <- length(reports$sources)
  omega <- as_omega(matrix_mean(given(counts)), reports$classes, sources)
  draws <- vector("list", sum(reader_sweeps))
  with_seed_or_stream(1, for (sweep in seq_along(draws)) {
    p <- truth_posterior(report_likelihood(reports, omega), log_pi)
    above <- share_above(p)
    true <- 1 + rowSums(stats::runif(nrow(p)) < above)
    counts <- stacked(report_counts(reports, diag(reports$classes)[true, , drop = FALSE]))
    omega <- as_omega(matrix_draw(given(counts)), reports$classes, sources)
    draws[[sweep]] <- omega
  })
  kept <- draws[-seq_len(reader_sweeps[["before"]])]
  list(omega = kept, weight = rep(1 / length(kept), length(kept)))
}

#' The posterior of their matrices given counts, see matrix_posterior(): of two classes under the
#' priors of rates, but for their correlation
#' @param counts those that are expected, (S C) x C. @return function(counts)
#' @noRd
readers_posterior <- function(object, counts) {
  noise <- noise_model(object$spec$epsilon, object$spec$noise, object$data$reports)
  if (is_several(object)) {
    prior <- matrix_prior(counts, noise$shape)
    return(function(counts) matrix_posterior(prior, counts))
  }
  shapes <- vapply(noise$rate[c("neg", "pos")], function(rate) c(rate$a, rate$b), numeric(2))
  shapes <- t(shapes)[rep(1:2, nrow(counts) / 2), ]
  function(counts) {
    right <- on_diagonal(counts)
    list(
      often = shapes + cbind(rowSums(counts) - right, right),
      whereto = matrix(1, nrow(counts), 1), only = NULL
    )
  }
}

#' A draw of matrices, see matrix_posterior()
#' @noRd
matrix_draw <- function(posterior) {
  gammas <- function(shape) {
    drawn <- matrix(pmax(stats::rgamma(length(shape), shape), 1e-300), nrow(shape))
    drawn / rowSums(drawn)
  }
  often <- gammas(posterior$often)
  with_diagonal(often[, 1] * gammas(posterior$whereto), often[, 2])
}

#' Expected numbers of reports by source, true class and class reported: S x C x C
#' @noRd
expected_reports <- function(object) {
  said <- truth(object)
  report_counts(object$data$reports, mean_over(said$p, said$weight))
}
