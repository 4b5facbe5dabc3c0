# How far two tables of problems.R are apart

# What a quantity is: the first expression that fits its name
quantity_kinds <- c(
  seconds = "^seconds$", evaluations = "^(evaluations|models[.](nodes|modes))$",
  fingerprint = "[.]print$", probability = "^(fitted|new|wrong[.](flip|loo|top))",
  criterion = "^(value|penalised)$", evidence = "^(evidence|integrated|gaussian|models[.])",
  count = "^wrong[.](count|lower|upper)$", rate = "^rates", coefficient = "^coef"
)
quantity_kinds <- c(log_bf = "^models[.]log_bf$", quantity_kinds)

# The largest difference allowed, absolute, for numbers above 1 relative. Held: nothing is
# searched for, so only the last digits may change. Optimum: another optimum may be found,
# but no worse one (see `worse`, and `of_matrix` below). Average: the error of nodes: PROBLEMS_NUDGE=1e-12 at c47dcfd
# moves probabilities by .065, rates by .077 and log Bayes factors by 1.1 (60 rows, 100
# columns). A blank has no bound.
bounds <- list(
  held = c(probability = 1e-10, fingerprint = 1e-9, evidence = 1e-10, count = 1e-9, rate = 1e-10,
           coefficient = 1e-10),
  optimum = c(worse = 1e-3, of_matrix = 0.02),
  average = c(probability = 0.1, log_bf = 1.2, rate = 0.1)
)
# Since c47dcfd the evidence is that of all reports: of a row that was looked up the recorded
# label, too [M 13.1]
other_meaning <- list(problem = "checked[.]", kind = c("evidence", "criterion"))

kind_of <- function(quantity) {
  kind <- rep("text", length(quantity))
  for (name in rev(names(quantity_kinds))) kind[grepl(quantity_kinds[[name]], quantity)] <- name
  kind
}

way_of <- function(problem) {
  way <- sub("[_.].*", "", problem)
  ifelse(way %in% c("optimum", "average"), way, "held")
}

read_problems <- function(file) {
  utils::read.csv(file, colClasses = "character", na.strings = character(), quote = "")
}

both_tables <- function(before, after) {
  before <- read_problems(before)
  after <- read_problems(after)
  # a table may be of some of the problems
  shared <- intersect(before$problem, after$problem)
  both <- merge(
    before[before$problem %in% shared, ], after[after$problem %in% shared, ],
    c("problem", "quantity"), all = TRUE
  )
  names(both)[3:4] <- c("before", "after")
  both$way <- way_of(both$problem)
  both$kind <- kind_of(both$quantity)
  number <- function(x) suppressWarnings(as.numeric(x))
  both$x <- number(both$before)
  both$y <- number(both$after)
  both$gap <- abs(both$y - both$x) / pmax(1, abs(both$x))
  # what may be infinite or not defined is compared as it is written
  both$numeric <- is.finite(both$x) & is.finite(both$y)
  both
}

print_gaps <- function(gaps) {
  shown <- c("criterion", "evidence", "log_bf", "probability", "fingerprint", "count", "rate",
             "coefficient")
  rows <- gaps[gaps$numeric & gaps$kind %in% shown, ]
  rows$kind <- factor(rows$kind, shown)
  cat("Differences (above 1 relative)\n")
  cat(sprintf("%-9s%-12s%7s%10s%10s%10s%10s\n", "", "", "values", "median", "90 %", "99 %", "max"))
  for (part in split(rows, list(rows$kind, rows$way), drop = TRUE)) {
    at <- stats::quantile(part$gap, c(0.5, 0.9, 0.99, 1))
    cat(sprintf(
      "%-9s%-12s%7d%10.1e%10.1e%10.1e%10.1e\n", part$way[1], part$kind[1], nrow(part),
      at[1], at[2], at[3], at[4]
    ))
  }
}

print_costs <- function(both) {
  cat("\nCosts, before and after\n")
  rows <- both[both$numeric & both$kind %in% c("seconds", "evaluations"), ]
  for (part in split(rows, list(rows$quantity, rows$way), drop = TRUE)) {
    cat(sprintf(
      "%-9s%-14s%10.5g%10.5g, median ratio %.2f\n", part$way[1], part$quantity[1], sum(part$x),
      sum(part$y), stats::median(((part$y + 1e-3) / (part$x + 1e-3)))
    ))
  }
}

print_few <- function(title, lines, most = 40) {
  if (length(lines)) {
    cat("\n", title, ": ", length(lines), "\n", sep = "")
    cat(paste0("  ", utils::head(lines, most)), sep = "\n")
    if (length(lines) > most) cat("  ...\n")
  }
}

# Where a matrix is learned, `value` and `penalised` were those of the search for one rate that
# went before, until c47dcfd. The evidence is compared: it is not what is maximised, so that a
# better optimum may lower it a little (three60: by .011 where the posterior rises by .0014)
of_matrix <- "^optimum_(matrix|classes_trusted)[.]"

# Optima: what the search maximises, penalised, gained or lost; of a learned matrix its evidence
optimum_changes <- function(both) {
  matrix <- grepl(of_matrix, both$problem)
  both$least <- bounds$optimum[ifelse(matrix, "of_matrix", "worse")]
  maximised <- ifelse(matrix, "evidence", "penalised")
  rows <- both[both$way == "optimum" & both$quantity == maximised & both$numeric, ]
  rows$change <- rows$y - rows$x
  rows[order(rows$change), ]
}

# TRUE where a bound is broken
compare_problems <- function(before, after) {
  both <- both_tables(before, after)
  print_gaps(both)
  print_costs(both)
  same <- !is.na(both$before) & !is.na(both$after) & both$before == both$after
  # the values that an average shows are of its most probable noise model
  unbound <- both$kind %in% c("seconds", "evaluations") |
    both$way == "average" & both$kind == "coefficient"
  text <- both[!both$numeric & !same & !unbound, ]
  lines <- sprintf("%s: %s: %s -> %s", text$problem, text$quantity, text$before, text$after)
  print_few("Answers that are there on one side only, or differ in words", lines, 100)

  optima <- optimum_changes(both)
  say <- function(rows) sprintf("%s: %.6f -> %.6f", rows$problem, rows$x, rows$y)
  worse <- optima[optima$change < -optima$least, ]
  print_few("Optima lost", say(worse))
  print_few("Better optima", say(optima[optima$change > optima$least, ]))

  limit <- mapply(function(way, kind) {
    if (kind %in% names(bounds[[way]])) bounds[[way]][[kind]] else Inf
  }, both$way, both$kind)
  other <- grepl(other_meaning$problem, both$problem) & both$kind %in% other_meaning$kind
  beyond <- both[both$numeric & both$gap > limit & !other, ]
  beyond <- beyond[order(beyond$way, -beyond$gap), ]
  print_few("Beyond the bounds", sprintf(
    "%s: %s: %s -> %s", beyond$problem, beyond$quantity, beyond$before, beyond$after
  ), 60)
  broken <- nrow(beyond) + nrow(worse) + nrow(text)
  cat(sprintf(
    "\n%d problems, %d values; beyond the bounds in %d problems\n", length(unique(both$problem)),
    nrow(both), length(unique(c(beyond$problem, worse$problem, text$problem)))
  ))
  broken > 0
}
