# Conditions: every error, warning and message of the package has a class of
# its own below `sturdy_error`, `sturdy_warning` or `sturdy_message`, so that a
# caller can catch exactly one of them.

#' Signal a classed condition
#'
#' `message` is cli markup, interpolated in the frame of the caller; a named
#' vector gives bullets (`"x"` what came, `"i"` a hint). `class` is the short
#' name: `"missing"` becomes `sturdy_error_missing`. `arg` is the offending
#' argument and is kept in the condition; further fields pass through `...`.
#' @importFrom cli qty
#' @noRd
abort_sturdy <- function(message,
                         class,
                         ...,
                         arg = NULL,
                         call = rlang::caller_env(),
                         .envir = rlang::caller_env()) {
  cli::cli_abort(
    message,
    class = sturdy_class("error", class),
    ...,
    arg = arg,
    call = call,
    .envir = .envir
  )
}

#' Stop unless an argument is what it must be
#'
#' The message is "`arg` must <words>, not <what came>."; its end where `got` is given.
#' Everything else is looked at only when it is wrong.
#'
#' @param fine whether it is. @param words cli markup, as `message` of abort_sturdy(); what
#'   came is `{describe(got)}`. @param more further bullets. @param of whom the sentence is.
#' @noRd
must <- function(fine,
                 arg,
                 words,
                 class = "type",
                 got,
                 more = NULL,
                 of = "{.arg {arg}}",
                 ...,
                 call = rlang::caller_env(),
                 .envir = rlang::caller_env()) {
  if (isTRUE(fine)) {
    return(invisible())
  }
  frame <- rlang::env(.envir, arg = arg)
  if (!missing(got)) {
    frame$said <- describe(got)
    words <- paste0(words, ", not {said}")
  }
  abort_sturdy(
    c(paste0(of, " must ", words, "."), more), class, ..., arg = arg, call = call,
    .envir = frame
  )
}

#' Other errors: abort_sturdy() in one case only
#' @noRd
refuse <- function(when, ..., call = rlang::caller_env(), .envir = rlang::caller_env()) {
  if (when) abort_sturdy(..., call = call, .envir = .envir)
}

#' The value of code of the user's, whose errors become the cause of one of ours
#' @noRd
trying <- function(code, ..., call = rlang::caller_env(), .envir = rlang::caller_env()) {
  tryCatch(code, error = function(cnd) {
    abort_sturdy(..., parent = cnd, call = call, .envir = .envir)
  })
}

#' @noRd
warn_sturdy <- function(message, class, ..., .envir = rlang::caller_env()) {
  cli::cli_warn(
    message,
    class = sturdy_class("warning", class),
    ...,
    .envir = .envir
  )
}

#' @noRd
inform_sturdy <- function(message, class, ..., .envir = rlang::caller_env()) {
  cli::cli_inform(
    message,
    class = sturdy_class("message", class),
    ...,
    .envir = .envir
  )
}

#' A message about some columns or levels, nothing without any
#'
#' @param ... their names, as the field of the condition; in the message they are `these`.
#' @noRd
inform_these <- function(class, message, ..., .envir = rlang::caller_env()) {
  if (length(..1)) {
    inform_sturdy(message, class, ..., .envir = rlang::env(.envir, these = ..1))
  }
}

sturdy_class <- function(kind, class) {
  c(paste0("sturdy_", kind, "_", class), paste0("sturdy_", kind))
}
