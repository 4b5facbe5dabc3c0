# What simulation needs of a fit: kernels, and a likelihood of steps. Of two classes it steps where
# the latent function changes its sign; of several, which have a function each, where another one
# becomes the largest [M A.7].

#' What simulation needs of a fitted model
#'
#' @return list of `K` (n x n), `B` (n x r, K = B B'), of several classes with kernels of their
#'   own side by side; `functions`, their number; `jitter` added to the diagonal of K; `y`,
#'   labels -1 and +1, or the losses of several classes (n x C), see classes_problem(); `barrier`
#'   [M A.1], the level of the fit, and `top`, the one before: log odds of a right against a wrong
#'   label for y = -1 and +1, `Inf` at a flip rate of 0, of several classes see src/bounce-classes.h;
#'   `offset`, log likelihood with all labels right.
#' @noRd
ais_problem <- function(object) {
  check_simulated(object)
  grams <- lapply(class_hypers_of(object), function(hyper) {
    native_gram(object$data$X, NULL, model_columns(object), hyper)
  })
  problem <- if (is_several(object)) {
    classes_problem(grams, report_likelihood(object$data$reports, row_omega(object)))
  } else {
    ais_problem_gram(grams[[1]], object$data$y, object$epsilon)
  }
  inform_jitter(problem)
  problem
}

check_simulated <- function(object) {
  check_has_latent(object)
  can_not <- function(so, class, why, instead) refuse(so, c(paste("Simulation", why), i = instead), class)
  can_not(
    is.null(object$kernel), "no_kernel", "needs a model with a kernel, and a Bayes point machine has none.",
    "Use a model fitted by {.fn gpc} or {.fn stc}."
  )
  can_not(
    !is.null(object$inducing), "inducing", "needs the kernel between all rows, and this fit has inducing inputs.",
    "{.fn check_fit} takes a sample of the rows; for others, fit one with {.code inducing = NULL}, at the
     same kernel."
  )
  can_not(
    is_in_order(object), "ordered", "is not for classes in an order.",
    "EP of one latent function is as near as with two classes, whose fits {.fn check_fit} takes."
  )
  check_rows_without(
    object$data, "Simulation", c("weights", "offset", if (!is_several(object)) "known"),
    "A fit to the same rows without these can be simulated."
  )
}

#' Hyperparameters of the latent functions of a fit, one list where they share them
#' @noRd
class_hypers_of <- function(object) {
  hyper <- kernel_hyper(object$kernel)
  lapply(seq_along(hyper$nugget), class_hyper, hyper = hyper)
}

#' Of two classes
#' @param K the kernel between the rows. @param y labels, -1 and +1. @param epsilon the rate, or both.
#' @noRd
ais_problem_gram <- function(K, y, epsilon) {
  wrong <- rep_len(unname(epsilon), 2)
  barrier <- log1p(-wrong) - log(rev(wrong))
  offset <- sum(y < 0) * log1p(-wrong[1]) + sum(y > 0) * log1p(-wrong[2])
  c(factored(list(K)), list(
    functions = 1L, y = as.double(y), barrier = barrier,
    top = ifelse(is.finite(barrier), barrier, impossible_top(y)), offset = offset
  ))
}

#' Moves at the barriers of a problem, see native_ais_move()
#' @noRd
move_chains <- function(problem, start, keep, thin, tick = NULL) {
  native_ais_move(problem$K, problem$B, problem$y, problem$barrier, start, keep, thin, tick)
}

#' The barrier at which a wrong label is out of the question
#' @noRd
impossible_top <- function(y) log(NROW(y)) + 15

#' The same of several classes
#' @param grams one for each of them, or one that they share. @param L likelihoods of the true
#'   classes, n x C; the losses are by how much their logs are below the largest of the row.
#' @noRd
classes_problem <- function(grams, L) {
  most <- row_max(L)
  loss <- unname(log(most) - log(L))
  c(factored(grams), list(
    functions = ncol(L), y = loss, barrier = c(1, Inf),
    top = c(1, if (all(is.finite(loss))) Inf else impossible_top(loss)), offset = sum(log(most))
  ))
}

#' Kernels and their factors, of several side by side
#' @return list(K, B, jitter)
#' @noRd
factored <- function(grams) {
  factors <- lapply(grams, chol_jitter)
  grams <- Map(function(K, factor) {
    diag(K) <- diag(K) + factor$jitter
    K
  }, grams, factors)
  list(
    K = do.call(cbind, grams), B = do.call(cbind, lapply(factors, `[[`, "L")),
    jitter = max(vapply(factors, `[[`, 0, "jitter"))
  )
}

#' Cholesky factor, of the matrix plus the smallest jitter that lets it succeed
#' @noRd
chol_jitter <- function(K) {
  found <- first_root(K, c(0, mean(diag(K)) * 10^(-12:-6)))
  refuse(is.null(found), "The kernel matrix is not positive definite.", "not_positive_definite")
  found
}

inform_jitter <- function(problem, what = "kernel matrix") {
  if (problem$jitter > 0) {
    inform_sturdy(
      "The {what} is singular: {signif(problem$jitter, 2)} was added to its
       diagonal.",
      "jitter", jitter = problem$jitter
    )
  }
}

#' The kernels of a problem: the place of each, which functions it is of, and its factor
#' @noRd
kernels_of <- function(problem) {
  n <- nrow(problem$B)
  all <- ncol(problem$B) / n
  lapply(seq_len(all), function(k) {
    list(
      k = k, functions = if (all == 1) seq_len(problem$functions) else k,
      B = problem$B[, (k - 1) * n + seq_len(n), drop = FALSE]
    )
  })
}

#' The rows of function c among those of all
#' @noRd
rows_of <- function(problem, c) (c - 1) * nrow(problem$B) + seq_len(nrow(problem$B))

#' Mean weights (n x m: the mean is t(V) z with f = B z) and covariance of the latent
#' values of new observations given those at the training rows [M A.6], under a kernel of
#' kernels_of()
#' @noRd
conditional_latent <- function(object, kernel, X) {
  hyper <- class_hypers_of(object)[[kernel$k]]
  V <- native_solve(kernel$B, native_gram(object$data$X, X, model_columns(object), hyper))
  list(V = V, cov = native_gram(X, NULL, model_columns(object), hyper) - native_product(V, V))
}
