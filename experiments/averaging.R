# Can the number be believed? Families of tables whose wrong labels are known, small as
# those that people clean by hand: does the 90 % interval of the number of wrong labels
# hold it, are row probabilities calibrated, is it said when no label is wrong, and what
# do predictions of the true class cost? For fits that average over hyperparameters and
# noise models, and for the optimum.
#
# - uniform5, uniform10, uniform20: a Gaussian process of two inputs (lengthscale 1, nugget
#   0.02), that share of the labels flipped; class20: 20 % of the events only.
# - newthyroid, breast, pima, ionosphere, sonar, spam: a tenth of the labels of `rows`
# rows flipped.
# - none wrong: overlap (Gaussian process, nugget 0.5, 1, 2 or 3), useless (no signal, one
#   row in 20 an event), and labels that are facts: birthwt, lung, titanic, kyphosis.
#
# Log scores clip probabilities at 1e-4. Seeds from 1001: the priors and the scheme were
# chosen on lower ones.

wrong_families <- c(
  "uniform5", "uniform10", "uniform20", "class20", "newthyroid", "breast", "pima",
  "ionosphere", "sonar", "spam"
)
right_families <- c("overlap", "useless", "birthwt", "lung", "titanic", "kyphosis")

experiment <- list(
  settings = list(
    families = c(wrong_families, right_families), rows = 110, replications = 100,
    ways = c("average", "optimum"), seed = 1001
  ),
  quick = list(families = c("uniform10", "useless"), rows = 60, replications = 1),
  needs = c("MASS", "survival", "rpart", "mlbench", "kernlab"),
  in_package = c("families", "reliability"),
  tasks = function(settings) {
    all_of(
      family = settings$families, way = settings$ways, rows = settings$rows,
      seed = seeds_of(settings)
    )
  },
  run = function(task) {
    table <- family_table(task$family, task$rows, task$seed)
    count_table(table, task$way)
  },
  tables = function(parts) {
    columns <- c(
      "flipped", "count", "lower", "upper", "covered", "above", "from_none", "row_score", "auc",
      "none_found", "any", "sure", "factor", "no_sign", "signs", "true_loss", "recorded_loss",
      "glm_true_loss", "evaluations"
    )
    list(
      families = group_means(with_verdicts(parts$results), c("way", "family"), columns),
      reliability = reliability_table(parts$bins)
    )
  }
)

# Tables ------------------------------------------------------------------------

# A list of training rows x, y with `flipped`, and test rows x_test, y_test (true classes)
family_table <- function(family, rows, seed) {
  set_seed(seed)
  share <- c(uniform5 = 0.05, uniform10 = 0.1, uniform20 = 0.2)
  nugget <- if (family == "overlap") c(0.5, 1, 2, 3)[1 + seed %% 4] else 0.02
  table <- if (family %in% c(names(share), "class20", "overlap")) {
    process_table(rows, nugget)
  } else if (family == "useless") {
    useless_table(rows)
  } else {
    split_rows(family_data(family), rows)
  }
  rate <- if (family %in% right_families) 0 else if (family %in% names(share)) share[[family]] else 0.1
  flipped <- if (family == "class20") {
    table$y & stats::runif(length(table$y)) < 0.2
  } else {
    stats::runif(length(table$y)) < rate
  }
  c(list(y = xor(table$y, flipped), flipped = flipped), table[c("x", "x_test", "y_test")])
}

process_table <- function(rows, nugget, test = 100) {
  n <- rows + test
  X <- matrix(stats::rnorm(2 * n), n)
  K <- exp(-as.matrix(stats::dist(X))^2 / 2) + diag(nugget, n)
  repeat { # else no split has three of each class
    y <- drop(crossprod(chol(K), stats::rnorm(n))) > 0
    if (min(sum(y), sum(!y)) >= 3) break
  }
  split_rows(list(x = as.data.frame(X), y = y), rows, seq_len(n))
}

useless_table <- function(rows, test = 100) {
  n <- rows + test
  y <- seq_len(n) %% 20 == 0
  split_rows(list(x = data.frame(a = stats::rnorm(n), b = stats::rnorm(n)), y = y), rows, seq_len(n))
}

# At random, but at least three of each class, so that there is something to learn
split_rows <- function(data, rows, order = NULL) {
  n <- length(data$y)
  repeat {
    if (is.null(order)) order <- sample.int(n)
    train <- utils::head(order, min(rows, n))
    if (min(table(factor(data$y[train], c(FALSE, TRUE)))) >= 3) break
    order <- sample.int(n)
  }
  test <- utils::head(setdiff(order, train), 500)
  list(
    x = data$x[train, , drop = FALSE], y = data$y[train],
    x_test = data$x[test, , drop = FALSE], y_test = data$y[test]
  )
}

