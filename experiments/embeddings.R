# Many columns: how many labels are wrong, by the fit itself and by the second stage on its
# leave-one-out probabilities, which tells of them by default from a quarter as many columns as rows on?
#
# - embeddings: rows of unit length around two directions, 400 of them. Each is 0.35 of a random
#   direction, to its class's side, and normal numbers of total variance 1, divided by its length: with
#   any number of columns a linear boundary tells the classes apart all but surely.
# - real: 110 rows of tables of 33 to 166 columns.
#
# A share of the labels is wrong, or none. Seeds 65001 and 65201 were used to choose by.

sys.source(file.path(experiments, "averaging.R"), environment())

experiment <- list(
  settings = list(
    families = c("embeddings", "ionosphere", "spam", "sonar", "musk"), columns = c(32, 256, 768),
    rows = 400, rows_real = 110, rates = c(0.1, 0), replications = 20, seed = 65301
  ),
  quick = list(families = c("embeddings", "spam"), columns = 24, rows = 60, rows_real = 60,
    replications = 1),
  needs = c("mlbench", "kernlab"),
  tasks = function(settings) {
    each <- settings["replications"]
    simulated <- all_of(
      family = intersect(settings$families, "embeddings"), columns = settings$columns,
      rate = settings$rates, rows = settings$rows, seed = seeds_of(settings)
    )
    # at 400 rows a fit takes half a minute
    simulated <- simulated[simulated$seed < settings$seed + max(1, each$replications / 4), ]
    real <- all_of(
      family = setdiff(settings$families, "embeddings"), columns = NA, rate = settings$rates,
      rows = settings$rows_real, seed = seeds_of(settings)
    )
    rbind(simulated, real)
  },
  run = function(task) {
    table <- if (task$family == "embeddings") {
      embedded_rows(task$rows, task$columns, task$rate, task$seed)
    } else {
      wide_rows(task$family, task$rows, task$rate, task$seed)
    }
    fitted <- observe(gpc(table$X, table$y, hyper = "integrate", control = quiet_control()))
    itself <- fitted$value
    itself$told <- NULL
    rbind(
      cbind(by = "fit", counted(itself, table, fitted$seconds)),
      cbind(by = "second stage", counted(second_stage(itself, hyper = "integrate"), table,
        fitted$seconds))
    )
  },
  tables = function(parts) {
    columns <- c("wrong", "count", "lower", "upper", "covered", "auc", "log_loss", "factor",
                 "seconds")
    results <- parts$results
    real <- results$family != "embeddings"
    results$columns[real] <- results$used[real]
    table <- group_means(results, c("rate", "family", "columns", "by"), columns)
    list(summary = table[order(-table$rate, table$family, table$columns), ])
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
  data <- if (family == "musk") musk_data() else family_data(family)
  set_seed(seed)
  data <- split_rows(data, rows)
  constant <- vapply(data$x, function(v) length(unique(v)) < 2, NA)
  flipped_rows(as.matrix(data$x[!constant]), data$y, rate)
}

musk_data <- function() {
  place <- new.env()
  utils::data("musk", package = "kernlab", envir = place)
  data <- place$musk
  list(x = data[names(data) != "Class"], y = data$Class == levels(data$Class)[1])
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
