# A round of EP as one query, the nugget being 1. With many rows the variance A of w'x under the posterior
# is small beside it, and the site of a row follows from the posterior alone: its cavity is
#   A_c = A (1 + A tau),  m_c = m - A d1,
# d1 the slope of log Z and tau minus its curvature at (m, A); what is left out is of the order A^2.
# EP is at rest where sum d1 x = w / s0, and sums over rows give all of a Newton step in the weights
# and the flip rates together. The row's own label gives its sign to w'x:
#   Z = lo + rho Phi(z),  z = m_c / q,  q^2 = 1 + A_c,  rho = 1 - e1 - e2,
# lo = e1 where the event is recorded, else e2.

#' The normal density
#' @noRd
sql_normal <- function(z) {
  paste0(sql_number(1 / sqrt(2 * pi)), " * EXP((-0.5E0) * ", z, " * ", z, ")")
}

#' The natural logarithm: not all builds of SQLite have one of that name
#' @noRd
sql_log <- function(x, con) {
  if (inherits(con, "SQLiteConnection")) paste0("(LOG(", x, ") / LOG(EXP(1E0)))") else paste0("LN(", x, ")")
}

#' m / sqrt(q2), within what doubles have tails of
#' @noRd
sql_within <- function(m, q2) {
  z <- paste0("(", m, ") / SQRT(", q2, ")")
  paste("CASE WHEN", z, "< (-37E0) THEN (-37E0) WHEN", z, "> 37E0 THEN 37E0 ELSE", z, "END")
}

#' The steps of a query up to the cavity of each row
#'
#' @param at list(w, M, rates: of both classes, by: see rates_by(), prior).
#' @return an environment: with(sql), a further step, which returns what stands for each; design(), the
#'   columns of the design; sign(), of the label; row, as named above; rho; query(answer)
#' @noRd
table_cavity <- function(table, at) {
  con <- table$con
  steps <- sql_steps(FALSE, DBI::SQL(table_base(table)), c(table$needed, table$response), con)
  double <- function(sql) paste0("CAST(", sql, " AS ", sql_dialect(con)$double, ")", recycle0 = TRUE)
  event <- sql_value(table$classes$value[2], con)
  sign <- paste("CASE WHEN", steps$column(table$response), "=", event, "THEN 1E0 ELSE (-1E0) END")
  x <- steps$let(double(c(sign, sql_columns(table$blueprint, function(k) 0, steps)$X)))
  carried <- seq_along(x)
  it <- new.env()
  it$with <- function(...) {
    sql <- c(...)
    made <- steps$let(c(x, sql))
    x <<- made[carried]
    stats::setNames(as.list(made[-carried]), names(sql))
  }
  it$sign <- function() x[1]
  it$design <- function() c(if (at$prior$intercept) "1E0", x[-1])
  it$query <- function(answer) steps$query(NULL, answer, if (sql_puts_in(con)) "MATERIALIZED " else "")
  it$rho <- sql_number(1 - sum(at$rates))
  r <- it$with(
    m = paste0(x[1], " * (", sql_linear(at$w, it$design()), ")"), a = sql_quadratic(at$M, it$design())
  )
  r <- it$with(m = r$m, a = r$a, z = sql_within(r$m, paste0("1E0 + ", r$a)))
  lo <- paste("CASE WHEN", x[1], "> 0E0 THEN", sql_number(at$rates[1]), "ELSE", sql_number(at$rates[2]), "END")
  r <- it$with(m = r$m, a = r$a, z = r$z, lo = lo, phi = sql_phi(r$z))
  d1 <- sql_slope(r, paste0("1E0 + ", r$a), it$rho)
  r <- it$with(m = r$m, a = r$a, z = r$z, lo = r$lo, d1 = d1)
  tau <- sprintf("%s * (%s + %s / SQRT(1E0 + %s))", r$d1, r$d1, r$z, r$a)
  r <- it$with(
    lo = r$lo, m = paste(r$m, "-", r$a, "*", r$d1), a = paste0(r$a, " * (1E0 + ", r$a, " * ", tau, ")")
  )
  it$row <- it$with(lo = r$lo, m = r$m, a = r$a, z = sql_within(r$m, paste0("1E0 + ", r$a)))
  it
}

#' Z' / Z
#' @noRd
sql_slope <- function(r, q2, rho) {
  paste0(rho, " * ", sql_normal(r$z), " / (SQRT(", q2, ") * (", r$lo, " + ", rho, " * ", r$phi, "))")
}

