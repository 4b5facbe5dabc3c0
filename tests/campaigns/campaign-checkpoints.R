# Damaged checkpoints. A child process reads them one after the other, so that a
# crash or a hang of R is seen: none may be accepted, and all must be refused by the
# error that says so.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("checkpoints", cases = 2000, seconds = 900)

# A stream and its checkpoint -------------------------------------------------

folder <- tempfile("checkpoints")
dir.create(folder)
rows <- data.frame(a = rnorm(400), b = rnorm(400), f = sample(letters[1:4], 400, TRUE))
rows$class <- ifelse(rows$a + rnorm(400) > 0, "yes", "no")
formula <- stats::as.formula("class ~ poly(a, 2) + b + f", globalenv())
whole_file <- file.path(folder, "whole")
fit <- bpm_stream(formula, rows[1:300, ], batch_size = 100, checkpoint = whole_file)
whole <- readBin(whole_file, "raw", file.size(whole_file))
saveRDS(list(rows = rows, formula = formula), file.path(folder, "run.rds"))

# Kinds of damage ---------------------------------------------------------------

other_rds <- function(compress, object) {
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(object, file, compress = compress)
  readBin(file, "raw", file.size(file))
}
some <- function(n) sample(length(whole), n)
header <- 68 # bytes
damage <- list(
  bit = function() {
    k <- some(1)
    replace(whole, k, xor(whole[k], as.raw(2^sample(0:7, 1))))
  },
  header_bit = function() {
    k <- sample(header, 1)
    replace(whole, k, xor(whole[k], as.raw(2^sample(0:7, 1))))
  },
  bits = function() {
    k <- some(sample(2:50, 1))
    replace(whole, k, xor(whole[k], as.raw(sample(1:255, length(k), TRUE))))
  },
  cut = function() whole[seq_len(sample(0:(length(whole) - 1), 1))],
  longer = function() c(whole, as.raw(sample(0:255, sample(1000, 1), TRUE))),
  twice = function() c(whole, whole),
  swapped = function() {
    size <- sample(c(8, 64, 512), 1)
    at <- sort(sample(length(whole) %/% size, 2)) - 1
    a <- at[1] * size + seq_len(size)
    b <- at[2] * size + seq_len(size)
    replace(whole, c(a, b), whole[c(b, a)])
  },
  zeros = function() {
    from <- some(1)
    replace(whole, from:min(length(whole), from + sample(1:600, 1)), as.raw(0))
  },
  removed = function() whole[-(some(1) + 0:sample(0:20, 1))],
  old = function() other_rds(FALSE, fit), # as before the header
  old_bit = function() {
    bytes <- other_rds(FALSE, fit)
    k <- sample(length(bytes), 1)
    replace(bytes, k, xor(bytes[k], as.raw(2^sample(0:7, 1))))
  },
  rds = function() other_rds(sample(c("gzip", "bzip2", "xz"), 1), fit),
  text = function() charToRaw(paste(sample(letters, 500, TRUE), collapse = "")),
  noise = function() as.raw(sample(0:255, sample(2000, 1), TRUE)),
  # a header that is right, on a payload that is not
  payload = function() {
    bytes <- whole[-seq_len(header)]
    k <- sample(length(bytes), sample(3, 1))
    bytes <- replace(bytes, k, as.raw(sample(0:255, length(k), TRUE)))
    c(whole[seq_len(header)], bytes)
  }
)

# The child --------------------------------------------------------------------

# Reads the paths of checkpoints from its input; answers with a line for each.
child <- '
  library(sturdy)
  run <- readRDS(file.path(commandArgs(TRUE)[1], "run.rds"))
  until <- proc.time()[["elapsed"]] + as.numeric(commandArgs(TRUE)[2])
  paths <- file("stdin", "r")
  while (length(path <- readLines(paths, 1)) && proc.time()[["elapsed"]] < until) {
    seconds <- system.time(gcFirst = FALSE, said <- tryCatch({
      suppressMessages(bpm_stream(run$formula, run$rows, batch_size = 100,
                                  checkpoint = path, resume = TRUE))
      "accepted"
    }, sturdy_error_checkpoint_version = function(cnd) "version",
       sturdy_error_checkpoint_damaged = function(cnd) "damaged",
       error = function(cnd) paste("other:", class(cnd)[1])))[["elapsed"]]
    cat(path, said, seconds, sep = "\t", fill = FALSE)
    cat("\n")
  }
'
script <- file.path(folder, "child.R")
writeLines(child, script)

n <- campaign$cases
kinds <- rep_len(names(damage), n)
files <- file.path(folder, sprintf("case-%05d", seq_len(n)))
for (i in seq_len(n)) {
  repeat { # what happens to change nothing is no damage
    bytes <- damage[[kinds[i]]]()
    if (!identical(bytes, whole)) break
  }
  writeBin(bytes, files[i])
}
paths <- file.path(folder, "paths")
writeLines(c(whole_file, files), paths) # the undamaged one first: it must go on
answers <- system2(
  file.path(R.home("bin"), "Rscript"),
  c(shQuote(script), shQuote(folder), campaign$seconds),
  stdin = paths, stdout = TRUE, stderr = FALSE, timeout = campaign$seconds + 60
)
status <- attr(answers, "status") # of a child that crashed, or hangs
answers <- utils::read.table(
  text = answers, sep = "\t", col.names = c("path", "said", "seconds")
)
first <- answers$said[1]
answers <- answers[-1, ]
print(table(kind = kinds[seq_len(nrow(answers))], answers$said))

campaign_figure(campaign, "damaged checkpoints", nrow(answers))
campaign_figure(campaign, "undamaged ones refused", as.numeric(first != "accepted"), 0)
campaign_figure(campaign, "accepted", sum(answers$said == "accepted"), 0)
campaign_figure(campaign, "other errors", sum(startsWith(answers$said, "other")), 0)
campaign_figure(campaign, "crashes and hangs of R", length(status), 0)
campaign_figure(campaign, "longest, s", max(answers$seconds), 5)
unlink(folder, recursive = TRUE)
campaign_end(campaign)
