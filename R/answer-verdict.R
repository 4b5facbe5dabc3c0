# What is said of wrong labels, in the same few lines wherever it is said: in print() of a fit, in
# mislabelled(), noise_test() and the report. A line answers the question that is its name.

verdict_kinds <- c("no sign", "open", "probable", "wrong")
verdict_called <- c("probable", "wrong") # rows are called wrong

#' The words of each verdict: as a sentence, whether labels are wrong, and how many. What stands in
#' braces is filled in by verdict_line() and count_line()
#' @noRd
verdicts <- local({
  left_open <- "{ends} {of} ({interval}), {count} expected."
  some <- "About {count} {of} ({interval} {ends}){apart}."
  list(
    "no sign" = c(
      "no sign of wrong labels", "No sign, but some could hide.",
      # the averaged interval would be as narrow as the sign is weak
      "Probably none; if some, {some} {of} ({interval}){apart}."
    ),
    open = c(
      "these data can't tell wrong labels from overlap", "Can't tell: wrong labels or overlap.", left_open
    ),
    probable = c("some labels are probably wrong", "Probably, {odds}.", some),
    wrong = c("some labels are wrong", "Yes, {odds}.", some),
    curve = c(
      "a curved boundary explains the labels better than wrong ones",
      "Not if the boundary is curved, which fits better. Use gpc().",
      "See gpc(): to bpm() all that a curve explains looks wrong."
    ),
    blind = c(
      "the inputs say next to nothing of the classes, and so of wrong labels",
      "Can't tell: the inputs say next to nothing of the classes.", "{ends} {of} ({interval})."
    ),
    unusual = c(
      "some labels contradict their rows, and are wrong or the rows are unusual",
      "Some labels contradict their rows: they are wrong, or the rows are unusual.", left_open
    ),
    scores = c(
      "the scores can't tell wrong labels from their own errors",
      "Can't tell: the scores contradict {contradicted}. These are wrong, or the scores err.",
      "{ends} {of} (from the lower end if the scores err to the upper if they hardly do)."
    ),
    settled = c(
      "every label is known to be right", "No: every label is known to be right. Nothing to check.",
      "None of {all}."
    ),
    shown = c("", "No sign, and they would show. There is no need to check.", ""),
    alone = c("", "Can't tell: no row labelled {alone} is trusted.", "None to all {of}."),
    disputed = c("", "Yes: readers contradict each other in {disputed}.", "")
  )
})
verdict_sentences <- Filter(nzchar, vapply(verdicts, `[[`, "", 1))

#' Words with their slots filled
#' @param ... by the name of the slot, looked at only where there is one.
#' @noRd
fill_words <- function(words, ...) {
  for (k in seq_len(...length())) {
    slot <- paste0("{", ...names()[k], "}")
    if (grepl(slot, words, fixed = TRUE)) words <- sub(slot, ...elt(k), words, fixed = TRUE)
  }
  words
}

#' The words of the verdict: of all that is the case the first that has some
#' @param part which of the words, see verdicts.
#' @noRd
verdict_words <- function(test, part) {
  holding <- c(
    if (isTRUE(test$settled)) "settled", if (isTRUE(test$disputed > 0)) "disputed",
    if (test$kind == "blind" && !is.null(test$alone)) "alone",
    if (test$kind == "no sign" && would_show(test$noticed)) "shown", test$kind
  )
  words <- vapply(verdicts[holding], `[[`, "", part, USE.NAMES = FALSE)
  words[nzchar(words)][1]
}