#' The sums of a round
#' @return list(n, value: what the rows add to the log evidence, g and H of the weights, cross: of these
#'   and the rates of both classes, their slope and curvature)
#' @noRd
table_round <- function(table, at) {
  it <- table_cavity(table, at)
  r <- it$row
  r <- it$with(lo = r$lo, m = r$m, a = r$a, z = r$z, phi = sql_phi(r$z))
  z <- paste0(r$lo, " + ", it$rho, " * ", r$phi)
  own <- paste0("(1E0 - ", r$phi, ") / (", z, ")")
  other <- paste0("(-", r$phi, ") / (", z, ")")
  rate <- function(sign) { # of rates that are 0 it may be more than a double
    if (ncol(at$by)) paste("CASE WHEN", it$sign(), sign, "0E0 THEN", own, "ELSE", other, "END") else "0E0"
  }
  r <- it$with(
    m = r$m, a = r$a, Z = z, z = r$z, d1 = sql_slope(r, paste0("1E0 + ", r$a), it$rho), g1 = rate(">"), g2 = rate("<")
  )
  d2 <- sprintf("(-%s) * (%s + %s / SQRT(1E0 + %s))", r$d1, r$d1, r$z, r$a)
  r <- it$with(m = r$m, a = r$a, Z = r$Z, d1 = r$d1, d2 = d2, g1 = r$g1, g2 = r$g2)
  left <- sprintf("(1E0 + %s * %s)", r$d2, r$a)
  h <- sprintf("(%s - %s * %s)", r$d1, r$m, r$d2)
  by <- sql_number(-1 / (1 - sum(at$rates)))
  s <- it$sign()
  r <- it$with(
    value = sprintf(
      "%s - 0.5E0 * (%s + %s * (2E0 * %s - %s * %s) + %s * %s * %s / %s)", sql_log(r$Z, table$con),
      sql_log(left, table$con), r$m, r$d1, r$m, r$d2, r$a, h, h, left
    ),
    tau = paste0("(-", r$d2, ") / ", left), d1 = paste(s, "*", r$d1),
    c1 = sprintf("%s * %s * (%s - %s)", s, r$d1, by, r$g1), c2 = sprintf("%s * %s * (%s - %s)", s, r$d1, by, r$g2),
    g1 = r$g1, g2 = r$g2
  )
  x <- it$design()
  lower <- lower.tri(diag(length(x)), diag = TRUE)
  sums <- c(
    r$value, paste(r$d1, "*", x), paste(r$tau, "*", x[row(lower)[lower]], "*", x[col(lower)[lower]]),
    paste(r$c1, "*", x), paste(r$c2, "*", x), r$g1, r$g2,
    sprintf("(-%s) * %s", c(r$g1, r$g1, r$g2), c(r$g1, r$g2, r$g2))
  )
  refuse(
    sql_puts_in(table$con) && length(sums) >= sql_widest,
    c("{length(x)} weights are too many for this database: a query would have {length(sums)} columns, more than
       {sql_widest}.", i = "{.fn shards} takes queries, and reads their rows."), "no_sql"
  )
  answer <- paste0(c("COUNT(*)", paste0("SUM(", sums, ")")), " AS s", seq_along(c(1, sums)))
  read_round(unlist(table_ask(table, it$query(answer)), use.names = FALSE), length(x), table)
}

read_round <- function(v, k, table) {
  parts <- split(as.double(v), rep(1:7, c(1, 1, k, k * (k + 1) / 2, 2 * k, 2, 3)))
  square <- function(v, m) {
    S <- diag(0, m)
    S[lower.tri(S, diag = TRUE)] <- v
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

#' Cells of the leave-one-out scores of all rows
#' @return see score_cells()
#' @noRd
table_scores <- function(table, object) {
  unit <- object$prior$nugget
  it <- table_cavity(table, list(
    w = object$weights$mean / sqrt(unit), M = object$weights$C / unit, rates = rep_len(object$epsilon, 2),
    prior = object$prior
  ))
  z <- it$row$z
  r <- it$with(z = z, tail = sql_phi(paste0("(-ABS(", z, "))")))
  r <- it$with(logit = sprintf( # of the event: z has the sign of the label
    "CASE WHEN %s * %s > 0E0 THEN (-1E0) ELSE 1E0 END * %s", r$z, it$sign(),
    sql_log(paste(r$tail, "/ (1E0 -", r$tail, ")"), table$con)
  ))
  r <- it$with(logit = r$logit, cell = paste0("FLOOR(", r$logit, " / ", sql_number(label_cell), ")"))
  answer <- paste(c(it$sign(), r$cell, "COUNT(*)", paste0("SUM(", r$logit, ")")), "AS", letters[1:4])
  cells <- table_ask(table, paste0(it$query(answer), " GROUP BY ", it$sign(), ", ", r$cell))
  times <- as.double(cells[[3]])
  list(kind = 1 + (cells[[1]] > 0), logit = as.double(cells[[4]]) / times, times = times)
}
