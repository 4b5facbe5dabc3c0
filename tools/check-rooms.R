# The rooms of the package, checked on its code: who calls whom in R/, who
# includes whom in src/.
#
#   Rscript tools/check-rooms.R            prints what is wrong, and fails
#   Rscript tools/check-rooms.R --report   the same, but never fails
#   Rscript tools/check-rooms.R --graph    prints the room graph, too
#   Rscript tools/check-rooms.R --circles  prints the calls that close circles of files
#
# The stem of a file in R/ says its room: R/fit-gpc.R is in the room `fit`. A
# room calls only the rooms its line names. Each line names only rooms further
# down, so that the graph of calls has no cycle. In a room, too, the files do not call each
# other in a circle, and neither do the files of src/ include each other in one (a header and
# its .c are one there). A generic counts where it is
# defined; a method is nobody's call. checks, conditions, control, files, progress
# and words are the ground: every room may call them. No room has more lines of code than its
# budget. ARCHITECTURE.md says what each file is for.

r_rooms <- "
  meet:       show select answer stream fit learn latent ep noise kernel data native
  shard:      answer stream fit label learn latent ep noise kernel data native
  show:       select answer exact stream fit learn latent ep noise kernel data family
  select:     answer exact fit learn latent ep noise kernel data native
  answer:     exact fit label learn latent ep noise kernel data native
  exact:      fit learn latent ep noise kernel data native
  stream:     fit noise data
  fit:        label learn latent ep noise kernel data native
  label:      learn noise kernel data native
  learn:      latent ep noise kernel data
  latent:     ep noise kernel data native
  ep:         noise kernel data native
  noise:      kernel data native
  kernel:     data native
  data:       native
  family:     native
  native:
  sturdy:
  control:
  files:
  checks:
  conditions:
  progress:
  words:
"
# the ground, from the top: each may call those after it
r_ground <- c("control", "files", "checks", "conditions", "progress", "words")

# How many lines of code, neither blank nor comment, each room may have. Size is a property: every
# verb under another name, every wrapper and every second way of doing a thing was good by itself,
# and together they are what nobody can read. A room over its budget fails. Before a line is added
# the one whose place it takes is looked for; a budget is raised on purpose, in the commit that
# needs it and says why, and lowered when a room has become smaller.
r_budgets <- c(
  meet = 542, shard = 1544, show = 1667, select = 219, answer = 3012, exact = 588,
  stream = 637, fit = 2310, label = 834, learn = 1625, latent = 291, ep = 444, noise = 1200,
  kernel = 635, data = 2300, family = 333, native = 319, sturdy = 15, control = 34, files = 38,
  checks = 210, conditions = 91, progress = 103, words = 112, all = 19101
)

# A layer of src/ a line, from the bottom, as the beginnings of file names. A
# file includes headers of lower layers, and those its own name begins with:
# latent-kernel.c includes latent.h.
c_layers <- c(
  "status workspace walls",
  "numeric host threads tile-loops column-loops",
  "dense-tile",
  "hazard",
  "dense-ops",
  "dense-product",
  "dense-solve dense-blas",
  "matrix gmres gamma-ratio qalgebra",
  "argmax kernel-shape tilted",
  "cuts",
  "factor-signed student kernel bounce likelihood anderson",
  "divergence ais count digest site adf predictive inducing label",
  "latent",
  "fixpoint",
  "criterion parallel second-order",
  "ep-state",
  "ep-parallel",
  "adjoint ep shard",
  "ep-job",
  "glue",
  "init"
)

# R -------------------------------------------------------------------------

read_rooms <- function(text) {
  lines <- trimws(strsplit(text, "\n")[[1]])
  lines <- lines[nzchar(lines)]
  may <- strsplit(trimws(sub("^[^:]*:", "", lines)), " +")
  names(may) <- sub(":.*", "", lines)
  for (k in seq_along(r_ground)) may[[r_ground[k]]] <- r_ground[-seq_len(k)]
  others <- setdiff(names(may), r_ground)
  may[others] <- lapply(may[others], union, r_ground)
  up <- vapply(seq_along(may), function(k) {
    any(!may[[k]] %in% names(may)[-seq_len(k)])
  }, logical(1))
  if (any(up)) {
    stop("the table names a room above or unknown: ",
         paste(names(may)[up], collapse = ", "))
  }
  may
}

