# The rows of a report: which to check, and why they are suspected.

#' @param listed see listed_rows(). @param values of report_values().
#' @noRd
report_suspects <- function(object, found, listed, values, neighbours) {
  place <- match(found$row[listed], object$data$rows)
  near <- nearest_rows(object, place, neighbours)
  values$wrong <- round(row_flipped(object), 2)
  items <- vapply(seq_along(place), function(i) {
    suspect_item(object, found[listed[i], ], place[i], near[[i]], values)
  }, "")
  picture <- if (length(listed) > 1) listed_picture(found, listed)
  list(
    suspects = if (length(items)) html(items),
    hidden = if (values$left) count(values$left, "further input"),
    unread = if (length(values$unread)) name_some(values$unread),
    ranking = if (!is.null(picture)) {
      svg_picture(picture, "Probability that a label is wrong against its rank")
    },
    ranking_key = svg_key(picture$key)
  )
}

#' Which rows of the list of suspicions a report shows: each row whose class is not known, once
#' @noRd
listed_rows <- function(object, found, n) {
  known <- report_known(object$data$reports)[match(found$row, object$data$rows)]
  utils::head(which(!known & !duplicated(found$row)), n)
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
  labels <- object$blueprint$levels[label_code(object$data)[all]]
  p <- found$probability
  name <- values$title[place]
  chips <- lapply(frame[place, , drop = FALSE], html_value)
  fill_template("suspect.html", list(
    row = found$row, name = if (!is.na(name)) name, width = round(100 * p),
    probability = share_words(p), label = labels[1],
    suggested = if (p > 0.5) as.character(found$suggested), alone = share_words(found$loo_wrong),
    why = why_words(labels[1], labels[-1]),
    answer = answer_fields(found$row, name, labels[1], object$blueprint$levels),
    values = html(Map(function(name, value) {
      tag("div", tag("dt", html_text(name)), tag("dd", value))
    }, names(chips), chips)),
    near = nrow(near),
    table = html_table(cbind(
      data.frame(
        row = object$data$rows[all], recorded = labels,
        "P(wrong)" = values$wrong[all],
        similarity = c(1, round(near$similarity, 2)), check.names = FALSE
      ),
      frame[all, , drop = FALSE]
    ), "near", emphasis = 1)
  ))
}

#' Why a row is suspected: what its neighbours were recorded as
#' @noRd
why_words <- function(label, near) {
  against <- sort(table(near[near != label]), decreasing = TRUE)
  k <- length(near)
  if (k == 0) {
    return("There are no other rows.")
  }
  if (length(against) == 0) {
    return(paste0(
      "All ", k, " most similar rows are recorded as ", label,
      ", too: the suspicion comes from rows further away."
    ))
  }
  if (against[1] == k && k > 1) {
    return(paste0("All ", k, " most similar rows are recorded as ", names(against), "."))
  }
  verb <- rep("as", length(against))
  verb[1] <- if (against[1] == 1) "is recorded as" else "are recorded as"
  paste0(
    "Of the ", k, " most similar rows ",
    toString(paste(against, verb, names(against))), " and ", sum(near == label),
    " as ", label, "."
  )
}

#' A probability in two digits that is neither 0 nor 1
#' @noRd
share_words <- function(p) {
  if (p < 0.005) "below 0.01" else if (p > 0.995) "above 0.99" else sprintf("%.2f", p)
}
