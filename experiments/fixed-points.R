# Where EP finds no fixed point of t-EP, is there one for another algorithm to find, such
# as a double loop? Futami, Sato and Sugiyama (2017) name one as future work.
#
# Random problems with df from 1 to 4 and hardly any noise are drawn until ep_fit() fails:
# neither EP with its Newton steps nor its continuation ends at a fixed point. The fixed
# point is then followed by arc length in 1/df, up from a hundredth of that of the problem,
# where EP finds it, to that of the problem. Arc length follows the branch also through a
# fold, where it turns back and has no fixed point beyond. A path ends
# - `reached`, at the problem itself: then there is a fixed point after all;
# - `folds`, when it has turned and come back to a tenth of the way, or as far as
#   `steps` steps lead;
# - `lost`, otherwise.
#
# Besides, Levenberg-Marquardt steps on the residual go out from `starts` random sites,
# spread around those of the path nearest to the problem. `search` of them end at a
# fixed point of the problem, and `control` at one of that half way along the path, which
# has one. `reached` has the leave-one-out score of the fixed points that were reached, and
# that of Gaussian EP on the same problem.
#
# The map is written in plain R from the article "The mathematics", (3.4), (2.5), (3.5), with the
# Jacobian of (3.13); it shares no code with the package.

experiment <- list(
  settings = list(replications = 150, seed = 1, rows = 25, steps = 400, starts = 5),
  quick = list(replications = 2, rows = 10, steps = 100, starts = 2),
  in_package = c("summary", "reached"),
  tasks = function(settings) {
    cbind(
      seed = seeds_of(settings),
      as.data.frame(settings[c("rows", "steps", "starts")])
    )
  },
  run = function(task) {
    p <- failing_problem(task$seed, task$rows)
    path <- df_path(p)
    followed <- follow_path(p, path, task$steps)
    search <- function(l) {
      search_sites(p, followed$nearest, path, l, task$starts, task$seed)
    }
    data.frame(
      tried = p$tried, n = length(p$y), df = p$df, epsilon = p$epsilon,
      status = p$status, end = followed$end, path_steps = followed$path_steps,
      last_df = 1 / path$at(followed$furthest)$inv, search = search(1),
      control = search(followed$furthest / 2)
    )
  },
  tables = function(parts) {
    rows <- parts$results
    list(summary = fixed_point_table(rows), reached = reached_table(rows))
  }
)

# Problems -----------------------------------------------------------------------

hard_problem <- function(rows) {
  n <- sample(5:rows, 1)
  X <- matrix(stats::rnorm(2 * n), n)
  y <- ifelse(X[, 1] + sin(2 * X[, 2]) > 0, 1, -1)
  wrong <- stats::runif(n) < 0.15
  y[wrong] <- -y[wrong]
  near <- exp(-as.matrix(stats::dist(X))^2 / exp(stats::rnorm(1)))
  list(
    K = unname(near) + 0.1 + diag(10^stats::runif(1, -4, -1), n), y = y,
    df = sample(c(1, 2, 3, 4), 1), epsilon = sample(c(0, 0.001), 1)
  )
}

failing_problem <- function(seed, rows) {
  set_seed(seed)
  for (tried in 1:1000) {
    p <- hard_problem(rows)
    fit <- observe(ep_fit(p$K, p$y, p$df, p$epsilon))$value
    if (!fit$status %in% c("converged", "max_sweeps")) break
  }
  p$tried <- tried
  p$status <- fit$status
  p$root <- t(chol(p$K))
  p
}

# Epsilon and 1 / df along the path, from `start` to 1
df_path <- function(p) {
  list(at = function(l) list(epsilon = p$epsilon, inv = l / p$df), start = 0.01)
}

# The map --------------------------------------------------------------------------

posterior_of <- function(p, sites) {
  n <- length(p$y)
  inner <- diag(n) + crossprod(p$root, sites$tau * p$root)
  factor <- tryCatch(chol(inner), error = function(e) NULL)
  if (is.null(factor)) {
    return(NULL)
  }
  C <- crossprod(backsolve(factor, t(p$root), transpose = TRUE))
  list(C = C, A = diag(C), m = drop(C %*% sites$nu))
}

