# Copies of rows: what is learned, is learned of one row that counts as often. So a table, and its
# different rows with case weights, give the same answer, and copies take no time.

copies_width <- 1e-9 # of the range of a column: values so close are one, but for rounding

#' Molded rows without copies, each with how many rows it stands for
#' @return list(molded, of: which of its rows stands for each of those given, `NULL` without copies)
#' @noRd
rows_apart <- function(molded) {
  data <- molded$data
  reports <- data$reports
  plain <- reports$classes == 2 && has_one_label(reports)
  of <- if (plain) alike_groups(c(list(report_kinds(reports)$kind), columns_apart(data$X)), copies_width)
  if (!anyDuplicated(of)) {
    return(list(molded = molded))
  }
  first <- which(!duplicated(of))
  times <- rowsum(report_times(reports), of)[, 1]
  molded$data <- data_of(data, first)
  molded$data$reports <- with_times(molded$data$reports, times)
  list(molded = molded, of = of)
}

#' A fit to rows apart as one to all of them: a copy has its share of the site [M 3.18]
#'
#' The site of a row that stands for t is that of t rows, (tau, nu); a copy that counts as s of them
#' has (s / t) (tau, nu). The posterior is as it was.
#' @param data of all rows. @param of see rows_apart().
#' @noRd
rows_together <- function(object, data, of) {
  if (is.null(of)) {
    return(object)
  }
  share <- report_times(data$reports) / report_times(object$data$reports)[of]
  object$data <- data
  if (!has_numbers(object$ep$b)) {
    return(object)
  }
  dense <- !is.null(object$kernel) && is.null(object$inducing)
  before <- object$ep
  before$sites <- lapply(before$sites, function(site) site[of] * share)
  ep <- kept_ep(refit_ep(object, sites = before$sites), object$spec)
  told <- c("status", "message", "rival", "sweeps", "newton", "skipped", "trace")
  if (ep$status == "converged") ep[told] <- before[told] # of the search, not of this one run more
  object$ep <- ep
  nodes <- object$nodes
  if (!is.null(nodes)) {
    nodes$tau <- nodes$tau[of, , drop = FALSE] * share
    if (dense) nodes$b <- nodes$b[of, , drop = FALSE] * share
    nodes$seen <- nodes$seen[of, , , drop = FALSE]
  }
  with_nodes(object, nodes)
}
