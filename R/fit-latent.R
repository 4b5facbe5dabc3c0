# The latent function of a fit: as EP takes it, and at new inputs.

#' The latent of a fit at its hyperparameters, as ep-latent.R describes it
#' @noRd
model_latent <- function(object) {
  UseMethod("model_latent")
}

model_latent.sturdy_model <- function(object) {
  data <- fit_data(object)
  columns <- model_columns(object)
  if (is.null(object$inducing)) {
    latent_kernel(data$X, columns, row_labels(data), object$kernel)
  } else {
    latent_inducing(data$X, columns, row_labels(data), object$kernel, object$inducing$Z)
  }
}

model_latent.bpm <- function(object) {
  latent_weight(
    bpm_design(object$data$X, object$prior), row_labels(fit_data(object)), object$prior
  )
}

#' The rows of a fit, with the table of reports that fits of before did not keep
#' @noRd
fit_data <- function(object) {
  if (is.null(object$data$reports)) with_reports(object)$data else object$data
}

#' Hyperparameters of a fit as its latent takes them
#' @noRd
model_hyper <- function(object) {
  UseMethod("model_hyper")
}

model_hyper.sturdy_model <- function(object) kernel_hyper(object$kernel)

model_hyper.bpm <- function(object) {
  prior <- object$prior
  list(prior_scale = prior$scale[prior$free], nugget = prior$nugget)
}

#' The lengthscale and the weight of each encoded column
#' @noRd
model_columns <- function(object) {
  kernel_columns(object$kernel, blueprint_columns(object$blueprint))
}

#' EP at the hyperparameters of a fit
#' @noRd
refit_ep <- function(object, df = object$spec$df, sites = NULL, ...) {
  with_memory(ep_run(
    model_latent(object), model_hyper(object), df, row_omega(object),
    sites = sites, control = object$spec$control, ...
  ), rlang::caller_env())
}

#' Gaussian EP evidence at the hyperparameters of a fit, with a warning where its EP
#' does not converge
#' @noRd
gaussian_evidence <- function(object) {
  if (is.infinite(object$spec$df)) {
    return(model_evidence(object))
  }
  check_by_ep(object, rlang::caller_env())
  ep <- refit_ep(object, df = Inf, final = TRUE)
  if (ep$status != "converged") {
    warn_sturdy(
      "In the Gaussian fit at the same hyperparameters: {ep$message}",
      "not_converged", status = ep$status
    )
  }
  if (is.null(ep$log_evidence)) NA_real_ else ep$log_evidence
}

#' The evidence the fit has of its own
#' @noRd
model_evidence <- function(object) {
  value <- if (is.null(object$ep)) object$filter$log_evidence else object$ep$log_evidence
  if (is.null(value)) NA_real_ else value
}

# At new inputs ---------------------------------------------------------------

#' Scaled latent location and squared scale, NA where an input is
#'
#' @return list(m, s2, row_names): matrices with a column a node.
#' @noRd
latent_at <- function(object, newdata, call) {
  check_posterior(object, call)
  if (is.null(newdata)) {
    return(latent_at_training(object, call))
  }
  new <- forge(object$blueprint, newdata, call, novel = takes_novel(object))
  X <- if (all(new$complete)) new$X else new$X[new$complete, , drop = FALSE]
  latent <- node_latent(object, X, call)
  spread <- function(values) {
    all <- matrix(NA_real_, nrow(new$X), ncol(values))
    all[new$complete, ] <- values
    all
  }
  list(m = spread(latent$m), s2 = spread(latent$s2), row_names = new$row_names)
}

#' The same at the training rows, those padded that na.exclude() left out
#' @noRd
latent_at_training <- function(object, call) {
  latent <- latent_training(object, call)
  omitted <- object$data$na_action
  list(
    m = as.matrix(stats::naresid(omitted, latent$m)),
    s2 = as.matrix(stats::naresid(omitted, latent$s2)),
    row_names = padded_names(object)
  )
}

