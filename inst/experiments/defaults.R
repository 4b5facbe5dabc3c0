# Which defaults work? Every way of learning that gpc() and stc() offer, on four
# data sets with labels flipped on purpose. Its table is the reason for the
# defaults of stc(); see ?stc.
#
#   Rscript defaults.R [splits] [cores] [folder]
#
# writes defaults.csv, one row a fit, and defaults-summary.csv, one row a method,
# data set and rate of flips, to the folder (default: results). From R:
#
#   source(system.file("experiments", "defaults.R", package = "sturdy"))
#   fits <- compare_methods(methods_defaults(), splits = 2)
#   summarise_methods(fits)
#
# All ten splits take about a quarter of an hour on two cores. Set OPENBLAS_NUM_THREADS=1
# when the BLAS is OpenBLAS: the splits already keep all cores busy.

library(sturdy)

# What is compared ------------------------------------------------------------

# gpc() with epsilon = 0 and learned by either criterion, stc() by either
# criterion, with and without flips, at each df
methods_defaults <- function(df = 10) {
  gpc <- data.frame(
    model = "gpc", df = Inf,
    criterion = c("evidence", "evidence", "loo"),
    epsilon = c("0", "learn", "learn")
  )
  stc <- expand.grid(
    model = "stc", df = df,
    criterion = c("loo", "evidence"), epsilon = c("0", "learn"),
    KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE
  )
  methods <- rbind(gpc, stc)
  methods$prior <- "default"
  methods$kernel <- "ard"
  methods
}

# the default fit under other priors: spread of the log lengthscales, of the
# logs of bias and nugget, none at all; and one lengthscale for all columns
methods_priors <- function() {
  data.frame(
    model = "gpc", df = Inf, criterion = "evidence", epsilon = "learn",
    prior = c(
      "default", "none", "lengthscale 0.75", "lengthscale 3",
      "bias, nugget 1", "bias, nugget 4", "default"
    ),
    kernel = c(rep("ard", 6), "iso")
  )
}

prior_named <- function(name) {
  at <- log(0.1)
  switch(name,
    "default" = weak_prior(),
    "none" = NULL,
    "lengthscale 0.75" = weak_prior(lengthscale = c(NA, 0.75)),
    "lengthscale 3" = weak_prior(lengthscale = c(NA, 3)),
    "bias, nugget 1" = weak_prior(bias = c(at, 1), nugget = c(at, 1)),
    "bias, nugget 4" = weak_prior(bias = c(at, 4), nugget = c(at, 4))
  )
}

method_label <- function(methods) {
  label <- ifelse(methods$model == "gpc", "gpc", paste0("stc(", methods$df, ")"))
  label <- paste0(
    label, " ", methods$criterion,
    ifelse(methods$epsilon == "learn", "", ", epsilon 0")
  )
  label <- paste0(label, ifelse(methods$kernel == "iso", ", iso", ""))
  paste0(
    label,
    ifelse(methods$prior == "default", "", paste(", prior", methods$prior))
  )
}

# Data ------------------------------------------------------------------------

experiment_data <- function(name) {
  data <- sturdy_data(name)
  y <- data$class
  if (name == "newthyroid") {
    y <- factor(ifelse(y == "normal", "normal", "abnormal"),
      levels = c("normal", "abnormal")
    )
  }
  list(x = data[names(data) != "class"], y = y)
}

# Half of the rows for training (150 for Pima, as is usual), the rest for
# testing. Only training labels are flipped. A split does not depend on the rate.
experiment_split <- function(name, rate, seed) {
  data <- experiment_data(name)
  n <- nrow(data$x)
  set.seed(seed, kind = "Mersenne-Twister", sample.kind = "Rejection")
  training <- sort(sample.int(n, if (name == "pima") 150L else n %/% 2L))
  noisy <- flip_labels(data$y[training], rate, seed = seed)
  list(
    x = data$x[training, ], y = noisy, flipped = attr(noisy, "flipped"),
    x_test = data$x[-training, ], y_test = data$y[-training]
  )
}

# One fit ---------------------------------------------------------------------

