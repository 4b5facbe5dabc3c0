# The rows of a report: which to check, and why they are suspected.

#' @param twins see contradicting_listed(). @param listed see listed_rows(). @param pair see
#'   alike_listed(). @param values of report_values().
#' @noRd
report_suspects <- function(object, found, twins, listed, pair, values, neighbours) {
  all <- c(twins, listed, pair)
  place <- match(found$row[all], object$data$rows)
  near <- nearest_rows(object, place, neighbours)
  values$wrong <- round(row_flipped(object), 2)
  items <- vapply(seq_along(place), function(i) {
    suspect_item(object, found[all[i], ], place[i], near[[i]], values)
  }, "")
  picture <- if (length(listed) > 1) listed_picture(found, listed)
  items <- split(items, rep(0:2, c(length(twins), length(listed), length(pair))))
  list(
    contradict = if (length(twins)) {
      html(lapply(split(seq_along(twins), contradiction_groups(found)[twins]), function(k) {
        tag("div", alike_columns(items[["0"]][k], found$label[twins[k]]), .attr = c(class = "pair"))
      }))
    },
    suspects = if (length(c(twins, listed))) html(c(items[["1"]], "")),
    kinds = !is.null(found$unusual),
    alike = if (length(pair)) alike_columns(items[["2"]], found$label[pair]),
    alike_classes = if (length(pair)) paste(unique(found$label[pair]), collapse = " and "),
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

contradict_most <- 10L # rows that stand beside one that contradicts them; others are in the list

#' Rows that are alike in every input and have different labels: positions in `found`, group by group
#' @noRd
contradicting_listed <- function(object, found) {
  group <- contradiction_groups(found)
  open <- intersect(listed_rows(object, found, nrow(found)), which(!is.na(group)))
  utils::head(open[order(match(group[open], group[open]))], contradict_most)
}

#' Which group of contradicting rows each is in, or `NA`: of two rows that differ each is the other's
#' @noRd
contradiction_groups <- function(found) {
  pmin(found$contradicts, found$contradicts[match(found$contradicts, found$row)])
}

alike_each <- 3L # rows of each of two classes that look alike

#' Rows of two classes that look alike, of each those that most look like the other and are not listed
#' anyway: errors between the two need not stand out
#' @param alike their names, or `NULL`. @param listed see listed_rows().
#' @return positions in `found`, those of the first class first
#' @noRd
alike_listed <- function(object, found, alike, listed) {
  two <- match(alike, object$blueprint$levels)
  if (length(two) != 2) {
    return(integer())
  }
  said <- truth(judged_by(object))
  seen <- mean_over(said$loo, left_out_weight(said))
  open <- setdiff(listed_rows(object, found, nrow(found)), listed)
  place <- match(found$row[open], object$data$rows)
  unlist(lapply(1:2, function(k) {
    mine <- which(said$y[place] == two[k])
    first <- order(-seen[place[mine], two[3 - k]])
    open[utils::head(mine[first], alike_each)]
  }))
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
  fill_template("suspect.html", list(
    row = found$row, name = if (!is.na(name)) name, width = round(100 * p),
    probability = share_words(p), label = labels[1],
    kind = if (!is.null(found$unusual)) kind_words(found, values$alike),
    suggested = if (p > 0.5) as.character(found$suggested), alone = share_words(found$loo_wrong),
    why = why_words(labels[1], labels[seq_along(all)[-1]]),
    twin = if (isFALSE(is.na(twin))) {
      paste0(
        "Row ", found$contradicts, " is alike in every input, and recorded as ",
        labels[length(all) + 1], "."
      )
    },
    answer = answer_fields(found$row, name, labels[1], object$blueprint$levels),
    values = html(Map(function(name, value) {
      tag("div", tag("dt", html_text(name)), tag("dd", value))
    }, names(chips), chips)),
    near = nrow(near),
    table = html_table(cbind(
      data.frame(
        row = object$data$rows[all], recorded = labels[seq_along(all)],
        "P(wrong)" = values$wrong[all],
        similarity = c(1, round(near$similarity, 2)), check.names = FALSE
      ),
      frame[all, , drop = FALSE]
    ), "near", emphasis = 1)
  ))
}

#' Which of three a row is: its label wrong, the label right and the row unusual, or nothing of it
#'
#' Where its two classes look alike all rows there are unusual in that sense.
#' @param found the row of the list. @param alike names of two classes that look alike, or `NULL`.
#' @noRd
kind_words <- function(found, alike) {
  two <- as.character(c(found$label, found$suggested))
  if (found$probability > 0.5) {
    "probably wrong"
  } else if (found$probability + found$unusual <= 0.5) {
    "probably fine"
  } else if (setequal(two, alike)) {
    paste0(two[1], " or ", two[2], ": can't be told from overlap")
  } else if (found$unusual > 0.5) "unusual: label probably right" else "wrong, or unusual"
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
