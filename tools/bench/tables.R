# Which code each table of results/ measures, and a digest of that code. bench_save() writes the
# digest beside the rows; tools/check-tables.R compares it with that of the code as it is.
#
# It is the code that the script of the table leads to: the functions of the package that it
# names, all that they call, with the methods of what is generic, and of src/ the files that
# the doors to C among them open, by what these include. Comments, layout and the wording of
# sentences do not count.

# Tables that vignettes read, and where their copies stand, seen from this folder
installed_tables <- "growth"
installed_table <- function(name) {
  file.path("..", "..", "inst", "results", paste0("bench-", name, ".csv"))
}

# The script that makes a table: the longest name that the table's begins with
script_of <- function(name, folder) {
  scripts <- sub("[.]R$", "", list.files(folder, "[.]R$"))
  begin <- scripts[startsWith(name, scripts)]
  paste0(begin[which.max(nchar(begin))], ".R")
}

# R ---------------------------------------------------------------------------------

# What the objects of the package are and lead to, and what stands in src/, read once
package_code <- function(root) {
  source(file.path(root, "tools", "r-calls.R"))
  objects <- r_objects(sort(Sys.glob(file.path(root, "R", "*.R")), method = "radix"))
  names(objects) <- vapply(objects, function(o) as.character(o$name), "")
  named <- !is.na(names(objects))
  calls <- calls_of(objects, names(objects)[named])[named]
  objects <- objects[named]
  list(
    objects = objects, calls = calls,
    code = lapply(objects, function(o) deparse(wordless(o$code))), src = read_src(root)
  )
}

# Names and strings in the code of a script
words_in <- function(code) {
  found <- all.names(code)
  look <- function(e) {
    if (is.character(e)) found <<- c(found, e)
    if (is.recursive(e)) for (part in as.list(e)) if (!missing(part)) look(part)
  }
  look(code)
  unique(found)
}

# prints, other packages' generics and rooms that only some data lead to are no part of a measure,
# unless a script asks for their functions
led_to <- function(words, package,
                   outside = c("meet", "show", "words", "shard", "stream", "exact", "select")) {
  known <- names(package$objects)
  room <- vapply(package$objects, function(o) stem_of(o$file), "")
  outside <- setdiff(outside, room[intersect(words, known)])
  known <- known[!room %in% outside]
  generics <- c(intersect(words, "predict"), known[vapply(known, function(name) {
    "UseMethod" %in% all.names(package$objects[[name]]$code)
  }, NA)])
  generic <- sub("[.].*", "", known)
  reached <- character()
  new <- words
  while (length(new)) {
    methods <- known[generic != known & generic %in% intersect(new, generics)]
    new <- setdiff(union(intersect(new, known), methods), reached)
    reached <- c(reached, new)
    new <- unlist(package$calls[new])
  }
  sort(reached, method = "radix")
}

# C ---------------------------------------------------------------------------------

# The files of src/: their kinds (the first word of their names), the doors that each defines, the
# headers that it includes, its lines of code
read_src <- function(root) {
  files <- sort(Sys.glob(file.path(root, "src", "*.[ch]")), method = "radix")
  text <- lapply(files, readLines, warn = FALSE)
  first <- function(pattern) {
    lapply(text, function(lines) sub(pattern, "\\1", grep(pattern, lines, value = TRUE)))
  }
  list(
    file = basename(files), kind = sub("[-.].*", "", basename(files)),
    doors = first("^SEXP ([^(]+)\\(.*"), headers = first('^#include "([^"]+)".*'),
    code = lapply(files, code_lines)
  )
}

# Which files of src/ are behind doors: those that define them, and all of the kinds of files that
# these include, and so on
opened_by <- function(doors, src) {
  has_door <- vapply(src$doors, function(made) any(doors %in% made), NA)
  reached <- src$kind == "glue" & has_door
  repeat {
    headers <- unlist(src$headers[reached])
    more <- reached | src$kind %in% setdiff(sub("[-.].*", "", headers), "glue") |
      src$file %in% headers
    if (identical(more, reached)) break
    reached <- more
  }
  reached
}

