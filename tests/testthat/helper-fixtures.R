# Stored values that tests compare with; their origin is in fixtures/README.md.

# Largest |object - expected| relative to max(floor, |expected|), element by
# element; floor = 0 asks for purely relative agreement, floor = 1 for absolute
# agreement of small numbers. Fails on NA and on different lengths.
expect_close <- function(object, expected, tolerance, floor = 0) {
  label <- testthat::quasi_label(rlang::enquo(object))$lab
  got <- as.numeric(unlist(object))
  want <- as.numeric(unlist(expected))
  if (length(got) != length(want)) {
    testthat::fail(sprintf("%s has %d values, not %d.", label, length(got),
                           length(want)))
    return(invisible(object))
  }
  gap <- abs(got - want) / pmax(floor, abs(want))
  gap[got == want] <- 0
  worst <- if (anyNA(gap)) NA else max(gap, 0)
  testthat::expect(
    isTRUE(worst <= tolerance),
    sprintf("%s is off by %.2e; at most %.2e was expected.", label, worst,
            tolerance)
  )
  invisible(object)
}

# Slow grids: STURDY_EXTENDED_TESTS=true.
extended <- function() identical(Sys.getenv("STURDY_EXTENDED_TESTS"), "true")

# A test that is there only with them: slow, and not skipped but left out.
extended_test <- function(title, code) {
  if (extended()) eval.parent(substitute(test_that(title, code)))
}

# The 18 reference cases: a list of lists with df numeric (Inf included), X and
# X_new matrices, `lengthscale` from l = 1 / (2 lengthscale^2), and gradients as
# named vectors in the names of ref_gradient(), with respect to log lengthscale.
reference_cases <- function() {
  cases <- jsonlite::fromJSON(
    testthat::test_path("fixtures", "cases.json"),
    simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = TRUE
  )
  lapply(cases, function(case) {
    case$df <- as.numeric(case$df)
    case$X <- as.matrix(case$X)
    case$X_new <- as.matrix(case$X_new)
    case$lengthscale <- 1 / sqrt(2 * case$l)
    for (name in c("d_evidence_Z1", "d_loo")) {
      d <- case[[name]]
      epsilon <- if (is.null(d$epsilon)) NA_real_ else d$epsilon
      case[[name]] <- c(
        stats::setNames(-2 * d$log_l,
                        paste0("lengthscale.", seq_along(case$l))),
        variance = d$log_theta0, bias = d$log_theta2, nugget = d$log_theta3,
        epsilon = epsilon
      )
    }
    case
  })
}

# Published and closed-form values. Small Bayes point machines: features X (last
# column 1), prior w ~ N(0, I), kernel X X' + noise I; `mean` and `cov` of w.
published_cases <- function() {
  symmetric <- function(lower) {
    S <- matrix(0, 3, 3)
    S[upper.tri(S, diag = TRUE)] <- lower
    S + t(S) - diag(diag(S))
  }
  X3 <- rbind(c(0, 0, 1), c(0, 1, 1), c(1, 0, 1))
  X6 <- rbind(X3, c(0, 0.5, 1), c(1.5, 0, 1), c(0.1, 1.5, 1))
  y6 <- c(1, 1, -1, 1, -1, -1)
  machines <- list(
    three_points = list(
      X = X3, y = y6[1:3], noise = 0, epsilon = 0,
      log_evidence = -2.486152518337251, exact = log(1 / 12),
      mean = c(-1.178410192370038, 0.514204026416866, 0.533030909628306),
      cov = symmetric(c(
        0.3578619594789516, 0.05893838160003953, 0.5424263963482457,
        -0.1183834842062737, -0.08091881706709862, 0.1625333312892799
      ))
    ),
    six_points_probit = list(
      X = X6, y = y6, noise = 1, epsilon = 0,
      log_evidence = -4.652691936530638, exact = -4.6493448
    ),
    # Sites of either sign; clipped at precision 0 they would give -4.57316.
    six_points_flips = list(
      X = X6, y = y6, noise = 0, epsilon = 0.1,
      log_evidence = -4.553117742706541, exact = -4.45980735,
      mean = c(-1.16220429443624, -0.0338583325319568, 0.5428335422151358),
      cov = symmetric(c(
        0.3730596036503481, 0.09642738507267575, 0.7684442285629477,
        -0.1256797047507377, -0.1530917637786459, 0.2119627016754658
      ))
    ),
    income = list(
      X = cbind(c(63, 16, 28, 55, 22, 20), c(38, 23, 40, 27, 18, 40), 1),
      y = c(1, -1, 1, 1, -1, -1), noise = 1, epsilon = 0,
      log_evidence = -9.477096220081785, exact = -9.43699,
      mean = c(0.109666345041522, -0.062557928550261, -0.827699303548466),
      cov = symmetric(c(
        0.004203498829365, -0.002901565701299, 0.003226764582933,
        -0.012119192593608, -0.016479796269154, 0.843335367330159
      ))
    )
  )
  # Intercept-only probit: kernel 1 1' + I, n1 labels +1 and n0 labels -1.
  intercept <- data.frame(
    n1 = c(2, 5, 10, 100, 5, 50, 90, 20, 90),
    n0 = c(0, 0, 0, 0, 5, 50, 10, 5, 10),
    epsilon = rep(c(0, 0.1), c(7, 2)),
    log_evidence = c(
      -1.100428254679, -1.798554174290, -2.410076664635, -4.646708928968,
      -7.927229957575, -71.398960851787, -35.098530256744, -13.9856148202,
      -35.4886607254
    )
  )
  # (I_{1-e} - I_e)(n1 + 1, n0 + 1) Beta(n1 + 1, n0 + 1) / (1 - 2 e)
  intercept$exact <- with(intercept, log(
    stats::pbeta(1 - epsilon, n1 + 1, n0 + 1) -
      stats::pbeta(epsilon, n1 + 1, n0 + 1)
  ) + lbeta(n1 + 1, n0 + 1) - log(1 - 2 * epsilon))
  list(
    machines = machines,
    intercept = intercept,
    # K = (1 1' + I) / 2, epsilon = 0, all labels +1; four decimals; exact
    # -log(n + 1).
    equicorrelated = data.frame(
      n = c(2, 3, 5, 10, 30),
      gaussian = c(-1.1004, -1.3900, -1.7986, -2.4101, -3.4558),
      df_10 = c(-1.0731, -1.3436, -1.7300, -2.3257, -3.4196)
    ),
    # K = I, n = 100, epsilon = 0: exact = Gaussian EP; t-EP to two decimals
    diagonal = list(n = 100, exact = -100 * log(2), df_10 = -42.30),
    log_pnorm = data.frame(
      x = c(-20, -16), value = c(-203.917155371097, -131.695396073759686)
    )
  )
}

# Evidence of the step likelihood under a Gaussian kernel K, n <= 3: the orthant
# probability of the correlation matrix of diag(y) K diag(y).
orthant_evidence <- function(K, y) {
  r <- stats::cov2cor(K * outer(y, y))
  angle <- asin(r[upper.tri(r)])
  switch(length(y),
    1 / 2,
    1 / 4 + angle / (2 * pi),
    1 / 8 + sum(angle) / (4 * pi)
  )
}
