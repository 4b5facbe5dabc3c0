# What the experiments share. run.R reads this file, then the script of the experiment.
# `experiments` is the folder they are in. The script defines `experiment`, a list of
# - settings, and quick: those that a quick run replaces;
# - needs: packages it can't do without;
# - tasks(settings): a data frame, one row a replication, with all that run() needs;
# - run(task): one replication, a data frame or a named list of data frames, one of them
#   `results`. It sets its own seed;
# - tables(parts): a named list of data frames, from the rows of all replications;
# - figures: a named list of list(width, height, draw(parts, tables)), in inches;
# - in_package: the tables (or "results") and figures that the package shows.

source(file.path(experiments, "simulators.R"), local = TRUE)

# Line colours that the colour-blind can tell apart (Okabe and Ito); with the
# line types they can also be read in grey.
figure_colours <- c("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00")
figure_lines <- c(1, 2, 4, 5, 6, 3)

# Seeds mean the same whatever the user's generator is
set_seed <- function(seed) {
  set.seed(
    seed, kind = "Mersenne-Twister", normal.kind = "Inversion",
    sample.kind = "Rejection"
  )
}

# Tasks: all combinations, the first varying fastest
all_of <- function(...) {
  expand.grid(..., KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)
}

# One seed a replication
seeds_of <- function(settings) settings$seed + seq_len(settings$replications) - 1

# Runs ------------------------------------------------------------------------

settings_of <- function(experiment, quick) {
  lacking <- Filter(function(p) !requireNamespace(p, quietly = TRUE), experiment$needs)
  if (length(lacking)) stop("This experiment needs: ", toString(lacking), call. = FALSE)
  utils::modifyList(experiment$settings, if (quick) experiment$quick else list())
}

# One replication, its task before each of its tables
run_task <- function(run, task) {
  parts <- run(as.list(task))
  if (is.data.frame(parts)) parts <- list(results = parts)
  lapply(parts, function(part) {
    cbind(task[setdiff(names(task), names(part))], part, row.names = NULL)
  })
}

# All rows of each table of the replications
bind_parts <- function(replications) {
  parts <- names(replications[[1]])
  bound <- lapply(parts, function(part) {
    do.call(rbind, lapply(unname(replications), `[[`, part))
  })
  stats::setNames(bound, parts)
}

# Data ------------------------------------------------------------------------

# Inputs and labels of a shipped data set as a problem of two classes: New Thyroid
# is normal against the rest, constant columns are dropped.
two_class_data <- function(name) {
  data <- sturdy_data(name)
  y <- factor(data$class)
  if (name == "newthyroid") {
    y <- factor(ifelse(y == "normal", "normal", "abnormal"), c("normal", "abnormal"))
  }
  x <- data[!names(data) %in% c("class", "set")]
  list(x = x[vapply(x, function(v) length(unique(v)) > 1, logical(1))], y = y)
}

# A random half for training (150 rows of Pima, as is usual, and 250 of Ripley's
# synth), the rest for testing. A split does not depend on what is flipped later.
random_half <- function(name, seed, size = NULL) {
  data <- two_class_data(name)
  n <- length(data$y)
  if (is.null(size)) size <- switch(name, pima = 150L, synth = 250L, n %/% 2L)
  set_seed(seed)
  training <- sort(sample.int(n, size))
  list(
    x = data$x[training, , drop = FALSE], y = data$y[training],
    x_test = data$x[-training, , drop = FALSE], y_test = data$y[-training]
  )
}

# Labels with a share of them flipped, and which
flip <- function(y, rate, seed) {
  noisy <- flip_labels(y, rate, seed = seed)
  flipped <- seq_along(y) %in% attr(noisy, "flipped")
  attr(noisy, "flipped") <- NULL
  list(y = noisy, flipped = flipped)
}

# Fits ------------------------------------------------------------------------

quiet_control <- function(...) ep_control(progress = FALSE, ...)

# Fits are at the optimum of their criterion, also the candidates of select_model(), unless a
# script says otherwise
options(sturdy.hyper = "optimum")

# A fit as in the papers: at the optimum of its criterion
paper_fit <- function(model, ..., control = quiet_control()) {
  model(..., hyper = "optimum", control = control)
}

# Value, CPU seconds, and the classes of warnings, which are not shown
observe <- function(code) {
  warned <- character()
  before <- proc.time()
  value <- withCallingHandlers(
    code,
    warning = function(w) {
      warned <<- c(warned, sub("sturdy_warning_", "", class(w)[1]))
      invokeRestart("muffleWarning")
    },
    message = function(m) invokeRestart("muffleMessage")
  )
  list(
    value = value, seconds = sum((proc.time() - before)[1:2]),
    warned = paste(unique(warned), collapse = " ")
  )
}

# Scores of class probabilities of test rows against their true classes
probability_scores <- function(prob, truth) {
  p <- prob[cbind(seq_along(truth), match(truth, colnames(prob)))]
  event <- truth == colnames(prob)[2]
  data.frame(
    error = mean(colnames(prob)[max.col(prob, "first")] != truth),
    log_score = mean(log(p)), brier = mean((1 - p)^2),
    calibration = calibration_error(prob[, 2], event)
  )
}

