# Rates of wrong labels by group: 240 rows in six groups of 40, 20 % of the labels of two groups wrong, of the others 2 %
# (base) or none. Two classes by a linear boundary with overlap, three inputs; the prevalence differs between groups.
# Leave-one-out probabilities by linear discriminant analysis, second_stage(), group_rates().
#
# Measured: do all six 90 % intervals hold the shares at once, and all fifteen of the differences of prevalence; are the two
# groups found (the probability that their rate is higher than elsewhere is above 0.9), how many others are said to be; the
# absolute error of the differences of prevalence as recorded and as corrected. To choose, seeds below 900, 72001 to 72012 and 74001 to 74024.

experiment <- list(
  settings = list(base = c(0, 0.02), kind = c("random", "one class"), rows = 240, replications = 50, seed = 75001),
  quick = list(replications = 1), needs = "MASS",
  tasks = function(settings) {
    all_of(base = settings$base, kind = settings$kind, rows = settings$rows, seed = seeds_of(settings))
  },
  run = function(task) groups_one(task),
  tables = function(parts) {
    columns <- setdiff(names(parts$results), c("base", "kind", "rows", "seed"))
    all <- transform(parts$results, base = "all", kind = "all")
    list(summary = rbind(
      group_means(parts$results, c("base", "kind"), columns), group_means(all, c("base", "kind"), columns)
    ))
  }
)

groups_one <- function(task) {
  set_seed(task$seed)
  n <- task$rows
  group <- factor(rep(letters[1:6], length.out = n))
  x <- matrix(stats::rnorm(3 * n), n)
  f <- x[, 1] + x[, 2] + stats::rnorm(n) / 4 + seq(-0.5, 0.5, length.out = 6)[group]
  truth <- f > 0
  planted <- sample(levels(group), 2)
  rate <- ifelse(group %in% planted, 0.2, task$base)
  if (task$kind == "one class") rate <- ifelse(truth, 2 * rate, 0)
  wrong <- stats::runif(n) < rate
  y <- factor(xor(truth, wrong), c(FALSE, TRUE))
  x <- cbind(x, stats::model.matrix(~group)[, -1])
  fit <- observe(second_stage(MASS::lda(x, y, CV = TRUE)$posterior, y))$value
  said <- observe(group_rates(fit, by = group))$value
  share <- tapply(wrong, group, mean)
  apart <- attr(said, "differences")
  prevalence <- tapply(truth, group, mean)
  true <- (prevalence[apart$first] - prevalence[apart$second])
  near <- function(lower, true, upper) all(lower <= true + 1e-9 & true <= upper + 1e-9)
  data.frame(
    joint = near(said$lower, share, said$upper), each = mean(said$lower <= share + 1e-9 & share <= said$upper + 1e-9),
    differences = near(apart$lower, true, apart$upper),
    found = sum(said$higher[said$group %in% planted] > 0.9), others = sum(said$higher[!said$group %in% planted] > 0.9),
    first_two = sum(said$group[order(-said$rate)][1:2] %in% planted),
    error_recorded = mean(abs(apart$recorded - true)), error_corrected = mean(abs(apart$corrected - true))
  )
}