family_data <- function(family) {
  shipped <- c("newthyroid", "pima", "ionosphere", "sonar")
  if (family %in% shipped) {
    data <- two_class_data(family)
    return(list(x = data$x, y = as.integer(data$y) == 2))
  }
  loaded <- function(name, package) {
    env <- new.env()
    utils::data(list = name, package = package, envir = env)
    get(name, env)
  }
  switch(family,
    breast = {
      d <- stats::na.omit(loaded("BreastCancer", "mlbench"))
      list(x = as.data.frame(lapply(d[2:10], as.numeric)), y = d$Class == "malignant")
    },
    spam = {
      d <- loaded("spam", "kernlab")
      list(x = log1p(d[-58]), y = d$type == "spam")
    },
    birthwt = {
      d <- MASS::birthwt
      d$race <- factor(d$race)
      list(x = d[c("age", "lwt", "race", "smoke", "ptl", "ht", "ui", "ftv")], y = d$low == 1)
    },
    lung = {
      d <- stats::na.omit(survival::lung[c("status", "time", "age", "sex", "ph.ecog", "wt.loss")])
      list(x = d[-1], y = d$status == 2)
    },
    titanic = {
      cells <- as.data.frame(datasets::Titanic)
      d <- cells[rep(seq_len(nrow(cells)), cells$Freq), ]
      list(x = d[c("Class", "Sex", "Age")], y = d$Survived == "Yes")
    },
    kyphosis = {
      d <- rpart::kyphosis
      d$noise <- stats::rnorm(nrow(d))
      list(x = d[-1], y = d$Kyphosis == "present")
    }
  )
}

# A fit ---------------------------------------------------------------------------

fit_way <- function(table, way) {
  x <- table$x
  constant <- vapply(x, function(v) length(unique(v)) < 2, NA)
  arguments <- switch(way,
    average = list(epsilon = "average", hyper = "integrate"),
    optimum = list(epsilon = "learn", hyper = "optimum")
  )
  do.call(gpc, c(list(x[!constant], table$y, control = quiet_control()), arguments))
}

count_table <- function(table, way) {
  fitted <- observe(fit_way(table, way))
  fit <- fitted$value
  found <- observe(mislabelled(fit))$value
  p <- found$probability[order(found$row)]
  expected <- attr(found, "expected")
  test <- attr(found, "test")
  wrong <- sum(table$flipped)
  bin <- findInterval(p, seq(0, 1, by = 0.1), all.inside = TRUE)
  list(
    results = data.frame(
      n = length(p), flipped = wrong, count = expected$count, lower = expected$lower,
      upper = expected$upper,
      covered = expected$lower <= wrong && wrong <= expected$upper,
      row_score = mean(log_of(ifelse(table$flipped, p, 1 - p), 1e-4)),
      auc = rank_area(p, table$flipped), none_found = max(p) < 0.01,
      any = if (is.null(test)) NA_real_ else 1 - test$probability_none,
      sure = if (is.null(test)) NA else test$probability_none < 0.05,
      factor = if (is.null(test)) NA_real_ else test$bayes_factor,
      losses(fit, table),
      least_ess = if (is.null(test)) NA_real_ else min(test$models$ess, Inf, na.rm = TRUE),
      rough = if (is.null(test)) NA else any(test$models$method == "mode" & test$models$probability > 0.01),
      evaluations = fit$learning$evaluations, seconds = fitted$seconds
    ),
    bins = data.frame(
      bin = 1:10, predicted = as.vector(tapply(p, factor(bin, 1:10), sum, default = 0)),
      observed = as.vector(tapply(table$flipped, factor(bin, 1:10), sum, default = 0)),
      rows = tabulate(bin, 10)
    )
  )
}

log_of <- function(p, least) log(pmin(pmax(p, least), 1 - least))

rank_area <- function(p, event) {
  n <- c(sum(event), sum(!event))
  if (any(n == 0)) NA_real_ else (sum(rank(p)[event]) - n[1] * (n[1] + 1) / 2) / prod(n)
}

# Mean log loss on test rows: of the true class, as it would be recorded, and of a linear
# model
losses <- function(fit, table) {
  if (length(table$y_test) == 0) {
    return(data.frame(true_loss = NA_real_, recorded_loss = NA_real_, glm_true_loss = NA_real_))
  }
  loss <- function(p) -mean(log_of(ifelse(table$y_test, p, 1 - p), 1e-6))
  of <- function(noise) {
    observe(predict(fit, table$x_test, type = "response", noise = noise))$value
  }
  linear <- observe(tryCatch({
    model <- stats::glm(y ~ ., stats::binomial(), cbind(table$x, y = table$y))
    loss(stats::predict(model, table$x_test, type = "response"))
  }, error = function(e) NA_real_))$value
  data.frame(true_loss = loss(of(FALSE)), recorded_loss = loss(of(TRUE)), glm_true_loss = linear)
}

# What the interval and the Bayes factor say: is the number above it, does it begin at 0?
with_verdicts <- function(results) {
  results$above <- results$flipped > results$upper
  results$from_none <- results$lower == 0
  results$no_sign <- results$factor < 1 / 3
  results$signs <- results$factor > 3
  results
}

# Predicted and observed shares of wrong labels by bins of the probability, over all families
# and over those with and without wrong labels. `error` is their mean difference over the
# rows, `error_likely` that over rows with a probability above 0.1.
reliability_table <- function(bins) {
  bins$labels <- ifelse(bins$family %in% right_families, "right", "wrong")
  all <- bins
  all$labels <- "all"
  bins <- rbind(all, bins)
  key <- c("way", "labels", "bin")
  sums <- stats::aggregate(bins[c("predicted", "observed", "rows")], bins[key], sum)
  sums$predicted <- sums$predicted / sums$rows
  sums$observed <- sums$observed / sums$rows
  error <- function(way, labels, least) {
    mine <- sums[sums$way == way & sums$labels == labels & sums$rows > 0 & sums$bin >= least, ]
    sum(abs(mine$predicted - mine$observed) * mine$rows) / sum(mine$rows)
  }
  sums$error <- mapply(error, sums$way, sums$labels, 1)
  sums$error_likely <- mapply(error, sums$way, sums$labels, 2)
  sums[do.call(order, sums[key]), ]
}
