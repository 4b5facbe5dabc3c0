#' Check a fit against simulation
#'
#' Compares the results of EP with the exact posterior, at the hyperparameters of the
#' fit: the log evidence, and the class probabilities at the training rows.
#'
#' @details
#' The exact log evidence is that of
#' [`log_evidence(fit, method = "ais")`][log_evidence]; the exact probability that a new
#' observation at the inputs of a training row is the event is the mean of
#' `F((k*'K^-1 f) / sd)` over draws f of the posterior (see [posterior_sample()]),
#' compared with that of EP (which goes through the label stage to be
#' [fitted()][fitted.sturdy_model]).
#'
#' For [stc()] the table shows two EP evidences: the Gaussian one at the same kernel,
#' which can be compared across models, and the t-EP one, which is not an approximation
#' of the evidence, so that its gap can be large. The exact value is the same for all
#' `df`.
#'
#' With three classes or more the true class is that of the largest of as many functions, and the
#' exact probability the mean, over draws, of that of [predict()][predict.sturdy_model]. EP takes
#' the functions of a row as independent given the labels, so its log evidence is below the exact
#' one; `"corrected"` is to second order, as averages are weighed ([log_evidence()]). Trusted
#' and checked rows and rates by group are what they are. A move takes some 4 C times as long.
#'
#' Where there are many rows, a sample of them tells whether EP can be relied on for this
#' kernel and these labels: with `rows`, the posterior given these rows alone is checked,
#' under the kernel between all of them, at the hyperparameters of the fit. The sample is
#' spread over the rows and always the same.
#'
#' The cost is that of an annealing run (see [log_evidence()]: seconds to minutes) and of
#' a few n^3 factorisations. It uses R's random numbers: [set.seed()] makes it repeatable.
#'
#' @param object A model fitted by [gpc()] or [stc()].
#' @param rows The number of rows to check, at least 2. `NULL`, the default, checks all, or
#'   300 where the fit has inducing inputs.
#' @param draws Number of draws of the posterior, at least 100 (4000 by default).
#' @param se The standard error of the exact log evidence to be reached, above 0 (0.05 by
#'   default).
#' @param max_moves The number of moves after which the annealing run stops in any case,
#'   at least 1 (2e6 by default; some `r ais_least_moves` are made at least).
#' @param progress Whether progress is shown, as in [ep_control()]; by default that of the
#'   fit.
#' @param ... Not used.
#'
#' @return A list of class `sturdy_check` with the fields
#'   * `evidence`: data frame of `method` (`"gaussian"`, and `"t-ep"` for finite `df`; with three
#'     classes or more `"ep"` and `"corrected"`), `log_evidence` and `gap`, EP minus exact, in nats;
#'   * `ais`: the exact log evidence, as [log_evidence()] gives it;
#'   * `probability`: data frame of `row`, `ep`, `exact`, `error` (the standard error of
#'     `exact`), with one row per training row, or with three classes or more one per training row
#'     and `class`; `largest_gap`, `largest_row`, `largest_class` (`NULL` of two classes) and
#'     `mean_gap`: the largest absolute difference, its row and class, and the mean;
#'   * `nobs`, `of`: the number of rows checked, and that of the fit;
#'   * `ess`: the smallest effective number of draws over the rows;
#'   * `means`, `do`: sentences that say what this means and what to do.
#'
#'   Its print method shows the numbers and the sentences.
#' @section Conditions:
#' `sturdy_error_known_labels` for a fit of two classes with trusted or checked rows, or rates by
#' group;
#' Those of `log_evidence(fit, method = "ais")`, among them `sturdy_error_no_kernel` for
#' [bpm()]; `sturdy_error_no_posterior` when EP left no posterior.
#' @references
#' Kuss, M. and Rasmussen, C. E. (2005) Assessing approximate inference for binary
#' Gaussian process classification. *Journal of Machine Learning Research* 6,
#' 1679-1704.
#' @seealso [ep_diagnostics()], which costs nothing; [posterior_sample()]
#' @export
#' @examples
#' x <- matrix(c(-2, -1, 1, 2), dimnames = list(NULL, "x"))
#' fit <- gpc(x, c("no", "no", "yes", "yes"), epsilon = 0.05)
#' set.seed(1)
#' check_fit(fit, draws = 500)
check_fit <- function(object,
                      rows = NULL,
                      draws = 4000,
                      se = 0.05,
                      max_moves = 2e6,
                      progress = object$spec$control$progress,
                      ...) {
  object <- fit_of(object, ...)
  check_has_latent(object)
  draws <- check_count(draws, "draws", min = 100)
  se <- check_number(se, "se", min = 0, open = TRUE)
  max_moves <- check_number(max_moves, "max_moves", min = 1)
  progress <- check_progress(progress)
  check_sites_kept(object)
  if (!is.null(rows)) rows <- check_count(rows, "rows", min = 2)
  of <- nobs(object)
  object <- some_rows(object, if (is.null(rows) && is_low_rank(object)) 300 else rows)
  check_memory(
    6 * as.double(draws) * nobs(object) * latent_functions(object), draws, what = "draws"
  )
  problem <- ais_problem(object)
  run <- ais_run_checked(problem, se, max_moves, progress)
  ais <- new_ais(run, problem)
  check <- c(
    list(
      title = model_title(object), nobs = nobs(object), of = of, df = object$spec$df,
      epsilon = object$epsilon, evidence = check_evidence(object, ais), ais = ais,
      se_wanted = se
    ),
    check_probability(object, problem, run, draws, progress)
  )
  structure(c(check, check_words(check)), class = "sturdy_check")
}

