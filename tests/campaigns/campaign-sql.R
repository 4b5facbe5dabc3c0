# predict_sql() in engines that know nothing of R: random tables with names, levels and missing values
# that are hard to write, random fits, and every query's answers against predict() and mislabelled().
# SQLite is that of RSQLite; PostgreSQL a server that this script starts (as the user postgres where
# root asks); DuckDB that of the npm package @duckdb/node-api, where NODE_PATH leads to it
# (sql-duckdb.js). An engine that is not there is named as not tried.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("sql", cases = 12, seconds = 900)
folder <- tempfile("sql", dirname(tempdir())) # others must be able to enter it
dir.create(folder, mode = "0755")

# Cases -------------------------------------------------------------------------

table_of <- function(n) {
  levels <- c("a", "it's", "\"b\"", "c\\n", "-- d", "\u00e9;", "", hostile(24))
  d <- data.frame(
    id = seq_len(n), `x "1" -- '` = stats::rnorm(n, 3, 2), whole = sample(-5:9, n, TRUE),
    `a level` = sample(levels, n, TRUE), flag = stats::runif(n) < 0.4,
    check.names = FALSE
  )
  f <- d[[2]] - 3 + (d[[4]] == "it's") + d$flag - d$whole / 5 + stats::rnorm(n) / 3
  d[hostile(8)] <- matrix(stats::rnorm(8 * n), n)
  d$class <- ifelse((f > 0) != (stats::runif(n) < 0.08), "it's", "no")
  d
}

# Values that the fit has not seen; labels are left as they are
harder <- function(d) {
  for (k in c(2, 3, 5)) d[[k]][sample(nrow(d), 3)] <- NA
  d[[2]][sample(nrow(d), 4)] <- c(1e6, -1e6, 60, -60)
  d
}

fits <- list(
  line = function(d) bpm(class ~ . - id, d),
  point = function(d) bpm(class ~ . - id, d, hyper = "optimum"),
  product = function(d) bpm(class ~ `x "1" -- '` * whole, d, inference = "adf"),
  few = function(d) gpc(class ~ . - id, d, inducing = 5),
  more = function(d) gpc(class ~ . - id, d, inducing = 30, hyper = "optimum"),
  trend = function(d) {
    gpc(class ~ . - id, d, inducing = 8, kernel = kernel_ard(linear = 1), hyper = "optimum")
  }
)

# The queries of a fit: list(sql, answers by id)
queries_of <- function(fit, new, table) {
  flagged <- mislabelled(fit, newdata = new, level = NULL)
  wrong <- replace(rep(NA_real_, nrow(new)), flagged$row, flagged$probability)
  made <- list(list(
    sql = predict_sql(fit, table, keep = "id", materialized = TRUE, most = Inf),
    answers = unname(predict(fit, new, type = "response"))
  ), list(
    sql = predict_sql(fit, table, keep = "id", materialized = TRUE, noise = TRUE, most = Inf),
    answers = unname(predict(fit, new, type = "response", noise = TRUE))
  ), list(
    sql = predict_sql(fit, table, keep = "id", labels = "class", materialized = TRUE, most = Inf),
    answers = wrong
  ))
  flat <- if (inherits(fit, "bpm")) predict_sql(fit, materialized = TRUE, most = Inf)
  if (!is.null(flat) && nchar(flat) < 1e6) {
    made <- c(made, list(list(
      sql = paste0("SELECT id, ", flat, " AS probability FROM ", table), answers = made[[1]]$answers
    )))
  }
  made
}

tables <- queries <- list()
hard <- 0 # names and levels
for (case in seq_len(campaign$cases)) {
  if (campaign_over(campaign, 0.5)) break
  campaign_seed_case(campaign, case)
  d <- table_of(200)
  hard <- hard + length(unique(d[["a level"]])) + ncol(d)
  name <- paste0("t", case)
  tables[[name]] <- harder(d)
  utils::write.csv(tables[[name]], file.path(folder, paste0(name, ".csv")), row.names = FALSE,
                   na = "\\N", fileEncoding = "UTF-8")
  fit <- fits[[(case - 1) %% length(fits) + 1]](d)
  queries <- c(queries, suppressMessages(queries_of(fit, tables[[name]], name)))
}
for (k in seq_along(queries)) {
  writeLines(enc2utf8(queries[[k]]$sql), file.path(folder, paste0("q", k, ".sql")), useBytes = TRUE)
}
created <- function(name) {
  type <- c(integer = "INTEGER", double = "DOUBLE PRECISION", character = "TEXT", logical = "BOOLEAN")
  names <- gsub("\"", "\"\"", names(tables[[name]]), fixed = TRUE)
  columns <- paste0("\"", names, "\" ", type[vapply(tables[[name]], typeof, "")])
  paste0("CREATE TABLE ", name, " (", paste(columns, collapse = ", "), ");")
}

# Engines -----------------------------------------------------------------------

