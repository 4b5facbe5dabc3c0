# What do ten times as many rows change? A linear boundary (bpm() at the optimum of its criterion, a
# flip rate that is learned) fitted to a tenth of the rows and to all of them, in 20 shards that are
# drawn anew where they are read: the change of the probability of 1,000 other rows, and how far each of
# the two is from the probability they were simulated with. Four inputs, one of which says nothing; a
# tenth of the labels is wrong, and the classes overlap (noise of variance 0.49 beside 1.65).

experiment <- list(
  settings = list(rows = c(1e5, 1e6, 1e7), replications = 2, seed = 63301),
  quick = list(rows = 2000, replications = 1),
  tasks = function(settings) all_of(rows = settings$rows, seed = seeds_of(settings)),
  run = function(task) {
    new <- many_rows(1000, task$seed + 10000)
    fit <- function(pieces) {
      rows <- shards(lapply(pieces, function(k) {
        force(k)
        function() {
          piece <- many_rows(task$rows / 20, 1000 * task$seed + k)
          data.frame(piece$X, y = factor(piece$y))
        }
      }))
      run <- observe(bpm(
        y ~ ., rows, hyper = "optimum", epsilon = "learn", control = quiet_control()
      ))
      list(p = predict(run$value, data.frame(new$X), type = "prob")[, 2], seconds = run$seconds)
    }
    few <- fit(1:2)
    many <- fit(1:20)
    gap <- function(a, b, what) {
      stats::setNames(
        data.frame(mean(abs(a - b)), max(abs(a - b))), paste0(what, c("", "_most"))
      )
    }
    cbind(
      gap(few$p, many$p, "change"), gap(few$p, new$p, "few_off"), gap(many$p, new$p, "many_off"),
      seconds = many$seconds
    )
  },
  tables = function(parts) {
    columns <- c(
      "change", "change_most", "few_off", "few_off_most", "many_off", "many_off_most", "seconds"
    )
    list(summary = group_means(parts$results, "rows", columns))
  },
  in_package = "summary"
)

many_rows <- function(rows, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(rows * 4), rows, dimnames = list(NULL, paste0("x", 1:4)))
  f <- drop(X %*% c(1, -0.7, 0.4, 0))
  y <- f + stats::rnorm(rows, 0, 0.7) > 0
  list(X = X, y = xor(y, stats::runif(rows) < 0.1), p = stats::pnorm(f / 0.7))
}
