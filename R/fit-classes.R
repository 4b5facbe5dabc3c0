# What the number of classes decides: which arguments a spec may have, and the form of its
# noise model.

#' A spec, checked and completed for the classes that a table has
#' @noRd
check_class_number <- function(spec, molded) {
  levels <- molded$blueprint$levels
  ordered <- isTRUE(molded$blueprint$ordered)
  two <- length(levels) == 2
  must(
    !(two || ordered) || !identical(spec$kernels, "per class"), "kernels",
    "be {.val shared}: they have one latent function", "kernels",
    of = "With {if (ordered) 'classes in an order' else 'two classes'} {.arg {arg}}"
  )
  if (two) {
    return(two_class_noise(spec, levels))
  }
  spec <- check_classes_spec(spec, levels)
  if (ordered) check_ordered_spec(spec, levels)
  spec
}

#' Is there a class that rows without a label are recorded as, see `unlabelled` of noise_prior()?
#' @noRd
labels_one_class <- function(object) !is.null(object$spec$noise$unlabelled)

#' One class unlabelled: rows of the other alone are recorded as it, with a rate up to 1 [M 13.8]
#' @noRd
unlabelled_of_classes <- function(spec, levels) {
  named <- spec$noise$unlabelled
  if (is.null(named)) {
    return(spec)
  }
  check <- function(fine, words) {
    must(fine, "noise", words, "prior", of = "With {.arg unlabelled} {.arg {arg}}")
  }
  check(
    length(levels) == 2 && !inherits(spec, "second_stage_spec"),
    "be of two classes, of {.fn gpc}, {.fn stc} or {.fn bpm}"
  )
  check(named %in% levels, "name one of the classes {.val {levels}}, not {.val {named}}")
  must(
    identical(spec$epsilon, "average"), "epsilon",
    "be {.val average} where {.arg noise} has {.arg unlabelled}", "epsilon"
  )
  first <- named == levels[1]
  open <- if (first) "sensitivity" else "specificity" # of the other class, whose rows are recorded as this one
  held <- if (first) "specificity" else "sensitivity"
  check(is.null(spec$noise[[held]]), "have no {.arg {held}}: labels of {.val {setdiff(levels, named)}} are right")
  if (is.null(spec$noise[[open]])) spec$noise[[open]] <- c(1, 1)
  alone <- if (first) "second" else "first" # the class that alone is recorded wrongly
  spec$noise$models <- stats::setNames(as.double(noise_models == alone), noise_models)
  spec$noise$unusual <- 0 # a row that looks positive is one
  spec
}

#' A study of the labels, in the order of the levels; of two classes as what it says of each [M 8.7]
#' @noRd
study_of_classes <- function(spec, levels) {
  study <- spec$noise$study
  if (is.null(study)) {
    return(spec)
  }
  study <- of_classes(study, levels, "study", "prior")
  if (length(levels) == 2) {
    shares <- study + 1 / 2
    spec$noise$specificity <- c(shares[1, 1], shares[1, 2])
    spec$noise$sensitivity <- c(shares[2, 2], shares[2, 1])
    study <- NULL
  }
  spec$noise["study"] <- list(study)
  spec
}

#' Rates of two classes as `neg` and `pos`, where they were given by a noise matrix or by the names of the classes
#' @noRd
two_class_noise <- function(spec, levels) {
  named <- names(spec$epsilon)
  if (length(named) && (setequal(named, levels) || !setequal(named, c("neg", "pos")))) {
    must(
      setequal(named, levels), "epsilon", "be named by the true classes {.val {levels}}, or {.val neg} and
       {.val pos}, not {.val {named}}", "epsilon"
    )
    spec$epsilon <- check_epsilon(c(neg = spec$epsilon[[levels[1]]], pos = spec$epsilon[[levels[2]]]))
  }
  if (identical(spec$epsilon, "matrix")) {
    spec$epsilon <- "learn2"
  } else if (is.matrix(spec$epsilon)) {
    omega <- check_noise_matrix(spec$epsilon, levels)
    spec$epsilon <- check_epsilon(c(neg = omega[[1, 2]], pos = omega[[2, 1]]))
  }
  spec
}

#' Errors for what several classes do not have; their noise matrix in the order of the levels
#' @noRd
check_classes_spec <- function(spec, levels) {
  of <- "With {length(levels)} classes {.arg {arg}}"
  must(spec$criterion == "evidence", "criterion", "be {.val evidence}", "criterion", of = of)
  must(
    is.null(spec$noise$sensitivity) && is.null(spec$noise$specificity), "noise",
    "not have {.arg sensitivity} or {.arg specificity}: they are of two classes", "prior", of = of,
    more = c(i = "{.code noise_prior(study = )} takes counts, true classes x recorded ones.")
  )
  epsilon <- spec$epsilon
  must(
    is.matrix(epsilon) || !identical(epsilon, "learn2") && length(epsilon) != 2, "epsilon",
    "be one rate, {.val learn}, a noise matrix, {.val matrix} or {.val average}", "epsilon", of = of,
    more = c(i = "A matrix has a row for each true class and a column for each recorded one.")
  )
  if (is.matrix(epsilon)) spec$epsilon <- check_noise_matrix(epsilon, levels)
  spec
}

#' Errors for what classes in an order do not have, and the message about them
#' @noRd
check_ordered_spec <- function(spec, levels) {
  unordered <- c(i = "{.code factor(y, ordered = FALSE)} is fitted without an order.")
  of <- "With classes in an order {.arg {arg}}"
  must(
    !identical(spec$epsilon, "matrix"), "epsilon", "be one rate, {.val learn}, a noise matrix or {.val average}",
    "epsilon", of = of, more = unordered
  )
  must(
    is.null(spec$noise$study), "noise", "have no {.arg study}: their noise has one rate", "prior",
    of = of, more = unordered
  )
  inform_sturdy(c(
    i = "The classes {.val {levels}} are fitted in this order: one latent function and
         thresholds; wrong labels may be those of a neighbour, or of any class.",
    unordered
  ), "ordered_outcome", levels = levels)
}

#' A noise matrix with the names of the classes, in their order
#' @noRd
check_noise_matrix <- function(omega, levels) {
  omega <- of_classes(omega, levels, "epsilon", "epsilon")
  dimnames(omega) <- list(true = levels, recorded = levels)
  omega / rowSums(omega)
}

#' A matrix with a row and a column for each class, in the order of the levels
#' @noRd
of_classes <- function(x, levels, arg, class) {
  size <- length(levels)
  named <- function(names) is.null(names) || setequal(names, levels)
  must(
    identical(dim(x), c(size, size)) && named(rownames(x)) && named(colnames(x)), arg,
    "have a row and a column for each of the classes {.val {levels}},
     not {nrow(x)} x {ncol(x)}{if (length(dimnames(x))) ' with other names'}", class
  )
  if (!is.null(rownames(x))) x <- x[levels, , drop = FALSE]
  if (!is.null(colnames(x))) x <- x[, levels, drop = FALSE]
  storage.mode(x) <- "double"
  x
}