# Sets of rooms that reach each other
cycles <- function(from, to) {
  rooms <- unique(c(from, to))
  reach <- matrix(FALSE, length(rooms), length(rooms), dimnames = list(rooms, rooms))
  reach[cbind(from, to)] <- TRUE
  for (k in rooms) reach <- reach | outer(reach[, k], reach[k, ])
  both <- reach & t(reach)
  sets <- lapply(rooms[diag(both)], function(r) sort(rooms[both[r, ]]))
  unique(sets[lengths(sets) > 1])
}

code_lines <- function(file) {
  sum(!grepl("^\\s*(#|$)", readLines(file, warn = FALSE)))
}

# Rooms with more lines of code than they may have, or for which nothing is said
over_budget <- function(size, stem) {
  size <- c(tapply(size, stem, sum), all = sum(size))
  rooms <- names(size)
  may <- r_budgets[rooms]
  c(
    sprintf("room %s: no budget in tools/check-rooms.R", rooms[is.na(may)]),
    sprintf("room %s: budget without a file", setdiff(names(r_budgets), rooms)),
    sprintf("room %s: %d lines of code, its budget is %d (tools/check-rooms.R says what that is for)",
            rooms, size, may)[which(size > may)]
  )
}

print_graph <- function(files, calls, rooms, size) {
  cat("Rooms of R/: files, lines of code and how many there may be; what each calls, and how often\n")
  stem <- stem_of(files)
  for (room in names(rooms)) {
    here <- calls$from_room == room & calls$to_room != room
    to <- table(factor(calls$to_room[here], names(rooms)))
    to <- to[to > 0]
    cat(sprintf(
      "  %-11s%3d %5d %5d  %s\n", room, sum(stem == room), sum(size[stem == room]), r_budgets[room],
      paste(names(to), to, collapse = ", ")
    ))
  }
  cat(sprintf("  %-11s%3d %5d %5d\n", "all", length(files), sum(size), r_budgets["all"]))
}

# Files that the row of their room in ARCHITECTURE.md does not name: `word`, or `-end of it`
off_the_map <- function(files, map = readLines("ARCHITECTURE.md")) {
  named <- vapply(files, function(file) {
    stem <- sub("[.][Rr]$", "", basename(file))
    room <- stem_of(file)
    if (room %in% c("native", "family", "sturdy")) { # a row for all
      return(TRUE)
    }
    row <- if (room %in% r_ground) map else map[startsWith(map, paste0("| `", room, "-`"))]
    said <- gsub("`", "", unlist(regmatches(row, gregexpr("`[^`]+`", row))))
    word <- sub("^[a-z]+-", "", stem)
    any(c(stem, word, paste0(stem, ".R")) %in% said) ||
      any(startsWith(said, "-") & endsWith(word, said))
  }, logical(1))
  files[!named]
}

# Names that the package gives twice: the file that comes last in the alphabet wins, in silence
given_twice <- function(files) {
  names <- unlist(lapply(files, function(file) {
    made <- Filter(function(e) {
      is.call(e) && identical(e[[1]], as.name("<-")) && is.name(e[[2]])
    }, as.list(parse(file, keep.source = FALSE)))
    vapply(made, function(e) as.character(e[[2]]), "")
  }))
  unique(names[duplicated(names)])
}

check_r <- function(graph) {
  files <- sort(list.files("R", "[.][Rr]$", full.names = TRUE))
  rooms <- read_rooms(r_rooms)
  calls <- r_calls(files)
  size <- vapply(files, code_lines, integer(1))
  if (graph) print_graph(files, calls, rooms, size)
  homeless <- files[!stem_of(files) %in% names(rooms)]
  allowed <- mapply(
    function(from, to) from == to || to %in% rooms[[from]],
    calls$from_room, calls$to_room
  )
  up <- calls[!allowed, ]
  up <- up[order(match(up$from_room, names(rooms)), up$from_file), ]
  rings <- cycles(calls$from_room, calls$to_room)
  circles <- cycles(calls$from_file, calls$to_file)
  if (shows_circles) print_circles(calls, circles)
  breaches <- c(
    sprintf("%s: no room of this name", homeless),
    over_budget(size, stem_of(files)),
    sprintf("%s: not in ARCHITECTURE.md", off_the_map(files)),
    sprintf("%s is made twice", given_twice(files)),
    sprintf("%s: %s() -> %s() in %s", up$from_file, up$from, up$to, up$to_file),
    vapply(rings, function(r) paste("cycle of rooms:", paste(r, collapse = " ")), "")
  )
  list(breaches = breaches, circles = circles)
}

