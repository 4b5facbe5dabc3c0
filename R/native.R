# The doors to C: one documented wrapper per entry point, no logic beside
# storage modes and units. They never signal: `status` is an integer (0
# converged, positive: usable but note it, negative: no result), worded by
# ep-engine.R. Further wrappers: native-predict.R, and of the t-exponential family
# native-family.R.

# Is all memory that a fit works in kept for the next? Where not, what large fits took is given back.
# Returns how many doubles were kept so far.
native_keep_memory <- function(all) .Call(C_keep_memory, all)

# l = 1/(2 lengthscale^2) [M 6.2]; finite for any lengthscale
native_kernel <- function(columns, hyper) {
  l <- 1 / (2 * as.double(hyper$lengthscale)^2)
  l[l > 1e300] <- 1e300
  share <- linear_share(hyper)
  slopes <- if (share > 0) share * hyper$variance / max(length(columns$weight), 1) else 0
  list(
    group = as.integer(columns$group), weight = as.double(columns$weight), l = l,
    theta = as.double(c((1 - share) * hyper$variance, hyper$bias, hyper$nugget, slopes)),
    shape = if (is.null(columns$shape)) 0L else columns$shape,
    alpha = if (is.null(columns$alpha)) 1 else columns$alpha, times = columns$times
  )
}

# How much of the variance is that of the linear part [M 6.7]; without the field there is none
linear_share <- function(hyper) {
  if (is.null(hyper$linear)) 0 else hyper$linear / (1 + hyper$linear)
}

# `columns`: one list for all, or one each
native_kernels <- function(columns, hyper) {
  if (is.null(columns$group)) {
    return(unname(Map(native_kernel, columns, hyper)))
  }
  lapply(unname(hyper), native_kernel, columns = columns)
}

# What every EP fit is told beside its latent space, the `...` below; `L` holds the
# likelihoods of the true classes, n x C (report_likelihood()), and the sites are n x
# `functions`; or there are cavities in their place, list(z: mean / sd, log_var).
# `control` may have four fields that are no one's to set: `parallel` (all sites at
# once), `lean` (no memory for Newton steps, nor for gradients other than that of the
# evidence at df = Inf; with several classes: integrals to 1e-8), `near` (the start is near the end:
# Newton steps sooner, in kernel space without a factorisation after the last; there is no gradient) and
# `second` (the second order of the evidence is wanted). `offset`: the prior means of the rows, or
# `NULL`; `width`: of classes in an order those between the first and the last.
native_run <- function(L, df, sites, control, criterion = "none", gradient = FALSE,
                       progress = NULL, functions = 1L, offset = NULL, width = NULL) {
  n <- nrow(L) * functions
  if (is.null(sites)) sites <- list(tau = double(n), nu = double(n))
  if (!is.null(sites$z) && functions == 1) {
    sites <- native_project(L, sites$z * exp(sites$log_var / 2), exp(sites$log_var), df, n, width)
  }
  which <- match(criterion, c("evidence", "evidence_zp", "loo"), nomatch = 0L)
  list(
    L = L, df = as.double(df), tau = as.double(c(sites$tau, sites$z)), nu = as.double(c(sites$nu, sites$log_var)),
    control = as.double(c(
      control$tol, control$max_sweeps, control$damping, control$block,
      isTRUE(control$parallel), isTRUE(control$lean), isTRUE(control$near)
    )),
    criterion = which - 1L, gradient = gradient, second = isTRUE(control$second),
    progress = progress, offset = offset, cut = native_cuts(width), cavities = !is.null(sites$z)
  )
}

#' Thresholds of classes in an order by the widths of those between the first and the last: 0 is
#' midway between the outer two [M 12.17]
#' @param width C - 2 numbers above 0, or `NULL`. @return C - 1 numbers, or `NULL`.
#' @noRd
native_cuts <- function(width) {
  if (!is.null(width)) c(0, cumsum(as.double(width))) - sum(width) / 2
}

# `parts`: the lengths of the gradient's parts, by name; `offset`, which moves with the root of the nugget
native_fit <- function(out, parts = NULL, offset = NULL) {
  if (!is.null(out$trace)) colnames(out$trace) <- c("residual", "log_evidence", "damping", "newton")
  if (!is.null(parts) && !is.null(out$gradient)) {
    out$gradient <- split(out$gradient, factor(rep(names(parts), parts), names(parts)))
    if (!is.null(out$by_offset)) {
      out$gradient$nugget <- out$gradient$nugget + sum(out$by_offset * offset) / 2
    }
  }
  out
}

