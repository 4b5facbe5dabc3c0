# What is said of wrong labels, in the same few lines wherever it is said: in print() of a fit, in
# mislabelled(), noise_test() and the report. A line answers the question that is its name.

verdict_kinds <- c("no sign", "open", "probable", "wrong")
verdict_called <- c("probable", "wrong") # rows are called wrong

verdict_sentences <- c(
  "no sign" = "no sign of wrong labels", open = "these data can't tell wrong labels from overlap",
  probable = "some labels are probably wrong", wrong = "some labels are wrong",
  curve = "a curved boundary explains the labels better than wrong ones",
  blind = "the inputs say next to nothing of the classes, and so of wrong labels",
  unusual = "some labels contradict their rows, and are wrong or the rows are unusual",
  scores = "the scores can't tell wrong labels from their own errors",
  settled = "every label is known to be right"
)

#' Which verdict it is, by what noise_statement() has found
#'
#' - `curve`: a linear boundary was held against a curved one, which fits better without wrong labels;
#' - `blind`: the inputs do not predict the labels better than the shares of the classes do;
#' - by the Bayes factor for some wrong labels one of verdict_kinds; where that does not speak for them,
#'   `scores`: scores of a classifier would leave more labels wrong if they hardly erred, see
#'   scores_hide(); and `unusual`: without unusual rows it does speak for them.
#' @noRd
verdict_kind <- function(factor, curve = NA, plain = NA, blind = FALSE, hides = FALSE) {
  if (isTRUE(curve < verdict_limits[1])) {
    return("curve")
  }
  if (blind) {
    return("blind")
  }
  kind <- verdict_kinds[findInterval(factor, verdict_limits, left.open = TRUE) + 1]
  if (kind %in% verdict_called) {
    kind
  } else if (hides) {
    "scores"
  } else if (isTRUE(plain > verdict_limits[2])) "unusual" else kind
}

#' May rows be called wrong?
#' @noRd
is_called <- function(test) test$kind %in% verdict_called

#' The verdict: whether labels are wrong and what to do, how many, and whether wrong labels would
#' show
#' @param test see noise_statement(). @param most letters that names of classes may have.
#' @noRd
verdict_lines <- function(test, digits = 2, most = Inf) {
  c(
    "Wrong labels?" = verdict_line(test), "How many?" = count_line(test, digits),
    "What next?" = next_line(test),
    "Could hide?" = if (test$kind %in% c("no sign", "open")) {
      noticed_line(test$noticed, most)
    }
  )
}

checks_first <- 20L # rows that are checked before the fit is asked again

#' What a check of the most suspicious rows is expected to find, and to leave
#' @param p probabilities that labels are wrong, the most suspicious first. @param expected of all.
#' @noRd
first_checks <- function(p, expected, rows = checks_first) {
  p <- p[p > 0] # others are known
  found <- sum(utils::head(p, rows))
  list(rows = min(rows, length(p)), found = found, left = max(expected - found, 0))
}

#' @param first see first_checks(). @return `NULL` where nothing would be found.
#' @noRd
next_words <- function(first) {
  if (isTRUE(first$found >= 0.05)) {
    number <- function(v) count_text(if (v < 1) round(v, 1) else v, 1)
    found <- number(first$found)
    paste0(
      "Check the first ", whole(first$rows), ": ", found, if (found == "1") " wrong label" else " wrong labels",
      " expected, ", number(first$left), " would remain."
    )
  }
}

#' What to do about it, where there is something
#' @noRd
next_line <- function(test) {
  idle <- isTRUE(test$settled) || isTRUE(test$readers) || test$kind %in% c("curve", "blind") ||
    test$kind == "no sign" && would_show(test$noticed)
  if (!idle) next_words(test$first)
}

