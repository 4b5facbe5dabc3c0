# Can the number be believed with more rows? The families of averaging.R that have as many, at
# 500 rows (dense), and at 5,000 by low rank: simulated tables, and 4,000 rows of spam.

sys.source(file.path(experiments, "averaging.R"), environment())

larger_families <- c(
  "uniform5", "uniform10", "uniform20", "class20", "breast", "pima", "spam", "overlap", "useless",
  "titanic"
)
largest_families <- c("uniform5", "uniform10", "uniform20", "class20", "spam", "overlap", "useless")

experiment <- list(
  settings = list(
    rows = c(500, 5000), replications = c(10, 2), families = list(larger_families, largest_families),
    ways = c("average", "optimum"), seed = 1001
  ),
  quick = list(rows = 60, replications = 1, families = list("uniform10")),
  needs = c("mlbench", "kernlab"),
  in_package = "families",
  tasks = function(settings) {
    of_size <- function(rows, replications, families) {
      all_of(
        family = families, way = settings$ways, rows = rows,
        seed = settings$seed + seq_len(replications) - 1
      )
    }
    do.call(rbind, Map(of_size, settings$rows, settings$replications, settings$families))
  },
  run = function(task) {
    rows <- if (task$family == "spam") min(task$rows, 4000) else task$rows
    count_table(family_table(task$family, rows, task$seed), task$way)
  },
  tables = function(parts) {
    columns <- c(
      "flipped", "count", "lower", "upper", "covered", "above", "from_none", "row_score", "auc",
      "none_found", "any", "sure", "factor", "no_sign", "signs", "true_loss", "recorded_loss",
      "glm_true_loss", "evaluations", "seconds"
    )
    list(
      families = group_means(with_verdicts(parts$results), c("way", "rows", "family"), columns),
      reliability = reliability_table(parts$bins)
    )
  }
)
