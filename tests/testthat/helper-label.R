# The label stage in plain R, by its formulas [M 16.1, 16.2, 16.3]: one label a row by one source.
# Coordinates come by the names of what they belong to, which label_problem() has in `field`.

# exp(A) by the power series of A / 2^k, squared k times
plain_exp <- function(A) {
  k <- max(0, ceiling(log2(max(rowSums(abs(A)), 1e-300))) + 3)
  sum <- term <- diag(nrow(A))
  for (j in 1:18) sum <- sum + (term <- term %*% A / (2^k * j))
  for (j in seq_len(k)) sum <- sum %*% sum
  sum
}

# Laplacian of pairs of classes by the shares s, those of the columns of an upper triangle
plain_laplacian <- function(s, classes) {
  S <- matrix(0, classes, classes)
  S[upper.tri(S)] <- s
  S <- S + t(S)
  diag(rowSums(S)) - S
}

# Beta(1, b), cut off at `most`, from standard normals
plain_rate <- function(z, b, most = 1) stats::qbeta(stats::pnorm(z) * stats::pbeta(most, 1, b), 1, b)

# Rates of two classes, a column a point
plain_rates_two <- function(model, Z) {
  one <- function(z) plain_rate(z, 2, 0.95)
  switch(model,
    none = matrix(0, 2, ncol(Z)),
    one = rbind(1, 1) %*% (plain_rate(Z, 4) / 2),
    two = { # the second is cut off where the first leaves it
      e <- plain_rate(Z[1, ], 2)
      rbind(e, plain_rate(Z[2, ], 2, 1 - e))
    },
    first = rbind(one(drop(Z)), 0),
    second = rbind(0, one(drop(Z)))
  )
}

# P(recorded v | true t) from standard normals
plain_omega <- function(model, z, classes) {
  where <- function(z) exp(2.5 * z) / sum(exp(2.5 * z))
  rows <- function(e, to) {
    O <- diag(1 - e, classes)
    for (t in seq_len(classes)) O[t, -t] <- e[t] * to[[t]]
    O
  }
  even <- rep(list(rep(1 / (classes - 1), classes - 1)), classes)
  if (classes == 2) {
    return(rows(drop(plain_rates_two(model, matrix(z, ncol = 1))), even))
  }
  if (startsWith(model, "alone")) {
    t <- as.integer(sub("alone", "", model))
    even[[t]] <- where(z[-1])
    return(rows(replace(numeric(classes), t, plain_rate(z[1], 4, 0.95)), even))
  }
  e <- plain_rate(z[seq_len(classes)], 4, 0.7)
  switch(model,
    none = diag(classes),
    one = rows(rep(plain_rate(z, 4) / 2, classes), even),
    each = rows(e, even),
    matrix = {
      to <- split(z[-seq_len(classes)], rep(seq_len(classes), each = classes - 1))
      rows(e, lapply(to, where))
    }
  )
}

# What coordinates z stand for. @param kind see label_rows().
plain_label_point <- function(z, field, model, kind, classes, unusual = NULL) {
  of <- function(name) z[field == name]
  own <- kind == "fit" && classes == 2
  u <- if (is.null(unusual)) {
    stats::qbeta(stats::pnorm(of("u")), 1, if (own) 100 else 50) / (1 + (classes > 2))
  } else unusual
  anywhere <- diag(1 - u, classes) + u / classes
  # the one that is most like a class has the median that it has of three
  most <- function(classes) stats::qnorm(0.5^(1 / (classes - 1)))
  s <- pmin(exp(log(0.001) + 3 * (most(3) - most(classes) + of("pairs"))), 20)
  alike <- if (length(s)) plain_exp(-plain_laplacian(s, classes)) else diag(classes)
  omega <- plain_omega(model, of("noise"), classes)
  learned <- switch(kind, fit = 0, recorded = 1, scores = stats::pnorm(of("learned")))
  if (model == "none" || classes > 40) learned <- 0 # of very many classes it is left in
  each <- if (classes > 40) numeric(classes) else of("slopes")
  list(
    omega = omega, u = u, U = alike %*% anywhere, w = c(0, of("w")),
    b = exp(own * 0.3 + 0.7 * of("slope") + 0.4 * each),
    out = if (learned > 0) solve(learned * omega + (1 - learned) * diag(classes))
  )
}

