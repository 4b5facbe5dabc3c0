# How far is EP from the truth on real data? check_fit() on Gaussian and Student-t
# process classifiers of four data sets, as they are and with a tenth of the labels
# flipped on purpose: log evidence of EP minus that of annealed importance sampling
# (AIS), with its standard error, and the largest gap in class probability. For the
# Student-t process the table holds two EP evidences, the Gaussian one at its kernel
# and the t-EP one, whose gap is as large as it is (see ?stc).
#
#   Rscript check-fit.R [seed] [folder] [cores]
#
# writes check-fit.csv, one row a fit, to the folder (default: results). From R:
#
#   source(system.file("experiments", "check-fit.R", package = "sturdy"))
#   experiment_check_fit(data = "newthyroid", folder = tempdir())
#
# All of it takes about half an hour on two cores, most of it for Ionosphere. Set
# OPENBLAS_NUM_THREADS=1 when the BLAS is OpenBLAS.

library(sturdy)
source(system.file("experiments", "helper.R", package = "sturdy"))

#' @param seed of the rows drawn (Pima), the flips and the simulation.
#' @param max_moves,se as in check_fit().
#' @return a data frame, one row a fit, invisibly.
experiment_check_fit <- function(seed = 1,
                                 folder = "results",
                                 data = c("pima", "ionosphere", "sonar", "newthyroid"),
                                 rates = c(0, 0.1),
                                 se = 0.05,
                                 max_moves = 4e6,
                                 cores = 1) {
  tasks <- merge(expand.grid(rate = rates, data = data, stringsAsFactors = FALSE),
                 check_models())
  tasks <- split(tasks, seq_len(nrow(tasks)))
  run <- function(task) check_one(task, seed, se, max_moves)
  rows <- if (cores > 1 && .Platform$OS.type != "windows") {
    parallel::mclapply(tasks, run, mc.cores = cores, mc.preschedule = FALSE)
  } else {
    lapply(tasks, run)
  }
  table <- do.call(rbind, rows)
  table <- table[order(match(table$data, data), table$rate), ]
  save_results(table, folder, "check-fit")
  invisible(table)
}

check_models <- function() {
  data.frame(
    model = c("gpc", "gpc", "stc", "stc"), df = c(Inf, Inf, 10, 3),
    epsilon = c("0", "learn", "learn", "learn")
  )
}

# All rows (150 of Pima), a share of the labels flipped
check_data <- function(name, rate, seed) {
  data <- sturdy_data(name)
  if (name == "newthyroid") {
    data$class <- factor(ifelse(data$class == "normal", "normal", "abnormal"))
  }
  if (name == "pima") {
    set.seed(seed, kind = "Mersenne-Twister", sample.kind = "Rejection")
    data <- data[sort(sample.int(nrow(data), 150)), ]
  }
  y <- flip_labels(data$class, rate, seed = seed)
  attr(y, "flipped") <- NULL
  list(x = data[names(data) != "class"], y = y)
}

check_one <- function(task, seed, se, max_moves) {
  data <- check_data(task$data, task$rate, seed)
  epsilon <- if (task$epsilon == "learn") "learn" else 0
  warned <- character()
  note <- function(w) {
    warned <<- c(warned, sub("sturdy_warning_", "", class(w)[1]))
    invokeRestart("muffleWarning")
  }
  table <- withCallingHandlers(
    {
      fit <- suppressMessages(stc(
        data$x, data$y, df = task$df, epsilon = epsilon,
        control = ep_control(progress = FALSE)
      ))
      set.seed(seed, kind = "Mersenne-Twister", sample.kind = "Rejection")
      before <- proc.time()
      check <- check_fit(fit, se = se, max_moves = max_moves, progress = FALSE)
      seconds <- sum((proc.time() - before)[1:2])
      cbind(
        task, n = fit$nobs, epsilon_used = coef(fit)[["epsilon"]],
        check_row(check), seconds = seconds
      )
    },
    warning = note
  )
  table$warned <- paste(unique(warned), collapse = " ")
  table
}

check_row <- function(check) {
  gap <- function(method) {
    value <- check$evidence$gap[check$evidence$method == method]
    if (length(value)) value else NA_real_
  }
  data.frame(
    ais = as.numeric(check$ais), ais_se = attr(check$ais, "se"),
    gaussian_gap = gap("gaussian"), t_ep_gap = gap("t-ep"),
    prob_gap_largest = check$largest_gap, prob_gap_mean = check$mean_gap,
    prob_error_largest = if (is.null(check$probability)) NA else {
      max(check$probability$error)
    },
    pareto_k = check$pareto_k, all_right = check$all_right,
    importance_ess = check$importance_ess,
    chains = attr(check$ais, "chains"), levels = attr(check$ais, "levels"),
    ais_ess = attr(check$ais, "ess"), moves = attr(check$ais, "moves")
  )
}

if (sys.nframe() == 0L) {
  given <- script_arguments(1L)
  cores <- commandArgs(TRUE)[3]
  experiment_check_fit(
    seed = given$replications, folder = given$folder,
    cores = if (is.na(cores)) parallel::detectCores() else as.integer(cores)
  )
}
