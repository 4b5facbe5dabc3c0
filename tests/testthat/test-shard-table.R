# A bpm() to a table of a database, by queries: against fits to the same rows, and with what a table may
# have or do.

# Names and levels that have to be quoted; a number, a whole one, a text, a logical of 0 and 1
table_rows_made <- made_once(function() withr::with_seed(8, {
  n <- 600
  d <- data.frame(
    `the "a", -- b` = rnorm(n, 3, 2), whole = sample(9L, n, TRUE), `it's` = sample(c("o'x", "p\"y", "z"), n, TRUE),
    sturdy_1_1 = rnorm(n), flag = as.integer(runif(n) < 0.4), check.names = FALSE
  )
  f <- d[[1]] - 3 + (d$`it's` == "o'x") + d$flag - (d$whole - 5) / 5 + rnorm(n)
  d$class <- ifelse((f > 0) != (runif(n) < 0.05), "it's", "no")
  d
}))

in_table <- function(d, con = sqlite_points(d, env = frame), frame = parent.frame(), ...) {
  dbi_source(con, "points", ...)
}

table_held <- function(data, formula = class ~ ., ...) bpm(formula, data, nugget = 1, epsilon = 0.05, ...)

test_that("a fit by queries is that of EP to the same rows", {
  d <- table_rows_made()
  con <- sqlite_points(d)
  fit <- table_held(dbi_source(con, "points"), class ~ . - id)
  whole <- table_held(d)
  expect_s3_class(fit, c("sharded", "bpm", "sturdy_model"), exact = TRUE)
  expect_identical(fit$ep$status, "converged")
  expect_identical(fit$blueprint$levels, whole$blueprint$levels)
  expect_equal(fit$blueprint$coding, whole$blueprint$coding, tolerance = 1e-12)
  # what a round leaves out is of the order of (k / n)^2
  expect_lt(max(abs(fit$weights$mean - whole$weights$mean) / sqrt(diag(whole$weights$C))), 0.05)
  expect_lt(max(abs(fit$weights$C - whole$weights$C)), 0.02 * max(whole$weights$C)) # small numbers, near 0.01
  expect_lt(abs(log_evidence(fit) - log_evidence(whole)), 0.3)
  new <- d[1:50, ]
  expect_equal(predict(fit, new, type = "prob"), predict(whole, new, type = "prob"), tolerance = 2e-3)
  # a query in the place of a table; the sample of so few rows is all of them
  for (query in c("SELECT * FROM points WHERE id > 0;", "-- of all\nSELECT * FROM points -- but for none")) {
    again <- table_held(dbi_source(con, query), class ~ . - id)
    expect_equal(coef(again), coef(fit), tolerance = 1e-4)
  }
})

test_that("what is learned is what shards learn, and the label stage says the same", {
  d <- table_rows_made()
  fit <- bpm(class ~ ., in_table(d)) |> suppressMessages()
  pieces <- bpm(class ~ ., shards(cbind(id = seq_len(nrow(d)), d)))
  expect_lt(abs(log_evidence(fit) - log_evidence(pieces)), 1)
  said <- function(fit) predict(fit, cbind(id = 1, d), type = "response")
  expect_lt(max(abs(said(fit) - said(pieces))), 0.1)
  expect_lt(mean(abs(said(fit) - said(pieces))), 0.02)
  expect_equal(flip_rates(fit)$rate / flip_rates(pieces)$rate, c(1, 1), tolerance = 0.3)
  expect_false(any(grepl("shard", capture.output(print(fit), summary(fit)))))
  expect_error(mislabelled(fit), class = "sturdy_error_no_sites")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), cbind(id = 1, d)), predict(fit, cbind(id = 1, d)))
  expect_error(update(fit, epsilon = 0.1), class = "sturdy_error_missing_argument")
  moved <- update(fit, data = in_table(d[1:500, ]), nugget = 1, epsilon = 0.1)
  expect_equal(nobs(moved), 500)
})

test_that("weights, and the scores that the label stage has, are in units of the nugget", {
  d <- table_rows_made()
  d <- data.frame(a = d[[1]], b = d$sturdy_1_1, class = d$class)
  fit <- bpm(class ~ a + b, dbi_source(sqlite_points(d), "points"), nugget = 4, prior_scale = 2)
  pieces <- bpm(class ~ a + b, shards(d, 2), nugget = 4, prior_scale = 2)
  expect_lt(max(abs(fit$weights$mean - pieces$weights$mean) / sqrt(diag(pieces$weights$C))), 0.05)
  expect_lt(max(abs(fit$weights$C - pieces$weights$C)), 0.05 * max(pieces$weights$C))
  points <- function(fit) fit$label_stage$recalibration[c("weight", "slope")]
  expect_equal(points(fit), points(pieces), tolerance = 0.05)
  said <- function(fit) predict(fit, d, type = "response")
  expect_lt(max(abs(said(fit) - said(pieces))), 0.01)
})

