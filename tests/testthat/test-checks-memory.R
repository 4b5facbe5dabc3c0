test_that("too many rows are refused before anything is allocated", {
  withr::local_options(sturdy.max_memory = 2^30)
  expect_silent(check_memory(2^27, 1000, TRUE))
  expect_error(check_memory(2^27 + 1, 1000, TRUE), class = "sturdy_error_memory")
  expect_snapshot({
    said(check_memory(5e12, 1e6, TRUE))
    said(check_memory(5e12, 1e6, FALSE))
  })
  withr::local_options(sturdy.max_memory = Inf)
  expect_silent(check_memory(5e12, 1e6, TRUE))
})

test_that("the memory limit is a positive number on every system", {
  withr::local_options(sturdy.max_memory = NULL)
  expect_gt(memory_limit(), 0)
  expect_equal(format_bytes(3 * 2^30), "3 GiB")
  expect_equal(format_bytes(0), "0 B")
})

# What limits there are -----------------------------------------------------------

fake_root <- function(files, envir = parent.frame()) {
  root <- withr::local_tempdir(.local_envir = envir)
  for (name in names(files)) {
    dir.create(dirname(file.path(root, name)), FALSE, TRUE)
    writeLines(files[[name]], file.path(root, name))
  }
  root
}
machine <- list(
  "proc/meminfo" = c("MemTotal: 9999999 kB", "MemAvailable:    4096000 kB"),
  "proc/self/status" = c("VmPeak: 1 kB", "VmSize:\t  1024 kB", "VmData:\t  512 kB"),
  "proc/self/limits" = c(
    "Max data size             unlimited            unlimited            bytes     ",
    "Max address space         unlimited            unlimited            bytes     "
  )
)

test_that("the least of all limits counts: machine, process, control groups", {
  withr::local_options(sturdy.max_memory = NULL)
  limit <- function(...) memory_limit(fake_root(utils::modifyList(machine, list(...))))
  expect_equal(limit(), 4096000 * 1024)
  expect_equal(
    limit("proc/self/limits" = "Max address space    3145728    3145728    bytes"),
    2 * 2^20
  )
  expect_equal(
    limit("proc/self/limits" = "Max data size        1048576    unlimited  bytes"),
    2^19
  )
  v2 <- list(
    "proc/self/cgroup" = "0::/user/job", "sys/fs/cgroup/user/job/memory.max" = "max",
    "sys/fs/cgroup/user/job/memory.current" = "5", "sys/fs/cgroup/user/memory.max" = "1000",
    "sys/fs/cgroup/user/memory.current" = "700",
    "sys/fs/cgroup/user/memory.stat" = c("anon 600", "inactive_file 50", "file 60")
  )
  expect_equal(do.call(limit, v2), 350)
  # used beyond the limit already
  v2[["sys/fs/cgroup/user/memory.current"]] <- "1100"
  expect_equal(do.call(limit, v2), 0)
  v1 <- list(
    "proc/self/cgroup" = c("9:name=systemd:/", "4:cpu,memory:/docker/ab"),
    "sys/fs/cgroup/memory/memory.limit_in_bytes" = "1000", # of the container itself
    "sys/fs/cgroup/memory/memory.usage_in_bytes" = "400"
  )
  expect_equal(do.call(limit, v1), 600)
  expect_equal(memory_limit(file.path(tempdir(), "nowhere")), min(
    16 * 2^30, if (getRversion() >= "4.2.0") 2^20 * mem.maxVSize()
  ))
})

# Running out ------------------------------------------------------------------------

limited_script <- '
library(sturdy)
options(sturdy.progress = FALSE)
said <- function(code) cat(tryCatch({ code; "fine" }, error = function(cnd) class(cnd)[1]), "")
X <- matrix(rnorm(12000), ncol = 2)
y <- X[, 1] > 0
held <- kernel_iso(1, fixed = TRUE)
fit <- gpc(X[1:50, ], y[1:50], epsilon = 0.05, kernel = held)
said(gpc(X, y, inducing = NULL))
options(sturdy.max_memory = Inf) # no estimate: it is tried
said(gpc(X, y, inducing = NULL, kernel = held, epsilon = 0.05))
said(ep_fit(diag(6000), y))
said(predict(fit, matrix(0, 4e7, 2)))
said(posterior_sample(fit, 4e7))
said(check_fit(fit, draws = 4e7))
said(bpm(matrix(0, 6000, 9000), y))
if (extended) said(gpc(X, y, inducing = NULL)) # after a search on some rows
said(predict(fit, X[1:3, ]))
'

test_that("under `ulimit -v` large fits end in an error, and small ones go on", {
  skip_on_os(c("windows", "mac", "solaris"))
  skip_on_cran()
  skip_on_covr() # whose child could not write its counts
  script <- withr::local_tempfile(
    lines = c(paste("extended <-", extended()), limited_script), fileext = ".R"
  )
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = ":"))
  # over what R takes with the package, which depends on the BLAS and its threads
  size <- withr::local_tempfile(fileext = ".R", lines = paste(
    "library(sturdy); invisible(ep_fit(diag(2), 0:1))",
    "cat(gsub('[^0-9]', '', grep('^VmPeak', readLines('/proc/self/status'), value = TRUE)))",
    sep = "\n"
  ))
  rscript <- sprintf("'%s/Rscript'", R.home("bin"))
  taken <- as.numeric(system(paste(rscript, size), intern = TRUE))
  run <- sprintf("ulimit -v %.0f; %s '%s' 2>&1", taken + 770000, rscript, script)
  said <- strsplit(paste(system(run, intern = TRUE), collapse = " "), " ")[[1]]
  large <- 7 + extended() # the first is refused, the others run out
  expect_identical(said[1], "sturdy_error_memory")
  # then R ends, some versions with a warning that they can't start a process
  expect_identical(said[seq_len(large + 1)] == "fine", c(logical(large), TRUE))
})
