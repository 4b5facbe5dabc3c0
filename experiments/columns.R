# A lengthscale for each column, or one for all: from how many columns on can the data not tell? Two
# classes, a tenth of the labels flipped at random, from six rows a column to four columns a row;
# fits average, as called. Simulated tables are
#
# - few: three of the columns matter, the others are noise, all are independent;
# - all: the classes are apart along one direction of all columns;
# - factors: columns are noisy copies of four numbers, one of which has the class;
#
# and rows of Sonar and Ionosphere, with their own columns. Losses and errors are of further rows
# and against the true classes; `auc` is that of the flipped labels, `expected` their number as the
# fit has it. Seconds are of the processor.
#
# wide_columns in R/kernel-resolve.R was chosen by it: by seconds, for one lengthscale for each
# column is worth having in some tables at every size, and costs little where all columns matter.

experiment <- list(
  settings = list(
    families = c("few", "all", "factors"), rows = c(60, 120),
    columns = list(c(6, 15, 30, 60, 120, 240, 400), c(12, 30, 60, 120, 240, 400)),
    real = list(sonar = c(30, 60, 120), ionosphere = c(30, 60, 120)),
    replications = 3, seed = 4001
  ),
  quick = list(families = "few", rows = 30, columns = 3, replications = 1),
  in_package = character(),
  tasks = function(settings) {
    sizes <- Map(function(rows, columns) data.frame(rows, columns), settings$rows, settings$columns)
    simulated <- lapply(settings$families, function(family) {
      cbind(family = family, do.call(rbind, sizes))
    })
    real <- Map(function(family, rows) data.frame(family, rows, columns = NA), # all they have
                names(settings$real), settings$real)
    tables <- do.call(rbind, c(simulated, unname(real)))
    each <- all_of(
      kernel = c("ard", "iso"), table = seq_len(nrow(tables)), seed = seeds_of(settings)
    )
    cbind(tables[each$table, ], each[c("kernel", "seed")], row.names = NULL)
  },
  run = function(task) columns_one(task),
  tables = function(parts) {
    columns <- c(
      "true_loss", "error", "auc", "flipped", "expected", "evidence", "nodes", "seconds"
    )
    rows <- parts$results
    list(summary = group_means(rows, c("family", "rows", "p", "kernel"), columns))
  }
)

columns_tests <- 300L

columns_one <- function(task) {
  set_seed(task$seed)
  table <- if (is.na(task$columns)) {
    random_half(task$family, task$seed, task$rows)
  } else {
    columns_table(task$family, task$rows, task$columns)
  }
  noisy <- flip(table$y, 0.1, task$seed)
  kernel <- switch(task$kernel, ard = kernel_ard(), iso = kernel_iso())
  fitted <- observe(gpc(
    table$x, noisy$y, kernel = kernel, hyper = "integrate", control = quiet_control()
  ))
  fit <- fitted$value
  wrong <- fit_wrong(fit)
  p <- observe(predict(fit, table$x_test, type = "prob"))$value[, 2]
  p <- pmin(pmax(p, 1e-12), 1 - 1e-12)
  event <- table$y_test == levels(table$y)[2]
  data.frame(
    p = NCOL(fit$data$X), true_loss = -mean(log(ifelse(event, p, 1 - p))),
    error = mean((p > 0.5) != event),
    auc = if (any(noisy$flipped)) columns_auc(wrong, noisy$flipped) else NA_real_,
    flipped = sum(noisy$flipped), expected = sum(wrong), evidence = log_evidence(fit),
    nodes = nrow(fit$nodes$table),
    by_laplace = mean(fit$nodes$models$method == "mode"), seconds = fitted$seconds
  )
}

# Probability that each label is wrong, in the order of the rows given
fit_wrong <- function(fit) {
  found <- observe(mislabelled(fit))$value
  found$prob[order(found$row)]
}

columns_auc <- function(score, flipped) {
  ranks <- rank(score)
  n <- sum(flipped)
  (sum(ranks[flipped]) - n * (n + 1) / 2) / (n * sum(!flipped))
}

columns_table <- function(family, rows, columns) {
  n <- rows + columns_tests
  e <- matrix(stats::rnorm(n * columns), n)
  drawn <- switch(family,
    few = list(x = e, event = rowSums(e[, 1:3]) > 0),
    all = {
      event <- stats::runif(n) < 0.5
      direction <- stats::rnorm(columns)
      apart <- 4 * direction / sqrt(sum(direction^2))
      list(x = e + outer(event - 0.5, apart), event = event)
    },
    factors = {
      f <- matrix(stats::rnorm(n * 4), n)
      loadings <- matrix(stats::rnorm(4 * columns), 4)
      list(x = f %*% loadings + e, event = f[, 1] > 0)
    }
  )
  x <- as.data.frame(drawn$x)
  y <- factor(drawn$event, c(FALSE, TRUE), c("no", "yes"))
  training <- seq_len(rows)
  list(
    x = x[training, , drop = FALSE], y = y[training],
    x_test = x[-training, , drop = FALSE], y_test = y[-training]
  )
}
