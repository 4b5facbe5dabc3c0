# What a table could have shown: how often a share of wrong labels would be noticed in tables like that of
# a fit, by the label stage on the labels that are expected there [M 13.5].

noticed_rows <- 1000L # rows times classes that are asked about, at most: they stand for the others
noticed_most <- 20L   # classes; up to
noticed_alone <- 6L   # of them each is asked about by itself, too, of more the rarest
noticed_share <- 0.1  # of labels that would be wrong: of all, and of those of one true class only
noticed_least <- 1    # where so many rows or more would have wrong labels
noticed_step <- 1e-3  # least power of the scores
noticed_rare <- 1e-8  # probability of a label below which it is left out

#' How often wrong labels would be noticed: in what share of tables with the inputs and the true
#' classes of a fit the Bayes factor would be above 3
#'
#' @return A data frame with the columns of ("all", then the classes of which a row and more would
#'   have a wrong label, of many the rarest of them), share and probability; `NULL` for scores of another
#'   classifier, which would have learned from the wrong labels, for a fit that keeps no rows, or whose
#'   labels are all known, or all of one class.
#' @noRd
noticed <- function(object) {
  stage <- judged_by(object)
  kind <- stage$recalibration$kind
  classes <- ncol(stage$omega)
  open <- which(label_source(stage$data$reports) != 0L)
  unasked <- is.null(kind) || kind == "scores" || !has_rows(object) || classes > noticed_most
  # where all are of one class all may be wrong unseen
  if (unasked || length(unique(label_code(stage$data)[open])) < 2) {
    return(NULL)
  }
  table <- noticed_table(object, stage, open)
  each <- colSums(table$times * table$p)
  share <- noticed_share
  alone <- which(each * share >= noticed_least)
  if (classes > noticed_alone) alone <- alone[which.min(each[alone])] # errors of it show least
  wrong <- c(list(seq_len(classes)), alone) # the true classes that have wrong labels
  probability <- vapply(wrong, function(true) {
    factor <- noticed_factor(table, replace(numeric(classes), true, share), stage)
    stats::pnorm((factor$mean - log(verdict_limits[2])) / factor$sd)
  }, 0)
  data.frame(of = c("all", stage$blueprint$levels[alone]), share = share, probability = probability)
}

noticed_last <- new.env(parent = emptyenv())

#' The same of the fit that was asked last, without asking again: print() of a fit, of its suspects
#' and its report all say it
#' @noRd
noticed_once <- function(object) {
  # log evidences of nodes tell fits apart
  stage <- judged_by(object)
  key <- list(stage$nodes$table, stage$nodes$models, stage$spec$noise, stage$blueprint$levels)
  if (!identical(noticed_last$key, key)) {
    noticed_last$value <- noticed(object)
    noticed_last$key <- key
  }
  noticed_last$value
}

#' The rows whose labels are not known, or some that stand for them, and their noise models
#' @param open these rows.
#' @return list(P, scores; p, probabilities of the true classes without the labels; times, how many
#'   labels each row stands for; reports; noise: as label_average() has it; told: how many
#'   nats labels tell of themselves)
#' @noRd
noticed_table <- function(object, stage, open) {
  data <- stage$data
  classes <- ncol(data$X)
  weights <- report_times(data$reports)
  code <- label_code(data)
  ordered <- is_in_order(object)
  share <- if (ordered) neighbour_share(classes)
  noise <- noise_model(stage$spec$epsilon, stage$spec$noise, data$reports, share)
  noise$turn <- class_turn(code, classes, weights, colSums(data$X))
  noise$targets <- near_classes(data$X, code, ordered)
  labels <- sum(weights[open])
  most <- noticed_rows %/% classes
  if (length(open) > most) { # the same ones however the table is sorted
    order <- table_order(data$X, data$y)
    open <- open[order(match(open, order))][spread_over(length(open), most)]
  }
  times <- weights[open] * labels / sum(weights[open])
  said <- truth(stage)
  list(
    P = data$X[open, , drop = FALSE], p = mean_over(said$loo, said$weight)[open, , drop = FALSE],
    times = times, reports = reports_of(data$reports, open), noise = noise,
    told = max(sum(times * told_of_itself(object, open)), 0)
  )
}

#' How much more probable a fit holds the label of rows than without it, in nats: together so much as
#' it has free parameters
#' @noRd
told_of_itself <- function(object, rows) {
  if (is.null(object$label_stage)) {
    return(numeric(length(rows))) # what made the scores is not there
  }
  prob <- first_prob(object, object$data$X[rows, , drop = FALSE], TRUE)
  code <- label_code(object$data)[rows]
  log(prob[cbind(seq_along(rows), code)]) - left_out_score(truth(object))[rows]
}

# The Bayes factor ----------------------------------------------------------------------

