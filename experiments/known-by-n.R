# What can be known at which number of rows? Gaussian processes of two inputs (lengthscale 1), fits
# by default: what does the verdict say, how many labels are said to be wrong, does the 90 %
# interval hold their number, and how often is it said that a tenth of wrong labels would show?
#
# - clear: nugget 0.02 (labels that are right contradict the inputs in 1 of 22), a tenth flipped;
# - one class: the same, a fifth of the events flipped;
# - overlap: nugget 1 (1 of 4 contradicts them), a tenth flipped;
# - clear, none wrong; overlap, none wrong: the same without flips.

sys.source(file.path(experiments, "verdicts.R"), environment())

known_families <- utils::read.csv(strip.white = TRUE, text = "
  family,                nugget, share, of
  clear,                 0.02,   0.1,   all
  one class,             0.02,   0.2,   event
  overlap,               1,      0.1,   all
  'clear, none wrong',   0.02,   0,     all
  'overlap, none wrong', 1,      0,     all
", quote = "'")

experiment <- list(
  settings = list(rows = c(30, 110, 500, 2000), replications = c(10, 8, 3, 2), seed = 5401),
  quick = list(rows = 30, replications = 1),
  needs = character(),
  in_package = "families",
  tasks = function(settings) {
    do.call(rbind, Map(function(rows, replications) {
      all_of(
        family = known_families$family, rows = rows, seed = settings$seed + seq_len(replications) - 1
      )
    }, settings$rows, settings$replications))
  },
  run = function(task) known_one(task),
  tables = function(parts) {
    columns <- c(
      "flipped", "count", "lower", "upper", "covered", "no_sign", "open", "signs", "noticed", "auc",
      "seconds"
    )
    list(families = group_means(with_kinds(parts$results), c("family", "rows"), columns))
  }
)

known_one <- function(task) {
  way <- known_families[known_families$family == task$family, ]
  set_seed(task$seed)
  table <- process_table(task$rows, way$nugget, 0)
  open <- if (way$of == "event") table$y else rep(TRUE, task$rows)
  flipped <- open & stats::runif(task$rows) < way$share
  fitted <- observe(gpc(table$x, xor(table$y, flipped), control = quiet_control(),
                        epsilon = "average", hyper = "integrate"))
  found <- observe(mislabelled(fitted$value))$value
  test <- attr(found, "test")
  expected <- attr(found, "expected")
  open <- is.null(test) || test$bayes_factor >= 1 / 3
  shown <- if (open) unlist(expected[c("lower", "upper")]) else c(0, test$any$upper)
  data.frame(
    flipped = sum(flipped), count = expected$count, lower = expected$lower, upper = expected$upper,
    covered = expected$lower <= sum(flipped) && sum(flipped) <= expected$upper,
    shown = shown[1] <= sum(flipped) && sum(flipped) <= shown[2],
    factor = if (is.null(test)) NA else test$bayes_factor,
    noticed = if (is.null(test)) NA else test$noticed$probability[1],
    auc = rank_area(found$probability[order(found$row)], flipped), seconds = fitted$seconds
  )
}
