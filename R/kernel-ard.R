#' Kernels: a smooth part of several shapes, with bias, nugget and linear part
#'
#' `kernel_ard()` gives every input column a lengthscale of its own (automatic
#' relevance determination); `kernel_iso()` uses one for all columns. Both only state
#' the starting values of the hyperparameters and which of them are held fixed; [gpc()]
#' and [stc()] learn the others from the data.
#'
#' The kernel is
#' \deqn{k(x, x') = \theta_0 \exp\left(-\sum_j d_j(x_j, x'_j) / (2 \ell_j^2)\right)
#'   + \theta_2 + \theta_3 1(\textrm{same row})}{k(x, x') =
#'   variance exp(-sum_j d_j(x_j, x'_j) / (2 lengthscale_j^2)) + bias
#'   + nugget 1(same row)}
#' where `d_j` is the squared difference in a numeric column and, in a factor, character
#' or logical column, 0 for equal and 1 for different levels: Futami, Sato and Sugiyama (2017), eq.
#' 44; Kim and Ghahramani (2008), eqs 11-12. `variance` is \eqn{\theta_0}{theta0}, `bias`
#' \eqn{\theta_2}{theta2}, `nugget` \eqn{\theta_3}{theta3}. The `bias` plays the
#' part of an intercept. A `nugget` blurs the step of the likelihood into a
#' probit.
#'
#' The likelihood depends on the sign of the latent function only, so multiplying
#' `variance`, `bias` and `nugget` by one number changes nothing: their overall
#' scale is not identified, and `variance` is therefore held at 1 by default.
#'
#' With `linear` above 0 a part of the variance is that of a linear function of the inputs, so
#' that a trend costs no lengthscale: the first term becomes
#' \deqn{\frac{\theta_0}{1 + \lambda} \exp(-\ldots) + \frac{\lambda}{1 + \lambda}
#'   \frac{\theta_0}{p} \sum_{k = 1}^p w_k x_k x'_k}{variance / (1 + linear) exp(-...) +
#'   variance linear / (1 + linear) / p sum_k w_k x_k x'_k}
#' where \eqn{\lambda}{linear} is `linear` and the `p` columns are those of the scaled inputs
#' (weight 1) and the indicators of all levels of factors (weight 1/2). Columns that the
#' model does not scale have their origin at 0.
#'
#' # Shapes
#' How the smooth part falls with the distance between rows, in place of the exponential above,
#' which is `exp(-d^2 / 2)` at a distance of `d` lengthscales:
#'
#' | `shape` | formula | what it expects |
#' | --- | --- | --- |
#' | `"squared exponential"` | exp(-d^2 / 2) | very smooth boundaries, the default |
#' | `"matern 5/2"` | (1 + s + s^2 / 3) exp(-s), s = sqrt(5) d | smooth ones |
#' | `"matern 3/2"` | (1 + s) exp(-s), s = sqrt(3) d | rough ones |
#' | `"rational quadratic"` | (1 + d^2 / (2 alpha))^-alpha | many lengthscales at a time |
#' | `"cosine"` | exp(-(1 - cos) / lengthscale^2) | angles between rows |
#'
#' (Rasmussen and Williams, 2006, section 4.2). `"cosine"` is for embeddings, in `kernel_iso()` only;
#' fit them with `scale = FALSE`, for the angle is that of the rows as the model has them.
#' [select_model()] compares shapes by their evidence.
#'
#' # Sums
#' `kernel_linear() + kernel_ard()` is `kernel_ard(linear = 1)`, of any shape: a trend and what is
#' left. A model that is linear alone is [bpm()].
#'
#' @param lengthscale Starting values (or values to hold), above 0, in units of
#'   the *scaled* columns when the model scales its inputs. For `kernel_ard()` one
#'   number, or one per column in the order of the columns, or a vector named by columns;
#'   for `kernel_iso()` one number. `NULL`, the default, is the median heuristic: for
#'   `kernel_iso()` the median distance between rows, for `kernel_ard()` the median
#'   difference in each column times the square root of the number of columns, both
#'   over at most 500 evenly spaced rows and without ties: distances below 1e-6 of the largest.
#' @param variance Height of the squared exponential part, above 0 (1 by default).
#' @param bias Variance of a constant, at least 0 (0.1 by default). At 0 there is no
#'   bias, and none is learned.
#' @param nugget Variance of independent noise on the latent function, at least 0 (0.1
#'   by default). At 0 there is no nugget, and none is learned.
#' @param linear Variance of a linear part over that of the squared exponential part, at least 0.
#'   At 0, the default, there is none, and none is learned. In `kernel_linear()` above 0.
#' @param fixed Names of the hyperparameters that are held at the given values:
#'   any of `"lengthscale"`, `"variance"` (the default), `"bias"`, `"nugget"` and `"linear"`;
#'   `TRUE` holds all of them, `character()` none.
#' @param shape That of the smooth part, see below.
#' @param alpha Of `"rational quadratic"`, above 0: the smaller, the longer its reach. It is held.
#' @param prior The prior that is added to the criterion while learning: a
#'   [weak_prior()], or `NULL` for none. Of the evidences that are reported, only
#'   `log_evidence(method = "integrated")` includes it.
#'
#' @return A list of class `c("kernel_ard", "sturdy_kernel")` or `c("kernel_iso",
#'   "sturdy_kernel")` with the fields
#'   * `type`: `"ard"` or `"iso"`;
#'   * `lengthscale`: `NULL` or numeric (in a fitted model always numeric, for `"ard"`
#'     with one entry per column, named);
#'   * `variance`, `bias`, `nugget`, `linear`: numbers;
#'   * `fixed`: a character vector;
#'   * `shape`, `alpha`: as given;
#'   * `prior`: `NULL` or the prior.
#'
#' @section Conditions:
#' `sturdy_error_hyperparameter` for a negative or missing value,
#' `sturdy_error_type` for a value of the wrong kind, `sturdy_error_choice` for
#' an unknown name in `fixed` or an unknown `shape`, `sturdy_error_kernel` for another sum, `sturdy_error_lengthscales` for more than one lengthscale
#' in `kernel_iso()`. Fitting signals `sturdy_error_lengthscales` when the lengthscales do
#' not match the columns.
#'
#' @inherit sturdy-package references
#' @seealso [gpc()], [stc()], [weak_prior()]
#' @export
#' @examples
#' kernel_ard()
#' kernel_ard(lengthscale = c(1, 3), fixed = c("lengthscale", "variance"))
#' kernel_iso(bias = 0, nugget = 0.01, prior = NULL)
#' kernel_linear() + kernel_ard()
#' kernel_ard(shape = "matern 5/2")
#' kernel_iso(shape = "rational quadratic", alpha = 0.5)
kernel_ard <- function(lengthscale = NULL,
                       variance = 1,
                       bias = 0.1,
                       nugget = 0.1,
                       fixed = "variance",
                       prior = weak_prior(),
                       linear = 0,
                       shape = "squared exponential",
                       alpha = 1) {
  new_kernel("ard", as.list(environment()))
}

