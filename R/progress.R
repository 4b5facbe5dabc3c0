# How far a long call has come and how long it may still take: one meter for all of them.
#
# `progress` is TRUE, FALSE or NA: a bar, nothing, or, the default, a bar in interactive
# sessions; in others the signals of progressr, where they are heard, or else a line on
# standard error after 10 s, 20 s, 40 s and so on. Whatever is not silent also signals
# conditions of class "sturdy_progress", with what the line says as numbers.

#' A meter of a long call
#'
#' Nothing is shown of calls that end within two seconds (`cli.progress_show_after`), or
#' are about to.
#'
#' Steps that follow each other faster than cli's ticks (`cli.tick_time`) are not looked
#' at: their `words` are never made.
#'
#' @param what is being done, as "Learning". @param progress see above.
#' @param frame whose end ends what is shown.
#' @return a function of `done` and `total` (`NA` where that is unknown), in any unit,
#'   `words` (what is counted: "some 20 fits of 1,000 rows"), and `left`, the seconds
#'   that are left where these are known better than by proportion.
#' @noRd
progress_meter <- function(what, progress, frame = rlang::caller_env()) {
  if (is.list(progress)) { # part of a longer call, see learn_work()
    return(progress$pulse)
  }
  if (isFALSE(progress)) {
    return(function(done, total, words, left = NULL) NULL)
  }
  force(what)
  force(frame) # while its caller is there to be found
  started <- seconds_now()
  last <- started
  pause <- getOption("cli.tick_time", 200) / 1000
  show <- NULL
  function(done, total, words, left = NULL) {
    now <- seconds_now()
    if (now - last < pause) {
      return()
    }
    last <<- now
    elapsed <- now - started
    if (is.null(left)) left <- if (done > 0) elapsed * (total - done) / done else NA
    signalCondition(structure(
      class = c("sturdy_progress", "condition"),
      list(
        message = words, call = NULL, what = what, done = done, total = total,
        elapsed = elapsed, left = left
      )
    ))
    if (is.null(show) && is_long(elapsed, left)) show <<- progress_display(what, progress, frame)
    if (!is.null(show)) {
      show(elapsed / (elapsed + left), progress_line(words, elapsed, left), elapsed)
    }
  }
}

seconds_now <- function() proc.time()[["elapsed"]]

is_long <- function(elapsed, left) {
  after <- getOption("cli.progress_show_after", 2)
  elapsed >= after || (elapsed >= after / 4 && isTRUE(elapsed + left >= 2 * after))
}

progress_line <- function(words, elapsed, left) {
  if (is.na(left)) {
    paste0(words, ", ", rough_time(elapsed), " so far")
  } else paste0("about ", rough_time(elapsed + left), ", ", rough_time(left), " left: ", words)
}

#' Seconds as people say them
#' @noRd
rough_time <- function(seconds) {
  if (seconds < 100) {
    paste(max(1, round(seconds)), "s")
  } else if (seconds < 6000) {
    paste(round(seconds / 60), "min")
  } else {
    paste(format(seconds / 3600, digits = 2), "h")
  }
}

#' What shows a share (`NA`: unknown) and a line after so many seconds
#' @noRd
progress_display <- function(what, progress, frame) {
  if (isTRUE(progress) || interactive()) {
    cli_display(what, frame)
  } else if (progressr_is_heard() && !identical(frame, globalenv())) {
    progressr_display(what, frame)
  } else {
    line_display(what)
  }
}

# In scripts it does nothing unless it is asked to
progressr_is_heard <- function() {
  rlang::is_installed("progressr") && isTRUE(getOption("progressr.enable", interactive()))
}

progress_line_after <- 10 # seconds

#' A line now and then, for the log of a script; a document that is knitted has none
#' @noRd
line_display <- function(what) {
  next_at <- progress_line_after
  function(share, line, elapsed) {
    if (elapsed >= next_at) {
      cat("sturdy: ", what, ", ", line, "\n", sep = "", file = stderr())
      next_at <<- next_at * 2^ceiling(log2((elapsed + 1) / next_at))
    }
  }
}

cli_display <- function(what, frame) {
  rlang::local_options(cli.progress_show_after = 0) # it has waited long enough
  id <- cli::cli_progress_bar(
    format = "{cli::pb_spin} {cli::pb_extra$what}{cli::pb_extra$bar}: {cli::pb_extra$line}",
    total = NA, extra = list(what = what, bar = "", line = ""), .envir = frame
  )
  function(share, line, elapsed) {
    extra <- list(what = what, bar = drawn_bar(share), line = line)
    cli::cli_progress_update(extra = extra, id = id, force = TRUE)
  }
}

drawn_bar <- function(share, width = 10) {
  if (is.na(share)) {
    return("")
  }
  full <- round(width * share)
  signs <- if (cli::is_utf8_output()) c("\u25a0", "\u00b7") else c("=", "-")
  paste0(" ", strrep(signs[1], full), strrep(signs[2], width - full))
}

#' Per cents, for its steps are counted ahead
#' @noRd
progressr_display <- function(what, frame) {
  step <- progressr::progressor(steps = 100, label = what, envir = frame)
  shown <- 0
  function(share, line, elapsed) {
    percent <- if (is.na(share)) shown else max(shown, floor(100 * share))
    step(amount = percent - shown, message = paste0(what, ": ", line))
    shown <<- percent
  }
}