# The new site of each row, given its marginal and its old site
sites_of <- function(y, A, m, tau, nu, epsilon, inv) {
  df <- 1 / inv
  e <- c(epsilon, 1 - epsilon)^(1 + 2 * inv / (1 + length(y) * inv))
  u <- 1 - tau * A
  Ac <- A / u
  mc <- (m - A * nu) / u
  s2 <- u^-inv * Ac
  z <- y * mc / sqrt(s2)
  Z1 <- e[1] + (e[2] - e[1]) * stats::pt(z, df)
  Z2 <- e[1] + (e[2] - e[1]) * stats::pt(z * sqrt(1 + 2 * inv), df + 2)
  a <- (e[2] - e[1]) * stats::dt(z, df) / (Z2 * sqrt(s2))
  m_hat <- mc + y * s2 * a
  w <- Z1 / Z2 - a * y * m_hat # V / s2
  g <- w^(-1 / (1 + inv))
  cbind(tau = (g - 1) / Ac, nu = (m_hat * g - mc) / Ac)
}

# Residual G(s) - s and its Jacobian in (tau, nu, l), both without units: rows and
# columns of tau times A, those of nu times sqrt(A). NULL outside the domain.
residual_of <- function(p, s, l, path, jacobian = TRUE) {
  n <- length(p$y)
  sites <- list(tau = s[seq_len(n)], nu = s[n + seq_len(n)])
  post <- posterior_of(p, sites)
  if (is.null(post) || any(sites$tau * post$A >= 1)) {
    return(NULL)
  }
  map <- function(A = post$A, m = post$m, tau = sites$tau, nu = sites$nu, at = path$at(l)) {
    suppressWarnings(c(sites_of(p$y, A, m, tau, nu, at$epsilon, at$inv)))
  }
  unit <- c(post$A, sqrt(post$A))
  value <- map() - s
  if (!all(is.finite(value))) {
    return(NULL)
  }
  out <- list(value = unit * value, unit = unit)
  if (jacobian) out$jacobian <- jacobian_of(post, sites, map, unit, l, path)
  out
}

jacobian_of <- function(post, sites, map, unit, l, path) {
  A <- post$A
  # central differences of each site by itself
  d_A <- (map(A = A * (1 + 1e-6)) - map(A = A * (1 - 1e-6))) / (2e-6 * c(A, A))
  h <- 1e-6 * sqrt(A)
  d_m <- (map(m = post$m + h) - map(m = post$m - h)) / (2 * c(h, h))
  d_nu <- (map(nu = sites$nu + 1e-6 / sqrt(A)) - map(nu = sites$nu - 1e-6 / sqrt(A))) /
    (2e-6 / sqrt(c(A, A)))
  d_tau <- (map(tau = sites$tau + 1e-6 / A) - map(tau = sites$tau - 1e-6 / A)) /
    (2e-6 / c(A, A))
  to_A <- cbind(-post$C^2, 0 * post$C)
  to_m <- cbind(-sweep(post$C, 2, post$m, `*`), post$C)
  n <- length(A)
  own <- rbind(
    cbind(diag(d_tau[1:n], n), diag(d_nu[1:n], n)),
    cbind(diag(d_tau[n + 1:n], n), diag(d_nu[n + 1:n], n))
  )
  J <- d_A * rbind(to_A, to_A) + d_m * rbind(to_m, to_m) + own - diag(2 * n)
  step <- 1e-6
  d_l <- (map(at = path$at(l + step)) - map(at = path$at(l - step))) / (2 * step)
  if (!all(is.finite(d_l))) d_l <- (map() - map(at = path$at(l - step))) / step
  cbind(unit * sweep(J, 2, unit, `/`), unit * d_l)
}

# Following -------------------------------------------------------------------------

# Newton on residual and arc length from (s, l), which the tangent led to
correct <- function(p, s, l, tangent, path) {
  s0 <- s
  l0 <- l
  for (i in 1:8) {
    r <- residual_of(p, s, l, path)
    if (is.null(r)) {
      return(NULL)
    }
    if (i == 1) unit <- r$unit
    ahead <- sum(tangent * c(unit * (s - s0), l - l0))
    if (max(abs(r$value)) < 1e-9 && abs(ahead) < 1e-6) {
      return(list(s = s, l = l, r = r, iterations = i))
    }
    to_first <- c(unit / r$unit, 1) # columns in the units of the first point
    rows <- rbind(sweep(r$jacobian, 2, to_first, `/`), tangent)
    step <- solve_or_null(rows, -c(r$value, ahead))
    if (is.null(step) || max(abs(step)) > 2) {
      return(NULL)
    }
    s <- s + step[seq_along(s)] / unit
    l <- l + step[length(step)]
  }
  NULL
}

solve_or_null <- function(A, b) {
  x <- tryCatch(solve(A, b), error = function(e) NULL)
  if (!is.null(x) && all(is.finite(x))) x
}

