# Memory: refused before it is taken where it can be known not to fit. Where it runs out all the same,
# R says so.

#' Refuse what does not fit, before anything is allocated
#'
#' What is less than a session of R itself takes is not compared with the memory there is:
#' reading that takes longer than the fit.
#'
#' @param doubles numbers that are held at a time, for @param n rows.
#' @param squared whether they grow with the square of n.
#' @param what they are, when not the rows of a fit.
#' @noRd
check_memory <- function(doubles, n, squared = FALSE, what = "rows") {
  needed <- 8 * as.double(doubles)
  limited <- needed > small_memory || !is.null(getOption("sturdy.max_memory"))
  limit <- if (limited) memory_limit() else Inf
  refuse(needed > limit, c(
    "{whole(n)} {what} need about {format_bytes(needed)} of memory, but
     {format_bytes(limit)} is available.",
    i = if (squared) "Memory grows with the square of the number of rows.",
    i = "{if (what == 'rows') 'Fit a sample of the rows, or set' else 'Set'} another limit by
         {.code options(sturdy.max_memory = <bytes>)}."
  ), "memory", n = n, needed = needed, limit = limit)
  invisible(needed)
}

small_memory <- 2^24 # bytes

#' Bytes that can still be had: of the machine, of the process (`ulimit -v`, `-d`), of
#' its control groups, and of R
#' @noRd
memory_limit <- function(root = "/") {
  limit <- getOption("sturdy.max_memory")
  if (is.numeric(limit) && length(limit) == 1 && !is.na(limit)) {
    return(as.double(limit))
  }
  machine <- 1024 * number_after("^MemAvailable:", file.path(root, "proc/meminfo"))
  max(0, min(
    if (is.na(machine)) 16 * 1024^3 else machine, process_room(root), cgroup_room(root),
    if (getRversion() >= "4.2.0") 2^20 * mem.maxVSize(), na.rm = TRUE
  ))
}

process_room <- function(root) {
  limits <- file.path(root, "proc/self/limits")
  status <- file.path(root, "proc/self/status")
  c(
    number_after("^Max address space", limits) - 1024 * number_after("^VmSize:", status),
    number_after("^Max data size", limits) - 1024 * number_after("^VmData:", status)
  )
}

#' Limits count in the group of the process and in those above it. A container may see
#' its own group as the root, whatever the name. Cached files count as used, but give way.
#' @noRd
cgroup_room <- function(root) {
  groups <- read_quietly(file.path(root, "proc/self/cgroup"))
  room <- function(pattern, mount, limit, usage, cached) {
    path <- sub(pattern, "", grep(pattern, groups, value = TRUE))
    paths <- if (length(path)) Reduce(file.path, strsplit(path[1], "/")[[1]], accumulate = TRUE)
    folders <- file.path(root, mount, unique(c("", paths)))
    vapply(folders, function(folder) {
      number_after("", file.path(folder, limit)) - number_after("", file.path(folder, usage)) +
        max(0, number_after(cached, file.path(folder, "memory.stat")), na.rm = TRUE)
    }, numeric(1))
  }
  c(
    room("^0::", "sys/fs/cgroup", "memory.max", "memory.current", "^inactive_file"),
    room(
      "^[0-9]+:([^:]*,)?memory(,[^:]*)?:", "sys/fs/cgroup/memory", "memory.limit_in_bytes",
      "memory.usage_in_bytes", "^total_inactive_file"
    )
  )
}

#' The first number in the first line with `pattern`, after it; `NA` without one
#' @noRd
number_after <- function(pattern, file) {
  line <- grep(pattern, read_quietly(file), value = TRUE)
  said <- sub("^\\s*(\\S*).*", "\\1", sub(pattern, "", line[1]))
  suppressWarnings(as.double(said))
}

read_quietly <- function(file) {
  tryCatch(suppressWarnings(readLines(file)), error = function(cnd) character())
}
