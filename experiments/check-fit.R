# How accurate is EP on real data? check_fit() for Gaussian and Student-t process
# classifiers of four data sets, as they are and with a tenth of the labels flipped on
# purpose: the log evidence of EP minus that of annealed importance sampling (AIS), with
# its standard error, and the largest gap in class probability. For the Student-t process
# there are two EP evidences: the Gaussian one at its kernel, and the t-EP one, which is not
# an estimate of the evidence (see ?stc).
#
# On hard fits, such as Ionosphere with epsilon = 0, AIS may use up `max_moves` before its
# standard error is down to `se`. `reached` says whether it is.

experiment <- list(
  settings = list(
    data = c("pima", "ionosphere", "sonar", "newthyroid"), rates = c(0, 0.1),
    models = c("gpc, epsilon = 0", "gpc", "stc(10)", "stc(3)"),
    seed = 1, se = 0.05, max_moves = 2e6
  ),
  quick = list(
    data = "newthyroid", rates = 0.1, models = c("gpc", "stc(10)"), se = 0.5,
    max_moves = 5e3
  ),
  in_package = "results",
  # seed: of the rows drawn (Pima), the flips and the simulation
  tasks = function(settings) {
    all_of(
      model = settings$models, rate = settings$rates, data = settings$data,
      seed = settings$seed, se = settings$se, max_moves = settings$max_moves
    )
  },
  run = function(task) check_one(task),
  tables = function(parts) list(summary = check_summary(parts$results))
)

check_fits <- list(
  "gpc, epsilon = 0" = function(d) {
    paper_fit(gpc, d$x, d$y, epsilon = 0)
  },
  "gpc" = function(d) paper_fit(gpc, d$x, d$y, epsilon = "learn"),
  "stc(10)" = function(d) paper_fit(stc, d$x, d$y, df = 10, epsilon = "learn"),
  "stc(3)" = function(d) paper_fit(stc, d$x, d$y, df = 3, epsilon = "learn")
)

# All rows (150 of Pima), a share of the labels flipped
check_data <- function(name, rate, seed) {
  d <- if (name == "pima") random_half(name, seed) else two_class_data(name)
  list(x = d$x, y = flip(d$y, rate, seed)$y)
}

check_one <- function(task) {
  d <- check_data(task$data, task$rate, task$seed)
  fitted <- observe(check_fits[[task$model]](d))
  fit <- fitted$value
  set_seed(task$seed)
  checked <- observe(check_fit(fit, se = task$se, max_moves = task$max_moves))
  warned <- c(fitted$warned, checked$warned)
  data.frame(
    n = nobs(fit), epsilon = fit$epsilon, ep_status = fit$ep$status,
    check_row(checked$value, task$se), seconds = checked$seconds,
    warned = paste(warned[nzchar(warned)], collapse = " ")
  )
}

check_row <- function(check, se) {
  gap <- function(method) {
    value <- check$evidence$gap[check$evidence$method == method]
    if (length(value)) value else NA_real_
  }
  error <- check$probability$error[
    match(check$largest_row, check$probability$row)
  ]
  data.frame(
    ais = check$ais$log_evidence, ais_se = check$ais$se,
    reached = check$ais$se <= se,
    gaussian_gap = gap("gaussian"), t_ep_gap = gap("t-ep"),
    prob_gap_largest = check$largest_gap,
    prob_gap_error = if (length(error)) error else NA_real_,
    prob_gap_mean = check$mean_gap,
    chains = check$ais$chains, levels = check$ais$levels,
    ais_ess = check$ais$ess, moves = check$ais$moves
  )
}

# By model, the range of the gaps over data sets and rates
check_summary <- function(rows) {
  groups <- split(rows, factor(rows$model, unique(rows$model)))
  table <- lapply(groups, function(g) {
    least <- function(v) if (all(is.na(v))) NA_real_ else min(v, na.rm = TRUE)
    data.frame(
      model = g$model[1], fits = nrow(g), reached = sum(g$reached),
      largest_ais_se = -least(-g$ais_se),
      gaussian_gap_least = least(g$gaussian_gap),
      gaussian_gap_most = -least(-g$gaussian_gap),
      t_ep_gap_least = least(g$t_ep_gap), t_ep_gap_most = -least(-g$t_ep_gap),
      prob_gap_largest = -least(-g$prob_gap_largest),
      prob_gap_mean = mean(g$prob_gap_mean)
    )
  })
  table <- do.call(rbind, table)
  rownames(table) <- NULL
  table
}
