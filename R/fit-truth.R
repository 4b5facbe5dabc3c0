# What a fit says of the true classes: the one thing that every answer about labels is made
# of, for any number of classes C and of nodes K.

#' The posterior of the true class of each training row, the nodes of a noise model being one
#'
#' A fit that averages keeps it: means over the nodes are those of node_truth(), at a fraction of
#' its cost.
#' @return as node_truth(), which it is of a fit at one point. Of one that averages, K is the
#'   number of noise models, and recorded (n x C x K), see recorded_each(), stands in the place of
#'   omega.
#' @noRd
truth <- function(object) {
  kept <- object$nodes$truth
  if (is.null(kept$recorded)) node_truth(object) else kept
}

#' The same under each node [M 13.3]
#'
#' With the likelihood L of the reports on a row and the probabilities pi of its true class
#' given the other rows, p = L pi / Z, Z = sum L pi.
#' @return list(p, loo: n x C x K, the posterior and pi; log_z, n x K: log probability of each
#'   label given the other rows; weight and model [K]; y [n], the labels as 1..C; source [n], of
#'   the labels, 0 where they are right for certain; omega, K arrays S x C x C).
#' @noRd
node_truth <- function(object) {
  new_truth(nodes(object), node_seen(object), labelled_data(object))
}

#' The labels of a fit; of one that keeps no rows none
#' @noRd
labelled_data <- function(object) {
  if (!is.null(object$data)) {
    return(object$data)
  }
  list(y = numeric(), reports = label_reports(integer(), ncol(object$omega)))
}

#' What the log probability of each of n new labels counts for among nodes: given a node rows are
#' taken as independent, but what is not known of the latent function they share, so that all of
#' them together count for no more labels than the fit has [M 13.6]
#' @noRd
new_share <- function(object, n) min(1, label_total(object) / n)

#' @param at see nodes(). @param seen see node_seen().
#' @noRd
new_truth <- function(at, seen, data) {
  reports <- data$reports
  y <- label_code(data)
  source <- label_source(reports)
  known <- which(source == 0L)
  size <- dim(seen)
  likelihoods <- lapply(at$omega, report_likelihood, reports = reports)
  joint <- array(log(unlist(likelihoods)), size)
  # whatever else was reported of it, a label that is right for certain is one
  joint[known, , ] <- log(diag(size[2]))[y[known], ]
  joint <- joint + seen
  each <- function(x, f) { # over the classes: n x K
    Reduce(f, lapply(seq_len(size[2]), function(t) matrix(x[, t, ], size[1], size[3])))
  }
  classes <- rep(seq_len(size[3]), each = size[2])
  most <- each(joint, pmax)
  most[most == -Inf] <- 0
  p <- exp(joint - as.vector(most[, classes]))
  sums <- each(p, `+`)
  log_z <- most + log(sums)
  p <- p / as.vector(sums[, classes])
  list(
    p = p, loo = exp(seen), log_z = log_z, weight = at$weight, model = at$model, y = y,
    source = source, omega = at$omega
  )
}

#' The nodes of each noise model taken together
#'
#' A label is left out of the weights of nodes: 1 / Z is what has a mean.
#' @param truth see node_truth().
#' @noRd
truth_by_model <- function(truth) {
  models <- unique(truth$model)
  parts <- lapply(models, function(model) truth_under(truth, model))
  size <- c(dim(truth$p)[1:2], length(parts))
  each <- function(of, size) array(unlist(lapply(parts, of)), size)
  list(
    p = each(function(part) mean_over(part$p, part$weight), size),
    loo = each(function(part) mean_over(part$loo, left_out_weight(part)), size),
    recorded = each(recorded_prob, size),
    log_z = each(left_out_score, size[-2]),
    weight = vapply(models, function(m) sum(truth$weight[truth$model == m]), 0, USE.NAMES = FALSE),
    model = models, y = truth$y, source = truth$source
  )
}

# Of many rows at once only so many numbers by row, class and node are looked at,
truth_block <- 4e6
# and noise models that are less probable than this take no room
truth_least <- 1e-25

