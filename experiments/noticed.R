# Would wrong labels be noticed? noise_test() says of a table how often a tenth of wrong labels
# would show in tables like it. Here tables without wrong labels are asked, a tenth is flipped
# (of all labels, of the events, of the others), and it is counted how often the Bayes factor is
# above 3.
#
# Seeds below 5000 are to choose by. Judge by others.

sys.source(file.path(experiments, "verdicts.R"), environment())

experiment <- list(
  settings = list(
    data = c("process", "overlap", "newthyroid", "ionosphere", "pima", "crabs"),
    rows = 110, replications = 6, seed = 5101
  ),
  quick = list(data = c("process", "overlap"), rows = 60, replications = 1),
  needs = "MASS",
  in_package = "overall",
  tasks = function(settings) {
    all_of(data = settings$data, rows = settings$rows, seed = seeds_of(settings))
  },
  run = function(task) noticed_rows(task$data, task$rows, task$seed),
  tables = function(parts) {
    columns <- c("expected", "noticed", "factor")
    rows <- parts$results
    list(
      families = group_means(rows, c("data", "of"), columns),
      overall = group_means(rows, "of", columns)
    )
  }
)

# A row for each way of flipping: the share of tables expected to be noticed, by the fit to labels
# that are right, and whether this one was
noticed_rows <- function(data, rows, seed) {
  set_seed(seed)
  table <- switch(data,
    process = process_table(rows, 0.02, 0), overlap = process_table(rows, 1, 0),
    split_rows(verdict_data(data), rows)
  )
  x <- table$x[vapply(table$x, function(v) length(unique(v)) > 1, NA)]
  u <- stats::runif(length(table$y))
  test <- function(y) {
    noise_test(gpc(
      x, y, control = quiet_control(), epsilon = "average", hyper = "integrate"
    ))
  }
  expected <- test(table$y)$noticed$probability
  ways <- list(all = rep(TRUE, length(table$y)), other = !table$y, event = table$y)
  found <- lapply(seq_along(ways), function(k) {
    factor <- test(xor(table$y, ways[[k]] & u < 0.1))$bayes_factor
    data.frame(
      of = names(ways)[k], expected = expected[k], noticed = factor > 3, factor = log(factor)
    )
  })
  do.call(rbind, found)
}
