# Probabilities as SQL, by an engine that knows nothing of the package.

# A database with tables of these names
sql_tables <- function(..., frame = parent.frame()) {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite())
  withr::defer(DBI::dbDisconnect(con), frame)
  math <- tryCatch(DBI::dbGetQuery(con, "SELECT EXP(SQRT(4e0)) AS x")$x, error = function(cnd) 0)
  if (abs(math - exp(2)) > 1e-12) skip("this SQLite has no mathematical functions")
  tables <- list(...)
  for (name in names(tables)) DBI::dbWriteTable(con, name, tables[[name]])
  con
}

# What an expression and a query say of the rows of "points", whose key is id
by_sql <- function(con, fit, ..., flat = inherits(fit, "bpm")) {
  query <- predict_sql(fit, "points", keep = "id", con = con, ...)
  found <- DBI::dbGetQuery(con, query)
  expect_named(found, c("id", "probability"))
  queried <- found$probability[order(found$id)]
  if (flat) {
    expression <- predict_sql(fit, con = con, ..., most = Inf)
    found <- DBI::dbGetQuery(con, paste("SELECT", expression, "AS p FROM points ORDER BY id"))
    expect_equal(found$p, queried, tolerance = 1e-12)
  }
  queried
}

# Names and levels that have to be quoted, a logical column, an integer one
awkward <- function(n = 120) {
  withr::with_seed(3, {
    d <- data.frame(
      id = seq_len(n), `the "a", -- b` = rnorm(n, 3, 2), whole = sample(9L, n, TRUE),
      `it's` = sample(c("o'x", "p\"y", "z\\n;"), n, TRUE), flag = runif(n) < 0.4,
      check.names = FALSE
    )
    f <- d[[2]] - 3 + (d$`it's` == "o'x") + d$flag - d$whole / 5 + rnorm(n) / 3
    d$class <- ifelse((f > 0) != (runif(n) < 0.05), "it's", "no")
    d
  })
}

# Missing values in each column, levels that are new, values far away
difficult <- function(d) {
  new <- d[1:40, ]
  for (k in 2:5) new[k, k] <- NA
  new[[4]][6:7] <- c("new", "it's new")
  new[[2]][8:11] <- c(1e6, -1e6, 40, -40)
  new
}

test_that("the normal distribution function is that of R", {
  z <- c(seq(-37, 37, by = 0.01), 10^(-14:-1), -10^(-14:-1), 0, -50, 50, NA)
  con <- sql_tables(t = data.frame(z = z))
  found <- DBI::dbGetQuery(con, paste(
    "SELECT", sql_phi("z"), "AS below,", sql_phi("(-z)"), "AS above FROM t"
  ))
  expect_lt(max(abs(found$below - pnorm(z)), na.rm = TRUE), 1e-14)
  # also of small probabilities all digits are right
  expect_lt(max(abs(found$below / pnorm(z) - 1)[z > -37], na.rm = TRUE), 1e-11)
  expect_equal(found$above, rev(pnorm(rev(z), lower.tail = FALSE)), tolerance = 1e-12)
  expect_identical(is.na(found$below), is.na(z))
})

test_that("numbers keep all their digits, and no two minus signs meet", {
  x <- c(0, 1, -1, 0.1, 1 / 3, -2 / 3, 1e10, 1.5e300, 5e-324, 2^53 + 2, pi * 10^(-20:20))
  text <- sql_number(x)
  expect_identical(as.numeric(gsub("[()]", "", text)), x)
  expect_match(text, "E", fixed = TRUE, all = TRUE) # or some take them for decimals
  expect_identical(text[1:4], c("0E0", "1E0", "(-1E0)", "1E-1"))
  expect_no_match(predict_sql(bpm(class ~ a + b, toy(), hyper = "optimum")), "--", fixed = TRUE)
})

awkward_average <- made_once(function() bpm(class ~ . - id, awkward(), hyper = "integrate"))