# Mean |predicted - observed| over ten bins of equal width, weighted by their rows
calibration_error <- function(p, event) {
  bin <- findInterval(p, seq(0, 1, by = 0.1), all.inside = TRUE)
  gap <- abs(tapply(p, bin, mean) - tapply(event, bin, mean))
  sum(gap * tapply(p, bin, length)) / length(p)
}

# Tables ----------------------------------------------------------------------

# Mean, standard deviation and standard error of `columns` within the groups of `by`,
# in the order in which the groups come
group_means <- function(rows, by, columns) {
  key <- do.call(paste, c(rows[by], sep = "\r"))
  groups <- split(rows, factor(key, unique(key)))
  table <- lapply(groups, function(group) {
    stats <- lapply(columns, function(column) {
      v <- group[[column]]
      v <- v[!is.na(v)]
      sd <- if (length(v) > 1) stats::sd(v) else NA_real_
      stats <- data.frame(if (length(v)) mean(v) else NA_real_, sd, sd / sqrt(length(v)))
      stats::setNames(stats, paste0(column, c("", "_sd", "_se")))
    })
    cbind(group[1, by, drop = FALSE], n = nrow(group), do.call(cbind, stats))
  })
  table <- do.call(rbind, table)
  rownames(table) <- NULL
  table
}

# Values printed in the papers: adds to a table with the columns `by` the `printed` value,
# what is printed in brackets or after +/- (`printed_spread`), the standard error of the
# printed value (`printed_se`), and `z`, ours less the printed one in standard errors of
# both. Each row of printed.csv says where it is printed and of what kind its spread is;
# `error_of(spread, table)` makes a standard error of it.
beside_printed <- function(table, name, by, value, scale = 1,
                           error_of = function(spread, table) spread) {
  printed <- utils::read.csv(file.path(experiments, "printed.csv"))
  printed <- printed[printed$table == name, ]
  key <- function(rows) do.call(paste, rows[by])
  printed <- printed[match(key(table), key(printed)), ]
  table$printed <- printed$value * scale
  table$printed_spread <- printed$spread * scale
  table$printed_se <- error_of(table$printed_spread, table)
  table$z <- (table[[value]] - table$printed) /
    sqrt(table[[paste0(value, "_se")]]^2 + table$printed_se^2)
  table
}

# Files -----------------------------------------------------------------------

# Writes tables, figures and `about` to the first of the `folders`, and what the package
# shows to the second. Returns the paths.
save_experiment <- function(experiment, script, parts, tables, about, folders) {
  for (folder in folders) dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  path <- function(name, file) {
    file.path(folders[1 + name %in% c(experiment$in_package, "about")], file)
  }
  all <- c(parts["results"], tables)
  files <- vapply(names(all), function(name) {
    end <- if (name != "results") paste0("-", name)
    save_table(all[[name]], path(name, paste0(script, end, ".csv")))
  }, "")
  about_file <- path("about", paste0(script, ".dcf"))
  write.dcf(about, about_file, width = 80, keep.white = "Design")
  drawn <- vapply(names(experiment$figures), function(name) {
    figure <- experiment$figures[[name]]
    save_figure(figure, parts, tables, path(name, paste0(name, ".png")))
  }, "")
  unname(c(files, about_file, drawn))
}

# Six digits: more would differ between machines
save_table <- function(table, file) {
  number <- vapply(table, is.double, logical(1))
  table[number] <- lapply(table[number], signif, digits = 6)
  utils::write.csv(table, file, row.names = FALSE)
  file
}

save_figure <- function(figure, parts, tables, file) {
  grDevices::png(
    file, width = figure$width, height = figure$height, units = "in", res = 100,
    type = if (isTRUE(capabilities("cairo"))) "cairo" else getOption("bitmapType")
  )
  tryCatch(
    {
      graphics::par(
        mar = c(4.1, 4.3, 2.6, 0.8), mgp = c(2.7, 0.7, 0), las = 1, tcl = -0.3,
        cex.main = 1, font.main = 1, lwd = 1.6
      )
      figure$draw(parts, tables)
    },
    finally = grDevices::dev.off()
  )
  made <- new.env()
  sys.source(file.path(dirname(experiments), "vignettes", "fewer-colours.R"), made)
  made$fewer_colours(file)
}

one_line_of <- function(x) paste(deparse(x, width.cutoff = 500), collapse = " ")

# The head of a script, which says what is done and what the paper leaves open, as the
# text of a field of a .dcf file: lines begin with a space, an empty one has a dot
design_of <- function(script) {
  lines <- readLines(file.path(experiments, paste0(script, ".R")))
  head <- sub("^#", "", lines[seq_len(which(!startsWith(lines, "#"))[1] - 1)])
  head[!nzchar(head)] <- " ."
  sub("^ ", "", paste(head, collapse = "\n"))
}
