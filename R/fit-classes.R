# gpc() with three classes or more: class c("gpc_classes"), with methods of its own.

#' Fit of molded data with several classes
#' @noRd
fit_classes <- function(spec, molded, call) {
  levels <- molded$blueprint$levels
  spec <- check_classes_spec(spec, levels, call)
  check_nothing_known(molded$data, levels, call)
  blueprint <- molded$blueprint
  X <- molded$data$X
  coding <- blueprint_columns(blueprint)
  kernel <- kernel_resolve(
    spec$kernel, X, coding, blueprint$columns, blueprint$all_columns, call
  )
  Z <- inducing_inputs(spec$inducing, blueprint, X, call)
  latent <- latent_classes(
    X, kernel_columns(kernel, coding), molded$data$y, length(levels), kernel, Z, call = call
  )
  timed <- spec
  timed$deadline <- seconds_now() + spec$control$budget
  fit <- if (identical(spec$epsilon, "matrix")) {
    learn_classes(latent, timed)
  } else {
    learn_at_once(latent, timed)
  }
  kernel[hyper_names] <- fit$hyper
  new_gpc_classes(spec, molded, call, fit, kernel, latent)
}

#' What several classes do not have, and the noise matrix in the order of the levels
#' @noRd
check_classes_spec <- function(spec, levels, call) {
  only <- function(arg, what) {
    abort_sturdy(
      "With {length(levels)} classes {.arg {arg}} must be {what}.", arg, arg = arg, call = call
    )
  }
  if (identical(spec$epsilon, "average")) spec$epsilon <- "learn"
  spec$hyper <- "optimum"
  if (spec$criterion != "evidence") only("criterion", "{.val evidence}")
  if (spec$method != "gradient") only("method", "{.val gradient}")
  epsilon <- spec$epsilon
  if (identical(epsilon, "average")) { # noise models of two classes
    spec$epsilon <- "learn"
  } else if (is.matrix(epsilon)) {
    spec$epsilon <- check_noise_matrix(epsilon, levels, call)
  } else if (identical(epsilon, "learn2") || length(epsilon) == 2) {
    abort_sturdy(
      c(
        "With {length(levels)} classes {.arg epsilon} must be one rate, {.val learn},
         a noise matrix or {.val matrix}.",
        i = "A matrix has a row for each true class and a column for each recorded one."
      ),
      "epsilon", arg = "epsilon", call = call
    )
  }
  spec
}

#' Trusted rows and groups of rows are for two classes
#' @noRd
check_nothing_known <- function(data, levels, call) {
  if (!is.null(data$group)) {
    abort_sturdy(
      "With {length(levels)} classes {.arg trusted} and {.arg rates} must not be given: they
       are for two.",
      if (is.null(data$groups)) "trusted" else "rates",
      arg = if (is.null(data$groups)) "trusted" else "rates", call = call
    )
  }
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

new_gpc_classes <- function(spec, molded, call, fit, kernel, latent) {
  levels <- molded$blueprint$levels
  epsilon <- if (is.matrix(fit$epsilon)) 1 - unname(diag(fit$epsilon)) else fit$epsilon
  omega <- if (is.null(fit$omega)) fit$epsilon else fit$omega
  omega <- classes_omega(omega, length(levels))
  dimnames(omega) <- list(true = levels, recorded = levels)
  ep <- fit$ep[setdiff(names(fit$ep), c("kappa", "newton", "log_evidence_zp", "rival", "C"))]
  for (name in intersect(c("true_class", "loo_class"), names(ep))) {
    colnames(ep[[name]]) <- levels
  }
  ep[c("value", "gradient", "gradient_solved", "cold")] <- NULL
  if (!spec$control$trace) ep["trace"] <- list(NULL)
  warn_ep(ep)
  structure(
    list(
      spec = spec, blueprint = molded$blueprint, data = molded$data, epsilon = epsilon,
      omega = omega, noise = fit[intersect(c("rate", "strength", "counts"), names(fit))],
      kernel = kernel,
      inducing = if (!is.null(latent$Z)) list(Z = latent$Z, C = fit$ep$C),
      ep = ep, learning = fit$learning, call = fit_call(call, spec)
    ),
    class = "gpc_classes"
  )
}

#' The error of a method that two classes have, and several have not
#' @noRd
check_classes_model <- function(object, call = rlang::caller_env()) {
  fields <- c("spec", "blueprint", "data", "epsilon", "omega", "kernel", "ep")
  if (!is.list(object) || !all(fields %in% names(object))) {
    abort_sturdy(
      "{.arg object} must be a fit of {.fn gpc} as it was returned.", "changed",
      arg = "object", call = call
    )
  }
  check_posterior(object, call)
}

model_latent.gpc_classes <- function(object) {
  latent_classes(
    object$data$X, model_columns(object), object$data$y, length(object$blueprint$levels),
    object$kernel, object$inducing$Z, object$omega
  )
}

model_hyper.gpc_classes <- function(object) kernel_hyper(object$kernel)

#' Latent means and variances at encoded inputs: list(m, s2), a column a class
#' @noRd
classes_latent_new <- function(object, X) {
  columns <- model_columns(object)
  hyper <- kernel_hyper(object$kernel)
  ep <- object$ep
  one <- function(c) {
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
  rate <- if (is.character(object$spec$epsilon) && object$spec$epsilon == "matrix") {
    stats::setNames(object$epsilon, paste0("epsilon.", object$blueprint$levels))
  } else {
    c(epsilon = mean(object$epsilon))
  }
  names <- utils::head(kernel_names(list(kernel = kernel, epsilon = 0)), -1)
  c(stats::setNames(c(kernel$lengthscale, kernel$variance, kernel$bias, kernel$nugget), names), rate)
}

#' @export
formula.gpc_classes <- function(x, ...) fit_formula(x)

# Which of the coefficients were learned.
learned.gpc_classes <- function(object) {
  held <- object$kernel$fixed
  scales <- length(object$kernel$lengthscale)
  rates <- length(stats::coef(object)) - scales - 3
  free <- c(
    rep(!"lengthscale" %in% held, scales), !c("variance", "bias", "nugget") %in% held,
    rep(is.character(object$spec$epsilon), rates)
  )
  free & !is.null(object$learning)
}

# What the defaults of stats would answer with NULL

#' @export
residuals.gpc_classes <- function(object, ...) abort_no_fit(object)

#' @export
deviance.gpc_classes <- function(object, ...) abort_no_fit(object)

#' @export
weights.gpc_classes <- function(object, ...) abort_no_fit(object)
