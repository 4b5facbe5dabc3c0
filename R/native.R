# The doors to C: one documented wrapper per entry point, no logic beside
# storage modes and units. They never signal: `status` is an integer (0
# converged, positive: usable but note it, negative: no result), worded by
# engine.R. Further wrappers of the t-exponential family: native-family.R.

native_control <- function(control) {
  c(control$tol, control$max_sweeps, control$damping, control$block)
}

# l = 1/(2 lengthscale^2) [MATH.md section 6]; finite for any lengthscale
native_l <- function(hyper) {
  pmin(1 / (2 * as.double(hyper$lengthscale)^2), 1e300)
}

native_theta <- function(hyper) {
  as.double(c(hyper$variance, hyper$bias, hyper$nugget))
}

native_epsilon <- function(epsilon) rep_len(as.double(epsilon), 2L)

native_criterion <- function(criterion) {
  match(criterion, c("evidence", "evidence_zp", "loo"), nomatch = 0L) - 1L
}

native_sites <- function(sites, n) {
  if (is.null(sites)) list(tau = double(n), nu = double(n)) else sites
}

native_trace <- function(out) {
  out$gradient_status <- if (identical(out$status, 4L)) 4L else 0L
  if (identical(out$status, 4L)) out$status <- 0L
  if (!is.null(out$trace)) {
    colnames(out$trace) <- c("residual", "log_evidence", "damping", "newton")
  }
  out
}

#' EP on a Gram matrix
#'
#' @param K double matrix n x n. @param y double(n), -1 or 1.
#' @param epsilon flip rate, one or two (neg, pos). @param sites `NULL` or
#'   `list(tau, nu)`. @param progress `NULL` or a function of sweep, residual.
#' @return list; with `status` < 0 only `status` is filled.
#' @noRd
native_ep_fit <- function(K, y, df, epsilon, sites, control, progress = NULL) {
  sites <- native_sites(sites, length(y))
  native_trace(.Call(
    C_ep_fit, K, as.double(y), as.double(df), native_epsilon(epsilon),
    as.double(sites$tau), as.double(sites$nu), native_control(control), progress
  ))
}

#' EP on inputs: kernel, fit, criterion and its gradient in one call
#'
#' @param X double matrix n x p, expanded. @param group integer(p), 1-based.
#' @param hyper list(lengthscale, variance, bias, nugget).
#' @param criterion "none", "evidence", "evidence_zp" or "loo".
#' @return as native_ep_fit(), with `value` and, when `gradient`, a list
#'   `gradient` of derivatives with respect to log lengthscale, log variance,
#'   log bias, log nugget and epsilon (neg, pos).
#' @noRd
native_gp_fit <- function(X, columns, hyper, y, df, epsilon, sites, control,
                          criterion = "none", gradient = FALSE,
                          progress = NULL) {
  sites <- native_sites(sites, length(y))
  out <- native_trace(.Call(
    C_gp_fit, weighted(X, columns), as.integer(columns$group), native_l(hyper), native_theta(hyper),
    as.double(y), as.double(df), native_epsilon(epsilon),
    as.double(sites$tau), as.double(sites$nu), native_control(control),
    native_criterion(criterion), gradient, progress
  ))
  if (!is.null(out$gradient)) {
    g <- length(hyper$lengthscale)
    d <- out$gradient
    out$gradient <- list(
      lengthscale = -2 * d[seq_len(g)], # d log l = -2 d log lengthscale
      variance = d[g + 1L], bias = d[g + 2L], nugget = d[g + 3L],
      epsilon = d[g + 4:5]
    )
  }
  out
}

