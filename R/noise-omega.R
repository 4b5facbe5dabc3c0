# Flip rates and noise matrices as one shape: omega[s, t, v], the probability that source s
# reports class v of a row whose true class is t.

#' Flip rates or a noise matrix, for every source
#'
#' @param epsilon one rate; of two classes the rates (neg, pos) of those truly - and truly +;
#'   of several a rate for each true class; a matrix, true classes x reported ones; or what this function
#'   returns. A rate is shared equally by the other classes [M 12.1], or as `share` has it.
#' @param sources their number, S. @param share see neighbour_share(), or `NULL`: alike.
#' @return S x C x C
#' @noRd
as_omega <- function(epsilon, classes, sources = 1L, share = NULL) {
  if (length(dim(epsilon)) == 3) {
    return(epsilon)
  }
  each <- rep(unname(epsilon), each = sources)
  if (is.matrix(epsilon)) {
    return(array(each, c(sources, classes, classes)))
  }
  rates_omega(matrix(each, sources), classes, share)
}

#' How the rate of wrong labels of each true class is shared by the others where they are in an
#' order: most of it goes to the neighbours alike, the rest to all [M 12.19]
#' @param anywhere the rest, see whereto_reach(). @return C x C, rows that sum to 1
#' @noRd
neighbour_share <- function(classes, anywhere = 0.1) {
  near <- noise_targets(classes, TRUE)
  (1 - anywhere) * near / rowSums(near) + anywhere * noise_targets(classes, FALSE) / (classes - 1)
}

#' Where errors of each class may go: of classes in an order to the two beside it
#' @noRd
noise_targets <- function(classes, ordered) {
  apart <- abs(outer(seq_len(classes), seq_len(classes), `-`))
  if (ordered) apart == 1 else apart > 0
}

#' The likelihood of each true class where all that is known of a row is its label
#' @param code labels, 1..C. @param omega 1 x C x C.
#' @noRd
label_likelihood <- function(code, omega) t(matrix(omega, dim(omega)[2]))[code, , drop = FALSE]

#' Rates by source, S x 1 or S x C of the true classes, as omega
#' @param share see as_omega().
#' @noRd
rates_omega <- function(rates, classes, share = NULL) {
  omega <- array(rates / (classes - 1), c(nrow(rates), classes, classes))
  if (!is.null(share)) omega <- array(rates, dim(omega)) * rep(as.vector(share), each = nrow(rates))
  for (t in seq_len(classes)) omega[, t, t] <- 1 - rates[, min(t, ncol(rates))]
  omega
}

#' A noise matrix for all rows: that of a row whose label is not known to be right, on average
#' @param omega S x C x C. @param size see source_sizes(). @return C x C.
#' @noRd
mean_omega <- function(omega, size) array(size %*% matrix(omega, length(size)), dim(omega)[-1], dimnames(omega)[-1])

#' Rates of wrong labels by true class: 0 exactly where none can be wrong, also of a mean of
#' matrices, whose diagonal may be 1 but for rounding
#' @noRd
wrong_rates <- function(omega) {
  diag(omega) <- 0
  rowSums(omega)
}

#' Where wrong labels of each true class go, pi of [M 16.4]
#' @noRd
wrong_shares <- function(omega) {
  diag(omega) <- 0
  omega / rowSums(omega)
}

#' Rates of wrong labels by true class, or one where they and all entries are alike, or shared by
#' classes in an order
#' @noRd
omega_rates <- function(omega) {
  rates <- unname(wrong_rates(omega))
  classes <- length(rates)
  anywhere <- omega[[1, classes]] * (classes - 1) / max(mean(rates), 1e-300)
  alike <- rates_omega(matrix(mean(rates)), classes, neighbour_share(classes, anywhere))[1, , ]
  if (max(abs(alike - unname(omega))) < 1e-12) {
    mean(rates)
  } else if (classes == 2) stats::setNames(rates, c("neg", "pos")) else rates
}
