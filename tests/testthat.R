library(testthat)
library(sturdy)

# CRAN's machines have no time for the files of tests that integrate and simulate much;
# everywhere else (tools/test.sh, coverage, NOT_CRAN=true) all files run
slow <- c(
  "answer-interval", "answer-review", "checks-memory", "edge", "exact-ais",
  "fit-classes", "learn-average", "learn-average-classes", "learn-laplace", "native-blas",
  "progress", "reference", "show-plot", "stream-batch",
  "stream-checkpoint"
)
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("sturdy")
} else {
  test_check("sturdy", filter = sprintf("^(?!(%s)$)", paste(slow, collapse = "|")), perl = TRUE)
}
