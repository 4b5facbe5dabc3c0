# What a kernel leaves to the data: lengthscales, the centres of priors.

#' Fill in what a kernel leaves to the data
#'
#' `X` and `coding` (a list of `group` and `weight`, see blueprint_columns()) as made by
#' the blueprint; `columns` are the names of the groups (the input columns kept),
#' `all_columns` those of all input columns, constant ones included. Afterwards `lengthscale` is a
#' numeric vector of one entry a group (ARD) or of length one (iso), `prior$lengthscale$meanlog` is
#' of the same length, and hyperparameters at 0 are among the fixed ones.
#' @noRd
kernel_resolve <- function(kernel,
                           X,
                           coding,
                           columns,
                           all_columns = columns,
                           integrate = FALSE,
                           overlap = NULL,
                           classes = 2) {
  attr(kernel, "usual") <- NULL
  coding <- kernel_columns(kernel, coding)
  given <- kernel$lengthscale
  if (kernel$type == "iso") {
    columns <- all_columns <- "lengthscale"
    given <- unname(given)
  }
  g <- length(columns)
  heuristic <- if (is.null(given) || anyNA(kernel$prior$lengthscale$meanlog)) {
    median_heuristic(X, coding, g, kernel$shape)
  }
  kernel$lengthscale <- if (is.null(given)) {
    heuristic
  } else {
    match_columns(given, columns, all_columns, "lengthscale", "lengthscales")
  }
  names(kernel$lengthscale) <- if (kernel$type == "ard") columns
  if (g > 0 && !is.null(kernel$prior$lengthscale)) {
    centre <- kernel$prior$lengthscale$meanlog
    kernel$prior$lengthscale$meanlog <- if (anyNA(centre)) log(heuristic) else rep_len(centre, g)
  }
  kernel <- usual_nugget(kernel, classes, integrate)
  for (name in c("bias", "nugget")) {
    if (anyNA(kernel$prior[[name]]$meanlog)) {
      kernel$prior[[name]]$meanlog <- log(if (integrate) 0.3 else 0.1)
    }
  }
  if (kernel$type == "iso" && !is.null(kernel$prior)) kernel$prior$common <- 0
  kernel$fixed <- union(kernel$fixed, held_at_zero(kernel))
  believed <- overlap_believed(
    list(nugget = kernel$nugget, held = "nugget" %in% kernel$fixed, prior = kernel$prior$nugget),
    kernel$variance, overlap, classes
  )
  kernel$nugget <- believed$nugget
  if (!is.null(believed$prior)) kernel$prior$nugget <- believed$prior
  kernel$fixed <- (if (believed$held) union else setdiff)(kernel$fixed, "nugget")
  kernel
}

#' Hyperparameters of which there is none, so that none is learned
#' @noRd
held_at_zero <- function(kernel) {
  names(Filter(function(value) all(value == 0), kernel[c("bias", "nugget", "linear")]))
}

wide_columns <- 400L # more of them are too many for a lengthscale each (experiments/columns.R)

#' A kernel, or the one that is usual for such inputs
#' @param X encoded inputs.
#' @noRd
kernel_for <- function(kernel, X, blueprint, linear = FALSE) {
  if (!is_usual(kernel)) {
    return(kernel)
  }
  if (!is_one_scaled(X, blueprint)) {
    return(usual_kernel(linear))
  }
  columns <- length(blueprint$columns)
  why <- if (columns > wide_columns) {
    "one for each of more than {wide_columns} would take too long. Ten principal components
     often say more: {.code prcomp(x, scale. = TRUE, rank. = 10)$x}; the larger integrated
     evidence ({.fn summary}) tells."
  } else {
    "rows are of unit length, as those of embeddings are."
  }
  inform_sturdy(c(
    i = paste("One lengthscale for all of {columns} columns:", why),
    i = "{.code kernel = kernel_ard()} asks for them all the same, {.code kernel =
         kernel_iso()} leaves out this message."
  ), "many_columns", columns = columns)
  structure(kernel_iso(), usual = TRUE)
}

#' Is one lengthscale for all columns usual? No column of an embedding matters by itself, and a
#' lengthscale for each of hundreds follows wrong labels
#' @noRd
is_one_scaled <- function(X, blueprint) {
  length(blueprint$columns) > wide_columns || isTRUE(blueprint$sphere) || are_unit_rows(X, blueprint)
}

