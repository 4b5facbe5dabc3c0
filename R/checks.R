# Checks of arguments. Each takes the value and the name it has for the user
# (`arg`), and returns the value (coerced where that is harmless) or signals a
# classed error that says what was expected and what came: see must().

check_number <- function(x, arg, min, max = Inf, open = FALSE, infinite = FALSE, class = "range") {
  check_given(missing(x), arg)
  number <- is_number(x)
  inside <- number && x >= min && x <= max && (is.finite(x) || infinite) &&
    !(open && is.finite(x) && (x == min || x == max))
  range <- if (max < Inf) {
    paste(if (open) "strictly between" else "between", min, "and", max)
  } else {
    paste(if (open) "above" else "of at least", min)
  }
  must(inside, arg, paste("be a number", range), if (number) class else "type", got = x)
  as.double(x)
}

#' The probability of an interval
#' @noRd
check_level <- function(level) check_number(level, "level", min = 0, max = 1, open = TRUE)

check_count <- function(x, arg, min = 0, max = .Machine$integer.max) {
  whole <- is_number(x) && is.finite(x) && x == round(x) && x <= .Machine$integer.max
  range <- if (max < .Machine$integer.max) "between {min} and {max}" else "of at least {min}"
  must(
    whole && x >= min && x <= max, arg, paste("be a whole number", range),
    if (whole) "range" else "type", got = x
  )
  as.integer(x)
}

#' How many digits to print
#' @noRd
check_digits <- function(digits) check_count(digits, "digits", min = 1, max = 20)

has_fields <- function(x, fields) is.list(x) && setequal(names(x), fields)

#' What `maker` makes, made again: its fields may have been changed by hand
#' @noRd
check_made <- function(x, arg, maker, class) {
  fields <- names(formals(maker))
  must(
    inherits(x, class) && has_fields(x, fields), arg,
    paste0("be made by {.fn ", deparse1(substitute(maker)), "}"), got = x
  )
  do.call(maker, unclass(x)[fields], quote = TRUE)
}

is_one_of <- function(x, choices) rlang::is_string(x) && x %in% choices

#' One number without a class, such as that of dates, which has a sense of its own
#' @noRd
is_number <- function(x) is.numeric(x) && !is.object(x) && length(x) == 1 && !is.na(x)

#' Finite numbers
#' @param n how many, or the dimensions of their array. @param above,least what they are above, or no less than.
#' @noRd
are_numbers <- function(x, n = length(x), above = -Inf, least = -Inf) {
  is.numeric(x) && all(is.finite(x)) && (above == -Inf || all(x > above)) && (least == -Inf || all(x >= least)) &&
    if (length(n) > 1) identical(dim(x), as.integer(n)) else length(x) == n
}

#' Places among so many, or other numbers from 1 to that
#' @noRd
are_places <- function(x, most, n = length(x)) are_numbers(x, n, above = 0) && all(x <= most)

are_strings <- function(x, n = length(x)) is.character(x) && length(x) == n && !anyNA(x)

#' What only a suggested package can do
#' @noRd
check_package <- function(package, fun) {
  refuse(
    !rlang::is_installed(package),
    "{.fn {fun}} needs the package {.pkg {package}}, which is not installed.", "package"
  )
}

#' An argument without a default that was not given
#' @noRd
check_given <- function(missing, arg) must(!missing, arg, "be given", "missing_argument")

#' `x` or, by its name, `formula`: on that, too, a method is chosen. A column's name in its place is
#' not known to R where the user is.
#' @noRd
check_x_given <- function(missing, ...) {
  given <- rlang::names2(as.list(substitute(list(...)))[-1])
  must(
    !missing || any(nzchar(given) & startsWith("formula", given)), "x",
    "be given: a formula, a data frame or a matrix", "missing_argument"
  )
  x <- eval(quote(rlang::enquo(x)), rlang::caller_env())
  name <- rlang::quo_get_expr(x)
  must(
    missing || !is.symbol(name) || exists(name, rlang::quo_get_env(x)), "x",
    "be a formula, a data frame or a matrix", more = c(
      x = "There is no object {.code {name}}.",
      i = "If it is a column of the data, write {.code {name} ~ .} for the class by all others."
    )
  )
}

is_flag <- function(x) is.logical(x) && length(x) == 1 && !is.na(x)

check_flag <- function(x, arg) {
  must(is_flag(x), arg, "be {.code TRUE} or {.code FALSE}", got = x)
  x
}

#' TRUE, FALSE or NA: see progress.R
#' @noRd
check_progress <- function(progress) {
  if (identical(progress, NA)) progress else check_flag(progress, "progress")
}

