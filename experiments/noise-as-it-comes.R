# Errors as people make them, not as coins do: ten real tables of 200 rows, seven kinds of wrong labels,
# and who finds them.
#
# Seven tables of two classes and three of several (glass, satellite, vehicle). Kinds of noise:
# - random: a tenth of all labels, each as likely;
# - one class: a fifth of the events (of the first of several classes), taken for the other (the next);
# - boundary: a tenth, drawn by how close a row's true probabilities are: those of a forest that was
#   grown on all rows of the set with their right labels, out of bag;
# - rule: all labels of one leaf of a shallow tree (of right labels) that has 5 to 15 % of the rows;
# - block: half the labels of a fifth of the rows, which are one site's (nobody says so);
# - copied: runs of six rows in the order of the table, half the table, whose labels are the first's;
# - next: a tenth, each class for the next one. For several classes alone: of two it is random.
#
# Methods, all with the wrong labels only:
# - sturdy: gpc() by default, its rows by mislabelled();
# - forest: 500 trees (ranger), out of bag: rows by the probability of their own label;
# - net: elastic net (glmnet), ten folds, the same;
# - confident: confident learning (Northcutt, Jiang and Chuang, 2021), written out, on the forest's
#   probabilities: rows over the threshold of another class, by their margin, before all others;
# - neighbours: the share of the seven nearest rows with another label (edited nearest neighbours);
# - vote: how many of forest, ten-fold linear discriminant and neighbours contradict the label, ties
#   by the forest: what ensemble filters do.
#
# Measured: the area under the ROC curve; how many of the first k are wrong, k being how many are;
# the number and its 90 % interval, the verdict, what is called at a false-discovery rate of 0.1.
#
# To choose, take seeds below 900 or above 60,000 that no result is from; the defaults are to judge.

sys.source(file.path(experiments, "label-stage.R"), environment())
sys.source(file.path(experiments, "multi-class.R"), environment())

comes_two <- c("breast", "ionosphere", "newthyroid", "pima", "sonar", "spam", "wdbc")
comes_several <- c("glass", "satellite", "vehicle")
comes_kinds <- c("random", "one class", "boundary", "rule", "block", "copied", "next")

experiment <- list(
  settings = list(
    data = c(comes_two, comes_several), noise = comes_kinds, rows = 200, replications = 3, seed = 40001
  ),
  quick = list(data = c("newthyroid", "glass"), noise = "rule", rows = 100, replications = 1),
  needs = c("ranger", "glmnet", "rpart", "class", "MASS", "mlbench", "kernlab", "mclust"),
  in_package = "summary",
  tasks = function(settings) {
    tasks <- all_of(
      noise = settings$noise, data = settings$data, rows = settings$rows, seed = seeds_of(settings)
    )
    tasks[tasks$noise != "next" | tasks$data %in% comes_several, ]
  },
  run = function(task) comes_methods(comes_table(task)),
  tables = function(parts) comes_tables(parts$results),
  figures = list("noise-as-it-comes" = list(
    width = 8, height = 4.6, draw = function(parts, tables) comes_figure(tables$summary)
  ))
)

# Tables ------------------------------------------------------------------------

# Rows x, y with their `truth`
comes_table <- function(task) {
  set_seed(task$seed)
  data <- if (task$data %in% comes_two) stage_data(task$data) else classes_data(task$data)
  whole <- list(x = varying(as.data.frame(data$x)), y = droplevels(factor(data$y)))
  rows <- sample.int(length(whole$y), min(task$rows, length(whole$y)))
  truth <- droplevels(whole$y[rows])
  wrong <- switch(task$noise,
    random = , "next" = stats::runif(length(rows)) < 0.1,
    "one class" = {
      of <- if (nlevels(truth) == 2) levels(truth)[2] else levels(truth)[1]
      truth == of & stats::runif(length(rows)) < 0.2
    },
    boundary = among_close(whole, rows),
    rule = in_a_leaf(whole, rows),
    # rows are in a random order, so the first are no kind of their own
    block = seq_along(rows) <= length(rows) / 5 & stats::runif(length(rows)) < 0.5,
    copied = FALSE
  )
  labels <- if (task$noise == "copied") {
    copied_down(truth)
  } else {
    other_labels(truth, wrong, task$noise %in% c("next", "one class"))
  }
  list(x = varying(whole$x[rows, , drop = FALSE]), y = labels, truth = truth)
}

