# The parts of a report, each a list of the slots of inst/report/page.html that it fills.

report_data <- function(object) {
  levels <- object$blueprint$levels
  code <- if (length(levels) > 2) object$data$y else 1 + (object$data$y > 0)
  rows <- tabulate(code, length(levels))
  left_out <- length(object$data$na_action)
  formula <- object$blueprint$formula
  trusted <- sum(object$data$group == 0)
  order <- input_order(object)
  inputs <- object$blueprint$columns[order$place]
  dropped <- setdiff(object$blueprint$all_columns, object$blueprint$columns)
  said <- c(
    paste0(
      whole(nobs(object)), " rows with ", count(length(inputs), "input"), ".",
      if (left_out) {
        paste0(" ", whole(left_out), " more ", if (left_out == 1) "was" else "were",
               " left out: missing values.")
      }
    ),
    if (trusted) paste0(whole(trusted), " labels are trusted: they were checked."),
    if (length(dropped)) {
      paste0("Not used, because constant or a name of the row: ", toString(dropped), ".")
    },
    if (length(levels) == 2) {
      paste0("The event, whose probability is modelled, is ", levels[2], ".")
    }
  )
  shown <- utils::head(seq_along(inputs), 12)
  table <- data.frame(input = inputs, value = order$value[order$place])[shown, ]
  names(table)[2] <- order$what
  list(
    lead = html_text(paste0(
      report_model(object), if (!is.null(formula)) paste0(", ", deparse1(formula)), "."
    )),
    data = c(
      html_p(paste(said, collapse = " ")),
      html_table(data.frame(
        class = levels, rows = rows,
        share = paste0(format(100 * rows / sum(rows), digits = 2), " %")
      ))
    ),
    inputs = c(
      html_p(
        if (order$what == "lengthscale") {
          paste(
            "Inputs by how much they count: the shorter the lengthscale (in standard deviations of",
            "a number; rows further apart say little about each other), the more."
          )
        } else {
          "Inputs by how much they count: by the size of their weight, per standard deviation."
        },
        if (length(inputs) > 12) paste0(" The first 12 of ", length(inputs), ".")
      ),
      html_table(table)
    )
  )
}

report_model <- function(object) {
  if (inherits(object, "gpc_classes")) {
    return(paste("Gaussian process classifier,", length(object$blueprint$levels), "classes"))
  }
  model_title(object)
}

# Are labels wrong, and how many ------------------------------------------------------

report_noise <- function(object, found) {
  test <- attr(found, "test")
  if (is.null(test)) {
    return(list(verdict = "Suspected labels, ranked", noise = html_p(no_test_words(object))))
  }
  number <- function(v) format(signif(v, 2))
  models <- test$models
  words <- c(
    none = "no wrong labels", one = "one rate", two = "a rate for each class",
    matrix = "a noise matrix", given = "the rates given"
  )
  list(
    verdict = html_text(paste("Verdict:", test$verdict)),
    noise = c(
      html_p(
        "The Bayes factor, how many times as probable the labels are if some are wrong as if none ",
        "is, is ", bounded(test$bayes_factor, 1e-4, 1e4, number), ". Before the data the probability that ",
        "none is wrong was ", number(test$prior_none), "; now it is ",
        bounded(test$probability_none, 1e-4, Inf, number), ". In words: ", test$verdict, "."
      ),
      html_p("Below 1/3: no sign of wrong labels. 1/3 to 3: these data can't tell wrong labels ",
             "from overlap of the classes. 3 to 20: signs of wrong labels. Above 20: wrong ",
             "labels. No sign of wrong labels does not mean that there are none.", class = "note"),
      if (!is.null(test$suspects)) {
        html_p("All labels ", test$suspects,
               " are under suspicion alike: the inputs do not predict them.", class = "warning")
      },
      if (isTRUE(test$linear) && test$bayes_factor > 3) {
        html_p("The boundary of this model is linear: what a curved one would explain counts as ",
               "wrong. Compare gpc() before labels are blamed.", class = "warning")
      },
      html_table(data.frame(
        "noise model" = unname(words[models$model]), before = signif(models$prior, 2),
        after = vapply(models$probability, bounded, "", low = 1e-4, high = Inf, number = number),
        check.names = FALSE
      ))
    )
  )
}

