# Far more columns than rows: one lengthscale for all columns, or ten principal components with one
# each? Two classes, a tenth of the labels flipped at random; fits average, as called. Tables are
# leukaemia (38 x 3,051) and small round blue cell tumours, one kind against the others (83 x 2,308), of
# the package plsgenomics; and simulated ones of 60 rows and 1,000 columns (columns.R): in `few` three
# columns matter and all are independent, in `factors` columns are noisy copies of four numbers.
#
# `first` is the share of the flipped labels among as many rows that come first, `row_score` the mean
# log probability of what each label is, `evidence` integrated.

sys.source(file.path(experiments, "columns.R"), environment())

experiment <- list(
  settings = list(
    families = c("leukemia", "SRBCT", "few", "factors"), replications = 6, seed = 4301
  ),
  quick = list(families = "few", replications = 1),
  needs = "plsgenomics",
  in_package = character(),
  tasks = function(settings) {
    all_of(
      inputs = c("all", "ten"), family = settings$families, seed = seeds_of(settings)
    )
  },
  run = function(task) components_one(task),
  tables = function(parts) {
    measured <- c("evidence", "first", "row_score", "flipped", "expected", "seconds")
    list(summary = group_means(parts$results, c("family", "inputs"), measured))
  }
)

components_one <- function(task) {
  set_seed(task$seed)
  table <- components_table(task$family)
  noisy <- flip(table$y, 0.1, task$seed)
  x <- if (task$inputs == "all") table$x else stats::prcomp(table$x, scale. = TRUE, rank. = 10)$x
  fitted <- observe(gpc(x, noisy$y, hyper = "integrate", control = quiet_control()))
  wrong <- fit_wrong(fitted$value)
  inside <- pmin(pmax(wrong, 1e-6), 1 - 1e-6)
  flipped <- sum(noisy$flipped)
  first <- utils::head(order(-wrong), flipped)
  data.frame(
    evidence = log_evidence(fitted$value, "integrated"), first = mean(noisy$flipped[first]),
    row_score = mean(log(ifelse(noisy$flipped, inside, 1 - inside))),
    flipped = flipped, expected = sum(wrong), seconds = fitted$seconds
  )
}

components_table <- function(family) {
  if (family %in% c("few", "factors")) {
    drawn <- columns_table(family, 60, 1000)
    return(list(x = as.matrix(drawn$x), y = drawn$y))
  }
  here <- new.env()
  utils::data(list = family, package = "plsgenomics", envir = here)
  x <- here[[family]]$X
  colnames(x) <- NULL
  list(x = x, y = factor(here[[family]]$Y == 1, c(FALSE, TRUE), c("no", "yes")))
}
