# A candidate of select_model(): a model with arguments, not yet fitted.

#' Candidates for model selection
#'
#' `candidate()` names a model and the arguments to fit it with;
#' `default_candidates()` is the list [select_model()] tries by default.
#'
#' @details
#' The defaults are [gpc()] with `epsilon` held at 0, with `epsilon` learned, with one
#' flip rate for each class and with one lengthscale for all columns, [stc()] with 3,
#' 10 and 30 degrees of freedom, and [bpm()]. They are a start: a list is changed as
#' any list, and kernels with other priors or held values make further candidates.
#'
#' @param model `"gpc"`, `"stc"` or `"bpm"`.
#' @param ... Named arguments of the model: `kernel`, `epsilon`, `criterion`, `control`
#'   and so on. Not `scale` and `na.action`, which [select_model()] sets for all, so
#'   that all are fitted to the same rows. A [bpm()] candidate is fitted by EP.
#' @return `candidate()`: a list of class `sturdy_candidate` with `model` and `args`.
#'   `default_candidates()`: a named list of them.
#' @section Conditions:
#' `sturdy_error_unknown_argument` for an argument the model does not have. Values are
#' checked when the candidate is fitted.
#' @seealso [select_model()]
#' @export
#' @examples
#' candidate("gpc", kernel = kernel_iso(), epsilon = 0.05)
#' candidates <- default_candidates()
#' names(candidates)
#' candidates$stc_5 <- candidate("stc", df = 5)
candidate <- function(model = c("gpc", "stc", "bpm"), ...) {
  model <- check_choice(model, c("gpc", "stc", "bpm"), "model")
  args <- list(...)
  known <- names(candidate_formals(model))
  given <- rlang::names2(args)
  wrong <- setdiff(given, c(known, ""))
  twice <- unique(given[duplicated(given) & nzchar(given)])
  if (length(wrong) || any(!nzchar(given)) || length(twice)) {
    abort_sturdy(
      c(
        "Every argument of a candidate must be named, and be an argument of
         {.fn {model}}.",
        x = if (length(wrong)) "Unknown: {.arg {wrong}}.",
        x = if (any(!nzchar(given))) "An argument without a name is left over.",
        x = if (length(twice)) "Given twice: {.arg {twice}}.",
        i = "Known: {.arg {known}}."
      ),
      "unknown_argument", arg = wrong
    )
  }
  structure(list(model = model, args = args), class = "sturdy_candidate")
}

#' @rdname candidate
#' @export
default_candidates <- function() {
  list(
    gpc_0 = candidate("gpc", epsilon = 0),
    gpc = candidate("gpc"),
    gpc_2 = candidate("gpc", epsilon = "learn2"),
    gpc_iso = candidate("gpc", kernel = kernel_iso()),
    stc_3 = candidate("stc", df = 3),
    stc_10 = candidate("stc", df = 10),
    stc_30 = candidate("stc", df = 30),
    bpm = candidate("bpm")
  )
}

#' @export
format.sturdy_candidate <- function(x, ...) {
  value <- vapply(x$args, describe_argument, character(1))
  paste0(
    x$model, "(", paste(names(x$args), value, sep = " = ", collapse = ", "), ")"
  )
}

describe_argument <- function(value) {
  if (inherits(value, "sturdy_kernel")) {
    paste0("kernel_", value$type, "()")
  } else if (is.character(value) && length(value) == 1) {
    paste0("\"", value, "\"")
  } else if (is.atomic(value) && length(value) <= 3) {
    paste(format(value, digits = 3, trim = TRUE), collapse = ", ")
  } else {
    paste0("<", class(value)[1], ">")
  }
}

#' @export
print.sturdy_candidate <- function(x, ...) {
  cat("<sturdy_candidate> ", format(x), "\n", sep = "")
  invisible(x)
}

# Fitting one ---------------------------------------------------------------

#' Arguments of a model that a candidate may set, with their defaults
#' @noRd
candidate_formals <- function(model) {
  method <- switch(model, gpc = gpc.formula, stc = stc.formula, bpm = bpm.formula)
  not_its_own <- c("formula", "data", "...", "scale", "na.action")
  if (model == "bpm") not_its_own <- c(not_its_own, "inference")
  all <- formals(method)
  all[setdiff(names(all), not_its_own)]
}

#' The arguments of a candidate, those not given at the model's own defaults
#'
#' Defaults may speak of other arguments, so they are evaluated by a function that
#' has them for its own. Of a default with several choices the first counts.
#' @noRd
candidate_args <- function(candidate) {
  defaults <- candidate_formals(candidate$model)
  set <- switch(candidate$model, # what a candidate can't choose
    gpc = list(df = Inf), bpm = list(inference = "ep")
  )
  fill <- function() mget(names(formals(sys.function())))
  formals(fill) <- c(defaults, set)
  args <- do.call(fill, candidate$args, quote = TRUE)
  choices <- setdiff(names(defaults), names(candidate$args))
  args[choices] <- lapply(args[choices], function(value) {
    if (is.character(value)) value[1] else value
  })
  args$control <- candidate_control(args$control)
  args
}

