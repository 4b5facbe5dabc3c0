# Tables 1 and 2 of Futami, Sato and Sugiyama (2017) once more, under a reading of what they
# leave open. It is an inference, not a setting that is stated: of the readings that were
# tried it is the one that fits the printed evidences of the Gaussian process. One
# lengthscale for all columns, raw inputs, all theta started at 1 and one local search
# without a prior, epsilon held at 0.1, 115 rows of Pima (15 %) and otherwise halves, df = 10.
# It was chosen on the numbers that it is compared with. The rest is as in fss17-tables.R.
#
# `evidence_as_printed` is the t-EP evidence by eq. 42 with its printed exponent (3 - q)/2,
# that of one dimension, in place of df/(df + n).

sys.source(file.path(experiments, "fss17-tables.R"), environment())

experiment <- list(
  settings = list(
    data = c("pima", "ionosphere", "newthyroid", "sonar"), rates = c(0, 0.05, 0.1),
    replications = 10, seed = 1, df = 10
  ),
  quick = list(data = "newthyroid", rates = c(0, 0.1), replications = 1),
  in_package = c("table1", "table2"),
  tasks = experiment$tasks,
  run = function(task) {
    half <- random_half(task$data, task$seed, if (task$data == "pima") 115L)
    noisy <- flip(half$y, task$rate, task$seed)
    rows <- lapply(c("GPC", "STC"), reading_row, half, noisy, task$df)
    do.call(rbind, rows)
  },
  tables = function(parts) {
    rows <- parts$results
    rows <- rows[order(match(rows$data, rows$data), rows$rate), ]
    list(
      table1 = printed_table(rows, "fss17-table1", "error", scale = 0.01),
      table2 = printed_table(
        rows, "fss17-table2", c("log_evidence", "evidence_as_printed")
      )
    )
  }
)

fit_reading <- function(method, x, y, df) {
  # theta1 = 1 / (2 lengthscale^2)
  kernel <- kernel_iso(lengthscale = 1 / sqrt(2), bias = 1, nugget = 1, prior = NULL)
  paper_fit(
    stc, x, y, df = if (method == "STC") df else Inf, criterion = "evidence",
    epsilon = 0.1, kernel = kernel, scale = FALSE, control = quiet_control(restarts = 0)
  )
}

reading_row <- function(method, half, noisy, df) {
  run <- observe(fit_reading(method, half$x, noisy$y, df))
  fit <- run$value
  own <- observe(log_evidence(fit))
  data.frame(
    method = method, variant = "reading",
    error = mean(predict(fit, half$x_test) != half$y_test), log_evidence = own$value,
    evidence_as_printed = evidence_with(fit, (3 - index_of(fit)) / 2),
    lengthscale = fit$kernel$lengthscale[[1]], status = fit$ep$status,
    seconds = run$seconds, warned = trimws(paste(run$warned, own$warned))
  )
}

index_of <- function(fit) 1 + 2 / (fit$spec$df + length(fit$data$y))

# The t-EP evidence from the sites, with another exponent in eqs 41 and 42 than the
# df / (df + n) of the article "The mathematics", (4.1) to (4.4)
evidence_with <- function(fit, exponent) {
  df <- fit$spec$df
  if (is.infinite(df)) {
    return(NA_real_)
  }
  q <- index_of(fit)
  e <- c(fit$epsilon, 1 - fit$epsilon)^q
  ep <- fit$ep
  tau <- ep$sites$tau
  nu <- ep$sites$nu
  A <- ep$C_diag
  u <- 1 - tau * A
  z <- fit$data$y * ep$cavity$mean / sqrt(ep$cavity$var)
  Z1 <- e[1] + (e[2] - e[1]) * stats::pt(z, df)
  shift <- 2 * nu * ep$m - nu^2 * A - tau / u * (ep$m - A * nu)^2 # (4.2)
  power <- (q - 1) / exponent
  R <- sum(expm1(-power * log(Z1)) - expm1(-log(u) / df) + shift / df) - sum(nu * ep$m) / df
  -log(exp(ep$log_det / df) + R) / power
}
