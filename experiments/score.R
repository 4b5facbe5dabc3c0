# Is the evidence that nodes are weighed by the right one? At the parameters that made a
# table the slope of the exact log evidence is 0 on average over tables. What the slopes of
# EP's own and of the one corrected to second order are instead tells how far estimates
# and averages are drawn away: bias = (variance of the slopes)^-1 (their mean). Nine settings: three
# rates of wrong labels, three nuggets.

experiment <- list(
  settings = list(
    replications = 500, rows = 60, rate = c(0.05, 0.1, 0.2), nugget = c(0.1, 0.3, 1), seed = 64501
  ),
  quick = list(replications = 4, rows = 30, rate = 0.1, nugget = c(0.1, 0.3)),
  in_package = character(),
  tasks = function(settings) {
    all_of(
      rows = settings$rows, rate = settings$rate, nugget = settings$nugget,
      seed = seeds_of(settings)
    )
  },
  run = function(task) cbind(task[c("rate", "nugget")], score_one(task)),
  tables = function(parts) {
    of <- split(parts$results, parts$results[c("rate", "nugget")])
    each <- lapply(of, function(rows) {
      both <- lapply(c("ep", "corrected"), score_summary, rows = rows)
      cbind(rows[1, c("rate", "nugget")], do.call(rbind, both), row.names = NULL)
    })
    list(summary = do.call(rbind, unname(each)))
  }
)

# Coordinates: logs but for the rate, and what the differences are taken over
score_steps <- c(lengthscale = 0.05, bias = 0.1, nugget = 0.1, epsilon = 0.01)

criterion_of <- new.env(parent = asNamespace("sturdy"))
sys.source(file.path(experiments, "../tests/testthat/helper-criterion.R"), criterion_of)

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
  own <- criterion_of$criterion(at(truth))$gradient[names(truth)]
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