fit_method <- function(method, x, y) {
  make <- if (method$kernel == "iso") kernel_iso else kernel_ard
  epsilon <- if (method$epsilon == "learn") "learn" else as.numeric(method$epsilon)
  shared <- list(
    x = x, y = as.vector_factor(y), criterion = method$criterion,
    epsilon = epsilon, kernel = make(prior = prior_named(method$prior)),
    control = ep_control(progress = FALSE)
  )
  if (method$model == "stc") {
    do.call(stc, c(shared, list(df = method$df)))
  } else {
    do.call(gpc, shared)
  }
}

# without the attribute that says where the flips are
as.vector_factor <- function(y) {
  attr(y, "flipped") <- NULL
  y
}

# Value, CPU seconds of this process, and the classes of what was signalled
observe <- function(code) {
  warned <- character()
  failed <- ""
  before <- proc.time()
  value <- tryCatch(
    withCallingHandlers(code, warning = function(w) {
      warned <<- c(warned, class(w)[1])
      invokeRestart("muffleWarning")
    }, message = function(m) invokeRestart("muffleMessage")),
    error = function(e) {
      failed <<- paste0(class(e)[1], ": ", conditionMessage(e))
      NULL
    }
  )
  list(
    value = value, seconds = sum((proc.time() - before)[1:2]),
    warned = paste(unique(warned), collapse = " "),
    failed = gsub("\n", " ", failed)
  )
}

# Scores on the test rows, whose labels are not flipped
test_scores <- function(fit, split) {
  prob <- predict(fit, split$x_test, type = "prob")
  truth <- prob[cbind(seq_along(split$y_test), as.integer(split$y_test))]
  data.frame(
    error = mean(predict(fit, split$x_test) != split$y_test),
    log_score = mean(log(truth)),
    brier = mean((1 - truth)^2)
  )
}

# Of the labels flipped, the share among as many most suspicious ones
share_found <- function(fit, split) {
  k <- length(split$flipped)
  if (k == 0) {
    return(NA_real_)
  }
  suspects <- suppressMessages(mislabelled(fit))$row[seq_len(k)]
  mean(split$flipped %in% suspects)
}

fit_facts <- function(fit, split) {
  learned <- coef(fit)
  scales <- learned[startsWith(names(learned), "lengthscale")]
  gaussian <- observe(log_evidence(fit, method = "gaussian"))
  own <- observe(log_evidence(fit))
  data.frame(
    log_evidence = own$value,
    gaussian_evidence = if (is.null(gaussian$value)) NA else gaussian$value,
    loo = loo(fit)$estimate,
    epsilon = learned[["epsilon"]],
    found = share_found(fit, split),
    bias = learned[["bias"]], nugget = learned[["nugget"]],
    scale_min = min(scales), scale_median = stats::median(scales),
    scale_max = max(scales),
    status = fit$ep$status, sweeps = fit$ep$sweeps,
    convergence = fit$learning$convergence,
    cold_start = fit$learning$cold_start,
    evaluations = fit$learning$evaluations,
    on_bound = paste(fit$learning$on_bound, collapse = " "),
    evidence_warned = paste(own$warned, gaussian$warned)
  )
}

no_facts <- function() {
  data.frame(
    error = NA, log_score = NA, brier = NA, log_evidence = NA,
    gaussian_evidence = NA, loo = NA, epsilon = NA, found = NA, bias = NA,
    nugget = NA, scale_min = NA, scale_median = NA, scale_max = NA,
    status = "no fit", sweeps = NA, convergence = NA, cold_start = NA,
    evaluations = NA, on_bound = "", evidence_warned = ""
  )
}

run_one <- function(task) {
  split <- experiment_split(task$data, task$rate, task$seed)
  run <- observe(fit_method(task, split$x, split$y))
  after <- observe(
    cbind(test_scores(run$value, split), fit_facts(run$value, split))
  )
  facts <- if (is.null(after$value)) no_facts() else after$value
  failed <- c(run$failed, if (nzchar(run$failed)) "" else after$failed)
  cbind(
    task, label = method_label(task), n = length(split$y),
    p = ncol(split$x), facts,
    seconds = run$seconds, warned = run$warned,
    failed = trimws(paste(failed, collapse = " "))
  )
}

