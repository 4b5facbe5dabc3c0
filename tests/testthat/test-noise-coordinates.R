# Noise models as functions of coordinates: against each point by itself, differences and plain R.

# The (s, t, t) of omega
right_of <- function(omega) {
  size <- dim(omega)
  matrix(apply(omega, 1, diag), size[1], size[2], byrow = TRUE)
}

# The gradient at one point
pull_at <- function(model, z, slope) drop(noise_pull(model, matrix(z), slope))

# Reports on rows of so many classes by so many sources, which are groups or readers
noise_reports <- function(classes, sources, readers = FALSE, n = 24) {
  code <- rep_len(seq_len(classes), n)
  source <- rep_len(rep(seq_len(sources), each = classes), n)
  reports <- label_reports(code, classes, source, letters[seq_len(sources)])
  if (readers) reports$readers <- TRUE
  reports
}

# Every noise model there is for such reports, by name
noise_all <- function(reports, prior = noise_prior(), targets = NULL) {
  noise <- noise_model("average", prior, reports)
  if (!is.null(targets)) noise$targets <- targets
  names <- if (reports$classes == 2) {
    c("none", "one", "two", "first", "second")
  } else {
    c("none", "one", "each", "matrix", paste0("alone", seq_len(reports$classes)))
  }
  lapply(stats::setNames(nm = names), noise_of, noise)
}

noise_cases <- list(
  two = noise_reports(2, 1), two_groups = noise_reports(2, 3), readers = noise_reports(2, 3, TRUE),
  four = noise_reports(4, 1), four_groups = noise_reports(4, 3),
  four_readers = noise_reports(4, 3, TRUE)
)

each_noise <- function(of) {
  for (case in names(noise_cases)) {
    models <- noise_all(noise_cases[[case]])
    for (name in names(models)) of(models[[name]], noise_cases[[case]], paste(case, name))
  }
}

test_that("omega of several points at once is that of each, and its rows sum to 1", {
  each_noise(function(model, reports, said) {
    Z <- withr::with_seed(3, matrix(rnorm(model$d * 5), model$d, 5))
    together <- noise_omegas(model, Z)
    size <- c(length(reports$sources), reports$classes, reports$classes)
    expect_equal(dim(together), c(size, 5), info = said)
    for (k in 1:5) {
      one <- noise_omega(model, Z[, k])
      expect_equal(dim(one), size, info = said)
      expect_equal(array(together[, , , k], size), one, tolerance = 1e-14, info = said)
    }
    expect_equal(
      apply(together, c(1, 2, 4), sum), array(1, c(size[1:2], 5)), tolerance = 1e-12, info = said
    )
    expect_true(all(together >= 0 & together <= 1), info = said)
  })
})

test_that("the gradient of a noise model in its coordinates is that of differences", {
  each_noise(function(model, reports, said) {
    if (model$d == 0) {
      expect_length(noise_pull(model, matrix(0, 0, 1), NULL), 0)
      return()
    }
    withr::with_seed(5, {
      z <- rnorm(model$d, sd = 0.7)
      slope <- array(rnorm(length(noise_omega(model, z))), dim(noise_omega(model, z)))
    })
    at <- function(z) sum(slope * noise_omega(model, z))
    differences <- vapply(seq_along(z), function(j) {
      (at(replace(z, j, z[j] + 1e-5)) - at(replace(z, j, z[j] - 1e-5))) / 2e-5
    }, 0)
    expect_equal(pull_at(model, z, slope), differences, tolerance = 1e-6, info = said)
    # at several points those at each
    Z <- cbind(z, -z, z / 3, deparse.level = 0)
    each <- vapply(seq_len(3), function(k) pull_at(model, Z[, k], k * slope), numeric(model$d))
    both <- array(outer(slope, 1:3), c(dim(slope), 3))
    expect_equal(matrix(noise_pull(model, Z, both), model$d), matrix(each, model$d), info = said)
  })
})

test_that("a noise model starts at the rates that are asked for, of every source and class it is of", {
  wrong_at <- function(model, e) 1 - right_of(noise_omega(model, noise_start(model, e)))
  each_noise(function(model, reports, said) {
    if (model$d == 0) {
      expect_identical(noise_start(model, 0.1), numeric(), info = said)
      return()
    }
    alone <- noise_alone(model$name)
    of <- if (is.na(alone)) seq_len(reports$classes) else alone
    for (e in c(0.02, 0.1, 0.3)) {
      wrong <- wrong_at(model, e)
      expect_equal(
        wrong[, of], matrix(e, nrow(wrong), length(of))[, seq_along(of)], tolerance = 1e-8,
        info = said
      )
      expect_true(all(wrong[, -of] == 0), info = said)
    }
  })
  # what is beyond the prior is asked for in vain
  two <- noise_all(noise_cases$two)
  expect_equal(wrong_at(two$one, 0.7), matrix(0.45, 1, 2), tolerance = 1e-8)
})

