#' What happened in a fit, what it means and what to do
#'
#' Puts the state of EP and of learning into words.
#'
#' @param object A model fitted by [gpc()], [stc()] or [bpm()], or the result of
#'   [ep_fit()].
#' @param ... Not used.
#' @return A list of class `ep_diagnostics`: `status`; `happened`, `means` and `do`,
#'   character vectors of sentences; and the numbers behind them, `residual` (the
#'   largest), `sweeps`, `skipped`, `negative_sites` (sites with negative
#'   precision: labels that the other rows contradict), `on_bound`. Its print
#'   method shows the sentences.
#'
#' @section Statuses:
#' * `converged`: a fixed point was reached within the tolerance.
#' * `max_sweeps`: the sweeps ran out first.
#' * `sites_skipped`: the last sweep left out sites whose cavity was improper.
#' * `stalled`: the residual stopped falling above the tolerance.
#' * `no_fixed_point`: no fixed point was found, nor one that could be followed
#'   from a larger `df` or `epsilon`; for t-EP there may be none.
#' * `not_positive_definite`: the posterior could not be factorised.
#' * `improper`: the starting sites leave no proper cavity.
#' * `filtered`: there is no EP to diagnose, a [bpm()] has absorbed the rows by ADF.
#' @seealso [ep_control()], [stc()]
#' @export
#' @examples
#' fit <- gpc(matrix(c(-2, -1, 1, 2)), c(0, 0, 1, 1), epsilon = 0.05)
#' ep_diagnostics(fit)
ep_diagnostics <- function(object, ...) {
  UseMethod("ep_diagnostics")
}

#' @rdname ep_diagnostics
#' @export
ep_diagnostics.sturdy_model <- function(object, ...) {
  check_no_dots(...)
  filtered <- is.null(object$ep)
  report <- if (filtered) {
    diagnose_adf(object)
  } else {
    diagnose_ep(object$ep, inherits(object, "bpm"))
  }
  learning <- diagnose_learning(object)
  structure(
    c(
      list(
        status = if (filtered) "filtered" else object$ep$status,
        happened = c(report$happened, learning$happened),
        means = c(report$means, learning$means),
        do = c(report$do, learning$do)
      ),
      report$numbers,
      list(on_bound = object$learning$on_bound)
    ),
    class = "ep_diagnostics"
  )
}

#' @rdname ep_diagnostics
#' @export
ep_diagnostics.sturdy_ep <- function(object, ...) {
  check_no_dots(...)
  report <- diagnose_ep(object)
  structure(
    c(
      list(
        status = object$status, happened = report$happened,
        means = report$means, do = report$do
      ),
      report$numbers
    ),
    class = "ep_diagnostics"
  )
}

diagnose_ep <- function(ep, weights = FALSE) {
  numbers <- list(
    residual = if (length(ep$residual)) max(ep$residual) else NA_real_,
    sweeps = ep$sweeps,
    skipped = ep$skipped,
    negative_sites = sum(ep$sites$tau < 0, na.rm = TRUE)
  )
  words <- status_words(ep$status, weights)
  happened <- c(
    ep$message,
    if (numbers$negative_sites > 0) {
      paste0(
        "Sites with a negative precision: ", numbers$negative_sites, " of ",
        length(ep$sites$tau), "."
      )
    }
  )
  means <- c(
    words$means,
    if (numbers$negative_sites > 0) {
      paste(
        "A negative precision marks a label that the other rows contradict;",
        "it is in order."
      )
    }
  )
  list(happened = happened, means = means, do = words$do, numbers = numbers)
}

# What each status means and what to do about it.
status_table <- list(
  converged = list(
    means = "The results are those of an EP fixed point.",
    do = NULL
  ),
  max_sweeps = list(
    means = paste(
      "The results are those of the last sweep; probabilities are usually",
      "close already when the residual is below 1e-3."
    ),
    do = c(
      "Allow more sweeps: ep_control(max_sweeps = 1000).",
      "When the residual goes up and down, damp: ep_control(damping = 0.5)."
    )
  ),
  sites_skipped = list(
    means = paste(
      "Some rows did not take part in the last sweep: do not trust evidence",
      "or probabilities to more than a rough picture."
    ),
    do = c(
      "Damp more: ep_control(damping = 0.3, max_sweeps = 1000).",
      "Allow more label noise (a larger epsilon) or a larger nugget.",
      "In stc(), use a larger df."
    )
  ),
  stalled = list(
    means = paste(
      "The residual stopped falling before the tolerance was reached: EP",
      "goes in circles, or rounding limits it. Below 1e-6 the results are",
      "good; above, do not trust them to more than a rough picture."
    ),
    do = c(
      "Damp more: ep_control(damping = 0.3, max_sweeps = 1000).",
      "Allow more label noise (a larger epsilon) or a larger nugget."
    )
  ),
  no_fixed_point = list(
    means = paste(
      "No fixed point was found, also not along a path from a larger df or",
      "more label noise; there may be none. The numbers shown are not those",
      "of a posterior."
    ),
    do = c(
      "Allow more label noise (a larger epsilon) or a larger nugget.",
      "In stc(), use a larger df; or use gpc()."
    )
  ),
  not_positive_definite = list(
    means = paste(
      "There is no posterior: the kernel matrix and the sites together are",
      "not positive definite in floating-point numbers."
    ),
    do = c(
      "Add a nugget: kernel_ard(nugget = 1e-6).",
      "For ep_fit(), check that K is positive semidefinite."
    )
  ),
  improper = list(
    means = paste(
      "There is no posterior: the sites given to start from are not",
      "compatible with the kernel matrix."
    ),
    do = "Start without sites: sites = NULL."
  )
)

