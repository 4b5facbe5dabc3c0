# The latent function of a fit: as EP takes it, and at new inputs under one node.

#' The latent of a fit at its hyperparameters, as latent.R describes it
#' @noRd
model_latent <- function(object) {
  UseMethod("model_latent")
}

model_latent.sturdy_model <- function(object) {
  new_kernel_latent(object$data, object$kernel, model_columns(object), object$inducing$Z)
}

model_latent.bpm <- function(object) {
  latent_weight(
    bpm_design(object$data$X, object$prior), row_labels(object$data), object$prior
  )
}

#' The lengthscale and the weight of each encoded column, and how often each row of the fit counts
#' @noRd
row_columns <- function(object) {
  columns <- model_columns(object)
  columns$times <- object$data$reports$times
  columns
}

#' The same without what is of rows
#' @noRd
model_columns <- function(object) {
  kernel_columns(object$kernel, blueprint_columns(object$blueprint))
}

#' EP at the hyperparameters of a fit
#' @noRd
refit_ep <- function(object, df = object$spec$df, sites = NULL, ...) {
  ep_run(
    model_latent(object), model_hyper(object), df, row_omega(object),
    sites = sites, control = object$spec$control, ...
  )
}

#' Gaussian EP evidence at the hyperparameters of a fit, with a warning where its EP
#' does not converge
#' @param second whether with its second order.
#' @noRd
gaussian_evidence <- function(object, second = FALSE) {
  here <- is.infinite(object$spec$df)
  if (here && !second) {
    return(model_evidence(object))
  }
  check_by_ep(object)
  object$spec$control$second <- second
  ep <- refit_ep(object, df = Inf, sites = if (here) object$ep$sites, final = !here)
  if (ep$status != "converged") {
    warn_sturdy(
      "In the Gaussian fit at the same hyperparameters: {ep$message}",
      "not_converged", status = ep$status
    )
  }
  # no correction of what is no fixed point: the series may give anything there. Which status it ends
  # with may depend on last bits, and so on the machine.
  nowhere <- second && ep$status != "converged"
  if (nowhere || is.null(ep$log_evidence)) NA_real_ else corrected_evidence(ep)
}

#' The evidence the fit has of its own
#' @noRd
model_evidence <- function(object) {
  value <- if (is.null(object$ep)) object$filter$log_evidence else object$ep$log_evidence
  if (is.null(value)) NA_real_ else value
}

# At new inputs ---------------------------------------------------------------

#' Scaled latent locations and squared scales at encoded inputs under nodes
#' @param used list(node, weight), as of all_nodes() or used_nodes().
#' @return list(m, s2), rows x functions x nodes: one function, or one for each class; node and
#'   weight.
#' @noRd
node_latent <- function(object, X, used = all_nodes(object)) {
  UseMethod("node_latent")
}

node_latent.sturdy_model <- function(object, X, used = all_nodes(object)) {
  hyper <- function_hyper(object, used$node)
  columns <- model_columns(object)
  b <- node_columns(object, "b", used$node, object$ep$b)
  latent <- if (!is.null(object$inducing)) {
    C <- node_columns(object, "C", used$node, object$inducing$C)
    C <- array(C, c(nrow(b), nrow(b), length(hyper)))
    native_inducing_predict_nodes(object$inducing$Z, columns, hyper, b, C, X)
  } else if (!is.null(used$C)) {
    list(
      m = native_gp_means(object$data$X, columns, hyper, b, X),
      s2 = mixed_variances(object, hyper, used, X)
    )
  } else {
    tau <- node_columns(object, "tau", used$node, object$ep$sites$tau)
    meter <- progress_meter("Predicting", object$spec$control$progress)
    tick <- function(done) meter(done, nrow(X), paste(whole(nrow(X)), "rows"))
    native_gp_predict_nodes(object$data$X, row_columns(object), hyper, tau, b, X, tick)
  }
  refuse(
    any(latent$status < 0), "The posterior of the fit can't be factorised for prediction.", "no_posterior"
  )
  new_latents(object, latent$m, latent$s2, X, used, latent_functions(object))
}

#' Variances through inducing inputs
#' @param made list(Z, C), see inducing_variances(). @return rows x (functions and nodes).
#' @noRd
mixed_variances <- function(object, hyper, made, X) {
  no_means <- matrix(0, nrow(made$C), length(hyper))
  native_inducing_predict_nodes(made$Z, model_columns(object), hyper, no_means, made$C, X)$s2
}

#' @param used see used_nodes().
#' @noRd
new_latents <- function(object, m, s2, X, used, functions = 1) {
  size <- c(nrow(X), functions, length(used$node))
  m <- m + offset_latent(object, X, used$node)
  list(
    m = array(m, size), s2 = array(pmax(s2, .Machine$double.xmin), size), node = used$node,
    weight = used$weight
  )
}

#' What offsets add to the latent function of rows under nodes [M 3.20]
#' @return 0, or a row a row and a column a node.
#' @noRd
offset_latent <- function(object, X, node) {
  if (is.null(object$blueprint$offset)) {
    return(0)
  }
  offset <- row_offset(X)
  refuse(
    is.null(offset), "This can't be asked of a fit with an {.fn offset}.", c("offset", "formula"),
    arg = "formula"
  )
  outer(offset, sqrt(vapply(nodes_hyper(object)[node], function(hyper) hyper$nugget[1], 0)))
}

