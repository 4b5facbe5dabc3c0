# Tables with several readers.

# Two inputs, and labels by readers with these rates of right answers for the two classes
reader_table <- function(seed = 1, n = 60, right = list(a = c(0.9, 0.8), b = c(0.7, 0.9), c = c(0.6, 0.7)),
                         cover = 0.7) {
  withr::with_seed(seed, {
    d <- data.frame(x1 = stats::rnorm(n), x2 = stats::rnorm(n))
    truth <- 1 + (d$x1 + d$x2 > 0)
    for (r in names(right)) {
      said <- ifelse(stats::runif(n) < right[[r]][truth], truth, 3 - truth)
      d[[r]] <- c("no", "yes")[ifelse(stats::runif(n) < cover, said, NA)]
    }
    list(d = d, truth = truth)
  })
}

# the same as a row for each label
long_table <- function(d, readers, item = seq_len(nrow(d))) {
  long <- do.call(rbind, lapply(readers, function(r) {
    data.frame(d[c("x1", "x2")], label = d[[r]], who = r, case = item)
  }))
  long[!is.na(long$label), ]
}