#' The nodes of each noise model taken together, block by block of the rows: what the nodes say one
#' by one takes many times the room
#' @param at,seen,data see new_truth(). @param block see truth_block.
#' @return list(truth: see truth_by_model(), without noise models that are next to impossible;
#'   wrong: see wrong_each(), of all nodes; where several reports of a row are wrong together, in
#'   its place `each`: see node_truth())
#' @noRd
truth_in_blocks <- function(at, seen, data, block = truth_block) {
  by_model <- vapply(split(at$weight, at$model), sum, 0)
  best <- names(which.max(by_model[setdiff(names(by_model), "none")])) # tells which labels
  keep <- union(names(by_model)[by_model >= truth_least * sum(by_model)], best)
  reduced <- function(each) {
    truth_by_model(if (all(each$model %in% keep)) each else truth_under(each, keep))
  }
  if (by_readers(data$reports)) {
    each <- new_truth(at, seen, data)
    return(list(truth = reduced(each), each = each))
  }
  parts <- said_in_blocks(at, seen, data, function(each) {
    list(truth = reduced(each), wrong = wrong_each(each))
  }, block)
  list(
    truth = bind_truths(lapply(parts, `[[`, "truth")),
    wrong = do.call(rbind, lapply(parts, `[[`, "wrong"))
  )
}

#' Something of what the nodes say of each block of rows
#' @param of a function of what node_truth() gives. @return a list of what it gives.
#' @noRd
said_in_blocks <- function(at, seen, data, of, block = truth_block) {
  n <- dim(seen)[1]
  rows <- max(1, floor(block / prod(dim(seen)[-1])))
  if (rows >= n) {
    return(list(of(new_truth(at, seen, data))))
  }
  unname(lapply(split(seq_len(n), (seq_len(n) - 1) %/% rows), function(rows) {
    said <- list(y = data$y[rows], reports = reports_of(data$reports, rows))
    of(new_truth(at, seen[rows, , , drop = FALSE], said))
  }))
}

#' What is said of blocks of rows, one after the other
#' @param parts see truth_by_model().
#' @noRd
bind_truths <- function(parts) {
  if (length(parts) == 1) {
    return(parts[[1]])
  }
  all <- parts[[1]]
  before <- cumsum(c(0, vapply(parts, function(part) length(part$y), 1L)))
  n <- before[[length(before)]]
  for (field in c("p", "loo", "recorded")) {
    all[[field]] <- array(0, c(n, dim(parts[[1]][[field]])[-1]))
    for (k in seq_along(parts)) {
      all[[field]][before[k] + seq_along(parts[[k]]$y), , ] <- parts[[k]][[field]]
    }
  }
  all$log_z <- do.call(rbind, lapply(parts, `[[`, "log_z"))
  for (field in c("y", "source")) all[[field]] <- unlist(lapply(parts, `[[`, field), FALSE, FALSE)
  all
}

#' What is said of the true classes under some noise models
#' @param truth see truth() and node_truth().
#' @noRd
truth_under <- function(truth, models) {
  mine <- which(truth$model %in% models)
  arrays <- intersect(c("p", "loo", "recorded"), names(truth))
  truth[arrays] <- lapply(truth[arrays], function(x) x[, , mine, drop = FALSE])
  truth$log_z <- truth$log_z[, mine, drop = FALSE]
  truth$weight <- shares(truth$weight[mine])
  truth[c("model", "omega")] <- lapply(truth[c("model", "omega")], `[`, mine)
  truth
}

#' The same of new rows, whose labels are not known
#' @param X encoded inputs. @return list(p, m x C x K; node and weight, see used_nodes()).
#' @noRd
truth_new <- function(object, X, call = rlang::caller_env(), used = used_nodes(object)) {
  c(list(p = exp(seen_new(object, X, call, used))), used[c("node", "weight")])
}

#' Their logs, which are finite
#' @return m x C x K
#' @noRd
seen_new <- function(object, X, call, used) {
  UseMethod("seen_new")
}

seen_new.sturdy_model <- function(object, X, call, used) {
  latent <- node_latent(object, X, call, used)
  width <- lapply(nodes_hyper(object)[latent$node], `[[`, "width")
  seen <- lapply(seq_along(latent$weight), function(k) {
    class_log_prob(at_k(latent$m, k), at_k(latent$s2, k), object$spec$df, width[[k]])
  })
  array(unlist(seen), c(nrow(X), length(object$blueprint$levels), length(seen)))
}

#' The k-th matrix of an array
#' @noRd
at_k <- function(x, k) array(x[, , k], dim(x)[1:2])

# Averaged over nodes -----------------------------------------------------------------

#' Mean of an array over its last dimension
#' @param weight a vector, or a row of weights for each row.
#' @noRd
mean_over <- function(x, weight) {
  size <- dim(x)
  if (is.matrix(weight)) {
    x <- x * as.vector(weight[, rep(seq_len(size[3]), each = size[2])])
    weight <- rep(1, size[3])
  }
  matrix(matrix(x, size[1] * size[2], size[3]) %*% weight, size[1], size[2])
}