test_that("rates are what is shown of omega", {
  each_noise(function(model, reports, said) {
    if (model$name == "none") {
      expect_identical(noise_shown(model, numeric()), 0, info = said)
      return()
    }
    z <- withr::with_seed(6, rnorm(model$d))
    wrong <- colMeans(1 - right_of(noise_omega(model, z)))
    if (model$name == "one") {
      expect_equal(noise_shown(model, z), wrong[1], info = said)
      expect_equal(diff(range(wrong)), 0, tolerance = 1e-14, info = said)
    } else {
      names <- if (reports$classes == 2) c("neg", "pos")
      expect_equal(noise_shown(model, z), stats::setNames(wrong, names), info = said)
    }
  })
})

test_that("where errors go is exp(2.5 z), normalised, of each reader for himself and else of all", {
  four <- noise_cases$four_groups
  for (reports in list(four, noise_cases$four_readers)) {
    own <- by_readers(reports)
    model <- noise_all(reports)$matrix
    expect_equal(model$d, 4 * 3 + 4 * 3 * (if (own) 3 else 1))
    z <- withr::with_seed(8, rnorm(model$d))
    omega <- noise_omega(model, z)
    to <- array(z[-(1:12)], c(3, if (own) 3 else 1, 4)) # target, source, true class
    for (s in 1:3) {
      for (t in 1:4) {
        share <- omega[s, t, -t] / (1 - omega[s, t, t])
        e <- exp(2.5 * to[, if (own) s else 1, t])
        expect_equal(share, e / sum(e), tolerance = 1e-10)
      }
    }
  }
  # of one class alone it is learned for that one, and shared alike by nobody
  alone <- noise_all(four)$alone3
  expect_equal(alone$d, 3 + 3)
  omega <- noise_omega(alone, c(0, 0, 0, 40, 0, 0))
  expect_equal(omega[2, 3, 1], 1 - omega[2, 3, 3], tolerance = 1e-10)
  # "each" and "one" share alike
  each <- noise_all(four)$each
  expect_equal(each$d, 12)
  omega <- noise_omega(each, withr::with_seed(9, rnorm(12)))
  for (t in 1:4) expect_equal(omega[, t, -t], omega[, t, (1:4)[-t][c(2, 3, 1)]])
})

test_that("errors go only where they may, and the gradient follows", {
  targets <- rbind(c(0, 1, 1, 0), c(1, 0, 0, 0), c(0, 0, 0, 0), c(1, 1, 1, 0)) > 0
  # a class of which nothing may be recorded wrongly shares its errors alike
  model <- noise_all(noise_cases$four_groups, targets = targets)$matrix
  expect_equal(model$d, 12 + 2 + 1 + 3)
  withr::with_seed(10, {
    z <- rnorm(model$d)
    slope <- array(rnorm(48), c(3, 4, 4))
  })
  omega <- noise_omega(model, z)
  for (t in c(1, 2, 4)) expect_true(all(omega[, t, -t][, !targets[t, -t]] == 0))
  expect_equal(omega[, 3, 1], omega[, 3, 4])
  expect_equal(rowSums(omega, dims = 2), matrix(1, 3, 4))
  at <- function(z) sum(slope * noise_omega(model, z))
  differences <- vapply(seq_along(z), function(j) {
    (at(replace(z, j, z[j] + 1e-5)) - at(replace(z, j, z[j] - 1e-5))) / 2e-5
  }, 0)
  expect_equal(pull_at(model, z, slope), differences, tolerance = 1e-6)
})

test_that("what is held is as_omega() at every point", {
  matrix <- rbind(c(0.8, 0.15, 0.05), c(0.1, 0.9, 0), c(0, 0.3, 0.7))
  for (epsilon in list(0.1, c(0.1, 0.2, 0.3), matrix)) {
    model <- noise_held("given", epsilon, 3, 2L)
    omegas <- noise_omegas(model, matrix(0, 0, 3))
    for (k in 1:3) expect_identical(omegas[, , , k], as_omega(epsilon, 3, 2L))
    expect_identical(noise_shown(model, numeric()), epsilon)
  }
  share <- neighbour_share(3)
  expect_identical(noise_omega(noise_held("given", 0.1, 3, 1L, share), numeric()), as_omega(0.1, 3, 1L, share))
})

