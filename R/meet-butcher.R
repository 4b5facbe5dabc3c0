# butcher and vetiver: a fit without what prediction does not need, and behind a server.

#' Smaller fits, and fits behind a server
#'
#' Methods for the butcher package, which take from a fit what prediction does not need, and
#' for the vetiver package, with which a fit is versioned and answers requests.
#'
#' @details
#' `butcher::butcher()` of a fit removes
#' * the call and traces of EP and of the search;
#' * of a [bpm()] and of a fit with inducing inputs, the training rows and all that is kept for
#'   each of them. What is left predicts the same; it is like a fit to [shards()], and
#'   [loo()], [mislabelled()] and other functions that need the rows stop with
#'   `sturdy_error_no_sites`. A fit with a flip rate by group, or trusted rows, keeps them.
#'
#' A fit with a kernel between all rows predicts from these, and keeps them: **whoever has the
#' fit has the inputs and the labels**. Those without `inducing` can't be made smaller.
#'
#' `vetiver::vetiver_model()` takes fits of [gpc()], [stc()] and [bpm()] as they are, and workflows
#' with [gp_class()] by its own methods (of a parsnip fit without a workflow, take the engine's:
#' `parsnip::extract_fit_engine()`). The prototype of the inputs is made
#' from what the fit knows of them; where the formula transforms them (`log(x)`), give
#' `prototype_data`, a data frame with the inputs. A server answers with `.pred_class` and a
#' column `.pred_<level>` for each class, of the true class; `vetiver_api(noise = TRUE)` makes
#' them those of recorded labels. Further columns of a request are ignored, a row with a missing
#' value is answered by missing ones, and a level that training did not have is refused by vetiver.
#'
#' @param x,model A fit.
#' @param verbose Whether butcher prints what was saved.
#' @param metadata A list made by vetiver.
#' @param vetiver_model Made by `vetiver::vetiver_model()`.
#' @param ... Not used; for `vetiver_ptype()`, `prototype_data`; for `handler_predict()`,
#'   `noise` of [predict()][predict.sturdy_model].
#' @return As butcher and vetiver have them.
#' @section Conditions:
#' `sturdy_error_missing_argument` where `prototype_data` is needed.
#' @name sturdy-deploy
#' @aliases butcher vetiver
#' @seealso [predict()][predict.sturdy_model], [shards()]
#' @examplesIf rlang::is_installed("butcher")
#' x <- seq(-2, 2, length.out = 40)
#' fit <- bpm(data.frame(x), x + sin(9 * x) > 0, epsilon = 0.05, hyper = "optimum")
#' small <- butcher::butcher(fit)
#' c(object.size(fit), object.size(small))
#' identical(predict(small, data.frame(x = 1)), predict(fit, data.frame(x = 1)))
NULL

#' A smaller fit, and how much smaller it is
#' @param small made of `x`, looked at when `x` is known to be a fit.
#' @noRd
axed <- function(x, small, verbose) {
  check_model(x)
  if (check_flag(verbose, "verbose")) {
    saved <- as.numeric(utils::object.size(x)) - as.numeric(utils::object.size(small))
    inform_sturdy("Memory released: {.val {format_bytes(max(saved, 0))}}.", "axed")
  }
  small
}

#' @rdname sturdy-deploy
#' @exportS3Method butcher::axe_call
axe_call.sturdy_model <- function(x, verbose = FALSE, ...) axed(x, replace(x, "call", list(NULL)), verbose)

#' @rdname sturdy-deploy
#' @exportS3Method butcher::axe_ctrl
axe_ctrl.sturdy_model <- function(x, verbose = FALSE, ...) {
  less <- x
  for (part in c("ep", "learning")) if (!is.null(x[[part]])) less[[part]]["trace"] <- list(NULL)
  axed(x, less, verbose)
}

#' @rdname sturdy-deploy
#' @exportS3Method butcher::axe_data
axe_data.sturdy_model <- function(x, verbose = FALSE, ...) {
  predicts_alone <- (inherits(x, "bpm") || is_low_rank(x)) && !is.null(x$data) &&
    !report_beside(x$data$reports) && !has_readers(x)
  axed(x, if (predicts_alone) without_rows(x) else x, verbose)
}

