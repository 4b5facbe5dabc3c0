# The likelihood of the label stage as a function of its coordinates, against plain R (helper-label.R).

random_z <- function(problem, seed, spread = 0.8) {
  withr::with_seed(seed, stats::rnorm(problem$d, sd = spread))
}

plain_value <- function(z, problem, made, ...) {
  at <- plain_label_point(z, problem$field, problem$model$name, made$kind, made$classes, ...)
  sum(log(plain_label_rows(at, made$P, made$y)$z))
}

# The same by groups, each with its weight of the second class
plain_groups <- function(z, problem, at, made, group, L) {
  sum(vapply(unique(group), function(g) {
    mine <- group == g
    at$w[2] <- at$w[2] + 2 * z[problem$field == "v"][g]
    sum(log(plain_label_rows(at, made$P[mine, ], made$y[mine], L[mine, ])$z))
  }, 1))
}

# Central differences of the log likelihood and prior
differences <- function(problem, z, h = 1e-4) {
  value <- function(Z) label_value(problem, Z) - colSums(Z^2) / 2
  at <- function(h) value(z + diag(h, length(z)))
  (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
}

expect_gradient <- function(problem, seed = 1, spread = 0.8, z = random_z(problem, seed, spread)) {
  found <- slope_at(problem, z)
  expect_equal(found$value, label_value(problem, matrix(z)) - sum(z^2) / 2, tolerance = 1e-12)
  expect_lt(max(abs(found$gradient - differences(problem, z)) / (1 + abs(found$gradient))), 1e-6)
}

each_made <- function(classes, kinds = c("fit", "recorded", "scores"), n = 60) {
  lapply(stats::setNames(nm = kinds), function(kind) {
    label_made(toy_scores(classes, n, seed = classes), kind)
  })
}

test_that("the log likelihood is that of plain sums, under every noise model and of all scores", {
  for (classes in c(2, 3, 5)) {
    for (made in each_made(classes)) {
      expect_setequal(
        names(made$noise$weights),
        if (classes == 2) c("none", "one", "two", "first", "second") else c(
          "none", "one", "each", "matrix", paste0("alone", seq_len(classes))
        )
      )
      for (name in names(made$noise$weights)) {
        problem <- label_made_problem(made, name)
        Z <- cbind(random_z(problem, 1), random_z(problem, 2), 0)
        want <- apply(Z, 2, plain_value, problem, made)
        expect_equal(label_value(problem, Z), want, tolerance = 1e-10, info = paste(classes, made$kind, name))
      }
    }
  }
})

test_that("the slope is that of differences, under every noise model and of all scores", {
  for (classes in c(2, 3, 5)) {
    for (made in each_made(classes, n = 30)) {
      for (name in names(made$noise$weights)) expect_gradient(label_made_problem(made, name))
    }
  }
})

test_that("two classes look no more alike than a bound: there the coordinate has the slope of its prior", {
  problem <- label_made_problem(label_made(toy_scores(3, 30), "scores"), "one")
  # the third class is near the first alone, so that how near the two are would matter
  z <- replace(random_z(problem, 1), problem$at$pairs, pair_coordinate(c(1.5 * pairs_most, 1, 0.01), 3))
  expect_equal(slope_at(problem, z)$gradient[problem$at$pairs[1]], -z[problem$at$pairs[1]], tolerance = 1e-12)
  expect_gradient(problem, z = z)
})

test_that("a number of coordinates has its place in a field, and the prior is standard normal", {
  made <- each_made(3)
  count <- function(kind, name, plain = FALSE) {
    table(label_made_problem(made[[kind]], name, plain)$field)[
      c("w", "slope", "slopes", "u", "pairs", "noise", "learned")
    ]
  }
  expect_equal(as.vector(count("scores", "one")), c(2, 1, 3, 1, 3, 1, 1))
  expect_equal(as.vector(count("recorded", "matrix")), c(2, 1, 3, 1, 3, 9, NA))
  expect_equal(as.vector(count("scores", "none")), c(2, 1, 3, 1, 3, NA, NA))
  expect_equal(as.vector(count("fit", "each", plain = TRUE)), c(2, 1, 3, NA, NA, 3, NA))
  made$scores$way$within <- log(c(0.5, 2)) # with bounds of overlap scores have learned none, and one slope
  expect_equal(as.vector(count("scores", "one")), c(2, 1, NA, 1, 3, 1, NA))
})

test_that("a share of unusual rows that is held is no coordinate, also one of 0", {
  for (classes in 2:3) {
    for (unusual in c(0, 0.03)) {
      made <- label_made(toy_scores(classes), "scores", unusual = unusual)
      problem <- label_made_problem(made, "one")
      expect_false("u" %in% problem$field)
      z <- random_z(problem, 4)
      want <- plain_value(z, problem, made, unusual = unusual)
      expect_equal(label_value(problem, matrix(z)), want, tolerance = 1e-10)
      expect_gradient(problem)
    }
  }
})

test_that("without unusual rows nothing stands beside the scores but wrong labels", {
  made <- label_made(toy_scores(3), "scores")
  problem <- label_made_problem(made, "each", plain = TRUE)
  z <- random_z(problem, 5)
  expect_false(any(c("u", "pairs") %in% problem$field))
  expect_equal(label_value(problem, matrix(z)), plain_value(z, problem, made, unusual = 0), tolerance = 1e-10)
  expect_gradient(problem)
})

test_that("a row that stands for several counts as often", {
  d <- toy_scores(3, 40)
  times <- rep(1:4, 10)
  reports <- with_times(label_reports(as.integer(d$labels), 3L), times)
  made <- label_made(d, "recorded", reports = reports)
  often <- rep(1:40, times)
  repeated <- label_made(list(prob = d$prob[often, ], labels = d$labels[often]), "recorded")
  for (name in c("none", "matrix")) {
    problem <- label_made_problem(made, name)
    z <- matrix(random_z(problem, 6))
    expect_equal(label_value(problem, z), label_value(label_made_problem(repeated, name), z), tolerance = 1e-12)
    expect_gradient(problem)
  }
})

test_that("checks and labels of groups have the likelihood of their reports", {
  d <- toy_scores(2, 60)
  code <- as.integer(d$labels)
  group <- rep(1:2, c(20, 40))
  checked <- c(3, 30, 50)
  class <- as.integer(d$truth)[checked]
  reports <- new_reports(
    60, 2, c(1:60, checked), c(group, 0, 0, 0), c(code, class), sources = c("a", "b")
  )
  made <- label_made(d, "recorded", reports = reports)
  for (name in names(made$noise$weights)) {
    problem <- label_made_problem(made, name)
    z <- random_z(problem, 7)
    omega <- array(label_points_at(problem, matrix(z))$omega, c(2, 2, 2))
    at <- plain_label_point(z, problem$field, "none", "fit", 2)
    L <- t(sapply(1:60, function(i) omega[group[i], , code[i]]))
    L[checked, ] <- L[checked, ] * diag(2)[class, ]
    # the prior of its slope and of unusual rows are those of recorded scores
    at[c("b", "U")] <- plain_label_point(z, problem$field, "none", "recorded", 2)[c("b", "U")]
    at$out <- if (name != "none") solve(omega[1, , ] / 3 + omega[2, , ] * 2 / 3)
    want <- plain_groups(z, problem, at, made, group, L)
    expect_equal(label_value(problem, matrix(z)), want, tolerance = 1e-10)
    expect_gradient(problem)
  }
})

test_that("a study of the labels has its likelihood", {
  study <- matrix(c(40, 3, 5, 30), 2, dimnames = list(c("a", "b"), c("a", "b")))
  made <- label_made(toy_scores(2), "fit")
  without <- label_made_problem(made, "two")
  made$noise$study <- unname(study)
  problem <- label_made_problem(made, "two")
  z <- random_z(problem, 8)
  omega <- plain_omega("two", z[problem$field == "noise"], 2)
  expect_equal(
    label_value(problem, matrix(z)) - label_value(without, matrix(z)), sum(study * log(omega)), tolerance = 1e-10
  )
  expect_gradient(problem)
})

test_that("of very many classes matrices are two numbers, and the likelihood the same", {
  d <- withr::with_seed(45, {
    list(prob = matrix(stats::rexp(300 * 45), 300), labels = factor(sample(45, 300, TRUE), 1:45))
  })
  d$prob <- d$prob / rowSums(d$prob)
  made <- label_made(d, "recorded")
  for (name in c("none", "one")) {
    problem <- label_made_problem(made, name)
    Z <- matrix(random_z(problem, 9))
    expect_equal(nrow(label_points_at(problem, Z)$points$U), 2)
    expect_equal(label_value(problem, Z), plain_value(drop(Z), problem, made), tolerance = 1e-10)
    expect_gradient(problem)
  }
  # a label far from its scores is right by the rows that are unusual, few as they are
  made <- label_made(d, "scores", unusual = 45e-260)
  made$P[1, ] <- replace(rep(1e-290, 45), c(1, made$y[1]), c(1, 1e-280))
  problem <- label_made_problem(made, "none")
  expect_equal(label_value(problem, matrix(0, problem$d)), plain_value(
    numeric(problem$d), problem, made, unusual = 45e-260
  ), tolerance = 1e-10)
})

test_that("of several classes each errs towards those near it, of more than twelve four", {
  P <- toy_scores(15, 300, 50)
  near <- near_classes(P$prob, as.integer(P$labels))
  expect_equal(rowSums(near), rep(4, 15))
  expect_false(any(diag(near)))
  of <- rowsum(P$prob, as.integer(P$labels))
  diag(of) <- -1
  for (t in 1:15) expect_setequal(which(near[t, ]), order(-of[t, ])[1:4])
  expect_equal(near_classes(P$prob[, 1:5], rep(1:5, 60)), !diag(5))
  expect_equal(which(near_classes(P$prob[, 1:4], rep(1:4, 75), ordered = TRUE)[2, ]), c(1, 3))
})

test_that("a noise matrix without an inverse turns a climb away, without numbers that are none", {
  made <- label_made(toy_scores(3), "recorded")
  problem <- label_made_problem(made, "each")
  cap <- stats::pbeta(0.7, 1, 4)
  z <- replace(numeric(problem$d), problem$field == "noise", stats::qnorm(stats::pbeta(2 / 3, 1, 4) / cap))
  for (step in c(0, 1e-14, 1e-9, 1e-4)) {
    out <- slope_at(problem, z + step)
    expect_false(anyNA(c(out$value, out$gradient, label_value(problem, cbind(z + step)))))
    expect_lt(out$value, label_value(problem, cbind(0 * z)))
  }
  # of rates that are given, and leave nothing of the scores, not all is taken out
  expect_identical(most_taken_out(noise_held("given", array(1 / 3, c(1, 3, 3)), 3, 1), 1), 0.99)
  expect_identical(most_taken_out(noise_held("given", 0.3, 3, 1), 1), 1)
})

test_that("of labels that are probabilities the likelihood of a row is what they say of each class", {
  for (classes in 2:3) {
    d <- toy_scores(classes, 40, seed = 4)
    code <- as.integer(d$labels)
    soft <- withr::with_seed(1, matrix(rexp(40 * classes), 40))
    soft <- soft / rowSums(soft)
    certain <- if (classes == 2) 1:15 else integer()
    reports <- new_reports(40, classes, 1:40, replace(rep(1L, 40), certain, 0L), code, soft = soft)
    reports$soft[certain, ] <- NA
    made <- label_made(d, "fit", reports = reports)
    problem <- label_made_problem(made, "none")
    z <- random_z(problem, 2)
    at <- label_points_at(problem, matrix(z))
    q <- label_seen_at(label_made_rows(made)$data, at$points)[, , 1]
    L <- soft
    L[certain, ] <- diag(classes)[code[certain], ]
    expect_equal(label_value(problem, matrix(z)), sum(log(rowSums(q * L))), tolerance = 1e-10)
    expect_gradient(problem, 2)
  }
})

# Two classes in three groups, of which rows of a kind stand for several
made_groups <- function(n = 60, times = NULL) {
  d <- toy_scores(2, n, seed = 2)
  group <- rep_len(c(1:3, 3L), n)
  reports <- with_times(label_reports(as.integer(d$labels), 2L, group, letters[1:3]), times)
  c(label_made(d, "scores", reports = reports), list(group = group))
}

test_that("with rates by group scores have a weight of each group beside that of all", {
  made <- made_groups()
  problem <- label_made_problem(made, "none")
  Z <- cbind(random_z(problem, 1), random_z(problem, 2))
  want <- apply(Z, 2, function(z) {
    at <- plain_label_point(z, problem$field, "none", "scores", 2)
    plain_groups(z, problem, at, made, made$group, diag(2)[made$y, ])
  })
  expect_equal(label_value(problem, Z), want, tolerance = 1e-10)
  for (name in names(made$noise$weights)) expect_gradient(label_made_problem(made, name))
  expect_length(label_made_problem(label_made(toy_scores(3, 30)), "none")$at$v, 0)
  points <- label_points_at(problem, Z)$points
  points$v <- points$v[1:4, ] # of two groups
  expect_error(native_label_values(problem$rows$data, points), "group has a wrong type or size")
})

test_that("cells of scores are in the groups of their rows", {
  made <- made_groups(1200)
  some <- rep_len(c(seq(1, 48, 4), seq(2, 48, 4), seq(3, 48, 4)), 1200)
  made[c("P", "y", "group")] <- list(made$P[some, ], made$y[some], made$group[some])
  made$data$reports <- label_reports(made$y, 2L, made$group, letters[1:3])
  all <- label_made_rows(made)
  cells <- label_telling(all, made$P, made$data$reports)
  expect_lt(cells$n, all$n)
  value <- function(rows) {
    problem <- label_problem(rows, "two", made$noise)
    label_value(problem, matrix(random_z(problem, 3)))
  }
  expect_equal(value(cells), value(all), tolerance = 1e-10)
})

test_that("a label that was found wrong is of its group, and one that is trusted of none", {
  reports <- new_reports(3L, 2L, c(1:3, 2L), c(2L, 0L, 0L, 1L), c(1L, 2L, 1L, 1L), c("a", "b"))
  expect_identical(label_groups(reports), c(2L, 1L, 0L))
  expect_null(label_groups(label_reports(1:2, 2L)))
})
