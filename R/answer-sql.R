#' Probabilities as SQL
#'
#' Writes what [predict()][predict.sturdy_model] computes as SQL, so that a database or a warehouse
#' has the probability of the event for each row of a table of its own, and with `labels` the
#' probability that a recorded label is wrong.
#'
#' @details
#' With `table` the answer is a query of several steps (`WITH`), whose columns are what is needed more
#' than once, `sturdy_1_1` and so on (`sturdy__1_1` where a name that you gave begins alike). Without, it is one expression of the columns that the fit reads,
#' which may stand wherever a value may: in a `SELECT`, a `WHERE`, a view, or in `dplyr::mutate()` as
#' `dbplyr::sql(predict_sql(fit))`. Of a [bpm()] it is such a query in brackets, of the row at hand, which ClickHouse
#' has not: give `table` there. Only
#' without a label stage (where rates are given at one point of the hyperparameters, or no rows are
#' kept) it has no `WITH`: it then repeats what it needs, and is long where inputs are many. Of a
#' [gpc()] there is none.
#'
#' The text uses `CASE`, `IN`, `abs()`, `EXP()`, `POWER()`, `SQRT()` and arithmetic alone, numbers in
#' double precision to the last digit, and no functions of one database; the normal distribution
#' function is made of these, to 1e-14. Where the fit averages, the mean is over the nodes that
#' `predict()` uses. It then goes through the label stage, if there is one, at the points that
#' `predict()` uses, some 200 characters each. So the probabilities are those of `predict()` to
#' rounding.
#'
#' Columns have the names and the values that they had in the training data: text for factors,
#' compared as the database compares text; logical columns must be of type `BOOLEAN`, or 0 and 1
#' where there is none. A row with a missing value (`NULL`) in an input has no answer (`NULL`), and
#' so has one with a number that is not finite, which `predict()` refuses. A level that training did
#' not have is taken as `predict()` takes it. The formula may have products of numeric columns, and
#' no functions such as `log()`: have a column of that in the table.
#'
#' # Which fits
#' Fits to two classes at `df = Inf`: by [bpm()], by EP or filtered, and by [gpc()] with few
#' inducing inputs, since the length grows with the square of their number and with the number of
#' nodes. Use `inducing = 20`, or `hyper = "optimum"` for one node. A step has a column for each
#' inducing input at each node; PostgreSQL and SQLite take 1600 columns, and with a `con` of
#' theirs more are refused. Several classes, and t processes, have no closed form.
#'
#' # Wrong labels
#' With `labels`, the name of the column of recorded labels, the answer is the probability that the
#' label is wrong as `mislabelled(fit, newdata = )` has it, for rows that the fit has not seen. It is
#' over all points that the label stage keeps, some 100, and longer. Labels are compared as text; one
#' that is `NULL` or no level has no answer. A level of an input that training did not have, which
#' `mislabelled()` refuses, is taken as `predict()` takes it. Rates by group (`rates`) are refused.
#'
#' @param object A fit.
#' @param table `NULL`, the default, for an expression, or the name of a table: one string, or two,
#'   the schema first.
#' @param keep Names of columns of the table that the query has, too: a key, since the rows of a
#'   query have no order.
#' @param labels `NULL`, the default, or the name of a column of recorded labels.
#' @param noise Whether the probability is that of the label as it would be recorded, as in
#'   [predict()][predict.sturdy_model].
#' @param name Name of the column of answers of a query.
#' @param con `NULL`, the default, quotes names and strings as the SQL standard does. A DBI
#'   connection quotes them as its database wants (MySQL, for one, differs).
#' @param materialized Whether the steps of a query are `AS MATERIALIZED`, which SQLite, PostgreSQL (from 12) and DuckDB
#'   know. Without it the steps are queries one within the other, with no `WITH`; the first two substitute these into
#'   one another, and take gigabytes and minutes for a few rows. The default is `TRUE` without a `con`, and with one that says that it is theirs. Where another database calls
#'   it an error of syntax, give its `con`, or `FALSE`.
#' @param most The largest number of characters allowed: 1e6 by default, what SQLite and others
#'   take as one statement.
#' @param ... Not used.
#' @return One string: without `table` an SQL expression, with it a query.
#' @section Conditions:
#' `sturdy_error_no_sql` for a fit or a formula that can't be written, and where the text would be
#' too long; `sturdy_error_several_classes`; `sturdy_error_no_posterior`.
#' @seealso [predict()][predict.sturdy_model], [mislabelled()], [shard_answers];
#'   `vignette("large-tables")`
#' @export
#' @examplesIf rlang::is_installed(c("DBI", "RSQLite"))
#' d <- data.frame(id = 1:120, a = rnorm(120), b = rep(c("u", "v"), 60))
#' d$class <- ifelse(d$a + (d$b == "u") + rnorm(120) / 5 > 0, "yes", "no")
#' fit <- bpm(class ~ a + b, d, hyper = "optimum")
#' con <- DBI::dbConnect(RSQLite::SQLite())
#' DBI::dbWriteTable(con, "points", d)
#'
#' found <- DBI::dbGetQuery(con, predict_sql(fit, "points", keep = "id", con = con))
#' all.equal(found$probability, unname(predict(fit, d, type = "response")), tolerance = 1e-10)
#'
#' suspects <- paste("SELECT * FROM points WHERE", predict_sql(fit), "BETWEEN 0.4 AND 0.6")
#' head(DBI::dbGetQuery(con, suspects))
#' DBI::dbDisconnect(con)
predict_sql <- function(object, table = NULL, keep = NULL, labels = NULL,
                        noise = FALSE, name = "probability", con = NULL,
                        materialized = is.null(con) || sql_puts_in(con), most = 1e6, ...) {
  object <- fit_of(object, ...)
  check_rows_without(object$data, "A query", "offset")
  check_sql_names(table, "table", 2)
  check_sql_names(keep, "keep")
  check_sql_names(labels, "labels", 1)
  check_sql_names(name, "name", 1)
  noise <- check_flag(noise, "noise")
  must(
    !noise || is.null(labels), "noise", "not be given with {.arg labels}, whose answer has no noise in it",
    "unknown_argument"
  )
  materialized <- check_flag(materialized, "materialized")
  most <- check_number(most, "most", min = 1, infinite = TRUE)
  flat <- is.null(table)
  must(!flat || is.null(keep), "keep", "not be given without {.arg table}", "unknown_argument")
  if (!is.null(con)) {
    check_package("DBI", "predict_sql")
    must(inherits(con, "DBIConnection"), "con", "be a DBI connection", got = con)
  }
  check_written(object, flat, labels)
  check_posterior(object)
  twice <- duplicated(tolower(c(keep, name)))
  must(!any(twice), "keep", "name each column of the answer once, {.arg name} among them", got = keep)
  within <- flat && !is.null(object$label_stage)
  names <- c(unlist(object$blueprint$columns), all.vars(object$blueprint$terms), keep, labels, table, name)
  steps <- sql_steps(flat && !within, table, names, con)
  used <- used_nodes(object)
  z <- sql_quantiles(object, used, steps)
  answer <- if (is.null(labels)) {
    sql_event(object, used, z, steps$let, noise)
  } else {
    sql_wrong(object, used, z, steps$let, sql_name(labels, con), con)
  }
  hint <- sql_hint(materialized)
  if (within) { # its columns are those of the query around it
    answer <- paste0("(", steps$query(NULL, answer, hint), ")")
  } else if (!flat) {
    answer <- c(if (!is.null(keep)) sql_name(keep, con), paste(answer, "AS", sql_name(name, con)))
    answer <- steps$query(union(keep, labels), answer, hint)
  }
  check_sql_size(answer, most, flat && !within, if (sql_puts_in(con)) steps$widest())
}

