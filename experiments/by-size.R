# Are wrong labels seen in tables of every size? The more rows there are, the better scores learn errors that
# are always the same, and nothing in them contradicts a label any more: a tenth of one class recorded as
# its neighbour is to be seen in 20,000 rows as well as in 300. Three inputs, one of which says nothing; the
# class follows the sum of two with some noise, cut into two or three. Labels as they are, a tenth of
# them taken for another class ("random"), or a tenth of the last class for the one before ("one").
# Seven classes lie around a circle, each overlapping with the two beside it; three tenths of the last are taken
# for the one before ("one"), or a fifth of all labels are those of the next class ("next").
#
# Fits by default, of bpm() where its name stands, and of three classes in their order where "order" does. What
# is measured is that of label-stage.R.
#
# To choose, take seeds below 900 or above 60,000 that no result is from; the defaults are to judge.

sys.source(file.path(experiments, "label-judge.R"), environment())

size_asked <- function() {
  of <- function(what, model, classes, rows, noises = c("none", "random", "one")) {
    do.call(rbind, lapply(noises, function(noise) {
      group_of(
        paste(what, noise, sep = ", "), model = model, classes = classes, rows = rows, noise = noise, tables = 3
      )
    }))
  }
  rbind(
    of("two classes, 300", "gpc", 2, 300), of("two classes, 1,500 and 6,000", "gpc", 2, c(1500, 6000)),
    of("two classes, 20,000", "gpc", 2, 20000), of("bpm(), 20,000 and 60,000", "bpm", 2, c(20000, 60000)),
    of("three classes, 300", "gpc", 3, 300), of("three classes, 1,500 and 6,000", "gpc", 3, c(1500, 6000)),
    of("in an order, 300", "order", 3, 300), of("in an order, 1,500 and 6,000", "order", 3, c(1500, 6000)),
    of("seven classes, 350 and 1,400", "gpc", 7, c(350, 1400), c("none", "random", "one", "next")),
    group_of("quick", model = "gpc", classes = 3, rows = 60, noise = "one", tables = 1)
  )
}

experiment <- list(
  settings = list(groups = setdiff(size_asked()$group, "quick"), replications = 3, seed = 52001),
  quick = list(groups = "quick", replications = 1),
  in_package = "overall",
  tasks = function(settings) tasks_of(size_asked(), settings),
  run = function(task) {
    table <- size_table(task)
    fit <- if (task$model == "bpm") bpm else gpc
    fitted <- by_default(fit(class ~ ., table$data, control = quiet_control()))
    judged(fitted, table$wrong)
  },
  tables = function(parts) judged_tables(parts$results, size_asked())
)

size_table <- function(task) {
  set_seed(task$seed)
  n <- task$rows
  many <- task$classes > 3
  data <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n), c = stats::rnorm(n))
  if (many) {
    truth <- sample.int(task$classes, n, TRUE)
    angle <- 2 * pi * truth / task$classes
    data$a <- 2 * cos(angle) + 0.45 * data$a
    data$b <- 2 * sin(angle) + 0.45 * data$b
  } else {
    cuts <- if (task$classes == 2) 0 else c(-0.6, 0.6)
    truth <- 1 + findInterval(data$a + data$b + 0.3 * stats::rnorm(n), cuts)
  }
  share <- if (task$noise == "next") 0.2 else if (many && task$noise == "one") 0.3 else 0.1
  hit <- stats::runif(n) < share
  code <- switch(task$noise,
    none = truth,
    random = ifelse(hit, (truth + sample.int(task$classes - 1, n, TRUE) - 1) %% task$classes + 1, truth),
    one = ifelse(hit & truth == task$classes, truth - 1, truth),
    "next" = ifelse(hit, truth %% task$classes + 1, truth)
  )
  data$class <- factor(letters[code], letters[seq_len(task$classes)], ordered = task$model == "order")
  list(data = data, wrong = code != truth)
}
