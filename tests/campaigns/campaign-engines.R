# One fit over shards by every engine, each started here: lapply(), sockets (two and eight, and by
# ssh), mirai, future, clustermq, MPI under mpirun, and Slurm, of which this script starts a controller: sockets within a
# job, and workers that mirai and clustermq send to its queue. The fits must have the same bits as the one in
# this process. An engine that is not installed is named as not tried. MPI and Slurm want Debian's libopenmpi-dev,
# r-cran-rmpi, r-cran-snow, r-cran-parallelly, slurm-wlm and munge, and the second of them root; clustermq is
# CRAN's, over Debian's libzmq3-dev.

source(file.path(
  dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])),
  "helper.R"
))
campaign <- campaign_start("engines", cases = 1, seconds = 600)

# The fit, as a script of its own ---------------------------------------------

# what each engine runs, after `cluster` is made
fit_lines <- c(
  "library(sturdy)",
  "options(sturdy.blas = 'own', sturdy.threads = 1)", # else each process chooses by a trial
  "piece <- function(k) rlang::new_function(NULL, bquote({",
  "  set.seed(.(k), 'Mersenne-Twister', 'Inversion', 'Rejection')", # mirai sets another kind
  "  x <- matrix(stats::rnorm(4000), 1000, dimnames = list(NULL, letters[1:4]))",
  "  wrong <- stats::runif(1000) < 0.1",
  "  data.frame(x, class = ifelse((x[, 1] + x[, 2]^2 > 1) != wrong, 'yes', 'no'))",
  "}), baseenv())",
  "fit <- gpc(class ~ ., shards(lapply(1:8, piece)), inducing = 40, kernel = kernel_iso(),",
  "  hyper = 'optimum', epsilon = 'learn', cluster = cluster)",
  "nodes <- if (!inherits(cluster, 'cluster')) 0 else length(unique(unlist(",
  "  parallel::clusterCall(cluster, Sys.getpid))))",
  "bits <- function(x) paste(sprintf('%a', x), collapse = ' ')",
  "seconds <- system.time(held <- gpc(class ~ ., shards(lapply(1:8, piece)), inducing = 40,",
  "  kernel = kernel_iso(1.5, fixed = c('lengthscale', 'variance', 'bias', 'nugget')), epsilon = 0.1,",
  "  cluster = cluster))[['elapsed']]",
  "answer <- list(nodes = nodes, round = seconds / held$ep$sweeps, evidence = bits(log_evidence(fit)), sites = bits(fit$ep$b),",
  "  learned = bits(coef(fit)))"
)

folder <- tempfile("engines")
dir.create(folder)

# The answer of a script that makes a cluster by `make` and ends it by `end`, started by `launch`
answer_of <- function(name, make, end, launch) {
  script <- file.path(folder, paste0(name, ".R"))
  result <- file.path(folder, paste0(name, ".rds"))
  writeLines(c(make, fit_lines, sprintf("saveRDS(answer, '%s')", result), end), script)
  log <- file.path(folder, paste0(name, ".log"))
  status <- launch(script, log)
  if (status != 0 || !file.exists(result)) {
    writeLines(utils::tail(readLines(log, warn = FALSE), 20))
    return(NULL)
  }
  readRDS(result)
}

rscript <- file.path(R.home("bin"), "Rscript")
libraries <- paste(.libPaths(), collapse = ":")
by_rscript <- function(script, log, env = NULL) {
  system2(rscript, shQuote(script), stdout = log, stderr = log,
    env = c(env, paste0("R_LIBS=", libraries)))
}

# Engines ---------------------------------------------------------------------

stop_cluster <- "parallel::stopCluster(cluster)"
# not loaded: Rmpi starts MPI as it is
has <- function(...) all(nzchar(vapply(c(...), function(p) system.file(package = p), "")))
is_root <- Sys.info()[["effective_user"]] == "root"
found <- function(...) all(nzchar(Sys.which(c(...))))