#' EP in weight space: f = X w, w ~ St(df, 0, diag(s0))
#'
#' @param Xt double matrix k x n: the features of a row are a column.
#' @return as native_gp_fit() with `b` the weights w (k), `extra` their scaled
#'   covariance C (k x k), `gradient` list(s0 (w.r.t. log s0), epsilon).
#' @noRd
native_weight_fit <- function(Xt, s0, y, df, epsilon, sites, control,
                              criterion = "none", gradient = FALSE,
                              progress = NULL) {
  sites <- native_sites(sites, length(y))
  out <- native_trace(.Call(
    C_weight_fit, Xt, as.double(s0), as.double(y), as.double(df),
    native_epsilon(epsilon), as.double(sites$tau), as.double(sites$nu),
    native_control(control), native_criterion(criterion), gradient, progress
  ))
  if (!is.null(out$gradient)) {
    k <- length(s0)
    out$gradient <- list(
      s0 = out$gradient[seq_len(k)], epsilon = out$gradient[k + 1:2]
    )
  }
  out
}

#' Assumed density filtering of rows in turn
#'
#' @param Xt double matrix k x n. @param state list(mu (k), S (k x k),
#'   log_scale): posterior St(df, exp(log_scale/2) mu, exp(log_scale) S).
#' @return list(status, mu, S, log_scale, log_zp (n), prob (n), done): log_zp and
#'   prob (of a positive latent value) before each row was absorbed; done rows
#'   were absorbed.
#' @noRd
native_adf <- function(Xt, y, df, epsilon, state) {
  .Call(
    C_adf, Xt, as.double(y), as.double(df), native_epsilon(epsilon),
    as.double(state$mu), state$S, as.double(state$log_scale)
  )
}

#' Annealed importance sampling through the flip rate
#'
#' @param K double matrix n x n. @param B double matrix n x r with K = B B'.
#' @param barrier double matrix 2 x levels, rising from above 0: log odds of a
#'   right against a wrong label, for labels -1 and +1.
#' @param progress `NULL` or a function of the levels done.
#' @return list(trace (levels x chains): log weights after each level, F (n x
#'   chains): the states at the end, walls, stuck: walls met, and trajectories
#'   given up, per level and chain).
#' @noRd
native_ais <- function(K, B, y, barrier, chains, progress = NULL) {
  .Call(
    C_ais, K, B, as.double(y), barrier, as.integer(chains), progress
  )
}

#' Moves at fixed barriers from F (n x chains)
#'
#' @return array n x chains x keep: the state after every `thin` moves.
#' @noRd
native_ais_move <- function(K, B, y, barrier, F, keep, thin = 1L,
                            progress = NULL) {
  .Call(
    C_ais_move, K, B, as.double(y), as.double(barrier), F, as.integer(keep),
    as.integer(thin), progress
  )
}

#' Latent mean and scale at new inputs, in scaled coordinates
#'
#' @return list(status, m, s2), s2 with the nugget of a new observation.
#' @noRd
native_gp_predict <- function(X, columns, hyper, sites, b, Xnew) {
  .Call(
    C_gp_predict, weighted(X, columns), as.integer(columns$group), native_l(hyper), native_theta(hyper),
    as.double(sites$tau), as.double(b), weighted(Xnew, columns)
  )
}

#' Gram matrix: n x n with the nugget, or n x m without it
#' @noRd
native_gram <- function(X, Xnew, columns, hyper) {
  .Call(
    C_gram, weighted(X, columns), if (!is.null(Xnew)) weighted(Xnew, columns), as.integer(columns$group), native_l(hyper), native_theta(hyper)
  )
}

#' Tilted escort moments of single cavities St(df, mean, var)
#'
#' @return matrix with the columns log_z1, log_zp, mean, var.
#' @noRd
native_tilted <- function(y, mean, var, df, epsilon, d) {
  out <- .Call(
    C_tilted, as.double(y), as.double(mean), as.double(var), as.double(df),
    native_epsilon(epsilon), as.integer(d)
  )
  colnames(out) <- c("log_z1", "log_zp", "mean", "var")
  out
}

#' @noRd
native_status_sentence <- function(status) {
  .Call(C_status_sentence, as.integer(status))
}

weighted <- function(X, columns) X * rep(sqrt(columns$weight), each = nrow(X))
native_weight_predict <- function(Xt, mean, C) list(m = drop(mean %*% Xt), s2 = colSums(Xt * (C %*% Xt)))
