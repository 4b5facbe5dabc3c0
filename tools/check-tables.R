# Is a table of tools/bench/results older than the code it measures?
#
#   Rscript tools/check-tables.R                             fails where one is
#   Rscript tools/check-tables.R --holds=<why> [table ...]   its figures hold for the code as it is
#   Rscript tools/check-tables.R --older=<why> [table ...]   it is known to be older
#
# A table has in its column `code` a digest of the code that was measured (tools/bench/tables.R says
# which that is; comments do not count). A table that is older is made anew (tools/bench/run.sh
# <script>); or somebody says that its figures hold for the code as it is, or that it is known to be
# older, and why. Both are noted in tools/bench/older.csv. The first is of this code alone, the
# second until the table is made anew; this prints those that are known to be older.

root <- dirname(dirname(normalizePath(gsub("~+~", " ", sub(
  "^--file=", "", grep("^--file=", commandArgs(), value = TRUE)
), fixed = TRUE))))
setwd(root)
source(file.path("tools", "bench", "tables.R"))
notes_file <- file.path("tools", "bench", "older.csv")

package <- package_code(root)

# One row for each table and code that it was measured with
tables <- do.call(rbind, lapply(list.files("tools/bench/results", "[.]csv$"), function(file) {
  rows <- utils::read.csv(file.path("tools/bench/results", file), colClasses = "character")
  if (is.null(rows$code)) rows$code <- "not said"
  name <- sub("[.]csv$", "", file)
  data.frame(table = name, code = unique(rows$code), now = code_digest(name, root, package))
}))
notes <- utils::read.csv(notes_file, colClasses = "character")

# Saying something of tables --------------------------------------------------------

given <- commandArgs(trailingOnly = TRUE)
said <- grepl("^--(holds|older)=.", given)
if (sum(said) > 1 || any(!said & !given %in% tables$table)) {
  message("Usage: Rscript tools/check-tables.R [--holds=<why> | --older=<why>] [table ...]")
  quit(status = 2)
}
if (any(said)) {
  about <- tables[tables$code != tables$now, ]
  if (any(!said)) about <- about[about$table %in% given[!said], ]
  if (nrow(about)) {
    about$holds_for <- if (startsWith(given[said], "--holds")) about$now else ""
    about$why <- sub("^--[a-z]+=", "", given[said])
    # one note for a table: the newest
    notes <- rbind(
      notes[!paste(notes$table, notes$code) %in% paste(about$table, about$code), ],
      about[names(notes)]
    )
  }
  # what was made anew needs none
  notes <- notes[paste(notes$table, notes$code) %in% paste(tables$table, tables$code), ]
  notes <- notes[order(notes$table, notes$code), ]
  utils::write.csv(notes, notes_file, row.names = FALSE)
}

# Checking ----------------------------------------------------------------------

older <- tables[tables$code != tables$now, ]
at <- match(paste(older$table, older$code), paste(notes$table, notes$code))
holds <- !is.na(at) & notes$holds_for[at] == older$now
known <- !is.na(at) & notes$holds_for[at] == ""
if (any(known)) {
  cat("Known to be older than the code:\n")
  cat(sprintf("  %s: %s\n", older$table[known], notes$why[at[known]]), sep = "")
}
wrong <- older[!holds & !known, ]
if (nrow(wrong)) {
  cat("Older than the code, and nobody has said anything of it (see tools/check-tables.R):\n")
  cat(sprintf(
    "  %s.csv: %s, the code is %s; sh tools/bench/run.sh %s\n", wrong$table, wrong$code, wrong$now,
    vapply(wrong$table, script_of, "", folder = "tools/bench")
  ), sep = "")
}
cat(nrow(wrong), "of", length(unique(tables$table)), "tables are older than their code\n")

# Copies that are installed are those of the tables
lines_of <- function(file) if (file.exists(file)) readLines(file)
apart <- Filter(function(name) {
  !identical(
    lines_of(file.path("tools/bench/results", paste0(name, ".csv"))),
    lines_of(file.path("tools/bench", installed_table(name)))
  )
}, installed_tables)
if (length(apart)) {
  cat("Not the same in inst/results: ", paste0("bench-", apart, ".csv", collapse = " "), "\n")
}
quit(status = as.integer(nrow(wrong) > 0 || length(apart) > 0))
