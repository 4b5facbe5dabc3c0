# Is the verdict right? Families of tables whose wrong labels are known, 16 with and eight
# without: how many labels are said to be wrong, does the 90 % interval of the averaged count
# hold the number, and which way does the Bayes factor point? For fits by default.
#
# - flipped: a share of all labels, or of those of one class only: Gaussian processes of two
#   inputs (lengthscale 1, nugget 0.02) and real inputs.
# - none wrong: overlap (the same process, nugget 1), useless (no signal, one row in 20 an
#   event), and tables as they are. Labels of birthwt are facts.
#
# Seeds below 5000 are to choose by. Judge by others.

sys.source(file.path(experiments, "averaging.R"), environment())

# Whose labels are flipped: of all rows, of the events, or of the others
verdict_families <- utils::read.csv(strip.white = TRUE, text = "
  family,              data,       share, of
  simulated5,          process,    0.05,  all
  simulated10,         process,    0.1,   all
  simulated20,         process,    0.2,   all
  simulated20_event,   process,    0.2,   event
  sonar10,             sonar,      0.1,   all
  ionosphere10,        ionosphere, 0.1,   all
  ionosphere20_good,   ionosphere, 0.2,   event
  ionosphere20_bad,    ionosphere, 0.2,   other
  newthyroid10,        newthyroid, 0.1,   all
  newthyroid20_ill,    newthyroid, 0.2,   event
  newthyroid20_normal, newthyroid, 0.2,   other
  breast10,            breast,     0.1,   all
  breast20_malignant,  breast,     0.2,   event
  pima10,              pima,       0.1,   all
  spam10,              spam,       0.1,   all
  crabs10,             crabs,      0.1,   all
  overlap,             overlap,    0,     all
  useless,             useless,    0,     all
  birthwt,             birthwt,    0,     all
  ionosphere,          ionosphere, 0,     all
  newthyroid,          newthyroid, 0,     all
  breast,              breast,     0,     all
  crabs,               crabs,      0,     all
  pima,                pima,       0,     all
")

experiment <- list(
  settings = list(
    families = verdict_families$family, rows = 110, replications = 20, seed = 3001
  ),
  quick = list(families = c("simulated10", "useless"), rows = 60, replications = 1),
  needs = c("MASS", "mlbench", "kernlab"),
  in_package = "overall",
  tasks = function(settings) {
    all_of(family = settings$families, rows = settings$rows, seed = seeds_of(settings))
  },
  run = function(task) {
    judge_table(verdict_table(task$family, task$rows, task$seed))
  },
  tables = function(parts) {
    columns <- c(
      "flipped", "count", "covered", "none", "no_sign", "open", "signs", "held_no_sign",
      "called", "called_right", "auc", "row_score", "seconds"
    )
    rows <- with_kinds(parts$results)
    families <- group_means(rows, "family", columns)
    list(
      families = families[c("family", "n", columns)],
      overall = overall_table(rows, columns)
    )
  }
)

# Tables ------------------------------------------------------------------------

# A table of rows x, y with `flipped`
verdict_table <- function(family, rows, seed) {
  way <- verdict_families[verdict_families$family == family, ]
  set_seed(seed)
  data <- switch(way$data,
    process = process_table(rows, 0.02, 0), overlap = process_table(rows, 1, 0),
    useless = useless_table(rows, 0), split_rows(verdict_data(way$data), rows)
  )
  of <- switch(way$of, all = rep(TRUE, length(data$y)), event = data$y, other = !data$y)
  flipped <- of & stats::runif(length(data$y)) < way$share
  list(x = data$x, y = xor(data$y, flipped), flipped = flipped)
}

verdict_data <- function(name) {
  if (name == "newthyroid") { # the ill are the event
    data <- two_class_data(name)
    list(x = data$x, y = data$y == "abnormal")
  } else if (name == "crabs") {
    list(x = MASS::crabs[4:8], y = MASS::crabs$sex == "F")
  } else {
    family_data(name)
  }
}

# A verdict ---------------------------------------------------------------------

judge_table <- function(table) {
  constant <- vapply(table$x, function(v) length(unique(v)) < 2, NA)
  fitted <- observe(gpc(
    table$x[!constant], table$y, control = quiet_control(), epsilon = "average",
    hyper = "integrate"
  ))
  found <- observe(mislabelled(fitted$value))$value
  test <- observe(noise_test(fitted$value))$value
  p <- found$probability[order(found$row)]
  wrong <- sum(table$flipped)
  expected <- attr(found, "expected")
  called <- found$row[found$fdr <= 0.1]
  models <- test$models
  # beside "no sign" stands "probably none; if some, up to"
  shown <- if (test$bayes_factor < 1 / 3) c(0, test$any$upper) else unlist(expected[c("lower", "upper")])
  data.frame(
    flipped = wrong, count = expected$count, lower = expected$lower, upper = expected$upper,
    covered = expected$lower <= wrong && wrong <= expected$upper,
    shown = shown[1] <= wrong && wrong <= shown[2],
    none = test$probability_none, factor = test$bayes_factor,
    called = length(called), called_right = sum(!table$flipped[called]),
    auc = rank_area(p, table$flipped),
    row_score = mean(log_of(ifelse(table$flipped, p, 1 - p), 1e-4)),
    models = paste(models$model, format(models$probability, digits = 2), collapse = " "),
    evaluations = fitted$value$learning$evaluations, seconds = fitted$seconds
  )
}

# Which way the Bayes factor points, and whether the interval that is shown beside "no sign" holds
# the number
with_kinds <- function(rows) {
  rows$no_sign <- rows$factor < 1 / 3
  rows$signs <- rows$factor > 3
  rows$open <- !rows$no_sign & !rows$signs
  rows$held_no_sign <- ifelse(rows$no_sign, rows$shown, NA)
  rows
}

# Means of the families' means
overall_table <- function(rows, columns) {
  rows$labels <- ifelse(
    verdict_families$share[match(rows$family, verdict_families$family)] > 0,
    "some wrong", "none wrong"
  )
  families <- group_means(rows, c("labels", "family"), columns)
  means <- lapply(split(families, families$labels), function(part) {
    data.frame(
      labels = part$labels[1], families = nrow(part),
      lapply(part[columns], mean, na.rm = TRUE),
      least_covered = min(part$covered),
      # of all tables together
      count_share = sum(part$count * part$n) / sum(part$flipped * part$n)
    )
  })
  do.call(rbind, unname(means))
}
