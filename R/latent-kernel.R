# Kernel space: one latent function, whose sites are its values at the rows.

#' @param X encoded inputs (n x p). @param columns list(group, weight), an entry a
#'   column: its lengthscale, the weight of its squared differences.
#' @param labels see row_labels(). @param kernel resolved kernel.
#' @noRd
latent_kernel <- function(X, columns, labels, kernel) {
  check_memory(5 * nrow(X)^2 + 2 * length(X), nrow(X), TRUE)
  rows <- latent_rows(X, labels, c(row_fields, "b"))
  X <- rows$X
  new_latent(
    n = rows$n, columns = ncol(X), classes = labels$reports$classes, functions = 1L,
    y = labels$y, reports = rows$reports,
    hyper = named_hyper(kernel), free = free_hyper(kernel, X), prior = kernel$prior,
    second = TRUE,
    some = function(k) {
      latent_kernel(X[seq_len(k), , drop = FALSE], columns, rows$first(k), kernel)
    },
    ep = row_ep(rows, columns, NULL, 5 * rows$n^2)
  )
}
