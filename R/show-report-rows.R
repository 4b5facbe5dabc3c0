# The rows of a report: which to check, and why they are suspected.

contradict_most <- 10L # rows that stand beside one that contradicts them; others are in the list
alike_each <- 3L # rows of each of two classes that look alike

#' Which rows of the list of suspicions a report shows, each row whose class is not known once
#'
#' @param alike names of two classes that look alike, or `NULL`: errors between the two need not
#'   stand out.
#' @return positions in `found`: `twins`, rows alike in every input with different labels, group by
#'   group; `listed`, of the first n those that are no twins; `pair`, of both classes that look alike, the
#'   first class first, the rows not shown anyway that most look like the other.
#' @noRd
report_rows <- function(object, found, n, alike) {
  place <- match(found$row, object$data$rows)
  open <- which(!report_known(object$data$reports)[place] & !duplicated(found$row))
  group <- contradiction_groups(found)
  twins <- intersect(open, which(!is.na(group)))
  together <- split(twins, factor(group[twins], unique(group[twins]))) # none without its others
  twins <- unlist(together[cumsum(lengths(together)) <= contradict_most], use.names = FALSE)
  listed <- setdiff(utils::head(open, n), twins)
  two <- match(alike, object$blueprint$levels)
  pair <- if (length(two)) {
    said <- truth(judged_by(object))
    seen <- mean_over(said$loo, left_out_weight(said))
    rest <- setdiff(open, c(twins, listed))
    unlist(lapply(1:2, function(k) {
      mine <- rest[said$y[place[rest]] == two[k]]
      utils::head(mine[order(-seen[place[mine], two[3 - k]])], alike_each)
    }))
  }
  list(twins = twins, listed = listed, pair = pair)
}

#' Which group of contradicting rows each is in, or `NA`: of two rows that differ each is the other's
#' @noRd
contradiction_groups <- function(found) {
  pmin(found$contradicts, found$contradicts[match(found$contradicts, found$row)])
}

#' @param rows of report_rows(). @param values of report_values().
#' @noRd
report_suspects <- function(object, found, rows, values, neighbours) {
  all <- unlist(rows)
  place <- match(found$row[all], object$data$rows)
  near <- nearest_rows(object, place, neighbours)
  values$wrong <- round(row_flipped(object), 2)
  items <- vapply(seq_along(place), function(i) {
    suspect_item(object, found[all[i], ], place[i], near[[i]], values)
  }, "")
  of <- rep(names(rows), lengths(rows))
  twins <- items[of == "twins"]
  label <- found$label[rows$pair]
  picture <- if (length(rows$listed) > 1) listed_picture(found, rows$listed)
  group <- contradiction_groups(found)[rows$twins]
  pairs <- lapply(split(seq_along(twins), factor(group, unique(group))), function(k) {
    tag("div", alike_columns(twins[k], found$label[rows$twins[k]]), .attr = c(class = "pair"))
  })
  list(
    contradict = if (length(pairs)) html(pairs),
    suspects = if (length(c(rows$twins, rows$listed))) html(c(items[of == "listed"], "")),
    kinds = !is.null(found$unusual),
    alike = if (length(label)) alike_columns(items[of == "pair"], label),
    alike_classes = if (length(label)) paste(unique(label), collapse = " and "),
    hidden = if (values$left) count(values$left, "further input"),
    unread = if (length(values$unread)) name_some(values$unread),
    ranking = if (length(picture)) svg_picture(picture, "Probability that a label is wrong against its rank"),
    ranking_key = svg_key(picture$key)
  )
}

#' The rows of two classes side by side
#' @param items HTML of each row. @param label their classes.
#' @noRd
alike_columns <- function(items, label) {
  html(lapply(unique(label), function(class) {
    tag(
      "div", tag("p", html_text(paste("Recorded", class)), .attr = c(class = "recorded")),
      tag("ol", html(items[label == class]), .attr = c(class = "suspects"))
    )
  }))
}

