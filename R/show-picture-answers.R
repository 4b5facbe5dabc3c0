# Pictures of what a fit answers: wrong labels, calibration, a comparison, a noise matrix.

# Wrong labels ------------------------------------------------------------------------

#' Suspicion by rank
#'
#' @param x of mislabelled(). @param n number of ranks, or `NULL`. @param labels how many
#'   points are named.
#' @noRd
picture.sturdy_mislabelled <- function(x, n, labels, ...) {
  one <- "Labels of several readers have no picture: it is of one recorded label of each row."
  refuse(!is.null(x$reader), one, "readers")
  labels <- check_count(labels, "labels")
  expected <- attr(x, "expected")
  cutoff <- attr(x, "cutoff")
  upper <- max(expected$upper, ceiling(expected$count))
  n <- if (is.null(n)) max(20, 2 * upper, cutoff$rank + 1) else check_count(n, "n", min = 1)
  shown <- utils::head(as.data.frame(x), n)
  top <- suspicion_top(shown)
  ranks <- c(0.5, max(shown$rank, min(upper, n), 4) + 1.5)
  cut <- cutoff$rank[cutoff$rank < ranks[2]] + 0.5
  interval <- !is.null(expected$level)
  layers <- list(
    # rank r counts as wrong when r labels are: the band ends between ranks
    if (interval) boxes(expected$lower + 0.5, -Inf, expected$upper + 0.5, Inf, "band"),
    rule("guide", 0.5), spans(cut, -Inf, cut, Inf, "cutoff"),
    spans(shown$rank - 0.3, shown$loo_wrong, shown$rank + 0.3, shown$loo_wrong, "interval"),
    suspicion_points(shown), suspicion_names(utils::head(shown, labels), top)
  )
  axis <- new_axis("Probability that the label is wrong", padded(c(0, top)), ticks = pretty(c(0, top)))
  note <- suspicion_note(shown, cutoff, attr(x, "rate"), top)
  if (!is.null(cutoff) && !length(cut)) {
    note <- c(note, paste0("a false-discovery rate of ", format(cutoff$fdr), " ends at rank ", cutoff$rank))
  }
  levels <- levels(x$label)
  key <- c(
    stats::setNames(of_class("class", seq_along(levels)), paste("recorded", levels)),
    "leave-one-out" = "interval", if (interval) c("number to expect" = "band"),
    if (length(cut)) stats::setNames("cutoff", paste("false-discovery rate", format(cutoff$fdr)))
  )
  title <- paste("Wrong labels to expect:", describe_wrong(expected, 2))
  new_picture(list(new_panel(new_axis("Rank", ranks), axis, layers)), title, note, key)
}

suspicion_points <- function(shown) {
  recorded <- paste0("Row ", shown$row, ": recorded ", shown$label, recycle0 = TRUE)
  words <- paste0(recorded, ", probability ", round(shown$probability, 2), recycle0 = TRUE)
  marks("point", shown$rank, shown$probability, of_class("class", as.integer(shown$label)), words = words)
}

#' Rows by number, with their identifiers where there is room, away from the nearer end of the
#' axis
#' @noRd
suspicion_names <- function(named, top) {
  down <- named$probability > top / 2
  id <- named[id_column(named)]
  marks(
    "name", named$rank, named$probability,
    words = do.call(paste, c(named["row"], lapply(id, id_text), sep = ": ")),
    short = paste("row", named$row, recycle0 = TRUE), down = down,
    room = ifelse(down, named$probability, top - named$probability)
  )
}

#' Upper end of the axis: 1, but below it where all that is shown is small
#' @noRd
suspicion_top <- function(shown) {
  largest <- max(shown$probability, shown$loo_wrong, 0)
  if (largest > 0.3 || largest == 0) 1 else max(pretty(c(0, 1.15 * largest)))
}

#' What the picture alone would leave to be guessed
#' @noRd
suspicion_note <- function(shown, cutoff, rate, top) {
  largest <- max(shown$probability, 0)
  right <- "No label is more likely wrong than right: the largest probability is"
  none <- identical(cutoff$rows, 0L) || nrow(shown) == 0
  first <- c( # that is the case
    if (isTRUE(cutoff$open)) "No row is called wrong: it is open whether labels are wrong at all",
    if (none) paste("No row at a false-discovery rate of", format(cutoff$fdr)),
    if (all(rate == 0)) "epsilon = 0: no label can be wrong",
    if (largest <= 0.5) paste(right, format(largest, digits = 2))
  )[1]
  c(first, if (top < 1) paste("the axis ends at", format(top)))
}

