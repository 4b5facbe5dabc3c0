# Simulated data for the linear model: a target that moves, and a mixture on
# which the order of the rows matters to assumed density filtering.

#' A stream whose target drifts
#'
#' The setting of Ding, Qi and Vishwanathan (2011, section 6.1): points
#' \eqn{x \sim N(0, I)}{x ~ N(0, I)} whose label is the sign of
#' \eqn{\langle w_s + u, x\rangle}{<w_s + u, x>}. The base vector
#' \eqn{w_s}{w_s} has entries -1 and +1 and changes from one segment of the
#' stream to the next; the vector `u`, uniform on `[-0.1, 0.1]` in every entry,
#' is drawn anew for every point.
#'
#' * Case 1, abrupt: every segment draws its base vector anew.
#' * Case 2, gradual: a segment draws only its own block of entries anew and
#'   keeps the others. With the default sizes these are entries `10 s - 9` to
#'   `10 s` in segment s.
#'
#' An entry that is drawn anew keeps its sign half of the time. There is no
#' intercept, and columns are on one scale: fit with `intercept = FALSE` and
#' `scale = FALSE`.
#'
#' @param case 1, the default, or 2.
#' @param n Number of points, at least 1 (4000 by default).
#' @param p Number of columns, at least 1 (100 by default).
#' @param segments Number of segments, at least 1 (10 by default), at most `n`, and at
#'   most `p` in case 2. The lengths of the segments, and the blocks of case 2, differ
#'   by at most one.
#' @inheritParams flip_labels
#' @return A list with the fields
#'   * `x`: the points, a numeric matrix n x p with columns `x1`, `x2`, ...;
#'   * `y`: their labels, a factor with levels `neg` and `pos`;
#'   * `segment`: the segment of each point, an integer vector;
#'   * `base`: the base vectors, a matrix segments x p of -1 and +1.
#'
#'   `bpm(d$x, d$y)` takes the first two; for a function that wants a data frame,
#'   `data.frame(d$x, class = d$y)`.
#' @section Conditions:
#' `sturdy_error_choice` for another case, `sturdy_error_type` and
#' `sturdy_error_range` for sizes that are not whole numbers or are out of range,
#' `sturdy_error_memory` for more points than fit into memory.
#' @references
#' Ding, N., Qi, Y. and Vishwanathan, S. V. N. (2011) t-divergence based
#' approximate inference. *Advances in Neural Information Processing Systems*
#' 24.
#' @seealso [sim_permutation()], [bpm_stream()]
#' @keywords internal
#' @export
#' @examples
#' d <- sim_drift(case = 2, seed = 1)
#' dim(d$x)
#' # entries that change between one segment and the next
#' rowSums(d$base[-1, ] != d$base[-10, ])
sim_drift <- function(case = 1, n = 4000, p = 100, segments = 10, seed = NULL) {
  must(
    is.numeric(case) && length(case) == 1 && case %in% 1:2, "case", "be 1 or 2", "choice",
    got = case
  )
  n <- check_count(n, "n", min = 1)
  p <- check_count(p, "p", min = 1)
  segments <- check_count(segments, "segments", min = 1)
  most <- if (case == 2) min(n, p) else n
  must(
    segments <= most, "segments",
    "be at most {most}, not {segments}, so that no segment is empty", "range"
  )
  check_memory(4 * as.double(p) * (as.double(n) + segments), n, what = "rows of this many columns")
  segment <- parts(n, segments)
  with_seed_or_stream(seed, {
    base <- drift_base(case, p, segments)
    x <- matrix(stats::rnorm(n * p), n)
    wobble <- matrix(stats::runif(n * p, -0.1, 0.1), n)
  })
  colnames(x) <- colnames(base) <- paste0("x", seq_len(p))
  margin <- rowSums((base[segment, , drop = FALSE] + wobble) * x)
  list(
    x = x,
    y = factor(margin > 0, levels = c(FALSE, TRUE), labels = c("neg", "pos")),
    segment = segment,
    base = base
  )
}

drift_base <- function(case, p, segments) {
  base <- matrix(sample(c(-1, 1), segments * p, replace = TRUE), segments, byrow = TRUE)
  if (case == 1) {
    return(base)
  }
  block <- parts(p, segments)
  for (s in seq_len(segments)[-1]) {
    base[s, block != s] <- base[s - 1, block != s]
  }
  base
}

# 1, ..., 1, 2, ..., 2, ...: n positions in parts of nearly equal size
parts <- function(n, count) {
  as.integer(ceiling(as.double(seq_len(n)) * count / n))
}

#' A mixture on which the order of the rows matters
#'
#' The setting of Futami, Sato and Sugiyama (2017, section 5.1): points in the
#' plane from a mixture of four Gaussian components, on which assumed density
#' filtering gives a different class boundary for every order of the rows, and
#' expectation propagation the same one for all. The values used here:
#'
#' | component | mean     | weight | class |
#' |:----------|:---------|:-------|:------|
#' | 1         | (1, 1)   | 0.05   | `pos` |
#' | 2         | (-1, 1)  | 0.25   | `neg` |
#' | 3         | (-1, -1) | 0.45   | `neg` |
#' | 4         | (1, -1)  | 0.25   | `pos` |
#'
#' Every component has the covariance `0.05 I`. The classes lie on either side of
#' the line x1 = 0, 4.5 standard deviations from it. Because component 1 is rare,
#' tilted lines that misclassify it separate almost all points as well.
#'
#' @param n Number of points, at least 1 (1000 by default).
#' @inheritParams flip_labels
#' @return A data frame with `n` rows, in random order, and the columns `x1`,
#'   `x2`, `class` (a factor with levels `neg` and `pos`) and `component` (an
#'   integer).
#' @section Conditions:
#' `sturdy_error_type` and `sturdy_error_range` when `n` is not a whole number
#' above 0, `sturdy_error_memory` when so many points do not fit into memory.
#' @references
#' Futami, F., Sato, I. and Sugiyama, M. (2017) Expectation propagation for
#' t-exponential family using q-algebra. *Advances in Neural Information
#' Processing Systems* 30. \doi{10.48550/arXiv.1705.09046}
#' @seealso [sim_drift()], [bpm()]
#' @keywords internal
#' @export
#' @examples
#' points <- sim_permutation(seed = 1)
#' plot(x2 ~ x1, points, col = class, asp = 1)
sim_permutation <- function(n = 1000, seed = NULL) {
  n <- check_count(n, "n", min = 1)
  check_memory(8 * as.double(n), n, what = "points")
  mean1 <- c(1, -1, -1, 1)
  mean2 <- c(1, 1, -1, -1)
  with_seed_or_stream(seed, {
    component <- sample.int(4L, n, replace = TRUE, prob = c(1, 5, 9, 5) / 20)
    noise <- matrix(stats::rnorm(2 * n, sd = sqrt(0.05)), ncol = 2)
  })
  data.frame(
    x1 = mean1[component] + noise[, 1],
    x2 = mean2[component] + noise[, 2],
    class = factor(mean1[component], levels = c(-1, 1), labels = c("neg", "pos")),
    component = component
  )
}
