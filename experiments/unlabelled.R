# Positive and unlabelled rows: of each table a share of the positives keeps its label, all other rows
# count as negative. Is the prevalence found, and the share that is labelled, by
# noise_prior(unlabelled = ), and how often do the 90 % intervals hold them? Beside it the
# estimate of Elkan and Noto (2008): the share labelled is the mean out-of-sample probability of
# being labelled over the labelled rows, here by gpc() without flips, leave-one-out; the
# prevalence is the share of labelled rows over it.
#
# `labelled`: at random among the positives, as all this assumes; or the more likely the larger the
# first input is (log odds rise by 1.5 a standard deviation), where it is wrong.

sys.source(file.path(experiments, "averaging.R"), environment())

experiment <- list(
  settings = list(
    replications = 2, rows = 600, share = c(0.2, 0.5, 0.8), seed = 62600,
    data = c("breast", "newthyroid", "ionosphere", "pima", "synth", "spam"),
    labelled = c("at random", "by an input")
  ),
  quick = list(
    replications = 1, rows = 100, share = 0.5, data = "synth", labelled = "at random"
  ),
  tasks = function(settings) {
    all <- all_of(
      data = settings$data, share = settings$share, labelled = settings$labelled,
      rows = settings$rows, seed = seeds_of(settings)
    )
    all <- all[all$labelled == "at random" | all$share == 0.5, ]
    all[order(all$labelled, all$seed), ]
  },
  run = function(task) {
    unlabelled_one(task$data, task$share, task$labelled, task$rows, task$seed)
  },
  tables = function(parts) {
    rows <- parts$results
    rows$within <- abs(rows$prevalence - rows$true) <= 0.03
    rows$error <- rows$prevalence - rows$true
    rows$share_error <- rows$found_share - rows$true_share
    rows$size <- abs(rows$error)
    value <- c("error", "size", "within", "covered", "share_error", "share_covered")
    mean_by <- function(by) {
      all <- stats::aggregate(rows[value], rows[by], mean, na.rm = TRUE, na.action = NULL)
      all$replications <- stats::aggregate(rows["error"], rows[by], length)$error
      all[do.call(order, unname(as.list(all[rev(by)]))), ]
    }
    list(
      summary = mean_by(c("method", "share", "labelled")),
      sets = mean_by(c("method", "data", "share", "labelled"))
    )
  }
)

unlabelled_one <- function(name, share, labelled, rows, seed) {
  set_seed(seed)
  d <- unlabelled_data(name, rows)
  z <- as.numeric(scale(d$x[[1]]))
  chance <- rep(share, length(z))
  if (labelled == "by an input") {
    at <- function(a) mean(stats::plogis(a + 1.5 * z[d$y])) - share
    chance <- stats::plogis(stats::uniroot(at, c(-20, 20))$root + 1.5 * z)
  }
  s <- factor(ifelse(d$y & stats::runif(length(z)) < chance, "yes", "no"), c("no", "yes"))
  true <- c(mean(d$y), sum(s == "yes") / sum(d$y))
  score <- function(method, prevalence, found, covered = NA, share_covered = NA) {
    data.frame(
      method = method, prevalence = prevalence, true = true[1], found_share = found,
      true_share = true[2], covered = covered, share_covered = share_covered
    )
  }
  prior <- noise_prior(unlabelled = "no")
  ours <- function(method) {
    fit <- observe(gpc(d$x, s, hyper = "integrate", noise = prior))$value
    found <- summary(fit)$unlabelled
    held <- function(k, v) found$lower[k] <= v & v <= found$upper[k]
    last <- nrow(found)
    score(method, found$estimate[last], found$estimate[1], held(last, true[1]), held(1, share))
  }
  plain <- observe(gpc(d$x, s, hyper = "optimum", epsilon = 0))$value
  labelled_share <- mean(exp(loo(plain)$pointwise[s == "yes", "elpd_loo"]))
  rbind(
    ours("unlabelled"),
    score("Elkan and Noto", mean(s == "yes") / labelled_share, labelled_share)
  )
}

# At most so many rows
unlabelled_data <- function(name, rows) {
  d <- if (name == "synth") {
    two <- two_class_data(name)
    list(x = two$x, y = as.integer(two$y) == 2)
  } else {
    family_data(name)
  }
  kept <- sample.int(length(d$y), min(rows, length(d$y)))
  list(x = as.data.frame(d$x)[kept, , drop = FALSE], y = d$y[kept])
}
