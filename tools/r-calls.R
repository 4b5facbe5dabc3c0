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

# All that each object of files calls or passes on as an object of the package
calls_of <- function(objects, known) {
  globals <- globals_of(objects)
  Map(function(o, globals) {
    union(intersect(globals, known), named_in_strings(o$code, known))
  }, objects, globals)
}

# What codetools finds in each object. It takes a while, and scripts ask one after the other: what
# was found in a file is kept in the clone, by what stood in the file.
globals_of <- function(objects) {
  files <- vapply(objects, `[[`, "", "file")
  kept <- kept_globals()
  named <- sprintf("R %s, %s", getRversion(), tools::md5sum(unique(files)))
  names(named) <- unique(files)
  found <- vector("list", length(objects))
  for (file in names(named)) {
    here <- which(files == file)
    before <- kept[[named[[file]]]]
    found[here] <- if (is.null(before)) {
      lapply(objects[here], function(o) {
        codetools::findGlobals(eval(call("function", NULL, o$code), baseenv()))
      })
    } else {
      before
    }
    kept[[named[[file]]]] <- found[here]
  }
  keep_globals(kept[named])
  found
}

# In the clone's own library, where there is one (tools/common.sh)
globals_file <- file.path(".lib", "r-globals.rds")

kept_globals <- function() {
  tryCatch(readRDS(globals_file), error = function(cnd) list(), warning = function(cnd) list())
}

keep_globals <- function(kept) {
  if (!dir.exists(".lib") || identical(names(kept), names(kept_globals()))) {
    return()
  }
  new <- tempfile("r-globals", ".lib")
  saveRDS(kept, new)
  file.rename(new, globals_file)
}

# data frame of calls: from (object), from_file, to, to_file
r_calls <- function(files) {
  objects <- r_objects(files)
  names <- vapply(objects, function(o) as.character(o$name), character(1))
  where <- vapply(objects, `[[`, character(1), "file")
  known <- unique(names[!is.na(names)])
  calls <- Map(function(o, to) {
    to <- setdiff(to, o$name)
    if (length(to) == 0) {
      return(NULL)
    }
    data.frame(
      from = if (is.na(o$name)) "top level" else o$name, from_file = o$file,
      to = to, to_file = where[match(to, names)], stringsAsFactors = FALSE
    )
  }, objects, calls_of(objects, known))
  calls <- do.call(rbind, calls)
  calls$from_room <- stem_of(calls$from_file)
  calls$to_room <- stem_of(calls$to_file)
  calls
}
