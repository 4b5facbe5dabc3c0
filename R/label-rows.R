# What the points of a label stage say of rows: those it has learned from, and new ones. With the scores p at a
# point q(t) ~ exp(w[t]) p(t)^b[t] is mixed by the overlap U, and its product with what is reported of the row is
# the posterior of its true class [M 16.3].

label_rows_most <- c(two = 1000L, several = 5000L) # above which two classes are put into cells, and
# of several some rows tell the coordinates
label_even <- 0.01          # of the logit, at which many rows of two classes are looked at, and between
label_exact <- 500L         # labels up to which distributions of numbers are exact
label_model_least <- 1e-10 # probability below which a noise model is not asked row by row

#' The rows that it has learned from
#'
#' @param all see label_rows(). @param telling those that tell the coordinates. @param nodes of label_average() so
#'   far. @param data list(y, reports) of these rows. @param order of the rows, whose answers come in that which was given.
#' @return list(truth, unusual, wrong)
#' @noRd
label_says <- function(all, telling, nodes, data, order) {
  y <- label_code(data)
  back <- order(order)
  said <- label_said(all, nodes, y, back, if (!by_readers(data$reports)) telling)
  wrong <- Map(function(name, one) label_number(all, nodes, name, one, data), names(said), said)
  c(label_truth(said, nodes$models, y[back]), list(wrong = wrong))
}

#' Any rows with scores and labels, of those that it has learned from
#' @param data list(y, reports). @return list(truth, unusual)
#' @noRd
label_says_of <- function(P, data, nodes, way) {
  y <- label_code(data)
  label_truth(label_said(label_rows(P, data$reports, way), nodes, y), nodes$models, y)
}

#' What each noise model that counts says of rows
#' @param y labels. @param back places of the answers. @param telling rows over which sums are those over all, or `NULL`.
#' @return list by noise model: rows, a matrix of truth and seen by class, unusual and log_inverse; wrong and variance: see
#'   native_label_said(); the points and weights that it is said by
#' @noRd
label_said <- function(all, nodes, y, back = seq_along(y), telling = NULL) {
  steps <- if (!is.null(telling)) label_steps(all, y, back)
  models <- nodes$models
  some <- models[models$model != "none", ]
  best <- some$model[which.max(some$probability)]
  asked <- models$model[models$probability >= label_model_least | models$model %in% best]
  lapply(stats::setNames(nm = asked), function(name) {
    mine <- nodes$table$model == name
    weight <- shares(nodes$table$weight[mine])
    omega <- as_slices(nodes$omega[mine])
    points <- c(nodes$points[[name]], list(L = label_likelihoods(all$kinds, omega)))
    by <- function(rows, y) native_label_said(rows$data, points, weight, y - 1L)
    said <- if (is.null(steps)) by(all, y) else by(steps, steps$y)
    rows <- rbind(said$truth, said$seen, said$unusual[, 1], said$log_inverse)
    rows <- if (is.null(steps)) {
      t(rows)[back, , drop = FALSE]
    } else native_label_between(steps$at, steps$u, rows)
    if (!is.null(steps)) said <- by(telling, steps$of_kind[telling$data$kind + 1L])
    list(rows = rows, wrong = said$wrong, variance = said$variance, points = points, weight = weight)
  })
}

