# Tests are of fits at the optimum, which take a fraction of the time, unless they say
# hyper = "integrate"; and silent, for tests take long on busy machines
withr::local_options(
  sturdy.hyper = "optimum", sturdy.progress = FALSE, .local_envir = testthat::teardown_env()
)
