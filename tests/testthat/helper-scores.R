# Tables of scores that were made without the label of their row.

# Rows of C classes with scores of which those of the true class are larger, and labels of which
# every tenth is wrong
toy_scores <- function(classes = 2, n = 120, strength = 5, wrong = n %/% 10, seed = 1) {
  withr::with_seed(seed, {
    levels <- letters[seq_len(classes)]
    truth <- sample(levels, n, TRUE)
    prob <- matrix(stats::rexp(n * classes), n, dimnames = list(NULL, levels))
    own <- cbind(seq_len(n), match(truth, levels))
    prob[own] <- prob[own] + strength * stats::runif(n)
    rows <- sample(n, wrong)
  })
  labels <- truth
  labels[rows] <- levels[match(truth[rows], levels) %% classes + 1]
  list(
    prob = prob / rowSums(prob), labels = factor(labels, levels), truth = factor(truth, levels),
    rows = rows
  )
}

# Log probabilities of true classes by recalibrated scores, and the log likelihood, in plain R
ref_recalibrated <- function(S, shift, slope) {
  eta <- sweep(slope * S, 2, shift, `+`)
  eta - log(rowSums(exp(eta)))
}

ref_scores_likelihood <- function(S, shift, slope, L) {
  sum(log(rowSums(L * exp(ref_recalibrated(S, shift, slope)))))
}

averaged_stage <- function(d, ...) second_stage(d$prob, d$labels, ..., hyper = "integrate")
