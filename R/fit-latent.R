# The latent function of a fit at new inputs under nodes, and the probabilities of the classes there.

#' Scaled latent locations and squared scales at encoded inputs under nodes
#' @param used list(node, weight), as of all_nodes() or used_nodes().
#' @return list(m, s2), rows x functions x nodes: one function, or one for each class; node and
#'   weight.
#' @noRd
node_latent <- function(object, X, used = all_nodes(object)) UseMethod("node_latent")

node_latent.sturdy_model <- function(object, X, used = all_nodes(object)) {
  hyper <- function_hyper(object, used$node)
  columns <- model_columns(object)
  b <- node_columns(object, "b", used$node, object$ep$b)
  latent <- if (!is.null(object$inducing)) {
    C <- node_columns(object, "C", used$node, object$inducing$C)
    C <- array(C, c(nrow(b), nrow(b), length(hyper)))
    native_inducing_predict_nodes(object$inducing$Z, columns, hyper, b, C, X)
  } else {
    tau <- node_columns(object, "tau", used$node, object$ep$sites$tau)
    meter <- progress_meter("Predicting", object$spec$control$progress)
    tick <- function(done) meter(done, nrow(X), paste(whole(nrow(X)), "rows"))
    native_gp_predict_nodes(object$data$X, row_columns(object), hyper, tau, b, X, tick)
  }
  check_factorised(all(latent$status >= 0))
  new_latents(object, latent$m, latent$s2, X, used)
}

check_factorised <- function(fine) {
  refuse(!fine, "The posterior of the fit can't be factorised for prediction.", "no_posterior")
}

#' @param used see used_nodes().
#' @noRd
new_latents <- function(object, m, s2, X, used) {
  size <- c(nrow(X), latent_functions(object), length(used$node))
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
  least <- pmax(1e-14 * row_max(m^2), .Machine$double.xmin)
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
    novel <- rowSums(X[, mine, drop = FALSE]) > 1.5 # see novel_indicator()
    X[novel, mine] <- 0
    unknown <- unknown + novel * object$prior$scale[[object$blueprint$columns[j]]]
  }
  list(X = X, unknown = unknown)
}

# The global scale of the latent function.
latent_kappa <- function(object) {
  if (inherits(object, "bpm")) exp(object$weights$log_scale) else object$ep$kappa
}