test_that("of classes in an order errors go to neighbours or anywhere, which a coordinate says", {
  reports <- noise_cases$four_groups
  share <- neighbour_share(4)
  noise <- noise_model("average", noise_prior(), reports, share = share)
  expect_named(noise$weights, c("none", "one", "each", paste0("alone", 1:4)))
  alone <- noise_omega(noise_of("alone1", noise), rep(0.3, noise_of("alone1", noise)$d))
  expect_equal(wrong_shares(alone[1, , ])[1, ], neighbour_share(4, pnorm(0.3))[1, ])
  expect_equal(alone[1, -1, ], diag(4)[-1, ])
  # of a class between two others errors may all go to one of them, or a tenth of them anywhere
  between <- noise_of("alone2", noise)
  expect_equal(between$d, 3L + 2L)
  at <- function(low, high) noise_omega(between, c(rep(0.3, 3), low, high))
  expect_equal(wrong_shares(at(0.2, 0.2)[1, , ])[2, ], neighbour_share(4, 0.1)[2, ])
  w <- c(exp(2.5 * 0.7), 1, 0) / (1 + exp(2.5 * 0.7))
  expect_equal(wrong_shares(at(0.9, 0.2)[2, , ])[2, -2], 0.9 * w + 0.1 / 3)
  expect_equal(at(-1, 2)[3, -2, ], diag(4)[-2, ])
  slope <- withr::with_seed(2, array(rnorm(48), c(3, 4, 4, 1)))
  z <- c(-0.4, 0.3, 0.1, 1, -0.6)
  differences <- vapply(seq_along(z), function(j) {
    step <- replace(numeric(5), j, 1e-5)
    sum(slope[, , , 1] * (noise_omega(between, z + step) - noise_omega(between, z - step))) / 2e-5
  }, 0)
  expect_equal(pull_at(between, z, slope), differences, tolerance = 1e-6)
  model <- noise_of("one", noise)
  z <- noise_start(model, 0.2)
  at_part <- function(z, part) noise_omega(model, replace(z, length(z), qnorm(part)))
  for (part in c(0, 0.1, 0.5, 1)) {
    expect_equal(at_part(z, part), as_omega(0.2, 4, 3L, neighbour_share(4, part)), tolerance = 1e-8)
  }
  expect_equal(at_part(z, 1), as_omega(0.2, 4, 3L), tolerance = 1e-8)
  withr::with_seed(1, {
    Z <- matrix(rnorm(2 * model$d), model$d)
    slope <- array(rnorm(96), c(3, 4, 4, 2))
  })
  at <- function(z, k) sum(slope[, , , k] * noise_omega(model, z))
  differences <- vapply(1:2, function(k) {
    vapply(seq_len(model$d), function(j) {
      z <- Z[, k]
      (at(replace(z, j, z[j] + 1e-5), k) - at(replace(z, j, z[j] - 1e-5), k)) / 2e-5
    }, 0)
  }, numeric(model$d))
  expect_equal(noise_pull(model, Z, slope), differences, tolerance = 1e-6)
  expect_equal(pull_at(model, Z[, 1], slope[, , , 1]), differences[, 1], tolerance = 1e-6)
})

test_that("coordinates in another turn of the classes are those of classes in that order", {
  for (case in c("two", "two_groups", "four", "four_groups", "four_readers")) {
    reports <- noise_cases[[case]]
    classes <- reports$classes
    turn <- if (classes == 2) 2:1 else c(3, 1, 4, 2)
    noise <- noise_model("average", noise_prior(), reports)
    turned <- noise
    turned$turn <- turn
    several <- c("each", "matrix", paste0("alone", seq_len(classes)))
    for (name in if (classes == 2) c("two", "first") else several) {
      alone <- noise_alone(name)
      as <- if (is.na(alone)) name else sub("[0-9]", match(alone, turn), name)
      if (name == "first") as <- "second"
      here <- noise_of(name, turned)
      there <- noise_of(as, noise)
      withr::with_seed(11, {
        z <- rnorm(here$d)
        slope <- array(rnorm(length(noise_omega(here, z))), dim(noise_omega(here, z)))
      })
      expect_equal(noise_omega(here, z)[, turn, turn, drop = FALSE], noise_omega(there, z), info = paste(case, name))
      at <- slope[, turn, turn, drop = FALSE]
      expect_equal(pull_at(here, z, slope), pull_at(there, z, at), info = paste(case, name))
    }
  }
})