# What `run(conf)` gives while there is a controller of Slurm; `conf` says where it is
under_slurm <- function(name, run) {
  slurm <- file.path(folder, paste0(name, "-files"))
  dir.create(slurm)
  daemons <- function(what) {
    system2("sh", c(shQuote(file.path(campaign_folder(), "slurm.sh")), what, shQuote(slurm)))
  }
  on.exit(daemons("stop"))
  if (daemons("start") == 0) run(paste0("SLURM_CONF=", slurm, "/slurm.conf"))
}

# workers that stay: those of `n_jobs` are started anew for every message
clustermq_lines <- c(
  "workers <- clustermq::workers(2, reuse = TRUE, verbose = FALSE)",
  "cluster <- function(X, FUN, ...) clustermq::Q(FUN, item = X, workers = workers, verbose = FALSE)"
)

engines <- list(
  here = list(there = TRUE, run = function() {
    answer_of("here", "cluster <- NULL", character(), by_rscript)
  }),
  lapply = list(there = TRUE, run = function() {
    answer_of("lapply", "cluster <- lapply", character(), by_rscript)
  }),
  sockets = list(there = TRUE, run = function() {
    answer_of("sockets", "cluster <- parallel::makePSOCKcluster(2)", stop_cluster, by_rscript)
  }),
  eight = list(there = TRUE, run = function() {
    answer_of("eight", "cluster <- parallel::makePSOCKcluster(8)", stop_cluster, by_rscript)
  }),
  mirai = list(there = has("mirai"), run = function() {
    answer_of("mirai", c("mirai::daemons(2)", "cluster <- mirai::mirai_map"), "mirai::daemons(0)",
      by_rscript)
  }),
  future = list(there = has("future.apply"), run = function() {
    answer_of("future", c(
      "future::plan('multisession', workers = 2)", "cluster <- future.apply::future_lapply"
    ), "future::plan('sequential')", by_rscript)
  }),
  # another machine is this one, by its number: "localhost" would be taken without ssh
  ssh = list(there = is_root && found("sshd", "ssh-keygen", "ssh"), run = function() {
    files <- file.path(folder, "ssh")
    dir.create(files, mode = "0700")
    at <- function(...) file.path(files, ...)
    dir.create("/run/sshd", showWarnings = FALSE)
    for (key in c("host", "user")) system2("ssh-keygen", c("-q", "-t", "ed25519", "-N", "''", "-f", at(key)))
    file.copy(at("user.pub"), at("allowed"))
    system2(Sys.which("sshd"), c("-f", "/dev/null", "-p", "17022", "-h", at("host"), paste0("-o", c(
      paste0("PidFile=", at("pid")), paste0("AuthorizedKeysFile=", at("allowed")), "ListenAddress=127.0.0.1", "StrictModes=no"
    ))), stderr = at("log"))
    on.exit(tools::pskill(as.integer(readLines(at("pid")))))
    options <- c("-p", "17022", "-i", at("user"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null")
    # who comes by ssh has no variables of this session
    writeLines(c("#!/bin/sh", sprintf("R_LIBS=%s exec %s \"$@\"", libraries, rscript)), at("rscript"))
    Sys.chmod(at("rscript"), "0755")
    answer_of("ssh", sprintf(
      "cluster <- parallel::makePSOCKcluster(rep('127.0.0.1', 2), master = '127.0.0.1', rshcmd = 'ssh %s', rscript = '%s')",
      paste(options, collapse = " "), at("rscript")
    ), stop_cluster, by_rscript)
  }),
  # workers that are spawned (`makeCluster(2, type = "MPI")`) compute the same, but Open MPI 4
  # does not come back from ending them
  mpi = list(there = has("Rmpi", "snow") && found("mpirun"), run = function() {
    answer_of("mpi", "cluster <- snow::makeCluster()", "snow::stopCluster(cluster)",
      function(script, log) {
        system2("mpirun",
          c("--oversubscribe", "-np", "3", shQuote(system.file("RMPISNOW", package = "snow")),
            "--no-echo", "-f", shQuote(script)),
          stdout = log, stderr = log, env = c(
            paste0("R_LIBS=", libraries),
            "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
          ))
      })
  }),
  slurm = list(there = is_root && has("parallelly") && found("slurmctld"), run = function() {
    under_slurm("slurm", function(conf) {
      answer_of("slurm",
        "cluster <- parallelly::makeClusterPSOCK(parallelly::availableWorkers())", stop_cluster,
        function(script, log) {
          system2("sbatch",
            c("--wait", "--ntasks=2", paste0("--output=", shQuote(log)),
              "--wrap", shQuote(paste(rscript, script))),
            stdout = FALSE, stderr = FALSE, env = c(conf, paste0("R_LIBS=", libraries))
          )
        })
    })
  }),
  # daemons that mirai sends to the queue
  slurm_mirai = list(there = is_root && has("mirai") && found("slurmctld"), run = function() {
    under_slurm("slurm_mirai", function(conf) {
      answer_of("slurm_mirai", c(
        sprintf("mirai::daemons(2, url = 'tcp://127.0.0.1:0', remote = mirai::cluster_config('sbatch', '#SBATCH --output=/dev/null', '%s'))", rscript),
        "cluster <- mirai::mirai_map"
      ), "mirai::daemons(0)", function(script, log) by_rscript(script, log, conf))
    })
  }),
  # processes of this machine that clustermq starts
  clustermq = list(there = has("clustermq"), run = function() {
    answer_of("clustermq", c("options(clustermq.scheduler = 'multiprocess')", clustermq_lines),
      "workers$cleanup()", by_rscript)
  }),
  # workers that clustermq sends to the queue
  slurm_clustermq = list(there = is_root && has("clustermq") && found("slurmctld"), run = function() {
    under_slurm("slurm_clustermq", function(conf) {
      template <- file.path(folder, "clustermq.tmpl")
      writeLines(c(
        "#!/bin/sh", "#SBATCH --job-name={{ job_name }}", "#SBATCH --array=1-{{ n_jobs }}", "#SBATCH --output=/dev/null",
        paste0("CMQ_AUTH={{ auth }} ", rscript, " --no-save -e 'clustermq:::worker(\"{{ master }}\")'")
      ), template)
      answer_of("slurm_clustermq", c(
        sprintf("options(clustermq.scheduler = 'slurm', clustermq.template = '%s')", template), clustermq_lines
      ), "workers$cleanup()", function(script, log) by_rscript(script, log, conf))
    })
  })
)

answers <- list()
for (name in names(engines)) {
  if (!engines[[name]]$there) {
    cat("engines: not installed, not tried:", name, "\n")
  } else {
    seconds <- system.time(answers[name] <- list(engines[[name]]$run()))[["elapsed"]]
    campaign_figure(campaign, paste0(name, ", seconds"), seconds)
    nodes <- if (is.null(answers[[name]])) NA else answers[[name]]$nodes
    campaign_figure(campaign, paste0(name, ", processes"), nodes)
    round <- if (is.null(answers[[name]])) NA else answers[[name]]$round
    campaign_figure(campaign, paste0(name, ", seconds a round"), round)
  }
}
differ <- vapply(answers, function(x) !identical(x[-(1:2)], answers$here[-(1:2)]), NA)
failed <- vapply(answers, is.null, NA)
for (name in names(which(differ & !failed))) str(answers[c("here", name)], nchar.max = 300)
campaign_figure(campaign, "engines tried", length(answers))
campaign_figure(campaign, "engines that failed", sum(failed), 0)
campaign_figure(campaign, "engines with other bits", sum(differ & !failed), 0)
unlink(folder, recursive = TRUE)
campaign_end(campaign)
