# Coordinates of what is learned: against the priors that they stand for, and differences.

coordinate_latent <- function(kernel = kernel_ard(), classes = 2, overlap = NULL) {
  withr::with_seed(1, {
    X <- matrix(rnorm(60), 20, dimnames = list(NULL, letters[1:3]))
    code <- sample(rep_len(seq_len(classes), 20))
  })
  columns <- list(group = 1:3, weight = rep(1, 3))
  kernel <- kernel_resolve(
    kernel, X, columns, letters[1:3], integrate = TRUE, overlap = overlap, classes = classes
  )
  labels <- list(y = code, reports = label_reports(code, classes))
  if (classes > 2) latent_classes(X, columns, labels, kernel) else latent_kernel(X, columns, labels, kernel)
}
noise_one <- function(latent, name = "one") {
  noise_of(name, noise_model("average", noise_prior(), latent$reports))
}

test_that("in normal coordinates hyperparameters have their priors, the bias in units of what it competes with", {
  latent <- coordinate_latent(kernel_ard(linear = 1))
  at <- normal_coordinates(latent, noise_one(latent, "two"))
  expect_identical(at$field, rep(c("lengthscale", "bias", "nugget", "linear", "epsilon"), c(3, 1, 1, 1, 2)))
  Z <- withr::with_seed(2, matrix(rnorm(8 * 4e4), 8))
  hyper <- apply(Z, 2, function(z) log(unlist(at$hyper(z))))
  names <- rownames(hyper)
  lengthscale <- hyper[1:3, ] - latent$prior$lengthscale$meanlog
  # one factor of sd 1/2 is common to all
  expect_equal(unname(cov(t(lengthscale))), diag(0.49, 3) + 0.25, tolerance = 0.03)
  expect_lt(max(abs(rowMeans(lengthscale))), 0.02)
  moments <- function(x) c(mean(x), sd(x))
  of <- lapply(stats::setNames(4:7, names[4:7]), function(k) unname(hyper[k, ]))
  # two classes: log nugget ~ N(log 1, 1.5^2), and the linear part N(0, 2^2)
  expect_lt(max(abs(moments(of$nugget) - c(0, 1.5))), 0.03)
  expect_lt(max(abs(moments(of$linear) - c(0, 2))), 0.04)
  scale <- log(exp(of$variance) + exp(of$nugget))
  expect_lt(max(abs(moments(of$bias - scale) - c(log(0.3), 2))), 0.04)
  expect_identical(unique(of$variance), 0) # it is held
  # a single one has its own prior alone
  single <- coordinate_latent(kernel_iso())
  at <- normal_coordinates(single, noise_one(single))
  z <- replace(numeric(length(at$field)), at$field == "lengthscale", 1)
  expect_equal(unname(log(at$hyper(z)$lengthscale)), unname(sum(unlist(single$prior$lengthscale[c("meanlog", "sdlog")]))))
  several <- coordinate_latent(classes = 3)
  at <- normal_coordinates(several, noise_one(several))
  nugget <- log(at$hyper(replace(numeric(length(at$field)), at$field == "nugget", 1))$nugget)
  expect_equal(nugget, log(0.03) + 1.5)
})

test_that("widths of classes in an order are in units of the root of variance and nugget", {
  latent <- coordinate_latent(kernel_iso(variance = 2), classes = 3)
  latent$hyper$width <- c(0.5, 2)
  latent$prior$width <- list(meanlog = log(c(0.5, 2)), sdlog = 1)
  latent$free <- c(latent$free, "width")
  at <- normal_coordinates(latent, noise_one(latent))
  z <- withr::with_seed(4, stats::rnorm(length(at$field)))
  hyper <- at$hyper(z)
  expect_equal(
    unname(hyper$width), c(0.5, 2) * exp(z[at$field == "width"]) * sqrt(hyper$variance + hyper$nugget)
  )
})

