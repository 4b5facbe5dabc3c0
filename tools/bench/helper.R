# What the benchmarks share: the machine line, timing, the problems, the tables.

library(sturdy)
options(sturdy.threads = 1, sturdy.progress = FALSE)

# A run of `run.sh --smoke`: does every script run through? Sizes are tiny, nothing is saved
smoke <- nzchar(Sys.getenv("BENCH_SMOKE"))
sized <- function(full, tiny) if (smoke) tiny else full

bench_folder <- function() {
  given <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  if (length(given)) dirname(sub("^--file=", "", given[1])) else "."
}
source(file.path(bench_folder(), "tables.R"))

# The C core without the checks and the continuation of the R face
native_run <- utils::getFromNamespace("native_run", "sturdy")
native_gp_fits <- utils::getFromNamespace("native_gp_fits", "sturdy")
gp_fit <- function(X, columns, hyper, ..., Z = NULL) {
  native_gp_fits(X, Z, columns, list(hyper), list(native_run(...)))[[1]]
}

# Machine ---------------------------------------------------------------------

# Name and version of the BLAS in use, without its path
blas_name <- function() {
  path <- paste(extSoftVersion()[["BLAS"]], La_library())
  version <- function(pattern) {
    found <- regmatches(path, regexpr(pattern, path))
    if (length(found)) paste0(" ", regmatches(found, regexpr("[0-9.]*[0-9]", found)))
  }
  if (grepl("openblas", path, ignore.case = TRUE)) {
    paste0("OpenBLAS", version("openblas[a-z]*-r[0-9.]*[0-9]"))
  } else if (grepl("mkl", path)) {
    "MKL"
  } else if (grepl("atlas", path)) {
    "ATLAS"
  } else if (grepl("Accelerate|vecLib", path)) {
    "Accelerate"
  } else if (grepl("Rblas", path)) {
    "R's own BLAS"
  } else {
    paste0("reference BLAS", version("libblas.so.[0-9.]*[0-9]"))
  }
}

# CPU seconds over elapsed ones of a large product: more than one thread?
blas_threads <- function() {
  A <- matrix(stats::rnorm(1e6), 1000)
  spent <- system.time(for (k in 1:3) A %*% A)
  max(1, round(sum(spent[1:2]) / spent[[3]]))
}

machine_line <- function() {
  data.frame(
    blas = blas_name(), kernels = rev(sturdy:::variant_names())[1], threads = blas_threads(),
    r = paste(R.version$major, R.version$minor, sep = "."),
    sturdy = as.character(utils::packageVersion("sturdy")),
    arch = R.version$arch
  )
}

print_machine <- function(machine) {
  cat(sprintf(
    "%s, %d thread%s, kernels: %s, R %s, sturdy %s, %s\n", machine$blas,
    machine$threads, if (machine$threads == 1) "" else "s", machine$kernels, machine$r,
    machine$sturdy, machine$arch
  ))
}

# Timing ----------------------------------------------------------------------

# The fastest of `times` runs, in seconds: CPU time on one thread, which other work
# on the machine affects less, and elapsed time on several.
least_seconds <- function(code, times = 5, threads = 1) {
  code <- substitute(code)
  frame <- parent.frame()
  one <- function() {
    spent <- system.time(eval(code, frame), gcFirst = TRUE)
    if (threads > 1) spent[[3]] else sum(spent[1:2])
  }
  min(vapply(seq_len(times), function(k) one(), numeric(1)))
}

# Speed of this machine's dgemm in flops a second: 2 n^3 a product
dgemm_speed <- function(n = 1000, times = 5, threads = 1) {
  A <- matrix(stats::rnorm(n * n), n)
  B <- matrix(stats::rnorm(n * n), n)
  if (anyNA(A %*% B)) stop("dgemm gives NA") # warms up
  2 * n^3 / least_seconds(A %*% B, times, threads)
}

# What the script itself gives for `--one` and these arguments, the last of which is the
# file it is to save that in: from an R process of its own; NULL where it fails, or takes more
# than so many seconds
in_own_process <- function(..., env = character(), seconds = 0) {
  out <- tempfile(fileext = ".rds")
  script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
  system2(
    file.path(R.home("bin"), "Rscript"),
    c("--no-init-file", shQuote(script), "--one", shQuote(as.character(list(...))), shQuote(out)),
    env = env, timeout = seconds
  )
  if (file.exists(out)) readRDS(out)
}