# The same of the k-th point of a noise model that takes out all that its scores have learned
plain_point_at <- function(points, omega, k, classes) {
  omega <- matrix(omega, classes)
  list(
    w = points$w[, k], b = points$b[, k], U = matrix(points$U[, k], classes), omega = omega,
    out = if (!is.null(points$M)) solve(omega)
  )
}

# Rows at a point. @param L n x C, P(what is reported | true class)
# @return list(q: of the class of the scores; seen: of the true class without the label; z: of the
#   label; truth: of the true class with it; unusual)
plain_label_rows <- function(at, P, y, L = t(at$omega[, y, drop = FALSE])) {
  l <- log(P)
  if (!is.null(at$out)) {
    B <- P %*% at$out
    B <- (B + sqrt(B^2 + 4 * 0.005^2)) / 2
    l <- log(B / rowSums(B))
  }
  q <- exp(rep(at$w, each = nrow(P)) + l * rep(at$b, each = nrow(P)))
  q <- q / rowSums(q)
  seen <- q %*% at$U
  z <- rowSums(L * seen)
  own <- cbind(seq_along(y), y)
  list(
    q = q, seen = seen, z = z, truth = L * seen / z,
    unusual = L[own] / z * (seen[own] - q[own] * at$U[cbind(y, y)])
  )
}

# Two classes in closed form, at the columns of Z
# @param rates of both classes by the coordinates of a noise model: those of a user's prior, too
# @return list(z, wrong, unusual), rows x points
plain_two <- function(Z, field, model, kind, P, y, rates = plain_rates_two) {
  of <- function(name) Z[field == name, , drop = FALSE]
  at <- function(x) rep(x, each = nrow(P))
  e <- rates(model, of("noise"))
  a <- switch(kind, fit = 0, recorded = 1, scores = drop(stats::pnorm(of("learned"))))
  if (model == "none") a <- 0
  l <- list(log(P[, 1]), log(P[, 2]))
  if (any(a > 0)) { # (p, 1 - p) (a [1 - e1, e1; e2, 1 - e2] + (1 - a) I)^-1, softly above 0
    B <- (P[, 1] - at(a * e[2, ])) / at(1 - a * (e[1, ] + e[2, ]))
    soft <- function(B) (B + sqrt(B^2 + 4 * 0.005^2)) / 2
    l <- list(log(soft(B)), log(soft(1 - B)))
    l <- Map(`-`, l, list(log(soft(B) + soft(1 - B))))
  }
  b <- exp((kind == "fit") * 0.3 + 0.7 * rep(of("slope"), each = 2) + 0.4 * of("slopes"))
  # log odds of the label by the scores
  odds <- (2 * y - 3) * (at(of("w")) + at(b[2, ]) * l[[2]] - at(b[1, ]) * l[[1]])
  own <- matrix(stats::plogis(odds), nrow(P))
  other <- matrix(stats::plogis(-odds), nrow(P))
  u <- if ("u" %in% field) plain_rate(of("u"), if (kind == "fit") 100 else 50) else numeric(ncol(Z))
  u <- matrix(at(u), nrow(P))
  kept <- (1 - e)[y, , drop = FALSE]
  wrong <- e[3 - y, , drop = FALSE] * ((1 - u) * other + u / 2)
  z <- kept * ((1 - u) * own + u / 2) + wrong
  list(z = z, wrong = wrong / z, unusual = kept * u / 2 * other / z)
}

# A noise model of two classes over its coordinates: t draws around the mode, weighted by likelihood
# and prior
plain_label_model <- function(P, y, model, kind, field, draws = 3000, seed = 1, rates = plain_rates_two) {
  value <- function(Z) {
    colSums(log(plain_two(Z, field, model, kind, P, y, rates)$z)) - colSums(Z^2) / 2
  }
  d <- length(field)
  minus <- function(z) -value(matrix(z))
  mode <- stats::optim(numeric(d), minus, method = "BFGS", control = list(reltol = 1e-6))$par
  A <- solve(chol(stats::optimHess(mode, minus)))
  df <- 7
  g <- withr::with_seed(seed, {
    matrix(stats::rnorm(draws * d), d) / rep(sqrt(stats::rchisq(draws, df) / df), each = d)
  })
  Z <- mode + 1.2 * A %*% g
  density <- lgamma((df + d) / 2) - lgamma(df / 2) - d / 2 * log(df * pi) -
    (df + d) / 2 * log1p(colSums(g^2) / df) - sum(log(diag(A))) - d * log(1.2)
  ratio <- value(Z) - d / 2 * log(2 * pi) - density
  w <- exp(ratio - max(ratio))
  said <- plain_two(Z, field, model, kind, P, y, rates)
  each <- function(x) drop(x %*% w) / sum(w)
  list(
    log_evidence = max(ratio) + log(mean(w)), error = stats::sd(w) / mean(w) / sqrt(draws),
    wrong = each(said$wrong), unusual = each(said$unusual), Z = Z, weight = w / sum(w), each = said$wrong
  )
}

