# label_report() in a real browser: pages of two classes, of several, of scores, with names that
# are hard to write and with 2,000 rows are answered by pointer and keys (report-browser.js), and
# what they save is taken in: the fit must be the one that the same checks give when written by
# hand. Needs node and Chromium; without them it says so and ends. With STURDY_PICTURES=<folder>
# the pages are drawn into it, to be looked at.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("report", cases = 4, seconds = 600)
chromium <- Filter(nzchar, Sys.which(c("chromium", "chromium-browser", "google-chrome")))[1]
node <- Sys.which("node")
if (is.na(chromium) || !nzchar(node)) {
  cat("report: not tried, for want of node or Chromium\n")
  quit(save = "no")
}
folder <- normalizePath(tempfile("report"), mustWork = FALSE)
dir.create(folder)

# Cases -------------------------------------------------------------------------

hard <- c(
  "</script><script>hacked=1</script>", "it's \"b\",\n\u00e9 & <b> \u2028 {{title}}", "=1+1; --"
)

# A table with wrong labels, whose identifiers and classes are hard to write
table_of <- function(n, classes) {
  d <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n))
  true <- if (length(classes) == 2) 1 + (d$a + d$b > 0) else 1 + (d$a > 0) + (d$b > 0)
  wrong <- sample(n, n %/% 12)
  true[wrong] <- sample(seq_along(classes), length(wrong), TRUE)
  d$class <- factor(classes[true], levels = classes)
  d[["the \"id\", <i>"]] <- hostile(n)
  d
}

scores_of <- function(d) stats::plogis(2 * (d$a + d$b))

cases <- list(
  two = function() {
    d <- table_of(60, c("no", "yes"))
    list(data = d, fit = gpc(class ~ a + b, d), id = NULL)
  },
  several = function() {
    d <- table_of(80, hard)
    list(data = d, fit = gpc(class ~ a + b, d, epsilon = 0.05), id = names(d)[4])
  },
  scores = function() {
    d <- table_of(80, hard[1:2])
    list(data = d, fit = second_stage(scores_of(d), d$class), id = names(d)[4])
  },
  many = function() {
    d <- table_of(2000, hard[2:1])
    list(data = d, fit = bpm(class ~ a + b, d, epsilon = 0.05), id = names(d)[4])
  }
)

# Answers --------------------------------------------------------------------------

# What is said of some rows of a page, with the class that it makes of them
plan_of <- function(case, listed) {
  levels <- case$fit$blueprint$levels
  at <- sort(sample(length(listed), min(length(listed), 12)))
  recorded <- match(as.character(case$data$class)[listed[at]], levels)
  said <- rep_len(c("wrong", "right", "open"), length(at))
  class <- recorded
  class[said == "wrong"] <- vapply(recorded[said == "wrong"], function(k) {
    others <- setdiff(seq_along(levels), k)
    others[sample(length(others), 1)]
  }, 1L)
  note <- rep_len(c("\"\"", "\"a \\\"note\\\", <b>; \u00e9\""), length(at))
  list(
    lines = paste(
      at, rep_len(c("pointer", "keys"), length(at)), said,
      ifelse(said == "wrong" & length(levels) > 2, class, 0), note, sep = "\t"
    ),
    checked = data.frame(row = listed[at], label = levels[class])[said != "open", ]
  )
}

# Wrong labels expected among the rows that a plan leaves, as the page should say it
left_by <- function(case, plan) {
  found <- suppressMessages(mislabelled(case$fit))
  expected <- attr(found, "expected")
  taken <- found$row %in% plan$checked$row
  left <- if (is.null(found$if_some)) {
    expected$count * (1 - sum(found$probability[taken]) / expected$at_fit)
  } else {
    sum(found$if_some[!taken]) # a wrong label has been found
  }
  format(if (left < 9.95) signif(left, 2) else round(left))
}

page_of <- function(case, name, title = NULL) {
  file <- file.path(folder, paste0(name, ".html"))
  if (is.null(title)) title <- paste(hostile(20), collapse = " ")
  label_report(case$fit, file, n = 2000, data = case$data, id = case$id, title = title)
  file
}

# Fits without what tells when they were made
bare <- function(fit) fit[setdiff(names(fit), "call")]

for (name in utils::head(names(cases), campaign$cases)) {
  if (campaign_over(campaign)) break
  case <- suppressMessages(cases[[name]]())
  page <- page_of(case, name)
  other <- page_of(case, "other", "Another report")
  listed <- suppressMessages(mislabelled(case$fit))$row
  plan <- plan_of(case, listed)
  writeLines(enc2utf8(plan$lines), file.path(folder, "plan.tsv"), useBytes = TRUE)
  drawn <- Sys.getenv("STURDY_PICTURES")
  if (nzchar(drawn)) dir.create(drawn <- file.path(drawn, name), FALSE, TRUE)
  said <- system2(node, shQuote(c(
    file.path(campaign_folder(), "report-browser.js"), chromium, page, other, folder,
    file.path(folder, "plan.tsv"), drawn
  )), stdout = TRUE)
  failed <- grepl("^FAILED", said)
  cat(paste0("report: ", name, ": ", said[failed | grepl("^status", said)], "\n"), sep = "")
  campaign_figure(campaign, paste(name, "looked at"), sum(grepl("^ok", said)))
  texts <- 20 + if (is.null(case$id)) 0 else length(listed)
  campaign_figure(campaign, paste(name, "hostile titles and identifiers on the page"), texts)
  number <- sub(".*: about ([0-9.]+)[.]$", "\\1", grep("^status", said, value = TRUE))
  campaign_figure(
    campaign, paste(name, "number expected among the rest is another"),
    !identical(number, left_by(case, plan)), at_most = 0
  )
  ended <- any(grepl("complaint", said)) # the last thing that is looked at
  campaign_figure(campaign, paste(name, "failed"), sum(failed) + !ended, at_most = 0)
  answers <- file.path(folder, paste0(name, "-answers.csv"))
  id <- if (!is.null(case$id)) case$data[case$id]
  taken <- list(
    "the file" = function() update(case$fit, checked = answers, id = id),
    "read.csv()" = function() {
      update(case$fit, checked = utils::read.csv(answers, encoding = "UTF-8"), id = id)
    },
    "positions alone" = function() update(case$fit, checked = answers)
  )
  by_hand <- bare(suppressMessages(update(case$fit, checked = plan$checked)))
  for (how in names(taken)) {
    fit <- tryCatch(bare(suppressMessages(taken[[how]]())), error = conditionMessage)
    if (is.character(fit)) cat("report:", name, fit, "\n")
    campaign_figure(
      campaign, paste(name, "other than by hand, by", how), !identical(fit, by_hand), at_most = 0
    )
  }
}
unlink(folder, recursive = TRUE)
campaign_end(campaign)
