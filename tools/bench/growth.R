# Growth with n: seconds of one EP fit, with and without the gradient, and the
# peak memory in units of n x n doubles. kernlab::gausspr (a Laplace approximation)
# and, where it is installed, gplite's EP are measured as well.
#
#   Rscript growth.R [largest n]
#
# Aims: seconds grow no faster than n^3, and memory is at most five n x n matrices.
# Every n and method runs in its own process. The memory is its VmHWM minus that of
# a process that does everything but the fit (Linux only, NA elsewhere). A method is
# left out where it would take more than five minutes.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
script <- sub("^--file=", "", args[1])
source(file.path(dirname(script), "helper.R"))

# In a process of its own -----------------------------------------------------

as_class <- function(y) factor(ifelse(y > 0, "yes", "no"))

# kernel_ard() at the values of the problem, nothing learned
fit_sturdy <- function(problem) {
  hyper <- problem$hyper
  gpc(problem$X, as_class(problem$y),
    kernel = kernel_ard(
      hyper$lengthscale, hyper$variance, hyper$bias, hyper$nugget,
      fixed = TRUE, prior = NULL
    ),
    epsilon = 0, inducing = NULL, scale = FALSE, control = ep_control(tol = 1e-6)
  )
}

methods <- list(
  "sturdy" = fit_sturdy,
  "sturdy, gradient" = function(problem) criterion(fit_sturdy(problem), "loo"),
  "kernlab" = function(problem) {
    kernlab::gausspr(problem$X, as_class(problem$y),
      type = "classification", scaled = FALSE, kernel = "rbfdot",
      kpar = list(sigma = 1 / (2 * problem$hyper$lengthscale[1]^2)), fit = FALSE
    )
  },
  "gplite" = function(problem) {
    gp <- gplite::gp_init(
      cfs = list(
        gplite::cf_sexp(lscale = problem$hyper$lengthscale[1], magn = 1),
        gplite::cf_const(magn = sqrt(problem$hyper$bias))
      ),
      lik = gplite::lik_bernoulli(link = "probit"), approx = gplite::approx_ep()
    )
    gplite::gp_fit(gp, problem$X, as.numeric(problem$y > 0))
  }
)

# high-water mark of this process in bytes
peak_memory <- function() {
  if (!file.exists("/proc/self/status")) {
    return(NA_real_)
  }
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}

run_alone <- function(method, n, threads, fit) {
  problem <- bench_problem(n)
  run <- methods[[method]]
  invisible(run(bench_problem(40))) # loads what is loaded at first use
  seconds <- NA
  if (fit) {
    times <- if (n <= 1000 && startsWith(method, "sturdy")) 5 else 1
    seconds <- least_seconds(suppressMessages(run(problem)), times, threads)
  }
  cat(seconds, peak_memory(), "\n")
}

given <- commandArgs(TRUE)
if (length(given) && given[1] == "--alone") {
  run_alone(given[2], as.integer(given[3]), as.integer(given[4]), given[5] == "fit")
  quit()
}

# In the calling process -------------------------------------------------------

largest <- as.integer(c(given, "4000")[1])
machine <- machine_line()
print_machine(machine)
cat("\n")

alone <- function(method, n, what) {
  out <- system2(file.path(R.home("bin"), "Rscript"),
    c(shQuote(script), "--alone", shQuote(method), n, machine$threads, what),
    stdout = TRUE, stderr = FALSE
  )
  numbers <- suppressWarnings(as.numeric(strsplit(tail(out, 1), " ")[[1]]))
  if (length(numbers) < 2) c(NA, NA) else numbers[1:2]
}

installed <- c(
  "sturdy", "sturdy, gradient",
  if (requireNamespace("kernlab", quietly = TRUE)) "kernlab",
  if (requireNamespace("gplite", quietly = TRUE)) "gplite"
)
sizes <- Filter(function(n) n <= largest, c(250, 500, 1000, 2000, 4000))

rows <- list()
for (method in installed) {
  last <- 0
  for (n in sizes) {
    if (10 * last > 300) {
      cat(method, "at n =", n, "left out: it would take too long\n")
      next
    }
    with_fit <- alone(method, n, "fit")
    memory <- (with_fit[2] - alone(method, n, "base")[2]) / (8 * n^2)
    last <- if (is.na(with_fit[1])) 0 else with_fit[1]
    rows[[length(rows) + 1]] <- data.frame(
      method = method, n = n, seconds = with_fit[1], matrices = memory
    )
  }
}
table <- do.call(rbind, rows)
ours <- table$seconds[match(
  paste("sturdy", table$n), paste(table$method, table$n)
)]
table$times_sturdy <- table$seconds / ours
# exponent of n between this row and the one before
before <- c(NA, head(seq_len(nrow(table)), -1))
same <- table$method == table$method[before]
table$exponent <- ifelse(
  same, log(table$seconds / table$seconds[before]) / log(table$n / table$n[before]), NA
)
cat("\n")
bench_save(table, "growth", machine)

cat("\nSlope of log seconds on log n, all n:\n")
for (method in unique(table$method)) {
  of <- table[table$method == method & !is.na(table$seconds), ]
  if (nrow(of) > 1) {
    slope <- stats::coef(stats::lm(log(seconds) ~ log(n), of))[[2]]
    cat(sprintf("  %-18s %.2f\n", method, slope))
  }
}