#' @rdname kernel_ard
#' @export
kernel_iso <- function(lengthscale = NULL,
                       variance = 1,
                       bias = 0.1,
                       nugget = 0.1,
                       fixed = "variance",
                       prior = weak_prior(lengthscale = c(NA, 1.5)),
                       linear = 0,
                       shape = "squared exponential",
                       alpha = 1) {
  new_kernel("iso", as.list(environment()))
}

#' @rdname kernel_ard
#' @export
kernel_linear <- function(linear = 1) {
  linear <- check_hyper(linear, "linear", TRUE, 1)
  structure(list(linear = linear), class = c("kernel_linear", "sturdy_kernel"))
}

#' @export
`+.sturdy_kernel` <- function(e1, e2) {
  parts <- if (missing(e2)) list(e1) else list(e1, e2)
  linear <- vapply(parts, inherits, NA, "kernel_linear")
  must(
    length(parts) == 2 && sum(linear) == 1 && inherits(parts[[which(!linear)]], "sturdy_kernel"),
    NULL, "be of {.fn kernel_linear} and another kernel", "kernel", of = "A sum of kernels"
  )
  kernel <- check_kernel(parts[[which(!linear)]])
  must(
    all(kernel$linear == 0), NULL, "have one linear part: it is in the other kernel as well", "kernel",
    of = "A sum of kernels"
  )
  kernel$linear <- parts[[which(linear)]]$linear
  kernel
}

#' @export
print.kernel_linear <- function(x, digits = 3, ...) {
  linear <- format_each(x$linear, check_digits(digits))
  cat("<kernel_linear> linear ", linear, ", to be added to another kernel\n", sep = "")
  invisible(x)
}

# Construction --------------------------------------------------------------

# In the order of the table in src/kernel-shape.c
kernel_shapes <- c(
  "squared exponential", "matern 5/2", "matern 3/2", "rational quadratic", "cosine"
)

#' Is a kernel of another shape than is usual?
#' @noRd
is_shaped <- function(kernel) !identical(kernel$shape, kernel_shapes[1])

