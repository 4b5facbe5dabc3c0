# gpc() with three classes or more: class c("gpc_classes"), with methods of its own.

#' Fit of molded data with several classes
#' @noRd
fit_classes <- function(spec, molded, call) {
  levels <- molded$blueprint$levels
  spec <- check_classes_spec(spec, levels, call)
  if (!is.null(molded$data$groups)) abort_class_rates(levels, call)
  blueprint <- molded$blueprint
  X <- molded$data$X
  coding <- blueprint_columns(blueprint)
  kernel <- kernel_resolve(
    spec$kernel, X, coding, blueprint$columns, blueprint$all_columns, call,
    integrate = spec$hyper == "integrate"
  )
  if (spec$kernels == "per class") kernel <- kernel_per_class(kernel, length(levels))
  Z <- inducing_inputs(spec$inducing, blueprint, X, call)
  latent <- latent_classes(
    X, kernel_columns(kernel, coding), row_labels(molded$data), kernel, Z, call
  )
  fit <- learn_fit(latent, spec)
  kernel[hyper_names] <- fit$hyper
  new_gpc_classes(spec, molded, call, fit, kernel)
}

#' What several classes do not have, and the noise matrix in the order of the levels
#' @noRd
check_classes_spec <- function(spec, levels, call) {
  only <- function(arg, what) {
    abort_sturdy(
      "With {length(levels)} classes {.arg {arg}} must be {.val {what}}.", arg,
      arg = arg, call = call
    )
  }
  if (spec$criterion != "evidence") only("criterion", "evidence")
  if (spec$method != "gradient") only("method", "gradient")
  if (!is.null(spec$noise$sensitivity) || !is.null(spec$noise$specificity)) {
    abort_sturdy(
      "With {length(levels)} classes {.arg noise} must not have {.arg sensitivity} or
       {.arg specificity}: they are of two classes.",
      "prior", arg = "noise", call = call
    )
  }
  epsilon <- spec$epsilon
  if (is.matrix(epsilon)) {
    spec$epsilon <- check_noise_matrix(epsilon, levels, call)
  } else if (identical(epsilon, "learn2") || length(epsilon) == 2) {
    abort_sturdy(
      c(
        "With {length(levels)} classes {.arg epsilon} must be one rate, {.val learn},
         a noise matrix, {.val matrix} or {.val average}.",
        i = "A matrix has a row for each true class and a column for each recorded one."
      ),
      "epsilon", arg = "epsilon", call = call
    )
  }
  spec
}

abort_class_rates <- function(levels, call) {
  abort_sturdy(
    c(
      "With {length(levels)} classes {.arg rates} must not be given: rates by group are for two.",
      i = "Rows of a group that is known to be right can be {.arg trusted}; for groups that
           differ much, fit each and compare {.fn noise_matrix}."
    ),
    c("several_classes", "rates"), arg = "rates", call = call
  )
}

#' A kernel with hyperparameters of each class: those of the first class first
#' @noRd
kernel_per_class <- function(kernel, classes) {
  kernel[hyper_names] <- lapply(kernel[hyper_names], function(x) rep(unname(x), classes))
  kernel
}

#' A noise matrix with the names of the classes, in their order
#' @noRd
check_noise_matrix <- function(omega, levels, call) {
  size <- length(levels)
  named <- !is.null(rownames(omega)) && !is.null(colnames(omega))
  fits <- identical(dim(omega), c(size, size)) &&
    (!named || (setequal(rownames(omega), levels) && setequal(colnames(omega), levels)))
  if (!fits) {
    abort_sturdy(
      "{.arg epsilon} must have a row and a column for each of the classes {.val {levels}},
       not {nrow(omega)} x {ncol(omega)}{if (named) ' with other names'}.",
      "epsilon", arg = "epsilon", call = call
    )
  }
  if (named) omega <- omega[levels, levels]
  storage.mode(omega) <- "double"
  dimnames(omega) <- list(true = levels, recorded = levels)
  omega / rowSums(omega)
}

