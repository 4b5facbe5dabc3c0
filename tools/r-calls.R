# Who calls whom among the objects of R/, from their code: tools/check-rooms.R and
# tools/bench/tables.R.

stem_of <- function(files) {
  sub("[-.].*", "", basename(files))
}

# The top-level objects of the files: a list of name, file, expression
r_objects <- function(files) {
  objects <- lapply(files, function(file) {
    lapply(as.list(parse(file, keep.source = FALSE)), function(e) {
      assigned <- is.call(e) && is.name(e[[1]]) &&
        as.character(e[[1]]) %in% c("<-", "=") && is.name(e[[2]])
      list(
        name = if (assigned) as.character(e[[2]]) else NA, file = file,
        code = if (assigned) e[[3]] else e
      )
    })
  })
  unlist(objects, recursive = FALSE)
}

# Functions named in strings: in a sentence for cli, "{few(rows)}", and where a
# function is expected, do.call("f").
takes_name <- c(
  "do.call", "match.fun", "get", "get0", "lapply", "sapply", "vapply", "Map",
  "mapply", "Reduce", "Filter", "apply", "outer", "tapply"
)

named_in_strings <- function(code, known) {
  found <- character()
  walk <- function(e, in_call) {
    if (is.character(e)) {
      if (in_call) found <<- c(found, intersect(e, known))
      # brackets without a style of cli: {f(x)}, not {.arg f}
      for (part in unlist(regmatches(e, gregexpr("\\{[^{}.?][^{}]*\\}", e)))) {
        inside <- tryCatch(
          parse(text = substr(part, 2, nchar(part) - 1), keep.source = FALSE),
          error = function(cnd) NULL
        )
        found <<- c(found, intersect(all.names(inside), known))
      }
    } else if (is.call(e)) {
      named <- is.name(e[[1]]) && as.character(e[[1]]) %in% takes_name
      for (part in as.list(e)) if (!missing(part)) walk(part, named)
    } else if (is.pairlist(e) || is.expression(e)) {
      for (part in as.list(e)) if (!missing(part)) walk(part, FALSE)
    }
  }
  walk(code, FALSE)
  unique(found)
}

# All that the code calls or passes on as an object of the package
called_by <- function(code, known) {
  f <- eval(call("function", NULL, code), baseenv())
  globals <- codetools::findGlobals(f)
  union(intersect(globals, known), named_in_strings(code, known))
}

# data frame of calls: from (object), from_file, to, to_file
r_calls <- function(files) {
  objects <- r_objects(files)
  names <- vapply(objects, function(o) as.character(o$name), character(1))
  where <- vapply(objects, `[[`, character(1), "file")
  known <- unique(names[!is.na(names)])
  calls <- lapply(objects, function(o) {
    to <- setdiff(called_by(o$code, known), o$name)
    if (length(to) == 0) {
      return(NULL)
    }
    data.frame(
      from = if (is.na(o$name)) "top level" else o$name, from_file = o$file,
      to = to, to_file = where[match(to, names)], stringsAsFactors = FALSE
    )
  })
  calls <- do.call(rbind, calls)
  calls$from_room <- stem_of(calls$from_file)
  calls$to_room <- stem_of(calls$to_file)
  calls
}
