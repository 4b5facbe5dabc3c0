# Evaluates code with variant k (0: R's BLAS) in the place of what the options chose
with_variant <- function(k, code, threads = 1L) {
  use_blas()
  on.exit(blas_state$asked <- NULL)
  use_variant(k, threads)
  force(code)
}
