# A round of EP as one query, the nugget being 1. With many rows the variance A of w'x under the posterior
# is small beside it, and the site of a row follows from the posterior alone: its cavity is
#   A_c = A (1 + A tau),  m_c = m - A d1,
# d1 the slope of log Z and tau minus its curvature at (m, A); what is left out is of the order A^2.
# EP is at rest where sum d1 x = w / s0, and sums over rows give all of a Newton step in the weights
# and the flip rates together. The row's own label gives its sign to w'x:
#   Z = lo + rho Phi(z),  z = m_c / q,  q^2 = 1 + A_c,  rho = 1 - e1 - e2,
# lo = e1 where the event is recorded, else e2. Of a gpc() x are the features of its inducing inputs [M 9.6]
# over the root of the variance that these leave to the row.

#' The normal density
#' @noRd
sql_normal <- function(z) {
  paste0(sql_number(1 / sqrt(2 * pi)), " * EXP((-0.5E0) * ", z, " * ", z, ")")
}

#' The natural logarithm, whatever the base is of what a database calls LOG
#' @noRd
sql_log <- function(x) paste0("(LOG(", x, ") / LOG(EXP(1E0)))")

#' m / sqrt(q2), within what doubles have tails of
#' @noRd
sql_within <- function(m, q2) {
  z <- paste0("(", m, ") / SQRT(", q2, ")")
  paste("CASE WHEN", z, "< (-37E0) THEN (-37E0) WHEN", z, "> 37E0 THEN 37E0 ELSE", z, "END")
}

#' Features of a row at inducing inputs, in units of what they leave, as steps
#' @param of list(Z, columns, hyper). @param x names of encoded columns. @return list(steps, x: names)
#' @noRd
table_features <- function(of, x) {
  named <- function(sql, stem) stats::setNames(sql, paste0(stem, seq_along(sql)))
  form <- near_features(of$Z, of$columns, of$hyper)
  far <- named(sql_distances(of$hyper, of$Z, of$columns, x), "far")
  near <- named(sql_near(names(far)), "near")
  phi <- named(apply(form$W, 1, sql_linear, of = c(names(near), "1E0", x)), "phi")
  of_near <- names(phi)[seq_along(near)]
  left <- paste(c(sql_number(form$rest), paste("(-1E0) *", of_near, "*", of_near)), collapse = " + ")
  nugget <- sql_number(of$hyper$nugget)
  u <- named(paste(names(phi), "/ SQRT(own)"), "u")
  own <- paste("CASE WHEN smooth >", nugget, "THEN smooth ELSE", nugget, "END") # rounding may take it below
  list(steps = list(far, near, phi, c(smooth = left), c(own = own), u), x = names(u))
}

#' Steps up to the cavity of each row
#'
#' A *step* names expressions of what those before it have named: s, the sign of the label; x1, x2, .., the
#' columns; lo; under the posterior m0, a0, z0, p0 = Phi(z0) and d0, the slope of log Z; of the cavity m, a and z.
#' @param at list(w, M, rates: of both classes, by: see rates_by(), prior).
#' @return list(steps, x: the columns of the design, rho)
#' @noRd
table_cavity <- function(table, at) {
  con <- table$con
  double <- function(sql) paste0("CAST(", sql, " AS ", table$double, ")", recycle0 = TRUE)
  event <- paste(table$column(table$response), "=", sql_value(table$classes$value[2], con))
  sign <- paste("CASE WHEN", event, "THEN 1E0 ELSE (-1E0) END")
  coded <- sql_columns(table$blueprint, function(k) 0, list(column = table$column, con = con))$X
  names <- paste0("x", seq_along(coded), recycle0 = TRUE)
  of <- at$prior$inducing
  made <- if (is.null(of)) list(x = c(if (at$prior$intercept) "1E0", names)) else table_features(of, names)
  x <- made$x
  rates <- sql_number(at$rates)
  rho <- sql_number(1 - sum(at$rates))
  steps <- c(list(stats::setNames(double(c(sign, coded)), c("s", names))), made$steps, list(
    c(
      lo = paste("CASE WHEN s > 0E0 THEN", rates[1], "ELSE", rates[2], "END"),
      m0 = paste0("s * (", sql_linear(at$w, x), ")"), a0 = sql_quadratic(at$M, x)
    ),
    c(z0 = sql_within("m0", "1E0 + a0")),
    c(p0 = sql_phi("z0")),
    c(d0 = paste0(rho, " * ", sql_normal("z0"), " / (SQRT(1E0 + a0) * (lo + ", rho, " * p0))")),
    c(m = "m0 - a0 * d0", a = "a0 * (1E0 + a0 * d0 * (d0 + z0 / SQRT(1E0 + a0)))"),
    c(z = sql_within("m", "1E0 + a"))
  ))
  list(steps = steps, x = x, rho = rho)
}

