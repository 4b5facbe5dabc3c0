# The default call over the fit at the optimum, on 15 real tables as they are: CPU seconds, in
# processes of their own; the median of the ratios and the worst.
#
#   Rscript ratio.R [repeats]     (default: 2, of which the faster one counts)

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

one_fit <- function(name, hyper) {
  data <- real_table(name)
  data <- utils::head(data, sized(1000, 60))
  quiet(gpc(class ~ ., bench_table(60, 2), hyper = hyper)) # what a session does once
  spent <- cpu(system.time(fit <- quiet(gpc(class ~ ., data, hyper = hyper))))
  data.frame(
    data = name, n = nrow(data), d = ncol(data) - 1, seconds = spent,
    evaluations = sum(fit$learning$evaluations)
  )
}

given <- commandArgs(TRUE)
if ("--one" %in% given) {
  saveRDS(one_fit(given[2], given[3]), given[4])
} else {
  repeats <- as.integer(c(given, sized("2", "1"))[1])
  machine <- machine_line()
  print_machine(machine)
  fastest <- function(name, hyper) {
    runs <- do.call(rbind, lapply(seq_len(repeats), function(k) in_own_process(name, hyper)))
    runs[which.min(runs$seconds), ]
  }
  tables <- Filter(function(name) !is.null(real_table(name)), real_tables)
  rows <- do.call(rbind, lapply(sized(tables, tables[1:3]), function(name) {
    optimum <- fastest(name, "optimum")
    default <- fastest(name, "integrate")
    data.frame(
      optimum[c("data", "n", "d")], optimum = optimum$seconds, default = default$seconds,
      ratio = default$seconds / optimum$seconds, evaluations = default$evaluations
    )
  }))
  cat(sprintf(
    "\n%d tables: median ratio %.2f (aim 3.5), worst %.2f (aim 6)\n", nrow(rows),
    stats::median(rows$ratio), max(rows$ratio)
  ))
  bench_save(rows, "ratio", machine, "data")
}