test_that("prior scales are learned with the sites as they are", {
  d <- table_rows_made()
  learned <- function(data) bpm(class ~ ., data, prior_scale = "learn", nugget = 1, epsilon = 0.05)
  fit <- learned(in_table(d)) |> suppressMessages()
  pieces <- learned(shards(cbind(id = seq_len(nrow(d)), d)))
  expect_equal(log_evidence(fit), log_evidence(pieces), tolerance = 2e-3)
  expect_equal(fit$weights$mean, pieces$weights$mean, tolerance = 0.1)
})

test_that("a gpc() by queries is that of EP to the same rows at the same inducing inputs", {
  d <- withr::with_seed(12, data.frame(a = rnorm(2000, 3, 2), b = rnorm(2000), `it's` = rep(c("u", "v"), 1000), check.names = FALSE))
  f <- withr::with_seed(13, 1.5 * sin(d$a) + d$b^2 - 1 + (d[[3]] == "u") + rnorm(2000))
  d$class <- ifelse((f > 0) != (withr::with_seed(14, runif(2000)) < 0.05), "yes", "no")
  con <- sqlite_points(d)
  curve <- function(data, ...) gpc(class ~ a + b + `it's`, data, inducing = d[1:12, 1:3], ...)
  kernel <- kernel_ard(c(1, 1, 1.5), variance = 2, bias = 1, nugget = 0.5, fixed = TRUE)
  fit <- curve(dbi_source(con, "points"), kernel = kernel, epsilon = 0.05)
  whole <- curve(d, kernel = kernel, epsilon = 0.05)
  expect_s3_class(fit, c("sharded", "gpc", "sturdy_model"), exact = TRUE)
  expect_lt(fit$ep$sweeps, 6)
  said <- function(fit) predict(fit, d, type = "response")
  # of the order of (k / n)^2, k the weights and n the rows near the boundary
  expect_lt(max(abs(said(fit) - said(whole))), 0.01)
  expect_lt(mean(abs(said(fit) - said(whole))), 5e-4)
  expect_lt(abs(log_evidence(fit) - log_evidence(whole)), 0.5)
  expect_equal(fit$inducing$C, whole$inducing$C, tolerance = 0.02)
  expect_equal(fit$inducing$left, whole$inducing$left, tolerance = 0.01)
  # what is learned is learned on a sample, which here is all rows
  learned <- curve(dbi_source(con, "points"), kernel = kernel_iso())
  pieces <- curve(shards(d), kernel = kernel_iso())
  expect_equal(log_evidence(learned), log_evidence(pieces), tolerance = 1e-3)
  expect_lt(max(abs(said(learned) - said(pieces))), 0.02)
  expect_equal(flip_rates(learned)$rate, flip_rates(pieces)$rate, tolerance = 0.2)
  query <- predict_sql(learned, "points", keep = "id", labels = "class", con = con)
  found <- DBI::dbGetQuery(con, query)
  wrong <- mislabelled(learned, newdata = d)
  expect_equal(found$probability[wrong$row], wrong$probability, tolerance = 1e-8)
  auto <- gpc(class ~ a + b + `it's`, dbi_source(con, "points"), kernel = kernel, epsilon = 0.05)
  expect_identical(nrow(auto$inducing$Z), 30L)
})

test_that("rare classes are in the sample, as often as they count", {
  d <- withr::with_seed(3, data.frame(a = rnorm(20000)))
  d$class <- d$a + withr::with_seed(4, rnorm(20000)) > 3.4
  fit <- table_held(in_table(d), class ~ a)
  expect_equal(coef(fit), coef(table_held(d)), tolerance = 1e-3)
  expect_lt(fit$ep$sweeps, 7)
})

test_that("steps that turn about the fixed point come to rest", {
  d <- withr::with_seed(3, data.frame(a = rnorm(6000), b = rnorm(6000)))
  d$class <- d$a^2 + d$b + withr::with_seed(4, rnorm(6000)) * 0.7 > 6.2
  kernel <- kernel_ard(c(1.9, 4.5), variance = 1, bias = 0.07, nugget = 0.025, fixed = TRUE)
  fit <- gpc(class ~ a + b, in_table(d), inducing = d[c(1:10, which(d$class)[1:5]), 1:2], kernel = kernel, epsilon = 0.001)
  expect_identical(fit$ep$status, "converged")
  expect_lt(fit$ep$sweeps, 10)
})