# The direction of the branch, in the units of the point, on the side of `last`
tangent_of <- function(r, last) {
  t <- solve_or_null(rbind(r$jacobian, last), c(numeric(nrow(r$jacobian)), 1))
  if (!is.null(t)) t / sqrt(sum(t^2))
}

follow_path <- function(p, path, steps) {
  at <- path$at(path$start)
  sharp <- ep_control(tol = 1e-11)
  fit <- observe(ep_fit(p$K, p$y, 1 / at$inv, at$epsilon, control = sharp))$value
  s <- unlist(fit$sites, use.names = FALSE)
  l <- path$start
  r <- residual_of(p, s, l, path)
  if (fit$status != "converged" || is.null(r)) {
    return(list(end = "lost", furthest = l, nearest = s, path_steps = 0))
  }
  tangent <- tangent_of(r, c(numeric(length(s)), 1))
  furthest <- l
  nearest <- s
  size <- 0.05
  for (k in seq_len(steps)) {
    found <- NULL
    while (is.null(found) && size > 1e-7) {
      found <- correct(p, s + size * tangent[seq_along(s)] / r$unit,
        l + size * tangent[length(tangent)], tangent, path)
      if (is.null(found)) size <- size / 2
    }
    if (is.null(found)) break
    # the old tangent in the new units
    last <- tangent * c(found$r$unit / r$unit, 1)
    s <- found$s
    l <- found$l
    r <- found$r
    tangent <- tangent_of(r, last / sqrt(sum(last^2)))
    if (l > furthest) {
      furthest <- l
      nearest <- s
    }
    if (l >= 1 || is.null(tangent) || l < 0.1 * furthest) break
    if (found$iterations <= 4) size <- min(1, 1.6 * size)
  }
  turned <- l < furthest - 1e-4 * (1 - path$start)
  end <- if (l >= 1) "reached" else if (turned) "folds" else "lost"
  list(end = end, furthest = min(1, furthest), nearest = nearest, path_steps = k)
}

# Random starts ----------------------------------------------------------------------

# How many of the starts around s end at a fixed point at l of the path
search_sites <- function(p, s, path, l, starts, seed) {
  set_seed(seed + 1e6)
  found <- vapply(seq_len(starts), function(k) {
    marquardt(p, s * exp(stats::rnorm(length(s))), path, l)
  }, logical(1))
  sum(found)
}

marquardt <- function(p, s, path, l) {
  r <- residual_of(p, s, l, path)
  damp <- 1
  for (i in 1:100) {
    if (is.null(r) || damp > 1e10) {
      return(FALSE)
    }
    if (max(abs(r$value)) < 1e-9) {
      return(TRUE)
    }
    J <- r$jacobian[, -ncol(r$jacobian)]
    step <- solve_or_null(crossprod(J) + diag(damp, ncol(J)), -crossprod(J, r$value))
    to <- if (!is.null(step)) s + drop(step) / r$unit
    trial <- if (!is.null(to)) residual_of(p, to, l, path)
    if (!is.null(trial) && sum(trial$value^2) < sum(r$value^2)) {
      s <- to
      r <- trial
      damp <- damp / 5
    } else {
      damp <- damp * 4
    }
  }
  FALSE
}

# Table --------------------------------------------------------------------------------

fixed_point_table <- function(rows) {
  ends <- table(factor(rows$end, c("folds", "reached", "lost")))
  data.frame(
    problems = nrow(rows), rbind(c(ends)), starts = sum(rows$starts),
    found = sum(rows$search), found_half_way = sum(rows$control)
  )
}

# What the fixed points that were reached are worth
reached_table <- function(rows) {
  rows <- rows[rows$end == "reached", ]
  loo <- vapply(seq_len(nrow(rows)), function(k) {
    p <- failing_problem(rows$seed[k], rows$rows[k])
    s <- follow_path(p, df_path(p), rows$steps[k])$nearest
    n <- length(p$y)
    sites <- list(tau = s[seq_len(n)], nu = s[n + seq_len(n)])
    fits <- list(
      observe(ep_fit(p$K, p$y, p$df, p$epsilon, sites = sites))$value,
      observe(ep_fit(p$K, p$y, Inf, p$epsilon))$value
    )
    converged <- vapply(fits, function(fit) fit$status == "converged", NA)
    ifelse(converged, vapply(fits, `[[`, 0, "loo"), NA)
  }, numeric(2))
  data.frame(
    rows[c("seed", "n", "df", "epsilon")], loo = loo[1, ], gaussian_loo = loo[2, ],
    row.names = NULL
  )
}
