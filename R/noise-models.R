# Which noise models a fit averages over, with what prior probabilities, and each of them by its name.

#' What is to be known of label noise
#'
#' @param epsilon as in gpc_spec(). @param prior see noise_prior(). @param reports of the rows.
#' @param share of classes in an order: see as_omega().
#' @return list(weights: prior probabilities of the noise models; first: that of the learner, which
#'   allows for wrong labels of every class that may have some, if any may; rate: priors, list(one, class: of
#'   each class, alone: of one class alone), each list(a, b, size, most, free); given; classes,
#'   sources; readers: their reports, where there are several, or `NULL`: each then has where
#'   its errors go; targets: C x C, where they may; turn: the order in which classes have coordinates, see
#'   class_turn(); study: counts; ruled_out: prior probabilities of models
#'   that can't be; pooling).
#' @noRd
noise_model <- function(epsilon, prior, reports, share = NULL) {
  classes <- reports$classes
  readers <- by_several_readers(reports)
  weights <- noise_weights(epsilon, prior, reports, !is.null(share))
  out <- noise_ruled_out(names(weights), reports)
  sources <- length(reports$sources)
  list(
    weights = weights[!out], first = first_noise(epsilon, weights, reports, share),
    rate = rate_priors(prior, classes, sources, readers), ruled_out = if (any(out)) weights[out],
    study = if (!is.null(prior$study)) unname(prior$study),
    given = if (!is.character(epsilon)) epsilon, share = share, classes = classes, sources = sources,
    readers = if (readers) reports, targets = noise_targets(classes, !is.null(share)), turn = seq_len(classes), pooling = prior$pooling
  )
}

#' A noise model by name, in standard normals
#' @param noise see noise_model(). @return see noise-coordinates.R.
#' @noRd
noise_of <- function(name, noise) {
  classes <- noise$classes
  if (name %in% c("none", "given")) {
    given <- if (name == "none") 0 else noise$given
    return(noise_held(name, given, classes, noise$sources, noise$share))
  }
  alone <- noise_alone(name)
  targets <- NULL # where errors go is not learned
  if (name == "one") {
    of <- rep(1L, classes)
    priors <- noise$rate["one"]
  } else if (!is.na(alone)) {
    of <- as.integer(seq_len(classes) == alone)
    priors <- noise$rate$alone[alone]
    targets <- noise$targets & of > 0
  } else {
    of <- order(noise$turn)
    priors <- noise$rate$class[noise$turn]
    if (name == "matrix") targets <- noise$targets
  }
  root <- rate_root(noise$sources, noise$pooling)
  model <- noise_free(name, of, root, priors, whereto_of(noise, targets))
  c(model, list(readers = noise$readers, turn = noise$turn))
}

#' Where its errors go
#' @param targets where they may, if that is learned, or `NULL`.
#' @noRd
whereto_of <- function(noise, targets) {
  ordered <- !is.null(noise$share)
  if (ordered && sum(targets) < 2) {
    whereto_reach(noise$classes)
  } else if (is.null(targets) || noise$classes == 2) {
    whereto_known(noise$classes)
  } else {
    sources <- if (is.null(noise$readers)) 1L else noise$sources
    whereto_learned(targets, sources, noise$turn, if (ordered) whereto_near else 1)
  }
}

#' Coordinates to start from beside the usual ones: where the most of the readers are right
#' @noRd
noise_starts <- function(model) {
  guesses <- if (!is.null(model$readers)) reader_guesses(model$readers)
  by_kind <- function(e) if (model$name == "one") rowMeans(e) else e[, model$turn]
  lapply(guesses, function(e) noise_start(model, by_kind(e)))
}

#' The noise model of the learner: without wrong labels only where that is the user's word. Of several classes
#' it is a matrix, or a rate for each class in an order or where its coordinates are too many; unless each reader has one.
#' @noRd
first_noise <- function(epsilon, weights, reports, share) {
  may <- names(weights)
  alone <- intersect(may, names(noise_only))
  both <- length(alone) == 2 || any(c("one", "two") %in% may)
  classes <- reports$classes
  sources <- length(reports$sources)
  apart <- any(is_by_class(may)) && !by_several_readers(reports) && classes * sources <= first_most
  if (!is.character(epsilon)) {
    "given"
  } else if (identical(may, "none")) {
    "none"
  } else if (epsilon == "learn" || classes > 2 && !apart) {
    "one"
  } else if (classes > 2) {
    if (is.null(share) && classes * (sources + classes - 2) <= first_most) "matrix" else "each"
  } else if (!both && length(alone) == 1) alone else "two"
}

#' That noise model, see noise_of(). Rates by class could take two classes that look alike for one, most of whose
#' labels are wrong: of several classes they are no larger than those of wrong labels are.
#' @param noise see noise_model().
#' @noRd
learner_noise <- function(noise) {
  if (noise$first %in% c("matrix", "each")) {
    noise$rate$class <- lapply(noise$rate$class, function(prior) replace(prior, "most", min(prior$most, rate_most_first)))
  }
  noise_of(noise$first, noise)
}

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

#' Prior probabilities of the noise models by name
#' @param ordered whether the classes are in an order: then there is no matrix.
#' @noRd
noise_weights <- function(epsilon, prior, reports, ordered = FALSE) {
  if (!is.character(epsilon)) {
    return(c(given = 1))
  }
  by_class <- if (reports$classes > 2) "matrix" else "two"
  told <- length(unlist(prior[c("sensitivity", "specificity", "study")])) > 0
  if (told && is.null(prior$unlabelled)) epsilon <- "learn2" # that there are rates is told, too
  only <- switch(epsilon, learn = "one", learn2 = , matrix = by_class)
  if (!is.null(only)) {
    return(stats::setNames(1, only))
  }
  models <- models_of_classes(prior$models, reports$classes, ordered)
  if (by_several_readers(reports)) {
    none <- sum(models["none"], na.rm = TRUE)
    # a reader hardly ever errs alike in all classes
    models <- stats::setNames(c(none, 1 - none), c("none", by_class))
  }
  models[models > 0]
}

#' Those of the user, or the usual ones, for so many classes: of several a third of that of a rate for
#' each class stays with it and the rest is that of a matrix, unless they are in an order, where errors go to
#' neighbours or anywhere, and what one class alone has is shared by them
#' @noRd
models_of_classes <- function(models, classes, ordered) {
  if (classes == 2) {
    return(if (is.null(models)) usual_models$two else models)
  }
  if (is.null(models)) {
    models <- usual_models[[if (ordered) "ordered" else "several"]]
  } else {
    each <- if (ordered) 1 else 1 / 3
    models <- c(
      models[c("none", "one")], each = models[["two"]] * each, matrix = models[["two"]] * (1 - each),
      alone = sum(models[names(noise_only)])
    )
  }
  if (classes > by_class_most) { # rows of each are too few, and coordinates too many
    return(c(models["none"], one = 1 - models[["none"]]))
  }
  alone <- models[["alone"]]
  models <- models[names(models) != "alone"]
  if (classes > alone_most) {
    by_class <- if (ordered) "each" else "matrix"
    models[[by_class]] <- models[[by_class]] + alone
    return(models)
  }
  c(models, stats::setNames(rep(alone / classes, classes), paste0("alone", seq_len(classes))))
}
