# One judge of labels, several classes, fits of gpc() by default of 130 and 150 rows. Vehicle, two
# of whose four classes look alike: clean, 20 % of the labels taken for another class at random
# ("uniform"), each class for the next one ("next"). And tables of three to six classes with four
# kinds of noise, "one" being 30 % of one class taken for one other. What is measured is that of
# label-stage.R, and the log loss on up to 400 rows that took no part, whose labels are right.
#
# `labels`: the six tables by which the numbers are judged; `predictions`: five tables with rows left.

sys.source(file.path(experiments, "multi-class.R"), environment())
sys.source(file.path(experiments, "label-judge.R"), environment())

classes_noise <- c("none", "uniform", "next", "one")
classes_six <- c("vehicle", "iris", "glass", "satellite", "clouds5", "process3")
classes_five <- c("vehicle", "satellite", "waveform", "clouds5", "process3")

classes_asked <- function() {
  of <- function(group, data, rows, noise, tables) {
    group_of(group, data = data, rows = rows, noise = noise, tables = tables)
  }
  by_noise <- function(what, data) {
    do.call(rbind, lapply(classes_noise, function(noise) {
      of(paste0(what, ", ", noise), data, 150, noise, tables = 3)
    }))
  }
  rbind(
    do.call(rbind, lapply(setdiff(classes_noise, "one"), function(noise) {
      of(paste("Vehicle, 130 rows,", noise), "vehicle", 130, noise, tables = 10)
    })),
    of("Vehicle, 150 rows, none", "vehicle", 150, "none", tables = 10),
    by_noise("labels", classes_six), by_noise("predictions", classes_five),
    of("predictions, all", classes_five, 150, classes_noise, tables = 3),
    of("quick", "clouds3", 40, "uniform", tables = 1)
  )
}

experiment <- list(
  settings = list(
    groups = setdiff(classes_asked()$group, "quick"), replications = 10, seed = 970001
  ),
  quick = list(groups = "quick", replications = 1),
  needs = "mlbench",
  in_package = "overall",
  tasks = function(settings) tasks_of(classes_asked(), settings),
  run = function(task) {
    table <- classes_table(task)
    fitted <- by_default(gpc(table$x, table$y, control = quiet_control()))
    cbind(
      judged(fitted, table$y != table$truth),
      log_loss = test_loss(fitted$value, table$x_test, table$y_test)
    )
  },
  tables = function(parts) judged_tables(parts$results, classes_asked())
)

# Tables ------------------------------------------------------------------------

# Rows x, y with their true classes, and up to `test` rows that take no part
classes_table <- function(task, test = 400) {
  set_seed(task$seed)
  data <- switch(task$data,
    clouds3 = clouds_data(task$rows + test, 3, 2, 2.5),
    clouds5 = clouds_data(task$rows + test, 5, 5, 1.5),
    process3 = processes_data(task$rows + test, 3),
    waveform = {
      wave <- mlbench::mlbench.waveform(task$rows + test)
      list(x = wave$x, y = wave$classes)
    },
    classes_data(task$data)
  )
  x <- as.data.frame(data$x)
  order <- sample.int(length(data$y))
  training <- utils::head(order, task$rows)
  others <- utils::head(setdiff(order, training), test)
  truth <- droplevels(data$y[training])
  kept <- varying(x[training, , drop = FALSE])
  list(
    x = kept, y = classes_labels(truth, task$noise), truth = truth,
    x_test = x[others, names(kept), drop = FALSE], y_test = data$y[others]
  )
}

# Normal clouds around centres that are normal themselves
clouds_data <- function(n, classes, columns, spread) {
  centres <- matrix(stats::rnorm(classes * columns, sd = spread), classes)
  y <- sample.int(classes, n, TRUE)
  list(x = centres[y, ] + stats::rnorm(n * columns), y = factor(letters[y]))
}

# The largest of Gaussian processes of two inputs, each class a tenth of the rows at least
processes_data <- function(n, classes) {
  repeat {
    X <- matrix(stats::rnorm(2 * n), n)
    K <- exp(-as.matrix(stats::dist(X))^2 / 2) + diag(0.02, n)
    f <- crossprod(chol(K), matrix(stats::rnorm(classes * n), n))
    y <- factor(letters[max.col(f, "first")], letters[seq_len(classes)])
    if (min(table(y)) >= n / 10) {
      return(list(x = X, y = y))
    }
  }
}

# Labels of which some are wrong. The class of which some are taken for one other has an eighth of the
# rows at least: of fewer there would be two or three.
classes_labels <- function(truth, noise) {
  classes <- nlevels(truth)
  code <- as.integer(truth)
  any_of <- function(these) these[sample.int(length(these), 1)]
  if (noise == "one") {
    from <- any_of(which(tabulate(code, classes) >= length(code) / 8))
    to <- any_of(setdiff(seq_len(classes), from))
    code[code == from & stats::runif(length(code)) < 0.3] <- to
  } else if (noise != "none") {
    wrong <- which(stats::runif(length(code)) < 0.2)
    step <- if (noise == "next") 1 else sample(classes - 1, length(wrong), TRUE)
    code[wrong] <- (code[wrong] + step - 1) %% classes + 1
  }
  factor(levels(truth)[code], levels(truth))
}
