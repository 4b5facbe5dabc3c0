# Robust classifiers compared with a support vector machine and a random forest, when
# labels of the training half are flipped on purpose: at random, or only far from the
# boundary (the gross errors of Kim and Ghahramani, 2008). All methods of a replication see
# the same split and the same flips. Test labels are never flipped.
#
# The methods:
# - gpc() with epsilon = 0 and learned; stc() with df = 10 by its t-EP evidence, with
#   epsilon learned and 0 (as in the paper of t-EP), and by leave-one-out, the default;
#   select_model() with its default candidates, of one rate, by evidence, by integrated evidence and
#   by leave-one-out. The fits of gpc() and of stc() by leave-one-out are those of its
#   candidates.
# - kernlab's C-svc with a radial kernel of automatic width. Inputs are standardised by the
#   training rows. The cost is the one of 0.1, 1, 10, 100 with the smallest error in
#   five-fold cross-validation (the smallest cost if several are equal). Probabilities are
#   by Platt's scaling. The error is that of its decisions, which need not agree with the
#   probabilities.
# - ranger's probability forest of 500 trees. It may give probability 0 to what happens, and
#   then the log score is -Inf. `log_score` replaces its p by (500 p + 1) / 502, as if two
#   more trees had voted, one for each class; `log_score_raw` uses p itself. For all other
#   methods the two columns are equal.
#
# "Far from the boundary" are, in each class, the half of the rows of the whole data set for
# which a random forest is most certain, by its out-of-bag probability of their own class
# given the clean labels. No method of this package takes part in that rule, but one of the
# rivals does. The rule is applied within classes because the most certain half of all rows
# is nearly all of the larger class, and flips of one class only are a different question.
#
# The seeds are not those of priors.R, by which the default prior of the lengthscales was
# chosen; the data sets are the same.
#
# `calibration` is the mean gap between probability and frequency in ten bins. With a few
# hundred test rows it is above 0 even for a calibrated forecast, and the more so the less
# certain the forecast is. It describes a method, but should not be used to rank methods.

experiment <- list(
  settings = list(
    data = c("pima", "ionosphere", "sonar", "newthyroid", "synth"),
    rates = c(0, 0.05, 0.1, 0.2), replications = 10, seed = 101
  ),
  quick = list(data = "newthyroid", rates = c(0, 0.1), replications = 1),
  in_package = c("overall", "paired", "methods"),
  needs = c("kernlab", "ranger"),
  # without flips, both kinds are one
  tasks = function(settings) {
    tasks <- all_of(
      data = settings$data, kind = c("random", "far"), rate = settings$rates,
      seed = seeds_of(settings)
    )
    tasks$kind[tasks$rate == 0] <- "none"
    unique(tasks)
  },
  run = function(task) {
    half <- random_half(task$data, task$seed)
    half$y <- flipped_labels(half, task)
    compare_methods(half, task$seed)
  },
  tables = function(parts) {
    by <- c("data", "kind", "rate", "method")
    paired <- paired_differences(parts$results)
    list(
      overall = overall_means(parts$results),
      summary = group_means(
        parts$results, by, c(scored, "brier", "seconds", "epsilon")
      ),
      paired = group_means(paired[paired$method != baseline, ], by, scored),
      methods = method_facts(parts$results), chosen = chosen_candidates(paired),
      sets = group_means(
        parts$results[parts$results$rate > 0, ], c("data", "method"), scored[1:2]
      )
    )
  },
  figures = list(
    comparison = list(
      width = 10.5, height = 7.4,
      draw = function(parts, tables) draw_overall(tables$overall, "")
    ),
    "comparison-paired" = list(
      width = 10.5, height = 7.4,
      draw = function(parts, tables) draw_overall(tables$overall, "_diff")
    )
  )
)

baseline <- "GPC (epsilon learned)"
scored <- c("error", "log_score", "calibration")

# Labels ------------------------------------------------------------------------

