# Labels that are facts: what does a fit that asks whether they are wrong cost in predictions?
# Test log loss on the tables of averaging.R: of the true class, of the label as it would be
# recorded, of a linear model and of a random forest, whose probabilities are clipped at 1 % as
# some are 0.

sys.source(file.path(experiments, "averaging.R"), environment())

experiment <- list(
  # kyphosis has 81 rows
  settings = list(
    families = c("birthwt", "lung", "titanic", "kyphosis"), rows = c(110, 110, 110, 60),
    ways = c("average", "optimum"), replications = 100, seed = 1001
  ),
  quick = list(families = "kyphosis", rows = 60, ways = "optimum", replications = 1),
  needs = c("MASS", "survival", "rpart", "ranger"),
  in_package = "losses",
  tasks = function(settings) {
    tasks <- all_of(family = settings$families, way = settings$ways, seed = seeds_of(settings))
    tasks$rows <- settings$rows[match(tasks$family, settings$families)]
    tasks
  },
  run = function(task) {
    table <- family_table(task$family, task$rows, task$seed)
    kept <- vapply(table$x, function(v) length(unique(v)) > 1, NA)
    table$x <- table$x[kept]
    data.frame(losses(fit_way(table, task$way), table), forest_loss = forest_loss(table))
  },
  tables = function(parts) {
    columns <- c("true_loss", "recorded_loss", "glm_true_loss", "forest_loss")
    list(losses = group_means(parts$results, c("way", "family"), columns))
  }
)

forest_loss <- function(table) {
  y <- factor(table$y, c(FALSE, TRUE))
  fit <- ranger::ranger(x = table$x, y = y, probability = TRUE, num.threads = 1, seed = 1)
  p <- stats::predict(fit, table$x_test, num.threads = 1)$predictions[, "TRUE"]
  -mean(log_of(ifelse(table$y_test, p, 1 - p), 0.01))
}