test_that("the prior in normal coordinates is a density, in logs that of the logs", {
  latent <- coordinate_latent(kernel_iso())
  at <- normal_coordinates(latent, noise_one(latent))
  z <- c(0.3, -1, 0.7, 0.2)
  expect_equal(at$prior(z)$value, sum(dnorm(z, log = TRUE)))
  expect_equal(at$prior(z)$gradient, -z)
  logs <- log_coordinates(latent, "learn", proper = TRUE)
  u <- logs$start + z
  prior <- latent$prior
  by_hand <- dnorm(u[1], prior$lengthscale$meanlog, prior$lengthscale$sdlog, log = TRUE) +
    dnorm(u[2], prior$bias$meanlog, prior$bias$sdlog, log = TRUE) +
    dnorm(u[3], prior$nugget$meanlog, prior$nugget$sdlog, log = TRUE) + logit_prior(u[4])$value
  expect_equal(logs$prior(u)$value, by_hand)
  expect_equal(unlist(logs$hyper(u)[c("lengthscale", "bias", "nugget")]), exp(u[1:3]), ignore_attr = TRUE)
  expect_equal(logs$rates(u), plogis(u[4]) / 2)
})

test_that("a gradient in coordinates is that of differences, also where overlap is bounded", {
  cases <- list(
    list(kernel_ard(), 2, NULL), list(kernel_ard(linear = 1), 2, c(0.02, 0.1)), list(kernel_iso(), 3, NULL),
    list(kernel_iso(), 3, c(0.01, 0.2)), list(kernel_iso(prior = weak_prior(variance = c(0, 1))), 2, NULL)
  )
  for (case in cases) {
    latent <- coordinate_latent(case[[1]], case[[2]], case[[3]])
    at <- normal_coordinates(latent, noise_one(latent, if (case[[2]] == 2) "two" else "one"))
    withr::with_seed(3, {
      z <- rnorm(length(at$field), sd = 0.6)
      by <- lapply(at$hyper(z), function(h) rnorm(length(h)))
      slope <- array(rnorm(case[[2]]^2), c(1, case[[2]], case[[2]]))
    })
    value <- function(z) {
      hyper <- at$hyper(z)
      sum(unlist(Map(function(b, h) b * log(h), by[names(hyper)], hyper))[latent_free(latent)]) +
        sum(slope * at$omega(z))
    }
    latent_free <- function(latent) {
      unlist(Map(function(name, h) rep(name %in% latent$free, length(h)), names(latent$hyper), latent$hyper))
    }
    # what is held has no gradient, whatever is said of it
    differences <- vapply(seq_along(z), function(j) {
      h <- replace(0 * z, j, 1e-5)
      (value(z + h) - value(z - h)) / 2e-5
    }, 0)
    expect_equal(at$pull(z, by, slope), differences, tolerance = 1e-6)
  }
})

test_that("bounds of a nugget are those of the overlap that is believed", {
  latent <- coordinate_latent(kernel_iso(), overlap = c(0.02, 0.1))
  ends <- log(tan(pi * c(0.02, 0.1))^2)
  bounds <- kernel_bounds(latent, c("lengthscale", "bias", "nugget"))
  expect_equal(c(bounds$lower[3], bounds$upper[3]), ends)
  at <- normal_coordinates(latent, noise_one(latent))
  nugget <- vapply(c(-8, -1, 0, 1, 8), function(z) {
    log(at$hyper(replace(numeric(4), 3, z))$nugget)
  }, 0)
  expect_true(all(diff(nugget) > 0))
  expect_equal(nugget[c(1, 5)], ends, tolerance = 1e-4)
})

test_that("what moves together has one coordinate, and blocks stand along a diagonal", {
  expect_equal(
    block_diagonal(list(matrix(1:4, 2), matrix(5, 1, 1), matrix(6:7, 2))),
    rbind(c(1, 3, 0, 0), c(2, 4, 0, 0), c(0, 0, 5, 0), c(0, 0, 0, 6), c(0, 0, 0, 7))
  )
  latent <- list(
    hyper = list(lengthscale = c(1, 2, 3, 4, 5, 6), nugget = c(1, 1)),
    prior = list(lengthscale = list(meanlog = 0, sdlog = 0.7, tied = TRUE), common = 0.5),
    free = "lengthscale"
  )
  alone <- moved_alone(latent, "lengthscale") # of two classes, a factor each
  expect_equal(alone, cbind(rep(c(1, 0), each = 3), rep(c(0, 1), each = 3)))
  expect_equal(moved_mean(alone, c(1, 2, 3, 4, 6, 8)), c(2, 6))
  expect_equal(drop(held_ratios(latent, alone) %*% alone), c(0, 0))
  root <- prior_root(latent, "lengthscale")
  expect_equal(tcrossprod(root)[c(1, 4), c(1, 4)], diag(0.49, 2) + 0.25)
  latent$prior$lengthscale$tied <- NULL
  expect_equal(moved_alone(latent, "lengthscale"), diag(6))
})
