# kill -9 at random moments of a fit over shards: of one of two workers, and of the process that
# asks them. The third argument is the engine: sockets (of parallel, the default), mirai or future. In the first case the fit must end by itself, with the same bits as one that nobody
# disturbed. In the second the next process resumes it from the sites saved, without a worker or
# while it loses one: probabilities are then the same to the tolerance of EP. No process may be left over, and nothing but sites in the folder.
# Two of three cases are of the first kind.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("shards", cases = 150, seconds = 1500)
engine <- c(commandArgs(TRUE), rep("sockets", 3))[3]

n <- 6000
rows <- as.data.frame(matrix(rnorm(4 * n), n))
rows$class <- ifelse(rows$V1 + rows$V2^2 + 0.5 * rnorm(n) > 1, "yes", "no")
flipped <- sample(n, n / 10)
rows$class[flipped] <- ifelse(rows$class[flipped] == "yes", "no", "yes")
kernel <- kernel_ard(
  lengthscale = 1.5, bias = 0.1, nugget = 0.05,
  fixed = c("lengthscale", "variance", "bias", "nugget")
)
warned <- character() # of workers that were lost
run <- function(cluster = NULL, ...) {
  withCallingHandlers(
    gpc(
      class ~ ., shards(rows, 6, batch_size = 500, ...), inducing = 40, kernel = kernel,
      epsilon = 0.1, cluster = cluster, control = ep_control(progress = FALSE)
    ),
    warning = function(cnd) {
      if (inherits(cnd, "sturdy_warning_node_lost")) warned <<- c(warned, conditionMessage(cnd))
      invokeRestart("muffleWarning")
    }
  )
}
new <- as.data.frame(matrix(rnorm(400), 100))
answers <- function(fit) {
  list(predict(fit, new, type = "response"), fit$ep$log_evidence, fit$inducing$C, fit$ep$b)
}
expected <- answers(run())
other_bits <- function(fit) !identical(answers(fit), expected)
differs <- function(fit) {
  fit$ep$status != "converged" || max(abs(answers(fit)[[1]] - expected[[1]])) > 1e-6
}

failure <- function(cnd) {
  message(conditionMessage(cnd))
  NULL
}
# Two workers of an engine: how it maps, their processes, and how they end. A daemon of mirai that is
# lost is not made again, as a node is not; nor is a worker of future, which has no answer to anything
# then until there is another plan.
started <- list(
  sockets = function() {
    cluster <- parallel::makePSOCKcluster(2)
    list(map = cluster, pids = unlist(parallel::clusterCall(cluster, Sys.getpid)), end = function() {
      drop_cluster(cluster)
    })
  },
  mirai = function() {
    mirai::daemons(2)
    pids <- integer()
    while (length(pids) < 2) { # a daemon may answer twice before the other is there
      pids <- unique(c(pids, unlist(mirai::mirai_map(1:2, function(k) {
        Sys.sleep(0.1)
        Sys.getpid()
      })[])))
    }
    list(map = mirai::mirai_map, pids = pids, end = function() mirai::daemons(0))
  },
  future = function() {
    future::plan("multisession", workers = 2)
    pids <- unlist(future.apply::future_lapply(1:2, function(k) Sys.getpid()))
    map <- function(X, FUN, ...) {
      tryCatch(future.apply::future_lapply(X, FUN), error = function(cnd) {
        future::plan("sequential")
        future::plan("multisession", workers = 2)
        stop(cnd)
      })
    }
    list(map = map, pids = pids, end = function() {
      future::plan("sequential")
      tools::pskill(pids, tools::SIGKILL) # it leaves those beside one that was lost
    })
  }
)[[engine]]
is_there <- function(pid) tools::pskill(pid, 0)
# how many of them are still there after some seconds
survivors <- function(pids, seconds = 10) {
  until <- Sys.time() + seconds
  while (any(is_there(pids)) && Sys.time() < until) Sys.sleep(0.1)
  sum(is_there(pids))
}
drop_cluster <- function(cluster) {
  for (k in seq_along(cluster)) {
    try(parallel::stopCluster(cluster[k]), silent = TRUE)
    try(close(cluster[[k]]$con), silent = TRUE)
  }
}

