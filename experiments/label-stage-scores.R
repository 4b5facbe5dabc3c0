# One judge of labels, scores of other classifiers that were trained on the wrong labels: the
# stage behind mislabelled(scores, labels), measured as in label-stage.R. Rows are scored without
# their own label:
# - forest: ranger, 1,000 trees, out of bag;
# - net: elastic net (glmnet, alpha 1/2), ten folds, the penalty by cross-validation;
# - boosted: gbm, five folds, for two classes.
#
# Two classes: eleven tables of 200 rows and four of 1,000, clean, 10 or 20 % of all labels flipped, 25 %
# of those of either class. Several: eight tables of 200 rows and five of 1,000 (or all there are), by
# forests: clean, 20 % taken for another class at random ("uniform") or for the next one ("next"),
# and 30 % of one class taken for one other ("one").
#
# Two sets of networks' scores of images that are no part of the repository are judged where the
# environment variable STURDY_SHARED_DATA names the folder that has them: columns p0 to p9, `label`, and
# `wrong`, as scores_<name>.csv.gz.

sys.source(file.path(experiments, "classifiers.R"), environment())
sys.source(file.path(experiments, "label-stage.R"), environment())
sys.source(file.path(experiments, "label-stage-classes.R"), environment())

image_sets <- c("cifar10_synthetic", "roman_numerals")
image_file <- function(name) {
  file.path(Sys.getenv("STURDY_SHARED_DATA"), paste0("scores_", name, ".csv.gz"))
}

two_noise <- c("none", "all.1", "all.2", "event.25", "other.25")
several_tables <- list(
  "200" = c(
    "vehicle", "iris", "glass", "satellite", "waveform", "clouds3", "clouds5", "process3"
  ),
  "1000" = c("vehicle", "satellite", "waveform", "clouds5", "process3")
)
two_tables <- list("200" = eleven_sets, "1000" = c("spam", "satellite", "process", "linear"))

scores_asked <- function() {
  two <- function(rows, classifier, noise) {
    kind <- if (startsWith(noise, "event") || startsWith(noise, "other")) "one class" else noise
    group_of(
      paste0("two classes, ", rows, ", ", classifier, ", ", kind), classes = "two",
      data = two_tables[[rows]], rows = as.numeric(rows), noise = noise,
      classifier = classifier, tables = if (rows == "200") 3 else 2
    )
  }
  several <- function(rows, noise) {
    group_of(
      paste0("several classes, ", rows, ", ", noise), classes = "several",
      data = several_tables[[rows]], rows = as.numeric(rows), noise = noise,
      classifier = "forest", tables = if (rows == "200") 3 else 2
    )
  }
  twos <- all_of(noise = two_noise, classifier = names(scorers), rows = names(two_tables))
  manys <- all_of(noise = classes_noise, rows = names(several_tables))
  images <- Filter(function(name) file.exists(image_file(name)), image_sets)
  rbind(
    do.call(rbind, Map(two, twos$rows, twos$classifier, twos$noise)),
    do.call(rbind, Map(several, manys$rows, manys$noise)),
    if (length(images)) {
      group_of(
        "images", classes = "several", data = images, rows = NA, noise = "as it is",
        classifier = "network", tables = 1
      )
    }
  )
}

# Scores ------------------------------------------------------------------------

scorers <- list(
  forest = function(x, y) {
    fit <- ranger::ranger(
      x = x, y = y, probability = TRUE, num.trees = 1000, num.threads = 1, seed = 1
    )
    fit$predictions[, levels(y)]
  },
  net = function(x, y) {
    X <- stats::model.matrix(~., x)[, -1]
    fold <- sample(rep_len(1:10, length(y)))
    net <- function(rows) {
      glmnet::glmnet(X[rows, ], y[rows], "binomial", alpha = 0.5)
    }
    tried <- glmnet::cv.glmnet(X, y, family = "binomial", alpha = 0.5, foldid = fold)
    p <- numeric(length(y))
    for (k in 1:10) {
      p[fold == k] <- stats::predict(
        net(fold != k), X[fold == k, , drop = FALSE], s = tried$lambda.min, type = "response"
      )
    }
    structure(cbind(1 - p, p), dimnames = list(NULL, levels(y)))
  },
  boosted = function(x, y) out_of_sample$boosted(x, y)
)

experiment <- list(
  settings = list(groups = unique(scores_asked()$group), replications = 3, seed = 970001),
  quick = list(groups = "two classes, 200, forest, all.1", replications = 1),
  needs = c("ranger", "glmnet", "gbm", "MASS", "mlbench", "kernlab", "mclust"),
  in_package = "overall",
  tasks = function(settings) tasks_of(scores_asked(), settings),
  run = function(task) {
    table <- scores_table(task)
    fitted <- by_default(second_stage(table$prob, table$y, control = quiet_control()))
    judged(fitted, table$wrong)
  },
  tables = function(parts) judged_tables(parts$results, scores_asked())
)

scores_table <- function(task) {
  if (task$classifier == "network") {
    rows <- utils::read.csv(image_file(task$data))
    prob <- as.matrix(rows[startsWith(names(rows), "p")])
    colnames(prob) <- sub("^p", "", colnames(prob))
    return(list(
      prob = prob, y = factor(rows$label, colnames(prob)), wrong = as.logical(rows$wrong)
    ))
  }
  table <- if (task$classes == "two") two_table(task) else classes_table(task, 0)
  list(
    prob = scorers[[task$classifier]](table$x, table$y), y = table$y, wrong = table$y != table$truth
  )
}

# "all.2": a fifth of all labels
two_table <- function(task) {
  noise <- strsplit(paste0(task$noise, ".0"), ".", fixed = TRUE)[[1]]
  table <- stage_table(list(
    data = task$data, rows = task$rows, seed = task$seed, share = as.numeric(paste0("0.", noise[2])),
    of = if (noise[1] == "none") "all" else noise[1]
  ))
  list(x = table$x, y = factor(table$y), truth = factor(xor(table$y, table$flipped)))
}
