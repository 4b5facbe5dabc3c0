# How many labels are wrong? Does the interval of mislabelled() cover the true number, and
# is a tenth of the labels right in lists at a false-discovery rate of 0.1? Tables are
# simulated from the model itself: a Gaussian process of two inputs with a small nugget, and
# labels flipped independently. gpc() learns all hyperparameters.

experiment <- list(
  settings = list(replications = 200, rows = 150, rate = 0.1, seed = 1),
  quick = list(replications = 2, rows = 60),
  in_package = "summary",
  tasks = function(settings) {
    all_of(
      rows = settings$rows, rate = settings$rate,
      seed = seeds_of(settings)
    )
  },
  run = function(task) count_one(task$rows, task$rate, task$seed),
  tables = function(parts) {
    rows <- parts$results
    share <- function(v) c(mean(v), stats::sd(v) / sqrt(length(v)))
    by <- rbind(
      "interval, epsilon uncertain" = share(rows$covered),
      "interval, epsilon given" = share(rows$covered_given),
      "right labels among those called" = c(sum(rows$called_right) / sum(rows$called), NA)
    )
    list(summary = data.frame(what = rownames(by), share = by[, 1], se = by[, 2]))
  }
)

count_one <- function(rows, rate, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(2 * rows), rows)
  K <- exp(-as.matrix(stats::dist(X))^2 / 2) + diag(0.02, rows)
  true <- drop(crossprod(chol(K), stats::rnorm(rows))) > 0
  flipped <- stats::runif(rows) < rate
  run <- observe(paper_fit(
    gpc, X, xor(true, flipped), kernel = kernel_iso(), epsilon = "learn"
  ))
  found <- observe(mislabelled(run$value))$value
  expected <- attr(found, "expected")
  given <- poisson_binomial_ends(found$probability, 0.9)
  called <- found$row[found$fdr <= 0.1]
  within <- function(ends) ends[1] <= sum(flipped) && sum(flipped) <= ends[2]
  data.frame(
    flipped = sum(flipped), epsilon = run$value$epsilon, expected = expected$count,
    covered = within(c(expected$lower, expected$upper)), covered_given = within(given),
    called = length(called), called_right = sum(!flipped[called]),
    status = run$value$ep$status
  )
}

# Central interval of the number of successes of independent trials
poisson_binomial_ends <- function(p, level) {
  density <- 1
  for (q in p) density <- c(density * (1 - q), 0) + c(0, density * q)
  tail <- (1 - level) / 2
  c(sum(cumsum(density) < tail), sum(cumsum(density) < 1 - tail))
}
