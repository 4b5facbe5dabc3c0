# The call that a fit keeps: what the user wrote, with names in the place of data.

#' A fit with the call that made it, its arguments by name
#' @noRd
with_call <- function(fit) {
  frame <- own_verb(innermost = TRUE)
  if (!is.null(frame)) {
    number <- Position(function(k) identical(sys.frame(k), frame), seq_len(sys.nframe()))
    call <- match.call(sys.function(number), sys.call(number), envir = sys.frame(sys.parents()[number]))
    fit$call <- short_call(call, fit$spec)
  }
  fit
}

#' A call with symbols in the place of data that came by value, and kernels and controls as they
#' are made
#' @noRd
short_call <- function(call, spec) {
  call[[1]] <- as.name(spec_model(spec))
  short <- function(x) is.null(x) || is.language(x) || (is.atomic(x) && is.null(dim(x)) && length(x) <= 5)
  for (k in seq_along(call)[-1]) {
    if (is.object(call[[k]])) call[[k]] <- maker_call(call[[k]])
    if (!short(call[[k]])) {
      name <- names(call)[k]
      call[[k]] <- as.name(if (length(name) && nzchar(name)) name else "data")
    } else if (inherits(call[[k]], "formula")) {
      attributes(call[[k]]) <- NULL # a formula by value carries an environment
    }
  }
  call
}

#' The call that makes a kernel, its prior or a control; other values as they are
#' @noRd
maker_call <- function(value) {
  maker <- switch(class(value)[1],
    kernel_ard = , kernel_iso = class(value)[1],
    sturdy_prior = "weak_prior", sturdy_control = "ep_control"
  )
  if (is.null(maker)) {
    return(value)
  }
  usual <- do.call(maker, list())
  parts <- unclass(value)[!mapply(identical, value, usual[names(value)])]
  if (maker == "weak_prior") parts <- lapply(parts, unlist)
  if (setequal(parts$fixed, hyper_names)) parts$fixed <- TRUE
  as.call(c(as.name(maker), lapply(parts, maker_call)))
}