#' Rows of two classes at even steps of the logit, where they are no more than half of those that lie between them:
#' what points say is smooth, and its cubics through the steps are within some 1e-6 of it
#' @return as label_rows(), with the labels y, and of_kind, of each kind; at and u of all rows at places `back`, see
#'   native_label_between()
#' @noRd
label_steps <- function(all, y, back) {
  logit <- (all$data$S[2, ] - all$data$S[1, ]) / label_even
  ends <- floor(range(logit)) + c(-1, 2)
  size <- diff(ends) + 1
  kinds <- all$data$kinds
  if (all$classes > 2 || all$n <= max(label_rows_most[["two"]], 2 * size * kinds)) {
    return(NULL)
  }
  of_kind <- y[match(seq_len(kinds) - 1L, all$data$kind)]
  steps <- label_cells(all, list(
    kind = rep(seq_len(kinds) - 1L, each = size), logit = rep(label_even * (ends[1]:ends[2]), kinds), times = NULL
  ))
  kind <- all$data$kind[back]
  logit <- logit[back]
  c(steps, list(
    y = rep(of_kind, each = size), of_kind = of_kind, at = as.integer(kind * size + floor(logit) - ends[1]),
    u = logit - floor(logit)
  ))
}

#' Rows of two classes in the place of others
#' @param cells see score_cells(). @return as label_rows()
#' @noRd
label_cells <- function(all, cells) {
  S <- stats::plogis(rbind(-cells$logit, cells$logit), log.p = TRUE)
  if (all$groups) all$data$group <- label_groups(all$kinds)[cells$kind + 1L]
  all$data[c("P", "S", "kind", "times")] <- list(exp(S), S, cells$kind, cells$times)
  all$n <- length(cells$kind)
  all
}

#' What the noise models that were asked say together
#' @param said see label_said(). @param y labels in the order of its answers. @return list(truth, unusual)
#' @noRd
label_truth <- function(said, models, y) {
  classes <- seq_len(ncol(said[[1]]$rows) / 2 - 1)
  weight <- shares(models$probability[match(names(said), models$model)])
  columns <- function(which) as_slices(lapply(said, function(one) one$rows[, which, drop = FALSE]))
  last <- function(which) matrix(columns(2 * length(classes) + which), length(y))
  list(
    truth = list(
      p = columns(classes), loo = columns(length(classes) + classes), log_z = -last(2), weight = weight,
      model = names(said), y = y, source = NULL
    ),
    unusual = drop(last(1) %*% weight)
  )
}

#' Distribution of the number of wrong labels under a noise model, whose mean is the sum over the rows;
#' of readers over the points that are kept. Where rows are so many that the number is known better than
#' points can tell its mean and spread, points are moved apart.
#' @param said an element of label_said().
#' @noRd
label_number <- function(all, nodes, name, said, data) {
  reports <- data$reports
  if (by_readers(reports)) {
    mine <- nodes$table$model == name
    at <- list(weight = said$weight, model = rep(name, sum(mine)), omega = nodes$omega[mine])
    return(reports_mixture(new_truth(at, log(label_seen_at(all$data, said$points)), data), reports))
  }
  if (all$labels <= label_exact) {
    P <- label_wrong_at(all, said, label_code(data))
    return(wrong_mixture(P, said$weight, reports$times))
  }
  ess <- nodes$models$ess[nodes$models$model == name & nodes$models$method == "nodes"]
  said$wrong <- moved_apart(said$wrong, said$weight, ess)
  label_poisson(said, sum(report_times(reports)))
}

#' Means at points, as wide as where one more draw would fall: by Student's t at the ends of 90 %
#' @param ess the effective number of points, or none.
#' @noRd
moved_apart <- function(means, weight, ess) {
  wide <- prod(sqrt((ess + 1) / (ess - 1)) * stats::qt(0.95, ess - 1) / stats::qnorm(0.95))
  pmax(wide * means + (1 - wide) * sum(weight * means), 0)
}

#' Probability that each label is wrong at points, n x K
#' @param at list(points). @param y labels.
#' @noRd
label_wrong_at <- function(all, at, y) {
  seen <- label_seen_at(all$data, at$points)
  size <- dim(seen)
  joint <- lapply(seq_len(size[2]), function(t) {
    L <- at$points$L[all$data$kind + 1L + (t - 1L) * all$data$kinds, , drop = FALSE]
    L * matrix(seen[, t, ], size[1], size[3])
  })
  wrong <- Reduce(`+`, lapply(seq_along(joint), function(t) joint[[t]] * (y != t)))
  wrong / Reduce(`+`, joint)
}

