# A bpm() to a table of a database by queries of sums, against bpm() and shards() on the same rows: the
# largest and the mean difference of the probability of 2,000 other rows, queries after the sample, and
# seconds of CPU. Eight numeric inputs and a factor; labels are wrong at 3 and 10 percent.
# The database is SQLite in memory. DuckDB, which has no R package here, was asked by its node package
# (tests/campaigns/duckdb-server.js).

experiment <- list(
  settings = list(rows = 2e4, replications = 2, seed = 74101),
  quick = list(rows = 2000, replications = 1),
  tasks = function(settings) all_of(rows = settings$rows, seed = seeds_of(settings)),
  run = function(task) {
    d <- sql_rows(task$rows, task$seed)
    new <- sql_rows(2000, task$seed + 10000)
    con <- DBI::dbConnect(RSQLite::SQLite())
    on.exit(DBI::dbDisconnect(con))
    DBI::dbWriteTable(con, "points", d)
    timed <- function(code) {
      began <- sum(proc.time()[1:2])
      list(fit = code, cpu = sum(proc.time()[1:2]) - began)
    }
    quiet <- quiet_control()
    by_queries <- timed(bpm(class ~ ., dbi_source(con, "points"), control = quiet))
    whole <- timed(bpm(class ~ ., d, control = quiet))
    pieces <- timed(bpm(class ~ ., shards(d), control = quiet))
    p <- lapply(list(by_queries, whole, pieces), function(x) predict(x$fit, new, type = "response"))
    gap <- function(a, b) abs(p[[a]] - p[[b]])
    data.frame(
      bpm_most = max(gap(1, 2)), bpm_mean = mean(gap(1, 2)), shards_most = max(gap(1, 3)),
      bpm_shards_most = max(gap(2, 3)), queries = by_queries$fit$ep$sweeps + 1, cpu = by_queries$cpu,
      bpm_cpu = whole$cpu
    )
  },
  tables = function(parts) {
    columns <- c("bpm_most", "bpm_mean", "shards_most", "bpm_shards_most", "queries", "cpu", "bpm_cpu")
    list(summary = group_means(parts$results, "rows", columns))
  }
)

sql_rows <- function(rows, seed) {
  set_seed(seed)
  d <- as.data.frame(matrix(stats::rnorm(rows * 8), rows))
  d$f <- sample(c("u", "v", "w"), rows, TRUE)
  f <- 0.3 + as.matrix(d[1:8]) %*% c(2, -1, 0.5, 0, 0, 1, -0.3, 0.2) + (d$f == "u") + 1.2 * stats::rnorm(rows)
  d$class <- ifelse(drop(f > 0) != (stats::runif(rows) < ifelse(f > 0, 0.1, 0.03)), "yes", "no")
  d
}