test_that("probabilities in a database are those of predict()", {
  d <- awkward()
  new <- difficult(d)
  con <- sql_tables(points = new)
  given <- setdiff(names(d), c("id", "class"))
  fits <- list(
    averaged = awkward_average(),
    optimum = bpm(class ~ . - id, d, hyper = "optimum"),
    held = bpm(d[given], d$class, nugget = 0, epsilon = 0.1, intercept = FALSE, scale = FALSE),
    filtered = bpm(class ~ flag + whole, d, inference = "adf"),
    product = bpm(class ~ `the "a", -- b` * whole, d, epsilon = 0.05, nugget = 1),
    inducing = gpc(class ~ . - id, d, inducing = 8, hyper = "integrate"),
    point = gpc(d[given], d$class, inducing = 30, hyper = "optimum"),
    bias = gpc(class ~ whole + flag, d, inducing = 6, kernel = held(bias = 2), epsilon = 0.05),
    linear = gpc(class ~ . - id, d, inducing = 6, kernel = held(linear = 2), epsilon = 0.05)
  )
  expect_gt(length(used_nodes(fits$averaged)$node), 1)
  expect_gt(length(used_nodes(fits$inducing)$node), 1)
  for (name in names(fits)) {
    truth <- suppressMessages(predict(fits[[name]], new, type = "response"))
    found <- by_sql(con, fits[[name]])
    expect_lt(max(abs(found - truth), na.rm = TRUE), 1e-10, label = name)
    expect_identical(is.na(found), is.na(unname(truth)), info = name)
  }
  truth <- suppressMessages(predict(fits$averaged, new, type = "response", noise = TRUE))
  expect_equal(by_sql(con, fits$averaged, noise = TRUE), unname(truth), tolerance = 1e-10)
})

test_that("without an intercept a row may have no variance, and then no mean", {
  d <- toy()
  fit <- bpm(d[1:2], d$class, nugget = 0, epsilon = 0.1, intercept = FALSE, scale = FALSE)
  con <- sql_tables(points = data.frame(id = 1:2, a = c(0, 1), b = 0))
  expect_equal(by_sql(con, fit), c(0.5, predict(fit, data.frame(a = 1, b = 0), "prob")[[2]]))
})

test_that("the probability that a label is wrong is that of mislabelled()", {
  d <- awkward()
  new <- difficult(d)
  new$class[12:13] <- c(NA, "another")
  con <- sql_tables(points = new)
  known <- new[-c(2:7, 12:13), ]
  for (fit in list(
    bpm(class ~ . - id, d), bpm(class ~ flag + whole, d, hyper = "optimum"),
    gpc(class ~ . - id, d, inducing = 5, hyper = "integrate")
  )) {
    expect_gt(length(fit$label_stage$nodes$table$weight), 1)
    found <- by_sql(con, fit, labels = "class", most = Inf, flat = FALSE)
    truth <- mislabelled(fit, newdata = known)
    expect_lt(max(abs(found[known$id[truth$row]] - truth$probability)), 1e-10)
    expect_identical(is.na(found), is.na(suppressMessages(predict(fit, new))) | seq_len(40) %in% 12:13)
  }
  flat <- bpm(class ~ flag + whole, d, epsilon = c(neg = 0.1, pos = 0.02), nugget = 1)
  found <- by_sql(con, flat, labels = "class")
  truth <- mislabelled(flat, newdata = new[-c(3, 5, 12:13), ])
  at <- new[-c(3, 5, 12:13), ]$id[truth$row]
  expect_lt(max(abs(found[at] - truth$probability)), 1e-10)
})

test_that("names are quoted as the standard or the connection has it", {
  fit <- bpm(class ~ a, toy(), epsilon = 0.1, nugget = 1)
  query <- predict_sql(fit, c("main", "my \"table\""), keep = c("id", "a"), name = "p\"q")
  expect_match(query, "FROM \"main\".\"my \"\"table\"\"\"", fixed = TRUE)
  expect_match(query, "\nSELECT \"id\", \"a\", ", fixed = TRUE)
  expect_match(query, "AS \"p\"\"q\" FROM", fixed = TRUE)
  expect_match(query, "sturdy_1 AS MATERIALIZED (SELECT ", fixed = TRUE) # without it PostgreSQL takes gigabytes
  expect_no_match(predict_sql(fit, "t", materialized = FALSE), "MATERIALIZED")
  con <- sql_tables(points = cbind(id = 1:3, toy()[1:3, ]))
  expect_match(predict_sql(fit, "points", con = con), "`a`", fixed = TRUE)
  # one within the other they mean the same, also where there is no WITH
  nested <- predict_sql(fit, "points", keep = "id", con = con, materialized = FALSE)
  expect_no_match(nested, "WITH", fixed = TRUE)
  expect_equal(DBI::dbGetQuery(con, nested), DBI::dbGetQuery(con, predict_sql(fit, "points", keep = "id", con = con)))
  # a chain of steps is a subquery, too
  found <- DBI::dbGetQuery(con, paste("SELECT AVG(probability) AS p FROM (",
                                      predict_sql(fit, "points", con = con), ") q"))
  expect_equal(found$p, mean(predict(fit, toy()[1:3, ], type = "response")), tolerance = 1e-12)
})

