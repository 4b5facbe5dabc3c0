# Is the evidence that nodes are weighed by the right one? At the parameters that made a
# table the slope of the exact log evidence is 0 on average over tables. What the slopes of
# EP's own and of the one corrected to second order are instead tells how far estimates
# and averages are drawn away: bias = (variance of the slopes)^-1 (their mean). And what the
# correction does to the number of wrong labels: the first tables are drawn anew from the priors of
# a fit that averages, and its nodes weighed by both.

experiment <- list(
  settings = list(
    replications = 500, counted = 40, rows = 60, counted_rows = 100, rate = 0.1, nugget = 0.3,
    seed = 3001
  ),
  quick = list(replications = 8, counted = 1, rows = 30, counted_rows = 30),
  in_package = character(),
  tasks = function(settings) {
    tasks <- all_of(
      rows = settings$rows, counted_rows = settings$counted_rows, rate = settings$rate,
      nugget = settings$nugget, seed = seeds_of(settings)
    )
    tasks$counted <- seq_len(nrow(tasks)) <= settings$counted
    tasks
  },
  run = function(task) cbind(score_one(task), count_one(task)),
  tables = function(parts) {
    rows <- parts$results
    list(
      summary = do.call(rbind, lapply(c("ep", "corrected"), score_summary, rows = rows)),
      counts = count_summary(rows[rows$counted, ])
    )
  }
)

# Coordinates: logs but for the rate, and what the differences are taken over
score_steps <- c(lengthscale = 0.05, bias = 0.1, nugget = 0.1, epsilon = 0.01)

score_one <- function(task) {
  truth <- c(lengthscale = log(1.5), bias = log(0.3), nugget = log(task$nugget), epsilon = task$rate)
  d <- score_table(task$rows, truth, task$seed)
  at <- function(theta) {
    kernel <- kernel_iso(
      exp(theta[["lengthscale"]]), bias = exp(theta[["bias"]]), nugget = exp(theta[["nugget"]]),
      fixed = TRUE
    )
    observe(gpc(
      d$X, d$y, kernel = kernel, epsilon = theta[["epsilon"]], scale = FALSE,
      control = quiet_control()
    ))$value
  }
  own <- criterion(at(truth))$gradient[names(truth)]
  second <- vapply(names(truth), function(name) {
    ends <- vapply(c(1, -1), function(sign) {
      fit <- at(replace(truth, name, truth[[name]] + sign * score_steps[[name]]))
      log_evidence(fit, "corrected") - log_evidence(fit)
    }, 0)
    (ends[1] - ends[2]) / (2 * score_steps[[name]])
  }, 0)
  as.data.frame(as.list(c(
    stats::setNames(own, paste0("ep_", names(truth))),
    stats::setNames(own + second, paste0("corrected_", names(truth)))
  )))
}

# Two inputs, a Gaussian process, labels of which some are wrong; both classes are there
score_table <- function(n, theta, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(2 * n), n)
  D <- as.matrix(stats::dist(X) / exp(theta[["lengthscale"]]))^2
  K <- exp(-D / 2) + exp(theta[["bias"]]) + diag(exp(theta[["nugget"]]), n)
  repeat {
    up <- drop(crossprod(chol(K), stats::rnorm(n))) > 0
    y <- xor(up, stats::runif(n) < theta[["epsilon"]])
    if (any(y) && !all(y)) break
  }
  list(X = X, y = as.integer(y))
}

score_summary <- function(method, rows) {
  names <- names(score_steps)
  S <- as.matrix(rows[paste0(method, "_", names)])
  information <- crossprod(S) / nrow(S)
  data.frame(
    evidence = method, coordinate = names, score = colMeans(S),
    score_se = apply(S, 2, stats::sd) / sqrt(nrow(S)),
    bias = solve(information, colMeans(S)),
    bias_se = sqrt(diag(solve(information)) / nrow(S)), n = nrow(S), row.names = NULL
  )
}

# The number of wrong labels --------------------------------------------------------

count_one <- function(task) {
  none <- data.frame(wrong = NA_real_, count_ep = NA_real_, count_corrected = NA_real_,
                     none_ep = NA_real_, none_corrected = NA_real_)
  if (!task$counted) {
    return(none)
  }
  d <- prior_table(task$counted_rows, task$seed)
  fit <- observe(gpc(
    d$X, d$y, epsilon = "average", hyper = "integrate", kernel = kernel_iso(), scale = FALSE,
    control = quiet_control()
  ))$value
  # where the inputs say nothing the evidence is exact
  of_kernel <- which(is.na(fit$nodes$table$constant))
  table <- fit$nodes$table[of_kernel, ]
  at <- lapply(of_kernel, function(k) {
    h <- fit$nodes$hyper[[k]]
    kernel <- kernel_iso(h$lengthscale, bias = h$bias, nugget = h$nugget, fixed = TRUE)
    rates <- stats::setNames(1 - diag(fit$nodes$omega[[k]][1, , ]), c("neg", "pos"))
    one <- observe(gpc(
      d$X, d$y, kernel = kernel, epsilon = rates, scale = FALSE, control = quiet_control()
    ))$value
    c(second = log_evidence(one, "corrected") - log_evidence(one), count = sum(one$ep$flipped))
  })
  second <- vapply(at, `[[`, 0, "second")
  count <- vapply(at, `[[`, 0, "count")
  weight <- list(ep = table$weight * exp(-second), corrected = table$weight)
  weight <- lapply(weight, function(w) w / sum(w))
  is_none <- table$model == "none"
  data.frame(
    wrong = d$wrong, count_ep = sum(weight$ep * count),
    count_corrected = sum(weight$corrected * count),
    none_ep = sum(weight$ep[is_none]), none_corrected = sum(weight$corrected[is_none])
  )
}

# From the priors that ?weak_prior, ?kernel_iso and ?noise_prior state, the lengthscale about the
# median heuristic
prior_table <- function(n, seed) {
  set_seed(seed)
  X <- matrix(stats::rnorm(2 * n), n)
  held <- gpc(
    X, rep(0:1, length.out = n), epsilon = 0.1, hyper = "optimum",
    kernel = kernel_iso(fixed = TRUE), scale = FALSE, control = quiet_control()
  )
  repeat {
    lengthscale <- held$kernel$lengthscale * exp(1.5 * stats::rnorm(1))
    nugget <- 0.3 * exp(2 * stats::rnorm(1))
    bias <- 0.3 * exp(2 * stats::rnorm(1)) * (1 + nugget)
    model <- sample(c("none", "one", "two"), 1, prob = c(0.25, 0.375, 0.375))
    rate <- stats::rbeta(2, 1, 4) / 2
    rates <- switch(model, none = c(0, 0), one = rate[c(1, 1)], two = rate)
    D <- as.matrix(stats::dist(X) / lengthscale)^2
    f <- drop(crossprod(chol(exp(-D / 2) + bias + diag(nugget, n)), stats::rnorm(n)))
    wrong <- stats::runif(n) < ifelse(f > 0, rates[2], rates[1])
    y <- xor(f > 0, wrong)
    if (min(sum(y), sum(!y)) > 0) break
  }
  list(X = X, y = as.integer(y), wrong = sum(wrong))
}

count_summary <- function(rows) {
  more <- rows$count_corrected - rows$count_ep
  data.frame(
    wrong = mean(rows$wrong), count_ep = mean(rows$count_ep),
    count_corrected = mean(rows$count_corrected), more_se = stats::sd(more) / sqrt(nrow(rows)),
    none_ep = mean(rows$none_ep), none_corrected = mean(rows$none_corrected), n = nrow(rows)
  )
}
