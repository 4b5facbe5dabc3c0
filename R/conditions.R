# Conditions: every error, warning and message of the package has a class of
# its own below `sturdy_error`, `sturdy_warning` or `sturdy_message`, so that a
# caller can catch exactly one of them.

#' Signal a classed condition
#'
#' `message` is cli markup, interpolated in the frame of the caller; a named
#' vector gives bullets (`"x"` what came, `"i"` a hint). `class` is the short
#' name: `"missing"` becomes `sturdy_error_missing`. `arg` is the offending
#' argument and is kept in the condition; further fields pass through `...`.
#' `call` is given only where another verb than that of own_verb() is to be named.
#' @importFrom cli qty
#' @noRd
abort_sturdy <- function(message, class, ..., arg = NULL, call = own_verb(otherwise = .envir),
                         .envir = rlang::caller_env()) {
  cli::cli_abort(
    message, class = sturdy_class("error", class), ..., arg = arg, call = call, .envir = .envir
  )
}

#' The frame of the verb of ours that the user called, to be named in conditions
#'
#' A verb is what we export, or a method that we register. Of those that wait for an answer the user
#' called the outermost. Callers are followed and not the stack: the argument of a verb is evaluated
#' under it on the stack, but was called where it was written. What a function of the user's calls,
#' the user called, although a verb of ours may have called that function.
#' @param innermost whether it is the innermost verb that is asked for.
#' @param otherwise an environment whose frame is the answer where no verb waits.
#' @noRd
own_verb <- function(innermost = FALSE, otherwise = NULL) {
  verbs <- own_verbs()
  parents <- sys.parents()
  number <- sys.parent()
  found <- NULL
  while (number > 0 && !(innermost && length(found))) {
    running <- sys.function(number)
    if (!is_of_package(running)) break
    if (any(vapply(verbs, identical, NA, running))) found <- number
    # of an argument that is evaluated when its function has ended R names no caller below it
    number <- min(parents[number], number - 1)
  }
  if (length(found)) sys.frame(found) else running_in(otherwise)
}

#' What parsnip calls for a user of its fit() is none
#' @noRd
own_verbs <- function() {
  home <- topenv()
  names <- c(getNamespaceExports(home), getNamespaceInfo(home, "S3methods")[, 3])
  mget(setdiff(names, "gp_class_fit"), home, mode = "function", ifnotfound = list(NULL))
}

is_of_package <- function(f) is.primitive(f) || isNamespace(topenv(environment(f)))

#' The frame an environment is of: itself, or one around it that is running
#' @noRd
running_in <- function(env) {
  running <- function(env) any(vapply(sys.frames(), identical, NA, env))
  while (is.environment(env) && !identical(env, emptyenv()) && !running(env)) env <- parent.env(env)
  env
}

#' Stop unless an argument is what it must be
#'
#' The message is "`arg` must <words>, not <what came>."; its end where `got` is given.
#' Everything else is looked at only when it is wrong.
#'
#' @param fine whether it is. @param words cli markup, as `message` of abort_sturdy(); what
#'   came is `{describe(got)}`. @param more further bullets. @param of whom the sentence is.
#' @noRd
must <- function(fine, arg, words, class = "type", got, more = NULL, of = "{.arg {arg}}", ...,
                 .envir = rlang::caller_env()) {
  if (isTRUE(fine)) {
    return(invisible())
  }
  frame <- rlang::env(.envir, arg = arg)
  if (!missing(got)) {
    frame$said <- describe(got)
    words <- paste0(words, ", not {said}")
  }
  abort_sturdy(c(paste0(of, " must ", words, "."), more), class, ..., arg = arg, .envir = frame)
}

#' Other errors: abort_sturdy() in one case only
#' @noRd
refuse <- function(when, ..., .envir = rlang::caller_env()) {
  if (when) abort_sturdy(..., .envir = .envir)
}

#' The value of code of the user's, whose errors become the cause of one of ours
#' @noRd
trying <- function(code, ..., .envir = rlang::caller_env()) {
  tryCatch(code, error = function(cnd) abort_sturdy(..., parent = cnd, .envir = .envir))
}

warn_sturdy <- function(message, class, ..., .envir = rlang::caller_env()) {
  cli::cli_warn(message, class = sturdy_class("warning", class), ..., .envir = .envir)
}

inform_sturdy <- function(message, class, ..., .envir = rlang::caller_env()) {
  cli::cli_inform(message, class = sturdy_class("message", class), ..., .envir = .envir)
}

block_most <- 8L # lines

# What matters most to what a fit says of labels; the rest follows as it comes
block_first <- c(
  "labels", "contradictions", "repeated_rows", "rows_left_out", "likely_id", "collinear", "constant_columns"
)

#' The messages of code as one block, in few lines, the hints left out; one alone as it is
#'
#' `options(sturdy.details = TRUE)` leaves all of them as they are.
#' @noRd
in_one_block <- function(code) {
  if (isTRUE(getOption("sturdy.details"))) {
    return(code)
  }
  said <- list()
  on.exit(tell_together(said))
  withCallingHandlers(code, sturdy_message = function(cnd) {
    said[[length(said) + 1]] <<- cnd
    rlang::cnd_muffle(cnd)
  })
}

#' @param said conditions.
#' @noRd
tell_together <- function(said) {
  if (length(said) < 2) {
    lapply(said, message)
    return(invisible())
  }
  class <- vapply(said, function(cnd) sub("sturdy_message_", "", class(cnd)[1]), "")
  order <- order(match(class, block_first, nomatch = length(block_first) + 1L))
  lines <- sub("^[i\u2139] ", "", vapply(said[order], one_line, ""))
  width <- min(getOption("cli.condition_width", cli::console_width()), 1e4) # as cli takes it
  needed <- lengths(lapply(lines, strwrap, width = width - 2))
  shown <- cumsum(needed) <= block_most - 1L
  inform_sturdy(c(
    stats::setNames(cli_verbatim(lines[shown]), rep("i", sum(shown))),
    i = "{if (all(shown)) 'More on each' else paste(sum(!shown), 'more, and what to do')}: {.code options(sturdy.details = TRUE)}."
  ), unique(class[order]), messages = said)
}

#' A message about some columns or levels, nothing without any
#'
#' @param ... their names, as the field of the condition; in the message they are `these`.
#' @noRd
inform_these <- function(class, message, ..., .envir = rlang::caller_env()) {
  if (length(..1)) inform_sturdy(message, class, ..., .envir = rlang::env(.envir, these = ..1))
}

sturdy_class <- function(kind, class) {
  c(paste0("sturdy_", kind, "_", class), paste0("sturdy_", kind))
}
