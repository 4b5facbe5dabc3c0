# Checks of arguments. Each takes the value, the name it has for the user
# (`arg`) and the frame of the function the user called (`call`), and returns
# the value (coerced where that is harmless) or signals a classed error that
# says what was expected and what came.

check_number <- function(x,
                         arg,
                         min = -Inf,
                         max = Inf,
                         open = FALSE,
                         infinite = FALSE,
                         class = "range",
                         call = rlang::caller_env()) {
  number <- is.numeric(x) && length(x) == 1 && !is.na(x)
  inside <- number && x >= min && x <= max && (is.finite(x) || infinite) &&
    !(open && is.finite(x) && (x == min || x == max))
  if (!inside) {
    abort_sturdy(
      "{.arg {arg}} must be {number_range(min, max, open)}, not {describe(x)}.",
      if (number) class else "type", arg = arg, call = call
    )
  }
  as.double(x)
}

number_range <- function(min, max, open) {
  if (is.finite(min) && is.finite(max)) {
    paste("a number", if (open) "strictly between" else "between", min, "and", max)
  } else if (is.finite(min)) {
    paste("a number", if (open) "above" else "of at least", min)
  } else if (is.finite(max)) {
    paste("a number", if (open) "below" else "of at most", max)
  } else {
    "a number"
  }
}

check_count <- function(x, arg, min = 0, call = rlang::caller_env()) {
  whole <- is.numeric(x) && length(x) == 1 && is.finite(x) && x == round(x) &&
    x <= .Machine$integer.max
  if (!whole || x < min) {
    abort_sturdy(
      "{.arg {arg}} must be a whole number of at least {min}, not {describe(x)}.",
      if (whole) "range" else "type", arg = arg, call = call
    )
  }
  as.integer(x)
}

check_flag <- function(x, arg, call = rlang::caller_env()) {
  if (!is.logical(x) || length(x) != 1 || is.na(x)) {
    abort_sturdy(
      "{.arg {arg}} must be {.code TRUE} or {.code FALSE}, not {describe(x)}.",
      "type", arg = arg, call = call
    )
  }
  x
}

#' One of a set of strings; a vector equal to `choices` means the first
#' @noRd
check_choice <- function(x, choices, arg, call = rlang::caller_env()) {
  if (identical(x, choices)) {
    return(choices[1])
  }
  if (!is.character(x) || length(x) != 1 || !x %in% choices) {
    abort_sturdy(
      "{.arg {arg}} must be one of {.or {.val {choices}}}, not {describe(x)}.",
      "choice", arg = arg, call = call
    )
  }
  x
}

check_df <- function(df, arg = "df", call = rlang::caller_env()) {
  check_number(
    df, arg, min = 0, open = TRUE, infinite = TRUE, class = "df", call = call
  )
}

#' `epsilon`: a flip rate in `[0, 0.5)`, or "learn" where that is allowed
#' @noRd
check_epsilon <- function(epsilon,
                          learn = TRUE,
                          arg = "epsilon",
                          call = rlang::caller_env()) {
  if (learn && is.character(epsilon) && length(epsilon) == 1 &&
      epsilon %in% c("learn", "learn2")) {
    return(epsilon)
  }
  if (is_rate(epsilon) && length(epsilon) == 1) {
    return(as.double(epsilon))
  }
  if (is_rate(epsilon) && length(epsilon) == 2 &&
      setequal(names(epsilon), c("neg", "pos"))) {
    return(c(neg = epsilon[["neg"]], pos = epsilon[["pos"]]))
  }
  two <- "two such numbers named {.val neg} and {.val pos}"
  rest <- if (learn) paste0(two, ", {.val learn} or {.val learn2}") else paste("or", two)
  abort_sturdy(
    c(
      paste0(
        "{.arg {arg}} must be one number in [0, 0.5), ", rest,
        ", not {describe(epsilon)}."
      ),
      i = "It is the probability that a recorded label is wrong."
    ),
    "epsilon", arg = arg, call = call
  )
}

