# The noise that scores have learned, taken out of them by M = (a omega + (1 - a) I)^-1 [M 16.1].

#' What takes the noise out that scores have learned: (a Omega + (1 - a) I)^-1
#' @param omega S x C x C x K. @param share of the sources. @param learned a of each point.
#' @return C^2 x K; `NaN` where there is no inverse.
#' @noRd
taken_out <- function(omega, share, learned) {
  classes <- dim(omega)[2]
  mean <- matrix(share %*% matrix(omega, dim(omega)[1]), classes^2) # C^2 x K
  A <- mean * rep(learned, each = classes^2) + outer(as.vector(diag(classes)), 1 - learned)
  if (classes == 2) {
    det <- A[1, ] * A[4, ] - A[2, ] * A[3, ]
    return(rbind(A[4, ], -A[2, ], -A[3, ], A[1, ], deparse.level = 0) / rep(det, each = 4))
  }
  native_noise_inverse(A, classes)
}

#' The share of the noise to take out of scores that have learned all of it: of rates that are given,
#' and that no matrix takes out, nearly all
#' @noRd
most_taken_out <- function(model, share) {
  given <- model$d == 0 && !all(is.finite(taken_out(noise_omegas(model, matrix(0, 0, 1)), share, 1)))
  if (given) 0.99 else 1
}

#' From the slopes in that inverse M those in omega and in the share that was learned
#' @param slope,M C^2 x K. @param omega S x C x C x K.
#' @return list(omega, in its shape; learned (K))
#' @noRd
taken_out_slope <- function(slope, M, omega, share, learned) {
  size <- dim(omega)
  by <- native_noise_inverse_back(M, slope, size[2])
  mean <- matrix(share %*% matrix(omega, size[1]), size[2]^2)
  list(
    omega = array(outer(share, by * rep(learned, each = size[2]^2)), size),
    learned = colSums(by * (mean - as.vector(diag(size[2]))))
  )
}
