# Interrupts at random moments of every long call: how long they wait, and what is left
# after. R's limit on CPU time ends a call where an interrupt would, so the waits are CPU
# seconds, whatever else the machine does. Then real SIGINTs, to smaller calls. Each that
# waits for more than a second, or ends otherwise, is shown.
source(file.path(dirname(sub("^--file=", "", grep(
  "^--file=", commandArgs(FALSE), value = TRUE
)[1])), "helper.R"))
campaign <- campaign_start("interrupts", cases = 60, seconds = 1800)

held <- kernel_iso(1.5, variance = 3, bias = 1, nugget = 0.1, fixed = TRUE)
free <- kernel_iso(1.5, variance = 3, bias = 1, nugget = 0.1)

few <- seq_len(60)
long_calls <- function(n) {
  X <- matrix(rnorm(4 * n), n, dimnames = list(NULL, letters[1:4]))
  y <- factor(ifelse(X[, 1] + sin(2 * X[, 2]) + rnorm(n) / 3 > 0, "p", "n"))
  y[sample(n, n / 20)] <- "p"
  wide <- matrix(rnorm(n^2 * 3 / 4), n)
  K <- tcrossprod(X) + diag(n)
  fit <- gpc(
    X, y, kernel = held, epsilon = 0.05, inducing = NULL, control = ep_control(tol = 0.1)
  )
  inside <- function(call) {
    environment(call) <- list2env(list(fit = fit, X = X, n = n), parent = asNamespace("sturdy"))
    call
  }
  list(
    gpc = function() gpc(X, y, kernel = held, epsilon = 0.05),
    stc = function() stc(X, y, df = 3, kernel = held, epsilon = 0.05),
    `big block` = function() {
      gpc(X, y, kernel = held, epsilon = 0.05, control = ep_control(block = n))
    },
    learning = function() stc(X, y, df = 3, kernel = free, control = ep_control(tol = 1)),
    bpm = function() bpm(wide, y, epsilon = 0.05),
    adf = function() bpm(wide, y, inference = "adf"),
    ep_fit = function() ep_fit(K, y, epsilon = 0.02),
    predict = function() predict(fit, X[rep(seq_len(n), 6e6 / n^2 + 2), ]),
    loo = function() loo(fit),
    ais = function() log_evidence(fit, "ais", se = 0.001),
    sample = function() posterior_sample(fit, 2000, newdata = as.data.frame(X)),
    check_fit = function() check_fit(fit, draws = 1000, max_moves = 20000),
    exact = inside(function() {
      exact_probability(fit, ais_problem(fit), array(rnorm(n * 32 * 50), c(n, 32, 50)), 2L)
    }),
    band = inside(function() latent_covariance(fit)(X))
  )
}
# Those that take a limit on time for the failure of a part, and those of many rows
more_calls <- function(n, rows) {
  X <- matrix(rnorm(4 * rows), rows)
  all <- data.frame(X, y = factor(ifelse(X[, 1] + rnorm(rows) / 3 > 0, "p", "n")))
  some <- all[seq_len(n), ]
  learnt <- gpc(y ~ ., all[few, ], epsilon = 0.05, control = ep_control(restarts = 0))
  weights <- bpm(y ~ ., some, inference = "adf")
  three <- data.frame(some[1:4], three = cut(X[seq_len(n), 1], c(-Inf, -0.5, 0.5, Inf), c("a", "b", "c")))
  few_thousand <- seq_len(min(rows, 20000))
  con <- DBI::dbConnect(RSQLite::SQLite())
  DBI::dbWriteTable(con, "t", transform(all[seq_len(rows / 10), ], y = as.character(y)))
  file <- tempfile(fileext = ".csv")
  write.csv(all[seq_len(rows / 10), ], file, row.names = FALSE)
  list(
    `learning gpc` = function() gpc(y ~ ., some, control = ep_control(restarts = 1)),
    `learning bpm` = function() bpm(y ~ .^4, some, prior_scale = "learn"),
    integrated = function() log_evidence(learnt, "integrated"),
    select_model = function() select_model(y ~ ., some),
    bpm_stream = function() bpm_stream(y ~ ., all, batch_size = rows / 4, levels = c("n", "p")),
    `text stream` = function() {
      bpm_stream(y ~ ., file, batch_size = rows / 50, levels = c("n", "p"))
    },
    absorb = function() absorb(weights, all),
    # the label stage, readers, units, classes in an order, shards and queries
    `label stage` = function() second_stage(plogis(3 * X[, 1]), all$y),
    `several classes` = function() gpc(three ~ ., three, control = ep_control(restarts = 0)),
    ordered = function() gpc(ordered(three) ~ ., three, control = ep_control(restarts = 0)),
    readers = function() gpc(readers(y, rev(y)) ~ X1 + X2, some, control = ep_control(restarts = 0)),
    soft = function() gpc(cbind(n = 0.9 - 0.8 * (y == "p"), p = 0.1 + 0.8 * (y == "p")) ~ X1 + X2, some),
    units = function() gpc(y ~ ., some, units = interaction(some$y, rep_len(1:90, n))),
    shards = function() bpm(y ~ ., shards(all, 2), cluster = lapply),
    queries = function() bpm(y ~ X1 + X2, dbi_source(con, "t")),
    `report rows` = function() mislabelled(weights, newdata = all[few_thousand, ]),
    reader_rates = function() update(learnt, checked = data.frame(row = 1:5, label = "p"))
  )
}
given <- Sys.getenv("CALLS") # names, to look at some alone
wanted <- function(calls) {
  if (nzchar(given)) calls[intersect(strsplit(given, ",")[[1]], names(calls))] else calls
}
calls <- wanted(long_calls(2000))
draws <- c("ais", "sample", "check_fit")
small_X <- matrix(rnorm(240), 60)
small <- function() {
  stc(small_X, small_X[, 1] > 0, df = 3, kernel = held, epsilon = 0.05)
}

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

