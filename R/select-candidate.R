# A candidate of select_model() is a spec; here it is fitted, and how it went is told.

#' Candidates for model selection
#'
#' `candidate()` makes a candidate from a model and the arguments to fit it with;
#' `default_candidates()` returns the list that [select_model()] uses by default.
#'
#' @details
#' The default candidates are [gpc()] with `epsilon` held at 0, as it is by default, and with one
#' lengthscale for all columns (where that is not the default, see `kernel` in [gpc()]); and [bpm()].
#' By `"evidence"` and `"loo"` [stc()] with 3, 10 and 30 degrees of freedom come to these. By
#' the integrated evidence an [stc()] is the [gpc()] with the same kernel (see
#' [select_model()]), and would only be listed a second time. The list can be changed like any
#' list, and kernels with other priors or fixed values make further candidates.
#'
#' @param model `"gpc"`, the default, `"stc"` or `"bpm"`.
#' @param classes How many classes there are (2 by default). For more than two the candidates
#'   are [gpc()] with `epsilon` 0, one rate, a noise matrix, one lengthscale, and a kernel for
#'   each class.
#' @param criterion What they will be compared by, as in [select_model()]:
#'   `"integrated"`, the default, `"evidence"` or `"loo"`.
#' @param ... Named arguments of [gpc_spec()], [stc_spec()] or [bpm_spec()]: `kernel`,
#'   `epsilon`, `criterion` and so on.
#' @return `candidate()` returns what [gpc_spec()], [stc_spec()] or [bpm_spec()] returns for
#'   the arguments. `default_candidates()` returns a named list: of four candidates, of seven
#'   for two classes by `"evidence"` or `"loo"`, or of five for more classes.
#' @section Conditions:
#' `sturdy_error_unknown_argument` for an argument that the model does not have, and those of [gpc()] for a wrong value.
#' @seealso [select_model()]
#' @export
#' @examples
#' candidate("gpc", kernel = kernel_iso(), epsilon = 0.05)
#' candidates <- default_candidates()
#' names(candidates)
#' candidates$stc_5 <- candidate("stc", df = 5)
candidate <- function(model = c("gpc", "stc", "bpm"), ...) {
  model <- check_choice(model, c("gpc", "stc", "bpm"), "model")
  spec_constructor(model)(...)
}

#' @rdname candidate
#' @export
default_candidates <- function(classes = 2, criterion = c("integrated", "evidence", "loo")) {
  classes <- check_count(classes, "classes", min = 2, max = classes_most)
  criterion <- check_choice(criterion, c("integrated", "evidence", "loo"), "criterion")
  none <- candidate("gpc", epsilon = 0)
  iso <- candidate("gpc", kernel = kernel_iso())
  if (classes > 2) {
    return(list(
      gpc_0 = none, gpc_1 = candidate("gpc", epsilon = "learn"),
      gpc_matrix = candidate("gpc", epsilon = "matrix"), gpc_iso = iso,
      gpc_own = candidate("gpc", kernel = kernel_iso(), kernels = "per class")
    ))
  }
  df <- if (criterion != "integrated") c(stc_3 = 3, stc_10 = 10, stc_30 = 30)
  stc <- lapply(df, function(df) candidate("stc", df = df))
  c(list(gpc_0 = none, gpc = candidate("gpc"), gpc_iso = iso), stc, list(bpm = candidate("bpm")))
}

# Fitting one and telling how it went ---------------------------------------

#' Fit a candidate and say how it went; nothing is signalled
#'
#' @param spec a spec. @param molded molded data, scaled as the spec wants.
#' @param integrate whether its evidence is integrated over the hyperparameters.
#' @return list(fit, facts), `fit` being `NULL` when it failed.
#' @noRd
candidate_run <- function(spec, molded, integrate = FALSE) {
  began <- seconds_now()
  said <- character()
  asked <- spec$control$progress
  spec$control$progress <- FALSE # the candidates have a line of their own
  run <- tryCatch(
    withCallingHandlers(
      {
        fit <- fit_spec(spec, molded)
        fit$spec$control$progress <- asked
        list(fit = fit, facts = candidate_facts(spec, fit, integrate))
      },
      warning = function(cnd) {
        said <<- c(said, one_line(cnd))
        tryInvokeRestart("muffleWarning")
      },
      message = function(cnd) tryInvokeRestart("muffleMessage")
    ),
    error = function(cnd) {
      said <<- one_line(cnd)
      list(fit = NULL, facts = candidate_facts(spec))
    }
  )
  run$facts$seconds <- seconds_now() - began
  run$facts$message <- paste(unique(said), collapse = " ")
  run
}

#' A row of the table: `NA` where the candidate has no such value, or no fit
#' @noRd
candidate_facts <- function(spec, fit = NULL, integrate = FALSE) {
  fitted <- !is.null(fit)
  status <- if (fitted) fit$ep$status else "failed"
  posterior <- fitted && has_posterior(fit)
  where <- function(known, value) if (known) value else NA_real_
  each <- where(fitted, unname(fit$epsilon)) # of several classes one of each, or one
  rates <- if (length(each) > 2) c(NA_real_, NA_real_) else rep_len(each, 2)
  evidence <- where(posterior, comparable_evidence(fit))
  integrated <- where(posterior && integrate && status == "converged", integrated_or_not(fit))
  data.frame(
    model = spec_model(spec), df = where(fitted, fit$spec$df), epsilon = mean(each),
    epsilon_neg = rates[1], epsilon_pos = rates[2],
    learned = as.integer(where(fitted, sum(learned(fit)))),
    log_integrated = integrated,
    corrected = if (is.finite(integrated)) is_corrected(fit) else NA,
    log_evidence = evidence,
    log_evidence_tep = where(posterior && is.finite(fit$spec$df), fit$ep$log_evidence),
    loo = where(posterior, sum(row_loo(fit))), loo_se = where(posterior, se_sum(row_loo(fit))),
    seconds = NA_real_, status = status, message = ""
  )
}

#' What goes wrong here must not cost the fit
#' @noRd
integrated_or_not <- function(fit) {
  tryCatch(integrated_of(fit), error = function(cnd) {
    warn_sturdy("The evidence can't be integrated: {one_line(cnd)}", "not_integrated")
    NA_real_
  })
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