flipped_labels <- function(half, task) {
  noisy <- flip(half$y, task$rate, 1000 + task$seed) # not the stream of the split
  if (task$kind != "far") {
    return(noisy$y)
  }
  rows <- as.integer(rownames(half$x)) # of the whole data set
  far <- which(far_from_boundary(task$data)[rows])
  set_seed(task$seed)
  chosen <- sample(far, sum(noisy$flipped)) # as many as at random
  y <- half$y
  y[chosen] <- ifelse(y[chosen] == levels(y)[1], levels(y)[2], levels(y)[1])
  y
}

far_from_boundary <- function(name) {
  data <- two_class_data(name)
  forest <- grow_forest(data$x, data$y, seed = 1)
  own <- forest$predictions[cbind(seq_along(data$y), match(data$y, levels(data$y)))]
  # ranks, for many are tied at 1
  set_seed(1)
  within <- stats::ave(own, data$y, FUN = function(p) {
    rank(p, ties.method = "random") / length(p)
  })
  within > 0.5
}

# Methods -----------------------------------------------------------------------

compare_methods <- function(half, seed) {
  # loaded before anything is timed
  loadNamespace("kernlab")
  loadNamespace("ranger")
  stc_by_evidence <- function(epsilon) {
    observe(paper_fit(
      stc, half$x, half$y, df = 10, criterion = "evidence", epsilon = epsilon
    ))
  }
  rbind(
    selection_rows(half),
    fit_row("STC (evidence, epsilon = 0)", stc_by_evidence(0), half),
    fit_row("STC (evidence)", stc_by_evidence("learn"), half),
    svm_row(half, seed),
    forest_row(half, seed)
  )
}

# default_candidates(criterion = "loo"), with one rate where it is learned
one_rate_candidates <- function() {
  one_rate <- function(...) candidate(..., epsilon = "learn")
  list(
    gpc_0 = candidate("gpc", epsilon = 0), gpc = one_rate("gpc"),
    gpc_iso = one_rate("gpc", kernel = kernel_iso()), stc_3 = one_rate("stc", df = 3),
    stc_10 = one_rate("stc", df = 10), stc_30 = one_rate("stc", df = 30), bpm = one_rate("bpm")
  )
}

# select_model() by each criterion, and those of its candidates that are also compared.
# Its table has seconds by the clock; CPU seconds of the whole are shared out in
# proportion.
selection_rows <- function(half) {
  run <- observe(select_model(
    half$x, half$y, one_rate_candidates(), criterion = "integrated"
  ))
  table <- run$value$table
  share <- table$seconds / sum(table$seconds)
  of <- function(method, k, seconds, chosen = "") {
    fit <- list(value = run$value$fits[[k]], seconds = seconds, warned = "")
    fit_row(method, fit, half, chosen)
  }
  candidate <- function(method, name) {
    k <- match(name, table$candidate)
    of(method, k, run$seconds * share[k])
  }
  selected <- function(criterion, column) {
    value <- table[[column]]
    value[table$status != "converged" | is.na(value)] <- -Inf
    k <- which(value >= max(value) - 0.02)[1] # equal models: the first, as there
    of(paste0("select_model(", criterion, ")"), k, run$seconds, table$candidate[k])
  }
  rbind(
    candidate("GPC (epsilon = 0)", "gpc_0"),
    candidate("GPC (epsilon learned)", "gpc"),
    candidate("STC (leave-one-out)", "stc_10"),
    selected("evidence", "log_evidence"),
    selected("integrated", "log_integrated"),
    selected("loo", "loo")
  )
}

# A fit that failed, or that EP left without a posterior, has a row without scores
fit_row <- function(method, run, half, chosen = "") {
  fit <- run$value
  scores <- if (is.null(fit)) no_scores else {
    tryCatch(
      probability_scores(predict(fit, half$x_test, type = "prob"), half$y_test),
      sturdy_error_no_posterior = function(e) no_scores
    )
  }
  method_row(
    method, scores, run,
    epsilon = if (is.null(fit)) NA_real_ else mean(fit$epsilon),
    status = if (is.null(fit)) "failed" else fit$ep$status, chosen = chosen
  )
}

