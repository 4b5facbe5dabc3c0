# The label stage as a whole: rows with scores in, posterior of the true class, number of wrong
# labels and factor out, averaged over noise models [M 16.7].

label_cell <- 0.04          # of the logit of a score
label_kept_work <- 2e6      # numbers by row, class and point that answers are made of,
label_kept_most <- 512L     # of so many points at most,
label_kept_least <- 32L     # and at least
label_weight_least <- 1e-12 # of a point that is kept
label_rough <- 128L         # up to which the mean of those kept of a noise model is made that of all of them,
label_alike <- 50L          # at so many rows,
label_mean_near <- 3e-4     # but for less than this

#' @param P scores, n x C. @param data list(y, reports) of the rows. @param noise see noise_model().
#' @param way see label_rows(). @param n see label_integral(). @param ordered whether classes have
#'   an order.
#' @return what a fit keeps of it, its `nodes`: list(models, a row each; table: model and weight of the
#'   points kept; omega, K arrays S x C x C; points, see native_label_values(); truth, see truth();
#'   wrong: distributions of the number of wrong labels by model; unusual: of each row; plain: log
#'   evidence for some wrong labels without unusual rows, or `NULL`; ruled_out)
#' @noRd
label_average <- function(P, data, noise, way, n = NULL, ordered = FALSE) {
  turn <- class_turn(label_code(data), ncol(P), report_times(data$reports), colSums(P))
  order <- table_order(log(P[, turn, drop = FALSE]), match(label_code(data), turn))
  reports <- reports_of(data$reports, order)
  P <- P[order, , drop = FALSE]
  y <- label_code(data)[order]
  near <- near_classes(P, y, ordered)
  if (!ordered) noise$targets <- near
  noise$turn <- turn
  all <- label_rows(P, reports, way)
  rows <- label_telling(all, P, reports)
  parts <- label_parts(rows, noise, near, n)
  evidence <- vapply(parts, function(part) part$log_evidence, 1)
  probability <- softmax(evidence + log(noise$weights))
  some <- repeated_rows(seq_len(all$n), report_times(reports), label_alike)
  some <- label_rows(P[some, , drop = FALSE], reports_of(reports, some), way)$data
  kept <- label_thinned(parts, probability, all$labels, all$share, some)
  nodes <- list(
    models = data.frame(
      model = names(parts), prior = unname(noise$weights) / sum(noise$weights, noise$ruled_out),
      log_evidence = unname(evidence), probability = unname(probability),
      modes = vapply(parts, `[[`, 1L, "modes"), nodes = vapply(parts, function(part) ncol(part$Z), 1L),
      ess = vapply(parts, `[[`, 1, "ess"), pareto_k = vapply(parts, `[[`, 1, "pareto_k"),
      method = vapply(parts, `[[`, "", "method"), laplace = vapply(parts, `[[`, 1, "laplace"), row.names = NULL
    ),
    table = kept$table, omega = kept$omega, points = kept$points, ruled_out = noise$ruled_out
  )
  nodes[c("truth", "unusual", "wrong")] <- label_says(all, nodes, list(y = data$y[order], reports = reports), order)
  said <- flip_evidence(nodes$models)
  # it is open whether unusual rows hide wrong labels
  if (!is.null(said) && said$some - said$none < log(verdict_limits[2])) {
    plain <- lapply(label_parts(rows, noise, near, label_points[["plain"]], parts), function(part) part$log_evidence)
    said <- flip_evidence(utils::modifyList(nodes$models, list(log_evidence = unlist(plain, use.names = FALSE))))
    nodes$plain <- said$some - said$none
  }
  nodes
}

#' Every noise model integrated, each from the modes of the first
#' @param beside the same with unusual rows, where it is to be without them: from its modes.
#' @return list by noise model, see label_integral()
#' @noRd
label_parts <- function(rows, noise, near, n, beside = NULL) {
  parts <- list()
  for (name in names(noise$weights)) {
    problem <- label_problem(rows, name, noise, near, plain = !is.null(beside))
    parts[[name]] <- label_integral(problem, n, if (is.null(beside)) parts else beside[name])
  }
  parts
}