other_labels <- function(truth, wrong, next_one) {
  classes <- nlevels(truth)
  step <- if (next_one || classes == 2) 1 else sample.int(classes - 1, length(truth), TRUE)
  code <- as.integer(truth) - 1L
  factor(levels(truth)[(code + ifelse(wrong, step, 0)) %% classes + 1], levels(truth))
}

# A tenth of the rows, those as likely as e^-6 of the difference between the two largest of
# their probabilities
among_close <- function(whole, rows) {
  prob <- forest_prob(whole$x, whole$y)[rows, ]
  two <- apply(prob, 1, function(p) diff(utils::tail(sort(p), 2)))
  seq_along(rows) %in% sample(length(rows), round(length(rows) / 10), prob = exp(-6 * two))
}

in_a_leaf <- function(whole, rows) {
  data <- data.frame(whole$x, .class = whole$y)
  tree <- rpart::rpart(
    .class ~ ., data, control = rpart::rpart.control(maxdepth = 4, cp = 0, minbucket = 3)
  )
  leaf <- tree$where[rows]
  share <- table(leaf) / length(rows)
  some <- names(share)[share >= 0.05 & share <= 0.15]
  if (!length(some)) some <- names(share)[which.min(abs(share - 0.1))]
  leaf == some[sample.int(length(some), 1)]
}

copied_down <- function(truth) {
  runs <- (seq_along(truth) - 1) %/% 6
  copied <- sample(unique(runs), ceiling(length(unique(runs)) / 2))
  first <- match(runs, runs)
  truth[ifelse(runs %in% copied, first, seq_along(truth))]
}

# Methods -----------------------------------------------------------------------

forest_prob <- function(x, y) {
  fit <- ranger::ranger(
    x = x, y = y, probability = TRUE, num.trees = 500, num.threads = 1, seed = 1
  )
  fit$predictions[, levels(y)]
}

net_prob <- function(x, y) {
  X <- stats::model.matrix(~., x)[, -1]
  family <- if (nlevels(y) == 2) "binomial" else "multinomial"
  fold <- sample(rep_len(1:10, length(y)))
  tried <- glmnet::cv.glmnet(
    X, y, family = family, alpha = 0.5, foldid = fold, keep = TRUE
  )
  best <- which(tried$lambda == tried$lambda.min)
  p <- tried$fit.preval
  if (nlevels(y) > 2) {
    e <- exp(p[, , best] - apply(p[, , best], 1, max))
    return(e / rowSums(e))
  }
  p <- stats::plogis(p[, best])
  cbind(1 - p, p)
}

own_prob <- function(prob, y) prob[cbind(seq_along(y), as.integer(y))]

# Rows whose probability of another class is above what that class's own rows have on average
confident_suspicion <- function(prob, y) {
  own <- own_prob(prob, y)
  least <- tapply(own, y, mean)
  above <- prob * (prob >= rep(least, each = length(y)))
  above[cbind(seq_along(y), as.integer(y))] <- 0
  list(score = (rowSums(above) > 0) + 1 - own, called = which(rowSums(above) > 0))
}

neighbour_suspicion <- function(x, y, k = 7) {
  d <- as.matrix(stats::dist(scale(stats::model.matrix(~., x)[, -1])))
  diag(d) <- Inf
  vapply(seq_along(y), function(i) mean(y[order(d[i, ])[seq_len(k)]] != y[i]), 0)
}

discriminant_differs <- function(x, y) {
  fold <- sample(rep_len(1:10, length(y)))
  X <- stats::prcomp(stats::model.matrix(~., x)[, -1], scale. = TRUE, rank. = 10)$x
  told <- character(length(y))
  for (k in 1:10) {
    lda <- suppressWarnings(MASS::lda(X[fold != k, ], droplevels(y[fold != k])))
    told[fold == k] <- as.character(stats::predict(lda, X[fold == k, , drop = FALSE])$class)
  }
  told != y
}

