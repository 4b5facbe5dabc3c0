# Many columns: how many labels are wrong?
#
# - embeddings: rows of unit length around two directions. Each is 0.35 of a random direction, to its
#   class's side, and normal numbers of total variance 1, divided by its length: with any number of
#   columns a linear boundary tells the classes apart all but surely.
# - real: 110 rows of tables of 33 to 166 columns, and 700 and 1,500 of those that have so many.
#
# A share of the labels is wrong, or none. Seeds 65001, 65201 and 66001 to 66903 were used to choose by.

sys.source(file.path(experiments, "averaging.R"), environment())

many_rows <- c("spam", "satellite", "dna") # tables of thousands
few_rows <- c("ionosphere", "spam", "sonar", "musk")

experiment <- list(
  settings = list(
    columns = c(32, 256, 768), rows = c(400, 3000), rows_real = c(110, 700, 1500),
    families = c("embeddings", few_rows, setdiff(many_rows, few_rows)), rates = c(0.1, 0),
    replications = 20, seed = 66401
  ),
  quick = list(families = c("embeddings", "spam"), columns = 24, rows = 60, rows_real = 110,
    replications = 1),
  needs = c("mlbench", "kernlab"),
  tasks = function(settings) {
    seed <- seeds_of(settings)
    simulated <- all_of(
      family = intersect(settings$families, "embeddings"), columns = settings$columns,
      rate = settings$rates, rows = settings$rows, seed = seed
    )
    real <- all_of(
      family = setdiff(settings$families, "embeddings"), columns = NA, rate = settings$rates,
      rows = settings$rows_real, seed = seed
    )
    real <- real[ifelse(real$rows > 110, real$family %in% many_rows, real$family %in% few_rows), ]
    all <- rbind(simulated, real)
    # of more rows a fit takes seconds to half a minute
    all[all$rows <= 110 | all$seed < settings$seed + max(1, settings$replications / 4), ]
  },
  run = function(task) {
    table <- if (task$family == "embeddings") {
      embedded_rows(task$rows, task$columns, task$rate, task$seed)
    } else {
      wide_rows(task$family, task$rows, task$rate, task$seed)
    }
    fitted <- suppressMessages(
      observe(gpc(table$X, table$y, hyper = "integrate", control = quiet_control()))
    )
    counted(fitted$value, table, fitted$seconds)
  },
  tables = function(parts) {
    columns <- c("wrong", "count", "lower", "upper", "covered", "auc", "log_loss", "factor",
                 "seconds")
    results <- parts$results
    real <- results$family != "embeddings" # whose samples may have lost constant columns
    results$columns[real] <- stats::ave(results$used, results$family, FUN = max)[real]
    table <- group_means(results, c("rate", "family", "rows", "columns"), columns)
    list(summary = table[order(-table$rate, table$family, table$rows, table$columns), ])
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
  flipped_rows(X, y, rate)
}

wide_rows <- function(family, rows, rate, seed) {
  data <- wide_data(family)
  set_seed(seed)
  data <- split_rows(data, rows)
  constant <- vapply(data$x, function(v) length(unique(v)) < 2, NA)
  flipped_rows(data.matrix(data$x[!constant]), data$y, rate)
}

wide_data <- function(family) {
  loaded <- function(name, package) {
    place <- new.env()
    utils::data(list = name, package = package, envir = place)
    place[[name]]
  }
  switch(family,
    musk = {
      d <- loaded("musk", "kernlab")
      list(x = d[names(d) != "Class"], y = d$Class == levels(d$Class)[1])
    },
    satellite = {
      d <- loaded("Satellite", "mlbench")
      list(x = d[names(d) != "classes"], y = grepl("grey", d$classes))
    },
    dna = {
      d <- loaded("DNA", "mlbench")
      list(x = d[names(d) != "Class"], y = d$Class == "n")
    },
    family_data(family)
  )
}

flipped_rows <- function(X, y, rate) {
  flipped <- stats::runif(length(y)) < rate
  list(X = X, y = xor(y, flipped), flipped = flipped)
}

counted <- function(fit, table, seconds) {
  found <- suppressMessages(mislabelled(fit))
  expected <- attr(found, "expected")
  flipped <- table$flipped
  wrong <- sum(flipped)
  p <- found$probability[order(found$row)]
  rank <- rank(p)
  data.frame(
    used = ncol(table$X), wrong = wrong, count = expected$count, lower = expected$lower,
    upper = expected$upper, covered = expected$lower <= wrong && wrong <= expected$upper,
    auc = (sum(rank[flipped]) - wrong * (wrong + 1) / 2) / (wrong * sum(!flipped)),
    log_loss = -mean(log(pmax(ifelse(flipped, p, 1 - p), 1e-10))),
    factor = suppressMessages(noise_test(fit))$bayes_factor > 3, seconds = seconds
  )
}