#' Names of the training rows, with those that na.exclude() left out
#' @noRd
padded_names <- function(object) {
  omitted <- object$data$na_action
  names <- stats::naresid(omitted, object$data$row_names)
  if (inherits(omitted, "exclude")) names[omitted] <- names(omitted)
  names
}

# Latent m and s2 at encoded inputs, list(m, s2).
latent_new <- function(object, X, call) {
  UseMethod("latent_new")
}

latent_new.sturdy_model <- function(object, X, call) {
  if (!is.null(object$inducing)) {
    latent <- native_inducing_predict(
      object$inducing$Z, model_columns(object), kernel_hyper(object$kernel), object$ep$b,
      object$inducing$C, X
    )
    return(list(m = latent$m, s2 = pmax(latent$s2, .Machine$double.xmin)))
  }
  rows <- nrow(X)
  meter <- progress_meter("Predicting", object$spec$control$progress)
  words <- paste(whole(rows), "rows")
  latent <- native_gp_predict(
    object$data$X, model_columns(object), kernel_hyper(object$kernel),
    object$ep$sites, object$ep$b, X, function(done) meter(done, rows, words)
  )
  if (latent$status < 0) {
    abort_sturdy(
      "The posterior of the fit can't be factorised for prediction.",
      "no_posterior", call = call
    )
  }
  list(m = latent$m, s2 = pmax(latent$s2, .Machine$double.xmin))
}

# The weight of a level that training did not have is as under the prior: its mean is
# 0, and its scale adds to that of the others, of which it is independent.
latent_new.bpm <- function(object, X, call) {
  known <- known_levels(object, X)
  latent <- native_weight_predict(
    bpm_design(known$X, object$prior), object$weights$mean, object$weights$C
  )
  s2 <- latent$s2 + known$unknown + object$prior$nugget
  list(m = latent$m, s2 = pmax(s2, .Machine$double.xmin))
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

# The same at the training rows, as if they were new.
latent_training <- function(object, call) {
  UseMethod("latent_training")
}

latent_training.sturdy_model <- function(object, call) {
  node_latent(object, object$data$X, call)
}

latent_training.bpm_filtered <- function(object, call) {
  abort_sturdy(
    c(
      "{.arg newdata} must be given: the model keeps none of the rows it has
       absorbed.",
      i = "To estimate the error on new rows, predict them before {.fn absorb}."
    ),
    "missing_argument", arg = "newdata", call = call
  )
}

# The global scale of the latent function.
latent_kappa <- function(object) {
  UseMethod("latent_kappa")
}

latent_kappa.sturdy_model <- function(object) object$ep$kappa

latent_kappa.bpm <- function(object) exp(object$weights$log_scale)

#' Probability of the event, without label noise, averaged over nodes
#' @param latent list(m, s2), a column a node.
#' @noRd
mean_probability <- function(object, latent) {
  drop(stats::pt(latent$m / sqrt(latent$s2), object$spec$df) %*% node_weight(object))
}

#' The same at encoded inputs
#' @noRd
event_probability <- function(object, X, call = rlang::caller_env()) {
  mean_probability(object, node_latent(object, X, call))
}

#' Covariance of the scaled latent function, without the nugget, among encoded inputs
#' [M 7.2], as a function of them: the factors of [M 3.9] are computed once
#' @noRd
latent_covariance <- function(object) {
  if (!is.null(object$inducing)) {
    return(inducing_covariance(object))
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
  gram <- native_gram(object$data$X, NULL, model_columns(object), kernel_hyper(object$kernel))
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

#' The same through inducing inputs: what they leave of the variance [M 9.6] is independent
#' from input to input, and does not appear between them
#' @noRd
inducing_covariance <- function(object) {
  features <- inducing_features(object)
  function(X) {
    at <- features(X)
    native_product(at$V, native_product(object$inducing$C, at$V, FALSE)) +
      diag(at$left, nrow(X))
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