comes_methods <- function(table) {
  wrong <- table$y != table$truth
  y <- droplevels(table$y)
  fitted <- by_default(gpc(table$x, y, control = quiet_control()))
  ours <- judged(fitted, wrong)
  p <- by_default(mislabelled(fitted$value))$value
  forest <- observe(forest_prob(table$x, y))
  prob <- forest$value
  net <- observe(tryCatch(net_prob(table$x, y), error = function(cnd) NULL))
  confident <- confident_suspicion(prob, y)
  near <- observe(neighbour_suspicion(table$x, y))
  linear <- observe(discriminant_differs(table$x, y))
  differs <- levels(y)[max.col(prob, "first")] != y
  votes <- differs + linear$value + (near$value > 0.5)
  scores <- list(
    sturdy = p$probability[order(p$row)], forest = 1 - own_prob(prob, y),
    net = if (!is.null(net$value)) 1 - own_prob(net$value, y), confident = confident$score,
    neighbours = near$value, vote = votes + 1 - own_prob(prob, y)
  )
  called <- list(
    forest = which(differs), confident = confident$called, neighbours = which(near$value > 0.5),
    vote = which(votes == 3)
  )
  seconds <- c(
    forest = forest$seconds, net = net$seconds, confident = forest$seconds,
    neighbours = near$seconds, vote = forest$seconds + linear$seconds + near$seconds
  )
  rows <- lapply(names(Filter(Negate(is.null), scores)), function(method) {
    score <- scores[[method]]
    first <- utils::head(order(-score), sum(wrong))
    own <- method == "sturdy"
    data.frame(
      method = method, wrong = sum(wrong), auc = area_of(score, wrong), first = sum(wrong[first]),
      count = if (own) ours$count else length(called[[method]]), lower = if (own) ours$lower else NA,
      upper = if (own) ours$upper else NA, covered = if (own) ours$covered else NA,
      called = if (own) ours$called else length(called[[method]]),
      called_wrongly = if (own) ours$called_wrongly else sum(!wrong[called[[method]]]),
      verdict = if (own) ours$verdict else NA, seconds = if (own) ours$seconds else seconds[[method]]
    )
  })
  do.call(rbind, rows)
}

# Tables of means ---------------------------------------------------------------

# `summary`: by noise and method; `pairs`: by table and noise, who is best or tied at the first k (within
# half a row of the mean of its tables), and what sturdy said of the number
comes_tables <- function(results) {
  results$found <- results$first / pmax(results$wrong, 1)
  results$silent <- startsWith(ifelse(is.na(results$verdict), "", results$verdict), "No sign")
  results$missed <- results$silent & results$wrong > 0.05 * 200 & results$auc > 0.9
  columns <- c(
    "wrong", "auc", "found", "count", "covered", "called", "called_wrongly", "missed", "seconds"
  )
  pair <- group_means(results, c("data", "noise", "method"), c("first", "found", "auc", "covered"))
  best <- tapply(pair$first, paste(pair$data, pair$noise), max)
  pair$best <- pair$first >= best[paste(pair$data, pair$noise)] - 0.5
  summary <- group_means(results, c("noise", "method"), columns)
  wins <- tapply(pair$best, paste(pair$noise, pair$method), mean)
  summary$best <- as.vector(wins[paste(summary$noise, summary$method)])
  list(summary = summary, pairs = pair)
}

comes_figure <- function(summary) {
  kinds <- unique(summary$noise)
  methods <- unique(summary$method)
  graphics::par(mar = c(4.1, 6, 1, 8))
  graphics::plot(
    range(0, summary$found), c(0.7, length(kinds) + 0.3), type = "n", yaxt = "n",
    xlab = "share of the wrong labels among as many rows at the head of the list", ylab = ""
  )
  graphics::axis(2, seq_along(kinds), kinds)
  graphics::abline(h = seq_along(kinds), col = "grey85", lwd = 1)
  for (k in seq_along(methods)) {
    rows <- summary[summary$method == methods[k], ]
    graphics::points(
      rows$found, match(rows$noise, kinds), pch = 14 + k, col = figure_colours[k],
      cex = if (k == 1) 1.6 else 1.1
    )
  }
  graphics::legend(
    graphics::par("usr")[2], length(kinds), methods, pch = 14 + seq_along(methods), xpd = NA,
    col = figure_colours[seq_along(methods)], bty = "n"
  )
}