#' Rows as the distances of a kernel see them
#' @noRd
shaped_rows <- function(X, coding, shape) {
  X <- X * rep(sqrt(coding$weight), each = nrow(X))
  size <- sqrt(rowSums(X^2))
  if (identical(shape, "cosine")) X / ifelse(size > 0, size, 1) else X
}

#' The kernel that stands where none is given: the columns decide what it is, see kernel_for()
#' @noRd
usual_kernel <- function(linear = FALSE) {
  structure(kernel_ard(linear = as.numeric(linear)), usual = TRUE)
}

is_usual <- function(kernel) isTRUE(attr(kernel, "usual"))

#' A kernel, its fields checked again: they may have been changed by hand
#' @noRd
check_kernel <- function(kernel) {
  fields <- c("type", hyper_names, "fixed", "prior", "shape", "alpha")
  must(
    inherits(kernel, "sturdy_kernel") && has_fields(kernel, fields) &&
      is_one_of(kernel$type, c("ard", "iso")),
    "kernel", "be made by {.fn kernel_ard} or {.fn kernel_iso}", got = kernel,
    more = c(i = if (is.function(kernel)) "Did you leave out the parentheses?")
  )
  checked <- new_kernel(kernel$type, unclass(kernel))
  attr(checked, "usual") <- if (is_usual(kernel)) TRUE
  checked
}

new_kernel <- function(type, given) {
  lengthscale <- given$lengthscale
  if (!is.null(lengthscale)) lengthscale <- check_hyper(lengthscale, "lengthscale", TRUE)
  must(
    type == "ard" || length(lengthscale) < 2, "lengthscale",
    "be one number, not {length(lengthscale)}", "lengthscales",
    more = c(i = "Use {.fn kernel_ard} for one lengthscale per column.")
  )
  one <- function(name, positive) check_hyper(given[[name]], name, positive, 1)
  structure(
    list(
      type = type, lengthscale = lengthscale, variance = one("variance", TRUE), bias = one("bias", FALSE),
      nugget = one("nugget", FALSE), linear = one("linear", FALSE), fixed = check_fixed(given$fixed),
      prior = check_weak_prior(given$prior), shape = check_shape(given$shape, type),
      alpha = one("alpha", TRUE)
    ),
    class = c(paste0("kernel_", type), "sturdy_kernel")
  )
}

check_shape <- function(shape, type) {
  shape <- check_choice(shape, kernel_shapes, "shape")
  must(
    shape != "cosine" || type == "iso", "shape", "be that of {.fn kernel_iso}, not {.val cosine}",
    "choice", more = c(i = "Angles between rows have one lengthscale.")
  )
  shape
}

check_hyper <- function(x, arg, positive, size = NULL) {
  must(
    is.numeric(x) && length(x) > 0 && (is.null(size) || length(x) == size), arg,
    paste("be", if (is.null(size)) "numeric" else "one number"), got = x
  )
  bad <- !is.finite(x) | x < 0 | (positive & x == 0)
  must(
    !any(bad), arg, paste("be finite and", if (positive) "above 0" else "at least 0"),
    "hyperparameter", got = x[bad][1]
  )
  storage.mode(x) <- "double"
  x
}

check_fixed <- function(fixed) {
  if (identical(fixed, TRUE)) {
    return(hyper_names)
  }
  if (identical(fixed, FALSE) || is.null(fixed)) {
    return(character())
  }
  must(
    is.character(fixed) && all(fixed %in% hyper_names), "fixed",
    "be {.code TRUE} or any of {.val {hyper_names}}", "choice", got = fixed
  )
  unique(fixed)
}

#' @noRd
shape_title <- function(kernel) {
  alpha <- paste0(" (alpha ", format_each(kernel$alpha, 3), ")")
  paste0(kernel$shape, if (kernel$shape == "rational quadratic") alpha)
}

#' @export
print.sturdy_kernel <- function(x, digits = 3, ...) {
  digits <- check_digits(digits)
  parts <- c(shape_title(x), if (x$linear > 0) "linear", "bias", "nugget")
  cat("<", class(x)[1], "> ", paste(parts, collapse = " + "), "\n", sep = "")
  value <- function(name) {
    held <- name %in% x$fixed
    number <- if (is.null(x[[name]])) {
      "median heuristic"
    } else {
      paste(format_each(x[[name]], digits), collapse = " ")
    }
    paste0("  ", format(name, width = 12), number, if (held) " (held)", "\n")
  }
  names <- if (x$linear > 0) hyper_names else setdiff(hyper_names, "linear")
  cat(vapply(names, value, character(1)), sep = "")
  cat("  prior       ", if (is.null(x$prior)) "none" else "weak log-normal", "\n", sep = "")
  invisible(x)
}
