# Effects under misclassification: is the average risk difference of a treatment, and the ratio of
# its average odds, right where some outcomes are recorded wrongly? Cohorts of 250 rows are
# simulated by a probit regression of the true outcome.
#
# - cohorts: plain (a treatment and a covariate, 44 % with the outcome), rare (strong effects, a
#   factor besides, 22 %), and weak (small effects, and three columns without any, 54 %).
# - labels: "known", 15 % of all are wrong and the rate is given; "learned", the same, and nothing
#   is known; "study", the same, and of 60 rows with and 60 without the outcome it was seen
#   how they are recorded; "missed", one outcome in four is not recorded, and nothing is known;
#   "missed, study", the same beside such a study.
# - methods: probit regression of the true outcomes, and of the recorded ones; maximum
#   likelihood of the regression and, unless they are given, of both rates, as Hausman, Abrevaya
#   and Scott-Morton (1998) have it and COMBO without covariates of the rates (a study's counts
#   join the likelihood); bpm() as it is, and with the prior for effects.
#
# Truth is the average over the rows of the cohort by the coefficients it was simulated with.
# The prior for effects was settled on seeds below 5000; judged by others.

experiment <- list(
  settings = list(
    cohorts = c("plain", "rare", "weak"),
    labels = c("known", "learned", "study", "missed", "missed, study"), rows = 250,
    replications = 30, seed = 63001 # ten minutes on one core; 500 take two and a half hours
  ),
  quick = list(cohorts = "plain", labels = c("known", "study"), rows = 80, replications = 1),
  tasks = function(settings) {
    all_of(
      labels = settings$labels, cohort = settings$cohorts, rows = settings$rows,
      seed = seeds_of(settings)
    )
  },
  run = function(task) effects_of_cohort(task$cohort, task$labels, task$rows, task$seed),
  tables = function(parts) {
    rows <- parts$results
    rows$bias <- rows$estimate - rows$truth
    rows$covered <- rows$lower <= rows$truth & rows$truth <= rows$upper
    rows$length <- rows$upper - rows$lower
    rows$failed <- as.numeric(is.na(rows$lower))
    found <- c("bias", "covered", "length", "failed")
    by <- c("measure", "labels", "method")
    list(
      summary = group_means(rows, by, found),
      cohorts = group_means(rows, c("cohort", by), found)
    )
  },
  in_package = c("summary", "cohorts")
)

effect_cohorts <- list(
  plain = c(-0.3, 0.6, 0.7), rare = c(-1.4, 1, 1, 0.5, -0.5), weak = c(0, 0.3, 0.3, 0, 0, 0)
)

effects_of_cohort <- function(cohort, labels, rows, seed) {
  set_seed(seed)
  d <- simulated_cohort(cohort, rows)
  told <- recorded_outcomes(d$true, labels)
  data <- cbind(d$inputs, y = factor(told$y))
  probit <- stats::binomial("probit")
  by_glm <- function(y) {
    fit <- suppressWarnings(stats::glm(y ~ ., probit, cbind(d$inputs, y = y)))
    normal_effects(d, stats::coef(fit), stats::vcov(fit))
  }
  by_bpm <- function(...) {
    given <- if (labels == "known") list(epsilon = 0.15) else list()
    if (!is.null(told$study)) given$noise <- sturdy::noise_prior(study = told$study)
    fit <- observe(do.call(sturdy::bpm, c(
      list(y ~ ., data = data, hyper = "integrate"), given, ...
    )))$value
    z <- function(arm) {
      new <- transform(d$inputs, treated = arm)
      found <- observe(sturdy:::get_predict.sturdy_model(fit, new, type = "link"))$value
      attr(found, "posterior_draws")
    }
    drawn_effects(z(1), z(0))
  }
  likeliest <- misclassified_probit(d$X, told$y, if (labels == "known") 0.15, told$study)
  found <- list(
    "true outcomes" = by_glm(d$true), "recorded outcomes" = by_glm(told$y),
    "maximum likelihood" = normal_effects(d, likeliest$b, likeliest$V), "bpm()" = by_bpm(),
    "bpm(), for effects" = by_bpm(prior_scale = "effects")
  )
  truth <- cohort_effects(d, matrix(d$b))
  rows <- lapply(names(found), function(method) {
    data.frame(method = method, measure = names(truth), truth = truth, found[[method]])
  })
  do.call(rbind, rows)
}

