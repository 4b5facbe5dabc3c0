# The words of messages and printed output: counts, lists, numbers, and what an
# argument is.

# Bayes factors for wrong labels: below the first no sign of them, from the second on they are
# probable, from the third certain enough to say so
verdict_limits <- c(1 / 3, 3, 20)

#' What an unexpected argument is, for the "not ..." half of a message
#' @noRd
describe <- function(x) {
  if (is.null(x)) {
    "`NULL`"
  } else if (rlang::is_missing(x)) {
    "missing"
  } else if (is.data.frame(x)) {
    "a data frame"
  } else if (is.matrix(x)) {
    paste(with_article(typeof(x)), "matrix of", nrow(x), "x", ncol(x))
  } else if (is.function(x)) {
    "a function"
  } else if (is.atomic(x) && length(x) == 1) {
    describe_scalar(x)
  } else if (is.atomic(x)) {
    paste(with_article(class(x)[1]), "vector of length", length(x))
  } else {
    paste("an object of class", class(x)[1])
  }
}

describe_scalar <- function(x) {
  if (is.object(x)) { # whose methods need not work
    return(with_article(class(x)[1]))
  }
  if (is.na(x)) {
    "missing"
  } else if (is.character(x)) {
    text <- encodeString(x, quote = "\"")
    if (nchar(text) > 60) paste0(substr(text, 1, 56), "...\"") else text
  } else {
    format(x, digits = 6)
  }
}

with_article <- function(noun) paste(if (grepl("^[aeiou]", noun)) "an" else "a", noun)

#' A vector for cli markup that shows a few of its entries only
#' @noRd
few <- function(x) cli::cli_vec(x, list("vec-trunc" = 5))

count <- function(n, noun) paste0(whole(n), " ", noun, if (n != 1) "s")

#' A count with all its digits
#' @noRd
whole <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

#' The first three of some names, or all four
#' @noRd
name_some <- function(names) {
  if (length(names) == 4) {
    return(toString(names))
  }
  more <- length(names) - 3
  paste0(paste(utils::head(names, 3), collapse = ", "), if (more > 0) paste(" and", more, "more"))
}

#' Names of at most so many letters, without their middle, where they then still differ
#' @noRd
shorter <- function(names, most) {
  long <- nchar(names) > most
  if (!any(long)) {
    return(names)
  }
  letters <- most - 2 # beside the dots
  short <- names
  short[long] <- paste0(
    substr(names[long], 1, ceiling(letters / 2)), "..",
    substring(names[long], nchar(names[long]) - letters %/% 2 + 1)
  )
  if (anyDuplicated(short)) names else short
}

#' A name that is empty or blank prints as nothing
#' @noRd
quoted_empty <- function(names) {
  blank <- !nzchar(names) | names != trimws(names)
  names[blank] <- paste0("\"", names[blank], "\"")
  names
}

#' A number of rows that is expected
#' @noRd
count_text <- function(v, digits) whole(if (v < 10) signif(v, digits) else round(v))

#' The ends of an interval
#' @noRd
range_text <- function(part) paste(part$lower, "to", part$upper)

#' An interval and its probability
#' @noRd
interval_words <- function(level, part) paste0(format(100 * level), "% interval ", range_text(part))

#' Each number in as few digits as it needs
#' @noRd
format_each <- function(x, digits) vapply(unname(x), format, character(1), digits = digits)

#' From the smallest to the largest, one number where these are alike
#' @noRd
format_range <- function(x, digits) paste(unique(format_each(range(x), digits)), collapse = " to ")

#' Probabilities and rates in so many digits; one next to 0 or 1 by a bound, which is all that is
#' known of it
#' @noRd
format_shares <- function(p, digits) {
  text <- format_each(signif(p, digits), digits)
  text[which(p > 0 & p < 0.001)] <- "< 0.001"
  text[which(p < 1 & p > 0.999)] <- "> 0.999"
  text
}

format_bytes <- function(bytes) {
  units <- c("B", "KiB", "MiB", "GiB", "TiB", "PiB")
  power <- min(max(floor(log(bytes, 1024)), 0), length(units) - 1)
  paste(format(bytes / 1024^power, digits = 3), units[power + 1])
}

#' One "name  value" line each, the values aligned, long ones on more lines
#' @noRd
print_fields <- function(fields) {
  cat(paste0(unlist(field_lines(fields)), "\n", recycle0 = TRUE), sep = "")
}

#' @return a list, the lines of each field
#' @noRd
field_lines <- function(fields) {
  names <- shorter(names(fields), max(getOption("width") %/% 2, 24))
  labels <- paste0("  ", format(names), "  ", recycle0 = TRUE)
  under <- strrep(" ", nchar(c(labels, "")[1]) + 2)
  room <- max(getOption("width") - nchar(under) + 2, 12)
  lapply(seq_along(fields), function(k) {
    lines <- strwrap(fields[[k]], width = room + 1, exdent = 2)
    if (length(lines) == 0) lines <- ""
    lines[-1] <- paste0(under, trimws(lines[-1], "left"), recycle0 = TRUE)
    lines[1] <- paste0(labels[k], lines[1])
    lines
  })
}

#' What stands above a table, on as many lines as it takes
#' @noRd
print_title <- function(...) {
  cat(paste0(strwrap(paste0(...), width = getOption("width") + 1, exdent = 2), "\n"), sep = "")
}

#' A title and sentences below it; nothing when there is none
#' @noRd
print_sentences <- function(title, sentences) {
  width <- min(76, getOption("width") + 1)
  lines <- strwrap(sentences, width = width, indent = 2, exdent = 4)
  if (length(lines)) cat(title, "\n", paste0(lines, "\n"), sep = "")
}

#' What a condition says in one line, without bullets and colours, so that it does
#' not depend on the settings of the session that signals it
#' @noRd
one_line <- function(cnd) {
  message <- cli::ansi_strip(rlang::cnd_header(cnd))
  bullets <- "\n *[ix*!\u2139\u2716\u2022] .*"
  trimws(gsub("[[:space:]]+", " ", sub(bullets, "", message)))
}

#' Text that cli must not interpolate
#' @noRd
cli_verbatim <- function(text) gsub("}", "}}", gsub("{", "{{", text, fixed = TRUE), fixed = TRUE)

#' What there is to say, of each thing that is the case
#' @param ... lists of what `happened`, what it `means` and what to `do`, each or some of it.
#' @return list(happened, means, do)
#' @noRd
findings <- function(...) {
  each <- function(what) unlist(lapply(list(...), `[[`, what))
  list(happened = each("happened"), means = each("means"), do = each("do"))
}
