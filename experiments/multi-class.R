# Three classes or more, with labels that are wrong on purpose: does the fit predict the
# true classes of other rows, find the wrong labels, and say what they should be?
#
# At most 130 rows train and at most 400 others test; only training labels are made wrong:
# none, a share of all taken for another class at random ("uniform"), or every class taken
# for the next one ("pair"). Methods:
# - gpc: the average over no wrong labels, one rate and a matrix; gpc, one rate; and gpc,
#   matrix: learned, at the optimum; all with one lengthscale;
# - one against the rest: a gpc() of two classes for each class, at the optimum; a row is as
#   suspicious as its label is in the fit of its class;
# - forest (ranger, out of bag), svm (kernlab, probabilities, 5 folds) and multinomial
#   regression (nnet, 5 folds): a row is as suspicious as its label is improbable;
# - confident learning (Northcutt, Jiang and Chuang, 2021) with the out-of-bag probabilities of
#   the forest, written out here: a label is called wrong where the most probable of the
#   classes whose probability is above the mean of their own rows is another one.
#
# `error` and `log_loss` are on the test rows, `auc` is for finding the wrong labels,
# `suggested` the share of them whose best other class is the true one, `covered` whether
# the 90 % interval holds their number.

experiment <- list(
  settings = list(
    data = c(
      "iris", "wine", "newthyroid", "glass", "vehicle", "vowel", "satellite", "waveform"
    ),
    noise = c("none", "uniform.1", "uniform.2", "pair.2"),
    replications = 10, seed = 1
  ),
  quick = list(data = "iris", noise = "uniform.2", replications = 1),
  in_package = c("summary", "aims"),
  needs = c("ranger", "kernlab", "nnet", "mlbench", "gclus"),
  tasks = function(settings) { # one replication of all after the other
    all_of(data = settings$data, noise = settings$noise, seed = seeds_of(settings))
  },
  run = function(task) classes_replication(task$data, task$noise, task$seed),
  tables = function(parts) {
    list(
      summary = classes_summary(parts$results), aims = classes_beside_aims(parts$results),
      sets = classes_sets(parts$results)
    )
  }
)

# What a prototype of the same model reached, at the optimum, on other splits of these sets (two to
# four of each, 90 to 130 rows): with one rate, and under flips to the next class with a matrix.
# `forest_there` is what a forest reached on those splits: what it does here tells how
# hard these are.
classes_aims <- data.frame(
  noise = c("none", rep(c("uniform.1", "uniform.2", "pair.2"), each = 3)),
  method = rep(c("gpc, one rate", "gpc, matrix"), c(7, 3)),
  measure = c("log_loss", rep(c("log_loss", "auc", "suggested"), 3)),
  aim = c(0.39, 0.45, 0.959, 0.87, 0.52, 0.953, 0.87, 0.53, 0.918, 0.945),
  forest_there = c(0.462, 0.527, 0.96, 0.877, 0.625, 0.95, 0.846, 0.625, 0.9, 0.902)
)

# Data ------------------------------------------------------------------------

classes_data <- function(name) {
  from <- function(set, class, package = "mlbench") {
    data <- get(utils::data(list = set, package = package, envir = environment()))
    list(x = data[names(data) != class], y = factor(data[[class]]))
  }
  data <- switch(name,
    iris = list(x = datasets::iris[1:4], y = datasets::iris$Species),
    wine = from("wine", "Class", "gclus"),
    newthyroid = {
      data <- sturdy_data("newthyroid")
      list(x = data[names(data) != "class"], y = factor(data$class))
    },
    glass = from("Glass", "Type"),
    vehicle = from("Vehicle", "Class"),
    vowel = from("Vowel", "Class"),
    satellite = from("Satellite", "classes"),
    waveform = {
      data <- mlbench::mlbench.waveform(600)
      list(x = as.data.frame(data$x), y = data$classes)
    }
  )
  data$x <- data$x[vapply(data$x, is.numeric, NA)]
  common <- names(which(table(data$y) >= 10))
  if (name == "vowel") common <- utils::head(common, 6)
  kept <- data$y %in% common
  list(x = as.matrix(data$x[kept, ]), y = droplevels(data$y[kept]))
}