#' EP on a Gram matrix
#'
#' @param K double matrix n x n. @param L likelihoods of the true classes - and +, n x 2.
#' @param sites `NULL` or `list(tau, nu)`. @param progress `NULL` or a function of sweep,
#'   residual.
#' @return as native_gp_fits()
#' @noRd
native_ep_fit <- function(K, L, df, sites, control, progress = NULL) {
  run <- native_run(L, df, sites, control, progress = progress)
  native_fit(with_blas(.Call(C_ep_fit, K, list(run)))[[1]])
}

#' EP on inputs, or through inducing inputs Z (m x p): kernels, fits, criterion and its gradient in
#' one call. Where there are threads each takes its share of any number of fits, and works on one
#' alone; the results are those of single calls to the last bit
#'
#' @param X double matrix n x p, expanded. @param columns list(group, weight), p
#'   each: the lengthscale a column uses, 1-based, and the weight of its squared
#'   difference: 1, or 1/2 for the 0/1 indicator of a level; and `times` (n), how many rows alike
#'   each stands for, where it is not one. Cavities, `m`, `C_diag`, `loo` and `seen` are of one of
#'   them, sites of all of them together.
#' @param Z `NULL` for the inputs themselves. @param hyper list, one a fit, of list(lengthscale,
#'   variance, bias, nugget, linear). @param runs list of native_run(), whose `progress` is heard of one
#'   fit alone, and `criterion` is "none", "evidence", "evidence_zp" or "loo". @param keep `FALSE`: the
#'   features are not kept, but made anew in every pass.
#' @return a list for each fit; with `status` < 0 only `status` is filled. `loo` (n), log probability of
#'   the reports on a row given the other rows; `seen` (n x 2), those of its true classes;
#'   `second`, what the second order adds to `log_evidence`, 0 where it is not wanted.
#'   With a `criterion` its `value`; when also `gradient`, `gradient_status`, 0 or 4 (not
#'   to be had; otherwise `NA`), and at 0 the list `gradient` of derivatives with respect
#'   to log lengthscale, log variance, log bias, log nugget and log linear, and `slope` (n x 2), those
#'   with respect to L. Through Z `b` (k) and `extra` (k x k) are the location and scaled covariance of
#'   the whitened function at Z and, where there is one, the bias.
#' @noRd
native_gp_fits <- function(X, Z, columns, hyper, runs, keep = TRUE) {
  kernels <- lapply(unname(hyper), native_kernel, columns = columns)
  out <- with_blas(.Call(C_gp_fits, X, Z, kernels, keep, runs))
  stopped <- vapply(out, function(fit) fit$status == 3L, NA)
  if (any(stopped)) rlang::interrupt() # heard by one thread of several
  out <- Map(native_fit, out, lapply(hyper, kernel_parts), lapply(runs, `[[`, "offset"))
  Map(kernel_result, out, hyper)
}

kernel_result <- function(out, hyper) {
  if (!is.null(out$gradient)) out$gradient <- kernel_gradient(out$gradient, linear_share(hyper))
  if (!is.null(out$by_cut)) {
    above <- rev(cumsum(rev(out$by_cut)))[-1] # a width moves the cuts on both sides, see native_cuts()
    out$gradient$width <- unname(hyper$width) * (above - sum(out$by_cut) / 2)
  }
  out
}

kernel_parts <- function(hyper) {
  c(lengthscale = length(hyper$lengthscale), variance = 1, bias = 1, nugget = 1, linear = 1)
}

#' The gradient in the logs of hyperparameters, from that in the logs of what C has in their place
#' @param share linear_share(), of each kernel.
#' @noRd
kernel_gradient <- function(gradient, share) {
  smooth <- gradient$variance
  gradient$lengthscale <- -2 * gradient$lengthscale
  gradient$variance <- smooth + gradient$linear
  gradient$linear <- (1 - share) * gradient$linear - share * smooth
  gradient
}

#' EP in weight space: f = X w + g, w ~ St(df, 0, diag(s0)), g independent of variance
#' `nugget`
#'
#' @param Xt double matrix k x n: the features of a row are a column.
#' @return as native_gp_fits() with `b` the weights w (k), `extra` their scaled
#'   covariance C (k x k), `gradient` list(s0, nugget), with respect to logs.
#' @noRd
native_weight_fit <- function(Xt, s0, nugget, ..., times = NULL) {
  run <- native_run(...)
  out <- native_fit(
    with_blas(.Call(C_weight_fit, Xt, as.double(s0), as.double(nugget), times, list(run)))[[1]],
    c(s0 = length(s0), nugget = 1), run$offset
  )
  # the core's features are scaled by the prior, and so are their weights
  if (!is.null(out$b)) {
    out$b <- sqrt(s0) * out$b
    out$extra <- sqrt(s0) * t(sqrt(s0) * out$extra)
  }
  out
}

