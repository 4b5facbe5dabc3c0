# A bpm() by queries of DuckDB to as many rows as asked for, 10^8 unless told otherwise: rounds, seconds of the clock
# and of CPU, memory of the database, and how far weights are from those that the rows were simulated with. DuckDB is that of
# the npm package @duckdb/node-api, where NODE_PATH leads to it (duckdb-server.js); without it nothing is tried. The table
# needs some 60 bytes of disk a row. Of at most 10^6 rows probabilities are compared with those of bpm() here, too.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("duckdb", cases = 1e8, seconds = 900)
threads <- c(commandArgs(TRUE), rep("2", 3))[3]
found <- system2("node", c("-e", shQuote("require('@duckdb/node-api')")), stdout = FALSE, stderr = FALSE)
if (found != 0) {
  cat("duckdb: not installed, not tried\n")
  campaign_end(campaign)
}

folder <- tempfile("duckdb")
dir.create(folder)
server <- file.path(campaign_folder(), "duckdb-server.js")
system2("node", shQuote(c(server, file.path(folder, "rows.db"), folder, threads)), wait = FALSE)
asked <- 0
used <- list(cpu = 0, peak = 0)

ask <- function(sql) {
  asked <<- asked + 1
  stem <- file.path(folder, asked)
  writeLines(enc2utf8(sql), paste0(stem, ".part"), useBytes = TRUE)
  file.rename(paste0(stem, ".part"), paste0(stem, ".sql"))
  while (!file.exists(paste0(stem, ".json"))) Sys.sleep(0.05)
  answer <- jsonlite::fromJSON(paste0(stem, ".json"), simplifyVector = FALSE)
  if (!is.null(answer$error)) stop(answer$error)
  used <<- answer[c("cpu", "peak")]
  column <- function(values) utils::type.convert(as.character(unlist(values)), as.is = TRUE, numerals = "no.loss")
  as.data.frame(stats::setNames(lapply(answer$columns, column), unlist(answer$names)), check.names = FALSE)
}

methods::setClass("Duck", contains = methods::getClass("DBIConnection", where = asNamespace("DBI")))
methods::setMethod(DBI::dbGetQuery, c("Duck", "character"), function(conn, statement, ...) ask(statement))
con <- methods::new("Duck")

# Rows ------------------------------------------------------------------------------

n <- campaign$cases
weights <- c(2, -1, 0.5, 0, 1)
normal <- function(k) { # from numbers that only depend on the row
  part <- function(salt) sprintf("((hash(i * 10 + %d) %% 1000000007) + 0.5) / 1000000007", 10 * k + salt + campaign$seed * 1000)
  sprintf("sqrt(-2 * ln(%s)) * cos(2 * pi() * %s)", part(1), part(2))
}
f <- paste(sprintf("(%s) * x%d", weights, seq_along(weights)), collapse = " + ")
# the latent function is 0.3 + f, its noise normal; 3 and 10 percent of the labels are wrong
ask(sprintf(
  "CREATE TABLE points AS SELECT %s, CASE WHEN (0.3 + %s + e > 0) <> (u < CASE WHEN 0.3 + %s + e > 0 THEN 0.1 ELSE 0.03 END)
   THEN 'yes' ELSE 'no' END AS class FROM (SELECT %s, %s AS e, ((hash(i * 10 + 7) %% 1000000007) + 0.5) / 1000000007 AS u
   FROM range(%.0f) r(i))", paste0("x", seq_along(weights), collapse = ", "), f, f,
  paste(vapply(seq_along(weights), normal, ""), sprintf("AS x%d", seq_along(weights)), collapse = ", "),
  normal(9), n
))
cat("duckdb: rows are there after", round(proc.time()[["elapsed"]] - campaign$begun), "seconds\n")

# The fit -----------------------------------------------------------------------------

before <- c(used$cpu, asked)
begun <- proc.time()[["elapsed"]]
fit <- bpm(class ~ ., dbi_source(con, "points"))
took <- proc.time()[["elapsed"]] - begun
print(fit)
campaign_figure(campaign, "rows", n)
campaign_figure(campaign, "threads", as.numeric(threads))
campaign_figure(campaign, "not converged", as.numeric(fit$ep$status != "converged"), 0)
campaign_figure(campaign, "rounds", fit$ep$sweeps)
campaign_figure(campaign, "queries after the sample", fit$ep$sweeps + 1, 6)
campaign_figure(campaign, "queries in all", asked - before[2])
campaign_figure(campaign, "seconds of the clock", round(took), if (n == 1e8) 900)
campaign_figure(campaign, "seconds of CPU of the database", round(used$cpu - before[1]))
campaign_figure(campaign, "memory of the database, MB", round(used$peak))
campaign_figure(campaign, "memory of R, MB", round(sum(gc()[, 6])))
of <- coef(fit)
campaign_figure(campaign, "largest difference of weights, in units of the first", max(abs(of[-1] / of[2] - weights / 2)))
campaign_figure(campaign, "wrong of the first class", fit$epsilon[1])
campaign_figure(campaign, "wrong of the second class", fit$epsilon[2])
if (n <= 1e6) {
  d <- ask("SELECT * FROM points")
  gap <- abs(stats::predict(fit, d, type = "response") - stats::predict(bpm(class ~ ., d), d, type = "response"))
  campaign_figure(campaign, "largest difference of probabilities from bpm() here", max(gap), if (n < 1e6) 1e-3 else 1e-4)
}
file.create(file.path(folder, "end"))
Sys.sleep(1)
unlink(folder, recursive = TRUE)
campaign_end(campaign)
