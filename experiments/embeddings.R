# Embeddings: how many labels are wrong where columns are many? Rows of unit length around two
# directions, 400 of them, with 32, 256 and 768 columns; 8 % of the labels are wrong, or none. Fits by
# default, whose count is the direct one, and beside it that of a second stage on the leave-one-out
# probabilities of the same fit, second_stage(fit).
#
# Each row is 0.35 of a random direction, to its class's side, and normal numbers of total variance 1,
# divided by its length: at all three numbers of columns a linear boundary tells the classes apart all
# but surely, and wrong labels are ranked first.

experiment <- list(
  settings = list(
    columns = c(32, 256, 768), rates = c(0.08, 0), rows = 400, replications = 5, seed = 63201
  ),
  quick = list(columns = 8, rows = 60, replications = 1),
  tasks = function(settings) {
    all_of(
      columns = settings$columns, rate = settings$rates, rows = settings$rows,
      seed = seeds_of(settings)
    )
  },
  run = function(task) {
    table <- embedded_rows(task$rows, task$columns, task$rate, task$seed)
    fitted <- observe(gpc(table$X, table$y, hyper = "integrate", control = quiet_control()))
    staged <- observe(second_stage(fitted$value, hyper = "integrate"))
    rbind(
      cbind(by = "gpc()", counted(fitted, table$flipped)),
      cbind(by = "second_stage()", counted(staged, table$flipped))
    )
  },
  tables = function(parts) {
    columns <- c("wrong", "count", "lower", "upper", "covered", "auc", "seconds")
    table <- group_means(parts$results, c("rate", "columns", "by"), columns)
    list(summary = table[order(-table$rate, table$columns), ])
  },
  in_package = "summary"
)

embedded_rows <- function(rows, columns, rate, seed) {
  set_seed(seed)
  y <- stats::runif(rows) < 0.5
  direction <- stats::rnorm(columns)
  direction <- direction / sqrt(sum(direction^2))
  noise <- matrix(stats::rnorm(rows * columns), rows) / sqrt(columns)
  X <- noise + outer(ifelse(y, 0.35, -0.35), direction)
  X <- X / sqrt(rowSums(X^2))
  colnames(X) <- paste0("e", seq_len(columns))
  flipped <- stats::runif(rows) < rate
  list(X = X, y = xor(y, flipped), flipped = flipped)
}

counted <- function(run, flipped) {
  found <- observe(mislabelled(run$value))$value
  expected <- attr(found, "expected")
  wrong <- sum(flipped)
  rank <- rank(found$probability[order(found$row)])
  data.frame(
    wrong = wrong, count = expected$count, lower = expected$lower, upper = expected$upper,
    covered = expected$lower <= wrong && wrong <= expected$upper,
    auc = (sum(rank[flipped]) - wrong * (wrong + 1) / 2) / (wrong * sum(!flipped)),
    seconds = run$seconds
  )
}
