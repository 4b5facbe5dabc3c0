# The noise models there are, by name: which a fit averages over, their priors, and what they are called.

# Rates that go by one class alone
noise_only <- c(first = 1L, second = 2L)
alone_most <- 12L    # classes up to which each may be the only one that is recorded wrongly
whereto_nearest <- 4L # of more classes, to how many each may go
by_class_most <- 40L # classes up to which rates may differ by class

#' The true class that alone is recorded wrongly under a noise model, or `NA`
#' @noRd
noise_alone <- function(name) {
  k <- suppressWarnings(as.integer(sub("^alone", "", name)))
  unname(ifelse(name %in% names(noise_only), noise_only[name], k))
}

#' Do rates differ by class?
#' @noRd
is_by_class <- function(names) !names %in% c("none", "one", "given")

#' A noise model by name, in standard normals
#' @param noise see noise_model().
#' @noRd
noise_of <- function(name, noise) {
  classes <- noise$classes
  if (name %in% c("none", "given")) {
    given <- if (name == "none") 0 else noise$given
    return(noise_held(name, given, classes, noise$sources, noise$share))
  }
  alone <- noise_alone(name)
  of <- if (name == "one") {
    rep(1L, classes)
  } else if (is.na(alone)) order(noise$turn) else as.integer(seq_len(classes) == alone)
  priors <- if (name == "one") {
    noise$rate["one"]
  } else if (is.na(alone)) noise$rate$class[noise$turn] else noise$rate$alone[alone]
  root <- rate_root(noise$sources, noise$pooling)
  normals <- rate_normals(priors)
  link <- rates_of_groups(normals, root, length(priors))
  where <- if (!is.null(noise$share)) {
    noise_reach(classes)
  } else if (classes > 2 && (name == "matrix" || !is.na(alone))) {
    targets <- noise$targets & (name == "matrix" | of > 0)
    noise_whereto(targets, if (noise$own) link$sources else 1L, noise$turn)
  } else {
    noise_shared(classes)
  }
  model <- noise_rates(name, link, of, where)
  model$start <- function(e) {
    normal <- normals$normal(array(e, c(nrow(root), length(priors), 1)))
    z <- solve(root, matrix(normal, nrow(root)))
    c(as.vector(z), numeric(model$d - length(z)))
  }
  model$starts <- function() {
    lapply(noise$guess(), function(e) model$start(if (name == "one") rowMeans(e) else e[, noise$turn]))
  }
  model
}

#' What is to be known of label noise
#'
#' @param epsilon as in gpc_spec(). @param prior see noise_prior(). @param reports of the rows.
#' @param share of classes in an order: see as_omega().
#' @return list(weights: prior probabilities of the noise models; first: that of the learner, which
#'   allows for wrong labels of every class that may have some, if any may; rate: priors, list(one, class: of
#'   each class, alone: of one class alone), each list(a, b, size, most, free); given; classes,
#'   sources; own: whether each has where its errors go; targets: where they may; turn: the order in which classes have coordinates, see
#'   class_turn(); study: counts; ruled_out: prior probabilities of models
#'   that can't be; pooling).
#' @noRd
noise_model <- function(epsilon, prior, reports, share = NULL) {
  classes <- reports$classes
  readers <- by_readers(reports) && length(reports$sources) > 1
  weights <- noise_weights(epsilon, prior, reports, !is.null(share))
  out <- noise_ruled_out(names(weights), reports)
  sources <- length(reports$sources)
  list(
    weights = weights[!out], first = first_noise(epsilon, weights, classes, share),
    rate = rate_priors(prior, classes, sources, readers), ruled_out = if (any(out)) weights[out],
    study = if (!is.null(prior$study)) unname(prior$study),
    given = if (!is.character(epsilon)) epsilon, share = share, classes = classes, sources = sources,
    own = readers, guess = function() if (readers) reader_guesses(reports),
    targets = !diag(classes), turn = seq_len(classes), pooling = prior$pooling
  )
}

#' The noise model of the learner: without wrong labels only where that is the user's word
#' @noRd
first_noise <- function(epsilon, weights, classes, share) {
  if (!is.character(epsilon)) {
    return("given")
  }
  if (identical(names(weights), "none")) {
    return("none")
  }
  if (epsilon == "learn" || classes > 2 || !is.null(share)) {
    return("one")
  }
  may <- names(weights)
  alone <- intersect(may, names(noise_only))
  both <- length(alone) == 2 || any(c("one", "two") %in% may)
  if (!both && length(alone) == 1) alone else "two"
}

