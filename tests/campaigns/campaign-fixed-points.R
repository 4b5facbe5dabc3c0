# Several fixed points: does a fit depend on the order of its rows, and does plain
# sequential EP find a better fixed point that the fit says nothing of?
#
# Cases of each kind (500 by default): fits learned, refitted to permuted rows, and EP at
# held hyperparameters against sequential EP in plain R.

local({
  file <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  source(file.path(dirname(sub("^--file=", "", file[1])), "helper.R"))
})
options(warn = -1) # what is warned of is in the fits
campaign <- campaign_start("fixed-points", cases = 500, seconds = 1200)
flagged <- function(ep) !is.null(ep$rival) || ep$status != "converged"

# Learned --------------------------------------------------------------------

random_table <- function() {
  n <- sample(c(15, 30, 60, 90), 1)
  p <- sample(1:3, 1)
  d <- as.data.frame(matrix(rnorm(n * p), n))
  f <- sin(2 * d[[1]]) + (if (p > 1) d[[2]] else 0) + rnorm(n, sd = sample(c(0.1, 0.5, 2), 1))
  d$y <- f > median(f)
  wrong <- runif(n) < sample(c(0, 0.1, 0.3), 1)
  d$y[wrong] <- !d$y[wrong]
  d
}

learned <- function(d) {
  face <- sample(c("gpc", "gpc", "stc", "bpm"), 1)
  extra <- if (face == "stc") list(df = sample(c(3, 10), 1))
  if (face != "bpm" && runif(1) < 0.5) extra$kernel <- kernel_iso(nugget = 0.01)
  function(d) do.call(face, c(list(y ~ ., d), extra))
}

silent <- seen <- several <- 0
worst <- 0
for (i in seq_len(campaign$cases)) {
  if (campaign_over(campaign, 0.6)) break
  d <- random_table()
  fit <- learned(d)
  other <- d[sample(nrow(d)), ]
  new <- d[seq_len(min(10, nrow(d))), ] + 0.1
  a <- fit(d)
  b <- fit(other)
  if (!length(a$ep$b) || !length(b$ep$b)) next
  seen <- seen + 1
  gap <- max(abs(
    unlist(predict(a, new, type = "prob")) - unlist(predict(b, new, type = "prob"))
  ))
  if (!is.finite(gap) || gap > 1e-6) {
    silent <- silent + !(flagged(a$ep) || flagged(b$ep))
  }
  several <- several + flagged(a$ep)
  worst <- max(worst, gap)
}
campaign_figure(campaign, "learned fits compared with permuted rows", seen)
campaign_figure(campaign, "of those, flagged", several)
campaign_figure(campaign, "largest difference of a probability", worst)
campaign_figure(campaign, "of those above 1e-6, not flagged", silent, at_most = 0)

# Held -----------------------------------------------------------------------

sequential_ep <- function(K, y, epsilon, sweeps = 500) {
  n <- length(y)
  tau <- nu <- m <- numeric(n)
  C <- K
  for (sweep in seq_len(sweeps)) {
    worst <- 0
    for (i in sample(n)) {
      A <- C[i, i]
      u <- 1 - tau[i] * A
      if (u <= 0) next
      s2 <- A / u
      mean <- (m[i] - A * nu[i]) / u
      z <- y[i] * mean / sqrt(s2)
      Z <- epsilon + (1 - 2 * epsilon) * pnorm(z)
      a <- (1 - 2 * epsilon) * dnorm(z) / Z / sqrt(s2)
      V <- s2 - s2^2 * a * (a + z / sqrt(s2))
      if (!is.finite(V) || V <= 0) next
      dtau <- 1 / V - 1 / s2 - tau[i]
      dnu <- (mean + y[i] * s2 * a) / V - mean / s2 - nu[i]
      grow <- 1 + dtau * A
      if (grow <= 0) next
      column <- C[, i]
      C <- C - dtau / grow * tcrossprod(column)
      m <- m + (dnu - dtau * m[i]) / grow * column
      tau[i] <- tau[i] + dtau
      nu[i] <- nu[i] + dnu
      worst <- max(worst, abs(dtau) * A, abs(dnu) * sqrt(A))
    }
    C <- solve(diag(n) + K * rep(tau, each = n), K, tol = 0)
    m <- drop(C %*% nu)
    if (worst < 1e-7) return(list(tau = tau, nu = nu))
  }
  NULL
}

below <- seen <- several <- 0
deepest <- 0
noisiest <- 0 # nugget over variance of those with several
for (i in seq_len(campaign$cases)) {
  if (campaign_over(campaign)) break
  d <- random_table()
  X <- as.matrix(d[setdiff(names(d), "y")])
  reach <- exp(runif(1, log(0.2), log(5)))
  variance <- exp(runif(1, log(0.1), log(100)))
  nugget <- exp(runif(1, log(1e-6), log(2)))
  K <- variance * exp(-as.matrix(dist(X))^2 / (2 * reach^2))
  K <- unname(K) + diag(nugget, nrow(d))
  epsilon <- sample(c(0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3), 1)
  y <- ifelse(d$y, 1, -1)
  fit <- ep_fit(K, y, epsilon = epsilon)
  sites <- sequential_ep(K, y, epsilon)
  if (is.null(sites)) next
  plain <- ep_fit(K, y, epsilon = epsilon, sites = sites)
  if (plain$status != "converged") next
  seen <- seen + 1
  if (!is.null(fit$rival)) {
    several <- several + 1
    noisiest <- max(noisiest, nugget / variance)
  }
  gap <- plain$log_evidence - fit$log_evidence
  if (!(gap < 1e-5)) {
    below <- below + !flagged(fit)
    deepest <- max(deepest, gap)
  }
}
campaign_figure(campaign, "held fits compared with sequential EP", seen)
campaign_figure(campaign, "of those, flagged as having several fixed points", several)
# half of what small_noise() of R/ep-starts.R takes for little
campaign_figure(campaign, "largest nugget over variance of these", noisiest, at_most = 0.025)
campaign_figure(campaign, "below sequential EP by at most (nats)", deepest)
# no number of starts finds them all
campaign_figure(campaign, "below it, not flagged", below, at_most = ceiling(0.01 * seen))
campaign_end(campaign)
