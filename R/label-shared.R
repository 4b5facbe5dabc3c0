# Readers who share errors: pairs whose labels go together more than their rates and the rows explain,
# and how many readers such a pair counts as [M 16.12, 16.13].

shared_pairs <- 28L    # that are looked at, those with most rows that both labelled,
shared_least <- 30L    # and at least so many,
shared_some <- 2000L   # on so many rows
shared_steps <- 100L   # of EM, which ends where a step gains no more nats:
shared_tol <- 1e-3
shared_most <- 1 - 1e-6 # below 1, so that nothing is impossible

#' Pairs of readers who share errors, one after the other, each reader in one at most
#'
#' Given the true class what a pair says is, in a share of the rows, coupled as closely as its rates let
#' it be, and independent in the others. It is taken where that is better by more than the share, and
#' the choice among pairs, make it (BIC).
#' @param seen n x C, probabilities of the true classes without the labels of the row. @param p with them.
#' @return a matrix with a row a pair: both readers, and how many they count as; `NULL` for none
#' @noRd
shared_errors <- function(reports, seen, p) {
  known <- report_known(reports)
  seen[known, ] <- p[known, ]
  some <- spread_over(reports$n, shared_some)
  labels <- reader_labels(reports)[some, , drop = FALSE]
  seen <- seen[some, , drop = FALSE]
  rows <- crossprod(!is.na(labels))
  pairs <- which(rows >= shared_least & upper.tri(rows), arr.ind = TRUE)
  pairs <- unname(pairs[utils::head(order(-rows[pairs]), shared_pairs), , drop = FALSE])
  found <- NULL
  now <- coupled_em(labels, found, seen, p[some, , drop = FALSE])
  while (nrow(pairs)) {
    tried <- lapply(seq_len(nrow(pairs)), function(k) {
      without <- labels
      without[, pairs[k, ]] <- NA # whose labels, taken for independent, may have decided the classes
      others <- coupled_em(without, found, seen, now$p, 1L)
      coupled_em(labels, rbind(found, pairs[k, ]), seen, others$p)
    })
    gain <- vapply(tried, `[[`, 1, "value") - now$value - log(rows[pairs]) / 2 - log(nrow(pairs))
    best <- which.max(gain)
    if (gain[best] <= 0) break
    found <- rbind(found, pairs[best, ])
    now <- tried[[best]]
    pairs <- pairs[!(pairs[, 1] %in% found | pairs[, 2] %in% found), , drop = FALSE]
  }
  count_as <- function(k) counted_as(now$omega[found[k, ]], now$share[k])
  if (!is.null(found)) cbind(found, vapply(seq_len(nrow(found)), count_as, 1))
}

#' Dawid and Skene's model with the probabilities of the rows in the place of shares of the classes, and
#' with coupled pairs, by EM
#' @param labels n x S. @param pairs a row each. @param p to start from.
#' @return list(value: log likelihood; p; omega: of each reader, C x C; share: of each pair)
#' @noRd
coupled_em <- function(labels, pairs, seen, p, steps = shared_steps) {
  share <- rep(0.5, NROW(pairs))
  last <- -Inf
  for (step in seq_len(steps)) {
    omega <- lapply(seq_len(ncol(labels)), function(s) reader_omega(labels[, s], p))
    joint <- log(seen)
    for (s in seq_along(omega)) {
      there <- !is.na(labels[, s])
      joint[there, ] <- joint[there, ] + log(t(omega[[s]]))[labels[there, s], ]
    }
    for (k in seq_along(share)) {
      both <- labels[, pairs[k, ]]
      there <- !is.na(rowSums(both))
      more <- coupled_factor(both[there, , drop = FALSE], omega[pairs[k, ]])
      if (step > 1) {
        by_share <- share[k] * more / (1 + share[k] * (more - 1))
        share[k] <- min(sum(p[there, ] * by_share) / sum(there), shared_most)
      }
      joint[there, ] <- joint[there, ] + log1p(share[k] * (more - 1))
    }
    of_row <- row_log_sum(joint)
    p <- exp(joint - of_row)
    if (sum(of_row) - last < shared_tol) break
    last <- sum(of_row)
  }
  list(value = sum(of_row), p = p, omega = omega, share = share)
}

#' The noise matrix of a reader, C x C, from the probabilities p of the true classes
#' @param labels of the reader, `NA` of other rows.
#' @noRd
reader_omega <- function(labels, p) {
  counts <- vapply(seq_len(ncol(p)), function(v) colSums(p[labels %in% v, , drop = FALSE]), numeric(ncol(p))) + 0.5
  counts / rowSums(counts)
}

#' How much more probable the labels of a pair are where they are coupled, n x C
#' @param both n x 2. @param omega a list of both.
#' @noRd
coupled_factor <- function(both, omega) {
  more <- t(coupled(omega, 1) / coupled(omega, 0))
  more[both[, 1] + nrow(omega[[1]]) * (both[, 2] - 1L), ]
}

#' What two readers say of each class, C x C^2, coupled as closely as may be in a share of the rows
#' @param omega a list of both.
#' @noRd
coupled <- function(omega, share) {
  t(vapply(seq_len(nrow(omega[[1]])), function(t) {
    one <- omega[[1]][t, ]
    other <- omega[[2]][t, ]
    same <- pmin(one, other)
    apart <- outer(one - same, other - same) / max(1 - sum(same), 1e-12)
    as.vector((1 - share) * outer(one, other) + share * (diag(same) + apart))
  }, numeric(length(omega[[1]]))))
}

#' How many readers a pair counts as: what like labels of both say of the classes over what they would if
#' the readers were independent. Unlike ones are rare, and their factors are not what is shared.
#' @param omega a list of both, see coupled_em(). @param share in which they are coupled.
#' @noRd
counted_as <- function(omega, share) {
  classes <- nrow(omega[[1]])
  like <- function(share) coupled(omega, share)[, seq(1, classes^2, by = classes + 1), drop = FALSE]
  now <- like(share)
  tells <- function(omega) {
    sum(vapply(seq_len(classes), function(t) sum((now[t, ] - t(now)) * (log(omega[t, ]) - log(t(omega)))), 1))
  }
  2 * min(max(tells(now) / tells(like(0)), 0.5), 1)
}
