# Simulation is of two classes.

#' @rdname check_fit
#' @export
check_fit.gpc_classes <- function(object, ...) {
  abort_several(
    "exact posterior to be checked against",
    "EP of several classes is within 0.02 of it on average (see {.fn gpc}); one class against
     the others, {.code gpc(I(class == \"a\") ~ ., data)}, can be checked."
  )
}

#' @export
posterior_sample.gpc_classes <- function(object, ...) {
  abort_several(
    "exact sampler",
    "{.code predict(fit, type = \"latent\")} has the approximate posterior; one class against
     the others, {.code gpc(I(class == \"a\") ~ ., data)}, can be sampled."
  )
}
