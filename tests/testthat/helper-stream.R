# Streams for the tests of bpm_stream().

# Rows with numbers, a factor, a text that is not used, and the class.
stream_data <- function(n = 300) {
  withr::with_seed(11, {
    d <- data.frame(
      a = round(rnorm(n), 4), b = sample(1:9, n, TRUE), f = sample(c("u", "v"), n, TRUE),
      note = paste("row", seq_len(n))
    )
    d$class <- ifelse(d$a + d$b / 5 + (d$f == "u") + rnorm(n) / 4 > 1.5, "yes", "no")
    d
  })
}

# in the workspace, whose name alone is saved with a formula
stream_formula <- stats::as.formula("class ~ a + b + f", globalenv())

stream <- function(source = stream_data(), formula = stream_formula, ...,
                   batch_size = 50, progress = FALSE) {
  bpm_stream(formula, source, ..., batch_size = batch_size, progress = progress)
}

csv_file <- function(d = stream_data(), lines = csv_text(d), env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  writeLines(lines, file)
  file
}

csv_text <- function(d = stream_data()) {
  con <- textConnection(NULL, "w")
  on.exit(close(con))
  utils::write.csv(d, con, row.names = FALSE)
  textConnectionValue(con)
}

# A function that hands out the rows in batches of the given sizes
batches <- function(d, sizes) {
  ends <- cumsum(sizes)
  i <- 0
  function() {
    i <<- i + 1
    if (i <= length(sizes)) d[ends[i] - sizes[i] + seq_len(sizes[i]), ]
  }
}

# A function that puts a value into rows of a column
set_at <- function(column, value, row = 117) {
  function(d) {
    d[[column]][row] <- value
    d
  }
}

# A fit, with the numbers that a checkpoint holds in the place of its own
fit_in <- function(checkpoint, fit) {
  restore_stream(fit, read_state(checkpoint), fit$filter$arguments)
}

caught <- function(code) tryCatch(code, error = identity)

# A database with the rows in the table `points`, numbered by `id`
sqlite_points <- function(d = stream_data(), env = parent.frame()) {
  testthat::skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite())
  withr::defer(DBI::dbDisconnect(con), envir = env)
  DBI::dbWriteTable(con, "points", cbind(id = seq_len(nrow(d)), d))
  con
}

in_order <- "SELECT * FROM points ORDER BY id"

# A PostgreSQL server of our own in a temporary folder, reached by a socket there,
# and a connection to it. Both end with the frame. root may not run the server,
# so the user postgres does.
postgres_connection <- function(env = parent.frame()) {
  driver <- Filter(rlang::is_installed, c("RPostgres", "RPostgreSQL"))[1]
  testthat::skip_if(is.na(driver), "neither RPostgres nor RPostgreSQL is installed")
  bin <- dirname(Sys.which("pg_ctl"))
  bin <- utils::tail(c(bin[nzchar(Sys.which("pg_ctl"))],
                       sort(Sys.glob("/usr/lib/postgresql/*/bin"))), 1)
  testthat::skip_if(length(bin) == 0, "no PostgreSQL server is installed")
  root <- identical(Sys.info()[["effective_user"]], "root")
  # not inside tempdir(), which other users can't enter
  folder <- tempfile("pg", dirname(tempdir()))
  dir.create(folder, mode = "0700")
  withr::defer(unlink(folder, recursive = TRUE), envir = env)
  if (root) {
    system2("chown", c("postgres", folder))
  }
  run <- function(program, ...) {
    command <- c(file.path(bin, program), "-D", file.path(folder, "data"), ...)
    if (root) {
      command <- c("runuser", "-u", "postgres", "--", command)
    }
    log <- file.path(folder, "messages")
    status <- withr::with_dir(
      "/", system2(command[1], shQuote(command[-1]), stdout = log, stderr = log)
    )
    if (status != 0) {
      stop(paste(c(program, readLines(log)), collapse = "\n"))
    }
  }
  run("initdb", "-A", "trust", "-U", "sturdy", "-E", "UTF8", "--no-sync")
  # before it starts: one that fails half-way is stopped as well
  withr::defer(try(run("pg_ctl", "-m", "immediate", "stop"), silent = TRUE), envir = env)
  run(
    "pg_ctl", "-w", "-l", file.path(folder, "log"),
    "-o", paste0("-k ", folder, " -c listen_addresses=''"), "start"
  )
  make <- getExportedValue(driver, sub("RPost", "Post", driver))
  con <- DBI::dbConnect(make(), host = folder, dbname = "postgres", user = "sturdy")
  withr::defer(DBI::dbDisconnect(con), envir = env)
  con
}