test_that("a few rounds lead from the sample to the fixed point, also where it sees hardly a wrong label", {
  d <- withr::with_seed(2, data.frame(a = rnorm(8000), b = rnorm(8000), c = rnorm(8000)))
  d$class <- withr::with_seed(3, {
    f <- 0.15 + 0.5 * (d$a - d$b + d$c / 2) + rnorm(8000)
    (f > 0) != (runif(8000) < ifelse(f > 0, 0.1, 0.03))
  })
  withr::local_options(cli.tick_time = 0, sturdy.progress = NA)
  local_mocked(progress_line_after = Inf)
  total <- 0 # that is foreseen
  sweeps <- withCallingHandlers(
    vapply(1:3, function(k) bpm(class ~ ., in_table(d))$ep$sweeps, 1), # samples are the database's own
    sturdy_progress = function(cnd) if (cnd$what == "Queries") total <<- max(total, cnd$total)
  )
  expect_lte(mean(sweeps), 7) # rounds that swing and are not turned take far more
  expect_true(total >= max(sweeps) && total <= max(sweeps) + 1)
})

test_that("rows with missing values are left out and counted, or an error", {
  d <- table_rows_made()
  d[[1]][3] <- NA
  d$`it's`[4:5] <- NA
  d$class[6] <- NA
  con <- sqlite_points(d)
  fit <- table_held(dbi_source(con, "points"), class ~ . - id)
  expect_identical(fit$shards[c("rows", "left_out")], list(rows = 596, left_out = 4))
  expect_error(
    table_held(dbi_source(con, "points"), class ~ . - id, na.action = na.fail), class = "sturdy_error_missing"
  )
  DBI::dbExecute(con, "UPDATE points SET whole = NULL")
  expect_error(table_held(dbi_source(con, "points")), class = "sturdy_error_no_rows")
})

test_that("what a query can't fit is refused in words", {
  d <- cbind(table_rows_made(), constant = 1, many = paste(seq_len(600), "x"))
  other <- d
  other$many <- paste("y", d$many)
  con <- sqlite_points(rbind(d, other))
  source <- dbi_source(con, "points")
  refused <- function(code, class) expect_error(code, class = paste0("sturdy_error_", class))
  refused(table_held(source, class ~ nowhere), "formula")
  refused(table_held(source, class ~ many), "no_sql")
  refused(table_held(source, class ~ log(whole)), "no_sql")
  refused(table_held(source, I(class == "no") ~ whole), "no_sql")
  refused(table_held(source, whole ~ flag), "outcome_levels")
  refused(table_held(dbi_source(con, "SELECT * FROM points WHERE class = 'no'"), class ~ flag), "outcome_levels")
  refused(table_held(dbi_source(con, "SELECT * FROM points WHERE whole > 9")), "no_rows")
  refused(table_held(dbi_source(con, "absent")), "query")
  refused(table_held(source, class ~ flag, df = 3), "no_sql")
  refused(bpm(class ~ flag, source, nugget = 0, epsilon = 0.1), "no_sql")
  refused(table_held(source, class ~ flag, inference = "adf"), "shards")
  refused(table_held(source, class ~ flag, trusted = rep(TRUE, 3)), "trusted")
  refused(table_held(source, class ~ flag, cluster = lapply), "unknown_argument")
  curve <- function(kernel, ...) gpc(class ~ flag, source, kernel = kernel, ...)
  refused(curve(kernel_iso(shape = "matern 3/2")), "no_sql")
  refused(curve(kernel_iso(nugget = 0, fixed = "nugget")), "no_sql")
  refused(curve(kernel_iso(fixed = TRUE), df = 3, epsilon = 0.1), "no_sql")
  refused(curve(kernel_iso(), inducing = NULL), "shards")
  refused(dbi_source(con, "points", answers = 1), "type")
  expect_message(table_held(source, class ~ flag + constant), class = "sturdy_message_constant_columns")
  # as many columns as no query may have
  wide <- as.data.frame(matrix(rnorm(60 * 80), 80))
  wide$class <- rep(c("a", "b"), 40)
  refused(table_held(in_table(wide)), "no_sql")
  refused(gpc(class ~ ., in_table(wide), inducing = 55, kernel = kernel_iso(fixed = TRUE), epsilon = 0.1), "no_sql")
})

