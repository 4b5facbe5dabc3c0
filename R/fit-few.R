# Few nodes whose probabilities of new rows are those of all, which a fit that averages keeps,
# and variances through inducing inputs: a mean takes n steps a row and node, an exact
# variance n^2.

few_least <- 30L            # labels; with fewer, all nodes are used
few_looked_at <- 500L       # of the training rows that nodes are chosen by,
few_among <- 128L           # among so many of the nodes;
few_classes <- 6L           # up to so many whose pairs are looked at, too;
few_gap <- 0.0015           # and the difference allowed there, rms of probabilities;
few_gap_label <- 0.0005     # of the points of a label stage, less where there are very many rows;
few_gap_pictured <- 0.0005  # less for pictures, which are of inputs far from few rows
few_slack <- 4              # so many times as much where no more can be had
few_inducing <- c(100, 200) # inputs that variances go through: the first that are enough,
few_times <- 4              # where there are so many times as many rows
few_checked <- 100L         # rows at which that is looked at

#' @return list(node, their numbers; weight; and with a dense kernel and many rows Z and C
#'   (k x k x (functions and nodes)), inducing inputs and the covariance of the features there);
#'   `NULL` where rows are few.
#' @noRd
few_nodes <- function(object) {
  if (!is.null(object$recalibration)) {
    choose_nodes(object, few_gap_label / sqrt(max(1, sum(report_times(object$data$reports)) / label_rows_most[["two"]])))
  } else if (sum(report_times(object$data$reports)) >= few_least) {
    chosen <- choose_nodes(object)
    c(chosen, few_covariance(object, chosen))
  }
}

# Which -------------------------------------------------------------------------------

#' Nodes and weights under which the training rows, each without its label, have the
#' probabilities that they have under all
#'
#' With F of node_answers() and the weights w of all nodes: v >= 0, most of it 0, for which the root
#' mean square of F v - F w is at most `gap`.
#' @noRd
choose_nodes <- function(object, gap = few_gap) {
  at <- nodes(object)
  answers <- node_answers(object)
  # of each noise model, so that in whatever order these are
  among <- sort(unlist(lapply(split(seq_along(at$weight), at$model), function(k) {
    k[spread_over(length(k), ceiling(few_among * length(k) / length(at$weight)))]
  })))
  weight <- sparse_weights(answers[, among, drop = FALSE], drop(answers %*% at$weight), gap)
  if (is.null(weight)) {
    return(list(node = seq_along(at$weight), weight = at$weight))
  }
  list(node = among[weight > 0], weight = weight[weight > 0])
}

#' What each node says of some rows: probabilities p of the true class, their squares, which hold
#' how much nodes differ, and p Omega, of the recorded class; of a label stage also anywhere
#' @return 3 (rows x classes) x K
#' @noRd
node_answers <- function(object) {
  rows <- rows_looked_at(object)
  anywhere <- NULL
  seen <- if (is.null(object$recalibration)) {
    exp(node_seen(object)[rows, , , drop = FALSE])
  } else {
    anywhere <- scores_anywhere(ncol(object$data$X))
    group <- label_groups(object$data$reports)[rows]
    label_seen_new(rbind(object$data$X[rows, , drop = FALSE], anywhere), object$nodes, group = group)
  }
  omega <- as_slices(node_omega(object))
  recorded <- Reduce(`+`, lapply(seq_len(nrow(omega)), function(t) {
    seen[, rep(t, nrow(omega)), , drop = FALSE] * rep(omega[t, , ], each = nrow(seen))
  }))
  said <- do.call(rbind, lapply(list(seen, seen^2, recorded), matrix, ncol = dim(seen)[3]))
  # scores anywhere count as much as the rows
  times <- rep(c(1, length(rows) / NROW(anywhere)), c(length(rows), NROW(anywhere)))
  said * rep_len(sqrt(times / mean(times)), nrow(said))
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
  stage <- !is.null(object$recalibration)
  then <- if (stage) colSums(X) else numeric(ncol(object$omega))
  turn <- class_turn(y, ncol(object$omega), times, then)
  if (stage) X <- X[, turn, drop = FALSE]
  sorted <- do.call(order, table_keys(X, match(y, turn)))
  repeated_rows(sorted, times[sorted], few_looked_at)
}