# The weight of a level that training did not have is as under the prior: its mean is
# 0, and its scale adds to that of the others, of which it is independent.
node_latent.bpm <- function(object, X, used = all_nodes(object)) {
  fits <- lapply(used$node, latent_at, object = object)
  part <- function(of) unlist(lapply(fits, of), use.names = FALSE)
  latent <- native_weight_predict_nodes(
    bpm_design(known_levels(object, X)$X, object$prior),
    matrix(part(function(fit) fit$weights$mean), ncol = length(fits)),
    part(function(fit) fit$weights$C)
  )
  noise <- lapply(fits, function(fit) known_levels(fit, X)$unknown + fit$prior$nugget)
  new_latents(object, latent$m, latent$s2 + unlist(noise), X, used)
}

#' P(true class) at latent locations and scales
#' @noRd
class_probabilities <- function(m, s2, df = Inf) exp(class_log_prob(m, s2, df))

#' Its log: of two classes P(f > 0) for the one function, of several P(each function is the largest)
#' @param m,s2 a column a function. @param width of classes in an order, see native_cuts().
#' @return a column a class.
#' @noRd
class_log_prob <- function(m, s2, df = Inf, width = NULL) {
  if (!is.null(width)) {
    return(ordered_log_prob(drop(m), drop(s2), native_cuts(width)))
  }
  if (ncol(m) == 1) {
    z <- drop(m / sqrt(s2))
    log_p <- stats::pt(c(-z, z), df, log.p = TRUE)
    return(matrix(pmax(log_p, -1e300), ncol = 2))
  }
  if (nrow(m) == 0) {
    return(m)
  }
  # a scale far below the means is as good as none, and would be lost in their rounding
  least <- pmax(1e-14 * do.call(pmax, as.data.frame(m^2)), .Machine$double.xmin)
  log_p <- pmax(native_classes_prob(m, pmax(s2, least)), -1e300)
  log_p - row_log_sum(log_p)
}

#' The latent function of a class, as a fit that has no other
#' @noRd
one_function <- function(object, c) {
  object$ep$sites <- lapply(object$ep$sites, function(x) x[, c])
  object$ep$b <- object$ep$b[, c]
  object$kernel[hyper_names] <- class_hyper(kernel_hyper(object$kernel), c)
  if (!is.null(object$inducing)) {
    object$inducing$C <- matrix(object$inducing$C[, c], length(object$ep$b))
  }
  object
}

#' Inputs without the weights of levels that training did not have, and their variance
#' @return list(X, unknown)
#' @noRd
known_levels <- function(object, X) {
  columns <- blueprint_columns(object$blueprint)
  unknown <- numeric(nrow(X))
  for (j in unique(columns$group[columns$weight < 1])) {
    mine <- columns$group == j
    novel <- rowSums(X[, mine, drop = FALSE]) > 1.5 # see encode_feature()
    X[novel, mine] <- 0
    unknown <- unknown + novel * object$prior$scale[[object$blueprint$columns[j]]]
  }
  list(X = X, unknown = unknown)
}

# The global scale of the latent function.
latent_kappa <- function(object) {
  if (inherits(object, "bpm")) exp(object$weights$log_scale) else object$ep$kappa
}

#' Covariance of the scaled latent function, without the nugget, among encoded inputs
#' [M 7.2], as a function of them: the factors of [M 3.9] are computed once
#' @noRd
latent_covariance <- function(object) {
  if (!is.null(object$inducing)) {
    features <- inducing_features(object)
    return(function(X) {
      at <- features(X)
      native_product(at$V, native_product(object$inducing$C, at$V, FALSE)) +
        diag(at$left, nrow(X))
    })
  }
  hyper <- kernel_hyper(object$kernel)
  columns <- model_columns(object)
  explained <- latent_explained(object)
  function(X) {
    native_gram(X, X, columns, hyper) -
      explained(native_gram(object$data$X, X, columns, hyper))
  }
}

#' K' R K for the covariances K of the training rows with others: what the labels take from
#' their prior covariance, as a function of K
#' @noRd
latent_explained <- function(object) {
  tau <- object$ep$sites$tau
  root <- sqrt(abs(tau))
  pos <- which(tau > 0)
  neg <- which(tau < 0)
  gram <- native_gram(object$data$X, NULL, row_columns(object), kernel_hyper(object$kernel))
  K <- root * t(root * gram)
  L <- native_cholesky(K[pos, pos, drop = FALSE], 1)
  V_neg <- native_solve(L, K[pos, neg, drop = FALSE])
  M <- native_cholesky(native_product(V_neg, V_neg) - K[neg, neg, drop = FALSE], 1)
  function(K) {
    G <- root * K
    V <- native_solve(L, G[pos, , drop = FALSE])
    W <- native_solve(M, G[neg, , drop = FALSE] - native_product(V_neg, V))
    native_product(V, V) - native_product(W, W)
  }
}

#' Features of inputs, as a function of them: list(V, a column a row, whose weights the fit
#' has; left, the variance that they leave)
#' @noRd
inducing_features <- function(object) {
  hyper <- kernel_hyper(object$kernel)
  hyper$nugget <- 0
  columns <- model_columns(object)
  function(X) {
    at <- native_features(X, object$inducing$Z, columns, hyper)
    list(V = at$Phi, left = at$lambda)
  }
}
