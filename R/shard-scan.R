# The first pass over all shards: how inputs are encoded, and the two classes. Every shard
# says what it has seen, and what two have seen is merged: levels are those of all rows,
# centre and scale, too, whatever the cut. Levels of factors keep their order where all shards have
# the same; others are sorted, as those of text, and ordered ones refused. Counts are doubles, as
# rows may be more than there are integers.

#' What a shard has seen of the variables of a formula
#' @param needed columns that other rows have, and the formula reads.
#' @return list(seen: list(n, features: a summary each, y: one of the response), digest: of the
#'   columns that are needed)
#' @noRd
shard_scan <- function(state, terms, needed, na.action, types) {
  state$types <- types
  seen <- NULL
  each_frame(state, watched = needed, visit = function(data) {
    absent <- setdiff(needed, names(data))
    must(
      !length(absent), NULL, "have the column{?s} {.val {absent}}, as other rows have", "missing_column",
      of = "It", columns = absent
    )
    frame <- by_formula(stats::model.frame(terms, data, na.action = stats::na.pass), "data")
    frame <- apply_na_action(frame, na.action)
    if (nrow(frame)) {
      features <- formula_features(frame, terms)
      check_features(features)
      seen <<- add_up(list(seen, list(
        n = nrow(frame) + 0, features = lapply(features, seen_values), term = attr(features, "term"),
        y = seen_classes(stats::model.response(frame))
      )), merge_seen)
    }
  })
  list(seen = seen, digest = state$passed)
}

#' Of numbers how many, their mean, squares apart from it, and range; of other values which, and how often. The type, as
#' text, must be the same in all shards: that of a time has its unit, and that of an ordered factor its levels
#' @noRd
seen_values <- function(v) {
  kind <- feature_kind(v)
  time <- time_of(v)
  type <- toString(c(kind, if (is.ordered(v)) levels(v), class(time), attr(time, "units")))
  if (kind == "numeric") {
    v <- as.double(v)
    moments <- list(n = length(v) + 0, mean = mean(v), squares = sum((v - mean(v))^2), range = range(v))
    return(c(list(kind = kind, type = type, time = time), moments))
  }
  used <- unique(as.character(v))
  count <- tabulate(match(as.character(v), used), length(used)) + 0
  list(
    kind = kind, type = type, ordered = is.ordered(v), levels = levels(v), used = used, contrasts = contrasts_of(v),
    count = count
  )
}

#' The different values of a response, with their type; of many a few
#' @noRd
seen_classes <- function(y) {
  utils::head(unique(check_outcome(y, "y")), 20)
}

#' What two shards, or two batches of one, have seen
#' @noRd
merge_seen <- function(a, b) {
  check_same_features(a$features, b$features)
  list(
    n = a$n + b$n, features = Map(merge_values, a$features, b$features), term = a[["term"]],
    y = merge_classes(a$y, b$y)
  )
}

same_type <- "be of the same type in all batches and shards"

check_same_features <- function(a, b) {
  all <- union(names(a), names(b))
  other <- Filter(function(name) !identical(a[[name]]$type, b[[name]]$type), all)
  ordered <- any(unlist(lapply(c(a[other], b[other]), `[[`, "ordered")))
  must(
    !length(other), NULL, same_type, "column_type", of = "Column{?s} {.val {other}}", column = other,
    more = c(i = if (ordered) "Of ordered factors the levels are a part of it, and their order.")
  )
}

#' The different values of two parts of a response; levels that differ are sorted
#' @noRd
merge_classes <- function(a, b) {
  kind <- function(y) if (is.factor(y)) "factor" else if (is.numeric(y)) "number" else class(y)[1]
  must(kind(a) == kind(b), NULL, same_type, "outcome_type", of = "The response")
  y <- unique(c(a, b))
  if (identical(levels(a), levels(b))) y else factor(y, text_levels(levels(y)))
}

# Of n_a and n_b numbers with means m_a, m_b and sums of squared deviations S_a, S_b [Chan, Golub and
# LeVeque 1983], where n = n_a + n_b and d = m_b - m_a:
#   m = m_a + d n_b / n,   S = S_a + S_b + d^2 n_a n_b / n
merge_values <- function(a, b) {
  if (a$kind == "numeric") {
    n <- a$n + b$n
    gap <- b$mean - a$mean
    squares <- a$squares + b$squares + gap^2 * a$n * b$n / n
    a[c("n", "mean", "squares", "range")] <- list(n, a$mean + gap * b$n / n, squares, range(a$range, b$range))
  } else {
    count <- rowsum(c(a$count, b$count), c(a$used, b$used), reorder = FALSE)
    levels <- if (identical(a$levels, b$levels)) a$levels # or none, as of text
    a[c("levels", "used", "count")] <- list(levels, rownames(count), count[, 1])
  }
  a
}

# Blueprint -------------------------------------------------------------------

