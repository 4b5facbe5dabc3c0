# Fits by queries, and predict_sql(), in a ClickHouse server that this script starts: Debian's 18.16, whose dialect has
# no WITH of queries, no CASE of a value and function names in one case alone. It is asked through clickhouse-client. Fits are
# compared with those to the same rows here, answers with predict() and mislabelled(). Without a server nothing is tried.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("clickhouse", cases = 1, seconds = 600)
server <- Sys.which("clickhouse-server")
if (!nzchar(server) || !nzchar(Sys.which("clickhouse-client"))) {
  cat("clickhouse: not installed, not tried\n")
  campaign_end(campaign)
}

# A server, and a connection to it ------------------------------------------------

port <- 19000L
folder <- tempfile("clickhouse")
dir.create(folder)
writeLines(sprintf(
  "<yandex><logger><level>error</level><log>%1$s/log</log><errorlog>%1$s/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host><tcp_port>%2$d</tcp_port><path>%1$s/data/</path><tmp_path>%1$s/tmp/</tmp_path>
  <mark_cache_size>100000000</mark_cache_size><users_config>%1$s/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database></yandex>", folder, port
), file.path(folder, "config.xml"))
writeLines(
  "<yandex><profiles><default></default></profiles><quotas><default></default></quotas><users><default><password></password>
  <networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>",
  file.path(folder, "users.xml")
)
pid <- file.path(folder, "pid")
system(sprintf(
  "cd '%s' && { '%s' --config-file=config.xml >out 2>&1 & echo $! >pid; }", folder, server
))

ask <- function(sql, input = "") {
  script <- tempfile("query", folder)
  out <- tempfile("answer", folder)
  writeLines(enc2utf8(sql), script, useBytes = TRUE)
  status <- system2("clickhouse-client", c(
    "--port", port, "--format=CSVWithNames", if (nzchar(input)) c("--query", shQuote(sql))
  ), stdin = if (nzchar(input)) input else script, stdout = out, stderr = out)
  if (status != 0) stop(paste(readLines(out, warn = FALSE), collapse = "\n"))
  if (file.size(out) > 0) utils::read.csv(out, check.names = FALSE, na.strings = "\\N")
}

methods::setClass("ClickHouse", contains = methods::getClass("DBIConnection", where = asNamespace("DBI")))
methods::setMethod(DBI::dbGetQuery, c("ClickHouse", "character"), function(conn, statement, ...) ask(statement))
con <- methods::new("ClickHouse")
for (try in 1:50) {
  version <- tryCatch(ask("SELECT version() AS v")$v, error = function(cnd) NULL)
  if (length(version)) break
  Sys.sleep(0.2)
}
cat("clickhouse: version", version, "\n")

# Fits -----------------------------------------------------------------------------

n <- 20000
campaign_seed_case(campaign, 1)
d <- data.frame(
  id = seq_len(n), a = stats::rnorm(n, 3, 2), `it's "b"` = stats::rnorm(n),
  text = sample(c("o'x", "p\"y", "z"), n, TRUE), check.names = FALSE
)
f <- d$a - 3 + (d$text == "o'x") + d[[3]] + stats::rnorm(n)
d$class <- ifelse((f > 0) != (stats::runif(n) < 0.05), "it's", "no")
rows <- file.path(folder, "rows.csv")
utils::write.table(
  rbind(d, data.frame(id = NA, a = NA, `it's "b"` = 1, text = NA, class = "no", check.names = FALSE)), rows,
  sep = ",", qmethod = "double", row.names = FALSE, col.names = FALSE, na = "\\N"
)
ask("CREATE TABLE points (id Nullable(Int32), a Nullable(Float64), \"it's \"\"b\"\"\" Nullable(Float64),
  text Nullable(String), class Nullable(String)) ENGINE = Log")
ask("INSERT INTO points FORMAT CSV", rows)

compare <- function(name, fit, whole) {
  said <- stats::predict(fit, d, type = "response")
  campaign_figure(campaign, paste0(name, ", rounds"), fit$ep$sweeps)
  campaign_figure(campaign, paste0(name, ", largest difference from all rows here"),
                  max(abs(said - stats::predict(whole, d, type = "response"))), 1e-3)
  some <- d[1:500, ]
  wrong <- mislabelled(fit, newdata = some)
  for (labels in list(NULL, "class")) {
    answers <- ask(predict_sql(fit, "points", keep = "id", labels = labels, con = con, most = Inf))
    truth <- if (is.null(labels)) said[1:500] else wrong$probability[order(wrong$row)]
    found <- answers$probability[match(some$id, answers$id)]
    campaign_figure(campaign, paste0(name, if (length(labels)) ", wrong labels", ", largest difference of predict_sql()"),
                    max(abs(found - truth)), 1e-10)
  }
}
made <- tryCatch({
  compare("bpm()", bpm(class ~ . - id, dbi_source(con, "points")), bpm(class ~ . - id, d))
  kernel <- kernel_iso(1.5, variance = 4, bias = 1, nugget = 1, fixed = TRUE)
  curve <- function(data) gpc(class ~ . - id, data, inducing = d[1:15, ], kernel = kernel, epsilon = 0.05)
  compare("gpc()", curve(dbi_source(con, "points")), curve(d))
  TRUE
}, error = function(cnd) {
  cat(conditionMessage(cnd), conditionMessage(cnd$parent), sep = "\n")
  FALSE
})
campaign_figure(campaign, "failed", 1 - made, 0)
tools::pskill(as.integer(readLines(pid)))
unlink(folder, recursive = TRUE)
campaign_end(campaign)
