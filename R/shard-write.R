# Answers of a shard, written to a file where its rows are or sent to the driver.

shard_predict <- function(state, object, type, noise, file = NULL) {
  state$wanted <- used_columns(object$blueprint)
  answer <- function(data) {
    found <- stats::predict(object, data, type = type, noise = noise)
    if (is.null(dim(found))) found <- stats::setNames(data.frame(unname(found)), type)
    as.data.frame(found, optional = TRUE)
  }
  none <- sapply(object$blueprint$variables, function(name) logical(), simplify = FALSE)
  answer_batches(file, answer(as.data.frame(none, optional = TRUE)), function(write) {
    each_frame(state, function(data) write(answer(data)))
  })
}

#' The rows of the fit, by its label stage or, where it has none, by its own likelihood
#' @noRd
shard_suspects <- function(state, point, posterior, lik, object, file = NULL) {
  stage <- object$label_stage
  answer <- function(y, rows, seen) {
    data <- list(y = y, rows = rows, reports = label_reports(1 + (y > 0), 2L))
    if (is.null(stage)) {
      return(answers_in_order(object, new_truth(nodes(object), array(seen, c(dim(seen), 1)), data), data))
    }
    said <- label_says_of(as_scores(exp(seen)), data, stage$nodes, stage$recalibration$way)
    answers_in_order(object, said$truth, data, said$unusual)
  }
  answer_batches(file, answer(1, 1L, matrix(log(0.5), 1, 2))[0, ], function(write) {
    each_block(state, function(block, rows) {
      view <- native_shard_view(rows, lik, posterior, made_under(state, point)[[block$at]])
      write(answer(block$y, block$rows, view$seen))
    })
  })
}

#' Further rows, with labels that may be wrong
#' @param labels,rates names of columns, or `NULL`.
#' @noRd
shard_labelled <- function(state, object, labels, rates, file = NULL) {
  blueprint <- object$blueprint
  state$wanted <- c(used_columns(blueprint), blueprint$response, blueprint$groups$variables, labels, rates)
  column <- function(data, name) {
    check_new_columns(data, name, "data", "the column")
    if (!is.null(name)) data[[name]]
  }
  answer <- function(new) answers_in_order(object, said_of_new(object, new$X, new$data, NULL)$rows, new$data)
  answer_batches(file, answer(no_labelled_rows(object)), function(write) {
    each_frame(state, function(data) {
      found <- answer(labelled_rows(object, data, column(data, labels), column(data, rates)))
      found$row <- state$read + found$row
      write(found)
    })
  })
}

#' Answers to a file, which has its name when it is complete, or to the driver
#'
#' @param none an answer for no rows. @param all function(write), which writes data frames of
#'   answers one after the other; where these have no column `row`, they are of all rows.
#' @return list(rows, wrong: sum of the column `probability`, answers: `NULL` with a file)
#' @noRd
answer_batches <- function(file, none, all) {
  rows <- wrong <- 0
  numbered <- function(answers) {
    at <- rows + seq_len(nrow(answers))
    rows <<- rows + nrow(answers)
    wrong <<- wrong + sum(answers[["probability"]])
    if (is.null(answers[["row"]])) cbind(row = at, answers) else answers
  }
  kept <- list(numbered(none))
  if (is.null(file)) {
    all(function(answers) kept[[length(kept) + 1]] <<- numbered(answers))
    return(list(rows = rows, wrong = wrong, answers = do.call(rbind, kept)))
  }
  write <- if (is_parquet(file)) write_parquet else write_csv
  write(file, kept[[1]], function(put) all(function(answers) put(numbered(answers))))
  list(rows = rows, wrong = wrong)
}

#' Data frames to a file, one after the other
#' @param none one without rows. @param all function(put), which puts them.
#' @noRd
write_csv <- function(file, none, all) {
  write_file(file, function(put) {
    put(csv_bytes(none, names = TRUE))
    all(function(data) put(csv_bytes(data)))
  })
}

parquet_group <- 1e5 # rows that are written together, at least

write_parquet <- function(file, none, all) {
  check_parquet()
  none <- parquet_columns(none)
  schema <- nanoparquet::infer_parquet_schema(none)
  schema$repetition_type[] <- "OPTIONAL" # there may be missing values in any batch
  apart <- nanoparquet::parquet_options(keep_row_groups = TRUE)
  write_beside(file, function(fresh, to_disk) {
    kept <- list(none)
    flush <- function() {
      data <- do.call(rbind, kept)
      kept <<- list()
      to_disk(if (file.exists(fresh)) {
        nanoparquet::append_parquet(data, fresh, options = apart)
      } else {
        nanoparquet::write_parquet(data, fresh, schema = schema)
      })
    }
    all(function(data) {
      kept[[length(kept) + 1]] <<- parquet_columns(data)
      if (sum(vapply(kept, nrow, 0L)) >= parquet_group) flush()
    })
    if (length(kept)) flush()
  })
}

#' Types that do not change from batch to batch: levels are text, and rows are counted in doubles
#' @noRd
parquet_columns <- function(data) {
  data[] <- lapply(data, function(v) if (is.factor(v)) as.character(v) else v)
  data$row <- as.double(data$row)
  data
}

csv_bytes <- function(data, names = FALSE) {
  con <- rawConnection(raw(), "w")
  on.exit(close(con))
  utils::write.table(data, con, sep = ",", dec = ".", qmethod = "double", row.names = FALSE, col.names = names)
  rawConnectionValue(con)
}