no_scores <- data.frame(
  error = NA_real_, log_score = NA_real_, brier = NA_real_, calibration = NA_real_
)

method_row <- function(method, scores, run, epsilon = NA_real_, status = "",
                       chosen = "", log_score_raw = scores$log_score) {
  data.frame(
    method = method, scores, log_score_raw = log_score_raw, seconds = run$seconds,
    epsilon = epsilon, status = status, chosen = chosen, warned = run$warned
  )
}

svm_row <- function(half, seed) {
  run <- observe(tune_svm(data.matrix(half$x), half$y, seed))
  svm <- run$value$svm
  x_test <- data.matrix(half$x_test)
  prob <- kernlab::predict(svm, x_test, type = "probabilities")
  scores <- probability_scores(prob[, levels(half$y)], half$y_test)
  scores$error <- mean(kernlab::predict(svm, x_test) != half$y_test)
  method_row("SVM", scores, run, chosen = paste("C =", run$value$cost))
}

tune_svm <- function(x, y, seed, costs = c(0.1, 1, 10, 100)) {
  svm_of <- function(cost, ...) {
    set_seed(seed) # the same folds and kernel width for every cost
    kernlab::ksvm(x, y, type = "C-svc", kernel = "rbfdot", C = cost, ...)
  }
  errors <- vapply(
    costs, function(cost) kernlab::cross(svm_of(cost, cross = 5)), numeric(1)
  )
  cost <- costs[which.min(errors)]
  list(svm = svm_of(cost, prob.model = TRUE), cost = cost)
}

forest_row <- function(half, seed) {
  run <- observe(grow_forest(half$x, half$y, seed))
  prob <- stats::predict(run$value, half$x_test, num.threads = 1)$predictions
  prob <- prob[, levels(half$y)]
  raw <- probability_scores(prob, half$y_test)
  scores <- raw
  scores$log_score <- probability_scores((500 * prob + 1) / 502, half$y_test)$log_score
  method_row("random forest", scores, run, log_score_raw = raw$log_score)
}

grow_forest <- function(x, y, seed) {
  forest <- ranger::ranger(
    x = x, y = y, probability = TRUE, num.trees = 500, num.threads = 1, seed = seed
  )
  forest$predictions <- forest$predictions[, levels(y)]
  forest
}

# Tables ------------------------------------------------------------------------

# Each method less the baseline on the same split with the same flips
paired_differences <- function(rows) {
  key <- function(r) paste(r$data, r$kind, r$rate, r$seed)
  base <- rows[rows$method == baseline, ]
  rows[scored] <- rows[scored] - base[match(key(rows), key(base)), scored]
  rows
}

# Seconds a fit, fits by what EP said, and how many forests gave probability 0 to what
# happened
method_facts <- function(rows) {
  table <- group_means(rows, "method", "seconds")
  count <- function(which) as.vector(tapply(which, rows$method, sum)[table$method])
  table$converged <- count(rows$status == "converged")
  table$not_converged <- count(!rows$status %in% c("", "converged"))
  table$infinite <- count(is.infinite(rows$log_score_raw))
  table
}

# What select_model() chose, and the log score less that of the baseline
chosen_candidates <- function(paired) {
  rows <- paired[startsWith(paired$method, "select_model"), ]
  rows <- rows[order(rows$method, rows$chosen), ]
  group_means(rows, c("method", "chosen"), "log_score")
}

# Means over the data sets, then over the seeds, with the difference from the
# baseline (`_diff`) and its standard error
overall_means <- function(rows) {
  by <- c("kind", "rate", "method")
  means <- group_means(over_data(rows), by, c(scored, "seconds"))
  diffs <- group_means(over_data(paired_differences(rows)), by, scored)
  table <- means[by]
  for (column in scored) {
    table[[column]] <- means[[column]]
    table[[paste0(column, "_diff")]] <- diffs[[column]]
    table[[paste0(column, "_diff_se")]] <- diffs[[paste0(column, "_se")]]
  }
  table$seconds <- means$seconds
  table
}

