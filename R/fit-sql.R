# The latent function of a fit as SQL.

#' m / sqrt(s2) of nodes at the rows of a table, one expression each
#'
#' @param used see used_nodes(). @param steps see sql_steps().
#' @noRd
sql_quantiles <- function(object, used, steps) UseMethod("sql_quantiles")

# as node_latent.bpm() has it
sql_quantiles.bpm <- function(object, used, steps) {
  let <- steps$let
  at <- sql_columns(object$blueprint, function(k) 0, steps)
  bound <- let(c(at$X, at$novel))
  x <- c(if (object$prior$intercept) "1E0", bound[seq_along(at$X)])
  novel <- bound[-seq_along(at$X)]
  let(vapply(used$node, function(k) {
    fit <- latent_at(object, k)
    unknown <- sql_linear(fit$prior$scale[names(at$novel)], novel)
    s2 <- c(sql_quadratic(fit$weights$C, x), if (length(novel)) unknown)
    sql_quantile(sql_linear(fit$weights$mean, x), s2, fit$prior$nugget)
  }, ""))
}

# With the features phi of inducing inputs [M 9.6] and A = U D U' their covariance less the
# identity (but for those of the bias and a linear part), y = U' phi: m = (U' b)' y, s2 = that of
# the exponential + nugget + y' D y. The steps of the query: encoded columns x, distances from inducing
# inputs, their exponentials, y, and m / sqrt(s2).
sql_quantiles.sturdy_model <- function(object, used, steps) {
  let <- steps$let
  refuse(
    !is_low_rank(object), c(
      "The kernel between all {nobs(object)} rows would all be in the query.",
      i = "Fit with {.code inducing = 20}, or by {.fn bpm}."
    ), "no_sql"
  )
  check_sql_kernel(object$kernel)
  Z <- object$inducing$Z
  columns <- model_columns(object)
  hyper <- function_hyper(object, used$node)
  x <- let(sql_columns(object$blueprint, novel_indicator, steps)$X)
  distances <- unlist(lapply(hyper, sql_distances, Z, columns, x))
  # a step reads the one before alone: what the linear part takes, x, is handed on behind the others
  linear <- any(vapply(hyper, `[[`, 1, "linear") > 0)
  first <- seq_along(distances)
  step <- let(c(distances, if (linear) x))
  step <- let(c(sql_near(step[first]), step[-first]))
  near <- split(step[first], factor(rep(seq_along(hyper), each = nrow(Z)), seq_along(hyper)))
  b <- node_columns(object, "b", used$node, object$ep$b)
  C <- node_columns(object, "C", used$node, object$inducing$C)
  forms <- lapply(seq_along(hyper), function(k) {
    inducing_form(Z, columns, hyper[[k]], b[, k], matrix(C[, k], nrow(b)))
  })
  y <- let(unlist(Map(function(form, near) {
    apply(form$W, 1, sql_linear, of = c(near, "1E0", step[-first]))
  }, forms, near)))
  let(unlist(Map(function(form, y) {
    s2 <- sql_linear(form$d, paste(y, "*", y))
    sql_quantile(sql_linear(form$b, y), s2, form$rest)
  }, forms, split(y, rep(seq_along(forms), each = nrow(b))))))
}

check_sql_kernel <- function(kernel) {
  refuse(is_shaped(kernel), "A query has a squared exponential kernel, not {kernel$shape}.", "no_sql")
}

#' Squared distances of a row from inducing inputs, in lengthscales, halved
#' @param x names of the encoded columns.
#' @noRd
sql_distances <- function(hyper, Z, columns, x) {
  unit <- columns$weight / (2 * as.double(hyper$lengthscale)^2)[columns$group]
  vapply(seq_len(nrow(Z)), function(i) {
    apart <- paste0("(", x, " - ", sql_number(Z[i, ]), ")")
    sql_linear(unit, paste(apart, "*", apart))
  }, "")
}

