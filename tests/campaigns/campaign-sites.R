# Damaged sites of shards. A run that resumes from them must refuse them by the error that says
# so, naming the shard, and leave them as they are; or, where what was done to them is no damage,
# end where an undisturbed run ends. Sites that were whole are taken in the end.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("sites", cases = 2000, seconds = 900)
options(sturdy.progress = FALSE)

n <- 240
rows <- data.frame(a = rnorm(n), b = rnorm(n), f = sample(letters[1:3], n, TRUE))
rows$class <- ifelse(rows$a + rnorm(n) > 0, "yes", "no")
folder <- tempfile("sites")
dir.create(folder)
run <- function(folder, rows, resume = TRUE) {
  suppressWarnings(suppressMessages(bpm(
    class ~ ., shards(rows, 3, batch_size = 30, checkpoint = folder, resume = resume),
    nugget = 1, epsilon = 0.1, prior_scale = 1
  )))
}
expected <- coef(run(folder, rows, FALSE))
files <- list.files(folder, full.names = TRUE)
whole <- lapply(files, function(file) readBin(file, "raw", file.size(file)))
others <- tempfile("others") # of other rows, as many
dir.create(others)
invisible(run(others, transform(rows, a = a + 1), FALSE))
stream <- tempfile()
invisible(bpm_stream(class ~ ., rows, batch_size = 100, checkpoint = stream))

# Kinds of damage -----------------------------------------------------------------

read <- function(file) readBin(file, "raw", file.size(file))
flip <- function(bytes, k) replace(bytes, k, xor(bytes[k], as.raw(sample(1:255, length(k), TRUE))))
header <- function(bytes) which(bytes == as.raw(10))[1]
damage <- list(
  bit = function(b) {
    k <- sample(length(b), 1)
    replace(b, k, xor(b[k], as.raw(2^sample(0:7, 1))))
  },
  header = function(b) flip(b, sample(header(b), 1)),
  bits = function(b) flip(b, sample(length(b), sample(2:50, 1))),
  payload = function(b) flip(b, header(b) + sample(length(b) - header(b), sample(3, 1))),
  cut = function(b) b[seq_len(sample(0:(length(b) - 1), 1))],
  longer = function(b) c(b, as.raw(sample(0:255, sample(1000, 1), TRUE))),
  twice = function(b) c(b, b),
  zeros = function(b) {
    from <- sample(length(b), 1)
    replace(b, from:min(length(b), from + sample(1:600, 1)), as.raw(0))
  },
  removed = function(b) b[-(sample(length(b), 1) + 0:sample(0:20, 1))],
  neighbour = function(b) whole[[sample(which(!vapply(whole, identical, NA, b)), 1)]],
  of_others = function(b) read(list.files(others, full.names = TRUE)[match(list(b), whole)]),
  checkpoint = function(b) read(stream),
  rds = function(b) serialize(expected, NULL),
  text = function(b) charToRaw(paste(sample(letters, 500, TRUE), collapse = "")),
  noise = function(b) as.raw(sample(0:255, sample(2000, 1), TRUE)),
  swapped_numbers = function(b) { # a header that is right, on sites in another order
    at <- header(b) + c(1, 9)
    replace(b, c(at[1] + 0:7, at[2] + 0:7), b[c(at[2] + 0:7, at[1] + 0:7)])
  }
)

said <- character()
kinds <- rep_len(names(damage), campaign$cases)
changed <- unnamed <- 0
for (i in seq_len(campaign$cases)) {
  if (campaign_over(campaign)) break
  campaign_seed_case(campaign, i)
  k <- sample(3, 1)
  bytes <- damage[[kinds[i]]](whole[[k]])
  if (identical(bytes, whole[[k]])) next
  writeBin(bytes, files[k])
  said[i] <- tryCatch(
    {
      fit <- run(folder, rows)
      if (max(abs(coef(fit) - expected)) < 1e-6) "no damage" else "ACCEPTED"
    },
    sturdy_error_shard = function(cnd) {
      unnamed <<- unnamed + !grepl(sprintf("\\b%d\\b", k), conditionMessage(cnd))
      if (inherits(cnd$parent, "sturdy_error_checkpoint")) "refused" else conditionMessage(cnd)
    },
    error = function(cnd) paste("other:", class(cnd)[1])
  )
  changed <- changed + (said[i] == "refused" && !identical(read(files[k]), bytes))
  for (j in 1:3) writeBin(whole[[j]], files[j])
}
print(table(kinds[seq_along(said)], said))
after <- coef(run(folder, rows))

campaign_figure(campaign, "damaged sites", sum(!is.na(said)))
campaign_figure(campaign, "accepted", sum(said == "ACCEPTED", na.rm = TRUE), 0)
campaign_figure(
  campaign, "other errors", sum(!said %in% c("refused", "no damage", "ACCEPTED", NA)), 0
)
campaign_figure(campaign, "refused without naming the shard", unnamed, 0)
campaign_figure(campaign, "damaged files that were written over", changed, 0)
campaign_figure(campaign, "whole sites lead elsewhere, by", max(abs(after - expected)), 1e-6)
campaign_figure(
  campaign, "files left over", length(list.files(folder, all.files = TRUE, no.. = TRUE)) - 3, 0
)
unlink(c(folder, others, stream), recursive = TRUE)
campaign_end(campaign)
