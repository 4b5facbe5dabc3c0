# Whether an object is a fit as this version makes them: its parts are there, of the
# right type and size, and agree with each other. Every method that answers a user about a fit
# asks this in its first line; what methods share inside the package does not.

check_model <- function(object) {
  wrong <- wrong_field(object)
  if (!is.null(wrong)) {
    made <- unclass(object)$call
    made_by <- if (is.call(made)) cli::format_inline(": {.code {deparse1(made)}}")
    abort_sturdy(
      c(
        "This object was not made by this version of sturdy, or was changed.",
        x = "Its field {.field {wrong}} is missing or is not that of a fit.",
        i = "Fit the model again{made_by}."
      ),
      "changed", field = wrong
    )
  }
}

#' The fit that a verb asks: what it was given, or that inside of it
#' @param ... of a verb that takes no other arguments.
#' @noRd
fit_of <- function(object, ...) {
  fit <- if (!missing(object) && inherits(object, "sturdy_model")) object else own_fit(object)
  if (is.null(fit)) abort_no_fit(object)
  check_model(fit)
  check_no_dots(...)
  fit
}

#' The first field of a fit that is missing or can't be, `NULL` if there is none
#' @noRd
wrong_field <- function(object) {
  fields <- unclass(object)
  # not the call, in which anything may stand
  parts <- if (is.list(fields)) fields[setdiff(names(model_fields), "call")]
  if (is.list(parts) && identical(parts, passed$fit) && model_fields$call(fields$call)) {
    return(NULL)
  }
  name <- NULL
  wrong <- tryCatch(
    {
      for (name in names(model_fields)) {
        if (!isTRUE(model_fields[[name]](fields[[name]], fields))) {
          return(name)
        }
      }
      NULL
    },
    error = function(cnd) name
  )
  if (is.null(wrong) && is_small(fields)) passed$fit <- parts
  wrong
}

#' Does a fit keep rows, and at most some 100,000 numbers?
#' @noRd
is_small <- function(fields) {
  large <- c(fields$data["X"], fields$inducing, fields$weights, fields$nodes, fields$nodes$few)
  !is.null(fields$data) && sum(lengths(large)) <= 1e5
}

#' What passed last, of a whole small fit and of the small parts that take long to check,
#' `check(x)`: a fit is asked many questions. Nothing large is kept here, and nothing with an
#' environment.
#' @noRd
passes <- function(x, part, check) {
  if (!is.null(x) && identical(x, passed[[part]])) {
    return(TRUE)
  }
  right <- isTRUE(check(x))
  if (right) passed[[part]] <- x
  right
}
passed <- new.env(parent = emptyenv())

