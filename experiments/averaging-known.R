# What is known of labels. Groups: rows of four sites with flip rates of their own; does
# the interval of each rate hold it, and is the order of the sites found? Review: how many
# wrong labels are found by checking rows in rounds, each followed by an update, against
# one ranking made before, and against rows at random? And how many are said to be left?

experiment <- list(
  settings = list(replications = 20, rows = 200, rounds = 8, each = 5, seed = 7001),
  quick = list(replications = 1, rows = 60, rounds = 2, each = 3),
  in_package = c("groups", "review"),
  tasks = function(settings) {
    all_of(
      what = c("groups", "review"), rows = settings$rows, rounds = settings$rounds,
      each = settings$each, seed = seeds_of(settings)
    )
  },
  run = function(task) if (task$what == "groups") groups_one(task) else review_one(task),
  tables = function(parts) {
    rows <- parts$results
    groups <- rows[rows$what == "groups", ]
    review <- rows[rows$what == "review", ]
    list(
      groups = group_means(groups, "group", c("true", "rate", "lower", "upper", "covered")),
      review = group_means(review, "checked", c(
        "rounds_found", "once_found", "random_found", "share", "left", "truly_left",
        "left_covered"
      ))
    )
  }
)

site_rates <- c(a = 0, b = 0.05, c = 0.1, d = 0.25)

known_table <- function(rows, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(2 * rows), rows)
  K <- exp(-as.matrix(stats::dist(X))^2 / 2) + diag(0.02, rows)
  true <- drop(crossprod(chol(K), stats::rnorm(rows))) > 0
  site <- sample(names(site_rates), rows, TRUE)
  list(x = X, true = true, site = site, flipped = stats::runif(rows) < site_rates[site])
}

groups_one <- function(task) {
  table <- known_table(task$rows, task$seed)
  y <- xor(table$true, table$flipped)
  fit <- observe(gpc(
    table$x, y, epsilon = "learn", hyper = "integrate", rates = table$site,
    control = quiet_control()
  ))$value
  rates <- flip_rates(fit)
  rates <- rates[rates$class == rates$class[1], ]
  true <- site_rates[rates$group]
  known_row(
    group = rates$group, true = unname(true), rate = rates$rate, lower = rates$lower,
    upper = rates$upper, covered = rates$lower <= true & true <= rates$upper
  )
}

known_row <- function(...) {
  row <- list(
    group = NA_character_, true = NA_real_, rate = NA_real_, lower = NA_real_, upper = NA_real_,
    covered = NA, checked = NA_real_, rounds_found = NA_real_, once_found = NA_real_,
    random_found = NA_real_, share = NA_real_, left = NA_real_, truly_left = NA_real_,
    left_covered = NA
  )
  do.call(data.frame, utils::modifyList(row, list(...)))
}

review_one <- function(task) {
  table <- known_table(task$rows, task$seed)
  y <- factor(xor(table$true, table$flipped), c(FALSE, TRUE))
  truth <- factor(table$true, c(FALSE, TRUE))
  fit <- observe(gpc(
    table$x, y, epsilon = "average", hyper = "integrate", control = quiet_control()
  ))$value
  checks <- task$each * seq_len(task$rounds)
  once <- review(fit, max(checks))$row
  found <- left <- integer(task$rounds)
  covered <- logical(task$rounds)
  for (round in seq_len(task$rounds)) {
    list <- review(fit, task$each)
    found[round] <- sum(table$flipped[list$row])
    checked <- data.frame(row = list$row, label = truth[list$row])
    fit <- observe(update(fit, checked = checked))$value
    expected <- attr(observe(mislabelled(fit))$value, "expected")
    left[round] <- expected$count
    truly <- sum(table$flipped) - sum(found)
    covered[round] <- expected$lower <= truly && truly <= expected$upper
  }
  known_row(
    checked = checks, rounds_found = cumsum(found),
    once_found = cumsum(table$flipped[once])[checks],
    random_found = mean(table$flipped) * checks, share = cumsum(found) / sum(table$flipped),
    left = left, truly_left = sum(table$flipped) - cumsum(found), left_covered = covered
  )
}
