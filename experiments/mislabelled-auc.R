# Does mislabelled() find wrong labels, and are its probabilities right? A tenth of
# the labels of five data sets is flipped on purpose. Each method ranks all rows by
# suspicion, and is measured by the area under the ROC curve (AUC) for finding the flipped
# labels. Two common rivals are included:
# - forest: probability forest of 500 trees (ranger), out-of-fold margin, 10 folds;
# - svm: C-svc with a radial kernel (kernlab), out-of-fold margin, 10 folds, the cost
#   among 0.1, 1, 10, 100 with the smallest out-of-fold error.
#
# For calibration, the posterior flip probabilities of all rows and replications are pooled
# and compared with the share of labels that were flipped. Labels that were wrong in the data
# sets before count as right, and as wrong when they were flipped. The same rows are in the
# bins of all replications, so the intervals treat dependent counts as independent.

experiment <- list(
  settings = list(
    data = c("pima", "ionosphere", "sonar", "newthyroid", "synth"),
    replications = 10, seed = 1, rate = 0.1
  ),
  quick = list(data = "newthyroid", replications = 1),
  in_package = c("results", "summary"),
  needs = c("ranger", "kernlab"),
  tasks = function(settings) {
    all_of(
      seed = seeds_of(settings),
      rate = settings$rate, data = settings$data
    )
  },
  run = function(task) auc_replication(task$data, task$seed, task$rate),
  tables = function(parts) {
    list(
      summary = auc_summary(parts$results), calibration = flip_calibration(parts$flips)
    )
  },
  figures = list("mislabelled-calibration" = list(
    width = 9, height = 4.6,
    draw = function(parts, tables) plot_flips(tables$calibration)
  ))
)

# One replication -------------------------------------------------------------

# All rows of a set (of Ripley's synth the training ones), a few labels flipped
flipped_data <- function(name, seed, rate) {
  d <- two_class_data(name)
  if (name == "synth") {
    training <- sturdy_data(name)$set == "train"
    d <- list(x = d$x[training, ], y = d$y[training])
  }
  noisy <- flip(d$y, rate, seed)
  list(x = d$x, y = noisy$y, flipped = noisy$flipped)
}

# What this package ranks by; epsilon = 0 is the plain classifier
auc_fits <- list(
  "gpc" = function(x, y) paper_fit(gpc, x, y, epsilon = "learn"),
  "gpc, one lengthscale" = function(x, y) {
    paper_fit(gpc, x, y, kernel = kernel_iso(), epsilon = "learn")
  },
  "gpc, epsilon = 0" = function(x, y) {
    paper_fit(gpc, x, y, epsilon = 0)
  },
  "stc(10)" = function(x, y) paper_fit(stc, x, y, df = 10, epsilon = "learn")
)
auc_rivals <- list(
  "forest" = function(x, y, fold) forest_suspicion(x, y, fold),
  "svm" = function(x, y, fold) svm_suspicion(x, y, fold)
)

auc_replication <- function(name, seed, rate) {
  d <- flipped_data(name, seed, rate)
  set_seed(seed)
  fold <- stratified_folds(d$y, 10)
  ours <- lapply(auc_fits, function(fit) fitted_suspicion(fit, d))
  theirs <- lapply(auc_rivals, function(rival) {
    seen <- observe(rival(d$x, d$y, fold))
    list(score = seen$value, facts = no_facts, seconds = seen$seconds)
  })
  found <- c(ours, theirs)
  rows <- Map(function(one, method) {
    data.frame(
      rows = length(d$y), flipped = sum(d$flipped), method = method,
      auc = area_under_roc(one$score, d$flipped), one$facts, seconds = one$seconds
    )
  }, found, names(found))
  with_noise <- ours[names(ours) != "gpc, epsilon = 0"] # there all are 0
  flips <- Map(function(one, method) {
    data.frame(method = method, probability = one$probability, flipped = d$flipped)
  }, with_noise, names(with_noise))
  list(
    results = do.call(rbind, unname(rows)), flips = do.call(rbind, unname(flips))
  )
}

no_facts <- data.frame(
  epsilon = NA_real_, expected = NA_real_, lower = NA_real_, upper = NA_real_,
  called = NA_integer_, called_flipped = NA_integer_, status = ""
)

# Fit, rank, and how many labels are said to be wrong: expected with a 90 % interval,
# and called at a false-discovery rate of 0.1
fitted_suspicion <- function(make, d) {
  seen <- observe({
    fit <- make(d$x, d$y)
    found <- mislabelled(fit)
  })
  expected <- attr(found, "expected")
  called <- found$row[found$fdr <= 0.1]
  facts <- data.frame(
    epsilon = fit$epsilon, expected = expected$count, lower = expected$lower,
    upper = expected$upper, called = length(called),
    called_flipped = sum(d$flipped[called]), status = fit$ep$status
  )
  if (!is.character(fit$spec$epsilon)) { # it claims nothing about numbers
    facts[c("expected", "lower", "upper", "called", "called_flipped")] <- NA
  }
  in_order <- order(found$row)
  list(
    score = -found$rank[in_order], probability = found$probability[in_order],
    facts = facts, seconds = seen$seconds
  )
}

# Rivals ----------------------------------------------------------------------

# Fold of each row, the classes spread evenly
stratified_folds <- function(y, k) {
  fold <- integer(length(y))
  for (rows in split(seq_along(y), y)) {
    fold[rows] <- sample(rep_len(seq_len(k), length(rows)))
  }
  fold
}

