# How far the default average is from that over ten times the nodes, and whether noise_test() says
# so of its own nodes.
#
# Tables of two classes, additive, linear and with an interaction, 2 to 10 columns, 80 to 600
# rows. Flip probabilities within .015 (root mean square), log Bayes factors within .15 and counts
# within .5 in nine of ten; stated errors of the factor, times 1.64, that hold the difference in nine of ten.
# NODES_FROM is the seed before the first table: 50,000 judges, those below 5,000 are for choosing.

args <- commandArgs(FALSE)
folder <- dirname(sub("^--file=", "", grep("^--file=", args, value = TRUE)[1]))
source(file.path(folder, "helper.R"))
campaign <- campaign_start("nodes", cases = 30, seconds = 3600)
from <- as.integer(Sys.getenv("NODES_FROM", "50000"))
options(sturdy.progress = FALSE, sturdy.threads = 1)

table_of <- function(k) {
  campaign_seed_case(campaign, from + k)
  n <- if (k %% 5 == 4) sample(420:600, 1) else sample(80:300, 1)
  p <- sample(c(2, 3, 5, 6, 8, 10), 1)
  X <- matrix(stats::rnorm(n * p), n, dimnames = list(NULL, paste0("x", seq_len(p))))
  f <- switch(
    k %% 3 + 1, X[, 1] + sin(2 * X[, 2]), drop(X %*% (2 / seq_len(p))), 2 * X[, 1] * X[, 2] + X[, p]
  )
  y <- f + 0.4 * stats::rnorm(n) > stats::median(f)
  wrong <- stats::runif(n) < sample(c(0, 0.05, 0.1, 0.2), 1)
  data.frame(X, y = factor(xor(y, wrong), c(FALSE, TRUE), c("a", "b")))
}

answers <- function(d) {
  seconds <- system.time(fit <- suppressWarnings(suppressMessages(gpc(y ~ ., d))))[[1]]
  test <- suppressMessages(noise_test(fit))
  found <- suppressMessages(mislabelled(fit))
  list(
    seconds = seconds, probability = found$probability[order(found$row)],
    log_bayes_factor = log(test$bayes_factor), count = test$some$count, error = test$error,
    drawn = length(fit$nodes$table$weight), method = paste(test$models$method, collapse = " ")
  )
}

# Internal settings: this many nodes and points of the label stage, and none more
with_nodes <- function(times, code) {
  set <- list(
    average_nodes = times * sturdy:::average_nodes, average_more = 0, label_points = times * sturdy:::label_points
  )
  before <- lapply(names(set), utils::getFromNamespace, "sturdy")
  put <- function(values) Map(utils::assignInNamespace, names(set), values, "sturdy")
  on.exit(put(before))
  put(set)
  code
}

rows <- list()
for (k in seq_len(campaign$cases)) {
  if (campaign_over(campaign)) break
  d <- table_of(k)
  few <- answers(d)
  many <- with_nodes(10, answers(d))
  rows[[length(rows) + 1]] <- data.frame(
    case = k, n = nrow(d), columns = ncol(d) - 1,
    probability = sqrt(mean((few$probability - many$probability)^2)),
    log_bayes_factor = abs(few$log_bayes_factor - many$log_bayes_factor),
    count = abs(few$count - many$count), bayes = many$log_bayes_factor,
    stated = few$error, nodes = few$drawn, nodes_many = many$drawn, seconds = few$seconds,
    seconds_many = many$seconds, method = few$method
  )
}
rows <- do.call(rbind, rows)
if (nzchar(Sys.getenv("CAMPAIGN_ROWS"))) utils::write.csv(rows, Sys.getenv("CAMPAIGN_ROWS"))

campaign_figure(campaign, "tables", nrow(rows))
most <- c(probability = 0.015, log_bayes_factor = 0.15, count = 0.5)
for (what in names(most)) {
  campaign_figure(campaign, paste(what, "in 90 %"), stats::quantile(rows[[what]], 0.9), most[[what]])
  campaign_figure(campaign, paste(what, "at most"), max(rows[[what]]))
}
known <- rows[is.finite(rows$stated), ]
campaign_figure(
  campaign, "log_bayes_factor beyond the stated error", mean(known$log_bayes_factor > 1.64 * known$stated), 0.1
)
campaign_end(campaign)