test_that("a fit goes on from a query that failed", {
  d <- table_rows_made()
  inner <- sqlite_points(d)
  asked <- 0
  fail <- Inf
  sqlite <- getClass("SQLiteConnection", where = asNamespace("RSQLite"))
  methods::setClass("FailingConnection", contains = sqlite, where = globalenv())
  methods::setMethod(DBI::dbGetQuery, c("FailingConnection", "character"), function(conn, statement, ...) {
    asked <<- asked + 1
    if (asked == fail) stop("the network is down")
    DBI::dbGetQuery(inner, statement)
  }, where = globalenv())
  withr::defer({
    methods::removeMethod(DBI::dbGetQuery, c("FailingConnection", "character"), where = globalenv())
    methods::removeClass("FailingConnection", where = globalenv())
  })
  con <- methods::new("FailingConnection", inner)
  whole <- table_held(dbi_source(con, "points"), class ~ . - id)
  all <- asked
  asked <- 0
  fail <- 10 # the first four ask what the database is
  cnd <- caught(table_held(dbi_source(con, "points"), class ~ . - id))
  expect_s3_class(cnd, c("sturdy_error_query", "sturdy_error_source"))
  expect_match(conditionMessage(cnd$parent), "network")
  expect_length(cnd$answers, 5)
  asked <- 0
  fail <- Inf
  fit <- table_held(dbi_source(con, "points", answers = cnd$answers), class ~ . - id)
  expect_identical(asked, all - 5)
  expect_equal(coef(fit), coef(whole), tolerance = 1e-6)
  # rows that come in between are noticed
  DBI::dbExecute(inner, "DELETE FROM points WHERE id = 7")
  expect_error(
    table_held(dbi_source(con, "points", answers = cnd$answers), class ~ . - id), class = "sturdy_error_rows"
  )
})

test_that("PostgreSQL gives the same fit", {
  d <- table_rows_made()
  con <- postgres_connection()
  d$flag <- d$flag == 1
  DBI::dbWriteTable(con, "points", d)
  fit <- table_held(dbi_source(con, "points"))
  expect_equal(coef(fit), coef(table_held(d)), tolerance = 0.01)
  curved <- function(con) {
    kernel <- kernel_iso(2, fixed = TRUE, nugget = 0.5)
    gpc(class ~ whole + sturdy_1_1, dbi_source(con, "points"), kernel = kernel, inducing = d[1:8, ], epsilon = 0.05)
  }
  expect_equal(curved(con)$ep$b, curved(sqlite_points(d))$ep$b, tolerance = 1e-6)
  learned <- bpm(class ~ ., dbi_source(con, "points")) |> suppressMessages()
  found <- DBI::dbGetQuery(con, predict_sql(learned, "points", con = con, labels = "class"))
  expect_gt(mean(found$probability), 0)
})

test_that("a connection that hides its database is asked what it is, and is written for as that", {
  d <- table_rows_made()
  inner <- sqlite_points(d)
  methods::setClass("HiddenConnection", contains = "DBIConnection", slots = c(inner = "ANY"), where = globalenv())
  methods::setMethod(DBI::dbGetQuery, c("HiddenConnection", "character"), function(conn, statement, ...) {
    DBI::dbGetQuery(conn@inner, statement)
  }, where = globalenv())
  withr::defer({
    methods::removeMethod(DBI::dbGetQuery, c("HiddenConnection", "character"), where = globalenv())
    methods::removeClass("HiddenConnection", where = globalenv())
  })
  con <- methods::new("HiddenConnection", inner = inner)
  hidden <- table_held(dbi_source(con, "points"), class ~ . - id)
  expect_equal(coef(hidden), coef(table_held(dbi_source(inner, "points"), class ~ . - id)), tolerance = 1e-6)
  expect_match(predict_sql(hidden, "points", con = con), "AS MATERIALIZED (", fixed = TRUE)
  # of databases that are not here the answers alone are
  says <- function(known) {
    function(con, value) if (value %in% names(known)) known[[value]]
  }
  asked <- function(known) {
    local_mocked(sql_asked = says(known))
    sql_puts_in("con")
  }
  expect_true(asked(list("version()" = "PostgreSQL 15.3 on x86_64")))
  expect_false(asked(list("version()" = "PostgreSQL 9.6.1"))) # which has no such word, and no need of it
  expect_false(asked(list("version()" = "PostgreSQL 8.0.2 on i686, Redshift 1.0.43")))
  expect_false(asked(list("version()" = "v1.1.3")))
  expect_true(asked(list("sqlite_version()" = "3.40.1")))
  expect_false(asked(list()))
  local_mocked(sql_asked = says(list("CAST(1 AS FLOAT64)" = 1, "rand()" = 0.5)))
  expect_identical(unlist(mget(c("double", "random", "hint"), new_table("con", "t"))),
                   c(double = "FLOAT64", random = "rand()", hint = ""))
})

test_that("literals are those of a database", {
  expect_identical(sql_value(c(0, -1), NULL), c("0E0", "(-1E0)"))
  expect_identical(sql_value(TRUE, NULL), "TRUE")
  expect_identical(sql_value("it's", NULL), "'it''s'")
})