#' Does the database put what a query within has into the one around it, as often as it is named?
#'
#' Then SQLite runs out of memory, and PostgreSQL computes things many times. The database itself is asked: a
#' connection may be one of another package, as of odbc. The second question comes last, since one that is refused
#' ends a transaction of PostgreSQL.
#' @noRd
sql_puts_in <- function(con) {
  version <- sql_asked(con, "version()")
  if (length(version)) {
    grepl("^PostgreSQL (1[2-9]|[2-9][0-9])", version[1])
  } else length(sql_asked(con, "sqlite_version()")) > 0
}

sql_hint <- function(materialized) if (materialized) "MATERIALIZED " else ""

check_sql_names <- function(x, arg, most = Inf) {
  must(
    is.null(x) || is.character(x) && length(x) %in% seq_len(min(most, 1e4)) && all(nzchar(x)) &&
      !anyNA(x) && all(validUTF8(x)), arg, if (most == 1) "be a name" else "be names", got = x
  )
}

#' Has what the fit says a closed form?
#' @noRd
check_written <- function(object, flat, labels) {
  if (is_several(object)) {
    abort_several("closed form", "{.code predict(fit, rows, to = )} takes {.fn shards}.")
  }
  no <- function(when, why, instead = NULL) {
    refuse(when, c(paste("No SQL is written for", why), i = instead), "no_sql")
  }
  no(latent_functions(object) == 0, "a {.fn second_stage}.")
  no(is.finite(object$spec$df), "a fit at a finite {.arg df}.")
  no(flat && !inherits(object, "bpm"), "a {.fn gpc} as one expression.", "Give {.arg table}, for a query.")
  no(
    !is.null(labels) && length(object$data$reports$sources) > 1,
    "wrong labels at rates by group.", "{.code mislabelled(fit, newdata = )} takes rows of a group."
  )
}

sql_widest <- 1600 # columns: PostgreSQL takes 1664, and SQLite 2000

