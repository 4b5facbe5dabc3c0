# The posterior of the true class as arrays, n x C x K: of what is reported of rows, and of what nodes say of
# them without. Every answer about labels is made of it.

#' Posterior of the true class, rows stable in the far tails [M 13.3]
#'
#' @param L n x C likelihoods. @param log_pi n x C, log probabilities of the true classes
#'   given what else is known.
#' @return n x C, rows summing to 1.
#' @noRd
truth_posterior <- function(L, log_pi) {
  joint <- log(L) + log_pi
  p <- exp(joint - row_max(joint))
  p / rowSums(p)
}

#' Probability that the true class is not the label
#' @param p n x C. @param code labels, 1..C.
#' @noRd
wrong_share <- function(p, code) {
  p[cbind(seq_along(code), code)] <- 0
  rowSums(p)
}

#' What is said of the true classes of rows under each node
#'
#' Logs are taken off their largest over the classes before exp(), so that none is lost in the far tails.
#' @param at see nodes(). @param seen see node_seen(). @return see node_truth()
#' @noRd
new_truth <- function(at, seen, data) {
  reports <- data$reports
  y <- label_code(data)
  source <- label_source(reports)
  known <- which(source == 0L)
  size <- dim(seen) # n x C x K
  likelihoods <- lapply(at$omega, report_likelihood, reports = reports)
  joint <- array(log(unlist(likelihoods)), size)
  # whatever else was reported of it, a label that is right for certain is one
  joint[known, , ] <- log(diag(size[2]))[y[known], ]
  joint <- joint + seen
  over_classes <- function(x, f) { # n x K
    Reduce(f, lapply(seq_len(size[2]), function(t) matrix(x[, t, ], size[1], size[3])))
  }
  to_each_class <- function(x) as.vector(x[, rep(seq_len(size[3]), each = size[2])]) # n x K as n x C x K
  most <- over_classes(joint, pmax)
  most[most == -Inf] <- 0
  p <- exp(joint - to_each_class(most))
  sums <- over_classes(p, `+`)
  log_z <- most + log(sums)
  p <- p / to_each_class(sums)
  list(
    p = p, loo = exp(seen), log_z = log_z, weight = at$weight, model = at$model, y = y,
    source = source, omega = at$omega
  )
}

#' The nodes of each noise model taken together: what truth() returns
#'
#' What other rows say of a row is a mean over nodes by their weights without the row's own label: their weights
#' over Z, the probability of that label there.
#' @param truth see node_truth().
#' @noRd
truth_by_model <- function(truth) {
  models <- unique(truth$model)
  parts <- lapply(models, function(model) truth_under(truth, model))
  list(
    p = as_slices(lapply(parts, function(part) mean_over(part$p, part$weight))),
    loo = as_slices(lapply(parts, function(part) mean_over(part$loo, left_out_weight(part)))),
    recorded = as_slices(lapply(parts, recorded_prob)),
    log_z = do.call(cbind, lapply(parts, left_out_score)),
    weight = vapply(models, function(m) sum(truth$weight[truth$model == m]), 0, USE.NAMES = FALSE),
    model = models, y = truth$y, source = truth$source
  )
}

# So many numbers by row, class and node are held at once; of more rows are taken block by block
truth_block <- 4e6

#' The nodes taken together, block by block of the rows: what the nodes say one
#' by one takes many times the room
#' @param at,data see new_truth(). @param seen function(rows), see node_seen().
#' @return see truth_by_model()
#' @noRd
truth_in_blocks <- function(at, seen, data, block = truth_block) {
  n <- length(data$y)
  blocks <- row_blocks(n, length(at$weight) * data$reports$classes, block)
  if (length(blocks) < 2) {
    return(truth_by_model(new_truth(at, seen(seq_len(n)), data)))
  }
  parts <- lapply(blocks, function(rows) {
    said <- list(y = data$y[rows], reports = reports_of(data$reports, rows))
    truth_by_model(new_truth(at, seen(rows), said))
  })
  utils::modifyList(bind_blocks(parts), parts[[1]][c("weight", "model")])
}

#' Rows in blocks of so few that no more than `most` numbers are looked at together
#' @param each how many there are of a row.
#' @noRd
row_blocks <- function(n, each, most) {
  size <- max(1, min(n, floor(most / each)))
  lapply(seq_len(ceiling(n / size)), function(k) ((k - 1) * size + 1):min(k * size, n))
}

#' Lists of what is said of blocks of rows as one list of all rows
#' @param parts lists of vectors and arrays by row, of the same names in each block.
#' @noRd
bind_blocks <- function(parts) {
  lapply(stats::setNames(nm = names(parts[[1]])), function(field) {
    each <- lapply(parts, `[[`, field)
    size <- dim(each[[1]])
    if (is.null(size)) {
      return(unlist(each, use.names = FALSE))
    }
    rows <- do.call(rbind, lapply(unname(each), function(x) matrix(x, nrow(x))))
    array(rows, c(nrow(rows), size[-1]))
  })
}

#' The part of truth() or node_truth() that is of some noise models
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

#' The k-th matrix of an array
#' @noRd
at_k <- function(x, k) array(x[, , k], dim(x)[1:2])

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

#' Probability that each label is wrong
#' @noRd
mean_wrong <- function(truth) pmin(wrong_share(mean_over(truth$p, truth$weight), truth$y), 1) # by rounding

#' Weights of the nodes for each row without its label, n x K, or of one 1: a label is left out of the
#' weights, too [M 8.11]
#' @noRd
left_out_weight <- function(truth) {
  ratio <- left_out_ratio(truth)
  if (ncol(ratio) == 1) 1 else exp(ratio - row_log_sum(ratio))
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
  for (i in which(row_max(v) + row_max(-v) > lost_cavity)) {
    order <- order(v[i, ])
    middle <- v[i, order[which(cumsum(weight[order]) >= sum(weight) / 2)[1]]]
    v[i, v[i, ] < middle - lost_cavity] <- middle
  }
  v
}

#' Leave-one-out probabilities of what is recorded, n x C
#' @noRd
recorded_prob <- function(truth) mean_over(recorded_each(truth), left_out_weight(truth))

#' Probabilities of what is recorded without the row's own label, p Omega, at each node: n x C x K
#' @noRd
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
        truth$loo[open, t, k] * truth$omega[[k]][, t, v][source]
      })
      recorded[open, v, k] <- Reduce(`+`, parts)
    }
  }
  recorded
}

#' Matrices of one size as an array, its last dimension their number, be they 1 x 1
#' @noRd
as_slices <- function(x) structure(unlist(x, use.names = FALSE), dim = c(dim(x[[1]]), length(x)))
