# Interrupts at random moments of every long call: how long they wait, and what is left
# after. R's limit on CPU time ends a call where an interrupt would, so the waits are CPU
# seconds, whatever else the machine does; some real SIGINTs besides.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("interrupts", cases = 60, seconds = 1800)

n <- 2000
X <- matrix(rnorm(4 * n), n, dimnames = list(NULL, letters[1:4]))
y <- factor(ifelse(X[, 1] + sin(2 * X[, 2]) + rnorm(n) / 3 > 0, "p", "n"))
y[sample(n, n / 20)] <- "p"
wide <- matrix(rnorm(n * 1500), n)
K <- tcrossprod(X) + diag(n)
held <- kernel_iso(1.5, variance = 3, bias = 1, nugget = 0.1, fixed = TRUE)
free <- kernel_iso(1.5, variance = 3, bias = 1, nugget = 0.1)
# a fit of all rows without the minutes it takes: that of few rows, with sites made up
few <- seq_len(60)
small <- function() stc(X[few, ], y[few], df = 3, kernel = held, epsilon = 0.05)
fit <- gpc(X[few, ], y[few], kernel = held, epsilon = 0.05)
fit$data$X <- X
fit$data$y <- ifelse(y == "p", 1, -1)
fit$data$row_names <- as.character(seq_len(n))
fit$ep$sites <- list(tau = rep_len(c(1, 0.1, -0.02), n), nu = 0.1 * fit$data$y)
fit$ep$b <- rep_len(fit$ep$b, n)

inside <- function(call) {
  environment(call) <- list2env(list(fit = fit, X = X, n = n), parent = asNamespace("sturdy"))
  call
}
calls <- list(
  gpc = function() gpc(X, y, kernel = held, epsilon = 0.05),
  stc = function() stc(X, y, df = 3, kernel = held, epsilon = 0.05),
  `big block` = function() {
    gpc(X, y, kernel = held, epsilon = 0.05, control = ep_control(block = n))
  },
  learning = function() stc(X, y, df = 3, kernel = free, control = ep_control(tol = 1)),
  bpm = function() bpm(wide, y, epsilon = 0.05),
  adf = function() bpm(wide, y, inference = "adf"),
  ep_fit = function() ep_fit(K, y, epsilon = 0.02),
  predict = function() predict(fit, X[rep(seq_len(n), 3), ]),
  criterion = function() criterion(fit, "loo"),
  ais = function() log_evidence(fit, "ais"),
  sample = function() posterior_sample(fit, 2000, newdata = as.data.frame(X)),
  check_fit = function() check_fit(fit, draws = 1000, max_moves = 20000),
  importance = inside(function() importance_draws(fit, ais_problem(fit), 1e4)),
  exact = inside(function() {
    exact_probability(fit, ais_problem(fit), array(rnorm(n * 32 * 50), c(n, 32, 50)))
  }),
  band = inside(function() latent_covariance(fit)(X))
)
given <- Sys.getenv("CALLS") # names, to look at some alone
if (nzchar(given)) calls <- calls[strsplit(given, ",")[[1]]]
draws <- c("ais", "sample", "check_fit")

cpu <- function() sum(proc.time()[1:2])
limited <- function(call, seconds) {
  began <- cpu()
  on.exit(setTimeLimit())
  ended <- tryCatch(
    {
      setTimeLimit(cpu = seconds, transient = TRUE)
      suppressWarnings(suppressMessages(call()))
      "done"
    },
    error = function(cnd) {
      if (grepl("time limit", conditionMessage(cnd))) "limit" else conditionMessage(cnd)
    }
  )
  list(ended = ended, wait = if (ended == "limit") cpu() - began - seconds else 0)
}

reference <- small()
waits <- setNames(numeric(length(calls)), names(calls))
hit <- waits
odd <- changed <- stuck_seeds <- cases <- 0
for (k in seq_len(campaign$cases)) {
  if (campaign_over(campaign)) break
  name <- names(calls)[(k - 1) %% length(calls) + 1]
  # the first moments are as likely as all the later ones
  seconds <- exp(runif(1, log(0.1), log(20)))
  seed <- .Random.seed
  out <- limited(calls[[name]], seconds)
  cases <- cases + 1
  waits[name] <- max(waits[name], out$wait)
  hit[name] <- hit[name] + (out$ended == "limit")
  if (!out$ended %in% c("done", "limit")) {
    odd <- odd + 1
    cat("  ", name, ": ", out$ended, "\n", sep = "")
  }
  # after 15 s every simulation has left its factorisations and draws
  if (name %in% draws && seconds > 15 && identical(seed, .Random.seed)) {
    stuck_seeds <- stuck_seeds + 1
  }
  after <- small()
  if (!identical(after$ep, reference$ep)) changed <- changed + 1
}
for (name in names(calls)) {
  campaign_figure(
    campaign, sprintf("longest wait, CPU s, %s (%d ended)", name, hit[[name]]), waits[[name]], 1
  )
}
campaign_figure(campaign, "cases", cases)
campaign_figure(campaign, "calls that ended otherwise", odd, 0)
campaign_figure(campaign, "simulations ended after draws that left the seed", stuck_seeds, 0)

# The same seed, ended at the same level: the same next number
next_number <- function(at) {
  set.seed(3)
  stop_at <- function(done) if (done == at) stop("enough")
  try(
    sturdy:::native_ais(diag(50), diag(50), rep(1, 50), matrix(1, 2, 99), 8L, stop_at),
    silent = TRUE
  )
  rnorm(1)
}
at <- rep(c(0:90), 2)
numbers <- vapply(at, next_number, numeric(1))
campaign_figure(
  campaign, "ended simulations whose seed depends on more than what was drawn",
  sum(numbers[1:91] != numbers[92:182]) + anyDuplicated(numbers[1:91]), 0
)

# Real interrupts of this process, from outside
if (.Platform$OS.type == "unix") {
  lost <- 0
  for (name in intersect(c("gpc", "learning", "sample", "criterion"), names(calls))) {
    system(paste("sleep", runif(1, 1, 6), "; kill -INT", Sys.getpid()), wait = FALSE)
    got <- tryCatch(
      { calls[[name]](); "done" },
      interrupt = function(cnd) "interrupt", error = function(cnd) conditionMessage(cnd)
    )
    lost <- lost + (got != "interrupt")
    changed <- changed + !identical(small()$ep, reference$ep)
  }
  campaign_figure(campaign, "SIGINTs that did not end the call", lost, 0)
}
campaign_figure(campaign, "small fits that changed after", changed, 0)
campaign_end(campaign)