# All of them -----------------------------------------------------------------

#' @param methods as methods_defaults() makes them. @param splits how many.
#' @param seed of the first split; split k has seed + k - 1.
#' @return data frame, one row a fit; a fit that failed has `failed` filled.
compare_methods <- function(methods,
                            splits = 10,
                            seed = 1,
                            cores = parallel::detectCores(),
                            data = c("pima", "ionosphere", "sonar", "newthyroid"),
                            rates = c(0, 0.05, 0.1)) {
  cells <- expand.grid(
    data = data, split = seq_len(splits),
    KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE
  )
  cells$seed <- seed + cells$split - 1
  rates <- data.frame(rate = rates)
  cli::cli_progress_bar("Fitting", total = nrow(cells))
  results <- lapply(seq_len(nrow(cells)), function(k) {
    tasks <- merge(merge(cells[k, ], rates), methods)
    tasks <- split(tasks, seq_len(nrow(tasks)))
    done <- run_tasks(tasks, cores)
    cli::cli_progress_update(.envir = parent.frame(2))
    do.call(rbind, done)
  })
  cli::cli_progress_done()
  results <- do.call(rbind, results)
  rownames(results) <- NULL
  results
}

run_tasks <- function(tasks, cores) {
  if (.Platform$OS.type == "windows" || cores < 2) {
    return(lapply(tasks, run_one))
  }
  done <- parallel::mclapply(
    tasks, run_one, mc.cores = cores, mc.preschedule = FALSE
  )
  lost <- !vapply(done, is.data.frame, logical(1))
  done[lost] <- lapply(tasks[lost], function(task) {
    cbind(
      task, label = method_label(task), n = NA, p = NA, no_facts(),
      seconds = NA, warned = "", failed = "the process died"
    )
  })
  done
}

# Means over the splits -------------------------------------------------------

summarise_methods <- function(fits) {
  by <- interaction(fits$label, fits$rate, fits$data, drop = TRUE, lex.order = FALSE)
  mean_of <- function(x) if (all(is.na(x))) NA else mean(x, na.rm = TRUE)
  rows <- lapply(split(fits, by), function(f) {
    data.frame(
      data = f$data[1], rate = f$rate[1], method = f$label[1], fits = nrow(f),
      failed = sum(nzchar(f$failed)),
      not_converged = sum(f$status != "converged"),
      error = mean_of(f$error),
      error_se = stats::sd(f$error) / sqrt(nrow(f)),
      log_score = mean_of(f$log_score),
      log_score_se = stats::sd(f$log_score) / sqrt(nrow(f)),
      brier = mean_of(f$brier),
      log_evidence = mean_of(f$log_evidence),
      gaussian_evidence = mean_of(f$gaussian_evidence),
      loo = mean_of(f$loo),
      epsilon = mean_of(f$epsilon),
      found = mean_of(f$found),
      seconds = mean_of(f$seconds)
    )
  })
  rows <- do.call(rbind, rows)
  first <- match(rows$method, fits$label)
  rows <- rows[order(match(rows$data, fits$data), rows$rate, first), ]
  rownames(rows) <- NULL
  rows
}

save_methods <- function(fits, name, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  short <- function(table) {
    number <- vapply(table, is.numeric, logical(1))
    table[number] <- lapply(table[number], signif, digits = 5)
    table
  }
  write <- function(table, file) {
    utils::write.csv(short(table), file.path(folder, file), row.names = FALSE)
  }
  write(fits, paste0(name, ".csv"))
  write(summarise_methods(fits), paste0(name, "-summary.csv"))
}

if (sys.nframe() == 0L) {
  given <- commandArgs(TRUE)
  splits <- if (length(given) > 0) as.integer(given[1]) else 10L
  cores <- if (length(given) > 1) as.integer(given[2]) else parallel::detectCores()
  folder <- if (length(given) > 2) given[3] else "results"
  fits <- compare_methods(methods_defaults(), splits, cores = cores)
  save_methods(fits, "defaults", folder)
  fits <- compare_methods(methods_priors(), splits, cores = cores)
  save_methods(fits, "priors", folder)
}