# All noise models of two classes @param fields their coordinates, by name
plain_label_stage <- function(P, y, kind, fields, draws = 3000) {
  prior <- c(none = 0.25, one = 0.3, two = 0.15, first = 0.15, second = 0.15)
  parts <- Map(function(model, field) {
    plain_label_model(P, y, model, kind, field, draws)
  }, names(prior), fields[names(prior)])
  log_evidence <- vapply(parts, `[[`, 1, "log_evidence")
  p <- prior * exp(log_evidence - max(log_evidence))
  p <- p / sum(p)
  mean <- function(name) drop(vapply(parts, `[[`, numeric(length(y)), name) %*% p)
  list(
    log_evidence = log_evidence, error = vapply(parts, `[[`, 1, "error"), probability = p,
    wrong = mean("wrong"), unusual = mean("unusual")
  )
}

# What the package takes -----------------------------------------------------------

# Rows and noise models of a label stage; `d` as of toy_scores()
label_made <- function(d, kind = "fit", unusual = NULL, reports = NULL, models = NULL) {
  y <- as.integer(d$labels)
  classes <- ncol(d$prob)
  if (is.null(reports)) reports <- label_reports(y, classes)
  noise <- noise_model("average", noise_prior(), reports)
  if (!is.null(models)) noise$weights <- noise$weights[models] # less to wait for
  list(
    P = unname(d$prob), y = y, classes = classes, kind = kind,
    data = list(y = if (classes == 2) 2 * y - 3 else y, reports = reports),
    way = label_way(kind, classes, unusual), noise = noise
  )
}

label_made_rows <- function(made) label_rows(made$P, made$data$reports, made$way)

# Three classes, of whose first two the scores take one for the other in a share of the rows,
# though they are sure of themselves; the labels are right
alike_scores <- function(n = 120, share = 0.3, seed = 1) {
  withr::with_seed(seed, {
    truth <- rep(1:3, length.out = n)
    swapped <- truth < 3 & stats::runif(n) < share
    P <- matrix(stats::rexp(3 * n), n)
    own <- cbind(seq_len(n), ifelse(swapped, 3 - truth, truth))
    P[own] <- P[own] + stats::runif(n, 15, 45)
    labels <- factor(letters[truth], letters[1:3])
    list(prob = P / rowSums(P), labels = labels, truth = labels)
  })
}

# Value and gradient at one point
slope_at <- function(problem, z) lapply(label_slope(problem, matrix(z)), drop)

label_made_problem <- function(made, name, plain = FALSE) {
  made$noise$targets <- near_classes(made$P, made$y)
  label_problem(label_made_rows(made), name, made$noise, plain)
}

label_made_average <- function(made, ...) label_average(made$P, made$data, made$noise, made$way, ...)

label_fields <- function(made, plain = FALSE) {
  names <- names(made$noise$weights)
  lapply(stats::setNames(nm = names), function(name) label_made_problem(made, name, plain)$field)
}

# A label stage with all of its points, of which it keeps some
label_captured <- function(made) {
  real <- label_thinned
  all <- NULL
  local_mocked(label_thinned = function(parts, ...) {
    all <<- parts
    real(parts, ...)
  })
  list(nodes = label_made_average(made), parts = all)
}

# Posterior of the true class over noise models, n x C
label_posterior <- function(nodes) {
  rowSums(nodes$truth$p * rep(nodes$truth$weight, each = prod(dim(nodes$truth$p)[1:2])), dims = 2)
}

label_wrong <- function(nodes, y) 1 - label_posterior(nodes)[cbind(seq_along(y), y)]

# Distribution of a number of independent events, from 0
plain_poisson_binomial <- function(p) {
  density <- 1
  for (x in p) density <- c(density, 0) * (1 - x) + c(0, density) * x
  density
}
