# Assumed density filtering: rows a second against the memory-bandwidth limit, and
# a CSV file of a million rows in bounded memory.
#
#   Rscript adf.R [rows of the CSV file]
#
# A row updates a k x k matrix: the matrix is read for S x and changed by the rank-one
# term, so the limit is that of touching it twice a row. It is measured in the same run
# by memcpy (bandwidth.c), which reads and writes each double once: repeatedly of k x k
# doubles (`limit`: the matrix stays in the smallest cache it fits), and of an array
# larger than all caches (`memory_limit`: every access goes to main memory). S is
# symmetric and only one half of it is touched, so the limit can be exceeded.
#
# The CSV part runs in separate processes, whose peak memory the system reports
# (VmHWM in /proc/self/status; NA where there is no such file). Memory is bounded if
# the peak does not rise with a file ten times as long.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
script <- sub("^--file=", "", args[1])
source(file.path(dirname(script), "helper.R"))

adf <- utils::getFromNamespace("native_adf", "sturdy")

peak_memory <- function() {
  line <- tryCatch(
    grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE),
    error = function(cnd) character(), warning = function(cnd) character()
  )
  if (length(line) != 1) return(NA)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}

# In a process of its own -------------------------------------------------------

stream_file <- function(file) {
  bpm_stream(class ~ ., file, df = 3, progress = FALSE)
}

given <- commandArgs(TRUE)
if (length(given) && given[1] == "--alone") {
  seconds <- system.time(fit <- stream_file(given[2]))
  seconds <- if (given[3] == "1") sum(seconds[1:2]) else seconds[[3]]
  cat(seconds, peak_memory(), fit$filter$rows, fit$filter$errors, "\n")
  quit()
}

alone <- function(file) {
  out <- system2(file.path(R.home("bin"), "Rscript"),
    c(shQuote(script), "--alone", shQuote(file), machine$threads),
    stdout = TRUE
  )
  as.numeric(strsplit(tail(out, 1), " ")[[1]])
}

# Bandwidth ---------------------------------------------------------------------

compile_bandwidth <- function() {
  folder <- file.path(dirname(script), "build")
  dir.create(folder, showWarnings = FALSE)
  file.copy(file.path(dirname(script), "bandwidth.c"), folder, overwrite = TRUE)
  library <- file.path(folder, paste0("bandwidth", .Platform$dynlib.ext))
  system2(file.path(R.home("bin"), "R"),
    c("CMD", "SHLIB", "-o", shQuote(library), shQuote(file.path(folder, "bandwidth.c"))),
    stdout = FALSE, stderr = FALSE
  )
  getNativeSymbolInfo("copy_doubles", dyn.load(library))
}

# Seconds (see least_seconds()) of one copy of `size` doubles
copy_seconds <- function(size) {
  times <- ceiling(if (size < 1e7) 1e9 / size else 3e8 / size)
  least_seconds(.Call(copy, size, times), 9, machine$threads) / times
}

# Rows a second -------------------------------------------------------------------

row_seconds <- function(k, df) {
  n <- ceiling(min(5e8 / k^2, 2e5))
  set.seed(1)
  Xt <- matrix(stats::rnorm(k * n), k)
  y <- ifelse(drop(stats::rnorm(k) %*% Xt) > 0, 1, -1)
  L <- likely(y, 0.01)
  state <- list(mu = double(k), S = diag(k), log_scale = 0)
  least_seconds(adf(Xt, L, df, rep(1, k), 0, state), 9, machine$threads) / n
}

measure <- function(k, df, memory_seconds) {
  row <- row_seconds(k, df)
  limit <- copy_seconds(k^2)
  data.frame(
    k = k, df = df, rows_per_second = 1 / row, gb_per_second = 16 * k^2 / row / 1e9,
    limit = 1 / limit, of_limit = limit / row,
    memory_limit = 1 / (memory_seconds * k^2), of_memory_limit = memory_seconds * k^2 / row
  )
}

# CSV -----------------------------------------------------------------------------

# 20 columns of four digits and a class, written a piece at a time
write_rows <- function(n, p = 20, seed = 1) {
  file <- tempfile(fileext = ".csv")
  con <- file(file, "wt")
  on.exit(close(con))
  set.seed(seed)
  w <- stats::rnorm(p)
  writeLines(paste(c(paste0("x", seq_len(p)), "class"), collapse = ","), con)
  left <- n
  while (left > 0) {
    rows <- min(left, 50000)
    X <- matrix(round(stats::rnorm(rows * p), 4), rows)
    wrong <- stats::runif(rows) < 0.01
    class <- ifelse((X %*% w > 0) != wrong, "yes", "no")
    columns <- c(lapply(seq_len(p), function(j) X[, j]), list(class), sep = ",")
    writeLines(do.call(paste, columns), con)
    left <- left - rows
  }
  file
}

measure_csv <- function(n) {
  file <- write_rows(n)
  on.exit(unlink(file))
  out <- alone(file)
  data.frame(
    rows = n, columns = 20, file_mb = file.size(file) / 1e6, seconds = out[1],
    rows_per_second = n / out[1], peak_mb = out[2] / 1e6, error = out[4] / out[3]
  )
}

machine <- machine_line()
print_machine(machine)
copy <- compile_bandwidth()
memory_seconds <- copy_seconds(sized(3e7, 1e5)) / sized(3e7, 1e5)
cat(sprintf(
  "memcpy: %.1f GB/s read and written beyond the caches, %.1f GB/s of 100 x 100\n\n",
  16e-9 / memory_seconds, 16e-5 / copy_seconds(1e4)
))
cases <- expand.grid(df = c(Inf, 3), k = sized(c(20, 100, 300, 1000), 20))
rates <- do.call(rbind, Map(measure, cases$k, cases$df, memory_seconds))
bench_save(rates, "adf", machine)

n <- as.double(c(given, sized("1e6", "1e3"))[1])
cat("\n")
csv <- do.call(rbind, lapply(c(n / 100, n / 10, n), measure_csv))
bench_save(csv, "adf-csv", machine)