# Which calls would have to go: those up in the order of files that has the fewest of them,
# found by taking again and again the file that is called least from those that remain
print_circles <- function(calls, circles) {
  for (circle in circles) {
    inside <- calls[calls$from_file %in% circle & calls$to_file %in% circle &
                      calls$from_file != calls$to_file, ]
    left <- circle
    order <- character()
    while (length(left)) {
      called <- vapply(left, function(file) {
        length(unique(inside$to[inside$to_file == file & inside$from_file %in% left]))
      }, 1L)
      order <- c(order, left[which.min(called)])
      left <- setdiff(left, order)
    }
    up <- inside[match(inside$from_file, order) > match(inside$to_file, order), ]
    cat("circle of", length(circle), "files\n", sprintf(
      "  %s: %s() -> %s() in %s\n", up$from_file, up$from, up$to, up$to_file
    ), sep = " ")
  }
}

# C -------------------------------------------------------------------------

# does the file's name begin with the word: latent-kernel.c with latent
begins <- function(file, word) {
  name <- sub("[.][ch]$", "", basename(file))
  name == word | startsWith(name, paste0(word, "-"))
}

layer_of <- function(file) {
  words <- strsplit(c_layers, " ")
  fits <- lapply(words, function(w) w[begins(file, w)])
  best <- max(nchar(unlist(fits)), 0)
  if (best == 0) NA else which(vapply(fits, function(f) best %in% nchar(f), NA))
}

c_includes <- function(files) {
  rows <- lapply(files, function(file) {
    lines <- grep('^\\s*#\\s*include\\s*"', readLines(file, warn = FALSE), value = TRUE)
    stem <- function(x) sub("[.][ch]$", "", basename(x))
    to <- stem(sub('^[^"]*"([^"]*)".*', "\\1", lines))
    if (length(to)) data.frame(from = stem(file), to = to)
  })
  rows <- do.call(rbind, rows)
  rows[rows$from != rows$to, ]
}

check_c <- function() {
  files <- list.files("src", "[.][ch]$", full.names = TRUE)
  layer <- vapply(files, function(f) as.integer(layer_of(f)), integer(1))
  wrong <- sprintf("%s: in no layer", files[is.na(layer)])
  for (file in files[!is.na(layer)]) {
    lines <- readLines(file, warn = FALSE)
    at <- grep('^\\s*#\\s*include\\s*"', lines)
    header <- sub('^[^"]*"([^"]*)".*', "\\1", lines[at])
    for (k in seq_along(at)) {
      own <- begins(file, sub("[.]h$", "", header[k]))
      below <- isTRUE(layer_of(header[k]) < layer_of(file))
      # the parts of the glue share glue.h and what goes with it
      glue <- begins(header[k], "glue") && begins(file, "glue")
      if (!own && !below && !glue) {
        wrong <- c(wrong, sprintf("%s:%d: includes %s", file, at[k], header[k]))
      }
    }
  }
  wrong
}

# ---------------------------------------------------------------------------

args <- commandArgs()
script <- sub("^--file=", "", grep("^--file=", args, value = TRUE))
setwd(dirname(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE)))))
source(file.path("tools", "r-calls.R"))
given <- commandArgs(trailingOnly = TRUE)
report <- "--report" %in% given
shows_circles <- "--circles" %in% given
found <- check_r(report || "--graph" %in% given)
included <- c_includes(list.files("src", "[.][ch]$", full.names = TRUE))
circles <- c(found$circles, cycles(included$from, included$to))
lines <- vapply(circles, function(c) paste("circle of files:", paste(c, collapse = " ")), "")
wrong <- c(found$breaches, check_c(), lines)
if (length(wrong)) cat(wrong, sep = "\n")
cat("check-rooms:", if (length(wrong)) length(wrong) else "no",
    if (length(wrong) == 1) "breach\n" else "breaches\n")
quit(status = as.integer(length(wrong) > 0 && !report))
