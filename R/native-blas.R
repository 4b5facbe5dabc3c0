# What does the dense algebra: the kernels of this package or R's BLAS, on how
# many threads. Options choose it; what is in use stays in C (src/glue-dense.c) until
# they change. Which of both is faster is never tried: on a busy machine a trial ends now
# so, now otherwise, and a BLAS with threads has other last digits from run to run.

# `asked`: the options when the engine was last chosen; `threads`: what the trial chose;
# `again`: when it is to be repeated. What a session remembers of its machine, nothing of
# its data.
blas_state <- new.env(parent = emptyenv())

# Around the .Call() of a routine of dense algebra: it is made, being a promise, when
# the options have been looked at.
with_blas <- function(call) {
  use_blas()
  if (!isTRUE(blas_state$threads > 1) || !is.null(blas_state$asked$threads)) {
    return(call)
  }
  before <- proc.time()
  value <- call
  watch_threads(proc.time() - before)
  value
}

# Threads wait for each other, on a busy machine for most of the time. Where a call had
# less than one processor all the time, others need them: one thread does for a minute.
watch_threads <- function(spent) {
  elapsed <- spent[["elapsed"]]
  if (elapsed > 0.2 && sum(spent[1:2]) < 0.9 * elapsed) {
    blas_state$threads <- 1L
    blas_state$again <- seconds_now() + 60
    blas_state$asked <- NULL
  }
}

use_blas <- function() {
  asked <- list(blas = getOption("sturdy.blas", "own"), threads = getOption("sturdy.threads"))
  if (!is.null(blas_state$again) && seconds_now() > blas_state$again) {
    blas_state$again <- blas_state$threads <- blas_state$asked <- NULL
  }
  if (identical(asked, blas_state$asked)) return(invisible())
  check_blas_options(asked)
  blas_state$asked <- NULL # a trial that is interrupted leaves nothing chosen
  use_variant(chosen_variant(asked$blas), chosen_threads(asked$threads))
  blas_state$asked <- asked
  invisible()
}

check_blas_options <- function(asked) {
  threads <- asked$threads
  must(
    is_one_of(asked$blas, c("own", "r")), "sturdy.blas", "be {.val own} or {.val r}", "option",
    got = asked$blas, of = "Option {.code {arg}}"
  )
  must(
    is.null(threads) || is_number(threads) && threads %in% 1:1024, "sturdy.threads",
    "be a whole number from 1 to 1024", "option", got = threads, of = "Option {.code {arg}}"
  )
}

variant_names <- function() .Call(C_dense_names)

widest_variant <- function() length(variant_names())

# `variant`: 0 for R's BLAS
use_variant <- function(variant, threads) {
  refuse(!.Call(C_dense_use, as.integer(variant), as.integer(threads)), c(
    "There is no memory for {threads} thread{?s} of the dense kernels.",
    i = "They need 1 MB, and 0.2 MB a thread: see {.help sturdy-blas}."
  ), "memory")
}

# Operations a second at size n, of the first `few` of update, factor, solve, product
variant_speed <- function(variant, threads, n, few = 4L) {
  use_variant(variant, threads)
  speed <- .Call(C_dense_speed, as.integer(n), few)
  stats::setNames(speed, c("update", "factor", "solve", "product")[seq_len(few)])
}

# 0 for R's BLAS, or the widest of ours
chosen_variant <- function(asked) if (asked == "r") 0L else widest_variant()

# A number asked for is taken, but packages under check may use two cores. Otherwise
# two, where a trial shows that the second one is there: where another process keeps
# it busy, threads wait for each other and two are slower than one.
chosen_threads <- function(asked) {
  if (!is.null(asked)) {
    limited <- !tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_")) %in% c("", "false")
    return(as.integer(if (limited) min(asked, 2) else asked))
  }
  if (is.null(blas_state$threads)) {
    speed <- function(threads) variant_speed(widest_variant(), threads, 1000, few = 1L)
    most <- .Call(C_dense_threads)
    blas_state$threads <- if (most > 1 && speed(most) > 1.3 * speed(1L)) most else 1L
  }
  blas_state$threads
}

#' The options under which another session has the kernels and threads of this one
#' @noRd
blas_in_use <- function() {
  use_blas()
  list(
    sturdy.blas = getOption("sturdy.blas", "own"),
    sturdy.threads = chosen_threads(getOption("sturdy.threads"))
  )
}

#' What does the dense algebra
#'
#' A fit of [gpc()] or [stc()] is products, triangular solves and Cholesky factors of
#' n x n matrices. R's own BLAS, the one of many installations, does them at a
#' fraction of what the processor can; sturdy brings kernels of its own, in plain C for
#' vector registers of 128, 256 or 512 bits, and uses the widest that the processor
#' has.
#'
#' @section Options:
#' * `options(sturdy.blas = "own")`, the default, takes the own kernels, the widest that the
#'   processor has; `"r"` takes R's BLAS, which may be worth it for thousands of rows with
#'   `inducing = NULL` where a BLAS made for the machine has many processors.
#' * `options(sturdy.threads = )`: threads, which with the own kernels share the fits that an
#'   average over nodes consists of, each working on one alone; and of single products and
#'   covariance functions where these are large. The default is 2 where a trial, of some ten
#'   milliseconds too, finds two faster than one; fewer where the processors of this process,
#'   `OMP_NUM_THREADS` or `OMP_THREAD_LIMIT` allow fewer; and always 1 in forked
#'   processes and where R was built without OpenMP. Under `R CMD check`
#'   (`_R_CHECK_LIMIT_CORES_`) it is never more than 2. A threaded BLAS of R's has its
#'   own settings. When calls turn out to have less than one processor to themselves, one
#'   thread is used for a minute.
#'
#' With the own kernels a fit is the same to the last bit for any number of threads,
#' and from one run to the next on one machine. Between the own kernels and a BLAS,
#' and between processors, results agree to rounding.
#'
#' An option of another value is an error of class `sturdy_error_option` at the next
#' fit. The kernels keep 1 MB, and 0.2 MB a thread, and fits of up to 16 MB the memory they have
#' worked in; without the memory of the kernels the error is of class `sturdy_error_memory`.
#'
#' @name sturdy-blas
#' @aliases sturdy.blas sturdy.threads
NULL
