# Tests are of fits at the optimum, which take a fraction of the time, unless they say
# hyper = "integrate"
withr::local_options(sturdy.hyper = "optimum", .local_envir = testthat::teardown_env())
