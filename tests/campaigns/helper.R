# What the campaigns share. A campaign attacks the package with many seeded
# cases within a given time, counts what happened and prints its figures; a
# figure beyond its limit makes it fail. Each is a script of its own:
#
#   sh tools/run.sh ../tests/campaigns/campaign-<name>.R [cases] [seconds]
#
# and `make campaigns` runs them all. The environment variable CAMPAIGN_SEED, a whole
# number from 1 (the default) to 10,000, is the seed of every one. With CAMPAIGN_RESULTS, a folder
# (tests/campaigns/results), its figures are added to the table <name>.csv there, with the commit.

library(sturdy)

# The settings of one campaign: how many cases, and after how many seconds it
# ends with fewer; both can be given on the command line.
campaign_start <- function(name, cases, seconds) {
  given <- suppressWarnings(as.numeric(commandArgs(TRUE)))
  seed <- suppressWarnings(as.integer(Sys.getenv("CAMPAIGN_SEED", "1")))
  if (!seed %in% 1:10000) stop("CAMPAIGN_SEED must be a whole number from 1 to 10000.")
  set.seed(seed)
  list2env(list(
    name = name, begun = proc.time()[["elapsed"]], seed = seed,
    cases = if (length(given) >= 1) given[1] else cases,
    seconds = if (length(given) >= 2) given[2] else seconds,
    failed = FALSE, figures = NULL, results = results_folder(),
    commit = system2("git", c("-C", shQuote(campaign_folder()), "describe", "--always", "--dirty"), TRUE)
  ))
}

results_folder <- function() {
  folder <- Sys.getenv("CAMPAIGN_RESULTS")
  if (nzchar(folder)) normalizePath(folder, mustWork = TRUE)
}

# Case k by itself, whatever came before it
campaign_seed_case <- function(campaign, k) set.seed(k + 2e5 * (campaign$seed - 1))

# Is its time over, or the `share` of it up to the end of one of its parts?
campaign_over <- function(campaign, share = 1) {
  proc.time()[["elapsed"]] - campaign$begun > share * campaign$seconds
}

# Prints one figure; with a limit, says whether it is kept.
campaign_figure <- function(campaign, label, value, at_most = NULL) {
  kept <- is.null(at_most) || (is.finite(value) && value <= at_most)
  campaign$failed <- campaign$failed || !kept
  campaign$figures <- rbind(campaign$figures, data.frame(
    commit = campaign$commit, seed = campaign$seed, figure = label, value = signif(value, 4),
    at_most = if (is.null(at_most)) NA else at_most, kept = kept
  ))
  cat(sprintf(
    "%s: %s: %s%s\n", campaign$name, label, format(value, digits = 4),
    if (is.null(at_most)) "" else
      sprintf(" (at most %s)%s", format(at_most), if (kept) "" else " FAILED")
  ))
}

campaign_end <- function(campaign) {
  campaign_figure(campaign, "seed", campaign$seed)
  campaign_figure(
    campaign, "seconds", round(proc.time()[["elapsed"]] - campaign$begun)
  )
  if (!is.null(campaign$results)) {
    file <- file.path(campaign$results, paste0(campaign$name, ".csv"))
    utils::write.table(
      campaign$figures, file, append = file.exists(file), sep = ",", qmethod = "double",
      row.names = FALSE, col.names = !file.exists(file)
    )
  }
  quit(save = "no", status = as.integer(campaign$failed))
}

# Labels -1/+1 of which a share e is wrong, as the engine takes them: P(label | true class)
likely <- function(y, e) cbind(ifelse(y > 0, e, 1 - e), ifelse(y > 0, 1 - e, e))

# The folder of this script, for files that stand beside it.
campaign_folder <- function() {
  file <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  dirname(normalizePath(sub("^--file=", "", file[1])))
}

# As many different texts that are hard to write on a page, in a query or in a file
hostile <- function(n) {
  pieces <- c(
    "</script><script>hacked=1</script>", "<img src=x onerror=hacked=1>",
    "<svg/onload=hacked=1>", "<!--", "-->", "]]>",
    "&lt;", "&#39;", "javascript:hacked=1", "{{title}}", "${hacked=1}", "`hacked=1`", "\\u0022",
    "\\", "\\'", "\\\"", "'", "\"",
    "''", "\"\"", "'; DROP TABLE t1; --", "/* ", " */", "-- ", "||", "%s", "%", "?", ":1", "$1",
    "@x", "[a]", "(", ")", ";", ",",
    "\t", "\n", "\r", "\u00e9", "\u2028", "\u202e", "\u0130", "\U0001f600", " NULL ", "\\N",
    "=1+1", "#", "~", "^", "."
  )
  paste0(sample(pieces, n, TRUE), sample(pieces, n, TRUE), sample(pieces, n, TRUE), seq_len(n))
}