over_data <- function(rows) {
  by <- rows[c("method", "kind", "rate", "seed")]
  means <- stats::aggregate(rows[c(scored, "seconds")], by, mean)
  kind <- match(means$kind, c("none", "random", "far"))
  means[order(means$rate, kind, match(means$method, method_styles$method)), ]
}

# Figures -----------------------------------------------------------------------

method_styles <- data.frame(
  method = c(
    baseline, "GPC (epsilon = 0)", "STC (leave-one-out)", "STC (evidence)",
    "STC (evidence, epsilon = 0)", "select_model(evidence)",
    "select_model(integrated)", "select_model(loo)", "SVM", "random forest"
  ),
  colour = c(
    "#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#E69F00", "#009E73", "#009E73",
    "#009E73", "#000000", "#CC79A7"
  ),
  line = c(1, 2, 1, 1, 2, 1, 2, 3, 3, 5),
  symbol = c(16, 1, 17, 6, 2, 15, 0, 7, 4, 5)
)

# Error and log score against the rate of flips, a column a kind; or their differences
# from the baseline, with two standard errors
draw_overall <- function(overall, suffix) {
  graphics::layout(matrix(c(1, 2, 5, 3, 4, 5), 2, byrow = TRUE), c(1, 1, 0.7))
  graphics::par(cex = 0.9, mar = c(3.6, 4.6, 2, 0.6), mgp = c(2.3, 0.6, 0))
  what <- c(error = "test error", log_score = "mean log score")
  kinds <- c(random = "flips at random", far = "flips far from the boundary")
  for (measure in names(what)) {
    ylab <- what[[measure]]
    if (nzchar(suffix)) ylab <- paste0(ylab, ", difference")
    for (kind in names(kinds)) {
      draw_measure(overall, paste0(measure, suffix), kind, kinds[[kind]], ylab)
    }
  }
  draw_method_key(if (nzchar(suffix)) paste0("Differences from\n", baseline))
}

draw_measure <- function(overall, column, kind, main, ylab) {
  rates <- 100 * sort(unique(overall$rate))
  overall$y <- overall[[column]]
  se <- overall[[paste0(column, "_se")]]
  overall$bar <- if (is.null(se)) 0 else 2 * se
  overall <- overall[is.finite(overall$y), ]
  graphics::plot(
    range(rates) + c(-0.03, 0.03) * diff(range(rates)),
    with(overall, range(y, y - bar, y + bar, na.rm = TRUE)),
    type = "n", xaxt = "n", xlab = "training labels flipped, %", ylab = "", main = main
  )
  graphics::axis(1, rates)
  graphics::title(ylab = ylab, line = 3.2)
  for (k in seq_len(nrow(method_styles))) {
    style <- method_styles[k, ]
    rows <- overall[
      overall$method == style$method & overall$kind %in% c("none", kind),
    ]
    # side by side, so that bars and symbols do not hide each other
    x <- 100 * rows$rate + (k - 5.5) * diff(range(rates)) / 110
    graphics::segments(
      x, rows$y - rows$bar, x, rows$y + rows$bar, col = style$colour, lwd = 1
    )
    graphics::lines(
      x, rows$y, type = "o", col = style$colour, lty = style$line,
      pch = style$symbol, cex = 0.9
    )
  }
}

draw_method_key <- function(title) {
  graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot.new()
  graphics::legend(
    "left", legend = method_styles$method, col = method_styles$colour,
    lty = method_styles$line, pch = method_styles$symbol, bty = "n", seg.len = 3.2,
    y.intersp = 1.5
  )
  graphics::text(0.03, 0.73, title, adj = 0)
}
