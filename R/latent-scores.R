# Out-of-sample scores of any classifier: the true class of a row follows its scores, recalibrated
# [M 15.1]. The likelihood is exact; there is no EP.

#' @param S log scores, n x C. @param labels see row_labels(). @param recalibration see
#'   new_recalibration().
#' @return a latent; `b` of its native result are the C log weights and the slope.
#' @noRd
latent_scores <- function(S, labels, recalibration) {
  n <- nrow(S)
  none <- list(tau = numeric(), nu = numeric())
  new_latent(
    n = n, columns = ncol(S), classes = ncol(S), y = labels$y, reports = labels$reports,
    hyper = recalibration[c("weight", "slope")], free = recalibration$free,
    prior = recalibration$prior, least = list(), coarse = NULL, second = FALSE, exact = TRUE,
    Z = NULL, places = FALSE,
    some = function(k) {
      # spread over the table, but for tables in which classes take turns
      rows <- sort(order(golden_share(seq_len(n)))[seq_len(k)])
      given <- list(y = labels$y[rows], reports = reports_of(labels$reports, rows))
      latent_scores(S[rows, , drop = FALSE], given, recalibration)
    },
    again = NULL, project = NULL, predict = NULL,
    constant = if (ncol(S) <= classes_most) function(m) { # as many as constant_shares() takes
      log_share <- if (length(m) == 1) {
        stats::pnorm(c(-m, m), log.p = TRUE)
      } else {
        drop(constant_shares(rbind(m)))
      }
      shift <- log_share - log_share[1]
      weight <- recalibration$weight
      weight[] <- exp(shift[-1])
      list(hyper = list(weight = weight, slope = 0), b = c(shift, 0), extra = NULL)
    },
    native = function(hyper, df, L, sites, control, criterion = "none", gradient = FALSE,
                      progress = NULL) {
      shift <- c(0, log(hyper$weight))
      out <- native_scores(S, shift, hyper$slope, L, gradient, labels$reports$times)
      lost <- !is.finite(out$log_evidence)
      out$status <- ep_codes[[if (lost) "improper" else "converged"]]
      out$gradient_status <- if (gradient) 0L else NA_integer_
      out["gradient"] <- list(if (gradient) {
        list(weight = out$gradient[2:ncol(S)], slope = hyper$slope * out$gradient[ncol(S) + 1])
      })
      c(out, list(
        value = out$log_evidence, sites = none, residual = 0, sweeps = 0L, skipped = 0L,
        b = c(shift, hyper$slope), extra = NULL, second = 0
      ))
    }
  )
}