# One fit -----------------------------------------------------------------------

quiet <- function(code) suppressMessages(suppressWarnings(code))

cpu <- function(spent) sum(spent[1:2])

# Seconds of a Cholesky factor and a product of 1,000 rows by the BLAS in use: in these units seconds of
# several machines can be compared
yardstick <- function(n = sized(1000, 50)) {
  A <- crossprod(matrix(stats::rnorm(n^2), n))
  min(replicate(3, cpu(system.time(list(chol(A), A %*% A)))))
}

# The most memory of this process so far, of Linux
peak_megabytes <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM", status, value = TRUE)
  if (length(line)) as.double(gsub("[^0-9]", "", line)) / 1024 else NA_real_
}

# Area under the curve of p for telling the rows `wrong`
area <- function(p, wrong) {
  k <- as.double(sum(wrong))
  (sum(rank(p)[wrong]) - k * (k + 1) / 2) / (k * sum(!wrong))
}

# A probability of the second level against labels that are right
scores <- function(p, class) {
  right <- ifelse(as.integer(class) == 2, p, 1 - p)
  data.frame(error = mean(right < 0.5), log_loss = -mean(log(pmax(right, 1e-15))))
}

# list(train, test, wrong): a share of the rows for testing; one label in ten is flipped in
# training
split_table <- function(data, test, seed) {
  set.seed(seed)
  out <- sample.int(nrow(data), test)
  set.seed(100 + seed) # flips and rows for testing must not share a stream
  train <- data[-out, ]
  wrong <- seq_len(nrow(train)) %in% sample.int(nrow(train), round(nrow(train) / 10))
  train$class[wrong] <- levels(data$class)[3 - as.integer(train$class[wrong])]
  list(train = train, test = data[out, ], wrong = wrong)
}

# Problems --------------------------------------------------------------------

# Two classes in d standard normal columns, three of which matter; one label in
# ten is flipped.
bench_problem <- function(n, d = 10, seed = 1) {
  set.seed(seed)
  X <- matrix(stats::rnorm(n * d), n)
  f <- X[, 1] + sin(2 * X[, 2]) + X[, 3] / 2
  y <- ifelse(f + stats::rnorm(n) * 0.3 > 0, 1, -1)
  wrong <- sample.int(n, round(n / 10))
  y[wrong] <- -y[wrong]
  list(
    X = X, y = y, columns = list(group = seq_len(d), weight = rep(1, d)),
    n = n, d = d,
    hyper = list(
      lengthscale = rep(sqrt(2 * d), d), variance = 1, bias = 0.1, nugget = 0.1
    )
  )
}

# The same as a table with labels that are right, of n rows and some for testing
bench_table <- function(n, seed = 1) {
  set.seed(seed)
  X <- matrix(stats::rnorm(10 * n), n, dimnames = list(NULL, letters[1:10]))
  f <- X[, 1] + sin(2 * X[, 2]) + X[, 3] / 2 + 0.3 * stats::rnorm(n)
  data.frame(X, class = factor(ifelse(f > 0, "event", "other")))
}

# Tables of two classes that come with R, kernlab or this package: NULL where the package is
# not there
real_tables <- c(
  "pima", "ionosphere", "sonar", "newthyroid", "birthwt", "biopsy", "crabs", "bacteria", "lung",
  "veteran", "pbc", "kyphosis", "titanic", "infert", "spam"
)

survival_table <- function(name) {
  if (requireNamespace("survival", quietly = TRUE)) {
    getExportedValue("survival", name)
  }
}

