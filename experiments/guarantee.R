# A false-discovery rate that holds whatever the model is worth: rows called wrong at 0.1 by the model, and by
# 40 checks that review(fit, fdr = 0.1) draws, on tables with six kinds of wrong labels that models do not
# know of.
#
# 180 rows, three inputs, two classes by a linear boundary with overlap, 15 % of the labels wrong:
# - random, one class (30 % of one);
# - boundary: by how close a row is to it; block: half of the labels of 54 rows that are one site's;
# - rule: all labels in a corner of the inputs (as large as makes 15 %);
# - next: three classes, each taken for the next one, by leave-one-out probabilities of linear discriminant
#   analysis (second_stage()); the others by bpm(), one in three by leave-one-out probabilities, too.
#
# Measured: the share of right labels among those called (0 where none is); how many wrong labels are called,
# and how many come to light, those that the checks found included; the price that was said beforehand; does the
# 90 % interval by the checks alone hold the number left among the rows they were drawn of? At the optimum of
# the hyperparameters: the guarantee does not hang on it, nor on the fit after the checks, which is a cheap one.
# To choose, seeds below 900.
#
# The stored tables are of the first 88 of these 504 tasks.

guarantee_kinds <- c("random", "one class", "boundary", "rule", "block", "next")

experiment <- list(
  settings = list(noise = guarantee_kinds, rows = 180, checks = 40, replications = 84, seed = 71001),
  quick = list(rows = 100, checks = 20, replications = 1),
  needs = "MASS",
  tasks = function(settings) {
    all_of(
      noise = settings$noise, rows = settings$rows, checks = settings$checks, seed = seeds_of(settings)
    )
  },
  run = function(task) guarantee_one(task),
  tables = function(parts) {
    columns <- setdiff(names(parts$results), c("noise", "rows", "checks", "seed"))
    all <- transform(parts$results, noise = "all")
    list(summary = rbind(
      group_means(parts$results, "noise", columns), group_means(all, "noise", columns)
    ))
  }
)

guarantee_table <- function(task) {
  set_seed(task$seed)
  n <- task$rows
  x <- as.data.frame(matrix(stats::rnorm(3 * n), n))
  f <- x[[1]] + x[[2]] + stats::rnorm(n) / 4
  code <- if (task$noise == "next") findInterval(f, c(-0.6, 0.6)) else as.integer(f > 0)
  some <- round(0.15 * n)
  wrong <- switch(task$noise,
    random = , "next" = stats::runif(n) < 0.15,
    "one class" = code == 1 & stats::runif(n) < 0.3,
    boundary = seq_len(n) %in% sample.int(n, some, prob = exp(-2 * abs(f))),
    rule = rank(-pmin(x[[1]], x[[3]])) <= some,
    block = seq_len(n) %in% sample.int(round(0.3 * n), some)
  )
  classes <- max(code) + 1
  names <- letters[seq_len(classes)]
  list(
    x = x, wrong = wrong, truth = factor(names[code + 1], names),
    y = factor(names[(code + wrong) %% classes + 1], names)
  )
}

guarantee_one <- function(task) {
  table <- guarantee_table(task)
  quiet <- function(code) observe(code)$value
  scored <- task$noise == "next" || task$seed %% 3 == 0
  fit <- quiet(if (scored) {
    second_stage(MASS::lda(table$x, table$y, CV = TRUE)$posterior, table$y)
  } else bpm(table$x, table$y, control = quiet_control()))
  plain <- quiet(mislabelled(fit, fdr = 0.1, level = NULL))$row
  plan <- quiet(review(fit, n = task$checks, fdr = 0.1))
  price <- attr(plan, "price")
  among <- quiet(mislabelled(fit, level = NULL))$row[seq_len(price$among)]
  plan$label <- table$truth[plan$row]
  after <- quiet(update(fit, checked = plan, epsilon = 0.1))
  called <- quiet(mislabelled(after, fdr = 0.1))
  said <- attr(called, "expected")$by_checks
  other <- setdiff(seq_along(table$y), plan$row)
  share_right <- function(rows) if (length(rows)) mean(!table$wrong[rows]) else 0
  left <- sum(table$wrong[setdiff(among, plan$row)])
  found <- sum(table$wrong[plan$row])
  data.frame(
    wrong = sum(table$wrong), model_false = share_right(plain), false = share_right(called$row),
    model_found = sum(table$wrong[plain]), called = nrow(called), called_wrong = sum(table$wrong[called$row]),
    checks_found = found, found = found + sum(table$wrong[called$row]),
    said_called = price$calls, said_found = price$found, among = price$among,
    model_other = sum(table$wrong[intersect(plain, other)]),
    held = left >= said$lower && left <= said$upper
  )
}