is_rate <- function(x) {
  is.numeric(x) && !anyNA(x) && all(x >= 0 & x < 0.5)
}

check_kernel <- function(kernel, call = rlang::caller_env()) {
  if (!inherits(kernel, "sturdy_kernel")) {
    abort_sturdy(
      c(
        "{.arg kernel} must be made by {.fn kernel_ard} or {.fn kernel_iso},
         not {describe(kernel)}.",
        i = if (is.function(kernel)) "Did you leave out the parentheses?"
      ),
      "type", arg = "kernel", call = call
    )
  }
  kernel
}

check_control <- function(control, call = rlang::caller_env()) {
  if (!inherits(control, "sturdy_control")) {
    abort_sturdy(
      "{.arg control} must be made by {.fn ep_control},
       not {describe(control)}.",
      "type", arg = "control", call = call
    )
  }
  control
}

#' No argument may fall into the dots unnoticed (a misspelt name, usually)
#' @noRd
check_no_dots <- function(..., known = NULL, call = rlang::caller_env()) {
  if (...length() == 0) {
    return(invisible())
  }
  given <- rlang::names2(as.list(substitute(list(...)))[-1]) # nothing is forced
  given <- given[nzchar(given)]
  abort_sturdy(
    c(
      "Every argument must be known to the function.",
      x = if (length(given)) "Unknown: {.arg {given}}.",
      i = if (length(known)) "Known: {.arg {known}}.",
      x = if (length(given) < ...length()) "An argument without a name is not used.",
      i = if ("weights" %in% given) {
        "There are no case weights. To count a row twice, include it twice in the data."
      },
      i = if ("offset" %in% given) "Offsets are not supported."
    ),
    "unknown_argument", arg = given, call = call
  )
}

check_sites <- function(sites, n, call = rlang::caller_env()) {
  if (is.null(sites)) {
    return(NULL)
  }
  fits <- is.list(sites) && all(c("tau", "nu") %in% names(sites)) &&
    is.numeric(sites$tau) && is.numeric(sites$nu) &&
    length(sites$tau) == n && length(sites$nu) == n &&
    all(is.finite(sites$tau)) && all(is.finite(sites$nu))
  if (!fits) {
    abort_sturdy(
      "{.arg sites} must be {.code NULL} or a list of finite {.field tau} and
       {.field nu}, each of length {n}.",
      "sites", arg = "sites", call = call
    )
  }
  list(tau = as.double(sites$tau), nu = as.double(sites$nu))
}

# Memory ------------------------------------------------------------------

#' Refuse what does not fit, before anything is allocated
#'
#' @param doubles numbers that are held at a time, for @param n rows.
#' @param squared whether they grow with the square of n.
#' @noRd
check_memory <- function(doubles, n, squared, call = rlang::caller_env()) {
  needed <- 8 * as.double(doubles)
  limit <- memory_limit()
  if (needed <= limit) {
    return(invisible(needed))
  }
  abort_sturdy(
    c(
      "{whole(n)} rows need about {format_bytes(needed)} of memory, but
       {format_bytes(limit)} is available.",
      i = if (squared) "Memory grows with the square of the number of rows.",
      i = "Fit a sample of the rows, or set another limit by
           {.code options(sturdy.max_memory = <bytes>)}."
    ),
    "memory", n = n, needed = needed, limit = limit, call = call
  )
}

memory_limit <- function() {
  limit <- getOption("sturdy.max_memory")
  if (is.numeric(limit) && length(limit) == 1 && !is.na(limit)) {
    return(as.double(limit))
  }
  available <- tryCatch(
    grep("^MemAvailable:", readLines("/proc/meminfo"), value = TRUE),
    error = function(cnd) character(),
    warning = function(cnd) character()
  )
  kib <- suppressWarnings(as.double(gsub("[^0-9]", "", available)))
  if (length(kib) == 1 && !is.na(kib)) kib * 1024 else 16 * 1024^3
}