# Without comments, blank lines and the layout at either end of a line
code_lines <- function(file) {
  text <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  if (!endsWith(file, ".R")) text <- gsub("(?s)/[*].*?[*]/", "", text, perl = TRUE)
  lines <- trimws(strsplit(text, "\n", fixed = TRUE)[[1]])
  lines[nzchar(lines) & !startsWith(lines, "#")]
}

# What words in a script lead to: lines of code by room of the package, those of src/ as `src`
code_by_room <- function(words, package) {
  reached <- led_to(words, package)
  room <- vapply(package$objects[reached], function(o) stem_of(o$file), "")
  code <- package$code[reached]
  list(
    rooms = lapply(split(code, room), unlist, use.names = FALSE), code = unlist(code),
    src = src_behind(reached, package)
  )
}

# Lines of code of src/ that functions of the package lead to
src_behind <- function(reached, package) {
  doors <- unique(unlist(lapply(package$objects[reached], function(o) {
    sub("^C_", "glue_", grep("^C_", all.names(o$code), value = TRUE))
  })))
  unlist(package$src$code[opened_by(doors, package$src)])
}

# Code with "" in the place of texts of three words and more: sentences for people, which decide
# nothing. What they call, "{few(rows)}", is among the calls.
wordless <- function(code) {
  if (is.character(code)) {
    code[grepl("\\S\\s+\\S+\\s+\\S", code)] <- ""
  } else if (is.call(code) || is.pairlist(code)) {
    for (k in seq_along(code)) {
      if (!identical(code[[k]], quote(expr = )) && !is.null(code[[k]])) {
        code[[k]] <- wordless(code[[k]])
      }
    }
  }
  code
}

digest_of <- function(lines, digits) {
  copy <- tempfile()
  on.exit(unlink(copy))
  writeBin(charToRaw(enc2utf8(paste(lines, collapse = "\n"))), copy)
  substr(unname(tools::md5sum(copy)), 1, digits)
}

# A script and those that it reads with sys.source()
scripts_read <- function(script) {
  lines <- grep("^sys[.]source\\(", readLines(script, encoding = "UTF-8"), value = TRUE)
  also <- file.path(dirname(script), sub('.*"([^"]+[.]R)".*', "\\1", lines))
  unique(c(unlist(lapply(also, scripts_read)), script))
}

# Names and strings in scripts, and in what they use of a helper
script_words <- function(scripts, helper) {
  words <- unique(unlist(lapply(scripts, function(script) {
    words_in(parse(script, keep.source = FALSE))
  })))
  for (o in rev(r_objects(helper))) { # it calls what stands above
    if (o$name %in% words) words <- union(words, words_in(o$code))
  }
  words
}

# Twelve digits of the code that table `name` measures, its script among it
code_digest <- function(name, root, package = package_code(root)) {
  force(package) # reads r-calls.R
  bench <- file.path(root, "tools", "bench")
  script <- file.path(bench, script_of(name, bench))
  led <- code_by_room(script_words(script, file.path(bench, "helper.R")), package)
  digest_of(c(led$code, led$src, code_lines(script)), 12)
}

# Six digits of each part of the code that an experiment leads to: the rooms of the package, src/
# and its script, with those that it reads
experiment_digests <- function(name, root, package = package_code(root)) {
  force(package)
  folder <- file.path(root, "experiments")
  scripts <- scripts_read(file.path(folder, paste0(name, ".R")))
  led <- code_by_room(script_words(scripts, file.path(folder, "helper.R")), package)
  # rooms that say something and decide nothing
  rooms <- led$rooms[setdiff(names(led$rooms), c("checks", "conditions", "progress", "words"))]
  vapply(c(rooms, list(src = led$src, script = unlist(lapply(scripts, code_lines)))), digest_of, "", 6)
}
