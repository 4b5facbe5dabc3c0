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

# Log probabilities of true classes by recalibrated scores, in plain R
ref_recalibrated <- function(S, shift, slope) {
  eta <- sweep(slope * S, 2, shift, `+`)
  eta - log(rowSums(exp(eta)))
}

# What the points that a label stage keeps say of rows with scores, in plain R: L q~ / Z [M 16.3]
# @param y labels, 1..C, by one source. @return list(p: of the true class with the label, seen: without
#   it, recorded: of what is recorded, and left_out, where the label is left out of the weights, too),
#   n x C, and z, of each label
ref_stage <- function(fit, P = fit$data$X, y = NULL) {
  classes <- ncol(P)
  table <- fit$nodes$table
  before <- cumsum(c(0, table(factor(table$model, names(fit$nodes$points)))))
  p <- seen <- recorded <- left_out <- 0 * P
  inverse <- numeric(nrow(P))
  for (m in seq_along(fit$nodes$points)) {
    at <- fit$nodes$points[[m]]
    for (k in seq_len(ncol(at$w))) {
      weight <- table$weight[before[m] + k]
      omega <- fit$nodes$omega[[before[m] + k]][1, , ]
      l <- log(P)
      if (!is.null(at$M)) { # what takes out the noise that the scores have learned
        B <- P %*% matrix(at$M[, k], classes)
        B <- (B + sqrt(B^2 + 4 * 0.005^2)) / 2
        l <- log(B / rowSums(B))
      }
      q <- exp(l * rep(at$b[, k], each = nrow(P)) + rep(at$w[, k], each = nrow(P)))
      U <- if (nrow(at$U) == 2) at$U[1, k] * diag(classes) + at$U[2, k] else matrix(at$U[, k], classes)
      q <- (q / rowSums(q)) %*% U
      seen <- seen + weight * q
      recorded <- recorded + weight * q %*% omega
      if (!is.null(y)) {
        joint <- q * t(omega[, y])
        p <- p + weight * joint / rowSums(joint)
        inverse <- inverse + weight / rowSums(joint)
        left_out <- left_out + weight / rowSums(joint) * q %*% omega
      }
    }
  }
  list(p = p, seen = seen, recorded = recorded, left_out = left_out / inverse, z = 1 / inverse)
}

averaged_stage <- function(d, ...) second_stage(d$prob, d$labels, ..., hyper = "integrate")
