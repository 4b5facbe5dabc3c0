# Few nodes whose probabilities of new rows are those of all, which a fit that averages keeps.

few_least <- 30L            # labels: with fewer all nodes are used
few_looked_at <- 500L       # training rows at which the answers of nodes are compared
few_among <- 128L           # nodes that the few are chosen from
few_classes <- 6L           # up to which scores that favour two classes are compared, too
few_gap <- 0.0015           # rms difference of probabilities that is allowed,
few_gap_label <- 0.0005     # for the points of a label stage, less where there are very many rows,
few_gap_pictured <- 0.0005  # and for pictures, which show inputs away from the rows
few_slack <- 4              # times this gap is allowed where no nodes come nearer

#' @return list(node, their numbers; weight); `NULL` where rows are few.
#' @noRd
few_nodes <- function(object) {
  labels <- sum(report_times(object$data$reports))
  if (is_stage(object)) {
    choose_nodes(object, few_gap_label / sqrt(max(1, labels / label_rows_most[["two"]])))
  } else if (labels >= few_least) {
    choose_nodes(object)
  }
}

#' Nodes and weights under which the training rows, each without its label, have the
#' probabilities that they have under all
#'
#' With the answers F of node_answers() and the weights w of all nodes: v >= 0, most of it 0, for which the root
#' mean square of F v - F w is at most `gap`.
#' @noRd
choose_nodes <- function(object, gap = few_gap) {
  at <- nodes(object)
  among <- spread_nodes(at$model)
  answers <- node_answers(object, at$weight, among)
  weight <- sparse_weights(answers$each, answers$mean, gap)
  if (is.null(weight)) all_nodes(object) else list(node = among[weight > 0], weight = weight[weight > 0])
}

#' Some of very many nodes, of each noise model its share: the same in whatever order these are
#' @param model of each node.
#' @noRd
spread_nodes <- function(model) {
  some <- lapply(split(seq_along(model), model), function(mine) {
    mine[spread_over(length(mine), ceiling(few_among * length(mine) / length(model)))]
  })
  sort(unlist(some))
}

#' What each node says of some rows: probabilities p of the true class, their squares, which hold
#' how much nodes differ, and p Omega, of the recorded class; of a label stage also of scores anywhere,
#' which count as much as the rows
#' @param weight of the nodes, for their mean. @param among those whose own answers are wanted.
#' @return list(each: 3 (rows x classes) x those among; mean)
#' @noRd
node_answers <- function(object, weight, among) {
  rows <- rows_looked_at(object)
  if (!is_stage(object)) {
    p <- exp(node_seen(object)[rows, , , drop = FALSE])
    count <- 1
  } else {
    X <- object$data$X[rows, , drop = FALSE]
    anywhere <- scores_anywhere(ncol(X))
    group <- label_groups(object$data$reports)[rows]
    p <- label_seen_new(rbind(X, anywhere), object$nodes, group = group)
    count <- rep(c(1, nrow(X) / nrow(anywhere)), c(nrow(X), nrow(anywhere)))
  }
  omega <- as_slices(node_omega(object)) # C x C x K
  recorded <- vapply(seq_along(weight), function(k) {
    matrix(p[, , k], nrow(p)) %*% omega[, , k]
  }, matrix(0, nrow(p), ncol(p)))
  parts <- lapply(list(p, p^2, recorded), matrix, ncol = length(weight))
  times <- rep_len(sqrt(count / mean(count)), 3 * nrow(parts[[1]]))
  list(
    each = times * do.call(rbind, lapply(parts, function(part) part[, among, drop = FALSE])),
    mean = times * unlist(lapply(parts, `%*%`, weight))
  )
}

#' Scores that new rows may have: of each class against the others alike, and of few classes against
#' each other one alone
#' @noRd
scores_anywhere <- function(classes) {
  logit <- seq(-9, 9, by = 1.5)
  one <- lapply(seq_len(classes), function(t) outer(logit, seq_len(classes) == t))
  pairs <- if (classes > 2 && classes <= few_classes) utils::combn(classes, 2, simplify = FALSE)
  two <- lapply(pairs, function(pair) {
    eta <- matrix(-9, length(logit), classes)
    eta[, pair] <- outer(logit, c(0.5, -0.5))
    eta
  })
  eta <- exp(do.call(rbind, c(one, two)))
  eta / rowSums(eta)
}

#' Rows that stand for all, each as often as it counts: the same ones however the table, and its
#' classes, are in order
#' @noRd
rows_looked_at <- function(object) {
  X <- object$data$X
  y <- label_code(object$data)
  times <- report_times(object$data$reports)
  classes <- ncol(object$omega)
  scores <- is_stage(object) # then columns are classes, too
  turn <- class_turn(y, classes, times, if (scores) colSums(X) else numeric(classes))
  if (scores) X <- X[, turn, drop = FALSE]
  sorted <- table_sorted(X, match(y, turn))
  repeated_rows(sorted, times[sorted], few_looked_at)
}

#' Weights v >= 0, most of them 0, that give the columns of a matrix nearly this mean
#'
#' Least squares, |A v - mean|^2, by the active sets of Lawson and Hanson: the column along which
#' it falls fastest joins, and those that would be below 0 leave; over when the mean is near enough.
#' @param A numbers x columns. @param gap root mean square of what is left.
#' @return a weight a column, their sum 1; `NULL` where none come near
#' @noRd
sparse_weights <- function(A, mean, gap) {
  # a further row is for their sum
  mean <- c(mean, sqrt(nrow(A)))
  A <- rbind(A, sqrt(nrow(A)))
  gram <- crossprod(A)
  slope <- drop(crossprod(A, mean)) # of -|A v - mean|^2 / 2 at v = 0
  left <- function(v) (sum(v * (gram %*% v - 2 * slope)) + sum(mean^2)) / nrow(A)
  v <- numeric(ncol(A))
  used <- logical(ncol(A))
  before <- Inf
  while (left(v) > gap^2 && left(v) < before && !all(used)) { # as long as a further column helps
    before <- left(v)
    used[which.max(replace(slope - drop(gram %*% v), used, -Inf))] <- TRUE
    v <- least_squares_among(gram, slope, v, used)
    used <- v > 0
  }
  if (left(v) <= (few_slack * gap)^2) v / sum(v)
}

#' Least squares among the columns used, from v on: those whose weight would be below 0 leave at the
#' first step that would take one there
#' @noRd
least_squares_among <- function(gram, slope, v, used) {
  ridge <- 1e-10 * sum(diag(gram)) / ncol(gram)
  repeat {
    wanted <- numeric(length(v))
    wanted[used] <- solve(gram[used, used] + diag(ridge, sum(used)), slope[used])
    if (all(wanted[used] > 0)) {
      return(wanted)
    }
    low <- used & wanted <= 0
    v <- v + min((v / (v - wanted))[low]) * (wanted - v)
    used <- used & v > 1e-12
    v[!used] <- 0
  }
}
