# A new batch beside a fit: is it noticed that labels came in that are wrong? A fit by bpm() to 200 rows of two classes (a
# linear boundary, two inputs; the classes overlap a little, or more), 2 % of its labels wrong or none; batches of 200 rows,
# clean (as often wrong as before) or with 5 % more wrong, at random or of one class. Fits at the optimum.
#
# Measured: the probability that the rate is higher, whether there is an alarm (0.8), how many of the labels that came in are called wrong, and how
# many of them are. The alarm was chosen from .7 to .95 on 144 batches of seeds 101 to 112.

experiment <- list(
  settings = list(
    batch = c("clean", "random", "one class"), base = c(0, 0.02), overlap = c(0.1, 0.3), rows = 200,
    replications = 40, seed = 75001
  ),
  quick = list(rows = 80, replications = 1),
  tasks = function(settings) {
    all_of(
      batch = settings$batch, base = settings$base, overlap = settings$overlap, rows = settings$rows,
      seed = seeds_of(settings)
    )
  },
  run = function(task) audit_one(task),
  tables = function(parts) {
    columns <- c("higher", "alarm", "wrong", "called", "called_wrong")
    list(summary = rbind(
      group_means(transform(parts$results, base = "all", overlap = "all"), c("batch", "base", "overlap"), columns),
      group_means(parts$results, c("batch", "base", "overlap"), columns)
    ))
  }
)

audit_one <- function(task) {
  set_seed(task$seed)
  n <- 2 * task$rows
  d <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n))
  truth <- d$a + d$b + task$overlap * stats::rnorm(n) > 0
  came <- seq_len(n) > task$rows
  wrong <- stats::runif(n) < task$base
  planted <- switch(task$batch, clean = FALSE, random = came & stats::runif(n) < 0.05,
    "one class" = came & truth & stats::runif(n) < 0.1
  )
  wrong <- wrong | planted
  d$class <- factor(xor(truth, wrong), c(FALSE, TRUE))
  row.names(d) <- paste0("r", seq_len(n))
  fit <- observe(bpm(class ~ ., d[!came, ], control = quiet_control()))$value
  said <- observe(audit(fit, d[came, ]))$value
  called <- said$suspects$row + task$rows
  data.frame(
    higher = said$higher, alarm = said$alarm, wrong = sum(wrong[came]), called = length(called), called_wrong = sum(wrong[called])
  )
}