test_that("what can't be written is refused by name", {
  d <- toy()
  d$g <- rep(c("u", "v"), 20)
  refused <- function(..., class = "sturdy_error_no_sql") {
    expect_error(predict_sql(...), class = class)
  }
  point <- function(fit, ...) fit(..., epsilon = 0.1, hyper = "optimum")
  line <- point(bpm, class ~ a, d)
  refused(point(gpc, class ~ a, d, kernel = held()), "t")
  refused(point(gpc, class ~ a, d, kernel = held(), inducing = 5))
  refused(point(stc, class ~ a, d, kernel = held(), inducing = 5, df = 4), "t")
  refused(point(bpm, class ~ a, d, df = 4))
  refused(point(bpm, class ~ log(a + 9) + b, d))
  refused(point(bpm, class ~ poly(a, 2), d))
  refused(second_stage(cbind(no = pnorm(-d$a), yes = pnorm(d$a)), d$class))
  refused(bpm(class ~ a, d, rates = g), labels = "class")
  refused(line, most = 100)
  refused(
    gpc(Species ~ ., iris[c(1:9, 51:59, 101:109), ], kernel = held(), epsilon = 0.1),
    class = "sturdy_error_several_classes"
  )
  refused(line, keep = "id", class = "sturdy_error_unknown_argument")
  refused(line, table = letters, class = "sturdy_error_type")
  refused(line, labels = NA_character_, class = "sturdy_error_type")
  refused(line, table = "t", keep = "\xff\xfe", class = "sturdy_error_type")
  refused(line, con = 1, class = "sturdy_error_type")
  refused(1, class = "sturdy_error_type")
  long <- nchar(predict_sql(line))
  # how many digits a number takes hangs on its last bits
  expect_snapshot(transform = function(lines) {
    sub(format(long, big.mark = ","), "all", lines, fixed = TRUE)
  }, {
    said(predict_sql(point(bpm, class ~ log(a + 9) + b, d)))
    said(predict_sql(point(gpc, class ~ a, d, kernel = held()), "t"))
    said(predict_sql(line, most = 100))
  })
})

test_that("a query with more columns than SQLite and PostgreSQL take is refused", {
  con <- sql_tables(points = awkward())
  fit <- awkward_average()
  columns <- length(fit$label_stage$nodes$table$weight) # a point each
  expect_gt(columns, 2 * length(used_nodes(fit)$node)) # and of the event both tails of each
  local_mocked(sql_widest = columns - 1)
  expect_error(
    predict_sql(fit, "points", labels = "class", con = con), class = "sturdy_error_no_sql"
  )
  expect_no_error(predict_sql(fit, "points", con = con))
  expect_no_error(predict_sql(fit, "points", labels = "class"))
})

test_that("the text has each node and each point of the label stage once", {
  d <- toy(80)
  fit <- bpm(class ~ a + b, d, hyper = "integrate")
  first <- nchar(predict_sql(first_stage(fit), "points"))
  points <- length(fit$label_stage$nodes$few$node)
  expect_lt(nchar(predict_sql(fit, "points")) - first, 250 * points + 300 * length(used_nodes(fit)$node))
  # a point has three numbers of its own, two powers and a weight
  by <- vapply(fit$label_stage$nodes$points, function(at) ncol(at$b), 1L)
  query <- predict_sql(fit, "points", labels = "class")
  expect_length(gregexpr("POWER(", query, fixed = TRUE)[[1]], 2 * sum(by))
  # an expression is that query of the row at hand
  expect_lt(nchar(predict_sql(fit)), nchar(predict_sql(fit, "points")))
})

test_that("an expression goes through the label stage wherever it stands", {
  d <- toy(60)
  fit <- bpm(class ~ a + b, d)
  expect_false(is.null(fit$label_stage))
  con <- sql_tables(points = cbind(id = 1:60, d))
  p <- unname(predict(fit, d, type = "response"))
  expect_gt(max(abs(p - predict(first_stage(fit), d, type = "response"))), 0.01)
  for (by in list(con, NULL)) { # by names of a connection, and of the standard
    expression <- predict_sql(fit, con = by)
    found <- DBI::dbGetQuery(con, paste("SELECT id FROM points WHERE", expression, "> 0.7 ORDER BY id"))
    expect_identical(found$id, which(p > 0.7))
  }
  DBI::dbExecute(con, paste("CREATE VIEW said AS SELECT *,", predict_sql(fit, con = con), "AS p FROM points q"))
  found <- DBI::dbGetQuery(con, "SELECT class, AVG(p) AS p FROM said GROUP BY class ORDER BY class")
  expect_equal(found$p, unname(c(tapply(p, d$class, mean))), tolerance = 1e-12)
})