workers <- started()
whole_run <- system.time(with_workers <- run(workers$map))[["elapsed"]]
workers$end()
campaign_figure(campaign, "other bits with two workers", as.numeric(other_bits(with_workers)), 0)

# A worker dies ---------------------------------------------------------------

worker_case <- function(...) {
  warned <<- character()
  workers <- started()
  on.exit(workers$end())
  pids <- workers$pids
  after <- runif(1, 0, whole_run)
  which <- sample(2, 1)
  system2("sh", c("-c", shQuote(sprintf("sleep %.3f; kill -9 %d", after, pids[which]))), stderr = FALSE, wait = FALSE)
  fit <- tryCatch(run(workers$map, ...), error = failure)
  workers$end()
  list(fit = fit, left = survivors(pids), warned = warned)
}

# The driver dies -------------------------------------------------------------

folder <- tempfile("shards")
dir.create(folder)
pid_file <- tempfile()

# a process of its own: threads of an engine do not survive a fork
image <- tempfile()
script <- tempfile(fileext = ".R")
writeLines(c(
  "library(sturdy)", sprintf("load('%s')", image), "workers <- started()",
  "writeLines(as.character(c(Sys.getpid(), workers$pids)), pid_file)",
  "run(workers$map, checkpoint = folder, resume = TRUE)"
), script)
save(list = ls(), file = image)

driver_case <- function() {
  system2(file.path(R.home("bin"), "Rscript"), c("--no-init-file", shQuote(script)), stdout = FALSE,
          stderr = FALSE, wait = FALSE)
  until <- Sys.time() + 60
  there <- function() if (file.exists(pid_file)) as.integer(readLines(pid_file))
  while (length(there()) < 3 && Sys.time() < until) Sys.sleep(0.01)
  pids <- there()
  unlink(pid_file)
  Sys.sleep(runif(1, 0, whole_run))
  tools::pskill(pids[1], tools::SIGKILL)
  left <- survivors(pids)
  begun <- length(dir(folder, "[.]sites$")) == 6
  # what a killed run has left goes with the next one, an hour later
  Sys.setFileTime(dir(folder, "^sturdy-run-", full.names = TRUE), Sys.time() - 2 * 3600)
  resumed <- if (runif(1) < 0.5) {
    worker_case(checkpoint = folder, resume = TRUE)
  } else {
    list(fit = tryCatch(run(checkpoint = folder, resume = TRUE), error = failure), left = 0)
  }
  others <- length(dir(folder, all.files = TRUE, no.. = TRUE)) - length(dir(folder, "[.]sites$"))
  unlink(dir(folder, full.names = TRUE), recursive = TRUE)
  resumed$left <- left + resumed$left
  c(resumed, list(begun = begun, others = others))
}

cases <- lost <- losses <- bits <- resumed_losses <- 0
failed <- different <- left <- begun <- others <- 0
while (cases < campaign$cases && !campaign_over(campaign)) {
  cases <- cases + 1
  worker <- cases %% 3 > 0
  case <- if (worker) worker_case() else driver_case()
  noticed <- length(case$warned) > 0
  failed <- failed + is.null(case$fit)
  if (!is.null(case$fit)) {
    different <- different + differs(case$fit)
    if (worker) {
      lost <- lost + 1
      losses <- losses + noticed
      bits <- bits + other_bits(case$fit)
    } else if (noticed) {
      resumed_losses <- resumed_losses + 1
    }
  }
  left <- left + case$left
  begun <- begun + isTRUE(case$begun)
  others <- others + sum(case$others)
}

cat("shards: the engine is", engine, "\n")
campaign_figure(campaign, paste("kills under", engine), cases)
campaign_figure(campaign, "workers killed", lost)
campaign_figure(campaign, "of those, noticed before the end of the fit", losses)
campaign_figure(campaign, "fits with other bits", bits, 0)
campaign_figure(campaign, "drivers killed with sites of all shards to go on from", begun)
campaign_figure(campaign, "workers lost by runs that were resumed", resumed_losses)
campaign_figure(campaign, "fits that failed", failed, 0)
campaign_figure(campaign, "fits with other probabilities", different, 0)
campaign_figure(campaign, "processes left over", left, 0)
campaign_figure(campaign, "files left over", others, 0)
unlink(folder, recursive = TRUE)
campaign_end(campaign)
