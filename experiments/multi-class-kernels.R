# Overlap or mistaken classes? Fits that average over no wrong labels, one rate and a noise matrix,
# with one kernel for all classes and with one for each: on Vehicle, two kinds of which overlap
# and the others do not, and on New Thyroid; with right labels, and with a fifth of all taken for
# the next class.

sys.source(file.path(experiments, "multi-class.R"), environment())

experiment <- list(
  settings = list(
    data = c("vehicle", "newthyroid"), noise = c("none", "pair.2"),
    kernels = c("shared", "per class"), replications = 4, seed = 901
  ),
  quick = list(data = "newthyroid", noise = "none", kernels = "shared", replications = 1),
  in_package = "kernels",
  needs = "mlbench",
  tasks = function(settings) {
    all_of(
      data = settings$data, noise = settings$noise, kernels = settings$kernels,
      seed = seeds_of(settings)
    )
  },
  run = function(task) {
    d <- classes_split(task$data, task$noise, task$seed)
    seen <- observe(ours(d, "average", "integrate", task$kernels))
    more <- seen$value[c("count", "none", "matrix")]
    data.frame(classes_measures(seen$value, d), more, seconds = seen$seconds)
  },
  tables = function(parts) {
    columns <- c(
      "wrong", "none", "matrix", "count", "lower", "upper", "log_loss", "auc", "seconds"
    )
    list(kernels = group_means(parts$results, c("data", "noise", "kernels"), columns))
  }
)
