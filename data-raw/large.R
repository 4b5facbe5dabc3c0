# inst/results/large.csv, which vignette("large-tables") reads: the rows of
# tools/bench/results/large.csv, averaged over the seeds; the seconds under both BLAS.
#
#   Rscript data-raw/large.R

rows <- utils::read.csv("tools/bench/results/large.csv", check.names = FALSE)
reference <- grepl("reference", rows$blas)
key <- function(rows) do.call(paste, rows[c("data", "n", "columns", "method", "flips")])
mean_of <- function(rows) {
  by_key <- split(rows, factor(key(rows), unique(key(rows))))
  measures <- c("seconds", "peak_mb", "error", "log_loss", "auc", "epsilon")
  do.call(rbind, unname(lapply(by_key, function(g) {
    data.frame(
      g[1, c("data", "n", "columns", "method", "flips")], seeds = nrow(g),
      lapply(g[measures], function(x) signif(mean(x), 4))
    )
  })))
}
table <- mean_of(rows[!reference, ])
other <- mean_of(rows[reference, ])
table$seconds_reference <- other$seconds[match(key(table), key(other))]
utils::write.csv(table, "inst/results/large.csv", row.names = FALSE)