#' Priors of rates: of one for all labels, twice which has a Beta distribution, and of those by class
#' @noRd
rate_priors <- function(prior, classes, sources, readers) {
  beta <- function(shape, most) {
    list(a = 1, b = shape, size = if (readers) rate_reach else most, most = most, free = readers || classes > 2)
  }
  # the others tell of a reader who is wrong more often than not
  one <- beta(rate_shape(prior, if (readers) 1 else sources), if (readers) 1 else 0.5)
  one$free <- readers
  shape <- if (!is.null(prior$rate)) {
    prior$rate
  } else if (classes > 2 || readers) rate_prior_shape else by_class_shape
  usual <- beta(shape, if (is.null(prior$rate) || readers) 1 else 0.5)
  alone <- usual
  if (classes > 2 && !readers) usual$most <- rate_most_class
  if (usual$size >= 1) alone$most <- rate_most_alone
  of <- rep(list(usual), classes)
  alone <- rep(list(alone), classes)
  told <- list(prior$specificity, prior$sensitivity)
  for (t in which(!vapply(told, is.null, NA))) {
    # of the rate of wrong labels, which is the user's to be above 1/2
    of[[t]] <- alone[[t]] <- list(
      a = told[[t]][2], b = told[[t]][1], size = 1, most = 1, free = readers
    )
  }
  list(one = one, class = of, alone = alone)
}
rate_reach <- 1.25      # of readers, cut off at 1: one who always says the same is no miracle
rate_most_class <- 0.7  # of several, where each has a rate; and
rate_most_alone <- 0.95 # where one class alone has

#' Which noise models can't be: a check has found a label wrong that under them is right, or
#' readers contradict each other
#'
#' Where that leaves none of them they are the user's word, as a rate of 0 is that a check has
#' disproved: see report_factors().
#' @noRd
noise_ruled_out <- function(names, reports) {
  misread <- report_misread(reports)
  disputed <- by_readers(reports) && length(report_disputed(reports)) > 0
  out <- vapply(names, function(name) {
    if (name == "none") {
      return(disputed || length(misread) > 0)
    }
    may <- noise_alone(name)
    !is.na(may) && length(setdiff(misread, may)) > 0
  }, NA)
  out & !all(out)
}

# As they are told
noise_order <- c("none", "one", "two", "first", "second", "each", "matrix", paste0("alone", seq_len(alone_most)))

#' Prior probabilities of the noise models by name
#' @param ordered whether the classes are in an order: then there is one rate or none.
#' @noRd
noise_weights <- function(epsilon, prior, reports, ordered = FALSE) {
  if (!is.character(epsilon)) {
    return(c(given = 1))
  }
  classes <- reports$classes
  own <- if (classes > 2) "matrix" else "two"
  told <- prior[c("sensitivity", "specificity", "study")]
  told <- !all(vapply(told, is.null, NA)) && is.null(prior$unlabelled)
  if (told) epsilon <- "learn2"
  one <- switch(epsilon, learn = "one", learn2 = own, matrix = own)
  if (!is.null(one)) {
    return(stats::setNames(1, one))
  }
  models <- models_of_classes(prior$models, classes)
  none <- sum(models["none"], na.rm = TRUE)
  weights <- if (ordered) {
    c(none = none, one = 1 - none)
  } else if (by_readers(reports) && length(reports$sources) > 1) {
    # a reader hardly ever errs alike in all classes
    stats::setNames(c(none, 1 - none), c("none", own))
  } else {
    models
  }
  weights[weights > 0]
}

#' Those of the user, or the usual ones, for so many classes: of several a third of that of a rate for
#' each class stays with it and the rest is that of a matrix, and what one class alone has is shared
#' by them
#' @noRd
models_of_classes <- function(models, classes) {
  if (classes == 2) {
    return(if (is.null(models)) usual_models$two else models)
  }
  if (is.null(models)) {
    models <- usual_models$several
  } else {
    models <- c(
      models[c("none", "one")], each = models[["two"]] / 3, matrix = models[["two"]] * 2 / 3,
      alone = sum(models[names(noise_only)])
    )
  }
  if (classes > by_class_most) { # rows of each are too few, and coordinates too many
    return(c(models["none"], one = 1 - models[["none"]]))
  }
  alone <- models[["alone"]]
  models <- models[names(models) != "alone"]
  if (classes > alone_most) {
    models[["matrix"]] <- models[["matrix"]] + alone
    return(models)
  }
  c(models, stats::setNames(rep(alone / classes, classes), paste0("alone", seq_len(classes))))
}

#' What noise models are called in sentences
#' @noRd
noise_words <- c(
  none = "no wrong labels", one = "one rate", two = "a rate for each class",
  first = "a rate in the first class only", second = "a rate in the second class only",
  each = "a rate for each class", matrix = "a noise matrix", given = "the rates given"
)

#' The same with the names of the classes
#' @noRd
model_words <- function(models, levels) {
  words <- unname(noise_words[models])
  one <- noise_alone(models)
  alone <- !is.na(one)
  words[alone] <- paste0("a rate in true ", quoted_empty(levels[one[alone]]), " only")
  words
}