# Out-of-fold margin against the recorded label: larger is more suspicious
forest_suspicion <- function(x, y, fold) {
  p <- matrix(NA_real_, length(y), 2, dimnames = list(NULL, levels(y)))
  for (k in unique(fold)) {
    forest <- ranger::ranger(
      x = x[fold != k, , drop = FALSE], y = y[fold != k], probability = TRUE,
      num.trees = 500, num.threads = 1, seed = k
    )
    p[fold == k, ] <- stats::predict(
      forest, x[fold == k, , drop = FALSE], num.threads = 1
    )$predictions[, levels(y)]
  }
  1 - 2 * p[cbind(seq_along(y), as.integer(y))]
}

svm_suspicion <- function(x, y, fold, costs = c(0.1, 1, 10, 100)) {
  x <- scale(data.matrix(x))
  label <- ifelse(as.integer(y) == 2, 1, -1)
  margins <- vapply(costs, function(cost) {
    margin <- numeric(length(y))
    for (k in unique(fold)) {
      train <- x[fold != k, , drop = FALSE]
      # the decision value of kernlab is positive for the first level it met
      svm <- kernlab::ksvm(
        train, label[fold != k], type = "C-svc", kernel = "rbfdot", C = cost,
        scaled = FALSE
      )
      value <- kernlab::predict(
        svm, x[fold == k, , drop = FALSE], type = "decision"
      )
      inside <- kernlab::predict(svm, train, type = "decision")
      towards <- sign(sum(inside * label[fold != k]))
      margin[fold == k] <- towards * value * label[fold == k]
    }
    margin
  }, numeric(length(y)))
  -margins[, which.min(colMeans(margins < 0))]
}

# Scores ----------------------------------------------------------------------

# The probability that a flipped row ranks above another, ties counting half
area_under_roc <- function(score, flipped) {
  ranks <- rank(score)
  m <- sum(flipped)
  (sum(ranks[flipped]) - m * (m + 1) / 2) / (m * sum(!flipped))
}

# Means over replications; `ahead` is by how much gpc is ahead, on the same flips
auc_summary <- function(auc) {
  gpc <- auc[auc$method == "gpc", ]
  key <- function(rows) paste(rows$data, rows$seed)
  auc$ahead <- gpc$auc[match(key(auc), key(gpc))] - auc$auc
  standard_error <- function(v) stats::sd(v) / sqrt(length(v))
  groups <- split(auc, list(auc$method, auc$data), drop = TRUE)
  rows <- lapply(groups, function(g) {
    data.frame(
      data = g$data[1], method = g$method[1], replications = nrow(g),
      auc = mean(g$auc), auc_se = standard_error(g$auc),
      gpc_ahead = mean(g$ahead), gpc_ahead_se = standard_error(g$ahead),
      epsilon = mean(g$epsilon), flipped = mean(g$flipped),
      expected = mean(g$expected),
      covered = mean(g$lower <= g$flipped & g$flipped <= g$upper),
      called = mean(g$called),
      called_in_error = 1 - sum(g$called_flipped) / sum(g$called),
      not_converged = sum(!g$status %in% c("", "converged")),
      seconds = mean(g$seconds)
    )
  })
  rows <- do.call(rbind, rows)
  order <- order(match(rows$data, auc$data), match(rows$method, auc$method))
  rows <- rows[order, ]
  rownames(rows) <- NULL
  rows
}

# Pooled flip probabilities in bins, for each method over all sets and for each set
flip_calibration <- function(flips) {
  pooled <- transform(flips, data = "all")
  both <- rbind(pooled, flips)
  groups <- split(both, list(both$data, both$method), drop = TRUE)
  breaks <- c(0, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1)
  rows <- lapply(groups, function(g) {
    bin <- cut(g$probability, breaks, include.lowest = TRUE)
    bins <- lapply(split(g, bin, drop = TRUE), function(b) {
      # without correction this is Wilson's interval, which is also good at small counts
      ends <- suppressWarnings(
        stats::prop.test(sum(b$flipped), nrow(b), correct = FALSE)$conf.int
      )
      data.frame(
        data = b$data[1], method = b$method[1], predicted = mean(b$probability),
        observed = mean(b$flipped), n = nrow(b), lower = ends[1], upper = ends[2]
      )
    })
    do.call(rbind, bins)
  })
  rows <- do.call(rbind, rows)
  rows <- rows[order(match(rows$data, both$data), match(rows$method, both$method)), ]
  rownames(rows) <- NULL
  rows
}

# Figure ----------------------------------------------------------------------

plot_flips <- function(bins) {
  methods <- unique(bins$method)
  graphics::par(mfrow = c(1, 2))
  flip_axes("all data sets, 95 % intervals")
  for (k in seq_along(methods)) {
    b <- bins[bins$data == "all" & bins$method == methods[k], ]
    graphics::segments(
      b$predicted, b$lower, b$predicted, b$upper, col = figure_colours[k]
    )
    flip_curve(b, k)
  }
  flip_legend(methods)
  flip_axes("gpc, each data set")
  sets <- setdiff(unique(bins$data), "all")
  for (k in seq_along(sets)) {
    flip_curve(bins[bins$data == sets[k] & bins$method == "gpc", ], k)
  }
  flip_legend(sets)
}

flip_axes <- function(main) {
  graphics::plot(
    c(0, 1), c(0, 1), type = "n", main = main,
    xlab = "posterior probability of a flip", ylab = "share of flipped labels"
  )
  graphics::abline(0, 1, col = "grey60", lwd = 1)
}

flip_curve <- function(bins, k) {
  graphics::lines(
    bins$predicted, bins$observed, type = "o", pch = 14 + k, cex = 0.8,
    col = figure_colours[k], lty = figure_lines[k]
  )
}

flip_legend <- function(names) {
  k <- seq_along(names)
  graphics::legend(
    "bottomright", legend = names, col = figure_colours[k], lty = figure_lines[k],
    pch = 14 + k, bty = "n", seg.len = 3, cex = 0.85
  )
}