#' The rows that tell the coordinates: all, or of very many of two classes those with different scores,
#' or cells of scores, with counts; of several classes some
#' @noRd
label_telling <- function(all, P, reports) {
  most <- label_rows_most[[1 + (all$classes > 2)]]
  if (all$n <= most) {
    return(all)
  }
  if (all$classes > 2) {
    some <- spread_over(all$n, most)
    return(label_rows(P[some, , drop = FALSE], reports_of(reports, some), all$way))
  }
  cells <- score_cells(list(
    kind = all$data$kind, logit = all$data$S[2, ] - all$data$S[1, ], times = report_times(reports)
  ))
  S <- stats::plogis(rbind(-cells$logit, cells$logit), log.p = TRUE)
  if (all$groups) all$data$group <- label_groups(all$kinds)[cells$kind + 1L]
  all$data[c("P", "S", "kind", "times")] <- list(exp(S), S, cells$kind, cells$times)
  all$n <- length(cells$kind)
  all
}

#' Rows of two classes by their scores: those with different ones or, of more than tell the
#' coordinates, two for each cell of the logit, of the mean and variance that it has there: a sum over
#' the rows then errs by the third moments within cells alone
#' @param cells list(kind: what is reported, logit, times), rows or cells of them. @return the same
#' @noRd
score_cells <- function(cells) {
  cell <- row_groups(cells[c("kind", "logit")])
  if (max(cell) > label_rows_most[["two"]]) {
    cell <- cells$kind * (2e3 / label_cell) + floor(pmin(pmax(cells$logit, -700), 700) / label_cell)
  }
  first <- which(!duplicated(cell))
  of <- match(cell, cell[first])
  times <- as.vector(rowsum(cells$times, of))
  logit <- as.vector(rowsum(cells$times * cells$logit, of)) / times
  sd <- sqrt(as.vector(rowsum(cells$times * (cells$logit - logit[of])^2, of)) / times)
  wide <- sd > 1e-12 * abs(logit) # by more than rounding
  list(
    kind = c(cells$kind[first], cells$kind[first][wide]),
    logit = c(logit - sd * wide, (logit + sd)[wide]), times = c(times / (1 + wide), times[wide] / 2)
  )
}

#' Classes that are near each other: all; of many each with those that its rows have most scores of;
#' of classes in an order neighbours
#' @return C x C, logical, `FALSE` on the diagonal
#' @noRd
near_classes <- function(P, y, ordered = FALSE) {
  classes <- ncol(P)
  if (ordered) {
    return(abs(outer(seq_len(classes), seq_len(classes), `-`)) == 1)
  }
  if (classes <= label_pairs) {
    return(!diag(classes))
  }
  share <- matrix(0, classes, classes)
  share[sort(unique(y)), ] <- rowsum(P, y) / tabulate(y, classes)[sort(unique(y))]
  diag(share) <- -1
  t(apply(share, 1, function(p) rank(-p, ties.method = "first") <= whereto_nearest))
}

# Points that are kept ----------------------------------------------------------------

#' How many points a fit keeps: the more rows, the fewer
#' @noRd
label_kept <- function(n, classes) {
  as.integer(min(max(label_kept_work / (n * classes), label_kept_least), label_kept_most))
}