simulated_cohort <- function(cohort, rows) {
  inputs <- data.frame(treated = stats::rbinom(rows, 1, 0.5), x = stats::rnorm(rows))
  if (cohort == "rare") inputs$group <- factor(sample(c("u", "v", "w"), rows, TRUE))
  if (cohort == "weak") {
    inputs$z1 <- stats::rnorm(rows)
    inputs$z2 <- stats::rnorm(rows) + inputs$x
    inputs$z3 <- stats::rbinom(rows, 1, 0.3)
  }
  X <- stats::model.matrix(~., inputs)
  b <- effect_cohorts[[cohort]]
  list(inputs = inputs, X = X, b = b, true = stats::runif(rows) < stats::pnorm(drop(X %*% b)))
}

# Labels, and the counts of a study, true outcomes x recorded ones
recorded_outcomes <- function(true, labels) {
  missed <- startsWith(labels, "missed")
  rate <- if (missed) c(0, 0.25) else c(0.15, 0.15)
  wrong <- stats::runif(length(true)) < rate[1 + true]
  counts <- stats::rbinom(2, 60, rate)
  list(
    y = xor(true, wrong),
    study = if (endsWith(labels, "study")) rbind(c(60 - counts[1], counts[1]),
                                                 c(counts[2], 60 - counts[2]))
  )
}

# The risk difference and the log odds ratio, averages over the rows, for coefficients in columns
cohort_effects <- function(d, b) {
  arm <- function(value) {
    X <- d$X
    X[, "treated"] <- value
    X %*% b
  }
  averaged_effects(arm(1), arm(0))
}

# The same for latent functions in columns, with and without the treatment. Log odds are by both
# tails: a draw whose probabilities all round to 1 has odds, too
averaged_effects <- function(z1, z0) {
  p <- function(z) colMeans(stats::pnorm(z))
  log_sum <- function(v) max(v) + log(sum(exp(v - max(v))))
  tail <- function(z, lower) apply(stats::pnorm(z, lower.tail = lower, log.p = TRUE), 2, log_sum)
  log_odds <- function(z) tail(z, TRUE) - tail(z, FALSE)
  c("risk difference" = p(z1) - p(z0), "log odds ratio" = log_odds(z1) - log_odds(z0))
}

# Estimates and 90 % intervals from draws of the latent function
drawn_effects <- function(z1, z0) {
  all <- matrix(averaged_effects(z1, z0), ncol = 2)
  ends <- apply(all, 2, stats::quantile, c(0.05, 0.95))
  data.frame(
    estimate = c(mean(all[, 1]), stats::median(all[, 2])), lower = ends[1, ], upper = ends[2, ]
  )
}

# The same of a normal distribution of coefficients; without an interval where it has no covariance
normal_effects <- function(d, b, V) {
  estimate <- unname(cohort_effects(d, matrix(b)))
  root <- tryCatch(chol(V), error = function(cnd) NULL)
  if (is.null(root)) {
    return(data.frame(estimate = estimate, lower = NA_real_, upper = NA_real_))
  }
  draws <- b + crossprod(root, matrix(stats::rnorm(1000 * length(b)), length(b)))
  all <- matrix(cohort_effects(d, draws), ncol = 2)
  ends <- apply(all, 2, stats::quantile, c(0.05, 0.95))
  data.frame(estimate = estimate, lower = ends[1, ], upper = ends[2, ])
}

# Maximum likelihood of coefficients and of both rates (twice a rate on the logistic scale)
misclassified_probit <- function(X, y, rate = NULL, study = NULL) {
  k <- ncol(X)
  minus <- function(par) {
    e <- if (is.null(rate)) stats::plogis(par[k + 1:2]) / 2 else c(rate, rate)
    p <- e[1] + (1 - sum(e)) * stats::pnorm(drop(X %*% par[1:k]))
    counted <- if (is.null(study)) 0 else {
      sum(c(study) * log(c(1 - e[1], e[2], e[1], 1 - e[2])))
    }
    value <- -sum(log(ifelse(y, p, 1 - p))) - counted
    if (is.finite(value)) value else 1e10
  }
  start <- c(numeric(k), if (is.null(rate)) stats::qlogis(c(0.2, 0.2)))
  found <- stats::optim(start, minus, method = "BFGS", hessian = TRUE, control = list(maxit = 500))
  V <- tryCatch(solve(found$hessian), error = function(cnd) matrix(NA_real_, k, k))
  list(b = found$par[1:k], V = V[1:k, 1:k])
}
