# Offsets: a known part of the latent mean of each row, in units of the nugget's standard deviation
# [M 3.20]. They go with the encoded inputs, whose rows are picked in many places.

#' Encoded rows with their offsets, or `NULL` for none
#' @noRd
with_offset <- function(X, offset) {
  if (!is.null(offset)) {
    X <- structure(X, offset = as.double(offset), class = c("offset_rows", "matrix", "array"))
  }
  X
}

#' The offsets of encoded rows, or `NULL`
#' @noRd
row_offset <- function(X) attr(X, "offset", exact = TRUE)

#' Encoded rows as a matrix, without offsets and class
#' @noRd
plain_rows <- function(X) {
  attributes(X) <- attributes(X)[c("dim", "dimnames")]
  X
}

#' @export
`[.offset_rows` <- function(x, i, j, ..., drop = TRUE) {
  plain <- plain_rows(x)
  if (nargs() == 2 + !missing(drop)) {
    return(plain[i])
  }
  offset <- if (missing(i)) row_offset(x) else row_offset(x)[i]
  picked <- plain[i, j, drop = drop]
  if (is.matrix(picked)) with_offset(picked, offset) else picked
}

#' Encoded rows below others
#' @noRd
bind_rows <- function(a, b) {
  with_offset(rbind(plain_rows(a), plain_rows(b)), c(row_offset(a), row_offset(b)))
}

#' Molded rows with the offsets of their formula
#' @param frame of the rows; what the others are, see with_unlabelled(). @param open frame of these.
#' @noRd
with_formula_offset <- function(molded, frame, open, data) {
  terms <- attr(frame, "terms")
  at <- attr(terms, "offset")
  if (is.null(at)) {
    return(molded)
  }
  parts <- as.list(attr(terms, "variables"))[-1][at]
  variables <- unique(unlist(lapply(parts, data_variables, data)))
  molded$blueprint$offset <- list(parts = parts, variables = variables)
  molded$data$X <- with_offset(molded$data$X, sum_offset(frame[at]))
  if (!is.null(molded$data$unlabelled)) {
    molded$data$unlabelled$X <- with_offset(molded$data$unlabelled$X, sum_offset(open[at]))
  }
  molded
}

#' @param parts a vector for each offset() of a formula.
#' @noRd
sum_offset <- function(parts, arg = "data") {
  for (part in parts) {
    must(
      (is.numeric(part) || all(is.na(part))) && !any(is.infinite(part)), arg, "be finite numbers", "offset",
      got = part, of = "The {.fn offset} of {.arg {arg}}"
    )
  }
  Reduce(`+`, lapply(parts, as.double))
}
