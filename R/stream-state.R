# The state of a stream in a file: plain numbers, and the names and types of the columns of a
# text. What else a fit has, its encoding above all, a run that resumes makes again of the
# rows that the stream began with.

state_kind <- list(magic = "sturdy stream ", format = 3L, what = "the state of a stream")

# what is in the file, in this order: numbers, then strings
state_numbers <- c(
  "mean", "C", "log_scale_weights", filter_counts, "batches", "source_rows", "left_out", "begun",
  "history"
)
state_strings <- c("encoding", "arguments", "columns", "classes")

#' @return list of vectors, those of strings without line breaks and missing values
#' @noRd
stream_state <- function(fit) {
  filter <- fit$filter
  weights <- fit$weights
  c(
    list(mean = weights$mean, C = weights$C, log_scale_weights = weights$log_scale),
    lapply(filter[intersect(state_numbers, names(filter))], unlist),
    list(
      encoding = encoding_digest(fit), arguments = vapply(filter$arguments, digest, ""),
      columns = filter$columns, classes = ifelse(is.na(filter$classes), "", filter$classes)
    )
  )
}

#' How a fit encodes rows, in short
#' @noRd
encoding_digest <- function(fit) {
  blueprint <- fit$blueprint
  learned <- deparse(attr(blueprint$terms, "predvars"), control = "hexNumeric")
  digest(list(unclass(blueprint)[c("coding", "levels", "term")], learned))
}

write_state <- function(fit, file) {
  state <- stream_state(fit)[c(state_numbers, state_strings)]
  numbers <- unlist(state[state_numbers], use.names = FALSE)
  strings <- enc2utf8(as.character(unlist(state[state_strings])))
  payload <- c(
    writeBin(lengths(state), raw(), endian = "little"),
    writeBin(as.double(numbers), raw(), endian = "little"),
    charToRaw(paste0(strings, "\n", collapse = ""))
  )
  write_sealed(file, state_kind, length(payload), NULL, payload)
}

#' @return list(mean, C, log_scale_weights, encoding, arguments: a digest each, filter)
#' @noRd
read_state <- function(file) {
  payload <- read_sealed(file, state_kind, length)
  tryCatch(suppressWarnings(unpack_state(payload)), error = function(cnd) {
    abort_checkpoint("is damaged", "damaged", file)
  })
}

unpack_state <- function(bytes) {
  fields <- c(state_numbers, state_strings)
  is_number <- fields %in% state_numbers
  sizes <- readBin(bytes, "integer", length(fields), endian = "little")
  from <- 4 * length(fields)
  to <- from + 8 * sum(sizes[is_number])
  stopifnot(length(sizes) == length(fields), all(sizes >= 0), to <= length(bytes))
  numbers <- readBin(bytes[seq_len(to)][-seq_len(from)], "double", to, endian = "little")
  strings <- strsplit(rawToChar(bytes[-seq_len(to)]), "\n", fixed = TRUE)[[1]]
  stopifnot(length(strings) == sum(sizes[!is_number]))
  Encoding(strings) <- "UTF-8"
  parts <- function(values, which) {
    split(values, factor(rep(fields[which], sizes[which]), fields[which]))
  }
  state <- c(parts(numbers, is_number), parts(strings, !is_number))
  state$filter <- state_filter(state)
  stopifnot(is_stream_filter(state$filter))
  state
}

state_filter <- function(state) {
  filter <- empty_filter(NULL)
  given <- intersect(names(filter), state_numbers)
  filter[given] <- state[given]
  history <- matrix(state$history, ncol = 3, dimnames = list(NULL, history_columns))
  filter$history <- as.data.frame(history)
  if (length(state$columns)) {
    filter$columns <- state$columns
    filter$classes <- replace(state$classes, state$classes == "", NA)
  }
  filter
}

#' Counts that agree with each other
#' @noRd
is_stream_filter <- function(filter) {
  counts <- unlist(filter[c("batches", "source_rows", "left_out", "begun")])
  last <- filter$history[nrow(filter$history), ]
  is_filter(filter) && length(counts) == 5 && all(counts >= 0 & counts == round(counts)) &&
    filter$source_rows == filter$rows + filter$left_out && filter$begun[2] > 0 &&
    sum(filter$begun) <= filter$source_rows &&
    sum(filter$counts) == filter$rows && nrow(filter$history) <= filter$batches &&
    identical(unlist(last), unlist(filter[names(last)]))
}

# A fit from its state ------------------------------------------------------

#' A fit that has seen no row yet
#' @noRd
start_stream <- function(spec, molded) {
  model <- with_call(bpm_start(spec, molded, bpm_prior(spec, molded$blueprint)))
  if (!is.null(model$call)) {
    # without what does not shape the fit: a resumed run gives the same one
    model$call[c("checkpoint", "resume", "progress")] <- NULL
    model$call[[1]] <- as.name("bpm_stream")
  }
  model
}

#' The fit of a state; an error where the state contradicts itself or the model
#' @param fit any fit of the same model, as start_stream() makes it.
#' @noRd
restore_stream <- function(fit, state, arguments) {
  weights <- fit$weights
  stopifnot(length(state$mean) == length(weights$mean), length(state$C) == length(weights$C))
  weights$mean[] <- state$mean
  weights$C[] <- state$C
  weights$log_scale <- state$log_scale_weights
  fit[c("weights", "filter")] <- list(weights, state$filter)
  fit$filter$arguments <- arguments
  stopifnot(
    is.null(wrong_field(fit)), isSymmetric(unname(weights$C)), is.matrix(chol(weights$C))
  )
  fit
}
