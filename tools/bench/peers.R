# The default call beside others that learn to classify and to doubt labels: seconds, peak
# memory, test error and log loss, and how well the flips are found, in one run.
#
#   Rscript peers.R [--seeds=k] [table:method,method ...]
#
# Tables: pima, ionosphere, sonar, spam (kernlab), and a number: so many simulated rows. A tenth
# of the rows is for testing, a third of those with fewer than 1,000; a tenth of the training
# labels is flipped. Probabilities of gpc() are of the true class, those of others of the recorded
# one. Flips are ranked by mislabelled(), out of bag for ranger, and by the fit for the others.
# Methods of packages that are not there are left out. Each fit is in a process of its own, so
# that its peak memory (of Linux) is its own; seconds are of its CPU, on one thread.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

# Each: list(p: function(new) of the probability of the second level; suspicion of each row)
of_gpc <- function(train, ...) {
  fit <- quiet(gpc(class ~ ., train, ...))
  found <- mislabelled(fit)
  list(
    p = function(new) predict(fit, new, type = "prob")[, 2],
    suspicion = found$probability[order(found$row)]
  )
}

# 1 - P(recorded label) ranks the rows
recorded <- function(p, train) ifelse(as.integer(train$class) == 2, 1 - p, p)

from_fit <- function(p, train) list(p = p, suspicion = recorded(p(train), train))

# Columns of numbers, standardised by the training rows
numbers <- function(train) {
  shown <- function(new) stats::model.matrix(~ . - 1, new[names(new) != "class"])
  x <- scale(shown(train))
  use <- attr(x, "scaled:scale") > 0
  function(new) {
    scale(shown(new), attr(x, "scaled:center"), attr(x, "scaled:scale"))[, use, drop = FALSE]
  }
}

zero_one <- function(train) as.integer(train$class) - 1

methods <- list(
  sturdy = function(train) of_gpc(train),
  optimum = function(train) of_gpc(train, hyper = "optimum"),
  ranger = function(train) {
    trees <- if (nrow(train) > 20000) 100 else 500
    fit <- ranger::ranger(
      class ~ ., train, probability = TRUE, num.trees = trees, num.threads = 1
    )
    list(
      p = function(new) stats::predict(fit, new, num.threads = 1)$predictions[, 2],
      suspicion = recorded(fit$predictions[, 2], train)
    )
  },
  glm = function(train) {
    fit <- quiet(stats::glm(class ~ ., stats::binomial(), train))
    from_fit(function(new) quiet(stats::predict(fit, new, type = "response")), train)
  },
  gbm = function(train) {
    data <- train
    data$class <- zero_one(train)
    fit <- gbm::gbm(
      class ~ ., "bernoulli", data, n.trees = 300, interaction.depth = 5, shrinkage = 0.1,
      n.minobsinnode = 10, train.fraction = 0.9
    )
    best <- which.min(fit$valid.error)
    from_fit(function(new) gbm::predict.gbm(fit, new, n.trees = best, type = "response"), train)
  },
  kernlab = function(train) {
    x <- numbers(train)
    utils::capture.output(
      fit <- kernlab::gausspr(x(train), train$class, type = "classification", scaled = FALSE)
    )
    from_fit(function(new) {
      kernlab::predict(fit, x(new), type = "probabilities")[, levels(train$class)[2]]
    }, train)
  },
  gplite = function(train) {
    x <- numbers(train)
    gp <- gplite::gp_init(gplite::cf_sexp(), gplite::lik_bernoulli(), approx = gplite::approx_ep())
    fit <- gplite::gp_optim(gp, x(train), zero_one(train), verbose = FALSE)
    from_fit(function(new) gplite::gp_pred(fit, x(new), transform = TRUE)$mean, train)
  },
  gpboost = function(train) {
    x <- numbers(train)
    fit <- gpboost::fitGPModel(
      gp_coords = x(train), cov_function = "gaussian_ard", likelihood = "bernoulli_probit",
      y = zero_one(train), X = matrix(1, nrow(train), 1), num_parallel_threads = 1L
    )
    from_fit(function(new) {
      stats::predict(
        fit, gp_coords_pred = x(new), X_pred = matrix(1, nrow(new), 1), predict_response = TRUE
      )$mu
    }, train)
  }
)
n_by_n <- c("kernlab", "gplite", "gpboost") # their time grows with n^3

peer_table <- function(name) {
  n <- suppressWarnings(as.numeric(name))
  if (is.na(n)) real_table(name) else bench_table(n)
}

measure <- function(name, method, seed) {
  data <- peer_table(name)
  if (smoke) data <- utils::head(data, 90)
  n <- nrow(data)
  parts <- split_table(data, round(n / if (n < 1000) 3 else 10), seed)
  spent <- cpu(system.time(fit <- methods[[method]](parts$train)))
  peak <- peak_megabytes()
  predicted <- cpu(system.time(p <- as.vector(fit$p(parts$test))))
  data.frame(
    data = name, n = nrow(parts$train), columns = ncol(data) - 1, method = method, seed = seed,
    seconds = spent, predict_seconds = predicted, peak_mb = peak,
    scores(p, parts$test$class), auc = area(fit$suspicion, parts$wrong)
  )
}

given <- commandArgs(TRUE)
if ("--one" %in% given) {
  saveRDS(measure(given[2], given[3], as.integer(given[4])), given[5])
} else {
  seeds <- as.integer(c(sub("--seeds=", "", grep("^--seeds=", given, value = TRUE)), 1)[1])
  wanted <- grep("^--", given, value = TRUE, invert = TRUE)
  here <- vapply(names(methods), function(method) {
    method %in% c("sturdy", "optimum", "glm") || requireNamespace(method, quietly = TRUE)
  }, NA)
  all <- names(methods)[here]
  if (!length(wanted)) {
    wanted <- paste0(
      c("pima", "ionosphere", "sonar", "300", "1000", "spam", "1e4", "1e5"), ":",
      rep(c(paste(all, collapse = ","), paste(setdiff(all, n_by_n), collapse = ",")), c(5, 3))
    )
    wanted <- sized(wanted, c(wanted[1], "200:sturdy,glm"))
  }
  machine <- machine_line()
  print_machine(machine)
  for (item in strsplit(wanted, ":")) {
    if (is.null(peer_table(item[1]))) next
    rows <- lapply(seq_len(seeds), function(seed) {
      lapply(strsplit(item[2], ",")[[1]], function(method) {
        in_own_process(item[1], method, seed)
      })
    })
    rows <- do.call(rbind, unlist(rows, FALSE))
    ours <- rows[rows$method == "sturdy", ]
    rows$times_sturdy <- rows$seconds / ours$seconds[match(rows$seed, ours$seed)]
    bench_save(rows, "peers", machine, c("data", "method", "seed"))
  }
}
