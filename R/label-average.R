# The label stage as a whole: rows with scores in, posterior of the true class, number of wrong
# labels and factor out, averaged over noise models by evidence times prior [M 16.7].

label_cell <- 0.04 # of the logit of a score

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
  # answers are the same bits however the table is sorted
  order <- table_order(log(P[, turn, drop = FALSE]), match(label_code(data), turn))
  P <- P[order, , drop = FALSE]
  data <- list(y = data$y[order], reports = reports_of(data$reports, order))
  noise$targets <- near_classes(P, label_code(data), ordered)
  noise$turn <- turn
  all <- label_rows(P, data$reports, way)
  rows <- label_telling(all, P, data$reports)
  parts <- label_parts(rows, noise, n)
  models <- label_models(parts, noise)
  kept <- label_thinned(parts, models$probability, all$labels, all$share, rows_alike(P, data$reports, way))
  nodes <- c(list(models = models), kept, noise["ruled_out"])
  nodes[c("truth", "unusual", "wrong")] <- label_says(all, rows, nodes, data, order)
  nodes$plain <- label_plain(rows, noise, parts, models)
  nodes
}

#' The noise models, a row each: how probable they are, and how they were integrated
#' @param parts of label_parts().
#' @noRd
label_models <- function(parts, noise) {
  number <- function(name) unname(vapply(parts, `[[`, 1, name))
  evidence <- number("log_evidence")
  data.frame(
    model = names(parts), prior = unname(noise$weights) / sum(noise$weights, noise$ruled_out),
    log_evidence = evidence, probability = softmax(evidence + log(unname(noise$weights))),
    modes = vapply(parts, `[[`, 1L, "modes"), nodes = vapply(parts, function(part) ncol(part$Z), 1L),
    ess = number("ess"), pareto_k = number("pareto_k"), method = vapply(parts, `[[`, "", "method"),
    laplace = number("laplace"), row.names = NULL
  )
}

#' Log Bayes factor for some wrong labels if no row is unusual, where it is open whether unusual ones hide wrong
#' labels; otherwise `NULL`
#' @param parts with unusual rows.
#' @noRd
label_plain <- function(rows, noise, parts, models) {
  if (isTRUE(log_factor(models) < log(verdict_limits[2]))) {
    plain <- label_parts(rows, noise, label_points[["plain"]], parts)
    models$log_evidence <- vapply(plain, function(part) part$log_evidence, 1)
    log_factor(models)
  }
}

#' Every noise model integrated, each from the modes of the first
#' @param beside the same with unusual rows, where it is to be without them: from its modes.
#' @return list by noise model, see label_integral()
#' @noRd
label_parts <- function(rows, noise, n, beside = NULL) {
  parts <- list()
  for (name in names(noise$weights)) {
    problem <- label_problem(rows, name, noise, plain = !is.null(beside))
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
  label_cells(all, score_cells(list(
    kind = all$data$kind, logit = all$data$S[2, ] - all$data$S[1, ], times = report_times(reports)
  )))
}

#' Rows of two classes by their scores: those with different ones or, of more than tell the
#' coordinates, two for each cell of the logit, at its mean there minus and plus its standard deviation: a sum
#' over the rows then errs by the third moments within cells alone
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
  if (ordered || classes <= label_pairs_most) {
    return(noise_targets(classes, ordered))
  }
  share <- matrix(0, classes, classes)
  share[sort(unique(y)), ] <- rowsum(P, y) / tabulate(y, classes)[sort(unique(y))]
  diag(share) <- -1
  t(apply(share, 1, function(p) rank(-p, ties.method = "first") <= whereto_nearest))
}

# Evidence ---------------------------------------------------------------------------

#' Log Bayes factor for some wrong labels, `NULL` where only models with them, or without, are averaged
#' @noRd
log_factor <- function(models) {
  said <- flip_evidence(models)
  if (!is.null(said)) said$some - said$none
}

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
