# One judge of labels, two classes, fits of gpc() by default: is the number of wrong labels held by
# its 90 % interval, are clean tables told to be clean, which rows are called at a false-discovery
# rate of 0.1, how good are predictions on rows with right labels, and what does a fit cost?
#
# - flipped, one class: the flipped families of verdicts.R, 110 rows, and those of them where a fifth
#   of one class alone is wrong; clean: its families without wrong labels, and two more;
# - overlap: Pima and birth weights as they are, 110, 300 and all rows (once: all rows are one table);
# - eleven: nine real tables and two simulated of 110 rows, 10 % of all labels or a fifth of those of
#   one class flipped;
# - predictions: nine real tables of 110 rows and five of 300, 10 % flipped (of birth weights none),
#   log loss on the others, whose labels are as they were;
# - sizes: 110 to 1,500 rows of six real sets, as they are and flipped in three ways;
# - hidden: 300 breast biopsies, 40 % of the malignant recorded as benign;
# - thyroid: all of New Thyroid, 13 of the 65 ill recorded as normal, or as it is; spam as it is;
# - cost: what the default call takes at 110, 300 and 1,000 rows.
#
# To choose, take seeds below 900 or above 60,000 that no result is from; the defaults are to judge.

sys.source(file.path(experiments, "verdicts.R"), environment())
sys.source(file.path(experiments, "embeddings.R"), environment())
sys.source(file.path(experiments, "label-judge.R"), environment())

six_sets <- c("spam", "breast", "pima", "satellite", "wdbc", "ionosphere")
nine_sets <- c(six_sets, "newthyroid", "birthwt", "sonar")
eleven_sets <- c(nine_sets, "process", "linear")

# Sets of 0.95 of so many rows
sets_of <- list(
  "110" = six_sets, "300" = six_sets, "700" = c("spam", "breast", "pima", "satellite"),
  "1500" = c("spam", "satellite")
)

# `share`: of the labels of all rows, of the events or of the others; above 1 their number
stage_families <- function() {
  families <- verdict_families[c("data", "share", "of")]
  families <- rbind(families, data.frame(data = c("sonar", "spam"), share = 0, of = "all"))
  families <- cbind(families[1], rows = 110, families[2:3], tables = 10)
  some <- families$share > 0
  rbind(
    cbind(group = "flipped", families[some, ]),
    cbind(group = "one class", families[families$of != "all", ]),
    cbind(group = "clean", families[!some, ])
  )
}

stage_sizes <- function() {
  do.call(rbind, lapply(names(sets_of), function(rows) {
    of <- function(kind, sets, share, of) {
      tables <- if (as.numeric(rows) > 300) 3 else 5
      group_of(
        paste(rows, "rows,", kind), data = sets, rows = as.numeric(rows), share = share, of = of,
        tables = tables
      )
    }
    sets <- sets_of[[rows]]
    flipped <- rbind(
      of("flipped", sets, 0.1, "all"), of("flipped", sets, 0.2, c("event", "other"))
    )
    rbind(
      of("clean", sets, 0, "all"), of("clean, Pima aside", setdiff(sets, "pima"), 0, "all"), flipped
    )
  }))
}

stage_asked <- function() {
  of <- function(group, data, rows, share, of = "all", tables) {
    group_of(group, data = data, rows = rows, share = share, of = of, tables = tables)
  }
  rbind(
    stage_families(),
    of("overlap", c("pima", "birthwt"), 110, 0, tables = 10),
    of("overlap", "pima", 300, 0, tables = 10), of("overlap", "pima", 768, 0, tables = 1),
    of("overlap", "birthwt", 189, 0, tables = 1),
    of("predictions, 110 rows", setdiff(nine_sets, "birthwt"), 110, 0.1, tables = 5),
    of("predictions, 110 rows", "birthwt", 110, 0, tables = 5),
    of("predictions, 300 rows", setdiff(six_sets, "ionosphere"), 300, 0.1, tables = 5),
    of("eleven, 10 %", eleven_sets, 110, 0.1, tables = 2),
    of("eleven, one class 20 %", eleven_sets, 110, 0.2, c("event", "other"), tables = 2),
    stage_sizes(),
    of("hidden cases", "breast", 300, 0.4, "event", tables = 10),
    of("thyroid, 13 of the ill", "newthyroid", 215, 13, "event", tables = 3),
    of("thyroid, clean", "newthyroid", 215, 0, tables = 1),
    of("spam clean, 700 rows", "spam", 700, 0, tables = 3),
    of("spam clean, 1500 rows", "spam", 1500, 0, tables = 3),
    of("cost, 110 rows", c("spam", "pima", "breast"), 110, 0.1, tables = 2),
    of("cost, 300 rows", c("spam", "pima", "breast"), 300, 0.1, tables = 2),
    of("cost, 1000 rows", c("spam", "satellite"), 1000, 0.1, tables = 2)
  )
}

experiment <- list(
  settings = list(groups = unique(stage_asked()$group), replications = 10, seed = 970001),
  quick = list(groups = "thyroid, 13 of the ill", replications = 1),
  needs = c("MASS", "mlbench", "kernlab", "mclust"),
  in_package = "overall",
  tasks = function(settings) tasks_of(stage_asked(), settings),
  run = function(task) judge_stage(stage_table(task)),
  tables = function(parts) judged_tables(parts$results, stage_asked())
)

# Tables ------------------------------------------------------------------------

# Rows x, y with `flipped`, and rows that take no part, x_test, y_test, as they were recorded
stage_table <- function(task) {
  set_seed(task$seed)
  table <- switch(task$data,
    process = process_table(task$rows, 0.02), overlap = process_table(task$rows, 1),
    useless = useless_table(task$rows), linear = linear_table(task$rows),
    split_rows(stage_data(task$data), task$rows)
  )
  x <- varying(table$x)
  flipped <- flipped_among(table$y, task$share, task$of)
  list(
    x = x, y = xor(table$y, flipped), flipped = flipped, x_test = table$x_test[names(x)],
    y_test = table$y_test
  )
}

stage_data <- function(name) {
  switch(name,
    wdbc = {
      place <- new.env()
      utils::data(list = "wdbc", package = "mclust", envir = place)
      list(x = place$wdbc[-(1:2)], y = place$wdbc$Diagnosis == "M")
    },
    satellite = wide_data(name),
    verdict_data(name)
  )
}

# Ten inputs and a linear boundary, which one row in ten is on the wrong side of
linear_table <- function(rows, test = 400) {
  n <- rows + test
  X <- matrix(stats::rnorm(10 * n), n)
  y <- drop(X %*% (3 / sqrt(10) * rep(c(1, -1), 5))) + stats::rnorm(n) > 0
  split_rows(list(x = as.data.frame(X), y = y), rows, seq_len(n))
}

flipped_among <- function(y, share, of) {
  open <- which(switch(of, all = rep(TRUE, length(y)), event = y, other = !y))
  wrong <- if (share > 1) sample(open, share) else open[stats::runif(length(open)) < share]
  seq_along(y) %in% wrong
}

# A fit by default ----------------------------------------------------------------

judge_stage <- function(table) {
  fitted <- by_default(gpc(table$x, table$y, control = quiet_control()))
  cbind(
    judged(fitted, table$flipped), log_loss = test_loss(fitted$value, table$x_test, table$y_test)
  )
}
