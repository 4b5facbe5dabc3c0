# Which noise models a fit averages over, with what prior probabilities, and each of them by its name.

#' What is to be known of label noise
#'
#' @param epsilon as in gpc_spec(). @param prior see noise_prior(). @param reports of the rows.
#' @param share of classes in an order: see as_omega().
#' @return list of `weights`, prior probabilities of the noise models by name, and `ruled_out`, of those that can't be;
#'   `first`, the name of the learner's, see first_noise(); `rate`, priors of rates, see rate_priors();
#'   `study`, counts; `given`, rates that are held; `share`; `classes` and `sources`, their numbers; `readers`, the
#'   reports of several readers, each of whom has where the errors go, or `NULL`; `targets`, C x C, where errors may go;
#'   `turn`, the order in which classes have coordinates, see class_turn(); `pooling`, of the rates of sources
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
    readers = if (readers) reports, targets = noise_targets(classes, !is.null(share)),
    turn = seq_len(classes), pooling = prior$pooling
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
  # of: which rate each class has, 0 for none; priors: of these rates
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

#' The name of the noise model of the learner, which allows for wrong labels unless the user has ruled them out
#'
#' Of several classes it is a matrix, or a rate for each class where they are in an order or a matrix has too many
#' coordinates; one rate where these would still be too many, or where each reader has rates.
#' @noRd
first_noise <- function(epsilon, weights, reports, share) {
  wrong <- setdiff(names(weights), "none") # models with wrong labels
  classes <- reports$classes
  sources <- length(reports$sources)
  apart <- any(is_by_class(wrong)) && !by_several_readers(reports) && classes * sources <= first_most
  if (!is.character(epsilon)) {
    "given"
  } else if (!length(wrong)) {
    "none"
  } else if (epsilon == "learn" || classes > 2 && !apart) {
    "one"
  } else if (classes > 2) {
    if (is.null(share) && classes * (sources + classes - 2) <= first_most) "matrix" else "each"
  } else if (length(wrong) == 1 && wrong %in% names(noise_only)) wrong else "two"
}

#' That noise model, see noise_of()
#'
#' Of several classes its rates have a lower bound than elsewhere: with larger ones two classes that look alike could
#' be taken for one class, most of whose labels are wrong.
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
#' Where all of them can't be, all stay: the user has said so, and report_factors() leaves out what contradicts it.
#' @return logical, one for each of `names`
#' @noRd
noise_ruled_out <- function(names, reports) {
  misread <- report_misread(reports)
  disputed <- by_readers(reports) && length(report_disputed(reports)) > 0
  alone <- noise_alone(names)
  another <- !is.na(alone) & lengths(lapply(alone, setdiff, x = misread)) > 0
  out <- ifelse(names == "none", disputed || length(misread) > 0, another)
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

#' Prior probabilities of the noise models for so many classes: the usual ones, or those of the user
#'
#' The user's are those of two classes. Of several classes a third of that of "two" is that of a rate for each class
#' and the rest that of a matrix, which classes in an order don't have: there all of it stays. What "first" and
#' "second" have together is shared by the models under which labels of one class alone are wrong.
#' @param models see noise_prior(), or `NULL`.
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