# What each field must be, in this order: those after it may rely on the ones before.
model_fields <- list(
  spec = function(spec, all) {
    passes(spec, "spec", is_whole_spec) && is.null(all$kernel) == is.null(spec$kernel)
  },
  blueprint = function(blueprint, all) is_blueprint(blueprint),
  omega = function(omega, all) {
    classes <- length(all$blueprint$levels)
    are_numbers(omega, classes^2) && identical(dim(omega), c(classes, classes)) &&
      all(omega >= 0) && all(abs(rowSums(omega) - 1) < 1e-8)
  },
  epsilon = function(epsilon, all) {
    given <- all$spec$epsilon
    classes <- length(all$blueprint$levels)
    if (classes > 2 || spec_model(all$spec) == "second_stage") {
      are_numbers(epsilon) && length(epsilon) %in% c(1, classes) && all(epsilon >= 0 & epsilon <= 1)
    } else if (is.numeric(given)) {
      identical(epsilon, given)
    } else if (by_readers(all$data$reports)) { # whose rates may be above 1/2
      are_numbers(epsilon) && length(epsilon) <= 2 && all(epsilon >= 0 & epsilon < 1)
    } else {
      identical(check_epsilon(epsilon, learn = FALSE), epsilon) &&
        (given == "average" || length(epsilon) == 1 + (given == "learn2"))
    }
  },
  kernel = function(kernel, all) {
    if (is.null(all$spec$kernel)) {
      return(TRUE)
    }
    kernels <- length(kernel$nugget)
    n <- if (kernel$type == "iso") 1 else length(all$blueprint$columns)
    widths <- if (isTRUE(all$blueprint$ordered)) length(all$blueprint$levels) - 2L else 0L
    kernels %in% c(1, length(all$blueprint$levels)) && length(kernel$width) == widths &&
      passes(kernel, "kernel", function(kernel) {
        all(vapply(seq_len(kernels), function(c) is_kernel(class_kernel(kernel, c)), NA))
      }) &&
      are_numbers(kernel$lengthscale, kernels * n) &&
      identical(class(kernel), class(all$spec$kernel))
  },
  prior = function(prior, all) {
    if (spec_model(all$spec) != "bpm") {
      return(is.null(prior))
    }
    made <- bpm_prior(all$spec, all$blueprint)
    made$scale[made$free] <- prior$scale[made$free]
    if (made$free_nugget) made$nugget <- prior$nugget
    identical(made, prior) && are_numbers(prior$scale, above = 0) &&
      are_numbers(prior$nugget, 1) && prior$nugget >= 0
  },
  recalibration = function(recalibration, all) {
    if (spec_model(all$spec) != "second_stage") {
      return(is.null(recalibration))
    }
    levels <- all$blueprint$levels
    are_numbers(recalibration$weight, length(levels) - 1, above = 0) &&
      identical(names(recalibration$weight), levels[-1]) &&
      are_numbers(recalibration$slope, 1, above = 0) &&
      is_one_of(recalibration$kind, c("fit", "recorded", "scores")) &&
      is_number(recalibration$way$beta) &&
      (is.null(recalibration$apart) || are_numbers(recalibration$apart$density, above = -1))
  },
  weights = function(weights, all) {
    k <- length(all$prior$weights)
    is.null(weights) || are_numbers(weights$mean, k) && are_numbers(weights$C, k^2) &&
      identical(dim(weights$C), c(k, k)) && all(diag(weights$C) > 0) &&
      are_numbers(weights$log_scale, 1)
  },
  inducing = function(inducing, all) {
    if (is.null(inducing)) {
      return(TRUE)
    }
    p <- sum(vapply(all$blueprint$coding, coding_width, integer(1)))
    k <- count_features(inducing$Z, all$kernel)
    !is.null(all$kernel) && is.matrix(inducing$Z) && ncol(inducing$Z) == p &&
      are_numbers(inducing$Z) && are_numbers(inducing$left, 1) &&
      (is.null(inducing$C) || are_numbers(inducing$C, k^2 * latent_functions(all)))
  },
  data = function(data, all) {
    if (!is.null(data)) {
      is_data(data, all$blueprint)
    } else {
      is_filter(all$filter) || is_shards(all$shards, length(all$blueprint$levels))
    }
  },
  ep = function(ep, all) {
    if (is.null(ep)) {
      return(is.null(all$data) && !is.null(all$weights))
    }
    k <- if (!is.null(all$inducing)) {
      count_features(all$inducing$Z, all$kernel)
    } else if (!is.null(all$recalibration)) {
      length(all$blueprint$levels) + 1
    } else if (is.null(all$spec$kernel)) {
      length(all$prior$weights)
    } else {
      length(all$data$y)
    }
    (!is.null(all$data) || !is.null(all$shards)) &&
      is_ep(ep, length(all$data$y), k, latent_functions(all), length(all$blueprint$levels))
  },
  learning = function(learning, all) {
    if (!is.null(all$recalibration)) { # its likelihood is exact
      return(is.null(learning))
    }
    held <- (is.numeric(all$spec$epsilon) || identical(all$nodes$models$model, "none")) &&
      if (is.null(all$kernel)) {
        !any(all$prior$free) && !all$prior$free_nugget
      } else {
        holds_all(all$kernel)
      }
    if (is.null(learning)) {
      held || is.null(all$ep)
    } else {
      !held && is_learning(learning)
    }
  },
  label_stage = function(label_stage, all) {
    is.null(label_stage) ||
      inherits(label_stage, "second_stage") && is.null(wrong_field(label_stage)) &&
        (is.null(all$data) || identical(label_stage$data$rows, all$data$rows))
  },
  call = function(call, all) is.null(call) || is.call(call),
  nodes = function(nodes, all) {
    if (!is.null(all$recalibration)) {
      return(is_stage(nodes, length(all$data$y), length(all$blueprint$levels)))
    }
    hyper <- if (is.null(all$kernel)) {
      list(prior_scale = all$prior$scale[all$prior$free], nugget = 1)
    } else {
      kernel_hyper(all$kernel)
    }
    is.null(nodes) ||
      is_nodes(nodes, length(all$data$y), length(all$blueprint$levels)) &&
        are_hyper(nodes$hyper, lengths(hyper), length(all$blueprint$levels))
  }
)

#' The kernel of a class, where each has its own
#' @noRd
class_kernel <- function(kernel, c) {
  if (length(kernel$nugget) > 1) kernel[hyper_names] <- class_hyper(kernel_hyper(kernel), c)
  kernel
}