classes_split <- function(name, noise, seed) {
  set_seed(seed)
  data <- classes_data(name)
  n <- length(data$y)
  training <- sample(n, min(130, round(0.6 * n)))
  test <- setdiff(seq_len(n), training)
  test <- test[sample.int(length(test), min(400, length(test)))]
  truth <- data$y[training]
  scaled <- scale(data$x[training, ])
  centre <- attr(scaled, "scaled:center")
  unit <- pmax(attr(scaled, "scaled:scale"), 1e-8)
  at <- function(rows) scale(data$x[rows, , drop = FALSE], centre, unit)
  list(
    x = at(training), y = wrong_labels(truth, noise), truth = truth,
    x_test = at(test), y_test = data$y[test]
  )
}

wrong_labels <- function(y, noise) {
  if (noise == "none") {
    return(y)
  }
  rate <- as.numeric(paste0("0.", sub(".*[.]", "", noise)))
  classes <- nlevels(y)
  wrong <- sample.int(length(y), round(rate * length(y)))
  step <- if (startsWith(noise, "pair")) 1 else sample(classes - 1, length(wrong), TRUE)
  code <- as.integer(y)
  code[wrong] <- (code[wrong] + step - 1) %% classes + 1
  factor(levels(y)[code], levels = levels(y))
}

# Methods ---------------------------------------------------------------------
# Each returns list(prob: of the classes at the test rows; class: n x C, how probable each
# is for a training row; suspicion), and may have more.

ours <- function(d, epsilon, hyper,
                 kernels = if (hyper == "integrate") "average" else "shared") {
  fit <- gpc(
    d$x, d$y, kernel = kernel_iso(), kernels = kernels, epsilon = epsilon, hyper = hyper,
    control = quiet_control()
  )
  found <- suppressMessages(mislabelled(fit))
  interval <- attr(found, "expected")
  found <- found[order(found$row), ]
  models <- fit$nodes$models # of an average; one that was left out has the probability 0
  of <- function(name) sum(models$probability[models$model == name])
  list(
    count = interval$count, none = of("none"), matrix = of("matrix"),
    prob = predict(fit, d$x_test, type = "prob"), suggested = as.character(found$suggested),
    suspicion = found$probability, lower = interval$lower, upper = interval$upper,
    rate = mean(fit$epsilon)
  )
}

one_against_rest <- function(d) {
  parts <- lapply(levels(d$y), function(class) {
    fit <- gpc(
      d$x, d$y == class, kernel = kernel_iso(), epsilon = "learn", hyper = "optimum",
      control = quiet_control()
    )
    list(
      test = predict(fit, d$x_test, type = "prob")[, 2], train = fitted(fit),
      flipped = fit$ep$flipped
    )
  })
  together <- function(name) {
    p <- vapply(parts, `[[`, numeric(length(parts[[1]][[name]])), name)
    colnames(p) <- levels(d$y)
    p
  }
  prob <- together("test")
  at <- cbind(seq_along(d$y), as.integer(d$y))
  list(
    prob = prob / rowSums(prob), class = together("train"), suspicion = together("flipped")[at]
  )
}

forest <- function(d) {
  fit <- ranger::ranger(x = d$x, y = d$y, probability = TRUE, num.threads = 1, seed = 1)
  at <- cbind(seq_along(d$y), as.integer(d$y))
  seen <- fit$predictions[, levels(d$y)]
  list(
    prob = stats::predict(fit, d$x_test, num.threads = 1)$predictions[, levels(d$y)],
    class = seen, suspicion = 1 - seen[at]
  )
}

confident_learning <- function(d) {
  fit <- forest(d)
  own <- fit$class[cbind(seq_along(d$y), as.integer(d$y))]
  least <- tapply(own, d$y, mean)
  above <- fit$class * (fit$class >= rep(least, each = length(d$y)))
  called <- rowSums(above) > 0 & max.col(above, ties.method = "first") != as.integer(d$y)
  fit$suspicion <- (1 - own + called) / 2
  fit
}

out_of_fold <- function(d, probabilities) {
  fold <- sample(rep_len(1:5, length(d$y)))
  class <- matrix(NA_real_, length(d$y), nlevels(d$y), dimnames = list(NULL, levels(d$y)))
  for (k in 1:5) {
    class[fold == k, ] <- probabilities(d$x[fold != k, ], d$y[fold != k], d$x[fold == k, ])
  }
  at <- cbind(seq_along(d$y), as.integer(d$y))
  list(
    prob = probabilities(d$x, d$y, d$x_test), class = class, suspicion = 1 - class[at]
  )
}

all_levels <- function(p, levels) {
  p <- p[, match(levels, colnames(p)), drop = FALSE]
  p[is.na(p)] <- 0
  p / rowSums(p)
}