#' One of a set of strings; a vector equal to `choices` means the first
#' @noRd
check_choice <- function(x, choices, arg) {
  if (identical(x, choices)) {
    return(choices[1])
  }
  must(is_one_of(x, choices), arg, "be one of {.or {.val {choices}}}", "choice", got = x)
  x
}

check_df <- function(df) check_number(df, "df", min = 0, open = TRUE, infinite = TRUE, class = "df")

#' `epsilon`: a flip rate in `[0, 0.5)`, or a word where that is allowed
#' @noRd
check_epsilon <- function(epsilon, learn = TRUE, average = FALSE, matrix = FALSE) {
  words <- c(if (learn) c("learn", "learn2"), if (matrix) "matrix", if (average) "average")
  if (is_one_of(epsilon, words) || matrix && is_noise_matrix(epsilon)) {
    return(epsilon)
  }
  if (is_rate(epsilon)) {
    return(as.double(epsilon))
  }
  usual <- setequal(names(epsilon), c("neg", "pos"))
  if ((usual || average) && are_two_rates(epsilon)) {
    return(if (usual) c(neg = epsilon[["neg"]], pos = epsilon[["pos"]]) else epsilon) # see two_class_noise()
  }
  if (matrix && is.matrix(epsilon)) abort_noise_matrix(epsilon)
  kinds <- c(
    paste0("two with a sum below 1 named {.val neg} and {.val pos}", if (average) " or by the classes"),
    if (matrix) "a noise matrix", if (length(words)) "{.or {.val {words}}}"
  )
  must(
    FALSE, "epsilon", paste(c("be one number in [0, 0.5)", kinds), collapse = ", or "), "epsilon",
    got = epsilon, more = c(i = "It is the probability that a recorded label is wrong.")
  )
}

#' One rate for all labels
#' @noRd
is_rate <- function(x) is_number(x) && x >= 0 && x < 0.5 && is.null(names(x))

#' Two rates, by true class: as the sum of sensitivity and specificity is above 1, either may be below 1/2
#' @noRd
are_two_rates <- function(x) are_numbers(x, 2, least = 0) && sum(x) < 1 && length(unique(names(x))) == 2

abort_noise_matrix <- function(epsilon) {
  abort_sturdy(c(
    "As a matrix {.arg epsilon} must be square, with entries of at least 0 and rows that sum to 1,
     not {describe(epsilon)}{noise_matrix_fault(epsilon)}.",
    i = "It has a row for each true class and a column for each recorded one."
  ), "epsilon", arg = "epsilon")
}

#' Why a matrix is none of probabilities whose rows sum to 1, `NULL` where it is one
#' @noRd
noise_matrix_fault <- function(x) {
  if (!is.matrix(x) || !is.numeric(x) || nrow(x) != ncol(x) || nrow(x) < 2) {
    return("")
  }
  off <- abs(rowSums(x) - 1)
  if (anyNA(x)) {
    " with missing values"
  } else if (any(x < 0)) {
    paste(" with the entry", format(min(x), digits = 4))
  } else if (any(off >= 1e-6)) {
    paste(" with a row whose sum is", format(rowSums(x)[which.max(off)], digits = 4))
  }
}

is_noise_matrix <- function(x) is.null(noise_matrix_fault(x))

#' No argument may fall into the dots unnoticed (a misspelt name, usually)
#' @noRd
check_no_dots <- function(..., known = NULL) {
  # nothing is forced
  if (...length() > 0) abort_dots(rlang::names2(as.list(substitute(list(...)))[-1]), known)
}

#' @param names of the arguments, empty where one has none.
#' @noRd
abort_dots <- function(names, known = NULL) {
  given <- names[nzchar(names)]
  abort_sturdy(c(
    "Every argument must be known to the function.",
    x = if (length(given)) "Unknown: {.arg {given}}.",
    i = if (length(known)) "Known: {.arg {known}}.",
    x = if (length(given) < length(names)) "An argument without a name is not used.",
    i = if ("offset" %in% given) "An offset is a term of the formula, {.code + offset(z)}.",
    i = if ("n" %in% given) "{.fn print} has {.arg n}, the number of rows shown."
  ), "unknown_argument", arg = given)
}

check_sites <- function(sites, n) {
  if (is.list(sites)) sites <- unclass(sites) # of some classes `[[` is another thing
  if (is.null(sites)) {
    return(NULL)
  }
  must(
    is.list(sites) && are_numbers(sites[["tau"]], n) && are_numbers(sites[["nu"]], n), "sites",
    "be {.code NULL} or a list of finite {.field tau} and {.field nu}, each of length {n}", "sites"
  )
  list(tau = as.double(sites$tau), nu = as.double(sites$nu))
}
