# The rows of a report: which to check, and why they are suspected.

report_suspects <- function(object, found, values, n, neighbours) {
  all <- found
  found <- utils::head(found[rankable(object, found), ], n)
  place <- match(found$row, object$data$rows)
  near <- nearest_rows(object, place, neighbours)
  levels <- object$blueprint$levels
  code <- if (length(levels) > 2) object$data$y else 1 + (object$data$y > 0)
  wrong <- row_flipped(object)
  items <- vapply(seq_along(place), function(i) {
    others <- near[[i]]$place
    shown <- cbind(
      data.frame(
        row = object$data$rows[c(place[i], others)],
        recorded = levels[code[c(place[i], others)]],
        "P(wrong)" = round(wrong[c(place[i], others)], 2),
        similarity = c(1, round(near[[i]]$similarity, 2)), check.names = FALSE
      ),
      values$frame[c(place[i], others), , drop = FALSE]
    )
    suspect_item(
      found[i, ], levels[code[place[i]]], levels[code[others]], object$data$row_names[place[i]],
      values$frame[place[i], , drop = FALSE], html_table(shown, "near", emphasis = 1)
    )
  }, character(1))
  list(
    suspects = c(
      tag("ol", items, .attr = c(class = "suspects")),
      if (values$left > 0) {
        html_p(count(values$left, "further input"), " not shown: those that count least.",
               class = "note")
      },
      ranking_picture(found, all)
    )
  )
}

#' Rows that nobody has checked yet
#' @noRd
rankable <- function(object, found) {
  group <- object$data$group
  if (is.null(group)) {
    return(rep(TRUE, nrow(found)))
  }
  group[match(found$row, object$data$rows)] > 0
}

suspect_item <- function(found, label, near, name, values, table) {
  p <- found$probability
  named <- !identical(as.character(name), as.character(found$row))
  suggested <- if (p > 0.5) c(", suggested ", tag("b", html_text(found$suggested)))
  bar <- tag("span", tag(
    "span", .attr = c(style = sprintf("width:%.0f%%", 100 * p))
  ), .attr = c(class = "meter", "aria-hidden" = "true"))
  chips <- tag("dl", mapply(function(name, value) {
    tag("div", tag("dt", html_text(name)), tag("dd", html_text(value)))
  }, names(values), lapply(values, function(v) if (is.numeric(v)) number_words(v) else v)))
  tag(
    "li",
    tag("h3", "Row ", html_text(found$row), if (named) c(" ", tag("small", html_text(name)))),
    tag("p", bar, "Probability ", tag("b", share_words(p)), " that the label is wrong. Recorded ",
        tag("b", html_text(label)), suggested, "."),
    html_p(why_words(found, label, near), class = "why"),
    chips,
    tag("details", tag("summary", "The ", length(near), " most similar rows"), table)
  )
}

#' Why a row is suspected: what its neighbours were recorded as
#' @noRd
why_words <- function(found, label, near) {
  against <- near[near != label]
  kinds <- sort(table(against), decreasing = TRUE)
  k <- length(near)
  paste0(
    "Given the other rows alone, its label is wrong with probability ",
    share_words(found$loo_wrong), ". ",
    if (k == 0) {
      "There are no other rows."
    } else if (length(against) == 0) {
      paste0(
        "All ", k, " most similar rows are recorded as ", label,
        ", too: the suspicion comes from rows further away."
      )
    } else {
      paste0(
        "Of the ", k, " most similar rows ", kinds[1], if (kinds[1] == 1) " is" else " are",
        " recorded as ", paste(
          c(names(kinds)[1], paste(kinds[-1], "as", names(kinds)[-1], recycle0 = TRUE)),
          collapse = ", "
        ), " and ", k - length(against), " as ", label, "."
      )
    }
  )
}

#' A probability in two digits that is neither 0 nor 1
#' @noRd
share_words <- function(p) {
  if (p < 0.005) "below 0.01" else if (p > 0.995) "above 0.99" else sprintf("%.2f", p)
}

#' Probabilities in the order of the list
#' @noRd
ranking_picture <- function(found, all) {
  if (nrow(found) < 2) {
    return(NULL)
  }
  attributes(found)[c("expected", "rate")] <- attributes(all)[c("expected", "rate")]
  found$rank <- seq_len(nrow(found)) # ranks of rows that were checked are left out
  picture <- picture_suspicion(found, nrow(found), 0)
  tag(
    "figure", svg_picture(picture, "Probability that a label is wrong against its rank"),
    tag("figcaption", svg_key(picture$key))
  )
}