verdict_line <- function(test) {
  if (isTRUE(test$settled)) {
    return("No: every label is known to be right. Nothing to check.")
  }
  if (isTRUE(test$disputed > 0)) {
    return(paste0("Yes: readers contradict each other in ", count(test$disputed, "row"), "."))
  }
  odds <- if (!isTRUE(test$disproved)) {
    odds_words(test$bayes_factor)
  } else if (isTRUE(test$found > 1)) {
    paste("checks have found", whole(test$found))
  } else "a check has found one"
  switch(test$kind,
    curve = "Not if the boundary is curved, which fits better. Use gpc().",
    "no sign" = if (would_show(test$noticed)) {
      "No sign, and they would show. There is no need to check."
    } else {
      "No sign, but some could hide."
    },
    open = "Can't tell: wrong labels or overlap.",
    blind = if (is.null(test$alone)) {
      "Can't tell: the inputs say next to nothing of the classes."
    } else {
      paste0("Can't tell: no row labelled ", test$alone, " is trusted.")
    },
    unusual = "Some labels contradict their rows: they are wrong, or the rows are unusual.",
    scores = paste0(
      "Can't tell: the scores contradict ", count(test$contradicted, "label"),
      ". These are wrong, or the scores err."
    ),
    probable = paste0("Probably, ", odds, "."),
    wrong = paste0("Yes, ", odds, ".")
  )
}

#' How strongly the data alone speak for wrong labels
#' @noRd
odds_words <- function(factor) {
  if (factor > 1e4) "over 10,000 to 1" else paste(whole(signif(factor, 2)), "to 1")
}

#' Of how many labels: those that are known to be right can't be wrong, nor those put right
#' @noRd
of_words <- function(test) {
  known <- c(test$known, 0)[1]
  paste0(
    "of ", if (known > 0) "the other ", whole(test$n - known), if (isTRUE(test$readers)) " labels"
  )
}

#' Beside "no sign" stands how many there would be if one were wrong nevertheless: the averaged
#' interval would be as narrow as the sign is weak
#' @noRd
count_line <- function(test, digits) {
  if (isTRUE(test$settled)) {
    return(paste0("None of ", whole(test$n), if (isTRUE(test$readers)) " labels", "."))
  }
  of <- of_words(test)
  if (is.null(test$level)) {
    number <- function(part) paste0(count_text(part$count, digits), " ", of, ".")
    return(switch(test$kind,
      curve = curved_count, "no sign" = paste("Probably none; if some, about", number(test$any)),
      paste("About", number(test$average))
    ))
  }
  ends <- function(part) range_text(list(lower = whole(part$lower), upper = whole(part$upper)))
  interval <- paste0(format(100 * test$level), "% interval")
  count <- count_text(test$average$count, digits)
  # readers stumble over "if some, 1 to 1"
  some <- if (test$any$lower > 1) ends(test$any) else paste("up to", whole(test$any$upper))
  switch(test$kind,
    curve = curved_count,
    "no sign" = paste0(
      "Probably none; if some, ", some, " ", of, " (", interval, ")",
      apart_words(test$ends), "."
    ),
    scores = paste0(
      ends(test$average), " ", of, " (from the lower end if the scores err to the upper if they hardly do)."
    ),
    blind = if (is.null(test$alone)) {
      paste0(ends(test$average), " ", of, " (", interval, ").")
    } else {
      paste0("None to all ", of, ".")
    },
    unusual = , open = paste0(ends(test$average), " ", of, " (", interval, "), ", count, " expected."),
    paste0(
      "About ", count, " ", of, " (", interval, " ", ends(test$average), ")",
      apart_words(test$ends), "."
    )
  )
}

curved_count <- "See gpc(): to bpm() all that a curve explains looks wrong."


#' The other end, where the data do not say which is the case: those of a second stage, whose
#' scores may contradict right labels because the classes overlap, or because the classifier is poor
#' @noRd
apart_words <- function(ends) {
  apart <- if (is.null(ends)) 0 else abs(diff(ends$count))
  if (apart > 2 && apart > 0.3 * max(ends$count)) {
    paste0("; ", whole(round(ends["apart", "count"])), " if the scores hardly err")
  }
}

# How often wrong labels would show ---------------------------------------------------

in_ten <- function(probability) round(10 * probability)

#' Would a tenth of wrong labels be noticed, be they of one class or of all?
#' @noRd
would_show <- function(noticed) {
  !is.null(noticed) && all(in_ten(noticed$probability) >= 8)
}