#' Probabilities of the numbers of wrong labels, those between `lower` and `upper` in full
#' colour
#'
#' @param density probabilities of 0, 1, ...
#' @noRd
picture_count <- function(density, lower, upper) {
  k <- seq_along(density) - 1
  beside <- 1.5 * (upper - lower + 2)
  shown <- k >= lower - beside & k <= upper + beside & density > 1e-4 * max(density)
  k <- k[shown]
  density <- density[shown]
  xlim <- range(k) + c(-0.7, 0.7)
  numbers <- new_axis("Number of wrong labels", xlim, ticks = unique(round(pretty(xlim))))
  height <- new_axis("Probability", c(0, 1.08 * max(density)), ticks = pretty(c(0, max(density)), 3))
  meaning <- ifelse(k >= lower & k <= upper, "inner bar", "bar")
  words <- paste0(k, ": probability ", format_each(signif(density, 2), 2))
  bars <- boxes(k - 0.4, 0, k + 0.4, density, meaning, words = words)
  new_picture(list(new_panel(numbers, height, list(bars))), "Distribution of the number of wrong labels")
}

# Calibration ---------------------------------------------------------------------------

#' Frequency against probability
#' @noRd
picture.sturdy_calibration <- function(x, ...) {
  bins <- x$bins
  axis <- function(words) new_axis(paste(words, x$levels[2]), rug_range)
  layers <- list(
    spans(0, 0, 1, 1, "dashed"),
    spans(bins$predicted, bins$lower, bins$predicted, bins$upper, "interval"),
    marks("path", bins$predicted, bins$observed, "curve", 1),
    marks("point", bins$predicted, bins$observed, "bin", words = paste(bins$n, "rows")),
    rugs(x$probability, x$event)
  )
  panel <- new_panel(axis("Leave-one-out probability of"), axis("Frequency of"), layers, square = TRUE)
  new_picture(list(panel), paste0("Calibration, ", 100 * x$level, "% intervals"))
}

# A comparison --------------------------------------------------------------------------

#' Both scores of the candidates, the best on top
#' @noRd
picture.sturdy_selection <- function(x, ...) {
  table <- x$table
  value <- table[[selection_criteria[[x$criterion]]]]
  table <- table[order(table$selected, value, na.last = FALSE), ]
  converged <- table$status == "converged"
  meaning <- ifelse(converged, ifelse(table$selected, "estimate", "bin"), "failed")
  at <- seq_along(value)
  panel <- function(label, value, names = NULL, se = 0) {
    known <- which(is.finite(value))
    scores <- new_axis(label, if (length(known)) padded(c(value - se, value + se)) else c(-1, 0))
    bars <- if (any(se > 0)) spans(value - se, at, value + se, at, "interval")
    layers <- list(rule("faint", at), bars, marks("point", value[known], known, meaning[known]))
    new_panel(scores, new_axis("", range(at) + c(-0.5, 0.5), names, ticks = numeric()), layers)
  }
  se <- ifelse(is.na(table$loo_diff_se), 0, table$loo_diff_se)
  evidence <- if (x$criterion == "integrated") {
    panel("Integrated log evidence", table$log_integrated, table$candidate)
  } else panel("Log evidence", table$log_evidence, table$candidate)
  new_picture(
    list(evidence, panel("Leave-one-out, SE of difference", table$loo, se = se)),
    paste0("Selected by ", criterion_words[[x$criterion]], ": ", table$candidate[table$selected]),
    key = c(selected = "estimate", "not converged" = "failed")[c(TRUE, !all(converged))],
    across = TRUE
  )
}

# A noise matrix ------------------------------------------------------------------------

#' A square of cells, the first class on top
#' @noRd
picture.sturdy_noise_matrix <- function(x, ...) {
  values <- unclass(x)
  size <- nrow(values)
  at <- c(col(values))
  place <- size + 1 - c(row(values))
  cells <- boxes(at - 0.5, place - 0.5, at + 0.5, place + 0.5, "cell", fill = noise_fill(values))
  entries <- marks("entry", at, place, words = formatC(100 * c(values), digits = 1, format = "f"))
  recorded <- new_axis("Recorded class", levels = rownames(x))
  true <- new_axis("True class", levels = rev(rownames(x)))
  panel <- new_panel(recorded, true, list(cells, entries))
  new_picture(list(panel), "Per cent of each true class, by recorded class")
}

#' Colours of cells by their share of the row; beside the diagonal in a colour of their own,
#' and stronger: that is what one looks for
#' @noRd
noise_fill <- function(rates) {
  right <- c(row(rates) == col(rates))
  tinted(ifelse(right, surface_colours[2], ring_colour), ifelse(right, c(rates), pmin(1, 3 * c(rates))))
}