show <- function(name, seconds, out) {
  if (out$wait > 1 || !out$ended %in% c("done", "limit", "interrupt")) {
    cat(sprintf("  %s, at %.2f s: %s, after %.2f s\n", name, seconds, out$ended, out$wait))
  }
}

reference <- small()
waits <- setNames(numeric(length(calls)), names(calls))
hit <- waits
odd <- changed <- stuck_seeds <- cases <- 0
for (k in seq_len(campaign$cases * (length(calls) > 0))) {
  if (campaign_over(campaign, 0.6)) break
  name <- names(calls)[(k - 1) %% length(calls) + 1]
  # the first moments are as likely as all the later ones
  seconds <- exp(runif(1, log(0.1), log(20)))
  seed <- .Random.seed
  out <- limited(calls[[name]], seconds)
  cases <- cases + 1
  waits[name] <- max(waits[name], out$wait)
  hit[name] <- hit[name] + (out$ended == "limit")
  show(name, seconds, out)
  odd <- odd + !out$ended %in% c("done", "limit")
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
  set.seed(campaign$seed)
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

# Real interrupts of this process, from outside. The subshell matters: of a plain list of
# commands system() waits for all but the last, and while it waits R ignores SIGINT.
interrupted <- function(call, seconds) {
  sent <- tempfile()
  sender <- as.integer(system(sprintf(
    "(sleep %.3f; cat /proc/%d/stat > %s; kill -INT %2$d) > /dev/null 2>&1 & echo $!",
    seconds, Sys.getpid(), sent
  ), intern = TRUE))
  left <- NULL # the CPU seconds when the call had been left
  end <- "early"
  # a signal that comes when the call has just ended must not end the campaign
  tryCatch(
    {
      end <- tryCatch(
        { suppressWarnings(suppressMessages(call())); "done" },
        error = function(cnd) conditionMessage(cnd)
      )
      left <- cpu()
      if (!file.exists(sent)) tools::pskill(sender)
      Sys.sleep(0.5)
      if (end == "done" && file.exists(sent)) end <- "a lost signal"
    },
    interrupt = function(cnd) if (is.null(left)) end <<- "interrupt"
  )
  if (end != "interrupt") {
    return(list(ended = end, wait = 0))
  }
  stat <- scan(text = sub(".*[)] ", "", readLines(sent)), what = "", quiet = TRUE)
  list(ended = end, wait = cpu() - sum(as.numeric(stat[12:13])) / 100) # ticks
}

if (file.exists("/proc/self/stat")) {
  calls <- wanted(c(long_calls(700), more_calls(400, 2e6)))
  signals <- done <- lost <- longest <- 0
  for (k in seq_len(2 * campaign$cases)) {
    if (campaign_over(campaign)) break
    name <- names(calls)[(k - 1) %% length(calls) + 1]
    seconds <- exp(runif(1, log(0.05), log(5)))
    out <- interrupted(calls[[name]], seconds)
    show(name, seconds, out)
    signals <- signals + (out$ended == "interrupt")
    done <- done + (out$ended == "done")
    lost <- lost + !out$ended %in% c("interrupt", "done")
    longest <- max(longest, out$wait)
    changed <- changed + !identical(small()$ep, reference$ep)
  }
  campaign_figure(campaign, "SIGINTs that ended their call", signals)
  campaign_figure(campaign, "calls that were done before", done)
  campaign_figure(campaign, "SIGINTs that did not end their call, or errors", lost, 0)
  campaign_figure(campaign, "longest wait after a SIGINT, CPU s", longest, 1)
}
campaign_figure(campaign, "small fits that changed after", changed, 0)
campaign_end(campaign)