no_test_words <- function(object) {
  if (!is_average(object) && all(object$epsilon == 0)) {
    return(paste(
      "This model takes every label to be right (epsilon = 0): all probabilities of being wrong",
      "are 0, and rows are ranked by how well the others predict their label."
    ))
  }
  described <- if (inherits(object, "gpc_classes")) describe_class_noise else describe_noise
  paste0(
    "This fit did not test whether labels are wrong at all: its noise is ",
    described(object, 3), ". A fit with epsilon = \"average\" tests it."
  )
}

report_count <- function(object, found) {
  expected <- attr(found, "expected")
  test <- attr(found, "test")
  number <- function(v) format(if (v < 10) signif(v, 2) else round(v))
  range <- function(x) paste0(x$lower, " to ", x$upper)
  some <- if (is.null(test)) expected else test$some
  percent <- paste0(format(100 * expected$level), " % interval ")
  tile <- function(value, words) {
    tag("div", tag("b", html_text(value)), tag("span", html_text(words)), .attr = c(class = "tile"))
  }
  likely <- sum(found$probability > 0.5)
  list(
    tiles = c(
      tile(number(some$count), paste0(
        "wrong labels expected", if (!is.null(test)) " if some are wrong", ", ", percent,
        range(some)
      )),
      if (!is.null(test)) {
        tile(bounded(test$probability_none, 1e-4, Inf, function(v) format(signif(v, 2))),
             "probability that no label is wrong")
      },
      tile(likely, paste(
        if (likely == 1) "label that is" else "labels that are", "more likely wrong than right"
      ))
    ),
    count = c(
      html_p(
        if (!is.null(test)) "If some labels are wrong: " else "Expected: ", number(some$count),
        " of ", whole(nobs(object)), ", ", percent, range(some), ".",
        if (!is.null(test)) {
          paste0(
            " Averaged over all noise models, the one without wrong labels included: ",
            number(test$average$count), " (", range(test$average), ")."
          )
        }
      ),
      count_picture(object, some, expected$level),
      rate_part(object, expected$level)
    )
  )
}

#' The distribution of the number of wrong labels, where the fit has it at hand
#' @noRd
count_picture <- function(object, some, level) {
  if (!is_average(object)) {
    return(NULL)
  }
  models <- object$nodes$models$model
  density <- average_density(object, if (is_test(object)) setdiff(models, "none") else models)
  picture <- picture_count(density / sum(density), some$lower, some$upper)
  tag("figure", svg_picture(picture, picture$title, height = 230), tag("figcaption", html_text(
    paste0(
      if (is_test(object)) "If some labels are wrong. ", "In full colour: the ", format(100 * level),
      " % interval."
    )
  )))
}

rate_part <- function(object, level) {
  if (inherits(object, "gpc_classes")) {
    rates <- noise_matrix(object)
    table <- data.frame(rownames(rates), round(100 * unclass(rates), 1), check.names = FALSE)
    attributes(table)[c("lower", "upper", "level", "type")] <- NULL
    names(table) <- c("true class", paste("recorded", colnames(rates)))
    return(c(html_p("Per cent of each true class recorded as each class:"), html_table(table)))
  }
  rates <- flip_rates(object, level)
  table <- data.frame(
    "true class" = rates$class, "flip rate" = signif(rates$rate, 2),
    interval = ifelse(
      is.na(rates$lower), "none",
      paste(format(rates$lower, digits = 2), "to", format(rates$upper, digits = 2))
    ),
    "expected wrong" = signif(rates$wrong, 2), check.names = FALSE
  )
  if (!is.null(rates$group)) table <- cbind(group = rates$group, table)
  c(html_p("By true class, the share of labels that are recorded wrongly:"), html_table(table))
}
