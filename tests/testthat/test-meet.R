# How sturdy meets other packages: without loading them.

r_process <- function(code) {
  system2(
    file.path(R.home("bin"), "Rscript"), c("--no-init-file", "-e", shQuote(code)),
    stdout = TRUE, stderr = TRUE, env = paste0("R_LIBS=", shQuote(paste(.libPaths(), collapse = ":")))
  )
}

test_that("loading sturdy loads none of the packages it meets", {
  loaded <- r_process("invisible(loadNamespace('sturdy')); cat(loadedNamespaces(), sep = '\\n')")
  expect_true("sturdy" %in% loaded)
  met <- c(
    "parsnip", "dials", "marginaleffects", "insight", "parameters", "performance", "mlr3",
    "paradox", "R6", "butcher", "vetiver", "tibble"
  )
  expect_identical(intersect(loaded, met), character())
})

test_that("the registry of parsnip has the model whichever package is loaded first", {
  skip_if_not_installed("parsnip")
  has <- "cat('gp_class' %in% parsnip::get_from_env('models'))"
  for (order in list(c("sturdy", "parsnip"), c("parsnip", "sturdy"))) {
    code <- paste0("invisible(loadNamespace('", order, "'))", collapse = "; ")
    expect_identical(r_process(paste(code, has, sep = "; ")), "TRUE")
  }
})

test_that("what needs a package that is not there says so", {
  without_packages("parsnip", expect_error(gp_class(), class = "sturdy_error_package"))
  for (parameter in list(gp_epsilon, gp_kernel, gp_inducing, gp_df)) {
    without_packages("dials", expect_error(parameter(), class = "sturdy_error_package"))
  }
})
