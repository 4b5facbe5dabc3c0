# EP over shards: rounds, seconds and bytes of a whole fit, in this process and on workers; what
# its parts cost; and from these a model of the cost for 1e9 rows on 100 machines.
#
#   Rscript shards.R [rows, 1e6, more than 4800] [shards, 16] [inducing, 100] [workers, 0,1,2]
#
# The rows are made where they are read, ten columns, a curved boundary, a tenth of the labels
# flipped. Hyperparameters are held: what is measured are rounds. CPU seconds are those of the
# driver and of all workers, elapsed ones depend on what else the machine does.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))
given <- commandArgs(TRUE)
usual <- sized(c("1e6", "16", "100", "0,1,2"), c("5000", "4", "10", "0"))
given <- ifelse(is.na(given[1:4]), usual, given[1:4])
size <- as.numeric(given[1])
pieces <- as.integer(given[2])
m <- as.integer(given[3])
workers <- as.integer(strsplit(given[4], ",")[[1]])

inside <- function(name) utils::getFromNamespace(name, "sturdy")

# fewer rows are all in the sample that learning starts on: EP takes them in turn at the driver,
# and the shards, which begin with the sites found, have no round left to do
if (size <= 1.2 * inside("stage_rows")) {
  stop("Rounds are for more than ", 1.2 * inside("stage_rows"), " rows: fewer are fitted at once.")
}

# Rows ------------------------------------------------------------------------

piece <- function(k, n) {
  rlang::new_function(NULL, bquote({
    set.seed(.(k))
    X <- matrix(stats::rnorm(10 * .(n)), .(n), dimnames = list(NULL, letters[1:10]))
    f <- X[, 1] + sin(2 * X[, 2]) + X[, 3] * X[, 4] / 2 + 0.3 * stats::rnorm(.(n))
    wrong <- stats::runif(.(n)) < 0.1
    data.frame(X, class = ifelse((f > 0) != wrong, "event", "other"))
  }), baseenv())
}

rows <- shards(lapply(seq_len(pieces), piece, n = size / pieces))
kernel <- kernel_ard(
  lengthscale = 3, bias = 0.1, nugget = 0.05,
  fixed = c("lengthscale", "variance", "bias", "nugget")
)

# Whole fits ------------------------------------------------------------------

cpu <- function(cluster) {
  used <- function() sum(proc.time()[1:2])
  c(driver = used(), workers = if (is.null(cluster)) 0 else {
    sum(unlist(parallel::clusterCall(cluster, function() sum(proc.time()[1:2]))))
  })
}

whole_fit <- function(workers) {
  cluster <- if (workers > 0) parallel::makePSOCKcluster(workers)
  on.exit(if (workers > 0) parallel::stopCluster(cluster))
  before <- cpu(cluster)
  seconds <- system.time({
    fit <- gpc(class ~ ., rows, inducing = m, kernel = kernel, epsilon = 0.1, cluster = cluster)
  })[["elapsed"]]
  spent <- cpu(cluster) - before
  data.frame(
    rows = size, shards = pieces, m = m, workers = workers, status = fit$ep$status,
    rounds = fit$ep$sweeps, elapsed = seconds, driver_cpu = spent[["driver"]],
    workers_cpu = spent[["workers"]],
    log_evidence = sprintf("%a", log_evidence(fit)) # all its bits
  )
}

# Parts -----------------------------------------------------------------------

per_call <- function(code, least = 0.5) {
  code <- substitute(code)
  frame <- parent.frame()
  times <- 1
  repeat {
    spent <- sum(system.time(for (k in seq_len(times)) eval(code, frame))[1:2])
    if (spent > least) {
      return(spent / times)
    }
    times <- 2 * times
  }
}

# CPU seconds of a batch of rows at a worker, and of a round at the driver
parts <- function(m, n = 10000) {
  set.seed(1)
  X <- matrix(stats::rnorm(10 * n), n)
  y <- ifelse(X[, 1] > 0, 1, -1)
  columns <- list(group = 1:10, weight = rep(1, 10))
  hyper <- list(lengthscale = rep(3, 10), variance = 1, bias = 0.1, nugget = 0.05)
  Z <- X[seq_len(m), ]
  made <- inside("native_features")(X, Z, columns, hyper)
  block <- c(made, list(kind = ifelse(y > 0, 2L, 1L), n_all = n, d = n, nugget = 0.05))
  lik <- list(df = Inf, L = likely(c(-1, 1), 0.1))
  point <- matrix(0, n, 4)
  k <- m + 1
  sums <- inside("native_shard_gram")(block, point)
  posterior <- inside("posterior_of")(sums)[c("L", "w")]
  step <- list(here = point, memory = list(), gamma = numeric(), scale = 1)
  step$here <- inside("native_shard_pass")(block, lik, posterior, step)[["next"]]
  pass <- inside("native_shard_pass")(block, lik, posterior, step)
  memory <- replicate(5, pass[["next"]] - step$here, simplify = FALSE)
  full <- list(here = step$here, memory = memory, gamma = rep(0.1, 5), scale = 1)
  answer <- pass[names(pass) != "next"]
  message <- list(posterior = posterior, lik = lik, gamma = rep(0.1, 5), scale = 1)
  data.frame(
    m = m,
    features_row = per_call(inside("native_features")(X, Z, columns, hyper)) / n,
    pass_row = per_call(inside("native_shard_pass")(block, lik, posterior, full)) / n,
    gradient_row = per_call(inside("native_shard_gradient")(
      block, lik, posterior, point, list(X = X, Z = Z, columns = columns, hyper = hyper)
    )) / n,
    posterior = per_call(inside("posterior_of")(sums)),
    sum_shard = per_call(inside("add_passes")(answer, answer)),
    read_shard = per_call(unserialize(serialize(answer, NULL))),
    bytes_up = length(serialize(answer, NULL)),
    bytes_down = length(serialize(message, NULL))
  )
}

# Model -----------------------------------------------------------------------

# Seconds of a round on `machines`, each of one thread as fast as this one and a network of
# `bandwidth` bytes a second at the driver, which takes part in no pass
model_round <- function(p, rows, machines, shards, bandwidth = 1e8) {
  worker <- rows / machines * p$pass_row
  network <- (shards * p$bytes_up + machines * p$bytes_down) / bandwidth
  driver <- shards * (p$sum_shard + p$read_shard) + 2 * p$posterior
  data.frame(
    rows, machines, shards, m = p$m, worker, network, driver, round = worker + network + driver
  )
}

machine <- machine_line()
print_machine(machine)
fits <- do.call(rbind, lapply(workers, whole_fit))
if (length(unique(fits$log_evidence)) > 1) stop("fits differ")
bench_save(fits, "shards-fits", machine)
measured <- do.call(rbind, lapply(c(50, 100, 200, 400), parts))
bench_save(measured, "shards-parts", machine)
model <- do.call(rbind, lapply(split(measured, measured$m), model_round, 1e9, 100, 1000))
cat("A model, not a measurement:\n")
bench_save(model, "shards-model", machine)
