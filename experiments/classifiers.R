# How many labels are wrong, by the out-of-sample probabilities of a classifier that was trained on
# the wrong labels: does the 90 % interval of second_stage() hold the number, is it right in the
# mean, and is the classifier's own ranking kept?
#
# - of two classes: 10 or 20 % of all labels flipped, 20 % of the events only, or none;
# - of several: 10 or 20 % taken for another class at random, 20 % for the next one, or none.
#
# Classifiers: a forest (ranger, out of bag), boosted trees (gbm, 5 folds). Beside them
# confident learning (Northcutt, Jiang and Chuang, 2021), written out here: the number of rows that
# some other class's own rows are less sure of (`confident`), and the rows whose most probable
# class is another one (`differ`).
#
# Seeds below 5000 are to choose by. Judge by others.

sys.source(file.path(experiments, "verdicts.R"), environment())
sys.source(file.path(experiments, "multi-class.R"), environment())

two_sets <- c("sonar", "ionosphere", "newthyroid", "breast", "pima", "spam")
more_sets <- c("vehicle", "vowel", "satellite", "waveform")

experiment <- list(
  settings = list(
    data = c(two_sets, more_sets), noise = c("all.1", "all.2", "one.2", "none"),
    rows = c(200, 1000), classifiers = c("forest", "boosted"), replications = 10, seed = 60301
  ),
  quick = list(data = c("newthyroid", "waveform"), noise = "one.2", rows = 200, replications = 1),
  needs = c("ranger", "gbm", "mlbench", "kernlab"),
  in_package = "families",
  tasks = function(settings) {
    tasks <- all_of(
      data = settings$data, noise = settings$noise, rows = settings$rows,
      classifier = settings$classifiers, seed = seeds_of(settings)
    )
    # where there are so many rows; trees of several classes are grown for a part of them only
    large <- c("spam", "satellite", "waveform")
    boosted <- tasks$classifier == "boosted"
    tasks[(tasks$rows == 200 | tasks$data %in% large & !boosted) &
      (tasks$data %in% two_sets | !boosted), ]
  },
  run = function(task) judge_scores(task),
  tables = function(parts) {
    rows <- parts$results
    rows$classes <- ifelse(rows$data %in% two_sets, "two", "several")
    columns <- c(
      "wrong", "count", "lower", "upper", "covered", "apart", "signs", "confident", "differ", "auc",
      "auc_own", "suggested", "seconds"
    )
    by <- c("classifier", "classes", "noise", "rows")
    families <- group_means(rows, by, columns)
    families$share <- families$count / families$wrong
    families$confident_share <- families$confident / families$wrong
    list(families = families, sets = group_means(rows, c("data", by), columns))
  }
)

# Tables ------------------------------------------------------------------------

scored_table <- function(name, noise, rows, seed) {
  set_seed(seed)
  data <- if (name %in% two_sets) {
    two <- family_data(name)
    list(x = two$x, y = factor(two$y))
  } else if (name == "waveform") {
    wave <- mlbench::mlbench.waveform(rows)
    list(x = as.data.frame(wave$x), y = wave$classes)
  } else {
    classes_data(name)
  }
  kept <- sample.int(length(data$y), min(rows, length(data$y)))
  truth <- droplevels(data$y[kept])
  list(x = as.data.frame(data$x)[kept, , drop = FALSE], y = noisy_labels(truth, noise), truth = truth)
}

noisy_labels <- function(y, noise) {
  if (noise == "none") return(y)
  two <- nlevels(y) == 2
  rate <- as.numeric(paste0("0.", sub(".*[.]", "", noise)))
  if (noise == "one.2" && !two) return(wrong_labels(y, "pair.2"))
  open <- if (noise == "one.2") which(as.integer(y) == 2) else seq_along(y)
  wrong <- open[stats::runif(length(open)) < rate]
  code <- as.integer(y)
  step <- if (two) 1 else sample(nlevels(y) - 1, length(wrong), TRUE)
  code[wrong] <- (code[wrong] + step - 1) %% nlevels(y) + 1
  factor(levels(y)[code], levels = levels(y))
}

# Classifiers: probabilities of the classes [n x C], each row's without its own label --------------

out_of_sample <- list(
  forest = function(x, y) {
    fit <- ranger::ranger(x = x, y = y, probability = TRUE, num.threads = 1, seed = 1)
    fit$predictions[, levels(y)]
  },
  boosted = function(x, y) {
    fold <- sample(rep_len(1:5, length(y)))
    p <- numeric(length(y))
    for (k in 1:5) {
      rest <- fold != k
      fit <- gbm::gbm.fit(
        x[rest, ], as.integer(y[rest]) - 1, distribution = "bernoulli", n.trees = 100,
        interaction.depth = 3, shrinkage = 0.05, n.minobsinnode = 5, verbose = FALSE
      )
      p[!rest] <- stats::predict(fit, x[!rest, ], n.trees = 100, type = "response")
    }
    p <- cbind(1 - p, p)
    colnames(p) <- levels(y)
    p
  }
)

# The number of rows that are above the mean certainty of another class's own rows, most so of all
# such classes
confident_count <- function(prob, y) {
  own <- prob[cbind(seq_along(y), as.integer(y))]
  least <- tapply(own, y, mean)
  above <- prob * (prob >= rep(least, each = length(y)))
  sum(rowSums(above) > 0 & max.col(above, ties.method = "first") != as.integer(y))
}

judge_scores <- function(task) {
  table <- scored_table(task$data, task$noise, task$rows, task$seed)
  wrong <- table$y != table$truth
  prob <- out_of_sample[[task$classifier]](table$x, table$y)
  fitted <- observe(second_stage(
    prob, table$y, epsilon = "average", hyper = "integrate", control = quiet_control()
  ))
  found <- observe(mislabelled(fitted$value))$value
  expected <- attr(found, "expected")
  found <- found[order(found$row), ]
  own <- prob[cbind(seq_along(table$y), as.integer(table$y))]
  data.frame(
    n = length(wrong), wrong = sum(wrong), count = expected$count, lower = expected$lower,
    upper = expected$upper,
    covered = expected$lower <= sum(wrong) && sum(wrong) <= expected$upper,
    # the number if the scores hardly err
    apart = c(attr(found, "test")$ends["apart", "count"], NA)[1],
    signs = attr(found, "test")$bayes_factor > 3,
    confident = confident_count(prob, table$y),
    differ = sum(colnames(prob)[max.col(prob, "first")] != table$y),
    auc = rank_area(found$probability, wrong), auc_own = rank_area(1 - own, wrong),
    suggested = if (any(wrong)) {
      mean(as.character(found$suggested)[wrong] == as.character(table$truth)[wrong])
    } else {
      NA
    },
    seconds = fitted$seconds
  )
}
