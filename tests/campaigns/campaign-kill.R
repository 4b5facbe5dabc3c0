# kill -9 at random moments of bpm_stream(). In each round a child process is killed
# once or several times, each time resumed by the next child, and the last one finishes
# here: its fit must be bitwise that of an uninterrupted run, and nothing but the
# checkpoint may be left in the folder.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("kill", cases = 300, seconds = 1500)

# A stream with 20 batches and 61 weights, so that writing takes part of the time -----

folder <- tempfile("kill")
dir.create(folder)
source_file <- file.path(folder, "rows.csv")
rows <- as.data.frame(matrix(round(rnorm(200 * 60), 4), 200))
rows$class <- ifelse(rows$V1 + rnorm(200) > 0, "yes", "no")
utils::write.csv(rows, source_file, row.names = FALSE)
states <- file.path(folder, "states")
dir.create(states)
checkpoint <- file.path(states, "state")
run <- function(source, ...) {
  suppressMessages(bpm_stream(
    class ~ ., source, df = 3, batch_size = 10, progress = FALSE, ...
  ))
}
unbroken <- run(source_file)

unfinished <- function() list.files(states, "sturdy-part$")

# A child forked from this process starts at once. It is sent the signal by the
# parent, so that it can die anywhere, in C and within a system call too; every other
# time once a checkpoint is being written.
killed_after <- function(seconds, writing) {
  child <- parallel::mcparallel(
    run(source_file, checkpoint = checkpoint, resume = TRUE),
    silent = TRUE, mc.set.seed = FALSE
  )
  Sys.sleep(seconds)
  until <- proc.time()[["elapsed"]] + whole_run
  while (writing && !length(unfinished()) && proc.time()[["elapsed"]] < until) NULL
  tools::pskill(child$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(child))
}
whole_run <- system.time(run(source_file, checkpoint = file.path(states, "timed")))[["elapsed"]]
unlink(file.path(states, "timed"))

rounds <- kills <- different <- refused <- left <- parts <- begun <- 0
while (rounds < campaign$cases && !campaign_over(campaign)) {
  rounds <- rounds + 1
  for (k in seq_len(sample(2, 1))) {
    killed_after(runif(1, 0, whole_run), writing = kills %% 2 == 0)
    kills <- kills + 1
    begun <- begun + file.exists(checkpoint)
    parts <- parts + length(unfinished())
  }
  fit <- tryCatch(
    run(source_file, checkpoint = checkpoint, resume = TRUE),
    error = function(cnd) NULL
  )
  refused <- refused + is.null(fit)
  same <- setdiff(names(unbroken), "call") # arguments of this script's run() are in it
  different <- different + !identical(unclass(fit)[same], unclass(unbroken)[same])
  left <- left + length(setdiff(list.files(states, all.files = TRUE, no.. = TRUE), "state"))
  unlink(checkpoint)
}

campaign_figure(campaign, "rounds", rounds)
campaign_figure(campaign, "kills", kills)
campaign_figure(campaign, "of them with a checkpoint to go on from", begun)
campaign_figure(campaign, "of them while a checkpoint was written", parts)
campaign_figure(campaign, "resumed runs that were refused", refused, 0)
campaign_figure(campaign, "resumed runs that differ in a bit", different, 0)
campaign_figure(campaign, "files left over", left, 0)
unlink(folder, recursive = TRUE)
campaign_end(campaign)
