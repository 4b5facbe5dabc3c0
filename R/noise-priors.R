# Priors of rates of wrong labels e: e / size has a Beta(a, b) distribution, cut off at e = most; free says that
# the sum of two may be above 1 [M 13.7]. Each is list(a, b, size, most, free), as rate_quantile() takes it.

rate_reach <- 1.25      # size of readers', cut off at 1: one who always says the same is no miracle
rate_most_class <- 0.7  # of several classes, where each has a rate; and
rate_most_alone <- 0.95 # where one class alone has
rate_most_first <- 0.3  # of several classes, by which the first stage is learned

#' Priors of rates
#' @param prior see noise_prior(). @param readers whether the sources are several readers.
#' @return list(one: of one rate for all labels, twice which has a Beta distribution; class: of each class,
#'   where all have rates; alone: of each where it alone has one)
#' @noRd
rate_priors <- function(prior, classes, sources, readers) {
  several <- classes > 2
  # the density falls from 0 on, but where the user has said another
  beta <- function(shape, size, most = size, free = several || readers) {
    if (readers) size <- rate_reach
    list(a = 1, b = shape, size = size, most = min(most, size), free = free)
  }
  # the others tell of a reader who is wrong more often than not
  most_one <- if (readers) 1 else 0.5
  one <- beta(rate_shape(prior, if (readers) 1 else sources), 0.5, most_one, free = readers)
  said <- !is.null(prior$rate)
  shape <- if (said) prior$rate else if (several || readers) rate_prior_shape else by_class_shape
  size <- if (said) 0.5 else 1
  by_class <- beta(shape, size, if (several && !readers) rate_most_class else 1)
  class <- rep(list(by_class), classes)
  alone <- rep(list(beta(shape, size, rate_most_alone)), classes)
  told <- list(prior$specificity, prior$sensitivity)
  for (t in which(lengths(told) > 0)) {
    right <- told[[t]] # of the rate of wrong labels, which is the user's to be above 1/2
    class[[t]] <- alone[[t]] <- list(a = right[2], b = right[1], size = 1, most = 1, free = readers)
  }
  list(one = one, class = class, alone = alone)
}
