library(testthat)
library(sturdy)

# CRAN's machines have no time for the files of tests that integrate and simulate much (above two
# seconds each, by sturdy.test-seconds.csv beside the library of the clone);
# everywhere else (tools/test.sh, coverage, NOT_CRAN=true) all files run
slow <- c(
  "fit-nodes", "answer-called", "classes", "answer-interval",
  "answer-mislabelled-new", "answer-noise-test", "answer-paths", "answer-readers",
  "answer-review", "answer-sql", "answer-unlabelled", "answer-wrong-count", "checks",
  "checks-memory", "data-answers", "data-formula", "data-outcome", "data-rows", "default", "edge",
  "exact-ais", "exact-check", "exact-problem", "files", "fit-bpm", "fit-check", "fit-classes",
  "fit-copies", "fit-few", "latent-inducing", "fit-label-stage", "fit-label-stage-same",
  "fit-second-stage", "fit-second-stage-classes", "fit-second-stage-input", "fit-truth",
  "label-average", "label-learn", "label-overlap", "label-rows", "learn-average",
  "learn-average-classes", "learn-objective-budget", "learn-laplace", "learn-wide", "meet-butcher",
  "meet-insight", "meet-marginaleffects", "meet-mlr3", "native-blas", "progress", "reference",
  "second-order", "select-model", "shard-answer", "shard-rounds", "shard-source",
  "show-picture-fit", "show-plot", "show-report", "show-report-answers", "stream-checkpoint"
)
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("sturdy")
} else {
  test_check("sturdy", filter = sprintf("^(?!(%s)$)", paste(slow, collapse = "|")), perl = TRUE)
}
