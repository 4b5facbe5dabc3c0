# Speed of the dense operations, own kernels and the BLAS that R has, in one run:
# rank-64 update of a lower triangle, Cholesky factor, solve with 64 right-hand sides,
# product with 64 columns, in 10^9 operations a second.
#
#   Rscript blas.R [n ...]
#
# `of_blas` is own over BLAS. One thread.

args <- grep("^--file=", commandArgs(FALSE), value = TRUE)
source(file.path(dirname(sub("^--file=", "", args[1])), "helper.R"))

sizes <- as.integer(commandArgs(TRUE))
if (!length(sizes)) sizes <- sized(c(100, 250, 500, 1000, 2000, 4000), 60)
machine <- machine_line()
print_machine(machine)

speed <- utils::getFromNamespace("variant_speed", "sturdy")
variants <- c("BLAS", utils::getFromNamespace("variant_names", "sturdy")())

# The best of three, BLAS and the variants in turn, so that what else the machine does
# meets all of them
measure <- function(n) {
  rounds <- if (n > 1000) 1 else 3
  speeds <- lapply(seq_len(rounds), function(k) {
    vapply(seq_along(variants) - 1L, speed, numeric(4), threads = 1L, n = n)
  })
  speeds <- do.call(pmax, speeds) / 1e9
  colnames(speeds) <- variants
  do.call(rbind, lapply(variants[-1], function(own) {
    data.frame(
      n = n, operation = rownames(speeds), kernels = own, gflops = speeds[, own],
      blas_gflops = speeds[, "BLAS"], of_blas = speeds[, own] / speeds[, "BLAS"],
      row.names = NULL
    )
  }))
}

cat("\n")
table <- do.call(rbind, lapply(sizes, measure))
bench_save(table, "blas", machine)
