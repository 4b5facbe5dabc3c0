# One and two threads of the BLAS: the same fits to 1e-8. Each case is fitted by two
# child processes, which differ in the number of threads alone; with a BLAS that has no
# threads the two are the same.

local({
  file <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  source(file.path(dirname(sub("^--file=", "", file[1])), "helper.R"))
})

work <- '
library(sturdy)
set.seed(as.integer(commandArgs(TRUE)[3]))
cases <- as.integer(commandArgs(TRUE)[2])
results <- lapply(seq_len(cases), function(i) {
  n <- sample(c(60, 150, 300), 1)
  d <- as.data.frame(matrix(rnorm(4 * n), n))
  d$y <- d$V1 + sin(2 * d$V2) + rnorm(n, sd = 0.3) > 0
  wrong <- runif(n) < 0.1
  d$y[wrong] <- !d$y[wrong]
  kernel <- kernel_ard(2, nugget = 0.1, fixed = TRUE)
  fits <- suppressWarnings(list(
    gpc(y ~ ., d, kernel = kernel, epsilon = 0.1),
    stc(y ~ ., d, df = 5, kernel = kernel, epsilon = 0.1),
    bpm(y ~ ., d, epsilon = 0.1), gpc(y ~ ., d[1:60, ], kernel = kernel_iso())
  ))
  lapply(fits, function(fit) {
    list(
      probability = unlist(predict(fit, d, type = "prob")),
      evidence = fit$ep$log_evidence, loo = sum(fit$ep$loo)
    )
  })
})
saveRDS(results, commandArgs(TRUE)[1])
'

campaign <- campaign_start("threads", cases = 10, seconds = 600)
script <- tempfile(fileext = ".R")
writeLines(work, script)
run <- function(threads) {
  file <- tempfile(fileext = ".rds")
  variables <- paste0(c("OPENBLAS", "OMP", "MKL"), "_NUM_THREADS=", threads)
  system2(
    file.path(R.home("bin"), "Rscript"),
    c("--no-init-file", shQuote(script), shQuote(file), campaign$cases,
      campaign$seed), env = variables
  )
  readRDS(file)
}
one <- unlist(run(1))
two <- unlist(run(2))
cat("BLAS:", extSoftVersion()[["BLAS"]], "\n")
campaign_figure(campaign, "numbers compared", length(one))
campaign_figure(
  campaign, "largest difference", max(abs(one - two) / pmax(1, abs(one))), at_most = 1e-8
)
campaign_end(campaign)