#' The bar of select_model() is enough
#' @noRd
candidate_control <- function(control) {
  if (inherits(control, "sturdy_control")) control$progress <- FALSE
  control
}

#' Fit a candidate to molded data
#' @noRd
candidate_fit <- function(candidate, molded) {
  call <- rlang::current_env()
  args <- candidate_args(candidate)
  check_choice(args$criterion, c("evidence", "loo"), "criterion", call)
  spec_of <- if (candidate$model == "bpm") bpm_spec else gp_spec
  wanted <- intersect(names(formals(spec_of)), names(args))
  spec <- do.call(spec_of, c(args[wanted], list(call = call)), quote = TRUE)
  if (candidate$model == "bpm") {
    bpm_impl(molded, spec, call)
  } else {
    gp_impl(molded, spec, call, candidate$model)
  }
}

# Fitting one and telling how it went ---------------------------------------

#' What select_model() wants to know of a candidate, fitted wherever it runs
#'
#' Never signals, save interrupts.
#' @param integrate whether its evidence is integrated over the hyperparameters.
#' @return list(fit, facts): the model or `NULL`, and one row of the table.
#' @noRd
candidate_run <- function(candidate, molded, integrate = FALSE) {
  began <- proc.time()[["elapsed"]]
  warned <- character()
  run <- tryCatch(
    withCallingHandlers(
      {
        fit <- candidate_fit(candidate, molded)
        facts <- candidate_facts(fit, candidate, if (integrate) molded)
        list(fit = fit, facts = facts)
      },
      warning = function(cnd) {
        warned <<- c(warned, one_line(cnd))
        tryInvokeRestart("muffleWarning")
      },
      message = function(cnd) tryInvokeRestart("muffleMessage")
    ),
    error = function(cnd) candidate_failed(candidate, one_line(cnd))
  )
  run$facts$seconds <- proc.time()[["elapsed"]] - began
  if (run$facts$status != "failed") {
    run$facts$message <- paste(unique(warned), collapse = " ")
  }
  run
}

candidate_failed <- function(candidate, message) {
  facts <- candidate_row(candidate$model)
  facts$status <- "failed"
  facts$message <- message
  list(fit = NULL, facts = facts)
}

#' A row of the table before anything is known
#' @noRd
candidate_row <- function(model) {
  data.frame(
    model = model, df = NA_real_, epsilon = NA_real_, epsilon_neg = NA_real_,
    epsilon_pos = NA_real_, learned = NA_integer_, log_integrated = NA_real_,
    log_evidence = NA_real_, log_evidence_tep = NA_real_, loo = NA_real_,
    loo_se = NA_real_,
    seconds = NA_real_, status = NA_character_, message = ""
  )
}

#' @param molded the rows, to integrate over the hyperparameters; `NULL`: do not.
#' @noRd
candidate_facts <- function(fit, candidate, molded = NULL) {
  facts <- candidate_row(candidate$model)
  rates <- rep_len(unname(fit$epsilon), 2)
  facts$df <- fit$df
  facts$epsilon <- mean(rates)
  facts$epsilon_neg <- rates[1]
  facts$epsilon_pos <- rates[2]
  facts$learned <- sum(learned(fit))
  facts$status <- fit$ep$status
  if (!has_posterior(fit)) {
    return(facts)
  }
  facts$loo <- sum(fit$ep$loo)
  facts$loo_se <- se_sum(fit$ep$loo)
  facts$log_evidence <- comparable_evidence(fit)
  if (!is.null(molded) && facts$status == "converged") {
    # what goes wrong here must not cost the fit
    facts$log_integrated <- tryCatch(
      integrated_of(fit, molded),
      error = function(cnd) {
        warn_sturdy("Not integrated: {one_line(cnd)}", "not_integrated")
        NA_real_
      }
    )
  }
  if (is.finite(fit$df)) facts$log_evidence_tep <- fit$ep$log_evidence
  facts
}

#' Gaussian EP evidence at the kernel of a fit, `NA` where a further fit for it did
#' not converge
#' @noRd
comparable_evidence <- function(fit) {
  converged <- TRUE
  value <- withCallingHandlers(
    gaussian_evidence(fit),
    sturdy_warning_not_converged = function(cnd) converged <<- FALSE
  )
  if (converged) value else NA_real_
}

#' What a condition says in one line, without bullets and colours, so that it does
#' not hang on the settings of the session that signals it
#' @noRd
one_line <- function(cnd) {
  message <- cli::ansi_strip(rlang::cnd_header(cnd))
  bullets <- "\n *[ix*!\u2139\u2716\u2022] .*"
  trimws(gsub("[[:space:]]+", " ", sub(bullets, "", message)))
}