#' Assumed density filtering of rows in turn
#'
#' @param Xt double matrix k x n. @param L n x 2, see native_ep_fit(). @param s0 (k) prior
#'   scales. @param nugget variance of the noise of each row, in the units of `state$S`.
#' @param state list(mu (k), S (k x k), log_scale): posterior St(df, exp(log_scale/2) mu,
#'   exp(log_scale) S).
#' @return list(status, mu, S, log_scale, log_zp (n), prob (n), done): log_zp and
#'   prob (of a positive latent value) before each row was absorbed; done rows
#'   were absorbed.
#' @noRd
native_adf <- function(Xt, L, df, s0, nugget, state) {
  with_blas(.Call(
    C_adf, Xt, list(df = as.double(df), L = L), as.double(s0), as.double(nugget),
    as.double(state$mu), state$S, as.double(state$log_scale)
  ))
}

#' Annealed importance sampling through the flip rate
#'
#' @param K double matrix n x n. @param B double matrix n x r with K = B B'. Of several
#'   classes one for all, or those of each side by side.
#' @param y labels -1 and +1, or of several classes a matrix of losses: see exact-problem.R.
#' @param barrier double matrix 2 x levels, rising from above 0: log odds of a
#'   right against a wrong label, for labels -1 and +1; or see src/bounce-classes.h.
#' @param progress `NULL` or a function of the levels done.
#' @return list(trace (levels x chains): log weights after each level, F (n x
#'   chains; of several classes n C): the states at the end).
#' @noRd
native_ais <- function(K, B, y, barrier, chains, progress = NULL) {
  with_blas(.Call(C_ais, K, B, as_doubles(y), barrier, as.integer(chains), progress))
}

as_doubles <- function(y) `storage.mode<-`(y, "double")

#' Moves at fixed barriers from F (n x chains)
#'
#' @return array n x chains x keep: the state after every `thin` moves.
#' @noRd
native_ais_move <- function(K, B, y, barrier, F, keep, thin = 1L,
                            progress = NULL) {
  with_blas(.Call(
    C_ais_move, K, B, as_doubles(y), as.double(barrier), F, as.integer(keep),
    as.integer(thin), progress
  ))
}

#' Tilted moments of rows with likelihoods L (n x 2, or n x C with widths) whose cavities have location m and
#' squared scale s2; d is the dimension of the t
#' @return n x 6: log Z1, log Zp, escort mean and variance, tau and nu of the site [M 3.5]
#' @noRd
native_tilted <- function(L, m, s2, df, d, width = NULL) {
  .Call(
    C_tilted, as.double(m), as.double(s2),
    list(df = as.double(df), d = as.double(d), L = L, cut = native_cuts(width))
  )
}

#' The sites of these rows
#' @noRd
native_project <- function(L, m, s2, df, d, width = NULL) {
  out <- native_tilted(L, m, s2, df, d, width)
  colnames(out) <- c("log_z1", "log_zp", "mean", "var", "tau", "nu")
  list(tau = unname(out[, "tau"]), nu = unname(out[, "nu"]))
}

#' Features of rows X at inducing inputs Z [M 9.6]
#' @return list(Phi (k x n), lambda)
#' @noRd
native_features <- function(X, Z, columns, hyper) {
  with_blas(.Call(C_features, X, Z, native_kernel(columns, hyper)))
}

#' Gram matrix: n x n with the nugget, or n x m without it
#' @noRd
native_gram <- function(X, Xnew, columns, hyper) {
  with_blas(.Call(C_gram, X, Xnew, native_kernel(columns, hyper)))
}

# Dense operations with interrupts, unlike chol(), forwardsolve() and crossprod() ------

#' Lower Cholesky factor of A with `jitter` added to its diagonal, or `NULL`
#' @noRd
native_cholesky <- function(A, jitter = 0) with_blas(.Call(C_cholesky, A, as.double(jitter)))

#' Solution of L X = B, or of t(L) X = B
#' @noRd
native_solve <- function(L, B, transpose = FALSE) {
  with_blas(.Call(C_solve_lower, L, as.matrix(B), transpose))
}

#' t(A) B, or A B
#' @noRd
native_product <- function(A, B, transpose = TRUE) {
  with_blas(.Call(C_product, A, as.matrix(B), transpose))
}

#' Digest of a raw vector, 32 hexadecimal digits
#' @noRd
native_digest <- function(bytes) .Call(C_digest, bytes)