svm_probabilities <- function(x, y, new) {
  utils::capture.output(fit <- kernlab::ksvm(x, droplevels(y), prob.model = TRUE, scaled = FALSE))
  all_levels(kernlab::predict(fit, new, type = "probabilities"), levels(y))
}

multinomial_probabilities <- function(x, y, new) {
  fit <- nnet::multinom(
    y ~ ., data.frame(x, y = y), decay = 0.01, trace = FALSE, MaxNWts = 1e4, maxit = 300
  )
  all_levels(stats::predict(fit, data.frame(new), type = "probs"), levels(y))
}

classes_methods <- list(
  "gpc" = function(d) ours(d, "average", "integrate"),
  "gpc, one rate" = function(d) ours(d, "learn", "optimum"),
  "gpc, matrix" = function(d) ours(d, "matrix", "optimum"),
  "one against the rest" = one_against_rest,
  "forest" = forest,
  "confident learning" = confident_learning,
  "svm" = function(d) out_of_fold(d, svm_probabilities),
  "multinomial" = function(d) out_of_fold(d, multinomial_probabilities)
)

# Measures --------------------------------------------------------------------

classes_replication <- function(name, noise, seed) {
  d <- classes_split(name, noise, seed)
  rows <- lapply(names(classes_methods), function(method) {
    set_seed(seed)
    seen <- observe(classes_methods[[method]](d))
    cbind(data.frame(method = method), classes_measures(seen$value, d), seconds = seen$seconds)
  })
  do.call(rbind, rows)
}

classes_measures <- function(found, d) {
  wrong <- d$y != d$truth
  p <- all_levels(found$prob, levels(d$y_test))
  at <- cbind(seq_along(d$y_test), as.integer(d$y_test))
  best <- found$suggested
  if (is.null(best)) {
    others <- found$class
    others[cbind(seq_along(d$y), match(as.character(d$y), colnames(others)))] <- -1
    best <- colnames(others)[max.col(others, ties.method = "first")]
  }
  none <- function(x) if (is.null(x)) NA_real_ else x
  data.frame(
    error = mean(max.col(p) != as.integer(d$y_test)), log_loss = -mean(log(pmax(p[at], 1e-6))),
    wrong = sum(wrong), auc = if (any(wrong)) rank_area(found$suspicion, wrong) else NA_real_,
    suggested = if (any(wrong)) mean(best[wrong] == d$truth[wrong]) else NA_real_,
    found = if (any(wrong)) mean(found$suspicion[wrong] > 0.5) else NA_real_,
    called_falsely = mean(found$suspicion[!wrong] > 0.5), rate = none(found$rate),
    lower = none(found$lower), upper = none(found$upper)
  )
}

# The probability that a wrong label ranks above another, ties counting half
rank_area <- function(score, wrong) {
  m <- sum(wrong)
  (sum(rank(score)[wrong]) - m * (m + 1) / 2) / (m * sum(!wrong))
}

# Means over the sets beside the aims; the standard error is over replications, each a mean
# over all sets
classes_beside_aims <- function(results) {
  rows <- lapply(seq_len(nrow(classes_aims)), function(k) {
    aim <- classes_aims[k, ]
    of <- function(method) {
      g <- results[results$noise == aim$noise & results$method == method, ]
      tapply(g[[aim$measure]], g$seed, mean)
    }
    each <- of(aim$method)
    data.frame(
      aim, value = mean(each), se = stats::sd(each) / sqrt(length(each)),
      averaged = mean(of("gpc")), forest = mean(of("forest")), replications = length(each)
    )
  })
  do.call(rbind, rows)
}

# The same methods set by set
classes_sets <- function(results) {
  mine <- results[startsWith(results$method, "gpc") | results$method == "forest", ]
  group_means(mine, c("data", "noise", "method"), c("log_loss", "auc", "suggested", "error"))
}

classes_summary <- function(results) {
  parts <- split(results, list(results$method, results$noise), drop = TRUE)
  rows <- lapply(parts, function(g) {
    mean_of <- function(name) mean(g[[name]], na.rm = TRUE)
    measures <- c(
      "error", "log_loss", "auc", "suggested", "found", "called_falsely", "rate", "seconds"
    )
    data.frame(
      noise = g$noise[1], method = g$method[1], problems = nrow(g),
      as.list(vapply(stats::setNames(measures, measures), mean_of, 0)),
      covered = mean(g$lower <= g$wrong & g$wrong <= g$upper)
    )
  })
  do.call(rbind, unname(rows))
}