#' At each point a Poisson distribution moved to the mean and variance of the number, which is that of
#' independent trials to a fraction of their spread [M 7.6]
#' @param said list(wrong, variance: mean and variance at each point; weight). @param n labels.
#' @noRd
label_poisson <- function(said, n) {
  moved <- pmax(floor(said$wrong - said$variance), 0)
  rate <- pmax(said$wrong - moved, 0)
  at <- seq(0, min(max(stats::qpois(1 - 1e-12, rate) + moved), ceiling(n)))
  density <- 0
  for (k in seq_along(moved)) {
    density <- density + said$weight[k] * stats::dpois(at - moved[k], rate[k])
  }
  density[seq_len(max(which(density > 1e-12), 1L))]
}

#' Probabilities of the true classes without what is reported, at points: above 0, so that a label that
#' the noise leaves no other class is of that class, however improbable
#' @param points of a noise model, see label_average(). @return n x C x K
#' @noRd
label_seen_at <- function(data, points) {
  data[c("kind", "kinds")] <- list(integer(ncol(data$P)), 1L)
  points$L <- matrix(1, nrow(data$P), ncol(points$w))
  pmax(aperm(native_label_seen(data, points), c(2, 1, 3)), .Machine$double.xmin)
}

#' The same of rows with scores, at all points that a stage keeps
#' @param P scores, n x C. @param nodes see label_average(). @param which of the points, in their order. @param overlap
#'   beyond what the scores say, or without. @param group see label_groups(); further rows are of none.
#' @return n x C x K
#' @noRd
label_seen_new <- function(P, nodes, which = seq_along(nodes$table$weight), overlap = TRUE, group = NULL) {
  P <- t(unname(P))
  if (length(group)) group <- c(group, integer(ncol(P) - length(group)))
  data <- list(P = P, S = log(P), times = NULL, plain = nrow(P) > label_slopes_most, group = group)
  before <- cumsum(c(0, table(factor(nodes$table$model, names(nodes$points)))))
  seen <- lapply(seq_along(nodes$points), function(m) {
    mine <- which[which > before[m] & which <= before[m + 1]] - before[m]
    points <- points_at(nodes$points[[m]], mine)
    if (!overlap) points$U[] <- if (data$plain) c(1, 0) else diag(nrow(P))
    if (length(mine)) label_seen_at(data, points)
  })
  array(unlist(seen), c(ncol(P), nrow(P), length(which)))
}

#' What the points of all noise models have by a name, see native_label_values(): a column a point
#' @noRd
points_all <- function(nodes, name) do.call(cbind, unname(lapply(nodes$points, `[[`, name)))

#' Overlap U at points, C x C x K
#' @noRd
label_overlap_at <- function(nodes, which) {
  U <- points_all(nodes, "U")[, which, drop = FALSE]
  classes <- nrow(nodes$points[[1]]$w)
  if (nrow(U) == 2) U <- outer(as.vector(diag(classes)), U[1, ]) + rep(U[2, ], each = classes^2)
  array(U, c(classes, classes, length(which)))
}

#' Probabilities of the true class of rows with scores, over the points; or of the class recorded
#' @return n x C
#' @noRd
label_prob_new <- function(P, nodes, recorded = FALSE, share = 1) {
  used <- nodes$few$node
  out <- P
  for (rows in row_blocks(nrow(P), ncol(P) * length(used), label_block)) {
    seen <- label_seen_new(P[rows, , drop = FALSE], nodes, used)
    if (recorded) {
      for (k in seq_along(used)) seen[, , k] <- at_k(seen, k) %*% mean_omega(nodes$omega[[used[k]]], share)
    }
    out[rows, ] <- mean_over(seen, nodes$few$weight)
  }
  out
}
label_block <- 4e6 # numbers by row, class and point that are looked at together