#' Mean and standard deviation over drawn labels of the log Bayes factor for wrong ones
#'
#' By Laplace's method, without wrong labels and with them, on the table of expected labels. The best
#' point of drawn labels is another, and explains them better by half the variance of the slope.
#' @param table see noticed_table(). @param rates of wrong labels of each true class.
#' @noRd
noticed_factor <- function(table, rates, stage) {
  labels <- expected_labels(table, rates, stage$recalibration$way)
  holding <- noticed_model(stage, which(rates > 0))
  problem <- function(model) label_problem(labels$rows, model, table$noise)
  none <- label_integral(problem("none"), 0L)
  some <- label_integral(problem(holding$model), 0L, list(none))
  gain <- function(part) sum(drawn_variance(labels, slopes_at_mode(labels, part))) / 2
  apart <- label_log_prob(labels, some) - label_log_prob(labels, none)
  list(
    mean = some$log_evidence - none$log_evidence + gain(some) - gain(none) + log(holding$share),
    sd = sqrt(max(drawn_variance(labels, apart), 1e-12))
  )
}

#' Each row with each label that it may have, as often as that is expected: row i of the true classes
#' p_i has label v with probability q_iv = sum_t p_it omega_tv
#'
#' The scores are less sure than those at hand, as they would have been learned from such labels.
#' @param way see label_rows().
#' @return list(row, label, chance: q of these; times, of the row; rows: see label_rows())
#' @noRd
expected_labels <- function(table, rates, way) {
  omega <- rates_omega(matrix(rates, 1), length(rates), table$noise$share)[1, , ]
  lost <- table$told * (1 / label_information(table, omega) - 1) # nats
  power <- softer_power(table$p, table$times, lost)
  q <- softer(table$p, power) %*% omega
  cell <- which(unname(q) > noticed_rare, arr.ind = TRUE)
  row <- cell[, "row"]
  times <- table$times[row]
  reports <- reports_of(table$reports, row)
  reports$value <- cell[, "col"]
  reports["soft"] <- list(NULL)
  P <- softer(table$P, power)[row, , drop = FALSE]
  rows <- label_rows(P, with_times(reports, times * q[cell]), way)
  list(row = row, label = cell[, "col"], chance = q[cell], times = times, rows = rows)
}

#' The variance of a sum over the rows, when the label of each is drawn
#' @param values of expected_labels(): a vector, or a matrix with a column a sum.
#' @noRd
drawn_variance <- function(labels, values) {
  mean <- rowsum(labels$chance * values, labels$row)
  square <- rowsum(labels$chance * values^2, labels$row)
  times <- labels$times[match(rownames(mean), labels$row)]
  colSums(times * (square - mean^2))
}

best_mode <- function(part) part$found[[which.max(vapply(part$found, `[[`, 1, "laplace"))]]

#' Log probabilities of labels at a point of a noise model
#' @param part see label_integral(). @param z its coordinates.
#' @noRd
label_log_prob <- function(labels, part, z = best_mode(part)$z) {
  said <- label_points_at(part$problem, matrix(z))
  -native_label_said(labels$rows$data, said$points, 1, labels$label - 1L)$log_inverse
}

#' Their slopes at the best mode along the axes of its covariance, a column each
#' @noRd
slopes_at_mode <- function(labels, part) {
  mode <- best_mode(part)
  at <- function(step) label_log_prob(labels, part, mode$z + step)
  slopes <- lapply(seq_len(part$problem$d), function(j) {
    step <- label_step * mode$root[, j]
    (at(step) - at(-step)) / (2 * label_step)
  })
  matrix(unlist(slopes), length(labels$label))
}

#' The simplest noise model that has such rates, and what prior share models that have them hold of
#' those with wrong labels
#' @param wrong the true classes that have wrong labels.
#' @return list(model, share)
#' @noRd
noticed_model <- function(stage, wrong) {
  models <- tested_models(stage)
  prior <- stats::setNames(models$prior, models$model)[models$model != "none"]
  simplest <- if (length(wrong) > 1) "one" else c(names(which(noise_only == wrong)), paste0("alone", wrong))
  holding <- intersect(c(simplest, "two", "each", "matrix"), names(prior))
  share <- sum(prior[holding]) / sum(prior)
  if (length(holding)) list(model = holding[1], share = share) else list(model = names(which.max(prior)), share = 1)
}

# Scores that have learned from wrong labels -------------------------------------------

#' Fisher information of labels with flips about the log odds of the true classes, over that of the true
#' classes
#' @noRd
label_information <- function(table, omega) {
  p <- table$p
  q <- p %*% omega
  each <- lapply(seq_len(ncol(p)), function(v) {
    slope <- p * (rep(omega[, v], each = nrow(p)) - q[, v]) # of q_v in the log odds
    rowSums(slope^2) / pmax(q[, v], 1e-300)
  })
  sum(table$times * Reduce(`+`, each)) / max(sum(table$times * p * (1 - p)), 1e-300)
}

#' Less sure probabilities, the power below 1
#' @noRd
softer <- function(p, power) {
  p <- p^power
  p / rowSums(p)
}

#' The power of probabilities that raises their entropy by so many nats
#' @noRd
softer_power <- function(p, times, nats) {
  entropy <- function(p) -sum(times * p * log(pmax(p, 1e-300)))
  lacking <- function(power) entropy(softer(p, power)) - entropy(p) - nats
  if (!isTRUE(nats > 1e-6)) {
    1
  } else if (lacking(noticed_step) < 0) {
    noticed_step
  } else stats::uniroot(lacking, c(noticed_step, 1), tol = 1e-6)$root
}
