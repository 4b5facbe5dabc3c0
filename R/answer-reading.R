# Who should read what next, of a fit to readers: what one more reading of a row would tell of its
# class.

#' review() of a fit to readers
#' @noRd
review_readers <- function(object, n, id) {
  reports <- object$data$reports
  open <- object$data$unlabelled
  X <- if (length(open$rows)) rows_for_judge(object, open$X)
  object <- judged_by(object)
  said <- node_truth(object)
  told <- reading_told(said$p, said$weight, said$omega)
  # nobody reads a row again, or one whose class is known
  by_reader <- reports$source > 0L
  known <- report_known(reports)
  told$bits[cbind(reports$row, reports$source)[by_reader, , drop = FALSE]] <- NA
  told$bits[known, ] <- NA
  told$p[known, ] <- diag(reports$classes)[said$y[known], ]
  if (length(open$rows)) {
    new <- truth_new(object, X)
    none <- reading_told(new$p, new$weight, said$omega[new$node])
    told <- Map(rbind, told, none)
  }
  rows <- list(
    rows = c(object$data$rows, open$rows), row_names = c(object$data$row_names, open$row_names),
    n_given = object$data$n_given
  )
  found <- reading_list(told, rows, row_ids(rows, id), object$blueprint$levels, reports$sources)
  wrong <- sum(1 - row_max(told$p))
  chosen <- utils::head(found, n)
  structure(
    chosen, wrong = c(now = wrong, after = wrong - sum(chosen$gain)), open = nrow(found),
    listed = nrow(chosen), class = c("sturdy_reading", "data.frame")
  )
}

#' What a reading of each row by each reader would tell
#'
#' With the joint probability q(t, v) = sum_k w_k p_k(t) omega_k(r, t, v) of the true class and what
#' reader r would say, over nodes k: the mutual information of the two, and by how much the most
#' probable class is more often right.
#' @param p n x C x K. @param weight of the nodes. @param omega of each, S x C x C.
#' @return list(p, n x C, before; bits, gain: n x S)
#' @noRd
reading_told <- function(p, weight, omega) {
  weight <- shares(weight)
  before <- mean_over(p, weight)
  classes <- ncol(before)
  log2_of <- function(x) ifelse(x > 0, log2(x), 0)
  each <- lapply(seq_len(dim(omega[[1]])[1]), function(r) {
    bits <- right <- numeric(nrow(before))
    for (v in seq_len(classes)) {
      share <- vapply(omega, function(at) at[r, , v], numeric(classes)) # C x K
      joint <- mean_over(p * rep(share, each = nrow(before)), weight)
      chance <- rowSums(joint)
      bits <- bits + rowSums(joint * (log2_of(joint) - log2_of(chance * before)))
      right <- right + row_max(joint)
    }
    list(bits = pmax(bits, 0), gain = pmax(right - row_max(before), 0))
  })
  of <- function(name) matrix(unlist(lapply(each, `[[`, name)), nrow(before))
  list(p = before, bits = of("bits"), gain = of("gain"))
}

#' The best reading of each row, those that tell most first
#' @param told see reading_told(), its bits `NA` where there is none. @param ids of row_ids().
#' @noRd
reading_list <- function(told, rows, ids, levels, readers) {
  bits <- replace(told$bits, is.na(told$bits), -1)
  who <- max.col(bits, ties.method = "first")
  at <- cbind(seq_along(who), who)
  class <- max.col(told$p, ties.method = "first")
  found <- data.frame(
    with_ids(rows$rows, ids), reader = readers[who],
    suggested = factor(levels[class], levels = levels), p_suggested = row_max(told$p),
    gain = told$gain[at], bits = bits[at], check.names = FALSE
  )
  found <- found[order(-found$bits, found$row), ]
  found <- found[found$bits >= 0, ]
  row.names(found) <- make.unique(as.character(found$row))
  found
}

#' @rdname review
#' @export
print.sturdy_reading <- function(x, digits = 2, ...) {
  digits <- check_digits(digits)
  wrong <- function(k) format(signif(attr(x, "wrong"), digits), trim = TRUE)[k]
  title <- paste0("<sturdy_reading> ", count(nrow(x), "row"), " to read, of ", attr(x, "open"))
  print_list(x, digits, title, c(
    "Expected to be called wrong" = paste0(wrong(1), " now, ", wrong(2), " after these readings")
  ))
}