#' @param noticed see noticed(). @param most letters that the name of a class may have.
#' @noRd
noticed_line <- function(noticed, most) {
  if (is.null(noticed)) {
    return(NULL)
  }
  share <- paste0(format(100 * noticed$share[1]), "%")
  often <- in_ten(noticed$probability)
  least <- which.min(often)
  hidden <- least > 1
  class <- c("all", shorter(quoted_empty(noticed$of[-1]), most))[least]
  words <- if (often[1] == 0) {
    "would hardly ever show in such a table."
  } else {
    paste0(
      "would show in ", often[1], " of 10 tables",
      if (hidden) paste0(" (", often[least], " if ", class, " only)"), "."
    )
  }
  paste(share, "wrong", words)
}

# What else is to be said -------------------------------------------------------------

#' Sentences that a verdict needs beside it, those that matter most first
#' @param test see noise_statement().
#' @noRd
verdict_notes <- function(test) {
  if (test$kind %in% c("curve", "blind")) {
    return(NULL)
  }
  differ <- isTRUE(test$two > verdict_limits[2]) && test$kind != "no sign"
  c(
    if (length(test$on_bound)) {
      paste0(
        "The rate of true ", quoted_empty(test$on_bound[1]),
        " is on its bound of 1/2: see noise_prior()."
      )
    },
    if (isTRUE(test$linear) && is_called(test) && !isTRUE(test$curve > verdict_limits[2])) {
      "For a linear boundary: what a curve explains counts as wrong (compare gpc())."
    },
    if (!is.null(test$suspects)) {
      paste0(
        "All labels ", quoted_empty(test$suspects), " are equally suspect: the inputs do not ",
        "predict them."
      )
    },
    if (differ && length(test$levels) > 2) {
      paste0(
        "Odds of ", odds_words(test$two), " that some classes are taken for particular others: see ",
        "noise_matrix()."
      )
    } else if (test$kind != "no sign" && length(one_class(test))) {
      paste0(
        "Only true ", quoted_empty(one_class(test)), " seem recorded wrongly: say noise_prior(unlabelled = ",
        encodeString(setdiff(test$levels, one_class(test)), quote = "\""), ") if so, or check five rows."
      )
    } else if (differ && side_told(test$models)) {
      paste0(
        "Odds of ", odds_words(test$two), " that more labels of true ",
        quoted_empty(test$rates$class[which.max(test$rates$rate)]), " are wrong."
      )
    },
    if (!is.null(test$one_kind) && is_called(test)) {
      paste0(
        "Errors of one kind: ", quoted_empty(test$one_kind$true), " recorded as ",
        quoted_empty(test$one_kind$recorded), " (expected ", count_text(test$one_kind$count, 2), " of ",
        count_text(test$one_kind$all, 2), ")."
      )
    },
    if (!is.null(test$alike)) {
      paste0(
        "Rows of ", quoted_empty(test$alike[1]), " and ", quoted_empty(test$alike[2]),
        " look alike: errors between these two can't be told from overlap. Check some of both."
      )
    },
    rare_words(test$rare)
  )
}

#' Notes as lines of print_fields()
#' @noRd
named_notes <- function(notes) {
  stats::setNames(as.character(notes), c("Note", rep("", length(notes)))[seq_along(notes)])
}

#' The class of two whose labels alone are wrong, where that is more likely than not if some are
#' @noRd
one_class <- function(test) {
  alone <- noise_alone(test$models$model)
  share <- shares(test$models$probability * (test$models$model != "none"))
  if (length(test$levels) == 2) test$levels[alone[which(share > 0.5 & !is.na(alone))]]
}

#' Do the data say in which class labels are wrong, where both models of one class alone were tried?
#' With rates by group either may beat one rate, as it predicts fewer wrong labels
#' @param models of noise_statement().
#' @noRd
side_told <- function(models) {
  sides <- models$log_evidence[!is.na(noise_alone(models$model))]
  length(sides) < 2 || !isTRUE(abs(diff(sides)) <= log(verdict_limits[2]))
}

#' A number in words where it is beyond what it can be trusted to
#' @noRd
bounded <- function(v, low, high, number) {
  if (v < low) {
    paste("below", format(low, scientific = FALSE))
  } else if (v > high) {
    paste("above", whole(high))
  } else {
    number(v)
  }
}
