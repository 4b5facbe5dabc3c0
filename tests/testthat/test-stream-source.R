# Passes ---------------------------------------------------------------------

rows_of <- function(source) {
  parts <- list()
  while (!is.null(batch <- source$read())) parts <- c(parts, list(batch))
  do.call(rbind, parts)
}

test_that("a source of rows that can be had twice is opened again for another pass", {
  d <- stream_data()
  con <- sqlite_points(d)
  sources <- list(
    stream_source(d, 70L, list()), stream_source(csv_file(d), 70L, list()),
    dbi_source(con, in_order, 70)
  )
  for (source in sources) {
    source$open()
    gc() # closes what earlier tests have forgotten
    connections <- length(getAllConnections())
    source$open()
    expect_length(getAllConnections(), connections) # the first one is closed
    first <- rows_of(source)
    expect_equal(first[names(d)], d)
    source$open()
    expect_identical(source$pass(100), 100)
    expect_equal(rows_of(source), first[101:300, ], ignore_attr = "row.names")
    source$open() # in the middle of a batch that pass() has cut
    source$pass(10)
    source$open()
    expect_equal(rows_of(source), first)
    expect_identical(source$pass(1), 0)
    source$close()
    source$close()
  }
})

test_that("rows with missing values are left out of later batches, too, where a column is not read", {
  d <- stream_data()
  d$note <- seq_len(nrow(d))
  d$a[70] <- NA
  d$note[80] <- NA # which nobody reads
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(d, file, row.names = FALSE)
  for (source in list(file, d)) {
    fit <- stream(source, class ~ . - note, batch_size = 50, na.action = stats::na.omit)
    expect_identical(fit$filter$left_out, 1)
  }
})

# Database -------------------------------------------------------------------

test_that("a query gives the fit of its rows", {
  d <- stream_data()
  con <- sqlite_points(d)
  by_query <- stream(dbi_source(con, in_order, 50))
  expect_identical(by_query, stream(d))
  expect_identical(stream(dbi_source(con, paste("/* in\norder */", in_order, "-- of id"), 50)), by_query)
  expect_identical(table_of(c("values", "points"), con), "`values`.`points`")
  # the number of rows in a batch is that of the source
  expect_identical(
    stream(dbi_source(con, in_order, 70), batch_size = 10)$filter$batches, 5
  )
  expect_equal(
    nobs(stream(dbi_source(con, "SELECT a, b, f, class FROM points WHERE id < 80", 50))), 79
  )
  expect_error(
    stream(dbi_source(con, "SELECT * FROM points WHERE id > 300")),
    class = "sturdy_error_no_rows"
  )
})

test_that("a query is resumed by running it again", {
  d <- stream_data()
  con <- sqlite_points(d)
  unbroken <- stream(dbi_source(con, in_order, 50))
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  part <- dbi_source(con, "SELECT * FROM points WHERE id <= 100 ORDER BY id", 50)
  stream(part, checkpoint = checkpoint)
  expect_message(
    resumed <- stream(
      dbi_source(con, in_order, 50), checkpoint = checkpoint, resume = TRUE
    ),
    class = "sturdy_message_resumed"
  )
  expect_identical(resumed, unbroken)
})

test_that("the result of a query is cleared at the end and after an error", {
  con <- sqlite_points(set_at("class", "maybe")(stream_data()))
  # RSQLite warns when a result is still open
  clear <- function() expect_silent(DBI::dbGetQuery(con, "SELECT 1"))
  stream(dbi_source(con, "SELECT * FROM points WHERE id < 100", 50))
  clear()
  source <- dbi_source(con, in_order, 50)
  error <- caught(stream(source))
  expect_s3_class(error, "sturdy_error_outcome_levels")
  expect_equal(c(error$batch, error$row), c(3, 117))
  clear()
  # the same object serves again
  expect_equal(caught(stream(source))$row, 117)
  expect_error(
    stream(dbi_source(con, "SELECT * FROM nowhere")), class = "sturdy_error_source"
  )
  clear()
})

test_that("integers of 64 bits are numbers", {
  d <- stream_data()
  con <- sqlite_points(d)
  DBI::dbExecute(con, "UPDATE points SET b = b + 5000000000 WHERE id <= 300")
  fit <- stream(dbi_source(con, in_order, 50))
  expect_identical(fit$weights, stream(transform(d, b = b + 5e9))$weights)
  DBI::dbExecute(con, "UPDATE points SET b = NULL WHERE id = 5")
  fit <- stream(dbi_source(con, in_order, 50), na.action = stats::na.omit)
  expect_identical(fit$filter$left_out, 1)
})

test_that("bad arguments of dbi_source() are errors", {
  con <- sqlite_points()
  expect_error(dbi_source("points", in_order), class = "sturdy_error_type")
  expect_error(dbi_source(con, c("a", "b", "c")), class = "sturdy_error_type")
  expect_error(dbi_source(con, in_order, 0), class = "sturdy_error_range")
  source <- dbi_source(con, "SELECT * FROM nowhere")
  expect_error(stream(source, sep = ";"), class = "sturdy_error_unknown_argument")
  expect_snapshot({
    print(source)
    said(dbi_source("points", in_order))
    said(dbi_source(con, 1))
    said(stream(source))
  })
  expect_error(check_package("no.such.package", "dbi_source"),
               "dbi_source.*no[.]such[.]package", class = "sturdy_error_package")
})

extended_test("a PostgreSQL server streams as a data frame does", {
  con <- postgres_connection()
  d <- stream_data(1000)
  d$flag <- d$b > 4
  d$large <- d$b * 1e10
  columns <- "id integer, a double precision, b integer, f text, note text,
    class text, flag boolean, large bigint"
  DBI::dbExecute(con, paste("CREATE TABLE points (", columns, ")"))
  quoted <- function(v) if (is.character(v)) paste0("'", v, "'") else format(v, digits = 15)
  values <- do.call(paste, c(lapply(c(list(1:1000), d), quoted), sep = ", "))
  # not in the order of the ids
  values <- paste0("(", rev(values), ")", collapse = ", ")
  DBI::dbExecute(con, paste("INSERT INTO points VALUES", values))

  formula <- stats::as.formula("class ~ a + b + f + flag + large", globalenv())
  unbroken <- stream(d, formula)
  query <- function(sql = in_order) dbi_source(con, sql, 50)
  expect_identical(stream(query(), formula), unbroken)
  checkpoint <- withr::local_tempfile(fileext = ".rds")
  first <- "SELECT * FROM points WHERE id <= 350 ORDER BY id"
  stream(query(first), formula, checkpoint = checkpoint)
  resumed <- suppressMessages(
    stream(query(), formula, checkpoint = checkpoint, resume = TRUE)
  )
  expect_identical(resumed, unbroken)

  DBI::dbExecute(con, "UPDATE points SET a = NULL WHERE id IN (7, 117, 118)")
  error <- caught(stream(query(), formula))
  expect_s3_class(error, "sturdy_error_missing")
  expect_equal(error$row, 7)
  d$a[c(7, 117, 118)] <- NA
  left <- stream(query(), formula, na.action = stats::na.omit)
  expect_identical(left, stream(d, formula, na.action = stats::na.omit))
  expect_identical(left$filter$left_out, 3)
  expect_error(stream(query("SELECT * FROM nowhere")), class = "sturdy_error_source")
  # nothing is left open, so the connection takes further queries
  expect_equal(DBI::dbGetQuery(con, "SELECT count(*) AS n FROM points")$n, 1000)
})