#' Probabilities in the order of the list: ranks of rows that are trusted are left out
#' @noRd
listed_picture <- function(found, listed) {
  shown <- found[listed, ]
  shown$rank <- seq_along(listed)
  attributes(shown)[c("expected", "rate")] <- attributes(found)[c("expected", "rate")]
  picture(shown, length(listed), 0)
}

#' @param found the row of the list. @param place its position among the rows of the fit.
#' @param near of nearest_rows(). @param values of report_values(), and `wrong` of each row.
#' @noRd
suspect_item <- function(object, found, place, near, values) {
  frame <- values$frame
  all <- c(place, near$place)
  twin <- match(found$contradicts, object$data$rows)
  labels <- object$blueprint$levels[label_code(object$data)[c(all, twin)]]
  p <- found$probability
  name <- values$title[place]
  chips <- lapply(frame[place, , drop = FALSE], html_value)
  names <- html_text(names(chips))
  rows <- data.frame(
    row = object$data$rows[all], recorded = labels[seq_along(all)], "P(wrong)" = values$wrong[all],
    similarity = c(1, round(near$similarity, 2)), check.names = FALSE
  )
  fill_template("suspect.html", list(
    row = found$row, name = if (!is.na(name)) name, width = round(100 * p),
    probability = share_words(p), label = labels[1],
    kind = if (!is.null(found$unusual)) kind_words(found, values$alike),
    suggested = if (p > 0.5) as.character(found$suggested), alone = share_words(found$loo_wrong),
    why = why_words(labels[1], labels[seq_along(all)[-1]]),
    twin = if (isFALSE(is.na(twin))) {
      alike <- paste("Row", found$contradicts, "is alike in every input, and recorded as")
      paste0(alike, " ", labels[length(all) + 1], ".")
    },
    answer = answer_fields(found$row, name, labels[1], object$blueprint$levels),
    values = html(Map(function(name, value) tag("div", tag("dt", name), tag("dd", value)), names, chips)),
    near = nrow(near), table = html_table(cbind(rows, frame[all, , drop = FALSE]), "near", emphasis = 1)
  ))
}

#' Which of three a row is: its label wrong, the label right and the row unusual, or both as usual
#'
#' Where its two classes look alike all rows there are unusual in that sense.
#' @param found the row of the list. @param alike names of two classes that look alike, or `NULL`.
#' @noRd
kind_words <- function(found, alike) {
  two <- as.character(c(found$label, found$suggested))
  right <- if (found$probability > 0.2) "more likely right than wrong" else "probably right"
  c( # the first that is the case
    if (found$probability > 0.5) "probably wrong",
    if (found$probability + found$unusual <= 0.5) right,
    if (setequal(two, alike)) paste0(two[1], " or ", two[2], ": can't be told from overlap"),
    if (found$unusual > 0.5) "unusual: label probably right", "wrong, or unusual"
  )[1]
}

#' Why a row is suspected: what its neighbours were recorded as
#' @noRd
why_words <- function(label, near) {
  against <- sort(table(near[near != label]), decreasing = TRUE)
  k <- length(near)
  all <- paste0(if (k == 1) "The most similar row is" else paste("All", k, "most similar rows are"), " recorded as ")
  if (k == 0) {
    "There are no other rows."
  } else if (length(against) == 0) {
    paste0(all, dQuote(label, FALSE), ", too: the suspicion comes from rows further away.")
  } else if (against[1] == k) {
    paste0(all, dQuote(names(against), FALSE), ".")
  } else {
    verb <- c(if (against[1] == 1) "is recorded as" else "are recorded as", rep("as", length(against) - 1))
    others <- toString(paste(against, verb, dQuote(names(against), FALSE)))
    alike <- if (any(near == label)) paste0(" and ", sum(near == label), " as ", dQuote(label, FALSE))
    paste0("Of the ", k, " most similar rows ", others, alike, ".")
  }
}

#' A probability in two digits that is neither 0 nor 1
#' @noRd
share_words <- function(p) {
  if (p < 0.005) "below 0.01" else if (p > 0.995) "above 0.99" else sprintf("%.2f", p)
}