#' The fit of k of its rows alone at the same hyperparameters, with the kernel between all
#' of them
#' @noRd
some_rows <- function(object, k) {
  data <- object$data
  if (is.null(k) || k >= nobs(object) && !is_low_rank(object)) {
    return(object)
  }
  object$data <- data_of(data, utils::head(table_order(data$X, data$y), k))
  object$data["na_action"] <- list(NULL)
  object["inducing"] <- list(NULL)
  # EP of an average is at its point, as the simulation is, not at the mean over nodes
  object$omega[] <- mean_omega(row_omega(object), source_sizes(object$data$reports))
  object$nodes <- NULL
  object$label_stage <- NULL
  object$ep <- refit_ep(object, final = TRUE)
  check_posterior(object)
  object
}

# Evidence ------------------------------------------------------------------

check_evidence <- function(object, ais) {
  value <- if (is_several(object)) {
    c(ep = model_evidence(object), corrected = gaussian_evidence(object, second = TRUE))
  } else {
    c(
      gaussian = gaussian_evidence(object),
      "t-ep" = if (is.finite(object$spec$df)) model_evidence(object)
    )
  }
  data.frame(
    method = names(value), log_evidence = unname(value), gap = unname(value) - ais$log_evidence
  )
}

# Probabilities -------------------------------------------------------------

check_probability <- function(object, problem, run, draws, progress) {
  if (!is.finite(run$log_z)) {
    return(list(
      probability = NULL, largest_gap = NA_real_, largest_row = NA,
      mean_gap = NA_real_, ess = NA_real_
    ))
  }
  start <- run$F[, systematic(exp(run$log_w - run$log_z), ais_chains), drop = FALSE]
  start <- matrix(move_chains(problem, start, 1L, 50L), ncol = ais_chains)
  moves <- sample_moves(problem, start, draws, 5L, progress)
  latent <- latent_new(object, object$data$X)
  ep <- class_probabilities(latent$m, latent$s2, object$spec$df)
  told <- if (is_several(object)) seq_len(ncol(object$omega)) else 2L
  ep <- as.vector(ep[, told])
  exact <- exact_probability(object, problem, moves, told)
  gap <- abs(ep - exact$mean)
  worst <- which.max(gap)
  table <- data.frame(row = object$data$rows, ep = ep, exact = exact$mean, error = exact$error)
  if (is_several(object)) {
    classes <- rep(object$blueprint$levels, each = nrow(latent$m))
    table <- cbind(table["row"], class = classes, table[-1])
  }
  list(
    probability = table, largest_gap = gap[worst], largest_row = table$row[worst],
    largest_class = table$class[worst], mean_gap = mean(gap), ess = min(exact$ess)
  )
}

#' Indices drawn with the given weights and the least noise
#' @noRd
systematic <- function(weights, n) {
  at <- (seq_len(n) - stats::runif(1)) / n
  findInterval(at, cumsum(weights) / sum(weights), rightmost.closed = TRUE) + 1L
}

#' Probabilities of classes for new observations at the training rows
#'
#' @param moves n x chains x draws a chain, of several classes n C. The means of the chains give
#'   the error. @param told the classes.
#' @return list(mean, error, ess), of the rows in the first class, then the next.
#' @noRd
exact_probability <- function(object, problem, moves, told) {
  n <- nrow(problem$B)
  drawn <- dim(moves)[-1]
  m <- s2 <- matrix(0, n * prod(drawn), problem$functions)
  for (kernel in kernels_of(problem)) {
    at <- conditional_latent(object, kernel, object$data$X)
    W <- native_solve(kernel$B, at$V, transpose = TRUE) # K^-1 k*
    for (f in kernel$functions) {
      m[, f] <- native_product(W, matrix(moves[rows_of(problem, f), , ], n))
      s2[, f] <- pmax(diag(at$cov), .Machine$double.xmin)
    }
  }
  p <- array(class_probabilities(m, s2)[, told], c(n, drawn, length(told)))
  means <- matrix(apply(p, c(1, 4, 2), mean), ncol = drawn[1])
  squares <- as.vector(apply(p^2, c(1, 4), mean))
  spread <- apply(means, 1, stats::var)
  total <- pmax(squares - rowMeans(means)^2, 0)
  list(
    mean = rowMeans(means), error = sqrt(spread / drawn[1]),
    ess = pmin(ifelse(spread > 0, drawn[1] * total / spread, Inf), prod(drawn))
  )
}
