# A disk that is full: runs that write files of every kind (checkpoints of a stream, sites of
# shards, answers for shards, reports), in which no file may have more than some number of blocks.
# What can't be written must be an error of ours, with the old file as it was and nothing beside
# it; what was written must be whole. Runs that stopped go on where there is room again, to the
# end of a run that nobody disturbed.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("disk", cases = 60, seconds = 900)
if (.Platform$OS.type == "windows") campaign_end(campaign)

base <- tempfile("disk")
dir.create(base)
child <- '
  library(sturdy)
  options(sturdy.progress = FALSE)
  arguments <- commandArgs(TRUE)
  if ("no temporary folder" %in% arguments) unlink(tempdir(), recursive = TRUE)
  at <- function(...) file.path(arguments[1], ...)
  older <- arguments[2] == "older" # a state to start from
  set.seed(1)
  d <- data.frame(matrix(rnorm(900 * 12), 900))
  d$class <- d$X1 + rnorm(900) > 0
  say <- function(name, code) {
    said <- tryCatch({
      value <- suppressWarnings(suppressMessages(code))
      if (inherits(value, "sturdy_model")) format(sum(coef(value)), digits = 7) else "done"
    }, error = function(cnd) c(grep("^sturdy_error_", class(cnd), value = TRUE), "unclassed")[1])
    cat(name, said, "\n")
  }
  fit <- bpm(class ~ ., d[1:80, ], nugget = 1, epsilon = 0.1)
  say("stream", bpm_stream(
    class ~ ., d[seq_len(if (older) 300 else 900), ], batch_size = 100, progress = FALSE,
    checkpoint = at("stream"), resume = TRUE
  ))
  say("sites", bpm(
    class ~ ., shards(d, 2, checkpoint = at("sites"), resume = TRUE), nugget = 1, epsilon = 0.1,
    control = ep_control(max_sweeps = if (older) 2 else 200)
  ))
  if (older) writeLines("old", at("report.html"))
  if (!older) {
    say("answers", predict(fit, shards(d, 2), type = "prob", to = at("answers")))
    say("report", label_report(fit, at("report.html"), n = 3))
  }
'
script <- file.path(base, "child.R")
writeLines(child, script)
run <- function(folder, state, blocks = NULL, more = "") {
  limit <- if (is.null(blocks)) "" else sprintf("trap '' XFSZ; ulimit -f %d; ", blocks)
  said <- system(paste0(
    limit, shQuote(file.path(R.home("bin"), "Rscript")), " ", shQuote(script), " ",
    shQuote(folder), " ", state, " ", shQuote(more), " 2>/dev/null"
  ), intern = TRUE)
  said <- strsplit(trimws(said), " ")
  stats::setNames(vapply(said, `[`, "", 2), vapply(said, `[`, "", 1))
}
new_folder <- function(name) {
  folder <- file.path(base, name)
  dir.create(folder)
  for (kind in c("sites", "answers")) dir.create(file.path(folder, kind))
  folder
}
files_of <- function(folder) tools::md5sum(list.files(folder, recursive = TRUE, full.names = TRUE))
relative <- function(sums, folder) stats::setNames(sums, substring(names(sums), nchar(folder) + 2))

older <- new_folder("older")
invisible(run(older, "older"))
begun <- relative(files_of(older), older)
whole <- new_folder("whole")
take_over <- function(folder) {
  invisible(file.copy(list.files(older, full.names = TRUE), folder, recursive = TRUE))
}
take_over(whole)
expected <- run(whole, "whole")
complete <- relative(files_of(whole), whole)
most <- max(file.size(list.files(whole, recursive = TRUE, full.names = TRUE))) / 512

refused <- unclassed <- torn <- left <- elsewhere <- cases <- 0
said_all <- NULL
# of a kind of file
kind_of <- function(names) sub("/.*|[.]html$", "", names)
while (cases < campaign$cases && !campaign_over(campaign)) {
  cases <- cases + 1
  campaign_seed_case(campaign, cases)
  folder <- new_folder(paste0("case", cases))
  take_over(folder)
  # of small files as often as of large ones
  any_size <- round(exp(stats::runif(1, 0, log(most))))
  said <- run(folder, "whole", sample(c(0, 1, 2, 4, 8, any_size), 1))
  failed <- said != expected[names(said)] & !grepl("^-?[0-9.]", said)
  refused <- refused + sum(failed)
  unclassed <- unclassed + sum(!grepl("^sturdy_error_", said[failed])) +
    !identical(names(said), names(expected))
  said_all <- c(said_all, paste(names(said), ifelse(failed, said, "written")))
  now <- relative(files_of(folder), folder)
  left <- left + sum(!names(now) %in% names(complete))
  # a run that stopped between two writes of a checkpoint has the earlier one
  torn <- torn + sum(vapply(names(now), function(file) {
    kind <- kind_of(file)
    stopped <- isTRUE(failed[[kind]])
    fine <- c(complete[file], if (stopped) begun[file])
    !now[[file]] %in% fine && kind %in% c("report", "answers")
  }, NA))
  unlink(file.path(folder, "answers", "*"))
  again <- run(folder, "whole")
  elsewhere <- elsewhere + !identical(again, expected)
  unlink(folder, recursive = TRUE)
}
# Without a temporary folder, and where nobody may write (/proc): the same, or an error of ours
if (dir.exists("/proc")) {
  folder <- new_folder("without")
  take_over(folder)
  without <- list(run(folder, "whole", more = "no temporary folder"), run("/proc", "whole"))
  for (said in without) {
    fine <- said == expected[names(said)] | grepl("^sturdy_error_", said)
    unclassed <- unclassed + sum(!fine) + !identical(names(said), names(expected))
    said_all <- c(said_all, paste(names(said), ifelse(fine & said == expected, "written", said)))
    refused <- refused + sum(said != expected)
  }
  cases <- cases + 2
}
print(table(said_all))
campaign_figure(campaign, "runs", cases)
campaign_figure(campaign, "writes refused", refused)
campaign_figure(campaign, "errors not ours", unclassed, 0)
campaign_figure(campaign, "files neither old nor whole", torn, 0)
campaign_figure(campaign, "files left over", left, 0)
campaign_figure(campaign, "runs that went on to another end", elsewhere, 0)
unlink(base, recursive = TRUE)
campaign_end(campaign)