#' The exponentials of minus some distances: an underflow is an error of PostgreSQL
#' @noRd
sql_near <- function(distance) {
  paste0("CASE WHEN ", distance, " < 250E0 THEN EXP(-", distance, ") WHEN ", distance, " < 1E300 THEN 0E0 END",
         recycle0 = TRUE)
}

#' y = W (near, 1), near the exponentials alone; m = b' y; s2 = rest + sum d y^2
#' @noRd
inducing_form <- function(Z, columns, hyper, b, C) {
  axes <- eigen(C - diag(as.double(seq_len(nrow(C)) <= nrow(Z)), nrow(C)), symmetric = TRUE)
  U <- axes$vectors
  from <- near_features(Z, columns, hyper)
  list(W = crossprod(U, from$W), d = axes$values, b = drop(crossprod(U, b)), rest = from$rest)
}

#' The features of a row as multiples of (near, 1, x), and their variance and the nugget
#' @noRd
near_features <- function(Z, columns, hyper) {
  m <- nrow(Z)
  p <- ncol(Z)
  theta <- native_kernel(columns, hyper)$theta # of the exponential, bias, nugget, linear
  se <- hyper
  se$variance <- theta[1]
  se$bias <- se$nugget <- se$linear <- 0
  L <- first_root(native_gram(Z, Z, columns, se), 10^(-8:-2) * theta[1])$L # as inducing_prepare() in src/inducing.c has it
  W <- diag(c(numeric(m), sqrt(hyper$bias), sqrt(theta[4] * columns$weight)), m + 1 + p)
  W[seq_len(m), seq_len(m)] <- theta[1] * native_solve(L, diag(m))
  there <- c(rep(TRUE, m), hyper$bias > 0, rep(theta[4] > 0, p)) # bias and columns of the linear part, as far as there are such
  list(W = W[there, , drop = FALSE], rest = theta[1] + hyper$nugget)
}

#' x' C x of a symmetric C, each entry once
#' @noRd
sql_quadratic <- function(C, x) {
  C <- 2 * unname(C)
  diag(C) <- diag(C) / 2
  rows <- vapply(seq_along(x), function(i) {
    paste0(x[i], " * (", sql_linear(C[i, seq_len(i)], x[seq_len(i)]), ")")
  }, "")
  paste(rows, collapse = " + ")
}

#' @param s2 terms. @param rest a number among them; where it is 0 a row may have no variance, and
#'   then no mean
#' @noRd
sql_quantile <- function(m, s2, rest) {
  s2 <- paste(c(sql_number(max(rest, 1e-300)), s2), collapse = " + ")
  paste0("(", m, ") / SQRT(", s2, ")")
}

# Phi as trapezoids of half steps [M 7.9]
sql_step <- 0.56
sql_steps_taken <- 9

#' The normal distribution function
#' @param z names or expressions.
#' @noRd
sql_phi <- function(z) {
  t <- (seq_len(sql_steps_taken) - 0.5) * sql_step
  by <- sql_number(sqrt(2) * sql_step / pi * exp(-t^2))
  beyond <- sql_number(pi * sqrt(2) / sql_step)
  vapply(z, function(z) {
    sum <- paste0(by, " / (", z, " * ", z, " + ", sql_number(2 * t^2), ")", collapse = " + ")
    pole <- paste0("1E0 / (1E0 + EXP(", sql_number(-sqrt(2) * pi / sql_step), " * ", z, "))")
    # written so that what is not a number is NULL, also where it counts as the largest one
    paste0(
      "CASE WHEN ", z, " < (-37E0) THEN 0E0 WHEN ", z, " <= 37E0 THEN CASE WHEN ", z, " < (-", beyond,
      ") THEN 0E0 WHEN ", z, " > ", beyond, " THEN 1E0 ELSE ", pole, " END - ", z, " * EXP((-0.5E0) * ", z, " * ", z,
      ") * (", sum, ") WHEN ", z, " < 1E300 THEN 1E0 END"
    )
  }, "", USE.NAMES = FALSE)
}
