# What a fit with several classes says of its rows and of new ones, at its one point or
# averaged over nodes (fit-nodes.R).

#' The fit at a node
#' @noRd
at_node.gpc_classes <- function(object, k) {
  nodes <- object$nodes
  classes <- length(object$blueprint$levels)
  by_class <- function(x) matrix(x[, k], ncol = classes)
  object$kernel[names(nodes$hyper[[k]])] <- nodes$hyper[[k]]
  object$omega[] <- nodes$omega[[k]]
  object$ep$sites <- list(tau = by_class(nodes$tau), nu = object$ep$sites$nu)
  object$ep$b <- by_class(nodes$b)
  if (!is.null(object$inducing)) object$inducing$C <- by_class(nodes$C)
  object$nodes <- NULL
  object
}

#' What the nodes say of the rows, kept with them
#'
#' As complete_nodes(); besides `true_class`, `loo_class` and `recorded`, n x C: posterior
#' and leave-one-out probabilities of the true classes, and leave-one-out ones of what is
#' recorded; `each`, n x K, the probabilities of wrong labels; `omega_mean`.
#' @noRd
complete_class_nodes <- function(nodes, data) {
  classes <- ncol(nodes$omega[[1]])
  trusted <- report_known(data$reports)
  weight <- nodes$table$weight
  seen <- lapply(seq_along(weight), function(k) {
    p <- matrix(nodes$seen[, k], ncol = classes)
    joint <- report_likelihood(data$reports, as_omega(nodes$omega[[k]], classes)) * p
    list(
      p = p, log_z = log(rowSums(joint)), true = joint / rowSums(joint),
      recorded = recorded_class(p, nodes$omega[[k]], trusted)
    )
  })
  nodes$loo <- vapply(seen, `[[`, numeric(length(data$y)), "log_z")
  nodes$loo <- matrix(nodes$loo, length(data$y))
  # a label is left out of the weights, too [M 8.11]
  ratio <- log(rep(weight, each = length(data$y))) - nodes$loo
  total <- apply(ratio, 1, log_sum)
  share <- exp(ratio - total)
  mean_of <- function(part, weight) {
    Reduce(`+`, lapply(seq_along(seen), function(k) seen[[k]][[part]] * weight[, k]))
  }
  nodes$left_out <- -total
  nodes$true_class <- mean_of("true", matrix(weight, length(data$y), length(weight), TRUE))
  nodes$loo_class <- mean_of("p", share)
  nodes$recorded <- mean_of("recorded", share)
  nodes$flipped <- wrong_share(nodes$true_class, data$y)
  nodes$each <- vapply(seen, function(s) wrong_share(s$true, data$y), numeric(length(data$y)))
  nodes$each <- matrix(nodes$each, length(data$y))
  nodes$omega_mean <- Reduce(`+`, Map(`*`, nodes$omega, weight))
  nodes$wrong <- lapply(stats::setNames(nm = nodes$models$model), function(name) {
    mine <- nodes$table$model == name
    wrong_mixture(nodes$each[, mine, drop = FALSE], weight[mine] / sum(weight[mine]))
  })
  nodes
}

#' Probabilities of what is recorded, of those of the true classes
#' @noRd
recorded_class <- function(p, omega, trusted) {
  recorded <- p %*% omega
  recorded[trusted, ] <- p[trusted, ]
  recorded
}

#' Of each training row: true_class, loo_class, recorded (n x C), flipped, loo
#' @noRd
class_rows <- function(object) {
  names <- list(NULL, object$blueprint$levels)
  rows <- if (is_average(object)) {
    object$nodes[c("true_class", "loo_class", "recorded")]
  } else {
    ep <- object$ep
    list(
      true_class = ep$true_class, loo_class = ep$loo_class,
      recorded = recorded_class(
        ep$loo_class, object$omega, report_known(fit_data(object)$reports)
      )
    )
  }
  c(
    lapply(rows, function(p) structure(unname(p), dimnames = names)),
    list(flipped = row_flipped(object), loo = row_loo(object))
  )
}

# At new inputs -------------------------------------------------------------------

#' P(each class is the largest) under normals, rows summing to 1 as exactly as it can be
#'
#' A standard deviation far below the means is as good as none, and would be lost in their
#' rounding.
#' @noRd
class_probabilities <- function(m, s2) {
  if (nrow(m) == 0) {
    return(m)
  }
  least <- pmax(1e-14 * do.call(pmax, as.data.frame(m^2)), .Machine$double.xmin)
  prob <- exp(native_classes_prob(m, pmax(s2, least)))
  prob / rowSums(prob)
}

#' Class probabilities at encoded inputs, averaged over nodes
#' @param noise whether of the classes as they are recorded.
#' @noRd
classes_prob_new <- function(object, X, noise = FALSE) {
  if (nrow(X) == 0) {
    return(matrix(0, 0, length(object$blueprint$levels)))
  }
  each <- function(fit) {
    latent <- classes_latent_new(fit, X)
    p <- class_probabilities(latent$m, latent$s2)
    unname(if (noise) p %*% fit$omega else p)
  }
  if (!is_average(object)) {
    return(each(object))
  }
  weight <- node_weight(object)
  Reduce(`+`, lapply(seq_along(weight), function(k) weight[k] * each(at_node(object, k))))
}

#' Moments of the latent functions, those of the mixture over nodes
#' @return list(m, s2), a column a class.
#' @noRd
classes_moments_new <- function(object, X) {
  if (!is_average(object)) {
    return(classes_latent_new(object, X))
  }
  weight <- node_weight(object)
  each <- lapply(seq_along(weight), function(k) classes_latent_new(at_node(object, k), X))
  mean_of <- function(f) Reduce(`+`, Map(function(part, w) w * f(part), each, weight))
  m <- mean_of(function(part) part$m)
  list(m = m, s2 = mean_of(function(part) part$s2 + part$m^2) - m^2)
}
