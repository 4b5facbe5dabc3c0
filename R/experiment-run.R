# The replications of an experiment: taken from the cache or run, and saved.

#' @param tasks data frame, a row a replication.
#' @return named list of data frames: the parts that replications return, all rows
#'   together, the columns of the task first.
#' @noRd
run_replications <- function(tasks, script, name, cache, progress, call) {
  items <- lapply(seq_len(nrow(tasks)), function(i) as.list(tasks[i, , drop = FALSE]))
  names(items) <- vapply(items, task_words, character(1))
  files <- replication_files(items, script, name, cache)
  values <- lapply(files, read_replication)
  open <- which(vapply(values, is.null, logical(1)))
  work <- Map(function(item, file) list(item = item, file = file), items, files)
  values[open] <- with_stream_kept(map_items(
    work[open], replication_runner(script$run), if (progress) name, call
  ))
  abort_failed(values, items, call)
  bind_parts(values, items)
}

task_words <- function(item) {
  value <- vapply(item, function(x) paste(format(x), collapse = " "), character(1))
  paste(names(item), value, sep = " = ", collapse = ", ")
}

replication_runner <- function(run) {
  force(run)
  function(work) {
    value <- try_replication(work$item, run)
    if (!inherits(value, "condition")) save_replication(value, work$file)
    value
  }
}

try_replication <- function(item, run) {
  tryCatch(
    {
      value <- run(item)
      if (is.data.frame(value)) list(results = value) else value
    },
    error = function(cnd) cnd
  )
}

abort_failed <- function(values, items, call) {
  failed <- vapply(values, inherits, logical(1), "condition")
  if (!any(failed)) {
    return(invisible())
  }
  first <- which(failed)[1]
  abort_sturdy(
    c(
      "{sum(failed)} of {length(values)} replication{?s} failed.",
      x = "The first one was {.field {names(items)[first]}}: {one_line(values[[first]])}"
    ),
    "replications", call = call, parent = values[[first]]
  )
}

bind_parts <- function(values, items) {
  parts <- names(values[[1]])
  bound <- lapply(parts, function(part) {
    rows <- Map(function(value, item) {
      task <- as.data.frame(item, stringsAsFactors = FALSE)
      task <- task[setdiff(names(task), names(value[[part]]))]
      cbind(task, value[[part]], row.names = NULL)
    }, values, items)
    do.call(rbind, unname(rows))
  })
  stats::setNames(bound, parts)
}

# Cache ---------------------------------------------------------------------

#' A replication is known by its task, the code it runs, and the version, R code and
#' constants of the package. Not by its C code: that has the version. What other
#' versions kept is removed.
#' @noRd
replication_files <- function(items, script, name, cache) {
  if (is.null(cache)) {
    return(rep(list(NULL), length(items)))
  }
  package <- package_hash()
  folder <- file.path(cache, name, package)
  others <- setdiff(list.files(dirname(folder), full.names = TRUE), folder)
  unlink(others, recursive = TRUE)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  code <- reached_code("run", list2env(list(run = script$run), parent = script$env))
  lapply(items, function(item) {
    file.path(folder, paste0(rlang::hash(list(item, code)), ".rds"))
  })
}

package_hash <- function(objects = as.list(asNamespace("sturdy"), sorted = TRUE)) {
  known <- Filter(function(x) is.function(x) || is.atomic(x) || is.list(x), objects)
  code <- lapply(known, deparse)
  rlang::hash(list(as.character(utils::packageVersion("sturdy")), code))
}

#' Text of a function and of all objects of the script that it reaches by name
#' @noRd
reached_code <- function(name, env) {
  seen <- character()
  code <- list()
  open <- name
  while (length(open)) {
    at <- open[1]
    open <- open[-1]
    seen <- c(seen, at)
    object <- get(at, envir = env)
    code[[at]] <- paste(deparse(object, control = "all"), collapse = "\n")
    words <- all.names(parse(text = code[[at]], keep.source = FALSE))
    reached <- words[vapply(words, from_script, logical(1), env = env)]
    open <- setdiff(union(open, reached), seen)
  }
  code[order(names(code), method = "radix")]
}

from_script <- function(name, env) {
  where <- parent.env(env)
  nzchar(name) && exists(name, envir = where, inherits = FALSE) &&
    !name %in% getNamespaceExports("sturdy")
}

#' A file that can't be read, from a run that was killed, say, does not count
#' @return what the replication returned, or `NULL`.
#' @noRd
read_replication <- function(file) {
  if (is.null(file) || !file.exists(file)) {
    return(NULL)
  }
  value <- tryCatch(suppressWarnings(readRDS(file)), error = function(cnd) NULL)
  if (is.list(value) && is.data.frame(value$results)) value
}

save_replication <- function(value, file) {
  if (!is.null(file)) {
    partial <- paste0(file, "~")
    saveRDS(value, partial)
    file.rename(partial, file)
  }
}

# Files ---------------------------------------------------------------------

#' @return paths of what was written.
#' @noRd
save_experiment <- function(x, parts, script, name, folder) {
  path <- function(...) file.path(folder, paste0(name, ...))
  files <- save_table(x$results, path(".csv"))
  for (table in names(x$tables)) {
    files <- c(files, save_table(x$tables[[table]], path("-", table, ".csv")))
  }
  about <- data.frame(
    Experiment = name, Package = paste("sturdy", utils::packageVersion("sturdy")),
    Commit = package_commit(), R = as.character(getRversion()),
    Date = format(Sys.Date()),
    Settings = paste(deparse(x$settings, width.cutoff = 500), collapse = " ")
  )
  write.dcf(about, path(".dcf"), width = 80)
  figures <- lapply(names(script$figures), function(figure) {
    file <- file.path(folder, paste0(figure, ".png"))
    save_figure(script$figures[[figure]], parts, x$tables, file)
  })
  c(files, path(".dcf"), unlist(figures))
}

#' Numbers are kept to six digits: more would differ between machines
#' @noRd
save_table <- function(table, file) {
  number <- vapply(table, is.double, logical(1))
  table[number] <- lapply(table[number], signif, digits = 6)
  utils::write.csv(table, file, row.names = FALSE)
  file
}

#' The numbers are worth more than a figure that some setting does not suit
#' @return the file, or `NULL` where it could not be drawn.
#' @noRd
save_figure <- function(figure, parts, tables, file) {
  type <- if (isTRUE(capabilities("cairo"))) "cairo" else getOption("bitmapType")
  grDevices::png(
    file, width = figure$width, height = figure$height, units = "in",
    res = if (is.null(figure$res)) 150 else figure$res, type = type
  )
  on.exit(grDevices::dev.off())
  graphics::par(
    mar = c(4.1, 4.3, 2.6, 0.8), mgp = c(2.7, 0.7, 0), las = 1, tcl = -0.3,
    cex.main = 1, font.main = 1, lwd = 1.6
  )
  tryCatch(
    {
      figure$draw(parts, tables)
      file
    },
    error = function(cnd) {
      warn_sturdy(
        "The figure {.path {basename(file)}} could not be drawn: {one_line(cnd)}",
        "figure"
      )
      NULL
    }
  )
}

#' The commit the package was made from, where that is known: said by the tool that
#' installed it, or by whoever builds it in the environment variable STURDY_COMMIT
#' @noRd
package_commit <- function() {
  remote <- utils::packageDescription("sturdy")$RemoteSha
  if (!is.null(remote)) remote else Sys.getenv("STURDY_COMMIT", unset = "unknown")
}
