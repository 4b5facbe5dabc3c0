# The later parts of a report: calibration, what to check next, how the fit went.

report_calibration <- function(object) {
  x <- calibration(object)
  bins <- x$bins
  several <- inherits(object, "gpc_classes")
  inside <- sum(bins$lower <= bins$predicted & bins$predicted <= bins$upper)
  list(calibration = c(
    html_p(
      "Each row is predicted from all others. Among rows with a probability of about 0.8 the ",
      if (several) "class" else paste0("event, ", x$levels[2], ","), " should have been recorded in ",
      "about 80 %. The probabilities are those of the recorded label, errors included. On ",
      "average they differ from the frequencies by ",
      format(x$error, digits = 2), "; ", inside, " of ", nrow(bins), " intervals (",
      format(100 * x$level), " %) hold the probability."
    ),
    tag(
      "figure",
      svg_picture(
        picture_calibration(x), "Reliability curve: frequency against probability", height = 360
      ),
      tag("figcaption", "Bars: intervals of the frequencies. Dashes: perfect calibration.")
    )
  ))
}

report_next <- function(object, found, n, level) {
  list <- review(object, n = n, level = level)
  left <- attr(list, "left")
  number <- function(v) format(signif(v, 2))
  code <- c(
    paste0(
      "checked <- data.frame(  # the labels as the records say\n  row = c(",
      toString(utils::head(list$row, 3)), "),\n  label = c(",
      toString(encodeString(as.character(utils::head(list$suggested, 3)), quote = "\"")), ")\n)\n"
    ),
    "fit <- update(fit, checked = checked)\nlabel_report(fit, \"report.html\")"
  )
  list(review = c(
    html_p(
      "Checking the ", count(nrow(list), "row"), " of the list is expected to find ",
      number(sum(list$probability)), " wrong labels. Among the other ",
      whole(attr(list, "unchecked")), " rows ", number(left$count), " would then remain (",
      format(100 * left$level), " % interval ", left$lower, " to ", left$upper,
      "); that none remains has the probability ", number(attr(list, "none_left")), "."
    ),
    html_p(
      "Take the answers in, right and wrong ones: the labels that were checked are trusted from ",
      "then on, and the probabilities of the others follow. Stop when the next checks are not worth ",
      "what they are expected to find."
    ),
    tag("pre", tag("code", html_text(paste(code, collapse = ""))))
  ))
}

report_end <- function(object) {
  how <- ep_diagnostics(object)
  sentences <- c(how$happened, how$means, how$do)
  list(
    trust = tag("ul", vapply(sentences, function(s) tag("li", html_text(s)), "")),
    footer = html_text(paste0(
      "Made by sturdy ", utils::packageVersion("sturdy"), ", ", R.version.string, ", ",
      format(Sys.time(), "%Y-%m-%d"), "."
    ))
  )
}