#' The fit as one to shards is: with counts in the place of rows
#' @noRd
without_rows <- function(x) {
  x$shards <- list(rows = nobs(x), counts = label_counts(x), left_out = length(x$data$na_action))
  x["data"] <- list(NULL)
  rows <- c("m", "C_diag", "loo", "seen", "flipped")
  x$ep[rows] <- lapply(x$ep[rows], no_rows)
  x$ep$residual <- max(x$ep$residual)
  x$ep$sites <- lapply(x$ep$sites[c("tau", "nu")], no_rows)
  x$ep$cavity <- lapply(x$ep$cavity[c("mean", "var")], no_rows)
  if (!is.null(x$nodes)) {
    x$nodes[c("tau", "seen")] <- lapply(x$nodes[c("tau", "seen")], no_rows)
    x$nodes$truth <- truth_by_model(node_truth(x))
  }
  if (!is.null(x$label_stage)) x$label_stage <- stage_without_rows(x$label_stage, x$shards)
  structure(x, class = c("butchered", "sharded", class(x)))
}

#' What is kept of each row, of none
#' @noRd
no_rows <- function(v) if (is.null(dim(v))) v[0L] else array(v[0L], c(0L, dim(v)[-1]))

#' The label stage: predictions go through its points, and how many labels are wrong stays known
#' @noRd
stage_without_rows <- function(stage, shards) {
  stage["data"] <- list(NULL)
  stage$shards <- shards
  stage$nodes$unusual <- numeric()
  rows <- c("p", "loo", "log_z", "y")
  stage$nodes$truth[rows] <- lapply(stage$nodes$truth[rows], no_rows)
  structure(stage, class = c("butchered", "sharded", class(stage)))
}

check_by_ep.butchered <- function(object) {
  abort_sturdy("The fit has nothing on single rows: {.fn butcher::butcher} has removed them.", "no_sites")
}

# vetiver -------------------------------------------------------------------------

#' @rdname sturdy-deploy
#' @exportS3Method vetiver::vetiver_create_description
vetiver_create_description.sturdy_model <- function(model) {
  levels <- model$blueprint$levels
  title <- if (length(levels) > 2) "Gaussian process classifier" else model_title(model)
  paste0("A ", title, " (", toString(levels), ") that allows for wrong labels, by sturdy")
}

#' @rdname sturdy-deploy
#' @exportS3Method vetiver::vetiver_create_meta
vetiver_create_meta.sturdy_model <- function(model, metadata) {
  vetiver::vetiver_meta(metadata, required_pkgs = "sturdy")
}

#' @rdname sturdy-deploy
#' @exportS3Method vetiver::vetiver_prepare_model
vetiver_prepare_model.sturdy_model <- function(model) butcher::butcher(model)

#' @rdname sturdy-deploy
#' @exportS3Method vetiver::vetiver_ptype
vetiver_ptype.sturdy_model <- function(model, ...) {
  check_model(model)
  given <- list(...)$prototype_data
  if (!is.null(given)) return(tibble::as_tibble(given[0, , drop = FALSE]))
  blueprint <- model$blueprint
  must(
    setequal(blueprint$columns, blueprint$variables), "prototype_data",
    "be given: the formula transforms its inputs", "missing_argument",
    more = c(i = "For example {.code vetiver_model(fit, \"name\", prototype_data = data[1, inputs])}.")
  )
  none <- matrix(0, 0, length(blueprint_columns(blueprint)$group))
  tibble::as_tibble(decode_features(none, blueprint))
}

#' @rdname sturdy-deploy
#' @exportS3Method vetiver::handler_predict
handler_predict.sturdy_model <- function(vetiver_model, ...) {
  model <- vetiver_model$model
  prototype <- vetiver_model$prototype
  noise <- isTRUE(list(...)$noise)
  function(req) {
    new <- req$body
    if (!is.null(prototype)) {
      new <- vetiver::vetiver_type_convert(new, prototype)
      new <- hardhat::scream(hardhat::shrink(new, prototype), prototype)
    }
    prob <- stats::predict(model, new, type = "prob", noise = noise)
    colnames(prob) <- paste0(".pred_", colnames(prob))
    data.frame(.pred_class = stats::predict(model, new), prob, check.names = FALSE, row.names = NULL)
  }
}

#' @rdname sturdy-deploy
#' @exportS3Method vetiver::handler_startup
handler_startup.sturdy_model <- function(vetiver_model) {
  vetiver::attach_pkgs(vetiver_model$metadata$required_pkgs)
}