# What to do instead where the latent function is linear: no kernel, no nugget.
weight_advice <- local({
  noise <- c(
    "Allow more label noise (a larger epsilon).",
    paste(
      "Where the labels change over gradually from class to class instead of at",
      "a boundary, many rows and few weights leave EP without a fixed point:",
      "use inference = \"adf\", or gpc() with a nugget on a sample."
    )
  )
  list(
    sites_skipped = c(
      "Damp more: ep_control(damping = 0.3, max_sweeps = 1000).", noise
    ),
    stalled = c(
      "Damp more: ep_control(damping = 0.3, max_sweeps = 1000).", noise
    ),
    no_fixed_point = c(noise, "Use a larger df."),
    not_positive_definite = paste(
      "Scale the inputs (scale = TRUE), or use prior scales of a similar size."
    )
  )
})

status_words <- function(status, weights = FALSE) {
  if (status %in% names(status_table)) {
    words <- status_table[[status]]
    if (weights) {
      words$means <- sub("kernel matrix", "prior of the weights", words$means)
    }
    if (weights && status %in% names(weight_advice)) {
      words$do <- weight_advice[[status]]
    }
    return(words)
  }
  list(
    means = "The status is not one this version knows.",
    do = "Please report it."
  )
}

diagnose_learning <- function(object) {
  learning <- object$learning
  if (is.null(learning)) {
    return(NULL)
  }
  bounds <- learning$on_bound
  failed <- learning$convergence != 0
  lost <- isFALSE(learning$cold_start)
  list(
    happened = c(
      paste0(
        "Learned ", count(sum(learned(object)), "hyperparameter"), " by ",
        object$criterion, " from ", count(NROW(learning$starts), "start"), "."
      ),
      if (failed) paste0("The search stopped early: ", learning$message, "."),
      if (lost) {
        "EP from a cold start does not reach the value found while learning."
      },
      if (length(bounds)) {
        paste0("On a bound of the search: ", name_some(bounds), ".")
      }
    ),
    means = c(
      if (failed) "A better optimum may be near.",
      if (lost) {
        paste(
          "EP has several fixed points at these hyperparameters, or none: do",
          "not rely on the optimum."
        )
      },
      bound_words(bounds, hyperparameters(object))
    ),
    do = c(
      if (failed) "Fit again with more starts: ep_control(restarts = 5).",
      if (lost) {
        "Hold the nugget or epsilon at a larger value, or use a stronger prior."
      }
    )
  )
}

#' What a hyperparameter on a bound means, by the end it lies at
#' @noRd
bound_words <- function(bounds, values) {
  kind <- sub("[.].*", "", bounds)
  high <- values[bounds] > ifelse(kind == "epsilon", 0.25, 1)
  any_at <- function(kinds, end) any(kind %in% kinds & high == end)
  c(
    if (any_at("lengthscale", TRUE)) {
      "A lengthscale on its upper bound: the column has no influence."
    },
    if (any_at("prior_scale", FALSE)) {
      "A prior scale on its lower bound: the column has no influence."
    },
    if (any_at("prior_scale", TRUE)) {
      paste(
        "A prior scale on its upper bound: the column outweighs the intercept",
        "and the others by far."
      )
    },
    if (any_at("lengthscale", FALSE)) {
      paste(
        "A lengthscale on its lower bound: rows tell nothing about each other",
        "along the column."
      )
    },
    if (any_at(c("bias", "nugget", "epsilon"), FALSE)) {
      "A bias, nugget or epsilon on its lower bound: the data ask for none."
    },
    if (any_at("epsilon", TRUE)) {
      "epsilon near 1/2: to this model the labels look like coin tosses."
    },
    if (any_at(c("bias", "nugget"), TRUE)) {
      "A bias or nugget on its upper bound: the inputs explain next to nothing."
    }
  )
}

#' @export
print.ep_diagnostics <- function(x, ...) {
  show <- function(title, sentences) {
    if (length(sentences)) {
      cat(title, "\n", sep = "")
      lines <- strwrap(sentences, width = 76, indent = 2, exdent = 4)
      cat(paste0(lines, "\n"), sep = "")
    }
  }
  show("What happened", x$happened)
  show("What it means", x$means)
  show("What to do", if (length(x$do)) x$do else "Nothing.")
  invisible(x)
}
