# Which points a label stage keeps, and with what weights: few enough to answer from, whose means are those of
# all of them.

label_kept_work <- 2e6      # numbers by row, class and point that answers are made of,
label_kept_most <- 512L     # of so many points at most,
label_kept_least <- 32L     # and at least
label_weight_least <- 1e-12 # of a point that is kept
label_rough <- 128L         # up to which the mean of those kept of a noise model is made that of all of them,
label_alike <- 50L          # at so many rows,
label_mean_near <- 3e-4     # but for less than this

#' How many points a fit keeps: the more rows, the fewer
#' @noRd
label_kept <- function(n, classes) {
  as.integer(min(max(label_kept_work / (n * classes), label_kept_least), label_kept_most))
}

#' Rows at which the points that are kept say what all of them say
#' @return see native_label_values(), data
#' @noRd
rows_alike <- function(P, reports, way) {
  some <- repeated_rows(seq_len(nrow(P)), report_times(reports), label_alike)
  label_rows(P[some, , drop = FALSE], reports_of(reports, some), way)$data
}

#' Some of the points for all: of each noise model those of large weight, and some of the others, evenly
#' in the order of how many labels they hold for wrong. Of few their means of rates and of some rows are
#' then made those of all.
#' @param probability of the noise models. @param n labels. @param share of the sources.
#' @param data see rows_alike(). @return list(table: model, weight; omega, of each; points: by model, without L)
#' @noRd
label_thinned <- function(parts, probability, n, share, data) {
  size <- label_sizes(stats::setNames(probability, names(parts)), label_kept(n, dim(parts[[1]]$said$omega)[2]))
  chosen <- Map(function(part, n, p) {
    said <- part$said
    w <- softmax(part$log_weight)
    some <- thinned_weights(w, n, order(label_wrong_rates(said$omega, share)))
    if (sum(size) <= label_rough) some$weight <- like_all(some, w, said, data)
    points <- points_at(said$points, some$at)[c("M", "w", "b", "U", "v")]
    list(weight = some$weight * p, omega = lapply(some$at, omega_at, omega = said$omega), points = points)
  }, parts, size[names(parts)], probability)
  of_models <- function(name) lapply(chosen, `[[`, name)
  weight <- of_models("weight")
  list(
    table = data.frame(model = rep(names(parts), lengths(weight)), weight = unlist(weight, use.names = FALSE)),
    omega = unlist(unname(of_models("omega")), recursive = FALSE), points = of_models("points")
  )
}

#' Weights of some points under which rows, and the noise, have the means that all points have
#' @param some of thinned_weights(). @param w of all points. @param said see label_points_at().
#' @noRd
like_all <- function(some, w, said, data) {
  numbers <- do.call(rbind, lapply(list(label_seen_at(data, said$points), said$omega), matrix, ncol = length(w)))
  calibrated_weights(some$weight, (numbers - drop(numbers %*% w))[, some$at, drop = FALSE])
}

#' Some points for all: those of large weight keep it, of the others some at even steps have the same weight,
#' the least that lets n points have all of it together
#' @param w weights that sum to 1. @param order of the points, along which the steps are. @return list(at, weight)
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
