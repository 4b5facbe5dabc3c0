library(testthat)
library(sturdy)

test_check("sturdy")
