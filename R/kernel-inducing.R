# Where inducing inputs stand.

# A kernel is dense up to where EP between all rows, with nodes as few as it can afford, takes as
# long as through inducing inputs: rows of two classes, and of several
inducing_auto_rows <- c(500, 300)
inducing_auto <- 100
# With fewer rows than this more of them are affordable, (this / rows)^power times as many, at
# most twice: n m^2 rises with the rows
inducing_auto_work <- 4000
inducing_auto_power <- 0.35
inducing_sample <- 4000    # rows that centres are found among
inducing_steps <- 15       # of Lloyd's algorithm

#' The argument `inducing`, checked
#' @noRd
check_inducing <- function(inducing) {
  if (is.null(inducing) || identical(inducing, "auto")) {
    return(inducing)
  }
  if (is.matrix(inducing) || is.data.frame(inducing)) {
    must(nrow(inducing) > 0, "inducing", "have at least one row", "inducing")
    return(inducing)
  }
  must(
    is_number(inducing), "inducing",
    "be {.val auto}, {.code NULL}, a number, or a table of inputs", "inducing", got = inducing
  )
  check_count(inducing, "inducing", 1, 1e5)
}

#' k-means++ centres in the metric of the kernel
#'
#' Of the first rows of X, which table_order() has spread over all. The draws of k-means++
#' are steps of the golden ratio: the centres are a function of the rows alone. Centres of
#' columns with levels are replaced by the rows nearest to them.
#' @param columns list(group, weight). @param lengthscale one a group.
#' @return at most m distinct rows
#' @noRd
place_inducing <- function(X, columns, lengthscale, m) {
  some <- X[seq_len(min(nrow(X), inducing_sample)), , drop = FALSE]
  cells <- some
  cells[] <- apply(some, 2, in_cells)
  some <- some[!duplicated(cbind(cells, 0)), , drop = FALSE] # without columns all are one
  if (nrow(some) <= m) {
    return(some)
  }
  power <- function(v) 2^-floor(log2(max(abs(v)))) # exact: distances are compared alone, and no square overflows
  unit <- sqrt(columns$weight) / as.vector(lengthscale)[columns$group]
  unit <- unit * power(unit)
  middle <- colMeans(some) # far from 0 distances by products would lose their digits
  scaled <- (some - rep(middle, each = nrow(some))) * rep(unit, each = nrow(some))
  size <- power(scaled)
  scaled <- scaled * size
  centre <- lloyd(scaled, spread_rows(scaled, m))
  if (any(columns$weight < 1)) {
    nearest <- max.col(-squared_distances(centre, scaled), ties.method = "first")
    return(some[unique(nearest), , drop = FALSE])
  }
  centre * rep(1 / (size * unit), each = nrow(centre)) + rep(middle, each = nrow(centre))
}

#' Numbers of m rows far from each other
#' @noRd
spread_rows <- function(X, m) {
  chosen <- 1L
  size <- rowSums(X^2)
  distance <- rep(Inf, nrow(X))
  for (k in seq_len(m - 1)) {
    last <- chosen[k]
    distance <- pmin(distance, size + size[last] - 2 * drop(X %*% X[last, ]))
    distance[chosen] <- 0
    total <- cumsum(distance)
    chosen[k + 1] <- 1L + sum(total < golden_share(k) * total[nrow(X)])
  }
  chosen
}

lloyd <- function(X, start) {
  centre <- X[start, , drop = FALSE]
  nearest <- 0
  for (step in seq_len(inducing_steps)) {
    before <- nearest
    nearest <- max.col(-squared_distances(X, centre), ties.method = "first")
    if (identical(nearest, before)) break
    centre <- rowsum(X, nearest) / tabulate(nearest)[sort(unique(nearest))]
  }
  unname(centre)
}

squared_distances <- function(A, B) outer(rowSums(A^2), rowSums(B^2), "+") - 2 * tcrossprod(A, B)
