# A fit that averages over nodes (learn-average.R): the fit at one of them, and what is
# averaged over all. Fits at one point answer the same questions by their one point.

is_average <- function(object) !is.null(object$nodes)

#' The fit at a node
#' @noRd
at_node <- function(object, k) {
  UseMethod("at_node")
}

at_node.default <- function(object, k) {
  nodes <- object$nodes
  object$kernel[names(nodes$hyper[[k]])] <- nodes$hyper[[k]]
  object$epsilon <- shown_rates(nodes$rates[[k]])
  object$ep$sites <- list(tau = nodes$tau[, k], nu = object$ep$sites$nu)
  object$ep$b <- nodes$b[, k]
  if (!is.null(object$inducing)) object$inducing$C <- nodes$C[, , k]
  object
}

at_node.bpm <- function(object, k) {
  nodes <- object$nodes
  hyper <- nodes$hyper[[k]]
  object$prior$scale[object$prior$free] <- hyper$prior_scale
  object$prior$nugget <- hyper$nugget
  object$epsilon <- shown_rates(nodes$rates[[k]])
  object$weights <- new_weights(nodes$b[, k], as.matrix(nodes$C[, , k]), object$prior, 0)
  object
}

#' The fit at a node, or the fit that has none
#' @noRd
node_fit <- function(object, k) if (is_average(object)) at_node(object, k) else object

#' Draws dealt out to the nodes by their weights
#' @param most how many nodes are drawn from.
#' @return list(node, draws), those with draws and how many each has.
#' @noRd
node_draws <- function(object, draws, most = draws) {
  if (!is_average(object)) {
    return(list(node = 1L, draws = draws))
  }
  groups <- min(most, draws)
  share <- cumsum(object$nodes$table$weight)
  drawn <- findInterval((seq_len(groups) - 0.5) / groups * share[length(share)], share) + 1L
  size <- tabulate(rep_len(drawn, draws), length(share)) # draws of each node
  list(node = which(size > 0), draws = size[size > 0])
}

node_count <- function(object) if (is_average(object)) nrow(object$nodes$table) else 1L

node_weight <- function(object) if (is_average(object)) object$nodes$table$weight else 1

#' Scaled latent location and squared scale at encoded inputs under every node
#' @return list(m, s2), matrices with a column a node.
#' @noRd
node_latent <- function(object, X, call) {
  if (!is_average(object)) {
    return(lapply(latent_new(object, X, call)[c("m", "s2")], as.matrix))
  }
  each <- lapply(seq_len(node_count(object)), function(k) {
    latent_new(at_node(object, k), X, call)
  })
  columns <- function(name) {
    matrix(vapply(each, `[[`, numeric(nrow(X)), name), nrow(X), length(each))
  }
  list(m = columns("m"), s2 = columns("s2"))
}

#' Flip rates of each node, or the one of the fit: a row (neg, pos) a node
#'
#' With rates by group, those of a row that is not trusted, on average.
#' @noRd
node_rates <- function(object) {
  if (!is_average(object)) {
    return(matrix(rep_len(unname(object$epsilon), 2), 1))
  }
  groups <- length(object$data$groups)
  size <- if (groups) tabulate(object$data$group, groups) else 1
  rates <- vapply(object$nodes$rates, function(rates) {
    mean <- if (sum(size) > 0) drop(size %*% rates) / sum(size) else colMeans(rates)
    rep_len(mean, 2)
  }, numeric(2))
  t(rates)
}

#' The noise model of a fit, or of its node k, as EP takes it: S x C x C
#' @noRd
row_omega <- function(object, k = NULL) {
  reports <- fit_data(object)$reports
  if (!is_average(object)) {
    epsilon <- if (is.null(object$omega)) object$epsilon else unname(object$omega)
    return(as_omega(epsilon, reports$classes, length(reports$sources)))
  }
  nodes <- object$nodes
  if (!is.null(nodes$omega)) {
    return(as_omega(if (is.null(k)) unname(nodes$point) else nodes$omega[[k]], reports$classes))
  }
  rates_omega(if (is.null(k)) nodes$point else nodes$rates[[k]], reports$classes)
}

#' The likelihoods of the rows there, n x C
#' @noRd
row_likelihood <- function(object, k = NULL) {
  report_likelihood(fit_data(object)$reports, row_omega(object, k))
}

# Rows ----------------------------------------------------------------------------

#' Leave-one-out probability of the other class, and probability that the label was
#' flipped, of each row under each node
#'
#' Both follow from the leave-one-out probability Zp of the label [M 7.4]:
#' Zp = c F + w (1 - F), with the probabilities c and w of recording the label when it is
#' right and when it is wrong.
#' @return list(unseen, flipped), n x K.
#' @noRd
node_flips <- function(nodes, data) {
  n <- length(data$y)
  code <- label_code(data)
  each <- lapply(seq_along(nodes$rates), function(k) {
    L <- report_likelihood(data$reports, rates_omega(nodes$rates[[k]], 2))
    row_flips(L, code, nodes$loo[, k])
  })
  part <- function(name) matrix(vapply(each, `[[`, numeric(n), name), n)
  list(unseen = part("unseen"), flipped = part("flipped"))
}