# Answers as data frames of id and probability, or NULL where the query failed
found_in <- function(stem) {
  lapply(seq_along(queries), function(k) {
    file <- file.path(folder, paste0(stem, k, ".csv"))
    if (file.exists(file) && file.size(file) > 0) {
      found <- utils::read.csv(file, header = FALSE, na.strings = c("", "NA"))
      stats::setNames(found, c("id", "probability"))
    }
  })
}

in_sqlite <- function() {
  con <- DBI::dbConnect(RSQLite::SQLite())
  on.exit(DBI::dbDisconnect(con))
  for (name in names(tables)) DBI::dbWriteTable(con, name, tables[[name]])
  lapply(queries, function(q) tryCatch(DBI::dbGetQuery(con, q$sql), error = function(e) NULL))
}

in_postgres <- function() {
  data <- file.path(folder, "pg")
  dir.create(data)
  as_user <- if (Sys.info()[["effective_user"]] == "root") {
    system2("chown", c("postgres", shQuote(data)))
    c("runuser", "-u", "postgres", "--")
  }
  run <- function(...) {
    command <- c(as_user, file.path(postgres_bin, ..1), "-D", file.path(data, "data"), c(...)[-1])
    log <- file.path(folder, "pg.log")
    system2(command[1], shQuote(command[-1]), stdout = log, stderr = log)
  }
  ask <- function(lines, out) {
    script <- file.path(folder, "ask.sql")
    writeLines(enc2utf8(lines), script, useBytes = TRUE)
    system2("psql", c("-q", "-v", "ON_ERROR_STOP=1", "-h", shQuote(data), "-d", "postgres", "-U",
                      "sturdy", "-A", "-t", "-F,", "-f", shQuote(script)), stdout = out, stderr = "")
  }
  run("initdb", "-A", "trust", "-U", "sturdy", "-E", "UTF8", "--no-sync")
  on.exit(run("pg_ctl", "-m", "immediate", "stop"))
  run("pg_ctl", "-w", "-l", file.path(data, "log"),
      "-o", paste0("-k ", data, " -c listen_addresses=''"), "start")
  for (name in names(tables)) {
    ask(c(created(name), sprintf(
      "\\copy %s from '%s/%s.csv' with (format csv, header, null '\\N')", name, folder, name
    )), FALSE)
  }
  for (k in seq_along(queries)) {
    ask(paste0(queries[[k]]$sql, ";"), file.path(folder, paste0("pg", k, ".csv")))
  }
  found_in("pg")
}

in_duckdb <- function() {
  for (name in names(tables)) {
    stem <- file.path(folder, name)
    writeLines(enc2utf8(created(name)), paste0(stem, ".sql"), useBytes = TRUE)
    utils::write.table( # without names, which may have lines
      tables[[name]], paste0(stem, ".rows"), sep = ",", qmethod = "double", na = "\\N", row.names = FALSE,
      col.names = FALSE, fileEncoding = "UTF-8"
    )
  }
  system2("node", c(shQuote(file.path(campaign_folder(), "sql-duckdb.js")), shQuote(folder),
                    length(queries)))
  found_in("duck")
}

postgres_bin <- c(dirname(Sys.which("pg_ctl")), Sys.glob("/usr/lib/postgresql/*/bin"))
postgres_bin <- postgres_bin[file.exists(file.path(postgres_bin, "initdb"))][1]
has_duckdb <- nzchar(Sys.which("node")) &&
  system2("node", c("-e", shQuote("require('@duckdb/node-api')")), stdout = FALSE,
          stderr = FALSE) == 0
engines <- list(
  SQLite = list(there = requireNamespace("RSQLite", quietly = TRUE), run = in_sqlite),
  PostgreSQL = list(there = !is.na(postgres_bin) && nzchar(Sys.which("psql")), run = in_postgres),
  DuckDB = list(there = has_duckdb, run = in_duckdb)
)

campaign_figure(campaign, "hostile names of columns and levels", hard)
campaign_figure(campaign, "queries", length(queries))
campaign_figure(campaign, "characters of the longest", max(nchar(vapply(queries, `[[`, "", "sql"))))
for (name in names(engines)) {
  if (!engines[[name]]$there) {
    cat("sql: not installed, not tried:", name, "\n")
    next
  }
  found <- engines[[name]]$run()
  gaps <- vapply(seq_along(queries), function(k) {
    truth <- queries[[k]]$answers
    said <- found[[k]]
    if (is.null(said) || nrow(said) != length(truth)) return(Inf)
    said <- said$probability[order(said$id)]
    if (!identical(is.na(said), is.na(truth))) return(Inf)
    max(abs(said - truth), na.rm = TRUE)
  }, 0)
  campaign_figure(campaign, paste0(name, ", queries that failed"), sum(is.infinite(gaps)), 0)
  campaign_figure(campaign, paste0(name, ", largest difference"), max(gaps), 1e-10)
}
unlink(folder, recursive = TRUE)
campaign_end(campaign)