new_gpc_classes <- function(spec, molded, call, fit, kernel) {
  levels <- molded$blueprint$levels
  omega <- if (is.null(fit$omega)) fit$epsilon else fit$omega
  omega <- matrix(latent_omega(fit$latent, omega), length(levels))
  nodes <- complete_nodes(fit$nodes, molded$data)
  if (!is.null(nodes)) omega <- nodes$omega_mean
  dimnames(omega) <- list(true = levels, recorded = levels)
  off <- replace(unname(omega), cbind(seq_along(levels), seq_along(levels)), 0)
  epsilon <- rowSums(off)
  if (diff(range(off[row(off) != col(off)])) < 1e-12) epsilon <- mean(epsilon)
  structure(
    list(
      spec = spec, blueprint = molded$blueprint, data = molded$data, epsilon = epsilon,
      omega = omega, noise = fit[intersect(c("rate", "strength", "counts"), names(fit))],
      kernel = kernel,
      inducing = if (!is.null(fit$latent$Z)) list(
        Z = fit$latent$Z, C = fit$ep$C, left = classes_left(fit$latent, fit$hyper)
      ),
      ep = classes_ep(fit$ep, spec, levels), learning = fit$learning,
      call = fit_call(call, spec), nodes = nodes
    ),
    class = "gpc_classes"
  )
}

#' What a fit keeps of the result of EP
#' @noRd
classes_ep <- function(ep, spec, levels) {
  ep[c("kappa", "newton", "log_evidence_zp", "rival", "C", "value", "gradient", "slope",
       "gradient_solved", "cold")] <- NULL
  if (!is.null(ep$seen)) {
    ep$true_class <- ep$truth
    ep$loo_class <- exp(ep$seen)
    colnames(ep$true_class) <- colnames(ep$loo_class) <- levels
  }
  ep[c("truth", "seen")] <- NULL
  if (!spec$control$trace) ep["trace"] <- list(NULL)
  warn_ep(ep)
  ep
}

model_latent.gpc_classes <- function(object) {
  latent_classes(
    object$data$X, model_columns(object), row_labels(fit_data(object)), object$kernel,
    object$inducing$Z
  )
}

model_hyper.gpc_classes <- function(object) kernel_hyper(object$kernel)

#' Latent means and variances at encoded inputs: list(m, s2), a column a class
#' @noRd
classes_latent_new <- function(object, X) {
  columns <- model_columns(object)
  ep <- object$ep
  one <- function(c) {
    hyper <- class_hyper(kernel_hyper(object$kernel), c)
    if (is.null(object$inducing)) {
      return(native_gp_predict(
        object$data$X, columns, hyper, list(tau = ep$sites$tau[, c]), ep$b[, c], X
      ))
    }
    C <- matrix(object$inducing$C[, c], nrow(ep$b))
    native_inducing_predict(object$inducing$Z, columns, hyper, ep$b[, c], C, X)
  }
  found <- lapply(seq_along(object$blueprint$levels), one)
  part <- function(name) matrix(unlist(lapply(found, `[[`, name)), nrow(X))
  list(m = part("m"), s2 = pmax(part("s2"), .Machine$double.xmin))
}

#' @export
nobs.gpc_classes <- function(object, ...) length(object$data$y)

#' @export
coef.gpc_classes <- function(object, ...) hyperparameters(object)

hyperparameters.gpc_classes <- function(object) {
  kernel <- object$kernel
  levels <- object$blueprint$levels
  rate <- if (length(object$epsilon) > 1) {
    stats::setNames(object$epsilon, paste0("epsilon.", levels))
  } else {
    c(epsilon = object$epsilon)
  }
  columns <- if (kernel$type == "ard") object$blueprint$columns
  one <- list(kernel = list(type = kernel$type, lengthscale = stats::setNames(columns, columns)))
  names <- utils::head(kernel_names(c(one, epsilon = 0)), -1)
  values <- lapply(seq_len(length(kernel$nugget)), function(c) {
    unlist(class_hyper(kernel_hyper(kernel), c), use.names = FALSE)
  })
  if (length(values) > 1) names <- paste0(names, "@", rep(levels, each = length(names)))
  c(stats::setNames(unlist(values), names), rate)
}

#' @export
formula.gpc_classes <- function(x, ...) fit_formula(x)

# Which of the coefficients were learned.
learned.gpc_classes <- function(object) {
  held <- object$kernel$fixed
  kernels <- length(object$kernel$nugget)
  scales <- length(object$kernel$lengthscale) / kernels
  one <- c(rep(!"lengthscale" %in% held, scales), !c("variance", "bias", "nugget") %in% held)
  free <- c(rep(one, kernels), rep(is.character(object$spec$epsilon), length(object$epsilon)))
  free & !is.null(object$learning)
}

