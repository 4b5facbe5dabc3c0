# Data simulated as in the papers.

# A stream whose target drifts (Ding, Qi and Vishwanathan, 2011, section 6.1): points x ~ N(0, I)
# whose label is the sign of <w_s + u, x>. The base vector w_s has entries -1 and +1 and changes from
# one segment of the stream to the next; u, uniform on [-0.1, 0.1] in every entry, is drawn anew for
# every point. Case 1, abrupt: every segment draws its base vector anew. Case 2, gradual: a segment
# draws only its own block of entries anew and keeps the others, with the default sizes entries
# 10 s - 9 to 10 s in segment s. An entry that is drawn anew keeps its sign half of the time. There is
# no intercept, and columns are on one scale: fit with intercept = FALSE and scale = FALSE.
# Returns list(x: n x p, y: a factor, segment: of each point, base: segments x p).
sim_drift <- function(case = 1, n = 4000, p = 100, segments = 10, seed = NULL) {
  segment <- parts_of(n, segments)
  sturdy:::with_seed_or_stream(seed, {
    base <- drift_base(case, p, segments)
    x <- matrix(stats::rnorm(n * p), n)
    wobble <- matrix(stats::runif(n * p, -0.1, 0.1), n)
  })
  colnames(x) <- colnames(base) <- paste0("x", seq_len(p))
  margin <- rowSums((base[segment, , drop = FALSE] + wobble) * x)
  y <- factor(margin > 0, levels = c(FALSE, TRUE), labels = c("neg", "pos"))
  list(x = x, y = y, segment = segment, base = base)
}

drift_base <- function(case, p, segments) {
  base <- matrix(sample(c(-1, 1), segments * p, replace = TRUE), segments, byrow = TRUE)
  if (case == 1) {
    return(base)
  }
  block <- parts_of(p, segments)
  for (s in seq_len(segments)[-1]) {
    base[s, block != s] <- base[s - 1, block != s]
  }
  base
}

# 1, ..., 1, 2, ..., 2, ...: n positions in parts of nearly equal size
parts_of <- function(n, count) as.integer(ceiling(as.double(seq_len(n)) * count / n))

# A mixture on which the order of the rows matters (Futami, Sato and Sugiyama, 2017, section 5.1).
# Assumed density filtering gives a different class boundary for every order of the rows, expectation
# propagation the same one for all. Components have the covariance 0.05 I and the means and weights
# below. Because the first is rare, tilted lines that misclassify it separate almost all points as well.
sim_permutation <- function(n = 1000, seed = NULL) {
  mean1 <- c(1, -1, -1, 1)
  mean2 <- c(1, 1, -1, -1)
  sturdy:::with_seed_or_stream(seed, {
    component <- sample.int(4L, n, replace = TRUE, prob = c(1, 5, 9, 5) / 20)
    noise <- matrix(stats::rnorm(2 * n, sd = sqrt(0.05)), ncol = 2)
  })
  data.frame(
    x1 = mean1[component] + noise[, 1], x2 = mean2[component] + noise[, 2],
    class = factor(mean1[component], levels = c(-1, 1), labels = c("neg", "pos")),
    component = component
  )
}

# Two Gaussian classes with outliers of the other label, of which the paper (Futami, Sato and Sugiyama,
# 2017, section 5.2) does not say where they are: 3 standard deviations of the other class behind it or
# beside it, seen from their own, or inside it.
sim_outliers <- function(n = 300, n_outliers = 8, seed = NULL,
                         place = c("behind", "beside", "inside")) {
  place <- match.arg(place)
  outlier <- rep(c(FALSE, TRUE), c(n, n_outliers))
  side <- c(rep_len(c(-1, 1), n), rep_len(c(-1, 1), n_outliers))
  noise <- sturdy:::with_seed_or_stream(seed, matrix(stats::rnorm(2 * length(side)), ncol = 2))
  of_class <- function(side) ifelse(side > 0, 1.5, -1) # both coordinates of its mean
  away <- 3 * sqrt(1 / 2) # from the mean of the other class
  shift <- switch(place, behind = c(-1, -1), beside = c(-1, 1), inside = c(0, 0))
  at <- function(k) {
    to <- away * shift[k] / sqrt(2) * side
    ifelse(outlier, of_class(-side) + to, of_class(side))
  }
  spread <- ifelse(outlier, 1 / 4, sqrt(1 / 2))
  data.frame(
    x1 = at(1) + spread * noise[, 1], x2 = at(2) + spread * noise[, 2],
    class = factor(side, levels = c(-1, 1), labels = c("neg", "pos")), outlier = outlier
  )
}