#' Weights v >= 0, most of them 0, that give the columns of a matrix nearly this mean
#'
#' Least squares, |said v - mean|^2, by the active sets of Lawson and Hanson: the column along which
#' it falls fastest joins, and those that would be below 0 leave; over when the mean is near enough.
#' @param said numbers x columns. @param gap root mean square of what is left.
#' @return a weight a column, their sum 1; `NULL` where none come near
#' @noRd
sparse_weights <- function(said, mean, gap) {
  # a further row is for their sum
  mean <- c(mean, sqrt(nrow(said)))
  said <- rbind(said, sqrt(nrow(said)))
  gram <- crossprod(said)
  with_mean <- drop(crossprod(said, mean))
  left <- function(w) (sum(w * (gram %*% w - 2 * with_mean)) + sum(mean^2)) / nrow(said)
  found <- numeric(ncol(said))
  used <- logical(ncol(said))
  last <- Inf
  while (left(found) > gap^2) {
    if (all(used) || left(found) >= last) {
      if (left(found) > (few_slack * gap)^2) {
        return(NULL)
      }
      break
    }
    last <- left(found)
    slope <- replace(with_mean - drop(gram %*% found), used, -Inf)
    used[which.max(slope)] <- TRUE
    repeat {
      wanted <- numeric(ncol(said))
      ridge <- diag(1e-10 * sum(diag(gram)) / ncol(gram), sum(used))
      wanted[used] <- solve(gram[used, used] + ridge, with_mean[used])
      if (all(wanted[used] > 0)) break
      low <- used & wanted <= 0
      found <- found + min((found / (found - wanted))[low]) * (wanted - found)
      used <- used & found > 1e-12
      found[!used] <- 0
    }
    found <- wanted
  }
  found / sum(found)
}

# How -----------------------------------------------------------------------------------

#' Inducing inputs through which the variances of a dense kernel are near enough
#' @param chosen see choose_nodes(). @return list(Z, C), or `NULL`.
#' @noRd
few_covariance <- function(object, chosen) {
  if (is.null(object$kernel) || !is.null(object$inducing)) {
    return(NULL)
  }
  for (m in few_inducing[few_inducing * few_times <= length(object$data$y)]) {
    made <- inducing_variances(object, chosen$node, few_inputs(object, m))
    if (is.null(made)) break
    if (variance_gap(object, chosen, made) < few_gap) {
      return(made)
    }
  }
}

#' All nodes, with the variances that are near enough at few
#'
#' The probabilities of wrong labels of new rows, and their number, are of all: a few that agree on
#' the true classes need not agree on them together with the rates.
#' @noRd
every_node <- function(object) {
  at <- all_nodes(object)
  Z <- object$nodes$few$Z
  c(at, if (!is.null(Z)) inducing_variances(object, at$node, Z))
}

few_inputs <- function(object, m) {
  X <- object$data$X
  lengthscale <- class_hyper(kernel_hyper(object$kernel), 1)$lengthscale
  place_inducing(X[table_order(X), , drop = FALSE], model_columns(object), lengthscale, m)
}

#' Inducing inputs, and at each node the covariance of the features there given the sites of all
#' rows [M 9.6], the upper left of a slice where another node has more; `NULL` where a covariance is
#' none
#' @noRd
inducing_variances <- function(object, node, Z) {
  X <- object$data$X
  columns <- model_columns(object)
  hyper <- function_hyper(object, node)
  tau <- node_columns(object, "tau", node, object$ep$sites$tau)
  C <- lapply(seq_along(hyper), function(j) {
    at <- native_features(X, Z, columns, hyper[[j]])
    share <- 1 + tau[, j] * at$lambda / report_times(object$data$reports)
    weighted <- at$Phi * rep(tau[, j] / share, each = nrow(at$Phi))
    B <- diag(nrow(at$Phi)) + native_product(t(weighted), t(at$Phi))
    if (all(share > 0)) tryCatch(chol2inv(chol(B)), error = function(cnd) NULL)
  })
  if (!any(vapply(C, is.null, NA))) list(Z = Z, C = as_slices(C))
}

#' What probabilities differ by at some rows when their variances go through inducing inputs, at
#' the node with the largest weight (rms)
#' @noRd
variance_gap <- function(object, chosen, made) {
  top <- which.max(chosen$weight)
  at <- list(node = chosen$node[top], weight = 1)
  functions <- latent_functions(object)
  made$C <- made$C[, , (top - 1) * functions + seq_len(functions), drop = FALSE]
  X <- object$data$X[spread_over(length(object$data$y), few_checked), , drop = FALSE]
  exact <- node_latent(object, X, at)
  s2 <- node_latent(object, X, c(at, made))$s2
  sqrt(mean((stats::pnorm(exact$m / sqrt(exact$s2)) - stats::pnorm(exact$m / sqrt(s2)))^2))
}