#' Which verdict it is, by what noise_statement() has found
#'
#' - `curve`: a linear boundary was held against a curved one, which fits better without wrong labels;
#' - `blind`: the inputs do not predict the labels better than the shares of the classes do;
#' - by the Bayes factor for some wrong labels one of verdict_kinds; where that does not speak for them,
#'   `scores`: scores of a classifier would leave more labels wrong if they hardly erred, see
#'   scores_hide(); and `unusual`: without unusual rows it does speak for them.
#' @noRd
verdict_kind <- function(factor, curve = NA, plain = NA, blind = FALSE, hides = FALSE) {
  kind <- verdict_kinds[findInterval(factor, verdict_limits, left.open = TRUE) + 1]
  c( # the first that is the case
    if (isTRUE(curve < verdict_limits[1])) "curve", if (blind) "blind", if (kind %in% verdict_called) kind,
    if (hides) "scores", if (isTRUE(plain > verdict_limits[2])) "unusual", kind
  )[1]
}

#' May rows be called wrong?
#' @noRd
is_called <- function(test) test$kind %in% verdict_called

#' The verdict: whether labels are wrong and what to do, how many, and whether wrong labels would
#' show
#' @param test see noise_statement().
#' @noRd
verdict_lines <- function(test, digits = 2) {
  hidden <- test$kind %in% c("no sign", "open") && length(test$noticed)
  c(
    "Wrong labels?" = verdict_line(test), "How many?" = count_line(test, digits),
    "What next?" = next_line(test), "Could hide?" = if (hidden) noticed_line(test$noticed)
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
    rows <- paste("the first", whole(first$rows))
    expected <- paste(found, if (found == "1") "wrong label expected" else "wrong labels expected")
    if (first$found < 0.5) {
      paste0("Little to check: ", expected, " in ", rows, ".")
    } else paste0("Check ", rows, ": ", expected, ", ", number(first$left), " would remain.")
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
  fill_words(
    verdict_words(test, 2),
    odds = if (!isTRUE(test$disproved)) {
      paste("evidence", odds_words(test$bayes_factor)) # which is no probability
    } else if (isTRUE(test$found > 1)) {
      paste("checks have found", whole(test$found))
    } else "a check has found one",
    contradicted = count(test$contradicted, "label"), disputed = count(test$disputed, "row"),
    alone = test$alone
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
  paste0("of ", if (known > 0) "the other ", whole(test$n - known), if (isTRUE(test$readers)) " labels")
}

#' How many labels are wrong, without an interval where the test has no level
#' @noRd
count_line <- function(test, digits) {
  words <- verdict_words(test, 3)
  if (is.null(test$level) && grepl("{of}", words, fixed = TRUE)) {
    words <- if (test$kind == "no sign") "Probably none; if some, about {if_some} {of}." else "About {count} {of}."
  }
  ends <- function(part) range_text(lapply(part[c("lower", "upper")], whole))
  any <- test$any
  fill_words(
    words, all = paste0(whole(test$n), if (isTRUE(test$readers)) " labels"), of = of_words(test),
    count = count_text(test$average$count, digits), if_some = count_text(any$count, digits),
    ends = ends(test$average), interval = paste0(format(100 * test$level), "% interval"),
    # readers stumble over "1 to 1"
    some = if (any$lower > 1) ends(any) else paste("up to", whole(any$upper)),
    apart = apart_words(test$ends)
  )
}

#' The other end, where the data do not say which is the case: those of a second stage, whose
#' scores may contradict right labels because the classes overlap, or because the classifier is poor
#' @noRd
apart_words <- function(ends) {
  apart <- if (is.null(ends)) 0 else abs(diff(ends$count))
  far <- apart > 2 && apart > 0.3 * max(ends$count)
  if (far) paste0("; ", whole(round(ends["apart", "count"])), " if the scores hardly err") else ""
}

# How often wrong labels would show ---------------------------------------------------

in_ten <- function(probability) round(10 * probability)

#' Would a tenth of wrong labels be noticed, be they of one class or of all?
#' @noRd
would_show <- function(noticed) !is.null(noticed) && all(in_ten(noticed$probability) >= 8)

#' @param noticed see noticed().
#' @noRd
noticed_line <- function(noticed) {
  often <- in_ten(noticed$probability)
  least <- which.min(often)
  hidden <- if (least > 1) paste0(" (", often[least], " if ", class_words(noticed$of[least]), " only)")
  shows <- paste0("shows in ", often[1], " of 10 such tables", hidden)
  if (often[1] == 0) shows <- "would hardly ever show in such a table"
  paste0(format(100 * noticed$share[1]), "% wrong ", shows, ".")
}

#' Names of classes among other words, which are no place for long ones
#' @noRd
class_words <- function(levels) shorter(quoted_empty(levels), 16)

# What else is to be said -------------------------------------------------------------

#' Sentences that a verdict needs beside it, those that matter most first
#' @param test see noise_statement().
#' @noRd
verdict_notes <- function(test) {
  if (test$kind %in% c("curve", "blind")) {
    return(NULL)
  }
  called <- is_called(test)
  curved <- isTRUE(test$linear) && called && !isTRUE(test$curve > verdict_limits[2]) # it may be
  kind <- test$one_kind
  alike <- test$alike
  bound <- quoted_empty(test$on_bound)
  one <- quoted_empty(test$suspects)
  said <- function(so, ...) if (isTRUE(so)) paste0(...)
  c(
    in_sample_words(test$in_sample),
    said(length(bound) > 0, "The rate of true ", bound[1], " is on its bound of 1/2: see noise_prior()."),
    said(curved, "For a linear boundary: what a curve explains counts as wrong (compare gpc())."),
    said(length(one) > 0, "All labels ", one, " are equally suspect: the inputs do not predict them."),
    if (test$kind != "no sign") which_class_words(test),
    said(
      !is.null(kind) && called, "Errors of one kind: ", quoted_empty(kind$true), " recorded as ",
      quoted_empty(kind$recorded), " (expected ", count_text(kind$count, 2), " of ", count_text(kind$all, 2), ")."
    ),
    said(
      !is.null(alike), "Rows of ", quoted_empty(alike[1]), " and ", quoted_empty(alike[2]),
      " look alike: errors between these two can't be told from overlap. Check some of both."
    ),
    rare_words(test$rare)
  )
}

#' In which classes labels are wrong, where the data tell
#' @noRd
which_class_words <- function(test) {
  differ <- isTRUE(test$two > verdict_limits[2])
  models <- test$models
  share <- shares(models$probability * (models$model != "none"))
  alone <- noise_alone(models$model)
  one <- test$levels[alone[which(share > 0.5 & !is.na(alone))]] # more likely than not if some are wrong
  other <- encodeString(setdiff(test$levels, one), quote = "\"")
  if (length(one)) {
    hint <- paste0(" If ", other, " may mean \"not looked at\", fit with noise_prior(unlabelled = ", other, ").")
    paste0("Errors seem to go one way: labels of true ", encodeString(one, quote = "\""), " are wrong.", if (length(other) == 1) hint)
  } else if (differ && "matrix" %in% models$model) {
    paste0("Odds of ", odds_words(test$two), " that some classes are taken for particular others: see noise_matrix().")
  } else if (differ && side_told(models)) {
    most <- test$rates$class[which.max(test$rates$rate)]
    paste0("Odds of ", odds_words(test$two), " that more labels of true ", quoted_empty(most), " are wrong.")
  }
}

#' Notes as lines of print_fields()
#' @noRd
named_notes <- function(notes) {
  stats::setNames(as.character(notes), c("Note", rep("", length(notes)))[seq_along(notes)])
}

#' Do the data say in which class labels are wrong, where several models of one class alone were tried?
#' With rates by group either may beat one rate, as it predicts fewer wrong labels
#' @param models of noise_statement().
#' @noRd
side_told <- function(models) {
  sides <- sort(models$log_evidence[!is.na(noise_alone(models$model))], decreasing = TRUE)
  !isTRUE(sides[1] - sides[2] <= log(verdict_limits[2]))
}

#' A number in words where it is beyond what it can be trusted to
#' @noRd
bounded <- function(v, number, high = Inf) {
  if (v < 1e-4) "below 0.0001" else if (v > high) paste("above", whole(high)) else number(v)
}