#' Some of the points for all: of each noise model those of large weight, and some of the others, evenly
#' in the order of how many labels they hold for wrong. Of few their means of rates and of some rows are
#' then made those of all.
#' @param n labels. @param data of these rows, see label_rows(). @return list(table: model, weight; omega;
#'   points: by model, without L)
#' @noRd
label_thinned <- function(parts, probability, n, share, data) {
  size <- label_sizes(probability, label_kept(n, dim(parts[[1]]$said$omega)[2]))
  chosen <- Map(function(part, n) {
    w <- softmax(part$log_weight)
    some <- thinned_weights(w, n, order(label_wrong_rates(part$said$omega, share)))
    if (sum(size) <= label_rough) {
      said <- lapply(list(label_seen_at(data, part$said$points), part$said$omega), matrix, ncol = length(w))
      said <- do.call(rbind, said)
      some$weight <- calibrated_weights(some$weight, (said - drop(said %*% w))[, some$at, drop = FALSE])
    }
    some
  }, parts, size[names(parts)])
  list(
    table = data.frame(
      model = rep(names(parts), lengths(lapply(chosen, `[[`, "weight"))),
      weight = unlist(Map(function(one, p) one$weight * p, chosen, probability), use.names = FALSE)
    ),
    omega = unlist(Map(function(part, one) {
      omega <- part$said$omega
      lapply(one$at, function(k) array(omega[, , , k], dim(omega)[1:3]))
    }, unname(parts), chosen), recursive = FALSE),
    points = Map(function(part, one) points_at(part$said$points, one$at)[c("M", "w", "b", "U", "v")], parts, chosen)
  )
}

#' Some points for all: those of large weight keep it, of the others some at even steps have the same
#' @param order of the points, along which the steps are. @return list(at, weight)
#' @noRd
thinned_weights <- function(w, n, order) {
  at <- which(w > label_weight_least)
  if (n >= length(at)) {
    return(list(at = at, weight = w[at]))
  }
  large <- sort(w, decreasing = TRUE)[seq_len(n)]
  each <- (1 - cumsum(c(0, large[-n]))) / rev(seq_len(n)) # of the others, where so many keep theirs
  least <- each[large < each][1]
  kept <- which(w >= least)
  others <- order[w[order] < least]
  steps <- (seq_len(n - length(kept)) - 0.5) * least
  some <- others[pmin(findInterval(steps, cumsum(w[others])) + 1L, length(others))]
  times <- table(some)
  weight <- c(w[kept], as.vector(times) * least)
  list(at = c(kept, as.integer(names(times))), weight = weight / sum(weight))
}

#' Weights near these under which a mean is 0, to about `label_mean_near`: survey weights are calibrated by
#' these least squares [Deville and Sarndal]
#' @param said numbers x points.
#' @noRd
calibrated_weights <- function(weight, said) {
  G <- crossprod(said)
  for (k in 1:5) { # what is below 0 is left out, and the others once more
    by <- solve(G * rep(weight, each = length(weight)) + diag(label_mean_near^2, length(weight)), G %*% weight)
    weight <- shares(pmax(weight * (1 - drop(by)), 0))
  }
  weight
}

#' How many points of each noise model: a fifth for none, as the others by themselves are asked about
#' @noRd
label_sizes <- function(probability, most) {
  share <- sqrt(probability)
  none <- names(share) == "none"
  if (any(none) && !all(none)) {
    share[!none] <- 0.8 * share[!none] / max(sum(share[!none]), 1e-300)
    share[none] <- 0.2
  }
  pmax(largest_remainder(most * share / sum(share)), 1)
}

#' Mean rate of wrong labels at points, which orders them
#' @noRd
label_wrong_rates <- function(omega, share) {
  mean <- matrix(share %*% matrix(omega, dim(omega)[1]), dim(omega)[2]^2)
  dim(omega)[2] - colSums(mean[diag(dim(omega)[2]) == 1, , drop = FALSE])
}

# Evidence ---------------------------------------------------------------------------

#' Log evidences without and with wrong labels of noise models, those with by their prior
#' probabilities; `NULL` where one of the two is not among them
#' @noRd
flip_evidence <- function(models) {
  none <- models$model == "none"
  if (any(none) && !all(none)) {
    list(none = models$log_evidence[none], some = models_evidence(models, !none))
  }
}

#' Log evidence of some of the noise models together, by their prior probabilities
#' @noRd
models_evidence <- function(models, these) {
  prior <- models$prior[these]
  log_sum(models$log_evidence[these] + log(prior)) - log(sum(prior))
}