test_that("scores next to 0 and steep slopes of the label stage leave a number", {
  points <- data.frame(p1 = c(1, 1, 1 - 1e-9, 0.5, 1e-40, 1e-200, 0), p2 = c(0, 1e-290, 1e-9, 0.5, 1, 1, 1))
  con <- sql_tables(points = points)
  for (b in list(c(0.2, 0.3), c(1, 2.5), c(40, 7))) {
    found <- DBI::dbGetQuery(con, paste("SELECT", sql_odds(c("p1", "p2"), 0.7, b[1], b[2]), "AS q FROM points"))
    odds <- pmin(pmax(b[2] * log(points$p2) - b[1] * log(points$p1) - log(0.7), -1e4), 1e4)
    expect_equal(found$q, plogis(odds), tolerance = 1e-12)
  }
})

test_that("a fit without its rows is written all the same", {
  d <- toy()
  fit <- bpm(class ~ a + b, shards(d, n = 2), epsilon = 0.1, nugget = 1)
  con <- sql_tables(points = cbind(id = seq_len(40), d))
  truth <- predict(fit, d, type = "response")
  expect_equal(by_sql(con, fit), unname(truth), tolerance = 1e-12)
})

extended_test("a PostgreSQL server has the probabilities of predict()", {
  con <- postgres_connection()
  d <- awkward()
  new <- difficult(d)
  DBI::dbWriteTable(con, "points", new, row.names = FALSE)
  fits <- list(bpm(class ~ . - id, d, hyper = "optimum"), gpc(class ~ . - id, d, inducing = 8))
  for (fit in fits) {
    truth <- suppressMessages(predict(fit, new, type = "response"))
    expect_equal(by_sql(con, fit), unname(truth), tolerance = 1e-10)
  }
})

test_that("steps have names that nothing else has", {
  d <- awkward(60)
  names(d)[2:3] <- c("STURDY_1_1", "sturdy_2_1")
  d$`Sturdy_1_2` <- rev(seq_len(60)) # kept, and no input
  fit <- bpm(class ~ . - id - `Sturdy_1_2`, d)
  con <- sql_tables(sturdy_1 = d)
  query <- predict_sql(fit, "sturdy_1", keep = c("id", "Sturdy_1_2"), labels = "class", con = con)
  found <- DBI::dbGetQuery(con, query)
  expect_equal(found[[2]], rev(found$id))
  wrong <- mislabelled(fit, newdata = d)
  expect_equal(found$probability[wrong$row], wrong$probability, tolerance = 1e-10)
  query <- predict_sql(fit, "sturdy_1", keep = "id", con = con)
  expect_equal(
    DBI::dbGetQuery(con, query)$probability, unname(predict(fit, d, type = "response")),
    tolerance = 1e-10
  )
})

test_that("a column that is not there is an error of the database, also without a connection", {
  d <- awkward(60)
  fit <- bpm(class ~ whole + flag, d, hyper = "optimum")
  con <- sql_tables(points = d[c("id", "flag")])
  expect_error(DBI::dbGetQuery(con, predict_sql(fit, "points", keep = "id")), "no such column")
  expect_error(predict_sql(fit, "points", keep = "Probability"), class = "sturdy_error_type")
  expect_error(predict_sql(fit, "points", keep = c("id", "ID")), class = "sturdy_error_type")
})

test_that("a fit without inputs has one probability", {
  d <- awkward(60)
  fit <- gpc(class ~ 1, d, inducing = 8, hyper = "optimum")
  con <- sql_tables(points = d)
  expect_equal(by_sql(con, fit), unname(predict(fit, d, type = "response")), tolerance = 1e-10)
})

test_that("names of steps are those of no column, whatever the case of its letters", {
  made <- function(...) sql_steps(FALSE, names = c("a", ...))$let("1E0")
  expect_identical(made("my_sturdy"), "sturdy_1_1")
  for (name in c("sturdy", "Sturdyness", "STURDY")) expect_identical(made(name), "sturdy__1_1")
  for (name in c("sturdy_1", "STURDY_1_1")) expect_identical(made(name, "Sturdy"), "sturdy___1_1")
})