# The usual prior of the log nugget over the prior variance, where it is integrated. Of two classes it
# is large: what it does not explain is taken for wrong labels, which the label stage then judges
# [M 16.6]. With several classes as large a one would have a quarter of the labels contradict the inputs
# before the data are seen.
nugget_usual <- list(two = c(meanlog = 0, sdlog = 1.5), several = c(meanlog = log(0.03), sdlog = 1.5))

#' @noRd
usual_nugget <- function(kernel, classes, integrate) {
  prior <- kernel$prior$nugget
  if (integrate && anyNA(prior$meanlog)) {
    usual <- nugget_usual[[if (classes > 2) "several" else "two"]]
    prior$meanlog <- usual[["meanlog"]] + if (classes > 2) 0 else log(kernel$variance)
    prior$sdlog <- min(prior$sdlog, usual[["sdlog"]])
    kernel$prior$nugget <- prior
  }
  kernel
}

#' Each column of X uses its own lengthscale, or the one there is; and the shape, unless it is usual
#' @noRd
kernel_columns <- function(kernel, coding) {
  if (kernel$type == "iso") coding$group[] <- 1L
  if (is_shaped(kernel)) {
    coding$shape <- match(kernel$shape, kernel_shapes) - 1L
    coding$alpha <- as.double(kernel$alpha)
  }
  coding
}

#' Values given once, in the order of the columns or by their names, one a
#' column that was kept
#' @noRd
match_columns <- function(x, columns, all_columns, arg, class) {
  if (!is.null(names(x))) {
    lacking <- setdiff(columns, names(x))
    must(
      !length(lacking), arg, "have an entry for every column; {.val {lacking}} {?is/are} missing",
      class
    )
    # an entry that nobody reads is a slip
    unread <- unique(names(x)[duplicated(names(x)) | !names(x) %in% all_columns])
    must(
      !length(unread), arg, "have one entry for each column", class,
      more = c(
        x = "{qty(length(unread))}{?Is/Are} twice there, or no column: {.val {few(unread)}}.",
        i = "The columns are {.val {all_columns}}."
      )
    )
    return(unname(x[match(columns, names(x))]))
  }
  if (length(x) == 1) {
    return(rep(x, length(columns)))
  }
  if (length(x) == length(all_columns)) {
    return(x[match(columns, all_columns)])
  }
  must(
    length(x) == length(columns), arg,
    "have one entry, or one for each of the {length(columns)} columns, not {length(x)}", class,
    more = c(i = "The columns are {.val {columns}}.")
  )
  x
}

distance_of_ties <- 1e-6 # of the largest distance: what is nearer differs by rounding

#' Median distances as lengthscales
#'
#' Among at most 500 rows that are spread over the table, the median of the distances over
#' all columns of a group but for those of ties (1 where all rows agree), times sqrt(g), so that the
#' scaled distance over all g groups is near 1.
#' @noRd
median_heuristic <- function(X, coding, g, shape = kernel_shapes[1]) {
  rows <- utils::head(table_order(X), 500)
  scaled <- shaped_rows(X[rows, , drop = FALSE], coding, shape)
  one_group <- function(j) {
    d <- stats::dist(scaled[, coding$group == j, drop = FALSE])
    d <- d[d > distance_of_ties * max(d, 0)]
    if (length(d)) stats::median(d) else 1
  }
  sqrt(g) * vapply(seq_len(g), one_group, numeric(1))
}

#' Hyperparameters as the native code takes them
#' @noRd
kernel_hyper <- function(kernel) {
  hyper <- named_hyper(kernel)
  hyper$lengthscale <- unname(hyper$lengthscale)
  hyper$width <- unname(hyper$width)
  hyper
}

#' The same with the names of columns, and of classes in an order
#' @noRd
named_hyper <- function(kernel) unclass(kernel)[c(if (!is.null(kernel$width)) "width", hyper_names)]

#' Has a kernel nothing to learn?
#' @noRd
holds_all <- function(kernel) {
  none <- length(kernel$lengthscale) == 0 # no inputs
  held <- c(kernel$fixed, held_at_zero(kernel), if (none) "lengthscale")
  is.null(kernel$width) && all(hyper_names %in% held)
}