#' The encoding of all rows, and the rows of a sample
#'
#' @return list(blueprint, shards: what a fit keeps of them, data: of the sample)
#' @noRd
mold_shards <- function(team, formula, scale, na.action) {
  first <- first_rows(team)
  must(!is.null(first), "data", "have at least one row", "no_rows")
  frame <- model_frame(formula, first$rows)
  terms <- strip_environment(attr(frame, "terms"))
  refuse_elsewhere(
    !identical(attr(terms, "variables"), attr(terms, "predvars")),
    "{.arg formula} can't have terms such as {.fn poly} or {.fn scale}, which learn of the rows that they see,",
    "formula", "formula", "Numeric columns are centred and scaled by those of all shards."
  )
  needed <- intersect(all.vars(terms), names(first$rows))
  scanned <- team$ask("scan", list(terms = terms, needed = needed, na.action = na.action, types = first$types))
  seen <- add_up(lapply(scanned, `[[`, "seen"), merge_seen)
  check_rows(if (is.null(seen)) 0 else seen$n, 1)
  label <- rlang::as_label(formula[[2]])
  refuse_elsewhere(
    length(unique(as.character(seen$y))) > 2 && !is.numeric(seen$y), "{.arg {arg}} can't have more than two classes",
    "outcome_levels", label, "Tell one class from the others, as in {.code I(class == \"a\") ~ .}."
  )
  blueprint <- formula_blueprint(formula, terms, first$rows, mold_outcome(seen$y, label))
  blueprint <- seen_blueprint(blueprint, seen, terms, scale)
  passed <- lapply(scanned, function(one) list(needed = needed, scanned = one$digest))
  shards <- encode_shards(team, blueprint, na.action, first$types, passed)
  list(blueprint = blueprint, shards = shards, data = sample_shards(team, shards$rows))
}

#' @param passed what the scan has passed of each shard, list(needed, scanned) as shard_encode() takes it, or `NULL`.
#' @return list(rows: of each shard, counts: of the two classes, left_out)
#' @noRd
encode_shards <- function(team, blueprint, na.action, types, passed = NULL) {
  log <- list(blueprint = blueprint, na.action = na.action, types = types)
  encoded <- team$ask("encode", log, passed)
  team$log <- log
  team$digests <- vapply(encoded, `[[`, "", "digest")
  counts <- vapply(encoded, `[[`, numeric(2), "counts")
  team$resumed <- team$resumed && all(unlist(team$ask("resume")))
  if (team$resumed) team$sites <- team$number
  list(rows = colSums(counts), counts = rowSums(counts), left_out = sum(vapply(encoded, `[[`, numeric(1), "left_out")))
}

#' Some rows that are spread over all, whatever the cut
#' @return as shard_rows()
#' @noRd
sample_shards <- function(team, rows) {
  n <- sum(rows)
  wanted <- if (n <= 1.2 * stage_rows) seq_len(n) else unique(ceiling(n * golden_share(seq_len(stage_rows))))
  before <- cumsum(rows) - rows
  parts <- team$ask("rows", each = lapply(seq_along(rows), function(k) {
    mine <- wanted[wanted > before[k] & wanted <= before[k] + rows[k]]
    list(rows = sort(mine) - before[k])
  }))
  add_up(parts, add_rows)
}

#' What there is of rows that are here, and not of rows elsewhere
#' @param what it is, as the beginning of a sentence. @param hint what to do.
#' @noRd
refuse_elsewhere <- function(when, what, class, arg, hint = NULL) {
  refuse(when, c(paste(what, "with shards, or with a table of a database."), i = hint), class, arg = arg)
}

#' The first rows there are, and the types of columns of a text by those shards that have
#' values there
#' @return as shard_head(), or `NULL`
#' @noRd
first_rows <- function(team) {
  first <- NULL
  for (k in seq_len(team$size)) {
    head <- team$ask("head", only = k)[[1]]
    if (is.null(head$rows)) next
    if (is.null(first)) first <- head
    unknown <- names(first$types)[is.na(first$types)]
    first$types[unknown] <- head$types[unknown]
    if (!anyNA(first$types)) break
  }
  first
}

#' A blueprint with the codings of all rows, as mold_features() makes it
#' @noRd
seen_blueprint <- function(blueprint, seen, terms, scale) {
  shown <- structure(lapply(seen$features, shown_values), term = seen[["term"]])
  coded <- code_features(blueprint, shown, seen$n, function(name) {
    seen_coding(seen$features[[name]], shown[[name]], name, scale)
  })
  blueprint <- with_used_terms(coded, terms)
  # rows that lack what is dropped are left out, as without shards
  if (length(coded$columns) < length(coded$all_columns)) {
    blueprint$needed <- strip_environment(stats::delete.response(terms))
  }
  blueprint
}

#' A short vector with the values that decide what a feature is
#' @noRd
shown_values <- function(seen) {
  if (seen$kind == "numeric") return(as_time(seen$range, seen$time))
  values <- c(seen$used, if (any(seen$count > 1)) seen$used[1])
  if (!is.null(seen$levels)) {
    factor(values, levels = seen$levels)
  } else if (seen$kind == "logical") as.logical(values) else values
}

seen_coding <- function(seen, shown, name, scale) {
  if (seen$kind == "numeric" && scale) {
    spread <- if (seen$n > 1) sqrt(seen$squares / (seen$n - 1)) else 1
    return(number_coding(signif(seen$mean, 13), signif(spread, 13), seen$time))
  }
  coding <- feature_coding(shown, name, scale)
  if (seen$kind != "numeric") {
    coding$contrasts <- seen$contrasts
    coding$spread <- count_spread(seen$count[match(coding$levels, seen$used)])
  }
  coding
}