#' The query of an answer over all rows by steps, each of which hands on what later ones name
#' @noRd
table_query <- function(table, steps, answer) {
  stopifnot(!anyDuplicated(unlist(lapply(steps, names))))
  columns <- lapply(seq_along(steps), function(i) {
    later <- unlist(strsplit(c(unlist(steps[-seq_len(i)]), answer), "[^A-Za-z0-9_]+"))
    carried <- intersect(unlist(lapply(steps[seq_len(i - 1)], names)), later)
    c(carried, paste(steps[[i]], "AS", names(steps[[i]])))
  })
  sql_chain(columns, paste0("step_", seq_along(steps)), paste("FROM", table_base(table), "t"), answer, table$hint)
}

#' The sums of a round
#'
#' At the cavity p = Phi(z) and `likely` is Z; d1 and d2 are the derivatives of log Z to m, g1 and g2 its slopes to
#' the rates. Of each row `value` adds to the log evidence, tau is the precision of its site, d the slope to w'x, and
#' c1 and c2 how that moves with the rates.
#' @return list(n, value: what the rows add to the log evidence, g and H of the weights, cross: of these
#'   and the rates of both classes, their slope and curvature)
#' @noRd
table_round <- function(table, at) {
  cavity <- table_cavity(table, at)
  rho <- cavity$rho
  by <- sql_number(-1 / (1 - sum(at$rates)))
  rate <- function(sign) { # of rates that are 0 it may be more than a double
    if (!ncol(at$by)) return("0E0")
    paste("CASE WHEN s", sign, "0E0 THEN (1E0 - p) / likely ELSE (-p) / likely END")
  }
  steps <- c(cavity$steps, list(
    c(p = sql_phi("z")),
    c(likely = paste("lo +", rho, "* p")),
    c(d1 = paste0(rho, " * ", sql_normal("z"), " / (SQRT(1E0 + a) * likely)"), g1 = rate(">"), g2 = rate("<")),
    c(d2 = "(-d1) * (d1 + z / SQRT(1E0 + a))"),
    c(rest = "1E0 + d2 * a", h = "d1 - m * d2"),
    c(
      value = paste0(sql_log("likely"), " - 0.5E0 * (", sql_log("rest"),
                     " + m * (2E0 * d1 - m * d2) + a * h * h / rest)"),
      tau = "(-d2) / rest", d = "s * d1", c1 = paste0("s * d1 * (", by, " - g1)"),
      c2 = paste0("s * d1 * (", by, " - g2)")
    )
  ))
  x <- cavity$x
  lower <- lower.tri(diag(length(x)), diag = TRUE)
  sums <- c(
    "value", paste("d *", x), paste("tau *", x[row(lower)[lower]], "*", x[col(lower)[lower]]), paste("c1 *", x),
    paste("c2 *", x), "g1", "g2", "(-g1) * g1", "(-g1) * g2", "(-g2) * g2"
  )
  refuse(
    length(sums) >= sql_widest && nzchar(table$hint),
    c("{length(x)} weights are too many for this database: a query would have {length(sums)} columns, more than
       {sql_widest}.", i = "{.fn shards} takes queries, and reads their rows."), "no_sql"
  )
  answer <- paste0(c("COUNT(*)", paste0("SUM(", sums, ")")), " AS s", seq_along(c(1, sums)))
  found <- table_ask(table, table_query(table, steps, answer))
  read_round(unlist(found, use.names = FALSE), length(x), table)
}

read_round <- function(v, k, table) {
  parts <- split(as.double(v), rep(1:7, c(1, 1, k, k * (k + 1) / 2, 2 * k, 2, 3)))
  square <- function(v, m) {
    S <- unpacked_lower(v, m)
    S + t(S) - diag(diag(S), m)
  }
  n <- parts[[1]]
  must(
    n == table$n, "data", "have the same rows in every query", "rows",
    more = c(x = "There were {whole(table$n)} complete ones, then {whole(n)}.")
  )
  list(
    n = n, value = parts[[2]], g = parts[[3]], H = square(parts[[4]], k), cross = matrix(parts[[5]], k),
    slope = parts[[6]], curvature = square(parts[[7]], 2)
  )
}

#' Cells of the leave-one-out scores of all rows: two for each, of its mean and variance
#' @return see score_cells()
#' @noRd
table_scores <- function(table, at) {
  cavity <- table_cavity(table, at)
  steps <- c(cavity$steps, list(
    c(tail = sql_phi("(-abs(z))")),
    # of the event: z has the sign of the label
    c(logit = paste("CASE WHEN z * s > 0E0 THEN (-1E0) ELSE 1E0 END *", sql_log("tail / (1E0 - tail)"))),
    c(cell = paste("FLOOR(logit /", sql_number(label_cell), ")")),
    c(above = paste("logit - cell *", sql_number(label_cell)))
  ))
  answer <- c("s", "cell", "COUNT(*) AS n", "SUM(above) AS a", "SUM(above * above) AS b")
  found <- table_ask(table, paste(table_query(table, steps, answer), "GROUP BY s, cell"))
  cells <- lapply(found, as.double)
  mean <- cells[[4]] / cells[[3]]
  sd <- sqrt(pmax(cells[[5]] / cells[[3]] - mean^2, 0))
  logit <- cells[[2]] * label_cell + c(mean - sd, mean + sd)
  list(kind = rep(1 + (cells[[1]] > 0), 2), logit = logit, times = rep(cells[[3]] / 2, 2))
}