real_table <- function(name) {
  from <- function(package, set) {
    if (requireNamespace(package, quietly = TRUE)) {
      get(utils::data(list = set, package = package, envir = environment()))
    }
  }
  d <- switch(name,
    pima = , ionosphere = , sonar = , newthyroid = sturdy_data(name),
    birthwt = , biopsy = , crabs = , bacteria = from("MASS", name),
    lung = , veteran = , pbc = survival_table(name),
    kyphosis = from("rpart", "kyphosis"), spam = from("kernlab", "spam"),
    titanic = as.data.frame(datasets::Titanic), infert = datasets::infert
  )
  if (is.null(d)) {
    message("left out: ", name)
    return(NULL)
  }
  event <- switch(name,
    newthyroid = d$class == "normal", birthwt = d$low == 1, biopsy = d$class == "malignant",
    crabs = d$sp == "B", bacteria = d$y == "y", lung = , pbc = d$status == 2,
    veteran = d$status == 1, kyphosis = d$Kyphosis == "present", titanic = d$Survived == "Yes",
    infert = d$case == 1, spam = d$type == "spam", as.integer(d$class) == 2
  )
  label <- c(
    "class", "set", "low", "bwt", "sp", "y", "status", "Kyphosis", "Survived", "case", "type",
    "ID", "id", "index", "inst", "stratum", "pooled.stratum"
  )
  rows <- if (name == "titanic") rep(seq_len(nrow(d)), d$Freq) else seq_len(nrow(d))
  d <- d[rows, !names(d) %in% c(label, "Freq")]
  d$class <- factor(ifelse(event[rows], "event", "other"))
  d <- d[vapply(d, function(x) length(unique(x)) > 1, NA)]
  set.seed(5)
  stats::na.omit(d[sample.int(nrow(d)), ])
}

bench_control <- function(tol = 1e-6) {
  list(tol = tol, max_sweeps = 200, damping = 1, block = 64)
}

# Labels -1/+1 of which a share e is wrong, as the engine takes them: P(label | true class)
likely <- function(y, e) cbind(ifelse(y > 0, e, 1 - e), ifelse(y > 0, 1 - e, e))

bench_fit <- function(problem, df = Inf, epsilon = 0.1, control = bench_control(),
                      sites = NULL, criterion = "none", gradient = FALSE) {
  gp_fit(
    problem$X, problem$columns, problem$hyper, likely(problem$y, epsilon), df, sites,
    control, criterion, gradient
  )
}

# Seconds of one sweep over all sites and of one factorisation: differences of
# fits that do nothing else. The residuals show whether the sweep was followed by
# a factorisation: a sweep that raises the residual is discarded for the prior,
# whose posterior needs none.
part_seconds <- function(problem, df, epsilon, sites, threads, times = 9) {
  nothing <- bench_control(tol = 1e300)
  one <- bench_control(tol = 1e-300)
  one$max_sweeps <- 1
  seconds <- function(control, sites = NULL) {
    least_seconds(
      bench_fit(problem, df, epsilon, control, sites), times, threads
    )
  }
  kernel <- seconds(nothing)
  factored <- seconds(nothing, sites) - kernel
  swept <- seconds(one) - kernel
  residual <- bench_fit(problem, df, epsilon, one)$trace[, "residual"]
  kept <- residual[2] < residual[1]
  c(kernel = kernel, factor = factored, sweep = swept - kept * factored)
}

# Tables ----------------------------------------------------------------------

# Prints a table and saves it as results/<name>.csv next to the scripts, with a digest of the
# code that it measures. Rows for another BLAS that are already there are kept.
bench_save <- function(table, name, machine, key = NULL) {
  if (!smoke) {
    machine$code <- code_digest(name, dirname(dirname(normalizePath(bench_folder()))))
  }
  table <- cbind(machine, table)
  number <- vapply(table, is.double, logical(1))
  table[number] <- lapply(table[number], signif, digits = 4)
  print(table[setdiff(names(table), names(machine))], row.names = FALSE)
  if (smoke) {
    return(invisible())
  }
  folder <- file.path(bench_folder(), "results")
  dir.create(folder, showWarnings = FALSE)
  file <- file.path(folder, paste0(name, ".csv"))
  if (file.exists(file)) {
    old <- utils::read.csv(file, colClasses = "character") # such as numbers with all their bits
    key <- c("blas", "threads", key)
    if (setequal(names(old), names(table))) {
      read <- names(table)[!vapply(table, is.character, NA)]
      old[read] <- lapply(old[read], utils::type.convert, as.is = TRUE)
      table <- rbind(old[!do.call(paste, old[key]) %in% do.call(paste, table[key]), ], table)
    }
  }
  utils::write.csv(table, file, row.names = FALSE)
  # what vignettes read is installed with the package
  copy <- file.path(bench_folder(), installed_table(name))
  if (name %in% installed_tables) file.copy(file, copy, overwrite = TRUE)
}