#' Probability that each label is wrong under each node, n x K
#' @noRd
wrong_each <- function(truth) {
  size <- dim(truth$p)
  Reduce(`+`, lapply(seq_len(size[2]), function(t) {
    matrix(truth$p[, t, ], size[1], size[3]) * (truth$y != t)
  }))
}

#' The same of a fit, which takes little room
#' @noRd
node_wrong <- function(object) {
  said <- said_in_blocks(nodes(object), node_seen(object), labelled_data(object), wrong_each)
  do.call(rbind, said)
}

#' Probability that each label is wrong
#' @noRd
mean_wrong <- function(truth) pmin(drop(wrong_each(truth) %*% truth$weight), 1) # by rounding

#' Weights of the nodes for each row without its label, n x K: a label is left out of the
#' weights, too [M 8.11]
#' @noRd
left_out_weight <- function(truth) {
  ratio <- left_out_ratio(truth)
  exp(ratio - row_log_sum(ratio))
}

#' Log leave-one-out probability of each label
#' @noRd
left_out_score <- function(truth) -row_log_sum(left_out_ratio(truth))

# So much less probable is a label at a node than at the median node of its noise model where EP has
# lost the cavity: what a label does to a kernel is a smaller factor
lost_cavity <- log(300)

#' Log weights of the nodes over the probabilities Z of the labels there, n x K
#'
#' A mean of 1 / Z is that of its largest terms. With negative precisions among the sites the cavity of a
#' row may be nonsense at a node, and would alone decide what the other rows say of it: there the
#' median of the noise model stands for it [M 8.11].
#' @noRd
left_out_ratio <- function(truth) {
  log_z <- truth$log_z
  for (model in setdiff(truth$model[duplicated(truth$model)], "given")) {
    mine <- which(truth$model == model)
    log_z[, mine] <- without_lost(log_z[, mine, drop = FALSE], truth$weight[mine])
  }
  log(rep(truth$weight, each = length(truth$y))) - log_z
}

#' @param v n x K. @param weight of the K columns.
#' @noRd
without_lost <- function(v, weight) {
  columns <- lapply(seq_len(ncol(v)), function(k) v[, k])
  suspects <- which(do.call(pmax, columns) - do.call(pmin, columns) > lost_cavity)
  for (i in suspects) {
    order <- order(v[i, ])
    middle <- v[i, order[which(cumsum(weight[order]) >= sum(weight) / 2)[1]]]
    v[i, v[i, ] < middle - lost_cavity] <- middle
  }
  v
}

#' Leave-one-out probabilities of what is recorded, n x C
#' @noRd
recorded_prob <- function(truth) mean_over(recorded_each(truth), left_out_weight(truth))

recorded_each <- function(truth) {
  if (!is.null(truth$recorded)) {
    return(truth$recorded)
  }
  recorded <- truth$loo
  open <- which(truth$source > 0L)
  source <- truth$source[open]
  classes <- seq_len(dim(recorded)[2])
  for (k in seq_along(truth$weight)) {
    for (v in classes) {
      parts <- lapply(classes, function(t) {
        truth$loo[open, t, k] * truth$omega[[k]][cbind(source, t, v)]
      })
      recorded[open, v, k] <- Reduce(`+`, parts)
    }
  }
  recorded
}

#' Has a fit its rows, and a posterior of them?
#' @noRd
has_rows <- function(object) has_numbers(object$ep$b) && !is.null(object$data)

#' Probability that each label is wrong
#' @noRd
row_flipped <- function(object) {
  object <- told_by(object)
  if (has_rows(object)) mean_wrong(truth(object)) else numeric()
}

#' Log leave-one-out probability of the label of each row, summed over those it stands for
#' @noRd
row_loo <- function(object) {
  if (!has_rows(object)) {
    return(numeric())
  }
  report_times(object$data$reports) * left_out_score(truth(object))
}

#' Leave-one-out probability of one of them
#' @noRd
row_left_out <- function(object) {
  if (has_rows(object)) exp(left_out_score(truth(object))) else numeric()
}

#' How many of its labels a fit expects to be wrong, those of readers each counted
#' @noRd
expected_wrong <- function(object) {
  object <- told_by(object)
  if (!has_readers(object) || !has_rows(object)) {
    return(sum(report_times(object$data$reports) * row_flipped(object)))
  }
  said <- truth(object)
  reports <- object$data$reports
  own <- reports$source > 0L
  p <- mean_over(said$p, said$weight)[reports$row[own], , drop = FALSE]
  sum(wrong_share(p, reports$value[own]))
}