#' @param columns of the widest step, where the database takes no more than `sql_widest`
#' @noRd
check_sql_size <- function(answer, most, flat, columns) {
  size <- nchar(answer)
  long <- "The text would have {whole(size)} characters, more than {.arg most}, {whole(most)}."
  wide <- "A step of the query would have {whole(columns)} columns, more than {whole(sql_widest)}."
  over <- c(if (size > most) long, if (isTRUE(columns > sql_widest)) wide)
  shorter <- if (flat) "Give {.arg table}: a query is shorter than an expression."
  one <- "A fit with {.code hyper = \"optimum\"} has one node."
  refuse(length(over) > 0, c(over[1], i = shorter, i = one), "no_sql")
  answer
}

#' The probability of the event
#' @noRd
sql_event <- function(object, used, z, let, noise) {
  at <- sql_points(object, used, z, let)
  recorded <- if (noise) vapply(at$omega, function(o) o[1:2, 2], numeric(2)) else rbind(0 * at$low, 1)
  rise <- recorded[2, ] - recorded[1, ]
  sql_linear(c(sum(at$weight * (recorded[1, ] + rise * at$low)), at$weight * rise * at$rise), c("1E0", at$q))
}

#' The probability that a label is wrong, as by_own_label() has it: over the points the sums of that
#' and of the label being right
#' @noRd
sql_wrong <- function(object, used, z, let, label, con) {
  at <- sql_points(object, used, z, let, all = TRUE)
  q <- let(at$q)
  p <- list(paste0("(1E0 - ", q, ")"), q)
  low <- list(1 - at$low - at$rise, at$low)
  joint <- function(true, said) {
    weight <- at$weight * vapply(at$omega, function(o) o[true, said], 0)
    sql_linear(c(sum(weight * low[[true]]), weight * at$rise), c("1E0", p[[true]]))
  }
  sums <- let(c(joint(2, 1), joint(1, 1), joint(1, 2), joint(2, 2)))
  levels <- sql_string(object$blueprint$levels, con)
  share <- paste(sums[c(1, 3)], "/ (", sums[c(1, 3)], "+", sums[c(2, 4)], ")")
  paste("CASE", paste("WHEN", label, "=", levels, "THEN", share, collapse = " "), "END")
}

#' Probabilities of the event under points, those of the label stage where there is one [M 16.3]
#' @param z quantiles at the nodes `used`. @param all whether at all points or few of them.
#' @return list(q, text, each to be written once; low, rise: the probabilities are low + rise q; weight;
#'   omega, C x C each)
#' @noRd
sql_points <- function(object, used, z, let, all = FALSE) {
  stage <- object$label_stage
  if (is.null(stage)) {
    none <- numeric(length(z))
    omega <- node_omega(object)[used$node]
    return(list(q = sql_phi(z), low = none, rise = none + 1, weight = used$weight, omega = omega))
  }
  nodes <- stage$nodes
  few <- if (all) all_nodes(stage) else nodes$few
  by_class <- function(name) points_all(nodes, name)[, few$node, drop = FALSE] # a row a class
  w <- by_class("w")
  b <- by_class("b")
  event <- matrix(label_overlap_at(nodes, few$node)[, 2, ], 2) # its share in what looks of either class
  list(
    q = sql_odds(sql_both_sides(z, used$weight, let), exp(w[1, ] - w[2, ]), b[1, ], b[2, ]),
    low = event[1, ], rise = event[2, ] - event[1, ], weight = few$weight, omega = node_omega(stage)[few$node]
  )
}

#' The probabilities of both classes, each small where it is small, as means over nodes: one tail of
#' each node is computed
#' @return names or expressions of two
#' @noRd
sql_both_sides <- function(z, weight, let) {
  one <- seq_along(z)
  at <- let(c(paste0("-abs(", z, ")"), z))
  at <- let(c(sql_phi(at[one]), at[-one]))
  side <- function(sign) {
    paste("CASE WHEN", at[-one], sign, "0E0 THEN", at[one], "ELSE 1E0 -", at[one], "END")
  }
  let(c(sql_linear(weight, side(">")), sql_linear(weight, side("<"))))
}

#' p2^b2 / (p2^b2 + by p1^b1), where no power is too small to be a number
#' @param p names of both. @param by,b1,b2 of the points.
#' @noRd
sql_odds <- function(p, by, b1, b2) {
  least <- function(b) sprintf("1E-%.0f", pmin(floor(250 / b), 300))
  paste0(
    "CASE WHEN ", p[2], " < ", least(b2), " THEN 0E0 WHEN ", p[1], " < ", least(b1),
    " THEN 1E0 ELSE 1E0 / (1E0 + ", sql_number(by), " * POWER(", p[1], ", ", sql_number(b1),
    ") / POWER(", p[2], ", ", sql_number(b2), ")) END"
  )
}
