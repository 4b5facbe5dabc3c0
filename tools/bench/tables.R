# Which code each table of results/ measures, and a digest of that code. bench_save() writes the
# digest beside the rows; tools/check-tables.R compares it with that of the code as it is.

code_of <- local({
  core <- c("src/*.[ch]", "R/native*.R")
  fits <- c(core, sprintf("R/%s-*.R", c("data", "kernel", "report", "ep", "fit")), "R/latent*.R")
  learned <- c(fits, "R/learn-*.R")
  rounds <- c(fits, "R/shard-*.R")
  filter <- c("src/adf*", "src/glue-adf.c", "src/likelihood.[ch]", "src/site.[ch]")
  list(
    adf = filter, `adf-csv` = c(filter, "R/stream-*.R", "R/data-*.R"),
    blas = c("src/dense-*", "src/tile-loops.h", "src/glue-dense.c", "R/native-blas.R"),
    classes = learned, `ep-fit` = core, gradient = core, growth = fits,
    large = c(learned, "R/answer-mislabelled.R"), learn = learned, linear = learned,
    pass = core, passes = core, peers = learned, scale = learned,
    `shards-fits` = rounds, `shards-model` = rounds, `shards-parts` = rounds,
    versions = c(learned, "R/answer-*.R", "R/select-*.R")
  )
})

# no table measures them
not_measured <- "^src/(qalgebra|student|divergence|gamma-ratio|glue-family|ais|bounce|glue-ais)[.]"

# The script that makes a table: the longest name that the table's begins with
script_of <- function(name, folder) {
  scripts <- sub("[.]R$", "", list.files(folder, "[.]R$"))
  begin <- scripts[startsWith(name, scripts)]
  paste0(begin[which.max(nchar(begin))], ".R")
}

# What is run: without comments, blank lines and the layout at either end of a line
code_lines <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  if (!endsWith(file, ".R")) text <- gsub("(?s)/[*].*?[*]/", "", text, perl = TRUE)
  lines <- trimws(strsplit(text, "\n", fixed = TRUE)[[1]])
  lines[nzchar(lines) & !startsWith(lines, "#'") & !grepl("^# ", lines)]
}

# Twelve digits of the code that table `name` measures, its script among it
code_digest <- function(name, root) {
  name <- sub("-[0-9]+$", "", name) # one for each size
  if (is.null(code_of[[name]])) stop("tools/bench/tables.R does not say what ", name, " measures")
  files <- sort(unique(unlist(lapply(code_of[[name]], function(pattern) {
    Sys.glob(file.path(root, pattern))
  }))), method = "radix")
  files <- grep("[.][Rch]$", files, value = TRUE) # not what was compiled there
  files <- files[!grepl(not_measured, substring(files, nchar(root) + 2))]
  bench <- file.path(root, "tools", "bench")
  lines <- unlist(lapply(c(files, file.path(bench, script_of(name, bench))), code_lines))
  copy <- tempfile()
  on.exit(unlink(copy))
  writeBin(charToRaw(enc2utf8(paste(lines, collapse = "\n"))), copy)
  substr(unname(tools::md5sum(copy)), 1, 12)
}
