# A function that answers the same question once: fits that several tests of a file ask are made by
# the first of them. A fit depends on its arguments alone (tests say so), but not where a test puts
# other functions in the place of some (local_mocked()): such a test makes its own.
made_once <- function(f) {
  force(f)
  kept <- new.env()
  function(...) {
    key <- rlang::hash(list(..., getOption("sturdy.hyper")))
    if (is.null(kept[[key]])) kept[[key]] <- f(...)
    kept[[key]]
  }
}