row_flips <- function(L, code, loo) {
  wrong <- L[cbind(seq_along(code), 3 - code)]
  right <- L[cbind(seq_along(code), code)]
  unseen <- -right * expm1(loo - log(right)) / (right - wrong)
  unseen <- pmin(pmax(unseen, 0), 1)
  list(unseen = unseen, flipped = pmin(wrong * unseen / exp(loo), 1))
}

#' Probability that each label was flipped
#' @noRd
row_flipped <- function(object) {
  if (is_average(object)) object$nodes$flipped else object$ep$flipped
}

#' Log leave-one-out probability of each label
#'
#' Averaged, a label is left out of the weights of the nodes, too [M 8.11].
#' @noRd
row_loo <- function(object) {
  if (is_average(object)) object$nodes$left_out else object$ep$loo
}

#' What the nodes say of the rows and of the number of wrong labels, kept with them
#' @noRd
complete_nodes <- function(nodes, data) {
  if (is.null(nodes)) {
    return(NULL)
  }
  if (!is.null(nodes$omega)) {
    return(complete_class_nodes(nodes, data))
  }
  flips <- node_flips(nodes, data)
  weight <- nodes$table$weight
  ratio <- log(rep(weight, each = length(data$y))) - nodes$loo
  total <- apply(ratio, 1, log_sum)
  nodes$flipped <- drop(flips$flipped %*% weight)
  nodes$left_out <- -total
  nodes$unseen <- rowSums(flips$unseen * exp(ratio - total))
  nodes$wrong <- lapply(stats::setNames(nm = nodes$models$model), function(name) {
    mine <- nodes$table$model == name
    wrong_mixture(flips$flipped[, mine, drop = FALSE], weight[mine] / sum(weight[mine]))
  })
  nodes
}

#' A fit whose rows have changed: its nodes, weighted by the evidence on the rows as they
#' are
#'
#' The weights of importance sampling are multiplied by the ratio of evidences.
#' @noRd
reweighed <- function(object) {
  if (!is_average(object)) {
    return(object)
  }
  nodes <- object$nodes
  latent <- model_latent(object)
  spec <- object$spec
  run <- function(k, df) {
    out <- latent$native(nodes$hyper[[k]], df, row_likelihood(object, k), NULL, spec$control)
    if (ep_converged(out)) out
  }
  out <- lapply(seq_along(nodes$hyper), run, df = Inf)
  log_evidence <- vapply(out, function(o) if (is.null(o)) -Inf else o$log_evidence, 0)
  ratio <- log_evidence - nodes$table$log_evidence
  weight <- log(nodes$table$weight) + ratio
  model <- match(nodes$table$model, nodes$models$model)
  gain <- tapply(weight, factor(model, seq_len(nrow(nodes$models))), log_sum)
  gain <- as.vector(gain) - log(nodes$models$probability)
  nodes$models$log_evidence <- nodes$models$log_evidence + gain
  posterior <- nodes$models$log_evidence + log(nodes$models$prior)
  nodes$models$probability <- exp(posterior - log_sum(posterior))
  nodes$table$log_evidence <- log_evidence
  nodes$table$weight <- exp(weight - log_sum(weight))
  keep <- nodes$table$weight > 0
  if (is.finite(spec$df)) {
    out <- lapply(seq_along(out), run, df = spec$df)
    keep <- keep & !vapply(out, is.null, NA)
    nodes$table$weight <- nodes$table$weight / sum(nodes$table$weight[keep])
  }
  nodes$table <- nodes$table[keep, ]
  each <- intersect(c("hyper", "rates", "omega"), names(nodes))
  nodes[each] <- lapply(nodes[each], `[`, keep)
  nodes[names(node_arrays(out[keep]))] <- node_arrays(out[keep])
  object$nodes <- complete_nodes(nodes, fit_data(object))
  object
}

# The number of wrong labels --------------------------------------------------------

#' Probabilities of 0, 1, ..., n successes of independent trials [M 7.5]
#' @noRd
poisson_binomial <- function(p) {
  n <- length(p)
  if (n > 1000) { # the sum of two halves
    half <- n %/% 2
    return(convolve_densities(
      poisson_binomial(p[seq_len(half)]), poisson_binomial(p[(half + 1):n])
    ))
  }
  density <- 1
  for (q in p[p > 0]) {
    density <- c(density * (1 - q), 0) + c(0, density * q)
  }
  c(density, numeric(sum(p <= 0)))
}

#' @noRd
convolve_densities <- function(a, b) {
  n <- length(a) + length(b) - 1
  size <- stats::nextn(n)
  pad <- function(x) stats::fft(c(x, numeric(size - length(x))))
  pmax(Re(stats::fft(pad(a) * pad(b), inverse = TRUE))[seq_len(n)] / size, 0)
}

#' Mixture of Poisson-binomial distributions, the columns of P
#' @return probabilities of 0, 1, ..., as far as they are above 0.
#' @noRd
wrong_mixture <- function(P, weight) {
  each <- lapply(seq_along(weight), function(k) poisson_binomial(P[, k]) * weight[k])
  density <- Reduce(`+`, each)
  density[seq_len(max(which(density > 1e-12)))]
}
