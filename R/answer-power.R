# What a table could have shown: how often a share of wrong labels would be noticed in tables like that of
# a fit, by the label stage on the labels that are expected there [M 13.5].

noticed_rows <- 1000L # rows times classes that are asked about, at most: they speak for the others
noticed_classes <- c(each = 6L, all = 20L) # above which not each class is asked about by itself, or none
noticed_least <- 1    # rows with wrong labels that are worth the question
noticed_step <- 1e-3  # least power of the scores, and
noticed_rare <- 1e-8  # least probability of a label, that count

#' How often wrong labels would be noticed: in what share of tables with the inputs and the true
#' classes of a fit the Bayes factor would be above 3
#'
#' @param share of labels that would be wrong: of all, and of those of one true class only.
#' @return A data frame with the columns of ("all", then the classes of which a row and more would
#'   have a wrong label), share and probability; `NULL` for scores of another classifier, which would
#'   have learned from the wrong labels, for a fit that keeps no rows, or whose labels are all known, or
#'   all of one class.
#' @noRd
noticed <- function(object, share = 0.1) {
  stage <- judged_by(object)
  kind <- stage$recalibration$kind
  classes <- ncol(stage$omega)
  if (is.null(kind) || kind == "scores" || !has_rows(object) || classes > noticed_classes[["all"]]) {
    return(NULL)
  }
  open <- which(label_source(stage$data$reports) != 0L)
  if (length(unique(label_code(stage$data)[open])) < 2) { # all may be wrong unseen
    return(NULL)
  }
  table <- noticed_table(object, stage, open)
  there <- if (!table$ordered && classes <= noticed_classes[["each"]]) { # noise of others has one rate
    which(colSums(table$times * table$p) * share >= noticed_least)
  }
  ways <- c(list(seq_len(classes)), there)
  probability <- vapply(ways, function(wrong) {
    ratio <- noticed_ratio(table, replace(numeric(classes), wrong, share), stage)
    stats::pnorm((ratio$mean - log(verdict_limits[2])) / ratio$sd)
  }, 0)
  data.frame(
    of = c("all", stage$blueprint$levels[there]), share = share, probability = probability
  )
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

#' Rows whose labels are not known, or some of them
#' @return list(P, scores; p, probabilities of the true classes without the labels; times, how many
#'   labels each speaks for; reports; noise, near: as label_average() has them; ordered; told: how many
#'   nats labels tell of themselves)
#' @noRd
noticed_table <- function(object, stage, open) {
  data <- stage$data
  said <- truth(stage)
  code <- label_code(data)
  weights <- report_times(data$reports)
  ordered <- is_in_order(object)
  noise <- noise_model(
    stage$spec$epsilon, stage$spec$noise, data$reports, if (ordered) neighbour_share(ncol(data$X))
  )
  noise$turn <- class_turn(code, ncol(data$X), weights, colSums(data$X))
  near <- near_classes(data$X, code, ordered)
  if (!ordered) noise$targets <- near
  all <- sum(weights[open])
  most <- noticed_rows %/% ncol(data$X)
  if (length(open) > most) { # the same ones however the table is sorted
    order <- table_order(data$X, data$y)
    open <- open[order(match(open, order))][spread_over(length(open), most)]
  }
  times <- weights[open] * all / sum(weights[open])
  list(
    P = data$X[open, , drop = FALSE], p = mean_over(said$loo, said$weight)[open, , drop = FALSE],
    times = times, reports = reports_of(data$reports, open), noise = noise, near = near,
    ordered = ordered, told = max(sum(times * told_of_itself(object, open)), 0)
  )
}

#' How much more probable a fit holds the label of rows than without it: together so much as it has
#' free parameters
#' @noRd
told_of_itself <- function(object, rows) {
  if (is.null(object$label_stage)) {
    return(numeric(length(rows))) # what made the scores is not there
  }
  prob <- first_prob(object, object$data$X[rows, , drop = FALSE], TRUE)
  code <- label_code(object$data)[rows]
  log(prob[cbind(seq_along(rows), code)]) - left_out_score(truth(object))[rows]
}

#' Mean and standard deviation of the log Bayes factor for wrong labels of rates as given
#'
#' By Laplace's method on the table where each row has each label as often as it is expected to: what
#' explains that best without wrong labels, and with them. The scores are less sure than those at hand,
#' as they would have been learned from such labels.
#' @param table see noticed_table(). @param rates of each true class.
#' @noRd
noticed_ratio <- function(table, rates, stage) {
  classes <- length(rates)
  omega <- rates_omega(matrix(rates, 1), classes, if (table$ordered) neighbour_share(classes))[1, , ]
  power <- softer_power(table$p, table$times, table$told * (1 / label_information(table, omega) - 1))
  q <- softer(table$p, power) %*% omega
  row <- rep(seq_len(nrow(q)), classes)
  label <- rep(seq_len(classes), each = nrow(q))
  used <- as.vector(q) > noticed_rare
  row <- row[used]
  label <- label[used]
  times <- table$times[row]
  chance <- q[used]
  reports <- reports_of(table$reports, row)
  reports$value <- label
  reports["soft"] <- list(NULL)
  rows <- label_rows(
    softer(table$P, power)[row, , drop = FALSE], with_times(reports, times * chance),
    stage$recalibration$way
  )
  holding <- noticed_model(stage, which(rates > 0))
  none <- label_integral(label_problem(rows, "none", table$noise, table$near), 0L)
  flips <- label_integral(label_problem(rows, holding$model, table$noise, table$near), 0L, list(none))
  variance <- function(values) { # of a sum over drawn labels
    mean <- rowsum(chance * values, row)
    colSums(table$times[as.integer(rownames(mean))] * (rowsum(chance * values^2, row) - mean^2))
  }
  drawn <- function(part) sum(variance(label_slopes_of(rows, part, label))) / 2
  apart <- label_log_prob(rows, flips, label) - label_log_prob(rows, none, label)
  list(
    mean = flips$log_evidence - none$log_evidence + drawn(flips) - drawn(none) + log(holding$share),
    sd = sqrt(max(variance(apart), 1e-12))
  )
}

#' Log probabilities of labels at the best mode of a noise model, or next to it
#' @param part see label_integral().
#' @noRd
label_log_prob <- function(rows, part, label, by = function(mode) 0) {
  best <- part$found[[which.max(vapply(part$found, `[[`, 1, "laplace"))]]
  said <- label_points_at(part$problem, matrix(best$z + by(best)))
  -native_label_said(rows$data, said$points, 1, label - 1L)$log_inverse
}

#' Their slopes there along the axes of the covariance, a column each: half the variance of their sum is by
#' how much drawn labels are explained better than expected ones
#' @noRd
label_slopes_of <- function(rows, part, label) {
  slopes <- lapply(seq_len(part$problem$d), function(j) {
    at <- function(step) label_log_prob(rows, part, label, function(mode) step * mode$root[, j])
    (at(label_step) - at(-label_step)) / (2 * label_step)
  })
  matrix(unlist(slopes), length(label))
}

#' Which noise model has rates as given, and its prior share of those with wrong labels
#' @param wrong the true classes that have wrong labels.
#' @return list(model, share: of all models that have such rates)
#' @noRd
noticed_model <- function(stage, wrong) {
  models <- tested_models(stage)
  prior <- stats::setNames(models$prior, models$model)[models$model != "none"]
  holding <- c(
    if (length(wrong) > 1) "one" else c(names(which(noise_only == wrong)), paste0("alone", wrong)),
    "two", "each", "matrix"
  )
  holding <- intersect(holding, names(prior))
  if (!length(holding)) {
    return(list(model = names(which.max(prior)), share = 1))
  }
  list(model = holding[1], share = sum(prior[holding]) / sum(prior))
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
    return(1)
  }
  if (lacking(noticed_step) < 0) {
    return(noticed_step)
  }
  stats::uniroot(lacking, c(noticed_step, 1), tol = 1e-6)$root
}
